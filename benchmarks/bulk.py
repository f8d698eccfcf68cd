"""Creating 20,000 issues with the bulk function, compared with plain records; loading the scenario `large`."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.ratio import Ratio
from fakeplat import scenario
from fakeplat.core.clock import START, Clock
from fakeplat.domain.issues import issues
from fakeplat.domain.issues.issues import NewIssue
from fakeplat.domain.people.namespaces import find_project_by_path
from fakeplat.model.issues import Issue
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import ANONYMOUS, Services, WriteContext
from fakeplat.scenario.generating.rows import ProjectContents, Rows
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of

COUNT = 20_000
ROUNDS = 5


def measure() -> list[Ratio]:
    base = scenario.base_world(scenario.get_scenario("starter")).state
    rows = _generate_rows()
    records = _best_time(lambda: lambda: _create_records(rows))
    create_many = _best_time(lambda: _create_issues(base, rows))
    table = _best_time(lambda: _add_to_table(base, rows))
    large = _best_time(_load_large)
    return [
        Ratio(
            "20,000 issues with create_many, vs plain records",
            create_many / records,
            2,
            detail=_time_per_issue(create_many, records),
        ),
        Ratio(
            "the same without the indexes of the table",
            (create_many - table) / records,
            2,
            detail=_time_per_issue(create_many - table, records),
        ),
        Ratio("seconds to load large", large, 2),
    ]


def _time_per_issue(ours: float, theirs: float) -> str:
    return f"{ours / COUNT * 1e6:.1f} vs {theirs / COUNT * 1e6:.1f} µs"


def _best_time(prepare: Callable[[], Callable[[], Any]]) -> float:
    def time_once() -> float:
        run = prepare()
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return min(time_once() for _ in range(ROUNDS))


def _generate_rows() -> list[NewIssue]:
    rows = Rows(SeededRandom(0, "bulk"), words_of(0), Clock("virtual", START).now())
    return list(rows.issues(COUNT, ProjectContents(range(1, 9), range(3_001, 3_011), premium=True, ultimate=True)))


def _make_issues(rows: Sequence[Mapping[str, Any]]) -> list[Issue]:
    return [Issue(id=20_001 + n, iid=100 + n, project_id=5_001, **row) for n, row in enumerate(rows)]


def _create_records(rows: list[NewIssue]) -> None:
    _make_issues(rows)


def _create_issues(state: Any, rows: list[NewIssue]) -> Callable[[], Any]:
    world = WorldDraft(state)
    ctx = WriteContext(world, ANONYMOUS, Services(Clock("virtual", START)))
    project = find_project_by_path(world, "acme/site")
    if project is None:
        raise LookupError("starter has no acme/site")
    return lambda: issues.create_many(ctx, project, rows)


def _add_to_table(state: Any, rows: list[NewIssue]) -> Callable[[], Any]:
    records = _make_issues(rows)
    return lambda: WorldDraft(state).issues.add_many(records)


def _load_large() -> Callable[[], Any]:
    from fakeplat.scenario.worlds import _base

    _base.cache_clear()
    large = scenario.get_scenario("large")
    return lambda: scenario.base_world(large)
