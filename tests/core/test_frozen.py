"""The kernel's `frozen` makes what `attrs.frozen` makes; only the cost of declaring differs."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from typing_extensions import override

from fakeplat.core.store.frozen import frozen

Made = tuple[Any, ...]


def build_instance(class_: Any, *values: object) -> Any:
    """An instance of a class whose decorator is a parameter, so that no type checker knows its fields."""
    return class_(*values)


def build_instances(decorate: Any) -> tuple[Made, ...]:
    """Instances of classes of each sort that the package has, with their equals and others, made by a decorator."""

    @decorate
    class Point:
        x: int
        y: int = 0

    @decorate
    class Single:
        x: int

    @decorate
    class Nothing:
        pass

    @decorate
    class Secret:
        name: str
        value: str = attrs.field(default="", repr=False)
        note: str = attrs.field(default="", eq=False)

    @decorate
    class Deep(Point):
        z: int = 0

    @decorate
    class Said:
        x: int

        @override
        def __repr__(self) -> str:
            return "said"

        @override
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Said)

        @override
        def __hash__(self) -> int:
            return 5

    @decorate(eq=False)
    class Itself:
        x: int

    return (
        (
            build_instance(Point, 1),
            build_instance(Point, 1, 0),
            build_instance(Point, 2),
            build_instance(Single, 1),
            (1, 0),
        ),
        (build_instance(Single, 1), build_instance(Single, 1), build_instance(Single, 2), 1),
        (build_instance(Nothing), build_instance(Nothing), ()),
        (build_instance(Secret, "a"), build_instance(Secret, "a", "", "noted"), build_instance(Secret, "a", "b")),
        (
            build_instance(Deep, 1, 2, 3),
            build_instance(Deep, 1, 2, 3),
            build_instance(Deep, 1, 2),
            build_instance(Point, 1, 2),
        ),
        (build_instance(Said, 1), build_instance(Said, 2)),
        (build_instance(Itself, 1), build_instance(Itself, 1)),
    )


def describe_instances(classes_: Made) -> dict[str, Any]:
    """What an instance and its likes say."""
    cls = classes_[0]
    return {
        "equal": [cls == other for other in classes_],
        "unequal": [cls != other for other in classes_],
        "same hash": [hash(cls) == hash(other) for other in classes_ if type(other) is type(cls)],
        "shown": [repr(other) for other in classes_],
        "evolved": repr(attrs.evolve(cls)),
        "slots": hasattr(cls, "__dict__"),
    }


def test_it_makes_what_attrs_makes() -> None:
    """Frozen classes have the equality, hash and representation of attrs, whatever the class defines itself."""
    assert [describe_instances(family) for family in build_instances(attrs.frozen)] == [
        describe_instances(family) for family in build_instances(frozen)
    ]


@pytest.mark.parametrize("change", [lambda record: setattr(record, "x", 2), lambda record: delattr(record, "x")])
def test_nothing_of_it_can_be_changed(change: Callable[[Any], None]) -> None:
    """Setting and deleting an attribute of a frozen instance are refused."""
    point = build_instances(frozen)[0][0]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        change(point)


def test_options_are_those_of_attrs() -> None:
    """A frozen class accepts the options of attrs, for example to leave out slots."""

    @frozen(slots=False)
    class Loose:
        x: int

    assert {"x": 1} == vars(Loose(1))
