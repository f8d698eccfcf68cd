"""Where responses show the fields of a view."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, get_args

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.release import Release
from tests.releases.worlds import Worlds

QUERIES: Final = {"list_group_members": "show_seat_info=true"}
"""What has to be asked for, so that fields are shown."""
OTHERS: Final = {"IterationView": "expired"}
"""A field of another view that has all fields of this one: milestones look like iterations."""
View = Any  # A class of views: the type checker takes the classes for unhashable.


def find_in_responses(worlds: Worlds, view: View, name: str, releases: tuple[Release, ...]) -> tuple[bool, ...] | None:
    """Return whether the releases show a field of a view; None if no response of theirs shows it."""
    for operation in _list_operations(view, name):
        query = QUERIES.get(operation.name, "")
        for path in worlds.list_paths(operation):
            shown = [list(_find_objects(worlds.ask(release, "GET", path, query).body, view)) for release in releases]
            result = tuple(any(name in found for found in objects) for objects in shown)
            # Some fields are shown by one of the operations only.
            if all(shown) and any(result):
                return result
    return None


def find_in_documents(worlds: Worlds, view: View, name: str, releases: tuple[Release, ...]) -> tuple[bool, ...]:
    """Return whether the documents of the releases have a field of a view."""
    documents = [list(_find_schemas(worlds.get_document(release), view)) for release in releases]
    assert all(documents), f"no document has {view.__name__}"
    return tuple(any(name in found for found in objects) for objects in documents)


def _find_schemas(document: dict[str, Any], view: View) -> Iterator[dict[str, Any]]:
    """Yield the properties of a view, or of those that have all of its fields if it has no schema of its own."""
    schema = document["components"]["schemas"].get(view.__name__)
    if schema is not None and "properties" in schema:
        yield schema["properties"]
    else:
        yield from _find_objects(document, view)


def _list_operations(view: View, name: str) -> Iterator[Operation]:
    """Yield the operations that show a view; not those that show one which has the field in other releases."""
    lifetime = view.fields[name].lifetime
    for operation in OPERATIONS:
        views: Sequence[View] = operation.views
        shown = [part for each in views for part in _parts(each) if issubclass(part, view)]
        if operation.method == "GET" and shown and all(part.fields[name].lifetime == lifetime for part in shown):
            yield operation


@cache
def _parts(view: View) -> frozenset[View]:
    """Return a view and those inside of it."""
    found: set[View] = {view}
    for kind in view.field_types().values():
        for part in _classes_in(kind):
            found |= _parts(part)
    return frozenset(found)


def _classes_in(kind: object) -> Iterator[View]:
    if isinstance(kind, type) and issubclass(kind, Entity):
        yield kind
    for argument in get_args(kind):
        yield from _classes_in(argument)


def _find_objects(value: Any, view: View) -> Iterator[dict[str, Any]]:
    """Yield the objects in a response that have every field which the view always has."""
    if isinstance(value, dict) and value.keys() >= _constant_fields(view) and OTHERS.get(view.__name__) not in value:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _find_objects(inner, view)


@cache
def _constant_fields(view: View) -> frozenset[str]:
    return frozenset(name for name, field in view.fields.items() if not field.lifetime and field.when is None)
