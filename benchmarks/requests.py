"""The CPU time of a request for a project and for lists, compared with a bare handler that sends the same bytes."""

from subprocess import Popen

from benchmarks.load import cpu_time_per_request
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat

ROUNDS = 7
PATHS = {
    "one project": "/api/v4/projects/acme%2Fsite",
    "a list of 20 projects": "/api/v4/projects?per_page=20",
    "a filtered list of 20 projects": "/api/v4/projects?per_page=20&visibility=private&order_by=name",
}


def measure() -> list[Ratio]:
    with fakeplat() as (port, server):
        for number in range(30):
            call(port, "POST", "/api/v4/projects", {"name": f"Bench {number}"})
        return [_measure_path(name, server, port, path) for name, path in PATHS.items()]


def _measure_path(name: str, server: "Popen[bytes]", port: int, path: str) -> Ratio:
    body, _ = call(port, "GET", path)
    with bare(body) as (bare_port, bare_server):
        pairs = [
            (cpu_time_per_request(server, port, path), cpu_time_per_request(bare_server, bare_port, path))
            for _ in range(ROUNDS)
        ]
    # Whatever disturbs a measurement makes it longer.
    ours, theirs = min(ours for ours, _ in pairs), min(theirs for _, theirs in pairs)
    detail = f"{ours:.0f} vs {theirs:.0f} µs of CPU time, {len(body)} bytes"
    return Ratio(f"requests per CPU time, {name}, vs a bare handler", theirs / ours, 1.05, most=False, detail=detail)
