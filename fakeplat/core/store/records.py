"""Copies of frozen records with changed values."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, cast

import attrs

T = TypeVar("T")


class Copier(NamedTuple):
    """Copies the records of a class: ``copy`` returns a draft, whose columns can be set."""

    names: frozenset[str]
    copy: Callable[[Any], Any]


def evolve_record(record: T, **changes: object) -> T:
    """Return a copy of a record with some values changed. TypeError for a name that it does not have.

    It is equivalent to ``attrs.evolve``. Without validators and converters, records of `frozen` are copied far faster.
    """
    kind: Any = type(record)
    copier = copier_of(kind)
    if copier is None:
        return cast(T, attrs.evolve(cast(Any, record), **changes))
    draft = copier.copy(record)
    for name, value in changes.items():
        if name not in copier.names:
            raise TypeError(f"{kind.__name__} has no {name}")
        setattr(draft, name, value)
    draft.__class__ = kind
    return cast(T, draft)


@cache
def copier_of(kind: type[attrs.AttrsInstance]) -> Copier | None:
    """Return what copies the records of a class; None if attrs has to create each anew."""
    fields = attrs.fields(kind)
    if hasattr(kind, "__attrs_post_init__"):
        return None
    if any(field.validator is not None or field.converter is not None for field in fields):
        return None
    # Objects change their class only without a place for weak references, which `frozen` leaves out.
    if any("__weakref__" in getattr(base, "__slots__", ("__weakref__",)) for base in kind.__mro__[:-1]):
        return None
    names = [field.name for field in fields]
    return Copier(frozenset(names), _compile_copy(_draft_class(kind), names))


def _draft_class(kind: Any) -> type:
    """Return a class with the slots of a frozen one, which is not frozen: its objects can become records."""
    members = {"__slots__": kind.__slots__, "__setattr__": object.__setattr__}
    return type(f"{kind.__name__}Draft", kind.__bases__, members)


def _compile_copy(draft_class: type, names: list[str]) -> Callable[[Any], Any]:
    # Python sets the slots of a known class with one instruction each. Anything else takes several times as long.
    assignments = "; ".join(f"draft.{name} = record.{name}" for name in names)
    scope: dict[str, Any] = {"create": partial(object.__new__, draft_class)}
    exec(f"def copy(record):\n draft = create()\n {assignments}\n return draft", scope)  # noqa: S102  # own names
    copy: Callable[[Any], Any] = scope["copy"]
    return copy
