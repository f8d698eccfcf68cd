"""Until the first answer: `fakeplat serve` against a bare aiohttp script; and what loading `starter` takes."""

import os
import subprocess
import sys
import time
from compileall import compile_dir

from benchmarks.ratio import Ratio
from benchmarks.servers import call, free_port, process, source_tree, wait_for

ROUNDS = 7


def measure() -> list[Ratio]:
    compile_dir(source_tree() / "fakeplat", quiet=1)  # as an installation does it
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    ours = min(_until_answer("-m", "fakeplat", "serve", "--port") for _ in range(ROUNDS))
    theirs = min(_until_answer("-m", "benchmarks.bare", "/dev/null") for _ in range(ROUNDS))
    aiohttp, starter = (
        _import("import aiohttp.web"),
        _import("import aiohttp.web; from fakeplat.scenario import find, platform; platform(find('starter'))"),
    )
    return [
        Ratio("until the first answer, of a bare aiohttp script", ours / theirs, 1.5, detail=_ms(ours, theirs)),
        Ratio("loading starter, of importing aiohttp", starter / aiohttp, 1.5, detail=_ms(starter, aiohttp)),
    ]


def _ms(ours: float, theirs: float) -> str:
    return f"{ours * 1000:.0f} against {theirs * 1000:.0f} ms"


def _until_answer(*command: str) -> float:
    port = free_port()
    began = time.perf_counter()
    with process(*command, str(port)):
        wait_for(port)
        call(port, "GET", "/api/v4/version")
        return time.perf_counter() - began


def _import(code: str) -> float:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    return min(once() for _ in range(ROUNDS))
