"""The store: every object of every repository of a world, by its hash.

It only grows, and what a hash names never changes, so forks of a world share it and nothing of it is ever copied. What
a repository shows of it is decided by its refs (`repository.py`).
"""

import weakref
import zlib
from functools import lru_cache, partial
from hashlib import sha1
from typing import Any

from fakeplat.git.errors import MissingObject
from fakeplat.git.records import Commit, Kind, Tag, Tree, parse_commit, parse_tag, parse_tree

COMMITS_AT_HAND = 65_536
TREES_AT_HAND = 8_192
_STORED_BLOCK = 0xFFFF
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class Stored:
    """One object: what it is, its bytes, and its deflated bytes once somebody sent or fetched them."""

    __slots__ = ("content", "deflated", "kind")

    def __init__(self, kind: Kind, content: bytes, deflated: bytes | None) -> None:
        self.kind = kind
        self.content = content
        self.deflated = deflated


class Objects:
    """Objects by their hash, in memory. One that stands over another (`over`) keeps new ones to itself."""

    def __init__(self, below: "Objects | None" = None) -> None:
        self._below = below
        self._stored: dict[str, Stored] = {}
        self._by_prefix: dict[str, list[str]] = {}
        self.kept: dict[Any, Any] = below.kept if below else {}
        """What other modules worked out from objects, by module: true for ever, since objects never change."""
        self.libgit: object = None
        """The libgit2 repository over this store (`libgit.py`)."""
        # A cache of bound methods would refer back to the store, and keep it until a full collection.
        store = weakref.proxy(self)
        self.commit = lru_cache(COMMITS_AT_HAND)(partial(Objects._commit, store))
        """The commit of a hash; MissingObject if there is none."""
        self.tree = lru_cache(TREES_AT_HAND)(partial(Objects._tree, store))
        """The entries of a tree by name; MissingObject if there is none."""

    def over(self) -> "Objects":
        """A store that sees all of this one and keeps what is added to itself: a quarantine."""
        return Objects(self)

    def absorb(self, quarantine: "Objects") -> None:
        """Take over what a quarantine holds."""
        for sha, stored in quarantine._stored.items():
            self._put(sha, stored)

    def add(self, kind: Kind, content: bytes, deflated: bytes | None = None) -> str:
        """Keep an object; its hash. ``deflated`` is its content as zlib made it, if somebody has it."""
        sha = hash_of(kind, content)
        if sha not in self._stored:
            self._put(sha, Stored(kind, content, deflated))
        return sha

    def get(self, sha: str) -> Stored:
        """An object; MissingObject if there is none."""
        stored = self._stored.get(sha)
        if stored is not None:
            return stored
        if self._below is not None:
            return self._below.get(sha)
        if sha == EMPTY_TREE:
            return Stored(Kind.TREE, b"", None)
        raise MissingObject(sha)

    def content(self, sha: str, kind: Kind) -> bytes:
        """The bytes of an object of a kind; MissingObject if there is none."""
        stored = self.get(sha)
        if stored.kind is not kind:
            raise MissingObject(f"{sha} is a {stored.kind.word}, not a {kind.word}")
        return stored.content

    def blob(self, sha: str) -> bytes:
        """The bytes of a file; MissingObject if there is no blob of that hash."""
        return self.content(sha, Kind.BLOB)

    def tag(self, sha: str) -> Tag:
        """The annotated tag of a hash; MissingObject if there is none."""
        return parse_tag(sha, self.content(sha, Kind.TAG))

    def deflated(self, sha: str) -> bytes:
        """The bytes of an object as a zlib stream: as it came, or made quickly rather than small.

        zlib takes 40 µs to start, so what fits into one stored block is put into one, and need not be kept.
        """
        stored = self.get(sha)
        if stored.deflated is not None:
            return stored.deflated
        if len(stored.content) <= _STORED_BLOCK:
            return _as_stored_block(stored.content)
        stored.deflated = zlib.compress(stored.content, 1)
        return stored.deflated

    def starting(self, prefix: str) -> list[str]:
        """The hashes that start with at least four digits."""
        below = self._below.starting(prefix) if self._below else []
        here = (sha for sha in self._by_prefix.get(prefix[:4], ()) if sha.startswith(prefix))
        return list(dict.fromkeys([*below, *here]))

    def added(self) -> list[str]:
        """The hashes that this store itself holds, in the order they came."""
        return list(self._stored)

    def has_itself(self, sha: str) -> bool:
        """Whether this store itself holds an object, not one below it."""
        return sha in self._stored

    def __contains__(self, sha: str) -> bool:
        return sha in self._stored or sha == EMPTY_TREE or (self._below is not None and sha in self._below)

    def _put(self, sha: str, stored: Stored) -> None:
        if self._stored.setdefault(sha, stored) is stored:
            self._by_prefix.setdefault(sha[:4], []).append(sha)

    def _commit(self, sha: str) -> Commit:
        if self._below is not None and sha in self._below:
            return self._below.commit(sha)
        return parse_commit(sha, self.content(sha, Kind.COMMIT))

    def _tree(self, sha: str) -> Tree:
        if self._below is not None and sha in self._below:
            return self._below.tree(sha)
        return parse_tree(self.content(sha, Kind.TREE))


def _as_stored_block(content: bytes) -> bytes:
    size = len(content).to_bytes(2, "little")
    inverse = (len(content) ^ 0xFFFF).to_bytes(2, "little")
    return b"".join([b"\x78\x01\x01", size, inverse, content, zlib.adler32(content).to_bytes(4, "big")])


def hash_of(kind: Kind, content: bytes) -> str:
    """The hash by which an object goes."""
    return sha1(b"%b %d\0%b" % (kind.word.encode(), len(content), content)).hexdigest()
