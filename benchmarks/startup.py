"""Until the first answer: `fakeplat serve` against a bare aiohttp script; and what loading `starter` takes."""

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
    compile_dir(source_tree() / "fakeplat", quiet=1)  # as an installation does it
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    ours, theirs = _best(
        lambda: _until_answer("-m", "fakeplat", "serve", "--port"),
        lambda: _until_answer("-m", "benchmarks.bare", "/dev/null"),
    )
    starter, aiohttp = _best(
        lambda: _run("from fakeplat.scenario import find, platform; platform(find('starter'))"),
        lambda: _run("import aiohttp.web"),
    )
    return [
        Ratio("until the first answer, of a bare aiohttp script", ours / theirs, 1.5, detail=_ms(ours, theirs)),
        Ratio("loading starter, of importing aiohttp", starter / aiohttp, 1.5, detail=_ms(starter, aiohttp)),
    ]


def _best(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float]:
    """The shortest of some rounds, taken in turn, so that what else the machine does meets both."""
    rounds = [(ours(), theirs()) for _ in range(ROUNDS)]
    return min(one for one, _ in rounds), min(other for _, other in rounds)


def _ms(ours: float, theirs: float) -> str:
    return f"{ours * 1000:.0f} against {theirs * 1000:.0f} ms"


def _until_answer(*command: str) -> float:
    port = free_port()
    began = time.perf_counter()
    with process(*command, str(port)):
        wait_for(port)
        call(port, "GET", "/api/v4/version")
        return time.perf_counter() - began


def _run(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - began
