"""Components: files of the world's own projects that configurations include by address.

An address is ``HOST/PATH/OF/PROJECT/COMPONENT@VERSION``; the version is the tag of a release, else a tag, branch or
commit. Source: docs/platform/pipelines-jobs.md.
"""

import re
from typing import Final

from fakeplat.ci_config.includes import Component, IncludeFailed
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import catalog
from fakeplat.domain.people import namespaces
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import commits, repositories
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

LATEST: Final = "~latest"
_PARTIAL: Final = re.compile(r"\d+(\.\d+)?")
_NO_PROJECT: Final = "Unable to use components outside of a project context"
_NO_PATH: Final = "the component path is not supported"
_HIDDEN: Final = "project does not exist or you don't have sufficient permissions"
_NO_CONTENT: Final = "content not found"
_ONLY_IN_CATALOG: Final = (
    "The {} reference is not supported for non-catalog resources. Use a tag, branch, or commit SHA instead."
)


@frozen
class ComponentFile:
    """The file of a component at a commit of its project."""

    project: Project
    name: str
    sha: str
    path: str
    text: str


def fetch(ctx: ReadContext, project: Project | None, address: str) -> Component:
    """Return a component; IncludeFailed says why there is none."""
    if project is None:
        raise IncludeFailed(_NO_PROJECT)
    owner, name, version = _locate(ctx, address)
    file = _find_file(ctx.world, owner, name, version)
    if file is None:
        if owner.catalog_resource_at is None:
            _check_version(address, version)
        raise _refuse(address, _NO_CONTENT)
    published = _find_version(ctx.world, owner, version)
    known = published.tag_name if published else None
    return Component(file.text, {"name": name, "sha": file.sha, "version": known, "reference": version})


def find_file(ctx: ReadContext, address: str) -> ComponentFile | None:
    """Return the file of the component at an address that the caller may include, None if there is none."""
    try:
        return _find_file(ctx.world, *_locate(ctx, address))
    except IncludeFailed:
        return None


def _locate(ctx: ReadContext, address: str) -> tuple[Project, str, str]:
    """Return the project, the name and the version of an address; IncludeFailed says what is wrong with it."""
    path, _, version = address.partition("@")
    server = f"{ctx.origin.partition('://')[2]}/"
    if not version or not path.startswith(server):
        raise _refuse(address, _NO_PATH)
    project_path, _, name = path.removeprefix(server).rpartition("/")
    owner = namespaces.find_project_by_path(ctx.world, project_path)
    if owner is None:
        raise _refuse(address, _NO_CONTENT)
    if not can_see(ctx, owner) or not can(ctx, Ability.DOWNLOAD_CODE, owner):
        raise _refuse(address, _HIDDEN)
    return owner, name, version


def _find_file(world: World, project: Project, name: str, version: str) -> ComponentFile | None:
    sha = _find_sha(world, project, version)
    return None if sha is None else _read(world, project, name, sha)


def _refuse(address: str, reason: str) -> IncludeFailed:
    return IncludeFailed(f"Component '{address}' - {reason}")


def _check_version(address: str, version: str) -> None:
    """Refuse the versions of a project that only the catalogue knows."""
    if version == LATEST:
        raise _refuse(address, _ONLY_IN_CATALOG.format("~latest version"))
    if _PARTIAL.fullmatch(version):
        raise _refuse(address, _ONLY_IN_CATALOG.format("partial semantic version"))


def _read(world: World, project: Project, name: str, sha: str) -> ComponentFile | None:
    git = repositories.open_repository(world, project)
    for path in (f"templates/{name}.yml", f"templates/{name}/template.yml"):
        entry = git.entry(sha, path)
        if entry is not None and entry.kind == "blob":
            text = git.objects.blob(entry.sha).decode(errors="replace")
            return ComponentFile(project, name, sha, path, text) if text else None
    return None


def _find_version(world: World, project: Project, version: str) -> Release | None:
    """Return the version of a project in the catalogue that an address names, perhaps by its first numbers."""
    if version == LATEST:
        return catalog.find_version(world, project)
    if _PARTIAL.fullmatch(version):
        return catalog.find_version(world, project, version.split("."))
    return next((row for row in catalog.list_versions(world, project) if row.tag_name == version), None)


def _find_sha(world: World, project: Project, version: str) -> str | None:
    release = _find_version(world, project, version) or releases.find(world, project, version)
    sha = releases.find_sha(world, release) if release is not None else None
    if sha is not None:
        return sha
    commit = commits.find_commit(world, project, version)
    return commit.commit.sha if commit is not None else None
