"""The pages for signing in and out, for a new password and another feed token.

Source: docs/contract.md ('People and tokens').
"""

from html import escape
from typing import Final

from attrs import evolve

from fakeplat.api.oauth import html
from fakeplat.api.oauth.obstacles import find_obstacle, find_obstacle_to_password
from fakeplat.api.oauth.session_cookies import (
    PATH,
    authenticity_token,
    check_authenticity,
    cookies_of_first_factor,
    cookies_of_session,
    cookies_of_sign_out,
    find_first_factor,
    get_return_path,
    redirect,
    redirect_to_sign_in,
)
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain import signals
from fakeplat.domain.people import feed_tokens, sessions, two_factor, users
from fakeplat.model.people import User
from fakeplat.policy.behaviours import PAGE_OF_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import find_user_by_password

area: Final = Area("Sign-in", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
_PASSWORD_PATH: Final = "/profile/password"
_FIELDS: Final = {"user[login]": "Username or email", "user[password]": "Password"}
_INVALID: Final = "Invalid Login or password."
_CODE_FIELD: Final = {"user[otp_attempt]": "Two-Factor Authentication code"}
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
    obstacle = find_obstacle(ctx, user)
    if obstacle is not None:
        return obstacle
    sign_out = html.form("/users/sign_out", "Sign out", {"authenticity_token": authenticity_token(ctx)})
    greeting = html.paragraph(f"Signed in as {user.username}")
    return html.render_page(ctx.instance.product_name, greeting, sign_out, html.console_link())


@area.operation("GET", "users/sign_in", also=(302,), ours=True)
def get_sign_in_page(ctx: ReadContext) -> RawBody:
    """Show the sign-in form; redirect whoever is signed in already."""
    return redirect(ctx, "/") if ctx.viewer is not None else _render_sign_in(ctx)


def _render_sign_in(ctx: ReadContext, alert: str = "") -> RawBody:
    note = html.paragraph(alert) if alert else ""
    token = {"authenticity_token": authenticity_token(ctx)}
    return html.render_page("Sign in", note, html.form(PATH, "Sign in", token, _FIELDS), html.console_link())


def _render_second_factor(ctx: ReadContext, user: User, alert: str = "") -> RawBody:
    note = html.paragraph(alert) if alert else ""
    token = {"authenticity_token": authenticity_token(ctx)}
    form = html.form(PATH, "Verify code", token, _CODE_FIELD)
    page = html.render_page("Two-Factor Authentication", note, form)
    return evolve(page, headers=(*page.headers, *cookies_of_first_factor(ctx, user)))


class Credentials(Params):
    """A username or an e-mail address, and the password; then the one-time code, if the user has one."""

    login: str | None = None
    password: str | None = None
    otp_attempt: str | None = None
    remember_me: str | None = None


class SignIn(Params):
    """The sign-in form."""

    authenticity_token: str | None = None
    user: Credentials | None = None


@area.operation("POST", "users/sign_in", params=SignIn, status=302, also=(200,), refusals=(422,), ours=True)
def start_session(ctx: WriteContext, p: SignIn) -> RawBody:
    """Start a session with a password, and return to the page that was asked for.

    Users with two-factor authentication are asked for their one-time code after the password.
    """
    check_authenticity(ctx, p.authenticity_token)
    sent = p.user or Credentials()
    user = find_first_factor(ctx) if sent.otp_attempt else None
    return _sign_in_with_password(ctx, sent) if user is None else _sign_in_with_code(ctx, user, sent.otp_attempt or "")


def _sign_in_with_password(ctx: WriteContext, sent: Credentials) -> RawBody:
    user = find_user_by_password(ctx.world, sent.login or "", sent.password or "")
    alert = sessions.explain_problem(ctx.world, user) if user else _INVALID
    if user is None or alert:
        if user is not None:
            sessions.report_refusal(ctx, user)
        signals.sign_in_failed.send(ctx, None, sent.login or "", "STANDARD")
        return _render_sign_in(ctx, alert)
    return _render_second_factor(ctx, user) if user.two_factor_enabled else _sign_in(ctx, user, "standard")


def _sign_in_with_code(ctx: WriteContext, user: User, code: str) -> RawBody:
    problem = sessions.explain_problem(ctx.world, user)
    if problem:
        return _render_sign_in(ctx, problem)
    if not two_factor.use_code(ctx, user, code):
        signals.sign_in_failed.send(ctx, user, user.username, "OTP")
        return _render_second_factor(ctx, user, "Invalid two-factor code.")
    # A recovery code that was used is gone from the record.
    return _sign_in(ctx, ctx.world.users[user.id], "two-factor")


def _sign_in(ctx: WriteContext, user: User, method: str) -> RawBody:
    session = sessions.sign_in_at_page(ctx, user, ctx.request.remote_ip if ctx.request else "", method)
    return redirect(ctx, get_return_path(ctx), cookies_of_session(session))


@area.operation("POST", "users/sign_out", status=302, ours=True)
def stop_session(ctx: WriteContext) -> RawBody:
    """Stop the session."""
    if ctx.token is not None:
        sessions.sign_out(ctx, ctx.token)
    return redirect(ctx, PATH, cookies_of_sign_out())


@area.operation("GET", "profile/password/new", also=(302,), ours=True)
def get_new_password_page(ctx: ReadContext) -> RawBody:
    """Show the form for a new password."""
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    return find_obstacle_to_password(ctx, ctx.viewer) or _render_new_password(ctx)


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
    alert = _explain_password_error(user, sent)
    try:
        if not alert:
            users.update(ctx, user, password=sent.password)
    except Refusal as refusal:
        alert = f"Password {refusal.explain()}"
    return _render_new_password(ctx, alert) if alert else redirect(ctx, "/")


class ResetFeedToken(Params):
    """The authenticity token of a page."""

    authenticity_token: str | None = None


@area.operation("PUT", "-/profile/reset_feed_token", params=ResetFeedToken, status=302, refusals=(422,), ours=True)
def reset_feed_token(ctx: WriteContext, p: ResetFeedToken) -> RawBody:
    """Replace the feed token of the signed-in user, and return to the page of tokens."""
    check_authenticity(ctx, p.authenticity_token)
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    feed_tokens.reset(ctx, ctx.viewer)
    return redirect(ctx, ctx.profile.choose(PAGE_OF_TOKENS))


def _explain_password_error(user: User, sent: NewPassword) -> str:
    if sent.current_password != user.password:
        return "You must provide a valid current password"
    if not sent.password:
        return "Password can't be blank"
    return "" if sent.password == sent.password_confirmation else "Password confirmation doesn't match Password"
