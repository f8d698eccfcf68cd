"""Error messages for invalid documents: jsonschema finds the errors, and this module words them.

Messages are derived from the schema alone. A schema's ``title`` names the expected value in messages; without one, and
for the root, the description follows from the keywords.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend

from fakeplat.core.schema.formats import FORMATS, decode_base64
from fakeplat.core.schema.mistakes import TOO_DEEP, JsonPath, Mistake, nearest_name

JsonSchema = dict[str, Any]
Error = Any
"""A ValidationError from a validator: all its attributes are set, which its annotations leave open."""

_MAX_QUOTATION: Final = 40
_MAX_NAMES: Final = 20
_MAX_PLACES: Final = 4
_TYPES: Final = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "object": "a map",
    "array": "a list",
    "null": "null",
}


def find_mistakes(document: object, schema: JsonSchema) -> list[Mistake]:
    """Return everything that a schema does not allow in a document."""
    errors = _VALIDATOR(schema, format_checker=_FORMAT_CHECKER).iter_errors(document)
    try:
        mistakes = [mistake for error in errors for mistake in _explain(error)]
    except RecursionError:
        return [TOO_DEEP]
    definitions = schema.get("$defs", {})
    located = (
        _with_place(mistake._replace(path=_with_names(document, mistake.path)), definitions) for mistake in mistakes
    )
    return list(dict.fromkeys(located)) or [Mistake("is not valid")]


def _with_names(document: Any, path: JsonPath) -> JsonPath:
    """Return a path whose steps into maps are text, as YAML's keys need not be."""
    steps: list[str | int] = []
    for step in path:
        steps.append(str(step) if isinstance(document, Mapping) else step)
        try:
            document = document[step]
        except (LookupError, TypeError):
            # The path ends at a missing key, so its other steps cannot be looked up.
            break
    return tuple(steps)


def _explain(error: Error) -> Iterator[Mistake]:
    explain = _EXPLANATIONS.get(str(error.validator))
    if explain is None:
        yield _mistake(error, error.message)
    elif "propertyNames" in error.relative_schema_path:
        for mistake in explain(error):
            yield mistake._replace(text=f"the name {error.instance!r} {mistake.text}")
    else:
        yield from explain(error)


def _mistake(error: Error, text: str, *steps: str, near: str | None = None) -> Mistake:
    return Mistake(text, (*error.absolute_path, *steps), near)


# Expected and actual values


def _expected(schema: JsonSchema) -> str:
    """Describe the values that a schema allows."""
    if "title" in schema and "$schema" not in schema:
        return str(schema["title"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_expected, schema["anyOf"])))
    if "enum" in schema:
        values = schema["enum"]
        return "one of " + ", ".join(map(str, values)) if len(values) > 1 else repr(values[0]).lower()
    types = schema.get("type", "object")  # only a reference has none, to the entries of a section
    return " or ".join(_TYPES[name] for name in ([types] if isinstance(types, str) else types))


def _type_of(value: object) -> str:
    """Describe the type of a value."""
    for name in ("null", "boolean", "integer", "number", "string", "object", "array"):
        if _TYPE_CHECKER.is_type(value, name):
            return _TYPES[name]
    return type(value).__name__


def _quotation(value: object) -> str:
    """Quote a short text for a message; return an empty string for other values."""
    return f", not {value!r}" if isinstance(value, str) and len(value) <= _MAX_QUOTATION else ""


# Keywords


