"""Pipelines of projects and merge requests, and their HTML pages.

Source: docs/platform/pipelines-jobs.md, docs/platform/merge-requests.md.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final, Literal

from fakeplat.api.ci.job_scopes import LATER_STATUSES, ListPipelineJobs
from fakeplat.api.pages import area as pages
from fakeplat.api.pages import page_not_found, render_html_page
from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS, PROJECT
from fakeplat.core.operations.errors import Forbidden, MethodNotAllowed
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Moment, Named, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import (
    automatic_pipelines,
    ci_access,
    job_actions,
    jobs,
    pipeline_creation,
    pipeline_search,
    pipelines,
    test_reports,
)
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.entities import urls
from fakeplat.entities.ci.jobs import BridgeView, JobView
from fakeplat.entities.ci.pipelines import NamedPipelineView, PipelineBasic, PipelineInList, PipelineView
from fakeplat.entities.ci.test_reports import TestReportSummary, TestReportView
from fakeplat.entities.ci.variables import PipelineVariableView
from fakeplat.model.ci import AnyStatus, Job, Pipeline, PipelineVariable, Source
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.behaviours import JOBS_READ_PIPELINES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling

area: Final = Area("Pipelines")
merge_request_area: Final = Area("Pipelines", login=Ruling.MERGE_REQUESTS_REQUIRE_LOGIN.holds)


def _get_pipeline(ctx: ReadContext, project: Project, id_: int) -> Pipeline:
    return pipelines.get_pipeline(ctx.world, project, id_)


def _get_readable_pipeline(ctx: ReadContext, project: Project, id_: int) -> Pipeline:
    """Return a pipeline, or 404 if there is none and then 403 if the caller cannot read it."""
    pipeline = _get_pipeline(ctx, project, id_)
    authorize(ctx, Ability.READ_PIPELINE, project)
    return pipeline


def _get_pipeline_with_builds(ctx: ReadContext, project: Project, id_: int) -> Pipeline:
    """Return a pipeline, or 403 if the caller cannot read pipelines or jobs, and then 404 if there is none."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    authorize(ctx, Ability.READ_BUILD, project)
    return _get_pipeline(ctx, project, id_)


_PATH: Final = "pipelines/:pipeline_id"
PIPELINE: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_pipeline, word="pipeline")
READABLE_PIPELINE: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_readable_pipeline, word="pipeline")
PIPELINE_WITH_BUILDS: Final = PROJECT / Segment(
    _PATH, kind="integer", locate=_get_pipeline_with_builds, word="pipeline"
)


_CREATED: Final = Lifetime(since="<=18.1")


class ListPipelines(Paged):
    """Filters and order of lists of pipelines."""

    scope: pipeline_search.Scope | None = None
    status: Annotated[AnyStatus | None, LATER_STATUSES] = None
    ref: str | None = None
    sha: str | None = None
    yaml_errors: bool | None = None
    name: str | None = None
    username: str | None = None
    updated_before: Moment | None = None
    updated_after: Moment | None = None
    created_before: Annotated[Moment | None, _CREATED] = None
    created_after: Annotated[Moment | None, _CREATED] = None
    source: Annotated[Source | None, Lifetime(since="<=14.8")] = None
    order_by: pipeline_search.OrderBy = "id"
    sort: Literal["asc", "desc"] = "desc"


@area.operation(
    "GET",
    "pipelines",
    scope=PROJECT,
    ability=Ability.READ_PIPELINE,
    params=ListPipelines,
    view=PipelineInList,
    many=True,
    refusals=(403,),
    reading=Reading(advances=lambda world, records: world.pipelines.where("unfinished", records[-1].id)),
    job_token=JOBS_READ_PIPELINES,
)
def list_pipelines(ctx: ReadContext, project: Project, p: ListPipelines) -> Sequence[Pipeline]:
    """List the pipelines of a project, without child pipelines."""
    authorize(ctx, Ability.READ_BUILD, project)
    criteria = {name: value for name, value in p.given().items() if name not in ("page", "per_page", "sort")}
    return pipeline_search.list_pipelines(
        ctx, project, pipeline_search.PipelineFilter(**criteria, descending=p.sort == "desc")
    )


class NewPipelineVariable(Params):
    """A variable of a new pipeline."""

    key: str
    value: str = ""
    variable_type: Literal["env_var", "file"] = "env_var"


class CreatePipeline(Params):
    """The ref to run a pipeline for, and the variables for this pipeline alone."""

    ref: str
    variables: list[NewPipelineVariable] | None = None
    inputs: Annotated[dict[str, object] | None, Lifetime(since="18.1")] = None


