"""References between tables: which field names records of which table, and what happens when these are deleted.

A table declares the references of its records with `cascade`, `clear`, `hand_over` and `keep`. ``to`` is the table of
the named records; for values such as ``("issue", 7)`` it is a mapping from the kind in the value to its table.
"""

from collections.abc import Collection, Hashable, Mapping
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, TypeVar, Unpack, get_args

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.indexes import KeyTaken

if TYPE_CHECKING:
    from fakeplat.core.store.state import View
    from fakeplat.core.store.table import DraftTable, Record, Table, TableOf

R = TypeVar("R", bound="Record")
OnDelete = Literal["cascade", "clear", "hand_over", "keep"]
Subject = tuple[str, int]
"""A record that others are about or belong to: its kind, which says in which table it is, and its id."""
Replacements = Mapping[int, int | None]
"""The replacements of ids: another id, or None to clear it."""
CASCADING: Final[tuple[OnDelete, ...]] = ("cascade", "hand_over")
ALL: Final[tuple[OnDelete, ...]] = get_args(OnDelete)


@frozen
class Reference:
    """A field that names records of other tables.

    ``to`` maps kinds to tables; the kind of plain ids is "". The kind is part of the value, or the value of another
    field (``kind_field``). ``index`` finds the records that name an id; without one all records of the table are
    read. Its keys are plain ids, or pairs of the kind and the id; ``prefix`` replaces the kind in them, and an empty
    one leaves the id alone. ``inner`` is the field of the values inside, where these are not ids themselves. ``also``
    are values that other fields get when this one is cleared.
    """

    field: str
    on_delete: OnDelete
    to: Mapping[str, str]
    index: str = ""
    prefix: str | None = None
    kind_field: str = ""
    inner: str = ""
    also: Mapping[str, object] = {}
    reason: str = ""

    def key(self, kind: str, id_: int) -> Hashable:
        """Return the key under which the index has the records that name an id."""
        prefix = kind if self.prefix is None else self.prefix
        return (prefix, id_) if prefix else id_

    def ids(self, record: object, kind: str) -> tuple[int, ...]:
        """Return the ids of a kind that a record names."""
        value = getattr(record, self.field, None)
        if value is None:
            return ()
        if self.inner:
            return tuple(getattr(item, self.inner) for item in value)
        if self.kind_field:
            return (value,) if getattr(record, self.kind_field) == kind else ()
        if kind:
            return (value[1],) if value[0] == kind else ()
        return value if isinstance(value, tuple) else (value,)

    def replace_ids(self, record: object, replacements: Replacements) -> object:
        """Return the field's value with some ids replaced."""
        value = getattr(record, self.field)
        if self.inner:
            return tuple(item for item in value if getattr(item, self.inner) not in replacements)
        if not isinstance(value, tuple):
            return replacements.get(value, value)
        # The value is a pair of a kind and an id, possibly with more after it, and not a tuple of ids.
        if "" not in self.to:
            return (value[0], replacements.get(value[1], value[1]), *value[2:])
        # The replacement may be in the tuple already, so duplicates are removed.
        ids = (replacements.get(id_, id_) for id_ in value)
        return tuple(dict.fromkeys(id_ for id_ in ids if id_ is not None))


class ReferenceOptions(TypedDict, total=False):
    """The attributes of a `Reference` that have defaults."""

    index: str
    prefix: str | None
    kind_field: str
    inner: str
    also: Mapping[str, object]


def cascade(field: str, to: str | Mapping[str, str], **options: Unpack[ReferenceOptions]) -> Reference:
    """Declare that records are deleted with what they name."""
    return _reference(field, "cascade", to, **options)


def clear(field: str, to: str | Mapping[str, str], **options: Unpack[ReferenceOptions]) -> Reference:
    """Declare that a field is emptied when what it names is deleted."""
    return _reference(field, "clear", to, **options)


def hand_over(field: str, to: str, **options: Unpack[ReferenceOptions]) -> Reference:
    """Declare that records name another one instead (`Link.replace`), or are deleted with what they name."""
    return _reference(field, "hand_over", to, **options)


def keep(field: str, reason: str, to: str | Mapping[str, str] = "", **options: Unpack[ReferenceOptions]) -> Reference:
    """Declare that a field does not change, and why."""
    return _reference(field, "keep", to, reason=reason, **options)


def _reference(
    field: str,
    on_delete: OnDelete,
    to: str | Mapping[str, str],
    *,
    reason: str = "",
    **options: Unpack[ReferenceOptions],
) -> Reference:
    tables = {"": to} if isinstance(to, str) else to
    if on_delete in CASCADING:
        options.setdefault("index", field.removesuffix("_id"))
    return Reference(field, on_delete, tables, reason=reason, **options)


@frozen
class Link:
    """A reference from the point of view of its target: the table that refers to it, and the kind in the reference."""

    table: str
    kind: str
    reference: Reference

    def records(self, world: "View", ids: Collection[int]) -> list[Any]:
        """Return the records that name one of some ids, each once."""
        table, reference, kind = getattr(world, self.table), self.reference, self.kind
        records = self._records_by_index(table, ids) if reference.index else self._records_with_value(table)
        if not records:
            return []
        # The index gives only candidates: it may cover several fields, as that of both ends of an issue link.
        named_ids = set(ids)
        return [record for record in records if not named_ids.isdisjoint(reference.ids(record, kind))]

    def _records_by_index(self, table: "Table[R]", ids: Collection[int]) -> list[R]:
        matching, index, key, kind = table.matching, self.reference.index, self.reference.key, self.kind
        record_ids = [record_id for id_ in ids for record_id in matching(index, key(kind, id_))]
        return [table[record_id] for record_id in dict.fromkeys(record_ids)] if record_ids else []

    def _records_with_value(self, table: "Table[R]") -> list[R]:
        return [*filter(attrgetter(self.reference.field), table.all())]

    def clear(self, world: "View", ids: Collection[int], spared: Collection[int] = ()) -> None:
        """Clear the field in the records that name one of some ids, except those with an id in ``spared``."""
        table, replacements = getattr(world, self.table), dict.fromkeys(ids)
        for record in self.records(world, ids):
            if record.id not in spared:
                self._change(table, record, replacements, **self.reference.also)

    def replace(self, world: "View", old: int, new: int) -> None:
        """Change the records that name one id to name another; skip those whose new key a unique index has already."""
        table = getattr(world, self.table)
        for record in self.records(world, [old]):
            try:
                self._change(table, record, {old: new})
            except KeyTaken:
                continue

    def _change(self, table: "DraftTable[R]", record: R, replacements: Replacements, **also: object) -> None:
        table.change(record, **{self.reference.field: self.reference.replace_ids(record, replacements), **also})


@cache
def links_between(
    tables: "tuple[TableOf[Any], ...]", on_delete: Collection[OnDelete] = ALL
) -> Mapping[str, tuple[Link, ...]]:
    """Return the references of tables, by the table that they name; ``on_delete`` chooses some of them."""
    links: dict[str, tuple[Link, ...]] = {table.name: () for table in tables}
    for table in tables:
        for reference in table.references:
            for kind, target in reference.to.items():
                if target and reference.on_delete in on_delete:
                    links[target] += (Link(table.name, kind, reference),)
    return links
