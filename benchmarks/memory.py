"""How memory grows: of a server that refuses, and of a session of tests. Linux only, by /proc.

pytest keeps the reports of all tests, and a finalizer for each fixture that asks for one of the session; that is
measured with a plain fixture of the same shape and subtracted.
"""

import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.servers import fakeplat, source_tree

_REFUSED = 300_000
_AT_ONCE = 100
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
    own = _growth_of_session("fakeplat", "fakeplat.as_user('ada').get('projects')")
    plain = _growth_of_session("plain", "pass")
    return [
        Ratio("MB that 300,000 refused requests add to a server", _growth_of_server(), 20),
        Ratio("MB that 9,000 tests add to a session, beyond pytest's own", own - plain, 10),
    ]


def _growth_of_server() -> float:
    with fakeplat() as (port, running), socket.create_connection(("127.0.0.1", port)) as client:
        before = _resident(running.pid)
        with client.makefile("rb") as answers:
            for first in range(1_000_000, 1_000_000 + _REFUSED, _AT_ONCE):
                client.sendall(b"".join(_REQUEST % number for number in range(first, first + _AT_ONCE)))
                for _ in range(_AT_ONCE):
                    head = b"".join(iter(answers.readline, b"\r\n"))
                    found = _LENGTH.search(head)
                    answers.read(int(found[1]) if found else 0)
        return _resident(running.pid) - before


def _growth_of_session(fixture: str, body: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source = _SESSION.format(fixture=fixture, body=body, tests=_TESTS, warm=_WARM)
        Path(folder, "test_growth.py").write_text(source, "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", "no:warnings", folder]
        done = subprocess.run(command, cwd=source_tree(), capture_output=True, text=True, check=True)
    warm, end = (int(line.split()[1]) / 1024 for line in done.stderr.splitlines() if line.startswith("VmRSS"))
    return end - warm


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
