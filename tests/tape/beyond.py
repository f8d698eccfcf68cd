"""Records that exported worlds lack; the resulting drift is expected. docs/fidelity.md lists them."""

import re
from collections.abc import Iterable

from fakeplat.core.operations.operation import OPERATIONS

AREAS_NOT_READ = ("Events", "Git LFS", "Integrations", "Snippets")
"""Areas that exports from a server or a tape leave out, so that their lists are empty."""

OPERATIONS_NOT_READ = frozenset(operation.name for operation in OPERATIONS if operation.area.name in AREAS_NOT_READ)
FIELDS_OF_OTHERS = ("subscribed", "notification_level")
"""Fields about the caller, which an export contains for the token's user only."""

LISTS_OF_OTHERS = ("todos", "notification_settings")
"""Endings of paths whose content depends on the caller."""

COUNTS = ("merge_requests_count", "open_merge_requests_count", "user_notes_count")
"""Counts of records that a tape may not show."""


def without_counts(drifts: Iterable[str]) -> list[str]:
    """Return the drifts without those of these counts."""
    return [line for line in drifts if not any(f".{name}:" in line for name in COUNTS)]


_OF_CODE = re.compile(
    r"sha\b|diff_refs|changes|versions|_commit|branches|tags|has_conflicts|merge_status|position|added \d+ commit"
    # A pipeline belongs to a merge request by its commit.
    r"|latest_build|list_merge_request_pipelines"
)


def without_repositories(drifts: Iterable[str]) -> list[str]:
    """Return the drifts without those caused by placeholder repositories."""
    return [line for line in drifts if not _OF_CODE.search(line.partition(" ≠ ")[0])]
