"""A million issues: memory of a row and lists compared with a thousand; memory of 1,000 forks. Needs /proc."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.issues import FILTERS, ORDERS, time_page
from benchmarks.memory import resident_memory
from benchmarks.ratio import Ratio
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

FEW, MANY = 1_000, 1_000_000
FORKS = 1_000
ISSUES = "/api/v4/projects/acme%2Fsite/issues"


def measure() -> list[Ratio]:
    # Processes of their own, because what other benchmarks leave behind would count.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        return [*processes.submit(_measure_rows).result(), *processes.submit(_measure_forks).result()]


def _measure_rows() -> list[Ratio]:
    small = _create_world(FEW)
    before, start = resident_memory(os.getpid()), time.perf_counter()
    large = _create_world(MANY)
    seconds, added = time.perf_counter() - start, resident_memory(os.getpid()) - before
    for platform in (small, large):
        time_page(platform, "")  # excludes what is computed once per process
    slowest = max(
        (time_page(large, query) * 1000, query)
        for query in (f"{filter_}&order_by={order}" for filter_ in FILTERS for order in ORDERS)
    )
    return [
        Ratio("kB per issue of 1,000,000", added * 1024 / MANY, 1.2, detail=f"loaded in {seconds:.0f} s"),
        Ratio("first page of 1,000,000 issues, vs 1,000", time_page(large, "") / time_page(small, ""), 2),
        Ratio("ms of the slowest filter and order, 1,000,000 issues", slowest[0], 2, detail=slowest[1]),
    ]


def _create_world(issues: int) -> Platform:
    return create_platform(get_scenario({"extends": "starter", "generate": [{"into": "acme/site", "issues": issues}]}))


def _measure_forks() -> list[Ratio]:
    """Measure worlds of a test session that all live, each with a read and a write of its own."""
    warm_up = [_use(create_platform(get_scenario("starter"))) for _ in range(5)]
    before = resident_memory(os.getpid())
    forks = [create_platform(get_scenario("starter")) for _ in range(FORKS)]
    unused = resident_memory(os.getpid()) - before
    for fork in forks:
        _use(fork)
    used = resident_memory(os.getpid()) - before
    del warm_up
    return [
        Ratio("MB of 1,000 worlds forked from one", unused, 50, detail=f"{used:.0f} after a read and a write in each")
    ]


def _use(platform: Platform) -> Platform:
    headers = {"private-token": "root-token", "content-type": JSON}
    platform.handle(Request("GET", ISSUES, "", headers))
    platform.handle(Request("POST", ISSUES, "", headers, b'{"title": "Another"}'))
    return platform
