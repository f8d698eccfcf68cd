"""Pipelines of projects and merge requests. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack, get_args

from graphql import GraphQLError

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import (
    ci_access,
    detailed_statuses,
    job_actions,
    jobs,
    merge_request_variables,
    pipeline_search,
    pipelines,
)
from fakeplat.domain.ci.detailed_statuses import DetailedStatus
from fakeplat.domain.ci.pipeline_search import PipelineFilter, Scope
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.ci import Pipeline, Source, Status
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import ONE_PIPELINE, PIPELINES_NEED_NO_NAME
from fakeplat.policy.context import ReadContext

_LATER_STATUSES: Final = {"waiting_for_callback": Lifetime("<=16.9"), "canceling": Lifetime("<=18.5")}
Enumeration(
    "PipelineStatusEnum",
    "The status of a pipeline.",
    {
        status.upper(): (status, f"The status {status.replace('_', ' ')}.", _LATER_STATUSES.get(status, ALWAYS))
        for status in dict.fromkeys((*get_args(Status), *_LATER_STATUSES))
    },
)

_FORMATS: Final = "<=14.8"
INTERFACE = Interface(
    "PipelineInterface",
    "A CI pipeline.",
    {
        "id: ID": "The global ID.",
        "iid: String": "The number within the project.",
        "path: String": "The path of the page.",
        "project: Project": "The project.",
        "user: User": "The user who started the pipeline.",
    },
    since="<=18.5",
)
PIPELINE = Type("Pipeline", "A CI pipeline.", gid="Ci::Pipeline", has_count=True, implements=(INTERFACE.name,))
PIPELINE.attributes(
    {
        "iid: String!": "The number within the project.",
        "beforeSha: String": "The SHA of the ref before the push that created the pipeline.",
        "status: PipelineStatusEnum!": "The status.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
        "startedAt: Time": "Timestamp of the start.",
        "finishedAt: Time": "Timestamp of the end.",
        "committedAt: Time": "Timestamp of the commit.",
        "duration: Int": "Duration in seconds.",
    }
)
PIPELINE.attributes({"sha: String!": "The SHA of the commit."}, until="<=14.8")
Enumeration(
    "ShaFormat",
    "How much of a SHA is shown.",
    {"SHORT": (8, "The first eight digits."), "LONG": (None, "All digits.")},
    since=_FORMATS,
)


@PIPELINE.field("sha(format: ShaFormat): String", since=_FORMATS)
def sha(_ctx: ReadContext, pipeline: Pipeline, format: int | None = None) -> str:  # the argument's name on the wire
    """The SHA of the commit."""
    return pipeline.sha[:format]


@PIPELINE.field("coverage: Float")
def coverage(ctx: ReadContext, pipeline: Pipeline) -> float | None:
    """Test coverage in percent."""
    return pipelines.find_coverage(ctx.world, pipeline)


@PIPELINE.field("detailedStatus: DetailedStatus!")
def detailed_status(ctx: ReadContext, pipeline: Pipeline) -> DetailedStatus:
    """The status with its texts and icons."""
    return detailed_statuses.of_pipeline(ctx.world, pipeline)


@PIPELINE.field("user: User")
def user(ctx: ReadContext, pipeline: Pipeline) -> User | None:
    """The user who started the pipeline."""
    return ctx.world.users.get(pipeline.user_id) if pipeline.user_id is not None else None


@PIPELINE.field("project: Project", since="13.6")
def project_of_pipeline(ctx: ReadContext, pipeline: Pipeline) -> Project:
    """The project."""
    return ctx.world.projects[pipeline.project_id]


@PIPELINE.field("path: String", since="13.6")
def path(ctx: ReadContext, pipeline: Pipeline) -> str:
    """The path of the page."""
    return detailed_statuses.pipeline_path(ctx.world, pipeline)


Enumeration(
    "PipelineMergeRequestEventType",
    "For what of a merge request a pipeline runs.",
    {
        "MERGED_RESULT": ("merged_result", "For the merge of both branches."),
        "DETACHED": ("detached", "For the source branch."),
        "MERGE_TRAIN": ("merge_train", "For the merge train.", Lifetime(since="<=15.8")),
    },
    since="<=15.3",
)


@PIPELINE.field("mergeRequestEventType: PipelineMergeRequestEventType", since="<=15.3")
def merge_request_event_type(ctx: ReadContext, pipeline: Pipeline) -> str | None:
    """For what of the merge request it runs, if it runs for one."""
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    return merge_request_variables.event_type_of(merge_request, pipeline.ref) if merge_request is not None else None


@PIPELINE.field("active: Boolean!", since="13.8")
def active(_ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether the pipeline progresses without user action."""
    return pipeline.is_active


