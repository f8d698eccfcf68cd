"""Feeds of issues and merge requests: of projects, of groups, and of the dashboard. Source: docs/platform/feeds.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar
from urllib.parse import urlencode

from fakeplat.api.feeds.access import FeedWithoutFilter, as_reader, get_query, list_parameters, refuse
from fakeplat.api.feeds.activity_feeds import area
from fakeplat.api.feeds.atom import Feed, shorten
from fakeplat.api.issues.issuables import ListScope, match_scope, match_text
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import labels
from fakeplat.entities import urls
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

F = TypeVar("F", bound=IssueFilter)
Conditions = Mapping[str, Callable[[F, str], int]]
_PER_PAGE: Final = 20
_TITLE: Final = 80
_DESCRIPTION: Final = 240
_STATES: Final = ("opened", "closed", "merged", "locked")
_NEWEST: Final = ("created_at", "desc")
_ORDERS: Final = {
    "created_asc": ("created_at", "asc"),
    "updated_asc": ("updated_at", "asc"),
    "updated_desc": ("updated_at", "desc"),
}


@area.operation("GET", "*project/-/issues.atom", refusals=(401, 404))
def get_project_issues_feed(ctx: ReadContext, project: str) -> RawBody:
    """Get the feed of the issues of a project: the open ones, unless the parameters of the page say otherwise."""
    reader, container = _get_project(ctx, project, Ability.READ_ISSUES, "issues")
    issues = _list_issues(reader, [container], container.id)
    return _write_of_container(ctx, reader, container, "issues", issues)


@area.operation("GET", "groups/*group/-/issues.atom", refusals=(401, 404))
def get_group_issues_feed(ctx: ReadContext, group: str) -> RawBody:
    """Get the feed of the issues in the projects of a group."""
    reader, container = _get_group(ctx, group, Ability.READ_ISSUES, "issues")
    issues = _list_issues(reader, _list_active(issue_search.visible_in_group(ctx.world, container)), "all")
    return _write_of_container(ctx, reader, container, "issues", issues)


@area.operation("GET", "dashboard/issues.atom", refusals=(400, 401))
def get_dashboard_issues_feed(ctx: ReadContext) -> RawBody:
    """Get the feed of all issues that the reader sees and that pass filters, of which there must be one."""
    reader = as_reader(ctx)
    if reader.viewer is None:
        raise refuse(reader, "the issues of the dashboard")
    if not any(value and _name(name) in _FILTERS for name, value in list_parameters(ctx)):
        raise FeedWithoutFilter(reason=f"the feed needs one of the parameters {', '.join(_FILTERS)}")
    issues = _list_issues(reader, _list_active(ctx.world.projects.all()), "all")
    return _write(ctx, reader, f"{reader.viewer.name} issues", f"{ctx.origin}/dashboard/issues", issues)


@area.operation("GET", "*project/-/merge_requests.atom", refusals=(401, 404), since="<=15.8")
def get_project_merge_requests_feed(ctx: ReadContext, project: str) -> RawBody:
    """Get the feed of the merge requests of a project: the open ones, unless the parameters say otherwise."""
    reader, container = _get_project(ctx, project, Ability.READ_MERGE_REQUESTS, "merge requests")
    merge_requests = _list_merge_requests(reader, [container], container.id)
    return _write_of_container(ctx, reader, container, "merge_requests", merge_requests)


@area.operation("GET", "groups/*group/-/merge_requests.atom", refusals=(401, 404), since="<=19.2")
def get_group_merge_requests_feed(ctx: ReadContext, group: str) -> RawBody:
    """Get the feed of the merge requests in the projects of a group."""
    reader, container = _get_group(ctx, group, Ability.READ_GROUP, "merge requests")
    projects = _list_active(issue_search.visible_in_group(ctx.world, container))
    return _write_of_container(ctx, reader, container, "merge_requests", _list_merge_requests(reader, projects, "all"))


def _get_project(ctx: ReadContext, path: str, ability: Ability, what: str) -> tuple[ReadContext, Project]:
    """Return the context of the reader, and the project for which the reader has an ability."""
    reader = as_reader(ctx)
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can(reader, ability, project):
        raise refuse(reader, f"{what} of {path}")
    return reader, project


def _get_group(ctx: ReadContext, path: str, ability: Ability, what: str) -> tuple[ReadContext, Group]:
    reader = as_reader(ctx)
    group = namespaces.find_by_path(ctx.world, path)
    if not isinstance(group, Group) or not can(reader, ability, group):
        raise refuse(reader, f"{what} of {path}")
    return reader, group


def _list_active(projects: Iterable[Project]) -> list[Project]:
    return [project for project in projects if not project.archived]


def _list_issues(ctx: ReadContext, projects: Sequence[Project], group: ListGroup) -> Sequence[Issuable]:
    issue_filter = IssueFilter(ctx, group)
    visible = issue_search.visible_projects(ctx, lambda: projects, _key(ctx), archived=True)
    chosen = _filter(issue_filter, _FILTERS, issue_filter.visible(visible))
    return list(islice(issue_search.order_issues(ctx, chosen, group, *_get_order(ctx)), _PER_PAGE))


def _list_merge_requests(ctx: ReadContext, projects: Sequence[Project], group: ListGroup) -> Sequence[Issuable]:
    request_filter = MergeRequestFilter(ctx, group)
    visible = merge_request_search.visible_projects(ctx, lambda: projects, _key(ctx), archived=True)
    chosen = _filter(request_filter, _MERGE_REQUEST_FILTERS, request_filter.visible(visible))
    return list(islice(merge_request_search.order_merge_requests(ctx, chosen, group, *_get_order(ctx)), _PER_PAGE))


def _key(ctx: ReadContext) -> tuple[str, str]:
    """Return what identifies the projects of a feed."""
    return "feed", ctx.request.path.removesuffix(".atom") if ctx.request else ""


def _get_order(ctx: ReadContext) -> tuple[str, str]:
    return _ORDERS.get(get_query(ctx).get("sort", ""), _NEWEST)


def _filter(issuable_filter: F, filters: Conditions[F], candidates: int) -> int:
    """Narrow candidates to what the request's parameters select."""
    ctx, query = issuable_filter.ctx, get_query(issuable_filter.ctx)
    for name, value in list_parameters(ctx):
        select = filters.get(_name(name))
        if select is not None and value:
            candidates &= select(issuable_filter, value)
    state = query.get("state", "opened")
    if state != "all":
        candidates &= issuable_filter.bits("state", state if state in _STATES else "opened")
    scope: ListScope = "created_by_me" if query.get("scope") == "created_by_me" else "assigned_to_me"
    if query.get("scope") == scope:
        candidates = match_scope(issuable_filter, scope, candidates, anonymous=0)
    return match_text(issuable_filter, query.get("search"), query.get("in"), candidates)


