"""Pipeline schedules: when they run, and what they create. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, Required, TypedDict, TypeVar, Unpack

import orjson
from attrs import evolve

from fakeplat.core.cron import Cron
from fakeplat.core.operations.errors import Forbidden, InvalidRecord, NotFound
from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.ci.variables import find_key_errors
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors
from fakeplat.model.ci import PipelineSchedule, PipelineVariable, VariableType
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, decide
from fakeplat.policy.behaviours import (
    CRON_TEXT,
    MAINTAINERS_TAKE_SCHEDULES,
    SCHEDULE_INPUTS_ARE_HIDDEN,
    SCHEDULE_VARIABLES_ARE_HIDDEN,
    SCHEDULES_KEEP_TO_OPEN_REFS,
    SCHEDULES_NAME_FULL_REFS,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

Scope = Literal["active", "inactive"]

_RUN: Final = "run_pipeline_schedule"
_PLAY: Final = "play_pipeline_schedule"
_LONGEST_NAME: Final = 255
_NAME_TOO_LONG: Final = f"is too long (maximum is {_LONGEST_NAME} characters)"
_LONGEST_VALUE: Final = 1_024
_VALUE_TOO_LONG: Final = f"exceeds max serialized size: {_LONGEST_VALUE} characters"
_WORKER_CRON: Final = "19 * * * *"
"""The times at which the platform looks for schedules that are due, by default."""


def list_schedules(world: World, project: Project, scope: Scope | None = None) -> Sequence[PipelineSchedule]:
    """Return the schedules of a project: all, the active or the inactive ones."""
    schedules = world.pipeline_schedules.where("project", project.id)
    if scope is None:
        return schedules
    return [schedule for schedule in schedules if schedule.active == (scope == "active")]


def get_schedule(ctx: ReadContext, project: Project, id_: int) -> PipelineSchedule:
    """Return a schedule of a project, or refuse with 404; callers who may not read it get 404 for every id."""
    decision = decide(ctx, Ability.READ_PIPELINE_SCHEDULE, project)
    if not decision.allowed:
        raise NotFound("Pipeline Schedule", reason=decision.why)
    schedule = ctx.world.pipeline_schedules.get(id_)
    if schedule is None or schedule.project_id != project.id:
        raise NotFound("Pipeline Schedule", reason=lambda: f"{describe(ctx.world, project)} has no schedule {id_}")
    return schedule


# Rights


def authorize_update(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> None:
    """Refuse with 403 unless the caller may change builds, and owns the schedule or is an administrator.

    In later releases, the ref must be open to the caller, too.
    """
    authorize(ctx, Ability.UPDATE_BUILD, project)
    if not (ctx.admin or _is_owned(ctx, schedule)):
        raise Forbidden(reason=f"schedule {schedule.id} is owned by somebody else")
    if ctx.profile.has(SCHEDULES_KEEP_TO_OPEN_REFS):
        _authorize_ref(ctx, project, schedule.ref)


def authorize_admin(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> None:
    """Refuse with 403 unless the caller owns the schedule, or may administer the project's pipelines."""
    authorize(ctx, Ability.UPDATE_BUILD if _is_owned(ctx, schedule) else Ability.ADMIN_PIPELINE, project)


