"""Groups that have to do with a project or group: invited ones, and those that it may move to or be shared with.

Source: docs/platform/later-releases.md.
"""

from collections.abc import Iterable

from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import shares
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors

DIRECT, INHERITED = "direct", "inherited"


def list_invited(ctx: ReadContext, container: Container, relations: Iterable[str]) -> list[Group]:
    """Return the visible groups that a project or group is shared with, directly or by the groups above it."""
    parent_id = container.namespace_id if isinstance(container, Project) else container.parent_id
    above = [group for group in ancestors(ctx.world, parent_id) if isinstance(group, Group)] if parent_id else []
    containers = [*([container] if DIRECT in relations else ()), *(above if INHERITED in relations else ())]
    ids = {share.group_id for each in containers for share in shares.list_shares(ctx.world, each)}
    return [group for group in _groups(ctx.world) if group.id in ids and can_see(ctx, group)]


def list_sharing(ctx: ReadContext, group: Group) -> list[Group]:
    """Return the visible groups that are shared with a group."""
    ids = {share.source[1] for share in ctx.world.shares.where("group", group.id) if share.source[0] == "group"}
    return [other for other in _groups(ctx.world) if other.id in ids and can_see(ctx, other)]


def list_shared_projects(world: World, group: Group) -> list[Project]:
    """Return the projects that are shared with a group."""
    sources = [share.source for share in world.shares.where("group", group.id)]
    return [world.projects[id_] for kind, id_ in sources if kind == "project"]


def list_homes_of_project(ctx: ReadContext, project: Project) -> list[Group]:
    """Return the groups that the caller may transfer a project to."""
    return [
        group
        for group in _groups(ctx.world)
        if group.id != project.namespace_id and can(ctx, Ability.TRANSFER_PROJECTS, group)
    ]


def list_homes_of_group(ctx: ReadContext, group: Group) -> list[Group]:
    """Return the groups that the caller may transfer a group to."""
    own = {group.id, group.parent_id, *(below.id for below in namespaces.list_descendants(ctx.world, group))}
    return [
        other
        for other in _groups(ctx.world)
        if other.id not in own and can(ctx, Ability.CREATE_SUBGROUP, other) and level_on(ctx, other) >= Level.OWNER
    ]


def list_share_targets(ctx: ReadContext, project: Project) -> list[Group]:
    """Return the caller's groups with which a project is not shared yet, apart from those above it."""
    taken = {share.group_id for share in shares.list_shares(ctx.world, project)}
    taken |= {above.id for above in ancestors(ctx.world, project.namespace_id)}
    return [group for group in _groups(ctx.world) if group.id not in taken and level_on(ctx, group) >= Level.GUEST]


def _groups(world: World) -> Iterable[Group]:
    return (namespace for namespace in world.namespaces.all() if isinstance(namespace, Group))
