"""The page for signing up. Source: docs/contract.md ('People and tokens')."""

from typing import Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.session_cookies import (
    PATH,
    authenticity_token,
    check_authenticity,
    cookies_of_session,
    redirect,
)
from fakeplat.core.operations.errors import Conflict, InvalidRecord, payload_text
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import sessions, sign_ups
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Sign-up", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
_FIELDS: Final = {
    "new_user[first_name]": "First name",
    "new_user[last_name]": "Last name",
    "new_user[username]": "Username",
    "new_user[email]": "Email",
    "new_user[password]": "Password",
}


@area.operation("GET", "users/sign_up", also=(302,), ours=True)
def get_sign_up_page(ctx: ReadContext) -> RawBody:
    """Show the sign-up form; redirect whoever is signed in already, and everybody if nobody can sign up."""
    return _find_other_page(ctx) or _render_sign_up(ctx)


def _find_other_page(ctx: ReadContext) -> RawBody | None:
    if ctx.viewer is not None:
        return redirect(ctx, "/")
    return None if sign_ups.is_open(ctx) else redirect(ctx, PATH)


def _render_sign_up(ctx: ReadContext, alert: str = "") -> RawBody:
    note = html.paragraph(alert) if alert else ""
    token = {"authenticity_token": authenticity_token(ctx)}
    form = html.form("/users", "Register", token, _FIELDS)
    return html.render_page("Register", note, form)


class NewUser(Params):
    """The account; ``name`` is that of the form of older releases."""

    name: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    username: str | None = None
    email: str | None = None
    password: str | None = None

    @property
    def full_name(self) -> str:
        """The name, or else both parts of it."""
        return self.name or f"{self.first_name or ''} {self.last_name or ''}".strip()


class SignUp(Params):
    """The sign-up form; the platform takes the fields of ``user``, too."""

    authenticity_token: str | None = None
    new_user: NewUser | None = None
    user: NewUser | None = None


@area.operation("POST", "users", params=SignUp, status=302, also=(200,), refusals=(422,), ours=True)
def create_own_user(ctx: WriteContext, p: SignUp) -> RawBody:
    """Create the account of the caller, and sign them in if they need no confirmation or approval."""
    elsewhere = _find_other_page(ctx)
    if elsewhere is not None:
        return elsewhere
    check_authenticity(ctx, p.authenticity_token)
    try:
        user = _sign_up(ctx, p.user or p.new_user or NewUser())
    except InvalidRecord as refusal:
        return _render_sign_up(ctx, refusal.sentence())
    except Conflict as refusal:
        return _render_sign_up(ctx, payload_text(refusal.payload))
    if sessions.explain_problem(ctx.world, user):
        return redirect(ctx, PATH)
    session = sessions.sign_in(ctx, user, ctx.request.remote_ip if ctx.request else "")
    return redirect(ctx, "/", cookies_of_session(session))


def _sign_up(ctx: WriteContext, sent: NewUser) -> User:
    return sign_ups.sign_up(
        ctx,
        name=sent.full_name,
        username=sent.username or "",
        email=sent.email or "",
        password=sent.password or "",
    )
