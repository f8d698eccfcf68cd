"""The sections of all areas; the module of a section is imported when a scenario or an export first needs it.

``lazy_sections.csv`` lists the sections of each module; `make generate` writes it. The order of its rows, which
`make generate` keeps, is the order of the sections in an export, and the creation order of records of the same rank
with the same ``created_at``. The sections of a module that the table does not name come last.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from propcache.api import cached_property

from fakeplat.core.declared_modules import list_module_names, read_table
from fakeplat.core.schema.mistakes import JsonPath
from fakeplat.core.schema.shapes import Invalid, JsonSchema, Object, Shape
from fakeplat.scenario.section import Item, Section

COLUMNS: Final = ("module", "key", "within", "kind")
_HERE: Final = Path(__file__).parent
_MODULES: Final = f"{__package__}.sections"


class LazySection(NamedTuple):
    """A row of the table: what is known of a section before its module is imported."""

    module: str
    key: str
    within: tuple[str, ...]
    kind: str

    def load(self) -> Section:
        """Return the section itself."""
        section = _load_module(self.module).get((self.key, self.within))
        if section is None:
            raise LookupError(f"{self.module} has no section {self.key}: lazy_sections.csv is stale, run make generate")
        return section


@cache
def _load_module(module: str) -> dict[tuple[str, tuple[str, ...]], Section]:
    """Return the sections that a module declares, by themselves or in tuples."""
    values = vars(import_module(f"{_MODULES}.{module}")).values()
    items = chain.from_iterable(value if isinstance(value, tuple) else (value,) for value in values)
    return {(item.key, item.within): item for item in items if isinstance(item, Section)}


def read_rows() -> list[list[str]]:
    """Return the stored table."""
    return read_table(_HERE / "lazy_sections.csv")


def build_rows() -> list[tuple[str, ...]]:
    """Return the table as declared; a module without sections has one row with its name only, at the end."""
    positions = {tuple(row): position for position, row in enumerate(read_rows())}
    rows = [row for module in list_module_names(_HERE / "sections") for row in _rows_of(module)]
    return sorted(rows, key=lambda row: positions.get(row, len(positions)))


def _rows_of(module: str) -> list[tuple[str, ...]]:
    sections = _load_module(module).values()
    return [(module, section.key, "|".join(section.within), section.kind) for section in sections] or [
        (module, "", "", "")
    ]


@cache
def _all_lazy_sections() -> tuple[LazySection, ...]:
    stored = read_rows()
    # A new module works before `make generate` has run; it only costs its import.
    unlisted = [
        row
        for module in sorted({*list_module_names(_HERE / "sections")} - {row[0] for row in stored})
        for row in _rows_of(module)
    ]
    rows = chain(stored, unlisted)
    return tuple(LazySection(module, key, tuple(within.split("|")), kind) for module, key, within, kind in rows if key)


def all_sections() -> tuple[Section, ...]:
    """Return all sections."""
    return tuple(section.load() for section in _all_lazy_sections())


@cache
def positions() -> Mapping[tuple[str, tuple[str, ...]], int]:
    """Return the place of each section in the order of all sections, by its key and what contains it."""
    return {(section.key, section.within): position for position, section in enumerate(_all_lazy_sections())}


@cache
def section_of_kind(kind: str) -> Section:
    """Return the section whose records are of a kind."""
    return next(section for section in _all_lazy_sections() if section.kind == kind).load()


@cache
def sections_within(kind: str) -> Mapping[str, LazySection]:
    """Return the sections within records of a kind, by their keys."""
    return {section.key: section for section in _all_lazy_sections() if kind and kind in section.within}


@cache
def keys_of(section: Section) -> Object:
    """Return all keys of a section's entries: its own, and those of the sections within them."""
    return Object(
        {**section.keys.keys, **entry_lists(section.kind)},
        required=section.keys.required,
        one_of=section.keys.one_of,
        descriptions=section.keys.descriptions,
    )


def entry_lists(kind: str) -> dict[str, "EntryList"]:
    """Return the shapes of the sections within records of a kind, by their keys."""
    return {key: EntryList(section) for key, section in sections_within(kind).items()}


class EntryList(Shape):
    """The shape of a section's entries: a list of maps or names, a map of names to values, or a single map."""

    def __init__(self, section: LazySection) -> None:
        self._lazy_section = section

    @cached_property
    def _section(self) -> Section:
        return self._lazy_section.load()

    def schema(self) -> JsonSchema:
        """Return the schema: an array of references to the entry's definition, or an object."""
        section = self._section
        entry: JsonSchema = {"$ref": f"#/$defs/{section.key}"}
        if section.single:
            return entry
        # An entry may be just its name if it needs nothing else.
        is_short = section.name_key and {*section.keys.required} <= {section.name_key}
        items = {"anyOf": [entry, {"type": "string"}]} if is_short else entry
        array: JsonSchema = {"type": "array", "items": items}
        if not section.value_key:
            return array
        value = section.keys.resolve(section.value_key).schema()
        return {"anyOf": [array, {"type": "object", "additionalProperties": value}]}

    def read(self, value: object) -> list[Item]:
        """Parse the entries."""
        if self._section.single:
            return [Item(keys_of(self._section).read(value))]
        if isinstance(value, list | tuple):
            return [self._read_entry(entry, (index,)) for index, entry in enumerate(value)]
        if not self._section.value_key or not isinstance(value, Mapping):
            raise Invalid
        return [self._read_pair(str(name), item) for name, item in value.items()]

    def _read_pair(self, name: str, item: object) -> Item:
        section = self._section
        value = section.keys.resolve(section.value_key).read(item)
        return Item({section.name_key: name, section.value_key: value}, (name,), is_short=True)

    def _read_entry(self, entry: object, steps: JsonPath) -> Item:
        section = self._section
        if isinstance(entry, str) and section.name_key:
            return Item(keys_of(section).read({section.name_key: entry}), steps, is_short=True)
        return Item(keys_of(section).read(entry), steps)
