"""Visibility of epics, permissions on them, and their references."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.errors import Reason
from fakeplat.domain.people import namespaces
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group, Level
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, decide, level_on
from fakeplat.policy.behaviours import GUESTS_LINK_EPICS, READERS_FILL_EPICS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

KIND: Final = "epic"
_ON_EPICS: Final[Mapping[Ability, Ability]] = {
    Ability.CREATE_NOTE: Ability.CREATE_EPIC_NOTE,
    Ability.AWARD_EMOJI: Ability.CREATE_EPIC_NOTE,
    Ability.ADMIN_NOTE: Ability.ADMIN_EPIC_NOTE,
    Ability.SET_NOTE_TIMES: Ability.SET_EPIC_TIMES,
    Ability.READ_CONFIDENTIAL_NOTES: Ability.ADMIN_EPIC,
}
"""The abilities that, in groups, stand for those on the notes of projects."""


def in_group(ability: Ability) -> Ability:
    """Return the ability that, in a group, stands for one on the notes of projects."""
    return _ON_EPICS.get(ability, ability)


def group_of(world: World, epic: Epic) -> Group:
    """Return the group of an epic."""
    group = world.namespaces[epic.group_id]
    if not isinstance(group, Group):
        raise TypeError(f"epic {epic.id} belongs to {group}")
    return group


def decide_on(ctx: ReadContext, epic: Epic, ability: Ability) -> Decision:
    """Decide whether the caller has an ability on an epic; a confidential one is for Reporters. Epics are paid."""
    group = group_of(ctx.world, epic)
    if not has_feature(ctx.world, "premium", group):
        return Decision(False, "there are no epics on the free tier")
    if epic.confidential and level_on(ctx, group) < Level.PLANNER:
        return Decision(False, _explain_confidential(epic))
    return decide(ctx, in_group(ability), group)


def _explain_confidential(epic: Epic) -> Reason:
    return f"epic {epic.iid} is confidential, so it is for Reporters (20) of its group"


def is_visible(ctx: ReadContext, epic: Epic) -> bool:
    """Return whether the caller can see an epic."""
    return decide_on(ctx, epic, Ability.READ_EPIC).allowed


def can_administer(ctx: ReadContext, epic: Epic) -> bool:
    """Return whether the caller may change an epic."""
    return decide_on(ctx, epic, Ability.ADMIN_EPIC).allowed


def format_reference(world: World, epic: Epic) -> str:
    """Return the full reference of an epic: ``acme&1``."""
    return f"{namespaces.full_path(world, group_of(world, epic))}&{epic.iid}"


def issues_ability(ctx: ReadContext) -> Ability:
    """Return the ability to add issues to epics: that of Reporters at first, of Guests, and of whoever reads epics."""
    if ctx.profile.has(READERS_FILL_EPICS):
        return Ability.READ_EPIC
    return Ability.LINK_EPICS if ctx.profile.has(GUESTS_LINK_EPICS) else Ability.ADMIN_EPIC


def linking_ability(ctx: ReadContext) -> Ability:
    """Return the ability to link epics with others or with epics below them, which Reporters had at first."""
    return Ability.LINK_EPICS if ctx.profile.has(GUESTS_LINK_EPICS) else Ability.ADMIN_EPIC_LINK
