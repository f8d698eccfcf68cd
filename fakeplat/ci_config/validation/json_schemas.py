"""Values that the platform checks with a JSON Schema of its own, and the words of the validator's messages.

The platform has the schemas in lib/gitlab/ci/config/entry/schemas.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from attrs import Factory

from fakeplat.ci_config.documents import YamlValue, to_text
from fakeplat.ci_config.validation.declarations import Declared, of_release
from fakeplat.ci_config.validation.entries import Rule
from fakeplat.core.release import ByRelease
from fakeplat.core.store.frozen import frozen

_NAMES: Final[Mapping[type, str]] = {str: "string", bool: "boolean", int: "integer"}


@frozen
class Text:
    """A text of limited length, or a value of another type in its place."""

    longest: int = 0
    others: Collection[type] = ()


@frozen
class Flag:
    """True or false."""


@frozen
class Table:
    """A mapping with known keys only."""

    keys: "Mapping[str, Text | Flag | Table]"
    required: Collection[str] = Factory(tuple)


Schema = Text | Flag | Table


@frozen
class _Mistake:
    """``path``: where it is; ``kind``: the keyword or type of the schema; ``text``: what is wrong, with the path."""

    path: str
    kind: str
    text: str


def _list_mistakes(schema: Schema, value: YamlValue, path: str = "") -> Iterator[_Mistake]:
    place = f"`{path}`" if path else "root"
    match schema:
        case Table() if isinstance(value, Mapping):
            missing = [key for key in schema.required if key not in value]
            if missing:
                text = f"object at {place} is missing required properties: {', '.join(missing)}"
                yield _Mistake(path, "required", text)
            for key, inner in value.items():
                at, known = f"{path}/{to_text(key)}", schema.keys.get(to_text(key))
                if known is None:
                    text = f"object property at `{at}` is a disallowed additional property"
                    yield _Mistake(at, "schema", text)
                else:
                    yield from _list_mistakes(known, inner, at)
        case Table():
            yield _Mistake(path, "object", f"value at {place} is not an object")
        case Flag() if not isinstance(value, bool):
            yield _Mistake(path, "boolean", f"value at {place} is not a boolean")
        case Text():
            yield from _list_mistakes_of_text(schema, value, path, place)


def _list_mistakes_of_text(schema: Text, value: YamlValue, path: str, place: str) -> Iterator[_Mistake]:
    if isinstance(value, str):
        if not value:
            yield _Mistake(path, "minLength", f"string length at {place} is less than: 1")
        elif len(value) > schema.longest:
            yield _Mistake(path, "maxLength", f"string length at {place} is greater than: {schema.longest}")
    elif type(value) not in schema.others:
        kinds = [_NAMES[kind] for kind in (str, *schema.others)]
        text = f"not one of the types: {', '.join(kinds)}" if schema.others else "not a string"
        yield _Mistake(path, "string", f"value at {place} is {text}")


def _rule(schema: Schema, label: str, select: Callable[[YamlValue], YamlValue], *, is_old: bool) -> Rule:
    def check(value: YamlValue) -> Iterator[str]:
        selected = select(value)
        for each in () if selected is None else _list_mistakes(schema, selected):
            yield f"{label} '{each.path}' must be a valid '{each.kind}'" if is_old else f"{label} {each.text}"

    return check


def matches(schema: Schema, label: str, select: Callable[[YamlValue], YamlValue]) -> Declared[Rule]:
    """Return a rule about a part of a value; releases before 17.5 at the latest have other words."""
    return of_release(
        ByRelease(
            {
                "13.5": _rule(schema, label, select, is_old=True),
                "<=17.5": _rule(schema, label, select, is_old=False),
            }
        )
    )
