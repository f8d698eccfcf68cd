"""The order of namespaces: users and groups stand in lists of their own, but share one row of ids.

Both lists are merged by ``created_at``, users first where that is equal. Where the world's order is another one, the
key ``turn`` says so: what has a higher turn, or follows such a thing in its list, is made after all with a lower one.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from fakeplat.model.namespaces import Group, UserNamespace
from fakeplat.model.world import World

KEY: Final = "turn"
ABOUT: Final = "From here on, users and groups are made after all those of a lower turn; otherwise by created_at."

_Place = tuple[str, bool]


def told(world: World) -> dict[int, dict[str, int]]:
    """What is to be said of namespaces (by id) that begin another turn in their list."""
    turn, said, found = 0, {True: 0, False: 0}, {}
    last: _Place = ("", False)
    for id_, place in _places(world):
        turn += place < last
        last, is_group = place, place[1]
        if said[is_group] < turn:
            said[is_group] = turn
            found[id_] = {KEY: turn}
    return found


def _places(world: World) -> Iterator[tuple[int, _Place]]:
    """Where each namespace stands when the lists are merged, in the order of their ids."""
    users, groups = world.users.all(), [space for space in world.namespaces.all() if isinstance(space, Group)]
    of_users = dict(zip((user.id for user in users), accumulate((user.created_at for user in users), max), strict=True))
    of_groups = dict(zip((g.id for g in groups), accumulate((g.created_at for g in groups), max), strict=True))
    for space in world.namespaces.all():
        if isinstance(space, UserNamespace):
            yield space.id, (of_users[space.owner_id], False)
        else:
            yield space.id, (of_groups[space.id], True)
