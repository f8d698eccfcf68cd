"""OAuth applications of the instance. Source: docs/platform/oauth.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.oauth import applications
from fakeplat.domain.oauth.scopes import parse
from fakeplat.domain.purging import purge
from fakeplat.entities.oauth import NewOAuthApplicationView, OAuthApplicationView
from fakeplat.model.oauth import OAuthApplication
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import APPLICATIONS_NEED_SCOPES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("OAuth", login=Login.ALWAYS, located_first=True)


@area.operation(
    "GET",
    "applications",
    ability=Ability.ADMIN_OAUTH_APPLICATIONS,
    view=OAuthApplicationView,
    many=True,
    paging=None,
)
def list_applications(ctx: ReadContext) -> Sequence[OAuthApplication]:
    """List the OAuth applications of the instance."""
    return applications.list_instance_applications(ctx.world)


class CreateApplication(Params):
    """An OAuth application; ``scopes`` are separated by spaces."""

    name: str
    redirect_uri: str
    scopes: str
    confidential: bool | None = True


@area.operation(
    "POST",
    "applications",
    ability=Ability.ADMIN_OAUTH_APPLICATIONS,
    params=CreateApplication,
    view=NewOAuthApplicationView,
    refusals=(400,),
)
def create_application(ctx: WriteContext, p: CreateApplication) -> OAuthApplication:
    """Create an OAuth application of the instance."""
    applications.check_host(p.redirect_uri or "")
    if ctx.profile.has(APPLICATIONS_NEED_SCOPES) and not parse(p.scopes or ""):
        raise InvalidParams("scopes is empty")
    return applications.create(
        ctx,
        name=p.name or "",
        redirect_uri=p.redirect_uri or "",
        scopes=parse(p.scopes or ""),
        confidential=p.confidential is not False,
    )


@area.operation(
    "POST",
    "applications/:id/renew-secret",
    ability=Ability.ADMIN_OAUTH_APPLICATIONS,
    view=NewOAuthApplicationView,
    refusals=(404,),
    since="16.11",
)
def create_application_renew_secret(ctx: WriteContext, id: str) -> OAuthApplication:
    """Replace the secret of an OAuth application. Only this response contains the new one."""
    return applications.renew_secret(ctx, applications.get_instance_application(ctx.world, id))


@area.operation("DELETE", "applications/:id", ability=Ability.ADMIN_OAUTH_APPLICATIONS, refusals=(404,))
def delete_application(ctx: WriteContext, id: str) -> None:
    """Delete an OAuth application of the instance, with its tokens."""
    purge(ctx, applications.get_instance_application(ctx.world, id))
