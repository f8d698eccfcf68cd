"""Members of projects and groups. Source: docs/platform/graphql.md."""

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.release import Lifetime
from fakeplat.domain.people import members
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_ability
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER, is_activity_visible
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Interface, Type, with_lower_names
from fakeplat.model.people import Group, Invitation, Level, User
from fakeplat.model.projects import Member, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import PLANNERS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import group_level, project_level

_LEVELS: Final[Mapping[str, EnumValue]] = {
    "NO_ACCESS": (0, "No access."),
    "MINIMAL_ACCESS": (int(Level.MINIMAL), "Minimal access.", Lifetime(since="13.10")),
    "GUEST": (int(Level.GUEST), "Guests."),
    "PLANNER": (int(Level.PLANNER), "Planners.", PLANNERS),
    "REPORTER": (int(Level.REPORTER), "Reporters."),
    "DEVELOPER": (int(Level.DEVELOPER), "Developers."),
    "MAINTAINER": (int(Level.MAINTAINER), "Maintainers."),
    "OWNER": (int(Level.OWNER), "Owners."),
    "ADMIN": (60, "Administrators.", Lifetime(since="15.8")),
}
_NAMES: Final = {value[0]: name for name, value in _LEVELS.items()}
Enumeration("AccessLevelEnum", "The role of a member.", _LEVELS)
ACCESS_LEVEL = Type("AccessLevel", "The role of a member.")


@ACCESS_LEVEL.field("integerValue: Int")
def integer_value(_ctx: ReadContext, level: int) -> int:
    """The role as a number."""
    return level


@ACCESS_LEVEL.field("stringValue: AccessLevelEnum")
def string_value(_ctx: ReadContext, level: int) -> int:
    """The role by its name."""
    return level


@ACCESS_LEVEL.field("humanAccess: String", since="<=18.5")
def human_access(_ctx: ReadContext, level: int) -> str:
    """The role in words."""
    return string.capwords(_NAMES.get(level, "").replace("_", " ")) if level else "None"


def kind_of(member: Member | Invitation) -> str:
    """Return the kind of a membership in global ids."""
    return f"{member.source[0].title()}Member"


INTERACTION: Final = (
    'mergeRequestInteraction(id: MergeRequestID!): UserMergeRequestInteraction @lifetime(since: "<=14.9")'
)
_FIELDS: Final = {
    "id: ID!": "The global ID.",
    "accessLevel: AccessLevel": "The role.",
    "createdAt: Time": "Timestamp of the beginning.",
    "createdBy: User": "The user who added the member.",
    "expiresAt: Time": "The day on which the membership ends.",
    "updatedAt: Time": "Timestamp of the last update.",
    "user: User": "The user.",
    INTERACTION: "What the user may do and has done in a merge request.",
}
Interface("MemberInterface", "A membership.", _FIELDS, type_of=kind_of)
GROUP_MEMBER = Type("GroupMember", "A membership of a group.", gid="GroupMember", implements=("MemberInterface",))
PROJECT_MEMBER = Type(
    "ProjectMember", "A membership of a project.", gid="ProjectMember", implements=("MemberInterface",)
)
BOTH: Final = (GROUP_MEMBER, PROJECT_MEMBER)
for _type in BOTH:
    _type.attributes({"createdAt: Time": "Timestamp of the beginning.", "expiresAt: Time": "The day of the end."})


@GROUP_MEMBER.field("accessLevel: AccessLevel")
@PROJECT_MEMBER.field("accessLevel: AccessLevel")
def access_level(_ctx: ReadContext, member: Member) -> int:
    """The role."""
    return member.access_level


@GROUP_MEMBER.field("createdBy: User")
@PROJECT_MEMBER.field("createdBy: User")
def created_by(ctx: ReadContext, member: Member) -> User | None:
    """The user who added the member."""
    return ctx.world.users.get(member.created_by) if member.created_by is not None else None


@GROUP_MEMBER.field("updatedAt: Time")
@PROJECT_MEMBER.field("updatedAt: Time")
def updated_at(_ctx: ReadContext, member: Member) -> str:
    """Timestamp of the last update, which is not recorded: that of the beginning."""
    return member.created_at


@GROUP_MEMBER.field("user: User")
@PROJECT_MEMBER.field("user: User")
def user_of(ctx: ReadContext, member: Member) -> User:
    """The user."""
    return ctx.world.users[member.user_id]


@GROUP_MEMBER.field("group: Group")
def group_of(ctx: ReadContext, member: Member) -> Group | None:
    """The group, if it is visible to the caller."""
    group = ctx.world.namespaces[member.source[1]]
    return group if isinstance(group, Group) and can_see(ctx, group) else None


@PROJECT_MEMBER.field("project: Project")
def project_of(ctx: ReadContext, member: Member) -> Project | None:
    """The project, if it is visible to the caller."""
    project = ctx.world.projects[member.source[1]]
    return project if can_see(ctx, project) else None


# Lists

_SORTS: Final[Mapping[str, EnumValue]] = {
    "ACCESS_LEVEL_ASC": (("access_level", False), "By role, lowest first."),
    "ACCESS_LEVEL_DESC": (("access_level", True), "By role, highest first."),
    "USER_FULL_NAME_ASC": (("name", False), "By name, from A to Z."),
    "USER_FULL_NAME_DESC": (("name", True), "By name, from Z to A."),
    "CREATED_ASC": (("created_at", False), "By beginning, oldest first."),
    "CREATED_DESC": (("created_at", True), "By beginning, newest first."),
    # As in the field, the beginning counts as the last update.
    "UPDATED_ASC": (("created_at", False), "By the last update, oldest first."),
    "UPDATED_DESC": (("created_at", True), "By the last update, newest first."),
}
Enumeration("MemberSort", "The order of members.", with_lower_names(_SORTS), since="<=15.8")
_GROUP_RELATIONS: Final = ("DIRECT", "INHERITED", "DESCENDANTS", "SHARED_FROM_GROUPS")
_PROJECT_RELATIONS: Final = ("DIRECT", "INHERITED", "DESCENDANTS", "INVITED_GROUPS", "SHARED_INTO_ANCESTORS")


