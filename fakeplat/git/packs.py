"""Pack files: reading under limits, and writing from cached deflated entries."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha1
from itertools import chain
from typing import Final, NamedTuple

from fakeplat.git.errors import BadPack, GitError
from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER, SUBMODULE, Kind, check_tree

# Types of entries besides those in Kind: the base is given by its distance in the pack, or by its hash.
_OFS_DELTA: Final = 6
_REF_DELTA: Final = 7
_KINDS: Final = frozenset(int(kind) for kind in Kind)
# A pack ends with the SHA-1 of everything before.
_TRAILER: Final = 20
_CHUNK: Final = 65_536


class Limits(NamedTuple):
    """Maximal size of a pack: its bytes, the total bytes of its objects, their number, and the paths of one tree."""

    compressed: int = 64 << 20
    inflated: int = 512 << 20
    objects: int = 1_000_000
    paths: int = 1_000_000


class _PendingDelta(NamedTuple):
    """A delta whose base has not been read yet."""

    at: int
    base: int | str
    delta: bytes


def write_pack(objects: Objects, shas: Iterable[str]) -> Iterator[bytes]:
    """Yield a pack of objects in pieces. It contains no deltas; each object is deflated only once, ever."""
    ordered = list(shas)
    digest = sha1()
    header = b"PACK" + (2).to_bytes(4, "big") + len(ordered).to_bytes(4, "big")
    for piece in chain([header], (_encode_entry(objects, sha) for sha in ordered)):
        digest.update(piece)
        yield piece
    yield digest.digest()


def read_pack(
    objects: Objects, pack: bytes, limits: Limits, shows: Callable[[str], bool] = lambda sha: True
) -> Objects:
    """Read the objects of a pack into a quarantine over a store, which may hold bases of its deltas (a thin pack).

    ``shows`` returns whether a stored object may be a base: a delta must not disclose hidden objects. BadPack if the
    pack is truncated, corrupt, over a limit, or contains objects that git refuses.
    """
    if len(pack) > limits.compressed:
        raise BadPack(f"pack exceeds maximum allowed size ({limits.compressed} bytes)")
    if len(pack) < 12 + _TRAILER or pack[:4] != b"PACK" or int.from_bytes(pack[4:8], "big") not in {2, 3}:
        raise BadPack("protocol error (pack signature mismatch detected)")
    if sha1(memoryview(pack)[:-_TRAILER]).digest() != pack[-_TRAILER:]:
        raise BadPack("pack is corrupted (SHA1 mismatch)")
    return _Reader(objects, pack, limits, shows).read()


class _Reader:
    def __init__(self, objects: Objects, pack: bytes, limits: Limits, shows: Callable[[str], bool]) -> None:
        self._shows = shows
        self._pack = memoryview(pack)
        self._end = len(pack) - _TRAILER
        self._limits = limits
        self._remaining = limits.inflated
        self._quarantine = objects.over()
        # Bases are known by their position in the pack (OFS_DELTA) or by their hash (REF_DELTA).
        self._sha_at: dict[int, str] = {}
        self._pending: dict[int | str, list[_PendingDelta]] = {}

    def read(self) -> Objects:
        count, at = int.from_bytes(self._pack[8:12], "big"), 12
        if count > self._limits.objects:
            raise BadPack(f"pack has more than {self._limits.objects} objects")
        for _ in range(count):
            at = self._read_entry(at)
        if at != self._end:
            raise BadPack("pack has junk at the end")
        self._resolve_pending()
        if self._pending:
            raise BadPack(f"pack has {sum(map(len, self._pending.values()))} unresolved deltas")
        self._check_entry_kinds()
        return self._quarantine

    def _read_entry(self, start: int) -> int:
        type_number, size, at = self._read_header(start)
        base: int | str = ""
        if type_number == _OFS_DELTA:
            distance, at = self._read_distance(at)
            base = start - distance
        elif type_number == _REF_DELTA:
            base, at = bytes(self._pack[at : at + 20]).hex(), at + 20
        elif type_number not in _KINDS:
            raise BadPack(f"unknown object type {type_number}")
        content, end = self._inflate(at, size)
        if type_number in {_OFS_DELTA, _REF_DELTA}:
            self._resolve(_PendingDelta(start, base, content))
        else:
            self._add(start, Kind(type_number), content, bytes(self._pack[at:end]))
        return end

    def _add(self, at: int, kind: Kind, content: bytes, deflated: bytes | None = None) -> None:
        """Add an object, and all pending deltas that are based on it."""
        # A loop instead of recursion: a chain of deltas may be longer than Python's recursion limit.
        ready = [(at, kind, content, deflated)]
        while ready:
            at, kind, content, deflated = ready.pop()
            check_object(kind, content)
            sha = self._quarantine.add(kind, content, deflated)
            self._sha_at[at] = sha
            pending = self._pending.pop(at, []) + self._pending.pop(sha, [])
            ready += [(delta.at, kind, self._apply(content, delta.delta), None) for delta in pending]

    def _resolve(self, delta: _PendingDelta) -> None:
        sha = self._sha_at.get(delta.base) if isinstance(delta.base, int) else delta.base
        # Any object of this pack may be the base, but a stored one only if the client can see it.
        if sha is not None and (self._quarantine.holds_itself(sha) or (sha in self._quarantine and self._shows(sha))):
            base = self._quarantine.get(sha)
            self._add(delta.at, base.kind, self._apply(base.content, delta.delta))
        else:
            self._pending.setdefault(delta.base, []).append(delta)

    def _resolve_pending(self) -> None:
        """Retry the deltas whose base was unknown when they were read."""
        for base in list(self._pending):
            for delta in self._pending.pop(base, []):
                self._resolve(delta)

    def _check_entry_kinds(self) -> None:
        """Check that folders in trees are trees and files are blobs."""
        # Only now, as a tree may come before the objects that it names.
        for sha in self._quarantine.added():
            if self._quarantine.get(sha).kind is Kind.TREE:
                for entry in self._quarantine.tree(sha).values():
                    kind = Kind.TREE if entry.mode == FOLDER else Kind.BLOB
                    if (
                        entry.mode != SUBMODULE
                        and entry.sha in self._quarantine
                        and self._quarantine.get(entry.sha).kind != kind
                    ):
                        raise BadPack(f"invalid tree: {entry.sha} is not a {kind.word}")

    def _apply(self, base: bytes, delta: bytes) -> bytes:
        _, at = _read_varint(delta, 0)  # the size of the base
        # The delta itself was counted when it was inflated; its result takes memory as well.
        size, _ = _read_varint(delta, at)
        self._reserve(size)
        return apply_delta(base, delta)

    def _inflate(self, at: int, size: int) -> tuple[bytes, int]:
        """Return the bytes of an entry, whose number must be as declared, and the end of the entry."""
        self._reserve(size)
        decompressor = zlib.decompressobj()
        # The first piece is usually the whole stream: most contents shrink to less than half.
        parts, chunk, length = [], min(size // 2 + 64, _CHUNK), 0
        try:
            while not decompressor.eof:
                piece = self._pack[at : min(at + chunk, self._end)]
                if not piece:
                    raise BadPack("early EOF")
                part = decompressor.decompress(piece, size - length + 1)  # one byte too many is enough to refuse
                # The pack does not say where a stream ends: unused bytes belong to the next entry.
                at += len(piece) - len(decompressor.unconsumed_tail) - len(decompressor.unused_data)
                length += len(part)
                if length > size:
                    break
                parts.append(part)
        except zlib.error as error:
            raise BadPack("inflate returned an error") from error
        if length != size:
            raise BadPack("inflated size does not match")
        return b"".join(parts), at

    def _reserve(self, size: int) -> None:
        """Count bytes against the limit before they are inflated."""
        self._remaining -= size
        if self._remaining < 0:
            raise BadPack(f"pack exceeds maximum allowed size ({self._limits.inflated} bytes inflated)")

    def _byte(self, at: int) -> int:
        if at >= self._end:
            raise BadPack("early EOF")
        return self._pack[at]

    def _read_header(self, at: int) -> tuple[int, int, int]:
        byte = self._byte(at)
        # The first byte has the type and four bits of the size; each further byte has seven higher bits of it.
        number, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 0x80:
            at += 1
            byte = self._byte(at)
            size |= (byte & 0x7F) << shift
            shift += 7
        return number, size, at + 1

    def _read_distance(self, at: int) -> tuple[int, int]:
        byte = self._byte(at)
        distance = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = self._byte(at)
            # Unlike in sizes, the highest bits come first. Adding one per byte gives every distance a single encoding.
            distance = (distance + 1 << 7) | (byte & 0x7F)
        return distance, at + 1


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """Apply a delta to its base; BadPack as soon as the result exceeds its declared size."""
    length, at = _read_varint(delta, 0)
    size, at = _read_varint(delta, at)
    if length != len(base):
        raise BadPack("delta does not fit its base")
    parts, result_size = [], 0
    while at < len(delta):
        start, count, at = _read_instruction(delta, at)
        if start is None:
            part, at = delta[at : at + count], at + count
        else:
            part = base[start : start + count]
        parts.append(part)
        result_size += len(part)
        if len(part) != count or result_size > size:
            raise BadPack("failed to apply delta")
    if result_size != size:
        raise BadPack("failed to apply delta")
    return b"".join(parts)


def _read_instruction(delta: bytes, at: int) -> tuple[int | None, int, int]:
    """Return the offset in the base (None: insert from the delta), the number of bytes, and the next position."""
    byte, at = delta[at], at + 1
    if not byte:
        raise BadPack("unknown instruction in delta")
    # An instruction below 0x80 inserts that many bytes, which follow it; all others copy from the base.
    if not byte & 0x80:
        return None, byte, at
    start = count = 0
    # Bits 0 to 3 say which bytes of the offset follow, bits 4 to 6 which bytes of the size.
    for bit in range(7):
        if byte & 1 << bit:
            if at >= len(delta):
                raise BadPack("truncated delta")
            if bit < 4:
                start |= delta[at] << 8 * bit
            else:
                count |= delta[at] << 8 * (bit - 4)
            at += 1
    # A size of zero stands for 64 KiB.
    return start, count or 0x10000, at


def check_object(kind: Kind, content: bytes) -> None:
    """Raise BadPack if an object is malformed or a tree contains a name such as `.git`."""
    from fakeplat.git.records import parse_commit, parse_tag

    try:
        match kind:
            case Kind.TREE:
                check_tree(content)
            case Kind.COMMIT:
                parse_commit("", content)
            case Kind.TAG:
                parse_tag("", content)
    except GitError as error:
        raise BadPack(f"invalid {kind.word}: {error}") from error


def _encode_entry(objects: Objects, sha: str) -> bytes:
    stored = objects.get(sha)
    size, header = len(stored.content), bytearray()
    # The inverse of _Reader._read_header(): the type and four bits of the size, then seven bits per byte.
    byte, size = (stored.kind << 4) | (size & 15), size >> 4
    while size:
        header.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    header.append(byte)
    return bytes(header) + objects.deflated(sha)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
    raise BadPack("truncated delta")
