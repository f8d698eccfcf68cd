"""The page on which users accept the terms of the instance. Source: docs/platform/settings.md."""

from typing import Annotated, Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.obstacles import TERMS_PATH
from fakeplat.api.oauth.session_cookies import (
    authenticity_token,
    check_authenticity,
    cookies_of_sign_out,
    is_own_path,
    redirect,
)
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Named, Params
from fakeplat.domain.people import sessions, sign_ups
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Terms", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
# The platform counts the versions of the terms, of which this fake keeps only the newest.
_ID: Final = 1


class ShowTerms(Params):
    """Where to go on afterwards."""

    redirect_: Annotated[str | None, Named("redirect")] = None


class AnswerTerms(ShowTerms):
    """The form of the page."""

    authenticity_token: str | None = None


@area.operation("GET", "-/users/terms", params=ShowTerms, also=(302,), ours=True)
def get_terms_page(ctx: ReadContext, p: ShowTerms) -> RawBody:
    """Show the terms, with a form for whoever is signed in; redirect to the home page if there are none."""
    terms = ctx.world.settings.terms
    if not terms:
        return redirect(ctx, "/")
    hidden = {"authenticity_token": authenticity_token(ctx), "redirect": p.redirect_ or "/"}
    forms = [
        html.form(f"{TERMS_PATH}/{_ID}/{path}", button, hidden)
        for path, button in (("accept", "Accept terms"), ("decline", "Decline and sign out"))
    ]
    return html.render_page("Terms of Service", html.paragraph(terms), *(forms if ctx.viewer is not None else ()))


@area.operation("POST", "-/users/terms/:id/accept", params=AnswerTerms, status=302, refusals=(422,), ours=True)
def accept_terms(ctx: WriteContext, _id: str, p: AnswerTerms) -> RawBody:
    """Accept the terms, and return to the page that was asked for."""
    user = ctx.viewer
    check_authenticity(ctx, p.authenticity_token)
    if user is not None:
        sign_ups.accept_terms(ctx, user)
    path = p.redirect_ or ""
    return redirect(ctx, path if is_own_path(path) else "/")


@area.operation("POST", "-/users/terms/:id/decline", params=AnswerTerms, status=302, refusals=(422,), ours=True)
def decline_terms(ctx: WriteContext, _id: str, p: AnswerTerms) -> RawBody:
    """Decline the terms and sign out."""
    check_authenticity(ctx, p.authenticity_token)
    if ctx.token is not None:
        sessions.sign_out(ctx, ctx.token)
    return redirect(ctx, "/", cookies_of_sign_out())
