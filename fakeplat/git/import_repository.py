"""Import of repositories from the disk: git folders and bundles. They are never written to."""

from collections.abc import Iterator
from os import fsdecode
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.git.errors import BadPack, BadRequest, GitError, MissingObject
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits, read_pack
from fakeplat.git.reachability import check_connected
from fakeplat.git.records import SUBMODULE, Kind

if TYPE_CHECKING:
    from pygit2 import Repository

_SIGNATURES = (b"# v2 git bundle\n", b"# v3 git bundle\n")
_MAX_SYMBOLIC_REFS: Final = 5
"""The most symbolic refs that are followed in a row, as in git."""


class ImportedRepository(NamedTuple):
    """The refs of an imported repository, and the ref that HEAD points to."""

    refs: dict[str, str]
    head: str | None


def import_repository(objects: Objects, path: Path) -> ImportedRepository:
    """Import all refs and their objects from a local repository (bare or not) or a bundle; GitError if it is neither.

    All refs are returned, remote-tracking ones included; the caller selects those to keep.
    """
    return from_bundle(objects, path.read_bytes()) if path.is_file() else _from_folder(objects, path)


def _from_folder(objects: Objects, path: Path) -> ImportedRepository:
    repository = _open_folder(path)
    refs = dict(sorted(_list_refs(repository)))
    _copy_objects(objects, repository, list(refs.values()))
    head = _find_head(repository)
    repository.free()
    return ImportedRepository(refs, head)


def _open_folder(path: Path) -> "Repository":
    import pygit2

    # Reading runs nothing that the folder could configure, so it may belong to another user, as in a container.
    validates_owner = pygit2.settings.owner_validation
    pygit2.settings.owner_validation = False
    try:
        # The path itself, not a repository around it.
        return pygit2.Repository(str(path), pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        raise GitError(f"not a git repository: {path}") from error
    finally:
        pygit2.settings.owner_validation = validates_owner


def _list_refs(repository: "Repository") -> Iterator[tuple[str, str]]:
    for raw_name in repository.raw_listall_references():
        name = fsdecode(raw_name)
        try:
            yield name, str(repository.lookup_reference(name).resolve().target)
        except KeyError:  # a symbolic ref to a ref that does not exist
            continue


def _find_head(repository: "Repository") -> str | None:
    """Return the ref that HEAD points to, whether it exists or not; None if HEAD is detached."""
    name = "HEAD"
    for _ in range(_MAX_SYMBOLIC_REFS):
        try:
            ref = repository.lookup_reference(name)
        except KeyError:
            break
        if not isinstance(ref.target, str):
            break
        name = ref.target
    return name if name.startswith("refs/") else None


def _copy_objects(objects: Objects, repository: "Repository", queue: list[str]) -> None:
    odb = repository.odb
    visited: set[str] = set()
    while queue:
        sha = queue.pop()
        if sha in visited:
            continue
        visited.add(sha)
        if sha not in objects:
            try:
                number, content = odb.read(sha)
            except KeyError as error:
                raise MissingObject(sha) from error
            objects.add(Kind(number), content)
        queue += _references(objects, sha)


def _references(objects: Objects, sha: str) -> list[str]:
    match objects.get(sha).kind:
        case Kind.COMMIT:
            commit = objects.commit(sha)
            return [commit.tree, *commit.parents]
        case Kind.TREE:
            # The commits of submodules are in other repositories.
            return [entry.sha for entry in objects.tree(sha).values() if entry.mode != SUBMODULE]
        case Kind.TAG:
            return [objects.tag(sha).target]
        case _:
            return []


def from_bundle(objects: Objects, content: bytes) -> ImportedRepository:
    """Import all refs and objects of a bundle; BadRequest if it is not one, BadPack if it is damaged or incomplete."""
    signature = next((line for line in _SIGNATURES if content.startswith(line)), None)
    header, separator, pack = content.partition(b"\n\n")
    if signature is None or not separator:
        raise BadRequest("not a git bundle")
    refs: dict[str, str] = {}
    head_sha = None
    for line in header.decode(errors="surrogateescape").split("\n")[1:]:
        sha, _, name = line.partition(" ")
        if line.startswith("-"):  # a prerequisite of an incremental bundle
            raise BadPack(f"the bundle requires {sha[1:]}, which it does not contain")
        if line.startswith("@") or not name:  # a capability of version 3
            continue
        if name == "HEAD":
            head_sha = sha
        else:
            refs[name] = sha
    # The user chose the file, so its size is accepted; the other limits protect from damaged ones.
    quarantine = read_pack(objects, pack, Limits(compressed=len(pack)))
    # No objects are reachable yet, so a bundle must be complete by itself.
    check_connected(objects, quarantine, refs.values(), [])
    objects.absorb(quarantine)
    return ImportedRepository(refs, _guess_head(refs, head_sha))


def _guess_head(refs: dict[str, str], sha: str | None) -> str | None:
    """Return the branch at HEAD's commit, preferably `master` or `main`; a bundle holds only the commit of HEAD."""
    candidates = sorted(name for name, target in refs.items() if target == sha and name.startswith("refs/heads/"))
    defaults = [name for name in ("refs/heads/master", "refs/heads/main") if name in candidates]
    return next(iter([*defaults, *candidates]), None)
