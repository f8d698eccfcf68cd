"""Modes in which mutations apply a list of records."""

from collections.abc import Sequence
from typing import Final

from fakeplat.graphql.schema_builder import Enumeration

REPLACE: Final = "replace"
APPEND: Final = "append"
REMOVE: Final = "remove"

Enumeration(
    "MutationOperationMode",
    "How a list of records changes the existing one.",
    {
        "REPLACE": (REPLACE, "Replace the existing records."),
        "APPEND": (APPEND, "Add to the existing records."),
        "REMOVE": (REMOVE, "Remove from the existing records."),
    },
)


def combine_ids(mode: str | None, current: Sequence[int], ids: Sequence[int]) -> list[int]:
    """Return the resulting ids, each once."""
    if mode == REMOVE:
        return [id_ for id_ in current if id_ not in ids]
    return list(dict.fromkeys([*current, *ids] if mode == APPEND else ids))
