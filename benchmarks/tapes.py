"""Replaying a tape against a bare handler with the same bytes; a server that records against one that does not."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat, free_port, process, wait_for

ONE = "/api/v4/projects/acme%2Fsite"
TWENTY = "/api/v4/projects?per_page=20"


def measure() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "tape"
        with fakeplat() as (plain, _), fakeplat("--record", str(tape)) as (recording, _):
            body, _ = call(recording, "GET", ONE)
            call(recording, "GET", TWENTY)
            taken = Path(folder) / "taken"
            taken.write_bytes(tape.read_bytes())
            recorded = [_recording(name, recording, plain, path) for name, path in (("one", ONE), ("20", TWENTY))]
        with replaying(taken) as replayed, bare(body) as handler:
            return [_replaying(replayed, handler), *recorded]


def _replaying(replayed: int, handler: int) -> Ratio:
    ours, theirs = _best(replayed, handler, ONE)
    detail = f"{ours:.0f} against {theirs:.0f} requests per second"
    return Ratio("replaying one project, of a bare handler", ours / theirs, 0.7, most=False, detail=detail)


def _recording(name: str, recording: int, plain: int, path: str) -> Ratio:
    ours, theirs = _best(recording, plain, path)
    detail = f"{ours:.0f} against {theirs:.0f} requests per second"
    return Ratio(f"recording projects, {name}, of not recording", ours / theirs, 0.9, most=False, detail=detail)


def _best(first: int, second: int, path: str) -> tuple[float, float]:
    """Measured in turns, so that both meet the machine in the same moods."""
    pairs = [(requests_per_second(first, path), requests_per_second(second, path)) for _ in range(ROUNDS)]
    return max(one for one, _ in pairs), max(other for _, other in pairs)


@contextmanager
def replaying(tape: Path) -> Iterator[int]:
    port = free_port()
    with process("-m", "fakeplat", "replay", str(tape), "--port", str(port)):
        wait_for(port)
        yield port
