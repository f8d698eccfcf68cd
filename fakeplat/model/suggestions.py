"""Suggestions: changes of lines that diff notes propose."""

from fakeplat.core.store.frozen import frozen


@frozen
class Suggestion:
    """New content for the line of a note's position, with ``lines_above`` before it and ``lines_below`` after it.

    Contents are complete lines with their line ends. ``commit_id`` is the commit that applied the suggestion.
    """

    id: int
    note_id: int
    from_content: str
    to_content: str
    lines_above: int = 0
    lines_below: int = 0
    applied: bool = False
    commit_id: str | None = None
