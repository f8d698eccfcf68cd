"""Triggers of projects, and the pipelines that their tokens start. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import Forbidden, ForbiddenWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import Moment, NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import triggers
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.pipelines import PipelineView
from fakeplat.entities.ci.triggers import TriggerView
from fakeplat.model.ci import Pipeline, Trigger
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import TRIGGER_REFUSALS_SAY_WHY, TRIGGERS_GIVE_PAYLOADS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Pipeline triggers", login=Login.ALWAYS)
_OWN_HOOK: Final = "Pipeline Hook"
_NOT_YOURS: Final = "403 Forbidden - The current user is not authorized to update the pipeline trigger token"


class TriggerRefPipeline(Params):
    """The token that starts a pipeline, and the pipeline's variables."""

    token: str
    variables: dict[str, object] | None = None


class TriggerPipeline(TriggerRefPipeline):
    """The same, with the ref of the pipeline."""

    ref: Annotated[str, NotBlank]


@area.operation(
    "POST",
    "projects/:id/trigger/pipeline",
    login=Login.NEVER,
    params=TriggerPipeline,
    view=PipelineView,
    refusals=(400, 403, 404),
)
def trigger_pipeline(ctx: WriteContext, id: str, p: TriggerPipeline) -> Pipeline:
    """Start a pipeline with the token of a trigger or of a running job."""
    return _trigger(ctx, id, p.ref, p)


@area.operation(
    "POST",
    "projects/:id/ref/*ref/trigger/pipeline",
    login=Login.NEVER,
    params=TriggerRefPipeline,
    view=PipelineView,
    refusals=(400, 403, 404),
)
def trigger_ref_pipeline(ctx: WriteContext, id: str, ref: str, p: TriggerRefPipeline) -> Pipeline:
    """Start a pipeline of the ref in the path with the token of a trigger or of a running job."""
    return _trigger(ctx, id, ref, p)


def _trigger(ctx: WriteContext, reference: str, ref: str, p: TriggerRefPipeline) -> Pipeline:
    # A web hook of pipelines that starts a pipeline would never come to an end.
    if ctx.request is not None and ctx.request.headers.get("x-gitlab-event") == _OWN_HOOK:
        raise Forbidden(reason="the request comes from a web hook for pipelines")
    variables = triggers.read_variables(p.variables or {})
    if ctx.profile.has(TRIGGERS_GIVE_PAYLOADS):
        variables.append(triggers.build_payload(_read_body(ctx), reference, ref))
    return triggers.start_pipeline(ctx, _find_any_project(ctx.world, reference), ref, p.token, variables)


def _read_body(ctx: ReadContext) -> Mapping[str, object]:
    """Return what the request says besides the token, in a query or as JSON or a form."""
    request = ctx.request
    if request is None:
        return {}
    content_type = request.headers.get("content-type", "")
    sent = merge_params(parse_query(request.query), parse_body(content_type, request.body), {})
    return {name: value for name, value in sent.items() if name != "token"}


def _find_any_project(world: World, reference: str) -> Project | None:
    """Return a project, whether or not the caller sees it: the token decides."""
    number = parse_number(reference)
    return namespaces.find_project_by_path(world, reference) if number is None else world.projects.get(number)


@area.operation(
    "GET", "triggers", scope=PROJECT, ability=Ability.ADMIN_BUILD, params=Paged, view=TriggerView, many=True
)
def list_pipeline_triggers(ctx: ReadContext, project: Project) -> Sequence[Trigger]:
    """List the triggers of a project."""
    return triggers.list_current_triggers(ctx, project)


@area.operation(
    "GET", "triggers/:trigger_id", scope=PROJECT, ability=Ability.ADMIN_BUILD, view=TriggerView, refusals=(404,)
)
def get_pipeline_trigger(ctx: ReadContext, project: Project, trigger_id: int) -> Trigger:
    """Get a trigger."""
    return triggers.get_trigger(ctx, project, trigger_id)


class CreateTrigger(Params):
    """A new trigger."""

    description: str
    expires_at: Annotated[Moment | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "POST",
    "triggers",
    scope=PROJECT,
    ability=Ability.ADMIN_BUILD,
    params=CreateTrigger,
    view=TriggerView,
    refusals=(400,),
)
def create_pipeline_trigger(ctx: WriteContext, project: Project, p: CreateTrigger) -> Trigger:
    """Create a trigger, owned by the caller."""
    triggers.check_expiry(ctx, p.expires_at)
    return triggers.create(ctx, project, ctx.signed_in_user.id, **p.given())


class UpdateTrigger(Params):
    """Changes of a trigger."""

    description: str | None = None


@area.operation(
    "PUT",
    "triggers/:trigger_id",
    scope=PROJECT,
    params=UpdateTrigger,
    view=TriggerView,
    refusals=(403, 404),
)
def update_pipeline_trigger(ctx: WriteContext, project: Project, trigger_id: int, p: UpdateTrigger) -> Trigger:
    """Update a trigger of the caller."""
    if not ctx.profile.has(TRIGGER_REFUSALS_SAY_WHY):
        authorize(ctx, Ability.ADMIN_BUILD, project)
    trigger = triggers.get_trigger(ctx, project, trigger_id)
    if not can(ctx, Ability.ADMIN_BUILD, project) or not triggers.can_administer(ctx, trigger):
        raise _refuse_update(ctx, trigger)
    return triggers.update(ctx, trigger, **p.given())


def _refuse_update(ctx: ReadContext, trigger: Trigger) -> Forbidden | ForbiddenWithMessage:
    reason = f"trigger {trigger.id} is owned by somebody else, or the caller may not administer builds"
    if ctx.profile.has(TRIGGER_REFUSALS_SAY_WHY):
        return ForbiddenWithMessage(_NOT_YOURS, reason=reason)
    return Forbidden(reason=reason)


@area.operation("DELETE", "triggers/:trigger_id", scope=PROJECT, ability=Ability.ADMIN_BUILD, refusals=(404, 412))
def delete_pipeline_trigger(ctx: WriteContext, project: Project, trigger_id: int) -> None:
    """Delete a trigger."""
    trigger = triggers.get_trigger(ctx, project, trigger_id)
    ctx.check_unmodified_since(trigger.updated_at)
    purge(ctx, trigger)
