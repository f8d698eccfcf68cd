"""Other ways to fake an HTTP API, side by side: ``python -m benchmarks.peers FOLDER`` (`make bench-peers`).

FOLDER has their programs: an environment of Python, and packages of npm. Each server answers the same project, as far
as it can, and takes writes. What a peer is made for differs, so the table says what each one knows of the platform.
The results stand in docs/performance.md.
"""

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from benchmarks.performance_page import write_table
from benchmarks.servers import call, fakeplat, free_port

REQUESTS: Final = 3_000
TESTS: Final = 200
ROUNDS: Final = 3
_PATIENCE: Final = 60.0
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_PROJECT: Final = "/api/v4/projects/acme%2Fsite"

ASGI: Final = """
BODY = open({body!r}, "rb").read()

async def app(scope, receive, send):
    if scope["type"] == "http":
        await receive()
        head = [(b"content-type", b"application/json")]
        await send({{"type": "http.response.start", "status": 200, "headers": head}})
        await send({{"type": "http.response.body", "body": BODY}})
"""

OURS: Final = """
import pytest, requests
@pytest.mark.parametrize("n", range({count}))
def test_one(fakeplat, n):
    headers = {{"PRIVATE-TOKEN": "ada-token"}}
    assert requests.get(fakeplat.api_url + "/projects/acme%2Fsite", headers=headers).status_code == 200
"""
HTTPSERVER: Final = """
import pytest, requests
@pytest.mark.parametrize("n", range({count}))
def test_one(httpserver, n):
    httpserver.expect_request("/api/v4/projects/1").respond_with_json({{"id": 1}})
    assert requests.get(httpserver.url_for("/api/v4/projects/1")).status_code == 200
"""
RESPONSES: Final = """
import pytest, requests, responses
@pytest.mark.parametrize("n", range({count}))
@responses.activate
def test_one(n):
    responses.get("http://git.example.test/api/v4/projects/1", json={{"id": 1}})
    assert requests.get("http://git.example.test/api/v4/projects/1").status_code == 200
"""
AIOHTTP: Final = """
import pytest
from aiohttp import web
@pytest.mark.parametrize("n", range({count}))
async def test_one(aiohttp_client, n):
    async def answer(request):
        return web.json_response({{"id": 1}})
    app = web.Application()
    app.router.add_get("/api/v4/projects/1", answer)
    client = await aiohttp_client(app)
    assert (await client.get("/api/v4/projects/1")).status == 200
"""


class Server(NamedTuple):
    """A server to start: its command, and the requests of a read and a write; ``{port}`` and ``{n}`` are filled in."""

    name: str
    knows: str
    command: Sequence[str]
    read: str
    write: tuple[str, str, Any]
    before: tuple[tuple[str, str, Any], ...] = ()
    headers: Mapping[str, str] = MappingProxyType({"PRIVATE-TOKEN": "root-token"})


class Figures(NamedTuple):
    """What a server costs: CPU times in µs for each request, memory in MB after the reads."""

    start: float
    memory: float
    read: float
    write: float


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        servers = list(_list_servers(folder, Path(scratch)))
        rows = [_describe(server, _measure(server)) for server in servers]
        heading = ("server", "knows", "start, s", "memory, MB", "read, µs of CPU", "write, µs of CPU")
        write_table("servers", heading, rows, bars=4)
        heading_of_tests = ("test with one request", "CPU of a later test, ms", "CPU of a session with one test, s")
        write_table("tests", heading_of_tests, _measure_tests(folder, Path(scratch)), bars=1)


def _describe(server: Server, figures: Figures) -> Sequence[str]:
    numbers = (f"{figures.start:.2f}", f"{figures.memory:.0f}", f"{figures.read:.0f}", f"{figures.write:.0f}")
    return (server.name, server.knows, *numbers)


def _list_servers(folder: Path, scratch: Path) -> Iterator[Server]:
    python, modules = str(folder / "venv/bin/python"), folder / "node_modules"
    body, document = scratch / "project.json", scratch / "openapi.json"
    with fakeplat() as (port, _):
        body.write_bytes(call(port, "GET", _PROJECT)[0])
        document.write_bytes(call(port, "GET", "/_fakeplat/openapi.json")[0])
    (scratch / "bare_asgi.py").write_text(ASGI.format(body=str(body)), "utf-8")
    project = json.loads(body.read_text("utf-8"))
    (scratch / "db.json").write_text(json.dumps({"projects": [project], "labels": []}), "utf-8")
    (scratch / "wiremock/mappings").mkdir(parents=True)
    for method, status in (("GET", 200), ("POST", 201)):
        stub = {"request": {"method": method, "urlPattern": ".*"}, "response": {"status": status, "jsonBody": project}}
        (scratch / f"wiremock/mappings/{method}.json").write_text(json.dumps(stub), "utf-8")
    label = {"name": "label {n}", "color": "#ff0000"}
    labels = ("POST", f"{_PROJECT}/labels", label)
    yield Server(
        "fakeplat", "the platform", (sys.executable, "-m", "fakeplat", "serve", "--port", "{port}"), _PROJECT, labels
    )
    yield Server(
        "a bare aiohttp handler",
        "one body",
        (sys.executable, "-m", "benchmarks.bare", str(body), "{port}"),
        "/",
        labels,
    )
    uvicorn = (sys.executable, "-m", "uvicorn", "bare_asgi:app", "--app-dir", str(scratch), "--port", "{port}")
    yield Server("a bare uvicorn application", "one body", (*uvicorn, "--no-access-log"), "/", labels)
    yield Server(
        "moto's server (S3)",
        "another platform",
        (str(Path(python).with_name("moto_server")), "-p", "{port}"),
        "/bench/project.json",
        ("PUT", "/bench/{n}.json", label),
        (("PUT", "/bench", None), ("PUT", "/bench/project.json", project)),
        # The signature is not checked.
        {"Authorization": "AWS4-HMAC-SHA256 Credential=a/20201120/us-east-1/s3/aws4_request, Signature=b"},
    )
    json_server = ("node", str(modules / "json-server/lib/cli/bin.js"), "--quiet", "--port", "{port}")
    yield Server(
        "json-server",
        "a JSON file",
        (*json_server, str(scratch / "db.json")),
        f"/projects/{project['id']}",
        ("POST", "/labels", label),
    )
    prism = ("node", str(modules / "@stoplight/prism-cli/dist/index.js"), "mock", "--port", "{port}", str(document))
    yield Server("Prism", "an OpenAPI document", prism, "/api/v4/version", labels)
    (jar,) = modules.glob("wiremock/build/*.jar")
    yield Server(
        "WireMock",
        "stubs",
        ("java", "-jar", str(jar), "--port", "{port}", "--root-dir", str(scratch / "wiremock"), "--no-request-journal"),
        "/projects/1",
        labels,
    )


