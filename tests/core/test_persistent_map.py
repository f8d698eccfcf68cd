"""Persistent maps: those of immutables, and ours for versions of Python that it has no wheel for."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.store.persistent_map import Map, PersistentMap

KINDS = [pytest.param(Map, id="in use"), pytest.param(PersistentMap, id="in Python")]
keys = st.integers(0, 40) | st.text(max_size=2) | st.tuples(st.integers(0, 3), st.text(max_size=1)) | st.none()
changes = st.lists(
    st.tuples(st.just("set"), keys, st.integers())
    | st.tuples(st.just("delete"), keys, st.none())
    | st.tuples(st.just("update"), st.dictionaries(keys, st.integers(), max_size=40), st.none()),
    max_size=30,
)


def assert_has(actual: Mapping[Any, Any], expected: dict[Any, Any]) -> None:
    assert (expected, len(expected)) == (dict(actual.items()), len(actual))
    assert {*expected} == {*actual} == {*actual.keys()}
    assert sorted(expected.values()) == sorted(actual.values())
    for key in (*expected, "absent", -1):
        assert (key in expected, expected.get(key), expected.get(key, 7)) == (
            key in actual,
            actual.get(key),
            actual.get(key, 7),
        )


@pytest.mark.parametrize("kind", KINDS)
@given(initial=st.dictionaries(keys, st.integers(), max_size=60), changes=changes)
def test_a_change_leaves_the_map_before_it_alone(kind: Any, initial: dict[Any, int], changes: list[Any]) -> None:
    """Each change gives a map with what a dictionary would have, and all earlier maps stay as they were."""
    current, expected = kind(initial), initial
    versions = [(current, expected)]
    for change, subject, value in changes:
        if change == "set":
            current, expected = current.set(subject, value), {**expected, subject: value}
        elif change == "update":
            current, expected = current.update(subject), {**expected, **subject}
        elif subject in expected:
            current, expected = current.delete(subject), {key: expected[key] for key in expected if key != subject}
        else:
            with pytest.raises(KeyError):
                current.delete(subject)
        versions.append((current, expected))
    for version, entries in versions:
        assert_has(version, entries)


@pytest.mark.parametrize("kind", KINDS)
def test_a_map_grows_and_shrinks(kind: Any) -> None:
    """Maps grow entry by entry and at once to thousands of entries, and become empty again."""
    grown, at_once = kind(), kind({-1: 0}).update({key: -key for key in range(5_000)})
    for key in range(3_000):
        grown = grown.set(key, -key)
    assert_has(grown, {key: -key for key in range(3_000)})
    assert_has(at_once, {-1: 0, **{key: -key for key in range(5_000)}})
    for key in range(3_000):
        grown = grown.delete(key)
    assert_has(grown, {})
    assert kind() == grown
    with pytest.raises(KeyError):
        grown[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_hashed_is_no_key(kind: Any) -> None:
    """A list is no key, neither to read nor to write."""
    with pytest.raises(TypeError):
        kind().set([], 1)
    with pytest.raises(TypeError):
        kind({1: 2}).get([])
