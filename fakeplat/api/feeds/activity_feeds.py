"""Feeds of activity: of projects, groups, users, and of the projects of the reader. Source: docs/platform/feeds.md."""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import islice
from typing import Final
from urllib.parse import quote

from fakeplat.api.feeds.access import as_reader, build_address, refuse
from fakeplat.api.feeds.atom import Feed, shorten
from fakeplat.api.feeds.summaries import describe_push, render_text, wrap
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.domain import event_targets
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces, users
from fakeplat.entities import urls
from fakeplat.model.activity import Event
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.authorization import can_see, can_see_profile
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level

area: Final = Area("Feeds", login=Login.NEVER, prefix="", produces="application/atom+xml")
_MOST: Final = 20
_TITLE: Final = 160


@area.operation("GET", "dashboard/projects.atom", refusals=(401,))
def get_dashboard_feed(ctx: ReadContext) -> RawBody:
    """Get the feed of the activity in the reader's projects."""
    reader = as_reader(ctx)
    user = reader.viewer
    if user is None:
        raise refuse(reader, "the dashboard")
    projects = [project for project in ctx.world.projects.all() if project_level(ctx.world, project, user.id)]
    page = f"{ctx.origin}/dashboard/projects"
    return _write(reader, "Activity", page, _list_of_projects(reader, projects))


def get_activity_feed(ctx: ReadContext, path: str) -> RawBody:
    """Return the feed of the project, group or user at a path."""
    reader = as_reader(ctx)
    world = ctx.world
    project = namespaces.find_project_by_path(world, path)
    if project is not None and can_see(reader, project):
        page = urls.project_url(ctx, project)
        return _write(reader, f"{project.name} activity", page, _list_of_projects(reader, [project]))
    namespace = namespaces.find_by_path(world, path.removeprefix("groups/"))
    if isinstance(namespace, Group) and can_see(reader, namespace):
        return _write_group(reader, namespace)
    user = users.find_by_username(world, path)
    if project is None and not isinstance(namespace, Group) and user is not None:
        events = world.events.where("author", user.id) if can_see_profile(reader, user) else ()
        page = urls.user_url(ctx, user)
        return _write(reader, f"{user.name} activity", page, _select(reader, [events]), address=f"{page}.atom")
    raise refuse(reader, f"/{path}")


def _write_group(ctx: ReadContext, group: Group) -> RawBody:
    projects = [*namespaces.list_projects_within(ctx.world, group)]
    # The short address, without the prefix of the pages.
    page = f"{ctx.origin}/{namespaces.full_path(ctx.world, group)}"
    return _write(ctx, f"{group.name} activity", page, _list_of_projects(ctx, projects))


def _list_of_projects(ctx: ReadContext, projects: Iterable[Project]) -> Sequence[Event]:
    return _select(ctx, (ctx.world.events.where("project", project.id) for project in projects))


def _select(ctx: ReadContext, lists: Iterable[Sequence[Event]]) -> Sequence[Event]:
    """Return the latest visible ones of the events in some lists, each the oldest first."""
    latest_of_each = (event for events in lists for event in islice(reversed(events), _MOST))
    latest = nlargest(_MOST, latest_of_each, key=lambda event: event.id)
    # The platform hides events after it has limited their number.
    return [event for event in latest if event_targets.is_visible(ctx, event)]


def _write(ctx: ReadContext, title: str, page: str, events: Sequence[Event], *, address: str | None = None) -> RawBody:
    updated = events[0].created_at if events else None
    feed = Feed(title, address=address or build_address(ctx, page), page=page, updated=updated)
    for event in events:
        _add_event(ctx, feed, event)
    return feed.build_answer()


