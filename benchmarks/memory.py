"""Memory growth of a server that refuses requests, and of a test session. Needs /proc, so Linux only.

pytest stores the reports of all tests, and a finalizer for each fixture that depends on a session fixture. That
growth is measured with a plain fixture of the same form and subtracted.
"""

import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.servers import fakeplat, source_tree

_REQUESTS = 300_000
_BATCH = 100
_TESTS = 10_000
_WARM = 1_000
_REQUEST = b"GET /api/v4/users/%d HTTP/1.1\r\nHost: localhost\r\nPRIVATE-TOKEN: ada-token\r\n\r\n"
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_SESSION = """
import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", range({tests}))
def test_it({fixture}, number):
    {body}
    if number in ({warm}, {tests} - 1):
        status = Path("/proc/self/status").read_text()
        os.write(2, next(line for line in status.splitlines() if line.startswith("VmRSS")).encode() + b"\\n")


@pytest.fixture(scope="session")
def options():
    return {{}}


@pytest.fixture
def plain(options):
    yield options
"""


def measure() -> list[Ratio]:
    with_fakeplat = _measure_session_growth("fakeplat", "fakeplat.as_user('ada').get('projects')")
    baseline = _measure_session_growth("plain", "pass")
    return [
        Ratio("MB of 300,000 refused requests in a server", _measure_server_growth(), 20),
        Ratio("MB of 9,000 tests in a session, without pytest's own", with_fakeplat - baseline, 10),
    ]


def _measure_server_growth() -> float:
    with fakeplat() as (port, server), socket.create_connection(("127.0.0.1", port)) as client:
        before = resident_memory(server.pid)
        with client.makefile("rb") as answers:
            for first in range(1_000_000, 1_000_000 + _REQUESTS, _BATCH):
                client.sendall(b"".join(_REQUEST % number for number in range(first, first + _BATCH)))
                for _ in range(_BATCH):
                    head = b"".join(iter(answers.readline, b"\r\n"))
                    length = _LENGTH.search(head)
                    answers.read(int(length[1]) if length else 0)
        return resident_memory(server.pid) - before


def _measure_session_growth(fixture: str, body: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source = _SESSION.format(fixture=fixture, body=body, tests=_TESTS, warm=_WARM)
        Path(folder, "test_growth.py").write_text(source, "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", "no:warnings", folder]
        result = subprocess.run(command, cwd=source_tree(), capture_output=True, text=True, check=True)
    warm, end = (int(line.split()[1]) / 1024 for line in result.stderr.splitlines() if line.startswith("VmRSS"))
    return end - warm


def resident_memory(pid: int) -> float:
    """Return the memory (MB) of a process."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
