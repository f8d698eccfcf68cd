"""Frozen records that are cheap to create, and copies of them with changed values."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, cast

import attrs
from attrs import NOTHING, Factory

T = TypeVar("T")
C = TypeVar("C", bound=type)


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


def fast_init(kind: C) -> C:
    """Give a class of `frozen` with many columns a constructor that takes half the time.

    It is compiled for the first object. No column has a converter or a validator.
    """

    def __init__(record: object, *args: object, **values: object) -> None:  # noqa: N807  # it becomes the method
        compiled = _compile_init(kind)
        _set_init(kind, compiled)
        compiled(record, *args, **values)

    _set_init(kind, __init__)
    return kind


def _set_init(kind: Any, init: Callable[..., None]) -> None:
    kind.__init__ = init


def _compile_init(kind: Any) -> Callable[..., None]:
    """Return a constructor that fills a draft, and makes it the record at the end."""
    # Where attrs calls `object.__setattr__` for each column of a frozen object, Python here sets its slots itself.
    # No column begins with an underscore, nor does therefore an argument.
    scope: dict[str, Any] = {
        "_become": object.__setattr__,
        "_draft": _draft_class(kind),
        "_kind": kind,
        "_absent": NOTHING,
    }
    arguments, keywords, assignments = ["self"], ["*"], []
    for column in attrs.fields(kind):
        name, argument, value = column.name, column.name, column.name
        if isinstance(column.default, Factory):  # type: ignore[arg-type]  # attrs declares the class as a function
            scope[f"_create_{name}"] = cast(Any, column.default).factory
            argument, value = f"{name}=_absent", f"_create_{name}() if {name} is _absent else {name}"
        elif column.default is not NOTHING:
            scope[f"_default_{name}"] = column.default
            argument = f"{name}=_default_{name}"
        (keywords if column.kw_only else arguments).append(argument)
        assignments.append(f"self.{name} = {value}")
    signature = ", ".join([*arguments, *keywords] if len(keywords) > 1 else arguments)
    body = "; ".join(("_become(self, '__class__', _draft)", *assignments, "self.__class__ = _kind"))
    exec(f"def __init__({signature}):\n {body}", scope)  # noqa: S102  # own names
    compiled: Callable[..., None] = scope["__init__"]
    return compiled


@cache
def _draft_class(kind: Any) -> type:
    """Return a class with the slots of a frozen one, which is not frozen: its objects can become records."""
    # Assignments are fast only if neither method is written in Python, as that of a frozen base is.
    members = {"__slots__": kind.__slots__, "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(f"{kind.__name__}Draft", kind.__bases__, members)


def _compile_copy(draft_class: type, names: list[str]) -> Callable[[Any], Any]:
    # Python sets the slots of a known class with one instruction each. Anything else takes several times as long.
    assignments = "; ".join(f"draft.{name} = record.{name}" for name in names)
    scope: dict[str, Any] = {"create": partial(object.__new__, draft_class)}
    exec(f"def copy(record):\n draft = create()\n {assignments}\n return draft", scope)  # noqa: S102  # own names
    copy: Callable[[Any], Any] = scope["copy"]
    return copy
