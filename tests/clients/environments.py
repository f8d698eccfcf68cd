"""Real clients, each in its own environment, because two releases of a client cannot share one.

An environment is created once below `.cache/clients/` and reused until its requirements change. Each client has a
suite: a file of small tests that runs inside the environment and uses the client as its users do.
"""

import ast
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from typing_extensions import override

from tests.architecture.sources import ROOT
from tests.clients import programs
from tests.clients.programs import get_program, get_python
from tests.evidence import FOLDER as EVIDENCE

CACHE = ROOT / ".cache" / "clients"
SUITES = Path(__file__).parent / "suites"
MINUTE = 60.0
# The program node itself, as a package of npm.
NODE_PACKAGE = f"node-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"


@dataclass(frozen=True)
class Client(ABC):
    """A released client, and the files of the suite with its users' expectations; a program has none.

    A browser is a client of the console: that it works says nothing about clients of the API. ``release`` is that of
    the suite's worlds.
    """

    name: str
    version: str
    suite: tuple[str, ...] = ()
    is_browser: bool = False
    release: str = ""

    @override
    def __str__(self) -> str:
        return f"{self.name}-{self.version}{f' at {self.release}' if self.release else ''}"

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}"

    @property
    @abstractmethod
    def ingredients(self) -> tuple[str, ...]:
        """The requirements of the environment; it is created again when they change."""

    @abstractmethod
    def facts(self) -> list[str]:
        """Return the names of the suite's tests, without running it."""

    @abstractmethod
    def command(self, report: Path) -> list[str | Path]:
        """Return the command that runs the suite and writes a JUnit report."""

    @property
    def _instance(self) -> dict[str, str]:
        """The instance of the suite's worlds; the first branch is that of the suites in every release."""
        return {"version": self.release, "default_branch": "master"} if self.release else {}

    @property
    def search_path(self) -> str:
        """The value of PATH for the client's programs."""
        return os.environ["PATH"]

    @abstractmethod
    def install(self) -> None:
        """Install the client into the empty folder."""

    @abstractmethod
    def program(self, name: str) -> Path:
        """Return a program of the client; `make` installs it."""

    def run(self, server: str, report: Path) -> "subprocess.CompletedProcess[str]":
        """Run the whole suite against a server."""
        self.make()
        EVIDENCE.mkdir(parents=True, exist_ok=True)
        at = f"-{self.release}" if self.release else ""
        evidence = EVIDENCE / f"{'browser' if self.is_browser else 'client'}-{self.folder.name}{at}.jsonl"
        evidence.write_bytes(b"")
        return subprocess.run(
            self.command(report),
            cwd=self.folder,
            env={
                "PATH": self.search_path,
                "PYTHONPATH": str(SUITES),
                "FAKEPLAT_URL": server,
                "FAKEPLAT_EVIDENCE": str(evidence),
                "FAKEPLAT_WORLD": json.dumps({"instance": self._instance}),
            },
            capture_output=True,
            text=True,
            timeout=5 * MINUTE,
            check=False,
        )

    def make(self) -> None:
        """Create the environment unless it exists with the same requirements."""
        programs.used.add(str(self))
        stamp = self.folder / "made-from"
        key = hashlib.sha256("\n".join(self.ingredients).encode()).hexdigest()
        with locked(CACHE / f"{self.folder.name}.lock"):
            if stamp.exists() and stamp.read_text("utf-8") == key:
                return
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.install()
            stamp.write_text(key, "utf-8")


