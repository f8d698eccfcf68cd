"""Updates of remote mirrors: their states on the world's clock. Nothing is ever pushed.

Source: docs/platform/projects.md ('Remote mirrors').
"""

from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import MINUTE, SECOND, from_iso
from fakeplat.domain.repository.repositories import is_empty
from fakeplat.model.projects import Project, RemoteMirror
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_START: Final = "start_remote_mirror"
_FINISH: Final = "finish_remote_mirror"
_PAUSE: Final = 5 * MINUTE
_PAUSE_OF_PROTECTED: Final = MINUTE
"""The time between the starts of two updates; the shorter one is for mirrors of protected branches only."""
_OFF: Final = "Cannot proceed with the push mirroring. Please verify your mirror configuration."


def start_update(ctx: WriteContext, project: Project, mirror: RemoteMirror) -> None:
    """Schedule an update of a mirror, unless one is in progress; 400 if the mirror is off."""
    if reason := _explain_off(ctx.world, project, mirror):
        raise BadRequest(_OFF, reason=reason)
    if mirror.update_status != "started":
        ctx.schedule(
            _START, ("remote_mirrors", mirror.id), _next_start(ctx, mirror), in_progress=True, requested=ctx.now_iso
        )


def _explain_off(world: World, project: Project, mirror: RemoteMirror) -> str:
    if not mirror.enabled:
        return f"the mirror {mirror.id} is not enabled"
    if not world.settings.mirror_available:
        return "the application setting mirror_available is off"
    return "the project has no repository" if is_empty(world, project) else ""


def _next_start(ctx: WriteContext, mirror: RemoteMirror) -> int:
    pause = _PAUSE_OF_PROTECTED if mirror.only_protected_branches else _PAUSE
    last = mirror.last_update_started_at
    is_recent = last is not None and from_iso(last) >= ctx.now() - pause
    return ctx.now() + (pause if is_recent else SECOND)


@task_handler(_START)
def _start(ctx: WriteContext, task: ScheduledTask) -> None:
    mirror = ctx.world.remote_mirrors.get(task.subject[1])
    if mirror is None or mirror.update_status == "started" or _has_started_since(mirror, str(task.args["requested"])):
        return
    ctx.world.remote_mirrors.change(mirror, update_status="started", last_update_started_at=ctx.now_iso)
    ctx.schedule(_FINISH, task.subject, ctx.now() + SECOND, in_progress=True)


def _has_started_since(mirror: RemoteMirror, time: str) -> bool:
    last = mirror.last_update_started_at
    return last is not None and mirror.update_status != "failed" and from_iso(last) > from_iso(time)


@task_handler(_FINISH)
def _finish(ctx: WriteContext, task: ScheduledTask) -> None:
    mirror = ctx.world.remote_mirrors.get(task.subject[1])
    if mirror is not None:
        now = ctx.now_iso
        ctx.world.remote_mirrors.change(
            mirror, update_status="finished", last_update_at=now, last_successful_update_at=now, last_error=None
        )
