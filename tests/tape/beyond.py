"""What worlds made of a crawl or a tape do not hold: where that shows, it is no mistake. docs/fidelity.md lists it."""

import re
from collections.abc import Iterable

from fakeplat.core.operations.operation import OPERATIONS

AREAS_NOT_READ = ("Events", "Git LFS", "Integrations", "Pipelines", "Snippets")
"""Areas of which a crawl reads nothing and of which nothing is taken from a tape, so that their lists are empty."""

OPERATIONS_NOT_READ = frozenset(one.name for one in OPERATIONS if one.area.name in AREAS_NOT_READ)
FIELDS_OF_OTHERS = ("subscribed", "notification_level")
"""What everybody is shown about themselves alone, so that a token tells it of its own user."""

LISTS_OF_OTHERS = ("todos", "notification_settings")
"""Paths that end so show everybody their own."""

COUNTS = ("merge_requests_count", "open_merge_requests_count", "user_notes_count")
"""Counts of things of which a tape may show nothing else."""


def told(drifts: Iterable[str]) -> list[str]:
    """The drifts without those of such counts."""
    return [line for line in drifts if not any(f".{name}:" in line for name in COUNTS)]


_OF_CODE = re.compile(
    r"sha\b|diff_refs|changes|versions|_commit|branches|tags|has_conflicts|merge_status|position|added \d+ commit"
)


def told_of_code(drifts: Iterable[str]) -> list[str]:
    """The drifts without those of repositories for which a tape has stand-ins, and of what is worked out from them."""
    return [line for line in drifts if not _OF_CODE.search(line.partition(" ≠ ")[0])]
