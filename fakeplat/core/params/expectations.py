"""What a parameter accepts, in words, for the reasons of refusals."""

from typing import Final

from fakeplat.core.params.binder import Binder, P, RawParams
from fakeplat.core.params.coercion import INVALID, NOT_AMONG_VALUES, Refused
from fakeplat.core.params.fields import Field
from fakeplat.core.params.types import Schema
from fakeplat.core.secret_names import kind_of

_WORDS: Final = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_FORMATS: Final = {
    "date": "a day such as 2020-11-20",
    "date-time": "a time such as 2020-11-20T09:00:00Z",
    "binary": "a file (multipart/form-data)",
}
_MAX_SHOWN: Final = 60


def explain_failures(binder: Binder[P], params: RawParams) -> list[str]:
    """Return for each parameter with a value that is not accepted what it accepts."""
    sent = [(name, field) for field in binder.fields for name in field.names if name in params]
    return [
        explain_failure(name, field.schema, params[name]) for name, field in sent if _is_refused(field, params[name])
    ]


def _is_refused(field: Field, value: object) -> bool:
    try:
        field.read_value(value)
    except Refused as error:
        # Other failures say in their own words what they expect.
        return any(failure.text in (INVALID, NOT_AMONG_VALUES) for failure in error.failures)
    return False


def explain_failure(name: str, schema: Schema, value: object) -> str:
    """Return what a parameter accepts, and what was sent."""
    shown = "***" if kind_of(name) else _shorten(repr(value))
    return f"{name} must be {describe_schema(schema)}, not {shown}"


def describe_schema(schema: Schema) -> str:
    """Return what values a schema describes."""
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(describe_schema(part) for part in schema["anyOf"]))
    if "format" in schema:
        return _FORMATS.get(schema["format"], str(schema["format"]))
    kind = schema.get("type", "valid")
    if kind == "array" and schema.get("items"):
        return f"a list, each of it {describe_schema(schema['items'])}"
    return " or ".join(_WORDS[each] for each in kind) if isinstance(kind, list) else _WORDS.get(kind, str(kind))


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
