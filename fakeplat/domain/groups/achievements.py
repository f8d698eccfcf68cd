"""Achievements, which groups award to users while a feature is on. Source: docs/platform/groups.md ('Achievements')."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain import signals
from fakeplat.domain.instance import features
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.people import Achievement, Group, User, UserAchievement
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, can_see_profile
from fakeplat.policy.context import ReadContext, WriteContext

_FLAG: Final = "achievements"
_MAX_DESCRIPTION: Final = 1024


def are_enabled(world: World, group: Group) -> bool:
    """Return whether a group can have achievements."""
    return features.is_enabled(world, _FLAG, group)


def group_of(world: World, achievement: Achievement) -> Group:
    """Return the group of an achievement."""
    group = world.namespaces[achievement.group_id]
    if not isinstance(group, Group):
        raise TypeError(f"achievement {achievement.id} is not one of a group")
    return group


def has_ability(ctx: ReadContext, ability: Ability, achievement: Achievement) -> bool:
    """Return whether the caller has an ability in the group of an achievement."""
    group = group_of(ctx.world, achievement)
    return are_enabled(ctx.world, group) and can(ctx, ability, group)


# Lists


def list_achievements(world: World, group: Group) -> Sequence[Achievement]:
    """Return the achievements of a group, the oldest first."""
    return world.achievements.where("group", group.id) if are_enabled(world, group) else ()


def is_visible(ctx: ReadContext, achievement: Achievement) -> bool:
    """Return whether the caller sees an achievement: one of a visible group, or an own one."""
    group = group_of(ctx.world, achievement)
    if not are_enabled(ctx.world, group):
        return False
    return can_see(ctx, group) or _has_got(ctx, achievement)


def _has_got(ctx: ReadContext, achievement: Achievement) -> bool:
    awards = ctx.world.user_achievements.where("achievement", achievement.id)
    return ctx.viewer is not None and any(award.user_id == ctx.viewer.id for award in awards)


def is_award_visible(ctx: ReadContext, award: UserAchievement) -> bool:
    """Return whether the caller sees that a user got an achievement."""
    achievement, user = ctx.world.achievements[award.achievement_id], ctx.world.users[award.user_id]
    if not is_visible(ctx, achievement):
        return False
    return _shows_profile(ctx, user) or has_ability(ctx, Ability.ADMIN_ACHIEVEMENT, achievement)


def _shows_profile(ctx: ReadContext, user: User) -> bool:
    if ctx.viewer is not None and (ctx.admin or ctx.viewer.id == user.id):
        return True
    return can_see_profile(ctx, user) and user.confirmed_at is not None and "blocked" not in user.state


def list_awards(world: World, achievement: Achievement) -> list[UserAchievement]:
    """Return who got an achievement and still has it, the first first."""
    return [award for award in world.user_achievements.where("achievement", achievement.id) if not _is_revoked(award)]


def list_recipients(world: World, achievement: Achievement) -> list[User]:
    """Return the users who got an achievement, each once."""
    ids = {award.user_id for award in world.user_achievements.where("achievement", achievement.id)}
    return [world.users[id_] for id_ in sorted(ids)]


def list_of_user(world: World, user: User, *, with_hidden: bool = False) -> list[UserAchievement]:
    """Return the achievements of a user by priority, those without one at the end."""
    found = (award for award in world.user_achievements.where("user", user.id) if not _is_revoked(award))
    shown = [award for award in found if with_hidden or award.show_on_profile]
    return sorted(shown, key=lambda award: (award.priority is None, award.priority or 0, award.id))


def _is_revoked(award: UserAchievement) -> bool:
    return award.revoked_by_user_id is not None


# Changes


def create(ctx: WriteContext, group: Group, name: str, description: str | None = None) -> Achievement:
    """Create an achievement, or refuse with 400."""
    table, now = ctx.world.achievements, ctx.now_iso
    achievement = Achievement(table.next_id(), group.id, name.strip(), now, now, _strip(description))
    _check(ctx.world, achievement).refuse()
    return table.add(achievement)


class AchievementChanges(TypedDict, total=False):
    """What can be changed of an achievement."""

    name: str
    description: str | None


def update(ctx: WriteContext, achievement: Achievement, **changes: Unpack[AchievementChanges]) -> Achievement:
    """Change an achievement, or refuse with 400."""
    stripped = {name: _strip(value) for name, value in changes.items() if isinstance(value, str)}
    changed = ctx.world.achievements.change(achievement, **{**changes, **stripped}, updated_at=ctx.now_iso)
    _check(ctx.world, changed).refuse()
    return changed


def _strip(text: str | None) -> str | None:
    return (text or "").strip() or None


def _check(world: World, achievement: Achievement) -> ValidationErrors:
    errors, name = ValidationErrors(), achievement.name or ""
    others = (each for each in world.achievements.where("group", achievement.group_id) if each.id != achievement.id)
    errors.when(not name, "name", BLANK)
    too_long(errors, "name", name)
    errors.when(any(each.name.lower() == name.lower() for each in others), "name", TAKEN)
    too_long(errors, "description", achievement.description, _MAX_DESCRIPTION)
    return errors


def award(ctx: WriteContext, achievement: Achievement, user: User) -> UserAchievement:
    """Award an achievement to a user as the caller."""
    table, now = ctx.world.user_achievements, ctx.now_iso
    awarded = table.add(UserAchievement(table.next_id(), achievement.id, user.id, ctx.signed_in_user.id, now, now))
    signals.achievement_awarded.send(ctx, awarded)
    return awarded


def revoke(ctx: WriteContext, given: UserAchievement) -> UserAchievement:
    """Revoke an achievement of a user as the caller; 400 if it was revoked before."""
    if _is_revoked(given):
        raise BadRequest("This achievement has already been revoked", reason=f"award {given.id} was revoked")
    now = ctx.now_iso
    return ctx.world.user_achievements.change(
        given, revoked_by_user_id=ctx.signed_in_user.id, revoked_at=now, updated_at=now
    )


def show(ctx: WriteContext, given: UserAchievement, *, on_profile: bool) -> UserAchievement:
    """Show an achievement in the user's profile, or hide it."""
    if given.show_on_profile == on_profile:
        return given
    return ctx.world.user_achievements.change(given, show_on_profile=on_profile, updated_at=ctx.now_iso)


def prioritize(ctx: WriteContext, user: User, first: Sequence[UserAchievement]) -> list[UserAchievement]:
    """Put some achievements of a user first in the profile; return those that had or have a priority."""
    table, places = ctx.world.user_achievements, {given.id: place for place, given in enumerate(first)}
    concerned = [each for each in table.where("user", user.id) if each.priority is not None or each.id in places]
    return [table.change(each, priority=places.get(each.id)) for each in concerned]
