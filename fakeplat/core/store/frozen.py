"""Frozen attrs classes that cost little to declare.

attrs writes and compiles comparison, hash and representation anew for each class, which is half of what a class costs
at start-up, and most of them are never called. Here all classes share one of each, and only their ``__init__`` is
compiled. To the type checker this is ``attrs.frozen``, and to everybody else it does the same.
"""

from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import attrs

__all__ = ["frozen"]

if TYPE_CHECKING:
    from attrs import frozen
else:

    def frozen(cls=None, /, *, eq=True, **options):
        """Make a frozen class with slots; its instances are equal if their attributes are, or with ``eq=False`` never.

        What the class says itself of any of this stands.
        """
        if cls is None:
            return partial(frozen, eq=eq, **options)
        shared = {**_SHOWN, **(_COMPARED if eq else {})}
        missing = {name: method for name, method in shared.items() if name not in vars(cls)}
        made = attrs.frozen(cls, eq=False, repr=False, **options)
        for name, method in missing.items():
            setattr(made, name, method)
        return made


@cache
def _getter(cls: Any) -> Callable[[Any], Any]:
    names = [one.name for one in attrs.fields(cls) if one.eq]
    return attrgetter(*names) if names else lambda _: ()


def _eq(self: Any, other: Any) -> Any:
    values = _getter(self.__class__)
    return values(self) == values(other) if self.__class__ is other.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_getter(self.__class__)(self))


def _repr(self: Any) -> str:
    shown = [f"{one.name}={getattr(self, one.name)!r}" for one in attrs.fields(type(self)) if one.repr]
    return f"{type(self).__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


_SHOWN: Final[dict[str, Callable[..., Any]]] = {"__repr__": _repr}
_COMPARED: Final[dict[str, Callable[..., Any]]] = {"__eq__": _eq, "__hash__": _hash}
