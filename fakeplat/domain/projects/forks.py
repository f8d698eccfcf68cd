"""Forks: copies of projects that remember where they come from. Source: docs/platform/projects.md.

A fork shares its objects with its parent: only refs are copied.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, InvalidRecord, LimitReached, NotModified
from fakeplat.core.stamps import SECOND
from fakeplat.core.store.agenda import Due, work
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import lfs, repositories
from fakeplat.model.levels import VISIBILITY_RANK, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Doing

SCHEDULED: Final = "scheduled"
_FINISH: Final = "finish_fork"
_COPYING: Final = SECOND
_KEPT: Final = (
    "description",
    "tag_list",
    "lfs_enabled",
    "shared_runners_enabled",
    "ci_config_path",
    "external_authorization_classification_label",
    *(f"{feature}_access_level" for feature in FEATURES),
)
_GONE: Final = "The project that it was forked from is no more."


def fork(cx: Doing, source: Project, target: Namespace, user: User, given: Mapping[str, Any]) -> Project:
    """Make a copy of a project in a namespace; its repository follows a second later.

    ``given``: path, name, description, visibility. It is never more visible than its parent and its namespace. 409 for
    whatever keeps the copy from being made, with the texts of a new project.
    """
    fields = {
        "path": source.path,
        "name": source.name,
        **{name: getattr(source, name) for name in _KEPT},
        **given,
        "visibility": _visibility(cx, source, target, given.get("visibility")),
        "forked_from_id": source.id,
        "import_status": SCHEDULED,
    }
    try:
        made = projects.create(cx, target, user, **fields)
    except InvalidRecord as refusal:
        raise Conflict(refusal.fields, reason=refusal.why) from None
    except LimitReached as refusal:
        raise Conflict({"limit_reached": refusal.texts}, reason=refusal.why) from None
    schedule(cx, made)
    return made


def schedule(cx: Doing, made: Project) -> None:
    """Have a fork's repository follow, even if it is no fork any more by then."""
    at = cx.now() + _COPYING
    cx.later(_FINISH, ("projects", made.id), at, under_way=True, source=made.forked_from_id)


def _visibility(cx: Doing, source: Project, target: Namespace, wanted: str | None) -> str:
    """The highest that parent, namespace, wish and settings all allow."""
    most = min(
        rank(one)
        for one in (source.visibility, target.visibility if isinstance(target, Group) else "public", wanted or "public")
    )
    restricted = () if cx.admin else cx.world.settings.restricted_visibility_levels
    allowed = [name for name in VISIBILITY_RANK if rank(name) <= most and name not in restricted]
    return max(allowed, key=rank, default="private")


@work(_FINISH)
def _finish(cx: Doing, due: Due) -> None:
    made, source = cx.world.projects.get(due.subject[1]), cx.world.projects.get(due.args["source"])
    if made is None:
        return
    if source is None:
        cx.world.projects.change(made, import_status="failed", import_error=_GONE)
        return
    made = cx.world.projects.change(made, import_status="finished")
    lfs.share(cx, source, made)
    repositories.copy(cx, source, made)


def link(cx: Doing, project: Project, source: Project) -> Project:
    """Let a project be a fork of another, without copying anything; 409 where it is a fork already."""
    if project.forked_from_id is not None or any(one.id == project.id for one in _ancestry(cx.world, source)):
        raise Conflict("Project already forked")
    return cx.world.projects.change(project, forked_from_id=source.id, updated_at=cx.instant)


def unlink(cx: Doing, project: Project) -> None:
    """Let a project be no fork any more; 304 where it is none."""
    if project.forked_from_id is None:
        raise NotModified(reason=f"project {project.id} is no fork")
    cx.unmodified_since(project.updated_at)
    cx.world.projects.change(project, forked_from_id=None, updated_at=cx.instant)


def _ancestry(world: World, project: Project | None) -> Iterator[Project]:
    """A project, its parent, and so on; a scenario may let them go in a circle."""
    seen: set[int] = set()
    while project is not None and project.id not in seen:
        yield project
        seen.add(project.id)
        project = world.projects.get(project.forked_from_id) if project.forked_from_id is not None else None
