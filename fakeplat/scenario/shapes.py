"""What values may be: each shape gives its JSON Schema and reads a value, noting what is wrong with it.

Reading gives what verbs and records take: times as records keep them, lists as tuples, levels as numbers.
"""

from base64 import b64decode
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from attrs import fields as attrs_fields

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.model.levels import LEVEL_NAMES
from fakeplat.scenario.errors import JsonPath, Mistake, nearest_name

JsonSchema = dict[str, Any]
Found = list[Mistake]

_WORDS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    dict: "a map",
    list: "a list",
    NoneType: "null",
}


_NOTHING: Final[Mapping[str, str]] = {}


def said(value: object) -> str:
    """What kind of thing a value is, for people."""
    return _WORDS.get(type(value), type(value).__name__)


class Shape:
    """What a value may be. ``word`` says it for people, ``types`` are the Python types that it can have."""

    word: str = "anything"
    types: tuple[type, ...] = (object,)

    def schema(self) -> JsonSchema:
        """The JSON Schema of it."""
        return {}

    def fits(self, value: object) -> bool:
        """Whether a value is of the right type."""
        return isinstance(value, self.types) and (not isinstance(value, bool) or bool in self.types)

    def read(self, value: Any, path: JsonPath, found: Found) -> Any:
        """The value, ready for use; what is wrong with it is noted."""
        if not self.fits(value):
            found.append(Mistake(f"must be {self.word}, not {said(value)}", path))
            return None
        return self.take(value, path, found)

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """Read a value of the right type."""
        del path, found
        return value


class Anything(Shape):
    """Whatever JSON can be."""

    def fits(self, value: object) -> bool:
        """Always."""
        del value
        return True


class Text(Shape):
    """Text."""

    word = "text"
    types = (str,)

    def schema(self) -> JsonSchema:
        """A string."""
        return {"type": "string"}


class Flag(Shape):
    """True or false."""

    word = "true or false"
    types = (bool,)

    def schema(self) -> JsonSchema:
        """A boolean."""
        return {"type": "boolean"}


class Number(Shape):
    """A number; the least that it may be."""

    def __init__(self, *, whole: bool = False, least: int | None = None) -> None:
        self.word = "a whole number" if whole else "a number"
        self.types = (int,) if whole else (int, float)
        self.least = least

    def schema(self) -> JsonSchema:
        """An integer or a number."""
        schema: JsonSchema = {"type": "number" if float in self.types else "integer"}
        return schema if self.least is None else schema | {"minimum": self.least}

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """Not below the least."""
        if self.least is not None and value < self.least:
            found.append(Mistake(f"must be at least {self.least}", path))
        return value


class Timely(Text):
    """A text that names a time: ``format`` is its JSON Schema format, ``convert`` makes what records keep."""

    format = "date-time"
    word = "a time such as 2020-11-20T09:00:00Z"

    def schema(self) -> JsonSchema:
        """A string of a format."""
        return {"type": "string", "format": self.format}

    def take(self, value: str, path: JsonPath, found: Found) -> str | None:
        """As records keep it."""
        try:
            return self.convert(value)
        except ValueError:
            found.append(Mistake(f"must be {self.word}, not {value!r}", path))
            return None

    def convert(self, value: str) -> str:
        """The text that records keep; ValueError for one that is no such time."""
        return to_iso(from_iso(value))


class Day(Timely):
    """A date."""

    format = "date"
    word = "a date such as 2020-11-20"

    def convert(self, value: str) -> str:
        """The date itself."""
        return date.fromisoformat(value).isoformat()


class DayOrTime(Timely):
    """A date, which stands for its first moment, or a time."""

    word = "a date or time such as 2020-11-20T09:00:00Z"

    def schema(self) -> JsonSchema:
        """A string of one of two formats."""
        return {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}

    def convert(self, value: str) -> str:
        """Dates stay dates."""
        return date.fromisoformat(value).isoformat() if len(value) == 10 else to_iso(from_iso(value))


