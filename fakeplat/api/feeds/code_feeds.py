"""Feeds of commits, tags and releases. Source: docs/platform/feeds.md."""

from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fakeplat.api.feeds.access import as_reader, build_address, refuse
from fakeplat.api.feeds.activity_feeds import area
from fakeplat.api.feeds.atom import Feed, cut, shorten
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.timestamps import cut_milliseconds, to_iso
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import commits, tags
from fakeplat.domain.repository.commits import CommitFilter
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit, Person

ENDING: Final = ".atom"
_MOST_COMMITS: Final = 40
_MOST_TAGS: Final = 20
_COMMIT_TITLE: Final = 80
_TITLE: Final = 160
_SIGNATURES: Final = (
    "-----BEGIN PGP SIGNATURE-----",
    "-----BEGIN SIGNED MESSAGE-----",
    "-----BEGIN SSH SIGNATURE-----",
)


def is_commits_feed(ctx: ReadContext, project: str, place: str) -> bool:
    """Return whether a name ends in ``.atom`` and only without that leads to a commit that the caller may read."""
    container = namespaces.find_project_by_path(ctx.world, project) if place.endswith(ENDING) else None
    if container is None or not can(as_reader(ctx), Ability.DOWNLOAD_CODE, container):
        return False
    names = (place, place.removesuffix(ENDING))
    are_commits = [commits.find_commit(ctx.world, container, name) is not None for name in names]
    return are_commits == [False, True]


def get_commits_feed(ctx: ReadContext, project: str, place: str) -> RawBody:
    """Return the feed of the commits of a branch, tag or commit, or of those that changed a path."""
    reader, container = _get_project(ctx, project, Ability.DOWNLOAD_CODE)
    ref, path = commits.split_place(ctx.world, container, place)
    if commits.find_commit(ctx.world, container, ref) is None:
        raise refuse(reader, f"commits of {place}")
    rows = list(islice(commits.list_commits(reader, container, CommitFilter(ref, path)), _MOST_COMMITS))
    page = f"{urls.project_url(ctx, container)}/-/commits/{quote(place)}"
    updated = _format_time(rows[0].commit.committer) if rows else None
    address = build_address(reader, page, by_parameter=True)
    feed = Feed(f"{container.name}:{ref} commits", address=address, page=page, updated=updated)
    for row in rows:
        _add_commit(reader, feed, container, row.commit)
    return feed.build_answer()


def _add_commit(ctx: ReadContext, feed: Feed, project: Project, commit: "Commit") -> None:
    url = f"{urls.project_url(ctx, project)}/-/commit/{commit.sha}"
    description = commit.message.strip("\n").partition("\n")[2].strip("\n")
    with feed.element("entry"):
        feed.add("id", url)
        feed.add("link", href=url)
        feed.add("title", cut(commit.title, _COMMIT_TITLE))
        feed.add("updated", _format_time(commit.committer))
        feed.add_thumbnail(_find_avatar(ctx, commit.author.email))
        with feed.element("author"):
            feed.add("name", commit.author.name)
            feed.add("email", commit.author.email)
        feed.add("summary", markup.render_line(ctx, description, project), type="html")


def get_tags_feed(ctx: ReadContext, project: str) -> RawBody:
    """Return the feed of the tags of a project, the latest first, with their releases."""
    reader, container = _get_project(ctx, project, Ability.DOWNLOAD_CODE)
    rows = sorted(tags.list_tags(ctx.world, container), key=lambda tag: tags.updated_at(ctx.world, container, tag))
    latest = rows[: -_MOST_TAGS - 1 : -1]
    released = [release for tag in latest if (release := releases.find(ctx.world, container, tag.name)) is not None]
    page = f"{urls.project_url(ctx, container)}/-/tags"
    updated = released[0].updated_at if released else None
    address = build_address(reader, page, by_parameter=True)
    feed = Feed(f"{container.name} tags", address=address, page=page, updated=updated)
    for tag in latest:
        _add_tag(reader, feed, container, tag)
    return feed.build_answer()


def _add_tag(ctx: ReadContext, feed: Feed, project: Project, tag: ProjectTag) -> None:
    row = commits.find_commit(ctx.world, project, tag.commit) if tag.commit else None
    if row is None:
        return
    url = f"{urls.project_url(ctx, project)}/-/tags/{quote(tag.name)}"
    release = releases.find(ctx.world, project, tag.name)
    author = users.find_by_email(ctx.world, row.commit.author.email)
    email = (author.public_email if author else "") or row.commit.author.email
    with feed.element("entry"):
        feed.add("id", url)
        feed.add("link", href=url)
        feed.add("title", shorten(tag.name, _TITLE))
        feed.add("summary", _strip_signature(tag.message))
        feed.add("content", None if release is None else _render(ctx, release, project), type="html")
        if release is not None:
            feed.add("updated", cut_milliseconds(release.updated_at))
        feed.add_thumbnail(_find_avatar(ctx, email))
        with feed.element("author"):
            feed.add("name", row.commit.author.name)
            feed.add("email", email)


@area.operation("GET", "*project/-/releases.atom", refusals=(401, 404))
def get_releases_feed(ctx: ReadContext, project: str) -> RawBody:
    """Get the feed of the releases of a project, the latest first."""
    reader, container = _get_project(ctx, project, Ability.READ_RELEASE)
    rows = releases.list_releases(ctx.world, container, "released_at", descending=True)
    page = f"{urls.project_url(ctx, container)}/-/releases"
    updated = rows[0].updated_at if rows else None
    feed = Feed(f"{container.name} releases", address=build_address(reader, page), page=page, updated=updated)
    for release in rows:
        _add_release(reader, feed, container, release)
    return feed.build_answer()


def _add_release(ctx: ReadContext, feed: Feed, project: Project, release: Release) -> None:
    url = urls.release_url(ctx, project, release.tag_name)
    row = commits.find_commit(ctx.world, project, release.sha) if release.sha else None
    author = ctx.world.users.get(release.author_id or 0)
    with feed.element("entry"):
        feed.add("id", url)
        feed.add("link", href=url)
        feed.add("title", shorten(release.name, _TITLE))
        feed.add("summary", None if row is None else _strip_signature(row.commit.message))
        feed.add("content", _render(ctx, release, project), type="html")
        feed.add("updated", cut_milliseconds(release.updated_at))
        feed.add("published", cut_milliseconds(release.released_at))
        with feed.element("author"):
            feed.add("name", author.name if author else None)
            feed.add("email", (author.public_email or author.email) if author else None)


def _get_project(ctx: ReadContext, path: str, ability: Ability) -> tuple[ReadContext, Project]:
    """Return the context of the reader, and the project for which the reader has an ability."""
    reader = as_reader(ctx)
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can(reader, ability, project):
        raise refuse(reader, path)
    return reader, project


def _render(ctx: ReadContext, release: Release, project: Project) -> str:
    return markup.render_html(ctx, release.description, project)


def _find_avatar(ctx: ReadContext, email: str) -> str | None:
    user = users.find_by_email(ctx.world, email)
    return urls.generated_avatar_url(ctx, email) if user is None else urls.user_avatar_url(ctx, user)


def _strip_signature(message: str | None) -> str | None:
    if message is None:
        return None
    return next((message.partition(start)[0] for start in _SIGNATURES if start in message), message)


def _format_time(person: "Person") -> str:
    return cut_milliseconds(to_iso(person.timestamp))
