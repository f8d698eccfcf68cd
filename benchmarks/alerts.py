"""The cost of receiving a new or repeated alert while many are open, compared with a bare POST."""

import json
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.ratio import Ratio
from benchmarks.servers import bare, fakeplat

OPEN, FEW = 10_000, 10
KEY = "0" * 32
PATH = "/acme/site/alerts/notify.json"
POSTS, BATCH, TURNS = 400, 16, 40
NUMBERS = count()


def measure() -> list[Ratio]:
    with bare(b"") as (baseline, _), _serve_alerts(OPEN) as many, _serve_alerts(FEW) as few:
        # Whatever disturbs a measurement makes it longer, so the best of many short turns counts. Each is long enough
        # for what happens once in 256 writes.
        turns = [
            (
                _time_posts(baseline, _new_alert),
                _time_posts(many, _new_alert),
                _time_posts(many, _repeated_alert),
                _time_posts(few, _repeated_alert),
            )
            for _ in range(TURNS)
        ]
    post, fresh, repeated, repeated_few = (min(times) for times in zip(*turns, strict=True))
    return [
        Ratio("a new alert with 10,000 open ones, vs a bare POST", fresh / post, 2),
        Ratio("a repeat of one of 10,000 open alerts, vs a bare POST", repeated / post, 3),
        Ratio("a repeat of one of 10,000 open alerts, vs one of 10", repeated / repeated_few, 1.3),
    ]


@contextmanager
def _serve_alerts(alerts: int) -> Iterator[int]:
    """Serve a world whose project acme/site has that many open alerts; yield the port."""
    received = [{"title": f"Alert {n}", "fingerprint": f"{n:040x}", "notes": []} for n in range(alerts)]
    site = {"path_with_namespace": "acme/site", "alerts": {"active": True, "token": KEY, "received": received}}
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "alerts.json"
        scenario.write_text(json.dumps({"extends": "starter", "projects": [site]}), "utf-8")
        with fakeplat("--scenario", str(scenario), "--set", "instance.tier=premium") as (port, _):
            yield port


def _new_alert(number: int) -> dict[str, Any]:
    return {"title": "disk full", "hosts": ["a", "b"], "fingerprint": f"fresh {number}", "free": {"bytes": number}}


def _repeated_alert(number: int) -> dict[str, Any]:
    return {"title": "disk full", "hosts": ["a", "b"], "fingerprint": "the same", "free": {"bytes": number}}


def _time_posts(port: int, payload: Callable[[int], dict[str, Any]]) -> float:
    """Return the seconds per POST. Requests are pipelined on one connection to keep the client's cost low."""
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {KEY}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: "
    bodies = [json.dumps(payload(next(NUMBERS))) for _ in range(POSTS)]
    requests = [f"{head}{len(body)}\r\n\r\n{body}".encode() for body in bodies]
    with socket.create_connection(("127.0.0.1", port)) as connection:
        began = time.perf_counter()
        for first in range(0, POSTS, BATCH):
            connection.sendall(b"".join(requests[first : first + BATCH]))
            _receive(connection, BATCH)
        return (time.perf_counter() - began) / POSTS


def _receive(connection: socket.socket, count: int) -> None:
    """Receive a number of responses without bodies."""
    data = b""
    while data.count(b"\r\n\r\n") < count:
        data += connection.recv(1 << 20)
    if data.count(b"HTTP/1.1 200 ") != count:
        raise RuntimeError(data[:300].decode())
