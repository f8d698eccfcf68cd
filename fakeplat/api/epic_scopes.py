"""Scopes of epics: named by their number in the group, or by their id where the platform does so."""

from functools import partial
from typing import Final

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.core.operations.scope import Scope, Segment
from fakeplat.domain.epics import epic_access, epics
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import MISSING_EPICS_ARE_NOT_FOUND_FOR_TODOS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


def _get_by_id(ctx: ReadContext, group: Group, id_: int) -> Epic:
    """Return the epic of a group with an id that the caller can see, or 404."""
    epic = ctx.world.epics.get(id_)
    if epic is None or epic.group_id != group.id or not epic_access.is_visible(ctx, epic):
        raise RecordNotFound(reason=lambda: f"{describe(ctx.world, group)} has no visible epic with the id {id_}")
    return epic


def epic_scope(ability: Ability) -> Scope:
    """Return the scope of an epic, named by its number, on which the caller has an ability; else 403."""
    locate = partial(epics.get_epic, ability=ability)
    return GROUP / Segment("epics/:epic_iid", kind="integer", locate=locate, word="epic", tier="premium")


def _get_for_todo(ctx: ReadContext, group: Group, iid: int) -> Epic:
    """Return the epic of a group that the caller can see; 404 otherwise, in earlier releases 403."""
    try:
        return epics.get_epic(ctx, group, iid, Ability.READ_EPIC)
    except Forbidden as refusal:
        if ctx.profile.has(MISSING_EPICS_ARE_NOT_FOUND_FOR_TODOS):
            raise RecordNotFound(reason=refusal.why) from None
        raise


def _get_fillable(ctx: ReadContext, group: Group, iid: int) -> Epic:
    return epics.get_epic(ctx, group, iid, ability=epic_access.issues_ability(ctx))


READABLE: Final = epic_scope(Ability.READ_EPIC)
FOR_TODO: Final = GROUP / Segment("epics/:epic_iid", kind="integer", locate=_get_for_todo, word="epic", tier="premium")
ADMINISTERED: Final = epic_scope(Ability.ADMIN_EPIC)
FILLABLE: Final = GROUP / Segment("epics/:epic_iid", kind="integer", locate=_get_fillable, word="epic", tier="premium")
BY_ID: Final = GROUP / Segment("epics/:epic_iid", kind="integer", locate=_get_by_id, word="epic", tier="premium")
