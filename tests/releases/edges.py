"""Beginnings and ends: each release that has something for the first time, or no longer."""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import pytest

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.fields import Declaration, declarations_of
from fakeplat.core.release import LATEST, Lifetime, Release, RenamedFrom, parse_bound, parse_release
from fakeplat.domain.hooks.events import EVENTS
from fakeplat.model.setting_rules import Lines, declared_settings

FIRST: Final = parse_release("13.5")
"""The oldest release that can be asked."""
LAST_MINORS: Final = {13: 12, 14: 10, 15: 11, 16: 11, 17: 11, 18: 11}


class Edge(NamedTuple):
    """Something that a release is the first to have (``since``), or to lack (``until``)."""

    kind: Literal["operation", "parameter", "value", "field", "setting", "event", "keyword", "variable"]
    owner: Any
    name: str
    bound: Literal["since", "until"]
    release: Release

    @property
    def before(self) -> Release:
        """The release before."""
        major, minor = self.release
        return (major, minor - 1) if minor else (major - 1, LAST_MINORS[major - 1])

    @property
    def expected(self) -> tuple[bool, bool]:
        """Whether the release before and the release itself have it."""
        return (False, True) if self.bound == "since" else (True, False)

    @property
    def id(self) -> str:
        owner = self.owner.__name__ if isinstance(self.owner, type) else getattr(self.owner, "name", "")
        name = f"{owner}.{self.name}" if owner and self.kind != "operation" else self.name
        return f"{self.kind}-{name}-{self.bound}-{'.'.join(map(str, self.release))}"


def for_each(edges: Iterator[Edge]) -> pytest.MarkDecorator:
    """Run a test with each edge."""
    return pytest.mark.parametrize("edge", [pytest.param(edge, id=edge.id) for edge in edges])


def edges_of(kind: Any, owner: object, name: str, lifetime: Lifetime) -> Iterator[Edge]:
    """Yield the beginning and the end of something, as far as there are releases on both sides of it."""
    for bound, text in (("since", lifetime.since), ("until", lifetime.until)):
        if text and FIRST < parse_bound(text) <= parse_release(LATEST):
            yield Edge(kind, owner, name, bound, parse_bound(text))  # type: ignore[arg-type]  # one of the two


def edges_of_names(
    kind: Any, owner: object, name: str, lifetime: Lifetime, renamed: RenamedFrom | None
) -> Iterator[Edge]:
    """Yield the edges of something under each of its names."""
    names = renamed.lifetimes(name) if renamed else {name: lifetime}
    for each, lifetime_of_name in names.items():
        yield from edges_of(kind, owner, each, lifetime_of_name)


def list_operations() -> Iterator[Edge]:
    for operation in OPERATIONS:
        yield from edges_of("operation", operation, operation.name, operation.lifetime)


def list_parameters() -> Iterator[Edge]:
    """Yield the edges of parameters; those of application settings are listed as settings.

    What an operation has from its beginning on has no edge of its own.
    """
    for operation, declared in _declarations():
        edges = edges_of_names("parameter", operation, declared.name, declared.lifetime, declared.renamed)
        yield from (edge for edge in edges if edge.release > operation.lifetime.start)


def list_values() -> Iterator[Edge]:
    for operation, declared in _declarations():
        for lifetime in declared.of_values:
            for value in lifetime.values:
                yield from edges_of("value", operation, f"{declared.name}={value}", lifetime)


def _declarations() -> Iterator[tuple[Operation, Declaration]]:
    settings = declared_settings()
    for operation in OPERATIONS:
        for declared in declarations_of(operation.params):
            if operation.name != "update_application_settings" or declared.name not in settings:
                yield operation, declared


def list_fields() -> Iterator[Edge]:
    """Yield the edges of fields, of each view that declares them."""
    for view in sorted(_subclasses(Entity), key=lambda view: view.__name__):
        inherited = {name: field for base in view.__mro__[1:] for name, field in vars(base).get("fields", {}).items()}
        for name, field in view.fields.items():
            if inherited.get(name) is not field and view.__name__ != "SettingsView":
                yield from edges_of("field", view, name, field.lifetime)


def _subclasses(view: type[Entity[Any]]) -> set[type[Entity[Any]]]:
    OPERATIONS.load_all()
    below = view.__subclasses__()
    known = {*below, *(each for subclass in below for each in _subclasses(subclass))}
    return {view for view in known if view.__module__.startswith("fakeplat.")}


def list_settings() -> Iterator[Edge]:
    for setting in declared_settings().values():
        lines = setting.find(Lines)
        shown = {} if setting.is_secret or (lines and lines.only) else setting.names
        for name, lifetime in {**shown, **setting.names_as_text}.items():
            yield from edges_of("setting", None, name, lifetime)


BY_TIME = ("resource_access_token_hooks",)
"""The events that no request causes, but the time: tests of their own know their releases."""


def list_events() -> Iterator[Edge]:
    for event in EVENTS:
        if event.trigger not in BY_TIME:
            yield from edges_of("event", event, event.trigger, event.lifetime)
