"""The load that a local server bears: requests per second, and the CPU time of a request."""

import re
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

SECONDS = 2.0
ROUNDS = 3
CONNECTIONS = 8
REQUESTS = 16_000


def cpu_time_per_request(server: "subprocess.Popen[bytes]", port: int, path: str, token: str = "root-token") -> float:
    """Return the CPU time, in µs, that a server spends on a request at eight connections.

    Unlike requests per second, it hardly depends on what else the machine does.
    """
    request = _build_request(port, path, token)
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(CONNECTIONS)]
        sizes = [_response_size(connection, request) for connection in connections]
        before = _cpu_time(server.pid)
        for _ in range(REQUESTS // CONNECTIONS):
            for connection in connections:
                connection.sendall(request)
            for connection, size in zip(connections, sizes, strict=True):
                _receive(connection, size)
        return (_cpu_time(server.pid) - before) / 1_000 / REQUESTS


def _cpu_time(pid: int) -> int:
    """Return the CPU time of a process with all its threads, in ns."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))


def requests_per_second(port: int, path: str, token: str = "root-token") -> float:
    """Return how many requests a server answers in a second, measured with wrk if it is installed."""
    if shutil.which("wrk"):
        return _measure_with_wrk(port, path, token)
    return _measure_with_sockets(port, path, token)


def _measure_with_wrk(port: int, path: str, token: str) -> float:
    url = f"http://127.0.0.1:{port}{path}"
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS:.0f}s", "-H", f"PRIVATE-TOKEN: {token}", url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s*([\d.]+)", output)
    if rate is None or "Non-2xx" in output:
        raise RuntimeError(f"wrk failed for {url}:\n{output}")
    return float(rate[1])


def _measure_with_sockets(port: int, path: str, token: str) -> float:
    """Pipeline requests on one connection, to keep the client's cost low."""
    request = _build_request(port, path, token)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        length = _response_size(connection, request)
        count, batch, start = 0, 16, time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            connection.sendall(request * batch)
            _receive(connection, length * batch)
            count += batch
        return count / (time.perf_counter() - start)


def _build_request(port: int, path: str, token: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nPRIVATE-TOKEN: {token}\r\n\r\n".encode()


def _response_size(connection: socket.socket, request: bytes) -> int:
    """Return the size of a response in bytes; all responses of a path have the same size."""
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(data[:200].decode())
    size = int(next(line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")))
    while len(body) < size:
        body += connection.recv(65536)
    return len(head) + 4 + size


def _receive(connection: socket.socket, size: int) -> None:
    while size > 0:
        size -= len(connection.recv(min(size, 1 << 20)))