@area.operation(
    "POST",
    "pipeline",
    scope=PROJECT,
    ability=Ability.CREATE_PIPELINE,
    params=CreatePipeline,
    view=PipelineView,
    refusals=(400,),
)
def create_pipeline(ctx: WriteContext, project: Project, p: CreatePipeline) -> Pipeline:
    """Create a pipeline for a branch or tag."""
    variables = [
        PipelineVariable(variable.key, variable.value, variable.variable_type) for variable in p.variables or ()
    ]
    return pipeline_creation.create_pipeline(
        ctx, project, p.ref, source="api", variables=variables, inputs=p.inputs or {}
    )


class GetLatestPipeline(Params):
    """The ref; by default the default branch."""

    ref: str | None = None


@area.operation(
    "GET", "pipelines/latest", scope=PROJECT, params=GetLatestPipeline, view=NamedPipelineView, refusals=(403,)
)
def get_latest_pipeline(ctx: ReadContext, project: Project, p: GetLatestPipeline) -> Pipeline:
    """Get the newest pipeline for the newest commit of a ref."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    ref = p.ref or project.default_branch
    pipeline = pipelines.find_latest_by_ref(ctx.world, project, ref) if ref else None
    if pipeline is None:
        # The platform asks whether the caller may read no pipeline at all, and nobody may.
        raise Forbidden(reason=f"there is no pipeline for the newest commit of {ref}")
    return pipeline


@area.operation(
    "GET", "", scope=READABLE_PIPELINE, view=NamedPipelineView, refusals=(403,), job_token=JOBS_READ_PIPELINES
)
def get_pipeline(_ctx: ReadContext, _project: Project, pipeline: Pipeline) -> Pipeline:
    """Get a pipeline."""
    return pipeline


class UpdatePipelineMetadata(Params):
    """The new name of a pipeline."""

    name: str


@area.operation(
    "PUT",
    "metadata",
    scope=PIPELINE,
    params=UpdatePipelineMetadata,
    view=NamedPipelineView,
    refusals=(400, 403),
    since="16.6",
    job_token=True,
)
def update_pipeline_metadata(
    ctx: WriteContext, project: Project, pipeline: Pipeline, p: UpdatePipelineMetadata
) -> Pipeline:
    """Set the name of a pipeline."""
    ci_access.authorize_update_pipeline(ctx, project, pipeline)
    return pipelines.rename(ctx, pipeline, p.name or "")


@area.operation("DELETE", "", scope=PIPELINE, refusals=(403,))
def delete_pipeline(ctx: WriteContext, project: Project, pipeline: Pipeline) -> None:
    """Delete a pipeline with its jobs."""
    authorize(ctx, Ability.DESTROY_PIPELINE, project)
    purge(ctx, pipeline)


@area.operation("POST", "retry", scope=PIPELINE, view=PipelineView, refusals=(403,))
def retry_pipeline(ctx: WriteContext, project: Project, pipeline: Pipeline) -> Pipeline:
    """Start the failed and canceled jobs of a pipeline again."""
    ci_access.authorize_update_pipeline(ctx, project, pipeline)
    return job_actions.retry_pipeline(ctx, pipeline)


@area.operation("POST", "cancel", scope=PIPELINE, view=PipelineView, status=200, refusals=(403,))
def cancel_pipeline(ctx: WriteContext, project: Project, pipeline: Pipeline) -> Pipeline:
    """Cancel the jobs of a pipeline that are not finished."""
    ci_access.authorize_update_pipeline(ctx, project, pipeline)
    return job_actions.cancel_pipeline(ctx, pipeline)


class ListJobsOfPipeline(ListPipelineJobs):
    """The statuses of the jobs, and whether retried ones are listed, too."""

    include_retried: Annotated[bool, Lifetime(since="13.9")] = False


@area.operation(
    "GET",
    "jobs",
    scope=PIPELINE_WITH_BUILDS,
    params=ListJobsOfPipeline,
    view=JobView,
    many=True,
    refusals=(403,),
    reading=Reading(advances=lambda world, records: records[-1:]),
    job_token=JOBS_READ_PIPELINES,
)
def list_pipeline_jobs(ctx: ReadContext, _project: Project, pipeline: Pipeline, p: ListJobsOfPipeline) -> Sequence[Job]:
    """List the jobs of a pipeline."""
    return jobs.list_by_pipeline(ctx.world, pipeline.id, "build", p.scope or (), retried=bool(p.include_retried))


@area.operation(
    "GET",
    "bridges",
    scope=PIPELINE_WITH_BUILDS,
    params=ListPipelineJobs,
    view=BridgeView,
    many=True,
    refusals=(403,),
    reading=Reading(advances=lambda world, records: records[-1:]),
    job_token=JOBS_READ_PIPELINES,
)
def list_pipeline_bridges(
    ctx: ReadContext, _project: Project, pipeline: Pipeline, p: ListPipelineJobs
) -> Sequence[Job]:
    """List the jobs of a pipeline that trigger other pipelines."""
    return jobs.list_by_pipeline(ctx.world, pipeline.id, "bridge", p.scope or ())


@area.operation(
    "GET",
    "trigger_jobs",
    scope=PIPELINE_WITH_BUILDS,
    params=ListPipelineJobs,
    view=BridgeView,
    many=True,
    since="19.2",
    refusals=(403,),
    reading=Reading(advances=lambda world, records: records[-1:]),
    job_token=JOBS_READ_PIPELINES,
)
def list_pipeline_trigger_jobs(
    ctx: ReadContext, project: Project, pipeline: Pipeline, p: ListPipelineJobs
) -> Sequence[Job]:
    """List the jobs of a pipeline that trigger other pipelines, by their later name."""
    return list_pipeline_bridges(ctx, project, pipeline, p)


@area.operation("GET", "variables", scope=PIPELINE, view=PipelineVariableView, many=True, paging=None, refusals=(403,))
def list_pipeline_variables(ctx: ReadContext, project: Project, pipeline: Pipeline) -> Sequence[PipelineVariable]:
    """List the variables of a pipeline."""
    ci_access.authorize_read_variables(ctx, project, pipeline)
    return pipeline.variables


@area.operation("GET", "test_report", scope=PIPELINE, view=TestReportView, refusals=(403,))
def get_pipeline_test_report(ctx: ReadContext, project: Project, pipeline: Pipeline) -> test_reports.TestReport:
    """Get the test results of a pipeline."""
    authorize(ctx, Ability.READ_BUILD, project)
    return test_reports.read_report(test_reports.list_files(ctx, pipeline))


@area.operation("GET", "test_report_summary", scope=PIPELINE, view=TestReportSummary, refusals=(403,), since="14.2")
def get_pipeline_test_report_summary(ctx: ReadContext, project: Project, pipeline: Pipeline) -> test_reports.TestReport:
    """Get the numbers of the test results of a pipeline."""
    authorize(ctx, Ability.READ_BUILD, project)
    return test_reports.read_report(test_reports.list_files(ctx, pipeline))


@merge_request_area.operation(
    "GET",
    "pipelines",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=PipelineBasic,
    many=True,
    refusals=(403,),
    reading=Reading(advances=lambda world, records: pipelines.list_by_merge_request(world, records[-1])),
)
def list_merge_request_pipelines(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """List the pipelines of a merge request: its own first, then those of its commits."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    return pipelines.list_by_merge_request(ctx.world, merge_request)


