"""Modes in which mutations apply a list of records."""

from collections.abc import Sequence
from typing import Final

from fakeplat.graphql.schema_builder import Enumeration

REPLACE: Final = "replace"
_APPEND: Final = "append"
_REMOVE: Final = "remove"

Enumeration(
    "MutationOperationMode",
    "How a list of records changes the existing one.",
    {
        "REPLACE": (REPLACE, "Replace the existing records."),
        "APPEND": (_APPEND, "Add to the existing records."),
        "REMOVE": (_REMOVE, "Remove from the existing records."),
    },
)


def combine_ids(mode: str | None, current: Sequence[int], ids: Sequence[int]) -> list[int]:
    """Return the resulting ids, each once."""
    if mode == _REMOVE:
        return [id_ for id_ in current if id_ not in ids]
    return list(dict.fromkeys([*current, *ids] if mode == _APPEND else ids))
