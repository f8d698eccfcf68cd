"""The first test of a session with an installed fakeplat, in CPU seconds more than a bare test with aiohttp.

With bytecode caches, and with PYTHONDONTWRITEBYTECODE=1, which containers set. Then a later test, as a ratio. Faker's
own plugin, which comes with fakeplat, is left out of both sessions and measured alone.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.fixtures import OURS, THEIRS
from benchmarks.ratio import Ratio
from benchmarks.servers import source_tree

ROUNDS = 7
MANY = 300
NO_FAKER = ("-p", "no:faker")
INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


def measure() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = _install(folder)
        for count in (1, MANY):
            (folder / f"test_ours_{count}.py").write_text(OURS.format(count=count), "utf-8")
            (folder / f"test_theirs_{count}.py").write_text(THEIRS.format(count=count), "utf-8")
        (folder / "pytest.ini").write_text(INI, "utf-8")
        cached: dict[str, str] = {}
        return [
            _measure_first(python, folder, "with bytecode caches", cached),
            _measure_first(python, folder, "without writing them", {"PYTHONDONTWRITEBYTECODE": "1"}),
            _measure_later(python, folder, cached),
            _measure_faker(python, folder, cached),
        ]


def _install(folder: Path) -> Path:
    python = folder / "venv/bin/python"
    _run([sys.executable, "-m", "venv", folder / "venv"])
    _run([python, "-m", "pip", "install", "-q", source_tree(), "pytest-aiohttp"])
    return python


def _measure_first(python: Path, folder: Path, name: str, variables: dict[str, str]) -> Ratio:
    ours, theirs = _best(python, folder, ("test_ours_1.py", "test_theirs_1.py"), variables)
    detail = f"{ours:.2f} and {theirs:.2f} s, {ours / theirs:.2f} times"
    return Ratio(f"seconds that the first test adds, {name}", ours - theirs, 0.15, detail=detail)


def _measure_later(python: Path, folder: Path, variables: dict[str, str]) -> Ratio:
    files = [f"test_{name}_{count}.py" for name in ("ours", "theirs") for count in (1, MANY)]
    first_of_ours, ours, first_of_theirs, theirs = _best(python, folder, files, variables)
    of_ours, of_theirs = (
        (total - first) / (MANY - 1) for first, total in ((first_of_ours, ours), (first_of_theirs, theirs))
    )
    detail = f"{of_ours * 1000:.2f} and {of_theirs * 1000:.2f} ms"
    return Ratio("CPU time of a later test, vs a bare one", of_ours / of_theirs, 1.1, detail=detail)


def _measure_faker(python: Path, folder: Path, variables: dict[str, str]) -> Ratio:
    file = "test_theirs_1.py"
    without = _best(python, folder, (file,), variables)[0]
    with_faker = _best(python, folder, (file,), variables, options=())[0]
    return Ratio("seconds that Faker's plugin adds to each session", with_faker - without, 0.15)


def _best(
    python: Path, folder: Path, files: Sequence[str], variables: dict[str, str], options: tuple[str, ...] = NO_FAKER
) -> list[float]:
    """The least CPU seconds of several runs of each file. The files take turns, as other processes disturb them."""
    rounds = [[_seconds(python, folder, file, variables, options) for file in files] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*rounds, strict=True)]


def _seconds(python: Path, folder: Path, test: str, variables: dict[str, str], options: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, folder / test], variables)
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
