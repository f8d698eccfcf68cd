"""libgit2 on an object store: a repository without a folder.

It ignores the machine's git configuration, so results are the same everywhere.
"""

from typing import TYPE_CHECKING, Any, cast

from fakeplat.git.objects import Objects
from fakeplat.git.records import Kind

if TYPE_CHECKING:
    import pygit2

# In bytes. The objects are in memory anyway, so a large cache would only hold second copies.
CACHE_SIZE = 16 << 20


def libgit_repository(objects: Objects) -> "pygit2.Repository":
    """Return the libgit2 repository of an object store, creating it on first use."""
    repository = objects.libgit
    if repository is None:
        repository = objects.libgit = _create(objects)
    return cast("pygit2.Repository", repository)


def _create(objects: Objects) -> "pygit2.Repository":
    import pygit2

    odb = pygit2.Odb()
    odb.add_backend(_backend(objects), 1)
    pygit2.settings.cache_max_size(CACHE_SIZE)
    repository = pygit2.Repository()
    repository.set_odb(odb)
    _load_empty_configuration(repository)
    return repository


def _load_empty_configuration(repository: "pygit2.Repository") -> None:
    """Load the configuration, which libgit2 does once, with search paths that contain none."""
    import pygit2
    from pygit2.enums import ConfigLevel

    search_paths = pygit2.settings.search_path
    levels = (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL)
    saved_paths = [search_paths[level] for level in levels]
    try:
        for level in levels:
            search_paths[level] = ""
        _ = repository.config
    finally:
        for level, path in zip(levels, saved_paths, strict=True):
            search_paths[level] = path


def _backend(objects: Objects) -> Any:
    import pygit2

    class Backend(pygit2.OdbBackend):
        """Reads from the object store, and writes to it what libgit2 creates in merges."""

        def read_cb(self, oid: pygit2.Oid) -> tuple[int, bytes]:
            stored = objects.get(_existing(oid))
            return stored.kind, stored.content

        def read_header_cb(self, oid: pygit2.Oid) -> tuple[int, int]:
            stored = objects.get(_existing(oid))
            return stored.kind, len(stored.content)

        def exists_cb(self, oid: pygit2.Oid) -> bool:
            return str(oid) in objects

        # Short hashes are resolved in revisions.py, so libgit2 always asks for complete ones.
        def read_prefix_cb(self, oid: pygit2.Oid) -> tuple[int, bytes, pygit2.Oid]:
            stored = objects.get(_existing(oid))
            return stored.kind, stored.content, oid

        def exists_prefix_cb(self, oid: pygit2.Oid) -> pygit2.Oid:
            _existing(oid)
            return oid

        def write_cb(self, _oid: pygit2.Oid, content: bytes, kind: int) -> None:
            objects.add(Kind(kind), content)

        def refresh_cb(self) -> None:
            """Do nothing: the object store is always current."""

    def _existing(oid: pygit2.Oid) -> str:
        sha = str(oid)
        if sha not in objects:
            raise KeyError(sha)
        return sha

    return Backend()
