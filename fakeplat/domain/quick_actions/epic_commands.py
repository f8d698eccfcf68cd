"""Quick actions for epics only, which put epics below others, and the effects of all quick actions on epics.

Epics below epics are for the ultimate tier. As on the platform, the summary of these commands does not depend on
whether the epics could be linked.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.epics import epic_access, epic_tree, epics
from fakeplat.domain.notes import references
from fakeplat.domain.notes.noteables import EPIC
from fakeplat.domain.quick_actions import noteable_effects
from fakeplat.domain.quick_actions.quick_actions import EFFECTS, CommandContext, CommandEffects, Outcome, command
from fakeplat.model.epics import Epic
from fakeplat.policy.context import WriteContext

_EPICS: Final = (EPIC.kind,)
_FIELDS: Final = ("title", "label_ids")


@command("child_epic", on=_EPICS, exists=True)
def child_epic(context: CommandContext, argument: str) -> Outcome:
    """Put an epic below this one."""
    child = _find_epic(context, argument)
    if child is None or child.parent_id == context.record.id:
        return None
    _add(context, "child_epics", child)
    return f"Added {_reference(context, child)} as child epic."


@command("remove_child_epic", on=_EPICS, exists=True)
def remove_child_epic(context: CommandContext, argument: str) -> Outcome:
    """Take an epic out of this one."""
    child = _find_epic(context, argument)
    if child is None or child.parent_id != context.record.id:
        return None
    _add(context, "removed_child_epics", child)
    return f"Removed {_reference(context, child)} from child epics."


@command("parent_epic", on=_EPICS, exists=True)
def parent_epic(context: CommandContext, argument: str) -> Outcome:
    """Put this epic below another one."""
    parent = _find_epic(context, argument)
    if parent is None or context.record.parent_id == parent.id:
        return None
    _hide(context, "parent_epic", parent.id)
    return f"Set {_reference(context, parent)} as parent epic."


@command("remove_parent_epic", on=_EPICS, exists=True)
def remove_parent_epic(context: CommandContext, _argument: str) -> Outcome:
    """Take this epic out of the one above it."""
    parent = context.ctx.world.epics.get(context.record.parent_id or 0)
    if parent is None or not context.administers:
        return None
    _hide(context, "parent_epic", None)
    return f"Removed parent epic {_reference(context, parent)}."


def _find_epic(context: CommandContext, argument: str) -> Epic | None:
    """Return the epic of a reference, if the caller may change this epic and see the other one."""
    found = references.find_epic(context.ctx, context.container, argument) if context.administers else None
    return found if found is not None and epic_access.is_visible(context.ctx, found) else None


def _reference(context: CommandContext, epic: Epic) -> str:
    return epic_access.format_reference(context.ctx.world, epic)


def _add(context: CommandContext, name: str, epic: Epic) -> None:
    _hide(context, name, (*context.changes.get(name, ()), epic.id))


def _hide(context: CommandContext, name: str, value: object) -> None:
    """Record a change that responses do not show, because the platform carries it out at once."""
    context.changes[name] = value
    context.hidden.add(name)


def _add_children(ctx: WriteContext, epic: Epic, ids: Iterable[int]) -> None:
    for id_ in ids:
        with suppress(Refusal):
            epic_tree.link(ctx, epic, ctx.world.epics[id_])


def _remove_children(ctx: WriteContext, _epic: Epic, ids: Iterable[int]) -> None:
    for id_ in ids:
        epic_tree.unlink(ctx, ctx.world.epics[id_])


def _change_parent(ctx: WriteContext, epic: Epic, parent_id: int | None) -> None:
    if parent_id is None:
        epic_tree.unlink(ctx, epic)
    else:
        epic_tree.link(ctx, ctx.world.epics[parent_id], epic)


_SHARED: Final = ("todo_event", "subscription_event", "emoji_award")
_HANDLERS: Final[dict[str, Callable[[WriteContext, Epic, Any], object]]] = {
    "state_event": epics.set_state,
    "child_epics": _add_children,
    "removed_child_epics": _remove_children,
    "parent_epic": _change_parent,
}
EFFECTS[EPIC.kind] = CommandEffects(
    set_fields=lambda ctx, epic, fields: epics.change_fields(ctx, epic, **fields),
    fields=_FIELDS,
    creation_fields=(),
    handlers={**{name: noteable_effects.COMMON_EFFECTS[name] for name in _SHARED}, **_HANDLERS},
)
