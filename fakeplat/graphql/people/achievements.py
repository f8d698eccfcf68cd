"""Achievements, which groups award to users. Source: docs/platform/groups.md ('Achievements')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.groups import achievements
from fakeplat.domain.groups.achievements import AchievementChanges
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.people import Achievement, Group, Namespace, User, UserAchievement
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_SINCE: Final = "15.8"
_AWARDED: Final = "15.10"
_CHANGED: Final = "15.11"
_PRIORITIES: Final = "16.5"
_PROFILE: Final = "17.3"
_KIND: Final = "Achievements::Achievement"
_AWARD_KIND: Final = "Achievements::UserAchievement"
_GIVES: Final = '"""The achievement."""\nachievement: Achievement'
_GIVES_AWARD: Final = '"""That the user got it."""\nuserAchievement: UserAchievement'
_ID: Final = '"""The global ID of the achievement."""\nachievementId: AchievementsAchievementID!\n'
_AWARD_ID: Final = '"""The global ID of the award."""\nuserAchievementId: AchievementsUserAchievementID!\n'
_DESCRIPTION: Final = '"""The description."""\ndescription: String\n'
ACHIEVEMENT: Final = Type("Achievement", "What a group awards to users.", has_count=True, since=_SINCE)
declare_id(ACHIEVEMENT, _KIND)
ACHIEVEMENT.attributes(
    {
        "name: String!": "The name.",
        "description: String": "The description.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
AWARD: Final = Type("UserAchievement", "That a user got an achievement.", has_count=True, since=_AWARDED)
declare_id(AWARD, _AWARD_KIND)
AWARD.attributes(
    {
        "createdAt: Time!": "When the user got it.",
        "updatedAt: Time!": "Timestamp of the last update.",
        "revokedAt: Time": "When it was revoked.",
    }
)
AWARD.attributes({"priority: Int": "The place in the profile."}, since=_PRIORITIES)
AWARD.attributes({"showOnProfile: Boolean!": "Whether the profile shows it."}, since=_PROFILE)


@ACHIEVEMENT.field("avatarUrl: String")
def avatar_of(_ctx: ReadContext, _achievement: Achievement) -> str | None:
    """The URL of the avatar, which achievements cannot get here."""
    return None


@ACHIEVEMENT.field("namespace: Namespace")
def namespace_of(ctx: ReadContext, achievement: Achievement) -> Group | None:
    """The group, if the caller sees it."""
    group = achievements.group_of(ctx.world, achievement)
    return group if can_see(ctx, group) else None


@ACHIEVEMENT.field("userAchievements: UserAchievementConnection", since=_AWARDED)
def awards_of(ctx: ReadContext, achievement: Achievement) -> list[UserAchievement]:
    """Who got it, without those from whom it was revoked."""
    return _select_visible(ctx, achievements.list_awards(ctx.world, achievement))


def _select_visible(ctx: ReadContext, awards: Sequence[UserAchievement]) -> list[UserAchievement]:
    return [award for award in awards if achievements.is_award_visible(ctx, award)]


@ACHIEVEMENT.field(f"uniqueUsers: {USER.name}Connection!", since="18.6")
def recipients_of(ctx: ReadContext, achievement: Achievement) -> list[User]:
    """The users who got it, each once."""
    return achievements.list_recipients(ctx.world, achievement)


@AWARD.field("achievement: Achievement!")
def achievement_of(ctx: ReadContext, award: UserAchievement) -> Achievement:
    """The achievement."""
    return ctx.world.achievements[award.achievement_id]


@AWARD.field(f"user: {USER.name}!")
def user_of(ctx: ReadContext, award: UserAchievement) -> User:
    """Who got it."""
    return ctx.world.users[award.user_id]


@AWARD.field(f"awardedByUser: {USER.name}!")
def awarded_by(ctx: ReadContext, award: UserAchievement) -> User:
    """Who awarded it."""
    return ctx.world.users[award.awarded_by_user_id]


@AWARD.field(f"revokedByUser: {USER.name}")
def revoked_by(ctx: ReadContext, award: UserAchievement) -> User | None:
    """Who revoked it."""
    return ctx.world.users.get(award.revoked_by_user_id or 0)


_LIST: Final = 'achievements(ids: [AchievementsAchievementID!] @lifetime(since: "<=16.2")): AchievementConnection'


@NAMESPACE.field(_LIST, since=_SINCE)
@GROUP.field(_LIST, since=_SINCE)
def achievements_of(
    ctx: ReadContext, namespace: Namespace | Project, ids: Sequence[str] | None = None
) -> list[Achievement]:
    """The achievements; only groups have some."""
    if not isinstance(namespace, Group):
        return []
    wanted = {parse_id(ctx, text, _KIND) for text in ids or ()}
    found = achievements.list_achievements(ctx.world, namespace)
    return [each for each in found if achievements.is_visible(ctx, each) and (not wanted or each.id in wanted)]


@NAMESPACE.field("achievementsPath: String", since="17.0")
@GROUP.field("achievementsPath: String", since="17.0")
def achievements_path(ctx: ReadContext, namespace: Namespace | Project) -> str | None:
    """The path of the page of the achievements, if a group can have some."""
    if not isinstance(namespace, Group) or not achievements.are_enabled(ctx.world, namespace):
        return None
    return f"/groups/{namespaces.full_path(ctx.world, namespace)}/-/achievements"


@USER.field(
    f'userAchievements(includeHidden: Boolean = false @lifetime(since: "{_PROFILE}")): UserAchievementConnection',
    since=_AWARDED,
)
def awards_of_user(ctx: ReadContext, user: User, include_hidden: bool | None = False) -> list[UserAchievement]:
    """The achievements of the user that the caller sees; users also see hidden ones of their own."""
    is_own = ctx.viewer is not None and ctx.viewer.id == user.id
    with_hidden = bool(include_hidden) and is_own
    return _select_visible(ctx, achievements.list_of_user(ctx.world, user, with_hidden=with_hidden))


# Changes


class AchievementInput(TypedDict, total=False):
    """The attributes of an achievement."""

    name: str | None
    description: str | None


@mutation(
    "achievementsCreate",
    input_fields=f'''
"""The global ID of the group."""
namespaceId: NamespaceID!
"""The name."""
name: String!
{_DESCRIPTION}''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def create_achievement(ctx: WriteContext, namespace_id: str, name: str, description: str | None = None) -> Payload:
    """Create an achievement of a group."""
    group = ctx.world.namespaces.get(parse_id(ctx, namespace_id, "Namespace", "Group"))
    if not isinstance(group, Group) or not _may_create(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} creates no achievements of {namespace_id}")
    with collect_errors(achievement=None):
        return {"achievement": achievements.create(ctx, group, name, description)}


def _may_create(ctx: ReadContext, group: Group) -> bool:
    return achievements.are_enabled(ctx.world, group) and can(ctx, Ability.ADMIN_ACHIEVEMENT, group)


def _require_achievement(ctx: ReadContext, text: str, ability: Ability) -> Achievement:
    achievement = ctx.world.achievements.get(parse_id(ctx, text, _KIND))
    if achievement is None or not achievements.has_ability(ctx, ability, achievement):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} lacks {ability.value} for {text}")
    return achievement


@mutation(
    "achievementsUpdate",
    input_fields=f'{_ID}"""The name."""\nname: String\n{_DESCRIPTION}',
    payload_fields=_GIVES,
    since=_CHANGED,
)
def update_achievement(ctx: WriteContext, achievement_id: str, **attributes: Unpack[AchievementInput]) -> Payload:
    """Change an achievement."""
    achievement = _require_achievement(ctx, achievement_id, Ability.ADMIN_ACHIEVEMENT)
    changes: AchievementChanges = {}
    if "name" in attributes:
        changes["name"] = attributes["name"] or ""
    if "description" in attributes:
        changes["description"] = attributes["description"]
    with collect_errors(achievement=achievement):
        return {"achievement": achievements.update(ctx, achievement, **changes)}


@mutation("achievementsDelete", input_fields=_ID, payload_fields=_GIVES, since=_CHANGED)
def delete_achievement(ctx: WriteContext, achievement_id: str) -> Payload:
    """Delete an achievement, also from the users who got it."""
    achievement = _require_achievement(ctx, achievement_id, Ability.ADMIN_ACHIEVEMENT)
    purge(ctx, achievement)
    return {"achievement": achievement}


@mutation(
    "achievementsAward",
    input_fields=f'{_ID}"""The global ID of the user."""\nuserId: UserID!\n',
    payload_fields=_GIVES_AWARD,
    since=_AWARDED,
)
def award_achievement(ctx: WriteContext, achievement_id: str, user_id: str) -> Payload:
    """Award an achievement to a user."""
    achievement = _require_achievement(ctx, achievement_id, Ability.AWARD_ACHIEVEMENT)
    number = parse_id(ctx, user_id, "User")
    user = ctx.world.users.get(number)
    if user is None:
        return {"user_achievement": None, "errors": [f"Couldn't find User with 'id'={number}"]}
    return {"user_achievement": achievements.award(ctx, achievement, user)}


def _require_award(ctx: ReadContext, text: str, ability: Ability) -> UserAchievement:
    award = ctx.world.user_achievements.get(parse_id(ctx, text, _AWARD_KIND))
    if award is None or not achievements.has_ability(ctx, ability, ctx.world.achievements[award.achievement_id]):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} lacks {ability.value} for {text}")
    return award


@mutation("achievementsRevoke", input_fields=_AWARD_ID, payload_fields=_GIVES_AWARD, since=_AWARDED)
def revoke_achievement(ctx: WriteContext, user_achievement_id: str) -> Payload:
    """Revoke an achievement that a user got."""
    award = _require_award(ctx, user_achievement_id, Ability.AWARD_ACHIEVEMENT)
    with collect_errors(user_achievement=None):
        return {"user_achievement": achievements.revoke(ctx, award)}


@mutation("userAchievementsDelete", input_fields=_AWARD_ID, payload_fields=_GIVES_AWARD, since="16.1")
def delete_award(ctx: WriteContext, user_achievement_id: str) -> Payload:
    """Delete that a user got an achievement."""
    award = _require_award(ctx, user_achievement_id, Ability.DESTROY_USER_ACHIEVEMENT)
    purge(ctx, award)
    return {"user_achievement": award}


def _require_own_award(ctx: ReadContext, text: str) -> UserAchievement:
    award = ctx.world.user_achievements.get(parse_id(ctx, text, _AWARD_KIND))
    is_own = award is not None and ctx.viewer is not None and award.user_id == ctx.viewer.id
    if award is None or not is_own:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} did not get {text}")
    return award


@mutation(
    "userAchievementsUpdate",
    input_fields=f'{_AWARD_ID}"""Whether the profile shows it."""\nshowOnProfile: Boolean!\n',
    payload_fields=_GIVES_AWARD,
    since=_PROFILE,
)
def update_award(ctx: WriteContext, user_achievement_id: str, show_on_profile: bool) -> Payload:
    """Show an own achievement in the profile, or hide it."""
    award = _require_own_award(ctx, user_achievement_id)
    if not achievements.is_visible(ctx, ctx.world.achievements[award.achievement_id]):
        raise ResourceNotAvailable("the feature of achievements is off")
    return {"user_achievement": achievements.show(ctx, award, on_profile=show_on_profile)}


@mutation(
    "userAchievementPrioritiesUpdate",
    input_fields='"""The global IDs of the awards, the first first."""\n'
    "userAchievementIds: [AchievementsUserAchievementID!]!",
    payload_fields='"""The awards that have or had a priority."""\nuserAchievements: [UserAchievement!]!',
    since=_PRIORITIES,
)
def prioritize_awards(ctx: WriteContext, user_achievement_ids: Sequence[str]) -> Payload:
    """Put some achievements of the caller first in the profile."""
    first = [_require_own_award(ctx, text) for text in user_achievement_ids]
    return {"user_achievements": achievements.prioritize(ctx, ctx.signed_in_user, first)}
