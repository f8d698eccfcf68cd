"""Attributes of paths, as ``git check-attr --source`` reads them from the ``.gitattributes`` of a tree."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER
from fakeplat.git.trees import find_entry

FILE_NAME: Final = ".gitattributes"
SET: Final = "set"
UNSET: Final = "unset"
# A pattern in double quotes may contain blanks.
_LINE: Final = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s#"]\S*))\s+(?P<attributes>.*)')
_PARTS: Final = re.compile(r"\\.|\*\*/|/\*\*$|\*+|\?|\[(?:!|\^)?\]?[^\]]*\]|.", re.DOTALL)


def find_attributes(objects: Objects, tree: str, path: str, names: Sequence[str]) -> dict[str, str]:
    """Return the values of those of some attributes that a path has: ``set``, ``unset`` or the text after ``=``."""
    values: dict[str, str] = {}
    # The files of deeper folders come later, and the last line that matches decides.
    for folder, content in _list_files(objects, tree, path):
        relative = path.removeprefix(f"{folder}/") if folder else path
        for pattern, attributes in _parse(content):
            if any(name in attributes for name in names) and _compile(pattern).fullmatch(_subject(pattern, relative)):
                values.update({name: attributes[name] for name in names if name in attributes})
    return {name: value for name, value in values.items() if value}


def _list_files(objects: Objects, tree: str, path: str) -> Iterator[tuple[str, bytes]]:
    parts = path.split("/")[:-1]
    for depth in range(len(parts) + 1):
        folder = "/".join(parts[:depth])
        entry = find_entry(objects, tree, f"{folder}/{FILE_NAME}" if folder else FILE_NAME)
        if entry is not None and entry.mode != FOLDER and entry.kind == "blob":
            yield folder, objects.blob(entry.sha)


@cache
def _parse(content: bytes) -> tuple[tuple[str, dict[str, str]], ...]:
    """Return the patterns of a file with their attributes; the value of one that becomes unspecified is empty."""
    lines = map(_LINE.fullmatch, content.decode(errors="replace").splitlines())
    return tuple(
        (line["quoted"] or line["plain"], dict(map(_parse_attribute, line["attributes"].split())))
        for line in lines
        if line is not None
    )


def _parse_attribute(text: str) -> tuple[str, str]:
    if text.startswith("-"):
        return text[1:], UNSET
    if text.startswith("!"):
        return text[1:], ""
    name, has_value, value = text.partition("=")
    return name, value if has_value else SET


def _subject(pattern: str, path: str) -> str:
    """Return what a pattern is compared with: one without a slash with the name of the file in any folder."""
    return path if "/" in pattern else path.rpartition("/")[2]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translate, _PARTS.findall(pattern.removeprefix("/")))), re.DOTALL)


def _translate(part: str) -> str:
    known = {"**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    if part in known:
        return known[part]
    if part.startswith("*"):
        return "[^/]*"
    if part.startswith("[") and len(part) > 1:
        return "[" + re.sub(r"^!", "^", part[1:-1]).replace("\\", r"\\") + "]"
    return re.escape(part[1:] if len(part) > 1 else part)
