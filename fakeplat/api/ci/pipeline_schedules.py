"""Pipeline schedules of projects. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.http_messages import JSON, RawBody, dump_json
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import ci_access, pipeline_schedules, pipeline_search
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.pipeline_schedules import ChangedPipelineSchedule, PipelineScheduleBasic, PipelineScheduleView
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.ci.variables import PipelineVariableView
from fakeplat.model.ci import AnyStatus, Pipeline, PipelineSchedule, PipelineVariable, VariableType
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import OWN_SCHEDULES_ARE_TAKEN_WITH_200, SCHEDULES_KEEP_TO_VARIABLE_ROLES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Pipelines", login=Login.ALWAYS)


class ListPipelineSchedules(Paged):
    """Filters of lists of pipeline schedules."""

    scope: pipeline_schedules.Scope | None = None


@area.operation(
    "GET",
    "pipeline_schedules",
    scope=PROJECT,
    ability=Ability.READ_PIPELINE_SCHEDULE,
    params=ListPipelineSchedules,
    view=PipelineScheduleBasic,
    many=True,
)
def list_pipeline_schedules(ctx: ReadContext, project: Project, p: ListPipelineSchedules) -> Sequence[PipelineSchedule]:
    """List the pipeline schedules of a project."""
    return pipeline_schedules.list_schedules(ctx.world, project, p.scope)


@area.operation(
    "GET",
    "pipeline_schedules/:pipeline_schedule_id",
    scope=PROJECT,
    view=PipelineScheduleView,
    refusals=(404,),
)
def get_pipeline_schedule(ctx: ReadContext, project: Project, pipeline_schedule_id: int) -> PipelineSchedule:
    """Get a pipeline schedule with its variables."""
    return pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)


_FILTERED: Final = Lifetime(since="<=18.9")


class ListScheduledPipelines(Paged):
    """Filters and order of the pipelines of a schedule."""

    scope: Annotated[pipeline_search.Scope | None, _FILTERED] = None
    status: Annotated[AnyStatus | None, _FILTERED] = None
    updated_before: Annotated[Moment | None, _FILTERED] = None
    updated_after: Annotated[Moment | None, _FILTERED] = None
    created_before: Annotated[Moment | None, _FILTERED] = None
    created_after: Annotated[Moment | None, _FILTERED] = None
    sort: Annotated[Literal["asc", "desc"], _FILTERED] = "asc"


@area.operation(
    "GET",
    "pipeline_schedules/:pipeline_schedule_id/pipelines",
    scope=PROJECT,
    params=ListScheduledPipelines,
    view=PipelineBasic,
    many=True,
    refusals=(404,),
    since="15.3",
)
def list_pipeline_schedule_pipelines(
    ctx: ReadContext, project: Project, pipeline_schedule_id: int, p: ListScheduledPipelines
) -> Sequence[Pipeline]:
    """List the pipelines that a schedule started, by default the oldest first."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    filters = {name: value for name, value in p.given().items() if name not in ("page", "per_page", "sort")}
    criteria = pipeline_search.PipelineFilter(**filters, schedule_id=schedule.id, descending=p.sort == "desc")
    return pipeline_search.list_pipelines(ctx, project, criteria)


class ScheduleInput(Params):
    """A value for an input of the configuration."""

    name: str
    value: object


class CreatePipelineSchedule(Params):
    """A new pipeline schedule."""

    description: str
    ref: Annotated[str, NotBlank]
    cron: str
    cron_timezone: str = "UTC"
    active: bool = True
    inputs: Annotated[list[ScheduleInput] | None, Lifetime(since="18.1")] = None


@area.operation(
    "POST",
    "pipeline_schedules",
    scope=PROJECT,
    ability=Ability.CREATE_PIPELINE_SCHEDULE,
    params=CreatePipelineSchedule,
    view=ChangedPipelineSchedule,
    refusals=(400,),
)
def create_pipeline_schedule(ctx: WriteContext, project: Project, p: CreatePipelineSchedule) -> PipelineSchedule:
    """Create a pipeline schedule, owned by the caller."""
    pipeline_schedules.validate_ref(ctx, project, p.ref, to="create")
    ref = pipeline_schedules.expand_ref(ctx, project, p.ref)
    fields = {**p.given(), "ref": ref, "inputs": pipeline_schedules.new_inputs(_pairs(p.inputs or ()))}
    return pipeline_schedules.create(ctx, project, ctx.signed_in_user, **fields)


def _pairs(inputs: Sequence[ScheduleInput]) -> list[tuple[str, object]]:
    return [(each.name, each.value) for each in inputs]


class ScheduleInputChange(Params):
    """A new value for an input; with ``destroy``, the schedule gives it none any more."""

    name: str
    destroy: bool = False
    value: object = None


class UpdatePipelineSchedule(Params):
    """Changes of a pipeline schedule."""

    description: str = ""
    ref: str = ""
    cron: str = ""
    cron_timezone: str = "UTC"
    active: bool = True
    inputs: Annotated[list[ScheduleInputChange] | None, Lifetime(since="18.1")] = None


