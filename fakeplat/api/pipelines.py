"""Pipelines of merge requests, and the small page of each.

Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.pages import area as pages
from fakeplat.api.pages import html_page
from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.operations.operation import Area
from fakeplat.core.operations.paging import Paged
from fakeplat.core.store.ids import number_of
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import pipelines
from fakeplat.entities import urls
from fakeplat.entities.pipelines import PipelineBasic, PipelineView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.documented import Ruling
from fakeplat.policy.rulings import caller, can, demand, sees

area: Final = Area("Pipelines", login_ruling=Ruling.MERGE_REQUESTS_REQUIRE_LOGIN)


@area.operation(
    "GET", "pipelines", under=MERGE_REQUEST_WITH_ACCESS, takes=Paged, shows=PipelineBasic, many=True, refuses=(403,)
)
def list_merge_request_pipelines(cx: Context, project: Project, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """List the pipelines of a merge request: its own first, then those of its commits."""
    demand(cx, May.READ_PIPELINE, project)
    return pipelines.of_merge_request(cx.world, merge_request)


@area.operation(
    "POST", "pipelines", under=MERGE_REQUEST_WITH_ACCESS, shows=PipelineView, status=200, refuses=(403, 405, 501)
)
def create_merge_request_pipeline(cx: Doing, project: Project, merge_request: MergeRequest) -> Pipeline:
    """Create a pipeline for a merge request."""
    demand(cx, May.CREATE_PIPELINE, project)
    return pipelines.create_for(cx, merge_request)


@pages.operation("GET", "*project/-/pipelines/:pipeline_id", ours=True)
def get_pipeline_page(cx: Context, project: str, pipeline_id: str) -> Raw:
    """Show the page of a pipeline."""
    place = namespaces.project_at(cx.world, project)
    visible = place is not None and sees(cx, place) and can(cx, May.READ_PIPELINE, place)
    found = cx.world.pipelines.get(number_of(pipeline_id) or 0)
    if place is None or not visible or found is None or found.project_id != place.id:
        raise RouteNotFound(reason=f"{caller(cx)} sees no pipeline {pipeline_id} in {project}")
    api = urls.api(cx, f"projects/{found.project_id}/pipelines/{found.id}")
    return html_page("Pipeline", PipelineBasic(found, cx).values(), api)
