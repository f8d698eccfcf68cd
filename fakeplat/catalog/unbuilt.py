"""What the platform is known to have and fakeplat does not, with its releases: the tables of `releases/unbuilt`.

A row disappears when it is built. None is read before a request asks for something that is not there. ``since`` and
``until`` are as in `Lifetime`: empty if it existed at 13.5, or still does. ``sure`` is ``yes``, ``bound`` if only the
latest possible release is known, or ``doubtful``.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen

_TABLES: Final = Path(__file__).parents[1] / "releases" / "unbuilt"
_LEFT_OUT: Final = {
    "Background work": "the server's own background work",
    "Duo": "Duo and code suggestions",
    "Geo": "Geo",
    "ML models": "machine learning models",
    "Upload authorization": "what its own proxy asks the server before an upload",
    "VS Code": "the synchronization of VS Code",
    "Virtual registries": "virtual registries",
    "Vulnerabilities": "vulnerability management",
}
"""The sections that will not be built, and what they are about."""


@frozen
class UnbuiltRow:
    """A row of a table. ``source`` is the page, the document or the client that names the releases."""

    since: str
    until: str
    source: str
    sure: str

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have it."""
        return Lifetime(self.since, self.until)


@frozen
class UnbuiltOperation(UnbuiltRow):
    """An operation that is not built. ``tier`` is empty, premium or ultimate."""

    name: str
    method: str
    path: str
    tier: str
    section: str

    @property
    def left_out(self) -> str:
        """What the operation is about, if nothing of that will be built; else empty."""
        return _LEFT_OUT.get(self.section, "")


@frozen
class UnbuiltParameter(UnbuiltRow):
    """A parameter of a declared operation; those of `update_application_settings` are the settings."""

    operation: str
    parameter: str


@frozen
class UnbuiltField(UnbuiltRow):
    """A field of a view, and of those that inherit from it."""

    view: str
    field: str


Row = TypeVar("Row", bound=UnbuiltRow)


@cache
def unbuilt_operations() -> tuple[UnbuiltOperation, ...]:
    """Return the operations, by section and path."""
    return _read_rows("operations", UnbuiltOperation)


@cache
def unbuilt_parameters() -> tuple[UnbuiltParameter, ...]:
    """Return the parameters, by operation."""
    return _read_rows("parameters", UnbuiltParameter)


def unbuilt_parameters_of(operation: str) -> Mapping[str, Lifetime]:
    """Return the parameters of an operation that are not built, with their releases."""
    return _index_parameters().get(operation, {})


@cache
def _index_parameters() -> Mapping[str, Mapping[str, Lifetime]]:
    by_operation: dict[str, dict[str, Lifetime]] = {}
    for row in unbuilt_parameters():
        by_operation.setdefault(row.operation, {})[row.parameter] = row.lifetime
    return by_operation


@cache
def unbuilt_fields() -> tuple[UnbuiltField, ...]:
    """Return the fields, by view."""
    return _read_rows("fields", UnbuiltField)


def _read_rows(table: str, row_type: type[Row]) -> tuple[Row, ...]:
    text = (_TABLES / f"{table}.csv").read_text("utf-8")
    return tuple(row_type(**row) for row in csv.DictReader(text.splitlines()))
