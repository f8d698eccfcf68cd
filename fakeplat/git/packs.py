"""Packs: reading what others send, under limits, and writing from entries that were deflated before."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha1
from itertools import chain
from typing import Final, NamedTuple

from fakeplat.git.errors import BadPack, GitError
from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER, SUBMODULE, Kind, check_tree

_OFS_DELTA: Final = 6
_REF_DELTA: Final = 7
_KINDS: Final = frozenset(int(kind) for kind in Kind)
_TRAILER: Final = 20
_CHUNK: Final = 65_536


class Limits(NamedTuple):
    """How large a pack may be: its own bytes, all its objects' bytes together, their number, the paths of one tree."""

    compressed: int = 64 << 20
    inflated: int = 512 << 20
    objects: int = 1_000_000
    paths: int = 1_000_000


class _Waiting(NamedTuple):
    """A delta whose base is not known yet."""

    at: int
    base: int | str
    delta: bytes


def write_pack(objects: Objects, shas: Iterable[str]) -> Iterator[bytes]:
    """A pack of some objects, piece by piece: no deltas, each entry deflated once in its life."""
    listed = list(shas)
    digest = sha1()
    header = b"PACK" + (2).to_bytes(4, "big") + len(listed).to_bytes(4, "big")
    for piece in chain([header], (_entry(objects, sha) for sha in listed)):
        digest.update(piece)
        yield piece
    yield digest.digest()


