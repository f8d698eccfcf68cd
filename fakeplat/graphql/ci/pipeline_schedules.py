"""Pipeline schedules of projects, and their mutations.

Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, get_args
from zlib import crc32

from fakeplat.core.operations.errors import Forbidden, InvalidRecord, RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import ci_access, pipeline_schedules
from fakeplat.domain.ci.pipeline_schedules import NewSchedule, ScheduleChanges, Scope
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.graphql.ci.variables import INTERFACE
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, Type, mutation
from fakeplat.model.ci import Pipeline, PipelineSchedule, PipelineVariable, VariableType
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import SCHEDULES_KEEP_TO_VARIABLE_ROLES
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.8"
_LATER: Final = "<=16.2"
_CHANGES: Final = "<=16.3"
_LATEST: Final = "<=18.5"
_INPUTS: Final = "17.10"
_COLUMNS: Final = ("id", "description", "ref", "next_run_at", "created_at", "updated_at")


def _unchanged(value: object) -> Any:
    return value


Scalar("CiPipelineScheduleID", "The global ID of a record of the type Ci::PipelineSchedule.", since=_SINCE)
Scalar("CiInputsValue", "The value of an input.", _unchanged, _unchanged, since="17.10")
Scalar("CiPipelineScheduleVariableID", "The global ID of a variable of a pipeline schedule.", since=_CHANGES)
Enumeration(
    "PipelineScheduleStatus",
    "Whether a schedule is active.",
    {scope.upper(): (scope, f"The schedule is {scope}.") for scope in get_args(Scope)},
    since=_SINCE,
)
Enumeration(
    "PipelineScheduleSort",
    "The order of schedules.",
    {
        f"{column.upper()}_{direction}": ((column, direction == "DESC"), f"By {column.replace('_', ' ')}.")
        for column in _COLUMNS
        for direction in ("DESC", "ASC")
    },
    since=_LATEST,
)
SCHEDULE: Final = Type(
    "PipelineSchedule", "A pipeline schedule.", gid="Ci::PipelineSchedule", has_count=True, since=_SINCE
)
SCHEDULE.attributes(
    {
        "description: String": "The description.",
        "active: Boolean!": "Whether it runs.",
        "cron: String!": "The times of its runs.",
        "cronTimezone: String!": "The time zone of these times.",
        "nextRunAt: Time": "Timestamp of the next run.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
VARIABLE: Final = Type(
    "PipelineScheduleVariable",
    "A variable of a pipeline schedule.",
    gid="Ci::PipelineScheduleVariable",
    since=_SINCE,
    implements=(INTERFACE.name,),
)
VARIABLE.attributes(
    {
        "key: String": "The name.",
        "value: String": "The value.",
        "variableType: CiVariableType": "How it is passed on.",
    }
)
PERMISSIONS: Final = Type("PipelineSchedulePermissions", "What the caller may do with a schedule.", since=_SINCE)


@frozen
class ScheduleVariable:
    """A variable of a schedule, with an id that its key decides."""

    id: int
    key: str
    value: str
    variable_type: str


def _id_of_variable(schedule: PipelineSchedule, variable: PipelineVariable) -> int:
    return crc32(f"{schedule.id}:{variable.key}".encode())


@VARIABLE.field("raw: Boolean")
def is_raw(_ctx: ReadContext, _variable: ScheduleVariable) -> bool:
    """Whether references to other variables stay as they are, which they do not."""
    return False


@PROJECT.field(
    f"""pipelineSchedules(status: PipelineScheduleStatus, ids: [ID!] @lifetime(since: "{_LATER}"),
        sort: PipelineScheduleSort @lifetime(since: "{_LATEST}")): PipelineScheduleConnection""",
    since=_SINCE,
)
def schedules_of(
    ctx: ReadContext,
    project: Project,
    status: Scope | None = None,
    ids: Sequence[str] | None = None,
    sort: tuple[str, bool] | None = None,
) -> Sequence[PipelineSchedule]:
    """The schedules of the project, the oldest first unless an order is given."""
    if not can(ctx, Ability.READ_PIPELINE_SCHEDULE, project):
        return ()
    # Clients may send plain numbers, too.
    numbers = {each.rpartition("/")[2] for each in ids or ()}
    found = [
        each
        for each in pipeline_schedules.list_schedules(ctx.world, project, status)
        if not numbers or str(each.id) in numbers
    ]
    column, descending = sort or ("id", False)
    return sorted(found, key=lambda each: (getattr(each, column) or "", each.id), reverse=descending)


def _project_of(ctx: ReadContext, schedule: PipelineSchedule) -> Project:
    return ctx.world.projects[schedule.project_id]


def _path(ctx: ReadContext, schedule: PipelineSchedule, rest: str) -> str:
    return f"/{namespaces.project_path(ctx.world, _project_of(ctx, schedule))}/-/{rest}"


@SCHEDULE.field("project: Project")
def project_of(ctx: ReadContext, schedule: PipelineSchedule) -> Project:
    """The project."""
    return _project_of(ctx, schedule)


@SCHEDULE.field("owner: User")
def owner_of(ctx: ReadContext, schedule: PipelineSchedule) -> User | None:
    """The user in whose name it runs."""
    return ctx.world.users.get(schedule.owner_id or 0)


@SCHEDULE.field("lastPipeline: Pipeline")
def last_pipeline(ctx: ReadContext, schedule: PipelineSchedule) -> Pipeline | None:
    """The newest pipeline that it created."""
    return ctx.world.pipelines.get(schedule.last_pipeline_id or 0)


@SCHEDULE.field("realNextRun: Time")
def real_next_run(_ctx: ReadContext, schedule: PipelineSchedule) -> str | None:
    """Timestamp of the next run."""
    return schedule.next_run_at


@SCHEDULE.field("ref: String")
@SCHEDULE.field("refForDisplay: String")
def shown_ref(_ctx: ReadContext, schedule: PipelineSchedule) -> str:
    """The branch or tag."""
    return pipeline_schedules.shorten_ref(schedule.ref)


@SCHEDULE.field("refPath: String")
def ref_path(ctx: ReadContext, schedule: PipelineSchedule) -> str:
    """The path of the commits of the branch or tag."""
    return _path(ctx, schedule, f"commits/{pipeline_schedules.shorten_ref(schedule.ref)}")


@SCHEDULE.field("forTag: Boolean!")
def is_for_tag(ctx: ReadContext, schedule: PipelineSchedule) -> bool:
    """Whether the ref is a tag."""
    return pipeline_schedules.is_tag(ctx, _project_of(ctx, schedule), schedule.ref)


Check = Callable[[ReadContext, Project, PipelineSchedule], None]


def _passes(check: Check, ctx: ReadContext, schedule: PipelineSchedule) -> bool:
    try:
        check(ctx, _project_of(ctx, schedule), schedule)
    except Forbidden:
        return False
    return True


@SCHEDULE.field("editPath: String")
def edit_path(ctx: ReadContext, schedule: PipelineSchedule) -> str | None:
    """The path of the page for changes, for those who may make them."""
    may_edit = _passes(pipeline_schedules.authorize_update, ctx, schedule)
    return _path(ctx, schedule, f"pipeline_schedules/{schedule.id}/edit") if may_edit else None


@SCHEDULE.field("variables: PipelineScheduleVariableConnection")
def variables_of(ctx: ReadContext, schedule: PipelineSchedule) -> list[ScheduleVariable] | None:
    """The variables, for those who may read their values."""
    if not _passes(pipeline_schedules.authorize_read_variables, ctx, schedule):
        return None
    return [
        ScheduleVariable(_id_of_variable(schedule, each), each.key, each.value, each.variable_type)
        for each in schedule.variables
    ]


INPUT: Final = Type("CiInputsField", "A value for an input of a configuration.", since="17.10")
INPUT.attributes({"name: String!": "The name.", "value: CiInputsValue": "The value."})


@frozen
class GivenInput:
    """A value for an input."""

    name: str
    value: object

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@SCHEDULE.field("inputs: CiInputsFieldConnection", since="17.10")
def inputs_of(ctx: ReadContext, schedule: PipelineSchedule) -> list[GivenInput] | None:
    """The values for inputs, for those who may read them."""
    if not pipeline_schedules.can_read_inputs(ctx, schedule):
        return None
    return [GivenInput(name, value) for name, value in schedule.inputs.items()]


@SCHEDULE.field("userPermissions: PipelineSchedulePermissions!")
def permissions_of(_ctx: ReadContext, schedule: PipelineSchedule) -> PipelineSchedule:
    """What the caller may do."""
    return schedule


def _permit(name: str, check: Check, description: str) -> None:
    def may(ctx: ReadContext, schedule: PipelineSchedule) -> bool:
        return ctx.viewer is not None and _passes(check, ctx, schedule)

    PERMISSIONS.field(f"{name}: Boolean!", description=description)(may)


_permit("updatePipelineSchedule", pipeline_schedules.authorize_update, "Whether the caller may change it.")
_permit("playPipelineSchedule", pipeline_schedules.authorize_play, "Whether the caller may run it at once.")
_permit("adminPipelineSchedule", pipeline_schedules.authorize_admin, "Whether the caller may delete it.")
_permit(
    "takeOwnershipPipelineSchedule",
    pipeline_schedules.authorize_take_ownership,
    "Whether the caller may become its owner.",
)


# Mutations

_ID: Final = '"""The global ID of the schedule."""\nid: CiPipelineScheduleID!'
_GIVES: Final = '"""The schedule."""\npipelineSchedule: PipelineSchedule'
Input(
    "PipelineScheduleVariableInput",
    "A variable of a pipeline schedule.",
    f'''
"""The global ID of a variable that exists."""
id: CiPipelineScheduleVariableID @lifetime(since: "{_CHANGES}")
"""The name."""
key: String!
"""The value."""
value: String!
"""How it is passed on."""
variableType: CiVariableType!
"""Whether it is removed."""
destroy: Boolean @lifetime(since: "{_CHANGES}")
''',
    since=_SINCE,
)


class VariableInput(TypedDict, total=False):
    """What a client says of a variable."""

    id: str | None
    key: str
    value: str
    variable_type: VariableType
    destroy: bool | None


Input(
    "CiInputsInput",
    "A value for an input of a configuration.",
    '''
"""The name."""
name: String!
"""The value."""
value: CiInputsValue!
"""Whether it is removed."""
destroy: Boolean
''',
    since=_INPUTS,
)


class InputChange(TypedDict, total=False):
    """What a client says of an input."""

    name: str
    value: object
    destroy: bool | None


class ScheduleInput(TypedDict, total=False):
    """What a client says of a schedule."""

    description: str | None
    cron: str | None
    cron_timezone: str | None
    ref: str | None
    active: bool | None


def _get_schedule(ctx: ReadContext, text: str) -> tuple[Project, PipelineSchedule]:
    schedule = ctx.world.pipeline_schedules.get(parse_id(ctx, text, "Ci::PipelineSchedule"))
    if schedule is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    project = _project_of(ctx, schedule)
    return project, pipeline_schedules.get_schedule(ctx, project, schedule.id)


def _authorize_variables(ctx: ReadContext, project: Project, variables: Sequence[VariableInput] | None) -> None:
    """Refuse variables of those who may give none to pipelines, in releases that ask for schedules, too."""
    is_strict = ctx.profile.has(SCHEDULES_KEEP_TO_VARIABLE_ROLES)
    if variables and is_strict and not ci_access.may_set_variables(ctx, project):
        message = "The current user is not authorized to set pipeline schedule variables"
        raise InvalidRecord({"base": [message]}, reason="ci_pipeline_variables_minimum_override_role is higher")


def _change_variables(
    ctx: WriteContext, schedule: PipelineSchedule, variables: Sequence[VariableInput]
) -> PipelineSchedule:
    keys = [each["key"] for each in variables if not each.get("destroy")]
    taken = sorted({key for key in keys if keys.count(key) > 1})
    if taken:
        raise InvalidRecord({"variables": [f"have duplicate values ({', '.join(taken)})"]}, reason="the same key twice")
    for change in variables:
        schedule = ctx.world.pipeline_schedules[schedule.id]
        id_ = parse_id(ctx, change["id"] or "", "Ci::PipelineScheduleVariable") if change.get("id") else None
        known = next((each for each in schedule.variables if _id_of_variable(schedule, each) == id_), None)
        if known is not None:
            pipeline_schedules.delete_variable(ctx, schedule, known)
        if not change.get("destroy"):
            pipeline_schedules.create_variable(
                ctx,
                ctx.world.pipeline_schedules[schedule.id],
                key=change["key"],
                value=change["value"],
                variable_type=change["variable_type"],
            )
    return ctx.world.pipeline_schedules[schedule.id]


@mutation(
    "pipelineScheduleCreate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The description."""
