"""Views of OAuth applications. Source: docs/platform/oauth.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.oauth import OAuthApplication
from fakeplat.policy.context import ReadContext


class OAuthApplicationView(Entity[OAuthApplication]):
    """An OAuth application in a list."""

    ctx: ReadContext

    id = attr()
    application_id = attr("uid")
    application_name = attr("name")
    callback_url = attr("redirect_uri")
    confidential = attr()


class NewOAuthApplicationView(OAuthApplicationView):
    """A new OAuth application, with its secret."""

    secret = attr()
