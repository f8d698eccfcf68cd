"""Output to places that may be gone or full: closed pipes, full disks."""

import sys
from contextlib import suppress
from io import BufferedWriter, RawIOBase, TextIOWrapper

import click


def print_event(text: str, *, err: bool = True) -> None:
    """Print what happens while a server runs; nothing if that is impossible, because the server must go on."""
    with suppress(OSError):
        click.echo(text, err=err)


def buffer_output() -> None:
    """Give standard output a buffer where PYTHONUNBUFFERED takes it away.

    Without one, Python drops what a full disk does not take, and reports no error.
    """
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, RawIOBase):
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = TextIOWrapper(BufferedWriter(raw), encoding, errors, line_buffering=True)
