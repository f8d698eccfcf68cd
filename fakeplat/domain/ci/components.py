"""Components: files of the world's own projects that configurations include by address.

An address is ``HOST/PATH/OF/PROJECT/COMPONENT@VERSION``; the version is the tag of a release, else a tag, branch or
commit. Source: docs/platform/pipelines-jobs.md.
"""

import re
from typing import Final

from fakeplat.ci_config.includes import Component, IncludeFailed
from fakeplat.domain.people import namespaces
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import commits, repositories
from fakeplat.model.projects import Project
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


def fetch(ctx: ReadContext, project: Project | None, address: str) -> Component:
    """Return a component; IncludeFailed says why there is none."""
    if project is None:
        raise IncludeFailed(_NO_PROJECT)
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
    sha = _find_sha(ctx.world, owner, version)
    text = None if sha is None else _read(ctx.world, owner, name, sha)
    if not text:
        _check_version(address, version)
        raise _refuse(address, _NO_CONTENT)
    # Only resources of the catalogue have versions, and no project is one.
    return Component(text, {"name": name, "sha": sha, "version": None, "reference": version})


def _refuse(address: str, reason: str) -> IncludeFailed:
    return IncludeFailed(f"Component '{address}' - {reason}")


def _check_version(address: str, version: str) -> None:
    """Refuse the versions that only the catalogue knows, which has no project here."""
    if version == LATEST:
        raise _refuse(address, _ONLY_IN_CATALOG.format("~latest version"))
    if _PARTIAL.fullmatch(version):
        raise _refuse(address, _ONLY_IN_CATALOG.format("partial semantic version"))


def _read(world: World, project: Project, name: str, sha: str) -> str | None:
    git = repositories.open_repository(world, project)
    for path in (f"templates/{name}.yml", f"templates/{name}/template.yml"):
        entry = git.entry(sha, path)
        if entry is not None and entry.kind == "blob":
            return git.objects.blob(entry.sha).decode(errors="replace")
    return None


def _find_sha(world: World, project: Project, version: str) -> str | None:
    release = releases.find(world, project, version)
    sha = releases.find_sha(world, release) if release is not None else None
    if sha is not None:
        return sha
    commit = commits.find_commit(world, project, version)
    return commit.commit.sha if commit is not None else None
