"""Making 20,000 issues through the bulk verb against making the bare records; loading the scenario `large`."""

import time
from collections.abc import Callable
from typing import Any

from benchmarks.ratio import Ratio
from fakeplat import scenario
from fakeplat.core.cache.entries import Cache
from fakeplat.core.clock import START, Clock
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.domain.issues import issues
from fakeplat.domain.people.namespaces import find_project_by_path
from fakeplat.model.issues import Issue
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.generating.rows import ProjectContents, Rows
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of

COUNT = 20_000
ROUNDS = 5


def measure() -> list[Ratio]:
    base = scenario.base_world(scenario.find_scenario("starter")).state
    rows = _rows()
    bare = _best(lambda: lambda: _bare(rows))
    verb = _best(lambda: _verb(base, rows))
    table = _best(lambda: _table(base, rows))
    large = _best(_large)
    return [
        Ratio("20,000 issues by the bulk verb, of bare records", verb / bare, 2, detail=_each(verb, bare)),
        Ratio(
            "the same without the indexes of their table", (verb - table) / bare, 2, detail=_each(verb - table, bare)
        ),
        Ratio("s that loading large takes", large, 2),
    ]


def _each(ours: float, theirs: float) -> str:
    return f"{ours / COUNT * 1e6:.1f} against {theirs / COUNT * 1e6:.1f} µs"


def _best(prepare: Callable[[], Callable[[], Any]]) -> float:
    def once() -> float:
        act = prepare()
        began = time.perf_counter()
        act()
        return time.perf_counter() - began

    return min(once() for _ in range(ROUNDS))


def _rows() -> list[dict[str, Any]]:
    rows = Rows(SeededRandom(0, "bulk"), words_of(0), Clock("virtual", START).now())
    return list(rows.issues(COUNT, ProjectContents(range(1, 9), range(3_001, 3_011), premium=True, ultimate=True)))


def _complete(rows: list[dict[str, Any]]) -> list[Issue]:
    return [Issue(id=20_001 + n, iid=100 + n, project_id=5_001, **row) for n, row in enumerate(rows)]


def _bare(rows: list[dict[str, Any]]) -> None:
    _complete(rows)


def _verb(state: Any, rows: list[dict[str, Any]]) -> Callable[[], Any]:
    world = WorldDraft(state)
    doing = WriteContext(world, clock=Clock("virtual", START), fragments=Cache(), limiter=RateLimiter())
    project = find_project_by_path(world, "acme/site")
    if project is None:
        raise LookupError("starter has no acme/site")
    return lambda: issues.create_many(doing, project, rows)


def _table(state: Any, rows: list[dict[str, Any]]) -> Callable[[], Any]:
    records = _complete(rows)
    return lambda: WorldDraft(state).issues.add_many(records)


def _large() -> Callable[[], Any]:
    from fakeplat.scenario.worlds import _base

    _base.cache_clear()
    found = scenario.find_scenario("large")
    return lambda: scenario.base_world(found)
