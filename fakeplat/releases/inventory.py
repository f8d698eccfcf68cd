"""Everything that the platform is known to have, with its releases, from the declarations and the unbuilt tables."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final, Literal, TypedDict

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import (
    UnbuiltParameter,
    unbuilt_fields,
    unbuilt_graphql,
    unbuilt_operations,
    unbuilt_parameters,
    unbuilt_variables,
)
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.fields import Declaration, declarations_of
from fakeplat.core.release import (
    ALWAYS,
    Behaviour,
    ByRelease,
    Lifetime,
    RenamedFrom,
    parse_release,
    profile_of,
)
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci.known_names import list_known_names
from fakeplat.domain.hooks.events import EVENTS
from fakeplat.graphql.schema import list_declared
from fakeplat.model.setting_rules import declared_settings
from fakeplat.policy import behaviours

Kind = Literal[
    "operation", "parameter", "value", "field", "setting", "event", "graphql", "keyword", "variable", "behaviour"
]


@frozen
class Item:
    """Something that the platform has. ``operations``: those that it belongs to, as ``METHOD /path``; none: all.

    ``renamed``: the name of an earlier release. ``defaults``: a default that releases changed. ``is_built``: False if
    this package knows it, but does not serve it.
    """

    kind: Kind
    name: str
    lifetime: Lifetime = ALWAYS
    operations: tuple[str, ...] = ()
    renamed: RenamedFrom | None = None
    defaults: ByRelease[Any] | None = None
    is_built: bool = True
    source: str = ""


@cache
def list_items() -> tuple[Item, ...]:
    """Return everything, the operations first. This imports all modules with declarations."""
    OPERATIONS.load_all()
    operations = tuple(OPERATIONS)
    return (
        *(Item("operation", key_of(operation), operation.lifetime, (key_of(operation),)) for operation in operations),
        *_list_parameters(operations),
        *_list_fields(operations),
        *_list_settings(),
        *(Item("event", f"{event.trigger} ({event.flag})", event.lifetime) for event in EVENTS),
        *(Item("graphql", name, lifetime, _GRAPHQL) for _, name, lifetime in list_declared()),
        *(Item(known.kind, known.name, known.lifetime, is_built=known.is_built) for known in list_known_names()),
        *_list_behaviours(behaviours),
        *_list_unbuilt({operation.name: key_of(operation) for operation in operations}),
    )


class Count(TypedDict):
    """How much of a kind a release has, and how much of that is served."""

    known: int
    served: int


def count_items(release: str) -> dict[Kind, Count]:
    """Return how much a release has of each kind."""
    profile = profile_of(parse_release(release))
    counts: dict[Kind, Count] = {item.kind: {"known": 0, "served": 0} for item in list_items()}
    for item in list_items():
        if profile.has(item.lifetime):
            counts[item.kind]["known"] += 1
            counts[item.kind]["served"] += item.is_built
    return counts


def heading_of(kind: Kind) -> str:
    """Return the heading of a column with numbers of a kind."""
    return "GraphQL names" if kind == "graphql" else f"{kind}s"


def key_of(operation: Operation) -> str:
    """Return the method and the path of an operation, by which it is listed."""
    return f"{operation.method} {operation.path}"


def _list_parameters(operations: Iterable[Operation]) -> Iterator[Item]:
    settings = declared_settings()
    for operation in operations:
        for declaration in declarations_of(operation.params):
            if operation.name != "update_application_settings" or declaration.name not in settings:
                yield from _items_of_parameter(key_of(operation), declaration)


def _items_of_parameter(operation: str, declared: Declaration) -> Iterator[Item]:
    name = f"{operation} {declared.name}"
    yield Item("parameter", name, declared.lifetime, (operation,), declared.renamed)
    for lifetime in declared.of_values:
        for value in lifetime.values:
            yield Item("value", f"{name}={value}", lifetime, (operation,))


def _list_fields(operations: Iterable[Operation]) -> Iterator[Item]:
    """Yield the fields of all views where they are declared, with the operations that show them there or below."""
    shown: dict[type[Entity[Any]], list[str]] = {}
    for operation in operations:
        for view in operation.views:
            for base in view.__mro__:
                shown.setdefault(base, []).append(key_of(operation))
    for view in sorted((view for view in shown if "fields" in vars(view)), key=lambda view: view.__name__):
        if view.__name__ != "SettingsView":
            yield from _items_of_view(view, tuple(shown[view]))


def _items_of_view(view: type[Entity[Any]], operations: tuple[str, ...]) -> Iterator[Item]:
    inherited = {name: field for base in view.__mro__[1:] for name, field in vars(base).get("fields", {}).items()}
    for name, field in view.fields.items():
        if inherited.get(name) is not field:
            yield Item("field", f"{view.__name__}.{name}", field.lifetime, operations)


_GRAPHQL: Final = ("POST /api/graphql",)


def _list_unbuilt(keys: Mapping[str, str]) -> Iterator[Item]:
    """Yield what is known and not built; ``keys`` are those of the declared operations, by name."""
    for operation in unbuilt_operations():
        key = f"{operation.method} {operation.path}"
        yield Item("operation", key, operation.lifetime, (key,), is_built=False, source=operation.source)
    for parameter in unbuilt_parameters():
        yield _item_of_unbuilt_parameter(parameter, keys[parameter.operation])
    views = {view.__name__: view for operation in OPERATIONS for view in operation.views}
    for field in unbuilt_fields():
        shown = [key_of(each) for each in OPERATIONS if views.get(field.view) in each.views]
        name = f"{field.view}.{field.field}"
        yield Item("field", name, field.lifetime, tuple(shown), is_built=False, source=field.source)
    for row in unbuilt_graphql():
        yield Item("graphql", row.name, row.lifetime, _GRAPHQL, is_built=False, source=row.source)
    for row in unbuilt_variables():
        yield Item("variable", row.name, row.lifetime, is_built=False, source=row.source)


def _item_of_unbuilt_parameter(row: UnbuiltParameter, key: str) -> Item:
    is_setting = row.operation == "update_application_settings"
    name, operations = (row.parameter, _SETTINGS) if is_setting else (f"{key} {row.parameter}", (key,))
    kind: Kind = "setting" if is_setting else "parameter"
    return Item(kind, name, row.lifetime, operations, is_built=False, source=row.source)


_SETTINGS: Final = ("GET /api/v4/application/settings", "PUT /api/v4/application/settings")


def _list_settings() -> Iterator[Item]:
    for setting in declared_settings().values():
        if not setting.is_local:
            renamed, defaults = setting.find(RenamedFrom), setting.find(ByRelease)
            yield Item("setting", setting.name, setting.lifetime, _SETTINGS, renamed, defaults)


def _list_behaviours(module: ModuleType) -> Iterator[Item]:
    for name, value in vars(module).items():
        words = name.lower().replace("_", " ")
        if isinstance(value, Behaviour):
            yield Item("behaviour", words, value, source=value.source)
        elif isinstance(value, ByRelease):
            yield Item("behaviour", words, defaults=value)
