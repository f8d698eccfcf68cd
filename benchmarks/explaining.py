"""The cost of the option ``explain``: requests to a world with it, compared with a world without it.

Both run in one process and in turns, and the median of many rounds counts: over sockets, noise exceeds the cost.
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
    explaining, plain = (Options(explain=explain).bench().platform for explain in (True, False))
    ratios = [_time_batch(plain, request) / _time_batch(explaining, request) for _ in range(ROUNDS)]
    return [Ratio("requests per second with explain, vs without", median(ratios), 0.99, most=False)]


def _time_batch(world: Platform, request: Request) -> float:
    start = perf_counter()
    for _ in range(BATCH):
        world.handle(request)
    return perf_counter() - start
