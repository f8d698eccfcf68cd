"""Real clients, each in an environment of its own, because two releases of one cannot share any.

An environment is made once under `.cache/clients/` and kept until what it is made from changes. A client comes with a
suite: a file of small tests that runs inside the environment and drives the client as its users do.
"""

import ast
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.evidence import FOLDER as EVIDENCE

CACHE = ROOT / ".cache" / "clients"
SUITES = Path(__file__).parent / "suites"
MINUTES = 60.0


class MissingTool(RuntimeError):
    """A program that the environment is made with is not on this machine."""


@dataclass(frozen=True)
class Client(ABC):
    """A released client and the suite that its users' expectations are written down in."""

    name: str
    version: str
    suite: str

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def folder(self) -> Path:
        return CACHE / str(self)

    @property
    @abstractmethod
    def ingredients(self) -> tuple[str, ...]:
        """What the environment is made from; another list makes another environment."""

    @abstractmethod
    def facts(self) -> list[str]:
        """The names of the suite's tests, read without running it."""

    @abstractmethod
    def command(self, report: Path) -> list[str | Path]:
        """What runs the suite and writes a JUnit report."""

    @abstractmethod
    def install(self) -> None:
        """Fill the empty folder."""

    def run(self, server: str, report: Path) -> "subprocess.CompletedProcess[str]":
        """Run the whole suite against a server."""
        self.make()
        EVIDENCE.mkdir(parents=True, exist_ok=True)
        evidence = EVIDENCE / f"client-{self.folder.name}.jsonl"
        evidence.write_bytes(b"")
        return subprocess.run(
            self.command(report),
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(SUITES),
                "FAKEPLAT_URL": server,
                "FAKEPLAT_EVIDENCE": str(evidence),
            },
            capture_output=True,
            text=True,
            timeout=5 * MINUTES,
            check=False,
        )

    def make(self) -> None:
        """Make the environment, unless it is there and made from the same ingredients."""
        stamp = self.folder / "made-from"
        key = hashlib.sha256("\n".join(self.ingredients).encode()).hexdigest()
        with _alone(CACHE / f"{self.folder.name}.lock"):
            if stamp.exists() and stamp.read_text("utf-8") == key:
                return
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.install()
            stamp.write_text(key, "utf-8")


@dataclass(frozen=True)
class PythonClient(Client):
    extras: str = ""

    @property
    def ingredients(self) -> tuple[str, ...]:
        return (sys.version, f"{self.name}{self.extras}=={self.version}", "pytest>=8.3")

    def install(self) -> None:
        venv.create(self.folder, with_pip=True)
        _call(self._python, "-m", "pip", "install", "--quiet", *self.ingredients[1:])

    def facts(self) -> list[str]:
        tree = ast.parse((SUITES / self.suite).read_text("utf-8"))
        return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]

    def command(self, report: Path) -> list[str | Path]:
        # No settings of this repository: the suite runs as a stranger's tests would.
        strange = ["-c", os.devnull, f"--rootdir={SUITES}", f"--confcutdir={SUITES}"]
        options = ["-q", "--tb=short", "-p", "world", "-p", "no:cacheprovider", f"--junitxml={report}"]
        return [self._python, "-B", "-m", "pytest", *strange, *options, SUITES / self.suite]

    @property
    def _python(self) -> Path:
        return self.folder / "bin" / "python"


@dataclass(frozen=True)
class NodeClient(Client):
    @property
    def ingredients(self) -> tuple[str, ...]:
        return (f"{self.name}@{self.version}",)

    @property
    def folder(self) -> Path:
        return CACHE / str(self).replace("@", "").replace("/", "-")

    def install(self) -> None:
        (self.folder / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
        _call(_tool("npm"), "install", "--silent", "--no-audit", "--no-fund", *self.ingredients, cwd=self.folder)

    def facts(self) -> list[str]:
        return re.findall(r'^fact\("([^"]+)"', (SUITES / self.suite).read_text("utf-8"), re.MULTILINE)

    def command(self, report: Path) -> list[str | Path]:
        # Modules are looked up from where the importing file lies, so the suite goes where the client is.
        for module in SUITES.glob("*.mjs"):
            shutil.copy(module, self.folder)
        options = ["--test-reporter=junit", f"--test-reporter-destination={report}"]
        return [_tool("node"), "--test", *options, self.suite]


@dataclass(frozen=True)
class Program:
    """A program of the distribution's: the machine's own, or else unpacked from its package and not installed."""

    name: str

    def folder(self) -> Path:
        """Where it is, for the PATH; MissingTool if it can be had neither way."""
        found = shutil.which(self.name)
        return Path(found).parent if found else self._unpacked()

    def _unpacked(self) -> Path:
        place = CACHE / self.name
        with _alone(CACHE / f"{self.name}.lock"):
            if not (place / "usr" / "bin" / self.name).exists():
                place.mkdir(parents=True, exist_ok=True)
                self._fetch(place)
        return place / "usr" / "bin"

    def _fetch(self, place: Path) -> None:
        fetch = [_tool("apt-get", f"{self.name} comes with it"), "download", self.name]
        try:
            try:
                _call(*fetch, cwd=place)
            except RuntimeError:  # there may be no list of packages yet
                _call(fetch[0], "update", "--quiet")
                _call(*fetch, cwd=place)
            (package,) = place.glob("*.deb")
            _call(_tool("dpkg-deb", f"{self.name} is unpacked by it"), "-x", package, place)
        except RuntimeError as error:
            raise MissingTool(f"{self.name} is missing, and its package cannot be had: {error}") from error


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _tool(name: str, purpose: str = "the clients for Node.js need it") -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingTool(f"{name} is missing: {purpose}")
    return found


def _call(*command: str | Path, cwd: Path | None = None) -> None:
    made = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=10 * MINUTES, check=False)
    if made.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{made.stdout}{made.stderr}")
