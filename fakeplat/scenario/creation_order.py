"""The order in which the entries of several lists are made, and the key ``turn`` that states it where dates do not.

Issues stand in the lists of their projects, users and groups in two lists of their own, but the ids of each kind come
from one sequence. The loader merges the lists by ``turn``, then by ``created_at``, then by the order of the lists; an
entry never comes before those above it in its own list. Here is the inverse: given records in the order in which they
were made, which of them need a ``turn`` so that the loader makes them in that order again.

This is a merge of ordered lists, not a graph of dependencies: a reference makes what it names when it is needed.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Final

from fakeplat.core.store.table import Root
from fakeplat.model.namespaces import Group, UserNamespace
from fakeplat.model.world import World
from fakeplat.scenario.section import Told

KEY: Final = "turn"
DESCRIPTION: Final = (
    "From here on, made after all of the same kind that have a lower turn, in other lists too; otherwise by created_at."
)

Creation = tuple[int, str, Any]
"""The id of a record, when it was made, and its list; lists are comparable, in the order in which they are loaded."""

_KEPT: Final[dict[str, tuple[Root, dict[int, Told]]]] = {}


def turns(creations: Iterable[Creation]) -> dict[int, Told]:
    """Return, by id, the ``turn`` of each record that begins a new one in its list.

    Records are given in the order in which they were made. A new turn begins where the merge of the lists would
    have put a record before the one that was made before it.
    """
    latest: dict[Any, str] = {}
    stated: dict[Any, int] = {}
    turn, last, entries = 0, None, {}
    for id_, created_at, listed_in in creations:
        latest[listed_in] = max(latest.get(listed_in, ""), created_at)
        place = (latest[listed_in], listed_in)
        turn, last = turn + (last is not None and place < last), place
        if stated.get(listed_in, 0) < turn:
            stated[listed_in] = turn
            entries[id_] = {KEY: turn}
    return entries


def turn_of(world: World, table: str, id_: int) -> Told:
    """Return the ``turn`` that the entry of a record states, if any."""
    root = world.roots[getattr(type(world), table).position]
    kept = _KEPT.get(table)
    if kept is None or kept[0] is not root:
        creations = ((record.id, record.created_at, _owner(record)) for record in getattr(world, table).all())
        kept = _KEPT[table] = (root, turns(creations))
    return kept[1].get(id_, {})


def _owner(record: Any) -> tuple[bool, int]:
    """Return whose list a record stands in: groups are loaded before projects, and so are users."""
    if not hasattr(record, "project_id"):
        kind, id_ = record.source
        return (kind == "project", id_)
    if record.project_id is None:
        return (False, record.author_id)
    return (True, record.project_id)


def namespace_turns(world: World) -> dict[int, Told]:
    """Return the turns that users and groups state, by the ids of their namespaces."""
    return turns(_namespaces(world))


def _namespaces(world: World) -> Iterator[Creation]:
    """Yield users' namespaces with the date of their user; one who has none may delay those after them."""
    users = world.users.all()
    latest = accumulate((user.created_at for user in users), max)
    by_user = dict(zip((user.id for user in users), latest, strict=True))
    for space in world.namespaces.all():
        if isinstance(space, UserNamespace):
            yield space.id, by_user[space.owner_id], False
        elif isinstance(space, Group):
            yield space.id, space.created_at, True
