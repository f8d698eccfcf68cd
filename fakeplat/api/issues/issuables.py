"""What the operations of issues and of merge requests share: above all the filters of their lists.

Source: docs/platform/issues.md, docs/platform/merge-requests.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import and_, or_
from typing import Annotated, Any, ClassVar, Final, Literal, Protocol, TypeVar

from fakeplat.core.operations.errors import Unauthorized
from fakeplat.core.params.params import (
    Check,
    CommaList,
    IntegerNoneAny,
    Moment,
    Named,
    Params,
    Rule,
    mutually_exclusive,
)
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, VisibleProjects
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.planning import milestones
from fakeplat.entities.issues.issuables import FROM_GROUP, FROM_PROJECT, LABEL_DETAILS
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import MILESTONES_BY_TITLE
from fakeplat.policy.context import ReadContext, WriteContext

# The platform still accepts the older forms with dashes.
ListScope = Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all"]
Projects = Callable[[], Iterable[Project]]
F = TypeVar("F", bound=IssueFilter)
Conditions = Mapping[str, Callable[[F, Any], int]]
"""Functions that return the bitset of the records with a value of a parameter."""


_LONGEST_TITLE: Final = 255


def _check_length(title: str) -> str | None:
    return f"must be less than {_LONGEST_TITLE} characters" if len(title) > _LONGEST_TITLE else None


MilestoneTitle = Annotated[str | None, Check(_check_length, schema={"maxLength": _LONGEST_TITLE}), MILESTONES_BY_TITLE]
"""The title of a milestone of the project or of a group above it, instead of ``milestone_id``."""

ONE_MILESTONE: Final = mutually_exclusive("milestone_id", "milestone")


def resolve_milestone(ctx: ReadContext, project: Project, fields: dict[str, Any]) -> None:
    """Replace a ``milestone`` by the ``milestone_id`` of that title; a title that no milestone has is ignored."""
    title = fields.pop("milestone", None)
    milestone = milestones.find_by_title(ctx.world, project, title) if title else None
    if milestone is not None:
        fields["milestone_id"] = milestone.id


class NegatedFilters(Params):
    """Filters that exclude records (``not``)."""

    labels: CommaList[str] | None = None
    milestone: str | None = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: CommaList[str] | None = None
    my_reaction_emoji: str | None = None

    rules: ClassVar[tuple[Rule, ...]] = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class Filters(Params):
    """Filters of all lists."""

    labels: CommaList[str] | None = None
    milestone: str | None = None
    iids: CommaList[int] | None = None
    search: str | None = None
    in_: Annotated[str | None, Named("in")] = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: CommaList[str] | None = None

    rules: ClassVar[tuple[Rule, ...]] = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class TimeFilters(Params):
    """Filters by the times of creation and of the last update."""

    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None


class NonArchivedFilter(Params):
    """Whether records of archived projects are left out."""

    non_archived: bool = True


class LabelDetailsParam(Protocol):
    """The parameters of a list that can show the details of labels."""

    with_labels_details: bool


def build_list_options(_ctx: ReadContext, p: LabelDetailsParam, _row: object) -> tuple[str, ...]:
    """Return the view options of a list of all projects."""
    return (LABEL_DETAILS,) if p.with_labels_details else ()


def build_project_list_options(ctx: ReadContext, p: LabelDetailsParam, row: object) -> tuple[str, ...]:
    """Return the view options of a list of a project."""
    return (*build_list_options(ctx, p, row), FROM_PROJECT)


def build_group_list_options(ctx: ReadContext, p: LabelDetailsParam, row: object) -> tuple[str, ...]:
    """Return the view options of a list of a group."""
    return (*build_list_options(ctx, p, row), f"{FROM_GROUP}{GroupView(ctx.records[0], ctx).full_path()}")


def set_subscription(ctx: WriteContext, record: Issuable, *, subscribed: bool) -> None:
    """Subscribe the caller to a record, or unsubscribe from it; 304 without a change."""
    user = ctx.signed_in_user
    # Participants are notified without a stored subscription, and that decides about the 304.
    is_subscribed = subscriptions.is_notified(ctx.world, record, user)
    subscriptions.subscribe(ctx, noteables.subject_of(record), user, subscribed=subscribed, now=is_subscribed)


def check_scope(ctx: ReadContext, scope: str | None, words: str) -> None:
    """Refuse a list of all projects to anonymous callers, unless its scope is ``all``."""
    # Checked after the parameters: ``GET /issues?state=x`` is 400 for anonymous callers, too.
    if ctx.viewer is None and scope != "all":
        raise Unauthorized(reason=f"nobody is signed in; anonymous callers list {words} with scope=all only")


def match_scope(
    issuable_filter: IssueFilter,
    scope: ListScope | Literal["reviews_for_me"] | None,
    candidates: int,
    *,
    anonymous: int,
) -> int:
    """Narrow candidates to those of the caller that a scope selects; ``anonymous`` is the result without a caller."""
    user = issuable_filter.ctx.viewer
    if scope in (None, "all"):
        return candidates
    if user is None:
        return anonymous
    if scope == "reviews_for_me":
        return candidates & issuable_filter.bits("reviewer", user.id)
    # ``created_by_me`` and ``created-by-me`` are the same; the other scopes ask for assignees.
    return candidates & issuable_filter.bits("author" if "created" in str(scope) else "assignee", user.id)


def match_filters(
    issuable_filter: F, p: Filters, conditions: Conditions[F], visible: VisibleProjects, candidates: int
) -> int:
    """Narrow candidates to those that meet all conditions and have one of the iids."""
    matching = reduce(and_, _match_each(issuable_filter, p, conditions), candidates)
    if not p.iids:
        return matching
    # Iids are unique in a project only: there an index finds them, elsewhere each remaining record is compared.
    project = visible.open[0] if issuable_filter.group != "all" and visible.open else None
    return matching & issuable_filter.with_iids(p.iids, project, matching)


def match_excluded(issuable_filter: F, p: NegatedFilters, conditions: Conditions[F]) -> int:
    """Return the bitset of the records with any attribute that ``not`` excludes."""
    return reduce(or_, _match_each(issuable_filter, p, conditions), 0)


def _match_each(issuable_filter: F, p: Params, conditions: Conditions[F]) -> Iterator[int]:
    params = p.given()
    for name, match in conditions.items():
        operand = params.get(name)
        # ``confidential=false`` is a filter, too, so this is not a test of truth.
        if operand not in (None, "", []):
            yield match(issuable_filter, operand)


def match_text(issuable_filter: IssueFilter, text: str | None, columns: str | None, candidates: int) -> int:
    """Narrow candidates to those that contain a text, if there is one."""
    # The search reads each candidate, so it runs after the filters that indexes answer.
    return (
        issuable_filter.containing_text(candidates, text, issue_search.search_columns(columns)) if text else candidates
    )


CONDITIONS: Final[Conditions[IssueFilter]] = {
    "author_id": lambda issuable_filter, value: issuable_filter.bits("author", value),
    "author_username": lambda issuable_filter, value: issuable_filter.by_users("author", [value]),
    "assignee_id": lambda issuable_filter, value: issuable_filter.assigned(value),
    "assignee_username": lambda issuable_filter, value: issuable_filter.by_users("assignee", value),
    "labels": lambda issuable_filter, value: issuable_filter.with_labels(value),
    "milestone": lambda issuable_filter, value: issuable_filter.in_milestone(value),
    "my_reaction_emoji": lambda issuable_filter, value: issuable_filter.with_reaction(value),
}
"""The conditions of all lists."""
EXCLUDING_CONDITIONS: Final[Conditions[IssueFilter]] = {
    **CONDITIONS,
    # Each title excludes on its own: a record with any of these labels is left out.
    "labels": lambda issuable_filter, value: reduce(or_, map(issuable_filter.any_label, value), 0),
}
"""The conditions under ``not``."""
