"""Writing of bundles; `import_repository` reads them."""

from collections.abc import Mapping
from typing import Final

from fakeplat.git.objects import Objects
from fakeplat.git.packs import write_pack
from fakeplat.git.reachability import reachable_objects

_SIGNATURE: Final = b"# v2 git bundle\n"


def write_bundle(objects: Objects, refs: Mapping[str, str], head: str | None = None) -> bytes:
    """Return a bundle of all refs, as `git bundle create --all`. The same refs give the same bytes."""
    head_sha = refs.get(head) if head else None
    heads = [*([(head_sha, "HEAD")] if head_sha else []), *((sha, name) for name, sha in sorted(refs.items()))]
    lines = [f"{sha} {name}\n".encode(errors="surrogateescape") for sha, name in heads]
    return b"".join(
        [_SIGNATURE, *lines, b"\n", *write_pack(objects, sorted(reachable_objects(objects, refs.values())))]
    )
