"""Access levels of users on projects and groups. Source: docs/platform/project-members.md,
docs/platform/groups.md.

Levels are compared only here and in the other modules of this package.
"""

from collections.abc import Iterator

from fakeplat.model.people import Group, Level, Namespace, User, UserNamespace
from fakeplat.model.projects import DeployToken, Project, Routable
from fakeplat.model.world import World

Source = tuple[str, int]


def ancestors(world: World, namespace_id: int | None) -> Iterator[Namespace]:
    """Iterate over a namespace and its ancestors, innermost first."""
    while namespace_id is not None:
        namespace = world.namespaces[namespace_id]
        yield namespace
        namespace_id = namespace.parent_id


def ancestors_of(world: World, container: Routable) -> Iterator[Namespace]:
    """Iterate over the namespaces of a project, or over a namespace and its ancestors, innermost first."""
    return ancestors(world, container.namespace_id if isinstance(container, Project) else container.id)


def namespace_path(world: World, namespace_id: int) -> str:
    """Return a namespace's full path: ``acme/tools``."""
    # Part of every URL, so without the steps of an iterator.
    namespace = world.namespaces[namespace_id]
    path = namespace.path
    while namespace.parent_id is not None:
        namespace = world.namespaces[namespace.parent_id]
        path = f"{namespace.path}/{path}"
    return path


def is_archived(world: World, container: Project | Group) -> bool:
    """Return whether a project or group is archived, itself or with a group above it."""
    if isinstance(container, Project) and container.archived:
        return True
    # Asked with each write, and nearly no world has archived groups.
    if not world.namespaces.ids("archived", True):
        return False
    return any(isinstance(above, Group) and above.archived for above in ancestors_of(world, container))


def covers_project(world: World, token: DeployToken, project: Project) -> bool:
    """Return whether a deploy token belongs to a project, or to a group above it."""
    return token.source == ("project", project.id) or covers_namespace(world, token, project.namespace_id)


def covers_namespace(world: World, token: DeployToken, namespace_id: int) -> bool:
    """Return whether a deploy token belongs to a group, or to one above it."""
    return any(token.source == ("group", namespace.id) for namespace in ancestors(world, namespace_id))


def member_level(world: World, source: Source, user_id: int) -> int:
    """Return the level of a direct membership, or NONE; one that awaits approval grants nothing."""
    member = world.members.find("pair", (source, user_id))
    return member.access_level if member and member.state == "active" else Level.NONE


def group_level(world: World, group: Namespace, user_id: int) -> int:
    """Return the highest level on a group: direct, inherited, or through a share with another group."""
    level: int = Level.NONE
    for container in ancestors(world, group.id):
        source = ("group", container.id)
        level = max(level, member_level(world, source, user_id), _shared_level(world, source, user_id))
    return level


def project_level(world: World, project: Project, user_id: int) -> int:
    """Return the highest level on a project: direct, inherited or through shares; a user namespace's owner owns it."""
    source = ("project", project.id)
    namespace = world.namespaces[project.namespace_id]
    if isinstance(namespace, UserNamespace):
        # No membership of a project has the level Owner: it follows from the namespace, here and in groups.
        above: int = Level.OWNER if namespace.owner_id == user_id else Level.NONE
    else:
        above = group_level(world, namespace, user_id)
    return max(above, member_level(world, source, user_id), _shared_level(world, source, user_id))


def _shared_level(world: World, source: Source, user_id: int) -> int:
    # Shares are not transitive: only memberships count in the group that the container is shared with.
    shares = world.shares.where("source", source)
    # A share grants the lower of its own level and the member's level in the invited group.
    return max((min(s.group_access, level_within(world, s.group_id, user_id)) for s in shares), default=Level.NONE)


def level_within(world: World, group_id: int, user_id: int) -> int:
    """Return the level on a group by direct or inherited memberships; shares do not count."""
    containers = ancestors(world, group_id)
    return max((member_level(world, ("group", container.id), user_id) for container in containers), default=Level.NONE)


def has_membership_inside(world: World, group: Group, user_id: int) -> bool:
    """Return whether the user is a member of a project or group inside the group."""
    for member in world.members.where("user", user_id):
        if member.state != "active":
            continue
        kind, id_ = member.source
        # A project counts through its namespace, so that one walk up the ancestors serves both kinds.
        start = world.projects[id_].namespace_id if kind == "project" else id_
        if any(container.id == group.id for container in ancestors(world, start)):
            return True
    return False


def sees_visibility(user: User | None, visibility: str) -> bool:
    """Return whether a user sees a visibility without being a member."""
    return visibility == "public" or (visibility == "internal" and user is not None and not user.external)
