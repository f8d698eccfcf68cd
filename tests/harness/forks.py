"""Test sessions and commands in forks of a process that has imported what they import, which takes most of their time.

Plugins are not imported beforehand: pytest would warn that it cannot rewrite their assertions any more.
"""

import atexit
import gc
import json
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_module
from subprocess import PIPE, Popen
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).parents[2]


class Forked(NamedTuple):
    """A process that has ended, as `pytest.Pytester.run` sees it."""

    status: int
    stdin: None = None

    def wait(self, timeout: float | None = None) -> int:
        return self.status


class ForkServer:
    """The process that forks. It runs one module at a time."""

    def __init__(self) -> None:
        self._process = Popen([sys.executable, "-m", __name__], stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT)
        # The end of its input ends the process.
        atexit.register(self._process.communicate)

    def popen(self, command: tuple[str, ...], *, stdout: IO[str], stderr: IO[str], **_options: object) -> Forked:
        """Run a command such as ``python -m module`` in the folder and the environment of the caller."""
        assert (sys.executable, "-m") == command[:2]
        folder = str(Path.cwd())
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}
        request = {"command": command[2:], "folder": folder, "environment": environment}
        request |= {"stdout": stdout.name, "stderr": stderr.name}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return Forked(int(self._process.stdout.readline()))


@cache
def fork_server() -> ForkServer:
    """The server of this process."""
    return ForkServer()


def serve() -> None:
    """Run the modules that are asked for, until the input ends."""
    for line in sys.stdin:
        process = os.fork()
        if not process:
            run(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def run(request: dict[str, Any]) -> None:
    """Run a module, and exit."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    for number, name, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["stdout"], os.O_WRONLY),
        (2, request["stderr"], os.O_WRONLY),
    ):
        os.dup2(os.open(name, flags | os.O_APPEND), number)
    sys.path[0] = request["folder"]
    module, *arguments = request["command"]
    sys.argv = [module, *arguments]
    run_module(module, run_name="__main__", alter_sys=True)
    sys.exit()


def prepare() -> None:
    """Import what sessions import: pytest's own modules, and all that a request to a world needs."""
    from _pytest.config import default_plugins

    from fakeplat import start

    own = ("fakeplat.core.schema.report", "fakeplat.harness.session")
    for name in (*(f"_pytest.{plugin}" for plugin in default_plugins), "aiohttp", *own):
        import_module(name)

    with start(listen=False) as fake:
        fake.as_user("ada").get("projects/acme%2Fsite/issues")
    gc.freeze()  # what the forks share needs no collection of theirs


if __name__ == "__main__":
    prepare()
    serve()
