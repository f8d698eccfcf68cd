"""Archives of a tree, byte for byte as `git archive` writes them (zip: the same files, order and modes)."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Final, NamedTuple

from fakeplat.git.objects import Objects
from fakeplat.git.records import EXECUTABLE, FOLDER, SUBMODULE, SYMLINK, Entry
from fakeplat.git.trees import list_entries

# A tar file consists of blocks of 512 bytes, and its length is a multiple of a record: tar's default is 20 blocks.
BLOCK = 512
RECORD = 20 * BLOCK
# git's default for ``tar.umask``: others may not write.
UMASK = 0o002
# The latest time that fits into a tar header, and the first and the last one of the zip format.
_LAST_IN_TAR: Final = 0o77777777777
_FIRST_IN_ZIP: Final = int(datetime(1980, 1, 1, tzinfo=UTC).timestamp())
_LAST_IN_ZIP: Final = int(datetime(2107, 12, 31, 23, 59, 58, tzinfo=UTC).timestamp())


class ArchiveMember(NamedTuple):
    """A member of an archive. ``path`` includes the prefix, and ends with a slash for a folder."""

    path: str
    mode: int
    sha: str
    content: bytes = b""

    @property
    def permissions(self) -> int:
        """The permission bits, under git's default ``tar.umask``."""
        if self.mode == SYMLINK:
            return 0o777
        return (0o777 if self.mode in {EXECUTABLE, FOLDER, SUBMODULE} else 0o666) & ~UMASK


def list_members(objects: Objects, tree: str, prefix: str = "", path: str = "") -> Iterator[ArchiveMember]:
    """List the members of a tree or of a folder in it. A submodule is an empty folder, as in `git archive`."""
    # As in git, the folder of a prefix is a member of its own; a prefix such as `site-1.0-` is only part of the names.
    if prefix.endswith("/"):
        yield ArchiveMember(prefix, FOLDER, tree)
    for entry in list_entries(objects, tree, path, recursive=True):
        yield _create_member(objects, entry, prefix)


