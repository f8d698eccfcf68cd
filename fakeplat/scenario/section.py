"""Sections: the keys of scenarios that contain the entries of an area, registered by the area's module.

```python
SECTION = Section(
    "stickers",                       # the key
    within=("project",),              # what contains it: "scenario", "user", "group", "project"
    rank=FURTHER,                     # lower ranks are created first
    keys=Object({"title": TEXT}, required=("title",)),
    create=create_sticker,            # creates or updates the record of one entry
    export=export_stickers,           # returns the records of an owner with their entries
    name_key="title",                 # identifies entries; an entry may be just this value
)
```

The loader, the schema and the export use nothing of an area but its registered sections.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fakeplat.core.schema.mistakes import JsonPath
from fakeplat.core.schema.shapes import Invalid, JsonSchema, Object, Shape
from fakeplat.core.store.frozen import frozen
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.scenario.entry import Entry

SCENARIO: Final = "scenario"
PEOPLE: Final = 10
MEMBERSHIPS: Final = 20
PROJECTS: Final = 30
FURTHER: Final = 40
ISSUES: Final = 50
MERGE_REQUESTS: Final = 55
ALERTS: Final = 60
SCHEDULES: Final = 65
DEPLOYMENTS: Final = 66
TODOS: Final = 70
GENERATED: Final = 90

EntryData = dict[str, Any]
CreateFunction = Callable[["Entry"], Any]
ExportFunction = Callable[[World, Any], Iterable[tuple[Any, EntryData]] | None]
FindFunction = Callable[[World, str], Any]


@frozen(eq=False)
class Section:
    """A key of scenarios with its entries.

    ``create`` creates the record of an entry, or updates the existing record with its name, and returns it. ``export``
    returns the records of an owner (None: of the world), each with its entry; None to leave the key out. Entries are
    identified by the key ``name_key``, or by ``identity_key``, whose value is a full path or a number; names are case
    insensitive unless ``case_sensitive``. With ``value_key``, the entries can also be a map of names to values of that
    key. Lower ranks are created first.

    With ``single``, there is at most one entry, and it is the value of the key itself.

    ``kind`` is the kind of the records, to which the ``within`` of other sections refers. If other entries refer to the
    records by full name, ``find`` looks one up in a world.
    """

    key: str
    within: tuple[str, ...]
    rank: int
    keys: Object
    create: CreateFunction
    export: ExportFunction
    name_key: str = ""
    identity_key: str = ""
    value_key: str = ""
    case_sensitive: bool = False
    single: bool = False
    kind: str = ""
    find: FindFunction | None = None


class Item(NamedTuple):
    """A parsed entry. ``steps`` is its path below the section's key. ``is_short``: it was written without a map."""

    values: dict[str, Any]
    steps: JsonPath = ()
    is_short: bool = False


class EntryList(Shape):
    """The shape of a section's entries: a list of maps or names, a map of names to values, or a single map."""

    def __init__(self, section: Section) -> None:
        self._section = section

    def schema(self) -> JsonSchema:
        """Return the schema: an array of references to the entry's definition, or an object."""
        section = self._section
        entry: JsonSchema = {"$ref": f"#/$defs/{section.key}"}
        if section.single:
            return entry
        items = {"anyOf": [entry, {"type": "string"}]} if section.name_key else entry
        array: JsonSchema = {"type": "array", "items": items}
        if not section.value_key:
            return array
        value = section.keys.resolve(section.value_key).schema()
        return {"anyOf": [array, {"type": "object", "additionalProperties": value}]}

    def read(self, value: Any) -> list[Item]:
        """Parse the entries."""
        if self._section.single:
            return [Item(keys_of(self._section).read(value))]
        if isinstance(value, list | tuple):
            return [self._read_entry(entry, (index,)) for index, entry in enumerate(value)]
        if not self._section.value_key or not isinstance(value, Mapping):
            raise Invalid
        return [self._read_pair(str(name), item) for name, item in value.items()]

    def _read_pair(self, name: str, item: Any) -> Item:
        section = self._section
        value = section.keys.resolve(section.value_key).read(item)
        return Item({section.name_key: name, section.value_key: value}, (name,), is_short=True)

    def _read_entry(self, entry: Any, steps: JsonPath) -> Item:
        section = self._section
        if isinstance(entry, str) and section.name_key:
            return Item(keys_of(section).read({section.name_key: entry}), steps, is_short=True)
        return Item(keys_of(section).read(entry), steps)


_SECTIONS: Final[list[Section]] = []


def register_section(section: Section) -> None:
    """Register a section; ValueError if there is another one with the same key within the same kind."""
    if any(other.key == section.key and {*other.within} & {*section.within} for other in _SECTIONS):
        raise ValueError(f"there are two sections with the key {section.key}")
    _SECTIONS.append(section)
    # A cache that was filled before does not know the new section.
    section_of_kind.cache_clear()
    sections_within.cache_clear()
    keys_of.cache_clear()


def all_sections() -> tuple[Section, ...]:
    """Return all sections."""
    return tuple(_SECTIONS)


@cache
def section_of_kind(kind: str) -> Section:
    """Return the section whose records are of a kind."""
    return next(section for section in _SECTIONS if section.kind == kind)


@cache
def sections_within(kind: str) -> tuple[Section, ...]:
    """Return the sections within records of a kind."""
    return tuple(section for section in _SECTIONS if kind and kind in section.within)


@cache
def keys_of(section: Section) -> Object:
    """Return all keys of a section's entries: its own, and those of the sections within them."""
    return Object(
        {**section.keys.keys, **{inner.key: EntryList(inner) for inner in sections_within(section.kind)}},
        required=section.keys.required,
        one_of=section.keys.one_of,
        descriptions=section.keys.descriptions,
    )
