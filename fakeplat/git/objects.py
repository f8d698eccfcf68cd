"""The object store: the git objects of all repositories of a world, by hash.

It only grows, and an object never changes, so copies of a world share the store. The refs of a repository determine
which objects are visible in it (`repository.py`).
"""

import weakref
import zlib
from collections.abc import Iterable
from functools import lru_cache, partial
from hashlib import sha1
from typing import Any

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.git.errors import MissingObject
from fakeplat.git.records import Commit, Entry, Kind, Tag, Tree, build_tree, parse_commit, parse_tag, parse_tree

COMMIT_CACHE_SIZE = 65_536
TREE_CACHE_SIZE = 8_192
BUILT_TREES = 256
# A stored block of deflate has 16 bits for its length.
_MAX_STORED_BLOCK = 0xFFFF
# git knows this tree without having stored it.
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class StoredObject:
    """An object: its kind, its bytes, and its deflated bytes once these were received or sent."""

    __slots__ = ("content", "deflated", "kind")

    def __init__(self, kind: Kind, content: bytes, deflated: bytes | None) -> None:
        self.kind = kind
        self.content = content
        self.deflated = deflated


class Objects:
    """An object store in memory. A quarantine (`over`) reads from the store below it and holds new objects itself."""

    def __init__(self, below: "Objects | None" = None) -> None:
        self._below = below
        self._stored: dict[str, StoredObject] = {}
        self._by_prefix: dict[str, list[str]] = {}
        self.caches: dict[Any, Any] = below.caches if below else {}
        """Results computed from objects, by function or class. Always valid, since objects never change."""
        self._built_trees: BoundedCache[str, Tree] = self.caches.setdefault(parse_tree, BoundedCache(BUILT_TREES))
        self.libgit: object = None
        """The libgit2 repository of this store (`libgit.py`)."""
        # A cache of bound methods would be a reference cycle: the store would live until a full garbage collection.
        store = weakref.proxy(self)
        self.commit = lru_cache(COMMIT_CACHE_SIZE)(partial(Objects._parse_commit, store))
        """Return the commit with a hash; MissingObject if there is none."""
        self.tree = lru_cache(TREE_CACHE_SIZE)(partial(Objects._parse_tree, store))
        """Return the entries of a tree by name; MissingObject if there is none."""

    def over(self) -> "Objects":
        """Return a quarantine: a store that reads from this one and holds added objects itself."""
        return Objects(self)

    def absorb(self, quarantine: "Objects") -> None:
        """Add the objects of a quarantine."""
        for sha, stored in quarantine._stored.items():
            self._insert(sha, stored)

    def add(self, kind: Kind, content: bytes, deflated: bytes | None = None) -> str:
        """Add an object and return its hash. ``deflated`` is its content as a zlib stream, if known."""
        sha = hash_object(kind, content)
        if sha not in self._stored:
            self._insert(sha, StoredObject(kind, content, deflated))
        return sha

    def add_tree(self, entries: Iterable[Entry]) -> str:
        """Add a tree and return its hash. As its entries are known, it is not parsed when it is read."""
        tree, content = build_tree(entries)
        sha = self.add(Kind.TREE, content)
        self._built_trees.put(sha, tree)
        return sha

    def get(self, sha: str) -> StoredObject:
        """Return an object; MissingObject if there is none."""
        stored = self._stored.get(sha)
        if stored is not None:
            return stored
        if self._below is not None:
            return self._below.get(sha)
        if sha == EMPTY_TREE:
            return StoredObject(Kind.TREE, b"", None)
        raise MissingObject(sha)

    def content(self, sha: str, kind: Kind) -> bytes:
        """Return the bytes of an object; MissingObject if there is none of this kind."""
        stored = self.get(sha)
        if stored.kind is not kind:
            raise MissingObject(f"{sha} is a {stored.kind.word}, not a {kind.word}")
        return stored.content

    def blob(self, sha: str) -> bytes:
        """Return the content of a blob; MissingObject if there is none."""
        return self.content(sha, Kind.BLOB)

    def tag(self, sha: str) -> Tag:
        """Return the annotated tag with a hash; MissingObject if there is none."""
        return parse_tag(sha, self.content(sha, Kind.TAG))

    def deflated(self, sha: str) -> bytes:
        """Return an object's bytes as a zlib stream: as received, or compressed for speed rather than size.

        A zlib compressor takes 40 µs to start, so what fits into one uncompressed block is not compressed or cached.
        """
        stored = self.get(sha)
        if stored.deflated is not None:
            return stored.deflated
        if len(stored.content) <= _MAX_STORED_BLOCK:
            return _as_stored_block(stored.content)
        stored.deflated = zlib.compress(stored.content, 1)
        return stored.deflated

    def find_by_prefix(self, prefix: str) -> list[str]:
        """List the hashes with a prefix of at least four digits."""
        below = self._below.find_by_prefix(prefix) if self._below else []
        matches = (sha for sha in self._by_prefix.get(prefix[:4], ()) if sha.startswith(prefix))
        return list(dict.fromkeys([*below, *matches]))

    def added(self) -> list[str]:
        """List the objects that this store itself holds, in the order of addition."""
        return list(self._stored)

    def holds_itself(self, sha: str) -> bool:
        """Return whether this store itself holds an object, rather than one below it."""
        return sha in self._stored

    def __contains__(self, sha: str) -> bool:
        return sha in self._stored or sha == EMPTY_TREE or (self._below is not None and sha in self._below)

    def _insert(self, sha: str, stored: StoredObject) -> None:
        # Nothing is listed twice if a quarantine holds an object that was stored in the meantime.
        if self._stored.setdefault(sha, stored) is stored:
            self._by_prefix.setdefault(sha[:4], []).append(sha)

    def _parse_commit(self, sha: str) -> Commit:
        # Parsing is left to the store that stays, whose cache outlives the quarantine.
        if self._below is not None and sha in self._below:
            return self._below.commit(sha)
        return parse_commit(sha, self.content(sha, Kind.COMMIT))

    def _parse_tree(self, sha: str) -> Tree:
        if self._below is not None and sha in self._below:
            return self._below.tree(sha)
        # One that was built in a quarantine may be gone with that.
        content = self.content(sha, Kind.TREE)
        return self._built_trees.get(sha) or parse_tree(content)


def _as_stored_block(content: bytes) -> bytes:
    # RFC 1950 and 1951: a zlib header, one final stored block, the checksum.
    size = len(content).to_bytes(2, "little")
    inverse = (len(content) ^ 0xFFFF).to_bytes(2, "little")
    return b"".join([b"\x78\x01\x01", size, inverse, content, zlib.adler32(content).to_bytes(4, "big")])


def hash_object(kind: Kind, content: bytes) -> str:
    """Return the hash of an object."""
    return sha1(b"%b %d\0%b" % (kind.word.encode(), len(content), content)).hexdigest()
