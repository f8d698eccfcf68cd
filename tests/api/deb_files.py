"""Debian packages for tests."""

import gzip
import io
import lzma
import tarfile
from hashlib import md5, sha1, sha256
from typing import Literal

CONTROL = {
    "Package": "hello",
    "Version": "1.0-1",
    "Architecture": "amd64",
    "Maintainer": "Ada <ada@example.com>",
    "Section": "misc",
    "Priority": "optional",
    "Description": "Says hello\n Each time.\n .\n Loudly.",
}
Compression = Literal["gz", "xz", ""]


def write_control(fields: dict[str, str]) -> str:
    """Return fields as control data."""
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def _pack(name: str, content: bytes, compression: Compression) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    if compression == "gz":
        return gzip.compress(data.getvalue(), mtime=0)
    return lzma.compress(data.getvalue()) if compression else data.getvalue()


def pack_members(members: dict[str, bytes]) -> bytes:
    """Return an ar archive."""
    parts = [b"!<arch>\n"]
    for name, content in members.items():
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n"
        parts += [head.encode(), content, b"\n" * (len(content) % 2)]
    return b"".join(parts)


def build_deb(compression: Compression = "xz", **changes: str) -> bytes:
    """Return a binary package, whose fields may be changed; ``_`` stands for ``-`` in their names."""
    fields = {**CONTROL, **{name.replace("_", "-"): value for name, value in changes.items()}}
    control = write_control({name: value for name, value in fields.items() if value})
    ending = f".{compression}" if compression else ""
    return pack_members(
        {
            "debian-binary": b"2.0\n",
            f"control.tar{ending}": _pack("./control", control.encode(), compression),
            f"data.tar{ending}": _pack("./usr/share/doc/hello/README", b"hello\n", compression),
        }
    )


def build_changes(files: dict[str, bytes], *, section: str = "misc", **changes: str) -> str:
    """Return a changes file that names files."""
    rows = {"Checksums-Sha1": sha1, "Checksums-Sha256": sha256}
    sums = {
        field: "".join(f"\n {digest(content).hexdigest()} {len(content)} {name}" for name, content in files.items())
        for field, digest in rows.items()
    }
    listed = "".join(
        f"\n {md5(content).hexdigest()} {len(content)} {section} optional {name}" for name, content in files.items()
    )
    fields = {
        "Format": "1.8",
        "Source": "hello",
        "Version": "1.0-1",
        "Distribution": "sid",
        "Architecture": "source amd64",
        "Maintainer": "Ada <ada@example.com>",
        "Changes": "\n hello (1.0-1) sid; urgency=medium\n .\n   * First.",
        **sums,
        "Files": listed,
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }
    return write_control({name: value for name, value in fields.items() if value})