@PIPELINE.field("retryable: Boolean!")
def retryable(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether there are jobs to retry."""
    return job_actions.is_pipeline_retryable(ctx.world, pipeline)


@PIPELINE.field("cancelable: Boolean!")
def cancelable(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether there are jobs to cancel."""
    return job_actions.is_pipeline_cancelable(ctx.world, pipeline)


@frozen
class Permissions:
    """What the caller may do with a pipeline."""

    update_pipeline: bool
    admin_pipeline: bool
    destroy_pipeline: bool


PERMISSIONS = Type("PipelinePermissions", "What the caller may do with a pipeline.")
PERMISSIONS.attributes(
    {
        "updatePipeline: Boolean!": "Whether the caller may retry and cancel it.",
        "adminPipeline: Boolean!": "Whether the caller may read its variables.",
        "destroyPipeline: Boolean!": "Whether the caller may delete it.",
    }
)


@PIPELINE.field("userPermissions: PipelinePermissions!")
def user_permissions(ctx: ReadContext, pipeline: Pipeline) -> Permissions:
    """What the caller may do with the pipeline."""
    project = ctx.world.projects[pipeline.project_id]
    return Permissions(
        update_pipeline=ci_access.can_update_pipeline(ctx, project, pipeline),
        admin_pipeline=can(ctx, Ability.ADMIN_PIPELINE, project),
        destroy_pipeline=can(ctx, Ability.DESTROY_PIPELINE, project),
    )


@PIPELINE.field("upstream: Pipeline", since="13.6")
def upstream(ctx: ReadContext, pipeline: Pipeline) -> Pipeline | None:
    """The pipeline that triggered this one."""
    job = ctx.world.jobs.get(pipeline.source_job_id) if pipeline.source_job_id is not None else None
    return _readable(ctx, ctx.world.pipelines[job.pipeline_id]) if job is not None else None


@PIPELINE.field("downstream: PipelineConnection", since="13.6")
def downstream(ctx: ReadContext, pipeline: Pipeline) -> Sequence[Pipeline]:
    """The pipelines that this one triggered."""
    bridges = jobs.list_by_pipeline(ctx.world, pipeline.id, "bridge")
    created = [ctx.world.pipelines.where("source_job", bridge.id) for bridge in bridges]
    return [triggered for rows in created for triggered in rows if _readable(ctx, triggered)]


def _readable(ctx: ReadContext, pipeline: Pipeline) -> Pipeline | None:
    project = ctx.world.projects[pipeline.project_id]
    return pipeline if can_see(ctx, project) and can(ctx, Ability.READ_PIPELINE, project) else None


class PipelineFilters(TypedDict, total=False):
    """The arguments of lists of pipelines."""

    status: Status | None
    ref: str | None
    sha: str | None
    scope: Scope | None
    source: Source | None
    updated_after: str | None
    updated_before: str | None
    username: str | None
    ids: Sequence[str] | None
    ref_type: str | None


Enumeration(
    "PipelineScopeEnum",
    "Which pipelines to list.",
    {scope.upper(): (scope, f"Those that are {scope}.") for scope in get_args(Scope)},
    since="<=14.9",
)


_MAX_IDS: Final = 20
_SCOPES: Final[Mapping[str, Scope]] = {"heads": "branches", "tags": "tags"}
FILTERS: Final = (
    'status: PipelineStatusEnum, ref: String, sha: String, source: String @lifetime(since: "<=14.3"), '
    'scope: PipelineScopeEnum @lifetime(since: "<=14.9"), updatedAfter: Time @lifetime(since: "<=14.10"), '
    'updatedBefore: Time @lifetime(since: "<=14.10"), username: String @lifetime(since: "<=14.10"), '
    'ids: [ID!] @lifetime(since: "<=18.9"), refType: RefType @lifetime(since: "<=18.9")'
)


@PROJECT.field(f"pipelines({FILTERS}): PipelineConnection")
def pipelines_of_project(ctx: ReadContext, project: Project, **filters: Unpack[PipelineFilters]) -> Sequence[Pipeline]:
    """The pipelines of the project, newest first."""
    return list_filtered(ctx, project, filters) if can(ctx, Ability.READ_PIPELINE, project) else ()


def list_filtered(ctx: ReadContext, project: Project, filters: PipelineFilters) -> Sequence[Pipeline]:
    """Return the pipelines of a project that pass the filters, newest first."""
    ids = _read_ids(ctx, filters.get("ids") or ())
    if filters.get("source") not in (None, *get_args(Source)):
        return ()
    criteria = PipelineFilter(
        status=filters.get("status"),
        ref=filters.get("ref"),
        sha=filters.get("sha"),
        scope=filters.get("scope") or _SCOPES.get(filters.get("ref_type") or ""),
        source=filters.get("source"),
        updated_after=filters.get("updated_after"),
        updated_before=filters.get("updated_before"),
        username=filters.get("username"),
        ids=ids,
    )
    return pipeline_search.list_pipelines(ctx, project, criteria)


def _read_ids(ctx: ReadContext, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of pipelines; those of other records find nothing."""
    if len(texts) > _MAX_IDS:
        raise GraphQLError(f"Cannot query more than {_MAX_IDS} pipelines by ID at once.")
    return tuple(_read_id(ctx, text) for text in texts)


def _read_id(ctx: ReadContext, text: str) -> int:
    try:
        return parse_id(ctx, text, "Ci::Pipeline")
    except GraphQLError:
        return 0


_LATER: Final = "<=18.5"
_BY_SHA: Final = "<=14.0"


@PROJECT.field(
    f'pipeline(iid: ID! @lifetime(until: "{_BY_SHA}"), iid: ID @lifetime(since: "{_BY_SHA}"), '
    f'id: CiPipelineID @lifetime(since: "{_LATER}"), sha: String @lifetime(since: "{_BY_SHA}")): Pipeline',
    single=True,
)
def pipeline_of_project(
    ctx: ReadContext, project: Project, iid: str | None = None, id: str | None = None, sha: str | None = None
) -> Pipeline | None:
    """The pipeline of the project with an ID, with a number, or the newest one of a commit."""
    if not _is_unambiguous(ctx, [id, iid, sha]):
        raise GraphQLError(ctx.profile.choose(ONE_PIPELINE))
    if not can(ctx, Ability.READ_PIPELINE, project):
        return None
    if iid is not None:
        return ctx.world.pipelines.find("iid", (project.id, parse_number(iid) or 0))
    if id is None:
        return _find_newest(ctx, project, sha)
    found = ctx.world.pipelines.get(parse_id(ctx, id, "Ci::Pipeline"))
    return found if found is not None and found.project_id == project.id else None


def _is_unambiguous(ctx: ReadContext, names: list[str | None]) -> bool:
    given = len(names) - names.count(None)
    return given == 1 or (given == 0 and ctx.profile.has(PIPELINES_NEED_NO_NAME))


def _find_newest(ctx: ReadContext, project: Project, sha: str | None) -> Pipeline | None:
    """Return the newest pipeline of a commit, or of the newest commit of the default branch."""
    if sha is None:
        branch = project.default_branch
        return pipelines.find_latest_by_ref(ctx.world, project, branch) if branch is not None else None
    return next(iter(pipeline_search.list_pipelines(ctx, project, PipelineFilter(sha=sha))), None)


COUNTS = Type("PipelineCounts", "Numbers of pipelines.", since="<=14.9")
COUNTS.attributes(
    {
        "all: Int": "Number of pipelines.",
        "finished: Int": "Number of finished pipelines.",
        "pending: Int": "Number of waiting pipelines.",
        "running: Int": "Number of running pipelines.",
    }
)


@PROJECT.field("pipelineCounts(ref: String, sha: String, source: String): PipelineCounts", since="<=14.9")
def pipeline_counts(ctx: ReadContext, project: Project, **filters: Unpack[PipelineFilters]) -> dict[str, int]:
    """Numbers of pipelines of the project."""
    counts = {"all": len(pipelines_of_project(ctx, project, **filters))}
    scopes: tuple[Scope, ...] = ("finished", "pending", "running")
    for scope in scopes:
        scoped: PipelineFilters = {**filters, "scope": scope}
        counts[scope] = len(pipelines_of_project(ctx, project, **scoped))
    return counts


@MERGE_REQUEST.field("headPipeline: Pipeline")
def head_pipeline(ctx: ReadContext, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of the newest commit."""
    return pipelines.head_pipeline(ctx.world, merge_request) if _can_read_pipelines(ctx, merge_request) else None


@MERGE_REQUEST.field(f"pipelines({FILTERS}): PipelineConnection")
def pipelines_of(
    ctx: ReadContext, merge_request: MergeRequest, **filters: Unpack[PipelineFilters]
) -> Sequence[Pipeline]:
    """The pipelines of the merge request and of its commits."""
    if not _can_read_pipelines(ctx, merge_request):
        return ()
    all_pipelines = pipelines.list_by_merge_request(ctx.world, merge_request)
    if all(value is None for value in filters.values()):
        return all_pipelines
    # Those of a fork are in the project of the fork.
    projects = {pipeline.project_id: ctx.world.projects[pipeline.project_id] for pipeline in all_pipelines}
    passing = {each.id for project in projects.values() for each in list_filtered(ctx, project, filters)}
    return [pipeline for pipeline in all_pipelines if pipeline.id in passing]


def _can_read_pipelines(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    return can(ctx, Ability.READ_PIPELINE, project_of(ctx, merge_request))
