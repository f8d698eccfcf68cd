"""Users of an instance for its identity provider. Source: docs/platform/scim.md ('Instance')."""

from hmac import compare_digest
from typing import Any, Final

from fakeplat.api.scim.users import TIER, ListScimUsers, area, read_sent_document, read_sent_token
from fakeplat.core.operations.errors import NotFound, Unauthorized
from fakeplat.domain.scim import attributes, filters, instance_provisioning
from fakeplat.domain.scim.scim_errors import ScimNotFound
from fakeplat.entities.scim import serialize_page, serialize_user
from fakeplat.model.people import Identity
from fakeplat.policy.behaviours import SCIM_OPERATIONS_IN_ANY_CASE
from fakeplat.policy.context import ReadContext, WriteContext

SINCE: Final = "<=18.9"
PATH: Final = "application/Users"
ONE: Final = f"{PATH}/:id"


def authenticate(ctx: ReadContext) -> None:
    """Refuse with 404 on the hosted offering, and with 401 whoever lacks the token of the instance."""
    if ctx.instance.hosted:
        raise NotFound(reason="on the hosted offering, groups have identity providers; instance.hosted is on")
    expected, token = ctx.instance.scim_token, read_sent_token(ctx)
    if not expected or not token or not compare_digest(token.encode(), expected.encode()):
        raise Unauthorized(reason="the token is not instance.scim_token")


def _get_identity(ctx: ReadContext, id_: str) -> Identity:
    authenticate(ctx)
    identity = instance_provisioning.find_identity(ctx.world, id_)
    if identity is None:
        raise ScimNotFound(f"Resource {id_} not found")
    return identity


@area.operation(
    "GET",
    PATH,
    name="list_scim_v4_application_users",
    params=ListScimUsers,
    tier=TIER,
    since=SINCE,
    refusals=(401, 404, 412),
)
def list_instance_users(ctx: ReadContext, p: ListScimUsers) -> dict[str, Any]:
    """List the users of the instance that its identity provider manages."""
    authenticate(ctx)
    rows = filters.select(ctx.world, instance_provisioning.list_identities(ctx.world), p.filter or "")
    return serialize_page(ctx, filters.paginate(rows, p.start_index or "", p.count or ""))


@area.operation("GET", ONE, name="get_scim_v4_application_user", tier=TIER, since=SINCE, refusals=(401, 404))
def get_instance_user(ctx: ReadContext, id: str) -> dict[str, Any]:
    """Get a user of the instance."""
    return serialize_user(ctx, _get_identity(ctx, id))


@area.operation(
    "POST", PATH, name="create_scim_v4_application_user", tier=TIER, since=SINCE, refusals=(401, 404, 409, 412)
)
def create_instance_user(ctx: WriteContext) -> dict[str, Any]:
    """Create a user of the instance, or link an existing one."""
    authenticate(ctx)
    return serialize_user(ctx, instance_provisioning.provision(ctx, read_sent_document(ctx)))


@area.operation(
    "PATCH",
    ONE,
    name="update_scim_v4_application_user",
    status=204,
    tier=TIER,
    since=SINCE,
    refusals=(401, 404, 412),
)
def update_instance_user(ctx: WriteContext, id: str) -> None:
    """Update the id of a user, block the user (active false), or unblock the user."""
    identity, document = _get_identity(ctx, id), read_sent_document(ctx)
    changes = attributes.read_changes(document.get("Operations"), any_case=ctx.profile.has(SCIM_OPERATIONS_IN_ANY_CASE))
    instance_provisioning.change(ctx, identity, changes, {**document, "id": id})


@area.operation("DELETE", ONE, name="delete_scim_v4_application_user", tier=TIER, since=SINCE, refusals=(401, 404))
def delete_instance_user(ctx: WriteContext, id: str) -> None:
    """Block a user of the instance."""
    instance_provisioning.deprovision(ctx, _get_identity(ctx, id))
