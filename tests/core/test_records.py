"""Records with other values."""

from typing import Any

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from fakeplat.core.store import records
from fakeplat.core.store.records import evolve_record
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
