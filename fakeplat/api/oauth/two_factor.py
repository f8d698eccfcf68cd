"""The page on which users set up two-factor authentication. Source: docs/platform/settings.md."""

from collections.abc import Callable, Sequence
from typing import Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.obstacles import TWO_FACTOR_PATH, find_terms_page
from fakeplat.api.oauth.session_cookies import authenticity_token, check_authenticity, redirect, redirect_to_sign_in
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import two_factor
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area(
    "Two-factor authentication", login=Login.NEVER, prefix="", credentials="session", produces="text/html"
)
_PATH: Final = TWO_FACTOR_PATH.removeprefix("/")
_PIN: Final = {"pin_code": "Pin code"}


def _plan_start(ctx: ReadContext, _records: Sequence[object], _p: Params) -> Callable[[WriteContext], object] | None:
    """Return the start of the grace period of a user who is asked for the first time."""
    user = ctx.viewer
    if user is None or user.otp_grace_period_started_at or not two_factor.must_set_up(ctx, user, ctx.token):
        return None
    return lambda write_ctx: two_factor.start_grace_period(write_ctx, user)


@area.operation("GET", _PATH, also=(302,), read_effect=_plan_start, ours=True)
def get_two_factor_page(ctx: ReadContext) -> RawBody:
    """Show the form with which the signed-in user sets up two-factor authentication."""
    user = ctx.viewer
    if user is None:
        return redirect_to_sign_in(ctx)
    return find_terms_page(ctx, user) or _render_setup(ctx, user)


def _render_setup(ctx: ReadContext, user: User, alert: str = "") -> RawBody:
    notes = [alert, _explain_demand(ctx, user), f"Key: {two_factor.secret_of(user)}"]
    token = {"authenticity_token": authenticity_token(ctx)}
    forms = [html.form(TWO_FACTOR_PATH, "Register with two-factor app", token, _PIN)]
    if two_factor.must_set_up(ctx, user, ctx.token) and two_factor.can_skip(ctx, user):
        forms.append(html.form(f"{TWO_FACTOR_PATH}/skip", "Configure it later", {**token, "_method": "patch"}))
    return html.render_page("Two-Factor Authentication", *(html.paragraph(note) for note in notes if note), *forms)


def _explain_demand(ctx: ReadContext, user: User) -> str:
    if not two_factor.must_set_up(ctx, user, ctx.token):
        return ""
    return "The global settings require you to enable Two-Factor Authentication for your account."


class SetUpTwoFactor(Params):
    """The code that the user's app shows."""

    authenticity_token: str | None = None
    pin_code: str | None = None


@area.operation("POST", _PATH, params=SetUpTwoFactor, status=302, also=(200,), refusals=(422,), ours=True)
def enable_two_factor(ctx: WriteContext, p: SetUpTwoFactor) -> RawBody:
    """Enable two-factor authentication with a code of the user's app."""
    user = ctx.viewer
    if user is None:
        return redirect_to_sign_in(ctx)
    check_authenticity(ctx, p.authenticity_token)
    if not two_factor.is_valid_code(ctx, user, p.pin_code or ""):
        return _render_setup(ctx, user, "Invalid pin code")
    two_factor.enable(ctx, user)
    return redirect(ctx, "/")


class SkipTwoFactor(Params):
    """The form for putting it off."""

    authenticity_token: str | None = None


@area.operation("POST", f"{_PATH}/skip", params=SkipTwoFactor, status=302, refusals=(422,), ours=True)
def skip_two_factor(ctx: WriteContext, p: SkipTwoFactor) -> RawBody:
    """Skip two-factor authentication until the end of the grace period."""
    user = ctx.viewer
    if user is None or ctx.token is None:
        return redirect_to_sign_in(ctx)
    check_authenticity(ctx, p.authenticity_token)
    if not two_factor.can_skip(ctx, user):
        return redirect(ctx, TWO_FACTOR_PATH)
    two_factor.skip(ctx, ctx.token)
    return redirect(ctx, "/")
