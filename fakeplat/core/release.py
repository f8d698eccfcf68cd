"""The release of this package, and the releases of the platform in which something exists."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from fakeplat.core.store.frozen import frozen

VERSION: Final = "0.1.0"
Release = tuple[int, int]
RELEASE_PATTERN: Final = r"newer|[0-9]{1,4}\.[0-9]{1,4}(\.[^\n]*)?"
NEWEST: Final[Release] = (9999, 0)
"""The release that has everything."""


@cache
def parse_release(text: str) -> Release:
    """Return major and minor of a release such as ``13.5.1``, or NEWEST for ``newer``. ValueError for anything else."""
    if text == "newer":
        return NEWEST
    if re.fullmatch(RELEASE_PATTERN, text) is None:
        raise ValueError(f"{text!r} is not a release such as 13.5.1")
    # The patch level is ignored: features come with minor releases.
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def _parse_bound(text: str) -> Release:
    return parse_release(text.removeprefix("<="))


@frozen
class Lifetime:
    """The releases in which an operation, a parameter or a field exists: from ``since`` on, and before ``until``.

    ``<=15.4``: it began or ended in some release up to 15.4, and counts from that one on.
    """

    since: str = ""
    until: str = ""

    def covers(self, release: Release) -> bool:
        """Return whether a release is within the lifetime."""
        has_begun = not self.since or _parse_bound(self.since) <= release
        return has_begun and (not self.until or release < _parse_bound(self.until))

    def __bool__(self) -> bool:
        return bool(self.since or self.until)

    def __str__(self) -> str:
        return ", ".join(f"{word} {at}" for word, at in (("since", self.since), ("until", self.until)) if at)


def since(release: str, *, until: str = "") -> Callable[[Any], bool]:
    """Return the condition of a view's field that a release introduced: ``attr(when=since("13.8"))``."""
    lifetime = Lifetime(release, until)
    return lambda view: lifetime.covers(view.ctx.instance.release)
