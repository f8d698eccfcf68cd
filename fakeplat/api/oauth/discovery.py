"""What applications need to know to use OpenID Connect. Source: docs/platform/oauth.md. See OpenID Discovery 1.0."""

from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.oauth import authorizations, id_tokens, scopes
from fakeplat.policy.context import ReadContext

area: Final = Area("OpenID Connect", login=Login.NEVER, prefix="", credentials="own")
_ISSUER: Final = "http://openid.net/specs/connect/1.0/issuer"
_CLAIMS: Final = (
    "iss sub aud exp iat sub_legacy name nickname email email_verified website profile picture groups".split()
)


@area.operation("GET", ".well-known/openid-configuration")
def get_openid_configuration(ctx: ReadContext) -> dict[str, Any]:
    """Get the addresses and abilities of the instance as a provider of OpenID Connect."""
    base = f"{ctx.origin}/oauth"
    response_types = authorizations.list_response_types(ctx)
    return {
        "issuer": ctx.origin,
        "authorization_endpoint": f"{base}/authorize",
        "token_endpoint": f"{base}/token",
        "revocation_endpoint": f"{base}/revoke",
        "introspection_endpoint": f"{base}/introspect",
        "userinfo_endpoint": f"{base}/userinfo",
        "jwks_uri": f"{base}/discovery/keys",
        "scopes_supported": list(scopes.SUPPORTED),
        "response_types_supported": list(response_types),
        "response_modes_supported": ["query", "fragment"],
        "grant_types_supported": _list_grant_types(response_types),
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [id_tokens.ALGORITHM],
        "claim_types_supported": ["normal"],
        "claims_supported": _CLAIMS,
    }


def _list_grant_types(response_types: tuple[str, ...]) -> list[str]:
    implicit = ["implicit"] if "token" in response_types else []
    return ["authorization_code", "password", "client_credentials", *implicit, "refresh_token"]


@area.operation("GET", "oauth/discovery/keys")
def list_openid_keys(ctx: ReadContext) -> dict[str, Any]:
    """List the public keys that verify ID tokens."""
    return {"keys": [id_tokens.describe_key(ctx.world)]}


class WebFinger(Params):
    """An address, such as ``acct:ada@example.test``."""

    resource: str


@area.operation("GET", ".well-known/webfinger", params=WebFinger)
def get_openid_issuer(ctx: ReadContext, p: WebFinger) -> dict[str, Any]:
    """Get the provider of OpenID Connect for an address: the instance, whatever the address."""
    return {"subject": p.resource, "links": [{"rel": _ISSUER, "href": f"{ctx.origin}/"}]}
