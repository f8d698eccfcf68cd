"""Statuses of commits. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import commit_statuses
from fakeplat.domain.ci.commit_statuses import ReportedState
from fakeplat.domain.repository import commits
from fakeplat.entities.ci.commit_statuses import CommitStatusView
from fakeplat.model.ci import Job
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import STATUS_FLAGS_ARE_CHECKED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Commit statuses", login=Login.ALWAYS)
_TRUE: Final = ("true", "t", "yes", "y", "1", "on")
_FALSE: Final = ("false", "f", "no", "n", "0", "off")
_DETAILS: Final = ("target_url", "description", "coverage")


class ListCommitStatuses(Paged):
    """Filters of the list of a commit's statuses. ``all``: also those that were retried."""

    ref: str | None = None
    stage: str | None = None
    name: str | None = None
    all: str | None = None
    pipeline_id: Annotated[int | None, Lifetime(since="<=18.4")] = None
    order_by: Annotated[Literal["id", "pipeline_id"], Lifetime(since="<=18.9")] = "id"
    sort: Annotated[Literal["asc", "desc"], Lifetime(since="<=18.9")] = "asc"


@area.operation(
    "GET",
    "repository/commits/:sha/statuses",
    scope=PROJECT,
    ability=Ability.READ_COMMIT_STATUS,
    params=ListCommitStatuses,
    view=CommitStatusView,
    many=True,
    refusals=(404,),
    reading=Reading(advances=lambda world, records: world.pipelines.where("unfinished", records[-1].id)),
)
def list_commit_statuses(ctx: ReadContext, project: Project, sha: str, p: ListCommitStatuses) -> Sequence[Job]:
    """List the statuses of a commit."""
    _check_all(ctx, p)
    commits.get_commit(ctx.world, project, sha)
    with_retried = (p.all or "").lower() in _TRUE
    # As on the platform, statuses are found by the full hash alone, although other names of the commit are accepted.
    statuses = [
        job
        for job in commit_statuses.list_statuses(ctx.world, project, sha, with_retried=with_retried)
        if (not p.ref or job.ref == p.ref)
        and (not p.stage or job.stage == p.stage)
        and (not p.name or job.name == p.name)
        and p.pipeline_id in (None, job.pipeline_id)
    ]
    ordered = sorted(statuses, key=lambda job: (getattr(job, p.order_by), job.id))
    return ordered if p.sort == "asc" else ordered[::-1]


def _check_all(ctx: ReadContext, p: ListCommitStatuses) -> None:
    if p.all and p.all.lower() not in (*_TRUE, *_FALSE) and ctx.profile.has(STATUS_FLAGS_ARE_CHECKED):
        raise InvalidParams("all is invalid")


class CreateCommitStatus(Params):
    """A status of a commit. ``context`` is another word for ``name``."""

    state: Annotated[ReportedState, Lifetime(since="<=18.4", values=("skipped",))]
    ref: str | None = None
    target_url: str | None = None
    description: str | None = None
    name: str | None = None
    context: str | None = None
    coverage: float | None = None
    pipeline_id: int | None = None


@area.operation(
    "POST",
    "statuses/:sha",
    scope=PROJECT,
    ability=Ability.CREATE_COMMIT_STATUS,
    params=CreateCommitStatus,
    view=CommitStatusView,
    refusals=(400, 403, 404),
)
def create_commit_status(ctx: WriteContext, project: Project, sha: str, p: CreateCommitStatus) -> Job:
    """Report a status of a commit, or change one that is pending or running."""
    names = (name for name in (p.name, p.context, "default") if name is not None)
    # What is empty leaves the value that the status has.
    details = {name: value for name in _DETAILS if (value := getattr(p, name)) not in (None, "")}
    return commit_statuses.report(
        ctx,
        project,
        commits.get_commit(ctx.world, project, sha),
        p.state,
        next(names),
        ref=p.ref,
        pipeline_id=p.pipeline_id,
        **details,
    )
