"""Requests per second for one project and for a list of 20, against a bare handler with the same bytes."""

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
        return [_ratio(name, port, path) for name, path in PATHS.items()]


def _ratio(name: str, port: int, path: str) -> Ratio:
    body, _ = call(port, "GET", path)
    with bare(body) as plain:
        pairs = [(requests_per_second(port, path), requests_per_second(plain, path)) for _ in range(ROUNDS)]
    ours, theirs = max(ours for ours, _ in pairs), max(theirs for _, theirs in pairs)
    detail = f"{ours:.0f} against {theirs:.0f} requests per second, {len(body)} bytes"
    return Ratio(f"requests per second, {name}, of a bare handler", ours / theirs, 0.5, most=False, detail=detail)
