"""Caches that do not grow without end."""

from fakeplat.core.cache.bounded import BoundedCache


def test_the_older_half_is_dropped_when_the_cache_is_full() -> None:
    """A full cache of four values drops the oldest two to store a fifth."""
    cache: BoundedCache[int, str] = BoundedCache(4)
    for number in range(5):
        cache.put(number, "x")
    assert [2, 3, 4] == list(cache)


def test_values_are_limited_by_their_sizes_together() -> None:
    """A cache limited to 100 bytes never keeps more than two values of 40 bytes, however often they are replaced."""
    cache: BoundedCache[int, bytes] = BoundedCache(1000, len, bytes_limit=100)
    for number in range(50):
        cache.put(number % 7, bytes(40))
        assert sum(map(len, cache.values())) <= 100
    assert 2 == len(cache)


def test_a_replaced_value_is_counted_once() -> None:
    """Replacing the value of a key again and again drops no other value."""
    cache: BoundedCache[str, bytes] = BoundedCache(1000, len, bytes_limit=100)
    cache.put("kept", bytes(40))
    for _ in range(10):
        cache.put("replaced", bytes(50))
    assert {"kept", "replaced"} == set(cache)


def test_a_value_over_the_limit_is_not_kept() -> None:
    """A value that exceeds the limit by itself is not stored and drops no other value."""
    cache: BoundedCache[str, bytes] = BoundedCache(1000, len, bytes_limit=100)
    cache.put("small", bytes(10))
    cache.put("large", bytes(101))
    assert ["small"] == list(cache)


def test_a_cleared_cache_has_its_whole_limit_again() -> None:
    """Values from before a cache was cleared do not count towards its limit."""
    cache: BoundedCache[str, bytes] = BoundedCache(1000, len, bytes_limit=100)
    cache.put("before", bytes(90))
    cache.clear()
    cache.put("after", bytes(90))
    assert ["after"] == list(cache)
