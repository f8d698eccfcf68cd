"""Worlds and servers leave nothing behind: no threads, sockets, files or memory, however they end."""

import errno
import gc
import json
import os
import resource
import signal
import subprocess
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import fakeplat
from fakeplat.cli.files import write_private
from fakeplat.tape.formats import tape
from tests.clients.server import INSTALLED, serving

WARM_UP = 20
WORLDS = 150


def request(url: str, method: str = "GET", path: str = "/api/v4/projects", body: bytes = b"") -> int:
    """Send a request as ada and return the status."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=20)
    headers = {"PRIVATE-TOKEN": "ada-token", "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def use_world() -> None:
    """Serve a world, write to it over HTTP, fork it by a snapshot, and stop it."""
    with fakeplat.start(scenario="starter") as fake:
        fake.snapshot()
        assert 201 == request(fake.url, "POST", "/api/v4/projects/acme%2Fsite/issues", b'{"title": "t"}')
        fake.restore()
        fake.clock.advance("1d")


def count_open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the operating system does not list open files")
def test_many_worlds_leave_nothing() -> None:
    """After many worlds there are as many threads and open files as after a few, and hardly more objects."""
    for _ in range(WARM_UP):
        use_world()
    gc.collect()
    before = threading.active_count(), count_open_files()
    objects = len(gc.get_objects())
    for _ in range(WORLDS):
        use_world()
    gc.collect()
    assert before == (threading.active_count(), count_open_files())
    assert len(gc.get_objects()) - objects < 10 * WORLDS


def read_process(pid: int) -> tuple[int, int, int]:
    """Return how many threads, open files and kilobytes of memory a process has."""
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines())
    return int(status["Threads"]), sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()), int(status["VmRSS"].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the operating system does not describe processes")
def test_a_server_in_fast_motion_keeps_its_size(tmp_path: Path) -> None:
    """A server that lives through 200 days and resets has as many threads and files as before, and its memory."""
    with serving(tmp_path, "--clock=virtual") as server:

        def live(days: int) -> tuple[int, int, int]:
            for _ in range(days):
                assert 200 == request(server["url"], "POST", "/_fakeplat/clock", b'{"advance": "24h"}')
                assert 201 == request(server["url"], "POST", "/api/v4/projects/acme%2Fsite/issues", b'{"title": "t"}')
                assert 204 == request(server["url"], "POST", "/_fakeplat/reset")
            return read_process(server["pid"])

        threads, files, memory = live(50)
        later = live(150)
        assert threads == later[0]
        # A connection that was just closed may still be there.
        assert later[1] - files < 5
        assert later[2] - memory < 5_000


def test_what_is_recorded_survives_a_kill(tmp_path: Path) -> None:
    """A tape of a recorder that is killed can be read, with what was recorded before."""
    with fakeplat.start(scenario="starter") as fake:
        ready, recorded = tmp_path / "ready.json", tmp_path / "session.tape"
        options: list[str | Path] = ["--upstream", fake.url, "--out", recorded, "--port", "0", "--ready-file", ready]
        with subprocess.Popen([INSTALLED, "record", *options], stdout=subprocess.DEVNULL) as recorder:
            while not ready.exists():
                assert recorder.poll() is None
                time.sleep(0.02)
            url = json.loads(ready.read_text("utf-8"))["url"]
            statuses = [request(url) for _ in range(20)]
            recorder.send_signal(signal.SIGKILL)
    assert 20 == statuses.count(200)
    assert 20 == len(tape.read(recorded))


def test_a_full_disk_leaves_no_half_written_file(tmp_path: Path) -> None:
    """A file that does not fit on the disk is not there, nor is a part of it, and the former one is as it was."""
    file = tmp_path / "ready.json"
    write_private(file, "before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(OSError, match="too large") as raised:
            write_private(file, "x" * 5_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    assert errno.EFBIG == raised.value.errno
    assert ["ready.json"] == [path.name for path in tmp_path.iterdir()]
    assert "before" == file.read_text("utf-8")


def test_a_closed_pipe_is_no_error() -> None:
    """A command whose reader has gone ends without a traceback."""
    with subprocess.Popen([INSTALLED, "scenario", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("jump", [-86_400, 86_400 * 30])
def test_a_clock_that_jumps_is_no_error(monkeypatch: pytest.MonkeyPatch, jump: int) -> None:
    """A world that follows the wall clock goes on when that is set back, or the machine slept for a month."""
    with fakeplat.start(scenario="starter", clock="real", listen=False) as fake:
        ada = fake.as_user("ada")
        first = ada.post("projects/acme%2Fsite/issues", json={"title": "before"})
        wall = time.time_ns
        monkeypatch.setattr("fakeplat.core.clock.time.time_ns", lambda: wall() + jump * 10**9)
        second = ada.post("projects/acme%2Fsite/issues", json={"title": "after"})
        assert (201, 201) == (first.status, second.status)
        assert {"before", "after"} <= {issue["title"] for issue in ada.get("projects/acme%2Fsite/issues").json()}
        assert (first.json()["created_at"] < second.json()["created_at"]) is (jump > 0)
        assert [] == fake.bench.platform.failures


def test_a_closed_log_stops_no_server(tmp_path: Path) -> None:
    """A server goes on when nobody reads its log any more."""
    ready = tmp_path / "ready.json"
    command: list[str | Path] = [INSTALLED, "serve", "--port", "0", "--log", "--ready-file", ready]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        while not ready.exists():
            assert server.poll() is None
            time.sleep(0.02)
        assert server.stderr is not None
        server.stderr.close()
        url = json.loads(ready.read_text("utf-8"))["url"]
        assert [200] * 3 == [request(url) for _ in range(3)]
        server.terminate()
    assert 0 == server.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the operating system has no file that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["scenario", "list"], ["openapi"]], ids=" ".join)
def test_output_that_does_not_fit_is_one_line(arguments: list[str]) -> None:
    """A command whose output does not fit on the disk says so in one line, with status 1."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([INSTALLED, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (1, "fakeplat: standard output: No space left on device\n") == (done.returncode, done.stderr)


def limit_files() -> None:
    """Let the process write files of at most 10 kB; further bytes are an error, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_output_that_fits_in_part_is_an_error(tmp_path: Path, unbuffered: str) -> None:
    """A command whose output fits on the disk in part has status 1, whatever PYTHONUNBUFFERED is."""
    with (tmp_path / "openapi.json").open("wb") as file:
        done = subprocess.run(
            [INSTALLED, "openapi"],
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            preexec_fn=limit_files,
        )
    assert (1, "fakeplat: standard output: File too large\n") == (done.returncode, done.stderr)
