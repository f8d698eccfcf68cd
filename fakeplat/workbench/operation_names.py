"""Lookup of operations by name, by request and by path."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import unquote

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import unbuilt_operations
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX
from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.world import World
from fakeplat.pipeline.routing import route

# Such as `/api/v4/projects/7/issues`; 18 digits always fit into 64 bits.
_BY_ID: Final = re.compile(rf"{PREFIX}/(projects|groups)/([0-9]{{1,18}})(/.*)?")


class NoSuchOperation(ValueError):
    """The platform has no operation with that name, or it is not implemented here yet."""


def implemented_operation(name: str) -> str:
    """Return the name if the operation is implemented; NoSuchOperation otherwise."""
    if name in OPERATIONS:
        return name
    if is_known_operation(name):
        raise NoSuchOperation(f"the operation {name} is known but not implemented; see /_fakeplat/coverage")
    raise NoSuchOperation(
        f"there is no operation {name!r}{did_you_mean(name, [operation.name for operation in OPERATIONS])}"
    )


def known_operation(name: str) -> str:
    """Return the name if the platform has the operation, implemented or not; NoSuchOperation otherwise."""
    return name if is_known_operation(name) else implemented_operation(name)


def is_known_operation(name: str) -> bool:
    """Whether the platform has an operation with that name."""
    return name in OPERATIONS or any(operation.name == name for operation in unbuilt_operations())


def find_operation(request: Request, world: World) -> str | None:
    """Return the name of the operation that a request is routed to."""
    try:
        return route(request, world)[0].name
    except Refusal:
        return None


def matches_path(pattern: str, path: str, world: World | None) -> bool:
    """Whether a path matches a glob, which is relative to the API unless it starts with ``/``.

    ``acme%2Fsite`` matches with and without percent-encoding. The id of a project or group also matches as its full
    path, because clients send ids where people think of paths.
    """
    absolute = pattern if pattern.startswith("/") else f"{PREFIX}/{pattern}"
    decoded = unquote(absolute)
    return fnmatchcase(path, absolute) or any(
        fnmatchcase(spelling, decoded) for spelling in _path_spellings(path, world)
    )


def _path_spellings(path: str, world: World | None) -> Iterator[str]:
    """Yield other spellings of a path: without percent-encoding, and with a full path instead of an id."""
    yield unquote(path)
    match = _BY_ID.fullmatch(path)
    if match is None or world is None:
        return
    kind, number, rest = match[1], int(match[2]), match[3] or ""
    if kind == "projects":
        project = world.projects.get(number)
        full = project_path(world, project) if project else None
    else:
        group = world.namespaces.get(number)
        full = full_path(world, group) if group else None
    if full is not None:
        yield f"{PREFIX}/{kind}/{full}{unquote(rest)}"
