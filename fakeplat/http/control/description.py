"""The control routes in the OpenAPI document: parameters, bodies and responses, from their declarations."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args

from attrs import fields

from fakeplat.core.schema.shapes import JsonSchema
from fakeplat.http.control.declaration import ROUTES, ControlRoute, Key, Keys
from fakeplat.http.control.paging import PAGE
from fakeplat.model.instance import Instance
from fakeplat.workbench.openapi import openapi_document
from fakeplat.workbench.options import CLOCKS

TAG: Final = "fakeplat"
_OPTIONAL_TEXT: Final = ("string", "null")
_ANY: Final = ("object", "array", "string", "number", "boolean", "null")
_REQUEST_FILTER: Final = {
    "operation": Key("Name of the operation.", example="create_issue"),
    "method": Key("HTTP method.", example="POST"),
    "path": Key("Pattern of paths, below /api/v4 unless it starts with a slash.", example="projects/*/issues"),
    "user": Key("Username of the caller.", example="dev"),
    "credential": Key("Kind of credential.", example="personal"),
    "status": Key("Status, or a class of them.", example="4xx"),
    **PAGE,
}
_DELIVERY_FILTER: Final = {
    "trigger": Key("The event, with or without its ending.", example="push"),
    "receiver": Key("Kind of receiver (hook, service), or one of them.", example="hook:7"),
    "url": Key("A part of the URL.", example="bot.example.test"),
    "state": Key("pending, delivered, failed or held_back.", example="failed"),
    "status": Key("Status of the response.", example="204"),
    **PAGE,
}
_MAIL_FILTER: Final = {
    "to": Key("Address of the recipient.", example="ada@example.test"),
    "subject": Key("A part of the subject.", example="Broken link"),
}
_REQUEST: Final = {
    "number": Key("Number of the request in this world, from 1.", "integer", 1),
    "method": Key("HTTP method.", example="GET"),
    "path": Key("Path with its query; secrets are masked with stars.", example="/api/v4/projects"),
    "operation": Key("Name of the operation.", _OPTIONAL_TEXT, "list_projects"),
    "detail": Key("For GraphQL: what the document asks for.", _OPTIONAL_TEXT, "query { project }"),
    "user": Key("Username of the caller; null for an anonymous request.", _OPTIONAL_TEXT, "dev"),
    "credential": Key("Kind of credential.", _OPTIONAL_TEXT, "personal"),
    "status": Key("Status of the response; 0: there was none.", "integer", 200),
    "reason": Key(
        "Why the request was refused, or parameters ignored.", _OPTIONAL_TEXT, "update_issue needs Reporter (20)"
    ),
    "fault": Key("The fault that was applied.", _OPTIONAL_TEXT, "fault 1: status 503"),
    "warnings": Key("What the client should not have sent.", "array", []),
    "duration": Key("Duration in seconds of real time.", "number", 0.002),
    "time": Key("The world's time.", example="2020-11-20T09:00:00.000Z"),
}
_DELIVERY: Final = {
    "id": Key("Number of the delivery in this world.", "integer", 1),
    "receiver": Key("Kind and id of the receiver.", "object", {"kind": "hook", "id": 7}),
    "trigger": Key("The event.", example="push_hooks"),
    "method": Key("HTTP method.", example="POST"),
    "url": Key("URL; user and password are masked.", example="http://127.0.0.1:9000/"),
    "headers": Key("Headers of the request.", "object", {"X-Gitlab-Event": "Issue Hook"}),
    "body": Key("Body of the request.", example='{"object_kind":"issue"}'),
    "json": Key("The same as JSON, if it is JSON.", _ANY, {"object_kind": "issue"}),
    "state": Key("pending, delivered, failed or held_back.", example="delivered"),
    "error": Key("Why it failed or was held back.", _OPTIONAL_TEXT, "Connection refused"),
    "status": Key("Status of the response.", ("integer", "null"), 204),
    "response_headers": Key("Headers of the response.", "object", {"Server": "bot"}),
    "response_body": Key("Body of the response.", example="OK"),
    "duration": Key("Duration in seconds of real time.", ("number", "null"), 0.01),
    "attempt": Key("1, or higher for a repetition.", "integer", 1),
    "time": Key("The world's time.", example="2020-11-20T09:00:00.000Z"),
}
_MAIL: Final = {
    "id": Key("Number of the e-mail in this world.", "integer", 1),
    "to": Key("Address of the recipient.", example="ada@example.test"),
    "subject": Key("Subject.", example="Site | Broken link (#1)"),
    "headers": Key("Headers.", "object", {"X-GitLab-NotificationReason": "assigned"}),
    "body": Key("Text.", example="Ada Example created an issue"),
    "html": Key("The same as HTML.", example="<p>Ada Example created an issue</p>"),
    "reason": Key("Why the recipient gets it.", example="assigned"),
    "time": Key("The world's time.", example="2020-11-20T09:00:00.000Z"),
}
_FAULT: Final[Mapping[str, tuple[str, Any]]] = {
    "operation": ("Name of the operation that fails.", "create_issue"),
    "path": ("Instead of an operation: pattern of paths, below /api/v4 unless it starts with a slash.", "projects/*"),
    "method": ("HTTP method that the fault is restricted to.", "POST"),
    "nth": ("Number of the matching request, from 1, that fails.", 2),
    "chance": ("Probability from 0 to 1 with which a matching request fails.", 0.3),
    "once": ("Whether the fault ends after its first time.", True),
    "times": ("How often the fault applies.", 2),
    "status": ("Status of the response, from 200 to 599.", 503),
    "body": ("With a status: the body, as a text or as JSON.", {"message": "Out of order"}),
    "retry_after": ("Seconds in the header Retry-After, with 429 and 503.", 5),
    "connection": ("What happens to the connection: timeout, reset, truncated or lost_reply.", "lost_reply"),
    "content_type": ("Content-Type of the response.", "text/html"),
    "latency": ("Real time by which the response is delayed: a duration, or seconds.", "2s"),
}
_TYPES: Final[Mapping[Any, str]] = {str: "string", int: "integer", bool: "boolean", float: "number"}
_EVIDENCE: Final = {
    "observed": Key("Statuses that tests observed, if it is built.", "array", [201, 400]),
    "clients": Key("Real clients that called it, if it is built.", "array", ["python-gitlab-8.6.0"]),
    "verified": Key("What verified it beside the tests, if it is built.", "array", []),
    "unproven": Key("Declared statuses that no test observed, if it is built.", "array", [409]),
}
_PATH_PARAMETERS: Final = {"id": "Number of the record.", "name": "Name of the snapshot."}
_SNAPSHOT_NAME: Final = {"name": Key("Name of the snapshot.", example="before")}
_WORLD: Final = {
    "id": Key("Number of the world on this server.", "integer", 2),
    "url": Key("URL in responses.", example="http://127.0.0.1:40123"),
    "listen_url": Key("URL to connect to.", example="http://127.0.0.1:40123"),
}


def _fault_keys() -> Keys:
    """Return the keys of a declared fault; their types are those of the class."""
    from fakeplat.workbench.faults import Fault

    return {
        field.name: Key(
            _FAULT[field.name][0],
            _ANY
            if field.type is Any
            else tuple(_TYPES[kind] for kind in get_args(field.type) if kind in _TYPES) or "string",
            _FAULT[field.name][1],
        )
        for field in fields(Fault)
    }


@cache
def schemas() -> Mapping[str, JsonSchema]:
    """Return the schemas of bodies and responses by name."""
    from fakeplat.domain.ci.job_outcomes import DECLARATION

    counts = {
        "seen": Key("Number of matching requests.", "integer", 2),
        "happened": Key("Number of requests that failed.", "integer", 1),
    }
    keys: dict[str, Keys] = {
        "Changes": {
            "created": Key("Keys of new records by kind.", "object", {"labels": ["acme/site~bug"]}),
            "changed": Key(
                "Changed fields by kind and record, each with both values.",
                "object",
                {"issues": {"acme/site#1": {"state": ["opened", "closed"]}}},
            ),
            "deleted": Key("Keys of deleted records by kind.", "object", {}),
        },
        "Clock": {
            "now": Key("The world's time.", example="2020-11-20T09:00:00.000Z"),
            "kind": Key(f"{', '.join(CLOCKS)}.", example="virtual"),
        },
        "Coverage": {
            "operation": Key("Name of the operation.", example="create_issue"),
            "method": Key("HTTP method.", example="POST"),
            "path": Key("Path.", example="/api/v4/projects/:id/issues"),
            "section": Key("Section of the API.", example="issues"),
            "state": Key("built, not built, ours, or the release that added it.", example="built"),
            "tier": Key("Tier that the operation needs.", example="free"),
            "releases": Key("Releases that have the operation; empty: all.", example="since 13.8"),
            **_EVIDENCE,
        },
        "Delivery": _DELIVERY,
        "Fault": {"id": Key("Number of the fault.", "integer", 1), **_fault_keys(), **counts},
        "Health": {
            "status": Key("ok.", example="ok"),
            "version": Key("Release of fakeplat.", example="0.1.0"),
            "scenario": Key("Name of the scenario.", example="starter"),
            "seed": Key("Seed of the world.", "integer", 0),
        },
        "Mail": _MAIL,
        "NewFault": _fault_keys(),
        "NewWorld": {**_WORLD, "root_token": Key("Token of the administrator.", example="root-token")},
        "Request": _REQUEST,
        "Snapshot": {**_SNAPSHOT_NAME, "time": Key("The world's time then.", example="2020-11-20T09:00:00.000Z")},
        "SnapshotName": _SNAPSHOT_NAME,
        "Token": {
            "token": Key("The token.", example="secret-token"),
            "user": Key("Username.", example="dev"),
            "kind": Key("Kind of the token.", example="personal"),
        },
        "World": {**_WORLD, "scenario": Key("Name of the scenario.", example="starter")},
    }
    documents: dict[str, JsonSchema] = {
        "Error": {"type": "object", "properties": {"error": {"type": "string", "description": "What is wrong."}}},
        "Fragment": {"type": "object", "description": "A scenario without `instance`, `seed` and `clock`."},
        "JobOutcome": DECLARATION.schema(),
        "OpenApi": {"type": "object", "description": "An OpenAPI document."},
        "Scenario": {"type": "object", "description": "A scenario."},
    }
    return {**{name: _object(members, _always_present(name, members)) for name, members in keys.items()}, **documents}


def _always_present(name: str, keys: Keys) -> list[str]:
    """Return the keys that a response always has, in the schema of that name."""
    if name == "NewFault":
        return []
    sometimes = {"Coverage": _EVIDENCE, "Fault": _fault_keys(), "NewWorld": ("listen_url",)}.get(name, ())
    return [key for key in keys if key not in sometimes]


def _object(keys: Keys, required: Sequence[str] = ()) -> JsonSchema:
    schema: JsonSchema = {"type": "object", "properties": {name: _schema(key) for name, key in keys.items()}}
    return schema | {"required": [*required]} if required else schema


def _schema(key: Key) -> JsonSchema:
    types = key.types if isinstance(key.types, str) else list(key.types)
    schema: JsonSchema = {"type": types, "description": key.description}
    return schema if key.example is None else schema | {"examples": [key.example]}


def _resolve(declared: Keys | str) -> JsonSchema:
    """Return the schema of a body or a response: a map of keys, or a name, in brackets for a list."""
    if not isinstance(declared, str):
        return _object(declared, [name for name, key in declared.items() if key.required])
    name = declared.strip("[]")
    reference: JsonSchema = {"$ref": f"#/components/schemas/{TAG}.{name}"}
    return {"type": "array", "items": reference} if declared.startswith("[") else reference


_FILTERS: Final[Mapping[str, Keys]] = {
    "DeliveryFilter": _DELIVERY_FILTER,
    "MailFilter": _MAIL_FILTER,
    "RequestFilter": _REQUEST_FILTER,
}


def full_document(instance: Instance, origin: str) -> dict[str, Any]:
    """Return the OpenAPI document of the API and of the control routes."""
    document = openapi_document(instance, origin)
    document["paths"] |= control_paths()
    document["components"]["schemas"] |= control_schemas()
    return document


def control_paths() -> dict[str, dict[str, Any]]:
    """Return the control routes as paths of an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in sorted(ROUTES, key=lambda route: (route.path, route.method)):
        if route.is_page:
            continue
        paths.setdefault(_template(route.path), {})[route.method.lower()] = _describe(route)
    return paths


