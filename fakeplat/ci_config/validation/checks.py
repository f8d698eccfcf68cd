"""Checks of single values. Each returns what is wrong with a value, None if nothing is."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Final, TypeGuard
from urllib.parse import unquote_plus

from fakeplat.ci_config import expressions, regexps
from fakeplat.ci_config.documents import Scalar, YamlValue, to_text
from fakeplat.ci_config.validation.entries import Check
from fakeplat.core import durations


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number."""
    return is_integer(value) or isinstance(value, float)


def is_list_of_strings(value: object) -> TypeGuard[list[str]]:
    """Return whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_blank(value: object) -> bool:
    """Return whether a value is blank in the sense of Rails."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is False or (isinstance(value, list | Mapping) and not value)


def _check(condition: Callable[[YamlValue], object], text: str) -> Check:
    return lambda value: None if condition(value) else text


present = _check(lambda value: not is_blank(value), "can't be blank")
absent = _check(is_blank, "must be blank")
boolean = _check(lambda value: isinstance(value, bool), "should be a boolean value")
string = _check(lambda value: isinstance(value, str), "should be a string")
symbol = _check(lambda value: isinstance(value, str), "should be a symbol")
string_or_symbol = _check(lambda value: isinstance(value, str), "should be a string or symbol")
mapping = _check(lambda value: isinstance(value, Mapping), "should be a hash")
array = _check(lambda value: isinstance(value, list), "should be a array")
mapping_or_boolean = _check(lambda value: isinstance(value, Mapping | bool), "should be a hash or a boolean value")
mapping_or_list = _check(lambda value: isinstance(value, Mapping | list), "can only be a hash or an array")
mapping_or_string = _check(lambda value: isinstance(value, Mapping | str), "should be a hash or a string")
strings = _check(is_list_of_strings, "should be an array of strings")
strings_or_string = _check(
    lambda value: isinstance(value, str) or is_list_of_strings(value), "should be an array of strings or a string"
)
mappings = _check(
    lambda value: isinstance(value, list) and all(isinstance(item, Mapping) for item in value),
    "should be an array of hashes",
)
regexp = _check(regexps.is_valid, "must be a regular expression")
regexp_of_re2 = _check(regexps.is_valid, "must be a regular expression with re2 syntax")
expression = _check(expressions.is_valid, "invalid expression syntax")


def _is_script(value: YamlValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) or is_list_of_strings(item) for item in value)


def _is_integers(value: YamlValue) -> bool:
    return isinstance(value, list) and all(map(is_integer, value))


integers = _check(
    lambda value: is_integer(value) or _is_integers(value), "should be an array of integers or an integer"
)
_MOST_NESTED_LISTS: Final = 10


def _is_nested(value: YamlValue, is_item: Callable[[YamlValue], bool], levels: int) -> bool:
    return isinstance(value, list) and all(
        is_item(item) or (levels > 0 and _is_nested(item, is_item, levels - 1)) for item in value
    )


deeply_nested_strings = _check(
    lambda value: _is_nested(value, lambda item: isinstance(item, str), _MOST_NESTED_LISTS),
    f"should be an array of strings or a nested array of strings up to {_MOST_NESTED_LISTS} levels deep",
)
nested_mappings = _check(
    lambda value: _is_nested(value, lambda item: isinstance(item, Mapping), 1),
    "should be an array containing hashes and arrays of hashes",
)
nested_strings = _check(_is_script, "should be an array containing strings and arrays of strings")
string_or_deeply_nested_strings = _check(
    lambda value: isinstance(value, str) or _is_nested(value, lambda item: isinstance(item, str), _MOST_NESTED_LISTS),
    f"should be a string or a nested array of strings up to {_MOST_NESTED_LISTS} levels deep",
)
string_or_nested_strings = _check(
    lambda value: isinstance(value, str) or _is_script(value),
    "should be a string or an array containing strings and arrays of strings",
)


def _is_string_or_regexp(value: YamlValue) -> bool:
    return isinstance(value, str) and (not regexps.is_literal(value) or regexps.is_valid(value))


def strings_or_regexps(text: str) -> Check:
    """Return a check for lists of strings whose regular expressions are valid."""
    return _check(lambda value: isinstance(value, list) and all(map(_is_string_or_regexp, value)), text)


def _is_scalar(value: YamlValue) -> bool:
    return isinstance(value, str) or is_integer(value)


def _is_variables(value: YamlValue) -> TypeGuard[dict[Scalar, YamlValue]]:
    return isinstance(value, Mapping) and all(_is_scalar(part) for pair in value.items() for part in pair)


def _is_described_variables(value: YamlValue) -> bool:
    """Accept the form ``{value: …, description: …}``, too."""
    return isinstance(value, Mapping) and all(
        _is_scalar(name) and (_is_scalar(inner) or (_is_variables(inner) and inner.keys() <= {"value", "description"}))
        for name, inner in value.items()
    )


