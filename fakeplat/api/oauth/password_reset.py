"""The pages for people who forgot their password. Source: docs/platform/mail.md ('Account mails')."""

from typing import Annotated, Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.session_cookies import PATH, authenticity_token, check_authenticity, redirect
from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Named, Params
from fakeplat.domain import signals
from fakeplat.domain.people import password_resets, users
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Password reset", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
_PATH: Final = "/users/password"
_INVALID: Final = "Reset password token is invalid"
_PASSWORDS: Final = {"user[password]": "New password", "user[password_confirmation]": "Password confirmation"}


class ResetPassword(Params):
    """The token of the mail; the form keeps it."""

    reset_password_token: str | None = None


class AccountFields(Params):
    """The address of somebody who forgot the password, or the new password with the token of the mail."""

    email: str | None = None
    reset_password_token: str | None = None
    password: str | None = None
    password_confirmation: str | None = None


class PasswordForm(Params):
    """Both forms; ``_method`` is ``put`` in that for the new password."""

    authenticity_token: str | None = None
    method_: Annotated[str | None, Named("_method")] = None
    user: AccountFields | None = None


@area.operation("GET", "users/password/new", ours=True)
def get_forgotten_password_page(ctx: ReadContext) -> RawBody:
    """Show the form that asks for a mail with a link to set a new password."""
    token = {"authenticity_token": authenticity_token(ctx)}
    return html.render_page("Reset password", html.form(_PATH, "Reset password", token, {"user[email]": "Email"}))


@area.operation("GET", "users/password/edit", params=ResetPassword, ours=True)
def get_password_reset_page(ctx: ReadContext, p: ResetPassword) -> RawBody:
    """Show the form for a new password."""
    return _render_new_password(ctx, p.reset_password_token or "")


def _render_new_password(ctx: ReadContext, reset_token: str, alert: str = "") -> RawBody:
    hidden = {
        "authenticity_token": authenticity_token(ctx),
        "_method": "put",
        "user[reset_password_token]": reset_token,
    }
    note = html.paragraph(alert) if alert else ""
    form = html.form(_PATH, "Change your password", hidden, _PASSWORDS)
    return html.render_page("Change your password", note, form)


@area.operation("POST", "users/password", params=PasswordForm, status=302, also=(200,), refusals=(422,), ours=True)
def request_password_reset(ctx: WriteContext, p: PasswordForm) -> RawBody:
    """Send the mail with the link, without telling whether there is such an account."""
    # Browsers send forms with POST only, so the form says which of the two it is.
    if (p.method_ or "").lower() == "put":
        return _set_password(ctx, p)
    check_authenticity(ctx, p.authenticity_token)
    user = users.find_by_email(ctx.world, (p.user.email if p.user else None) or "")
    if user is not None:
        signals.password_forgotten.send(ctx, user)
    return redirect(ctx, PATH)


@area.operation("PUT", "users/password", params=PasswordForm, status=302, also=(200,), refusals=(422,), ours=True)
def reset_password(ctx: WriteContext, p: PasswordForm) -> RawBody:
    """Set a new password with the token of the mail."""
    return _set_password(ctx, p)


def _set_password(ctx: WriteContext, p: PasswordForm) -> RawBody:
    check_authenticity(ctx, p.authenticity_token)
    sent = p.user or AccountFields()
    token = sent.reset_password_token or ""
    user = password_resets.find_user(ctx.world, token, ctx.now())
    alert = _explain_error(sent) if user is not None else _INVALID
    if user is None or alert:
        return _render_new_password(ctx, token, alert)
    ctx.act_as(user)
    try:
        users.update(ctx, user, password=sent.password)
    except InvalidRecord as refusal:
        return _render_new_password(ctx, token, refusal.sentence())
    return redirect(ctx, PATH)


def _explain_error(sent: AccountFields) -> str:
    if not sent.password:
        return "Password can't be blank"
    return "" if sent.password == sent.password_confirmation else "Password confirmation doesn't match Password"
