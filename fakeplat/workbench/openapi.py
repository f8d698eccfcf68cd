"""The OpenAPI document, generated from the declarations of the operations."""

from http import HTTPStatus
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.invocation import invocation_of
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import VERSION, Profile
from fakeplat.model.instance import Instance

OPENAPI: Final = "3.1.0"
_PLAIN: Final = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}
_BODY_METHODS: Final = ("POST", "PUT", "PATCH")


def openapi_document(instance: Instance, origin: str) -> dict[str, Any]:
    """Return the document for an instance and the origin that the client used, without the control routes."""
    profile = instance.profile
    paths: dict[str, dict[str, Any]] = {}
    for operation in sorted(OPERATIONS, key=lambda operation: (operation.path, operation.method)):
        if profile.has(operation.lifetime):
            description = _describe_operation(operation, profile)
            paths.setdefault(_path_template(operation), {})[operation.method.lower()] = description
    return {
        "openapi": OPENAPI,
        "info": {
            "title": f"{instance.product_name} REST API v4, as fakeplat serves it",
            "version": instance.version,
            "x-fakeplat-version": VERSION,
        },
        "servers": [{"url": origin}],
        "security": [{}, {"token": []}, {"bearer": []}],
        "paths": paths,
        "components": {"securitySchemes": _SECURITY, "schemas": _schemas(profile)},
    }


_SECURITY: Final = {
    "token": {"type": "apiKey", "in": "header", "name": "PRIVATE-TOKEN"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def _path_template(operation: Operation) -> str:
    parts = operation.path.split("/")
    return "/".join(
        f"{{{part[1:]}}}" if part.startswith((":", "*")) else part for part in parts if part or parts[0] == part
    )


def _describe_operation(operation: Operation, profile: Profile) -> dict[str, Any]:
    schema = binder_of(operation.params, profile).schema()
    description = {
        "operationId": operation.name,
        "summary": operation.title,
        "tags": [operation.area.name],
        "parameters": [*_path_parameters(operation), *([] if _has_body(operation) else _query_parameters(schema))],
        "responses": _responses(operation, profile),
    }
    if _has_body(operation) and schema["properties"]:
        kind = "multipart/form-data" if _accepts_files(schema) else "application/json"
        description["requestBody"] = {"required": bool(schema.get("required")), "content": {kind: {"schema": schema}}}
    return description


def _has_body(operation: Operation) -> bool:
    return operation.method in _BODY_METHODS


def _accepts_files(schema: dict[str, Any]) -> bool:
    # The format can be anywhere inside (in a list or an alternative), so the text of the whole schema is searched.
    return any('"binary"' in repr(part).replace("'", '"') for part in schema["properties"].values())


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    signature = invocation_of(operation)
    numbers = {segment.parameter for segment in signature.segments if segment.kind != "text"}
    numbers |= {value.name for value in signature.tail if value.kind is int}
    names = [part[1:] for part in operation.path.split("/") if part.startswith((":", "*"))]
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            # An empty segment is none, so the shorter path would match.
            "schema": {"type": "integer"} if name in numbers else {"type": "string", "minLength": 1},
        }
        for name in names
    ]


def _query_parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]


def _responses(operation: Operation, profile: Profile) -> dict[str, Any]:
    success: dict[str, Any] = {"description": operation.title}
    content = _content(operation, profile)
    if content:
        success["content"] = content
    others = {str(status): {"description": "success"} for status in operation.also}
    refused = {
        str(status): {"description": _DESCRIPTIONS.get(status, "refused")}
        for status in sorted(error_statuses(operation) | _implied_statuses(operation))
    }
    return {str(int(operation.status)): success, **others, **refused, "default": _LIMITS}


def _content(operation: Operation, profile: Profile) -> dict[str, Any]:
    """Return the media types of the success with their schemas; none for an empty body."""
    if int(operation.status) == HTTPStatus.NO_CONTENT:
        return {}
    kinds = _alternatives(get_type_hints(operation.call).get("return"))
    rendered: dict[str, Any] = {operation.produces: {}} if RawBody in kinds and operation.view is None else {}
    schemas = _body_schemas(operation, [kind for kind in kinds if kind is not RawBody], profile)
    if not schemas:
        return rendered
    item = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    schema = {"type": "array", "items": item} if operation.many else item
    return {operation.area.content_type: {"schema": schema}, **rendered}


