"""Run the tests with mutants, each in a forked process, several at a time."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, TypeVar

import pytest

OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")

M = TypeVar("M")


def find_survivors(mutants: Sequence[M], run: Callable[[M], int], limit: int = 0) -> Iterator[M]:
    """Yield the mutants with which all tests pass: those for which ``run``, called in a forked process, returns 0.

    A process that takes longer than the limit (in seconds, 0: none) is killed, and its mutant counts as detected.
    """
    running: dict[int, M] = {}
    pending = list(mutants)
    while pending or running:
        while pending and len(running) < (os.cpu_count() or 1):
            mutant = pending.pop(0)
            running[_fork(mutant, run, limit)] = mutant
        child, status = os.wait()
        _kill_group(child)
        mutant = running.pop(child)
        if status == 0:
            yield mutant


def run_tests(tests: Sequence[str]) -> int:
    """Run tests until the first failure; return pytest's exit status."""
    return int(pytest.main([*OPTIONS, *tests]))


def _fork(mutant: M, run: Callable[[M], int], limit: int) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.alarm(limit)
        _discard_output()
        status = 1
        try:
            status = run(mutant)
        finally:
            os._exit(status)
    return child


def _discard_output() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _kill_group(child: int) -> None:
    """Kill what a finished process has started and left behind."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
