"""What signed-in users must do before they see a page: set up two factors, accept the terms, choose a password.

Source: docs/platform/settings.md. The order is that of the platform.
"""

from typing import Final
from urllib.parse import urlencode

from fakeplat.api.oauth.session_cookies import NEW_PASSWORD_PATH, redirect
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import two_factor
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext
from fakeplat.policy.credentials import must_accept_terms

TWO_FACTOR_PATH: Final = "/profile/two_factor_auth"
TERMS_PATH: Final = "/-/users/terms"


def find_obstacle(ctx: ReadContext, user: User) -> RawBody | None:
    """Return the redirect to the page that comes first; None if a user may see the page that was asked for."""
    return _find_two_factor_page(ctx, user) or find_terms_page(ctx, user) or _find_password_page(ctx, user)


def find_obstacle_to_authorization(ctx: ReadContext, user: User) -> RawBody | None:
    """Return the same for the pages on which users authorize applications, which do not ask for the terms."""
    return _find_two_factor_page(ctx, user) or _find_password_page(ctx, user)


def find_obstacle_to_password(ctx: ReadContext, user: User) -> RawBody | None:
    """Return the same for the page with which users choose a password."""
    return _find_two_factor_page(ctx, user) or find_terms_page(ctx, user)


def _find_two_factor_page(ctx: ReadContext, user: User) -> RawBody | None:
    return redirect(ctx, TWO_FACTOR_PATH) if two_factor.must_set_up(ctx, user, ctx.token) else None


def _find_password_page(ctx: ReadContext, user: User) -> RawBody | None:
    return redirect(ctx, NEW_PASSWORD_PATH) if user.password_expired else None


def find_terms_page(ctx: ReadContext, user: User) -> RawBody | None:
    """Return the redirect to the terms, if a user must accept them."""
    if not must_accept_terms(ctx.world, user):
        return None
    request = ctx.request
    query = f"?{request.query}" if request and request.query else ""
    path = f"{request.path}{query}" if request and request.method == "GET" else "/"
    return redirect(ctx, f"{TERMS_PATH}?{urlencode({'redirect': path})}")
