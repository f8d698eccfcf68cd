"""Epics below epics: list, add, create, order and remove children."""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.operations.errors import Conflict, Forbidden, NotFoundWithMessage
from fakeplat.domain.epics import epic_access, epics, positions
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.behaviours import OPEN_CHILD_OF_HIDDEN_EPIC
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_LEVELS: Final = 5
_NOT_FOUND: Final = "No Epic found for given params"
_REASON: Final = "This epic can't be added because "
_AT_THE_BOTTOM: Final = f"{_REASON}the parent is already at the maximum depth from its most distant ancestor"


def list_children(world: World, epic: Epic) -> list[Epic]:
    """Return the epics right below an epic, by position; those without one come last."""
    return sorted(world.epics.where("parent", epic.id), key=_sort_key)


def _sort_key(epic: Epic) -> tuple[bool, int, int]:
    return epic.relative_position is None, epic.relative_position or 0, -epic.id


def list_visible_children(ctx: ReadContext, group: Group, epic: Epic) -> list[Epic]:
    """Return the children of an epic that belong to a group or one below it and that the caller can see."""
    children = list_children(ctx.world, epic)
    return [child for child in children if _is_within(ctx.world, group, child) and epic_access.is_visible(ctx, child)]


def _is_within(world: World, group: Group, epic: Epic) -> bool:
    below = (descendant.id for descendant in namespaces.list_descendants(world, group))
    return epic.group_id in (group.id, *below)


def get_child(ctx: ReadContext, group: Group, id_: int) -> Epic:
    """Return the epic with an id in a group or below it that the caller can see, or 404."""
    epic = ctx.world.epics.get(id_)
    if epic is None or not _is_within(ctx.world, group, epic) or not epic_access.is_visible(ctx, epic):
        raise NotFoundWithMessage(_NOT_FOUND, reason=f"the group has no visible epic with the id {id_}")
    return epic


def add_child(ctx: WriteContext, parent: Epic, child: Epic) -> Epic:
    """Put an epic below another one, as the first; 409 if it cannot be there."""
    error = _find_obstacle(ctx, parent, child)
    if error is not None:
        raise Conflict(error)
    changed = ctx.world.epics.change(
        child, parent_id=parent.id, relative_position=_first_position(ctx.world, parent), updated_at=ctx.now_iso
    )
    epics.note_relation(ctx, parent, changed)
    return changed


def link(ctx: WriteContext, parent: Epic, child: Epic) -> Epic:
    """Put an epic below another one as the caller, who must see it in the parent's group or below; else a refusal."""
    group = epic_access.group_of(ctx.world, parent)
    _authorize(ctx, parent)
    return add_child(ctx, parent, get_child(ctx, group, child.id))


def unlink(ctx: WriteContext, child: Epic) -> Epic:
    """Take an epic out of the one above it as the caller; a refusal if they may not do so."""
    _authorize(ctx, child)
    return remove_child(ctx, child)


def _authorize(ctx: WriteContext, epic: Epic) -> None:
    group = epic_access.group_of(ctx.world, epic)
    decision = epic_access.decide_on(ctx, epic, epic_access.linking_ability(ctx))
    if not decision.allowed or not has_feature(ctx.world, "ultimate", group):
        raise Forbidden(reason=decision.why if not decision.allowed else "epics below epics are for the tier ultimate")


def _find_obstacle(ctx: ReadContext, parent: Epic, child: Epic) -> str | None:
    world = ctx.world
    above = list(_list_ancestors(world, parent))
    obstacles = {
        _AT_THE_BOTTOM: len(above) >= _LEVELS,
        "Cannot add an epic as a child of itself": parent.id == child.id,
        f"{_REASON}it is already assigned to the parent": child.parent_id == parent.id,
        f"{_REASON}it is already an ancestor of the parent": child.id in [epic.id for epic in above],
        f"{_REASON}the resulting epic would exceed the maximum depth": len(above) + _depth(world, child) > _LEVELS,
        ctx.profile.choose(OPEN_CHILD_OF_HIDDEN_EPIC): parent.confidential and not child.confidential,
    }
    return next((text for text, holds in obstacles.items() if holds), None)


def _list_ancestors(world: World, epic: Epic | None) -> Iterator[Epic]:
    """Yield an epic and those above it; a ring, which only scenarios can make, ends where it began."""
    seen = set[int]()
    while epic is not None and epic.id not in seen:
        seen.add(epic.id)
        yield epic
        epic = world.epics.get(epic.parent_id or 0)


def _depth(world: World, epic: Epic) -> int:
    """Return the number of levels of an epic with those below it, at most one more than there may be."""
    level, depth = [epic], 0
    while level and depth <= _LEVELS:
        level, depth = [child for one in level for child in world.epics.where("parent", one.id)], depth + 1
    return depth


def _first_position(world: World, parent: Epic) -> int:
    return positions.get_first(child.relative_position for child in list_children(world, parent))


def create_child(ctx: WriteContext, parent: Epic, group: Group, title: str, confidential: bool | None) -> Epic:
    """Create an epic below another one, confidential as that one unless told otherwise; 400 if it is invalid."""
    hidden = parent.confidential if confidential is None else confidential
    errors = ValidationErrors()
    errors.when(len(list(_list_ancestors(ctx.world, parent))) >= _LEVELS, "parent", _AT_THE_BOTTOM)
    errors.when(parent.confidential and not hidden, "confidential", ctx.profile.choose(OPEN_CHILD_OF_HIDDEN_EPIC))
    errors.refuse()
    position = _first_position(ctx.world, parent)
    return epics.create(
        ctx,
        group,
        ctx.signed_in_user,
        title=title,
        confidential=hidden,
        parent_id=parent.id,
        relative_position=position,
    )


def remove_child(ctx: WriteContext, child: Epic) -> Epic:
    """Take an epic out of the one above it, whichever that is."""
    if child.parent_id is None:
        return child
    return ctx.world.epics.change(child, parent_id=None, updated_at=ctx.now_iso)


def reorder(ctx: WriteContext, child: Epic, before_id: int | None, after_id: int | None) -> None:
    """Move an epic behind or before another one of the same parent; 404 if that has another parent."""
    if not before_id and not after_id:
        return
    siblings = sorted(ctx.world.epics.where("parent", child.parent_id), key=_sort_key)
    missing = {id_ for id_ in (before_id, after_id) if id_} - {sibling.id for sibling in siblings}
    if missing:
        raise NotFoundWithMessage("Epic not found for given params", reason=f"{min(missing)} is not a sibling's id")
    positions.move(ctx.world.epics, siblings, child, before_id, after_id)
