"""Shapes: declarations of the values that a document may contain.

A shape provides its JSON Schema and reads values. Reading converts values to the form that records store (times in UTC,
lists as tuples) and raises `Invalid` without details. The details are computed from the schema only when a document is
invalid, so that valid documents are read fast.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from propcache.api import cached_property

from fakeplat.core.schema import formats
from fakeplat.core.schema.mistakes import TOO_DEEP, DocumentError
from fakeplat.core.timestamps import MAX_DURATION, SECOND

JsonSchema = dict[str, Any]

_NO_DESCRIPTIONS: Final[Mapping[str, str]] = {}


class Invalid(ValueError):
    """A value that a shape does not allow."""


def read_document(shape: "Shape", value: object) -> Any:
    """Read a document. DocumentError lists all violations of its JSON Schema."""
    try:
        return shape.read(value)
    except RecursionError:
        raise DocumentError([TOO_DEEP]) from None
    except Invalid:
        # Importing jsonschema takes longer than reading most documents.
        from fakeplat.core.schema.report import find_mistakes

        raise DocumentError(find_mistakes(value, shape.schema())) from None


class Shape:
    """The declaration of a value; this base class allows any JSON."""

    def schema(self) -> JsonSchema:
        """Return the JSON Schema (draft 2020-12)."""
        return {}

    def read(self, value: object) -> Any:
        """Return the value as records store it. Invalid if the shape does not allow it."""
        return value

    def allows(self, value: object) -> bool:
        """Return whether a value can be read."""
        try:
            self.read(value)
        except Invalid:
            return False
        return True


class Text(Shape):
    """A string that matches a pattern completely, if one is given. ``title`` names it in error messages."""

    def __init__(self, title: str | None = None, pattern: str | None = None) -> None:
        self._title = title
        self._pattern = None if pattern is None else re.compile(pattern)

    def schema(self) -> JsonSchema:
        """A string."""
        title = {} if self._title is None else {"title": self._title}
        # A pattern of JSON Schema may match anywhere in the text, so it is anchored.
        return {"type": "string", **title, **({"pattern": f"^(?:{self._pattern.pattern})$"} if self._pattern else {})}

    def read(self, value: object) -> Any:
        """The string itself."""
        if not isinstance(value, str) or (self._pattern and not self._pattern.fullmatch(value)):
            raise Invalid
        return value


class FormattedText(Text):
    """A string that a function converts or rejects with ValueError; ``constraint`` is the same rule as JSON Schema."""

    def __init__(
        self, title: str, convert: Callable[[str], object], constraint: JsonSchema, pattern: str | None = None
    ) -> None:
        super().__init__(title, pattern)
        self._convert = convert
        self._constraint = constraint

    def schema(self) -> JsonSchema:
        """A string with a format or encoding."""
        return super().schema() | self._constraint

    def read(self, value: object) -> Any:
        """The converted string."""
        try:
            return self._convert(super().read(value))
        except ValueError:
            raise Invalid from None


class Boolean(Shape):
    """True or false."""

    def schema(self) -> JsonSchema:
        """A boolean."""
        return {"type": "boolean"}

    def read(self, value: object) -> Any:
        """The boolean itself."""
        if not isinstance(value, bool):
            raise Invalid
        return value


class Number(Shape):
    """A number within bounds."""

    _type = "number"
    _types: tuple[type, ...] = (int, float)

    def __init__(self, *, minimum: float | None = None, maximum: float | None = None) -> None:
        self._minimum = minimum
        self._maximum = maximum

    def schema(self) -> JsonSchema:
        """An integer or a number."""
        bounds = {"minimum": self._minimum, "maximum": self._maximum}
        return {"type": self._type, **{keyword: bound for keyword, bound in bounds.items() if bound is not None}}

    def read(self, value: object) -> Any:
        """The number itself."""
        # A bool is an int in Python, but not a number in JSON.
        if isinstance(value, bool) or not isinstance(value, self._types):
            raise Invalid
        number: Any = value
        if self._minimum is not None and number < self._minimum:
            raise Invalid
        if self._maximum is not None and number > self._maximum:
            raise Invalid
        return number


class Integer(Number):
    """A whole number within bounds."""

    _type = "integer"
    _types = (int,)


class Choice(Shape):
    """One of several values. ``meanings``: the values that some of them are read as."""

    def __init__(self, *values: str | int | bool, meanings: Mapping[str, object] | None = None) -> None:
        self._values = values
        self._types = {type(value) for value in values}
        self._meanings: Mapping[Any, object] = meanings or {}

    def schema(self) -> JsonSchema:
        """An enumeration."""
        return {"enum": list(self._values)}

    def read(self, value: object) -> Any:
        """The value, or its meaning."""
        # Compare types as well: True equals 1 in Python, but not in JSON.
        if type(value) not in self._types or value not in self._values:
            raise Invalid
        return self._meanings.get(value, value)


class Constant(Shape):
    """One number."""

    def __init__(self, value: int) -> None:
        self._value = value

    def schema(self) -> JsonSchema:
        """A constant."""
        return {"const": self._value}

    def read(self, value: object) -> Any:
        """The number itself."""
        if value != self._value or isinstance(value, bool):
            raise Invalid
        return value


class Nullable(Shape):
    """A value of a shape, or null."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape

    def schema(self) -> JsonSchema:
        """The same, or null."""
        schema = self._shape.schema()
        if schema.keys() == {"type"}:
            return {"type": [schema["type"], "null"]}
        alternatives = schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]
        return {"anyOf": [*alternatives, {"type": "null"}]}

    def read(self, value: object) -> Any:
        """Null stays null."""
        return None if value is None else self._shape.read(value)


