"""The lists of merge requests.

Source: docs/platform/specification.md ('Merge requests'), docs/platform/merge-requests.md, docs/decisions/rulings.md
(1, 7, 20).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.issues import NonArchivedOnly
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import Unauthorized
from fakeplat.core.operations.operation import Area
from fakeplat.core.operations.paging import DEFAULT_PAGE, LARGEST_PAGE, Paged
from fakeplat.core.params.params import (
    ArrayNoneAny,
    CommaList,
    IntegerNoneAny,
    Moment,
    Named,
    Params,
    mutually_exclusive,
)
from fakeplat.domain.issues import issue_search
from fakeplat.domain.merge_requests import merge_checks, merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.entities.issuables import FROM_GROUP, FROM_PROJECT, LABEL_DETAILS
from fakeplat.entities.merge_requests import MergeRequestBasic, MergeRequestSimple
from fakeplat.entities.namespaces import GroupView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

area: Final = Area("Merge requests", login_ruling=Ruling.MERGE_REQUESTS_REQUIRE_LOGIN)
_MOST_APPROVED_BY: Final = 5
"""The limit of the specification and of the platform alike (``MergeRequests::ByApprovalsFinder``, 14.0)."""
_MOST_APPROVERS: Final = 5
"""The limit of the specification; the platform has none (``MergeRequests::ByApproversFinder``, 14.0)."""
Scopes = Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all"]


class NotMergeRequests(Params):
    """What merge requests must not have."""

    labels: CommaList[str] | None = None
    milestone: str | None = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: CommaList[str] | None = None
    my_reaction_emoji: str | None = None

    rules = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class MergeRequestFilters(Paged):
    """Filters of all lists of merge requests."""

    state: Literal["opened", "closed", "locked", "merged", "all"] = "all"
    order_by: Literal["created_at", "updated_at"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    labels: CommaList[str] | None = None
    milestone: str | None = None
    iids: CommaList[int] | None = None
    search: str | None = None
    in_: Annotated[str | None, Named("in")] = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: CommaList[str] | None = None
    approver_ids: ArrayNoneAny | None = None
    approved_by_ids: ArrayNoneAny | None = None
    my_reaction_emoji: str | None = None
    source_branch: str | None = None
    target_branch: str | None = None
    wip: Literal["yes", "no"] | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    environment: str | None = None
    deployed_after: Moment | None = None
    deployed_before: Moment | None = None
    scope: Scopes | None = None
    not_: Annotated[NotMergeRequests | None, Named("not")] = None
    view: Literal["simple"] | None = None
    with_labels_details: bool = False
    with_merge_status_recheck: bool = False

    rules = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class ListProjectMergeRequests(MergeRequestFilters):
    """A list of a project's merge requests."""


class ListGroupMergeRequests(MergeRequestFilters, NonArchivedOnly):
    """A list of the merge requests of several projects."""


class ListMergeRequests(MergeRequestFilters):
    """The list of merge requests everywhere; by default those that the caller made."""

    scope: Scopes | None = "created_by_me"


def _view(ctx: ReadContext, p: MergeRequestFilters) -> type[Entity[Any]]:
    del ctx
    return MergeRequestSimple if p.view == "simple" else MergeRequestBasic


def _options(ctx: ReadContext, p: MergeRequestFilters, row: Any) -> tuple[str, ...]:
    del ctx, row
    return (LABEL_DETAILS,) if p.with_labels_details else ()


def _project_options(ctx: ReadContext, p: MergeRequestFilters, row: Any) -> tuple[str, ...]:
    return (*_options(ctx, p, row), FROM_PROJECT)


def _group_options(ctx: ReadContext, p: MergeRequestFilters, row: Any) -> tuple[str, ...]:
    return (*_options(ctx, p, row), f"{FROM_GROUP}{GroupView(ctx.records[0], ctx).full_path()}")