@area.operation(
    "PUT",
    "pipeline_schedules/:pipeline_schedule_id",
    scope=PROJECT,
    params=UpdatePipelineSchedule,
    view=ChangedPipelineSchedule,
    refusals=(400, 403, 404),
)
def update_pipeline_schedule(
    ctx: WriteContext, project: Project, pipeline_schedule_id: int, p: UpdatePipelineSchedule
) -> PipelineSchedule:
    """Update a pipeline schedule of the caller."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_update(ctx, project, schedule)
    given = p.given().get("ref", schedule.ref)
    pipeline_schedules.validate_ref(ctx, project, given, to="update")
    ref = pipeline_schedules.expand_ref(ctx, project, given)
    return pipeline_schedules.update(ctx, schedule, **{**_read_changes(schedule, p), "ref": ref})


def _read_changes(schedule: PipelineSchedule, p: UpdatePipelineSchedule) -> dict[str, Any]:
    sent = p.inputs or ()
    for index, change in enumerate(sent):
        if not change.destroy and "value" not in change.given():
            raise InvalidParams(f"inputs[{index}][value] is missing")
    changes = [(change.name, change.value, change.destroy) for change in sent]
    return {**p.given(), "inputs": pipeline_schedules.changed_inputs(schedule, changes)}


@area.operation(
    "POST",
    "pipeline_schedules/:pipeline_schedule_id/take_ownership",
    scope=PROJECT,
    view=ChangedPipelineSchedule,
    also=(200,),
    refusals=(403, 404),
)
def take_pipeline_schedule_ownership(
    ctx: WriteContext, project: Project, pipeline_schedule_id: int
) -> PipelineSchedule | RawBody:
    """Set the owner of a pipeline schedule to the caller."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_take_ownership(ctx, project, schedule)
    if schedule.owner_id == ctx.signed_in_user.id and ctx.profile.has(OWN_SCHEDULES_ARE_TAKEN_WITH_200):
        return RawBody(dump_json(ChangedPipelineSchedule(schedule, ctx).values()), JSON)
    return pipeline_schedules.own(ctx, schedule, ctx.signed_in_user)


@area.operation("DELETE", "pipeline_schedules/:pipeline_schedule_id", scope=PROJECT, refusals=(403, 404, 412))
def delete_pipeline_schedule(ctx: WriteContext, project: Project, pipeline_schedule_id: int) -> None:
    """Delete a pipeline schedule."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_admin(ctx, project, schedule)
    ctx.check_unmodified_since(schedule.updated_at)
    purge(ctx, schedule)


@area.operation("POST", "pipeline_schedules/:pipeline_schedule_id/play", scope=PROJECT, refusals=(403, 404))
def play_pipeline_schedule(ctx: WriteContext, project: Project, pipeline_schedule_id: int) -> dict[str, str]:
    """Start a pipeline of a schedule now."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_play(ctx, project, schedule)
    pipeline_schedules.play(ctx, schedule, ctx.signed_in_user)
    return {"message": "201 Created"}


class CreateScheduleVariable(Params):
    """A new variable of a pipeline schedule."""

    key: str
    value: str
    variable_type: VariableType = "env_var"


def _authorize_variables(ctx: ReadContext, project: Project) -> None:
    """Refuse with 403 whoever may give no variables to pipelines, in releases that ask for schedules, too."""
    if ctx.profile.has(SCHEDULES_KEEP_TO_VARIABLE_ROLES):
        ci_access.authorize_variables(ctx, project)


@area.operation(
    "POST",
    "pipeline_schedules/:pipeline_schedule_id/variables",
    scope=PROJECT,
    params=CreateScheduleVariable,
    view=PipelineVariableView,
    refusals=(400, 403, 404),
)
def create_pipeline_schedule_variable(
    ctx: WriteContext, project: Project, pipeline_schedule_id: int, p: CreateScheduleVariable
) -> PipelineVariable:
    """Create a variable of a pipeline schedule."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_update(ctx, project, schedule)
    _authorize_variables(ctx, project)
    return pipeline_schedules.create_variable(ctx, schedule, **p.given())


@area.operation(
    "GET",
    "pipeline_schedules/:pipeline_schedule_id/variables/:key",
    scope=PROJECT,
    view=PipelineVariableView,
    refusals=(403, 404),
    since="<=18.9",
)
def get_pipeline_schedule_variable(
    ctx: ReadContext, project: Project, pipeline_schedule_id: int, key: str
) -> PipelineVariable:
    """Get a variable of a pipeline schedule."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_read_variables(ctx, project, schedule)
    return pipeline_schedules.get_variable(schedule, key)


class UpdateScheduleVariable(Params):
    """Changes of a variable of a pipeline schedule."""

    value: str = ""
    variable_type: VariableType = "env_var"


@area.operation(
    "PUT",
    "pipeline_schedules/:pipeline_schedule_id/variables/:key",
    scope=PROJECT,
    params=UpdateScheduleVariable,
    view=PipelineVariableView,
    refusals=(403, 404),
)
def update_pipeline_schedule_variable(
    ctx: WriteContext, project: Project, pipeline_schedule_id: int, key: str, p: UpdateScheduleVariable
) -> PipelineVariable:
    """Update a variable of a pipeline schedule."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_update(ctx, project, schedule)
    _authorize_variables(ctx, project)
    variable = pipeline_schedules.get_variable(schedule, key)
    return pipeline_schedules.update_variable(ctx, schedule, variable, **p.given())


@area.operation(
    "DELETE",
    "pipeline_schedules/:pipeline_schedule_id/variables/:key",
    scope=PROJECT,
    status=202,
    view=PipelineVariableView,
    refusals=(403, 404),
)
def delete_pipeline_schedule_variable(
    ctx: WriteContext, project: Project, pipeline_schedule_id: int, key: str
) -> PipelineVariable:
    """Delete a variable of a pipeline schedule, and show it."""
    schedule = pipeline_schedules.get_schedule(ctx, project, pipeline_schedule_id)
    pipeline_schedules.authorize_admin(ctx, project, schedule)
    _authorize_variables(ctx, project)
    variable = pipeline_schedules.get_variable(schedule, key)
    pipeline_schedules.delete_variable(ctx, schedule, variable)
    return variable
