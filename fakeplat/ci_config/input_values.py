"""Values of inputs: whether they are what the declaration of the input asks for.

Source: docs/platform/pipelines-jobs.md.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.ci_config.behaviours import INPUTS_ARE_CONVERTED
from fakeplat.ci_config.documents import YamlValue, to_text
from fakeplat.ci_config.validation import checks
from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.core.release import Profile

Spec = Mapping[str, Any]


def type_of(spec: Spec) -> str:
    """Return the type of an input: string unless it is declared."""
    return str(spec.get("type") or "string")


def convert(spec: Spec, value: YamlValue, profile: Profile) -> YamlValue:
    """Return a value as one of the input's type: forms send texts, which are JSON for all types but strings."""
    if value is None or not profile.has(INPUTS_ARE_CONVERTED):
        return value
    if type_of(spec) == "string":
        return to_text(value)
    return _read_json(value) if isinstance(value, str) else value


def _read_json(text: str) -> YamlValue:
    try:
        value: YamlValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def list_errors(name: str, spec: Spec, value: YamlValue, profile: Profile) -> Iterator[str]:
    """Yield what is wrong with the value of an input, or with its default."""
    return (f"`{name}` input: {text}" for text in _list_texts(spec, value, profile))


def _list_texts(spec: Spec, value: YamlValue, profile: Profile) -> Iterator[str]:
    if "default" not in spec and value is None:
        yield "required value has not been provided"
        return
    # A wrong default counts even if there is a value.
    for word, each in (("default", spec.get("default")), ("provided", value)):
        if each is not None:
            yield from _list_texts_of_value(spec, convert(spec, each, profile), word, profile)


def _list_texts_of_value(spec: Spec, value: YamlValue, word: str, profile: Profile) -> Iterator[str]:
    kind = type_of(spec)
    if not _IS_OF_TYPE[kind](value):
        article = "an" if kind == "array" else "a"
        yield f"{word} value is not {article} {kind}"
    options = spec.get("options")
    if options is not None:
        yield from _list_texts_of_options(kind, [convert(spec, option, profile) for option in options], value)
    if spec.get("regex") is not None:
        yield from _list_texts_of_pattern(kind, spec["regex"], value, word)


_IS_OF_TYPE: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": checks.is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
}


def _list_texts_of_options(kind: str, options: Sequence[YamlValue], value: YamlValue) -> Iterator[str]:
    if kind not in ("string", "number"):
        yield "Options can only be used with string and number inputs"
    elif value not in options:
        article = "the " if kind == "number" else ""
        yield f"`{to_text(value)}` cannot be used because it is not in the list of {article}allowed options"


def _list_texts_of_pattern(kind: str, pattern: str, value: YamlValue, word: str) -> Iterator[str]:
    if kind != "string":
        yield "RegEx validation can only be used with string inputs"
        return
    try:
        matches = not isinstance(value, str) or compile_regexp(pattern).is_in(value)
    except RegexpError:
        yield "invalid regular expression"
        return
    if not matches:
        yield f"{word} value does not match required RegEx pattern"
