"""Forks: copies of projects that remember where they come from. Source: docs/platform/projects.md.

A fork shares its objects with its parent: only refs are copied.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, InvalidRecord, LimitReached, NotModified
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import lfs, repositories
from fakeplat.model.levels import VISIBILITY_RANK, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

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


def may_be_in(world: World, source: Project, target: Namespace) -> bool:
    """Return whether a namespace can have forks of a project, whose top-level group may keep them inside."""
    root = namespaces.root_of(world, world.namespaces[source.namespace_id])
    kept = isinstance(root, Group) and root.prevent_forking_outside_group and has_feature(world, "premium", root)
    return not kept or namespaces.root_of(world, target).id == root.id


def fork(ctx: WriteContext, source: Project, target: Namespace, user: User, given: Mapping[str, Any]) -> Project:
    """Make a copy of a project in a namespace; its repository follows a second later.

    ``given``: path, name, description, visibility. It is never more visible than its parent and its namespace. 409 for
    whatever keeps the copy from being made, with the texts of a new project.
    """
    fields = {
        "path": source.path,
        "name": source.name,
        **{name: getattr(source, name) for name in _KEPT},
        **given,
        "visibility": _visibility(ctx, source, target, given.get("visibility")),
        "forked_from_id": source.id,
        "import_status": SCHEDULED,
    }
    try:
        made = projects.create(ctx, target, user, **fields)
    except InvalidRecord as refusal:
        raise Conflict(refusal.fields, reason=refusal.why) from None
    except LimitReached as refusal:
        raise Conflict({"limit_reached": refusal.texts}, reason=refusal.why) from None
    schedule_copy(ctx, made)
    return made


def schedule_copy(ctx: WriteContext, made: Project) -> None:
    """Have a fork's repository follow, even if it is no fork any more by then."""
    at = ctx.now() + _COPYING
    ctx.schedule(_FINISH, ("projects", made.id), at, in_progress=True, source=made.forked_from_id)


def _visibility(ctx: WriteContext, source: Project, target: Namespace, wanted: str | None) -> str:
    """The highest that parent, namespace, wish and settings all allow."""
    most = min(
        rank(one)
        for one in (source.visibility, target.visibility if isinstance(target, Group) else "public", wanted or "public")
    )
    restricted = () if ctx.admin else ctx.world.settings.restricted_visibility_levels
    allowed = [name for name in VISIBILITY_RANK if rank(name) <= most and name not in restricted]
    return max(allowed, key=rank, default="private")


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    made, source = ctx.world.projects.get(due.subject[1]), ctx.world.projects.get(due.args["source"])
    if made is None:
        return
    if source is None:
        ctx.world.projects.change(made, import_status="failed", import_error=_GONE)
        return
    made = ctx.world.projects.change(made, import_status="finished")
    lfs.share_objects(ctx, source, made)
    repositories.copy_repository(ctx, source, made)


def link_fork(ctx: WriteContext, project: Project, source: Project) -> Project:
    """Let a project be a fork of another, without copying anything; 409 where it is a fork already."""
    if project.forked_from_id is not None or any(one.id == project.id for one in _ancestry(ctx.world, source)):
        raise Conflict("Project already forked")
    return ctx.world.projects.change(project, forked_from_id=source.id, updated_at=ctx.now_iso)


def unlink_fork(ctx: WriteContext, project: Project) -> None:
    """Let a project be no fork any more; 304 where it is none."""
    if project.forked_from_id is None:
        raise NotModified(reason=f"project {project.id} is no fork")
    ctx.check_unmodified_since(project.updated_at)
    ctx.world.projects.change(project, forked_from_id=None, updated_at=ctx.now_iso)


def _ancestry(world: World, project: Project | None) -> Iterator[Project]:
    """A project, its parent, and so on; a scenario may let them go in a circle."""
    seen: set[int] = set()
    while project is not None and project.id not in seen:
        yield project
        seen.add(project.id)
        project = world.projects.get(project.forked_from_id) if project.forked_from_id is not None else None
