"""What was created, changed and deleted between two moments of a world, by natural key, for exact assertions.

```python
with fakeplat.changes() as c:
    bot.reopen_issues()
assert c.changed == {"issues": {"acme/site#3": {"state": ("closed", "opened"), "closed_by": ("ada", None)}}}
```

The cost is that of the change: whatever two moments share is skipped whole.
"""

from collections.abc import Callable, Iterator
from gc import get_referents
from types import TracebackType
from typing import Any, Final, Self

from attrs import field, fields, mutable

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import State
from fakeplat.core.store.table import ROWS, Root
from fakeplat.model.world import World
from fakeplat.workbench.natural_keys import HIDDEN, field_label, is_hidden, natural_key, readable_value, section_of

MOVING: Final = frozenset({"id", "updated_at", "last_activity_at", "closed_at", "declared"})
"""Fields that say no more than that something else changed, and when; they are left out."""

Record = Any
Keys = dict[str, list[str]]
Fields = dict[str, tuple[Any, Any]]


@frozen
class WorldDiff:
    """``created`` and ``deleted``: sorted keys by section; ``changed``: by section and key, (before, after) by field.

    A changed record is named as it was before.
    """

    created: Keys = field(factory=dict)
    changed: dict[str, dict[str, Fields]] = field(factory=dict)
    deleted: Keys = field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted)

    def as_dict(self) -> dict[str, Any]:
        """It, for JSON."""
        return {"created": self.created, "changed": self.changed, "deleted": self.deleted}


def diff_worlds(before: State, after: State) -> WorldDiff:
    """What happened from one moment to another."""
    old_world, new_world, found = World(before), World(after), WorldDiff()
    for table, old_root, new_root in zip(World.tables, before.roots, after.roots, strict=True):
        if old_root is not new_root and table.kind not in HIDDEN:
            for old, new in _pairs(old_root, new_root, table.kind):
                if not is_hidden(new or old):
                    _note(found, old_world, new_world, old, new)
    for keys in (*found.created.values(), *found.deleted.values()):
        keys.sort()
    return found


def _note(found: WorldDiff, old_world: World, new_world: World, old: Record, new: Record) -> None:
    if old is None:
        found.created.setdefault(section_of(new), []).append(natural_key(new_world, new))
    elif new is None:
        found.deleted.setdefault(section_of(old), []).append(natural_key(old_world, old))
    elif changed := _fields(old_world, new_world, old, new):
        section = found.changed.setdefault(section_of(old), {})
        key = natural_key(old_world, old)
        section[key if key not in section else f"{key} ({old.id})"] = changed


def _fields(old_world: World, new_world: World, old: Record, new: Record) -> Fields:
    names = [column.name for column in fields(type(old)) if column.name not in MOVING]
    return {
        field_label(name): (
            readable_value(old_world, name, getattr(old, name)),
            readable_value(new_world, name, getattr(new, name)),
        )
        for name in names
        if getattr(old, name) != getattr(new, name)
    }


def _pairs(old: Root, new: Root, kind: type) -> Iterator[tuple[Record, Record]]:
    """The records that are not the same object, by id: (before, after), None where there is none."""
    before, after = _unshared(old.maps[ROWS], new.maps[ROWS], kind)
    for id_ in sorted(before.keys() | after.keys()):
        if before.get(id_) is not after.get(id_):
            yield before.get(id_), after.get(id_)


def _unshared(old: object, new: object, kind: type) -> tuple[dict[int, Record], dict[int, Record]]:
    """The records below the parts of two maps that the maps do not share.

    A persistent map is a tree whose unchanged branches are the same objects. The map does not show its branches, but
    the collector does: level by level, what both sides refer to is dropped.
    """
    before: dict[int, Record] = {}
    after: dict[int, Record] = {}
    olds, news = {id(old): old}, {id(new): new}
    while olds or news:
        shared = olds.keys() & news.keys()
        olds = _below([node for number, node in olds.items() if number not in shared], kind, before)
        news = _below([node for number, node in news.items() if number not in shared], kind, after)
    return before, after


def _below(nodes: list[object], kind: type, records: dict[int, Record]) -> dict[int, object]:
    inner: dict[int, object] = {}
    for found in get_referents(*nodes):
        if isinstance(found, kind):
            records[found.id] = found  # type: ignore[attr-defined]  # every record of a table has an id
        elif not isinstance(found, int | type):
            inner[id(found)] = found
    return inner


@mutable(eq=False)
class Changes:
    """A block whose changes are looked at: inside it as they are so far, after it as they were at its end."""

    now: Callable[[], State]
    _before: State | None = None
    _after: State | None = None

    def __enter__(self) -> Self:
        self._before, self._after = self.now(), None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._after = self.now()

    @property
    def created(self) -> Keys:
        """``{"issues": ["acme/site#4"]}``."""
        return self._difference.created

    @property
    def changed(self) -> dict[str, dict[str, Fields]]:
        """``{"issues": {"acme/site#3": {"state": ("opened", "closed")}}}``."""
        return self._difference.changed

    @property
    def deleted(self) -> Keys:
        """``{"labels": ["acme/site~bug"]}``."""
        return self._difference.deleted

    @property
    def _difference(self) -> WorldDiff:
        before = self.now() if self._before is None else self._before
        return diff_worlds(before, self.now() if self._after is None else self._after)

    def __bool__(self) -> bool:
        return bool(self._difference)

    def __repr__(self) -> str:
        return repr(self._difference)
