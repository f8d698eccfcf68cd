"""Compressed files that clients upload: reading them within a limit."""

import tarfile
import zlib
from io import BytesIO
from typing import Final

LIMIT: Final = 64 * 1024 * 1024
"""How many bytes an upload may have when it is decompressed; packages that are refused for more are no real ones."""
_GZIP: Final = 31
"""The window bits that make zlib read the gzip format."""


class UnreadableFile(ValueError):
    """The content of an uploaded file is not what its format asks for."""


def read_gzip(content: bytes) -> bytes:
    """Return the decompressed content; UnreadableFile if it is damaged or too large."""
    reader = zlib.decompressobj(_GZIP)
    try:
        data = reader.decompress(content, LIMIT)
    except zlib.error as error:
        raise UnreadableFile(f"not in gzip format: {error}") from None
    if reader.unconsumed_tail:
        raise UnreadableFile("too large when it is decompressed")
    return data


def find_in_tar(content: bytes, ending: str, limit: int) -> bytes | None:
    """Return the first file of a tar archive whose path has an ending; UnreadableFile if it is larger than a limit."""
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:") as archive:
            for member in archive:
                if member.isfile() and f"/{member.name}".endswith(ending):
                    if member.size > limit:
                        raise UnreadableFile(f"{member.name} is too big")
                    file = archive.extractfile(member)
                    return file.read() if file is not None else None
    except tarfile.TarError as error:
        raise UnreadableFile(f"not a tar archive: {error}") from None
    return None
