"""Requests per second of a server on this machine: by wrk where it is installed, else by plain sockets."""

import re
import shutil
import socket
import subprocess
import time

SECONDS = 2.0
ROUNDS = 3


def requests_per_second(port: int, path: str, token: str = "root-token") -> float:
    if shutil.which("wrk"):
        return _by_wrk(port, path, token)
    return _by_sockets(port, path, token)


def _by_wrk(port: int, path: str, token: str) -> float:
    url = f"http://127.0.0.1:{port}{path}"
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS:.0f}s", "-H", f"PRIVATE-TOKEN: {token}", url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Requests/sec:\s*([\d.]+)", output)
    if found is None or "Non-2xx" in output:
        raise RuntimeError(f"wrk did not measure {url}:\n{output}")
    return float(found[1])


def _by_sockets(port: int, path: str, token: str) -> float:
    """Pipelines requests on one connection, so that the client costs little beside the server."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nPRIVATE-TOKEN: {token}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        length = _length(connection, request)
        count, batch, began = 0, 16, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            connection.sendall(request * batch)
            _receive(connection, length * batch)
            count += batch
        return count / (time.perf_counter() - began)


def _length(connection: socket.socket, request: bytes) -> int:
    """How many bytes one answer has; every answer of one path has the same."""
    connection.sendall(request)
    got = b""
    while b"\r\n\r\n" not in got:
        got += connection.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(got[:200].decode())
    size = int(next(line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")))
    while len(body) < size:
        body += connection.recv(65536)
    return len(head) + 4 + size


def _receive(connection: socket.socket, size: int) -> None:
    while size > 0:
        size -= len(connection.recv(min(size, 1 << 20)))