def write_tar(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """Return a tar archive as `git archive --format=tar`. ``when``: modification time of all members (s since 1970)."""
    content = b"".join([_commit_header(commit, when), *(_tar_member(member, when) for member in members)])
    # Two empty blocks end the archive, which is padded to full records.
    return content + bytes(-(len(content) + 2 * BLOCK) % RECORD + 2 * BLOCK)


def write_tar_gz(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """Return a gzipped tar archive, without time and name in the gzip header."""
    content = write_tar(members, when, commit)
    # Window bits above 15 select the gzip format; like `gzip -n`, zlib leaves time and name out of its header.
    compressor = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return compressor.compress(content) + compressor.flush()


def write_tar_bz2(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """Return a tar archive compressed with bzip2."""
    import bz2

    return bz2.compress(write_tar(members, when, commit))


def write_zip(members: Iterable[ArchiveMember], when: int, commit: str) -> bytes:
    """Return a zip archive as `git archive --format=zip`, with times in UTC."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

    time = datetime.fromtimestamp(min(max(when, _FIRST_IN_ZIP), _LAST_IN_ZIP), UTC).timetuple()[:6]
    output = BytesIO()
    with ZipFile(output, "w") as file:
        file.comment = commit.encode()
        for member in members:
            info = ZipInfo(member.path.encode(errors="replace").decode(), time)
            info.create_system = 3  # Unix: the high half of external_attr is the mode
            # The low half has the attributes of MS-DOS, in which 0x10 is a folder.
            info.external_attr = (_zip_mode(member) << 16) | (0x10 if member.path.endswith("/") else 0)
            # As in git, symbolic links and empty files are stored without compression.
            info.compress_type = ZIP_DEFLATED if member.content and member.mode != SYMLINK else ZIP_STORED
            file.writestr(info, member.content)
    return output.getvalue()


FORMATS: dict[str, Callable[[Iterable[ArchiveMember], int, str], bytes]] = {
    "tar": write_tar,
    "tar.gz": write_tar_gz,
    "tar.bz2": write_tar_bz2,
    "zip": write_zip,
}


def _create_member(objects: Objects, entry: Entry, prefix: str) -> ArchiveMember:
    if entry.mode in {FOLDER, SUBMODULE}:
        return ArchiveMember(f"{prefix}{entry.path}/", entry.mode, entry.sha)
    return ArchiveMember(prefix + entry.path, entry.mode, entry.sha, objects.blob(entry.sha))


def _zip_mode(member: ArchiveMember) -> int:
    if member.mode == SYMLINK:
        return SYMLINK | 0o777
    return 0o040755 if member.path.endswith("/") else member.mode


def _tar_member(member: ArchiveMember, when: int) -> bytes:
    path = member.path.encode(errors="surrogateescape")
    prefix, name, extended = b"", path, b""
    # A path over 100 bytes is split over the fields prefix and name; where that is impossible, an extended header
    # (pax) precedes the member and git names the member after its hash.
    if len(path) > 100:
        prefix, name = _split_path(path)
        if not name:
            name, extended = b"%b.data" % member.sha.encode(), _pax_record(b"path", path)
    link, body = b"", member.content
    if member.mode == SYMLINK:
        link, body = member.content, b""
        # The extended header has the whole target; git fills the field of the header with a note.
        if len(link) > 100:
            link, extended = b"see %b.paxheader" % member.sha.encode(), extended + _pax_record(b"linkpath", link)
    kind = b"2" if member.mode == SYMLINK else b"5" if path.endswith(b"/") else b"0"
    # The extended header is a member of its own (kind x), before the one that it describes.
    pax_header = _tar_header(b"%b.paxheader" % member.sha.encode(), b"x", 0o666, len(extended), when) + _pad(extended)
    header = _tar_header(name, kind, member.permissions, len(body), when, link=link, prefix=prefix)
    return (pax_header if extended else b"") + header + _pad(body)


def _split_path(path: bytes) -> tuple[bytes, bytes]:
    """Split a path at a slash into at most 155 and at most 100 bytes; empty if that is impossible."""
    # The search omits the last byte: the slash at the end of a folder's path does not separate prefix and name.
    at = path.rfind(b"/", 0, min(len(path) - 1, 156))
    return (path[:at], path[at + 1 :]) if at > 0 and len(path) - at - 1 <= 100 else (b"", b"")


def _commit_header(commit: str, when: int) -> bytes:
    """Return the global header with the commit, which `git get-tar-commit-id` reads."""
    text = _pax_record(b"comment", commit.encode())
    if when > _LAST_IN_TAR:
        text += _pax_record(b"mtime", b"%d" % when)
    return _tar_header(b"pax_global_header", b"g", 0o666, len(text), when) + _pad(text)


def _pax_record(key: bytes, value: bytes) -> bytes:
    """Return a record of an extended header; it starts with its own length, this number's digits included."""
    # The three further bytes are the blank, the equals sign and the line feed.
    length = len(key) + len(value) + 3
    while len(str(length)) + len(key) + len(value) + 3 != length:
        length = len(str(length)) + len(key) + len(value) + 3
    return b"%d %b=%b\n" % (length, key, value)


def _tar_header(
    name: bytes, kind: bytes, mode: int, size: int, when: int, *, link: bytes = b"", prefix: bytes = b""
) -> bytes:
    # In order: name, mode, user and group, size and time, checksum, kind and link, format, names of user and group,
    # device numbers, prefix. Numbers are octal digits, which is why a time before 1970 becomes 0.
    fields = b"".join(
        [
            name.ljust(100, b"\0"),
            b"%07o\0%07o\0%07o\0" % (mode, 0, 0),
            b"%011o\0%011o\0" % (size, min(max(when, 0), _LAST_IN_TAR)),
            b" " * 8,
            kind + link.ljust(100, b"\0"),
            b"ustar\x0000" + b"root".ljust(32, b"\0") * 2,
            b"%07o\0%07o\0" % (0, 0),
            prefix.ljust(155, b"\0"),
        ]
    ).ljust(BLOCK, b"\0")
    # The checksum is computed with blanks in its own field.
    return fields[:148] + b"%07o\0" % sum(fields) + fields[156:]


def _pad(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)
