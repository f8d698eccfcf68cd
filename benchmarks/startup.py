"""Time to the first response of `fakeplat serve`, compared with a bare aiohttp script; loading `starter`."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from compileall import compile_dir

from benchmarks.ratio import Ratio
from benchmarks.servers import call, free_port, process, source_tree, wait_for

ROUNDS = 9


def measure() -> list[Ratio]:
    compile_dir(source_tree() / "fakeplat", quiet=1)  # as an installation does
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    ours, theirs = _best_times(
        lambda: _time_to_response("-m", "fakeplat", "serve", "--port"),
        lambda: _time_to_response("-m", "benchmarks.bare", "/dev/null"),
    )
    starter, aiohttp = _best_times(
        lambda: _time_code(
            "from fakeplat.scenario import create_platform, get_scenario; create_platform(get_scenario('starter'))"
        ),
        lambda: _time_code("import aiohttp.web"),
    )
    return [
        Ratio("time to the first response, vs a bare aiohttp script", ours / theirs, 1.5, detail=_ms(ours, theirs)),
        Ratio("loading starter, vs importing aiohttp", starter / aiohttp, 1.5, detail=_ms(starter, aiohttp)),
    ]


def _best_times(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float]:
    """Return the shortest times, measured in turns, so that other load on the machine affects both."""
    rounds = [(ours(), theirs()) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


def _ms(ours: float, theirs: float) -> str:
    return f"{ours * 1000:.0f} vs {theirs * 1000:.0f} ms"


def _time_to_response(*command: str) -> float:
    port = free_port()
    start = time.perf_counter()
    with process(*command, str(port)):
        wait_for(port)
        call(port, "GET", "/api/v4/version")
        return time.perf_counter() - start


def _time_code(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start
