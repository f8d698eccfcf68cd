"""Custom roles of members and of administrators, and the standard roles. Source: docs/platform/project-members.md."""

from collections.abc import Iterable, Sequence
from typing import Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import namespaces, role_lists, role_permissions
from fakeplat.domain.people.role_lists import RoleOrder
from fakeplat.domain.people.role_permissions import RolePermission
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Interface, Scalar, Type
from fakeplat.model.people import ADMIN_PERMISSIONS, ROLE_PERMISSIONS, Group, Level, MemberRole, User, UserMemberRole
from fakeplat.model.projects import Container
from fakeplat.policy.behaviours import PLANNERS
from fakeplat.policy.context import ReadContext

PERMISSIONS_SINCE: Final = "16.4"
ROLES_SINCE: Final = "16.5"
ADMIN_SINCE: Final = "17.9"
"""Earlier releases had roles of administrators with other permissions, behind a flag."""
_SPLIT: Final = "17.9"
"""Permissions of administrators came then; whether the names changed at once is not known."""
_DOCUMENTED: Final = "<=18.9"
KIND: Final = "MemberRole"
_FAILURE: Final = "Internal server error"
_NO_GROUP: Final = "You have to specify group for SaaS."
_PAGE: Final = "settings/roles_and_permissions"
_DIRECTION: Final = "SortDirectionEnum"

Scalar("MemberRoleID", "The global ID of a record of the type MemberRole.", since=ROLES_SINCE)


def _name_values(names: Iterable[str], since: str) -> dict[str, EnumValue]:
    return {name.upper(): _describe_value(name, Lifetime(since)) for name in names}


def _describe_value(name: str, of_enumeration: Lifetime) -> EnumValue:
    description, lifetime = role_permissions.list_all()[name].description, ROLE_PERMISSIONS[name]
    is_later = lifetime.start > of_enumeration.start
    return (name, description, lifetime) if is_later else (name, description)


_STANDARD: Final = [name for name in ROLE_PERMISSIONS if name not in ADMIN_PERMISSIONS]
Enumeration(
    "MemberRolePermission", "Permissions.", _name_values(ROLE_PERMISSIONS, PERMISSIONS_SINCE), since=PERMISSIONS_SINCE
)
Enumeration("MemberRoleStandardPermission", "Permissions of members.", _name_values(_STANDARD, _SPLIT), since=_SPLIT)
Enumeration(
    "MemberRoleAdminPermission",
    "Permissions of administrators.",
    _name_values(ADMIN_PERMISSIONS, ADMIN_SINCE),
    since=ADMIN_SINCE,
)
Enumeration(
    "MemberRolesOrderBy",
    "Orders of custom roles.",
    {"NAME": ("name", "By name."), "CREATED_AT": ("created_at", "By creation."), "ID": ("id", "By ID.")},
    since=_DOCUMENTED,
)
Enumeration(
    "MemberRolesAccessLevel",
    "The base role of a custom role.",
    {
        "MINIMAL_ACCESS": (int(Level.MINIMAL), "Minimal access.", Lifetime(since=_DOCUMENTED)),
        "GUEST": (int(Level.GUEST), "Guests."),
        "PLANNER": (int(Level.PLANNER), "Planners.", PLANNERS),
        "REPORTER": (int(Level.REPORTER), "Reporters."),
        "DEVELOPER": (int(Level.DEVELOPER), "Developers."),
        "MAINTAINER": (int(Level.MAINTAINER), "Maintainers."),
    },
    since=ROLES_SINCE,
)

# Permissions

_FIRST_PERMISSION: Final = Type(
    "CustomizablePermission", "A permission of custom roles.", since=PERMISSIONS_SINCE, until=_SPLIT
)
_PERMISSION: Final = Type("CustomizableStandardPermission", "A permission of members.", since=_SPLIT)
_ADMIN_PERMISSION: Final = Type("CustomizableAdminPermission", "A permission of administrators.", since=ADMIN_SINCE)
for _type in (_FIRST_PERMISSION, _PERMISSION, _ADMIN_PERMISSION):
    _type.attributes({"description: String": "What it allows."})


@_FIRST_PERMISSION.field("name: String!")
@_PERMISSION.field("name: String!")
@_ADMIN_PERMISSION.field("name: String!")
def title_of(_ctx: ReadContext, permission: RolePermission) -> str:
    """The title."""
    return permission.title


