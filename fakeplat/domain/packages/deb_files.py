"""Files of Debian packages: control data, and binary packages. See deb(5), deb822(5)."""

import lzma
import re
from collections.abc import Iterator
from typing import Final

from fakeplat.domain.packages.packed_files import LIMIT, UnreadableFile, find_in_tar, read_gzip

_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60
_MAX_CONTROL: Final = 1024 * 1024
_FIELD: Final = re.compile(r"(?P<name>[^\s:]+):\s*(?P<value>.*)")
_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "\n-----BEGIN PGP SIGNATURE-----"


def parse_control(text: str) -> dict[str, str]:
    """Return the fields of the first paragraph of control data; UnreadableFile for anything else."""
    fields: dict[str, str] = {}
    name = ""
    for line in _first_paragraph(text):
        if line.startswith("#"):
            continue
        match = _FIELD.match(line)
        if line[:1] in (" ", "\t"):
            if not name:
                raise UnreadableFile("Parse error. Unexpected continuation line")
            fields[name] += "\n" + ("" if line.rstrip() == " ." else line[1:])
        elif match is None:
            raise UnreadableFile(f"Parse error on line {line}")
        else:
            name = match["name"]
            if name in fields:
                raise UnreadableFile(f"Duplicate field '{name}'")
            fields[name] = match["value"].rstrip()
    if not fields:
        raise UnreadableFile("there are no fields")
    return fields


def _first_paragraph(text: str) -> list[str]:
    text = text.replace("\r\n", "\n")
    if text.startswith(_SIGNED):
        # The headers of the signature end with an empty line.
        text = text.partition("\n\n")[2].partition(_SIGNATURE)[0]
    return text.lstrip("\n").partition("\n\n")[0].rstrip("\n").split("\n")


def read_control(content: bytes) -> dict[str, str]:
    """Return the control fields of a binary package; UnreadableFile for anything else."""
    for name, data in _list_members(content):
        if name.startswith("control.tar"):
            control = find_in_tar(_decompress(name, data), "/control", _MAX_CONTROL)
            if control is None:
                raise UnreadableFile("there is no control file")
            return parse_control(decode(control))
    raise UnreadableFile("there is no control.tar")


def decode(content: bytes) -> str:
    """Return a text; UnreadableFile if it is not in UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"not in UTF-8: {error.reason}") from None


def _list_members(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the members of an ar archive."""
    if not content.startswith(_MAGIC):
        raise UnreadableFile("not a Debian binary package")
    start = len(_MAGIC)
    while start + _HEADER <= len(content):
        header = content[start : start + _HEADER]
        size = header[48:58].strip()
        if not size.isdigit():
            raise UnreadableFile("a member has no size")
        start += _HEADER
        yield header[:16].decode("ascii", "replace").rstrip(" /"), content[start : start + int(size)]
        # Members begin at even offsets.
        start += int(size) + int(size) % 2


def _decompress(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        return read_gzip(data)
    if name.endswith(".xz"):
        reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=LIMIT * 2)
        try:
            unpacked = reader.decompress(data, LIMIT)
        except lzma.LZMAError as error:
            raise UnreadableFile(f"not in xz format: {error}") from None
        if not reader.eof:
            raise UnreadableFile("too large when it is decompressed")
        return unpacked
    if name.endswith(".tar"):
        return data
    raise UnreadableFile(f"{name} has an unknown compression")
