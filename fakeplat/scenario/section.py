"""Sections: the keys of scenarios under which an area says its things, registered by the area's module.

```python
SECTION = Section(
    "stickers",                       # the key
    under=("project",),               # what it stands in: "scenario", "user", "group", "project"
    rank=FURTHER,                     # lower ranks are made first
    keys=Object({"title": TEXT}, required=("title",)),
    make=make_sticker,                # does the area's verb for one entry
    tell=tell_stickers,               # the entries that would make what a world holds
    named="title",                    # what tells entries apart; an entry may be just that
)
```

The loader, the schema and the export know sections only by what they register.
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
TODOS: Final = 70
GENERATED: Final = 90

Told = dict[str, Any]
Make = Callable[["Entry"], Any]
Tell = Callable[[World, Any], Iterable[tuple[Any, Told]] | None]
Find = Callable[[World, str], Any]


@frozen(eq=False)
class Section:
    """A key of scenarios with its entries.

    ``make`` makes what an entry says, or changes what is there under its name already, and gives the record.
    ``tell`` gives the records of an owner (None: of the world), each with its entry; None where the key is
    better left out. Entries are told apart by the key ``named``, or at the top by ``whole``, which holds a full
    path; ``value`` is the key whose values a map of names gives; ``cased``: names that differ in case are
    different. Lower ranks are made first.

    ``single``: there is one entry at most, and the key holds it itself.

    ``kind`` is what its records are to sections that stand under them. Where others refer to them by full name,
    ``find`` looks one up in a world by it.
    """

    key: str
    under: tuple[str, ...]
    rank: int
    keys: Object
    make: Make
    tell: Tell
    named: str = ""
    whole: str = ""
    value: str = ""
    cased: bool = False
    single: bool = False
    kind: str = ""
    find: Find | None = None


class Item(NamedTuple):
    """One entry as it was read. ``steps`` lead to it from its section's key. ``short``: it was no map of its own."""

    said: dict[str, Any]
    steps: JsonPath = ()
    short: bool = False


class EntryList(Shape):
    """The entries of a section: a list of maps, or of names, or a map of names to values; or one map."""

    def __init__(self, section: Section) -> None:
        self._section = section

    def schema(self) -> JsonSchema:
        """An array of references to the entry's definition, or an object."""
        section = self._section
        entry: JsonSchema = {"$ref": f"#/$defs/{section.key}"}
        if section.single:
            return entry
        items = {"anyOf": [entry, {"type": "string"}]} if section.named else entry
        array: JsonSchema = {"type": "array", "items": items}
        if not section.value:
            return array
        value = section.keys.resolve(section.value).schema()
        return {"anyOf": [array, {"type": "object", "additionalProperties": value}]}

    def read(self, value: Any) -> list[Item]:
        """Each entry by itself."""
        if self._section.single:
            return [Item(keys_of(self._section).read(value))]
        if isinstance(value, list | tuple):
            return [self._read_entry(entry, (place,)) for place, entry in enumerate(value)]
        if not self._section.value or not isinstance(value, Mapping):
            raise Invalid
        return [self._read_pair(str(name), item) for name, item in value.items()]

    def _read_pair(self, name: str, item: Any) -> Item:
        section = self._section
        value = section.keys.resolve(section.value).read(item)
        return Item({section.named: name, section.value: value}, (name,), short=True)

    def _read_entry(self, entry: Any, steps: JsonPath) -> Item:
        section = self._section
        if isinstance(entry, str) and section.named:
            return Item(keys_of(section).read({section.named: entry}), steps, short=True)
        return Item(keys_of(section).read(entry), steps)


_SECTIONS: Final[list[Section]] = []


def register_section(section: Section) -> None:
    """Add a section; two of a key in the same place are a mistake of the modules."""
    if any(other.key == section.key and {*other.under} & {*section.under} for other in _SECTIONS):
        raise ValueError(f"two sections are named {section.key}")
    _SECTIONS.append(section)
    section_of_kind.cache_clear()
    sections_within.cache_clear()
    keys_of.cache_clear()


def all_sections() -> tuple[Section, ...]:
    """All sections."""
    return tuple(_SECTIONS)


@cache
def section_of_kind(kind: str) -> Section:
    """The section whose records are of a kind."""
    return next(section for section in _SECTIONS if section.kind == kind)


@cache
def sections_within(kind: str) -> tuple[Section, ...]:
    """The sections that stand in things of a kind."""
    return tuple(section for section in _SECTIONS if kind and kind in section.under)


@cache
def keys_of(section: Section) -> Object:
    """All keys of a section's entries: its own, and the sections that stand in them."""
    return Object(
        {**section.keys.keys, **{inner.key: EntryList(inner) for inner in sections_within(section.kind)}},
        required=section.keys.required,
        one_of=section.keys.one_of,
        descriptions=section.keys.descriptions,
    )