def _is_matrix_variables(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and all(
        _is_scalar(name) and not is_blank(inner) and all(map(_is_scalar, inner if isinstance(inner, list) else [inner]))
        for name, inner in value.items()
    )


alphanumeric = _check(_is_scalar, "must be an alphanumeric string")
variables = _check(_is_variables, "should be a hash of key value pairs")
described_variables = _check(_is_described_variables, "should be a hash of key value pairs")
matrix_variables = _check(_is_matrix_variables, "should be a hash of key value pairs, value can be an array")


def duration(limit: int | None = None, *, allow_never: bool = False) -> Check:
    """Return a check for durations; a limit is in seconds."""

    def check(value: YamlValue) -> str | None:
        if allow_never and value == durations.NEVER:
            return None
        seconds = durations.parse(value) if isinstance(value, str) else None
        return None if seconds is not None else "should be a duration"

    return check if limit is None else lambda value: check(value) or _check_limit(to_text(value), limit)


def or_variable(check: Check) -> Check:
    """Return a check that a text with variables passes as well."""
    return lambda value: None if isinstance(value, str) and "$" in value else check(value)


def _check_limit(value: str, limit: int) -> str | None:
    return None if (durations.parse(value) or 0) < limit else "should not exceed the limit"


def no_other_keys(keys: Collection[str], text: str = "contains unknown keys") -> Check:
    """Return a check that a mapping has no other keys."""

    def check(value: YamlValue) -> str | None:
        unknown = [to_text(key) for key in value if key not in keys] if isinstance(value, Mapping) else []
        return f"{text}: {', '.join(unknown)}" if unknown else None

    return check


def exclusive_keys(keys: Collection[str]) -> Check:
    """Return a check that a mapping has at most one of some keys."""

    def check(value: YamlValue) -> str | None:
        given = [to_text(key) for key in value if key in keys] if isinstance(value, Mapping) else []
        return f"these keys cannot be used together: {', '.join(given)}" if len(given) > 1 else None

    return check


def disallowed_keys(
    keys: Collection[str], text: str = "contains disallowed keys", *, ignore_nulls: bool = False
) -> Check:
    """Return a check that a mapping has none of some keys, perhaps without regard to those that have no value."""

    def check(value: YamlValue) -> str | None:
        items = value.items() if isinstance(value, Mapping) else ()
        given = [to_text(key) for key, inner in items if key in keys and not (ignore_nulls and inner is None)]
        return f"{text}: {', '.join(given)}" if given else None

    return check


def required_keys(keys: Collection[str]) -> Check:
    """Return a check that a mapping has some keys."""

    def check(value: YamlValue) -> str | None:
        missing = [key for key in keys if not (isinstance(value, Mapping) and key in value)]
        return f"missing required keys: {', '.join(missing)}" if missing else None

    return check


def exactly_one_key(keys: Collection[str]) -> Check:
    """Return a check that a mapping has one of some keys, and only one."""

    def check(value: YamlValue) -> str | None:
        given = [key for key in keys if isinstance(value, Mapping) and key in value]
        return None if len(given) == 1 else f"must use exactly one of these keys: {', '.join(keys)}"

    return check


def one_of(values: Collection[str], text: str) -> Check:
    """Return a check that a value is in a list."""
    return _check(lambda value: isinstance(value, str) and value in values, text)


def known_value(values: Collection[str]) -> Check:
    """Return a check that names the unknown value."""

    def check(value: YamlValue) -> str | None:
        text = to_text(value)
        return None if text in values else f"unknown value: {text}"

    return check


def known_values(values: Collection[str]) -> Check:
    """Return a check that names the unknown values of a list."""

    def check(value: YamlValue) -> str | None:
        unknown = [to_text(item) for item in value if item not in values] if isinstance(value, list) else []
        return f"contains unknown values: {', '.join(unknown)}" if unknown else None

    return check


def integer_between(lowest: int, highest: int) -> Check:
    """Return a check for integers in a range."""

    def check(value: YamlValue) -> str | None:
        if not is_integer(value):
            return "must be an integer" if is_number(value) else "is not a number"
        if value < lowest:
            return f"must be greater than or equal to {lowest}"
        return None if value <= highest else f"must be less than or equal to {highest}"

    return check


def longest(limit: int, text: str | None = None) -> Check:
    """Return a check of the length of a text or list."""
    wording = text or f"is too long (maximum is {limit} characters)"
    return lambda value: wording if isinstance(value, str | list) and len(value) > limit else None


def fewer_than(limit: int, text: str) -> Check:
    """Return a check that a list has fewer items than a number."""
    return lambda value: text if isinstance(value, list) and len(value) >= limit else None


def shortest(limit: int, text: str) -> Check:
    """Return a check that a list or mapping has enough items."""
    return lambda value: text if isinstance(value, list | Mapping) and len(value) < limit else None


def format_of(pattern: str, text: str) -> Check:
    """Return a check that a text matches a pattern completely."""
    compiled = re.compile(pattern)
    return lambda value: None if compiled.fullmatch(to_text(value)) else text


def time_of_release(value: YamlValue) -> str | None:
    """Check a time in ISO 8601."""
    try:
        datetime.fromisoformat(to_text(value))
    except ValueError:
        return "must be a valid datetime"
    return None


def cache_key(value: YamlValue) -> str | None:
    """Check a cache key, which is part of a path on the runner."""
    if not isinstance(value, str):
        return "should be a string or symbol"
    path = unquote_plus(value)
    if "/" in path:
        return 'cannot contain the "/" character'
    return 'cannot be "." or ".."' if path in (".", "..") else None
