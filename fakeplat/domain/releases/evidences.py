"""Evidence: what a release consists of, collected when it is released. Source: docs/platform/releases.md.

Releases that were entered after the fact have none.
"""

from typing import Any, Final

import orjson

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Milestone
from fakeplat.model.releases import Evidence, Release
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_TASK: Final = "collect_evidence"
_DELAY: Final = 100
"""The time (ms) that the platform's background job takes."""


def list_evidences(world: World, release: Release) -> list[Evidence]:
    """Return the evidence of a release, oldest first."""
    return list(world.evidences.where("release", release.id))


def schedule(ctx: WriteContext, release: Release) -> None:
    """Let evidence be collected now or, of an upcoming release, when it is released; once at most."""
    subject = "releases", release.id
    ctx.cancel_tasks(subject, _TASK)
    if release.is_historical or list_evidences(ctx.world, release):
        return
    soon, released = ctx.now() + _DELAY, from_iso(release.released_at)
    if released <= ctx.now():
        ctx.schedule(_TASK, subject, soon, in_progress=True)
    else:
        # Nobody waits for an upcoming release: that could advance the clock by years.
        ctx.schedule(_TASK, subject, released, recurring=True)


def schedule_another(ctx: WriteContext, release: Release) -> None:
    """Let evidence be collected on request, besides what there is."""
    ctx.schedule(_TASK, ("releases", release.id), ctx.now() + _DELAY, in_progress=True)


@task_handler(_TASK)
def _collect(ctx: WriteContext, task: ScheduledTask) -> None:
    collect(ctx, ctx.world.releases[task.subject[1]])


def collect(ctx: WriteContext, release: Release) -> Evidence:
    """Record what a release consists of now."""
    table = ctx.world.evidences
    summary = orjson.dumps({"release": _describe_release(ctx.world, release)}).decode()
    return table.add(Evidence(table.next_id(), release.id, summary, ctx.now_iso))


def _describe_release(world: World, release: Release) -> dict[str, Any]:
    project = world.projects[release.project_id]
    return {
        "id": release.id,
        "tag_name": release.tag_name,
        "name": release.name,
        "description": release.description,
        "created_at": release.created_at,
        "project": {
            "id": project.id,
            "name": project.name,
            "description": project.description,
            "created_at": project.created_at,
        },
        "milestones": [_describe_milestone(world, world.milestones[id_]) for id_ in release.milestone_ids],
    }


def _describe_milestone(world: World, milestone: Milestone) -> dict[str, Any]:
    issues = (world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("milestone", milestone.id))))
    fields = ("id", "title", "description", "state", "iid", "due_date", "created_at")
    shown = {name: getattr(milestone, name) for name in fields}
    return {**shown, "issues": [_describe_issue(issue) for issue in issues]}


def _describe_issue(issue: Issue) -> dict[str, Any]:
    fields = ("id", "title", "description", "state", "iid", "confidential", "created_at", "due_date")
    return {name: getattr(issue, name) for name in fields}
