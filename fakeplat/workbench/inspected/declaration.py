"""The declaration of kinds of records, and of the lists of records that belong to them.

Entities and functions of the domain are named by their paths, and imported when a test looks at such records.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, Protocol

from attrs import field

from fakeplat.core.operations.entity import Entity
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.members import source_of
from fakeplat.model.projects import Routable
from fakeplat.model.world import World

Listing = Callable[[World, Any], Iterable[Any]]
_DOMAIN: Final = "fakeplat.domain"
_ENTITIES: Final = "fakeplat.entities"


@cache
def _load(package: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)


@frozen
class Part:
    """Records that belong to a record.

    ``listing`` is the function that lists them, or its path in the domain; ``entity`` is the path of the view of each.
    """

    listing: Listing | str
    entity: str

    def find(self, world: World, record: object) -> Sequence[Any]:
        """Return the records that belong to a record (to the instance: None)."""
        listing: Listing = _load(_DOMAIN, self.listing) if isinstance(self.listing, str) else self.listing
        found = listing(world, record)
        return found if isinstance(found, Sequence) else list(found)

    @property
    def view(self) -> type[Entity[Any]]:
        """The view of each record."""
        view: type[Entity[Any]] = _load(_ENTITIES, self.entity)
        return view


Parts = Mapping[str, Part]


class Identified(Protocol):
    """A record with an id."""

    @property
    def id(self) -> int:
        """The id."""


@frozen
class RecordKind:
    """How records of a kind are viewed: the path of the entity, its options, and the records that belong to them."""

    entity: str
    options: tuple[str, ...] = ()
    parts: Parts = field(factory=dict)

    @property
    def view(self) -> type[Entity[Any]]:
        """The view of a record."""
        view: type[Entity[Any]] = _load(_ENTITIES, self.entity)
        return view


def rows(table: str, index: str, kind: str | None = None) -> Listing:
    """Return a function that lists the rows of a table with a record's id in an index; ``kind``: with this kind."""

    def find(world: World, record: Identified) -> Sequence[Any]:
        key = record.id if kind is None else (kind, record.id)
        found: Sequence[Any] = getattr(world, table).where(index, key)
        return found

    return find


def own_rows(table: str) -> Listing:
    """Return a function that lists the rows of a table whose source is a project or group."""

    def find(world: World, container: Routable) -> Sequence[Any]:
        found: Sequence[Any] = getattr(world, table).where("source", source_of(container))
        return found

    return find


def all_rows(table: str) -> Listing:
    """Return a function that lists all rows of a table."""
    return lambda world, _: list(getattr(world, table).all())
