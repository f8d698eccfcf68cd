"""Checks of a world after the body of a test: exceptions of callbacks, and warnings about the test's clients."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Literal, get_args
from warnings import warn_explicit

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.deprecations import FakeplatWarning
from fakeplat.workbench.journal_entries import JournalEntry, collect_warnings
from fakeplat.workbench.lints import find_lints


class StrictModeError(AssertionError):
    """In strict mode: a client sent deprecated or unknown parameters, or a fault was never triggered."""


class LintError(AssertionError):
    """With ``lint="error"``: a client made a mistake that the platform does not refuse."""


Lint = Literal["error", "warn", "off"]
LINTS: Final = get_args(Lint)


def check(fake: Fakeplat, entries: Iterable[JournalEntry], file: str, line: int, *, strict: bool) -> None:
    """Raise the exceptions of callbacks. Warn (``strict``: raise) about the clients' mistakes and unused faults."""
    # Only one exception can be raised: the first, which later ones may follow from.
    for failure in fake.bench.take_failures():
        raise failure
    messages = [*collect_warnings(entries), *fake.bench.describe_unused_faults()]
    if strict and messages:
        raise StrictModeError("\n".join(messages))
    warn(messages, file, line)


def lint(entries: Iterable[JournalEntry], file: str, line: int, mode: Lint) -> None:
    """Warn (``error``: raise) about mistakes of clients that the platform does not refuse."""
    messages = [] if mode == "off" else find_lints(entries)
    if mode == "error" and messages:
        raise LintError("\n".join(messages))
    warn(messages, file, line)


def warn(messages: list[str], file: str, line: int) -> None:
    """Issue a warning for each message."""
    for message in messages:
        warn_explicit(message, FakeplatWarning, file, line)


def warn_after_failure(entries: Iterable[JournalEntry], file: str, line: int) -> None:
    """Warn after the test has failed; a warning that is turned into an error must not hide the failure."""
    for message in collect_warnings(entries):
        with suppress(FakeplatWarning):
            warn([message], file, line)