def _name(parameter: str) -> str:
    return parameter.removesuffix("[]")


def _read_assignee(value: str) -> int | str:
    number = parse_number(value)
    return value.capitalize() if number is None else number


_FILTERS: Final[Conditions[IssueFilter]] = {
    "author_id": lambda issuable_filter, value: issuable_filter.bits("author", parse_number(value) or 0),
    "author_username": lambda issuable_filter, value: issuable_filter.by_users("author", [value]),
    "assignee_id": lambda issuable_filter, value: issuable_filter.assigned(_read_assignee(value)),
    "assignee_username": lambda issuable_filter, value: issuable_filter.by_users("assignee", [value]),
    "label_name": lambda issuable_filter, title: issuable_filter.with_labels([title]),
    "milestone_title": lambda issuable_filter, title: issuable_filter.in_milestone(title),
    "my_reaction_emoji": lambda issuable_filter, name: issuable_filter.with_reaction(name),
    "search": lambda issuable_filter, _text: issuable_filter.bits("all"),
}
"""What parameters of the page select; the platform has more of them. The text to search for is looked for last."""
_MERGE_REQUEST_FILTERS: Final[Conditions[MergeRequestFilter]] = {
    **_FILTERS,
    "reviewer_id": lambda request_filter, value: request_filter.reviewed_by(_read_assignee(value)),
    "reviewer_username": lambda request_filter, value: request_filter.reviewed_by_name(value),
    "source_branch": lambda request_filter, name: request_filter.bits("source_branch", name),
    "target_branch": lambda request_filter, name: request_filter.bits("target_branch", name),
    "draft": lambda request_filter, value: request_filter.bits("draft", value == "yes"),
    "wip": lambda request_filter, value: request_filter.bits("draft", value == "yes"),
}


def _write_of_container(
    ctx: ReadContext, reader: ReadContext, container: Container, page: str, rows: Sequence[Issuable]
) -> RawBody:
    title = f"{container.name} {page.replace('_', ' ')}"
    return _write(ctx, reader, title, f"{urls.container_url(ctx, container)}/-/{page}", rows)


def _write(ctx: ReadContext, reader: ReadContext, title: str, page: str, rows: Sequence[Issuable]) -> RawBody:
    query = urlencode(sorted(list_parameters(ctx)))
    path = ctx.request.path if ctx.request else ""
    address = f"{ctx.origin}{path}{'?' if query else ''}{query}"
    feed = Feed(title, address=address, page=page, updated=rows[0].updated_at if rows else None)
    for row in rows:
        _add_issuable(reader, feed, row)
    return feed.build_answer()


def _add_issuable(ctx: ReadContext, feed: Feed, row: Issuable) -> None:
    world = ctx.world
    author = world.users[row.author_id]
    page = noteables.noteable_of(row).page
    url = f"{urls.project_url(ctx, world.projects[row.project_id])}/-/{page}/{row.iid}"
    with feed.element("entry"):
        feed.add("id", url)
        feed.add("link", href=url)
        feed.add("title", shorten(row.title, _TITLE))
        feed.add("updated", cut_milliseconds(row.updated_at))
        feed.add_thumbnail(urls.user_avatar_url(ctx, author))
        _add_person(feed, "author", author)
        feed.add("summary", row.title)
        if row.description is not None:
            feed.add("description", shorten(row.description, _DESCRIPTION))
            feed.add("content", row.description)
        if row.milestone_id is not None:
            feed.add("milestone", world.milestones[row.milestone_id].title)
        _add_labels_and_assignees(ctx, feed, row)
        if isinstance(row, Issue) and row.due_date is not None:
            feed.add("due_date", row.due_date)


def _add_labels_and_assignees(ctx: ReadContext, feed: Feed, row: Issuable) -> None:
    if row.label_ids:
        with feed.element("labels"):
            for title in labels.sorted_titles(ctx.world, row.label_ids):
                feed.add("label", title)
    assignees = [ctx.world.users[id_] for id_ in row.assignee_ids]
    if assignees:
        with feed.element("assignees"):
            for assignee in assignees:
                _add_person(feed, "assignee", assignee)
        _add_person(feed, "assignee", assignees[0])


def _add_person(feed: Feed, tag: str, user: User) -> None:
    with feed.element(tag):
        feed.add("name", user.name)
        feed.add("email", user.public_email)
