"""What worlds made of a crawl or a tape do not hold: where that shows, it is no mistake. docs/fidelity.md lists it."""

from collections.abc import Iterable

from fakeplat.core.operation import OPERATIONS

AREAS_NOT_READ = (
    "Access requests",
    "Badges",
    "Boards",
    "Discussions",
    "Events",
    "Git LFS",
    "Integrations",
    "Issue links",
    "Merge requests",
    "Notes",
    "Notification settings",
    "Resource events",
    "Search",
    "To dos",
)
"""Areas of which a crawl reads nothing and of which nothing is taken from a tape, so that their lists are empty."""

BESIDE = ("list_commit_comments", "list_commit_merge_requests", "list_issue_participants")
"""Operations of other areas that show what stands in these."""

OPERATIONS_NOT_READ = frozenset({one.name for one in OPERATIONS if one.area.name in AREAS_NOT_READ} | {*BESIDE})
FIELDS_NOT_READ = ("merge_requests_count", "user_notes_count", "open_merge_requests_count")
"""Counts of what stands in these areas."""


def told(drifts: Iterable[str]) -> list[str]:
    """The drifts without those of such counts."""
    return [line for line in drifts if not any(f".{name}:" in line for name in FIELDS_NOT_READ)]
