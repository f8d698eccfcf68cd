"""The command line. Source: docs/contract.md ('Command line').

Exit status: 0 success, 1 a check failed, 2 invalid arguments or files (one line on stderr).
"""

import gc
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import click

import fakeplat
from fakeplat.cli.output import buffer_output
from fakeplat.core.gc_pause import gc_paused

_COMMANDS: Final = {
    "serve": "fakeplat.cli.serve:serve",
    "run": "fakeplat.cli.run:run",
    "record": "fakeplat.cli.record:record",
    "replay": "fakeplat.cli.replay:replay",
    "tape": "fakeplat.cli.tape:tape",
    "bundle": "fakeplat.cli.bundle:bundle",
    "verify": "fakeplat.cli.verify:verify",
    "scenario": "fakeplat.cli.scenario:scenario",
    "coverage": "fakeplat.cli.documents:coverage",
    "openapi": "fakeplat.cli.documents:openapi",
    "releases": "fakeplat.cli.releases:releases",
}


@contextmanager
def _deprecations_shown() -> Iterator[None]:
    """Print warnings of deprecated keys of the instance in one line; Python would ignore them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("always", r".*\binstance\.\w+ is deprecated", DeprecationWarning)
        show = warnings.showwarning

        def show_in_one_line(message: Warning | str, category: type[Warning], *place: Any, **rest: Any) -> None:
            if issubclass(category, DeprecationWarning) and " is deprecated: " in str(message):
                click.echo(f"fakeplat: {message}", err=True)
            else:
                show(message, category, *place, **rest)

        warnings.showwarning = show_in_one_line
        yield


@contextmanager
def _output_checked() -> Iterator[None]:
    """Report in one line if the output cannot be written. A closed pipe is not an error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = None  # the interpreter would flush it at exit, and fail again
        click.echo(f"fakeplat: {error.filename or 'standard output'}: {error.strerror}", err=True)
        raise click.exceptions.Exit(1) from None


class _Commands(click.Group):
    """A command group that imports a command when it is called."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """List the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none."""
        target = _COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, name = target.partition(":")
        with gc_paused():
            command: click.Command = getattr(import_module(module), name)
            gc.freeze()  # imported modules live as long as the process: no collection needs to visit them
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments; `--version` and `--help` print already here."""
        buffer_output()
        with _output_checked():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        with _output_checked(), _deprecations_shown():
            return super().invoke(ctx)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fakeplat.__version__, prog_name="fakeplat")
def main() -> None:
    """A stateful in-memory fake of a source-hosting and CI platform."""