def control_schemas() -> dict[str, JsonSchema]:
    """Return the schemas to which the paths refer."""
    return {f"{TAG}.{name}": schema for name, schema in schemas().items()}


def _template(path: str) -> str:
    return "/".join(f"{{{part[1:]}}}" if part.startswith((":", "*")) else part for part in path.split("/"))


def _describe(route: ControlRoute) -> dict[str, Any]:
    summary = (route.handler.__doc__ or "").split("\n")[0]
    description: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": summary,
        "tags": [TAG],
        "security": [],
        "parameters": [*_path_parameters(route), *_query_parameters(route)],
        "responses": {str(route.status): _response(route, summary), "default": _REFUSED},
    }
    if route.body:
        description["requestBody"] = {"content": {"application/json": {"schema": _resolve(route.body)}}}
    return description


def _operation_id(route: ControlRoute) -> str:
    # A handler can have two routes, with the name in the path or in the body.
    suffix = "_by_path" if route.method == "POST" and route.path.endswith("/:name") else ""
    return f"{TAG}_{getattr(route.handler, '__name__', '')}{suffix}"


def _path_parameters(route: ControlRoute) -> list[dict[str, Any]]:
    return [
        {
            "name": part[1:],
            "in": "path",
            "required": True,
            "description": _PATH_PARAMETERS.get(part[1:], "The rest of the path."),
            "schema": {"type": "integer" if part == ":id" else "string"},
        }
        for part in route.path.split("/")
        if part.startswith((":", "*"))
    ]


def _query_parameters(route: ControlRoute) -> list[dict[str, Any]]:
    keys = _FILTERS[route.query] if isinstance(route.query, str) else route.query
    return [
        {
            "name": name,
            "in": "query",
            "required": key.required,
            "description": key.description,
            "schema": {"type": key.types},
            "example": key.example,
        }
        for name, key in keys.items()
    ]


def _response(route: ControlRoute, summary: str) -> dict[str, Any]:
    response: dict[str, Any] = {"description": summary}
    if route.answer:
        response["content"] = {"application/json": {"schema": _resolve(route.answer)}}
    return response


_REFUSED: Final = {
    "description": "refused: invalid (400), not allowed (403), unknown (404), wrong method (405), conflict (409)",
    "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{TAG}.Error"}}},
}
