"""The order of namespaces: users and groups stand in lists of their own, but share one row of ids.

Both lists are merged by ``created_at``, users first where that is equal. Where the world's order is another one, the
key ``turn`` says so: what has a higher turn, or follows such a thing in its list, is made after all with a lower one.
"""

from typing import Final

from fakeplat.model.namespaces import Namespace, UserNamespace
from fakeplat.model.world import World

KEY: Final = "turn"
ABOUT: Final = "From here on, users and groups are made after all those of a lower turn; otherwise by created_at."


def told(world: World) -> dict[int, dict[str, int]]:
    """What is to be said of namespaces (by id) that begin another turn in their list."""
    turn, last, found = 0, ("", False), {}
    latest, said = {True: "", False: ""}, {True: 0, False: 0}
    for namespace in world.namespaces.all():
        group = not isinstance(namespace, UserNamespace)
        latest[group] = max(latest[group], _created_at(world, namespace))
        place = (latest[group], group)
        if place < last:
            turn += 1
        if said[group] < turn:
            said[group] = turn
            found[namespace.id] = {KEY: turn}
        last = place
    return found


def _created_at(world: World, namespace: Namespace) -> str:
    return world.users[namespace.owner_id].created_at if isinstance(namespace, UserNamespace) else namespace.created_at
