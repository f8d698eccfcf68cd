"""A repository from the disk: a folder that git made, or a bundle. It is read, never written."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fakeplat.git.errors import BadPack, BadRequest, GitError, MissingObject
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits, read_pack
from fakeplat.git.reachability import check_connected
from fakeplat.git.records import SUBMODULE, Kind

_BUNDLES = (b"# v2 git bundle\n", b"# v3 git bundle\n")


class ImportedRepository(NamedTuple):
    """The refs of a repository that was taken over, and the ref that HEAD stands for."""

    refs: dict[str, str]
    head: str | None


def import_repository(objects: Objects, place: Path) -> ImportedRepository:
    """All that the refs of a local repository (bare or not) or of a bundle file lead to; GitError if it is neither.

    The refs are all that are there, remote-tracking ones too; which of them to keep is the caller's choice.
    """
    return from_bundle(objects, place.read_bytes()) if place.is_file() else _folder(objects, place)


def _folder(objects: Objects, place: Path) -> ImportedRepository:
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with Repo(str(place)) as repository:
            refs = {
                name.decode(errors="surrogateescape"): sha.decode()
                for name, sha in sorted(repository.get_refs().items())
                if name.startswith(b"refs/")
            }
            chain, _ = repository.refs.follow(b"HEAD")  # type: ignore[arg-type]
            _copied(objects, repository.object_store.get_raw, list(refs.values()))  # type: ignore[arg-type]
    except NotGitRepository as error:
        raise GitError(f"no git repository: {place}") from error
    head = chain[-1].decode()
    return ImportedRepository(refs, head if head.startswith("refs/") else None)


def _copied(objects: Objects, get_raw: Callable[[bytes], tuple[int, bytes]], waiting: list[str]) -> None:
    seen: set[str] = set()
    while waiting:
        sha = waiting.pop()
        if sha in seen:
            continue
        seen.add(sha)
        if sha not in objects:
            try:
                number, content = get_raw(sha.encode())
            except KeyError as error:
                raise MissingObject(sha) from error
            objects.add(Kind(number), content)
        waiting += _leads_to(objects, sha)


def _leads_to(objects: Objects, sha: str) -> list[str]:
    match objects.get(sha).kind:
        case Kind.COMMIT:
            commit = objects.commit(sha)
            return [commit.tree, *commit.parents]
        case Kind.TREE:
            return [entry.sha for entry in objects.tree(sha).values() if entry.mode != SUBMODULE]
        case Kind.TAG:
            return [objects.tag(sha).target]
        case _:
            return []


def from_bundle(objects: Objects, content: bytes) -> ImportedRepository:
    """All that the bytes of a bundle hold; GitError if they are none."""
    signature = next((line for line in _BUNDLES if content.startswith(line)), None)
    head, found, pack = content.partition(b"\n\n")
    if signature is None or not found:
        raise BadRequest("no git bundle")
    refs: dict[str, str] = {}
    at_head = None
    for line in head.decode(errors="surrogateescape").split("\n")[1:]:
        sha, _, name = line.partition(" ")
        if line.startswith("-"):
            raise BadPack(f"the bundle needs {sha[1:]}, which it does not hold")
        if line.startswith("@") or not name:
            continue
        if name == "HEAD":
            at_head = sha
        else:
            refs[name] = sha
    quarantine = read_pack(objects, pack, Limits(compressed=len(pack)))
    check_connected(objects, quarantine, refs.values(), [])
    objects.absorb(quarantine)
    return ImportedRepository(refs, _branch_at(refs, at_head))


def _branch_at(refs: dict[str, str], sha: str | None) -> str | None:
    """A bundle says only which commit HEAD is at: `master` or `main` if it is there, else the first branch there."""
    there = sorted(name for name, target in refs.items() if target == sha and name.startswith("refs/heads/"))
    usual = [name for name in ("refs/heads/master", "refs/heads/main") if name in there]
    return next(iter([*usual, *there]), None)
