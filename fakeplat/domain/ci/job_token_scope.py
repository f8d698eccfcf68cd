"""Which jobs may access a project with their tokens: its own, and those of projects and groups on its list."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFoundWithMessage
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.purging import purge
from fakeplat.model.ci import JobTokenAllowance
from fakeplat.model.people import Group, Token
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors


def is_limited(world: World, project: Project) -> bool:
    """Return whether the jobs of other projects need to be on the list of a project."""
    return project.job_token_scope_enabled and world.profile.has(INBOUND_JOB_TOKEN_SCOPE)


def authorize_job(ctx: ReadContext, project: Project) -> None:
    """Raise Forbidden if the caller is a job that may not access a project with its token."""
    token = ctx.token
    if token is None or token.kind != "job" or not is_limited(ctx.world, project):
        return
    origin = ctx.world.projects.get(token.project_id or 0)
    if origin is None or not _is_admitted(ctx.world, project, origin, token):
        name = origin.path if origin else "unknown"
        raise Forbidden(f"Authentication by CI/CD job token not allowed from {name} to {project.path}.")


def _is_admitted(world: World, project: Project, origin: Project, token: Token) -> bool:
    if token.project_id == project.id:
        return True
    targets = {allowance.target for allowance in world.job_token_allowances.where("project", project.id)}
    groups = {("group", group.id) for group in ancestors(world, origin.namespace_id)}
    return ("project", origin.id) in targets or not targets.isdisjoint(groups)


def find_policies(ctx: ReadContext, project: Project) -> Sequence[str] | None:
    """Return the policies of the caller's job in a project; None if it has all, as with default permissions.

    An entry of the job's own project counts before those of its groups, and of these the nearest one.
    """
    token, origin = ctx.token, ctx.world.projects.get(ctx.token.project_id or 0) if ctx.token else None
    if token is None or token.kind != "job" or origin is None or origin.id == project.id:
        return None
    if not is_limited(ctx.world, project):
        return None
    groups = [("group", group.id) for group in ancestors(ctx.world, origin.namespace_id)]
    allowances = {
        allowance.target: allowance for allowance in ctx.world.job_token_allowances.where("project", project.id)
    }
    nearest = next((allowances[each] for each in (("project", origin.id), *groups) if each in allowances), None)
    return None if nearest is None or nearest.default_permissions else nearest.job_token_policies


def list_targets(ctx: ReadContext, project: Project, kind: str) -> Sequence[Routable]:
    """Return the projects or groups on the list of a project; a project is always on its own."""
    allowances = ctx.world.job_token_allowances.where("project", project.id)
    listed = [container_of(ctx.world, allowance.target) for allowance in allowances if allowance.target[0] == kind]
    return [project, *listed] if kind == "project" else listed


def get_target(ctx: ReadContext, kind: str, id_: int) -> Routable:
    """Return the project or group with an id that the caller sees, or 404."""
    find = namespaces.find_project if kind == "project" else namespaces.find_group
    target: Project | Group | None = find(ctx.world, str(id_))
    if target is None or not can_see(ctx, target):
        raise NotFoundWithMessage(f"404 Target {kind} Not Found", reason=f"there is no visible {kind} {id_}")
    return target


def add_target(ctx: WriteContext, project: Project, target: Routable) -> JobTokenAllowance:
    """Put a project or group on the list of a project; 400 if it is there."""
    table, source = ctx.world.job_token_allowances, source_of(target)
    if source == ("project", project.id) or table.find("pair", (project.id, source)):
        raise BadRequest(f"This {source[0]} is already in the job token allowlist.")
    return table.add(JobTokenAllowance(table.next_id(), project.id, source))


def remove_target(ctx: WriteContext, project: Project, target: Routable) -> None:
    """Remove a project or group from the list of a project; 400 for the project itself, 404 for others."""
    source = source_of(target)
    if source == ("project", project.id):
        raise BadRequest("Source project cannot be removed from the job token scope")
    allowance = ctx.world.job_token_allowances.find("pair", (project.id, source))
    if allowance is None:
        raise NotFoundWithMessage(f"404 Target {source[0]} Not Found", reason="it is not on the list")
    purge(ctx, allowance)
