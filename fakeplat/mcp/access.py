"""Who may use the server: the tokens, and the settings that switch it on. Source: docs/platform/mcp.md ('Access')."""

from typing import Final
from urllib.parse import parse_qsl

from fakeplat.core.operations.errors import Forbidden, NotFound, Unauthorized
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import MCP_SERVER
from fakeplat.domain.oauth.scopes import MCP
from fakeplat.model.people import GRANULAR, Token
from fakeplat.model.world import World
from fakeplat.pipeline.granular_tokens import authorize_operation
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.policy.behaviours import (
    MCP_CHALLENGES,
    MCP_HAS_A_SETTING,
    MCP_IS_A_BETA_FEATURE,
    MCP_IS_A_PAID_FEATURE,
    MCP_NEEDS_ITS_SCOPE,
    MCP_TOKENS_HAVE_OTHER_SCOPES,
)
from fakeplat.policy.credentials import CredentialRules
from fakeplat.policy.granular_scopes import is_granular

_GET: Final = CredentialRules(reads=True, scopes=(MCP,))
_POST: Final = CredentialRules(reads=False, write_scopes=(MCP,))


def authorize(exchange: RequestHandler) -> None:
    """Identify the caller: 401 without one, 404 if the server is off for them, 403 for a token of other scopes."""
    query: dict[str, object] = dict(parse_qsl(exchange.request.query, keep_blank_values=True))
    exchange.identify(query, _GET if exchange.request.method in ("GET", "HEAD") else _POST)
    if exchange.caller.user is None:
        raise build_unauthorized(exchange, "the server asks for a login; the request has no token")
    world, token = exchange.world, exchange.caller.token
    if token is not None and is_granular(token) and exchange.operation is not None:
        authorize_operation(exchange.read_context(world), token, exchange.operation, exchange.params)
    features.check_enabled(world, MCP_SERVER, exchange.caller.user)
    _check_settings(world)
    _check_scopes(world, token)


def build_unauthorized(exchange: RequestHandler, reason: str) -> Unauthorized:
    """Return the refusal of a request without a token; later releases tell where to get one."""
    refusal = Unauthorized(reason=reason)
    if exchange.world.profile.has(MCP_CHALLENGES):
        origin, path = exchange.request.origin, exchange.request.path
        url = f"{origin}/.well-known/oauth-protected-resource{path}"
        realm = exchange.world.instance.product_name
        refusal.headers = (("WWW-Authenticate", f'Bearer realm="{realm}", resource_metadata="{url}"'),)
    return refusal


def _check_settings(world: World) -> None:
    profile, settings = world.profile, world.settings
    if profile.has(MCP_IS_A_PAID_FEATURE) and not world.instance.has("premium"):
        raise NotFound(reason=f"the MCP server requires the tier premium; instance.tier is {world.instance.tier}")
    wanted = {
        "instance_level_ai_beta_features_enabled": MCP_IS_A_BETA_FEATURE,
        "duo_features_enabled": MCP_IS_A_PAID_FEATURE,
        "mcp_server_enabled": MCP_HAS_A_SETTING,
    }
    for name, lifetime in wanted.items():
        if profile.has(lifetime) and not getattr(settings, name):
            raise NotFound(reason=f"the MCP server is off: the setting {name} is false")


def _check_scopes(world: World, token: Token | None) -> None:
    if not world.profile.has(MCP_NEEDS_ITS_SCOPE):
        return
    scopes = token.scopes if token is not None else ()
    if world.profile.has(MCP_TOKENS_HAVE_OTHER_SCOPES):
        is_sufficient = MCP in scopes or GRANULAR in scopes
    else:
        is_sufficient = tuple(scopes) == (MCP,)
    if not is_sufficient:
        raise Forbidden(reason=f"the MCP server asks for a token with the scope {MCP}; it has {' '.join(scopes)}")
