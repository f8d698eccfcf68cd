"""Forking a world of 100,000 rows, or with 100 repositories, against an empty one; what a fork adds."""

import time
import tracemalloc

from benchmarks.ratio import Ratio
from fakeplat.core.store.state import State
from fakeplat.domain.repository.repositories import open_repository
from fakeplat.model.instance import Setup
from fakeplat.model.projects import Star
from fakeplat.model.world import World, WorldDraft
from fakeplat.scenario import base_world, create_platform, find_scenario

ROWS = 100_000
FORKS = 20_000
REPOSITORIES = 100


def measure() -> list[Ratio]:
    empty, full = World.nothing(Setup()), _full()
    ours, theirs = _time(full), _time(empty)
    kept = _memory(find_scenario("starter"))
    with_code, without = _time_served(REPOSITORIES), _time_served(0)
    return [
        Ratio("fork of a world with 100 repositories, of one with none", with_code / without, 2),
        Ratio("fork of 100,000 rows, of an empty world's", ours / theirs, 2, detail=f"{ours * 1e6:.2f} µs"),
        Ratio("kB that a fork of starter adds", kept / 1024, 20),
    ]


def _full() -> State:
    draft = WorldDraft(World.nothing(Setup()))
    draft.stars.add_many([Star(80_001 + n, n % 1000, n, "2020-11-20T09:00:00.000Z") for n in range(ROWS)])
    return draft.frozen()


def _time(state: State) -> float:
    best = 1.0
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(FORKS):
            WorldDraft(state)
        best = min(best, (time.perf_counter() - began) / FORKS)
    return best


def _time_served(repositories: int) -> float:
    """Seconds to make a platform of its own from a scenario whose repositories were read before."""
    commits = [{"message": "first", "author": "root", "files": {"README.md": "# One of many\n"}}]
    projects = [{"path": f"place-{n}", "repository": {"commits": commits}} for n in range(repositories)]
    made = base_world(find_scenario({"groups": [{"path": "all", "projects": projects}]}))
    first = made.platform()
    for project in first.view.projects.all():
        open_repository(first.view, project).count()
    best = 1.0
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(FORKS // 20):
            made.platform()
        best = min(best, (time.perf_counter() - began) / (FORKS // 20))
    return best


def _memory(scenario: object) -> float:
    made = [create_platform(scenario) for _ in range(3)]  # type: ignore[arg-type]
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    more = [create_platform(scenario) for _ in range(50)]  # type: ignore[arg-type]
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    added = sum(line.size_diff for line in after.compare_to(before, "filename"))
    del made
    return added / len(more)
