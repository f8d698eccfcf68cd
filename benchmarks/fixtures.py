"""A test with the fixture and one request, compared with a pytest-aiohttp test of a one-route application."""

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
    ours, theirs = _seconds_per_test(OURS), _seconds_per_test(THEIRS)
    detail = f"{ours * 1000:.2f} vs {theirs * 1000:.2f} ms per test"
    imports = _run("pass", 0, "-p", "conftest_plugin") / _run("pass", 0, "-p", "no:conftest_plugin")
    return [
        Ratio("a test with the fixture and a request, vs a bare one", ours / theirs, 2, detail=detail),
        Ratio("pytest with the plugin, vs without", imports, 1.1),
    ]


def _seconds_per_test(source: str) -> float:
    total = min(_run(source, TESTS) for _ in range(5))
    startup = min(_run(source, 1) for _ in range(3))
    return (total - startup) / (TESTS - 1)


def _run(source: str, count: int, *options: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text(source.format(count=count), "utf-8")
        Path(folder, "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *options, folder]
        start = time.perf_counter()
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        seconds = time.perf_counter() - start
        if result.returncode not in (0, 5):
            raise RuntimeError(result.stdout[-2000:])
        return seconds