def _recheck(
    p: MergeRequestFilters, rows: Callable[[], Sequence[MergeRequest]]
) -> Callable[[WriteContext], None] | None:
    """What a list with ``with_merge_status_recheck`` sets going: checks of what it shows and is stale."""
    if not p.with_merge_status_recheck:
        return None
    size = min(p.per_page, LARGEST_PAGE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE
    first = (max(p.page or 1, 1) - 1) * size
    stale = [row.id for row in rows()[first : first + size] if merge_checks.is_stale(row)]

    def ask(doing: WriteContext) -> None:
        for id_ in stale:
            merge_checks.start_check(doing, doing.world.merge_requests[id_])

    return ask if stale else None


def _wake_own(ctx: ReadContext, records: list[Any], p: ListMergeRequests) -> Callable[[WriteContext], None] | None:
    del records
    return _recheck(p, lambda: _everywhere(ctx, p))


def _wake_group(
    ctx: ReadContext, records: list[Any], p: ListGroupMergeRequests
) -> Callable[[WriteContext], None] | None:
    return _recheck(p, lambda: _of_group(ctx, records[0], p))


def _wake_project(
    ctx: ReadContext, records: list[Any], p: ListProjectMergeRequests
) -> Callable[[WriteContext], None] | None:
    return _recheck(p, lambda: _of_project(ctx, records[0], p))


@area.operation(
    "GET", "merge_requests", params=ListMergeRequests, view=_view, many=True, options=_options, wakes=_wake_own
)
def list_merge_requests(ctx: ReadContext, p: ListMergeRequests) -> Sequence[MergeRequest]:
    """List merge requests everywhere; by default the caller's own."""
    return _everywhere(ctx, p)


@area.operation(
    "GET",
    "merge_requests",
    scope=GROUP,
    params=ListGroupMergeRequests,
    view=_view,
    many=True,
    options=_group_options,
    wakes=_wake_group,
)
def list_group_merge_requests(ctx: ReadContext, group: Group, p: ListGroupMergeRequests) -> Sequence[MergeRequest]:
    """List the merge requests of a group and its subgroups."""
    return _of_group(ctx, group, p)


@area.operation(
    "GET",
    "merge_requests",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    params=ListProjectMergeRequests,
    view=_view,
    many=True,
    options=_project_options,
    wakes=_wake_project,
)
def list_project_merge_requests(
    ctx: ReadContext, project: Project, p: ListProjectMergeRequests
) -> Sequence[MergeRequest]:
    """List the merge requests of a project."""
    return _of_project(ctx, project, p)


def _everywhere(ctx: ReadContext, p: ListMergeRequests) -> Sequence[MergeRequest]:
    if ctx.viewer is None and p.scope != "all":
        raise Unauthorized(reason="nobody is signed in; anonymous callers list merge requests with scope=all only")
    return _listed(ctx, p, ctx.world.projects.all, "all")


def _of_group(ctx: ReadContext, group: Group, p: ListGroupMergeRequests) -> Sequence[MergeRequest]:
    return _listed(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


def _of_project(ctx: ReadContext, project: Project, p: ListProjectMergeRequests) -> Sequence[MergeRequest]:
    return _listed(ctx, p, lambda: [project], project.id)


def _listed(ctx: ReadContext, p: MergeRequestFilters, projects: Any, container: Any) -> Sequence[MergeRequest]:
    chooser = MergeRequestFilter(ctx, container)
    chosen = _chosen(chooser, p, projects)
    return merge_request_search.order_merge_requests(ctx, chosen, container, p.order_by, p.sort)


def _chosen(chooser: MergeRequestFilter, p: MergeRequestFilters, projects: Any) -> int:
    """What passes all filters, whatever is linear last."""
    ctx = chooser.ctx
    issue_search.check_assignees(ctx, p.assignee_username or ())
    sight = merge_request_search.visible_projects(
        ctx, projects, issue_search.scope_key(ctx), archived=not getattr(p, "non_archived", False)
    )
    chosen = chooser.timed(_scoped(chooser, p.scope, chooser.visible(sight)), p)
    for name, condition in _CONDITIONS.items():
        value = p.given().get(name)
        if value not in (None, "", []):
            chosen &= condition(chooser, value)
    if p.state != "all":
        chosen &= chooser.bits("state", p.state)
    if p.iids:
        chosen &= chooser.numbered(p.iids, sight.open[0] if chooser.group != "all" and sight.open else None, chosen)
    if has_feature(ctx.world, "premium", ctx.container):
        chosen &= _approved(chooser, p)
    if p.environment or p.deployed_after or p.deployed_before:
        chosen = 0  # nothing was deployed yet
    if p.search:
        chosen = chooser.found(chosen, p.search, issue_search.search_columns(p.in_))
    return chosen & ~_excluded(chooser, p.not_) if p.not_ else chosen


_CONDITIONS: Final[dict[str, Any]] = {
    "author_id": lambda chooser, value: chooser.bits("author", value),
    "author_username": lambda chooser, value: chooser.by_users("author", [value]),
    "assignee_id": lambda chooser, value: chooser.assigned(value),
    "assignee_username": lambda chooser, value: chooser.by_users("assignee", value),
    "labels": lambda chooser, value: chooser.labelled(value),
    "milestone": lambda chooser, value: chooser.in_milestone(value),
    "my_reaction_emoji": lambda chooser, value: chooser.reacted(value),
    "source_branch": lambda chooser, value: chooser.bits("source_branch", value),
    "target_branch": lambda chooser, value: chooser.bits("target_branch", value),
    "wip": lambda chooser, value: chooser.bits("draft", value == "yes"),
}


def _scoped(chooser: MergeRequestFilter, scope: str | None, chosen: int) -> int:
    user = chooser.ctx.viewer
    if scope in (None, "all"):
        return chosen
    if user is None:
        return 0
    return chosen & chooser.bits("author" if "created" in str(scope) else "assignee", user.id)


def _approved(chooser: MergeRequestFilter, p: MergeRequestFilters) -> int:
    chosen = chooser.bits("all")
    if p.approved_by_ids not in (None, []):
        chosen &= chooser.approved_by(_take(p.approved_by_ids, _MOST_APPROVED_BY))
    if p.approver_ids not in (None, []):
        cut = Ruling.APPROVED_BY_IDS_ARE_CUT_TO_FIVE.holds(chooser.world)
        chosen &= chooser.approvable_by(_take(p.approver_ids, _MOST_APPROVERS if cut else None))
    return chosen


def _take(wanted: Any, most: int | None) -> Any:
    """The first ``most`` different ids, all of them for None; words as they are."""
    return wanted if isinstance(wanted, str) else list(dict.fromkeys(wanted))[:most]


def _excluded(chooser: MergeRequestFilter, p: NotMergeRequests) -> int:
    """Those that have something which they must not have."""
    given, found = p.given(), 0
    for title in given.get("labels") or ():
        found |= chooser.any_label(title)
    if given.get("milestone"):
        found |= chooser.in_milestone(given["milestone"])
    if given.get("author_id") is not None:
        found |= chooser.bits("author", given["author_id"])
    if given.get("assignee_id") is not None:
        found |= chooser.assigned(given["assignee_id"])
    if given.get("author_username"):
        found |= chooser.by_users("author", [given["author_username"]])
    if given.get("assignee_username"):
        found |= chooser.by_users("assignee", given["assignee_username"])
    if given.get("my_reaction_emoji"):
        found |= chooser.reacted(given["my_reaction_emoji"])
    return found
