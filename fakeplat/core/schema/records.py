"""Shapes of record fields, derived from their annotations."""

from collections.abc import Collection, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

from attrs import AttrsInstance
from attrs import fields as attrs_fields
from attrs import has as attrs_has

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.schema.shapes import (
    ANYTHING,
    BOOLEAN,
    DATE,
    DATE_TIME,
    FREE_MAP,
    INTEGER,
    TEXT,
    Alias,
    Choice,
    ListOf,
    Nullable,
    Number,
    Object,
    Shape,
)

T = TypeVar("T", bound=AttrsInstance)
_PLAIN: Final[dict[Any, Shape]] = {str: TEXT, bool: BOOLEAN, int: INTEGER, float: Number(), Any: ANYTHING}


def fields(record: type[AttrsInstance], *, without: Collection[str] = (), **special: Shape) -> dict[str, Shape]:
    """Return the shapes of a record's fields. Names that end in ``_at`` are times, those in ``_on`` dates.

    A field that has two names in the API gets both.
    """
    return with_twins(
        {
            field.name: special.get(field.name) or _shape_of_field(field.name, field.type)
            for field in attrs_fields(record)
            if field.init and field.name not in without
        }
    )


def with_twins(shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of fields, to which each field that has two names in the API also has the other one."""
    both: dict[str, Shape] = {}
    for name, shape in shapes.items():
        both[name] = shape
        twin = twin_of(name)
        if twin is not None:
            both[twin] = Alias(name)
    return both


def build(annotation: Any, value: Any) -> object:
    """Return the value of a record's field from what its shape read: maps become records, inside of lists too."""
    if value is None:
        return None
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return build(next(member for member in arguments if member is not NoneType), value)
    if origin is tuple:
        return tuple(build(arguments[0], item) for item in value)
    return build_record(annotation, value) if attrs_has(annotation) else value


def build_record(record: type[T], values: Mapping[str, object]) -> T:
    """Return a record with values that the shapes of its fields read."""
    return record(**build_fields(record, values))


def build_fields(record: type[AttrsInstance], values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of a record's fields that are among those that their shapes read."""
    return {field.name: build(field.type, values[field.name]) for field in attrs_fields(record) if field.name in values}


def _shape_of_field(name: str, annotation: Any) -> Shape:
    point_in_time = DATE_TIME if name.endswith("_at") else DATE if name.endswith("_on") else None
    if point_in_time is None:
        return shape_of(annotation)
    return Nullable(point_in_time) if NoneType in get_args(annotation) else point_in_time


def shape_of(annotation: Any) -> Shape:
    """Return the shape of the values of a type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return Nullable(shape_of(next(member for member in arguments if member is not NoneType)))
    if origin is Literal:
        return Choice(*arguments)
    if origin is tuple:
        return ListOf(shape_of(arguments[0]))
    if attrs_has(annotation):
        return Object(fields(annotation))
    if origin is Mapping:
        names, value = arguments
        return Object(dict.fromkeys(get_args(names), shape_of(value))) if get_origin(names) is Literal else FREE_MAP
    return _PLAIN[annotation]
