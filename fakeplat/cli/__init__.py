"""The command line. Source: docs/contract.md ('Command line').

Exit status: 0 fine, 1 a check failed, 2 unusable arguments or files (one clear line on stderr).
"""

import gc
import sys
from importlib import import_module
from typing import Final

import click

import fakeplat
from fakeplat.core.gc_pause import gc_paused

_HOMES: Final = {
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
}


class _Commands(click.Group):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        del ctx
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One command, loaded now."""
        del ctx
        home = _HOMES.get(cmd_name)
        if home is None:
            return None
        module, _, name = home.partition(":")
        with gc_paused():
            found: click.Command = getattr(import_module(module), name)
            gc.freeze()  # everything that is imported stays; no collection needs to look at it
        return found

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. Where its output cannot be written, one line says so; a closed pipe is nobody's mistake."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except OSError as error:
            sys.stdout = None  # or it would be flushed in vain when the process ends
            click.echo(f"fakeplat: {error.filename or 'standard output'}: {error.strerror}", err=True)
            ctx.exit(1)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fakeplat.__version__, prog_name="fakeplat")
def main() -> None:
    """A stateful in-memory fake of a source-hosting and CI platform."""