def _body_schemas(operation: Operation, kinds: list[object], profile: Profile) -> list[dict[str, Any]]:
    """Return the schemas of JSON bodies: of the view, of one that depends on the request, or of plain values."""
    views = operation.views
    if views:
        schemas: list[dict[str, Any]] = [{"$ref": f"#/components/schemas/{view.__name__}"} for view in views]
        schemas += [{"type": "object"}] if _returns_plain_objects(operation) else []
        if any(get_origin(kind) is list for kind in kinds):
            schemas += [{"type": "array", "items": schema} for schema in schemas]
        return [*schemas, {"type": "null"}] if type(None) in kinds else schemas
    if operation.view is not None:
        return [{"type": "object"}]
    return [_kind_schema(kind, profile) for kind in kinds]


def _alternatives(kind: object) -> list[Any]:
    return list(get_args(kind)) if get_origin(kind) in (Union, UnionType) else [kind]


def _returns_plain_objects(operation: Operation) -> bool:
    """Whether the operation may return an object that no view declares."""
    return_type = get_type_hints(operation.call).get("return")
    return any(get_origin(part) is dict for part in get_args(return_type))


_LIMITS: Final = {
    "description": (
        "refused in front of the API: a method that the path does not allow (405), too long, too large, too often, "
        "under maintenance, or not implemented"
    )
}
_DESCRIPTIONS: Final = {415: "the media type of the body is unknown"}


def _implied_statuses(operation: Operation) -> set[int]:
    """Return the statuses that are not declared: not modified, odd values, token scopes, sudo, missing records."""
    statuses = {400, 403, 404}
    if operation.reads:
        statuses.add(304)
    is_limited = operation.paging is not None and operation.paging.limited
    if is_limited or _refuses_former_paths(operation):
        statuses.add(405)
    if _parses_body(operation):
        statuses.add(415)
    return statuses


def _refuses_former_paths(operation: Operation) -> bool:
    """Return whether the path names a project and requests are not led to its id if that is a former path."""
    return operation.scope.path.startswith("projects/:") and operation.method != "GET"


def _parses_body(operation: Operation) -> bool:
    area = operation.area
    return _has_body(operation) and not (area.raw_body or area.basic or area.bare)


def error_statuses(operation: Operation) -> set[int]:
    """Return all error statuses that the declaration of an operation lists or implies."""
    statuses = set(operation.refusals) | {401}
    if binder_of(operation.params).fields or any(value.kind is int for value in invocation_of(operation).tail):
        statuses.add(400)
    if operation.scope.segments:
        statuses.add(404)
    if operation.ability is not None:
        statuses.add(403)
    if operation.method == "DELETE" and not operation.tail:
        statuses.add(412)
    return statuses


def _schemas(profile: Profile) -> dict[str, Any]:
    operations = [operation for operation in OPERATIONS if profile.has(operation.lifetime)]
    views = {view.__name__: view for operation in operations for view in operation.views}
    return {name: _view_schema(views[name], profile) for name in sorted(views)}


def _view_schema(view: type[Entity[object]], profile: Profile) -> dict[str, Any]:
    kinds = {name: _kind_schema(kind, profile) for name, kind in view.field_types(profile).items()}
    # Fields that depend on a condition are documented, but not guaranteed.
    always = [name for name in kinds if view.fields[name].when is None]
    return {"type": "object", "properties": kinds, "required": always}


def _kind_schema(kind: object, profile: Profile) -> dict[str, Any]:
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [_kind_schema(part, profile) for part in get_args(kind)]}
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if origin is list:
        return {"type": "array", "items": _kind_schema(get_args(kind)[0], profile)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _kind_schema(get_args(kind)[1], profile)}
    if isinstance(kind, type) and issubclass(kind, Entity):
        return _view_schema(kind, profile)
    return {}
