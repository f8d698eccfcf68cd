"""The organization of the instance, and its users. Source: docs/platform/graphql.md ('Organizations')."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Unpack

from fakeplat.domain.instance import organization as organizations
from fakeplat.domain.instance.organization import OrganizationChanges, OrganizationUser
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.graphql import project_lists
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people import group_lists
from fakeplat.graphql.people.group_lists import GroupFilters
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.project_lists import ProjectFilters
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type, mutation
from fakeplat.model.instance import Organization
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import ORGANIZATION_PATH
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import group_level

_SINCE: Final = "16.4"
_UPDATE: Final = "16.7"
_PROJECTS: Final = "16.8"
_ROLES: Final = "16.11"
_USER_UPDATE: Final = "17.5"
_TEXT_SORT: Final = "<=18.9"
_KIND: Final = "Organizations::Organization"
_USER_KIND: Final = "Organizations::OrganizationUser"
Scalar("OrganizationsOrganizationID", "The global ID of an organization.", since=_SINCE)
Scalar("OrganizationsOrganizationUserID", "The global ID of a user of an organization.", since=_USER_UPDATE)
ORGANIZATION = Type(
    "Organization", "What groups, projects and users belong to.", gid=_KIND, has_count=True, since=_SINCE
)
ORGANIZATION.attributes({"name: String!": "The name.", "path: String!": "The path."})
ORGANIZATION.attributes({"description: String": "The description."}, since=_UPDATE)


@ORGANIZATION.field("descriptionHtml: String", since=_UPDATE)
def description_html(ctx: ReadContext, organization: Organization) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, organization.description)


@ORGANIZATION.field("webUrl: String!", since="16.6")
def web_url(ctx: ReadContext, organization: Organization) -> str:
    """The URL of the organization."""
    return f"{ctx.origin}{ctx.profile.choose(ORGANIZATION_PATH).format(organization.path)}"


@ORGANIZATION.field("rootPath: String!", since="18.5")
def root_path(_ctx: ReadContext, _organization: Organization) -> str:
    """The path of the start page, which for the only organization is that of the instance."""
    return "/"


# Groups and projects

Enumeration(
    "OrganizationGroupSort",
    "The order of the groups of an organization.",
    {name: (name.lower(), text) for name, (_value, text, *_) in group_lists.SORTS.items()},
    since=_SINCE,
    until=_TEXT_SORT,
)


@ORGANIZATION.field(
    f"""groups({group_lists.FILTERS}, sort: OrganizationGroupSort @lifetime(until: "{_TEXT_SORT}"),
        sort: String = "name_asc" @lifetime(since: "{_TEXT_SORT}"),
        allAvailable: Boolean @lifetime(since: "<=18.5")): GroupConnection!"""
)
def groups_of_organization(
    ctx: ReadContext,
    _organization: Organization,
    **filters: Unpack[GroupFilters],
) -> Sequence[Group]:
    """The groups of which the caller is a member."""
    if ctx.viewer is None:
        return ()
    user_id = ctx.viewer.id
    groups = group_lists.groups(ctx, **filters)
    return [group for group in groups if group_level(ctx.world, group, user_id) > Level.NONE]


@ORGANIZATION.field(f"projects({project_lists.FILTERS}): ProjectConnection!", since=_PROJECTS)
def projects_of_organization(
    ctx: ReadContext, _organization: Organization, sort: str | None = None, **filters: Unpack[ProjectFilters]
) -> Sequence[Project]:
    """The projects visible to the caller."""
    return project_lists.projects(ctx, sort, **filters)


def _settings_path(ctx: ReadContext, words: str) -> str:
    return f"/-/organizations/{organizations.get_organization(ctx.world).path}/{words}/edit"


@GROUP.field("organizationEditPath: String", since="17.1")
def edit_path_of_group(ctx: ReadContext, group: Group) -> str:
    """The path of the group's settings within the organization."""
    return _settings_path(ctx, f"groups/{namespaces.full_path(ctx.world, group)}")


