"""Sections: the keys of scenarios that contain the entries of an area, declared by the area's module.

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

The loader, the schema and the export use nothing of an area but its sections. Most sections follow from the
class of their records: see `record_sections`.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fakeplat.core.schema.mistakes import JsonPath
from fakeplat.core.schema.shapes import Object
from fakeplat.core.store.frozen import frozen
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.scenario.entry import Entry

SCENARIO: Final = "scenario"
PEOPLE: Final = 10
MEMBERSHIPS: Final = 20
PROJECTS: Final = 30
AGENTS: Final = 35
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
    record: type | None = None


class Item(NamedTuple):
    """A parsed entry. ``steps`` is its path below the section's key. ``is_short``: it was written without a map."""

    values: dict[str, Any]
    steps: JsonPath = ()
    is_short: bool = False
