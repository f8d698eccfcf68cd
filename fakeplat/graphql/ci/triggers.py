"""Tokens that start pipelines. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.domain.ci import triggers
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.triggers import TriggerView
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.ci import Trigger
from fakeplat.model.people import Level, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import project_level

_SINCE: Final = "16.3"
_EXPIRY: Final = "<=18.2"
Scalar("CiTriggerID", "The global ID of a record of the type Ci::Trigger.", since=_SINCE)
TRIGGER: Final = Type(
    "PipelineTrigger", "A token that starts pipelines.", gid="Ci::Trigger", has_count=True, since=_SINCE
)
TRIGGER.attributes({"description: String": "The description.", "lastUsed: Time": "Timestamp of the last use."})
TRIGGER.attributes({"expiresAt: Time": "Timestamp of the end."}, since=_EXPIRY)


@PROJECT.field("pipelineTriggers: PipelineTriggerConnection", since=_SINCE)
def triggers_of(ctx: ReadContext, project: Project) -> Sequence[Trigger] | None:
    """The tokens that start pipelines, for those who administer them."""
    return triggers.list_triggers(ctx.world, project) if can(ctx, Ability.ADMIN_BUILD, project) else None


@TRIGGER.field("canAccessProject: Boolean!")
def can_access(ctx: ReadContext, trigger: Trigger) -> bool:
    """Whether its owner may run pipelines in the project."""
    project = ctx.world.projects[trigger.project_id]
    return project_level(ctx.world, project, trigger.owner_id) >= Level.DEVELOPER


@TRIGGER.field("hasTokenExposed: Boolean!")
def is_exposed(ctx: ReadContext, trigger: Trigger) -> bool:
    """Whether the caller sees the whole token."""
    return triggers.can_administer(ctx, trigger)


@TRIGGER.field("token: String!")
def token_of(ctx: ReadContext, trigger: Trigger) -> str:
    """The token; its first characters for those who do not own it."""
    return str(TriggerView(trigger, ctx).token())


@TRIGGER.field("owner: User!")
def owner_of(ctx: ReadContext, trigger: Trigger) -> User:
    """The user in whose name it starts pipelines."""
    return ctx.world.users[trigger.owner_id]


_ID: Final = '"""The global ID of the token."""\nid: CiTriggerID!'
_GIVES: Final = '"""The token."""\npipelineTrigger: PipelineTrigger'


def _get_trigger(ctx: ReadContext, text: str) -> Trigger:
    trigger = ctx.world.triggers.get(parse_id(ctx, text, "Ci::Trigger"))
    if trigger is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    authorize(ctx, Ability.ADMIN_BUILD, ctx.world.projects[trigger.project_id])
    return trigger


@mutation(
    "pipelineTriggerCreate",
    input_fields=f'''
"""The full path of the project."""
projectPath: ID!
"""The description."""
description: String!
"""Timestamp of the end."""
expiresAt: Time @lifetime(since: "{_EXPIRY}")
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def pipeline_trigger_create(
    ctx: WriteContext, project_path: str, description: str, expires_at: str | None = None
) -> Mapping[str, Any]:
    """Create a token that starts pipelines in the name of the caller."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_BUILD, project)
    owner_id = ctx.signed_in_user.id
    trigger = triggers.create(ctx, project, owner_id, description=description, expires_at=expires_at)
    return {"pipeline_trigger": trigger}


@mutation(
    "pipelineTriggerUpdate",
    input_fields=f'{_ID}\n"""The description."""\ndescription: String!',
    payload_fields=_GIVES,
    since=_SINCE,
)
def pipeline_trigger_update(ctx: WriteContext, id: str, description: str) -> Mapping[str, Any]:
    """Change the description of a token of the caller."""
    trigger = _get_trigger(ctx, id)
    if not triggers.can_administer(ctx, trigger):
        raise Forbidden(reason=f"trigger {trigger.id} is owned by somebody else")
    return {"pipeline_trigger": triggers.update(ctx, trigger, description=description)}


@mutation("pipelineTriggerDelete", input_fields=_ID, payload_fields="", since=_SINCE)
def pipeline_trigger_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a token that starts pipelines."""
    purge(ctx, _get_trigger(ctx, id))
    return {}
