"""Tokens for OAuth applications: issuing, revocation and information.

Source: docs/platform/oauth.md. See RFC 6749, RFC 7009, RFC 7662.
"""

from typing import Annotated, Any, Final

import orjson

from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.oauth import access_tokens, applications, id_tokens, token_requests
from fakeplat.domain.oauth.oauth_errors import (
    JSON_TYPE,
    NO_STORE,
    NOT_AUTHORIZED,
    ForeignToken,
    InvalidClient,
    OAuthError,
    PollRefused,
    UnusableToken,
)
from fakeplat.domain.oauth.token_requests import TokenRequest
from fakeplat.domain.people import tokens
from fakeplat.model.oauth import OAuthApplication
from fakeplat.model.people import Token
from fakeplat.policy.behaviours import DEVICES_ASK_FOR_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_basic, parse_bearer

area: Final = Area("OAuth tokens", login=Login.NEVER, prefix="", credentials="own")


class ClientParams(Params):
    """The id and the secret of an application that does not send them in a header (HTTP Basic)."""

    client_id: str | None = None
    client_secret: str | None = None


def _authorization(ctx: ReadContext) -> str | None:
    return ctx.request.headers.get("authorization") if ctx.request else None


def _credentials(ctx: ReadContext, p: ClientParams) -> tuple[str, str] | None:
    basic = parse_basic(_authorization(ctx))
    if basic is not None and basic[0]:
        return basic
    return (p.client_id, p.client_secret or "") if p.client_id else None


def find_client(ctx: ReadContext, p: ClientParams) -> OAuthApplication | None:
    """Return the application that sends a request, None if its credentials are missing or wrong."""
    credentials = _credentials(ctx, p)
    return applications.find_by_credentials(ctx.world, *credentials) if credentials else None


class CreateToken(ClientParams):
    """The grant, and what belongs to it."""

    grant_type: str | None = None
    code: str | None = None
    redirect_uri: str | None = None
    code_verifier: str | None = None
    username: str | None = None
    password: str | None = None
    refresh_token: str | None = None
    scope: str | None = None
    device_code: Annotated[str | None, DEVICES_ASK_FOR_TOKENS] = None


@area.operation("POST", "oauth/token", params=CreateToken, status=200, refusals=(400, 401))
def create_oauth_token(ctx: WriteContext, p: CreateToken) -> RawBody:
    """Create an access token for a code, a device, a password, an application or a refresh token."""
    sent = {name: value or "" for name, value in p.given().items() if name not in ("client_id", "client_secret")}
    try:
        token = token_requests.grant_token(ctx, TokenRequest(_credentials(ctx, p), **sent))
    except PollRefused as refused:
        return refused.as_result()
    grant = ctx.world.authorization_grants.find("code", p.code) if p.code else None
    id_token = id_tokens.create_id_token(ctx, token, grant.nonce if grant else None)
    fields = access_tokens.serialize(token) | ({"id_token": id_token} if id_token else {})
    return RawBody(orjson.dumps(fields), JSON_TYPE, NO_STORE)


class NamedToken(ClientParams):
    """A token."""

    token: str | None = None
    token_type_hint: str | None = None


@area.operation("POST", "oauth/revoke", params=NamedToken, status=200, refusals=(403,))
def revoke_oauth_token(ctx: WriteContext, p: NamedToken) -> dict[str, str]:
    """Revoke an access token or a refresh token, and the other one with it."""
    token = access_tokens.find_by_any_value(ctx.world, p.token or "")
    if token is None:
        return {}
    application = access_tokens.application_of(ctx.world, token)
    client = find_client(ctx, p)
    # Who has the token of a public application may revoke it.
    if application is not None and application.confidential and application != client:
        raise ForeignToken(reason=f"the token belongs to {application.name!r}, which did not authenticate")
    if tokens.is_active(ctx, token):
        tokens.revoke(ctx, token)
    return {}


class IntrospectToken(NamedToken):
    """A token, and the token that authorizes the question, unless the application authenticates."""

    access_token: str | None = None
    bearer_token: str | None = None


@area.operation("POST", "oauth/introspect", params=IntrospectToken, reads=True, status=200, refusals=(400, 401))
def introspect_oauth_token(ctx: ReadContext, p: IntrospectToken) -> dict[str, Any]:
    """Introspect a token, as the application that it belongs to."""
    token = access_tokens.find_by_any_value(ctx.world, p.token or "")
    requester_id = _find_requester(ctx, p, token)
    if token is None or not tokens.is_active(ctx, token) or requester_id != token.application_id:
        return {"active": False}
    application = access_tokens.application_of(ctx.world, token)
    return {
        "active": True,
        "scope": " ".join(token.scopes),
        "client_id": application.uid if application else None,
        "token_type": "Bearer",
        # Tokens that do not expire have a 0 here.
        "exp": access_tokens.seconds(token.expires_at) if token.expires_at else 0,
        "iat": access_tokens.seconds(token.created_at),
    }


def _find_requester(ctx: ReadContext, p: IntrospectToken, token: Token | None) -> int | None:
    """Return the id of the application that asks about a token, or raise an `OAuthError`."""
    if _credentials(ctx, p) is not None:
        client = find_client(ctx, p)
        if client is None:
            raise InvalidClient(reason="the application is unknown")
        return client.id
    own = find_sent_token(ctx, p)
    if own is None:
        raise OAuthError("invalid_request", NOT_AUTHORIZED, reason="neither an application nor a token was sent")
    if not tokens.is_active(ctx, own) or own == token or (token and own.application_id != token.application_id):
        raise UnusableToken("invalid_token", reason="the token that was sent may not ask about the other one")
    return own.application_id


class SentToken(Params):
    """The token, unless it is sent in a header."""

    access_token: str | None = None
    bearer_token: str | None = None


def find_sent_token(ctx: ReadContext, p: SentToken | IntrospectToken) -> Token | None:
    """Return the OAuth token that the caller sent."""
    value = p.access_token or parse_bearer(_authorization(ctx)) or p.bearer_token
    return access_tokens.find(ctx.world, value) if value else None


@area.operation("GET", "oauth/token/info", params=SentToken, refusals=(401,))
def get_oauth_token_info(ctx: ReadContext, p: SentToken) -> dict[str, Any]:
    """Get the owner, the application and the scopes of the access token that is sent."""
    token = find_sent_token(ctx, p)
    if token is None or not tokens.is_active(ctx, token):
        raise UnusableToken("invalid_request", reason="no usable OAuth token was sent")
    application = access_tokens.application_of(ctx.world, token)
    expires_in = None
    if token.expires_at is not None:
        expires_in = access_tokens.seconds(token.expires_at) - ctx.moving_now() // 1000
    return {
        "resource_owner_id": token.user_id,
        "scope": list(token.scopes),
        "expires_in": expires_in,
        "application": {"uid": application.uid if application else None},
        "created_at": access_tokens.seconds(token.created_at),
        "scopes": list(token.scopes),
        "expires_in_seconds": expires_in,
    }
