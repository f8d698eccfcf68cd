"""Copies of frozen records with changed values."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

from attrs import fields

T = TypeVar("T")


def evolve_record(record: T, **changes: Any) -> T:
    """Return a copy of a record with some values changed. TypeError for a name that it does not have.

    It is equivalent to ``attrs.evolve`` for records of more than one field, and twice as fast.
    """
    kind: Any = type(record)
    names, values, keywords_only = _columns(kind)
    if not changes.keys() <= names.keys():
        raise TypeError(f"{kind.__name__} has no {', '.join(changes.keys() - names.keys())}")
    evolved = map(changes.get, names, values(record))
    return cast(T, kind(**dict(zip(names, evolved, strict=True))) if keywords_only else kind(*evolved))


@cache
def _columns(kind: Any) -> tuple[dict[str, None], Callable[[Any], tuple[Any, ...]], bool]:
    columns = fields(kind)
    names = [column.name for column in columns]
    return dict.fromkeys(names), attrgetter(*names), any(column.kw_only for column in columns)
