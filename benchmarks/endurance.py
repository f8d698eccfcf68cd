"""What long lives leave behind: 10,000 worlds in one process, and a day of a server, minute by minute. Needs /proc.

Growth is counted from the first tenth on, when everything that is made once is there.
"""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import fakeplat
from benchmarks.memory import resident_memory
from benchmarks.ratio import Ratio
from benchmarks.servers import call
from benchmarks.servers import fakeplat as serving

WORLDS = 10_000
MINUTES = 24 * 60
ISSUES = "/api/v4/projects/acme%2Fsite/issues"


class Holding(NamedTuple):
    """What a process holds: its memory in MB, and its threads, sockets and other open files."""

    memory: float
    open: int

    @classmethod
    def of(cls, pid: int) -> "Holding":
        tasks, files = (len(list(Path(f"/proc/{pid}/{name}").iterdir())) for name in ("task", "fd"))
        return cls(resident_memory(pid), tasks + files)


def measure() -> list[Ratio]:
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        worlds = processes.submit(_live_in_worlds).result()
    # The caches of a server fill up to their limits, and its last connection may still be there.
    return [*_report(f"of {WORLDS:,} worlds", *worlds, 5, 0), *_report("of a day of a server", *_live_a_day(), 40, 1)]


def _report(what: str, before: Holding, after: Holding, memory: float, files: int) -> list[Ratio]:
    return [
        Ratio(f"MB {what}", after.memory - before.memory, memory),
        Ratio(f"threads, sockets and files {what}", after.open - before.open, files),
    ]


def _live_in_worlds() -> tuple[Holding, Holding]:
    def live(_: int) -> None:
        with fakeplat.start(scenario="starter") as fake:
            fake.snapshot()
            call(urlsplit(fake.url).port or 0, "POST", ISSUES, {"title": "Another"})
            fake.clock.advance("1h")
            fake.restore()

    return _watch(os.getpid(), WORLDS, live)


def _live_a_day() -> tuple[Holding, Holding]:
    with serving("--clock=virtual", "--journal-size=1") as (port, server):

        def live(minute: int) -> None:
            call(port, "POST", "/_fakeplat/clock", {"advance": "1m"})
            _, issue = call(port, "POST", ISSUES, {"title": f"At {minute}"})
            call(port, "GET", ISSUES)
            call(port, "DELETE", f"{ISSUES}/{issue['iid']}")

        return _watch(server.pid, MINUTES, live)


def _watch(pid: int, times: int, live: Callable[[int], None]) -> tuple[Holding, Holding]:
    """Return what a process holds after a tenth of its life, and at the end."""
    for number in range(times // 10):
        live(number)
    before = Holding.of(pid)
    for number in range(times // 10, times):
        live(number)
    return before, Holding.of(pid)
