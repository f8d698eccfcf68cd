"""The bytes of artifacts: archives with their metadata, and compressed reports; equal content gives equal bytes.

Nothing is compressed, because the result of compression depends on the machine. Source: docs/platform/artifacts.md.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from gzip import GzipFile
from io import BytesIO
from typing import Final
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

import orjson

from fakeplat.core.store.frozen import frozen

_METADATA_HEADER: Final = "GitLab Build Artifacts Metadata 0.0.2\n"
_UNIX: Final = 3
# With this sum, the decompressor expects the header of gzip.
_GZIP: Final = zlib.MAX_WBITS | 16
_FILE_MODE: Final = 0o100644
_DIRECTORY_MODE: Final = 0o040755
# The first year of the format; earlier times cannot be stored.
_FIRST_YEAR: Final = 1980
# What reading an entry raises if it is damaged, encrypted, or compressed in an unknown way.
_UNREADABLE: Final = (BadZipFile, LargeZipFile, zlib.error, RuntimeError, EOFError, ValueError, OSError)
MAX_ENTRY_SIZE: Final = 256 * 1024 * 1024
"""The size in bytes up to which files are unpacked; a few kilobytes can claim to be a thousand times as much."""


class EntryTooLarge(ValueError):
    """An entry of an archive is over the limit."""


def encode(content: str | bytes) -> bytes:
    """Return the bytes of a file that was given as text or bytes."""
    return content.encode() if isinstance(content, str) else content


def build_zip(files: Mapping[str, str | bytes], time: int) -> bytes:
    """Return a zip archive of files by path, with a time (ms) for all of them."""
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        for path in sorted(files):
            archive.writestr(_describe_entry(path, time), encode(files[path]))
    return stream.getvalue()


def _describe_entry(path: str, time: int) -> ZipInfo:
    when = datetime.fromtimestamp(time // 1000, UTC)
    entry = ZipInfo(path, (max(when.year, _FIRST_YEAR), when.month, when.day, when.hour, when.minute, when.second))
    entry.create_system = _UNIX
    entry.external_attr = _FILE_MODE << 16
    return entry


def build_gzip(name: str, content: bytes) -> bytes:
    """Return a gzip file with the name and content of a file."""
    stream = BytesIO()
    with GzipFile(name, "wb", compresslevel=0, fileobj=stream, mtime=0) as compressed:
        compressed.write(content)
    return stream.getvalue()


def read_gzip_files(content: bytes) -> list[bytes]:
    """Return the files of several gzip files one after another; none from the first on that cannot be read.

    One that goes beyond `MAX_ENTRY_SIZE`, with those before it, cannot.
    """
    files, space = [], MAX_ENTRY_SIZE
    while content:
        decompressor = zlib.decompressobj(wbits=_GZIP)
        try:
            # A limit of 0 would be none.
            files.append(decompressor.decompress(content, space + 1))
        except zlib.error:
            break
        space -= len(files[-1])
        if space < 0:
            files.pop()
            break
        content = decompressor.unused_data
    return files


def list_entries(archive: bytes) -> list[ZipInfo]:
    """Return the entries of a zip archive; none if it is no archive."""
    try:
        with ZipFile(BytesIO(archive)) as opened:
            return opened.infolist()
    except BadZipFile:
        return []


def read_entry(archive: bytes, path: str) -> bytes | None:
    """Return the content of a file in a zip archive; None if it has no such file. EntryTooLarge above the limit.

    A path matches only the very same path of an entry, and none with ``..`` does.
    """
    if path.endswith("/") or ".." in path.split("/"):
        return None
    try:
        with ZipFile(BytesIO(archive)) as opened:
            entry = opened.NameToInfo.get(path)
            if entry is None:
                return None
            # No more than this size is unpacked, whatever the data says.
            if entry.file_size > MAX_ENTRY_SIZE:
                raise EntryTooLarge(f"{path} has {entry.file_size} bytes")
            return opened.read(entry)
    except EntryTooLarge:
        raise
    except _UNREADABLE:
        return None


@frozen
class TreeEntry:
    """A file of an archive, or a directory, whose path ends with a slash. ``mode`` is in octal digits."""

    path: str
    mode: str
    size: int | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def type(self) -> str:
        """Whether it is a file or a directory."""
        return "file" if self.size is not None else "directory"


def list_tree(archive: bytes, directory: str, *, recursive: bool) -> list[TreeEntry] | None:
    """Return what a directory of a zip archive contains, directories first, or in the order of the paths if recursive.

    None if there is no such directory; it ends with a slash unless it is the root.
    """
    tree = {entry.path: entry for info in list_entries(archive) for entry in _list_nodes(info)}
    if directory and directory not in tree:
        return None
    inside = [entry for path, entry in sorted(tree.items()) if path.startswith(directory) and path != directory]
    if recursive:
        return inside
    children = [entry for entry in inside if "/" not in entry.path[len(directory) :].rstrip("/")]
    return sorted(children, key=lambda entry: entry.size is not None)


def _list_nodes(info: ZipInfo) -> Iterator[TreeEntry]:
    """Yield the directories above an entry of an archive, and the entry."""
    parts = info.filename.rstrip("/").split("/")
    for length in range(1, len(parts)):
        yield TreeEntry("/".join(parts[:length]) + "/", f"{_DIRECTORY_MODE:06o}")
    mode = info.external_attr >> 16
    if info.is_dir():
        yield TreeEntry(info.filename, f"{mode or _DIRECTORY_MODE:06o}")
    else:
        yield TreeEntry(info.filename, f"{mode or _FILE_MODE:06o}", info.file_size)


def build_metadata(entries: Iterable[ZipInfo]) -> bytes:
    """Return the list of an archive's entries as the platform stores it: strings after their lengths, compressed."""
    texts = [_METADATA_HEADER.encode(), b"{}"]
    for entry in entries:
        texts += [entry.filename.encode(), orjson.dumps(_describe(entry))]
    return build_gzip("", b"".join(len(text).to_bytes(4, "big") + text for text in texts))


def _describe(entry: ZipInfo) -> dict[str, object]:
    mode = entry.external_attr >> 16
    return {"mode": f"{mode:o}", "crc": entry.CRC, "size": entry.file_size, "zipped": entry.compress_size}
