"""What the lines of a tape may be: each shape says its JSON Schema, and what is wrong with a value."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import from_iso

JsonSchema = dict[str, Any]


class Shape(Protocol):
    """What a value may be."""

    def schema(self) -> JsonSchema:
        """The JSON Schema of it."""

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """What is wrong with a value, each with its place."""


@frozen
class Text:
    """A text; with a pattern, one that matches it whole. ``word`` says what it is."""

    word: str = "text"
    pattern: str | None = None

    def schema(self) -> JsonSchema:
        """A string."""
        described = {} if self.word == "text" else {"description": self.word}
        return {"type": "string", **described, **({} if self.pattern is None else {"pattern": f"^(?:{self.pattern})$"})}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No text, or another text."""
        if not isinstance(value, str) or (self.pattern is not None and not re.fullmatch(self.pattern, value)):
            yield f"{place} must be {self.word}"


@frozen
class Time:
    """A point in time, which must be in the calendar."""

    text: Text = Text(
        "a time such as 2020-11-20T09:00:00.000Z", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
    )

    def schema(self) -> JsonSchema:
        """A string."""
        return self.text.schema()

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No text, another text, or a day or hour that does not exist."""
        wrong = next(self.text.wrong(value, place), None)
        if wrong is not None:
            yield wrong
            return
        try:
            from_iso(str(value))
        except (ValueError, OverflowError):
            yield f"{place} must be {self.text.word}"


@frozen
class Number:
    """A number within bounds."""

    least: float
    most: float | None = None
    whole: bool = False

    def schema(self) -> JsonSchema:
        """An integer or a number."""
        most = {} if self.most is None else {"maximum": self.most}
        return {"type": "integer" if self.whole else "number", "minimum": self.least, **most}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No number, or one out of bounds."""
        kinds = (int,) if self.whole else (int, float)
        most = value if self.most is None else self.most
        if isinstance(value, bool) or not isinstance(value, kinds) or not self.least <= value <= most:  # type: ignore[operator]  # numbers both
            bound = f"of at least {self.least}" if self.most is None else f"from {self.least} to {self.most}"
            yield f"{place} must be a {'whole ' if self.whole else ''}number {bound}"


@frozen
class Exactly:
    """One value."""

    value: int

    def schema(self) -> JsonSchema:
        """A constant."""
        return {"const": self.value}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """Another value."""
        if value != self.value or isinstance(value, bool):
            yield f"{place} must be {self.value}"


@frozen
class Fields:
    """An object with these fields; those in ``optional`` may be absent. ``others`` says whether there may be more."""

    fields: Mapping[str, Shape]
    optional: frozenset[str] = frozenset()
    others: bool = False

    def schema(self) -> JsonSchema:
        """An object."""
        return {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in self.fields.items()},
            "required": [name for name in self.fields if name not in self.optional],
            "additionalProperties": self.others,
        }

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No object, missing and unknown fields, and what is wrong inside."""
        if not isinstance(value, dict):
            yield f"{place} must be an object"
            return
        for name in value:
            if name not in self.fields and not self.others:
                yield f"{place} has no field {name!r}"
        for name, shape in self.fields.items():
            if name in value:
                yield from shape.wrong(value[name], f"{place}.{name}")
            elif name not in self.optional:
                yield f"{place} lacks {name!r}"


@frozen
class MapOf:
    """An object whose names are of one shape, and whose values are of another."""

    name: Text
    value: Shape

    def schema(self) -> JsonSchema:
        """An object."""
        return {"type": "object", "propertyNames": self.name.schema(), "additionalProperties": self.value.schema()}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No object, and what is wrong inside."""
        if not isinstance(value, dict):
            yield f"{place} must be an object"
            return
        for name, inner in value.items():
            yield from self.name.wrong(name, f"{place}: the name {name!r}")
            yield from self.value.wrong(inner, f"{place}.{name}")


@frozen
class ListOf:
    """A list of one shape; with ``length``, of that many."""

    item: Shape
    length: int | None = None

    def schema(self) -> JsonSchema:
        """An array."""
        length = {} if self.length is None else {"minItems": self.length, "maxItems": self.length}
        return {"type": "array", "items": self.item.schema(), **length}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """No list, one of another length, and what is wrong inside."""
        if not isinstance(value, list) or (self.length is not None and len(value) != self.length):
            yield f"{place} must be a list{'' if self.length is None else f' of {self.length}'}"
            return
        for number, inner in enumerate(value):
            yield from self.item.wrong(inner, f"{place}[{number}]")


@frozen
class Either:
    """One of several shapes."""

    word: str
    shapes: tuple[Shape, ...]

    def schema(self) -> JsonSchema:
        """Any of them."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """None of them fits."""
        if all(any(True for _ in shape.wrong(value, place)) for shape in self.shapes):
            yield f"{place} must be {self.word}"


@frozen
class OrNull:
    """A shape, or null."""

    shape: Shape

    def schema(self) -> JsonSchema:
        """Any of both."""
        return {"anyOf": [{"type": "null"}, self.shape.schema()]}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """What is wrong with it, if it is not null."""
        return iter(()) if value is None else self.shape.wrong(value, place)


@frozen
class Anything:
    """Any JSON value."""

    def schema(self) -> JsonSchema:
        """No rule."""
        return {}

    def wrong(self, value: object, place: str) -> Iterator[str]:
        """Nothing."""
        del value, place
        return iter(())
