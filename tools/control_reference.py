"""The page of control routes, generated from their OpenAPI description."""

from collections.abc import Iterator
from typing import Any

import orjson

from fakeplat.http.control.description import control_paths, control_schemas
from tools.scenario_reference import example_of
from tools.tables import table

_REFERENCE = "#/components/schemas/"


def control_routes_page() -> str:
    """Each control route with its parameters, body and response."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from (_HEAD, "")
    for path, methods in control_paths().items():
        for method, description in methods.items():
            yield from _route(f"{method.upper()} {path}", description)


def _route(name: str, description: dict[str, Any]) -> Iterator[str]:
    yield from (f"## {name}", "", description["summary"], "")
    parameters = description["parameters"]
    if parameters:
        rows = (
            (f"`{one['name']}`", f"in the {one['in']}", one["description"], _parameter_example(one))
            for one in parameters
        )
        yield from table(("parameter", "where", "meaning", "example"), rows)
    if "requestBody" in description:
        yield from ("Body:", "")
        yield from _schema(description["requestBody"], is_request=True)
    status, response = next(iter(description["responses"].items()))
    yield from (f"Response: {status}{'' if 'content' in response else ', without a body'}.", "")
    if "content" in response:
        yield from _schema(response)


def _schema(message: dict[str, Any], *, is_request: bool = False) -> Iterator[str]:
    schema = message["content"]["application/json"]["schema"]
    if schema.get("type") == "array":
        yield from ("A list of objects:", "")
        schema = schema["items"]
    schema = control_schemas()[schema["$ref"].removeprefix(_REFERENCE)] if "$ref" in schema else schema
    if "properties" not in schema:
        yield from (schema["description"], "")
        return
    required = schema.get("required", ()) if is_request else ()
    rows = (
        (f"`{key}`{' (required)' if key in required else ''}", part["description"], _example(key, part))
        for key, part in schema["properties"].items()
    )
    yield from table(("key", "meaning", "example"), rows)


def _parameter_example(parameter: dict[str, Any]) -> str:
    examples = {"integer": "1", "string": "before"}  # those in the path: ids, and names of snapshots
    return f"`{parameter.get('example', examples[parameter['schema']['type']])}`"


def _example(key: str, schema: dict[str, Any]) -> str:
    """Return the declared example; outcomes of jobs have those of the scenario key."""
    if "examples" in schema:
        return f"`{orjson.dumps(schema['examples'][0]).decode()}`"
    example = example_of(f"job_outcomes.{key}", schema)
    return "" if example is None else f"`{orjson.dumps(example).decode()}`"


_HEAD = """# Control routes

Routes below `/_fakeplat/` control a running world: for tests in other languages, and for a server in a terminal. In
pytest use the [fixture](fixtures.md) instead. They act on the world of the port that they are sent to, except those of
`/_fakeplat/worlds`.

```console
$ curl -s http://127.0.0.1:8080/_fakeplat/health
$ curl -s -X POST http://127.0.0.1:8080/_fakeplat/reset
$ curl -s -X POST http://127.0.0.1:8080/_fakeplat/faults -d '{"operation": "create_issue", "status": 503}'
$ curl -s http://127.0.0.1:8080/_fakeplat/requests?status=4xx
```

The body is JSON. An error is `{"error": "…"}` with 400, 403, 404, 405 or 409; unknown keys are refused. Only requests
from this machine are accepted, unless the server was started with `--control-key-file`; then they need the header
`X-Fakeplat-Key`. `GET /_fakeplat/openapi.json` describes the same routes for programs."""
