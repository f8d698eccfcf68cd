"""Commits as mails with patches, as `git format-patch --stdout` writes them."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from textwrap import wrap

from fakeplat.git import diffs
from fakeplat.git.diffs import FileDiff
from fakeplat.git.diffstat import format_diffstat
from fakeplat.git.name_checks import ZERO
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit, Person

WIDTH = 78
ABBREVIATED = 7
_BORN = "Mon Sep 17 00:00:00 2001"
_PLAIN = re.compile(r"[!-~]")
_CODED = "=?_"
_QUOTED_IN_NAMES = re.compile(r'[()<>\[\]:;@\\,."]')
_INDEX = re.compile(rb"^index ([0-9a-f]{40})\.\.([0-9a-f]{40})", re.MULTILINE)
_MIME = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"


def format_patches(objects: Objects, commits: Sequence[Commit], signature: str) -> bytes:
    """Return the mails of some commits, the oldest first; merges and commits that change nothing are left out."""
    changes = [(commit, _changes(objects, commit)) for commit in commits if len(commit.parents) < 2]
    mails = [(commit, files) for commit, files in changes if files]
    end = f"-- \n{signature}\n\n".encode()
    return b"\n".join(
        b"".join((_text(objects, commit, files, _prefix(number, len(mails))), _patch(files), end))
        for number, (commit, files) in enumerate(mails, start=1)
    )


def _changes(objects: Objects, commit: Commit) -> list[FileDiff]:
    before = objects.commit(commit.parents[0]).tree if commit.parents else None
    return diffs.diff_trees(objects, before, commit.tree, binary=True)


def _prefix(number: int, count: int) -> str:
    return "[PATCH]" if count == 1 else f"[PATCH {number:0{len(str(count))}}/{count}]"


def _text(objects: Objects, commit: Commit, files: Sequence[FileDiff], prefix: str) -> bytes:
    def size(sha: str) -> int:
        return 0 if sha == ZERO else len(objects.blob(sha))

    _, _, body = commit.message.strip("\n").partition("\n")
    text = body.strip("\n")
    head = "".join(_head(commit, prefix))
    parts = [f"{head}\n", f"{text}\n" if text else "", "---\n", format_diffstat(files, size), "\n"]
    return "".join(parts).encode(errors="surrogateescape")


def _patch(files: Sequence[FileDiff]) -> bytes:
    """The differences with short hashes, but for binary files, which need whole ones."""
    headers = (file.header if file.binary else _INDEX.sub(_abbreviated, file.header) for file in files)
    return b"".join(header + file.body for header, file in zip(headers, files, strict=True))


def _abbreviated(found: re.Match[bytes]) -> bytes:
    return b"index " + found[1][:ABBREVIATED] + b".." + found[2][:ABBREVIATED]


def _head(commit: Commit, prefix: str) -> Iterator[str]:
    yield f"From {commit.sha} {_BORN}\n"
    yield f"From: {_name(commit.author)} <{commit.author.email}>\n"
    yield f"Date: {_date(commit.author)}\n"
    yield f"{_subject(prefix, commit.title)}\n"
    yield "" if commit.message.isascii() else _MIME


def _date(person: Person) -> str:
    when = datetime.fromtimestamp(person.when, UTC).astimezone(timezone(timedelta(minutes=person.offset)))
    return format_datetime(when).replace(", 0", ", ", 1)


def _name(person: Person) -> str:
    if not person.name.isascii():
        return _encoded(person.name)
    if _QUOTED_IN_NAMES.search(person.name):
        return '"' + re.sub(r'(["\\])', r"\\\1", person.name) + '"'
    return person.name


def _subject(prefix: str, title: str) -> str:
    if not title.isascii():
        return f"Subject: {prefix} {_encoded(title)}"
    lines = wrap(
        f"Subject: {prefix} {title}", WIDTH, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _encoded(text: str) -> str:
    """A text in one encoded word (RFC 2047)."""
    letters = (
        chr(byte) if _PLAIN.match(chr(byte)) and chr(byte) not in _CODED else f"={byte:02X}" for byte in text.encode()
    )
    return f"=?UTF-8?q?{''.join(letters)}?="
