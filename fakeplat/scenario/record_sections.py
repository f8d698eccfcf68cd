"""Sections that follow from their records: a class and its table give the keys, the export and mostly the creation.

```python
FREEZE_PERIODS: Final = derive_section(
    "freeze_periods",                 # the key
    FreezePeriod,                     # entries have its fields, except for its id and its references
    within=("project",),              # the index of the table that has the records of an owner
    required=("freeze_start", "freeze_end"),
    add=freeze_periods.create,        # the function of the domain that adds a record
)
```

An exported entry has the fields that differ from their defaults and those that are required. Where a table declares
that a field refers to users, groups or projects, an entry can have their names in place of the ids.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, TypeVar, Unpack

from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import COUNT, Object, Shape
from fakeplat.domain.people import namespaces
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

if TYPE_CHECKING:
    from fakeplat.core.store.table import DraftTable, Record, Table, TableOf
    from fakeplat.scenario.entry import Entry

R = TypeVar("R", bound="Record")
Owner = TypeVar("Owner")
_TIMES: Final = ("created_at", "updated_at")
_GET_BY_NAME: Final = {"users": "get_user", "namespaces": "get_group", "projects": "get_project"}
_NO_SHAPES: Final[Mapping[str, Shape]] = {}
_NO_TEXTS: Final[Mapping[str, str]] = {}


class SectionOptions(TypedDict, total=False):
    """The options of a section that are not derived; see `Section`."""

    name_key: str
    identity_key: str
    value_key: str
    case_sensitive: bool
    single: bool
    kind: str


def own_fields(record: type, *, without: Collection[str] = (), **special: Shape) -> dict[str, Shape]:
    """Return the shapes of a record's fields, except for its id and its references to other records."""
    references = (reference.field for reference in _table_of(record).references)
    return fields(record, without={"id", *references, *without}, **special)


@cache
def _table_of(record: type) -> "TableOf[Any]":
    return next(table for table in World.tables if table.holds(record))


class _Reference(NamedTuple):
    """A key with the name, or the names, of the records to which a field refers by id."""

    key: str
    field: str
    table: str

    def serialize(self, world: World, record: object) -> str | list[str | None] | None:
        """Return the name of the record that the field refers to, None if there is none any more."""
        value = getattr(record, self.field)
        return [self._name(world, id_) for id_ in value] if isinstance(value, tuple) else self._name(world, value)

    def _name(self, world: World, id_: int | None) -> str | None:
        if self.table == "users":
            return serialization.username_of(world, id_)
        record = getattr(world, self.table).get(id_) if id_ is not None else None
        if record is None:
            return None
        is_project = isinstance(record, Project)
        return namespaces.project_path(world, record) if is_project else namespaces.full_path(world, record)

    def read(self, entry: "Entry") -> dict[str, int | tuple[int, ...] | None]:
        """Return the value of the field, if the entry has the key."""
        if self.key not in entry.values:
            return {}
        names, get = entry.values[self.key], getattr(entry, _GET_BY_NAME[self.table])
        if isinstance(names, list | tuple):
            return {self.field: tuple(get(name, self.key).id for name in names)}
        return {self.field: None if names is None else get(names, self.key).id}


class _Columns(NamedTuple):
    """What the keys of a section read and export: fields of a record, and names for the ids in other fields."""

    record: type
    keys: Collection[str]
    always: Collection[str]
    references: Collection[_Reference]

    def read(self, entry: "Entry") -> EntryData:
        """Return the values of the record's fields that an entry has."""
        values = build_fields(self.record, entry.select(self.keys))
        for reference in self.references:
            values |= reference.read(entry)
        return values

    def times(self, created_at: str) -> dict[str, str]:
        """Return the times of a record that was created at some time."""
        return {name: created_at for name in _TIMES if name in serialization.default_values(self.record)}

    def serialize(self, world: World, record: object, defaults: EntryData) -> EntryData:
        """Return the values of the keys that differ from their defaults."""
        data = serialization.non_default_fields(record, self.keys, self.always)
        if "created_at" in data:
            defaults = {"updated_at": data["created_at"], **defaults}
        data = serialization.remove_defaults(data, **defaults)
        for reference in self.references:
            name = reference.serialize(world, record)
            if name or reference.key in self.always:
                data[reference.key] = name
        return {key: data[key] for key in self.keys if key in data} if self.references else data


def _find_references(record: type, names: Mapping[str, str]) -> list[_Reference]:
    """Return the references of some keys, given with the fields that have the ids."""
    tables = {reference.field: reference.to.get("", "") for reference in _table_of(record).references}
    return [_Reference(key, field, tables[field]) for key, field in names.items()]


