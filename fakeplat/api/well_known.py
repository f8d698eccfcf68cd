"""Pages below ``/.well-known/`` that have no area of their own: for password managers, and for whoever finds a flaw.

Source: docs/platform/oauth.md.
"""

from fakeplat.api.pages import area, page_not_found, redirect_to
from fakeplat.core.operations.http_messages import TEXT, RawBody, revalidate
from fakeplat.policy.behaviours import PASSWORD_PAGE
from fakeplat.policy.context import ReadContext


@area.operation("GET", ".well-known/change-password", since="<=16.5", status=302)
def get_password_page_address(ctx: ReadContext) -> RawBody:
    """Get redirected to the page on which users change their password."""
    return redirect_to(f"{ctx.origin}/-/{ctx.profile.choose(PASSWORD_PAGE)}")


@area.operation("GET", ".well-known/security.txt", since="16.7", refusals=(404,), produces="text/plain")
def get_security_contact(ctx: ReadContext) -> RawBody:
    """Get the contact for reports of vulnerabilities: the setting ``security_txt_content``."""
    content = ctx.world.settings.security_txt_content
    if not content or not content.strip():
        raise page_not_found(ctx, "the setting security_txt_content is empty")
    return revalidate(content.encode(), TEXT)
