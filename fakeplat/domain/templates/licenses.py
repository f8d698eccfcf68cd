"""Licences: their properties, and texts with placeholders for the year, the project and the author.

Long licences are represented by their title and their notice, which names the address of the full text.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from fakeplat.core.store.frozen import frozen

_FOLDER: Final = Path(__file__).parent / "licenses"
_YEAR: Final = re.compile(r"[<{\[](?:year|yyyy)[>}\]]", re.IGNORECASE)
_PROJECT: Final = re.compile(r"[<{\[](?:project|description|one line .+ what it does\.)[>}\]]", re.IGNORECASE)
_FULLNAME: Final = re.compile(r"[<{\[](?:fullname|name of (?:author|copyright owner))[>}\]]", re.IGNORECASE)


@frozen
class License:
    """A licence. ``conditions``, ``permissions`` and ``limitations`` are keys of well-known rules."""

    key: str
    name: str
    nickname: str | None
    description: str
    conditions: tuple[str, ...]
    permissions: tuple[str, ...]
    limitations: tuple[str, ...]
    popular: bool
    content: str


def list_licenses(popular: bool | None = None) -> Sequence[License]:
    """Return the licences by key; only the popular ones if that is asked for."""
    return [license_ for license_ in _read_all().values() if license_.popular or not popular]


def find_license(key: str) -> License | None:
    """Return the licence with a key."""
    return _read_all().get(key.lower())


def fill_in(content: str, year: str, project: str | None, fullname: str | None) -> str:
    """Replace the placeholders in the text of a licence; without a project or an author, theirs stay."""
    for placeholder, value in ((_YEAR, year), (_PROJECT, project), (_FULLNAME, fullname)):
        # Doubled, because a backslash has a meaning in a replacement.
        content = placeholder.sub(value.replace("\\", r"\\"), content) if value else content
    return content


@cache
def _read_all() -> Mapping[str, License]:
    return {path.stem: _read(path) for path in sorted(_FOLDER.glob("*.txt"))}


def _read(path: Path) -> License:
    head, _, content = path.read_text(encoding="utf-8").partition("---\n")
    lines = (line.partition(":") for line in head.splitlines())
    fields = {name: value.strip() for name, _, value in lines}
    return License(
        key=path.stem,
        name=fields["name"],
        nickname=fields["nickname"] or None,
        description=fields["description"],
        conditions=tuple(fields["conditions"].split()),
        permissions=tuple(fields["permissions"].split()),
        limitations=tuple(fields["limitations"].split()),
        popular="popular" in fields,
        content=content,
    )
