"""Parsing and serialization of commits, trees and tags.

Hashes are 40 hexadecimal digits. Names and paths are text; bytes that are not UTF-8 become lone surrogates, so that
nothing is lost (`path.encode(errors="surrogateescape")`). Times are seconds since 1970, offsets minutes east of UTC.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from fakeplat.git.errors import BadPath, MissingObject

FOLDER: Final = 0o040000
FILE: Final = 0o100644
EXECUTABLE: Final = 0o100755
SYMLINK: Final = 0o120000
SUBMODULE: Final = 0o160000

ROW_CACHE_SIZE = 16_384
# In seconds, one day inside the years 1 to 9999, so that no offset of a time zone leaves the range of `datetime`.
_FIRST_TIME: Final = -62_135_510_400
_LAST_TIME: Final = 253_402_214_400
_MINUTES_PER_DAY: Final = 24 * 60
# Early versions of git stored the permission of the group to write, so 0664 is accepted in old histories.
_MODES = {FOLDER, FILE, EXECUTABLE, SYMLINK, SUBMODULE, 0o100664}
# Such as `Ada <ada@example.test> 1605862800 +0100`. Old or foreign commits may lack the time, the offset or both.
_PERSON = re.compile(
    rb"(?P<name>.*?) ?<(?P<email>[^>]*)> ?(?P<when>-?\d+)? ?(?P<sign>[+-])?(?P<offset>\d+)?.*", re.DOTALL
)
_DELIMITER = re.compile(r"[\n<>\x00]")
# What git strips from both ends of a name and an address.
_CRUD = " .,:;\"'\\"
# A tree has a row for each entry: mode, name, and the hash in 20 bytes.
_ROW = re.compile(rb"([^ ]*) ([^\0]*)\0(.{20})", re.DOTALL)


class Kind(IntEnum):
    """The kinds of objects, with the numbers used in packs."""

    COMMIT = 1
    TREE = 2
    BLOB = 3
    TAG = 4

    @property
    def word(self) -> str:
        """The word in an object's header."""
        return self.name.lower()


@lru_cache(1024)
def _without_delimiters(text: str) -> str:
    # The brackets and the line feed delimit the parts of a person's line, so a name must not contain them.
    return _DELIMITER.sub("", text).strip(_CRUD)


