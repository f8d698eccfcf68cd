"""The release of this package, and the releases of the platform in which something exists."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from fakeplat.core.store.frozen import frozen

VERSION: Final = "0.1.0"
Release = tuple[int, int]
LATEST: Final = "19.3"
"""The newest release of the platform whose profile is tested, which is served as ``latest``."""
LATEST_RELEASE: Final[Release] = (19, 3)
DEFAULT_VERSION: Final = "13.5.1"
_LAST_MINORS: Final = {13: 12, 14: 10, 15: 11, 16: 11, 17: 11, 18: 11, LATEST_RELEASE[0]: LATEST_RELEASE[1]}
"""The last minor release of each major one that fakeplat knows."""
_FIRST: Final[Release] = (13, 5)
_RELEASE_PATTERN: Final = r"(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(\.[^\n]*)?"


def _list_versions() -> Iterator[str]:
    """Yield a pattern for the releases of each major version, then for those beyond the latest one."""
    for major, last in _LAST_MINORS.items():
        yield rf"{major}\.({'|'.join(map(str, range(_FIRST[1] if major == _FIRST[0] else 0, last + 1)))})"
    major, last = LATEST_RELEASE
    yield rf"{major}\.({'|'.join(map(str, range(last + 1, 10)))}|[1-9][0-9])"
    yield rf"({'|'.join(map(str, range(major + 1, 30)))}|[3-9][0-9])\.(0|[1-9][0-9]?)"


VERSION_PATTERN: Final = rf"latest|({'|'.join(_list_versions())})(\.[0-9]{{1,4}}([-+.][0-9A-Za-z.+-]{{1,40}})?)?"
"""Versions that an instance can have; of those beyond the latest it has to say so."""
ACCEPTED_VERSIONS: Final = f"a release from {_FIRST[0]}.{_FIRST[1]} to {LATEST} as text, such as '17.10', or 'latest'"


@cache
def parse_release(text: str) -> Release:
    """Return major and minor of a release such as ``13.5.1``. ValueError for anything else."""
    if re.fullmatch(_RELEASE_PATTERN, text) is None:
        raise ValueError(f"{text!r} is not a release such as 13.5.1")
    # The patch level is ignored: features come with minor releases.
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def resolve_version(version: str) -> str:
    """Return the version of a release, given the version or ``latest``."""
    return f"{LATEST}.0" if version == "latest" else version


def check_version(version: object, *, beyond: bool = False) -> None:
    """Raise ValueError for what is not the version of a release that can be served.

    ``beyond``: a release that is newer than the latest one is served like that.
    """
    if not isinstance(version, str):
        # Of a number nobody can tell whether it was written as 13.1 or as 13.10.
        raise ValueError(f"version must be {ACCEPTED_VERSIONS}, not {version!r}: write it as text")
    if re.fullmatch(VERSION_PATTERN, version) is None:
        raise ValueError(f"version must be {ACCEPTED_VERSIONS}, not {version!r}")
    if not beyond and is_beyond(version):
        hint = "'beyond: true' serves the latest release under this number"
        raise ValueError(f"version must be {ACCEPTED_VERSIONS}, not {version!r}; {hint}")


def is_beyond(version: str) -> bool:
    """Return whether a version is newer than the latest release."""
    return version != "latest" and parse_release(version) > LATEST_RELEASE


@cache
def served_release(version: str) -> Release:
    """Return the release that decides what exists in a world with a version."""
    return min(parse_release(version), LATEST_RELEASE)


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
