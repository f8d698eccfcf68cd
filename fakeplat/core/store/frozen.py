"""Frozen attrs classes that are cheap to declare.

attrs generates and compiles comparison, hash and representation for each class. That is half of a class's cost at
start-up, and most of these methods are never called. Here all classes share one implementation of each, and only
``__init__`` is compiled. For the type checker this is ``attrs.frozen``; the behaviour is the same.
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
        """Make a frozen class with slots. Instances with equal attributes are equal, unless ``eq=False``.

        Methods that the class defines itself are not replaced. There are no weak references to the instances.
        """
        if cls is None:
            return partial(frozen, eq=eq, **options)
        methods = {**_REPR, **(_COMPARISONS if eq else {})}
        missing = {name: method for name, method in methods.items() if name not in vars(cls)}
        frozen_class = attrs.frozen(cls, **{"eq": False, "repr": False, "weakref_slot": False, **options})
        for name, method in missing.items():
            setattr(frozen_class, name, method)
        return frozen_class


@cache
def _getter(cls: type[attrs.AttrsInstance]) -> Callable[[Any], Any]:
    names = [attribute.name for attribute in attrs.fields(cls) if attribute.eq]
    return attrgetter(*names) if names else lambda _: ()


def _eq(self: attrs.AttrsInstance, other: attrs.AttrsInstance) -> Any:
    values = _getter(self.__class__)
    # As with attrs, instances of a subclass are never equal to those of its base.
    return values(self) == values(other) if self.__class__ is other.__class__ else NotImplemented


def _hash(self: attrs.AttrsInstance) -> int:
    return hash(_getter(self.__class__)(self))


def _repr(self: attrs.AttrsInstance) -> str:
    items = [
        f"{attribute.name}={getattr(self, attribute.name)!r}"
        for attribute in attrs.fields(type(self))
        if attribute.repr
    ]
    # The name of a class inside a function starts with `function.<locals>.`, which is left out.
    return f"{type(self).__qualname__.rpartition('>.')[2]}({', '.join(items)})"


_REPR: Final[dict[str, Callable[..., Any]]] = {"__repr__": _repr}
_COMPARISONS: Final[dict[str, Callable[..., Any]]] = {"__eq__": _eq, "__hash__": _hash}
