"""Applications that register themselves, as clients of the Model Context Protocol do. See RFC 7591, RFC 9728.

Source: docs/platform/oauth.md.
"""

from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord, Refusal
from fakeplat.core.operations.http_messages import JSON, RawBody, dump_json
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import DYNAMIC_REGISTRATION
from fakeplat.domain.oauth import applications
from fakeplat.domain.oauth.access_tokens import seconds
from fakeplat.domain.oauth.scopes import MCP
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("OAuth", login=Login.NEVER, prefix="", credentials="own")
_SINCE: Final = "18.3"
_LONGEST_NAME: Final = 199
_NAME_PREFIX: Final = "[Unverified Dynamic Application] "
_A_DAY: Final = (("Cache-Control", "max-age=86400, public, must-revalidate, no-transform"),)


class InvalidMetadata(Refusal):
    """400: what an application tells of itself is not valid."""

    status = 400

    def __init__(self, text: str) -> None:
        super().__init__({"error": "invalid_client_metadata", "error_description": text}, reason=text)


class RegisterApplication(Params):
    """What an application tells of itself; whatever scopes it asks for, it gets its own."""

    client_name: str | None = None
    redirect_uris: CommaList[str] | None = None


@area.operation("POST", "oauth/register", params=RegisterApplication, status=201, refusals=(400, 404), since=_SINCE)
def register_oauth_application(ctx: WriteContext, p: RegisterApplication) -> dict[str, Any]:
    """Register an application without a secret, which has to use PKCE."""
    features.check_enabled(ctx.world, DYNAMIC_REGISTRATION)
    name = p.client_name or ""
    # The platform says the same about a name that is missing.
    if not name.strip() or len(name) > _LONGEST_NAME:
        raise InvalidMetadata("client_name is too long")
    try:
        application = applications.create(
            ctx,
            name=f"{_NAME_PREFIX}{name}",
            redirect_uri="\n".join(p.redirect_uris or ()),
            scopes=(MCP,),
            confidential=False,
            dynamic=True,
        )
    except InvalidRecord as invalid:
        raise InvalidMetadata(", ".join(invalid.full_messages())) from None
    return {
        "client_id": application.uid,
        "client_id_issued_at": seconds(application.created_at),
        "redirect_uris": application.redirect_uri.split("\n"),
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code"],
        "require_pkce": True,
        "client_name": application.name,
        "scope": MCP,
        "dynamic": True,
    }


@area.operation("GET", ".well-known/oauth-protected-resource", since=_SINCE)
def get_oauth_protected_resource(ctx: ReadContext) -> RawBody:
    """Get who issues tokens for the endpoints of the Model Context Protocol."""
    return _build_metadata(ctx, "mcp", "mcp_server")


@area.operation("GET", ".well-known/oauth-protected-resource/api/v4/mcp", since="<=19.3")
def get_mcp_protected_resource(ctx: ReadContext) -> RawBody:
    """Get who issues tokens for the server of the Model Context Protocol, which refers to it."""
    return _build_metadata(ctx, "mcp")


def _build_metadata(ctx: ReadContext, *names: str) -> RawBody:
    resources = [f"{ctx.origin}/api/v4/{name}" for name in names]
    content = dump_json({"resource": resources, "authorization_servers": [ctx.origin]})
    return RawBody(content, f"{JSON}; charset=utf-8", _A_DAY)
