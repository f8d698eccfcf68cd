"""Epics below epics: list, add, create, order and remove children."""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.operations.errors import Conflict, Forbidden, NotFoundWithMessage, Refusal, Unprocessable
from fakeplat.domain.epics import epic_access, epics, positions
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    CHILD_EPIC_REFUSALS,
    CHILD_EPICS_COME_FROM_ANYWHERE,
    EPIC_LEVELS,
    EPICS_ARE_LINKED_AS_WORK_ITEMS,
    OPEN_CHILD_OF_HIDDEN_EPIC,
    UNLINKABLE_EPIC,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_TOO_DEEP: Final = "reached maximum depth"
_NOT_A_SIBLING: Final = "Epic not found for given params"
_IN_A_RING: Final = "it's already present in this item's hierarchy"
_OPEN_BELOW_HIDDEN: Final = (
    "cannot assign a non-confidential epic to a confidential parent. Make the epic confidential and try again."
)


def list_children(world: World, epic: Epic) -> list[Epic]:
    """Return the epics right below an epic, by position; those without one come last."""
    return sorted(world.epics.where("parent", epic.id), key=_sort_key)


def _sort_key(epic: Epic) -> tuple[bool, int, int]:
    return epic.relative_position is None, epic.relative_position or 0, -epic.id


def list_visible_children(ctx: ReadContext, group: Group, epic: Epic) -> list[Epic]:
    """Return the children of an epic that the caller can see; at first only those of its group and those below it."""
    return [child for child in list_children(ctx.world, epic) if _is_within_reach(ctx, group, child)]


def _is_within_reach(ctx: ReadContext, group: Group, epic: Epic) -> bool:
    is_near = ctx.profile.has(CHILD_EPICS_COME_FROM_ANYWHERE) or _is_within(ctx.world, group, epic)
    return is_near and epic_access.is_visible(ctx, epic)


def _is_within(world: World, group: Group, epic: Epic) -> bool:
    below = (descendant.id for descendant in namespaces.list_descendants(world, group))
    return epic.group_id in (group.id, *below)


def get_eligible(ctx: ReadContext, group: Group, id_: int) -> Epic:
    """Return the epic with an id that the caller may put below one of a group, or 404."""
    epic = ctx.world.epics.get(id_)
    if epic is None or not _is_within_reach(ctx, group, epic) or not _may_arrange(ctx, epic):
        raise NotFoundWithMessage(ctx.profile.choose(UNLINKABLE_EPIC), reason=f"there is no such epic for it: {id_}")
    return epic


def _may_arrange(ctx: ReadContext, epic: Epic) -> bool:
    """Return whether the caller may change what is above an epic; that it is in reach was enough at first."""
    is_asked = ctx.profile.has(CHILD_EPICS_COME_FROM_ANYWHERE)
    return not is_asked or epic_access.decide_on(ctx, epic, epic_access.linking_ability(ctx)).allowed


def get_child(ctx: ReadContext, group: Group, parent: Epic, id_: int) -> Epic:
    """Return the epic with an id that the caller may move among the children of an epic or take out of it, or 404.

    At first any epic around the group could be taken out of whatever was above it.
    """
    child = get_eligible(ctx, group, id_)
    if child.parent_id != parent.id and ctx.profile.has(CHILD_EPICS_COME_FROM_ANYWHERE):
        raise NotFoundWithMessage(ctx.profile.choose(UNLINKABLE_EPIC), reason=f"epic {id_} is not below this one")
    return child


def add_child(ctx: WriteContext, parent: Epic, child: Epic) -> Epic:
    """Put an epic below another one, as the first; 409 if it cannot be there, in later releases mostly 422."""
    refusal = _find_obstacle(ctx, parent, child)
    if refusal is not None:
        raise refusal
    changed = ctx.world.epics.change(
        child, parent_id=parent.id, relative_position=_first_position(ctx.world, parent), updated_at=ctx.now_iso
    )
    epics.note_relation(ctx, parent, changed)
    return changed


def link(ctx: WriteContext, parent: Epic, child: Epic) -> Epic:
    """Put an epic below another one as the caller, who must see it in the parent's group or below; else a refusal."""
    group = epic_access.group_of(ctx.world, parent)
    _authorize(ctx, parent)
    return add_child(ctx, parent, get_eligible(ctx, group, child.id))


def unlink(ctx: WriteContext, child: Epic) -> Epic:
    """Take an epic out of the one above it as the caller; a refusal if they may not do so."""
    _authorize(ctx, child)
    return remove_child(ctx, child)


def _authorize(ctx: WriteContext, epic: Epic) -> None:
    group = epic_access.group_of(ctx.world, epic)
    decision = epic_access.decide_on(ctx, epic, epic_access.linking_ability(ctx))
    if not decision.allowed or not has_feature(ctx.world, "ultimate", group):
        raise Forbidden(reason=decision.why if not decision.allowed else "epics below epics are for the tier ultimate")


