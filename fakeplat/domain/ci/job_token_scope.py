"""Which jobs may access a project with their tokens: its own, and those of projects and groups on its list."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.purging import purge
from fakeplat.model.ci import JobTokenAllowance
from fakeplat.model.people import Group, Token
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see, decide
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE, JOB_TOKEN_ENTRY_EXISTS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_HIDDEN: Final = (
    "The target_{} that you are attempting to access does not exist or you don't have permission to perform this action"
)
_OWN: Final = "Validation failed: Target project can't be the same as the source project"


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


def get_target(world: World, kind: str, id_: int) -> Routable:
    """Return the project or group with an id, even if it is hidden from the caller; 404 for an unknown id."""
    find = namespaces.find_project if kind == "project" else namespaces.find_group
    target: Project | Group | None = find(world, str(id_))
    if target is None:
        raise NotFound(f"target_{kind}_id not found", reason=f"there is no {kind} {id_}")
    return target


def add_target(ctx: WriteContext, project: Project, target: Routable) -> JobTokenAllowance:
    """Put a project or group on the list of a project; 400 if it is there, or hidden from the caller."""
    table, source = ctx.world.job_token_allowances, source_of(target)
    if not can_see(ctx, target):
        raise _refuse(_HIDDEN.format(source[0]), f"the caller does not see {source[0]} {source[1]}")
    if source == ("project", project.id):
        raise _refuse(_OWN, "the jobs of a project may access it without an entry")
    if table.find("pair", (project.id, source)):
        raise _refuse(ctx.profile.choose(JOB_TOKEN_ENTRY_EXISTS).format(source[0]), "it is on the list")
    return table.add(JobTokenAllowance(table.next_id(), project.id, source))


def remove_target(ctx: WriteContext, project: Project, target: Routable) -> None:
    """Remove a project or group from the list of a project; 400 for the project itself, and for others."""
    decision = decide(ctx, Ability.ADMIN_PROJECT, project)
    if not decision.allowed:
        raise Forbidden("Insufficient permissions to modify the job token scope", reason=decision.why)
    source = source_of(target)
    if source == ("project", project.id):
        raise _refuse("Source project cannot be removed from the job token scope", "a project is always on its list")
    allowance = ctx.world.job_token_allowances.find("pair", (project.id, source))
    if allowance is None:
        raise _refuse(f"Target {source[0]} is not in the job token scope", "it is not on the list")
    purge(ctx, allowance)


def _refuse(text: str, reason: str) -> BadRequest:
    return BadRequest(f"400 Bad request - {text}", reason=reason)
