"""Requests for pipelines whose clients do not wait for them. The pipelines are created a second later.

Source: docs/platform/graphql.md ('Pipelines').
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import MINUTE, SECOND, from_iso
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import join_words
from fakeplat.model.ci import PipelineCreationRequest, PipelineVariable
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_CREATE: Final = "create_requested_pipeline"
_FORGET: Final = "forget_pipeline_creation_request"
_KEPT_FOR: Final = 5 * MINUTE


def start(
    ctx: WriteContext,
    project: Project,
    ref: str,
    *,
    variables: Sequence[PipelineVariable] = (),
    inputs: Mapping[str, Any] = MappingProxyType({}),
) -> PipelineCreationRequest:
    """Ask for the pipeline of a branch or tag as the caller; nothing is checked before it is created."""
    table, user, uuid = ctx.world.pipeline_creation_requests, ctx.signed_in_user, new_uuid(ctx)
    request = table.add(
        PipelineCreationRequest(
            table.next_id(), uuid, project.id, user.id, ref, ctx.now_iso, tuple(variables), dict(inputs)
        )
    )
    schedule_next(ctx, request)
    return request


def new_uuid(ctx: WriteContext) -> str:
    """Return what a client asks for a request with."""
    return ctx.random_uuid("pipeline creation request")


def find_request(world: World, project: Project, uuid: str) -> PipelineCreationRequest | None:
    """Return the request of a project that a client asks for."""
    request = world.pipeline_creation_requests.find("uuid", uuid)
    return request if request is not None and request.project_id == project.id else None


def schedule_next(ctx: WriteContext, request: PipelineCreationRequest) -> None:
    """Schedule what is left of a request: the creation of its pipeline, or its end."""
    subject = ("pipeline_creation_requests", request.id)
    if request.status == "in_progress":
        ctx.schedule(_CREATE, subject, ctx.now() + SECOND, in_progress=True)
    else:
        ctx.schedule(_FORGET, subject, from_iso(request.updated_at) + _KEPT_FOR)


@task_handler(_CREATE)
def _create(ctx: WriteContext, due: ScheduledTask) -> None:
    table = ctx.world.pipeline_creation_requests
    request = table[due.subject[1]]
    ctx.act_as(ctx.world.users[request.user_id])
    schedule_next(ctx, table.change(request, updated_at=ctx.now_iso, **_create_pipeline(ctx, request)))


def _create_pipeline(ctx: WriteContext, request: PipelineCreationRequest) -> dict[str, Any]:
    """Create the pipeline, or find out why there can be none; return what changes in the request."""
    project = ctx.world.projects[request.project_id]
    changes: dict[str, Any] = {}
    with ctx.attempt():
        try:
            pipeline = pipeline_creation.create_pipeline(
                ctx, project, request.ref, source="api", variables=request.variables, inputs=request.inputs
            )
            changes = {"status": "succeeded", "pipeline_id": pipeline.id}
        except InvalidRecord as refusal:
            changes = {"status": "failed", "error": join_words(refusal.full_messages())}
            raise
    return changes


@task_handler(_FORGET)
def _forget(ctx: WriteContext, due: ScheduledTask) -> None:
    purge(ctx, ctx.world.pipeline_creation_requests[due.subject[1]])
