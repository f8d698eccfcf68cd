"""Deploy keys of the instance and of projects. Source: docs/platform/deploy-keys-tokens.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import deploy_keys
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.deploy_keys import DeployKeyInProject, DeployKeyView, DeployKeyWithProjects
from fakeplat.model.projects import DeployKey, DeployKeyProject, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Deploy keys", login=Login.ALWAYS, located_first=True)
PATH: Final = "deploy_keys/:key_id"


class ListDeployKeys(Paged):
    """Filters of the list of all deploy keys."""

    public: Annotated[bool | None, Lifetime(since="<=15.4")] = None


@area.operation(
    "GET",
    "deploy_keys",
    ability=Ability.ADMIN_DEPLOY_KEYS,
    params=ListDeployKeys,
    view=DeployKeyWithProjects,
    many=True,
)
def list_deploy_keys(ctx: ReadContext, p: ListDeployKeys) -> Sequence[DeployKey]:
    """List the deploy keys of all projects."""
    return deploy_keys.list_all(ctx.world, public=bool(p.public))


class CreateDeployKey(Params):
    """A new deploy key."""

    key: str
    title: str
    expires_at: Annotated[Moment | None, Lifetime(since="<=17.6")] = None


@area.operation(
    "POST",
    "deploy_keys",
    ability=Ability.ADMIN_DEPLOY_KEYS,
    params=CreateDeployKey,
    view=DeployKeyView,
    refusals=(400,),
    since="17.5",
)
def create_deploy_key(ctx: WriteContext, p: CreateDeployKey) -> DeployKey:
    """Create a public deploy key, which can be enabled in every project."""
    return deploy_keys.create(
        ctx,
        title=p.title,
        text=p.key,
        taken="fingerprint_sha256",
        user_id=ctx.signed_in_user.id,
        public=True,
        expires_at=p.expires_at,
    )


@area.operation(
    "GET",
    "deploy_keys",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=Paged,
    view=DeployKeyInProject,
    many=True,
)
def list_project_deploy_keys(ctx: ReadContext, project: Project) -> Sequence[DeployKeyProject]:
    """List the deploy keys that are enabled in a project."""
    return deploy_keys.list_in_project(ctx.world, project)


@area.operation("GET", PATH, scope=PROJECT, ability=Ability.ADMIN_PROJECT, view=DeployKeyInProject, refusals=(404,))
def get_project_deploy_key(ctx: ReadContext, project: Project, key_id: int) -> DeployKeyProject:
    """Get a deploy key of a project."""
    return deploy_keys.require_in_project(ctx.world, project, key_id)


class CreateProjectDeployKey(CreateDeployKey):
    """A new deploy key of a project."""

    can_push: bool | None = None


@area.operation(
    "POST",
    "deploy_keys",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=CreateProjectDeployKey,
    view=DeployKeyInProject,
    refusals=(400,),
)
def create_project_deploy_key(ctx: WriteContext, project: Project, p: CreateProjectDeployKey) -> DeployKeyProject:
    """Add a deploy key to a project; a key that the caller has access to is enabled there."""
    return deploy_keys.add_to_project(
        ctx,
        project,
        title=p.title,
        text=p.key,
        can_push=bool(p.can_push),
        user_id=ctx.signed_in_user.id,
        expires_at=p.expires_at,
    )


class UpdateProjectDeployKey(Params):
    """Changes of a deploy key of a project."""

    rules = (at_least_one_of("title", "can_push"),)

    title: str = ""
    can_push: bool | None = None


@area.operation(
    "PUT",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdateProjectDeployKey,
    view=DeployKeyInProject,
    refusals=(400, 404),
)
def update_project_deploy_key(
    ctx: WriteContext, project: Project, key_id: int, p: UpdateProjectDeployKey
) -> DeployKeyProject:
    """Update a deploy key of a project. Only administrators change the title of a public key."""
    link = deploy_keys.require_in_project(ctx.world, project, key_id)
    return deploy_keys.update(ctx, link, **p.given())


@area.operation("DELETE", PATH, scope=PROJECT, ability=Ability.ADMIN_PROJECT, refusals=(404, 412))
def delete_project_deploy_key(ctx: WriteContext, project: Project, key_id: int) -> None:
    """Remove a deploy key from a project. A private key is deleted with its last project."""
    link = deploy_keys.find_in_project(ctx.world, project, key_id)
    if link is None:
        raise NotFound("Deploy Key", reason=f"the deploy key {key_id} is not enabled in the project")
    ctx.check_unmodified_since(link.updated_at)
    purge(ctx, link)


@area.operation(
    "POST",
    f"{PATH}/enable",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    view=DeployKeyView,
    refusals=(404,),
)
def enable_project_deploy_key(ctx: WriteContext, project: Project, key_id: int) -> DeployKey:
    """Enable a deploy key of another project, or a public one."""
    key = deploy_keys.get_enableable(ctx, key_id)
    deploy_keys.enable(ctx, project, key)
    return key