class Span(Text):
    """A length of time; read as given."""

    word = "a span of time such as 1h30m, 2s or 250ms"

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """Only checked."""
        try:
            parse_duration(value)
        except ValueError as error:
            found.append(Mistake(str(error), path))
        return value


class Base64(Text):
    """Bytes in base64."""

    word = "base64"

    def schema(self) -> JsonSchema:
        """A string with that encoding."""
        return {"type": "string", "contentEncoding": "base64"}

    def take(self, value: str, path: JsonPath, found: Found) -> bytes:
        """The bytes."""
        try:
            return b64decode(value, validate=True)
        except ValueError:
            found.append(Mistake("must be base64", path))
            return b""


class Choice(Shape):
    """One of some values."""

    def __init__(self, *values: str | int | bool) -> None:
        self.values = values
        self.word = (
            "one of " + ", ".join(str(value) for value in values) if len(values) > 1 else repr(values[0]).lower()
        )
        self.types = tuple({type(value) for value in values})

    def schema(self) -> JsonSchema:
        """An enumeration."""
        return {"enum": list(self.values)}

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """One of them, or the nearest is named."""
        if value not in self.values:
            near = nearest_name(value, self.values)
            found.append(Mistake(f"unknown value {value!r}" if near else f"must be {self.word}", path, near))
        return value


class Level(Choice):
    """An access level, by name or number; read as a number."""

    def __init__(self) -> None:
        super().__init__(*LEVEL_NAMES, *(int(level) for level in LEVEL_NAMES.values()))

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """The number."""
        return LEVEL_NAMES.get(super().take(value, path, found), value)


class Nullable(Shape):
    """A value or null."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.word = f"{shape.word} or null"

    def schema(self) -> JsonSchema:
        """The same, or null."""
        schema = self.shape.schema()
        if set(schema) <= {"type", "format"} and isinstance(schema.get("type"), str):
            return schema | {"type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}

    def fits(self, value: object) -> bool:
        """Null fits."""
        return value is None or self.shape.fits(value)

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """Null stays null."""
        return None if value is None else self.shape.take(value, path, found)


class Either(Shape):
    """One of several shapes of different types."""

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = shapes
        self.word = " or ".join(shape.word for shape in shapes)

    def schema(self) -> JsonSchema:
        """Any of them."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}

    def fits(self, value: object) -> bool:
        """What fits one fits."""
        return any(shape.fits(value) for shape in self.shapes)

    def take(self, value: Any, path: JsonPath, found: Found) -> Any:
        """As the first that fits reads it."""
        return next(shape for shape in self.shapes if shape.fits(value)).take(value, path, found)


class ListOf(Shape):
    """A list; read as a tuple."""

    word = "a list"
    types = (list, tuple)

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def schema(self) -> JsonSchema:
        """An array."""
        return {"type": "array", "items": self.shape.schema()}

    def take(self, value: Sequence[Any], path: JsonPath, found: Found) -> tuple[Any, ...]:
        """Each by itself."""
        return tuple(self.shape.read(item, (*path, place), found) for place, item in enumerate(value))


class MapOf(Shape):
    """A map of names that the author chooses."""

    word = "a map"
    types = (Mapping,)

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def schema(self) -> JsonSchema:
        """An object."""
        return {"type": "object", "additionalProperties": self.shape.schema()}

    def take(self, value: Mapping[Any, Any], path: JsonPath, found: Found) -> dict[str, Any]:
        """Each by itself; names are text."""
        return {str(name): self.shape.read(item, (*path, str(name)), found) for name, item in value.items()}


class Also(Shape):
    """Another name of a key."""

    def __init__(self, name: str) -> None:
        self.name = name


def _is_also(shape: Shape, name: str) -> bool:
    return isinstance(shape, Also) and shape.name == name


