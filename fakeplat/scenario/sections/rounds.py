"""The order of records that stand in lists of their owners, but share one row of ids.

The lists are merged by ``created_at``, then by owner. Where the world's order is another one, the key ``turn`` says
so, as it does for namespaces.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final

from fakeplat.core.store.table import Root
from fakeplat.model.world import World
from fakeplat.scenario.section import Told

ABOUT: Final = "From here on, made after all of the same key, in other places too, that have a lower turn."
_KEPT: Final[dict[str, tuple[Root, dict[int, Told]]]] = {}


def told(world: World, table: str, id_: int) -> Told:
    """What is to be said of a record that begins another turn in its list."""
    root = world.roots[getattr(type(world), table).position]
    kept = _KEPT.get(table)
    if kept is None or kept[0] is not root:
        kept = _KEPT[table] = (root, dict(_begun(getattr(world, table).all())))
    return kept[1].get(id_, {})


def _begun(records: Iterable[Any]) -> Iterator[tuple[int, Told]]:
    latest: dict[Hashable, str] = {}
    said: dict[Hashable, int] = {}
    turn, last = 0, ("", (False, 0))
    for record in records:
        owner = _owner(record)
        latest[owner] = max(latest.get(owner, ""), record.created_at)
        place = (latest[owner], owner)
        turn, last = turn + (place < last), place
        if said.get(owner, 0) < turn:
            said[owner] = turn
            yield record.id, {"turn": turn}


def _owner(record: Any) -> tuple[bool, int]:
    """Groups are told before projects, and so are users."""
    if not hasattr(record, "project_id"):
        kind, id_ = record.source
        return (kind == "project", id_)
    if record.project_id is None:
        return (False, record.author_id)
    return (True, record.project_id)