class CreateMergeRequestPipeline(Params):
    """Whether the answer comes before the pipeline."""

    async_: Annotated[bool, Named("async"), Lifetime(since="<=18.9")] = False


@merge_request_area.operation(
    "POST",
    "pipelines",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=CreateMergeRequestPipeline,
    view=PipelineView,
    status=200,
    also=(202,),
    refusals=(403, 405),
)
def create_merge_request_pipeline(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: CreateMergeRequestPipeline
) -> Pipeline | RawBody:
    """Create a pipeline for a merge request."""
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    if not p.async_:
        return automatic_pipelines.create_on_request(ctx, merge_request)
    # Nobody learns why there is no pipeline; the platform's body is the status.
    with suppress(MethodNotAllowed):
        automatic_pipelines.create_on_request(ctx, merge_request)
    return RawBody(b"202", JSON, status=202)


@pages.operation("GET", "*project/-/pipelines/:pipeline_id", ours=True)
def get_pipeline_page(ctx: ReadContext, project: str, pipeline_id: str) -> RawBody:
    """Show the page of a pipeline."""
    container = namespaces.find_project_by_path(ctx.world, project)
    visible = container is not None and can_see(ctx, container) and can(ctx, Ability.READ_PIPELINE, container)
    pipeline = ctx.world.pipelines.get(parse_number(pipeline_id) or 0)
    # Ids of pipelines are global, so the project in the path has to be compared.
    if container is None or not visible or pipeline is None or pipeline.project_id != container.id:
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no pipeline {pipeline_id} in {project}")
    api_url = urls.api_url(ctx, f"projects/{pipeline.project_id}/pipelines/{pipeline.id}")
    return render_html_page("Pipeline", PipelineBasic(pipeline, ctx).values(), api_url)
