"""Records with other values."""

from typing import Any

import attrs
import pytest

from fakeplat.core.store.records import evolve_record
from fakeplat.model.issues import Issue
from fakeplat.model.world import World


def list_record_kinds() -> list[type]:
    """Every kind of record that a world holds."""
    return [kind for table in World.tables for kind in (table.kind.__subclasses__() or [table.kind])]


@pytest.mark.parametrize("kind", list_record_kinds(), ids=lambda kind: kind.__name__)
def test_a_change_is_what_attrs_would_make(kind: Any) -> None:
    """Changing a column of a record gives the record that attrs.evolve gives, for all kinds of records."""
    names = [column.name for column in attrs.fields(kind)]
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


def test_a_name_that_a_record_does_not_have_is_refused() -> None:
    """Changing a column that the record does not have raises TypeError."""
    issue = Issue(10_001, 1, 5_001, "Title", 1, "2020-11-20", "2020-11-20")
    with pytest.raises(TypeError, match="Issue has no titel"):
        evolve_record(issue, titel="Other")
