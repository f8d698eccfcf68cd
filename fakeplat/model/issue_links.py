"""Links between issues."""

from typing import Literal

from fakeplat.core.store.frozen import frozen


@frozen
class IssueLink:
    """A link between two issues. ``blocks``: the source blocks the target."""

    id: int
    source_id: int
    target_id: int
    created_at: str
    updated_at: str
    link_type: Literal["relates_to", "blocks"] = "relates_to"
