"""Triggers, and the pipelines that their tokens start. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

import orjson

from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.core.timestamps import DAY, from_iso, to_iso_date
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.people import tokens
from fakeplat.model.ci import Pipeline, PipelineVariable, Trigger
from fakeplat.model.people import Token
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see, explain_hidden
from fakeplat.policy.behaviours import ADMINISTRATORS_CHANGE_TRIGGERS, TRIGGER_TOKEN_PREFIX
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

_TOKEN_BYTES: Final = 15
_MOST_DAYS: Final = 365
_NOT_STRINGS: Final = "variables needs to be a map of key-valued strings"


def list_triggers(world: World, project: Project) -> Sequence[Trigger]:
    """Return the triggers of a project."""
    return world.triggers.where("project", project.id)


def list_current_triggers(ctx: ReadContext, project: Project) -> Sequence[Trigger]:
    """Return the triggers of a project that have not expired."""
    return [trigger for trigger in list_triggers(ctx.world, project) if not _has_expired(ctx, trigger)]


def get_trigger(ctx: ReadContext, project: Project, id_: int) -> Trigger:
    """Return a trigger of a project, or refuse with 404, also if it has expired."""
    trigger = ctx.world.triggers.get(id_)
    if trigger is None or trigger.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(ctx.world, project)} has no trigger {id_}")
    if _has_expired(ctx, trigger):
        raise RecordNotFound(reason=f"the trigger expired at {trigger.expires_at}")
    return trigger


def _has_expired(ctx: ReadContext, trigger: Trigger) -> bool:
    return trigger.expires_at is not None and from_iso(trigger.expires_at) <= ctx.now()


def check_expiry(ctx: ReadContext, expires_at: str | None) -> None:
    """Refuse with 400 a time that is a year away or more."""
    latest = to_iso_date(ctx.now() + _MOST_DAYS * DAY)
    if expires_at is not None and expires_at[: len(latest)] >= latest:
        errors = orjson.dumps({"expires_at": [f"must be before {latest}"]}).decode()
        raise BadRequest(f"400 Bad request - {errors}")


def can_administer(ctx: ReadContext, trigger: Trigger) -> bool:
    """Return whether the caller may change a trigger and see its token: its owner; later, administrators, too."""
    is_owned = ctx.viewer is not None and ctx.viewer.id == trigger.owner_id
    return is_owned or (ctx.admin and ctx.profile.has(ADMINISTRATORS_CHANGE_TRIGGERS))


class TriggerFields(TypedDict, total=False):
    """Fields of a trigger."""

    description: str | None
    token: str
    created_at: str
    updated_at: str
    last_used: str | None
    expires_at: str | None


def create(ctx: WriteContext, project: Project, owner_id: int, **fields: Unpack[TriggerFields]) -> Trigger:
    """Create a trigger with a new token."""
    table, now = ctx.world.triggers, ctx.now_iso
    values: TriggerFields = {"created_at": now, "updated_at": now, **fields}
    if "token" not in values:
        values["token"] = f"{ctx.profile.choose(TRIGGER_TOKEN_PREFIX)}{ctx.random_hex('trigger token', _TOKEN_BYTES)}"
    return table.add(Trigger(id=table.next_id(), project_id=project.id, owner_id=owner_id, **values))


def update(ctx: WriteContext, trigger: Trigger, **fields: Unpack[TriggerFields]) -> Trigger:
    """Change fields of a trigger."""
    changed = ctx.world.triggers.change(trigger, **fields)
    return changed if changed is trigger else ctx.world.triggers.change(changed, updated_at=ctx.now_iso)


def read_variables(values: Mapping[str, object]) -> list[PipelineVariable]:
    """Return the variables of a new pipeline, or refuse with 400 if a value is not a string."""
    if not all(isinstance(value, str) for value in values.values()):
        raise BadRequest(_NOT_STRINGS)
    return [PipelineVariable(key, str(value)) for key, value in values.items()]


def build_payload(sent: Mapping[str, object], project: str, ref: str) -> PipelineVariable:
    """Return the variable with what a request for a pipeline says, as a file; its variables may be empty."""
    parameters = {**sent, "id": project, "ref": ref}
    parameters.setdefault("variables", {})
    return PipelineVariable("TRIGGER_PAYLOAD", orjson.dumps(parameters).decode(), "file")


def start_pipeline(
    ctx: WriteContext, project: Project | None, ref: str, token: str, variables: Sequence[PipelineVariable]
) -> Pipeline:
    """Create a pipeline in the name of the owner of a token: of a trigger, or of a job that is running.

    404 if the token is unknown or another project's, just as if the project did not exist.
    """
    if project is None:
        raise NotFound(reason="the project does not exist")
    trigger = ctx.world.triggers.find("token", token)
    if trigger is not None:
        return _start_from_trigger(ctx, project, ref, trigger, variables)
    job_token = tokens.find(ctx.world, "job", token)
    if job_token is None:
        raise NotFound(reason="the token is neither that of a trigger nor that of a job")
    return _start_from_job(ctx, project, ref, job_token, variables)


def _start_from_trigger(
    ctx: WriteContext, project: Project, ref: str, trigger: Trigger, variables: Sequence[PipelineVariable]
) -> Pipeline:
    if trigger.project_id != project.id:
        raise NotFound(reason=lambda: f"the token is of a trigger of project {trigger.project_id}")
    if _has_expired(ctx, trigger):
        raise NotFound(reason=f"the trigger expired at {trigger.expires_at}")
    ctx.act_as(ctx.world.users[trigger.owner_id])
    pipeline = pipeline_creation.create_pipeline(
        ctx, project, ref, source="trigger", variables=variables, trigger_id=trigger.id
    )
    ctx.world.triggers.change(trigger, last_used=ctx.now_iso)
    return pipeline


def _start_from_job(
    ctx: WriteContext, project: Project, ref: str, token: Token, variables: Sequence[PipelineVariable]
) -> Pipeline:
    user = tokens.owner_of(ctx.world, token)
    if user is None:
        raise NotFound(reason="the token has no user")
    ctx.act_as(user)
    if not can_see(ctx, project):
        raise NotFound(reason=lambda: explain_hidden(ctx, project))
    if token.revoked:
        raise BadRequest("400 Job has to be running", reason="the job of the token has ended")
    return pipeline_creation.create_pipeline(ctx, project, ref, source="pipeline", variables=variables)
