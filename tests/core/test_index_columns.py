"""The columns that an index declares are all that its entries depend on."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeplat.core.store.indexes import Index, ordered
from fakeplat.core.store.table import TableOf
from fakeplat.model.ci import Job
from fakeplat.model.world import World
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform


class ColumnRecorder:
    """Reads a record and notes the columns that were read, also by properties of the record."""

    def __init__(self, record: Any, read: set[str]) -> None:
        self._record = record
        self._read = read

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(type(self._record), name, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        self._read.add(name)
        return getattr(self._record, name)


def list_declared_indexes() -> Iterator[Any]:
    for table in vars(World).values():
        if isinstance(table, TableOf):
            for index in table.indexes:
                if index.columns is not None:
                    yield pytest.param(table, index, id=f"{table.name}-{index.name}")


@pytest.fixture(scope="module")
def world() -> World:
    return create_platform(FULL).view


def read_columns(index: Index[Any, Any], record: Any) -> set[str]:
    read: set[str] = set()
    recorder: Any = ColumnRecorder(record, read)
    tuple(index.keys(index.extract(recorder)))
    value = getattr(index, "value", None)
    if value is not None:
        value(recorder)
    return read - {"id"}


def is_concerned(table: TableOf[Any], index: Index[Any, Any], column: str) -> bool:
    slot, concerned = table.slots[index.name], table.concerned_by((column,))
    return slot in concerned.unique or bool(concerned.others >> slot & 1)


@pytest.mark.parametrize(("table", "index"), [*list_declared_indexes()])
def test_an_index_follows_each_column_that_it_reads(world: World, table: TableOf[Any], index: Index[Any, Any]) -> None:
    """Otherwise a change of the column would leave the index as it was."""
    read = {column for record in getattr(world, table.name).all() for column in read_columns(index, record)}
    assert [] == [column for column in sorted(read) if not is_concerned(table, index, column)]


def test_a_column_that_is_not_declared_is_noticed(world: World) -> None:
    """The check sees what properties of a record read."""
    index: Index[Job, Any] = ordered("late", lambda job: [job.is_completed], "stage_index", of=("pipeline_id",))
    job = next(iter(world.jobs.all()))
    assert {"status", "stage_index"} <= read_columns(index, job)
