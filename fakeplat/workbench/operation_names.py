"""The operations that a test author can name, by name or by path."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import unquote

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog import known
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX
from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.world import World
from fakeplat.pipeline import route

_BY_ID: Final = re.compile(rf"{PREFIX}/(projects|groups)/([0-9]{{1,18}})(/.*)?")


class NoSuchOperation(ValueError):
    """The platform has no operation of that name, or the fake does not have it yet."""


def implemented_operation(name: str) -> str:
    """An operation's name, if it is built; NoSuchOperation otherwise."""
    if name in OPERATIONS:
        return name
    if is_known_operation(name):
        raise NoSuchOperation(f"the operation {name} is known but not built; see /_fakeplat/coverage")
    raise NoSuchOperation(f"no operation is {name!r}{did_you_mean(name, [one.name for one in OPERATIONS])}")


def known_operation(name: str) -> str:
    """An operation's name, if the platform has it, built or not; NoSuchOperation otherwise."""
    return name if is_known_operation(name) else implemented_operation(name)


def is_known_operation(name: str) -> bool:
    """Whether the platform has an operation of that name."""
    return name in OPERATIONS or any(one.name == name for one in known())


def operation_of(request: Request, world: World) -> str | None:
    """The name of the operation that a request is for."""
    try:
        return route(request, world)[0].name
    except Refusal:
        return None


def on_path(pattern: str, path: str, world: World | None) -> bool:
    """Whether a path fits a glob, which stands below the API unless it starts with ``/``.

    ``acme%2Fsite`` in a path can be written either way in the glob, and so can the id of a project or group of the
    world: clients send ids where people think of paths.
    """
    whole = pattern if pattern.startswith("/") else f"{PREFIX}/{pattern}"
    decoded = unquote(whole)
    return fnmatchcase(path, whole) or any(fnmatchcase(written, decoded) for written in _spellings(path, world))


def _spellings(path: str, world: World | None) -> Iterator[str]:
    """The ways to write a path: without percent-encoding, and with the full path of a project or group for its id."""
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
