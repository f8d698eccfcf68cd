"""Memory of an idle server."""

from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.servers import fakeplat


def measure() -> list[Ratio]:
    with fakeplat() as (_, server):
        status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return [Ratio("MB of an idle server", resident / 1024, 80)]
