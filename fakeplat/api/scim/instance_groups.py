"""Groups of an instance for its identity provider. Source: docs/platform/scim.md ('Groups of the instance')."""

from typing import Annotated, Any, Final, Literal

from fakeplat.api.scim.instance_users import SINCE, authenticate
from fakeplat.api.scim.users import TIER, area
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.coercion import Refused
from fakeplat.core.params.params import Named, Params
from fakeplat.core.params.types import As, ParamType
from fakeplat.domain.scim import filters, group_memberships
from fakeplat.entities.scim import serialize_group, serialize_groups
from fakeplat.model.people import SamlGroupLink
from fakeplat.policy.context import ReadContext, WriteContext


def _locate(ctx: ReadContext, id_: str) -> SamlGroupLink:
    """Return the first link that leads to a group."""
    authenticate(ctx)
    return group_memberships.get_links(ctx.world, id_)[0]


_PATH: Final = "application/Groups"
_ONE: Final = NO_SCOPE / Segment(f"{_PATH}/:id", locate=_locate)


class ListScimGroups(Params):
    """A filter, a page, and the attributes to leave out."""

    filter: str | None = None
    start_index: Annotated[int | None, Named("startIndex")] = None
    count: int | None = None
    excluded_attributes: Annotated[str | None, Named("excludedAttributes")] = None


class CreateScimGroup(Params):
    """The name of the SAML group, and the id that it gets."""

    display_name: Annotated[str, Named("displayName")]
    external_id: Annotated[str | None, Named("externalId")] = None


def _read_operation(value: object) -> str:
    name = str(value).lower()
    if name not in ("add", "remove"):
        raise Refused.with_text("does not have a valid value")
    return name


class ScimGroupOperation(Params):
    """A change of a group. Changes of other attributes than the members have no effect."""

    op: Annotated[Literal["add", "remove"], As(ParamType(_read_operation, {"enum": ["add", "remove"]}))]
    path: str | None = None
    value: Any = None


class UpdateScimGroup(Params):
    """Operations on a group."""

    schemas: list[Any]
    operations: Annotated[list[ScimGroupOperation], Named("Operations")]


class ReplaceScimGroup(Params):
    """The members of a group; its name is ignored."""

    schemas: list[Any]
    display_name: Annotated[str, Named("displayName")]
    members: list[Any] | None = None


@area.operation(
    "GET",
    _PATH,
    name="list_scim_v4_application_groups",
    params=ListScimGroups,
    tier=TIER,
    since=SINCE,
    refusals=(400, 401, 404, 412),
)
def list_instance_groups(ctx: ReadContext, p: ListScimGroups) -> dict[str, Any]:
    """List the groups that the identity provider of the instance manages."""
    authenticate(ctx)
    rows = group_memberships.list_links(ctx.world, p.filter or "")
    excluded = {name.strip() for name in (p.excluded_attributes or "").split(",")}
    page = filters.paginate(rows, str(p.start_index or ""), str(p.count or ""))
    return serialize_groups(ctx, page, with_members="members" not in excluded)


@area.operation(
    "GET", "", scope=_ONE, name="get_scim_v4_application_group", tier=TIER, since=SINCE, refusals=(401, 404)
)
def get_instance_group(ctx: ReadContext, link: SamlGroupLink) -> dict[str, Any]:
    """Get a group that the identity provider of the instance manages."""
    return serialize_group(ctx, link)


@area.operation(
    "POST",
    _PATH,
    name="create_scim_v4_application_group",
    params=CreateScimGroup,
    tier=TIER,
    since=SINCE,
    refusals=(400, 401, 404, 412),
)
def create_instance_group(ctx: WriteContext, p: CreateScimGroup) -> dict[str, Any]:
    """Set the id of a SAML group at the identity provider of the instance."""
    authenticate(ctx)
    return serialize_group(ctx, group_memberships.assign(ctx, p.display_name, p.external_id))


@area.operation(
    "PATCH",
    "",
    scope=_ONE,
    name="update_scim_v4_application_group",
    params=UpdateScimGroup,
    status=204,
    tier=TIER,
    since=SINCE,
    refusals=(400, 401, 404),
)
def update_instance_group(ctx: WriteContext, link: SamlGroupLink, p: UpdateScimGroup) -> None:
    """Add members to a group, or remove them."""
    for operation in p.operations:
        if (operation.path or "").lower() == "members":
            change = group_memberships.add if operation.op == "add" else group_memberships.remove
            change(ctx, str(link.scim_group_uid), group_memberships.find_users(ctx.world, operation.value))


@area.operation(
    "PUT",
    "",
    scope=_ONE,
    name="update_scim_v4_application_group_by_id",
    params=ReplaceScimGroup,
    tier=TIER,
    since=SINCE,
    refusals=(400, 401, 404),
)
def replace_instance_group(ctx: WriteContext, link: SamlGroupLink, p: ReplaceScimGroup) -> dict[str, Any]:
    """Replace the members of a group."""
    users = group_memberships.find_users(ctx.world, p.members)
    group_memberships.replace(ctx, str(link.scim_group_uid), users)
    return serialize_group(ctx, link, with_members=False)


@area.operation(
    "DELETE", "", scope=_ONE, name="delete_scim_v4_application_group", tier=TIER, since=SINCE, refusals=(401, 404)
)
def delete_instance_group(ctx: WriteContext, link: SamlGroupLink) -> None:
    """Remove the id of a SAML group."""
    group_memberships.detach(ctx, str(link.scim_group_uid))
