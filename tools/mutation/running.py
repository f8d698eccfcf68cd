"""Run the tests with mutants, each in a forked process, several at a time."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.context import ForkProcess
from typing import Any, Final, NoReturn, TypeVar

import pytest

OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")

M = TypeVar("M")


def find_survivors(mutants: Sequence[M], run: Callable[[M], int], limit: int = 0) -> Iterator[M]:
    """Yield the mutants with which all tests pass: those for which ``run``, called in a forked process, returns 0.

    A process that takes longer than the limit (in seconds, 0: none) is killed, and its mutant counts as detected.
    """
    context = get_context("fork")
    running: dict[Any, tuple[ForkProcess, M]] = {}
    pending = list(mutants)
    while pending or running:
        while pending and len(running) < (os.cpu_count() or 1):
            mutant = pending.pop(0)
            process = context.Process(target=_run_and_exit, args=(mutant, run, limit))
            process.start()
            running[process.sentinel] = (process, mutant)
        for sentinel in connection.wait(list(running)):
            process, mutant = running.pop(sentinel)
            process.join()
            _kill_group(process.pid or 0)
            if process.exitcode == 0:
                yield mutant


def run_tests(tests: Sequence[str]) -> int:
    """Run tests until the first failure; return pytest's exit status."""
    return int(pytest.main([*OPTIONS, *tests]))


def _run_and_exit(mutant: M, run: Callable[[M], int], limit: int) -> NoReturn:
    os.setpgid(0, 0)
    signal.alarm(limit)
    _discard_output()
    status = 1
    try:
        status = run(mutant)
    finally:
        # Threads that a test has left behind are not waited for.
        os._exit(status)


def _discard_output() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _kill_group(group: int) -> None:
    """Kill what a finished process has started and left behind."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
