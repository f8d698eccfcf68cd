"""Progress of long commands on standard error: a status line on a terminal, else a line every 100 steps."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click

_INTERVAL: Final = 100


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Give a function that reports a step."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("") as status:
            yield lambda text: status.update(text.replace("[", "\\["))  # rich reads [ ] as markup
        return
    steps = 0

    def report_step(text: str) -> None:
        nonlocal steps
        steps += 1
        if steps % _INTERVAL == 0:
            click.echo(f"{steps}: {text}", err=True)

    yield report_step
