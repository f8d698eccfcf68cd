"""Single parameters, from the annotations and defaults of a class."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import ClassVar, Final, get_args, get_origin, get_type_hints

from attrs import evolve, field

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.params.coercion import Failure, Refused
from fakeplat.core.params.types import Named, ParamType, Schema, param_type_of
from fakeplat.core.release import ALWAYS, Lifetime, Profile, RenamedFrom, Required
from fakeplat.core.store.frozen import frozen

ABSENT: Final = object()
"""A missing value: the default of a required parameter, and the value of a parameter that was not sent."""


@frozen
class Field:
    """A declared parameter. ``null`` is the meaning of a null: a value, ABSENT (the default applies) or failures.

    ``lifetime`` are the releases of the platform that have the parameter under its name. ``other_names`` are names of
    other releases that are valid beside it, each with the releases that have it.
    """

    attribute: str
    name: str
    kind: ParamType
    default: object
    null: object
    lifetime: Lifetime = ALWAYS
    other_names: Mapping[str, Lifetime] = field(factory=dict)

    @property
    def required(self) -> bool:
        """Whether the parameter must be sent."""
        return self.default is ABSENT

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter's name, and its other names if it has some."""
        twin = twin_of(self.name)
        return (self.name, *((twin,) if twin else ()), *self.other_names)

    @property
    def absent(self) -> Sequence[Failure]:
        """The failures if the parameter is not sent; for a hash, including its required keys."""
        failures = (Failure("is missing"), *self.kind.absent)
        return [failure.with_prefix(self.name) for failure in failures] if self.required else ()

    @property
    def absent_at_root(self) -> Sequence[Failure]:
        """The failures if the parameter, which is no key of a hash, is not sent."""
        failures = self.kind.absent_at_root if self.required else ()
        return [*self.absent, *(failure.with_prefix(self.name) for failure in failures)]

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the parameter."""
        schema = dict(self.kind.schema)
        if self.default not in (None, ABSENT):
            schema["default"] = self.default
        if twin := twin_of(self.name):
            schema["x-also-named"] = twin
        return schema

    def read_value(self, raw: object) -> object:
        """Return the value for what was sent."""
        value = None if raw is None else self.kind.read(raw)
        return self.read_null() if value is None else value

    def read_null(self) -> object:
        """Return the value for a null. Refused if a null is not allowed."""
        if isinstance(self.null, tuple):
            raise Refused(*self.null)
        return self.null


@frozen
class Declaration:
    """When a parameter exists: its lifetime, those of some of its values, and its name in earlier releases."""

    name: str
    lifetime: Lifetime
    of_values: tuple[Lifetime, ...] = ()
    renamed: RenamedFrom | None = None


@cache
def _annotations_of(cls: type) -> Mapping[str, object]:
    """Return the annotations of the parameters of a class, those of its bases first."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}


def declarations_of(cls: type) -> Iterator[Declaration]:
    """Iterate over the parameters of a class and their releases; those of nested hashes have dotted names."""
    for attribute, annotation in _annotations_of(cls).items():
        markers = getattr(annotation, "__metadata__", ())
        name = next((mark.name for mark in markers if isinstance(mark, Named)), attribute)
        of_values = tuple(mark for mark in markers if isinstance(mark, Lifetime) and mark.values)
        yield Declaration(name, _lifetime_of(markers), of_values, _find_rename(markers))
        for nested in _nested_params(annotation):
            for declared in declarations_of(nested):
                yield evolve(declared, name=f"{name}.{declared.name}")


def _nested_params(annotation: object) -> Iterator[type]:
    if hasattr(annotation, "__kind__"):
        yield annotation  # type: ignore[misc]
    for argument in get_args(annotation):
        yield from _nested_params(argument)


def fields_of(cls: type, profile: Profile) -> Iterator[Field]:
    """Iterate over the parameters of a class that a release has, those of its bases first."""
    for attribute, annotation in _annotations_of(cls).items():
        markers = getattr(annotation, "__metadata__", ())
        name = next((mark.name for mark in markers if isinstance(mark, Named)), attribute)
        lifetime = _lifetime_of(markers)
        default = getattr(cls, attribute, ABSENT)
        if lifetime and default is ABSENT:
            raise TypeError(f"{cls.__name__}.{attribute} is not in every release, so it needs a default")
        if not profile.has(lifetime):
            continue
        if any(isinstance(mark, Required) and profile.requires(mark) for mark in markers):
            default = ABSENT
        kind = param_type_of(annotation, profile)
        # As in Grape, a null for a parameter with a default gives the default.
        null_is_default = default not in (None, ABSENT) and not kind.strict
        null = ABSENT if null_is_default else kind.null
        (name, lifetime), *others = _names_of(name, lifetime, markers, profile)
        yield Field(attribute, name, kind, default, null, lifetime, dict(others))


def _lifetime_of(markers: Iterable[object]) -> Lifetime:
    lifetimes = (mark for mark in markers if isinstance(mark, Lifetime) and not isinstance(mark, Required))
    return next((mark for mark in lifetimes if not mark.values), ALWAYS)


def _find_rename(markers: Iterable[object]) -> RenamedFrom | None:
    return next((mark for mark in markers if isinstance(mark, RenamedFrom)), None)


def _names_of(name: str, lifetime: Lifetime, markers: Iterable[object], profile: Profile) -> list[tuple[str, Lifetime]]:
    """Return the names that a release has for a parameter, with their releases, the one that it prefers first."""
    renamed = _find_rename(markers)
    names = {name: lifetime} if renamed is None else renamed.lifetimes(name)
    return [(name, lifetime) for name, lifetime in names.items() if profile.has(lifetime)]
