"""Progress of long commands on standard error: a status line on a terminal, else a line every 100 steps."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Final

import click

_INTERVAL: Final = 100


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Give a function that reports a step."""
    is_terminal = sys.stderr.isatty()
    steps = 0

    def report_step(text: str) -> None:
        nonlocal steps
        steps += 1
        if is_terminal:
            _show_status(text)
        elif steps % _INTERVAL == 0:
            click.echo(f"{steps}: {text}", err=True)

    try:
        yield report_step
    finally:
        # What reported no step has written nothing that should be erased.
        if is_terminal and steps:
            _show_status("")
            click.echo("\r", err=True, nl=False)


def _show_status(text: str) -> None:
    """Overwrite the last line of the terminal. A line that fills it would wrap, and stay."""
    width = get_terminal_size().columns - 1
    click.echo(f"\r{text[:width].ljust(width)}", err=True, nl=False)
