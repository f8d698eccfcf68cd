"""A repository as the bytes of a bundle; `taking_over` reads them."""

from collections.abc import Mapping
from typing import Final

from fakeplat.git.objects import Objects
from fakeplat.git.packs import write_pack
from fakeplat.git.reachability import reachable_objects

_SIGNATURE: Final = b"# v2 git bundle\n"


def write_bundle(objects: Objects, refs: Mapping[str, str], head: str | None = None) -> bytes:
    """A bundle of all that refs lead to, as `git bundle create --all` makes it. The same refs give the same bytes."""
    at_head = refs.get(head) if head else None
    listed = [*([(at_head, "HEAD")] if at_head else []), *((sha, name) for name, sha in sorted(refs.items()))]
    lines = [f"{sha} {name}\n".encode(errors="surrogateescape") for sha, name in listed]
    return b"".join(
        [_SIGNATURE, *lines, b"\n", *write_pack(objects, sorted(reachable_objects(objects, refs.values())))]
    )
