"""The programs that the tests of clients need beside packages of Python and Node.js, and a report of what ran.

`python -m tests.clients.programs` installs what is missing, if it may, and names what it could not install. As a plugin
(`-p tests.clients.programs`), the module says at the end which clients and programs ran.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROPERTY = "real client"

# What the running test has used so far; emptied by each test.
used: set[str] = set()


class MissingProgram(RuntimeError):
    """A program that a test needs is not installed on this machine."""


@dataclass(frozen=True)
class Program:
    """A program, and the Debian package that has it. ``file`` is that of a library, which is no command."""

    name: str
    package: str
    file: str = ""

    def get_path(self) -> Path:
        """Return the path of the program. Raise MissingProgram if it is not installed."""
        path = self._find_path()
        used.add(self.name)
        if path is None:
            raise MissingProgram(f"{self.name} is missing: install the package {self.package}")
        return Path(path)

    @property
    def is_installed(self) -> bool:
        return self._find_path() is not None

    def _find_path(self) -> str | None:
        if self.file:
            return self.file if Path(self.file).exists() else None
        return shutil.which(self.name)


PROGRAMS = {
    program.name: program
    for program in (
        Program("node", "nodejs"),
        Program("npm", "npm"),
        Program("mvn", "maven"),
        Program("gradle", "gradle"),
        Program("mono", "mono-devel"),
        Program("gem", "ruby"),
        Program("git-lfs", "git-lfs"),
        Program("ssh", "openssh-client"),
        Program("ssh-keygen", "openssh-client"),
        Program("unzip", "unzip"),
        Program("tar", "tar"),
        Program("bzip2", "bzip2"),
        Program("chromium", "chromium"),
        Program("skopeo", "skopeo"),
        Program("buildah", "buildah"),
        Program("podman", "podman"),
        Program("runc", "runc"),
        Program("go", "golang-go"),
        Program("composer", "composer"),
        Program("apt-get", "apt"),
        Program("prometheus-alertmanager", "prometheus-alertmanager"),
        Program("dput", "dput-ng"),
        Program("ruby", "ruby"),
        Program("java", "default-jre-headless"),
        Program("javac", "default-jdk-headless"),
        Program("junit5", "junit5", "/usr/share/java/junit-platform-console.jar"),
        Program("jgit", "libjgit-java", "/usr/share/java/org.eclipse.jgit.jar"),
    )
}


def get_program(name: str) -> Path:
    """Return the path of a program of the table. Raise MissingProgram if it is not installed."""
    return PROGRAMS[name].get_path()


def podman_command(folder: Path) -> tuple[Path | str, ...]:
    """Return the command of a podman that shares nothing with others. It refuses folders with long paths."""
    options = (f"--{name}={folder / name}" for name in ("root", "runroot", "tmpdir"))
    return (get_program("podman"), *options)


def get_python(release: str) -> Path:
    """Return the interpreter of a release of Python, such as `3.12`. Raise MissingProgram if it is not installed."""
    of_pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv").glob(f"versions/{release}.*/bin/python")
    on_path = shutil.which(f"python{release}")
    for path in (*([Path(on_path)] if on_path else []), *sorted(of_pyenv)):
        if _is_python(path, release):
            return path
    raise MissingProgram(f"Python {release} is missing")


def _is_python(path: Path, release: str) -> bool:
    """The starters of pyenv stand on PATH for releases that are not chosen, too."""
    result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return result.returncode == 0 and result.stdout.startswith(f"Python {release}.")


def install_missing_programs() -> None:
    """Install each program that is missing with apt-get, and print what became of each."""
    for program in PROGRAMS.values():
        state = "is installed" if program.is_installed else _install(program)
        print(f"{program.name} {state}", flush=True)


def _install(program: Program) -> str:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return f"is missing: install the package {program.package}"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-qq", "-y", program.package]):
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    if program.is_installed:
        return "was installed"
    return f"is missing, and the package {program.package} could not be installed"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Attach what the test has used to its report, which also reaches the controller of xdist."""
    item.user_properties += [(PROPERTY, name) for name in sorted(used)]
    used.clear()
    yield


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """Say which clients and programs ran, and which programs are missing."""
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "teardown":
                tests.update(str(name) for key, name in report.user_properties if key == PROPERTY)
    terminalreporter.section("real clients")
    for name in sorted(tests):
        terminalreporter.line(f"{name}: {tests[name]} tests")
    for program in PROGRAMS.values():
        if not program.is_installed:
            terminalreporter.line(f"{program.name} is missing: install the package {program.package}", red=True)


if __name__ == "__main__":
    install_missing_programs()
