"""What applications need to know to use OpenID Connect. Source: docs/platform/oauth.md. See OpenID Discovery 1.0."""

from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.oauth import authorizations, id_tokens, scopes, user_info
from fakeplat.policy.behaviours import (
    DEVICES_ASK_FOR_TOKENS,
    DISCOVERY_TELLS_OF_PKCE,
    OPENID_TELLS_MORE,
    OPENID_TELLS_PREFERRED_USERNAME,
    OPENID_TELLS_ROLES_IN_GROUPS,
)
from fakeplat.policy.context import ReadContext

area: Final = Area("OpenID Connect", login=Login.NEVER, prefix="", credentials="own")
_ISSUER: Final = "http://openid.net/specs/connect/1.0/issuer"
_CLAIMS: Final = "iss sub aud exp iat sub_legacy name nickname".split()
_FURTHER_CLAIMS: Final = "email email_verified website profile picture groups".split()
_CLAIMS_OF_JOBS: Final = "project_path ci_config_ref_uri ref_path sha environment jti".split()


@area.operation("GET", ".well-known/openid-configuration")
@area.operation(
    "GET",
    ".well-known/oauth-authorization-server",
    name="get_oauth_authorization_server",
    since=DISCOVERY_TELLS_OF_PKCE.since,
)
def get_openid_configuration(ctx: ReadContext) -> dict[str, Any]:
    """Get the addresses and abilities of the instance as a provider of OpenID Connect and of OAuth."""
    base = f"{ctx.origin}/oauth"
    response_types = authorizations.list_response_types(ctx)
    tells_of_pkce = ctx.profile.has(DISCOVERY_TELLS_OF_PKCE)
    return {
        "issuer": ctx.origin,
        "authorization_endpoint": f"{base}/authorize",
        "token_endpoint": f"{base}/token",
        "revocation_endpoint": f"{base}/revoke",
        "introspection_endpoint": f"{base}/introspect",
        "userinfo_endpoint": f"{base}/userinfo",
        "jwks_uri": f"{base}/discovery/keys",
        "scopes_supported": scopes.list_supported(ctx.profile),
        "response_types_supported": list(response_types),
        "response_modes_supported": ["query", "fragment", *(["form_post"] if tells_of_pkce else [])],
        "grant_types_supported": _list_grant_types(ctx, response_types),
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [id_tokens.ALGORITHM],
        "claim_types_supported": ["normal"],
        "claims_supported": _list_claims(ctx),
        **({"code_challenge_methods_supported": ["plain", "S256"]} if tells_of_pkce else {}),
    }


def _list_grant_types(ctx: ReadContext, response_types: tuple[str, ...]) -> list[str]:
    implicit = ["implicit"] if "token" in response_types else []
    # The name under which the platform configures the grant, not the one that devices send.
    devices = ["device_code"] if ctx.profile.has(DEVICES_ASK_FOR_TOKENS) else []
    return ["authorization_code", "password", "client_credentials", *implicit, *devices, "refresh_token"]


def _list_claims(ctx: ReadContext) -> list[str]:
    return [
        *_CLAIMS,
        *(["preferred_username"] if ctx.profile.has(OPENID_TELLS_PREFERRED_USERNAME) else []),
        *(["given_name", "family_name"] if ctx.profile.has(OPENID_TELLS_MORE) else []),
        *_FURTHER_CLAIMS,
        *(
            ["groups_direct", *user_info.CLAIMS_OF_ROLES.values()]
            if ctx.profile.has(OPENID_TELLS_ROLES_IN_GROUPS)
            else []
        ),
        *(_CLAIMS_OF_JOBS if ctx.profile.has(OPENID_TELLS_MORE) else []),
    ]


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
