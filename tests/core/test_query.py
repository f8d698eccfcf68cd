from collections.abc import Sequence
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.store.bitsets import bits_of, iterate_bits
from fakeplat.core.store.indexes import ordered
from fakeplat.core.store.query import Order, Query
from fakeplat.core.store.state import Draft, View
from fakeplat.core.store.table import TableOf, bits


@frozen
class Row:
    id: int
    value: int | None
    even: bool


class Rows(View):
    rows = TableOf(
        Row,
        bits("all", lambda row: ["all"]),
        bits("even", lambda row: [row.even]),
        ordered("value", lambda row: ["all"], lambda row: row.value),
        first_id=7,
    )


class RowsDraft(Rows, Draft):
    pass


values = st.lists(st.none() | st.integers(0, 5), max_size=300)


def build_draft(values: Sequence[int | None]) -> RowsDraft:
    draft = RowsDraft(Rows.empty_state())
    draft.rows.add_many([Row(7 + at, value, value is not None and value % 2 == 0) for at, value in enumerate(values)])
    return draft


def list_expected_ids(rows: list[Row], *, descending: bool) -> list[int]:
    valued = [row for row in rows if row.value is not None]
    valued.sort(key=lambda row: -row.id)
    valued.sort(key=lambda row: row.value or 0, reverse=descending)
    return [row.id for row in valued] + sorted((row.id for row in rows if row.value is None), reverse=True)


def build_query(draft: RowsDraft, chosen: int, *, descending: bool) -> Query[Row]:
    order: Order[Row] = Order(draft.rows.sorted("value", "all"), lambda row: row.value, descending=descending)
    return Query(draft.rows, chosen, order)


@given(values, st.booleans())
def test_all_rows_come_by_value_then_the_greater_id_and_those_without_last(
    values: list[int | None], down: bool
) -> None:
    """Rows are sorted by value, ties by descending id in both directions, and rows without a value come last."""
    draft = build_draft(values)
    rows = list(draft.rows.all())
    assert list_expected_ids(rows, descending=down) == [
        row.id for row in build_query(draft, draft.rows.bits("all", "all"), descending=down)
    ]


@given(values, st.booleans(), st.integers(0, 40), st.integers(0, 40))
def test_a_slice_is_the_same_part_of_the_whole(values: list[int | None], down: bool, start: int, size: int) -> None:
    """A slice of a query equals the slice of the list of all its rows."""
    draft = build_draft(values)
    rows = [row for row in draft.rows.all() if row.even]
    chosen = build_query(draft, draft.rows.bits("even", True), descending=down)
    assert len(rows) == len(chosen)
    assert list_expected_ids(rows, descending=down)[start : start + size] == [
        row.id for row in chosen[start : start + size]
    ]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=80), st.data())
def test_changed_and_removed_rows_keep_bits_and_order_true(values: list[int], data: Any) -> None:
    """The indexes stay correct when rows are changed and removed."""
    draft = build_draft(list(values))
    for _ in range(5):
        rows = list(draft.rows.all())
        if not rows:
            break
        row = data.draw(st.sampled_from(rows))
        value = data.draw(st.none() | st.integers(0, 5))
        if data.draw(st.booleans()):
            draft.rows.change(row, value=value, even=value is not None and value % 2 == 0)
        else:
            draft.rows.remove(row)
    rows = list(draft.rows.all())
    assert {row.id for row in rows} == set(iterate_bits(draft.rows.bits("all", "all")))
    assert {row.id for row in rows if row.even} == set(iterate_bits(draft.rows.bits("even", True)))
    assert sorted((row.value, row.id) for row in rows if row.value is not None) == list(
        draft.rows.sorted("value", "all")
    )


@pytest.mark.parametrize("ids", [[], [0], [7, 8, 9], [1, 500, 100_000]])
def test_bits_and_members_are_each_other_s_inverse(ids: list[int]) -> None:
    """Ids converted to bits and back are the same ids in ascending order."""
    assert ids == list(iterate_bits(bits_of(ids)))


def test_a_long_run_of_equal_values_is_walked_backwards() -> None:
    """Ten thousand rows of equal value come in descending order of their ids."""
    draft = build_draft([3] * 10_000 + [4])
    chosen = build_query(draft, draft.rows.bits("all", "all"), descending=False)
    assert [10_006, 10_005, 10_004] == [row.id for row in chosen[:3]]
    assert 10_007 == chosen[10_000].id


@pytest.mark.parametrize("size", [5, 100])
def test_a_query_is_a_sequence(size: int) -> None:
    """A query supports indexes and slices from either end, as a list does, and raises IndexError beyond its ends."""
    chosen = build_query(build_draft(list(range(size))), (1 << size) - 1 << 7, descending=False)
    rows = list(chosen)
    assert [rows[-1], rows[-size], rows[0]] == [chosen[-1], chosen[-size], chosen[0]]
    assert rows[::-1] == [*chosen[::-1]]
    assert rows[-3:-1] == [*chosen[-3:-1]]
    for outside in (size, -size - 1):
        with pytest.raises(IndexError):
            chosen[outside]


@pytest.mark.parametrize("size", [10, 2_000])
@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("descending", [False, True])
def test_a_plain_order_has_ties_in_its_own_direction(size: int, few: bool, descending: bool) -> None:
    """A plain order sorts rows of equal value by id in its own direction."""
    draft = build_draft([at % 3 for at in range(size)])
    rows = [row for row in draft.rows.all() if not few or row.id < 20]
    pairs = draft.rows.sorted("value", "all")
    order: Order[Row] = Order(pairs, lambda row: row.value, descending=descending, plain=True)
    wanted = [row.id for row in sorted(rows, key=lambda row: (row.value, row.id), reverse=descending)]
    assert wanted == [row.id for row in Query(draft.rows, bits_of([row.id for row in rows]), order)]
