"""The commands, in a process of their own as a user's shell runs them, or in this one, which is much faster."""

import subprocess
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from fakeplat.cli import main
from tests.clients.server import INSTALLED, TIMEOUT


class Result(NamedTuple):
    """What a command has left, named as by `subprocess`."""

    returncode: int
    stdout: str
    stderr: str


def fakeplat(*arguments: object) -> Result:
    """Run a command that serves nothing in this process."""
    result = CliRunner().invoke(main, [*map(str, arguments)], prog_name="fakeplat")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Result(result.exit_code, result.stdout, result.stderr)


def fakeplat_process(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the installed command."""
    command: list[str | Path] = [INSTALLED, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
