"""Text search in the files of a tree."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from fakeplat.git.objects import Objects
from fakeplat.git.records import SYMLINK
from fakeplat.git.trees import list_files

BINARY_CHECK_SIZE = 8000


class GrepMatch(NamedTuple):
    """A line that contains the text. ``number`` counts from 1."""

    path: str
    number: int
    line: str


def grep(objects: Objects, tree: str, text: str, *, path: str = "", ignore_case: bool = True) -> Iterator[GrepMatch]:
    """Yield the lines that contain a text, as `git grep -F -I -n` (`-i`)."""
    # Contents are bytes, so without case only ASCII letters are equal.
    pattern = re.compile(re.escape(text.encode(errors="surrogateescape")), re.IGNORECASE if ignore_case else 0)
    for entry in list_files(objects, tree, path):
        content = b"" if entry.mode == SYMLINK else objects.blob(entry.sha)
        # Searching the whole content first is fast, and excludes most files before they are split into lines.
        if b"\0" not in content[:BINARY_CHECK_SIZE] and pattern.search(content):
            for number, line in enumerate(content.split(b"\n"), 1):
                if pattern.search(line):
                    yield GrepMatch(entry.path, number, line.decode(errors="replace"))