def _explain_type(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must be {_expected(error.schema)}, not {_type_of(error.instance)}")


def _explain_text(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must be {_expected(error.schema)}{_quotation(error.instance)}")


def _explain_enum(error: Error) -> Iterator[Mistake]:
    value, values = error.instance, error.validator_value
    if _is_of_another_type(error):
        yield from _explain_type(error)
    else:
        near = nearest_name(value, values)
        yield _mistake(error, f"unknown value {value!r}" if near else f"must be {_expected(error.schema)}", near=near)


def _explain_const(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must be {error.validator_value!r}")


def _explain_minimum(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must be at least {error.validator_value}")


def _explain_maximum(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must be at most {error.validator_value}")


def _explain_length(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"must have {error.validator_value} items, not {len(error.instance)}")


def _explain_required(error: Error) -> Iterator[Mistake]:
    return (_mistake(error, f"needs {name!r}") for name in error.validator_value if name not in error.instance)


def _explain_one_of(error: Error) -> Iterator[Mistake]:
    yield _mistake(error, f"needs exactly one of {', '.join(_names_required(error.validator_value))}")


def _explain_not(error: Error) -> Iterator[Mistake]:
    """Report the second of two names of the same key."""
    # The only schemas with "not" are those of aliases, in ``dependentSchemas``.
    names = (*error.validator_value["required"], error.relative_schema_path[-2])
    first, second = (name for name in error.instance if name in names)
    yield _mistake(error, f"{second!r} and {first!r} are the same key", second)


def _explain_additional_properties(error: Error) -> Iterator[Mistake]:
    known = error.schema["properties"]
    ignored = [re.compile(pattern) for pattern in error.schema.get("patternProperties", ())]
    for name in error.instance:
        if name not in known and not any(pattern.search(str(name)) for pattern in ignored):
            near = nearest_name(name, known)
            text = _unknown_key(name) if near else f"{_unknown_key(name)}; known are {_list_names(known)}"
            yield _mistake(error, text, str(name), near=near)


def _unknown_key(name: object) -> str:
    return f"unknown key {name!r}"


def _list_names(names: Iterable[str]) -> str:
    """List names, but not more than a message can hold."""
    listed = list(names)
    rest = len(listed) - _MAX_NAMES
    return ", ".join(listed) if rest <= 1 else f"{', '.join(listed[:_MAX_NAMES])} and {rest} more"


def _with_place(mistake: Mistake, definitions: Mapping[str, JsonSchema]) -> Mistake:
    """Say of an unknown key where it belongs, if other maps of the document have it."""
    name = mistake.path[-1] if mistake.path else ""
    unknown = _unknown_key(name)
    places = [place for place, schema in definitions.items() if name in schema.get("properties", ())]
    if not mistake.text.startswith(unknown) or not 0 < len(places) <= _MAX_PLACES:
        return mistake
    text = f"{unknown}, which belongs in {' or '.join(places)}{mistake.text.removeprefix(unknown)}"
    # What is the key of another map is not a misspelt key of this one, except a singular in place of the plural.
    return mistake._replace(text=text, nearest=mistake.nearest if mistake.nearest == f"{name}s" else None)


def _explain_any_of(error: Error) -> Iterator[Mistake]:
    """Explain the errors of the one alternative that allows values of this type, if there is exactly one."""
    # Listing the errors of every alternative would bury the relevant one: the author of a map that has a misspelled key
    # does not want to read that it is not a text.
    if names := _names_required(error.validator_value):
        yield _mistake(error, f"needs {names[0]!r}")
        return
    by_alternative = groupby(error.context or (), key=lambda inner: inner.relative_schema_path[0])
    alternatives = [list(inner) for _, inner in by_alternative]
    of_this_type = [errors for errors in alternatives if not any(map(_is_of_another_type, errors))]
    if len(of_this_type) == 1 and _is_single_value(of_this_type[0]):
        expected = dict.fromkeys(map(_describe_alternative, error.validator_value))
        yield _mistake(error, f"must be {' or '.join(expected)}")
    elif len(of_this_type) == 1:
        for inner in of_this_type[0]:
            yield from _explain(inner)
    else:
        yield from (_explain_text if of_this_type else _explain_type)(error)


def _is_single_value(inner: list[Error]) -> bool:
    """Return whether the alternative for this type is one word, beside which the others are to be named."""
    return (
        len(inner) == 1
        and inner[0].validator == "enum"
        and len(inner[0].validator_value) == 1
        and not inner[0].relative_path
    )


def _describe_alternative(schema: JsonSchema) -> str:
    """Describe the values of an alternative, with the keys of a map."""
    names = [*schema.get("properties", ())]
    choices = _names_required(schema.get("oneOf", ()))
    return f"a map with {' or '.join(choices) or ' and '.join(names)}" if names else _expected(schema)


def _names_required(alternatives: Iterable[JsonSchema]) -> list[str]:
    return [schema["required"][0] for schema in alternatives if schema.keys() == {"required"}]


def _is_of_another_type(error: Error) -> bool:
    """Return whether an error means that its alternative is for values of another type."""
    if error.relative_path or "propertyNames" in error.relative_schema_path:
        return False
    if error.validator == "enum":
        return type(error.instance) not in {type(value) for value in error.validator_value}
    return bool(error.validator == "type")


_EXPLANATIONS: Final[Mapping[str, Callable[[Error], Iterator[Mistake]]]] = {
    "type": _explain_type,
    "pattern": _explain_text,
    "format": _explain_text,
    "contentEncoding": _explain_text,
    "enum": _explain_enum,
    "const": _explain_const,
    "minimum": _explain_minimum,
    "maximum": _explain_maximum,
    "minItems": _explain_length,
    "maxItems": _explain_length,
    "required": _explain_required,
    "additionalProperties": _explain_additional_properties,
    "anyOf": _explain_any_of,
    "oneOf": _explain_one_of,
    "not": _explain_not,
}


# The validator, which must be exactly as strict as `shapes.Shape.read`


def _check_enum(
    _validator: object, values: list[object], instance: object, _schema: JsonSchema
) -> Iterator[ValidationError]:
    """Compare types as well: 30.0 is not 30."""
    if not any(type(value) is type(instance) and value == instance for value in values):
        yield ValidationError("is not one of the values")


def _check_pattern(
    _validator: object, pattern: str, instance: object, _schema: JsonSchema
) -> Iterator[ValidationError]:
    """Match the whole text: "$" alone would also match before a line break at its end."""
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError("does not match")


def _check_encoding(
    _validator: object, encoding: str, instance: object, _schema: JsonSchema
) -> Iterator[ValidationError]:
    if encoding == "base64" and isinstance(instance, str) and not _converts(decode_base64, instance):
        yield ValidationError("is not base64")


def _converts(convert: Callable[[str], object], value: object) -> bool:
    if isinstance(value, str):
        try:
            convert(value)
        except ValueError:
            return False
    return True


_TYPE_CHECKER: Final = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
        "object": lambda _, value: isinstance(value, Mapping),
        "array": lambda _, value: isinstance(value, list | tuple),
    }
)
_VALIDATOR: Final = extend(  # type: ignore[no-untyped-call]  # jsonschema leaves it without annotations
    Draft202012Validator,
    validators={"enum": _check_enum, "pattern": _check_pattern, "contentEncoding": _check_encoding},
    type_checker=_TYPE_CHECKER,
)
_FORMAT_CHECKER: Final = FormatChecker(formats=())
for _name, _convert in FORMATS.items():
    _FORMAT_CHECKER.checks(_name)(lambda value, convert=_convert: _converts(convert, value))
