"""Forks of worlds with many rows or repositories, compared with those of small ones: time, first uses, memory."""

import time
import tracemalloc

from benchmarks.ratio import Ratio
from benchmarks.scale import ISSUES
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.store.state import State
from fakeplat.domain.repository.repositories import open_repository
from fakeplat.model.instance import Setup
from fakeplat.model.projects import Star
from fakeplat.model.world import World, WorldDraft
from fakeplat.scenario import base_world, create_platform, get_scenario

ROWS = 100_000
FORKS = 20_000
REPOSITORIES = 100


def measure() -> list[Ratio]:
    empty, large = World.empty_state(Setup()), _large_state()
    large_time, empty_time = _time_forks(large), _time_forks(empty)
    fork_size = _measure_fork_size(get_scenario("starter"))
    with_repositories, without = _time_platforms(REPOSITORIES), _time_platforms(0)
    return [
        Ratio("fork of a world with 100 repositories, vs none", with_repositories / without, 2),
        Ratio(
            "fork of a world with 100,000 rows, vs an empty one",
            large_time / empty_time,
            2,
            detail=f"{large_time * 1e6:.2f} µs",
        ),
        Ratio("kB per fork of starter", fork_size / 1024, 20),
        *_measure_first_uses(),
    ]


def _measure_first_uses() -> list[Ratio]:
    """Measure what the first requests to a fork cost, when earlier forks have been used in the same way."""
    many, few = _time_first_uses(5_000), _time_first_uses(50)
    return [
        Ratio(f"{name} in a fork with 5,000 issues, vs 50", slow / fast, 3, detail=f"{slow * 1e3:.2f} ms")
        for name, slow, fast in zip(("changing and filtering issues", "deleting an issue"), many, few, strict=True)
    ]


def _time_first_uses(issues: int) -> tuple[float, float]:
    scenario = get_scenario({"extends": "starter", "generate": [{"into": "acme/site", "issues": issues}]})
    base = base_world(scenario)
    headers = {"private-token": "root-token", "content-type": JSON}

    def time_uses(*uses: tuple[str, str, str, bytes]) -> float:
        platform = base.platform()
        start = time.perf_counter()
        for method, path, query, body in uses:
            response = platform.handle(Request(method, path, query, headers, body))
            if response.status >= 400:
                raise RuntimeError(response.body.decode())
        return time.perf_counter() - start

    change, listing = ("PUT", f"{ISSUES}/5", "", b'{"title": "x"}'), ("GET", ISSUES, "labels=bug&state=opened", b"")
    filtering = min(time_uses(change, listing) for _ in range(10))
    return filtering, min(time_uses(("DELETE", f"{ISSUES}/5", "", b"")) for _ in range(10))


def _large_state() -> State:
    draft = WorldDraft(World.empty_state(Setup()))
    draft.stars.add_many([Star(80_001 + n, n % 1000, n, "2020-11-20T09:00:00.000Z") for n in range(ROWS)])
    return draft.frozen()


def _time_forks(state: State) -> float:
    best = 1.0
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(FORKS):
            WorldDraft(state)
        best = min(best, (time.perf_counter() - start) / FORKS)
    return best


def _time_platforms(repositories: int) -> float:
    """Return the seconds to create a platform from a scenario whose repositories are already loaded."""
    commits = [{"message": "first", "author": "root", "files": {"README.md": "# Example\n"}}]
    projects = [{"path": f"project-{n}", "repository": {"commits": commits}} for n in range(repositories)]
    base = base_world(get_scenario({"groups": [{"path": "all", "projects": projects}]}))
    first = base.platform()
    for project in first.view.projects.all():
        open_repository(first.view, project).count()
    best = 1.0
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(FORKS // 20):
            base.platform()
        best = min(best, (time.perf_counter() - start) / (FORKS // 20))
    return best


def _measure_fork_size(scenario: object) -> float:
    warm_up = [create_platform(scenario) for _ in range(3)]  # type: ignore[arg-type]
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    platforms = [create_platform(scenario) for _ in range(50)]  # type: ignore[arg-type]
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    added = sum(line.size_diff for line in after.compare_to(before, "filename"))
    del warm_up
    return added / len(platforms)
