"""Replaying a tape, compared with a bare handler that sends the same bytes; serving with and without recording."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat, free_port, process, wait_for

PROJECT = "/api/v4/projects/acme%2Fsite"
PROJECTS = "/api/v4/projects?per_page=20"


def measure() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "tape"
        with fakeplat() as (plain, _), fakeplat("--record", str(tape)) as (recording, _):
            body, _ = call(recording, "GET", PROJECT)
            call(recording, "GET", PROJECTS)
            copy = Path(folder) / "taken"
            copy.write_bytes(tape.read_bytes())
            recorded = [
                _measure_recording(name, recording, plain, path) for name, path in (("one", PROJECT), ("20", PROJECTS))
            ]
        with replaying(copy) as replayed, bare(body) as (handler, _):
            return [_measure_replaying(replayed, handler), *recorded]


def _measure_replaying(replayed: int, handler: int) -> Ratio:
    ours, theirs = _best_rates(replayed, handler, PROJECT)
    detail = f"{ours:.0f} vs {theirs:.0f} requests per second"
    return Ratio("replaying a project, vs a bare handler", ours / theirs, 0.7, most=False, detail=detail)


def _measure_recording(name: str, recording: int, plain: int, path: str) -> Ratio:
    ours, theirs = _best_rates(recording, plain, path)
    detail = f"{ours:.0f} vs {theirs:.0f} requests per second"
    return Ratio(f"recording projects, {name}, vs not recording", ours / theirs, 0.9, most=False, detail=detail)


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
