"""The input schemas of tools, and the check of arguments by them. Source: docs/platform/mcp.md ('Arguments')."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.release import Profile
from fakeplat.mcp.results import InvalidArguments
from fakeplat.policy.behaviours import EMPTY_ARGUMENTS_ARE_OMITTED

Schema = Mapping[str, Any]
Arguments = Mapping[str, Any]


def describe(type_: str, description: str, **limits: object) -> dict[str, Any]:
    """Return the schema of a property."""
    return {"type": type_, "description": description, **limits}


def build_schema(properties: Schema, required: Sequence[str] | None = (), *, closed: bool = True) -> dict[str, Any]:
    """Return the input schema of a tool. ``closed``: it says that there are no other properties."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required is not None:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False} if closed else schema


def check_arguments(arguments: Arguments, schema: Schema, profile: Profile) -> Arguments:
    """Return the arguments of a tool that checks them itself. InvalidArguments lists what is wrong with them."""
    is_later = profile.has(EMPTY_ARGUMENTS_ARE_OMITTED)
    given = {name: value for name, value in arguments.items() if not (is_later and value in (None, ""))}
    failures = list(dict.fromkeys(_find_failures(given, schema, is_later=is_later)))
    if failures:
        raise InvalidArguments(", ".join(failures))
    return given


def _find_failures(given: Arguments, schema: Schema, *, is_later: bool, place: str = "") -> Iterator[str]:
    """Yield what is wrong with the members of an object, whose own place is ``place``."""
    # The platform reports the first of the arguments that are missing, and no other.
    missing = [name for name in schema.get("required", ()) if name not in given]
    if missing:
        yield f"{missing[0]} is missing"
    properties = schema["properties"]
    for name, value in given.items():
        if name in properties:
            yield from _find_failures_of_value(f"{place}{name}", value, properties[name], is_later=is_later)
        elif schema.get("additionalProperties") is False:
            yield f"{place}{name} is invalid"


def _find_failures_of_value(name: str, value: object, schema: Schema, *, is_later: bool) -> Iterator[str]:
    if not _TYPES.get(schema.get("type", ""), _is_anything)(value):
        yield f"{name} is invalid"
        return
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(schema["enum"])
        yield f"Invalid {name}: '{value}'. Must be one of: {allowed}" if is_later else f"{name} is invalid"
    if isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        limit = f"{name} cannot contain more than {schema['maxItems']} items"
        yield limit if is_later else f"{name} is invalid"
    if not _is_within(value, schema):
        yield f"{name} is invalid"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _find_failures_of_value(f"{name}/{index}", item, schema["items"], is_later=is_later)
    if isinstance(value, dict) and "properties" in schema:
        yield from _find_failures(value, schema, is_later=is_later, place=f"{name}/")


def _is_within(value: object, schema: Schema) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, str):
        return bool(schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)))
    return not isinstance(value, list) or bool(len(value) >= schema.get("minItems", 0))


def _is_integer(value: object) -> bool:
    # By JSON Schema, 1.0 is an integer, too.
    return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


def _is_anything(_value: object) -> bool:
    return True


_TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