def read_pack(
    objects: Objects, pack: bytes, limits: Limits, shows: Callable[[str], bool] = lambda sha: True
) -> Objects:
    """The objects of a pack, in a quarantine over a store that may hold what the pack's deltas stand on.

    ``shows`` says of which objects of the store that may be so: a delta must not open what is hidden. BadPack if it
    is truncated, corrupt, over a limit, or holds what git would not take.
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
        self._left = limits.inflated
        self._found = objects.over()
        self._at: dict[int, str] = {}
        self._waiting: dict[int | str, list[_Waiting]] = {}

    def read(self) -> Objects:
        count, at = int.from_bytes(self._pack[8:12], "big"), 12
        if count > self._limits.objects:
            raise BadPack(f"pack has more than {self._limits.objects} objects")
        for _ in range(count):
            at = self._entry(at)
        if at != self._end:
            raise BadPack("pack has junk at the end")
        self._resolve_on_known()
        if self._waiting:
            raise BadPack(f"pack has {sum(map(len, self._waiting.values()))} unresolved deltas")
        self._check_kinds()
        return self._found

    def _entry(self, start: int) -> int:
        number, size, at = self._head(start)
        base: int | str = ""
        if number == _OFS_DELTA:
            distance, at = self._distance(at)
            base = start - distance
        elif number == _REF_DELTA:
            base, at = bytes(self._pack[at : at + 20]).hex(), at + 20
        elif number not in _KINDS:
            raise BadPack(f"unknown object type {number}")
        content, end = self._inflated(at, size)
        if number in {_OFS_DELTA, _REF_DELTA}:
            self._delta(_Waiting(start, base, content))
        else:
            self._keep(start, Kind(number), content, bytes(self._pack[at:end]))
        return end

    def _keep(self, at: int, kind: Kind, content: bytes, deflated: bytes | None = None) -> None:
        """Keep an object and all deltas that waited for it."""
        ready = [(at, kind, content, deflated)]
        while ready:
            at, kind, content, deflated = ready.pop()
            check_object(kind, content)
            sha = self._found.add(kind, content, deflated)
            self._at[at] = sha
            waiting = self._waiting.pop(at, []) + self._waiting.pop(sha, [])
            ready += [(delta.at, kind, self._applied(content, delta.delta), None) for delta in waiting]

    def _delta(self, delta: _Waiting) -> None:
        sha = self._at.get(delta.base) if isinstance(delta.base, int) else delta.base
        if sha is not None and (self._found.has_itself(sha) or (sha in self._found and self._shows(sha))):
            base = self._found.get(sha)
            self._keep(delta.at, base.kind, self._applied(base.content, delta.delta))
        else:
            self._waiting.setdefault(delta.base, []).append(delta)

    def _resolve_on_known(self) -> None:
        """What is still waiting may stand on what came later in the pack."""
        for base in list(self._waiting):
            for delta in self._waiting.pop(base, []):
                self._delta(delta)

    def _check_kinds(self) -> None:
        """A folder in a tree must be a tree, anything else in it a blob."""
        for sha in self._found.added():
            if self._found.get(sha).kind is Kind.TREE:
                for entry in self._found.tree(sha).values():
                    kind = Kind.TREE if entry.mode == FOLDER else Kind.BLOB
                    if entry.mode != SUBMODULE and entry.sha in self._found and self._found.get(entry.sha).kind != kind:
                        raise BadPack(f"invalid tree: {entry.sha} is no {kind.word}")

    def _applied(self, base: bytes, delta: bytes) -> bytes:
        _, at = _varint(delta, 0)
        size, _ = _varint(delta, at)
        self._spend(size)
        return apply_delta(base, delta)

    def _inflated(self, at: int, size: int) -> tuple[bytes, int]:
        """The bytes of an entry, which must be as many as it says, and where it ends."""
        self._spend(size)
        unpacker = zlib.decompressobj()
        parts, chunk, made = [], min(size // 2 + 64, _CHUNK), 0
        try:
            while not unpacker.eof:
                piece = self._pack[at : min(at + chunk, self._end)]
                if not piece:
                    raise BadPack("early EOF")
                part = unpacker.decompress(piece, size - made + 1)
                at += len(piece) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
                made += len(part)
                if made > size:
                    break
                parts.append(part)
        except zlib.error as error:
            raise BadPack("inflate returned an error") from error
        if made != size:
            raise BadPack("inflated size does not match")
        return b"".join(parts), at

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise BadPack(f"pack exceeds maximum allowed size ({self._limits.inflated} bytes inflated)")

    def _byte(self, at: int) -> int:
        if at >= self._end:
            raise BadPack("early EOF")
        return self._pack[at]

    def _head(self, at: int) -> tuple[int, int, int]:
        byte = self._byte(at)
        number, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 0x80:
            at += 1
            byte = self._byte(at)
            size |= (byte & 0x7F) << shift
            shift += 7
        return number, size, at + 1

    def _distance(self, at: int) -> tuple[int, int]:
        byte = self._byte(at)
        distance = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = self._byte(at)
            distance = (distance + 1 << 7) | (byte & 0x7F)
        return distance, at + 1


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base. BadPack before it makes more than it says, however often it copies."""
    length, at = _varint(delta, 0)
    size, at = _varint(delta, at)
    if length != len(base):
        raise BadPack("delta does not fit its base")
    parts, made = [], 0
    while at < len(delta):
        start, count, at = _instruction(delta, at)
        if start is None:
            part, at = delta[at : at + count], at + count
        else:
            part = base[start : start + count]
        parts.append(part)
        made += len(part)
        if len(part) != count or made > size:
            raise BadPack("failed to apply delta")
    if made != size:
        raise BadPack("failed to apply delta")
    return b"".join(parts)


def _instruction(delta: bytes, at: int) -> tuple[int | None, int, int]:
    """From where in the base to copy (None: from the delta itself), how many bytes, and where the delta goes on."""
    byte, at = delta[at], at + 1
    if not byte:
        raise BadPack("unknown instruction in delta")
    if not byte & 0x80:
        return None, byte, at
    start = count = 0
    for place in range(7):
        if byte & 1 << place:
            if at >= len(delta):
                raise BadPack("truncated delta")
            if place < 4:
                start |= delta[at] << 8 * place
            else:
                count |= delta[at] << 8 * (place - 4)
            at += 1
    return start, count or 0x10000, at


def check_object(kind: Kind, content: bytes) -> None:
    """BadPack where an object is malformed or a tree holds a name such as `.git`."""
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


def _entry(objects: Objects, sha: str) -> bytes:
    stored = objects.get(sha)
    size, head = len(stored.content), bytearray()
    byte, size = (stored.kind << 4) | (size & 15), size >> 4
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    head.append(byte)
    return bytes(head) + objects.deflated(sha)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
    raise BadPack("truncated delta")
