"""Import of repositories from the disk: git folders and bundles. They are never written to."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fakeplat.git.errors import BadPack, BadRequest, GitError, MissingObject
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits, read_pack
from fakeplat.git.reachability import check_connected
from fakeplat.git.records import SUBMODULE, Kind

_SIGNATURES = (b"# v2 git bundle\n", b"# v3 git bundle\n")


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
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with Repo(str(path)) as repository:
            refs = {
                name.decode(errors="surrogateescape"): sha.decode()
                for name, sha in sorted(repository.get_refs().items())
                if name.startswith(b"refs/")
            }
            chain, _ = repository.refs.follow(b"HEAD")  # type: ignore[arg-type]
            _copy_objects(objects, repository.object_store.get_raw, list(refs.values()))  # type: ignore[arg-type]
    except NotGitRepository as error:
        raise GitError(f"not a git repository: {path}") from error
    # If HEAD is detached, the chain of refs ends with HEAD itself.
    head = chain[-1].decode()
    return ImportedRepository(refs, head if head.startswith("refs/") else None)


def _copy_objects(objects: Objects, get_raw: Callable[[bytes], tuple[int, bytes]], queue: list[str]) -> None:
    visited: set[str] = set()
    while queue:
        sha = queue.pop()
        if sha in visited:
            continue
        visited.add(sha)
        if sha not in objects:
            try:
                number, content = get_raw(sha.encode())
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
