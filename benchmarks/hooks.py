"""Deliveries to a fast receiver: how many a second, and how much later the answers come."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from statistics import median

from benchmarks.ratio import Ratio
from benchmarks.servers import call, free_port, process, wait_for

HOOKS, ROUNDS, POSTS = 100, 5, 200
ISSUES = "/api/v4/projects/acme%2Fsite/issues"
TITLES = count()


def measure() -> list[Ratio]:
    with (
        _receive() as receiver,
        _serve(receiver, 0) as none,
        _serve(receiver, 1) as one,
        _serve(receiver, HOOKS) as many,
    ):
        per_second = max(_deliveries_per_second(many, receiver) for _ in range(ROUNDS))
        # The servers take turns in changing order, so that each was idle for as long before its requests.
        servers = [(none, 0), (one, 1), (many, HOOKS)]
        times: dict[int, list[float]] = {hooks: [] for _, hooks in servers}
        for turn in range(POSTS):
            for port, hooks in servers[turn % 3 :] + servers[: turn % 3]:
                times[hooks].append(_time_post(port, receiver, hooks))
    post, hooked, hooked_often = map(median, times.values())
    detail = f"{post * 1000:.2f} ms"
    return [
        Ratio("deliveries a second, of 100 hooks to a fast receiver", per_second, 1_000, most=False),
        Ratio("the answer to a new issue with a hook, vs without", hooked / post, 1.1, detail=detail),
        Ratio("the answer to a new issue with 100 hooks, vs without", hooked_often / post, 1.1, detail=detail),
    ]


@contextmanager
def _receive() -> Iterator[int]:
    port = free_port()
    with process("-m", "benchmarks.hook_processes", "receive", str(port)):
        wait_for(port)
        yield port


@contextmanager
def _serve(receiver: int, hooks: int) -> Iterator[int]:
    port = free_port()
    with process("-m", "benchmarks.hook_processes", "serve", str(port), str(receiver), str(hooks)):
        wait_for(port)
        yield port


def _deliveries_per_second(port: int, receiver: int) -> float:
    before, began = _received(receiver), time.perf_counter()
    _create_issue(port)
    _wait_until_received(receiver, before + HOOKS)
    return HOOKS / (time.perf_counter() - began)


def _time_post(port: int, receiver: int, hooks: int) -> float:
    """Return the seconds until the answer to a POST, and wait for its deliveries."""
    before, began = _received(receiver), time.perf_counter()
    _create_issue(port)
    seconds = time.perf_counter() - began
    _wait_until_received(receiver, before + hooks)
    return seconds


def _create_issue(port: int) -> None:
    call(port, "POST", ISSUES, {"title": f"Issue {next(TITLES)}"}, "ada-token")


def _received(receiver: int) -> int:
    with socket.create_connection(("127.0.0.1", receiver)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        return int(connection.makefile("rb").read().rpartition(b"\r\n\r\n")[2])


def _wait_until_received(receiver: int, number: int) -> None:
    while _received(receiver) < number:
        time.sleep(0.001)