class Keys(Shape):
    """A map with keys that are declared. ``needs`` must be there; of ``one_of``, exactly one must be.

    ``about`` explains keys in the JSON Schema, those that are not the API's own.
    """

    word = "a map"
    types = (Mapping,)

    def __init__(
        self,
        keys: Mapping[str, Shape],
        *,
        needs: Sequence[str] = (),
        one_of: Sequence[str] = (),
        about: Mapping[str, str] = _NOTHING,
    ) -> None:
        self.keys = keys
        self.needs = needs
        self.one_of = one_of
        self.about = about

    def schema(self) -> JsonSchema:
        """An object without other keys."""
        properties = {name: self._property(name) for name in self.keys}
        schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
        known = {
            name: [name, *(key for key, shape in self.keys.items() if _is_also(shape, name))] for name in self.needs
        }
        if self.needs:
            schema["required"] = [name for name, names in known.items() if len(names) == 1]
        if several := [names for names in known.values() if len(names) > 1]:
            schema["allOf"] = [{"anyOf": [{"required": [name]} for name in names]} for names in several]
        if self.one_of:
            schema["oneOf"] = [{"required": [name]} for name in self.one_of]
        return schema

    def _property(self, name: str) -> JsonSchema:
        schema = self.resolved(name).schema()
        return schema | {"description": self.about[name]} if name in self.about else schema

    def resolved(self, name: str) -> Shape:
        """The shape of what stands under a key."""
        shape = self.keys[name]
        return self.keys[shape.name] if isinstance(shape, Also) else shape

    def take(self, value: Mapping[Any, Any], path: JsonPath, found: Found) -> dict[str, Any]:
        """Each key by its shape, under its own name."""
        taken: dict[str, Any] = {}
        for name, item in value.items():
            shape = self.keys.get(name)
            if shape is None:
                found.append(Mistake(f"unknown key {name!r}", (*path, str(name)), nearest_name(name, self.keys)))
                continue
            own = shape.name if isinstance(shape, Also) else name
            if own in taken:
                found.append(Mistake(f"{name!r} and {own!r} are the same key", (*path, name)))
            taken[own] = self.keys[own].read(item, (*path, name), found)
        self._check_presence(taken, path, found)
        return taken

    def _check_presence(self, taken: Collection[str], path: JsonPath, found: Found) -> None:
        found.extend(Mistake(f"needs {name!r}", path) for name in self.needs if name not in taken)
        if self.one_of and len([name for name in self.one_of if name in taken]) != 1:
            found.append(Mistake(f"needs exactly one of {', '.join(self.one_of)}", path))


TEXT: Final = Text()
FLAG: Final = Flag()
WHOLE: Final = Number(whole=True)
COUNT: Final = Number(whole=True, least=0)
SPAN: Final = Span()
TIME: Final = Timely()
DAY: Final = Day()
LEVEL: Final = Level()
NULLABLE_TEXT: Final = Nullable(TEXT)
FREE_MAP: Final = MapOf(Anything())

_PLAIN: Final[dict[Any, Shape]] = {str: TEXT, bool: FLAG, int: WHOLE, float: Number(), Any: Anything()}


def shape_of(annotation: Any) -> Shape:
    """The shape of what a record's field holds."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return Nullable(shape_of(next(member for member in inner if member is not NoneType)))
    if origin is Literal:
        return Choice(*inner)
    if origin is tuple:
        return ListOf(shape_of(inner[0]))
    return FREE_MAP if origin is Mapping else _PLAIN[annotation]


def fields(record: type[Any], *, without: Collection[str] = (), **special: Shape) -> dict[str, Shape]:
    """The shapes of a record's fields; names that end in ``_at`` are times, in ``_on`` dates.

    A field that has two names on the wire has both here.
    """
    shapes: dict[str, Shape] = {}
    for field in attrs_fields(record):
        if field.name in without:
            continue
        shapes[field.name] = special.get(field.name) or _by_name(field.name, field.type)
        twin = twin_of(field.name)
        if twin is not None:
            shapes[twin] = Also(field.name)
    return shapes


def _by_name(name: str, annotation: Any) -> Shape:
    timely = TIME if name.endswith("_at") else DAY if name.endswith("_on") else None
    if timely is None:
        return shape_of(annotation)
    return Nullable(timely) if NoneType in get_args(annotation) else timely
