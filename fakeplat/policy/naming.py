"""Projects, namespaces and users as reasons name them, for test authors."""

from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import path_to


def named(world: World, place: Project | Namespace) -> str:
    """``project acme/site (5001)``."""
    still = World(world.moment())
    if isinstance(place, Project):
        return f"project {path_to(still, place.namespace_id)}/{place.path} ({place.id})"
    return f"{'group' if isinstance(place, Group) else 'namespace'} {path_to(still, place.id)} ({place.id})"


def person(world: World, user_id: int) -> str:
    """``dev``; ``user 99`` where there is none."""
    found = World(world.moment()).users.get(user_id)
    return found.username if found else f"user {user_id}"