class Person(NamedTuple):
    """An author, committer or tagger. ``when`` is in seconds since 1970, ``offset`` in minutes east of UTC."""

    name: str
    email: str
    when: int
    offset: int = 0

    @property
    def timestamp(self) -> int:
        """The time in milliseconds since 1970, clamped to the years 1 to 9999: git stores any number."""
        return min(max(self.when, _FIRST_TIME), _LAST_TIME) * 1_000

    @property
    def time(self) -> datetime:
        """The time in the zone of the person, clamped to what Python has."""
        # Python's time zones are shorter than a day.
        offset = self.offset if abs(self.offset) < _MINUTES_PER_DAY else 0
        return datetime.fromtimestamp(self.timestamp // 1_000, timezone(timedelta(minutes=offset)) if offset else UTC)

    def encode(self) -> bytes:
        """Return the person as written in a commit, without characters that would break the line, as in git."""
        hours, minutes = divmod(abs(self.offset), 60)
        zone = f"{'-' if self.offset < 0 else '+'}{hours:02}{minutes:02}"
        line = f"{_without_delimiters(self.name)} <{_without_delimiters(self.email)}> {self.when} {zone}"
        return line.encode(errors="surrogateescape")


class Entry(NamedTuple):
    """An entry in a tree. ``path`` is its name in the tree, or the full path in a listing."""

    path: str
    mode: int
    sha: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def kind(self) -> str:
        """`tree`, `blob` or `commit` (a submodule)."""
        return {FOLDER: "tree", SUBMODULE: "commit"}.get(self.mode, "blob")

    @property
    def mode_text(self) -> str:
        """The mode as six octal digits."""
        return f"{self.mode:06o}"


Tree = dict[str, Entry]
"""The entries of one tree by name, in git's order."""


class Commit(NamedTuple):
    """A commit. ``message`` is decoded by the encoding header; bytes that cannot be decoded become U+FFFD."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str

    @property
    def title(self) -> str:
        """The first line of the message."""
        return self.message.strip("\n").partition("\n")[0]


class Tag(NamedTuple):
    """An annotated tag. ``tagger`` is None in very old ones."""

    sha: str
    target: str
    kind: Kind
    name: str
    tagger: Person | None
    message: str


class _Row(NamedTuple):
    """The row of an entry in a tree. Rows are sorted by their keys, which differ."""

    key: bytes
    content: bytes
    path: str
    entry: Entry


_CONTENT = attrgetter("content")
_NAMED_ENTRY = attrgetter("path", "entry")


def parse_tree(content: bytes) -> Tree:
    """Parse a tree; MissingObject if it is malformed."""
    rows = _ROW.findall(content)
    # The rows must follow each other without a gap.
    if sum(map(len, chain.from_iterable(rows))) + 2 * len(rows) != len(content):
        raise MissingObject("malformed tree")
    names = [name.decode(errors="surrogateescape") for _, name, _ in rows]
    entries = [Entry(name, _parse_mode(row[0]), row[2].hex()) for name, row in zip(names, rows, strict=True)]
    return dict(zip(names, entries, strict=True))


def tree_content(entries: Iterable[Entry]) -> bytes:
    """Serialize a tree with its entries in git's order."""
    return build_tree(entries)[1]


def build_tree(entries: Iterable[Entry]) -> tuple[Tree, bytes]:
    """Return the entries of a tree in git's order, as `parse_tree` does, and its bytes."""
    rows = sorted(map(_row_of, entries))
    return dict(map(_NAMED_ENTRY, rows)), b"".join(map(_CONTENT, rows))


def check_tree(content: bytes) -> None:
    """Raise BadPath if a tree contains entries that git's check of received objects refuses."""
    entries = parse_tree(content)
    for name, entry in entries.items():
        if name in {"", ".", ".."} or "/" in name or name.lower() == ".git" or entry.mode not in _MODES:
            raise BadPath(name)
    if tree_content(entries.values()) != content and FILE | 0o20 not in {entry.mode for entry in entries.values()}:
        raise BadPath("not properly sorted")


def parse_commit(sha: str, content: bytes) -> Commit:
    """Parse a commit; MissingObject if it is malformed."""
    headers, _, message = content.partition(b"\n\n")
    tree, encoding = "", "utf-8"
    parents: list[str] = []
    people: dict[bytes, bytes] = {}
    for line in headers.split(b"\n"):
        # The further lines of a signature (gpgsig) start with a blank: their key is empty, so they are ignored.
        key, _, value = line.partition(b" ")
        if key == b"tree":
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key in {b"author", b"committer"}:
            # If a header is repeated, the first one counts.
            people.setdefault(key, value)
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace")
    if len(tree) != 40 or len(people) != 2:
        raise MissingObject(f"malformed commit {sha}")
    author, committer = (_parse_person(people[key], encoding) for key in (b"author", b"committer"))
    return Commit(sha, tree, tuple(parents), author, committer, _decode(message, encoding))


def commit_content(tree: str, parents: Iterable[str], author: Person, committer: Person, message: str) -> bytes:
    """Serialize a commit."""
    lines = [f"tree {tree}".encode(), *(f"parent {parent}".encode() for parent in parents)]
    lines += [b"author " + author.encode(), b"committer " + committer.encode(), b""]
    return b"\n".join([*lines, message.replace("\0", "").encode(errors="surrogateescape")])


def parse_tag(sha: str, content: bytes) -> Tag:
    """Parse an annotated tag; MissingObject if it is malformed."""
    headers, _, message = content.partition(b"\n\n")
    # The step of two leaves out the separator between key and value.
    fields = dict(line.partition(b" ")[::2] for line in headers.split(b"\n"))
    try:
        kind = Kind[fields[b"type"].decode().upper()]
        target, name = fields[b"object"].decode(), fields[b"tag"].decode(errors="surrogateescape")
    except (KeyError, UnicodeDecodeError) as error:
        raise MissingObject(f"malformed tag {sha}") from error
    tagger = _parse_person(fields[b"tagger"], "utf-8") if b"tagger" in fields else None
    return Tag(sha, target, kind, name, tagger, _decode(message, "utf-8"))


def tag_content(target: str, kind: Kind, name: str, tagger: Person, message: str) -> bytes:
    """Serialize an annotated tag. The message ends with a line feed, as with `git tag -m`."""
    text = message.replace("\0", "").rstrip("\n") + "\n"
    headers = f"object {target}\ntype {kind.word}\ntag {name}\n".encode()
    return headers + b"tagger " + tagger.encode() + b"\n\n" + text.encode(errors="surrogateescape")


@lru_cache(ROW_CACHE_SIZE)
def _row_of(entry: Entry) -> "_Row":
    """Return an entry's row. Cached, since a changed tree keeps most of its entries."""
    name = entry.path.encode(errors="surrogateescape")
    content = b"%o %b\0%b" % (entry.mode, name, bytes.fromhex(entry.sha))
    # git sorts a folder as if its name ended with a slash.
    return _Row(name + b"/" if entry.mode == FOLDER else name, content, entry.path, entry)


@lru_cache
def _parse_mode(digits: bytes) -> int:
    try:
        return int(digits, 8)
    except ValueError as error:
        raise MissingObject("malformed tree") from error


def _parse_person(value: bytes, encoding: str) -> Person:
    match = _PERSON.fullmatch(value)
    if match is None:
        return Person(_decode(value, encoding), "", 0)
    hours, minutes = divmod(int(match["offset"] or 0), 100)  # the digits are hhmm
    offset = (hours * 60 + minutes) * (-1 if match["sign"] == b"-" else 1)
    return Person(_decode(match["name"], encoding), _decode(match["email"], encoding), int(match["when"] or 0), offset)


def _decode(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding, "replace")
    # The encoding is unknown to Python.
    except LookupError:
        return content.decode(errors="replace")
