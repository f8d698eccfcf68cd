"""Merge requests, branches and counts of work items, and their statuses. Source: docs/platform/work-items.md."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import detailed_statuses, pipelines
from fakeplat.domain.ci.detailed_statuses import DetailedStatus
from fakeplat.domain.issues import related_merge_requests, work_items, work_statuses
from fakeplat.domain.issues.work_items import WorkItem, WorkItemType
from fakeplat.domain.issues.work_statuses import Status
from fakeplat.domain.merge_requests import closing_issues, merge_requests
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, global_id, parse_id
from fakeplat.graphql.issues.work_item_widgets import WIDGETS, widget_field
from fakeplat.graphql.issues.work_items import KINDS, PERMISSIONS, WORK_ITEM, web_url
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.deployments import FeatureFlag
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=18.5"
_NEWEST: Final = "<=18.9"
_ADDED: Final = "17.1"
"""The release from which on users add merge requests that close a work item."""
Scalar("MergeRequestsClosingIssuesID", "The global ID of a merge request that closes an issue.", since=_ADDED)
CLOSING: Final = Type(
    "WorkItemClosingMergeRequest", "A merge request that closes a work item.", since=_ADDED, connection_since=_SINCE
)
BRANCH: Final = Type("WorkItemRelatedBranch", "A branch that is named after a work item.", since=_SINCE)
BRANCH.attributes({"name: String!": "The name."})


@frozen
class ClosingMergeRequest:
    """A merge request and the issue that it closes."""

    issue: Issue
    merge_request: MergeRequest

    @property
    def id(self) -> int:
        """That of the merge request, which is unique for an issue."""
        return self.merge_request.id


@frozen
class Branch:
    """A branch of a project."""

    project: Project
    name: str

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@widget_field("DEVELOPMENT", "closingMergeRequests: WorkItemClosingMergeRequestConnection", since=_SINCE)
def closing_merge_requests(ctx: ReadContext, item: Issue) -> Sequence[ClosingMergeRequest]:
    """The merge requests whose merging closes it."""
    found = ctx.world.merge_requests.where("closes", item.id)
    return [ClosingMergeRequest(item, each) for each in found if noteables.is_visible(ctx, each)]


@widget_field("DEVELOPMENT", "relatedMergeRequests: MergeRequestConnection")
def related(ctx: ReadContext, item: Issue) -> Sequence[MergeRequest]:
    """The merge requests that its texts mention."""
    return related_merge_requests.list_related_merge_requests(ctx, item)


@widget_field("DEVELOPMENT", "willAutoCloseByMergeRequest: Boolean!", since=_SINCE)
def will_close(ctx: ReadContext, item: Issue) -> bool:
    """Whether an open merge request is going to close it."""
    project = ctx.world.projects[item.project_id]
    open_ones = (each.merge_request.state == "opened" for each in closing_merge_requests(ctx, item))
    return project.autoclose_referenced_issues is not False and item.state == "opened" and any(open_ones)


@widget_field("DEVELOPMENT", "relatedBranches: WorkItemRelatedBranchConnection", since=_SINCE)
def related_branches(ctx: ReadContext, item: Issue) -> Sequence[Branch]:
    """The branches whose names begin with its number and that no merge request has."""
    project = ctx.world.projects[item.project_id]
    if not can(ctx, Ability.DOWNLOAD_CODE, project):
        return ()
    sources = {each.source_branch for each in related(ctx, item)}
    names = repositories.open_repository(ctx.world, project).branches()
    return [Branch(project, name) for name in names if name.startswith(f"{item.iid}-") and name not in sources]


@CLOSING.field("id: MergeRequestsClosingIssuesID!")
def id_of_closing(ctx: ReadContext, closing: ClosingMergeRequest) -> str:
    """The global ID."""
    return global_id(ctx, "MergeRequestsClosingIssues", closing.id)


@CLOSING.field("mergeRequest: MergeRequest")
def merge_request_of(_ctx: ReadContext, closing: ClosingMergeRequest) -> MergeRequest:
    """The merge request."""
    return closing.merge_request


@CLOSING.field("fromMrDescription: Boolean!")
def is_from_description(ctx: ReadContext, closing: ClosingMergeRequest) -> bool:
    """Whether its description says that it closes the work item."""
    project = ctx.world.projects[closing.merge_request.project_id]
    found = closing_issues.find_closing_references(ctx, project, [closing.merge_request.description])
    return closing.issue.id in [issue.id for issue in found]


@BRANCH.field("comparePath: String")
def compare_path(ctx: ReadContext, branch: Branch) -> str:
    """The path of the comparison with the default branch."""
    path = namespaces.project_path(ctx.world, branch.project)
    return f"/{path}/-/compare/{branch.project.default_branch}...{branch.name}"


@BRANCH.field("pipelineStatus: DetailedStatus")
def status_of_branch(ctx: ReadContext, branch: Branch) -> DetailedStatus | None:
    """The status of the newest pipeline of the branch."""
    if not can(ctx, Ability.READ_PIPELINE, branch.project):
        return None
    newest = pipelines.find_latest_by_ref(ctx.world, branch.project, branch.name)
    return detailed_statuses.of_pipeline(ctx.world, newest) if newest is not None else None


# Counts of what is below

COUNTS: Final = Type("WorkItemTypeCountsByState", "The number of work items below, of a type.", since="17.3")
DEPTH: Final = Type("WorkItemTypeDepthLimitReachedByType", "Whether there can be more levels of a type.", since="17.4")


@frozen
class TypeCounts:
    """Work items of a type by their states."""

    work_item_type: WorkItemType
    counts: Mapping[str, int]


@frozen
class TypeDepth:
    """Whether the highest number of levels of a type is there."""

    work_item_type: WorkItemType
    depth_limit_reached: bool


COUNTS.attributes({"workItemType: WorkItemType!": "The type."})
DEPTH.attributes({"workItemType: WorkItemType!": "The type.", "depthLimitReached: Boolean!": "Whether it is reached."})


@COUNTS.field("countsByState: WorkItemStateCountsType!")
def counts_by_state(_ctx: ReadContext, counts: TypeCounts) -> Any:
    """The numbers by state."""
    return counts.counts


@widget_field("HIERARCHY", "rolledUpCountsByType: [WorkItemTypeCountsByState!]!", since="17.3")
def rolled_up_counts(ctx: ReadContext, item: WorkItem) -> Sequence[TypeCounts]:
    """The numbers of the work items on all levels below, by type."""
    below = _list_below(ctx, item)
    return [_count(kind, below) for kind in work_items.TYPES if _may_be_below(kind, work_items.type_of(item))]


def _count(kind: WorkItemType, below: Sequence[WorkItem]) -> TypeCounts:
    states = Counter(each.state for each in below if work_items.type_of(each).kind == kind.kind)
    return TypeCounts(kind, {"all": states.total(), "opened": states["opened"], "closed": states["closed"]})


def _may_be_below(kind: WorkItemType, above: WorkItemType) -> bool:
    if above.kind in kind.parents:
        return True
    parents = (each for each in work_items.TYPES if each.kind in kind.parents and each.kind != kind.kind)
    return any(_may_be_below(parent, above) for parent in parents)


def _list_below(ctx: ReadContext, item: WorkItem) -> list[WorkItem]:
    children = work_items.list_children(ctx, item)
    return [*children, *(each for child in children for each in _list_below(ctx, child))]


@widget_field("HIERARCHY", "depthLimitReachedByType: [WorkItemTypeDepthLimitReachedByType!]!", since="17.4")
def depth_limits(ctx: ReadContext, item: WorkItem) -> Sequence[TypeDepth]:
    """Whether the highest number of levels is there, for each type that can be right below."""
    own = work_items.type_of(item)
    level = _count_levels_above(ctx, item, own)
    return [
        TypeDepth(kind, kind.kind == own.kind and level + 1 >= work_items.MOST_LEVELS[own.kind])
        for kind in work_items.TYPES
        if own.kind in kind.parents
    ]


def _count_levels_above(ctx: ReadContext, item: WorkItem, kind: WorkItemType) -> int:
    parent = work_items.find_parent(ctx, item)
    is_same = parent is not None and work_items.type_of(parent).kind == kind.kind
    return 1 + _count_levels_above(ctx, parent, kind) if is_same and parent is not None else 0


# Statuses of namespaces

LIFECYCLE: Final = Type(
    "WorkItemLifecycle",
    "The statuses that work items of some types can have.",
    gid="WorkItems::Statuses::SystemDefined::Lifecycle",
    since=_NEWEST,
)
LIFECYCLE.attributes({"name: String!": "The name."})


@frozen
class Lifecycle:
    """The statuses that all namespaces have."""

    id: int = 1
    name: str = "Default"


@NAMESPACE.field("lifecycles: WorkItemLifecycleConnection", since=_NEWEST)
@GROUP.field("lifecycles: WorkItemLifecycleConnection", since=_NEWEST)
def lifecycles(ctx: ReadContext, container: Namespace | Project) -> Sequence[Lifecycle] | None:
    """The lifecycles; paid tiers only."""
    return [Lifecycle()] if has_feature(ctx.world, "premium", container) else None


@NAMESPACE.field("statuses: WorkItemStatusConnection", since=_NEWEST)
@GROUP.field("statuses: WorkItemStatusConnection", since=_NEWEST)
def statuses(ctx: ReadContext, container: Namespace | Project) -> Sequence[Status] | None:
    """The statuses; paid tiers only."""
    return work_statuses.STATUSES if has_feature(ctx.world, "premium", container) else None


@LIFECYCLE.field("statuses: [WorkItemStatus!]")
def statuses_of(_ctx: ReadContext, _lifecycle: Lifecycle) -> Sequence[Status]:
    """The statuses."""
    return work_statuses.STATUSES


@LIFECYCLE.field("workItemTypes: [WorkItemType!]")
def types_of(_ctx: ReadContext, _lifecycle: Lifecycle) -> Sequence[WorkItemType]:
    """The types that have the statuses."""
    return [kind for kind in work_items.TYPES if kind.kind in work_statuses.TYPES]


def _declare_default(signature: str, default: Status, description: str) -> None:
    def get_default(_ctx: ReadContext, _lifecycle: Lifecycle) -> Status:
        return default

    LIFECYCLE.field(signature, description=description)(get_default)


_declare_default("defaultOpenStatus: WorkItemStatus", work_statuses.DEFAULT_OPEN, "That of open work items.")
_declare_default("defaultClosedStatus: WorkItemStatus", work_statuses.DEFAULT_CLOSED, "That of closed work items.")
_declare_default("defaultDuplicateStatus: WorkItemStatus", work_statuses.DEFAULT_DUPLICATE, "That of duplicates.")


# Feature flags

_FLAGS: Final = "<=17.8"
FLAG: Final = Type("FeatureFlag", "A feature flag.", since=_FLAGS)
FLAG.attributes({"name: String!": "The name.", "active: Boolean!": "Whether it is active."})
declare_id(FLAG, "Operations::FeatureFlag", "The global ID of the flag.")


@FLAG.field("path: String!")
def path_of_flag(ctx: ReadContext, flag: FeatureFlag) -> str:
    """The path of the page that edits it."""
    return f"/{namespaces.project_path(ctx.world, ctx.world.projects[flag.project_id])}/-/feature_flags/{flag.iid}/edit"


@FLAG.field("reference: String!")
def reference_of_flag(_ctx: ReadContext, flag: FeatureFlag) -> str:
    """How texts refer to it."""
    return f"[feature_flag:{flag.iid}]"


@widget_field("DEVELOPMENT", "featureFlags: FeatureFlagConnection", since=_FLAGS)
def linked_flags(ctx: ReadContext, item: Issue) -> Sequence[FeatureFlag]:
    """The feature flags on whose pages it was linked; paid tiers only."""
    project = ctx.world.projects[item.project_id]
    if not has_feature(ctx.world, "premium", project) or not can(ctx, Ability.READ_FEATURE_FLAG, project):
        return ()
    return ctx.world.feature_flags.where("issue", item.id)


# Further fields of work items


@WORK_ITEM.field("movedToWorkItemUrl: String", since=_SINCE)
def moved_to_url(ctx: ReadContext, item: WorkItem) -> str | None:
    """The URL of the work item that this one became by moving, if the caller may see it."""
    moved_to = ctx.world.issues.get(item.moved_to_id or 0) if isinstance(item, Issue) else None
    return web_url(ctx, moved_to) if moved_to is not None and noteables.is_visible(ctx, moved_to) else None


@WORK_ITEM.field("duplicatedToWorkItemUrl: String", since=_SINCE)
def duplicated_to_url(ctx: ReadContext, item: WorkItem) -> str | None:
    """The URL of the work item of which this one is a duplicate, if the caller may see it."""
    canonical = ctx.world.issues.get(item.duplicated_to_id or 0) if isinstance(item, Issue) else None
    return web_url(ctx, canonical) if canonical is not None and noteables.is_visible(ctx, canonical) else None


@WORK_ITEM.field("promotedToEpicUrl: String", since=_SINCE)
def promoted_to_url(ctx: ReadContext, item: WorkItem) -> str | None:
    """The URL of the epic to which it was promoted, if the caller may see it."""
    epic = ctx.world.epics.get(item.promoted_to_epic_id or 0) if isinstance(item, Issue) else None
    return web_url(ctx, epic) if epic is not None and noteables.is_visible(ctx, epic) else None


@PERMISSIONS.field("moveWorkItem: Boolean!", since=_SINCE)
@PERMISSIONS.field("cloneWorkItem: Boolean!", since=_SINCE)
def may_move(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may move it or copy it to another project."""
    return isinstance(item, Issue) and can(ctx, Ability.ADMIN_ISSUE, ctx.world.projects[item.project_id])