@_FIRST_PERMISSION.field("value: MemberRolePermission!")
@_PERMISSION.field("value: MemberRoleStandardPermission!")
@_ADMIN_PERMISSION.field("value: MemberRoleAdminPermission!")
def value_of(_ctx: ReadContext, permission: RolePermission) -> str:
    """The permission."""
    return permission.name


@_FIRST_PERMISSION.field("requirements: [MemberRolePermission!]")
@_PERMISSION.field("requirements: [MemberRoleStandardPermission!]")
@_ADMIN_PERMISSION.field("requirements: [MemberRoleAdminPermission!]")
def requirements_of(_ctx: ReadContext, permission: RolePermission) -> tuple[str, ...] | None:
    """The permissions that a role with it must have, too."""
    return permission.requirements or None


@_FIRST_PERMISSION.field("availableFor: [String!]!")
@_PERMISSION.field("availableFor: [String!]!")
def available_for(_ctx: ReadContext, permission: RolePermission) -> list[str]:
    """Whether it is for projects, groups or both."""
    kinds = {"project": permission.project_levels, "group": permission.group_levels}
    return [kind for kind, levels in kinds.items() if levels]


@_PERMISSION.field("enabledForGroupAccessLevels: [AccessLevelEnum!]")
def group_levels_of(_ctx: ReadContext, permission: RolePermission) -> tuple[int, ...] | None:
    """The roles that have it in groups anyway."""
    return permission.group_levels or None


@_PERMISSION.field("enabledForProjectAccessLevels: [AccessLevelEnum!]")
def project_levels_of(_ctx: ReadContext, permission: RolePermission) -> tuple[int, ...] | None:
    """The roles that have it in projects anyway."""
    return permission.project_levels or None


@QUERY.field("memberRolePermissions: CustomizablePermissionConnection", since=PERMISSIONS_SINCE, until=_SPLIT)
@QUERY.field("memberRolePermissions: CustomizableStandardPermissionConnection", since=_SPLIT)
def list_permissions(ctx: ReadContext) -> list[RolePermission]:
    """The permissions that custom roles of members can add."""
    return role_permissions.list_permissions(ctx.world)


@QUERY.field("adminMemberRolePermissions: CustomizableAdminPermissionConnection", since=ADMIN_SINCE)
def list_admin_permissions(ctx: ReadContext) -> list[RolePermission]:
    """The permissions that custom roles of administrators can add."""
    return role_permissions.list_permissions(ctx.world, administrative=True)


# Roles

_ROLE_FIELDS: Final = {
    "id: ID!": "The global ID.",
    "name: String": "The name.",
    "description: String": "The description.",
    "detailsPath: String": "The path of the page.",
}
Interface("RoleInterface", "A role.", _ROLE_FIELDS, since=_DOCUMENTED)
Interface(
    "CustomRoleInterface",
    "A custom role.",
    {"createdAt: Time!": "Timestamp of creation.", "editPath: String!": "The path of the form."},
    since=_DOCUMENTED,
)
_CUSTOM: Final = ("RoleInterface", "CustomRoleInterface")
ROLE: Final = Type(KIND, "A custom role of members.", gid=KIND, implements=_CUSTOM, since=ROLES_SINCE)
ADMIN_ROLE: Final = Type(
    "AdminMemberRole", "A custom role of administrators.", gid=KIND, implements=_CUSTOM, since=ADMIN_SINCE
)
for _type in (ROLE, ADMIN_ROLE):
    _type.attributes({"name: String": "The name.", "description: String": "The description."})
    _type.attributes({"createdAt: Time!": "Timestamp of creation."}, since=_DOCUMENTED)


@ROLE.field("detailsPath: String", since="17.4")
@ADMIN_ROLE.field("detailsPath: String")
def details_path(ctx: ReadContext, role: MemberRole) -> str:
    """The path of the page."""
    return f"{_page_of(ctx, role_lists.group_of(ctx, role))}/{role.id}"


@ROLE.field("editPath: String!", since="16.11")
@ADMIN_ROLE.field("editPath: String!")
def edit_path(ctx: ReadContext, role: MemberRole) -> str:
    """The path of the form."""
    return f"{details_path(ctx, role)}/edit"


def _page_of(ctx: ReadContext, group: Group | None) -> str:
    """Return the path of the page of roles, which groups have in the hosted offering."""
    if group is None or not ctx.instance.hosted:
        return f"/admin/application_{_PAGE}"
    return f"/groups/{namespaces.full_path(ctx.world, group)}/-/{_PAGE}"


@ROLE.field("baseAccessLevel: AccessLevel!")
def base_access_level(_ctx: ReadContext, role: MemberRole) -> int | None:
    """The role to which it adds permissions."""
    return role.base_access_level


