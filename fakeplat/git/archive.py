"""Archives of a tree, byte for byte those of `git archive` (zip: the same files, order and modes)."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import NamedTuple

from fakeplat.git.objects import Objects
from fakeplat.git.records import EXECUTABLE, FOLDER, SUBMODULE, SYMLINK, Entry
from fakeplat.git.trees import list_entries

BLOCK = 512
RECORD = 20 * BLOCK
UMASK = 0o002


class ArchiveMember(NamedTuple):
    """One thing in an archive; ``path`` has the prefix, a folder's ends with a slash."""

    path: str
    mode: int
    sha: str
    content: bytes = b""

    @property
    def permissions(self) -> int:
        """As git gives them, under its own umask."""
        if self.mode == SYMLINK:
            return 0o777
        return (0o777 if self.mode in {EXECUTABLE, FOLDER, SUBMODULE} else 0o666) & ~UMASK


def list_members(objects: Objects, tree: str, prefix: str = "", path: str = "") -> Iterator[ArchiveMember]:
    """All of a tree (or of a folder in it), below a prefix. A submodule is an empty folder, as in `git archive`."""
    if prefix.endswith("/"):
        yield ArchiveMember(prefix, FOLDER, tree)
    for entry in list_entries(objects, tree, path, recursive=True):
        yield _archived(objects, entry, prefix)


def write_tar(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """`git archive --format=tar`. ``when`` (seconds since 1970) is when everything in it was last changed."""
    content = b"".join([_comment(commit, when), *(_tar_member(one, when) for one in members)])
    return content + bytes(-(len(content) + 2 * BLOCK) % RECORD + 2 * BLOCK)


def tar_gz(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """A tar archive, gzipped; no time and no name in the header."""
    content = write_tar(members, when, commit)
    packer = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def tar_bz2(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """A tar archive under bzip2."""
    import bz2

    return bz2.compress(write_tar(members, when, commit))


def write_zip(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """`git archive --format=zip`, times in UTC."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

    moment = max(datetime.fromtimestamp(when, UTC), datetime(1980, 1, 1, tzinfo=UTC)).timetuple()[:6]
    made = BytesIO()
    with ZipFile(made, "w") as file:
        file.comment = commit.encode()
        for one in members:
            member = ZipInfo(one.path.encode(errors="replace").decode(), moment)
            member.create_system = 3
            member.external_attr = (_zip_mode(one) << 16) | (0x10 if one.path.endswith("/") else 0)
            member.compress_type = ZIP_DEFLATED if one.content and one.mode != SYMLINK else ZIP_STORED
            file.writestr(member, one.content)
    return made.getvalue()


FORMATS: dict[str, Callable[[Iterable[ArchiveMember], int, str], bytes]] = {
    "tar": write_tar,
    "tar.gz": tar_gz,
    "tar.bz2": tar_bz2,
    "zip": write_zip,
}


def _archived(objects: Objects, entry: Entry, prefix: str) -> ArchiveMember:
    if entry.mode in {FOLDER, SUBMODULE}:
        return ArchiveMember(f"{prefix}{entry.path}/", entry.mode, entry.sha)
    return ArchiveMember(prefix + entry.path, entry.mode, entry.sha, objects.blob(entry.sha))


def _zip_mode(one: ArchiveMember) -> int:
    if one.mode == SYMLINK:
        return SYMLINK | 0o777
    return 0o040755 if one.path.endswith("/") else one.mode


def _tar_member(one: ArchiveMember, when: int) -> bytes:
    path = one.path.encode(errors="surrogateescape")
    prefix, name, extended = b"", path, b""
    if len(path) > 100:
        prefix, name = _split(path)
        if not name:
            name, extended = b"%b.data" % one.sha.encode(), _pax(b"path", path)
    link, body = b"", one.content
    if one.mode == SYMLINK:
        link, body = one.content, b""
        if len(link) > 100:
            link, extended = b"see %b.paxheader" % one.sha.encode(), extended + _pax(b"linkpath", link)
    kind = b"2" if one.mode == SYMLINK else b"5" if path.endswith(b"/") else b"0"
    before = _tar_header(b"%b.paxheader" % one.sha.encode(), b"x", 0o666, len(extended), when) + _padded(extended)
    header = _tar_header(name, kind, one.permissions, len(body), when, link=link, prefix=prefix)
    return (before if extended else b"") + header + _padded(body)


def _split(path: bytes) -> tuple[bytes, bytes]:
    """A long path cut at a slash into at most 155 and at most 100 bytes; nothing if it cannot be."""
    at = path.rfind(b"/", 0, min(len(path) - 1, 156))
    return (path[:at], path[at + 1 :]) if at > 0 and len(path) - at - 1 <= 100 else (b"", b"")


def _comment(commit: str, when: int) -> bytes:
    text = _pax(b"comment", commit.encode())
    return _tar_header(b"pax_global_header", b"g", 0o666, len(text), when) + _padded(text)


def _pax(key: bytes, value: bytes) -> bytes:
    """A record of an extended header, which starts with its own length."""
    length = len(key) + len(value) + 3
    while len(str(length)) + len(key) + len(value) + 3 != length:
        length = len(str(length)) + len(key) + len(value) + 3
    return b"%d %b=%b\n" % (length, key, value)


def _tar_header(
    name: bytes, kind: bytes, mode: int, size: int, when: int, *, link: bytes = b"", prefix: bytes = b""
) -> bytes:
    fields = b"".join(
        [
            name.ljust(100, b"\0"),
            b"%07o\0%07o\0%07o\0" % (mode, 0, 0),
            b"%011o\0%011o\0" % (size, max(when, 0)),
            b" " * 8,
            kind + link.ljust(100, b"\0"),
            b"ustar\x0000" + b"root".ljust(32, b"\0") * 2,
            b"%07o\0%07o\0" % (0, 0),
            prefix.ljust(155, b"\0"),
        ]
    ).ljust(BLOCK, b"\0")
    return fields[:148] + b"%07o\0" % sum(fields) + fields[156:]


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)
