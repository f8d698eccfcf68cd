"""Projects, namespaces and users as reasons name them, for test authors."""

from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import path_to


def describe(world: World, container: Project | Namespace) -> str:
    """``project acme/site (5001)``."""
    still = World(world.moment())
    if isinstance(container, Project):
        return f"project {path_to(still, container.namespace_id)}/{container.path} ({container.id})"
    return f"{'group' if isinstance(container, Group) else 'namespace'} {path_to(still, container.id)} ({container.id})"


def describe_user(world: World, user_id: int) -> str:
    """``dev``; ``user 99`` where there is none."""
    found = World(world.moment()).users.get(user_id)
    return found.username if found else f"user {user_id}"
