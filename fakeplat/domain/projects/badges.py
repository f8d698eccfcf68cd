"""Badges of projects and groups."""

import re
from collections.abc import Sequence
from typing import Final, Required, TypedDict, Unpack
from urllib.parse import quote

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.pages_domains.page_urls import pages_host
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.tags import list_tags, updated_at
from fakeplat.domain.validation import BLANK, ValidationErrors, check_url, too_long
from fakeplat.model.people import Group
from fakeplat.model.projects import Badge, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import BADGE_URLS_ARE_ESCAPED, BADGES_HAVE_LATER_PLACEHOLDERS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

_PLACEHOLDER: Final = re.compile(r"%\{(\w+)\}")
# What URLs may have as it is, and what is escaped already.
_UNESCAPED: Final = ":/?#[]@!$&'()*+,;=%"


def list_badges(world: World, container: Routable) -> Sequence[Badge]:
    """Return the badges of a project or group; a project's list starts with those of the groups above."""
    # Reversed, because the ancestors come innermost first and the list starts with the top-level group.
    above = [*groups_above(world, container)][::-1] if isinstance(container, Project) else []
    return [badge for owner in (*above, container) for badge in world.badges.where("source", source_of(owner))]


def get_own_badge(world: World, container: Routable, id_: int) -> Badge:
    """Return a badge of the project or group itself, not of the groups above; else raise 404."""
    badge = next((badge for badge in list_badges(world, container) if badge.id == id_), None)
    if badge is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no badge {id_}")
    if badge.source != source_of(container):
        raise RecordNotFound(reason=lambda: f"badge {id_} belongs to a group above {describe(world, container)}")
    return badge


def preview(ctx: ReadContext, container: Routable, link_url: str, image_url: str) -> Badge:
    """Build a badge without storing it."""
    _list_errors({"link_url": link_url, "image_url": image_url}).refuse()
    now = to_iso(ctx.now())
    return Badge(0, source_of(container), link_url, image_url, now, now)


def find_rendering_project(ctx: ReadContext, container: Routable) -> Project | None:
    """Return the project that badges are rendered for: of a group, the oldest one visible to the caller."""
    if isinstance(container, Project):
        return container
    shared = (share.source for share in ctx.world.shares.where("group", container.id))
    ids = {*ctx.world.projects.ids("namespace", container.id), *(id_ for kind, id_ in shared if kind == "project")}
    return next((project for id_ in sorted(ids) if can_see(ctx, project := ctx.world.projects[id_])), None)


class NewBadge(TypedDict, total=False):
    """The fields of a new badge."""

    link_url: Required[str]
    image_url: Required[str]
    name: str | None
    created_at: str
    updated_at: str


class BadgeChanges(TypedDict, total=False):
    """Changes of a badge."""

    link_url: str | None
    image_url: str | None
    name: str | None


def create(ctx: WriteContext, container: Routable, **fields: Unpack[NewBadge]) -> Badge:
    """Create a badge."""
    _list_errors(fields).refuse()
    table, now = ctx.world.badges, ctx.now_iso
    values: NewBadge = {"created_at": now, "updated_at": now, **fields}
    return table.add(Badge(table.next_id(), source_of(container), **values))


def update(ctx: WriteContext, badge: Badge, **fields: Unpack[BadgeChanges]) -> Badge:
    """Edit a badge."""
    _list_errors(fields).refuse()
    changed = ctx.world.badges.change(badge, **fields)
    return changed if changed is badge else ctx.world.badges.change(changed, updated_at=ctx.now_iso)


def _list_errors(fields: NewBadge | BadgeChanges) -> ValidationErrors:
    errors = ValidationErrors()
    if "link_url" in fields:
        _check_template(errors, "link_url", fields["link_url"] or "")
    if "image_url" in fields:
        _check_template(errors, "image_url", fields["image_url"] or "")
    too_long(errors, "name", fields.get("name"))
    return errors


def _check_template(errors: ValidationErrors, name: str, url: str) -> None:
    errors.when(not url.strip(), name, BLANK)
    # A placeholder may be in any part of the URL, even in the host, which would be invalid with the braces.
    check_url(errors, name, _PLACEHOLDER.sub("x", url) if url.strip() else None)


def render_url(ctx: ReadContext, url: str, project: Project | None) -> str:
    """Replace placeholders such as ``%{project_path}`` by the project's values; unknown ones are kept."""
    if project is None:
        return url
    if "%{" in url:
        values = _placeholder_values(ctx, project, url)
        url = _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), url)
    return quote(url, safe=_UNESCAPED) if ctx.profile.has(BADGE_URLS_ARE_ESCAPED) else url


def _placeholder_values(ctx: ReadContext, project: Project, url: str) -> dict[str, str]:
    values = {
        "project_path": project_path(ctx.world, project),
        "project_title": project.name,
        "project_name": project.path,
        "project_id": str(project.id),
        "default_branch": project.default_branch or "",
    }
    if ctx.profile.has(BADGES_HAVE_LATER_PLACEHOLDERS):
        values |= _later_values(ctx, project)
    # Only these placeholders need the repository, which may have to be built.
    if "%{commit_sha}" in url:
        values["commit_sha"] = _head_sha(ctx.world, project)
    if "%{latest_tag}" in url and ctx.profile.has(BADGES_HAVE_LATER_PLACEHOLDERS):
        values |= _latest_tag(ctx.world, project)
    return values


def _later_values(ctx: ReadContext, project: Project) -> dict[str, str]:
    values = {
        "project_namespace": project_path(ctx.world, project),
        "gitlab_server": ctx.hostname,
        "gitlab_pages_domain": pages_host(ctx.origin),
    }
    namespace = ctx.world.namespaces[project.namespace_id]
    return {**values, "group_name": full_path(ctx.world, namespace)} if isinstance(namespace, Group) else values


def _latest_tag(world: World, project: Project) -> dict[str, str]:
    """Return the tag whose commit is the newest; without tags, the placeholder stays."""
    newest = max(list_tags(world, project), key=lambda tag: updated_at(world, project, tag), default=None)
    return {} if newest is None else {"latest_tag": newest.name}


def _head_sha(world: World, project: Project) -> str:
    return repositories.open_repository(world, project).find_branch(project.default_branch) or ""
