"""Pipelines of merge requests, and their HTML pages.

Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.pages import area as pages
from fakeplat.api.pages import render_html_page
from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area
from fakeplat.core.operations.paging import Paged
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import automatic_pipelines, pipelines
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.ci.pipelines import PipelineBasic, PipelineView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling

area: Final = Area("Pipelines", login_ruling=Ruling.MERGE_REQUESTS_REQUIRE_LOGIN)


@area.operation(
    "GET",
    "pipelines",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=PipelineBasic,
    many=True,
    refusals=(403,),
    unfinished_rows=lambda world, records: pipelines.list_by_merge_request(world, records[-1]),
)
def list_merge_request_pipelines(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """List the pipelines of a merge request: its own first, then those of its commits."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    return pipelines.list_by_merge_request(ctx.world, merge_request)


@area.operation(
    "POST", "pipelines", scope=MERGE_REQUEST_WITH_ACCESS, view=PipelineView, status=200, refusals=(403, 405)
)
def create_merge_request_pipeline(ctx: WriteContext, project: Project, merge_request: MergeRequest) -> Pipeline:
    """Create a pipeline for a merge request."""
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    return automatic_pipelines.create_on_request(ctx, merge_request)


@pages.operation("GET", "*project/-/pipelines/:pipeline_id", ours=True)
def get_pipeline_page(ctx: ReadContext, project: str, pipeline_id: str) -> RawBody:
    """Show the page of a pipeline."""
    container = namespaces.find_project_by_path(ctx.world, project)
    visible = container is not None and can_see(ctx, container) and can(ctx, Ability.READ_PIPELINE, container)
    pipeline = ctx.world.pipelines.get(parse_number(pipeline_id) or 0)
    # Ids of pipelines are global, so the project in the path has to be compared.
    if container is None or not visible or pipeline is None or pipeline.project_id != container.id:
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no pipeline {pipeline_id} in {project}")
    api_url = urls.api_url(ctx, f"projects/{pipeline.project_id}/pipelines/{pipeline.id}")
    return render_html_page("Pipeline", PipelineBasic(pipeline, ctx).values(), api_url)