def _measure(server: Server) -> Figures:
    rounds = [_measure_once(server) for _ in range(ROUNDS)]
    return Figures(*(min(column) for column in zip(*rounds, strict=True)))


def _measure_once(server: Server) -> Figures:
    port = free_port()
    started = time.perf_counter()
    with _running([part.replace("{port}", str(port)) for part in server.command]) as process:
        _wait(port, server, process)
        start = time.perf_counter() - started
        read = _cpu_of_requests(server, process, port, [("GET", server.read, None)] * REQUESTS)
        memory = sum(_memory(pid) for pid in _list_tree(process.pid)) / 1e6
        method, path, body = server.write
        writes = [(method, path.replace("{n}", str(n)), _fill(body, n)) for n in range(REQUESTS // 3)]
        return Figures(start, memory, read, _cpu_of_requests(server, process, port, writes))


def _fill(body: Mapping[str, str], number: int) -> Mapping[str, str]:
    return {name: value.replace("{n}", str(number)) for name, value in body.items()}


@contextmanager
def _running(command: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path.cwd())
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()


def _wait(port: int, server: Server, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers, and send it what it needs first."""
    deadline = time.perf_counter() + _PATIENCE
    while time.perf_counter() < deadline and process.poll() is None:
        try:
            _send(port, [*server.before, ("GET", server.read, None)], server.headers)
        except OSError:
            time.sleep(0.005)
        else:
            return
    raise RuntimeError(f"{server.name} did not start")


def _send(port: int, requests: Sequence[tuple[str, str, Any]], headers: Mapping[str, str]) -> None:
    """Send requests on one connection, one after the other."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    for method, path, body in requests:
        content = None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, content, {**headers, **kind})
        response = connection.getresponse()
        answer = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:200]!r}")
    connection.close()


def _cpu_of_requests(
    server: Server, process: "subprocess.Popen[bytes]", port: int, requests: Sequence[tuple[str, str, Any]]
) -> float:
    """Return the CPU time of a request in µs; reads are repeated before, so that what compiles code has done so."""
    if requests[0][0] == "GET":
        _send(port, requests[: len(requests) // 3], server.headers)
    before = _cpu(process.pid)
    _send(port, requests, server.headers)
    return (_cpu(process.pid) - before) / len(requests) * 1e6


def _cpu(pid: int) -> float:
    """Return the CPU time of a process and its children, in seconds."""
    return sum(_cpu_of_one(one) for one in _list_tree(pid))


def _cpu_of_one(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK


def _memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1]) * _PAGE


def _list_tree(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    return [pid, *(one for child in children for one in _list_tree(int(child)))]


def _measure_tests(folder: Path, scratch: Path) -> list[Sequence[str]]:
    sources = {"fakeplat": OURS, "pytest-httpserver": HTTPSERVER, "responses": RESPONSES, "pytest-aiohttp": AIOHTTP}
    python = folder / "venv/bin/python"
    scratch.joinpath("pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", "utf-8")
    rows: list[Sequence[str]] = []
    for name, source in sources.items():
        one, many = (
            statistics.median(_cpu_of_session(python, scratch, source, count) for _ in range(ROUNDS))
            for count in (1, TESTS)
        )
        rows.append((name, f"{(many - one) / (TESTS - 1) * 1e3:.2f}", f"{one:.2f}"))
    return rows


def _cpu_of_session(python: Path, scratch: Path, source: str, count: int) -> float:
    file = scratch / "test_peers.py"
    file.write_text(source.format(count=count), "utf-8")
    command: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:faker", file]
    result = subprocess.run(["bash", "-c", 'time "$@"', "_", *command], capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(result.stdout[-2000:])
    times = re.findall(r"^(?:user|sys)\t(\d+)m([\d.]+)s", result.stderr, re.MULTILINE)
    return sum(int(minutes) * 60 + float(seconds) for minutes, seconds in times)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
