"""The files of an export's archive: gzipped tar, with JSON documents, git bundles and uploads.

Documents are read in both layouts of the platform: one file per relation (``tree/project/issues.ndjson``), and the
older single file (``project.json``).
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

Files = dict[str, bytes]
Rows = list[dict[str, Any]]

_LARGEST: Final = 512 << 20
_TREE: Final = "tree/"


class BadArchiveError(Exception):
    """The bytes are no archive of an export."""


def write_archive(files: Mapping[str, bytes], when: int) -> bytes:
    """Return an archive of files; ``when`` is their time in seconds since 1970."""
    # Without the time of its creation, so that the same files give the same bytes.
    return gzip.compress(write_tar(files, when), mtime=0)


def write_tar(files: Mapping[str, bytes], when: int) -> bytes:
    """Return files as a tar archive that is not compressed."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(f"./{path}")
            member.size, member.mode, member.mtime = len(content), 0o644, when
            archive.addfile(member, io.BytesIO(content))
    return output.getvalue()


def read_archive(content: bytes) -> Files:
    """Return the files of an archive by path; BadArchiveError if it is damaged or too large."""
    try:
        with tarfile.open(fileobj=io.BytesIO(decompress(content))) as archive:
            return {
                member.name.removeprefix("./"): file.read()
                for member in archive
                if member.isfile() and (file := archive.extractfile(member)) is not None
            }
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise BadArchiveError(f"the archive cannot be read: {error}") from error


def decompress(content: bytes) -> bytes:
    """Return what gzip has compressed; BadArchiveError if it is damaged or too large."""
    # Its last bytes say how large it is. They may be wrong, so no more is unpacked than may be.
    if int.from_bytes(content[-4:], "little") > _LARGEST:
        raise BadArchiveError("the archive is too large")
    try:
        plain = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, _LARGEST + 1)
    except zlib.error as error:
        raise BadArchiveError(f"the archive cannot be read: {error}") from error
    if len(plain) > _LARGEST:
        raise BadArchiveError("the archive is too large")
    return plain


def write_json(value: object) -> bytes:
    """Return a JSON document."""
    return orjson.dumps(value)


def write_tree(root: str, attributes: Mapping[str, object], relations: Mapping[str, Sequence[object]]) -> Files:
    """Return the documents of a project or group: its attributes, and the rows of each relation that has some."""
    documents = {f"{_TREE}{root}.json": write_json(attributes)}
    for name, rows in relations.items():
        if rows:
            documents[f"{_TREE}{root}/{name}.ndjson"] = b"".join(write_json(row) + b"\n" for row in rows)
    return documents


class Tree:
    """The documents of a project or group in an archive."""

    def __init__(self, files: Files, root: str, legacy: str = "") -> None:
        self._prefix = f"{_TREE}{root}"
        self._files = files
        document = files.get(f"{self._prefix}.json") or (files.get(legacy) if legacy else None)
        if document is None:
            raise BadArchiveError(f"the archive has no {self._prefix}.json")
        self.attributes: dict[str, Any] = _read_map(document)

    def rows(self, relation: str) -> Rows:
        """Return the rows of a relation; empty if the archive has none."""
        content = self._files.get(f"{self._prefix}/{relation}.ndjson")
        if content is not None:
            return [_read_map(line) for line in content.splitlines() if line.strip()]
        rows = self.attributes.get(relation)
        candidates = rows if isinstance(rows, list) else [rows]
        return [row for row in candidates if isinstance(row, dict)]


def _read_map(content: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadArchiveError(f"the archive has a document that is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadArchiveError("the archive has a document that is not a JSON object")
    return value
