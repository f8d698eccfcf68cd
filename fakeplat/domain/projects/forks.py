"""Forks: copies of projects that refer to their source. Source: docs/platform/projects.md.

A fork shares its objects with its parent: only refs are copied.
"""

from collections.abc import Iterator
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Conflict, InvalidRecord, LimitReached, NotModified
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import lfs, repositories
from fakeplat.model.people import VISIBILITY_RANK, Group, Namespace, User, Visibility, rank
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import FORKS_ARE_REFUSED_IN_SENTENCES, OWNERS_LINK_FORKS
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

SCHEDULED: Final = "scheduled"
_FINISH: Final = "finish_fork"
_COPY_TIME: Final = SECOND
_COPIED_FIELDS: Final = (
    "description",
    "tag_list",
    "lfs_enabled",
    "shared_runners_enabled",
    "ci_config_path",
    "external_authorization_classification_label",
    *(f"{feature}_access_level" for feature in FEATURES),
)
_SOURCE_DELETED: Final = "The project that it was forked from is no more."


def can_fork_into(world: World, source: Project, target: Namespace) -> bool:
    """Return whether a project may be forked into a namespace; its top-level group may forbid forks outside."""
    root = namespaces.root_of(world, world.namespaces[source.namespace_id])
    stays_inside = (
        isinstance(root, Group) and root.prevent_forking_outside_group and has_feature(world, "premium", root)
    )
    return not stays_inside or namespaces.root_of(world, target).id == root.id


class ForkFields(TypedDict, total=False):
    """What a fork does not take from its parent."""

    path: str
    name: str
    description: str | None
    visibility: Visibility
    mr_default_target_self: bool


def fork(
    ctx: WriteContext,
    source: Project,
    target: Namespace,
    user: User,
    *,
    branch: str = "",
    **params: Unpack[ForkFields],
) -> Project:
    """Fork a project into a namespace; its repository is copied a second later.

    ``branch``: only that one is copied. The fork is never more visible than its parent and its namespace.
    Raises 409 for every error, with the texts of project creation; later as sentences.
    """
    fields: dict[str, Any] = {
        "path": source.path,
        "name": source.name,
        **{name: getattr(source, name) for name in _COPIED_FIELDS},
        **params,
        # Comes after the parameters, because it overrides the requested visibility.
        "visibility": _highest_visibility(ctx, source, target, params.get("visibility")),
        "forked_from_id": source.id,
        "import_status": SCHEDULED,
    }
    try:
        project = projects.create(ctx, target, user, **fields)
    # The platform answers 409 here for what is 400 or 403 when a project is created.
    except InvalidRecord as refusal:
        raise _conflict(ctx, refusal) from None
    except LimitReached as refusal:
        raise _conflict(ctx, InvalidRecord({"limit_reached": refusal.texts}, reason=refusal.why)) from None
    schedule_copy(ctx, project, branch)
    return project


def _conflict(ctx: WriteContext, refusal: InvalidRecord) -> Conflict:
    is_in_sentences = ctx.profile.has(FORKS_ARE_REFUSED_IN_SENTENCES)
    return Conflict(refusal.full_messages() if is_in_sentences else refusal.fields, reason=refusal.why)


def schedule_copy(ctx: WriteContext, project: Project, branch: str = "") -> None:
    """Schedule the copy of a fork's repository; it runs even if the fork relation is removed before."""
    # The source is an argument of the task, because the fork relation may be removed before it runs.
    at = ctx.now() + _COPY_TIME
    ctx.schedule(_FINISH, ("projects", project.id), at, in_progress=True, source=project.forked_from_id, branch=branch)


def _highest_visibility(ctx: WriteContext, source: Project, target: Namespace, requested: str | None) -> str:
    """Return the highest visibility allowed by parent, namespace, request and settings."""
    highest = min(
        rank(visibility)
        for visibility in (
            source.visibility,
            # User namespaces have no visibility, so they impose no limit.
            target.visibility if isinstance(target, Group) else "public",
            requested or "public",
        )
    )
    # Levels that are restricted on the instance are open to administrators only; private is the last resort.
    restricted = () if ctx.admin else ctx.world.settings.restricted_visibility_levels
    allowed = [name for name in VISIBILITY_RANK if rank(name) <= highest and name not in restricted]
    return max(allowed, key=rank, default="private")


@task_handler(_FINISH)
def _finish_copy(ctx: WriteContext, due: ScheduledTask) -> None:
    project, source = ctx.world.projects.get(due.subject[1]), ctx.world.projects.get(due.args["source"])
    if project is None:
        return
    if source is None:
        ctx.world.projects.change(project, import_status="failed", import_error=_SOURCE_DELETED)
        return
    project = ctx.world.projects.change(project, import_status="finished")
    lfs.share_objects(ctx, source, project)
    repositories.copy_repository(ctx, source, project, due.args.get("branch") or "")


def link_fork(ctx: WriteContext, project: Project, source: Project) -> Project:
    """Make a project a fork of another without copying anything; 409 if it is a fork already, later 400 of itself."""
    if project.forked_from_id is None and project.id == source.id and ctx.profile.has(OWNERS_LINK_FORKS):
        raise BadRequest("Target project cannot be equal to source project")
    # A project cannot become a fork of its own fork: the ancestry would be a cycle.
    if project.forked_from_id is not None or any(
        ancestor.id == project.id for ancestor in _list_ancestry(ctx.world, source)
    ):
        raise Conflict("Project already forked")
    return ctx.world.projects.change(project, forked_from_id=source.id, updated_at=ctx.now_iso)


def unlink_fork(ctx: WriteContext, project: Project) -> None:
    """Remove a project's fork relation; 304 if there is none."""
    if project.forked_from_id is None:
        raise NotModified(reason=f"project {project.id} is not a fork")
    ctx.check_unmodified_since(project.updated_at)
    ctx.world.projects.change(project, forked_from_id=None, updated_at=ctx.now_iso)


def _list_ancestry(world: World, project: Project | None) -> Iterator[Project]:
    """Yield a project, its parent, and so on; stops at a cycle, which a scenario can declare."""
    visited_ids: set[int] = set()
    while project is not None and project.id not in visited_ids:
        yield project
        visited_ids.add(project.id)
        project = world.projects.get(project.forked_from_id) if project.forked_from_id is not None else None
