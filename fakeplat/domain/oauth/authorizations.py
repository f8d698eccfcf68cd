"""Requests of applications for the approval of a user, and the codes that answer them.

Source: docs/platform/oauth.md. See RFC 6749 (4.1), RFC 7636.
"""

import re
from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, from_iso
from fakeplat.domain.oauth import access_tokens, redirect_uris, scopes
from fakeplat.domain.oauth.oauth_errors import InvalidClient, OAuthError
from fakeplat.model.oauth import AuthorizationGrant, OAuthApplication
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import IMPLICIT_GRANT, PUBLIC_APPLICATIONS_ASK_AGAIN
from fakeplat.policy.context import ReadContext, WriteContext

_LIFETIME: Final = 10 * MINUTE


@frozen
class AuthorizationParams:
    """What an application asks for, as it was sent."""

    client_id: str = ""
    redirect_uri: str = ""
    response_type: str = ""
    scope: str = ""
    state: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    nonce: str = ""


@frozen
class AuthorizationRequest:
    """A valid request: the application, where it is answered, and the scopes that were asked for."""

    application: OAuthApplication
    params: AuthorizationParams
    scopes: tuple[str, ...]


def check(ctx: ReadContext, params: AuthorizationParams) -> AuthorizationRequest:
    """Return the request, or raise an `OAuthError`: with an address if the application may be told."""
    application = _get_application(ctx.world, params)
    if not redirect_uris.matches(params.redirect_uri, application.redirect_uri):
        raise OAuthError("invalid_redirect_uri", reason=f"{params.redirect_uri!r} is not registered")
    request = AuthorizationRequest(application, params, _scopes_of(application, params))
    error = _find_error(ctx, request)
    if error is not None:
        raise error
    return request


def _get_application(world: World, params: AuthorizationParams) -> OAuthApplication:
    if not params.client_id:
        raise OAuthError.missing("client_id")
    application = world.oauth_applications.find("uid", params.client_id)
    if application is None:
        raise InvalidClient(reason=f"no application has the id {params.client_id!r}")
    return application


def _scopes_of(application: OAuthApplication, params: AuthorizationParams) -> tuple[str, ...]:
    return scopes.parse(params.scope) if params.scope.strip() else scopes.default_of(application)


def _find_error(ctx: ReadContext, request: AuthorizationRequest) -> OAuthError | None:
    params, answer = request.params, _answer_to(request)
    if not params.response_type:
        return OAuthError.missing("response_type", redirect_uri=answer, state=params.state)
    name = ""
    if params.response_type not in list_response_types(ctx):
        name = "unsupported_response_type"
    elif not scopes.is_allowed(ctx.profile, params.scope.strip() or " ".join(request.scopes), request.application):
        name = "invalid_scope"
    elif params.code_challenge and not re.fullmatch("plain|S256", params.code_challenge_method):
        name = "invalid_code_challenge_method"
    reason = f"response_type {params.response_type!r}, scope {params.scope!r}"
    return OAuthError(name, redirect_uri=answer, state=params.state, reason=reason) if name else None


def _answer_to(request: AuthorizationRequest) -> str:
    """Return where errors are sent; nowhere if the user copies the code."""
    uri = request.params.redirect_uri
    return "" if uri in redirect_uris.OUT_OF_BAND else uri


def list_response_types(ctx: ReadContext) -> tuple[str, ...]:
    """Return what an application may ask for: a code, and in older releases a token."""
    return ("code", "token") if ctx.profile.has(IMPLICIT_GRANT) else ("code",)


def denial_of(request: AuthorizationRequest) -> OAuthError:
    """Return the error that tells the application that the user denied the request."""
    uri, state = _answer_to(request), request.params.state
    return OAuthError("access_denied", redirect_uri=uri, state=state, reason="the user denied the request")


def is_approved(world: World, request: AuthorizationRequest, user: User) -> bool:
    """Return whether the user need not be asked: the application is trusted, or has such a token already.

    Whoever pretends to be an application that has no secret would get a code, so later releases ask about it again.
    """
    application = request.application
    if application.trusted:
        return True
    if not application.confidential and world.profile.has(PUBLIC_APPLICATIONS_ASK_AGAIN):
        return False
    return access_tokens.find_matching(world, application, user, request.scopes) is not None


def approve(ctx: WriteContext, request: AuthorizationRequest, user: User) -> None:
    """Create the code or the token that answers a request."""
    if request.params.response_type == "token":
        access_tokens.issue(ctx, request.application, user, request.scopes)
        return
    table = ctx.world.authorization_grants
    table.add(
        AuthorizationGrant(
            table.next_id(),
            request.application.id,
            user.id,
            ctx.random_hex("authorization code", 32),
            request.params.redirect_uri,
            ctx.now_iso,
            request.scopes,
            request.params.code_challenge or None,
            request.params.code_challenge_method or None,
            nonce=request.params.nonce or None,
        )
    )


def location_of_answer(world: World, request: AuthorizationRequest, user: User) -> str | None:
    """Return where an approved request sends the user, None if nothing answers it."""
    params = request.params
    if params.response_type == "token":
        return _location_of_token(world, request, user)
    code = _find_code(world, request, user)
    if code is None:
        return None
    if params.redirect_uri in redirect_uris.OUT_OF_BAND:
        return redirect_uris.with_query("/oauth/authorize/native", {"code": code})
    return redirect_uris.with_query(params.redirect_uri, {"code": code, "state": params.state})


def _location_of_token(world: World, request: AuthorizationRequest, user: User) -> str | None:
    token = access_tokens.find_matching(world, request.application, user, request.scopes)
    if token is None:
        return None
    values = {"access_token": token.value, "token_type": "Bearer", "state": request.params.state}
    return redirect_uris.with_fragment(request.params.redirect_uri, values)


def _find_code(world: World, request: AuthorizationRequest, user: User) -> str | None:
    """Return the newest code that answers a request."""
    grants = [
        grant
        for grant in world.authorization_grants.where("application", request.application.id)
        if not grant.revoked and grant.user_id == user.id and _answers(grant, request)
    ]
    newest = max(grants, key=lambda grant: grant.id, default=None)
    return newest.code if newest else None


def _answers(grant: AuthorizationGrant, request: AuthorizationRequest) -> bool:
    params = request.params
    challenge = (params.code_challenge or None, params.code_challenge_method or None)
    asked = (params.redirect_uri, request.scopes, challenge, params.nonce or None)
    given = (grant.code_challenge, grant.code_challenge_method)
    return asked == (grant.redirect_uri, grant.scopes, given, grant.nonce)


def is_usable(ctx: ReadContext, grant: AuthorizationGrant) -> bool:
    """Return whether a code was not used yet and is not too old."""
    return not grant.revoked and not ctx.has_passed(from_iso(grant.created_at) + _LIFETIME)


def is_verified(grant: AuthorizationGrant, verifier: str) -> bool:
    """Return whether a code verifier fits the challenge of a code, if it has one."""
    if grant.code_challenge is None:
        return True
    digest = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
    expected = digest if grant.code_challenge_method == "S256" else verifier
    return compare_digest(expected.encode(), grant.code_challenge.encode())
