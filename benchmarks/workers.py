"""Worlds in worker processes: the writes per second of two worlds in two workers, compared with those of one world."""

import json
import socket
import subprocess
import sys
import time

from benchmarks.ratio import Ratio
from benchmarks.servers import call, fakeplat

PATH = "/api/v4/projects/acme%2Fsite/labels"
SECONDS = 4.0
ROUNDS = 3
WORLDS = 2
BATCH = 16


def measure() -> list[Ratio]:
    with fakeplat("--workers", str(WORLDS)) as (port, _):
        ports = [_open_world(port) for _ in range(WORLDS)]
        # In turns, so that a busy moment of the machine strikes both.
        rounds = [(_writes_per_second(ports[:1]), _writes_per_second(ports)) for _ in range(ROUNDS)]
    alone, together = (max(column) for column in zip(*rounds, strict=True))
    detail = f"{together:.0f} vs {alone:.0f} writes per second, their clients on the same cores"
    return [Ratio("two worlds in two workers, vs one world", together / alone, 1.6, most=False, detail=detail)]


def _open_world(port: int) -> int:
    body, _ = call(port, "POST", "/_fakeplat/worlds", {})
    return int(json.loads(body)["url"].rpartition(":")[2])


def _writes_per_second(ports: list[int]) -> float:
    """Write to all worlds at once, each from a process of its own."""
    command = (sys.executable, "-m", "benchmarks.workers")
    clients = [subprocess.Popen([*command, str(port)], stdout=subprocess.PIPE) for port in ports]
    return sum(float(client.communicate()[0]) for client in clients)


def _write(port: int) -> float:
    """Return the writes per second. They are pipelined, as the client takes its time from the same cores."""
    connection, number, start = socket.create_connection(("127.0.0.1", port)), 0, time.perf_counter()
    run = time.time_ns()
    while time.perf_counter() - start < SECONDS:
        connection.sendall(b"".join(_request(port, f"label {run} {number + n}") for n in range(BATCH)))
        _receive_created(connection)
        number += BATCH
    return number / (time.perf_counter() - start)


def _request(port: int, name: str) -> bytes:
    body = f'{{"name": "{name}", "color": "#ff0000"}}'
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nPRIVATE-TOKEN: root-token\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _receive_created(connection: socket.socket) -> None:
    data = b""
    while data.count(b"\r\n\r\n") < BATCH:
        data += connection.recv(1 << 20)
    if data.count(b"HTTP/1.1 201 ") != BATCH:
        raise RuntimeError(data[:300].decode())


if __name__ == "__main__":
    print(_write(int(sys.argv[1])))
