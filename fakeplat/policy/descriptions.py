"""Descriptions of projects, namespaces and users for the reasons that test authors read."""

from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.levels import namespace_path


def describe(world: World, container: Routable) -> str:
    """Describe a project or namespace: ``project acme/site (5001)``."""
    # A view of its own, so that a description adds no dependencies to the answer that is being made.
    frozen_world = World(world.current_state())
    if isinstance(container, Project):
        return f"project {namespace_path(frozen_world, container.namespace_id)}/{container.path} ({container.id})"
    kind = "group" if isinstance(container, Group) else "namespace"
    return f"{kind} {namespace_path(frozen_world, container.id)} ({container.id})"


def describe_user(world: World, user_id: int) -> str:
    """Return a username; ``user 99`` if the user does not exist."""
    user = World(world.current_state()).users.get(user_id)
    return user.username if user else f"user {user_id}"
