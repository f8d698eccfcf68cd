"""The page to which the links in mails for the confirmation of addresses lead.

Source: docs/platform/mail.md ('Account mails').
"""

from collections.abc import Callable
from typing import Final

from fakeplat.api.oauth import html
from fakeplat.api.oauth.session_cookies import PATH, redirect
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import confirmations
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Confirmation", login=Login.NEVER, prefix="", credentials="session", produces="text/html")


class Confirmation(Params):
    """The token of the mail."""

    confirmation_token: str | None = None


def _find_effect(ctx: ReadContext, _records: object, p: Confirmation) -> Callable[[WriteContext], None] | None:
    found = confirmations.find_address(ctx.world, p.confirmation_token or "")
    if found is None or confirmations.is_confirmed(ctx.world, *found):
        return None
    user, address = found
    return lambda write_ctx: confirmations.confirm(write_ctx, write_ctx.world.users[user.id], address)


@area.operation("GET", "users/confirmation", params=Confirmation, also=(302,), read_effect=_find_effect, ours=True)
def confirm_address(ctx: ReadContext, p: Confirmation) -> RawBody:
    """Confirm an e-mail address with the token of a mail."""
    if confirmations.find_address(ctx.world, p.confirmation_token or "") is not None:
        return redirect(ctx, PATH)
    return html.render_page("Confirmation", html.paragraph("Confirmation token is invalid"))
