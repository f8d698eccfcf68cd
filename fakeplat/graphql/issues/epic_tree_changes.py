"""Moving epics and issues in the tree below an epic. Source: docs/platform/graphql.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import NotFound, NotFoundWithMessage
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.epics import tree_order
from fakeplat.domain.epics.tree_order import Node
from fakeplat.graphql.errors import MutationFailed, collect_errors, error_messages
from fakeplat.graphql.ids import parse_global_id, parse_id
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, mutation
from fakeplat.policy.context import ReadContext, WriteContext

_NODE_IDS: Final = "<=14.9"
_EPIC_IDS: Final = "<=13.6"
_KINDS: Final = ("Epic", "EpicIssue")
Scalar("EpicTreeSortingID", "The global ID of an epic, or of the place of an issue in an epic.", since=_NODE_IDS)
Enumeration(
    "MoveType",
    "Where the adjacent node of a tree stands.",
    {"before": ("before", "It stands before the moved one."), "after": ("after", "It stands after the moved one.")},
)
Input(
    "EpicTreeNodeFieldsInputType",
    "The move of a node of a tree.",
    f'''
"""The epic, or the place of an issue in an epic."""
id: ID! @lifetime(until: "{_NODE_IDS}")
"""The epic, or the place of an issue in an epic."""
id: EpicTreeSortingID! @lifetime(since: "{_NODE_IDS}")
"""The node next to which it is moved."""
adjacentReferenceId: ID @lifetime(until: "{_NODE_IDS}")
"""The node next to which it is moved."""
adjacentReferenceId: EpicTreeSortingID @lifetime(since: "{_NODE_IDS}")
"""Where the adjacent node stands."""
relativePosition: MoveType
"""The epic below which it is moved."""
newParentId: ID @lifetime(until: "{_EPIC_IDS}")
"""The epic below which it is moved."""
newParentId: EpicID @lifetime(since: "{_EPIC_IDS}")
''',
)


def _find_node(ctx: ReadContext, text: str | None) -> Node | None:
    if text is None:
        return None
    kind, id_ = parse_global_id(ctx, text, "EpicTreeSorting", _KINDS)
    number = parse_number(id_) or 0
    return ctx.world.epics.get(number) if kind == "Epic" else ctx.world.epic_issues.get(number)


@mutation(
    "epicTreeReorder",
    input_fields=f'''
"""The epic whose tree it is."""
baseEpicId: ID! @lifetime(until: "{_EPIC_IDS}")
"""The epic whose tree it is."""
baseEpicId: EpicID! @lifetime(since: "{_EPIC_IDS}")
"""What is moved, and where."""
moved: EpicTreeNodeFieldsInputType!
''',
    payload_fields="",
)
def reorder_tree(ctx: WriteContext, base_epic_id: str, moved: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move an epic or an issue in the tree below an epic."""
    adjacent_id, parent_id = moved.get("adjacent_reference_id"), moved.get("new_parent_id")
    node, adjacent = _find_node(ctx, moved["id"]), _find_node(ctx, adjacent_id)
    if node is None or (adjacent_id is not None and adjacent is None):
        raise MutationFailed(["Only epics and epic_issues are supported."], {})
    base = ctx.world.epics.get(parse_id(ctx, base_epic_id, "Epic"))
    parent = ctx.world.epics.get(parse_id(ctx, parent_id, "Epic")) if parent_id is not None else None
    with collect_errors():
        try:
            tree_order.move(ctx, base, node, adjacent, moved.get("relative_position"), parent)
        except (NotFound, NotFoundWithMessage) as refusal:
            raise MutationFailed(error_messages(refusal), {}) from refusal
    return {}
