"""Which jobs may access a project with their tokens: its own, and those of projects and groups on its list."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.purging import purge
from fakeplat.model.ci import JobTokenAllowance, JobTokenPolicy
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
_TOO_MANY: Final = "Validation failed: Source project exceeds the allowable number of"
_LINKS: Final = {"project": "project links in this direction", "group": "group links"}
_NO_TARGET: Final = "The target does not exist"
_NO_ENTRY: Final = "Unable to find a job token scope for the given project & target"
_MAY_NOT_UPDATE: Final = "You have insufficient permission to update this job token scope"
MAX_TARGETS: Final = 200
"""The largest number of projects, and of groups, on a list."""


def is_limited(world: World, project: Project) -> bool:
    """Return whether the jobs of other projects need to be on the list of a project."""
    return project.job_token_scope_enabled and world.profile.has(INBOUND_JOB_TOKEN_SCOPE)


def authorize_job(ctx: ReadContext, project: Project) -> None:
    """Raise Forbidden if the caller is a job that may not access a project with its token."""
    token = ctx.token
    if token is None or token.kind != "job" or not is_limited(ctx.world, project):
        return
    if not is_admitted(ctx.world, project, token):
        origin = ctx.world.projects.get(token.project_id or 0)
        name = origin.path if origin else "unknown"
        raise Forbidden(f"Authentication by CI/CD job token not allowed from {name} to {project.path}.")


def is_admitted(world: World, project: Project, token: Token) -> bool:
    """Return whether the list of a project lets the job of a token access it."""
    origin = world.projects.get(token.project_id or 0)
    if origin is None or origin.id == project.id:
        return origin is not None
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
    listed = [container_of(ctx.world, allowance.target) for allowance in list_allowances(ctx.world, project, kind)]
    return [project, *listed] if kind == "project" else listed


def get_target(world: World, kind: str, id_: int) -> Routable:
    """Return the project or group with an id, even if it is hidden from the caller; 404 for an unknown id."""
    find = namespaces.find_project if kind == "project" else namespaces.find_group
    target: Project | Group | None = find(world, str(id_))
    if target is None:
        raise NotFound(f"target_{kind}_id not found", reason=f"there is no {kind} {id_}")
    return target


def add_target(
    ctx: WriteContext, project: Project, target: Routable, **policies: Unpack["AllowancePolicies"]
) -> JobTokenAllowance:
    """Put a project or group on the list of a project; 400 if it is there, or hidden from the caller."""
    check_target(ctx, target, "project" if isinstance(target, Project) else "group")
    source = source_of(target)
    if source == ("project", project.id):
        raise BadRequest(_OWN, reason="the jobs of a project may access it without an entry")
    if ctx.world.job_token_allowances.find("pair", (project.id, source)):
        text = ctx.profile.choose(JOB_TOKEN_ENTRY_EXISTS).format(source[0])
        raise BadRequest(text, reason="it is on the list")
    allowances = ctx.world.job_token_allowances.where("project", project.id)
    if sum(allowance.target[0] == source[0] for allowance in allowances) >= MAX_TARGETS:
        raise BadRequest(f"{_TOO_MANY} {_LINKS[source[0]]}", reason=f"the list has {MAX_TARGETS} {source[0]}s")
    return create_allowance(ctx, project, source, **policies)


class AllowancePolicies(TypedDict, total=False):
    """What an entry permits, and whether it was made of the log of authorizations."""

    default_permissions: bool
    job_token_policies: tuple[JobTokenPolicy, ...]
    autopopulated: bool


def create_allowance(
    ctx: WriteContext, project: Project, target: tuple[str, int], **policies: Unpack[AllowancePolicies]
) -> JobTokenAllowance:
    """Put a project or group on the list of a project."""
    table, user = ctx.world.job_token_allowances, ctx.signed_in_user
    created = JobTokenAllowance(
        table.next_id(), project.id, target, added_by_id=user.id, created_at=ctx.now_iso, **policies
    )
    return table.add(created)


def check_target(ctx: ReadContext, target: Routable | None, kind: str) -> Routable:
    """Return a project or group that is to be on a list; 400 if there is none, or the caller does not see it."""
    if target is None or not can_see(ctx, target):
        raise BadRequest(_HIDDEN.format(kind), reason=f"there is no such {kind}, or the caller does not see it")
    return target


def find_allowance(world: World, project: Project, target: Routable) -> JobTokenAllowance | None:
    """Return the entry of a project or group on the list of a project."""
    return world.job_token_allowances.find("pair", (project.id, source_of(target)))


def list_allowances(world: World, project: Project, kind: str) -> Sequence[JobTokenAllowance]:
    """Return the entries of projects or groups on the list of a project."""
    allowances = world.job_token_allowances.where("project", project.id)
    return [allowance for allowance in allowances if allowance.target[0] == kind]


def update_policies(
    ctx: WriteContext, project: Project, target: Routable | None, **policies: Unpack[AllowancePolicies]
) -> JobTokenAllowance:
    """Change what the jobs of a project or group may do; 400 if it is not on the list, or hidden from the caller."""
    if target is None:
        raise BadRequest(_NO_TARGET, reason="there is no such project or group")
    if not can_see(ctx, target):
        raise BadRequest(_MAY_NOT_UPDATE, reason="the caller does not see the project or group")
    allowance = find_allowance(ctx.world, project, target)
    if allowance is None:
        raise BadRequest(_NO_ENTRY, reason="it is not on the list")
    return ctx.world.job_token_allowances.change(allowance, **policies)


def remove_target(ctx: WriteContext, project: Project, target: Routable | None, kind: str) -> None:
    """Remove a project or group from the list of a project; 400 for the project itself, and for others."""
    decision = decide(ctx, Ability.ADMIN_PROJECT, project)
    if not decision.allowed:
        raise Forbidden("Insufficient permissions to modify the job token scope", reason=decision.why)
    if target is not None and source_of(target) == ("project", project.id):
        text = "Source project cannot be removed from the job token scope"
        raise BadRequest(text, reason="a project is always on its list")
    allowance = find_allowance(ctx.world, project, target) if target is not None else None
    if allowance is None:
        raise BadRequest(f"Target {kind} is not in the job token scope", reason="it is not on the list")
    purge(ctx, allowance)
