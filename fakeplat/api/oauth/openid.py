"""OpenID Connect: who the user of a token is. Source: docs/platform/oauth.md."""

from typing import Any, Final

from fakeplat.api.oauth.tokens import SentToken, find_sent_token
from fakeplat.core.operations.errors import Reason
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.operation import Area, Login
from fakeplat.domain.oauth import user_info
from fakeplat.domain.oauth.oauth_errors import OAuthError
from fakeplat.domain.people import tokens
from fakeplat.entities import urls
from fakeplat.policy.context import ReadContext

area: Final = Area("OpenID Connect", login=Login.NEVER, prefix="", credentials="own")


class _EmptyError(OAuthError):
    """An error without a body, only with a challenge."""

    def response(self) -> Response:
        """Return a response without a body."""
        return Response(self.status, (("Cache-Control", "no-cache"), self.challenge))


class _NoToken(_EmptyError):
    status = 401

    def __init__(self, *, reason: Reason) -> None:
        super().__init__("invalid_token", reason=reason)


class _NoScope(_EmptyError):
    status = 403

    def __init__(self, *, reason: Reason) -> None:
        super().__init__("insufficient_scope", 'Access to this resource requires scope "openid".', reason=reason)


@area.operation("GET", "oauth/userinfo", params=SentToken, refusals=(401, 403))
@area.operation(
    "POST", "oauth/userinfo", name="query_oauth_userinfo", params=SentToken, reads=True, status=200, refusals=(401, 403)
)
def get_oauth_userinfo(ctx: ReadContext, p: SentToken) -> dict[str, Any]:
    """Get the user of the access token that is sent, which needs the scope openid."""
    token = find_sent_token(ctx, p)
    user = tokens.owner_of(ctx.world, token) if token is not None else None
    if token is None or user is None or not tokens.is_active(ctx, token):
        raise _NoToken(reason="no usable OAuth token of a user was sent")
    if not user_info.is_open_to(token):
        raise _NoScope(reason=f"the token has the scopes {' '.join(token.scopes)}")
    return user_info.claims_of(ctx, token, user, urls.user_avatar_url(ctx, user))