@PROJECT.field("organizationEditPath: String", since=_ROLES)
def edit_path_of_project(ctx: ReadContext, project: Project) -> str:
    """The path of the project's settings within the organization."""
    return _settings_path(ctx, f"projects/{namespaces.project_path(ctx.world, project)}")


# Users

ORGANIZATION_USER = Type("OrganizationUser", "A user of an organization.", gid=_USER_KIND, since=_SINCE)
ORGANIZATION_USER.attributes({"user: User!": "The user."})
ACCESS = Type("OrganizationUserAccess", "The role of a user in an organization.", since=_ROLES)
BADGE = Type("OrganizationUserBadge", "A word on the account of a user, and how it is shown.", since=_SINCE)
BADGE.attributes({"text: String!": "The word.", "variant: String!": "The kind of the badge."})
PERMISSIONS = Type(
    "OrganizationUserPermissions", "What the caller may do with a user of an organization.", since="<=18.5"
)
Enumeration(
    "OrganizationUserAccessLevel",
    "The role of a user in an organization.",
    {"DEFAULT": (Level.GUEST, "An ordinary user."), "OWNER": (Level.OWNER, "An owner.")},
    since=_ROLES,
)


@ORGANIZATION.field("organizationUsers: OrganizationUserConnection!")
def users_of_organization(ctx: ReadContext, _organization: Organization) -> Sequence[OrganizationUser]:
    """The users, the newest first, for owners and administrators."""
    if not organizations.can_administer(ctx):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not own the organization")
    return sorted(organizations.list_users(ctx.world), key=lambda row: -row.id)


@ORGANIZATION_USER.field("accessLevel: OrganizationUserAccess!", since=_ROLES)
def access_level(_ctx: ReadContext, row: OrganizationUser) -> Level:
    """The role."""
    return Level.OWNER if row.is_owner else Level.GUEST


@ACCESS.field("integerValue: Int")
def integer_value(_ctx: ReadContext, level: Level) -> int:
    """The role as a number."""
    return level


@ACCESS.field("stringValue: OrganizationUserAccessLevel")
def string_value(_ctx: ReadContext, level: Level) -> Level:
    """The role by its name."""
    return level


@ORGANIZATION_USER.field("isLastOwner: Boolean!", since=_ROLES)
def is_last_owner(ctx: ReadContext, row: OrganizationUser) -> bool:
    """Whether the organization has no other owner."""
    return organizations.is_last_owner(ctx.world, row)


_STATES: Final = {
    "banned": ("Banned", "danger"),
    "blocked": ("Blocked", "danger"),
    "blocked_pending_approval": ("Pending approval", "info"),
    "deactivated": ("Deactivated", "danger"),
    "ldap_blocked": ("LDAP Blocked", "danger"),
}


@ORGANIZATION_USER.field("badges: [OrganizationUserBadge!]")
def badges(ctx: ReadContext, row: OrganizationUser) -> list[dict[str, str]]:
    """What is special about the account."""
    return [{"text": text, "variant": variant} for text, variant in _list_badges(ctx, row.user)]


def _list_badges(ctx: ReadContext, user: User) -> Iterator[tuple[str, str]]:
    if user.state in _STATES and user.state != "deactivated":
        yield _STATES[user.state]
    if user.admin:
        yield "Admin", "success"
    if user.kind not in ("human", "ghost"):
        yield "Bot", "neutral"
    if user.state == "deactivated":
        yield _STATES[user.state]
    if user.external:
        yield "External", "neutral"
    if ctx.viewer is not None and ctx.viewer.id == user.id:
        yield "It's you!", "neutral"


@ORGANIZATION_USER.field("userPermissions: OrganizationUserPermissions!", since="<=18.5")
def user_permissions(_ctx: ReadContext, row: OrganizationUser) -> OrganizationUser:
    """What the caller may do."""
    return row


