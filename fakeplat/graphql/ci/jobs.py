"""Stages, groups and jobs of pipelines, and detailed statuses. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import detailed_statuses, jobs
from fakeplat.domain.ci.detailed_statuses import DetailedStatus
from fakeplat.graphql.ci.pipelines import PIPELINE
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.ci import Job, Pipeline
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import READERS_OF_PIPELINES_SEE_JOBS
from fakeplat.policy.context import ReadContext

_SCANS: Final = {
    "sast": "",
    "secret_detection": "",
    "dependency_scanning": "",
    "container_scanning": "",
    "dast": "",
    "coverage_fuzzing": "",
    "api_fuzzing": "<=13.12",
    "cluster_image_scanning": "14.1",
    "sast_iac": "<=16.2",
    "sast_advanced": "<=18.2",
}
"""The kinds of security scans, with the releases that brought them."""
STATUS = Type("DetailedStatus", "A status with its texts, icons and links.")
STATUS.attributes(
    {
        "text: String": "The text.",
        "label: String": "The label.",
        "tooltip: String": "The tooltip.",
        "icon: String": "The name of the icon.",
        "favicon: String": "The path of the favicon.",
        "group: String": "The name of the group of statuses.",
        "hasDetails: Boolean": "Whether the caller can read further details.",
        "detailsPath: String": "The path of the details.",
        "action: StatusAction": "What the caller can do.",
    }
)


@STATUS.field("name: String", since="<=16.9")
def status_name(_ctx: ReadContext, status: DetailedStatus) -> str:
    """The name of the status."""
    return status.group.upper().replace("-", "_")


@STATUS.field("id: String!", since="<=14.3")
def status_id(_ctx: ReadContext, status: DetailedStatus) -> str:
    """The group of the status, and twice the ID of what has it."""
    return f"{status.group}-{status.subject_id}-{status.subject_id}"


STATUS.attributes(
    {"deploymentDetailsPath: String": "The path of the deployment that a job waits to be approved, if it is a bridge."},
    since="<=18.5",
)
ACTION = Type("StatusAction", "The button of a status.")
ACTION.attributes(
    {
        "icon: String": "The name of the icon.",
        "title: String": "The title.",
        "path: String": "The path of the action.",
        "method: String": "The method of the request.",
        "buttonTitle: String": "The title of the button.",
    }
)


@frozen
class Group:
    """Jobs of a stage that are the parts of one job."""

    id: str
    name: str
    jobs: tuple[Job, ...]

    @property
    def size(self) -> int:
        """The number of jobs."""
        return len(self.jobs)


@frozen
class Stage:
    """The jobs of a pipeline in one stage."""

    id: str
    name: str
    pipeline: Pipeline
    jobs: tuple[Job, ...]


STAGE = Type("CiStage", "A stage of a pipeline.")
STAGE.attributes({"name: String": "The name."})
GROUP = Type("CiGroup", "A group of jobs of a stage.")
GROUP.attributes({"name: String": "The name.", "size: Int": "The number of jobs."})
MOST_COUNTED: Final = 1_000
JOB = Type("CiJob", "A job of a pipeline.", implements=("CiJobInterface",))
JOB.attributes({"name: String": "The name.", "scheduledAt: Time": "Timestamp at which a delayed job starts."})


@JOB.total(f'count(limit: Int = {MOST_COUNTED} @lifetime(since: "<=18.2")): Int!', since="<=13.12")
def count(_ctx: ReadContext, rows: Sequence[Job], limit: int | None = None) -> int:
    """The number of all jobs; later releases count no further than one beyond a limit."""
    if limit is None:
        return len(rows)
    if limit <= 0:
        raise GraphQLError("limit must be greater than 0")
    if limit > MOST_COUNTED:
        raise GraphQLError(f"limit must be less than or equal to {MOST_COUNTED}")
    return min(len(rows), limit + 1)


ACTION.attributes({"id: String!": "The class of the job, and the ID of the status."}, since="<=14.3")
ACTION.attributes({"confirmationMessage: String": "What the user is asked before the job is started."}, since="17.0")


@PIPELINE.field("stages: CiStageConnection")
def stages(ctx: ReadContext, pipeline: Pipeline) -> Sequence[Stage] | None:
    """The stages with their jobs, without retried ones."""
    if not can_read_jobs(ctx, pipeline.project_id):
        return None
    by_stage = groupby(jobs.list_latest(ctx.world, pipeline.id), key=lambda job: (job.stage_index, job.stage))
    return [Stage(f"{pipeline.id}-{index}", name, pipeline, tuple(members)) for (index, name), members in by_stage]


Enumeration(
    "SecurityReportTypeEnum",
    "The kind of a security scan.",
    {name.upper(): (name, f"The scan {name.replace('_', ' ')}.", Lifetime(since)) for name, since in _SCANS.items()},
    since="13.6",
)


@PIPELINE.field(
    'jobs(statuses: [CiJobStatus!] @lifetime(since: "<=13.11"), retried: Boolean @lifetime(since: "<=15.3"), '
    'jobKind: CiJobKind @lifetime(since: "<=16.2"), whenExecuted: [String!] @lifetime(since: "15.8"), '
    "securityReportTypes: [SecurityReportTypeEnum!]): CiJobConnection",
    since="13.6",
)
def jobs_of_pipeline(
    ctx: ReadContext,
    pipeline: Pipeline,
    statuses: Sequence[str] | None = None,
    retried: bool | None = None,
    job_kind: str | None = None,
    when_executed: Sequence[str] | None = None,
    security_report_types: Sequence[str] | None = None,
) -> Sequence[Job] | None:
    """The jobs, the newest first; the retried ones and the others, unless only one of both is asked for."""
    if not can_read_jobs(ctx, pipeline.project_id):
        return None
    found = [
        job
        for job in ctx.world.jobs.where("pipeline", pipeline.id)
        if retried in (None, job.retried)
        and (not statuses or job.status in statuses)
        and (not when_executed or job.when in when_executed)
        and (job_kind is None or (job.kind == "bridge") == (job_kind == "bridge"))
        and (not security_report_types or jobs.leaves_report(job, security_report_types))
    ]
    return sorted(found, key=lambda job: -job.id)


@PIPELINE.field("sourceJob: CiJob", since="13.6")
def source_job(ctx: ReadContext, pipeline: Pipeline) -> Job | None:
    """The job that triggered the pipeline."""
    job = ctx.world.jobs.get(pipeline.source_job_id) if pipeline.source_job_id is not None else None
    return job if job is not None and can_read_jobs(ctx, job.project_id) else None


def can_read_jobs(ctx: ReadContext, project_id: int) -> bool:
    """Return whether the caller can read the jobs of pipelines; at first, like statuses of commits."""
    ability = Ability.READ_BUILD if ctx.profile.has(READERS_OF_PIPELINES_SEE_JOBS) else Ability.READ_COMMIT_STATUS
    return can(ctx, ability, ctx.world.projects[project_id])


@STAGE.field("groups: CiGroupConnection")
def groups(_ctx: ReadContext, stage: Stage) -> Sequence[Group]:
    """The jobs by name, where the parts of a job are together."""
    by_name: dict[str, list[Job]] = {}
    for job in stage.jobs:
        by_name.setdefault(jobs.group_name(job), []).append(job)
    return [Group(f"{stage.id}-{name}", name, tuple(members)) for name, members in sorted(by_name.items())]


@STAGE.field("detailedStatus: DetailedStatus")
def status_of_stage(ctx: ReadContext, stage: Stage) -> DetailedStatus:
    """The status of the jobs together."""
    return detailed_statuses.of_stage(ctx.world, stage.pipeline, stage.name, stage.jobs)


@GROUP.field("jobs: CiJobConnection")
def jobs_of_group(_ctx: ReadContext, group: Group) -> Sequence[Job]:
    """The jobs."""
    return group.jobs


@GROUP.field("detailedStatus: DetailedStatus")
def status_of_group(ctx: ReadContext, group: Group) -> DetailedStatus:
    """The status of the jobs together."""
    return detailed_statuses.of_group(ctx, ctx.world.projects[group.jobs[0].project_id], group.jobs)


@JOB.field("pipeline: Pipeline", since="13.6")
def pipeline_of_job(ctx: ReadContext, job: Job) -> Pipeline:
    """The pipeline."""
    return ctx.world.pipelines[job.pipeline_id]


@JOB.field("detailedStatus: DetailedStatus")
def status_of_job(ctx: ReadContext, job: Job) -> DetailedStatus:
    """The status, and what the caller can do."""
    return detailed_statuses.of_job(ctx, ctx.world.projects[job.project_id], job)


NEED = Type("CiBuildNeed", "A job that another one needs.", since="<=13.9")
NEED.attributes({"name: String": "The name."})


@JOB.field("needs: CiBuildNeedConnection", since="<=13.9")
@JOB.field("needs: CiJobConnection", until="<=13.9")
def needs(ctx: ReadContext, job: Job) -> Iterable[Job]:
    """The jobs that this one needs."""
    names = {need.name for need in job.needs or ()}
    return [other for other in jobs.list_latest(ctx.world, job.pipeline_id) if other.name in names]
