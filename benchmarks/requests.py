"""Requests per second for a project and a list of 20, compared with a bare handler that sends the same bytes."""

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat

PATHS = {
    "one project": "/api/v4/projects/acme%2Fsite",
    "a list of 20 projects": "/api/v4/projects?per_page=20",
}


def measure() -> list[Ratio]:
    with fakeplat() as (port, _):
        for number in range(30):
            call(port, "POST", "/api/v4/projects", {"name": f"Bench {number}"})
        return [_measure_path(name, port, path) for name, path in PATHS.items()]


def _measure_path(name: str, port: int, path: str) -> Ratio:
    body, _ = call(port, "GET", path)
    with bare(body) as baseline:
        pairs = [(requests_per_second(port, path), requests_per_second(baseline, path)) for _ in range(ROUNDS)]
    ours, theirs = max(ours for ours, _ in pairs), max(theirs for _, theirs in pairs)
    detail = f"{ours:.0f} vs {theirs:.0f} requests per second, {len(body)} bytes"
    return Ratio(f"requests per second, {name}, vs a bare handler", ours / theirs, 0.5, most=False, detail=detail)
