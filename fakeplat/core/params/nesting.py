"""Names with brackets (``a[b]``, ``a[]``, ``a[][x]``) as nested hashes and arrays, in Rack's manner."""

import re
from typing import Final

from fakeplat.core.operations.errors import InvalidParams

DEEPEST: Final = 100

_STEP: Final = re.compile(r"[^\[\]]+|\[\]")

Path = list[str | None]
"""The keys that lead to a value, outermost first; None stands for an array's next place."""


def set_nested(params: dict[str, object], name: str, value: object) -> None:
    """Put one value where its name says."""
    holder, path = params, _path(name)
    while len(path) > 1:
        key, path = str(path[0]), path[1:]
        if path[0] is not None:
            holder = _hash(holder, key)
        elif path := path[1:]:
            holder = _room(_array(holder, key), path)
        else:
            _array(holder, key).append(value)
    if path:
        holder[str(path[0])] = value


def _path(name: str) -> Path:
    if name.count("[") > DEEPEST:
        raise InvalidParams("exceeded the allowed depth of nested parameters")  # unconfirmed text
    steps: Path = []
    for step in _STEP.findall(name):
        if step != "[]":
            steps.append(step)
        elif steps and steps[-1] is not None:
            steps.append(None)
    return steps


def _hash(holder: dict[str, object], key: str) -> dict[str, object]:
    if holder.get(key) is None:
        holder[key] = {}
    found = holder[key]
    if isinstance(found, dict):
        return found
    raise _unexpected("Hash", found, key)


def _array(holder: dict[str, object], key: str) -> list[object]:
    if holder.get(key) is None:
        holder[key] = []
    found = holder[key]
    if isinstance(found, list):
        return found
    raise _unexpected("Array", found, key)


def _room(array: list[object], path: Path) -> dict[str, object]:
    """The array's last hash, or a fresh one if that holds this key already."""
    last = array[-1] if array else None
    if isinstance(last, dict) and not _has(last, path):
        return last
    fresh: dict[str, object] = {}
    array.append(fresh)
    return fresh


def _has(found: object, path: Path) -> bool:
    """Whether a hash holds a value for these keys; an array among them always has room."""
    if None in path:
        return False
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True


_CLASSES: Final[dict[type, str]] = {str: "String", list: "Array", dict: "Rack::QueryParser::Params"}


def _unexpected(wanted: str, found: object, key: str) -> InvalidParams:
    """Two shapes under one name. The text is Rack's; that it goes out under ``error`` is unconfirmed."""
    return InvalidParams(f"expected {wanted} (got {_CLASSES.get(type(found), 'Hash')}) for param `{key}'")
