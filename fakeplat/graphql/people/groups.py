"""Namespaces and groups. Source: docs/platform/graphql.md, docs/platform/groups.md, docs/platform/namespaces.md."""

from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.graphql.lookups import find_namespace, find_visible_project
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import PROJECTS_ARE_NAMESPACES, PUBLIC_GROUPS_ARE_NAMESPACES
from fakeplat.policy.context import ReadContext

_NAME_FIELDS = {"name: String!": "The name.", "path: String!": "The last segment of the full path."}


def _namespace_kind(record: Namespace | Project) -> str:
    return "Namespaces::ProjectNamespace" if isinstance(record, Project) else "Namespace"


NAMESPACE = Type(
    "Namespace", "The namespace of projects: a group or a user.", gid=_namespace_kind, connection_since="<=15.8"
)
GROUP = Type(
    "Group",
    "A group of projects and subgroups.",
    gid="Group",
    implements=("GroupInterface",),
    has_count=True,
    count_since="<=18.5",
    connection_since="<=14.3",
)
BOTH = (NAMESPACE, GROUP)

for _type in BOTH:
    _type.attributes(_NAME_FIELDS)

GROUP.attributes(
    {
        "emailsDisabled: Boolean": "Whether e-mail notifications are disabled.",
        "lfsEnabled: Boolean": "Whether Git LFS is enabled.",
        "mentionsDisabled: Boolean": "Whether mentions of the group are disabled.",
        "projectCreationLevel: String": "The role required to create projects.",
        "requestAccessEnabled: Boolean": "Whether users can request membership.",
        "requireTwoFactorAuthentication: Boolean": "Whether members must use two-factor authentication.",
        "shareWithGroupLock: Boolean": "Whether sharing of projects with other groups is locked.",
        "subgroupCreationLevel: String": "The role required to create subgroups.",
        "twoFactorGracePeriod: Int": "Hours that members have to set up two-factor authentication.",
    }
)


@NAMESPACE.field("fullPath: ID!")
@GROUP.field("fullPath: ID!")
def full_path(ctx: ReadContext, namespace: Namespace | Project) -> str:
    """The full path, with the paths of all ancestors."""
    if isinstance(namespace, Project):
        return namespaces.project_path(ctx.world, namespace)
    return namespaces.full_path(ctx.world, namespace)


@NAMESPACE.field("fullName: String!")
@GROUP.field("fullName: String!")
def full_name(ctx: ReadContext, namespace: Namespace | Project) -> str:
    """The full name, with the names of all ancestors."""
    if isinstance(namespace, Project):
        return f"{namespaces.full_name(ctx.world, ctx.world.namespaces[namespace.namespace_id])} / {namespace.name}"
    return namespaces.full_name(ctx.world, namespace)


@NAMESPACE.field("description: String")
@GROUP.field("description: String")
def description(_ctx: ReadContext, namespace: Namespace | Project) -> str | None:
    """The description."""
    return namespace.description if isinstance(namespace, Group | Project) else None


@NAMESPACE.field("descriptionHtml: String")
@GROUP.field("descriptionHtml: String")
def description_html(ctx: ReadContext, namespace: Namespace | Project) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, description(ctx, namespace))


@NAMESPACE.field("visibility: String")
@GROUP.field("visibility: String")
def visibility(_ctx: ReadContext, namespace: Namespace | Project) -> str | None:
    """The visibility: private, internal or public."""
    return namespace.visibility if isinstance(namespace, Group | Project) else None


@NAMESPACE.field("lfsEnabled: Boolean")
def lfs_enabled(_ctx: ReadContext, namespace: Namespace | Project) -> bool:
    """Whether Git LFS is enabled."""
    return namespace.lfs_enabled if isinstance(namespace, Group | Project) else True


@NAMESPACE.field("requestAccessEnabled: Boolean")
def request_access_enabled(_ctx: ReadContext, namespace: Namespace | Project) -> bool:
    """Whether users can request membership."""
    return namespace.request_access_enabled if isinstance(namespace, Group | Project) else True


@GROUP.field("webUrl: String!")
def web_url(ctx: ReadContext, group: Group) -> str:
    """The URL of the group."""
    return urls.namespace_url(ctx, group)


GROUP.attributes(
    {"createdAt: Time": "Timestamp of creation.", "updatedAt: Time": "Timestamp of the last update."}, since="<=18.5"
)


@GROUP.field("webPath: String!", since="<=18.5")
def web_path(ctx: ReadContext, group: Group) -> str:
    """The path of the group's page."""
    return web_url(ctx, group).removeprefix(ctx.origin)


@GROUP.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, group: Group) -> str | None:
    """The URL of the avatar."""
    return urls.avatar_url(ctx, "group", group.id, group.avatar)


@GROUP.field("parent: Group")
def parent(ctx: ReadContext, group: Group) -> Group | None:
    """The parent group."""
    namespace = ctx.world.namespaces.get(group.parent_id) if group.parent_id is not None else None
    return namespace if isinstance(namespace, Group) and can_see(ctx, namespace) else None


@QUERY.field("group(fullPath: ID!): Group", single=True)
def group(ctx: ReadContext, full_path: str) -> Group | None:
    """The group at a full path."""
    namespace = find_namespace(ctx, full_path)
    return namespace if isinstance(namespace, Group) and can_see(ctx, namespace) else None


@QUERY.field("namespace(fullPath: ID!): Namespace")
def namespace(ctx: ReadContext, full_path: str) -> Namespace | Project | None:
    """The namespace at a full path, later also a project; a group or user only for members."""
    record = find_namespace(ctx, full_path)
    if record is None and ctx.profile.has(PROJECTS_ARE_NAMESPACES):
        return find_visible_project(ctx, full_path)
    return record if record is not None and can_read_namespace(ctx, record) else None


def can_read_namespace(ctx: ReadContext, namespace: Namespace) -> bool:
    """Return whether the caller can read a namespace: as a member; in later releases, a group also if it is visible."""
    if isinstance(namespace, Group) and ctx.profile.has(PUBLIC_GROUPS_ARE_NAMESPACES):
        return can_see(ctx, namespace)
    return can(ctx, Ability.READ_NAMESPACE, namespace)