def _find_obstacle(ctx: ReadContext, parent: Epic, child: Epic) -> Refusal | None:
    """Return what refuses an epic below another one."""
    world, choose = ctx.world, ctx.profile.choose
    above, levels = list(_list_ancestors(world, parent)), choose(EPIC_LEVELS)
    is_at_the_bottom = len(above) >= levels
    is_own, is_child = parent.id == child.id, child.parent_id == parent.id
    is_above = child.id in [epic.id for epic in above]
    is_too_high = len(above) + _depth(world, child, levels) > levels
    is_open = parent.confidential and not child.confidential
    if ctx.profile.has(EPICS_ARE_LINKED_AS_WORK_ITEMS):
        if is_child:
            return Conflict("Epic(s) already assigned")
        why = _find_first(
            (is_own, "is not allowed to point to itself"),
            (is_above, _IN_A_RING),
            (is_too_high, _TOO_DEEP),
            (is_open, _OPEN_BELOW_HIDDEN),
        )
        return Unprocessable(_phrase(child.iid, why)) if why else None
    texts = choose(CHILD_EPIC_REFUSALS)
    why = _find_first(
        (is_at_the_bottom, texts["bottom"]),
        (is_own, texts["own"]),
        (is_child, texts["child"]),
        (is_above, texts["ancestor"]),
        (is_too_high, texts["depth"]),
        (is_open, choose(OPEN_CHILD_OF_HIDDEN_EPIC)),
    )
    return Conflict(why) if why else None


def _find_first(*texts: tuple[bool, str]) -> str | None:
    return next((text for holds, text in texts if holds), None)


def _phrase(iid: int, why: str) -> str:
    return f"#{iid} cannot be added: {why}"


def _list_ancestors(world: World, epic: Epic | None) -> Iterator[Epic]:
    """Yield an epic and those above it; a ring, which only scenarios can make, ends where it began."""
    seen = set[int]()
    while epic is not None and epic.id not in seen:
        seen.add(epic.id)
        yield epic
        epic = world.epics.get(epic.parent_id or 0)


def _depth(world: World, epic: Epic, most: int) -> int:
    """Return the number of levels of an epic with those below it, at most one more than there may be."""
    level, depth = [epic], 0
    while level and depth <= most:
        level, depth = [child for one in level for child in world.epics.where("parent", one.id)], depth + 1
    return depth


def _first_position(world: World, parent: Epic) -> int:
    return positions.get_first(child.relative_position for child in list_children(world, parent))


def create_child(ctx: WriteContext, parent: Epic, group: Group, title: str, confidential: bool | None) -> Epic:
    """Create an epic below another one, confidential as that one unless told otherwise; 400 if it is invalid."""
    hidden = parent.confidential if confidential is None else confidential
    _list_child_errors(ctx, parent, hidden=hidden).refuse()
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


def _list_child_errors(ctx: ReadContext, parent: Epic, *, hidden: bool) -> ValidationErrors:
    errors, choose = ValidationErrors(), ctx.profile.choose
    is_too_deep = len(list(_list_ancestors(ctx.world, parent))) >= choose(EPIC_LEVELS)
    is_open = parent.confidential and not hidden
    if ctx.profile.has(EPICS_ARE_LINKED_AS_WORK_ITEMS):
        iid = ctx.world.get_counter(epic_access.KIND, parent.group_id) + 1
        errors.when(is_too_deep, "base", _phrase(iid, _TOO_DEEP))
        errors.when(is_open, "base", _phrase(iid, _OPEN_BELOW_HIDDEN))
    else:
        errors.when(is_too_deep, "parent", choose(CHILD_EPIC_REFUSALS)["bottom"])
        errors.when(is_open, "confidential", choose(OPEN_CHILD_OF_HIDDEN_EPIC))
    return errors


def remove_child(ctx: WriteContext, child: Epic) -> Epic:
    """Take an epic out of the one above it, whichever that is."""
    if child.parent_id is None:
        return child
    if ctx.profile.has(EPICS_ARE_LINKED_AS_WORK_ITEMS):
        epics.note_relation(ctx, ctx.world.epics[child.parent_id], child, is_over=True)
    return ctx.world.epics.change(child, parent_id=None, updated_at=ctx.now_iso)


def reorder(ctx: WriteContext, child: Epic, before_id: int | None, after_id: int | None) -> None:
    """Move an epic behind or before another one of the same parent; 404 if that has another parent."""
    if not before_id and not after_id:
        return
    siblings = sorted(ctx.world.epics.where("parent", child.parent_id), key=_sort_key)
    missing = {id_ for id_ in (before_id, after_id) if id_} - {sibling.id for sibling in siblings}
    if missing:
        raise NotFoundWithMessage(_NOT_A_SIBLING, reason=f"{min(missing)} is not a sibling's id")
    positions.move(ctx.world.epics, siblings, child, before_id, after_id)