def authorize_read_variables(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> None:
    """Refuse with 403 unless the caller owns the schedule, or may administer the project's pipelines."""
    if not _may_read_values(ctx, project, schedule):
        raise Forbidden(reason=f"schedule {schedule.id} is owned by somebody else")


def can_read_inputs(ctx: ReadContext, schedule: PipelineSchedule) -> bool:
    """Return whether the caller sees the inputs of a schedule; at first, all see them who see the schedule."""
    is_hidden = ctx.profile.has(SCHEDULE_INPUTS_ARE_HIDDEN)
    return not is_hidden or _may_read_values(ctx, ctx.world.projects[schedule.project_id], schedule)


def can_read_variables(ctx: ReadContext, schedule: PipelineSchedule) -> bool:
    """Return whether the caller sees the variables of a schedule; earlier, all see them who see the schedule."""
    is_hidden = ctx.profile.has(SCHEDULE_VARIABLES_ARE_HIDDEN)
    return not is_hidden or _may_read_values(ctx, ctx.world.projects[schedule.project_id], schedule)


def _may_read_values(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> bool:
    ability = Ability.UPDATE_BUILD if _is_owned(ctx, schedule) else Ability.ADMIN_PIPELINE
    return can(ctx, ability, project)


def _is_owned(ctx: ReadContext, schedule: PipelineSchedule) -> bool:
    return ctx.viewer is not None and ctx.viewer.id == schedule.owner_id


def authorize_take_ownership(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> None:
    """Refuse with 403 unless the caller may become the owner of the schedule.

    At first the platform asked for the right to update it, which maintainers do not have.
    """
    if ctx.profile.has(MAINTAINERS_TAKE_SCHEDULES):
        authorize_admin(ctx, project, schedule)
    else:
        authorize_update(ctx, project, schedule)


def authorize_play(ctx: ReadContext, project: Project, schedule: PipelineSchedule) -> None:
    """Refuse with 403 unless the caller may create pipelines, and change the ref if it is protected."""
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    _authorize_ref(ctx, project, schedule.ref)


def _authorize_ref(ctx: ReadContext, project: Project, ref: str) -> None:
    if _is_ref_closed(ctx, project, ref):
        raise Forbidden(reason=f"{ref} is protected")


def _is_ref_closed(ctx: ReadContext, project: Project, ref: str) -> bool:
    name = shorten_ref(ref)
    if is_tag(ctx, project, ref):
        return not protection.can_create_tag(ctx, project, name)
    return not (protection.can_push(ctx, project, name) or protection.can_merge(ctx, project, name))


# Refs


def shorten_ref(ref: str) -> str:
    """Return the name of the branch or tag that a schedule names in short or in full."""
    return ref.removeprefix(BRANCHES).removeprefix(TAGS)


def is_tag(ctx: ReadContext, project: Project, ref: str) -> bool:
    """Return whether a schedule names a tag; a short name is one if there is such a tag."""
    if ref.startswith((BRANCHES, TAGS)):
        return ref.startswith(TAGS)
    return repositories.open_repository(ctx.world, project).find_tag(ref) is not None


def validate_ref(ctx: ReadContext, project: Project, ref: str, *, to: Literal["create", "update"]) -> None:
    """Refuse with 400 a ref that is closed to the caller, in releases whose schedules keep to open ones."""
    if ctx.profile.has(SCHEDULES_KEEP_TO_OPEN_REFS) and _is_ref_closed(ctx, project, ref):
        message = f"The current user is not authorized to {to} the pipeline schedule"
        raise InvalidRecord({"base": [message]}, reason=f"{ref} is protected")


def expand_ref(ctx: ReadContext, project: Project, ref: str) -> str:
    """Return the full name of a branch or tag; refuse with 400 if there is neither, or both. At first, it stays."""
    if not ctx.profile.has(SCHEDULES_NAME_FULL_REFS) or (ref.startswith((BRANCHES, TAGS)) and shorten_ref(ref)):
        return ref
    refs = repositories.open_repository(ctx.world, project).refs
    names = [name for name in (BRANCHES + ref, TAGS + ref) if name in refs]
    if len(names) != 1:
        raise InvalidRecord({"ref": ["is ambiguous"]}, reason=f"{ref!r} is no branch or tag, or it is both")
    return names[0]


# Changes


class NewSchedule(TypedDict, total=False):
    """The fields of a new schedule."""

    description: Required[str]
    ref: Required[str]
    cron: Required[str]
    created_at: str
    updated_at: str
    cron_timezone: str
    active: bool
    next_run_at: str | None
    variables: tuple[PipelineVariable, ...]
    inputs: Mapping[str, object]


class ScheduleChanges(TypedDict, total=False):
    """Changes of a schedule."""

    description: str
    ref: str
    cron: str
    cron_timezone: str
    active: bool
    next_run_at: str | None
    owner_id: int
    updated_at: str
    inputs: Mapping[str, object]


F = TypeVar("F", NewSchedule, ScheduleChanges)


def create(ctx: WriteContext, project: Project, owner: User | None, **fields: Unpack[NewSchedule]) -> PipelineSchedule:
    """Create a schedule; its next run is computed unless it is among the fields."""
    table, now = ctx.world.pipeline_schedules, ctx.now_iso
    owner_id = None if owner is None else owner.id
    values: NewSchedule = {"created_at": now, "updated_at": now, **_stripped(fields)}
    schedule = PipelineSchedule(id=table.next_id(), project_id=project.id, owner_id=owner_id, **values)
    errors = _list_errors(ctx, schedule)
    limit = ctx.world.settings.ci_pipeline_schedules
    is_full = 0 < limit <= len(list_schedules(ctx.world, project))
    errors.when(is_full, "base", f"Maximum number of ci pipeline schedules ({limit}) exceeded")
    errors.refuse()
    next_run_at = fields.get("next_run_at") or _next_run(schedule, ctx.now())
    return _schedule_run(ctx, table.add(evolve(schedule, next_run_at=next_run_at)))


def update(ctx: WriteContext, schedule: PipelineSchedule, **fields: Unpack[ScheduleChanges]) -> PipelineSchedule:
    """Change fields of a schedule. Its next run is computed again, whatever is changed."""
    changed = evolve(schedule, **_stripped(fields))
    _list_errors(ctx, changed).refuse()
    return _save(ctx, changed)


def new_inputs(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Return the inputs of a new schedule, or refuse with 400 if a name is there twice."""
    inputs: dict[str, object] = {}
    for name, value in pairs:
        errors = ValidationErrors()
        errors.when(name in inputs, "inputs.name", TAKEN)
        errors.refuse()
        inputs[name] = value
    return inputs


def changed_inputs(schedule: PipelineSchedule, changes: Iterable[tuple[str, object, bool]]) -> dict[str, object]:
    """Return the inputs of a schedule after changes of their values; a change may remove an input."""
    inputs = dict(schedule.inputs)
    for name, value, is_removed in changes:
        inputs.pop(name, None)
        if not is_removed:
            inputs[name] = value
    return inputs


def own(ctx: WriteContext, schedule: PipelineSchedule, owner: User) -> PipelineSchedule:
    """Make a user the owner of a schedule."""
    return _save(ctx, evolve(schedule, owner_id=owner.id))


def _save(ctx: WriteContext, schedule: PipelineSchedule) -> PipelineSchedule:
    table = ctx.world.pipeline_schedules
    before = table[schedule.id]
    saved = evolve(schedule, next_run_at=_next_run(schedule, ctx.now()))
    if saved != before:
        saved = table.replace(before, evolve(saved, updated_at=ctx.now_iso))
    return _schedule_run(ctx, saved)


def _stripped(fields: F) -> F:
    stripped = fields.copy()
    if "cron" in stripped:
        stripped["cron"] = (stripped["cron"] or "").strip()
    return stripped


def _list_errors(ctx: WriteContext, schedule: PipelineSchedule) -> ValidationErrors:
    errors, invalid_syntax = ValidationErrors(), ctx.profile.choose(CRON_TEXT)
    errors.when(not _is_valid("* * * * *", schedule.cron_timezone), "cron_timezone", invalid_syntax)
    errors.when(not _is_valid(schedule.cron, "UTC"), "cron", invalid_syntax)
    for name in ("cron", "cron_timezone", "ref", "description"):
        errors.when(not (getattr(schedule, name) or "").strip(), name, BLANK)
    for input_name, value in schedule.inputs.items():
        errors.when(not input_name.strip(), "inputs.name", BLANK)
        errors.when(len(input_name) > _LONGEST_NAME, "inputs.name", _NAME_TOO_LONG)
        errors.when(len(orjson.dumps(value)) > _LONGEST_VALUE, "inputs.value", _VALUE_TOO_LONG)
    return errors


def _is_valid(cron: str, timezone: str) -> bool:
    try:
        _parse_cron(cron, timezone)
    except ValueError:
        return False
    return True


def _parse_cron(expression: str, timezone: str = "UTC") -> Cron:
    return Cron.parse(expression, timezone)


def _next_run(schedule: PipelineSchedule, now: int) -> str:
    """Return the time of the next run: the first look of the platform for due schedules at or after the next date."""
    worker = _parse_cron(_WORKER_CRON)
    date = _parse_cron(schedule.cron, schedule.cron_timezone).next_after(now)
    return to_iso(date if date == worker.next_after(now) else worker.next_after(date))


# Runs


def _subject(schedule: PipelineSchedule) -> Subject:
    return ("pipeline_schedules", schedule.id)


def _schedule_run(ctx: WriteContext, schedule: PipelineSchedule) -> PipelineSchedule:
    ctx.cancel_tasks(_subject(schedule), _RUN)
    if schedule.active and schedule.next_run_at is not None:
        ctx.schedule(_RUN, _subject(schedule), from_iso(schedule.next_run_at), recurring=True)
    return schedule


@task_handler(_RUN)
def _run_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    schedule = _save(ctx, ctx.world.pipeline_schedules[task.subject[1]])
    if schedule.owner_id is not None:
        _create_pipeline(ctx, schedule, ctx.world.users[schedule.owner_id])


def play(ctx: WriteContext, schedule: PipelineSchedule, user: User) -> None:
    """Create the pipeline of a schedule now, in the name of a user, after the response was sent."""
    ctx.schedule(_PLAY, _subject(schedule), ctx.now(), user_id=user.id)


@task_handler(_PLAY)
def _run_at_once(ctx: WriteContext, task: ScheduledTask) -> None:
    user = ctx.world.users.get(task.args["user_id"])
    if user is not None:
        _create_pipeline(ctx, ctx.world.pipeline_schedules[task.subject[1]], user)


def _create_pipeline(ctx: WriteContext, schedule: PipelineSchedule, user: User) -> None:
    """Create the pipeline of a schedule. If that is refused, nobody is told, and the schedule goes on."""
    ctx.act_as(user)
    with ctx.attempt():
        pipeline = pipeline_creation.create_pipeline(
            ctx,
            ctx.world.projects[schedule.project_id],
            schedule.ref,
            source="schedule",
            variables=schedule.variables,
            schedule_id=schedule.id,
            inputs=schedule.inputs,
        )
        ctx.world.pipeline_schedules.change(schedule, last_pipeline_id=pipeline.id)


# Variables


def get_variable(schedule: PipelineSchedule, key: str) -> PipelineVariable:
    """Return the variable of a schedule with a key, or refuse with 404."""
    variable = next((variable for variable in schedule.variables if variable.key == key), None)
    if variable is None:
        raise NotFound("Pipeline Schedule Variable", reason=f"schedule {schedule.id} has no variable {key!r}")
    return variable


class NewScheduleVariable(TypedDict, total=False):
    """The fields of a new variable."""

    key: Required[str]
    value: Required[str]
    variable_type: VariableType


class ScheduleVariableChanges(TypedDict, total=False):
    """Changes of a variable."""

    value: str
    variable_type: VariableType


def create_variable(
    ctx: WriteContext, schedule: PipelineSchedule, **fields: Unpack[NewScheduleVariable]
) -> PipelineVariable:
    """Add a variable to a schedule."""
    fields["key"] = fields["key"].strip()
    variable = PipelineVariable(**fields)
    errors = ValidationErrors()
    find_key_errors(variable.key, errors)
    errors.when(variable.key in [other.key for other in schedule.variables], "key", TAKEN)
    errors.refuse()
    _set_variables(ctx, schedule, [*schedule.variables, variable])
    return variable


def update_variable(
    ctx: WriteContext, schedule: PipelineSchedule, variable: PipelineVariable, **fields: Unpack[ScheduleVariableChanges]
) -> PipelineVariable:
    """Change the value or the type of a variable of a schedule."""
    changed = evolve(variable, **fields)
    _set_variables(ctx, schedule, [changed if other is variable else other for other in schedule.variables])
    return changed


def delete_variable(ctx: WriteContext, schedule: PipelineSchedule, variable: PipelineVariable) -> None:
    """Remove a variable from a schedule."""
    _set_variables(ctx, schedule, [other for other in schedule.variables if other is not variable])


def _set_variables(ctx: WriteContext, schedule: PipelineSchedule, variables: Sequence[PipelineVariable]) -> None:
    ctx.world.pipeline_schedules.change(schedule, variables=tuple(variables))
