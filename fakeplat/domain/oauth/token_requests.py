"""Requests of applications for a token, one function per grant.

Source: docs/platform/oauth.md. See RFC 6749 (4), RFC 7636.
"""

from collections.abc import Callable
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.oauth import access_tokens, applications, authorizations, device_grants, redirect_uris, scopes
from fakeplat.domain.oauth.oauth_errors import InvalidClient, OAuthError
from fakeplat.domain.people import tokens
from fakeplat.model.oauth import AuthorizationGrant, OAuthApplication
from fakeplat.model.people import Token, User
from fakeplat.policy.behaviours import DEVICES_ASK_FOR_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import find_user_by_password

_NO_VERIFIER: Final = "PKCE code_verifier is required for dynamic OAuth applications"


@frozen
class TokenRequest:
    """What an application sent. ``credentials`` are its id and secret, None if it sent none."""

    credentials: tuple[str, str] | None = None
    grant_type: str = ""
    code: str = ""
    redirect_uri: str = ""
    code_verifier: str = ""
    username: str = ""
    password: str = ""
    refresh_token: str = ""
    scope: str = ""
    device_code: str = ""


def grant_token(ctx: WriteContext, request: TokenRequest) -> Token:
    """Return the token that a request asks for, or raise an `OAuthError`."""
    if not request.grant_type:
        raise OAuthError.missing("grant_type")
    grant = _GRANTS.get(request.grant_type)
    if grant is _by_device_code and not ctx.profile.has(DEVICES_ASK_FOR_TOKENS):
        grant = None
    if grant is None:
        raise OAuthError("unsupported_grant_type", reason=f"there is no grant type {request.grant_type!r}")
    return grant(ctx, request)


def _find_client(ctx: WriteContext, request: TokenRequest) -> OAuthApplication | None:
    return applications.find_by_credentials(ctx.world, *request.credentials) if request.credentials else None


def _require_client(ctx: WriteContext, request: TokenRequest) -> OAuthApplication:
    client = _find_client(ctx, request)
    if client is None:
        sent = "id or secret are wrong" if request.credentials else "no id was sent"
        raise InvalidClient(reason=f"the application is unknown: {sent}")
    return client


def _by_code(ctx: WriteContext, request: TokenRequest) -> Token:
    if not request.code:
        raise OAuthError.missing("code")
    grant = ctx.world.authorization_grants.find("code", request.code)
    if grant is not None and grant.code_challenge is not None and not request.code_verifier:
        raise OAuthError.missing("code_verifier")
    if not request.redirect_uri:
        raise OAuthError.missing("redirect_uri")
    client = _require_client(ctx, request)
    if client.dynamic and not request.code_verifier:
        raise OAuthError("invalid_request", _NO_VERIFIER, reason=f"{client.name!r} has registered itself")
    if grant is None or grant.application_id != client.id:
        raise OAuthError("invalid_grant", reason="the application was not given this code")
    _check_code(ctx, request, grant)
    ctx.world.authorization_grants.change(grant, revoked=True)
    return access_tokens.issue(ctx, client, ctx.world.users[grant.user_id], grant.scopes)


def _check_code(ctx: WriteContext, request: TokenRequest, grant: AuthorizationGrant) -> None:
    reason = ""
    if not authorizations.is_usable(ctx, grant):
        reason = "the code was used already, or is older than 10 minutes"
    elif not redirect_uris.matches(request.redirect_uri, grant.redirect_uri):
        reason = f"the code was sent to {grant.redirect_uri}, not to {request.redirect_uri}"
    elif not authorizations.is_verified(grant, request.code_verifier):
        reason = "code_verifier does not fit the code_challenge"
    if reason:
        raise OAuthError("invalid_grant", reason=reason)


def _by_password(ctx: WriteContext, request: TokenRequest) -> Token:
    # The platform lets a program without a registered application send a password, unless an administrator forbids it.
    is_anonymous = not request.credentials and ctx.world.settings.ropc_without_client_credentials
    client = None if is_anonymous else _require_client(ctx, request)
    user = find_user_by_password(ctx.world, request.username, request.password)
    problem = "the password is wrong" if user is None else explain_sign_in_problem(user)
    if user is None or problem:
        raise OAuthError("invalid_grant", reason=f"{request.username!r}: {problem}")
    return access_tokens.issue(ctx, client, user, _scopes_of(ctx, request, client))


def explain_sign_in_problem(user: User) -> str:
    """Return why a user cannot sign in with the password alone; empty if that is possible."""
    if user.state != "active" or user.is_internal:
        return f"the user is {user.state}"
    if user.two_factor_enabled:
        return "the user signs in with two factors"
    return "" if user.confirmed_at else "the e-mail address is not confirmed"


def _by_client_credentials(ctx: WriteContext, request: TokenRequest) -> Token:
    client = _require_client(ctx, request)
    return access_tokens.issue(ctx, client, None, _scopes_of(ctx, request, client), refreshable=False)


def _scopes_of(ctx: ReadContext, request: TokenRequest, client: OAuthApplication | None) -> tuple[str, ...]:
    if not request.scope.strip():
        return scopes.default_of(client)
    if not scopes.is_allowed(ctx.profile, request.scope, client):
        raise OAuthError("invalid_scope", reason=f"the application may not have the scopes {request.scope!r}")
    return scopes.parse(request.scope)


def _by_refresh_token(ctx: WriteContext, request: TokenRequest) -> Token:
    if not request.refresh_token:
        raise OAuthError.missing("refresh_token")
    token = ctx.world.tokens.find("refresh_token", request.refresh_token)
    if token is None or token.revoked:
        raise OAuthError("invalid_grant", reason="the refresh token is unknown, or was used already")
    client = _require_client(ctx, request) if request.credentials else None
    if token.application_id is not None and (client is None or client.id != token.application_id):
        raise OAuthError("invalid_grant", reason="the refresh token belongs to another application")
    asked = scopes.parse(request.scope) or token.scopes
    if not set(token.scopes).issuperset(asked):
        raise OAuthError("invalid_scope", reason="a refreshed token cannot have more scopes")
    tokens.revoke(ctx, token)
    application = access_tokens.application_of(ctx.world, token)
    return access_tokens.create(ctx, application, tokens.owner_of(ctx.world, token), asked)


def _by_device_code(ctx: WriteContext, request: TokenRequest) -> Token:
    return device_grants.redeem(ctx, _require_client(ctx, request), request.device_code)


_GRANTS: Final[dict[str, Callable[[WriteContext, TokenRequest], Token]]] = {
    "authorization_code": _by_code,
    "password": _by_password,
    "client_credentials": _by_client_credentials,
    "refresh_token": _by_refresh_token,
    device_grants.GRANT_TYPE: _by_device_code,
}
