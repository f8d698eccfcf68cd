"""Badges of projects and groups."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.stamps import stamp
from fakeplat.domain.checks import BLANK, Faults, too_long
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.repository import repositories
from fakeplat.model.badges import Badge
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.naming import named
from fakeplat.policy.rulings import sees

_PLACEHOLDER: Final = re.compile(r"%\{(\w+)\}")
_BLOCKED: Final = "is blocked: Only allowed schemes are http, https"


def of(world: World, place: Place) -> Sequence[Badge]:
    """The badges of a place; those of the groups above a project come first."""
    above = [*groups_above(world, place)][::-1] if isinstance(place, Project) else []
    return [badge for one in (*above, place) for badge in world.badges.where("source", source_of(one))]


def find(world: World, place: Place, id_: int) -> Badge:
    """A badge of a place, or 404."""
    found = next((badge for badge in of(world, place) if badge.id == id_), None)
    if found is None:
        raise RecordNotFound(reason=lambda: f"{named(world, place)} has no badge {id_}")
    return found


def find_own(world: World, container: Place, id_: int) -> Badge:
    """Find a badge of a project or group itself, not of the groups above; else 404."""
    badge = find(world, container, id_)
    if badge.source != source_of(container):
        raise RecordNotFound(reason=lambda: f"badge {id_} belongs to a group above {named(world, container)}")
    return badge


def preview(cx: Context, container: Place, link_url: str, image_url: str) -> Badge:
    """Build a badge that is not kept."""
    _faults({"link_url": link_url, "image_url": image_url}).refuse()
    now = stamp(cx.now())
    return Badge(0, source_of(container), link_url, image_url, now, now)


def project_for(cx: Context, container: Place) -> Project | None:
    """Return the project that badges are rendered for: of a group, its oldest one that the caller sees."""
    if isinstance(container, Project):
        return container
    shared = (share.source for share in cx.world.shares.where("group", container.id))
    ids = {*cx.world.projects.ids("namespace", container.id), *(id_ for kind, id_ in shared if kind == "project")}
    return next((project for id_ in sorted(ids) if sees(cx, project := cx.world.projects[id_])), None)


def create(cx: Doing, place: Place, **fields: Any) -> Badge:
    """Make a badge."""
    _faults(fields).refuse()
    table, now = cx.world.badges, cx.instant
    return table.add(Badge(table.next_id(), source_of(place), **{"created_at": now, "updated_at": now, **fields}))


def update(cx: Doing, badge: Badge, fields: Mapping[str, Any]) -> Badge:
    """Change a badge."""
    _faults(fields).refuse()
    changed = cx.world.badges.change(badge, **fields)
    return changed if changed is badge else cx.world.badges.change(changed, updated_at=cx.instant)


def remove(cx: Doing, badge: Badge) -> None:
    """Remove a badge."""
    cx.world.badges.remove(badge)


def _faults(fields: Mapping[str, Any]) -> Faults:
    faults = Faults()
    for name in ("link_url", "image_url"):
        if name in fields:
            url = fields[name] or ""
            faults.when(not url.strip(), name, BLANK)
            faults.when(url.strip() and not _is_url(url), name, _BLOCKED)
    too_long(faults, "name", fields.get("name"))
    return faults


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(_PLACEHOLDER.sub("x", text.strip()))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def rendered(world: World, url: str, project: Project | None) -> str:
    """An address with a project's values in the place of ``%{project_path}`` and its like; unknown ones stay."""
    if project is None or "%{" not in url:
        return url
    values = _values(world, project, url)
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), url)


def _values(world: World, project: Project, url: str) -> dict[str, str]:
    path = project_path(world, project)
    values = {
        "project_path": path,
        "project_title": project.name,
        "project_name": project.path,
        "project_id": str(project.id),
        "default_branch": project.default_branch or "",
    }
    return values | {"commit_sha": _newest(world, project)} if "%{commit_sha}" in url else values


def _newest(world: World, project: Project) -> str:
    return repositories.opened(world, project).branches().get(project.default_branch or "", "")