@ROLE.field("enabledPermissions: CustomizablePermissionConnection!", until=_SPLIT)
@ROLE.field("enabledPermissions: CustomizableStandardPermissionConnection!", since=_SPLIT)
@ADMIN_ROLE.field("enabledPermissions: CustomizableAdminPermissionConnection!")
def enabled_permissions(ctx: ReadContext, role: MemberRole) -> list[RolePermission]:
    """The permissions that it adds."""
    return role_permissions.list_of_role(ctx.world, role)


@ROLE.field("membersCount: Int", since="17.3")
def count_members(ctx: ReadContext, role: MemberRole) -> int:
    """Number of memberships with the role."""
    return len(ctx.world.members.where("member_role", role.id))


@ROLE.field("usersCount: Int", since="17.5")
def count_users(ctx: ReadContext, role: MemberRole) -> int:
    """Number of users who have the role somewhere."""
    return len({member.user_id for member in ctx.world.members.where("member_role", role.id)})


@ADMIN_ROLE.field("usersCount: Int")
def count_assigned(ctx: ReadContext, role: MemberRole) -> int:
    """Number of users who have the role."""
    return len(ctx.world.user_member_roles.where("member_role", role.id))


USER_ROLE: Final = Type(
    "UserMemberRole",
    "That a user has a custom role of administrators.",
    gid="Users::UserMemberRole",
    since=ADMIN_SINCE,
)


@USER_ROLE.field(f"memberRole: {KIND}!")
def role_of(ctx: ReadContext, record: UserMemberRole) -> MemberRole:
    """The role."""
    return ctx.world.member_roles[record.member_role_id]


@USER_ROLE.field(f"user: {USER.name}!")
def user_of(ctx: ReadContext, record: UserMemberRole) -> User:
    """The user."""
    return ctx.world.users[record.user_id]


class RoleArguments(TypedDict, total=False):
    """Which roles are listed, and in which order."""

    id: str | None
    ids: Sequence[str] | None
    order_by: RoleOrder | None
    sort: str | None
    assignable: bool | None


_FILTERS: Final = f"""(
    id: MemberRoleID, ids: [MemberRoleID!] @lifetime(since: "{_DOCUMENTED}"),
    orderBy: MemberRolesOrderBy @lifetime(since: "{_DOCUMENTED}"), sort: {_DIRECTION} @lifetime(since: "{_DOCUMENTED}"),
    assignable: Boolean @lifetime(since: "{_DOCUMENTED}"))"""


def _parse_ids(ctx: ReadContext, arguments: RoleArguments) -> list[int]:
    id_ = arguments.get("id")
    texts = [*([] if id_ is None else [id_]), *(arguments.get("ids") or ())]
    return [parse_id(ctx, text, KIND) for text in texts]


def _sort(roles: Sequence[MemberRole], arguments: RoleArguments) -> list[MemberRole]:
    return role_lists.sort(roles, arguments.get("order_by") or "name", descending=arguments.get("sort") == "desc")


@QUERY.field(f"memberRoles{_FILTERS}: {KIND}Connection", since="16.7")
def list_roles(ctx: ReadContext, **arguments: Unpack[RoleArguments]) -> list[MemberRole]:
    """The custom roles of the instance; in the hosted offering some of those of groups."""
    ids = _parse_ids(ctx, arguments)
    if ctx.instance.hosted and not ids and role_lists.are_licensed(ctx):
        raise GraphQLError(_FAILURE)
    return _sort(role_lists.list_roles(ctx, ids=ids), arguments)


@QUERY.field(f"memberRole{_FILTERS}: {KIND}", since="16.6")
def find_role(ctx: ReadContext, **arguments: Unpack[RoleArguments]) -> MemberRole | None:
    """The first of some custom roles."""
    return next(iter(list_roles(ctx, **arguments)), None)


@GROUP.field(f"memberRoles{_FILTERS}: {KIND}Connection", since=ROLES_SINCE)
@PROJECT.field(f"memberRoles{_FILTERS}: {KIND}Connection", since=ROLES_SINCE)
def roles_for(ctx: ReadContext, container: Container, **arguments: Unpack[RoleArguments]) -> list[MemberRole] | None:
    """The custom roles that members can have, for members."""
    if not role_lists.can_read(ctx, container):
        return None
    found = role_lists.list_roles(ctx, container, _parse_ids(ctx, arguments))
    if arguments.get("assignable"):
        found = [role for role in found if role_lists.can_assign(ctx, container, role)]
    return _sort(found, arguments)


