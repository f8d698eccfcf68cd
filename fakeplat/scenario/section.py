"""Sections: the keys of scenarios under which an area says its things, registered by the area's module.

```python
SECTION = Section(
    "stickers",                       # the key
    under=("project",),               # what it stands in: "scenario", "user", "group", "project"
    rank=FURTHER,                     # lower ranks are made first
    keys=Keys({"title": TEXT}, needs=("title",)),
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

from fakeplat.core.store.frozen import frozen
from fakeplat.model.world import World
from fakeplat.scenario.errors import JsonPath
from fakeplat.scenario.shapes import Found, JsonSchema, Keys, Shape

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
    keys: Keys
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
    """One entry as it was read. ``short``: it was no map of its own."""

    said: dict[str, Any]
    path: JsonPath
    short: bool = False


class Listing(Shape):
    """The entries of a section: a list of maps, or of names, or a map of names to values; or one map."""

    def __init__(self, section: Section) -> None:
        self.section = section
        if section.single:
            self.word, self.types = "a map", (Mapping,)
            return
        self.word = "a list or a map" if section.value else "a list"
        self.types = (list, tuple, Mapping) if section.value else (list, tuple)

    def schema(self) -> JsonSchema:
        """An array of references to the entry's definition, or an object."""
        entry: JsonSchema = {"$ref": f"#/$defs/{self.section.key}"}
        if self.section.single:
            return entry
        items = {"anyOf": [entry, {"type": "string"}]} if self.section.named else entry
        listed: JsonSchema = {"type": "array", "items": items}
        if not self.section.value:
            return listed
        value = self.section.keys.resolved(self.section.value).schema()
        return {"anyOf": [listed, {"type": "object", "additionalProperties": value}]}

    def take(self, value: Any, path: JsonPath, found: Found) -> list[Item]:
        """Each entry by itself."""
        if self.section.single:
            return [self._from_item(value, path, found)]
        if isinstance(value, Mapping):
            return [self._from_pair(name, item, (*path, str(name)), found) for name, item in value.items()]
        return [self._from_item(item, (*path, place), found) for place, item in enumerate(value)]

    def _from_pair(self, name: object, item: Any, path: JsonPath, found: Found) -> Item:
        section = self.section
        value = section.keys.resolved(section.value).read(item, path, found)
        return Item({section.named: str(name), section.value: value}, path, short=True)

    def _from_item(self, item: Any, path: JsonPath, found: Found) -> Item:
        if isinstance(item, str) and self.section.named:
            item, short = {self.section.named: item}, True
        else:
            short = False
        return Item(keys_of(self.section).read(item, path, found) or {}, path, short)


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
def keys_of(section: Section) -> Keys:
    """All keys of a section's entries: its own, and the sections that stand in them."""
    return Keys(
        {**section.keys.keys, **{inner.key: Listing(inner) for inner in sections_within(section.kind)}},
        needs=section.keys.needs,
        one_of=section.keys.one_of,
        about=section.keys.about,
    )
