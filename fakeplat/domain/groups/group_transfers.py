"""Transfers of groups to other parents."""

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.domain import redirects, signals
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import transfers
from fakeplat.domain.registry import container_repositories
from fakeplat.model.people import Group, rank
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import ancestors, is_archived

_IS_ROOT = "Group is already a root group."
_IS_CHILD = "Group is already associated to the parent group."
_TAKEN = "The parent group already has a subgroup or a project with the same path."
_NO_RIGHT = "You don't have enough permissions."
_OWN_CHILD = "Cannot transfer group to one of its subgroup."
_IMAGES = (
    "Cannot update the path because there are projects under this group that contain Docker images in their "
    "Container Registry. Please remove the images from your projects first and try again."
)


def transfer(ctx: WriteContext, group: Group, parent: Group | None) -> Group:
    """Move a group with its contents below another group, or (None) to the top level; 400 if that is impossible."""
    if is_archived(ctx.world, group):
        raise Forbidden(reason=lambda: f"{describe(ctx.world, group)} is archived")
    objection = _explain_objection(ctx, group, parent)
    if objection:
        raise BadRequest(f"Transfer failed: {objection}")
    world = ctx.world
    contents = list(namespaces.list_projects_within(world, group))
    with redirects.redirect_old_paths(ctx, contents):
        moved = world.namespaces.change(group, parent_id=parent.id if parent else None, updated_at=ctx.now_iso)
    if parent is not None and isinstance(moved, Group):
        _lower_visibility(ctx, moved, contents, parent.visibility)
    for project in contents:
        transfers.adopt_references(ctx, world.projects[project.id])
    result = namespaces.find_group(world, str(group.id)) or group
    signals.post_change.send(ctx, group, result)
    return result


def _explain_objection(ctx: ReadContext, group: Group, parent: Group | None) -> str:
    parent_id = parent.id if parent else None
    if parent_id == group.parent_id:
        return _IS_CHILD if parent else _IS_ROOT
    if parent is not None and any(above.id == group.id for above in ancestors(ctx.world, parent.id)):
        return _OWN_CHILD
    if not _may_create_in(ctx, parent):
        return _NO_RIGHT
    if _is_path_taken(ctx.world, group, parent_id):
        return _TAKEN
    contents = namespaces.list_projects_within(ctx.world, group)
    return _IMAGES if any(container_repositories.has_tags(ctx.world, project) for project in contents) else ""


def _may_create_in(ctx: ReadContext, parent: Group | None) -> bool:
    if parent is not None:
        return can(ctx, Ability.CREATE_SUBGROUP, parent)
    user = ctx.signed_in_user
    return user.admin or (user.can_create_group and not user.external)


def _is_path_taken(world: World, group: Group, parent_id: int | None) -> bool:
    place = (parent_id, group.path.lower())
    has_project = parent_id is not None and world.projects.find("place", place) is not None
    return has_project or world.namespaces.find("place", place) is not None


def _lower_visibility(ctx: WriteContext, group: Group, contents: list[Project], limit: str) -> None:
    """Make a group and its contents no more visible than their new parent."""
    world = ctx.world
    for below in (group, *namespaces.list_descendants(world, group)):
        if rank(below.visibility) > rank(limit):
            world.namespaces.change(world.namespaces[below.id], visibility=limit)
    for project in contents:
        if rank(project.visibility) > rank(limit):
            world.projects.change(world.projects[project.id], visibility=limit)
