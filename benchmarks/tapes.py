"""Replaying a tape, compared with a bare handler that sends the same bytes; serving with and without recording."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.load import ROUNDS, cpu_time_per_request, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat, free_port, process, wait_for

Served = tuple[int, "subprocess.Popen[bytes]"]
PROJECT = "/api/v4/projects/acme%2Fsite"
PROJECTS = "/api/v4/projects?per_page=20"


def measure() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "tape"
        with fakeplat() as plain, fakeplat("--record", str(tape)) as recording:
            body, _ = call(recording[0], "GET", PROJECT)
            call(recording[0], "GET", PROJECTS)
            copy = Path(folder) / "taken"
            copy.write_bytes(tape.read_bytes())
            recorded = [
                _measure_recording("one project", recording, plain, PROJECT, 0.9),
                _measure_recording("a list of 20 projects", recording, plain, PROJECTS, 0.95),
            ]
        with replaying(copy) as replayed, bare(body) as (handler, _):
            return [_measure_replaying(replayed, handler), *recorded]


def _measure_replaying(replayed: int, handler: int) -> Ratio:
    ours, theirs = _best_rates(replayed, handler, PROJECT)
    detail = f"{ours:.0f} vs {theirs:.0f} requests per second"
    return Ratio("replaying a project, vs a bare handler", ours / theirs, 0.7, most=False, detail=detail)


def _measure_recording(name: str, recording: Served, plain: Served, path: str, goal: float) -> Ratio:
    # What recording costs is less than what the client and the other server do to a rate on the same cores.
    pairs = [
        tuple(cpu_time_per_request(server, port, path) for port, server in (recording, plain)) for _ in range(ROUNDS)
    ]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    detail = f"{ours:.0f} vs {theirs:.0f} µs of CPU time"
    return Ratio(f"requests per CPU time, recording {name}, vs not", theirs / ours, goal, most=False, detail=detail)


def _best_rates(first: int, second: int, path: str) -> tuple[float, float]:
    """Return the best rates, measured in turns, so that other load on the machine affects both."""
    pairs = [(requests_per_second(first, path), requests_per_second(second, path)) for _ in range(ROUNDS)]
    return max(rate for rate, _ in pairs), max(rate for _, rate in pairs)


@contextmanager
def replaying(tape: Path) -> Iterator[int]:
    port = free_port()
    with process("-m", "fakeplat", "replay", str(tape), "--port", str(port)):
        wait_for(port)
        yield port
