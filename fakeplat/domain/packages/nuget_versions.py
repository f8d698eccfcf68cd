"""Versions of NuGet packages: which are valid, their order and their normal form. Source: docs/platform/packages.md."""

import re
from typing import Any, Final

_PRE_RELEASE: Final = r"(?:\d*[A-Za-z-][0-9A-Za-z-]*|[1-9]\d*|0)"
_VERSION: Final = re.compile(
    r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))?(?:\.\d*)?"
    rf"(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_LEADING_ZEROS: Final = re.compile(r"(?:(?<=^)|(?<=\.))0+(?=\d)")
_PARTS: Final = 3


def is_version(text: str) -> bool:
    """Return whether a text is a version: two to four numbers, with a pre-release and build metadata."""
    return _VERSION.fullmatch(text) is not None


def is_pre_release(version: str) -> bool:
    """Return whether a version counts as a pre-release."""
    return "-" in version


def normalize(version: str) -> str:
    """Return the normal form: three numbers or a fourth that is not 0, without build metadata, in lower case."""
    core, dash, pre_release = version.partition("+")[0].lower().partition("-")
    numbers = _LEADING_ZEROS.sub("", core).split(".")
    if len(numbers) > _PARTS and numbers[_PARTS] in ("", "0"):
        del numbers[_PARTS]
    numbers += ["0"] * (_PARTS - len(numbers))
    return f"{'.'.join(numbers)}{dash}{pre_release}"


def precedence(version: str) -> tuple[Any, ...]:
    """Return the key by which versions are sorted."""
    core, _, build = version.partition("+")
    numbers, _, pre_release = core.partition("-")
    parts = [int(part) if part.isdigit() else 0 for part in numbers.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    release: tuple[Any, ...] = ((2, 0, ""),)
    order = tuple(map(_part, pre_release.lower().split("."))) if pre_release else release
    return tuple(parts), order, build.lower()


def _part(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)