description: String!
"""The times of its runs."""
cron: String!
"""The time zone of these times."""
cronTimezone: String
"""The branch or tag."""
ref: String!
"""Whether it runs."""
active: Boolean
"""The variables of its pipelines."""
variables: [PipelineScheduleVariableInput!]
"""The values for inputs of its pipelines."""
inputs: [CiInputsInput!] @lifetime(since: "17.11")
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def pipeline_schedule_create(
    ctx: WriteContext,
    project_path: str,
    description: str,
    cron: str,
    ref: str,
    cron_timezone: str | None = None,
    active: bool | None = None,
    variables: Sequence[VariableInput] | None = None,
    inputs: Sequence[InputChange] | None = None,
) -> Mapping[str, Any]:
    """Create a pipeline schedule, owned by the caller."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_PIPELINE_SCHEDULE, project)
    fields: NewSchedule = {"description": description, "cron": cron, "ref": ref, "active": active is not False}
    if cron_timezone is not None:
        fields["cron_timezone"] = cron_timezone
    with collect_errors(pipeline_schedule=None):
        pipeline_schedules.validate_ref(ctx, project, ref, to="create")
        _authorize_variables(ctx, project, variables)
        fields["inputs"] = pipeline_schedules.new_inputs((each["name"], each["value"]) for each in inputs or ())
        fields["ref"] = pipeline_schedules.expand_ref(ctx, project, ref)
        schedule = pipeline_schedules.create(ctx, project, ctx.signed_in_user, **fields)
        return {"pipeline_schedule": _change_variables(ctx, schedule, variables or ())}


@mutation(
    "pipelineScheduleUpdate",
    input_fields=f'''
{_ID}
"""The description."""
description: String
"""The times of its runs."""
cron: String
"""The time zone of these times."""
cronTimezone: String
"""The branch or tag."""
ref: String
"""Whether it runs."""
active: Boolean
"""Changes of the variables of its pipelines."""
variables: [PipelineScheduleVariableInput!]
"""Changes of the values for inputs of its pipelines."""
inputs: [CiInputsInput!] @lifetime(since: "17.11")
''',
    payload_fields=_GIVES,
    since=_LATER,
)
def pipeline_schedule_update(
    ctx: WriteContext,
    id: str,
    variables: Sequence[VariableInput] | None = None,
    inputs: Sequence[InputChange] | None = None,
    **values: Unpack[ScheduleInput],
) -> Mapping[str, Any]:
    """Change a pipeline schedule of the caller."""
    project, schedule = _get_schedule(ctx, id)
    pipeline_schedules.authorize_update(ctx, project, schedule)
    with collect_errors(pipeline_schedule=schedule):
        sent = [(each["name"], each["value"], bool(each.get("destroy"))) for each in inputs or ()]
        changes = _read_changes(values)
        ref = changes.get("ref", schedule.ref)
        pipeline_schedules.validate_ref(ctx, project, ref, to="update")
        _authorize_variables(ctx, project, variables)
        changes["inputs"] = pipeline_schedules.changed_inputs(schedule, sent)
        changes["ref"] = pipeline_schedules.expand_ref(ctx, project, ref)
        changed = pipeline_schedules.update(ctx, schedule, **changes)
        return {"pipeline_schedule": _change_variables(ctx, changed, variables or ())}


def _read_changes(values: ScheduleInput) -> ScheduleChanges:
    changes: ScheduleChanges = {}
    if "active" in values:
        changes["active"] = bool(values["active"])
    if "description" in values:
        changes["description"] = values["description"] or ""
    if "cron" in values:
        changes["cron"] = values["cron"] or ""
    if "cron_timezone" in values:
        changes["cron_timezone"] = values["cron_timezone"] or ""
    if "ref" in values:
        changes["ref"] = values["ref"] or ""
    return changes


@mutation("pipelineScheduleDelete", input_fields=_ID, payload_fields="", since=_SINCE)
def pipeline_schedule_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a pipeline schedule."""
    project, schedule = _get_schedule(ctx, id)
    pipeline_schedules.authorize_admin(ctx, project, schedule)
    purge(ctx, schedule)
    return {}


@mutation("pipelineSchedulePlay", input_fields=_ID, payload_fields=_GIVES, since=_SINCE)
def pipeline_schedule_play(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Start a pipeline of a schedule now."""
    project, schedule = _get_schedule(ctx, id)
    pipeline_schedules.authorize_play(ctx, project, schedule)
    pipeline_schedules.play(ctx, schedule, ctx.signed_in_user)
    return {"pipeline_schedule": schedule}


@mutation("pipelineScheduleTakeOwnership", input_fields=_ID, payload_fields=_GIVES, since=_SINCE)
def pipeline_schedule_take_ownership(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Make the caller the owner of a pipeline schedule."""
    project, schedule = _get_schedule(ctx, id)
    pipeline_schedules.authorize_take_ownership(ctx, project, schedule)
    return {"pipeline_schedule": pipeline_schedules.own(ctx, schedule, ctx.signed_in_user)}
