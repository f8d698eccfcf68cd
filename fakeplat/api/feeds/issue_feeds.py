"""Feeds of issues, of projects and groups. Source: docs/platform/feeds.md."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Final
from urllib.parse import urlencode

from fakeplat.api.feeds.access import as_reader, get_query, refuse
from fakeplat.api.feeds.activity_feeds import area
from fakeplat.api.feeds.atom import Feed, shorten
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.planning import labels
from fakeplat.entities import urls
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_PER_PAGE: Final = 20
_TITLE: Final = 80
_DESCRIPTION: Final = 240
_STATES: Final = ("opened", "closed")


@area.operation("GET", "*project/-/issues.atom", refusals=(401, 404))
def get_project_issues_feed(ctx: ReadContext, project: str) -> RawBody:
    """Get the feed of the issues of a project: the open ones, unless the parameters of the page say otherwise."""
    reader = as_reader(ctx)
    container = namespaces.find_project_by_path(ctx.world, project)
    if container is None or not can(reader, Ability.READ_ISSUES, container):
        raise refuse(reader, f"issues of {project}")
    issues = _list_issues(reader, [container], container.id, ("feed", container.id))
    return _write(ctx, reader, f"{container.name} issues", f"{urls.project_url(ctx, container)}/-/issues", issues)


@area.operation("GET", "groups/*group/-/issues.atom", refusals=(401, 404))
def get_group_issues_feed(ctx: ReadContext, group: str) -> RawBody:
    """Get the feed of the issues in the projects of a group."""
    reader = as_reader(ctx)
    container = namespaces.find_by_path(ctx.world, group)
    if not isinstance(container, Group) or not can(reader, Ability.READ_ISSUES, container):
        raise refuse(reader, f"issues of {group}")
    projects = issue_search.visible_in_group(ctx.world, container)
    issues = _list_issues(reader, projects, "all", ("group feed", container.id))
    return _write(ctx, reader, f"{container.name} issues", f"{urls.container_url(ctx, container)}/-/issues", issues)


def _list_issues(
    ctx: ReadContext, projects: Sequence[Project], group: ListGroup, key: tuple[str, int]
) -> Sequence[Issue]:
    """Return the issues of the page that the request's parameters filter, the newest first."""
    issue_filter = IssueFilter(ctx, group)
    visible = issue_search.visible_projects(ctx, lambda: projects, key, archived=True)
    chosen = issue_filter.visible(visible)
    for name, value in get_query(ctx).items():
        select = _FILTERS.get(name.removesuffix("[]"))
        if select is not None and value:
            chosen &= select(issue_filter, value)
    state = get_query(ctx).get("state", "opened")
    if state != "all":
        chosen &= issue_filter.bits("state", state if state in _STATES else "opened")
    return list(islice(issue_search.order_issues(ctx, chosen, group, "created_at", "desc"), _PER_PAGE))


def _by_user(fact: str) -> Callable[[IssueFilter, str], int]:
    def select(issue_filter: IssueFilter, username: str) -> int:
        user = users.find_by_username(issue_filter.world, username)
        return issue_filter.bits(fact, user.id) if user is not None else 0

    return select


_FILTERS: Final[Mapping[str, Callable[[IssueFilter, str], int]]] = {
    "author_username": _by_user("author"),
    "assignee_username": _by_user("assignee"),
    "label_name": lambda issue_filter, title: issue_filter.with_labels([title]),
    "milestone_title": lambda issue_filter, title: issue_filter.in_milestone(title),
}
"""What parameters of the page select; the platform has more of them."""


def _write(ctx: ReadContext, reader: ReadContext, title: str, page: str, issues: Sequence[Issue]) -> RawBody:
    query = urlencode(sorted(get_query(ctx).items()))
    path = ctx.request.path if ctx.request else ""
    address = f"{ctx.origin}{path}{'?' if query else ''}{query}"
    feed = Feed(title, address=address, page=page, updated=issues[0].updated_at if issues else None)
    for issue in issues:
        _add_issue(reader, feed, issue)
    return feed.build_answer()


def _add_issue(ctx: ReadContext, feed: Feed, issue: Issue) -> None:
    world = ctx.world
    author = world.users[issue.author_id]
    url = f"{urls.project_url(ctx, world.projects[issue.project_id])}/-/issues/{issue.iid}"
    with feed.element("entry"):
        feed.add("id", url)
        feed.add("link", href=url)
        feed.add("title", shorten(issue.title, _TITLE))
        feed.add("updated", cut_milliseconds(issue.updated_at))
        feed.add_thumbnail(urls.user_avatar_url(ctx, author))
        _add_person(feed, "author", author)
        feed.add("summary", issue.title)
        if issue.description is not None:
            feed.add("description", shorten(issue.description, _DESCRIPTION))
            feed.add("content", issue.description)
        if issue.milestone_id is not None:
            feed.add("milestone", world.milestones[issue.milestone_id].title)
        _add_labels_and_assignees(ctx, feed, issue)
        if issue.due_date is not None:
            feed.add("due_date", issue.due_date)


def _add_labels_and_assignees(ctx: ReadContext, feed: Feed, issue: Issue) -> None:
    if issue.label_ids:
        with feed.element("labels"):
            for title in labels.sorted_titles(ctx.world, issue.label_ids):
                feed.add("label", title)
    assignees = [ctx.world.users[id_] for id_ in issue.assignee_ids]
    if assignees:
        with feed.element("assignees"):
            for assignee in assignees:
                _add_person(feed, "assignee", assignee)
        _add_person(feed, "assignee", assignees[0])


def _add_person(feed: Feed, tag: str, user: User) -> None:
    with feed.element(tag):
        feed.add("name", user.name)
        feed.add("email", user.public_email)
