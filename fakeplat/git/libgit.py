"""libgit2 over a store: a repository without a folder, whose objects are ours.

The machine's git configuration is kept away from it: the same question gets the same answer everywhere.
"""

from typing import TYPE_CHECKING, Any, cast

from fakeplat.git.objects import Objects
from fakeplat.git.records import Kind

if TYPE_CHECKING:
    import pygit2

CACHE = 16 << 20


def libgit_repository(objects: Objects) -> "pygit2.Repository":
    """The libgit2 repository of a store, made when it is first needed."""
    repository = objects.libgit
    if repository is None:
        repository = objects.libgit = _opened(objects)
    return cast("pygit2.Repository", repository)


def _opened(objects: Objects) -> "pygit2.Repository":
    import pygit2

    odb = pygit2.Odb()
    odb.add_backend(_backend(objects), 1)
    pygit2.settings.cache_max_size(CACHE)
    repository = pygit2.Repository()
    repository.set_odb(odb)
    _keep_configuration_away(repository)
    return repository


def _keep_configuration_away(repository: "pygit2.Repository") -> None:
    """Load its configuration, which it does once, while there is none to be found."""
    import pygit2
    from pygit2.enums import ConfigLevel

    places = pygit2.settings.search_path
    levels = (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL)
    found = [places[level] for level in levels]
    try:
        for level in levels:
            places[level] = ""
        _ = repository.config
    finally:
        for level, place in zip(levels, found, strict=True):
            places[level] = place


def _backend(objects: Objects) -> Any:
    import pygit2

    class Backend(pygit2.OdbBackend):
        """Looks into the store; what libgit2 makes while it merges goes there too."""

        def read_cb(self, oid: pygit2.Oid) -> tuple[int, bytes]:
            stored = objects.get(_known(oid))
            return stored.kind, stored.content

        def read_header_cb(self, oid: pygit2.Oid) -> tuple[int, int]:
            stored = objects.get(_known(oid))
            return stored.kind, len(stored.content)

        def exists_cb(self, oid: pygit2.Oid) -> bool:
            return str(oid) in objects

        def read_prefix_cb(self, oid: pygit2.Oid) -> tuple[int, bytes, pygit2.Oid]:
            stored = objects.get(_known(oid))
            return stored.kind, stored.content, oid

        def exists_prefix_cb(self, oid: pygit2.Oid) -> pygit2.Oid:
            _known(oid)
            return oid

        def write_cb(self, oid: pygit2.Oid, content: bytes, kind: int) -> None:
            objects.add(Kind(kind), content)

        def refresh_cb(self) -> None:
            """Nothing is kept elsewhere."""

    def _known(oid: pygit2.Oid) -> str:
        sha = str(oid)
        if sha not in objects:
            raise KeyError(sha)
        return sha

    return Backend()
