import pytest

from fakeplat.core.clock import LAST, START, Clock, Kind, wall
from fakeplat.core.timestamps import HOUR, MAX_DURATION, SECOND, from_iso, to_iso
from tests.worlds import Site, create_site

STANDING: tuple[Kind, ...] = ("virtual", "auto")


@pytest.mark.parametrize("kind", STANDING)
def test_a_standing_clock_moves_only_when_it_is_told_to(kind: Kind) -> None:
    """A virtual or auto clock stays at its start until it is advanced or set."""
    clock = Clock(kind)
    assert "2020-11-20T09:00:00.000Z" == START == to_iso(clock.now())
    clock.advance(90 * SECOND)
    assert "2020-11-20T09:01:30.000Z" == to_iso(clock.now())
    clock.set(from_iso("2021-01-01"))
    assert "2021-01-01T00:00:00.000Z" == to_iso(clock.now())
    assert clock.is_virtual


@pytest.mark.parametrize("tick", [1, 0, 250])
@pytest.mark.parametrize("kind", STANDING)
def test_a_standing_clock_ticks_with_each_write(kind: Kind, tick: int) -> None:
    """A write advances a virtual or auto clock by its tick."""
    clock = Clock(kind, tick=tick)
    clock.write()
    clock.write()
    assert from_iso(START) + 2 * tick == clock.now()


@pytest.mark.parametrize("kind", STANDING)
def test_a_standing_clock_stops_at_the_end_of_time(kind: Kind) -> None:
    """A write never advances the clock beyond its last time, whatever the tick."""
    clock = Clock(kind, "8999-12-31T23:59:59.998Z", tick=MAX_DURATION)
    clock.write()
    clock.write()
    assert LAST == clock.now()


def test_the_real_clock_goes_with_the_wall() -> None:
    """The real clock shows the time of day, and a write does not advance it."""
    clock = Clock("real")
    clock.write()
    before, now, after = wall(), clock.now(), wall()
    assert before <= now <= after
    assert not clock.is_virtual


def test_the_real_clock_may_start_elsewhere() -> None:
    """The real clock runs on from a given start, and can be advanced and set."""
    clock = Clock("real", "2020-11-20T09:00:00Z")
    assert 0 <= clock.now() - from_iso(START) < HOUR
    clock.advance(24 * HOUR)
    assert 0 <= clock.now() - from_iso("2020-11-21T09:00:00Z") < HOUR
    clock.set(from_iso("1999-01-01"))
    assert 0 <= clock.now() - from_iso("1999-01-01") < HOUR


def measure_request(site: Site, method: str, target: str, by: str | None, json: object = None) -> tuple[int, int]:
    """The status, and how many ms a request took of the world's time."""
    before = site.clock.now()
    status = site.ask(method, target, by, json=json).status
    return status, site.clock.now() - before


@pytest.mark.parametrize("kind", STANDING)
@pytest.mark.parametrize(
    ("method", "target", "by", "expected"),
    [
        ("POST", "projects/acme%2Fsite/star", "dev", (201, 1)),
        ("DELETE", "projects/acme%2Fsite/members/3", "ada", (204, 1)),
        ("PUT", "users/3?bio=x", "root", (200, 1)),
        ("GET", "projects", "ada", (200, 0)),
        ("HEAD", "user", "ada", (200, 0)),
        ("POST", "projects/acme%2Fsite/unstar", "dev", (304, 0)),
        ("POST", "projects", "ada", (400, 0)),
        ("POST", "projects/acme%2Fsite/star", None, (401, 0)),
        ("POST", "projects/acme%2Fsite/archive", "dev", (403, 0)),
        ("POST", "projects/acme%2Fsite/star", "eve", (404, 0)),
        ("PATCH", "user", "ada", (405, 0)),
    ],
)
def test_only_a_write_that_commits_ticks(
    kind: Kind, method: str, target: str, by: str | None, expected: tuple[int, int]
) -> None:
    """Each request that writes takes 1 ms of the world's time; reads and refusals take none."""
    assert expected == measure_request(create_site(kind), method, target, by)


def test_records_of_two_writes_have_different_times() -> None:
    """Records created by two requests have different creation times."""
    site = create_site()
    for name in ("one", "two"):
        site.ask("POST", "projects", "ada", json={"name": name})
    times = [site.place(f"ada/{name}").created_at for name in ("one", "two")]
    assert ["2020-11-20T09:00:00.000Z", "2020-11-20T09:00:00.001Z"] == times
