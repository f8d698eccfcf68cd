"""What NuGet packages contain: the nuspec in the archive, and the symbol files of symbol packages.

Source: docs/platform/packages.md (NuGet).
"""

import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile, ZipInfo

_MAX_NUSPEC: Final = 4 * 1024 * 1024
_MAX_SYMBOL: Final = 64 * 1024 * 1024
_MAX_SYMBOLS: Final = 100
_URLS: Final = ("projectUrl", "licenseUrl", "iconUrl")
_SYMBOLS: Final = "SymbolsPackage"
# The GUID of a portable PDB follows the name of the stream ``#Blob`` and its padding.
_STREAM: Final = b"Blob"
_GUID_AT: Final = 7
_ID_LENGTH: Final = 20
_AGE: Final = "FFFFFFFF"
_HEAD: Final = 256


class Nuspec(NamedTuple):
    """The metadata of a package. ``fields`` are those of the record's manifest."""

    name: str
    version: str
    fields: Mapping[str, Any]
    tags: tuple[str, ...]
    is_symbols: bool


class Symbol(NamedTuple):
    """A symbol file: its name in lower case, the signature by which debuggers ask for it, its digest and content."""

    name: str
    signature: str
    sha256: str
    content: bytes


def read(content: bytes) -> Nuspec | None:
    """Return the metadata of a package, or None if the file is no archive with a readable nuspec."""
    archive = _open(content)
    entry = next((info for info in archive.infolist() if _is_nuspec(info)), None) if archive else None
    if archive is None or entry is None or entry.file_size > _MAX_NUSPEC:
        return None
    text = _read_entry(archive, entry, _MAX_NUSPEC)
    root = _parse(text) if text is not None else None
    return _read_metadata(root) if root is not None else None


def _open(content: bytes) -> "ZipFile | None":
    from zipfile import BadZipFile, ZipFile

    try:
        return ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError):
        return None


def _is_nuspec(info: "ZipInfo") -> bool:
    return info.filename.endswith(".nuspec") and "/" not in info.filename


def _read_entry(archive: "ZipFile", entry: "ZipInfo", limit: int) -> bytes | None:
    """Return the content of an entry, None if it is damaged or larger than the limit, whatever its head says."""
    from zipfile import BadZipFile

    try:
        with archive.open(entry) as file:
            data = file.read(limit + 1)
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError):
        return None
    return data if len(data) <= limit else None


def _parse(text: bytes) -> "Element | None":
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(text)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None
    return root


def _read_metadata(root: "Element") -> Nuspec:
    texts = {name: _text(root, name) for name in ("id", "version", "authors", "description", *_URLS)}
    fields = {name: text for name, text in texts.items() if text and name not in ("id", "version")}
    dependencies = list(_list_dependencies(root))
    types = {node.get("name") for node in root.findall("{*}metadata/{*}packageTypes/{*}packageType")}
    return Nuspec(
        texts["id"],
        texts["version"],
        {**fields, **({"dependencies": dependencies} if dependencies else {})},
        tuple(_text(root, "tags").split()),
        _SYMBOLS in types,
    )


def _text(root: "Element", name: str) -> str:
    return "".join(node.text or "" for node in root.findall(f"{{*}}metadata/{{*}}{name}")).strip()


def _list_dependencies(root: "Element") -> Iterator[dict[str, str]]:
    container = "{*}metadata/{*}dependencies"
    for node in root.findall(f"{container}/{{*}}dependency"):
        yield _read_dependency(node)
    for group in root.findall(f"{container}/{{*}}group"):
        framework = group.get("targetFramework", "")
        for node in group.findall("{*}dependency"):
            yield {**_read_dependency(node), **({"targetFramework": framework} if framework else {})}


def _read_dependency(node: "Element") -> dict[str, str]:
    return {"id": node.get("id", ""), "range": node.get("version", "")}


def list_symbols(content: bytes) -> tuple[Symbol, ...]:
    """Return the symbol files of a symbol package that have a signature."""
    archive = _open(content)
    entries = [info for info in archive.infolist() if info.filename.endswith(".pdb")] if archive else []
    files = [
        (entry.filename, data)
        for entry in entries[:_MAX_SYMBOLS]
        if archive is not None and (data := _read_entry(archive, entry, _MAX_SYMBOL)) is not None
    ]
    symbols = [_read_symbol(name, data) for name, data in files]
    return tuple(symbol for symbol in symbols if symbol is not None)


def _read_symbol(path: str, data: bytes) -> Symbol | None:
    at = data[:_HEAD].find(_STREAM)
    start = at + _GUID_AT
    pdb_id = data[start : min(start + _ID_LENGTH, _HEAD)]
    if at < 0 or len(pdb_id) < _ID_LENGTH:
        return None
    # The first three parts of the GUID are little-endian numbers. The digest is that of the file without its id.
    guid = pdb_id[3::-1] + pdb_id[5:3:-1] + pdb_id[7:5:-1] + pdb_id[8:16]
    blank = data.replace(pdb_id, bytes(_ID_LENGTH), 1)
    name = path.rpartition("/")[2].lower()
    return Symbol(name, f"{guid.hex()}{_AGE}", sha256(blank).hexdigest(), data)