@dataclass(frozen=True)
class PythonClient(Client):
    """``plugins`` are installed beside the client.

    ``extracts`` are parts of large wheels: a requirement, and the folder of the wheel that is unpacked.
    ``with_fakeplat`` installs this source tree too, for what uses it without a server.
    ``with_source`` unpacks the source distribution, which has the client's own tests.
    ``python`` is the release of Python that a client needs if the tests' own is too old, such as `3.12`.
    """

    extras: str = ""
    plugins: tuple[str, ...] = ()
    extracts: tuple[tuple[str, str], ...] = ()
    with_fakeplat: bool = False
    with_source: bool = False
    python: str = ""

    @property
    @override
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}{'-source' if self.with_source else ''}"

    @property
    def source(self) -> Path:
        """The folder of the unpacked source distribution."""
        return self.folder / "source"

    @property
    @override
    def ingredients(self) -> tuple[str, ...]:
        project = ROOT.joinpath("pyproject.toml").read_text("utf-8") if self.with_fakeplat else ""
        return (self.python or sys.version, *self._requirements, *map(str, self.extracts), project)

    @property
    def _requirements(self) -> tuple[str, ...]:
        own = ("--editable", str(ROOT)) if self.with_fakeplat else ()
        return (f"{self.name}{self.extras}=={self.version}", "pytest>=8.3", *self.plugins, *own)

    @override
    def install(self) -> None:
        call(get_python(self.python) if self.python else sys.executable, "-m", "venv", self.folder)
        call(self._python, "-m", "pip", "install", "--quiet", *self._requirements)
        for requirement, part in self.extracts:
            self._extract(requirement, part)
        if self.with_source:
            self._unpack_source()

    def _unpack_source(self) -> None:
        requirement = f"{self.name}=={self.version}"
        options = ("--quiet", "--no-deps", "--no-binary", ":all:")
        with TemporaryDirectory() as folder:
            call(self._python, "-m", "pip", "download", *options, "--dest", folder, requirement)
            (archive,) = Path(folder).iterdir()
            shutil.unpack_archive(archive, folder, filter="data")
            archive.unlink()
            (unpacked,) = Path(folder).iterdir()
            shutil.move(unpacked, self.source)

    def _extract(self, requirement: str, part: str) -> None:
        with TemporaryDirectory() as wheels:
            call(self._python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, requirement)
            (wheel,) = Path(wheels).iterdir()
            with ZipFile(wheel) as archive:
                archive.extractall(self.folder, [name for name in archive.namelist() if name.startswith(part)])

    @override
    def facts(self) -> list[str]:
        nodes = [node for file in self.suite for node in ast.parse((SUITES / file).read_text("utf-8")).body]
        return [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]

    @override
    def command(self, report: Path) -> list[str | Path]:
        # Without this repository's settings: the suite runs like the tests of another project.
        isolation = ["-c", os.devnull, f"--rootdir={SUITES}", f"--confcutdir={SUITES}"]
        options = ["-q", "--tb=short", "-p", "world", "-p", "no:cacheprovider", f"--junitxml={report}"]
        return [self._python, "-B", "-m", "pytest", *isolation, *options, *(SUITES / file for file in self.suite)]

    @override
    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    @property
    def _python(self) -> Path:
        return self.program("python")


@dataclass(frozen=True)
class NodeClient(Client):
    """``plugins`` are installed beside the client; ``options`` are those of `npm install`.

    ``node`` is the release of Node.js that a client needs if the machine's may be too old, such as `24`.
    """

    options: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    node: str = ""

    @property
    @override
    def ingredients(self) -> tuple[str, ...]:
        node = (f"{NODE_PACKAGE}@{self.node}",) if self.node else ()
        return (*self.options, f"{self.name}@{self.version}", *self.plugins, *node)

    @property
    @override
    def search_path(self) -> str:
        own = [str(self.folder / "node_modules" / NODE_PACKAGE / "bin")] if self.node else []
        return os.pathsep.join([*own, super().search_path])

    @property
    @override
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}".replace("@", "").replace("/", "-")

    @override
    def install(self) -> None:
        (self.folder / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
        call(get_program("npm"), "install", "--silent", "--no-audit", "--no-fund", *self.ingredients, cwd=self.folder)

    @override
    def facts(self) -> list[str]:
        texts = [(SUITES / file).read_text("utf-8") for file in self.suite]
        return [name for text in texts for name in re.findall(r'^fact\("([^"]+)"', text, re.MULTILINE)]

    @override
    def command(self, report: Path) -> list[str | Path]:
        # node looks up modules relative to the importing file, so the suite is copied to the client's folder.
        for module in SUITES.glob("*.mjs"):
            shutil.copy(module, self.folder)
        options = ["--test-reporter=junit", f"--test-reporter-destination={report}"]
        return [get_program("node"), "--test", *options, *self.suite]

    @override
    def program(self, name: str) -> Path:
        return self.folder / "node_modules" / ".bin" / name


@contextmanager
def locked(lock: Path) -> Iterator[None]:
    """Hold a lock that one process has at a time."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def call(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command. RuntimeError with its output unless it succeeds."""
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=10 * MINUTE, check=False)
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
