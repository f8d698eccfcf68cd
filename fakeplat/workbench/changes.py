"""Differences between two states of a world, by natural key, for exact assertions.

```python
with fakeplat.changes() as c:
    bot.reopen_issues()
assert c.changed == {"issues": {"acme/site#3": {"state": ("closed", "opened"), "closed_by": ("ada", None)}}}
```

The cost is proportional to the change: whatever the two states share is skipped.
"""

from collections.abc import Callable, Iterator
from gc import get_referents
from types import TracebackType
from typing import Any, Final, Self

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import State
from fakeplat.core.store.table import Root
from fakeplat.model.world import World
from fakeplat.workbench.git_changes import COMPUTED, COMPUTED_LABELS, PARTS, list_part_changes
from fakeplat.workbench.natural_keys import (
    HIDDEN,
    field_label,
    field_names,
    is_hidden,
    natural_key,
    readable_value,
    section_of,
)

IGNORED_FIELDS: Final = frozenset(
    {
        "id",
        "updated_at",
        "updated_by_id",
        "last_activity_at",
        "last_activity_on",
        "last_used_at",
        "last_used_ips",
        "closed_at",
        "declared",
    }
)
"""Fields left out of the diff: they only reflect that something else changed, when, and by whom."""

Record = Any
Keys = dict[str, list[str]]
Fields = dict[str, tuple[Any, Any]]


@frozen
class WorldDiff:
    """``created`` and ``deleted``: sorted keys by section; ``changed``: by section and key, (before, after) by field.

    A changed record is listed under its key before the change.
    """

    created: Keys = field(factory=dict)
    changed: dict[str, dict[str, Fields]] = field(factory=dict)
    deleted: Keys = field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted)

    def as_dict(self) -> dict[str, Any]:
        """Return the diff as a dictionary for JSON."""
        return {"created": self.created, "changed": self.changed, "deleted": self.deleted}


def diff_worlds(before: State, after: State) -> WorldDiff:
    """Return the difference between two states of a world."""
    old_world, new_world, diff = World(before), World(after), WorldDiff()
    for table, old_root, new_root in zip(World.tables, before.roots, after.roots, strict=True):
        # A table that was not written has the same root in both states.
        if old_root is not new_root and table.kind not in HIDDEN:
            add = _add_parts if table.kind in PARTS else _add_record
            for old, new in _changed_pairs(old_root, new_root, table.kind):
                if not is_hidden(new or old):
                    add(diff, old_world, new_world, old, new)
    for keys in (*diff.created.values(), *diff.deleted.values()):
        keys.sort()
    return diff


def _add_record(diff: WorldDiff, old_world: World, new_world: World, old: Record, new: Record) -> None:
    if old is None:
        diff.created.setdefault(section_of(new), []).append(natural_key(new_world, new))
    elif new is None:
        diff.deleted.setdefault(section_of(old), []).append(natural_key(old_world, old))
    elif changed := _changed_fields(old_world, new_world, old, new):
        section = diff.changed.setdefault(section_of(old), {})
        key = natural_key(old_world, old)
        # Two records can have the same natural key, for example two notes with the same text.
        section[key if key not in section else f"{key} ({old.id})"] = changed


def _add_parts(diff: WorldDiff, old_world: World, new_world: World, old: Record, new: Record) -> None:
    owner = natural_key(new_world, new) if old is None else natural_key(old_world, old)
    for section, name, before, after in list_part_changes(old_world, new_world, old, new):
        key = f"{owner}: {name}"
        if before is None:
            diff.created.setdefault(section, []).append(key)
        elif after is None:
            diff.deleted.setdefault(section, []).append(key)
        else:
            fields = {field: (before[field], after[field]) for field in before if before[field] != after[field]}
            diff.changed.setdefault(section, {})[key] = fields


def _changed_fields(old_world: World, new_world: World, old: Record, new: Record) -> Fields:
    names = [name for name in field_names(old, new) if name not in IGNORED_FIELDS and _differ(name, old, new)]
    values = [(name, _value_of(old_world, old, name), _value_of(new_world, new, name)) for name in names]
    return {
        COMPUTED_LABELS.get((type(old), name)) or field_label(name): (before, after)
        for name, before, after in values
        if before != after
    }


def _differ(name: str, old: Record, new: Record) -> bool:
    return bool(getattr(old, name) != getattr(new, name))


def _value_of(world: World, record: Record, name: str) -> Any:
    compute = COMPUTED.get((type(record), name))
    return readable_value(world, name, compute(world, record) if compute else getattr(record, name))


def _changed_pairs(old: Root, new: Root, kind: type) -> Iterator[tuple[Record, Record]]:
    """Yield (before, after) of the records that are not the same object, by id; None where one does not exist."""
    before, after = _unshared(old.rows, new.rows, kind)
    for id_ in sorted(before.keys() | after.keys()):
        if before.get(id_) is not after.get(id_):
            yield before.get(id_), after.get(id_)


def _unshared(old: object, new: object, kind: type) -> tuple[dict[int, Record], dict[int, Record]]:
    """Return the records of two maps that are below branches which the maps do not share.

    A persistent map is a tree whose unchanged branches are the same objects. The map does not expose its branches, but
    the garbage collector does: level by level, the nodes that both sides refer to are skipped.
    """
    before: dict[int, Record] = {}
    after: dict[int, Record] = {}
    old_nodes, new_nodes = {id(old): old}, {id(new): new}
    while old_nodes or new_nodes:
        shared = old_nodes.keys() & new_nodes.keys()
        old_nodes = _children([node for node_id, node in old_nodes.items() if node_id not in shared], kind, before)
        new_nodes = _children([node for node_id, node in new_nodes.items() if node_id not in shared], kind, after)
    return before, after


def _children(nodes: list[object], kind: type, records: dict[int, Record]) -> dict[int, object]:
    children: dict[int, object] = {}
    for referent in get_referents(*nodes):
        if isinstance(referent, kind):
            records[referent.id] = referent  # type: ignore[attr-defined]  # every record of a table has an id
        # Types lead out of the tree to everything that is loaded; integers are keys and have no referents.
        elif not isinstance(referent, int | type):
            children[id(referent)] = referent
    return children


@mutable(eq=False)
class Changes:
    """The changes made within a ``with`` block: the changes so far inside it, the final ones after it."""

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
        return self._diff.created

    @property
    def changed(self) -> dict[str, dict[str, Fields]]:
        """``{"issues": {"acme/site#3": {"state": ("opened", "closed")}}}``."""
        return self._diff.changed

    @property
    def deleted(self) -> Keys:
        """``{"labels": ["acme/site~bug"]}``."""
        return self._diff.deleted

    @property
    def _diff(self) -> WorldDiff:
        before = self.now() if self._before is None else self._before
        return diff_worlds(before, self.now() if self._after is None else self._after)

    def __bool__(self) -> bool:
        return bool(self._diff)

    def __repr__(self) -> str:
        return repr(self._diff)
