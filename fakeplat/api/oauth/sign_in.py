"""The pages for signing in and out, and for a new password. Source: docs/contract.md ('People and tokens')."""

from html import escape
from typing import Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.session_cookies import (
    NEW_PASSWORD_PATH,
    PATH,
    authenticity_token,
    check_authenticity,
    cookies_of_session,
    cookies_of_sign_out,
    find_return_path,
    redirect,
    redirect_to_sign_in,
)
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import sessions, users
from fakeplat.model.users import User
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import find_user_by_password

area: Final = Area("Sign-in", login=Login.NEVER, prefix="", credentials="session")
_PASSWORD_PATH: Final = "/profile/password"
_FIELDS: Final = {"user[login]": "Username or email", "user[password]": "Password"}
_TWO_FACTORS: Final = "This account signs in with two factors, which the page does not support; use a token."
_PASSWORDS: Final = {
    "user[current_password]": "Current password",
    "user[password]": "New password",
    "user[password_confirmation]": "Password confirmation",
}


@area.operation("GET", "", also=(302,), ours=True)
def get_home_page(ctx: ReadContext) -> RawBody:
    """Show who is signed in; redirect to the sign-in page if nobody is."""
    user = ctx.viewer
    if user is None:
        return redirect_to_sign_in(ctx)
    if user.password_expired:
        return redirect(ctx, NEW_PASSWORD_PATH)
    sign_out = html.form("/users/sign_out", "Sign out", {"authenticity_token": authenticity_token(ctx)})
    return html.render_page(ctx.instance.product_name, html.paragraph(f"Signed in as {user.username}"), sign_out)


@area.operation("GET", "users/sign_in", also=(302,), ours=True)
def get_sign_in_page(ctx: ReadContext) -> RawBody:
    """Show the sign-in form; redirect whoever is signed in already."""
    return redirect(ctx, "/") if ctx.viewer is not None else _render_sign_in(ctx)


def _render_sign_in(ctx: ReadContext, alert: str = "") -> RawBody:
    note = html.paragraph(alert) if alert else ""
    token = {"authenticity_token": authenticity_token(ctx)}
    return html.render_page("Sign in", note, html.form(PATH, "Sign in", token, _FIELDS))


class Credentials(Params):
    """A username or an e-mail address, and the password."""

    login: str | None = None
    password: str | None = None
    remember_me: str | None = None


class SignIn(Params):
    """The sign-in form."""

    authenticity_token: str | None = None
    user: Credentials | None = None


@area.operation("POST", "users/sign_in", params=SignIn, status=302, also=(200,), refusals=(422,), ours=True)
def start_session(ctx: WriteContext, p: SignIn) -> RawBody:
    """Start a session with a password, and return to the page that was asked for."""
    check_authenticity(ctx, p.authenticity_token)
    sent = p.user
    user = find_user_by_password(ctx.world, sent.login or "", sent.password or "") if sent else None
    alert = _find_alert(user)
    if user is None or alert:
        if user is not None:
            sessions.report_refusal(ctx, user)
        return _render_sign_in(ctx, alert)
    session = sessions.sign_in(ctx, user, ctx.request.peer if ctx.request else "")
    return redirect(ctx, find_return_path(ctx), cookies_of_session(session))


def _find_alert(user: User | None) -> str:
    if user is None:
        return "Invalid Login or password."
    return sessions.find_problem(user) or (_TWO_FACTORS if user.two_factor_enabled else "")


@area.operation("POST", "users/sign_out", status=302, ours=True)
def stop_session(ctx: WriteContext) -> RawBody:
    """Stop the session."""
    if ctx.token is not None:
        sessions.sign_out(ctx, ctx.token)
    return redirect(ctx, PATH, cookies_of_sign_out())


@area.operation("GET", "profile/password/new", also=(302,), ours=True)
def get_new_password_page(ctx: ReadContext) -> RawBody:
    """Show the form for a new password."""
    return redirect_to_sign_in(ctx) if ctx.viewer is None else _render_new_password(ctx)


def _render_new_password(ctx: ReadContext, alert: str = "") -> RawBody:
    note = f'<p role="alert">{escape(alert)}</p>' if alert else html.paragraph("Set up a new password to continue.")
    token = {"authenticity_token": authenticity_token(ctx)}
    return html.render_page("Update password", note, html.form(_PASSWORD_PATH, "Set new password", token, _PASSWORDS))


class NewPassword(Params):
    """The current password and the new one, twice."""

    current_password: str | None = None
    password: str | None = None
    password_confirmation: str | None = None


class SetPassword(Params):
    """The form for a new password."""

    authenticity_token: str | None = None
    user: NewPassword | None = None


@area.operation("POST", "profile/password", params=SetPassword, status=302, also=(200,), refusals=(422,), ours=True)
def update_password(ctx: WriteContext, p: SetPassword) -> RawBody:
    """Set a new password of the signed-in user."""
    user = ctx.viewer
    if user is None:
        return redirect_to_sign_in(ctx)
    check_authenticity(ctx, p.authenticity_token)
    sent = p.user or NewPassword()
    alert = _find_password_error(user, sent)
    try:
        if not alert:
            users.update(ctx, user, password=sent.password)
    except Refusal as refusal:
        alert = f"Password {refusal.explain()}"
    return _render_new_password(ctx, alert) if alert else redirect(ctx, "/")


def _find_password_error(user: User, sent: NewPassword) -> str:
    if sent.current_password != user.password:
        return "You must provide a valid current password"
    if not sent.password:
        return "Password can't be blank"
    return "" if sent.password == sent.password_confirmation else "Password confirmation doesn't match Password"