@QUERY.field(f"adminMemberRoles{_FILTERS}: AdminMemberRoleConnection", since="17.10")
def list_admin_roles(ctx: ReadContext, **arguments: Unpack[RoleArguments]) -> list[MemberRole]:
    """The custom roles of administrators, for administrators."""
    return _sort(role_lists.list_admin_roles(ctx, _parse_ids(ctx, arguments)), arguments)


@QUERY.field(f"adminMemberRole{_FILTERS}: AdminMemberRole", since="17.10")
def find_admin_role(ctx: ReadContext, **arguments: Unpack[RoleArguments]) -> MemberRole | None:
    """The first of some custom roles of administrators."""
    return next(iter(list_admin_roles(ctx, **arguments)), None)


# Standard roles

_STANDARD_SINCE: Final = "17.3"
_STANDARD_ROLE: Final = Type("StandardRole", "A standard role.", implements=("RoleInterface",), since=_STANDARD_SINCE)
_STANDARD_ROLE.attributes(
    {"name: String": "The name.", "accessLevel: Int!": "The role as a number.", "description: String": "Who needs it."}
)
_LEVELS: Final = "(accessLevel: [MemberAccessLevel!])"


@frozen
class StandardRole:
    """A standard role, as a group or the instance shows it."""

    name: str
    access_level: int
    description: str
    group: Group | None = None

    @property
    def id(self) -> str:
        """``MINIMAL_ACCESS`` of ``Minimal Access``."""
        return self.name.upper().replace(" ", "_")


_STANDARD_ROLES: Final = (
    StandardRole("Minimal Access", Level.MINIMAL, "For users who get further roles later."),
    StandardRole("Guest", Level.GUEST, "For users who see what there is without changing it."),
    StandardRole("Planner", Level.PLANNER, "For users who plan the work without contributing code."),
    StandardRole("Reporter", Level.REPORTER, "For users who follow the work without contributing code."),
    StandardRole("Developer", Level.DEVELOPER, "For users who contribute code."),
    StandardRole("Maintainer", Level.MAINTAINER, "For users who review, approve and configure projects."),
    StandardRole("Owner", Level.OWNER, "For users who manage everything, also other owners."),
)


@_STANDARD_ROLE.field("id: ID!")
def id_of_standard_role(ctx: ReadContext, role: StandardRole) -> str:
    """The global ID."""
    return global_id(ctx, "StandardRole", role.id)


@_STANDARD_ROLE.field("detailsPath: String", since="17.4")
def path_of_standard_role(ctx: ReadContext, role: StandardRole) -> str:
    """The path of the page."""
    return f"{_page_of(ctx, role.group)}/{role.id}"


@QUERY.field(f"standardRoles{_LEVELS}: StandardRoleConnection", since=_STANDARD_SINCE)
def list_standard_roles(ctx: ReadContext, access_level: Sequence[int] | None = None) -> list[StandardRole]:
    """The standard roles of an instance; in the hosted offering groups have them."""
    if ctx.instance.hosted:
        raise GraphQLError(_NO_GROUP)
    return _select_standard_roles(ctx, None, access_level)


@QUERY.field(f"standardRole{_LEVELS}: StandardRole", since="17.6")
def find_standard_role(ctx: ReadContext, access_level: Sequence[int] | None = None) -> StandardRole | None:
    """The first of some standard roles."""
    return next(iter(list_standard_roles(ctx, access_level)), None)


@GROUP.field(f"standardRoles{_LEVELS}: StandardRoleConnection", since="17.4")
def standard_roles_of(ctx: ReadContext, group: Group, access_level: Sequence[int] | None = None) -> list[StandardRole]:
    """The standard roles."""
    return _select_standard_roles(ctx, group, access_level)


@GROUP.field(f"standardRole{_LEVELS}: StandardRole", since="17.6")
def standard_role_of(ctx: ReadContext, group: Group, access_level: Sequence[int] | None = None) -> StandardRole | None:
    """The first of some standard roles."""
    return next(iter(standard_roles_of(ctx, group, access_level)), None)


def _select_standard_roles(ctx: ReadContext, group: Group | None, levels: Sequence[int] | None) -> list[StandardRole]:
    return [
        StandardRole(role.name, role.access_level, role.description, group)
        for role in _STANDARD_ROLES
        if (not levels or role.access_level in levels)
        and (role.access_level != Level.PLANNER or ctx.profile.has(PLANNERS))
    ]
