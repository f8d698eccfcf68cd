"""Where payloads of an endpoint have the fields of alerts. Source: docs/platform/alerts.md ('Mappings')."""

from collections.abc import Sequence
from typing import Any, Final

import orjson
from graphql import GraphQLError

from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.domain.alerts import alert_payload, payload_mappings
from fakeplat.domain.alerts.payload_mappings import PayloadField
from fakeplat.graphql.alert_integrations import HTTP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, Type
from fakeplat.model.alerts import AlertIntegration, PayloadMapping
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_INPUT: Final = "<=13.9"
_SHOWN: Final = "<=13.10"


def _read_json(value: object) -> object:
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        raise ValueError(f"Invalid JSON string: unexpected token at '{value}'") from None


def _show_json(value: object) -> str:
    return orjson.dumps(value).decode()


def _read_segment(value: object) -> object:
    return value if isinstance(value, int) else str(value)


def _show_segment(value: Any) -> Any:
    return value


Scalar("JsonString", "JSON as text.", _show_json, _read_json, since=_INPUT)
Scalar(
    "PayloadAlertFieldPathSegment",
    "A key of an object, or a place in an array.",
    _show_segment,
    _read_segment,
    since=_INPUT,
)
Enumeration(
    "AlertManagementPayloadAlertFieldName",
    "A field of alerts.",
    {
        str(vendor_name_of(name) or name).upper(): (name, f"The field {name.replace('_', ' ')}.")
        for name in payload_mappings.FIELDS
    },
    since=_INPUT,
)
Enumeration(
    "AlertManagementPayloadAlertFieldType",
    "The type of a value.",
    {
        "ARRAY": ("array", "An array."),
        "DATETIME": ("datetime", "A text with a time."),
        "STRING": ("string", "Any other text."),
    },
    since=_INPUT,
)
Input(
    "AlertManagementPayloadAlertFieldInput",
    "Where payloads have a field of alerts.",
    '''
"""The field."""
fieldName: AlertManagementPayloadAlertFieldName!
"""The keys of objects and places in arrays that lead to the value."""
path: [PayloadAlertFieldPathSegment!]!
"""The name for people."""
label: String
"""The type of the value."""
type: AlertManagementPayloadAlertFieldType!
''',
    since=_INPUT,
)
_PLACE: Final = {
    "path: [PayloadAlertFieldPathSegment!]": "The keys of objects and places in arrays that lead to the value.",
    "label: String": "The name for people.",
    "type: AlertManagementPayloadAlertFieldType": "The type of the value.",
}
MAPPING: Final = Type("AlertManagementPayloadAlertMappingField", "Where payloads have a field of alerts.", since=_SHOWN)
MAPPING.attributes({"fieldName: AlertManagementPayloadAlertFieldName": "The field.", **_PLACE})
FIELD: Final = Type("AlertManagementPayloadAlertField", "A value in an example of a payload.", since=_SHOWN)
FIELD.attributes(_PLACE)


@HTTP.field("payloadExample: JsonString", since=_SHOWN)
def example_of(_ctx: ReadContext, integration: AlertIntegration) -> Any:
    """An example of a payload."""
    return integration.payload_example


@HTTP.field("payloadAttributeMappings: [AlertManagementPayloadAlertMappingField!]", since=_SHOWN)
def mappings_of(_ctx: ReadContext, integration: AlertIntegration) -> Sequence[PayloadMapping]:
    """Where payloads have the fields of alerts."""
    return integration.payload_mappings


@HTTP.field("payloadAlertFields: [AlertManagementPayloadAlertField!]", since=_SHOWN)
def fields_of(_ctx: ReadContext, integration: AlertIntegration) -> Sequence[PayloadField]:
    """The values in the example."""
    return payload_mappings.list_fields(integration.payload_example)


@PROJECT.field(
    "alertManagementPayloadFields(payloadExample: String!): [AlertManagementPayloadAlertField!]", since=_SHOWN
)
def fields_in(ctx: ReadContext, project: Project, payload_example: str) -> Sequence[PayloadField]:
    """The values in an example of a payload, for those who manage endpoints."""
    if not payload_mappings.are_available(ctx.world, project):
        raise GraphQLError("Feature not available")
    if not can(ctx, Ability.ADMIN_OPERATIONS, project):
        raise GraphQLError("Insufficient permissions")
    return payload_mappings.list_fields(_parse_example(payload_example))


def _parse_example(text: str) -> dict[str, Any]:
    try:
        example = orjson.loads(text)
    except orjson.JSONDecodeError:
        example = None
    if not isinstance(example, dict):
        raise GraphQLError("Failed to parse payload")
    if alert_payload.is_too_large(example):
        raise GraphQLError("Payload size exceeded")
    return example
