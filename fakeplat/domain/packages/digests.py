"""Digests of package files."""

from hashlib import md5, sha1, sha256
from typing import NamedTuple


class Digests(NamedTuple):
    """The digests of a file, by the names of a record's fields."""

    file_md5: str
    file_sha1: str
    file_sha256: str


def compute(content: bytes) -> Digests:
    """Return the digests of a file."""
    # The clients compare these digests to notice damaged files; none of them protects anything.
    return Digests(
        md5(content, usedforsecurity=False).hexdigest(),
        sha1(content, usedforsecurity=False).hexdigest(),
        sha256(content).hexdigest(),
    )
