"""The types of the npm package, generated from the declarations of the control routes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from fakeplat import scenario
from fakeplat.http.control.description import TAG, control_paths, control_schemas

_REFERENCE: Final = f"#/components/schemas/{TAG}."
_TYPES: Final = {
    "array": "unknown[]",
    "boolean": "boolean",
    "integer": "number",
    "null": "null",
    "number": "number",
    "object": "Record<string, unknown>",
    "string": "string",
}
_HEAD: Final = "// Written by tools/generate.py from the declarations of the control routes."
_EMPTY: Final = "Record<never, never>"


def control_types() -> str:
    """Return a module with the types of all bodies and responses, and the table of the routes."""
    return "\n".join([_HEAD, *_declarations(), *_route_types(), *_route_table()]) + "\n"


def list_route_names() -> list[str]:
    """Return the names of the routes in the package."""
    return [name for name, _, _ in _routes()]


def _declarations() -> Iterator[str]:
    schemas = {name.removeprefix(f"{TAG}."): schema for name, schema in control_schemas().items()}
    instance = {"Instance": scenario.schema()["properties"]["instance"]}
    for name, schema in sorted((schemas | instance).items()):
        yield from ("", *_comment(schema), f"export type {name} = {_type(schema)};")


def _route_types() -> Iterator[str]:
    yield from ("", "/** What each route takes, and what it answers. */", "export interface Routes {")
    for name, _, description in _routes():
        parameters = description["parameters"]
        members = {
            "path": _parameters([one for one in parameters if one["in"] == "path"]),
            "query": _parameters([one for one in parameters if one["in"] == "query"]),
            "body": _content(description.get("requestBody", {}), _EMPTY),
            "answer": _content(next(iter(description["responses"].values())), "void"),
        }
        yield from (f"  /** {_prose(description['summary'])} */", f"  {name}: {{")
        for key, text in members.items():
            yield f"    {key}: {_indent(text, 4)};"
        yield "  };"
    yield "}"


def _route_table() -> Iterator[str]:
    yield from (
        "",
        "export type RouteName = keyof Routes;",
        "",
        "/** The method and the path of each route. */",
        "export const ROUTES: Readonly<Record<RouteName, readonly [method: string, path: string]>> = {",
    )
    for name, (method, path), _ in _routes():
        yield f'  {name}: ["{method.upper()}", "{path}"],'
    yield "};"


def _routes() -> Iterator[tuple[str, tuple[str, str], dict[str, Any]]]:
    for path, methods in control_paths().items():
        for method, description in methods.items():
            yield description["operationId"].removeprefix(f"{TAG}_"), (method, path), description


def _parameters(parameters: list[dict[str, Any]]) -> str:
    properties = {one["name"]: one["schema"] | {"description": one["description"]} for one in parameters}
    required = [one["name"] for one in parameters if one["required"]]
    return _object({"properties": properties, "required": required}) if parameters else _EMPTY


def _content(message: Mapping[str, Any], otherwise: str) -> str:
    return _type(message["content"]["application/json"]["schema"]) if "content" in message else otherwise


def _type(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"$ref": str(reference)}:
            return reference.removeprefix(_REFERENCE)
        case {"enum": values}:
            return " | ".join(orjson.dumps(value).decode() for value in values)
        case {"anyOf": parts}:
            return " | ".join(dict.fromkeys(_type(part) for part in parts))
        case {"properties": _}:
            return _object(schema)
        case {"type": "array", "items": items}:
            return f"({_type(items)})[]" if "|" in _type(items) else f"{_type(items)}[]"
        case {"type": "object", "additionalProperties": {"type": _} as values}:
            return f"Record<string, {_type(values)}>"
        case {"type": str(name)}:
            return _TYPES[name]
        case {"type": names} if set(_TYPES) <= {*names, "integer"}:
            return "unknown"
        case {"type": names}:
            return " | ".join(_TYPES[name] for name in names)
        case _:
            return "unknown"


def _object(schema: Mapping[str, Any]) -> str:
    lines = []
    for name, part in schema["properties"].items():
        mark = "" if name in schema.get("required", ()) else "?"
        lines += [*_comment(part), f"{name}{mark}: {_type(part)};"]
    return "\n".join(["{", *(f"  {_indent(line, 2)}" for line in lines), "}"])


def _comment(schema: Mapping[str, Any]) -> list[str]:
    return [f"/** {_prose(schema['description'])} */"] if "description" in schema else []


def _prose(text: str) -> str:
    """A pattern such as `acme/*/site` would end the comment."""
    return text.replace("``", "`").replace("*/", "*\\/")


def _indent(text: str, spaces: int) -> str:
    return text.replace("\n", "\n" + " " * spaces)
