"""What explaining costs: requests of a world that tells every reason, against the same in one that does not.

In one process and in turns, the median of many rounds: over sockets the machine's noise is larger than the cost.
"""

from statistics import median
from time import perf_counter

from benchmarks.ratio import Ratio
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.workbench.options import Options

PATH = "/api/v4/projects/acme%2Fsite"
BATCH = 300
ROUNDS = 300


def measure() -> list[Ratio]:
    request = Request("GET", PATH, headers={"private-token": "root-token"})
    telling, silent = (Options(explain=explain).bench().platform for explain in (True, False))
    ratios = [_batch(silent, request) / _batch(telling, request) for _ in range(ROUNDS)]
    return [Ratio("requests per second, explaining, of not explaining", median(ratios), 0.99, most=False)]


def _batch(world: Platform, request: Request) -> float:
    began = perf_counter()
    for _ in range(BATCH):
        world.handle(request)
    return perf_counter() - began
