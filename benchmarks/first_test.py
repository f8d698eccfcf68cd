"""The first test of a session with an installed fakeplat, in CPU seconds more than a bare test with aiohttp.

With bytecode caches, and with PYTHONDONTWRITEBYTECODE=1, which containers set.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.fixtures import OURS, THEIRS
from benchmarks.ratio import Ratio
from benchmarks.servers import source_tree

ROUNDS = 7
INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


def measure() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = _install(folder)
        (folder / "test_ours.py").write_text(OURS.format(count=1), "utf-8")
        (folder / "test_theirs.py").write_text(THEIRS.format(count=1), "utf-8")
        (folder / "pytest.ini").write_text(INI, "utf-8")
        return [
            _measure(python, folder, "with bytecode caches", {}, 0.1),
            _measure(python, folder, "without writing them", {"PYTHONDONTWRITEBYTECODE": "1"}, 0.2),
        ]


def _install(folder: Path) -> Path:
    python = folder / "venv/bin/python"
    _run([sys.executable, "-m", "venv", folder / "venv"])
    _run([python, "-m", "pip", "install", "-q", source_tree(), "pytest-aiohttp"])
    return python


def _measure(python: Path, folder: Path, name: str, variables: dict[str, str], goal: float) -> Ratio:
    rounds = [
        [_seconds(python, folder, test, variables) for test in ("test_ours.py", "test_theirs.py")]
        for _ in range(ROUNDS)
    ]
    ours, theirs = (min(column) for column in zip(*rounds, strict=True))
    detail = f"{ours:.2f} and {theirs:.2f} s"
    return Ratio(f"seconds that the first test adds, {name}", ours - theirs, goal, detail=detail)


def _seconds(python: Path, folder: Path, test: str, variables: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder / test], variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(command: list[str | Path], variables: dict[str, str] | None = None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        command,
        env={**environment, **(variables or {})},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
