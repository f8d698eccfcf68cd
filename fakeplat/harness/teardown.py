"""What a world has to say of a test once its body is through."""

from collections.abc import Iterable
from contextlib import suppress
from warnings import warn_explicit

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.deprecations import FakeplatWarning
from fakeplat.workbench.journal import JournalEntry, warnings_of_all


class StrictModeError(AssertionError):
    """Under ``strict``: a client used what is deprecated, or what its operation does not know."""


def check(fake: Fakeplat, entries: Iterable[JournalEntry], file: str, line: int, *, strict: bool) -> None:
    """Raise what an act of others raised; warn of what clients should not have sent, or (``strict``) fail of it."""
    for failure in fake.bench.take_failures():
        raise failure
    texts = [*warnings_of_all(entries), *fake.bench.idle_faults()]
    if strict and texts:
        raise StrictModeError("\n".join(texts))
    warn(texts, file, line)


def warn(texts: list[str], file: str, line: int) -> None:
    """Issue a warning for each text."""
    for text in texts:
        warn_explicit(text, FakeplatWarning, file, line)


def tell(entries: Iterable[JournalEntry], file: str, line: int) -> None:
    """Warn of it where the test has failed already: nothing is raised in the place of its own failure."""
    for text in warnings_of_all(entries):
        with suppress(FakeplatWarning):
            warn([text], file, line)
