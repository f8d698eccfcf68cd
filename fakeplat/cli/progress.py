"""What a long command is doing, on standard error: one line that changes on a terminal, else a line now and then."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click

_EVERY: Final = 100


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Gives what takes each step in words."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("") as status:
            yield lambda text: status.update(text.replace("[", "\\["))
        return
    told = 0

    def tell(text: str) -> None:
        nonlocal told
        told += 1
        if told % _EVERY == 0:
            click.echo(f"{told}: {text}", err=True)

    yield tell
