"""A list of 20 projects by fakeplat's own HTTP server and by uvicorn, each compared with a bare aiohttp handler.

The decision for our own server rests on it: docs/decisions/http-server.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat, free_port, process, wait_for

PATH = "/api/v4/projects?per_page=20"


def measure() -> list[Ratio]:
    with fakeplat() as (own, _), _uvicorn() as uvicorn:
        bodies = [_fill(port) for port in (own, uvicorn)]
        with bare(bodies[0]) as (baseline, _):
            ports = (own, uvicorn, baseline)
            # The servers take turns, so that a busy moment of the machine strikes all of them.
            rounds = [[requests_per_second(port, PATH) for port in ports] for _ in range(ROUNDS)]
    ours, theirs, plain = (max(column) for column in zip(*rounds, strict=True))
    detail = f"{ours:.0f}, {theirs:.0f} and {plain:.0f} requests per second (own, uvicorn, bare)"
    return [
        Ratio("a list of 20 by our own server, vs a bare handler", ours / plain, 0.7, most=False, detail=detail),
        Ratio("a list of 20 by uvicorn, vs a bare handler", theirs / plain, 0.7, most=False, detail=detail),
    ]


@contextmanager
def _uvicorn() -> Iterator[int]:
    port = free_port()
    options = ("--port", str(port), "--no-access-log", "--log-level", "error", "--http", "httptools")
    with process("-m", "uvicorn", "fakeplat.asgi:app", *options):
        wait_for(port)
        yield port


def _fill(port: int) -> bytes:
    for number in range(30):
        call(port, "POST", "/api/v4/projects", {"name": f"Bench {number}"})
    return call(port, "GET", PATH)[0]
