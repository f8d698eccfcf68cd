"""What jobs wait for, and the variables that they were started with. Source: docs/platform/graphql.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import jobs
from fakeplat.graphql.ci.jobs import JOB, NEED, needs
from fakeplat.graphql.ci.variables import INTERFACE
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.schema_builder import Type, Union
from fakeplat.model.ci import Job
from fakeplat.model.people import Level
from fakeplat.policy.authorization import level_on
from fakeplat.policy.context import ReadContext

_UNION_SINCE: Final = "<=14.9"
_VARIABLES_SINCE: Final = "<=15.3"


@frozen
class Need:
    """A job that another one names as one that it needs."""

    id: int
    name: str


UNION: Final = Union(
    "JobNeedUnion",
    "What a job waits for.",
    (JOB, NEED),
    lambda record: NEED.name if isinstance(record, Need) else JOB.name,
    since=_UNION_SINCE,
)


@JOB.field("previousStageJobs: CiJobConnection", since="<=16.9")
def previous_stage_jobs(ctx: ReadContext, job: Job) -> Sequence[Job]:
    """The jobs of the stage before."""
    latest = jobs.list_latest(ctx.world, job.pipeline_id)
    return [other for other in latest if other.stage_index == job.stage_index - 1]


@JOB.field("previousStageJobsOrNeeds: JobNeedUnionConnection", since=_UNION_SINCE)
def previous_stage_jobs_or_needs(ctx: ReadContext, job: Job) -> Sequence[Job | Need]:
    """The jobs that it names as needed, else those of the stage before."""
    if job.needs is None:
        return previous_stage_jobs(ctx, job)
    return [Need(other.id, other.name) for other in needs(ctx, job)]


MANUAL_VARIABLE: Final = Type(
    "CiManualVariable",
    "A variable that a job was started with.",
    implements=(INTERFACE.name,),
    since=_VARIABLES_SINCE,
)
MANUAL_VARIABLE.attributes(
    {
        "id: ID!": "The global ID.",
        "key: String": "The name.",
        "value: String": "The value.",
        "variableType: CiVariableType": "How it is passed on.",
        "raw: Boolean": "Whether references to other variables stay as they are.",
        "environmentScope: String": "Always null: the job alone has it.",
    }
)


@frozen
class ManualVariable:
    """A variable that a job was started with."""

    id: str
    key: str
    value: str
    variable_type: str
    raw: bool = False
    environment_scope: str | None = None


@JOB.field("manualVariables: CiManualVariableConnection", since=_VARIABLES_SINCE)
def manual_variables(ctx: ReadContext, job: Job) -> Sequence[ManualVariable] | None:
    """The variables that its user gave: for Developers, and for all members of projects that are not public."""
    project = ctx.world.projects[job.project_id]
    lowest = Level.DEVELOPER if project.visibility == "public" else Level.GUEST
    if job.kind != "build" or level_on(ctx, project) < lowest:
        return None
    given = job.given_variables if job.when in ("manual", "delayed") else ()
    return [
        ManualVariable(
            global_id(ctx, "Ci::JobVariable", f"{job.id}{place:03}"),
            variable.key,
            variable.value,
            variable.variable_type,
        )
        for place, variable in enumerate(given)
    ]
