"""Commits as mails with patches, as `git format-patch --stdout` writes them."""

import re
from collections.abc import Iterator, Sequence
from email.utils import format_datetime
from textwrap import wrap

from fakeplat.git import diffs
from fakeplat.git.diffs import FileDiff
from fakeplat.git.diffstat import format_diffstat
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit, Person

# The maximal length of a header line that RFC 5322 recommends.
WIDTH = 78
ABBREVIATED_HASH = 7
# git writes this date into every patch, so that tools can tell a patch from a mail of a mailbox.
_MAGIC_DATE = "Mon Sep 17 00:00:00 2001"
_PRINTABLE = re.compile(r"[!-~]")
# These characters have a meaning in encoded words, so they are encoded although they are printable.
_ENCODED = "=?_"
# The special characters of RFC 5322: a name with one of them is written in quotation marks.
_QUOTED_IN_NAMES = re.compile(r'[()<>\[\]:;@\\,."]')
_INDEX_LINE = re.compile(rb"^index ([0-9a-f]{40})\.\.([0-9a-f]{40})", re.MULTILINE)
_MIME = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"


def format_patches(objects: Objects, commits: Sequence[Commit], signature: str) -> bytes:
    """Return the mails of some commits, the oldest first; merges and commits that change nothing are left out."""
    changes = [(commit, _diff_parent(objects, commit)) for commit in commits if len(commit.parents) < 2]
    mails = [(commit, files) for commit, files in changes if files]
    # Mail programs recognize a signature by two dashes and a blank.
    footer = f"-- \n{signature}\n\n".encode()
    return b"\n".join(
        b"".join((_header(objects, commit, files, _subject_prefix(number, len(mails))), _patch(files), footer))
        for number, (commit, files) in enumerate(mails, start=1)
    )


def _diff_parent(objects: Objects, commit: Commit) -> list[FileDiff]:
    before = objects.commit(commit.parents[0]).tree if commit.parents else None
    return diffs.diff_trees(objects, before, commit.tree, binary=True)


def _subject_prefix(number: int, count: int) -> str:
    return "[PATCH]" if count == 1 else f"[PATCH {number:0{len(str(count))}}/{count}]"


def _header(objects: Objects, commit: Commit, files: Sequence[FileDiff], prefix: str) -> bytes:
    def size(sha: str) -> int:
        return 0 if sha == ZERO_SHA else len(objects.blob(sha))

    _, _, body = commit.message.strip("\n").partition("\n")
    text = body.strip("\n")
    headers = "".join(_mail_headers(commit, prefix))
    parts = [f"{headers}\n", f"{text}\n" if text else "", "---\n", format_diffstat(files, size), "\n"]
    return "".join(parts).encode(errors="surrogateescape")


def _patch(files: Sequence[FileDiff]) -> bytes:
    """Return the diffs with abbreviated hashes; `git apply` needs full ones for binary files."""
    # Only the header is searched: the contents of a file may contain a line that looks like an index line.
    headers = (file.header if file.binary else _INDEX_LINE.sub(_abbreviate, file.header) for file in files)
    return b"".join(header + file.body for header, file in zip(headers, files, strict=True))


def _abbreviate(match: re.Match[bytes]) -> bytes:
    return b"index " + match[1][:ABBREVIATED_HASH] + b".." + match[2][:ABBREVIATED_HASH]


def _mail_headers(commit: Commit, prefix: str) -> Iterator[str]:
    yield f"From {commit.sha} {_MAGIC_DATE}\n"
    yield f"From: {_display_name(commit.author)} <{commit.author.email}>\n"
    yield f"Date: {_date(commit.author)}\n"
    yield f"{_subject(prefix, commit.title)}\n"
    yield "" if commit.message.isascii() else _MIME


def _date(person: Person) -> str:
    # git does not pad the day with a zero.
    return format_datetime(person.time).replace(", 0", ", ", 1)


def _display_name(person: Person) -> str:
    if not person.name.isascii():
        return _encode_word(person.name)
    if _QUOTED_IN_NAMES.search(person.name):
        return '"' + re.sub(r'(["\\])', r"\\\1", person.name) + '"'
    return person.name


def _subject(prefix: str, title: str) -> str:
    if not title.isascii():
        return f"Subject: {prefix} {_encode_word(title)}"
    lines = wrap(
        f"Subject: {prefix} {title}", WIDTH, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _encode_word(text: str) -> str:
    """Encode a text as one word (RFC 2047)."""
    # The bytes are encoded one by one, as in quoted-printable: `ü` becomes `=C3=BC`.
    letters = (
        chr(byte) if _PRINTABLE.match(chr(byte)) and chr(byte) not in _ENCODED else f"={byte:02X}"
        for byte in text.encode()
    )
    return f"=?UTF-8?q?{''.join(letters)}?="
