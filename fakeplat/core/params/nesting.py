"""Parameter names with brackets (``a[b]``, ``a[]``, ``a[][x]``) as nested hashes and arrays, as in Rack."""

import re
from typing import Final

from fakeplat.core.operations.errors import InvalidParams

# The default limit of Rack (param_depth_limit), which is also that of Ruby's JSON parser (max_nesting).
MAX_DEPTH: Final = 100

# `a[b][][c]` gives a, b, [] and c. Brackets without a partner are skipped.
_STEP: Final = re.compile(r"[^\[\]]+|\[\]")

Path = list[str | None]
"""The keys of a nested value, outermost first; None stands for a new element of an array."""


def set_nested(params: dict[str, object], name: str, value: object) -> None:
    """Store a value at the place that its name describes."""
    container, path = params, _parse_name(name)
    while len(path) > 1:
        # What follows a key decides what the key holds: an array before None, otherwise a hash.
        key, path = str(path[0]), path[1:]
        if path[0] is not None:
            container = _get_hash(container, key)
        elif path := path[1:]:
            container = _hash_with_room(_get_array(container, key), path)
        else:
            _get_array(container, key).append(value)
    if path:
        container[str(path[0])] = value


def _parse_name(name: str) -> Path:
    if name.count("[") > MAX_DEPTH:
        raise InvalidParams("exceeded the allowed depth of nested parameters")  # unconfirmed text
    steps: Path = []
    for step in _STEP.findall(name):
        if step != "[]":
            steps.append(step)
        elif steps and steps[-1] is not None:
            steps.append(None)
    return steps


def _get_hash(container: dict[str, object], key: str) -> dict[str, object]:
    # Like Rack's ||=: a null makes room for the hash, any other value is a conflict of types.
    if container.get(key) is None:
        container[key] = {}
    value = container[key]
    if isinstance(value, dict):
        return value
    raise _type_conflict("Hash", value, key)


def _get_array(container: dict[str, object], key: str) -> list[object]:
    if container.get(key) is None:
        container[key] = []
    value = container[key]
    if isinstance(value, list):
        return value
    raise _type_conflict("Array", value, key)


def _hash_with_room(array: list[object], path: Path) -> dict[str, object]:
    """Return the array's last hash, or append a new one if the last has a value for this path."""
    # Rack has no syntax for the end of an element: in a[][x]=1&a[][y]=2&a[][x]=3 the repeated x starts the next one.
    last = array[-1] if array else None
    if isinstance(last, dict) and not _has_value(last, path):
        return last
    new_hash: dict[str, object] = {}
    array.append(new_hash)
    return new_hash


def _has_value(value: object, path: Path) -> bool:
    """Return whether a hash has a value at a path. An array on the path can always take another value."""
    if None in path:
        return False
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


_CLASSES: Final[dict[type, str]] = {str: "String", list: "Array", dict: "Rack::QueryParser::Params"}


def _type_conflict(expected: str, value: object, key: str) -> InvalidParams:
    """Return the refusal of a name used with two types. The text is Rack's; the key ``error`` is unconfirmed."""
    return InvalidParams(f"expected {expected} (got {_CLASSES.get(type(value), 'Hash')}) for param `{key}'")
