"""Records with other values."""

from typing import Any

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from fakeplat.core.store import records
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import evolve_record, fast_init
from fakeplat.model.issues import Issue
from fakeplat.model.world import World


def list_record_kinds() -> list[type]:
    """Every kind of record that a world holds."""
    kinds = [kind for table in World.tables for kind in (table.kind, *table.kind.__subclasses__())]
    # A class that attrs has replaced by one with slots may still be there.
    return [kind for kind in kinds if "__attrs_attrs__" in vars(kind)]


@pytest.mark.parametrize("kind", list_record_kinds(), ids=lambda kind: kind.__name__)
def test_a_change_is_what_attrs_would_make(kind: Any) -> None:
    """Changing a column of a record gives the record that attrs.evolve gives, for all kinds of records."""
    columns = attrs.fields(kind)
    is_plain = not hasattr(kind, "__attrs_post_init__") and all(c.validator is c.converter is None for c in columns)
    assert is_plain == (records.copier_of(kind) is not None)
    names = [column.name for column in columns]
    record = kind.__new__(kind)
    for number, name in enumerate(names):
        object.__setattr__(record, name, number)
    if any(column.validator for column in attrs.fields(kind)) or hasattr(kind, "__attrs_post_init__"):
        record = kind(1)
    for name in names:
        value = getattr(record, name)
        assert attrs.evolve(record, **{name: value}) == evolve_record(record, **{name: value})
        assert value is getattr(evolve_record(record, **{name: value}), name)


def test_a_change_gives_another_record() -> None:
    """Changing several columns gives a new record and leaves the original as it was."""
    issue = Issue(10_001, 1, 5_001, "Title", 1, "2020-11-20", "2020-11-20")
    other = evolve_record(issue, title="Other", weight=3)
    assert ("Other", 3, 1, "Title", None) == (other.title, other.weight, other.iid, issue.title, issue.weight)


def test_a_copy_is_frozen_and_has_no_other_names() -> None:
    """A changed record is frozen, too. Changing a column that the record does not have raises TypeError."""
    issue = Issue(10_001, 1, 5_001, "Title", 1, "2020-11-20", "2020-11-20")
    with pytest.raises(FrozenInstanceError):
        evolve_record(issue, title="Other").title = "Third"  # type: ignore[misc]
    with pytest.raises(TypeError, match="Issue has no titel"):
        evolve_record(issue, titel="Other")


def test_a_fast_constructor_makes_what_attrs_makes() -> None:
    """Objects of a class with a compiled constructor equal those of the same class without it, and are frozen, too."""

    def declare() -> Any:
        @frozen
        class Point:
            x: int
            y: int = 2
            seen: list[int] = attrs.field(factory=list)
            kind: str = attrs.field(default="point", kw_only=True)

        return Point

    plain, fast = declare(), fast_init(declare())
    for args, values in (((1,), {}), ((1, 3, [4]), {}), ((), {"x": 1, "kind": "dot"}), ((1,), {"seen": [5]})):
        assert attrs.asdict(plain(*args, **values)) == attrs.asdict(fast(*args, **values))
    point = fast(1)
    assert (fast, point, []) == (type(point), fast(x=1), point.seen)
    assert point.seen is not fast(1).seen
    with pytest.raises(FrozenInstanceError):
        point.x = 5


@pytest.mark.parametrize("args", [(), (1, 2, 3)], ids=["too few", "too many"])
def test_a_fast_constructor_refuses_what_it_does_not_know(args: tuple[int, ...]) -> None:
    """Wrong arguments of a compiled constructor raise TypeError, at the first object and at later ones."""

    @frozen
    class Point:
        x: int
        y: int = 2

    fast: Any = fast_init(Point)
    for _ in range(2):
        with pytest.raises(TypeError, match="__init__"):
            fast(*args)