@PERMISSIONS.field("adminOrganization: Boolean!")
def may_administer(ctx: ReadContext, _row: OrganizationUser) -> bool:
    """Whether the caller may change the organization."""
    return organizations.can_administer(ctx)


@PERMISSIONS.field("deleteUser: Boolean!")
@PERMISSIONS.field("removeUser: Boolean!")
def may_remove(ctx: ReadContext, row: OrganizationUser) -> bool:
    """Whether the caller may remove the user, who is not the last owner."""
    return organizations.can_administer(ctx) and not organizations.is_last_owner(ctx.world, row)


@USER.field(
    'organizations(search: String @lifetime(since: "<=18.5"), soloOwned: Boolean @lifetime(since: "<=18.5"))'
    ": OrganizationConnection",
    since="16.6",
)
def organizations_of_user(
    ctx: ReadContext, user: User, search: str | None = None, solo_owned: bool | None = None
) -> Sequence[Organization] | None:
    """The organizations of the user, or those that nobody else owns; for the user and administrators."""
    if ctx.viewer is None or user.kind == "ghost" or not (ctx.admin or ctx.viewer.id == user.id):
        return None
    row = organizations.get_user(ctx.world, user)
    if solo_owned and not (row.is_owner and not organizations.list_other_owners(ctx.world, user)):
        return ()
    return list_organizations(ctx, search)


# The organization by itself


@QUERY.field("organization(id: OrganizationsOrganizationID!): Organization", since=_SINCE)
def get_organization(ctx: ReadContext, id: str) -> Organization:  # the argument's name on the wire
    """The organization with a global ID."""
    organization = organizations.get_organization(ctx.world)
    if parse_id(ctx, id, _KIND) != organization.id:
        raise ResourceNotAvailable(f"there is no organization {id}")
    return organization


@QUERY.field('organizations(search: String @lifetime(since: "<=18.5")): OrganizationConnection', since=_PROJECTS)
def list_organizations(ctx: ReadContext, search: str | None = None) -> Sequence[Organization]:
    """The organizations of the instance, which has one."""
    organization = organizations.get_organization(ctx.world)
    return () if search and not organizations.matches(organization, search) else (organization,)


def _require_administered(ctx: ReadContext, id_: int) -> None:
    if not organizations.can_administer(ctx) or id_ != organizations.get_organization(ctx.world).id:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} owns no organization {id_}")


@mutation(
    "organizationUpdate",
    input_fields='''
"""The global ID of the organization."""
id: OrganizationsOrganizationID!
"""The name."""
name: String
"""The path."""
path: String
"""The description."""
description: String
''',
    payload_fields='"""The organization."""\norganization: Organization',
    since=_UPDATE,
)
def update_organization(ctx: WriteContext, id: str, **changes: Unpack[OrganizationChanges]) -> Mapping[str, Any]:
    """Change the organization."""
    _require_administered(ctx, parse_id(ctx, id, _KIND))
    with collect_errors(organization=organizations.get_organization(ctx.world)):
        return {"organization": organizations.update(ctx, **changes)}


@mutation(
    "organizationUserUpdate",
    input_fields='''
"""The global ID of the user of the organization."""
id: OrganizationsOrganizationUserID!
"""The role."""
accessLevel: OrganizationUserAccessLevel!
''',
    payload_fields='"""The user of the organization."""\norganizationUser: OrganizationUser',
    since=_USER_UPDATE,
)
def update_user(ctx: WriteContext, id: str, access_level: Level) -> Mapping[str, Any]:
    """Make a user an owner of the organization, or an ordinary user."""
    user = ctx.world.users.get(parse_id(ctx, id, _USER_KIND))
    if user is None or not organizations.can_administer(ctx):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} changes no user {id} of an organization")
    with collect_errors(organization_user=organizations.get_user(ctx.world, user)):
        changed = organizations.set_owner(ctx, user, is_owner=access_level == Level.OWNER)
        return {"organization_user": changed}
