"""Filters of merge requests by how far their reviewers are. Source: docs/platform/graphql.md."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.people import users
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World

Test = Callable[[MergeRequest], bool]
FILTERS: Final = (
    'reviewState: MergeRequestReviewState @lifetime(since: "17.0"), '
    'reviewStates: [MergeRequestReviewState!] @lifetime(since: "17.0"), '
    'ignoredReviewerUsername: String @lifetime(since: "18.0")'
)
NEGATED_FIELDS: Final = '''
"""Whether the reviewer must not be the only one; those without reviewers are left out."""
onlyReviewer: Boolean @lifetime(since: "17.11")
"""How far no reviewer is."""
reviewStates: [MergeRequestReviewState!] @lifetime(since: "17.9")
'''
UNIONED_FIELDS: Final = '''
"""Whether there is a reviewer."""
reviewerWildcard: ReviewerWildcardId @lifetime(since: "17.11")
"""The username of the only reviewer; only with reviewerWildcard."""
onlyReviewerUsername: String @lifetime(since: "17.11")
"""How far a reviewer is; only with reviewerWildcard."""
reviewStates: [MergeRequestReviewState!] @lifetime(since: "18.0")
'''


@frozen
class Role:
    """A user in a role, and how far the reviewers are: those of the assigned user, or the reviewing user."""

    name: str
    user_id: int
    states: Collection[str] = ()

    def select(self, merge_requests: MergeRequestFilter) -> int:
        """Return the merge requests in which the user has the role."""
        chosen = merge_requests.bits(self.name, self.user_id)
        if not self.states:
            return chosen
        only = self.user_id if self.name == "reviewer" else None
        return merge_requests.passing(chosen, lambda each: _has_review(each, self.states, only=only))


def match_reviews(
    merge_requests: MergeRequestFilter, chosen: int, active: Mapping[str, Any], reviewer_id: int | None
) -> int:
    """Narrow a selection to what the filters say of reviews; ``reviewer_id`` is whose reviews are listed."""
    for test in _list_tests(merge_requests.world, active, reviewer_id):
        chosen = merge_requests.passing(chosen, test)
    return chosen


def _list_tests(world: World, active: Mapping[str, Any], reviewer_id: int | None) -> Iterator[Test]:
    ignored = _find_id(world, active.get("ignored_reviewer_username"))
    one = active.get("review_state")
    states = [one] if one else active.get("review_states")
    only = reviewer_id or _find_id(world, active.get("reviewer_username"))
    if states and "reviewer_wildcard_id" not in active:
        yield lambda each: _has_review(each, states, only=only, ignored=ignored)
    negated = active.get("not", {})
    if refused := negated.get("review_states"):
        yield lambda each: bool(_reviewers(each, ignored)) and not _has_review(each, refused, ignored=ignored)
    if negated.get("only_reviewer") and (single := _find_id(world, negated.get("reviewer_username"))):
        yield lambda each: each.reviewer_ids not in ((), (single,))
    yield from _list_alternatives(world, active.get("or", {}))


def _list_alternatives(world: World, alternatives: Mapping[str, Any]) -> Iterator[Test]:
    """Yield the test of what one of several alternatives has to be: no reviewer, only one, or one that is so far."""
    if alternatives.get("reviewer_wildcard") != "None":
        return
    states, name = alternatives.get("review_states"), alternatives.get("only_reviewer_username")
    single = _find_id(world, name)
    if single is not None:
        yield lambda each: not _reviewers(each, single) or bool(states and _has_review(each, states, ignored=single))
    elif states and not name:
        yield lambda each: not each.reviewers or _has_review(each, states)


def _find_id(world: World, name: str | None) -> int | None:
    user = users.find_by_username(world, name) if name else None
    return user.id if user is not None else None


def _reviewers(merge_request: MergeRequest, ignored: int | None) -> list[str]:
    """Return how far the reviewers are, without one who is ignored."""
    return [reviewer.state for reviewer in merge_request.reviewers if reviewer.user_id != ignored]


def _has_review(
    merge_request: MergeRequest, states: Collection[str], *, only: int | None = None, ignored: int | None = None
) -> bool:
    return any(
        reviewer.state in states and reviewer.user_id != ignored and only in (None, reviewer.user_id)
        for reviewer in merge_request.reviewers
    )
