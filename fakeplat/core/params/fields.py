"""Single parameters, as the annotations and defaults of a class declare them."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, get_origin, get_type_hints

from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.params.coercion import Failure, Refused
from fakeplat.core.params.types import Named, ParamType, Schema, Since, param_type_of
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen

ABSENT: Final = object()
"""What is not there: the default of a required parameter, the value of one that was not sent."""


@frozen
class Field:
    """One declared parameter; ``null`` is what a null stands for: a value, ABSENT (the default) or failures.

    ``lifetime`` are the releases of the platform that know it.
    """

    attribute: str
    name: str
    kind: ParamType
    default: object
    null: object
    lifetime: Lifetime = Lifetime()

    @property
    def required(self) -> bool:
        """Whether it must be sent."""
        return self.default is ABSENT

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and the other one if it exists twice."""
        twin = twin_of(self.name)
        return (self.name, twin) if twin else (self.name,)

    @property
    def absent(self) -> Sequence[Failure]:
        """The failures if it is not sent; of a hash, also what is missing inside."""
        failures = (Failure("is missing"), *self.kind.absent)
        return [failure.under(self.name) for failure in failures] if self.required else ()

    @property
    def schema(self) -> Schema:
        """It, as JSON Schema describes it."""
        schema = dict(self.kind.schema)
        if self.default not in (None, ABSENT):
            schema["default"] = self.default
        if twin := twin_of(self.name):
            schema["x-also-named"] = twin
        return schema

    def take(self, sent: object) -> object:
        """The value that something sent stands for."""
        value = None if sent is None else self.kind.read(sent)
        return self.of_null() if value is None else value

    def of_null(self) -> object:
        """The value that a null stands for."""
        if isinstance(self.null, tuple):
            raise Refused(*self.null)
        return self.null


def fields_of(cls: type) -> Iterator[Field]:
    """The parameters that a class declares, those of its bases first."""
    for attribute, annotation in get_type_hints(cls, include_extras=True).items():
        if get_origin(annotation) is ClassVar:
            continue
        marks = getattr(annotation, "__metadata__", ())
        name = next((mark.name for mark in marks if isinstance(mark, Named)), attribute)
        lifetime = next((mark.lifetime for mark in marks if isinstance(mark, Since)), Lifetime())
        kind, default = param_type_of(annotation), getattr(cls, attribute, ABSENT)
        if lifetime and default is ABSENT:
            raise TypeError(f"{cls.__name__}.{attribute} came with a release, so it needs a default")
        falls_back = default not in (None, ABSENT) and not kind.strict
        yield Field(attribute, name, kind, default, ABSENT if falls_back else kind.null, lifetime)
