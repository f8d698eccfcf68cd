"""Namespaces and groups. Source: docs/platform/graphql.md, docs/platform/groups.md, docs/platform/namespaces.md."""

from collections.abc import Sequence

from fakeplat.domain.notes.markdown import render_html
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.graphql.lookups import namespace_at
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

_NAMED = {"name: String!": "Its name.", "path: String!": "The last part of its full path."}

NAMESPACE = Type("Namespace", "What projects belong to: a group, or a user's own.", gid="Namespace")
GROUP = Type("Group", "A group of projects and of groups.", gid="Group")
BOTH = (NAMESPACE, GROUP)

for _type in BOTH:
    _type.attributes(_NAMED)

GROUP.attributes(
    {
        "emailsDisabled: Boolean": "Whether its members get no mail.",
        "lfsEnabled: Boolean": "Whether large files may be stored.",
        "mentionsDisabled: Boolean": "Whether it cannot be mentioned.",
        "projectCreationLevel: String": "Who may create projects in it.",
        "requestAccessEnabled: Boolean": "Whether people may ask to become members.",
        "requireTwoFactorAuthentication: Boolean": "Whether its members need two factors to sign in.",
        "shareWithGroupLock: Boolean": "Whether its projects cannot be shared with other groups.",
        "subgroupCreationLevel: String": "Who may create groups in it.",
        "twoFactorGracePeriod: Int": "How many hours members have to set up the second factor.",
    }
)


@NAMESPACE.field("fullPath: ID!")
@GROUP.field("fullPath: ID!")
def full_path(ctx: ReadContext, namespace: Namespace) -> str:
    """The paths of all above it and its own."""
    return namespaces.full_path(ctx.world, namespace)


@NAMESPACE.field("fullName: String!")
@GROUP.field("fullName: String!")
def full_name(ctx: ReadContext, namespace: Namespace) -> str:
    """The names of all above it and its own."""
    return namespaces.full_name(ctx.world, namespace)


@NAMESPACE.field("description: String")
@GROUP.field("description: String")
def description(ctx: ReadContext, namespace: Namespace) -> str | None:
    """What it is for."""
    del ctx
    return namespace.description if isinstance(namespace, Group) else None


@NAMESPACE.field("descriptionHtml: String")
@GROUP.field("descriptionHtml: String")
def description_html(ctx: ReadContext, namespace: Namespace) -> str:
    """The description as HTML."""
    return render_html(description(ctx, namespace) or "")


@NAMESPACE.field("visibility: String")
@GROUP.field("visibility: String")
def visibility(ctx: ReadContext, namespace: Namespace) -> str | None:
    """Who sees it: private, internal or public."""
    del ctx
    return namespace.visibility if isinstance(namespace, Group) else None


@NAMESPACE.field("projects(includeSubgroups: Boolean = false, search: String): ProjectConnection!")
@GROUP.field("projects(includeSubgroups: Boolean = false, search: String): ProjectConnection!")
def projects(
    ctx: ReadContext, namespace: Namespace, include_subgroups: bool | None = False, search: str | None = None
) -> Sequence[Project]:
    """Its projects."""
    inner = namespaces.list_descendants(ctx.world, namespace) if include_subgroups else ()
    found = [one for place in (namespace, *inner) for one in ctx.world.projects.where("namespace", place.id)]
    wanted = (search or "").lower()
    named = [one for one in found if wanted in one.name.lower() or wanted in one.path.lower()]
    return sorted((one for one in named if can_see(ctx, one)), key=lambda one: -one.id)


@GROUP.field("webUrl: String!")
def web_url(ctx: ReadContext, group: Group) -> str:
    """The group's page."""
    return urls.namespace_url(ctx, group)


@GROUP.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, group: Group) -> str | None:
    """Where the group's picture is."""
    return urls.avatar_url(ctx, "group", group.id, group.avatar)


@GROUP.field("parent: Group")
def parent(ctx: ReadContext, group: Group) -> Group | None:
    """The group above it."""
    found = ctx.world.namespaces.get(group.parent_id) if group.parent_id is not None else None
    return found if isinstance(found, Group) and can_see(ctx, found) else None


@QUERY.field("group(fullPath: ID!): Group", one=True)
def group(ctx: ReadContext, full_path: str) -> Group | None:
    """The group at a full path."""
    found = namespace_at(ctx, full_path)
    return found if isinstance(found, Group) and can_see(ctx, found) else None


@QUERY.field("namespace(fullPath: ID!): Namespace")
def namespace(ctx: ReadContext, full_path: str) -> Namespace | None:
    """The namespace at a full path, for its members."""
    found = namespace_at(ctx, full_path)
    return found if found is not None and can(ctx, Ability.READ_NAMESPACE, found) else None
