"""Moving epics and issues together in the tree below an epic (paid). Source: docs/platform/graphql.md."""

from typing import Final, Literal

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.epics import epic_access, epic_issues, epic_tree, positions
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Node = Epic | EpicIssue
Place = Literal["before", "after"]
NOT_PERMITTED: Final = "You don't have permissions to move the objects."
NO_PLACE: Final = "Relative position is not valid."
OTHER_PARENT: Final = "The sibling object's parent must match the {} parent epic."


def move(
    ctx: WriteContext, base: Epic | None, node: Node, adjacent: Node | None, place: Place | None, parent: Epic | None
) -> None:
    """Move a node below another epic, if one is given, and next to an adjacent one, or to the start.

    ``place`` is where the adjacent node stands then. 400 with the platform's message if that cannot be done.
    """
    if not _may_move(ctx, base, node, adjacent, parent):
        raise BadRequest(NOT_PERMITTED)
    _check_adjacent(node, adjacent, place, parent)
    if parent is not None and parent.id != _parent_id(node):
        node = _put_below(ctx, parent, node)
    siblings = [each for each in _list_siblings(ctx.world, node) if not _is_same(each, node)]
    index = 0
    if adjacent is not None:
        index = next(i for i, each in enumerate(siblings) if _is_same(each, adjacent)) + (place == "before")
    _set_place(ctx, siblings, node, index)


def _may_move(ctx: ReadContext, base: Epic | None, node: Node, adjacent: Node | None, parent: Epic | None) -> bool:
    if base is None or not _may_relate(ctx, base) or not _may_relate_node(ctx, node, is_moved=True):
        return False
    if adjacent is not None and not _may_relate_node(ctx, adjacent):
        return False
    if parent is None:
        return True
    above = ctx.world.epics.get(_parent_id(node) or 0)
    return _may_relate(ctx, parent, has_tree=True) and above is not None and _may_relate(ctx, above)


def _may_relate(ctx: ReadContext, epic: Epic, *, has_tree: bool = False) -> bool:
    """Return whether the caller may relate an epic to others; ``has_tree``: also as one below or above others."""
    decision = epic_access.decide_on(ctx, epic, epic_access.linking_ability(ctx))
    group = epic_access.group_of(ctx.world, epic)
    return decision.allowed and (not has_tree or has_feature(ctx.world, "ultimate", group))


def _may_relate_node(ctx: ReadContext, node: Node, *, is_moved: bool = False) -> bool:
    if isinstance(node, Epic):
        return _may_relate(ctx, node, has_tree=is_moved)
    issue, epic = ctx.world.issues[node.issue_id], ctx.world.epics[node.epic_id]
    return epic_issues.may_relate(ctx, issue) and _may_relate(ctx, epic)


def _check_adjacent(node: Node, adjacent: Node | None, place: Place | None, parent: Epic | None) -> None:
    if adjacent is None:
        return
    if place is None:
        raise BadRequest(NO_PLACE)
    expected = _parent_id(node) if parent is None else parent.id
    if _parent_id(adjacent) != expected:
        raise BadRequest(OTHER_PARENT.format("current" if parent is None else "new"))


def _parent_id(node: Node) -> int | None:
    return node.parent_id if isinstance(node, Epic) else node.epic_id


def _put_below(ctx: WriteContext, parent: Epic, node: Node) -> Node:
    if isinstance(node, Epic):
        return epic_tree.add_child(ctx, parent, node)
    return epic_issues.assign(ctx, parent, node.issue_id)


def _is_same(one: Node, other: Node) -> bool:
    return type(one) is type(other) and one.id == other.id


def _list_siblings(world: World, node: Node) -> list[Node]:
    """Return the nodes with the same parent, in order."""
    parent_id = _parent_id(node)
    nodes: list[Node] = [*world.epics.where("parent", parent_id), *world.epic_issues.where("epic", parent_id)]
    return sorted(nodes, key=_sort_key)


def _sort_key(node: Node) -> tuple[bool, int, int]:
    position = node.relative_position
    # Among epics in the same place the latest one comes first.
    return (position is None, position or 0, -node.id if isinstance(node, Epic) else node.id)


def _set_place(ctx: WriteContext, siblings: list[Node], node: Node, index: int) -> None:
    """Put a node before the sibling at an index. Without a gap all nodes are numbered anew."""
    position = positions.find_gap([each.relative_position for each in siblings], index) if siblings else positions.STEP
    if position is not None:
        _set_position(ctx, node, position)
        return
    for number, each in enumerate([*siblings[:index], node, *siblings[index:]], 1):
        _set_position(ctx, each, number * positions.STEP)


def _set_position(ctx: WriteContext, node: Node, position: int) -> None:
    if isinstance(node, Epic):
        ctx.world.epics.change(node, relative_position=position)
    else:
        ctx.world.epic_issues.change(node, relative_position=position)
