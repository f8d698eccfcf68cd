"""Print ratios; each compares fakeplat with a simple baseline on the same machine.

``python -m benchmarks [name …]`` runs all benchmarks or the named ones. Timings vary, so nothing is asserted. With
``--write`` the results of all stand in docs/performance.md.
"""

import sys
from collections.abc import Callable

from benchmarks import (
    alerts,
    artifacts,
    bulk,
    clone,
    endurance,
    explaining,
    first_test,
    fixtures,
    footprint,
    forks,
    git,
    graphql,
    hooks,
    http_servers,
    issues,
    memory,
    merge_requests,
    pipelines,
    registry,
    requests,
    scale,
    startup,
    tapes,
    transports,
    workers,
)
from benchmarks.performance_page import write_table
from benchmarks.ratio import Ratio

WRITE = "--write"

BENCHMARKS: dict[str, Callable[[], list[Ratio]]] = {
    "requests": requests.measure,
    "first_test": first_test.measure,
    "fixtures": fixtures.measure,
    "forks": forks.measure,
    "bulk": bulk.measure,
    "startup": startup.measure,
    "footprint": footprint.measure,
    "memory": memory.measure,
    "endurance": endurance.measure,
    "issues": issues.measure,
    "scale": scale.measure,
    "merge_requests": merge_requests.measure,
    "pipelines": pipelines.measure,
    "registry": registry.measure,
    "alerts": alerts.measure,
    "artifacts": artifacts.measure,
    "hooks": hooks.measure,
    "http_servers": http_servers.measure,
    "tapes": tapes.measure,
    "explaining": explaining.measure,
    "git": git.measure,
    "graphql": graphql.measure,
    "clone": clone.measure,
    "transports": transports.measure,
    "workers": workers.measure,
}


def main(names: list[str], *, is_written: bool) -> None:
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}; available: {', '.join(BENCHMARKS)}")
    ratios = []
    for name in names or BENCHMARKS:
        for ratio in BENCHMARKS[name]():
            print(ratio, flush=True)
            ratios.append(ratio)
    if is_written:
        write_table("goals", ("ratio", "value", "goal", ""), [ratio.cells() for ratio in ratios])


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name != WRITE], is_written=WRITE in sys.argv)
