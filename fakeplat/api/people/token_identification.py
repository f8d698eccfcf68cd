"""What an administrator learns of a credential, and its revocation.

Source: docs/platform/impersonation-and-access-tokens.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import NotFoundWithMessage, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import token_identification
from fakeplat.domain.people.token_identification import Credential
from fakeplat.entities.ci.runners import RunnerView
from fakeplat.entities.ci.triggers import TriggerView
from fakeplat.entities.oauth import OAuthApplicationView
from fakeplat.entities.people.access_tokens import AccessTokenView
from fakeplat.entities.projects.deploy_tokens import DeployTokenView
from fakeplat.model.ci import Runner, Trigger
from fakeplat.model.oauth import OAuthApplication
from fakeplat.model.people import Token
from fakeplat.model.projects import DeployToken
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Access tokens", login=Login.ALWAYS)
_VIEWS: Final[Mapping[type, type[Entity[Any]]]] = {
    Token: AccessTokenView,
    DeployToken: DeployTokenView,
    Runner: RunnerView,
    Trigger: TriggerView,
    OAuthApplication: OAuthApplicationView,
}


class IdentifyToken(Params):
    """The credential itself."""

    token: str


def _choose_view(ctx: ReadContext, p: IdentifyToken) -> type[Entity[Any]]:
    return _VIEWS[type(_get_credential(ctx, p.token))]


def _get_credential(ctx: ReadContext, value: str) -> Credential:
    credential = token_identification.find_credential(ctx, value)
    if credential is not None:
        return credential
    if not token_identification.is_supported(ctx, value):
        raise Unprocessable("Token type not supported.", reason="the text begins like no kind of credential")
    raise NotFoundWithMessage({"error": "Not found"}, reason="there is no such credential in this world")


@area.operation(
    "POST",
    "admin/token",
    ability=Ability.ADMIN_USERS,
    params=IdentifyToken,
    view=_choose_view,
    status=200,
    refusals=(404, 422),
    since="17.8",
)
def create_admin_token(ctx: WriteContext, p: IdentifyToken) -> Credential:
    """Get what a credential belongs to, whatever its kind. Administrators only."""
    return _get_credential(ctx, p.token)


@area.operation(
    "DELETE",
    "admin/token",
    ability=Ability.ADMIN_USERS,
    params=IdentifyToken,
    refusals=(404, 422),
    since="<=18.9",
)
def delete_admin_token(ctx: WriteContext, p: IdentifyToken) -> None:
    """Revoke a credential; that of a runner or an application is replaced. Administrators only."""
    if not token_identification.revoke(ctx, _get_credential(ctx, p.token)):
        raise Unprocessable("Unsupported token type", reason="triggers are not revoked")
