"""Updates of pull mirrors: their states on the world's clock. The mirrored repository is never asked."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_START: Final = "start_pull_mirror"
_FINISH: Final = "finish_pull_mirror"
_IN_PROGRESS: Final = ("scheduled", "started")


def start_update(ctx: WriteContext, project: Project) -> None:
    """Schedule an update of a mirror, unless one is in progress; 400 for a project that is no mirror."""
    if not project.mirror:
        raise BadRequest(
            "The project is not mirrored", reason=lambda: f"mirror of {describe(ctx.world, project)} is off"
        )
    if project.import_status in _IN_PROGRESS:
        return
    ctx.world.projects.change(project, import_status="scheduled")
    ctx.schedule(_START, ("projects", project.id), ctx.now() + SECOND, in_progress=True)


@task_handler(_START)
def _start(ctx: WriteContext, task: ScheduledTask) -> None:
    project = ctx.world.projects.get(task.subject[1])
    if project is not None:
        ctx.world.projects.change(project, import_status="started")
        ctx.schedule(_FINISH, ("projects", project.id), ctx.now() + SECOND, in_progress=True)


@task_handler(_FINISH)
def _finish(ctx: WriteContext, task: ScheduledTask) -> None:
    project = ctx.world.projects.get(task.subject[1])
    if project is not None:
        ctx.world.projects.change(project, import_status="finished", import_error=None)
