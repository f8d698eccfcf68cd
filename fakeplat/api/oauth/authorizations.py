"""The page on which users authorize applications. Source: docs/platform/oauth.md. See RFC 6749 (4.1, 4.2)."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Annotated, Final

from attrs import asdict

from fakeplat.api.oauth import html
from fakeplat.api.oauth.obstacles import find_obstacle_to_authorization
from fakeplat.api.oauth.session_cookies import authenticity_token, check_authenticity, redirect, redirect_to_sign_in
from fakeplat.api.pages import redirect_to
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Named, Params
from fakeplat.domain.oauth import authorizations
from fakeplat.domain.oauth.authorizations import AuthorizationParams, AuthorizationRequest
from fakeplat.domain.oauth.oauth_errors import OAuthError
from fakeplat.domain.oauth.redirect_uris import with_fragment, with_query
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("OAuth pages", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
_PATH: Final = "oauth/authorize"


class Authorize(Params):
    """What an application asks for."""

    client_id: str | None = None
    redirect_uri: str | None = None
    response_type: str | None = None
    scope: str | None = None
    state: str | None = None
    code_challenge: str | None = None
    code_challenge_method: str | None = None
    nonce: str | None = None


class AnswerAuthorization(Authorize):
    """The same, as the form sends it; ``_method`` is ``delete`` if the user denies it."""

    authenticity_token: str | None = None
    method_: Annotated[str | None, Named("_method")] = None


def _params_of(p: Authorize) -> AuthorizationParams:
    names = Authorize.__annotations__
    return AuthorizationParams(**{name: value or "" for name, value in p.given().items() if name in names})


def _find_obstacle(ctx: ReadContext, user: User | None) -> RawBody | None:
    """Return the page that comes before the authorization."""
    if user is None:
        return redirect_to_sign_in(ctx)
    obstacle = find_obstacle_to_authorization(ctx, user)
    if obstacle is not None:
        return obstacle
    if not user.confirmed_at:
        return _render_error(OAuthError("unconfirmed_email", reason=f"{user.username} has not confirmed the address"))
    return None


def _render_error(error: OAuthError) -> RawBody:
    return html.render_page("An error has occurred", html.paragraph(error.text))


def _plan_approval(
    ctx: ReadContext, _records: Sequence[object], p: Authorize
) -> Callable[[WriteContext], object] | None:
    """Return the approval of a request about which the user need not be asked."""
    user = ctx.viewer
    if user is None or _find_obstacle(ctx, user) is not None:
        return None
    try:
        request = authorizations.check(ctx, _params_of(p))
    except OAuthError:
        return None
    if not authorizations.is_approved(ctx.world, request, user):
        return None
    return lambda write_ctx: authorizations.approve(write_ctx, request, user)


@area.operation("GET", _PATH, params=Authorize, also=(302,), read_effect=_plan_approval)
def authorize_oauth_application(ctx: ReadContext, p: Authorize) -> RawBody:
    """Show the page on which users authorize an application; redirect to it if the user need not be asked.

    Whoever is not signed in is redirected to the sign-in page first. Errors are shown on the page.
    """
    user = ctx.viewer
    obstacle = _find_obstacle(ctx, user)
    if obstacle is not None or user is None:
        return obstacle or redirect_to_sign_in(ctx)
    try:
        request = authorizations.check(ctx, _params_of(p))
    except OAuthError as error:
        return _render_error(error)
    approved = authorizations.is_approved(ctx.world, request, user)
    location = authorizations.location_of_answer(ctx.world, request, user) if approved else None
    return _redirect_to_client(ctx, location) if location else _render_question(ctx, request)


def _render_question(ctx: ReadContext, request: AuthorizationRequest) -> RawBody:
    name = request.application.name
    scopes = "".join(f"<li>{escape(scope)}</li>" for scope in request.scopes)
    hidden = {
        "authenticity_token": authenticity_token(ctx),
        **{name: value for name, value in asdict(request.params).items() if value},
        "scope": " ".join(request.scopes),
    }
    return html.render_page(
        "Authorization required",
        html.paragraph(f"Authorize {name} to use your account? It will be able to use these scopes:"),
        f"<ul>{scopes}</ul>",
        html.form(f"/{_PATH}", "Authorize", hidden),
        html.form(f"/{_PATH}", "Deny", {"_method": "delete", **hidden}),
    )


def _redirect_to_client(ctx: ReadContext, location: str) -> RawBody:
    return redirect(ctx, location) if location.startswith("/") else redirect_to(location)


def _answer(ctx: WriteContext, p: AnswerAuthorization, *, deny: bool) -> RawBody:
    user = ctx.viewer
    obstacle = _find_obstacle(ctx, user)
    if obstacle is not None or user is None:
        return obstacle or redirect_to_sign_in(ctx)
    check_authenticity(ctx, p.authenticity_token)
    try:
        request = authorizations.check(ctx, _params_of(p))
        if deny:
            raise authorizations.denial_of(request)
    except OAuthError as error:
        return _report(error, p.response_type)
    authorizations.approve(ctx, request, user)
    return _redirect_to_client(ctx, authorizations.location_of_answer(ctx.world, request, user) or "/")


def _report(error: OAuthError, response_type: str | None) -> RawBody:
    """Send an error to the application, or show it if the address of the application is not to be trusted."""
    if not error.redirect_uri:
        return _render_error(error)
    send = with_fragment if response_type == "token" else with_query
    return redirect_to(send(error.redirect_uri, error.fields))


@area.operation("POST", _PATH, params=AnswerAuthorization, status=302, also=(200,), refusals=(422,))
def approve_oauth_application(ctx: WriteContext, p: AnswerAuthorization) -> RawBody:
    """Approve an application, and redirect to it with a code."""
    # Browsers send forms with POST only, so the form says which of the two it is.
    return _answer(ctx, p, deny=(p.method_ or "").lower() == "delete")


@area.operation("DELETE", _PATH, params=AnswerAuthorization, status=302, also=(200,), refusals=(422,))
def deny_oauth_application(ctx: WriteContext, p: AnswerAuthorization) -> RawBody:
    """Deny an application the authorization, and redirect to it with the error."""
    return _answer(ctx, p, deny=True)


class ShowCode(Params):
    """The code."""

    code: str | None = None


@area.operation("GET", f"{_PATH}/native", params=ShowCode, also=(302,))
def get_oauth_code_page(ctx: ReadContext, p: ShowCode) -> RawBody:
    """Show an authorization code, for users to copy into a program that has no address."""
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    return html.render_page("Authorization code", f'<code id="authorization_code">{escape(p.code or "")}</code>')
