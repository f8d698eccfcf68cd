"""The log of the projects whose jobs accessed another project with their tokens, and lists that are made of it.

Source: docs/platform/pipelines-jobs.md.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.timestamps import MINUTE, from_iso
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.purging import purge
from fakeplat.model.ci import JobTokenAuthorization
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import JOB_TOKEN_USE_IS_LOGGED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_INTERVAL: Final = 5 * MINUTE
_CANNOT_BE_COMPACTED: Final = "CompactionLimitCannotBeAchievedError"
Path = tuple[tuple[str, int], ...]
"""The groups of a project, outermost first, and the project itself, each with its kind and id."""


def find_due_origin(ctx: ReadContext, project: Project) -> Project | None:
    """Return the project of the caller's job if its access to another project is to be logged now, else None."""
    token = ctx.token
    if token is None or token.kind != "job" or token.project_id == project.id:
        return None
    if not ctx.profile.has(JOB_TOKEN_USE_IS_LOGGED):
        return None
    known = ctx.world.job_token_authorizations.find("pair", (project.id, token.project_id))
    is_due = known is None or ctx.has_passed(from_iso(known.last_authorized_at) + _INTERVAL)
    return ctx.world.projects.get(token.project_id or 0) if is_due else None


def record_access(ctx: WriteContext, accessed: Project, origin: Project) -> None:
    """Log that a job of a project accessed another one."""
    table = ctx.world.job_token_authorizations
    known = table.find("pair", (accessed.id, origin.id))
    if known is not None:
        table.change(known, last_authorized_at=ctx.now_iso)
    # What was accessed may have been deleted by that.
    elif ctx.world.projects.get(accessed.id) is not None:
        table.add(JobTokenAuthorization(table.next_id(), accessed.id, origin.id, ctx.now_iso))


def list_authorizations(world: World, project: Project) -> Sequence[JobTokenAuthorization]:
    """Return the accesses to a project by jobs of others."""
    return world.job_token_authorizations.where("accessed_project", project.id)


def clear_autopopulated(ctx: WriteContext, project: Project) -> None:
    """Take from the list of a project what was made of the log."""
    for allowance in list(ctx.world.job_token_allowances.where("project", project.id)):
        if allowance.autopopulated:
            purge(ctx, allowance)


def autopopulate(ctx: WriteContext, project: Project) -> None:
    """Put the projects in the log on the list of a project, or their groups if they are too many, and limit access."""
    clear_autopopulated(ctx, project)
    allowances = ctx.world.job_token_allowances.where("project", project.id)
    listed = {allowance.target for allowance in allowances}
    # A project is always on its own list.
    room = job_token_scope.MAX_TARGETS - len(listed) - 1
    origins = (ctx.world.projects[row.origin_project_id] for row in list_authorizations(ctx.world, project))
    paths = [path for path in (_path_of(ctx.world, origin) for origin in origins) if listed.isdisjoint(path)]
    for path in sorted(_compact(paths, room)):
        job_token_scope.create_allowance(ctx, project, path[-1], autopopulated=True)
    ctx.world.projects.change(project, job_token_scope_enabled=True)


def _path_of(world: World, project: Project) -> Path:
    above = [("group", namespace.id) for namespace in ancestors(world, project.namespace_id)]
    return (*reversed(above), ("project", project.id))


def _compact(paths: Sequence[Path], limit: int) -> Sequence[Path]:
    """Join paths with the most common group until there are few enough."""
    while len(paths) > limit:
        groups = Counter(path[:-1] for path in paths if len(path) > 1)
        common = [(len(group), times, group) for group, times in groups.items() if times > 1]
        if not common:
            raise BadRequest(_CANNOT_BE_COMPACTED, reason=f"more than {limit} projects have no group in common")
        (_, _, joined) = max(common)
        paths = list(dict.fromkeys(joined if path[: len(joined)] == joined else path for path in paths))
    return paths
