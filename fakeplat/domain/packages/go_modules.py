"""Go modules: versions of a folder of a repository, by tags and by commits. Source: docs/platform/packages.md.

See https://go.dev/ref/mod for the protocol, pseudo-versions and the layout of archives.
"""

import posixpath
import re
from collections.abc import Iterator
from datetime import UTC
from typing import Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.packages import packages
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.git.archive import ArchiveMember, write_zip
from fakeplat.git.errors import UnknownRevision
from fakeplat.git.records import Commit, Entry
from fakeplat.git.repository import Repository
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

_SEMVER: Final = re.compile(
    r"v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?", re.ASCII
)
_PSEUDO: Final = re.compile(r"\d{14}-[0-9a-fA-F]+")
_AFTER_TAG: Final = re.compile(r"(?:.*\.)?0\.")
_ENCODED: Final = re.compile(r"!([A-Za-z])")
_MAJOR: Final = re.compile(r"/v(\d+)$", re.IGNORECASE)
_HASH_LENGTH: Final = 12
_FILE: Final = "go.mod"


@frozen
class Module:
    """A module: a folder of a project, which is empty for the root of the repository."""

    project: Project
    name: str
    folder: str


@frozen
class Version:
    """A version of a module: a commit under the name of a tag or branch, or under a pseudo-version."""

    name: str
    commit: Commit


def decode(text: str) -> str:
    """Return a name or version in which ``!x`` stands for the capital letter ``X``."""
    return _ENCODED.sub(lambda match: match[1].upper(), text)


def find_module(ctx: ReadContext, project: Project, name: str) -> Module | None:
    """Return the module of a project with a name, which begins with the host and the path of the project."""
    name = posixpath.normpath(name)
    base = f"{ctx.hostname}/{namespaces.project_path(ctx.world, project)}"
    if name != base and not name.startswith(f"{base}/"):
        return None
    return Module(project, name, name[len(base) + 1 :])


def list_versions(world: World, module: Module) -> list[str]:
    """Return the tags that are versions of a module."""
    repository = repositories.open_repository(world, module.project)
    return [tag for tag in repository.tags() if _SEMVER.fullmatch(tag) and _find_tagged(world, module, tag) is not None]


def _find_tagged(world: World, module: Module, name: str) -> Version | None:
    repository = repositories.open_repository(world, module.project)
    sha = repository.find_tag(name) or repository.find_branch(name)
    if sha is None:
        return None
    version = Version(name, repository.commit(sha))
    return version if _is_valid(world, repository, module, version) else None


def find_version(world: World, module: Module, name: str) -> Version | None:
    """Return a version of a module: that of a tag, a branch or a pseudo-version."""
    match = _SEMVER.fullmatch(name)
    if match is None:
        return None
    if not _is_pseudo(match):
        return _find_tagged(world, module, name)
    repository = repositories.open_repository(world, module.project)
    time, _, hash_ = match[4].rpartition("-")
    commit = _find_commit(repository, hash_)
    # A pseudo-version says when its commit was made.
    if commit is None or len(hash_) != _HASH_LENGTH or _to_digits(commit) != time.rpartition(".")[2]:
        return None
    version = Version(name, commit)
    return version if _is_valid(world, repository, module, version) else None


def _is_pseudo(match: re.Match[str]) -> bool:
    prerelease = match[4] or ""
    if (match[2], match[3]) != ("0", "0"):
        # After a tag, the pre-release of that tag and a 0 come first.
        start = _AFTER_TAG.match(prerelease)
        return start is not None and _PSEUDO.fullmatch(prerelease[start.end() :]) is not None
    return _PSEUDO.fullmatch(prerelease) is not None


def _find_commit(repository: Repository, hash_: str) -> Commit | None:
    try:
        return repository.commit(hash_)
    except UnknownRevision:
        return None


def _to_digits(commit: Commit) -> str:
    return commit.committer.time.astimezone(UTC).strftime("%Y%m%d%H%M%S")


def _is_valid(world: World, repository: Repository, module: Module, version: Version) -> bool:
    """Return whether the name of a module fits a version and its ``go.mod``, or a package declares the version."""
    declared = packages.list_named(world, module.project, "golang", module.name)
    if any(package.version == version.name for package in declared):
        return True
    match, suffix = _SEMVER.fullmatch(version.name), _MAJOR.search(module.name)
    major = int(match[1]) if match else 0
    # From version 2 on, the name of a module ends with its major version.
    is_named_right = suffix is None if major <= 1 else suffix is not None and int(suffix[1]) == major
    content = _find_file(repository, version, f"{module.folder}/{_FILE}".lstrip("/"))
    first = content.partition(b"\n")[0] if content is not None else b""
    return is_named_right and first == f"module {module.name}".encode()


def _find_file(repository: Repository, version: Version, path: str) -> bytes | None:
    entry = repository.entry(version.commit.sha, path)
    return repository.objects.blob(entry.sha) if entry is not None and entry.kind == "blob" else None


def read_go_mod(world: World, module: Module, version: Version) -> bytes:
    """Return the ``go.mod`` of a version, or refuse with 404."""
    repository = repositories.open_repository(world, module.project)
    content = _find_file(repository, version, f"{module.folder}/{_FILE}".lstrip("/"))
    if content is None:
        raise NotFound(reason=f"{module.name}@{version.name} has no {_FILE}")
    return content


def build_archive(world: World, module: Module, version: Version) -> bytes:
    """Return the zip archive of a version: the files of its folder without those of modules inside it."""
    repository = repositories.open_repository(world, module.project)
    members = (
        ArchiveMember(
            f"{module.name}@{version.name}/{entry.path[len(module.folder) :].lstrip('/')}",
            entry.mode,
            entry.sha,
            repository.objects.blob(entry.sha),
        )
        for entry in _list_files(repository, module, version)
    )
    return write_zip(members, version.commit.committer.when, "")


def _list_files(repository: Repository, module: Module, version: Version) -> Iterator[Entry]:
    entries = repository.tree(version.commit.sha, module.folder, recursive=True)
    files = [entry for entry in entries if entry.kind == "blob"]
    own = f"{module.folder}/{_FILE}".lstrip("/")
    inner = tuple(
        entry.path.removesuffix(_FILE) for entry in files if entry.path.endswith(f"/{_FILE}") and entry.path != own
    )
    return (entry for entry in files if not entry.path.startswith(inner))
