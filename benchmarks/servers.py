"""Servers in separate processes."""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    child = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(10)


@contextmanager
def bare(body: bytes) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        port = free_port()
        with process("-m", "benchmarks.bare", file.name, str(port)) as server:
            wait_for(port)
            yield port, server


@contextmanager
def fakeplat(*options: str) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    port = free_port()
    with process("-m", "fakeplat", "serve", "--port", str(port), *options) as server:
        wait_for(port)
        yield port, server


def wait_for(port: int) -> None:
    for _ in range(5000):
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as probe:
                if probe.getsockname() != probe.getpeername():  # without a listener, a socket can connect to itself
                    return
        except OSError:
            pass
        time.sleep(0.002)
    raise RuntimeError(f"no server on port {port}")


def call(port: int, method: str, path: str, body: Any = None, token: str = "root-token") -> tuple[bytes, Any]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"PRIVATE-TOKEN": token, "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        content = response.read()
    return content, json.loads(content or b"null")


def source_tree() -> Path:
    return Path(__file__).parents[1]
