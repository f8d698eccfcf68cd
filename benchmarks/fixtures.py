"""A test with the fixture and one request, against a pytest-aiohttp test with a bare one-route application."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.ratio import Ratio

TESTS = 300
OURS = """
import urllib.request, pytest
@pytest.mark.parametrize("n", range({count}))
async def test_ours(fakeplat_client, n):
    async with fakeplat_client.get("version") as answer:
        assert answer.status == 200
"""
THEIRS = """
import pytest
from aiohttp import web
async def hello(request):
    return web.json_response({{"version": "13.5.1"}})
@pytest.mark.parametrize("n", range({count}))
async def test_theirs(aiohttp_client, n):
    app = web.Application()
    app.router.add_get("/", hello)
    client = await aiohttp_client(app)
    answer = await client.get("/")
    assert answer.status == 200
"""


def measure() -> list[Ratio]:
    ours, theirs = _per_test(OURS), _per_test(THEIRS)
    detail = f"{ours * 1000:.2f} against {theirs * 1000:.2f} ms a test"
    imports = _run("pass", 0, "-p", "conftest_plugin") / _run("pass", 0, "-p", "no:conftest_plugin")
    return [
        Ratio("a test with the fixture and a request, of a bare one", ours / theirs, 2, detail=detail),
        Ratio("pytest with the plugin loaded, of pytest without it", imports, 1.1),
    ]


def _per_test(source: str) -> float:
    whole = min(_run(source, TESTS) for _ in range(5))
    start = min(_run(source, 1) for _ in range(3))
    return (whole - start) / (TESTS - 1)


def _run(source: str, count: int, *options: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(source.format(count=count), "utf-8")
        Path(folder, "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *options, folder]
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        took = time.perf_counter() - began
        if done.returncode not in (0, 5):
            raise RuntimeError(done.stdout[-2000:])
        return took