class Union(Shape):
    """A value of one of several shapes; the first that allows it reads it."""

    def __init__(self, *shapes: Shape, title: str | None = None) -> None:
        self._shapes = shapes
        self._title = title

    def schema(self) -> JsonSchema:
        """Any of the schemas."""
        title = {} if self._title is None else {"title": self._title}
        return {**title, "anyOf": [shape.schema() for shape in self._shapes]}

    def read(self, value: object) -> Any:
        """The value as read by the first shape that allows it."""
        for shape in self._shapes:
            try:
                return shape.read(value)
            except Invalid:
                continue
        raise Invalid


class ListOf(Shape):
    """A list of values of one shape, read as a tuple; with ``length``, of that many."""

    def __init__(self, shape: Shape, length: int | None = None) -> None:
        self._shape = shape
        self._length = length

    def schema(self) -> JsonSchema:
        """An array."""
        length = {} if self._length is None else {"minItems": self._length, "maxItems": self._length}
        return {"type": "array", "items": self._shape.schema(), **length}

    def read(self, value: object) -> tuple[Any, ...]:
        """A tuple of the values."""
        if not isinstance(value, list | tuple) or (self._length is not None and len(value) != self._length):
            raise Invalid
        return tuple(map(self._shape.read, value))


class MapOf(Shape):
    """A map from names to values of one shape. Names are read by the shape ``names``, or else converted to text."""

    def __init__(self, shape: Shape, names: Text | None = None) -> None:
        self._shape = shape
        self._names = names

    def schema(self) -> JsonSchema:
        """An object."""
        names = {} if self._names is None else {"propertyNames": self._names.schema()}
        return {"type": "object", **names, "additionalProperties": self._shape.schema()}

    def read(self, value: object) -> dict[str, Any]:
        """A dictionary of the names and values."""
        if not isinstance(value, Mapping):
            raise Invalid
        read_name, read = str if self._names is None else self._names.read, self._shape.read
        return {read_name(name): read(item) for name, item in value.items()}


class Alias(Shape):
    """Another name for a key."""

    def __init__(self, name: str) -> None:
        self.name = name


