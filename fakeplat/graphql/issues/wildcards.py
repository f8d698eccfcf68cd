"""What filters of lists take instead of names: any record, none, or one of a kind. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.graphql.schema_builder import Enumeration, to_snake_case

_NONE_ANY: Final = {"NONE": ("None", "Those that have none."), "ANY": ("Any", "Those that have one.")}
Enumeration("AssigneeWildcardId", "Whether there is an assignee.", _NONE_ANY, since="<=14.0")
Enumeration("ReviewerWildcardId", "Whether there is a reviewer.", _NONE_ANY, since="<=17.10")
Enumeration("EpicWildcardId", "Whether there is an epic.", _NONE_ANY, since="<=16.2")
Enumeration("WeightWildcardId", "Whether there is a weight.", _NONE_ANY, since="<=14.0")
Enumeration("ReleaseTagWildcardId", "Whether the milestone has a release.", _NONE_ANY, since="<=14.9")
_OF_TIME: Final = {
    "STARTED": ("#started", "In a milestone that has begun."),
    "UPCOMING": ("#upcoming", "In the next milestone."),
}
Enumeration("MilestoneWildcardId", "The kind of the milestone.", {**_NONE_ANY, **_OF_TIME}, since="<=14.3")
Enumeration("NegatedMilestoneWildcardId", "The kind of the milestone.", _OF_TIME, since="<=14.3")
Enumeration(
    "HealthStatusFilter",
    "The health status, in a filter.",
    {
        **_NONE_ANY,
        "onTrack": ("on_track", "Those on track."),
        "needsAttention": ("needs_attention", "Those that need attention."),
        "atRisk": ("at_risk", "Those at risk of being late."),
    },
    since="<=15.8",
)
Enumeration(
    "SubscriptionStatus",
    "The choice of the caller.",
    {
        "EXPLICITLY_SUBSCRIBED": (True, "The caller has subscribed."),
        "EXPLICITLY_UNSUBSCRIBED": (False, "The caller has unsubscribed."),
    },
    since="<=18.5",
)


def check_exclusive(given: Mapping[str, Any], *groups: Sequence[str], first: str = "Only") -> None:
    """Refuse several arguments of a group together, which are in the notation of the wire."""
    for group in groups:
        if sum(given.get(to_snake_case(name)) is not None for name in group) > 1:
            raise GraphQLError(f"{first} one of [{', '.join(group)}] arguments is allowed at the same time.")


def in_released_milestones(chosen: IssueFilter, tags: Sequence[str] | str) -> int:
    """Return those in milestones of the project's releases with some tags, of any release (``Any``) or of none."""
    if chosen.group == "all":
        return chosen.bits("all")
    releases = chosen.world.releases.where("project", chosen.group)
    selected = 0
    for release in releases:
        if isinstance(tags, str) or release.tag_name in tags:
            for id_ in release.milestone_ids:
                selected |= chosen.bits("milestone", id_)
    return chosen.bits("all") & ~selected if tags == "None" else selected


def union_of_users(chosen: IssueFilter, fact: str, names: Sequence[str]) -> int:
    """Return those that have at least one of some users in a role."""
    selected = 0
    for name in names:
        selected |= chosen.by_users(fact, [name])
    return selected


def union_of_labels(chosen: IssueFilter, titles: Sequence[str]) -> int:
    """Return those that have at least one of some labels."""
    selected = 0
    for title in titles:
        selected |= chosen.any_label(title)
    return selected
