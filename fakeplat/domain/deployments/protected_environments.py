"""Protected environments: who may deploy to them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from fakeplat.core.operations.errors import Conflict, Forbidden, RecordNotFound, Unprocessable
from fakeplat.domain.repository import protection
from fakeplat.model.ci import Job
from fakeplat.model.deployments import ProtectedEnvironment
from fakeplat.model.people import Level, User
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import project_level

_NO_LEVEL: Final = (
    "Deploy access levels access level can't be blank",
    "Deploy access levels access level is not included in the list",
)
_TOO_FEW: Final = "Deploy access levels is too short (minimum is 1 character)"


def list_protected(world: World, project: Project) -> Sequence[ProtectedEnvironment]:
    """Return the protected environments of a project, by name."""
    return sorted(world.protected_environments.where("project", project.id), key=lambda environment: environment.name)


def get_protected(world: World, project: Project, name: str) -> ProtectedEnvironment:
    """Return the protected environment with a name, or refuse with 404."""
    environment = world.protected_environments.find("name", (project.id, name))
    if environment is None:
        raise RecordNotFound(reason=lambda: f"no environment {name!r} of {describe(world, project)} is protected")
    return environment


def protect(ctx: WriteContext, project: Project, name: str, deploy: Iterable[Access]) -> ProtectedEnvironment:
    """Protect an environment; entries of users and groups without access to the project are left out.

    409 if it is protected already, 422 for other faults.
    """
    table = ctx.world.protected_environments
    if table.find("name", (project.id, name)):
        raise Conflict(f"Protected environment '{name}' already exists")
    qualified = tuple(access for access in deploy if _is_qualified(ctx.world, project, access))
    errors = list(_find_errors(name, qualified))
    if errors:
        raise Unprocessable(errors)
    return table.add(ProtectedEnvironment(table.next_id(), project.id, name, qualified, ctx.now_iso))


def _is_qualified(world: World, project: Project, access: Access) -> bool:
    if access.user_id is not None:
        return project_level(world, project, access.user_id) >= Level.DEVELOPER
    shared_with = ("project", project.id), access.group_id
    return access.group_id is None or world.shares.find("pair", shared_with) is not None


def _find_errors(name: str, deploy: Sequence[Access]) -> Iterator[str]:
    if Access() in deploy:
        yield from _NO_LEVEL
    if not deploy:
        yield _TOO_FEW
    if not name.strip():
        yield "Name can't be blank"


def is_protected_from(ctx: ReadContext, project: Project, name: str, user: User | None) -> bool:
    """Return whether a user may not deploy to the environment of a project with a name."""
    environment = ctx.world.protected_environments.find("name", (project.id, name))
    if environment is None or not has_feature(ctx.world, "premium", project):
        return False
    return user is None or not protection.admits(ctx.as_user(user), project, environment.deploy)


def authorize_environment(ctx: ReadContext, project: Project, name: str) -> None:
    """Raise Forbidden if an environment is protected from the caller."""
    if is_protected_from(ctx, project, name, ctx.viewer):
        raise Forbidden(reason=lambda: _explain(ctx, name))


def is_job_barred(ctx: ReadContext, job: Job, user: User | None) -> bool:
    """Return whether the job of a user would deploy to an environment that is protected from the user."""
    project = ctx.world.projects[job.project_id]
    return job.environment is not None and is_protected_from(ctx, project, job.environment.name, user)


def authorize_deployment(ctx: ReadContext, job: Job) -> None:
    """Raise Forbidden if a job deploys to an environment that is protected from the caller."""
    if job.environment is not None:
        authorize_environment(ctx, ctx.world.projects[job.project_id], job.environment.name)


def _explain(ctx: ReadContext, name: str) -> str:
    return f"the environment {name} is protected from {caller_name(ctx)}"