def _add_event(ctx: ReadContext, feed: Feed, event: Event) -> None:
    author = ctx.world.users[event.author_id]
    target = event_targets.target_of(ctx.world, event)
    project = ctx.world.projects.get(event.project_id or 0)
    url = _find_url(ctx, event, target, project)
    with feed.element("entry"):
        feed.add("id", f"tag:{ctx.hostname},{event.created_at[:10]}:{event.id}")
        if url is not None:
            feed.add("link", href=url)
        feed.add("title", shorten(_build_title(ctx, event, target, author, project), _TITLE))
        feed.add("updated", cut_milliseconds(event.created_at))
        feed.add_thumbnail(urls.user_avatar_url(ctx, author))
        with feed.element("author"):
            feed.add("username", author.username)
            feed.add("name", author.name)
            feed.add("email", author.public_email)
        feed.add_markup("summary", _build_summary(ctx, event, target, author, project), type="xhtml")


def _build_title(ctx: ReadContext, event: Event, target: object, author: User, project: Project | None) -> str:
    """Return who did what where: ``Ada opened issue #3: Crash at Acme / Site``."""
    words: list[str] = [author.name, event_targets.name_action(event)]
    match target:
        case Issue():
            words += ["issue", f"#{target.iid}:", target.title, "at"]
        case MergeRequest():
            words += ["merge request", f"!{target.iid}:", target.title, "at"]
        case Milestone():
            words += ["milestone", f"#{target.iid}", "in"]
        case WikiPageMeta():
            words += ["wiki page", target.title, "in"]
        case Note():
            words += [*_describe_noteable(ctx, target, project), "at"]
        case _:
            words.append("project")
    if event.push is not None:
        words += [event.push.ref_type, event.push.ref or "", "at"]
    return " ".join(filter(None, (*words, _name_container(ctx, event, project))))


def _describe_noteable(ctx: ReadContext, note: Note, project: Project | None) -> list[str]:
    record = noteables.find_record(ctx.world, note.subject)
    if record is None:
        return []
    noteable = noteables.noteable_of(record)
    if note.subject[0] == "commit":
        return [noteable.words, str(noteable.number_of(record))[:8]]
    return [noteable.words, noteable.format_reference(ctx.world, record, project)]


def _name_container(ctx: ReadContext, event: Event, project: Project | None) -> str:
    world = ctx.world
    if project is not None:
        return f"{namespaces.full_name(world, world.namespaces[project.namespace_id])} / {project.name}"
    group = world.namespaces.get(event.group_id or 0)
    return "(deleted)" if group is None else namespaces.full_name(world, group)


def _find_url(ctx: ReadContext, event: Event, target: object, project: Project | None) -> str | None:
    if project is None:
        return None
    base = urls.project_url(ctx, project)
    match target:
        case Issue():
            return f"{base}/-/issues/{target.iid}"
        case MergeRequest():
            return f"{base}/-/merge_requests/{target.iid}"
        case Note():
            record = noteables.find_record(ctx.world, target.subject)
            if record is None:
                return None
            noteable = noteables.noteable_of(record)
            anchor = "" if target.subject[0] == "commit" else f"#note_{target.id}"
            return f"{base}/-/{noteable.page}/{noteable.number_of(record)}{anchor}"
    if event.push is not None:
        return _find_push_url(event, base)
    return base if event.action == "created" and event.kind is None else None


def _find_push_url(event: Event, base: str) -> str | None:
    push = event.push
    if push is None or push.ref is None:
        return None
    if push.action == "pushed" and push.commit_count > 0 and push.ref_type == "branch":
        if push.commit_count > 1:
            return f"{base}/-/compare/{push.commit_from}...{push.commit_to}"
        return f"{base}/-/commit/{push.commit_to}"
    return f"{base}/-/commits/{quote(push.ref)}"


def _build_summary(ctx: ReadContext, event: Event, target: object, author: User, project: Project | None) -> str:
    match target:
        case Issue() | MergeRequest():
            return wrap(render_text(ctx, target.description, project))
        case Note():
            return wrap(render_text(ctx, target.body, project))
    if event.push is not None and project is not None:
        url = _find_url(ctx, event, target, project)
        return describe_push(ctx, event, url or urls.project_url(ctx, project), author.name, project)
    return ""
