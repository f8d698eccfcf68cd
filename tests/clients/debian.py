"""Programs of a newer suite of Debian than the machine's, unpacked below `.cache/clients/` and not installed.

apt-get gets them with lists of its own, so the machine's packages stay as they are. A program runs with the loader and
the libraries of its suite.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.clients import programs
from tests.clients.environments import CACHE, call, locked

_SOURCE = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian {} main\n"
_WRAPPER = '#!/bin/sh\nexec {loader} --library-path {libraries} --argv0 "$0" {program} "$@"\n'


@dataclass(frozen=True)
class DebianProgram:
    """The newest program of a suite. ``files`` are what it consists of, below the root of its package."""

    name: str
    files: tuple[str, ...]
    suite: str = "sid"

    @property
    def folder(self) -> Path:
        """The folder of the programs, for PATH."""
        self._make()
        return self._root / "bin"

    @property
    def _root(self) -> Path:
        return CACHE / f"{self.name}-of-debian-{self.suite}"

    def _make(self) -> None:
        programs.used.add(f"{self.name} of Debian {self.suite}")
        with locked(CACHE / f"{self._root.name}.lock"):
            if not (self._root / "bin").exists():
                shutil.rmtree(self._root, ignore_errors=True)
                self._install()

    def _install(self) -> None:
        apt, unpacked = self._root / "apt", self._root / "unpacked"
        for folder in ("lists/partial", "cache/archives/partial"):
            (apt / folder).mkdir(parents=True)
        (apt / "sources.list").write_text(_SOURCE.format(self.suite), "utf-8")
        # Without the packages of this machine, all that the program depends on is downloaded.
        (apt / "status").touch()
        options = [f"-o={name}={value}" for name, value in _list_options(apt).items()]
        call("apt-get", *options, "update")
        call("apt-get", *options, "install", "--yes", "--download-only", "--no-install-recommends", self.name)
        for package in sorted((apt / "cache/archives").glob("*.deb")):
            call("dpkg-deb", "--extract", package, unpacked)
        shutil.rmtree(apt)
        self._write_wrappers(unpacked)

    def _write_wrappers(self, unpacked: Path) -> None:
        (loader,) = unpacked.glob("usr/lib/*/ld-linux*.so.*")
        folder = self._root / "new"
        folder.mkdir()
        for file in self.files:
            wrapper = folder / Path(file).name
            program = unpacked / file
            wrapper.write_text(_WRAPPER.format(loader=loader, libraries=loader.parent, program=program), "utf-8")
            wrapper.chmod(0o755)
        folder.rename(self._root / "bin")


def _list_options(apt: Path) -> dict[str, object]:
    return {
        "Dir::Etc::SourceList": apt / "sources.list",
        "Dir::Etc::SourceParts": os.devnull,
        "Dir::State::Lists": apt / "lists",
        "Dir::State::Status": apt / "status",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
    }


def run_version(program: DebianProgram) -> str:
    """Return what the program says of its version."""
    command: list[str | Path] = [program.folder / program.name, "version"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


GIT = DebianProgram("git", ("usr/bin/git", "usr/lib/git-core/git-remote-http"))
GIT_LFS = DebianProgram("git-lfs", ("usr/bin/git-lfs",))
CRANE = DebianProgram("crane", ("usr/bin/crane",))
ORAS = DebianProgram("oras", ("usr/bin/oras",))
