"""Deploy tokens of projects and groups. Source: docs/platform/deploy-keys-tokens.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Moment, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import deploy_tokens
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.deploy_tokens import DeployTokenView, DeployTokenWithToken
from fakeplat.model.projects import Container, DeployToken, DeployTokenScope
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The platform asks for no login here: anonymous callers do not see private projects, and lack the ability elsewhere.
area: Final = Area("Deploy tokens", login=Login.NEVER, located_first=True)
CONTAINERS: Final = (PROJECT, GROUP)


class ListDeployTokens(Paged):
    """Filters of lists of deploy tokens."""

    active: Annotated[bool | None, Lifetime(since="<=15.4")] = None


@area.operation(
    "GET",
    "deploy_tokens",
    ability=Ability.ADMIN_DEPLOY_TOKENS,
    params=ListDeployTokens,
    view=DeployTokenView,
    many=True,
)
def list_deploy_tokens(ctx: ReadContext, p: ListDeployTokens) -> Sequence[DeployToken]:
    """List the deploy tokens of all projects and groups."""
    return deploy_tokens.select_active(ctx, deploy_tokens.list_all(ctx.world), p.active)


@area.operation(
    "GET",
    "deploy_tokens",
    scope=CONTAINERS,
    name="list_{scope}_deploy_tokens",
    ability=Ability.READ_DEPLOY_TOKEN,
    params=ListDeployTokens,
    view=DeployTokenView,
    many=True,
)
def list_container_deploy_tokens(ctx: ReadContext, container: Container, p: ListDeployTokens) -> Sequence[DeployToken]:
    """List the deploy tokens of a project or group."""
    return deploy_tokens.select_active(ctx, deploy_tokens.list_deploy_tokens(ctx.world, container), p.active)


@area.operation(
    "GET",
    "deploy_tokens/:token_id",
    scope=CONTAINERS,
    ability=Ability.READ_DEPLOY_TOKEN,
    view=DeployTokenView,
    refusals=(404,),
    since="14.9",
)
def get_deploy_token(ctx: ReadContext, container: Container, token_id: int) -> DeployToken:
    """Get a deploy token of a project or group."""
    return deploy_tokens.get_deploy_token(ctx.world, container, token_id)


_VIRTUAL: Final = Lifetime(since="<=18.0", values=("read_virtual_registry", "write_virtual_registry"))


class CreateDeployToken(Params):
    """A new deploy token."""

    name: str
    scopes: CommaList[Annotated[DeployTokenScope, _VIRTUAL]]
    expires_at: Moment | None = None
    username: str | None = None


@area.operation(
    "POST",
    "deploy_tokens",
    scope=CONTAINERS,
    ability=Ability.CREATE_DEPLOY_TOKEN,
    params=CreateDeployToken,
    view=DeployTokenWithToken,
    refusals=(400,),
)
def create_deploy_token(ctx: WriteContext, container: Container, p: CreateDeployToken) -> DeployToken:
    """Create a deploy token in a project or group. Only this response contains the token."""
    return deploy_tokens.create(ctx, container, **p.given())


@area.operation(
    "DELETE",
    "deploy_tokens/:token_id",
    scope=CONTAINERS,
    ability=Ability.DESTROY_DEPLOY_TOKEN,
    refusals=(404,),
)
def delete_deploy_token(ctx: WriteContext, container: Container, token_id: int) -> None:
    """Delete a deploy token of a project or group."""
    purge(ctx, deploy_tokens.get_deploy_token(ctx.world, container, token_id))
