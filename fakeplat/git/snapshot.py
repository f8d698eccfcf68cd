"""Snapshots: a tar archive of a bare repository as git finds it on a disk."""

import tarfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO

from fakeplat.git.objects import Objects
from fakeplat.git.reachability import reachable_objects

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"


def write_snapshot(objects: Objects, refs: Mapping[str, str], head: str) -> bytes:
    """Return the archive of a repository with its refs and loose objects."""
    output = BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        # git takes a folder for a repository only if these two folders are there, even if they are empty.
        for folder in ("refs", "objects"):
            member = tarfile.TarInfo(folder)
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(member)
        for path, content in _list_files(objects, refs, head):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, BytesIO(content))
    return output.getvalue()


def _list_files(objects: Objects, refs: Mapping[str, str], head: str) -> Iterator[tuple[str, bytes]]:
    yield "HEAD", f"ref: {head}\n".encode(errors="surrogateescape")
    yield "config", _CONFIG
    lines = [f"{sha} {name}\n" for name, sha in sorted(refs.items())]
    yield "packed-refs", "".join(["# pack-refs with: sorted\n", *lines]).encode(errors="surrogateescape")
    for sha in sorted(reachable_objects(objects, refs.values())):
        stored = objects.get(sha)
        loose = b"%b %d\0%b" % (stored.kind.word.encode(), len(stored.content), stored.content)
        yield f"objects/{sha[:2]}/{sha[2:]}", zlib.compress(loose, 1)
