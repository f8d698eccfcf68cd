"""What a list of records in a mutation does to those that are there."""

from collections.abc import Sequence
from typing import Final

from fakeplat.graphql.schema_builder import Enumeration

REPLACE: Final = "replace"
_APPEND: Final = "append"
_REMOVE: Final = "remove"

Enumeration(
    "MutationOperationMode",
    "What a list of records does to those that are there.",
    {
        "REPLACE": (REPLACE, "It takes their place."),
        "APPEND": (_APPEND, "It comes to them."),
        "REMOVE": (_REMOVE, "It is taken from them."),
    },
)


def combine_ids(mode: str | None, before: Sequence[int], named: Sequence[int]) -> list[int]:
    """The ids that are left, each once."""
    if mode == _REMOVE:
        return [id_ for id_ in before if id_ not in named]
    return list(dict.fromkeys([*before, *named] if mode == _APPEND else named))
