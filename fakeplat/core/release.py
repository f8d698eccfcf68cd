"""The release of this package, and the releases of the platform in which something exists."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, Generic, TypeVar

from attrs import field

from fakeplat.core.store.frozen import frozen

VERSION: Final = "0.1.0"
T = TypeVar("T")
Release = tuple[int, int]
LATEST: Final = "19.3"
"""The newest release of the platform whose profile is tested, which is served as ``latest``."""
LATEST_RELEASE: Final[Release] = (19, 3)
PROFILES: Final = ("13.5", "14.10", "15.11", "16.11", "17.11", "18.11", LATEST)
"""The releases that are tested as a whole: the last one of each major version, at which servers stay the longest."""
DEFAULT_VERSION: Final = "13.5.1"
_LAST_MINORS: Final = {13: 12, 14: 10, 15: 11, 16: 11, 17: 11, 18: 11, LATEST_RELEASE[0]: LATEST_RELEASE[1]}
"""The last minor release of each major one that fakeplat knows."""
_FIRST: Final[Release] = (13, 5)
OLDEST: Final[Release] = (0, 0)
NEVER: Final[Release] = (10_000, 0)
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


@frozen
class Lifetime:
    """The releases in which something exists: from ``since`` on, and before ``until``.

    It is declared where the thing is declared: as ``since=`` and ``until=`` of an operation, a field of a view, a
    webhook event or a GraphQL field, and as the marker ``Lifetime(since="13.8")`` of a parameter or a setting.
    ``<=15.4``: it began or ended in some release up to 15.4, and counts from that one on. ``values``: the lifetime is
    only that of these values of a parameter.
    """

    since: str = ""
    until: str = ""
    values: tuple[str | int, ...] = field(default=(), kw_only=True)
    start: Release = field(init=False, eq=False, repr=False)
    end: Release = field(init=False, eq=False, repr=False)

    @start.default
    def _parse_since(self) -> Release:
        return parse_bound(self.since) if self.since else OLDEST

    @end.default
    def _parse_until(self) -> Release:
        return parse_bound(self.until) if self.until else NEVER

    def covers(self, release: Release) -> bool:
        """Return whether a release is within the lifetime."""
        return self.start <= release < self.end

    def __bool__(self) -> bool:
        return bool(self.since or self.until)

    def __str__(self) -> str:
        bounds = [f"{word} {at}" for word, at in (("since", self.since), ("until", self.until)) if at]
        return ", ".join(re.sub("<=(.*)", r"\1 at the latest", bound) for bound in bounds)


def parse_bound(text: str) -> Release:
    """Return the release of a beginning or an end, from which on it counts: that of ``15.4`` and of ``<=15.4``."""
    return parse_release(text.removeprefix("<="))


ALWAYS: Final = Lifetime()


@frozen
class Behaviour(Lifetime):
    """Something that releases do differently, asked for by name: ``profile.has(DELAYED_DELETION)``.

    ``source`` says where the platform tells of it.
    """

    source: str = field(default="", kw_only=True)


@frozen
class RenamedFrom:
    """A marker of a parameter or a setting: the name before the release ``since``, which is valid until ``until``."""

    name: str
    since: str
    until: str = ""

    def lifetimes(self, name: str) -> dict[str, Lifetime]:
        """Return the releases that have the name, and those that have the one before."""
        return {name: Lifetime(self.since), self.name: Lifetime(until=self.until)}


@frozen
class Required(Lifetime):
    """A marker of a parameter with a default: the releases that require it nevertheless."""


class ByRelease(Generic[T]):
    """A value that releases changed, by the release that began with it: ``{"13.5": "master", "14.0": "main"}``.

    ``source`` says where the platform tells of it.
    """

    def __init__(self, values: Mapping[str, T], *, source: str = "") -> None:
        self.values = values
        self.source = source
        self._by_release = {parse_bound(since): value for since, value in values.items()}
        self._first = min(self._by_release)

    def at(self, release: Release) -> T:
        """Return the value in a release."""
        return self._by_release[max((since for since in self._by_release if since <= release), default=self._first)]


class Profile:
    """What exists in one release. The worlds of a release share it, with all that is compiled for it.

    ``compiled`` belongs to those who compile something: the class of a view has its fields there, a class of parameters
    its binder.
    """

    __slots__ = ("compiled", "release")

    def __init__(self, release: Release) -> None:
        self.release = release
        self.compiled: dict[object, Any] = {}

    def has(self, lifetime: Lifetime) -> bool:
        """Return whether the release is within a lifetime, such as that of a named behaviour."""
        return lifetime.start <= self.release < lifetime.end

    def requires(self, required: Required) -> bool:
        """Return whether the release requires a parameter; documents of all releases tell of the latest one."""
        return required.covers(self.release)

    def choose(self, values: ByRelease[T]) -> T:
        """Return the value that the release has."""
        return values.at(self.release)

    def __str__(self) -> str:
        return f"{self.release[0]}.{self.release[1]}"


class _Everything(Profile):
    """The sum of all releases, for documents and checks that tell of every one."""

    __slots__ = ()

    def has(self, _lifetime: Lifetime) -> bool:
        return True


EVERYTHING: Final[Profile] = _Everything(LATEST_RELEASE)


@cache
def profile_of(release: Release) -> Profile:
    """Return the profile of a release."""
    return Profile(release)
