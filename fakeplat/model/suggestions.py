"""Changes of lines that notes on differences suggest."""

from fakeplat.core.store.frozen import frozen


@frozen
class Suggestion:
    """New content for some lines: that of the note's position, ``lines_above`` above it and ``lines_below`` below it.

    Contents are whole lines with their ends. ``commit_id``: the commit that applied it.
    """

    id: int
    note_id: int
    from_content: str
    to_content: str
    lines_above: int = 0
    lines_below: int = 0
    applied: bool = False
    commit_id: str | None = None
