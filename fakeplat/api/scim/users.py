"""Users of a group for its identity provider. Source: docs/platform/scim.md."""

from hmac import compare_digest
from typing import Annotated, Any, Final

from fakeplat.core.operations.errors import NotFound, Unauthorized
from fakeplat.core.operations.operation import SCIM_PREFIX, Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import parse_body, parse_query
from fakeplat.core.params.params import Named, Params
from fakeplat.domain.people import namespaces
from fakeplat.domain.scim import attributes, filters, provisioning, saml_providers
from fakeplat.domain.scim.scim_errors import ScimNotFound
from fakeplat.entities.scim import serialize_page, serialize_user
from fakeplat.model.people import Group, Identity, SamlProvider
from fakeplat.policy.behaviours import SCIM_OPERATIONS_IN_ANY_CASE
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_bearer
from fakeplat.policy.features import has_feature

area: Final = Area(
    "SCIM",
    login=Login.NEVER,
    prefix=SCIM_PREFIX,
    located_first=True,
    credentials="own",
    content_type="application/scim+json",
)
TIER: Final = "premium"
"""The releases in which names of operations may have any case."""


def _locate_group(ctx: ReadContext, group_path: str) -> Group:
    """Return a group with single sign-on, if the caller has its token; the platform's order of checks."""
    if not ctx.instance.hosted:
        raise NotFound(reason="only the hosted offering has single sign-on for groups; instance.hosted is off")
    group = namespaces.find_group(ctx.world, group_path)
    if group is None:
        raise ScimNotFound(f"Group {group_path} not found")
    if not has_feature(ctx.world, TIER, group):
        raise NotFound(reason=f"SCIM requires the tier {TIER}; the root namespace has a lower plan")
    provider = saml_providers.find_by_group(ctx.world, group)
    if provider is None:
        detail = f"Group {group_path} does not have SAML SSO configured"
        raise ScimNotFound(detail, reason="the group has no key scim in the scenario")
    _authenticate(ctx, provider)
    return group


def _authenticate(ctx: ReadContext, provider: SamlProvider) -> None:
    token = read_sent_token(ctx)
    if not token or not compare_digest(token.encode(), provider.scim_token.encode()):
        raise Unauthorized(reason="the token is not that of the group's SCIM endpoint")


def read_sent_token(ctx: ReadContext) -> str | None:
    """Return the token of a request: a parameter, or that of the header."""
    if ctx.request is None:
        return None
    sent = parse_query(ctx.request.query).get("access_token")
    return sent if isinstance(sent, str) else parse_bearer(ctx.request.headers.get("authorization"))


SCIM_GROUP: Final = NO_SCOPE / Segment("groups/:group_path", locate=_locate_group)


def _provider_of(ctx: ReadContext, group: Group) -> SamlProvider:
    provider = saml_providers.find_by_group(ctx.world, group)
    if provider is None:
        raise ScimNotFound(f"Group {group.path} does not have SAML SSO configured")
    return provider


def _get_identity(ctx: ReadContext, group: Group, id_: str) -> Identity:
    identity = saml_providers.find_identity(ctx.world, _provider_of(ctx, group), id_)
    if identity is None:
        raise ScimNotFound(f"Resource {id_} not found")
    return identity


def read_sent_document(ctx: ReadContext) -> dict[str, Any]:
    """Return all parameters, in the order in which texts of errors name them."""
    request = ctx.request
    if request is None:
        return {}
    body = parse_body(request.headers.get("content-type", ""), request.body)
    return {**parse_query(request.query), **body}


def _read_document(ctx: ReadContext, group: Group) -> dict[str, Any]:
    return {**read_sent_document(ctx), "group": namespaces.full_path(ctx.world, group)}


class ListScimUsers(Params):
    """A filter and a page, as texts: what is no number stands for the default."""

    filter: str | None = None
    start_index: Annotated[str | None, Named("startIndex")] = None
    count: str | None = None


@area.operation("GET", "Users", scope=SCIM_GROUP, params=ListScimUsers, tier=TIER, refusals=(401, 404, 412))
def list_scim_users(ctx: ReadContext, group: Group, p: ListScimUsers) -> dict[str, Any]:
    """List the users of a group that its identity provider manages."""
    rows = filters.find_identities(ctx.world, _provider_of(ctx, group), p.filter or "")
    return serialize_page(ctx, filters.paginate(rows, p.start_index or "", p.count or ""))


@area.operation("GET", "Users/:id", scope=SCIM_GROUP, tier=TIER, refusals=(401, 404))
def get_scim_user(ctx: ReadContext, group: Group, id: str) -> dict[str, Any]:
    """Get a user of a group."""
    return serialize_user(ctx, _get_identity(ctx, group, id))


@area.operation("POST", "Users", scope=SCIM_GROUP, tier=TIER, refusals=(401, 404, 409, 412))
def create_scim_user(ctx: WriteContext, group: Group) -> dict[str, Any]:
    """Create a user, or link an existing one; either becomes a member of the group."""
    identity = provisioning.provision(ctx, _provider_of(ctx, group), _read_document(ctx, group))
    return serialize_user(ctx, identity)


@area.operation("PATCH", "Users/:id", scope=SCIM_GROUP, status=204, tier=TIER, refusals=(401, 404, 409, 412))
def update_scim_user(ctx: WriteContext, group: Group, id: str) -> None:
    """Update a user by operations, or remove the user from the group (active false)."""
    identity, document = _get_identity(ctx, group, id), _read_document(ctx, group)
    changes = attributes.read_changes(document.get("Operations"), any_case=ctx.profile.has(SCIM_OPERATIONS_IN_ANY_CASE))
    provisioning.change(ctx, identity, changes, {**document, "id": id})


@area.operation("PUT", "Users/:id", scope=SCIM_GROUP, tier=TIER, since="<=18.9", refusals=(401, 404, 409, 412))
def replace_scim_user(ctx: WriteContext, group: Group, id: str) -> dict[str, Any]:
    """Replace the attributes of a user."""
    identity = _get_identity(ctx, group, id)
    return serialize_user(ctx, provisioning.replace(ctx, identity, _read_document(ctx, group)))


@area.operation("DELETE", "Users/:id", scope=SCIM_GROUP, tier=TIER, refusals=(401, 404, 412))
def delete_scim_user(ctx: WriteContext, group: Group, id: str) -> None:
    """Delete the identity of a user, and remove the user from the group."""
    provisioning.deprovision(ctx, _get_identity(ctx, group, id))