class Object(Shape):
    """A map with declared keys: all of ``required``, and exactly one of ``one_of``.

    ``extensible``: other keys are allowed and stay unchanged. Keys that start with ``ignored`` are skipped.
    ``descriptions`` explain keys in the JSON Schema.
    """

    def __init__(
        self,
        keys: Mapping[str, Shape],
        *,
        required: Sequence[str] = (),
        one_of: Sequence[str] = (),
        extensible: bool = False,
        ignored: str = "",
        descriptions: Mapping[str, str] = _NO_DESCRIPTIONS,
    ) -> None:
        self.keys = keys
        self.required = required
        self.one_of = one_of
        self.extensible = extensible
        self.ignored = ignored
        self.descriptions = descriptions
        self._aliases = {name: shape.name for name, shape in keys.items() if isinstance(shape, Alias)}
        self._readers = {name: (self._aliases.get(name, name), self.resolve(name).read) for name in keys}

    @classmethod
    def complete(
        cls, keys: Mapping[str, Shape], *, optional: Collection[str] = (), extensible: bool = False
    ) -> "Object":
        """Return a shape whose keys are all required, except the optional ones."""
        return cls(keys, required=[name for name in keys if name not in optional], extensible=extensible)

    def resolve(self, name: str) -> Shape:
        """Return the shape of a key's values."""
        shape = self.keys[name]
        return self.keys[shape.name] if isinstance(shape, Alias) else shape

    def schema(self) -> JsonSchema:
        """An object; other keys are not allowed unless it is extensible."""
        schema: JsonSchema = {"type": "object", "properties": {name: self._property(name) for name in self.keys}}
        if not self.extensible:
            schema["additionalProperties"] = False
        if self.ignored:
            schema["patternProperties"] = {f"^{re.escape(self.ignored)}": {}}
        aliased = set(self._aliases.values())
        # A required key with aliases may be given under any of its names, which ``allOf`` expresses instead.
        if required := [name for name in self.required if name not in aliased]:
            schema["required"] = required
        if alternatives := self._required_by_any_name(aliased):
            schema["allOf"] = alternatives
        if self._aliases:
            schema["dependentSchemas"] = {alias: {"not": {"required": [name]}} for alias, name in self._aliases.items()}
        if self.one_of:
            schema["oneOf"] = [{"required": [name]} for name in self.one_of]
        return schema

    def _property(self, name: str) -> JsonSchema:
        schema = self.resolve(name).schema()
        return schema | {"description": self.descriptions[name]} if name in self.descriptions else schema

    def _required_by_any_name(self, aliased: Collection[str]) -> list[JsonSchema]:
        names = (
            [name, *(alias for alias, target in self._aliases.items() if target == name)] for name in self.required
        )
        return [{"anyOf": [{"required": [name]} for name in group]} for group in names if group[0] in aliased]

    def read(self, value: object) -> dict[str, Any]:
        """A dictionary of the values by key, with aliases resolved."""
        if not isinstance(value, Mapping):
            raise Invalid
        values: dict[str, Any] = {}
        for name, item in value.items():
            if self.ignored and name not in self._readers and str(name).startswith(self.ignored):
                continue
            key, read = self._readers.get(name) or self._read_undeclared(name)
            # The same key was given under two names.
            if key in values:
                raise Invalid
            values[key] = read(item)
        self._check_presence(values)
        return values

    def _read_undeclared(self, name: str) -> tuple[str, Callable[[Any], Any]]:
        if not self.extensible:
            raise Invalid
        return name, ANYTHING.read

    def _check_presence(self, values: Collection[str]) -> None:
        for name in self.required:
            if name not in values:
                raise Invalid
        if self.one_of and sum(name in values for name in self.one_of) != 1:
            raise Invalid


class Lazy(Shape):
    """A shape that is made when it is first needed, because making it takes time and most documents lack the key."""

    def __init__(self, make: Callable[[], Shape]) -> None:
        self._make = make

    @cached_property
    def _shape(self) -> Shape:
        return self._make()

    def schema(self) -> JsonSchema:
        """The schema of the shape."""
        return self._shape.schema()

    def read(self, value: object) -> Any:
        """The value as read by the shape."""
        return self._shape.read(value)


ANYTHING: Final = Shape()
TEXT: Final = Text()
NULLABLE_TEXT: Final = Nullable(TEXT)
BOOLEAN: Final = Boolean()
INTEGER: Final = Integer()
COUNT: Final = Integer(minimum=0)
FREE_MAP: Final = MapOf(ANYTHING)
DATE_TIME: Final = FormattedText(
    "a time such as 2020-11-20T09:00:00Z", formats.convert_date_time, {"format": "date-time"}
)
DATE: Final = FormattedText("a date such as 2020-11-20", formats.convert_date, {"format": "date"})
DATE_OR_DATE_TIME: Final = FormattedText(
    "a date or time such as 2020-11-20T09:00:00Z",
    formats.convert_date_or_date_time,
    {"anyOf": [{"format": "date"}, {"format": "date-time"}]},
)
DURATION: Final = FormattedText(
    "a duration such as 1h30m, 2s or 250ms", formats.check_duration, {"format": formats.DURATION}
)
SECONDS: Final = Number(minimum=0, maximum=MAX_DURATION // SECOND)
"""A duration as a number of seconds."""
BASE64: Final = FormattedText("base64", formats.decode_base64, {"contentEncoding": "base64"})