def _enumerate_relations(name: str, relations: Iterable[str], since: str = "") -> None:
    values = {word: (word, f"{word.replace('_', ' ').capitalize()}.") for word in relations}
    Enumeration(name, "How members belong to it.", values, since=since)


class MemberFilters(TypedDict, total=False):
    """The arguments of lists of members."""

    search: str | None
    sort: tuple[str, bool] | None
    access_levels: list[int] | None
    ids: list[str] | None


_ENTERPRISE: Final = 'enterprise: Boolean @lifetime(since: "<=18.5")'
_ARGUMENTS: Final = (
    'search: String, sort: MemberSort @lifetime(since: "<=15.8", until: "<=18.5"), '
    'sort: MemberSort = USER_FULL_NAME_ASC @lifetime(since: "<=18.5"), '
    'ids: [ID!] @lifetime(since: "<=18.5")'
)


def _select(ctx: ReadContext, rows: Iterable[Member], filters: MemberFilters) -> list[Member]:
    users, levels = ctx.world.users, filters.get("access_levels")
    text = (filters.get("search") or "").lower()
    wanted = {parse_id(ctx, id_, "User") for id_ in filters.get("ids") or ()}
    found = [
        row
        for row in rows
        if (not levels or row.access_level in levels)
        and text in f"{users[row.user_id].name}\n{users[row.user_id].username}".lower()
        and (not wanted or row.user_id in wanted)
    ]
    column, descending = filters.get("sort") or ("id", True)
    keys: dict[str, Callable[[Member], Any]] = {"name": lambda row: users[row.user_id].name.lower()}
    key = keys.get(column, lambda row: getattr(row, column))
    # The sort is stable in both directions: of equal ones the newest stays the first.
    newest_first = sorted(found, key=lambda row: -row.id)
    return sorted(newest_first, key=key, reverse=descending)


_enumerate_relations("GroupMemberRelation", _GROUP_RELATIONS, since="<=13.6")
_enumerate_relations("ProjectMemberRelation", _PROJECT_RELATIONS)


@GROUP.field(
    f"groupMembers({_ARGUMENTS}, {_ENTERPRISE}, relations: [GroupMemberRelation!] = [DIRECT, INHERITED], "
    'accessLevels: [AccessLevelEnum!] @lifetime(since: "<=15.0")): GroupMemberConnection',
    since="<=13.6",
)
def members_of_group(
    ctx: ReadContext,
    group: Group,
    relations: Sequence[str] | None = None,
    enterprise: bool | None = None,
    **filters: Unpack[MemberFilters],
) -> Sequence[Member]:
    """The members of the group, the newest memberships first unless an order is given."""
    require_ability(ctx, Ability.READ_MEMBERS, group)
    rows = members.list_of_group(ctx, group, relations or ())
    if enterprise is not None:
        rows = [row for row in rows if (ctx.world.users[row.user_id].enterprise_group_id is not None) == enterprise]
    return _select(ctx, rows, filters)


@PROJECT.field(
    f"projectMembers({_ARGUMENTS}, relations: [ProjectMemberRelation!] = [DIRECT, INHERITED], "
    'accessLevels: [AccessLevelEnum!] @lifetime(since: "<=18.5")): MemberInterfaceConnection'
)
def members_of_project(
    ctx: ReadContext, project: Project, relations: Sequence[str] | None = None, **filters: Unpack[MemberFilters]
) -> Sequence[Member]:
    """The members of the project, the newest memberships first unless an order is given."""
    require_ability(ctx, Ability.READ_MEMBERS, project)
    return _select(ctx, members.list_of_project(ctx, project, relations or ()), filters)


def _memberships(ctx: ReadContext, user: User, kind: str) -> Sequence[Member] | None:
    if not is_activity_visible(ctx, user):
        return None
    rows = [row for row in ctx.world.members.where("user", user.id) if row.source[0] == kind]
    return [row for row in rows if can_see(ctx, members.container_of(ctx.world, row.source))]


@USER.field("groupMemberships: GroupMemberConnection")
def group_memberships(ctx: ReadContext, user: User) -> Sequence[Member] | None:
    """The user's memberships of groups."""
    return _memberships(ctx, user, "group")


@USER.field("projectMemberships: ProjectMemberConnection")
def project_memberships(ctx: ReadContext, user: User) -> Sequence[Member] | None:
    """The user's memberships of projects."""
    return _memberships(ctx, user, "project")


@PROJECT.field("maxAccessLevel: AccessLevel!", since="<=18.5")
def level_on_project(ctx: ReadContext, project: Project) -> int:
    """The caller's role."""
    return project_level(ctx.world, project, ctx.viewer.id) if ctx.viewer is not None else 0


@GROUP.field("maxAccessLevel: AccessLevel!", since="<=18.5")
def level_on_group(ctx: ReadContext, group: Group) -> int:
    """The caller's role."""
    return group_level(ctx.world, group, ctx.viewer.id) if ctx.viewer is not None else 0


@GROUP.field("groupMembersCount: Int!", since="<=16.9")
def count_members(ctx: ReadContext, group: Group) -> int:
    """Number of direct members."""
    return len(members.list_direct(ctx.world, group))