@PERMISSIONS.field("markNoteAsInternal: Boolean!", since=_SINCE)
def may_comment_internally(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may write comments that only members see."""
    return noteables.can_administer(ctx, item)


@mutation(
    "workItemAddClosingMergeRequest",
    input_fields='''
"""The full path of the project or group in which the reference is read; by default that of the work item."""
contextNamespacePath: ID
"""The global ID of the work item."""
id: WorkItemID!
"""The reference of the merge request, or its URL."""
mergeRequestReference: String!
''',
    payload_fields='''
"""The merge request."""
closingMergeRequest: WorkItemClosingMergeRequest
"""The work item."""
workItem: WorkItem
''',
    since=_ADDED,
)
def add_closing_merge_request(
    ctx: WriteContext, id: str, merge_request_reference: str, context_namespace_path: str | None = None
) -> Mapping[str, Any]:
    """Let a merge request close a work item."""
    item = work_items.find_item(ctx, parse_id(ctx, id, *KINDS))
    if item is None or not noteables.can_update(ctx, item).allowed:
        raise ResourceNotAvailable(lambda: f"{id} does not exist, or {caller_name(ctx)} may not change it")
    failed = {"closing_merge_request": None, "work_item": None}
    if not isinstance(item, Issue) or item.kind not in WIDGETS["DEVELOPMENT"].kinds:
        raise MutationFailed(["Development widget is not enabled for this work item type"], failed)
    container = _find_container(ctx, context_namespace_path) or ctx.world.projects[item.project_id]
    found = references.find_merge_requests(ctx, container, merge_request_reference)
    visible = (each for each in found.values() if noteables.is_visible(ctx, each))
    merge_request = next(visible, None)
    if merge_request is None:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no merge request {merge_request_reference}")
    with collect_errors(**failed):
        changed = merge_requests.add_closing(ctx, merge_request, item)
    return {"closing_merge_request": ClosingMergeRequest(item, changed), "work_item": item}


def _find_container(ctx: ReadContext, full_path: str | None) -> Namespace | Project | None:
    if full_path is None:
        return None
    return namespaces.find_project_by_path(ctx.world, full_path) or find_namespace(ctx, full_path)
