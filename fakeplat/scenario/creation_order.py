"""The creation order of entries in several lists, and the key ``turn`` that states it where dates do not.

Issues are listed in their projects, users and groups in two lists of their own, but the ids of each kind come from one
sequence. The loader merges the lists by ``turn``, then by ``created_at``, then by the order of the lists; an entry
never comes before those above it in its own list. This module is the inverse: it computes which of the records, given
in the order of their creation, need a ``turn`` so that the loader creates them in the same order again.

This is a merge of ordered lists, not a dependency graph: the record that a reference names is created when needed.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Final

from fakeplat.core.store.table import Root
from fakeplat.model.people import Group, UserNamespace
from fakeplat.model.world import World
from fakeplat.scenario.section import EntryData

KEY: Final = "turn"
DESCRIPTION: Final = (
    "This entry and those after it in the list are created after all entries of the same kind with a lower turn, "
    "in other lists too. Default: the order of created_at."
)

Creation = tuple[int, str, Any]
"""The id of a record, its creation time, and its list; lists compare in the order in which they are loaded."""

_CACHE: Final[dict[str, tuple[Root, dict[int, EntryData]]]] = {}


def assign_turns(creations: Iterable[Creation]) -> dict[int, EntryData]:
    """Return, by id, the ``turn`` of each record that starts a new one in its list.

    Records are given in the order of their creation. A new turn starts where the merge of the lists would put a record
    before its predecessor.
    """
    latest: dict[Any, str] = {}
    current_turns: dict[Any, int] = {}
    turn, previous, turns_by_id = 0, None, {}
    for id_, created_at, list_key in creations:
        # An entry waits for those above it, so what counts is the latest date in its list so far.
        latest[list_key] = max(latest.get(list_key, ""), created_at)
        position = (latest[list_key], list_key)
        turn, previous = turn + (previous is not None and position < previous), position
        if current_turns.get(list_key, 0) < turn:
            current_turns[list_key] = turn
            turns_by_id[id_] = {KEY: turn}
    return turns_by_id


def turn_of(world: World, table: str, id_: int) -> EntryData:
    """Return the ``turn`` in the entry of a record, if any."""
    root = world.roots[getattr(type(world), table).position]
    cached = _CACHE.get(table)
    # An export asks for every record of a table; the turns of the whole table are computed once per state.
    if cached is None or cached[0] is not root:
        creations = ((record.id, record.created_at, _owner(table, record)) for record in getattr(world, table).all())
        cached = _CACHE[table] = (root, assign_turns(creations))
    return cached[1].get(id_, {})


def _owner(table: str, record: Any) -> tuple[bool, int, int]:
    """Return the owner of the list that contains a record; groups and users are loaded before projects.

    The lists of jobs are those of pipelines, in the order of these.
    """
    return (*_container(record), record.pipeline_id if table == "jobs" else 0)


def _container(record: Any) -> tuple[bool, int]:
    if not hasattr(record, "project_id"):
        kind, id_ = record.source
        return (kind == "project", id_)
    if record.project_id is None:
        return (False, record.author_id)
    return (True, record.project_id)


def namespace_turns(world: World) -> dict[int, EntryData]:
    """Return the turns of users and groups, by the ids of their namespaces."""
    return assign_turns(_iterate_namespaces(world))


def _iterate_namespaces(world: World) -> Iterator[Creation]:
    """Yield all namespaces; users without a namespace may delay those after them."""
    users = world.users.all()
    latest = accumulate((user.created_at for user in users), max)
    by_user = dict(zip((user.id for user in users), latest, strict=True))
    for namespace in world.namespaces.all():
        if isinstance(namespace, UserNamespace):
            yield namespace.id, by_user[namespace.owner_id], False
        elif isinstance(namespace, Group):
            yield namespace.id, namespace.created_at, True