class _Owners(NamedTuple):
    """How a table refers to the owners of a section's records, and finds the records of one."""

    table: str
    field: str
    single: bool

    @classmethod
    def of(cls, record: type, within: tuple[str, ...], *, single: bool) -> "_Owners":
        """Return how the table of some records refers to the owners of a section."""
        table = _table_of(record)
        references = {reference.field for reference in table.references}
        # One field refers to owners of several kinds; records of the instance have no owner.
        field = next((name for name in ("subject", "source") if name in references), f"{within[0]}_id")
        return cls(table.name, "" if within == (SCENARIO,) else field, single)

    def value(self, owner: "Record") -> int | tuple[str, int]:
        """Return the value of the field."""
        return owner.id if self.field.endswith("_id") else serialization.subject_of(owner)

    def list_rows(self, world: World, owner: "Record | None") -> Iterable[Any]:
        """Return the records of an owner."""
        table: Table[Any] = getattr(world, self.table)
        if owner is None or not self.field:
            return table.all()
        index, value = self.field.removesuffix("_id"), self.value(owner)
        # The index is unique where an owner has at most one record.
        return filter(None, (table.find(index, value),)) if self.single else table.where(index, value)


def derive_section(
    key: str,
    record: type[R],
    *,
    within: tuple[str, ...],
    rank: int = FURTHER,
    keys: Mapping[str, Shape] | None = None,
    further_keys: Mapping[str, Shape] = _NO_SHAPES,
    references: Mapping[str, str] = _NO_TEXTS,
    required: tuple[str, ...] = (),
    one_of: tuple[str, ...] = (),
    descriptions: Mapping[str, str] = _NO_TEXTS,
    create: "Callable[[Entry], R | None] | None" = None,
    add: Callable[..., R] | None = None,
    unique: str = "",
    inherits_created_at: bool = False,
    rows: Callable[[World, Owner], Iterable[R]] | None = None,
    always: tuple[str, ...] = (),
    defaults: Callable[[R], EntryData] | None = None,
    parts: Callable[[World, R], EntryData] | None = None,
    serialize: Callable[[World, R], EntryData] | None = None,
    keeps_order: bool = False,
    **options: Unpack[SectionOptions],
) -> Section:
    """Return the section of a class of records.

    ``keys`` are by default the record's own fields, followed by ``further_keys``. ``references`` are the keys with
    names of records, each with the field that has the id.

    A new record gets the values of the entry and its time, or with ``inherits_created_at`` that of a new owner; ``add``
    is called with the owner and these values, else the record is just added to its table. An index ``unique`` finds the
    record of the owner that the entry changes instead. ``create`` replaces all of this.

    ``rows`` returns the records of an owner, by default those in the table's index. An exported entry has the values
    that differ from their defaults (those of the class, and ``defaults``), the required ones and those in ``always``;
    or what ``serialize`` returns. ``parts`` are the values of further keys, of which the empty ones are left out. With
    ``keeps_order``, entries also have their place in the order of creation.
    """
    shapes = {**(own_fields(record) if keys is None else keys), **further_keys}
    known_references = _find_references(record, references)
    fixed = {*required, *always, options.get("value_key", "")}
    columns = _Columns(record, tuple(shapes), fixed, known_references)
    owners = _Owners.of(record, within, single=options.get("single", False))

    def create_record(entry: "Entry") -> R:
        table: DraftTable[R] = getattr(entry.world, owners.table)
        values = columns.read(entry)
        if unique:
            existing = table.find(
                unique, (owners.value(entry.owner), entry.values.get(options.get("name_key", unique)))
            )
            if existing is not None:
                return table.change(existing, **values)
        values = {**columns.times(entry.since if inherits_created_at else entry.created_at), **values}
        if add is not None:
            return add(entry.ctx, entry.owner, **values) if owners.field else add(entry.ctx, **values)
        new: Callable[..., R] = record
        return table.add(new(id=table.next_id(), **{owners.field: owners.value(entry.owner)}, **values))

    def serialize_record(world: World, row: R) -> EntryData:
        data = serialize(world, row) if serialize else columns.serialize(world, row, defaults(row) if defaults else {})
        if parts is not None:
            data |= {name: value for name, value in parts(world, row).items() if value}
        return {**data, **creation_order.turn_of(world, owners.table, row.id)} if keeps_order else data

    def export(world: World, owner: Any) -> list[tuple[R, EntryData]] | None:
        found = rows(world, owner) if rows else owners.list_rows(world, owner)
        return [(row, serialize_record(world, row)) for row in found] or None

    order_keys: Mapping[str, Shape] = {creation_order.KEY: COUNT} if keeps_order else {}
    order_texts = {creation_order.KEY: creation_order.DESCRIPTION} if keeps_order else {}
    return Section(
        key,
        within=within,
        rank=rank,
        keys=Object(
            {**shapes, **order_keys}, required=required, one_of=one_of, descriptions={**descriptions, **order_texts}
        ),
        create=create or create_record,
        export=export,
        record=record,
        **options,
    )
