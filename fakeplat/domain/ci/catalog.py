"""The catalogue of components: projects that are resources of it, and their releases that are versions.

Source: docs/platform/pipelines-jobs.md ('The catalogue of components').
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import readme_and_license, repositories
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext, WriteContext

_VERSION: Final = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_FILE: Final = re.compile(r"templates/(?:([^/]+)\.yml|([^/]+)/template\.yml)")
_MOST_COMPONENTS: Final = 100
NO_RESOURCE: Final = "Project is not a catalog resource"
_NO_README: Final = "Project must have a README"
_NO_DESCRIPTION: Final = "Project must have a description"
_NO_VERSION: Final = "Version must be a semantic version"


@frozen
class Component:
    """A component of a version: a file with inputs."""

    id: str
    name: str
    version: Release
    inputs: Mapping[str, Mapping[str, Any]]


def add(ctx: WriteContext, project: Project) -> Project:
    """Make a project a resource of the catalogue, which shows it once it has a version."""
    return ctx.world.projects.change(project, catalog_resource_at=ctx.now_iso)


def remove(ctx: WriteContext, project: Project) -> Project:
    """Take a project out of the catalogue, with all its versions."""
    for release in list_versions(ctx.world, project):
        ctx.world.releases.change(release, catalog_version_at=None)
    return ctx.world.projects.change(project, catalog_resource_at=None)


def publish(ctx: WriteContext, project: Project, release: Release) -> Release:
    """Make a release a version of its project's components, or refuse with 422."""
    error = _find_error(ctx.world, project, release)
    if error is not None:
        raise Unprocessable(error, reason=f"release {release.tag_name} of project {project.id} cannot be published")
    return ctx.world.releases.change(release, catalog_version_at=ctx.now_iso)


def _find_error(world: World, project: Project, release: Release) -> str | None:
    sha = releases.find_sha(world, release)
    git = repositories.open_repository(world, project)
    problems = [] if sha is not None and git.entry(sha, "README.md") is not None else [_NO_README]
    problems += [] if project.description else [_NO_DESCRIPTION]
    if problems:
        return " , ".join(problems)
    if project.catalog_resource_at is None:
        return NO_RESOURCE
    if sha is None or len(list(_list_files(world, project, sha))) > _MOST_COMPONENTS:
        return f"Release cannot contain more than {_MOST_COMPONENTS} components"
    return None if _VERSION.fullmatch(release.tag_name) else _NO_VERSION


def list_resources(ctx: ReadContext, search: str = "") -> list[Project]:
    """Return the projects of the catalogue that the caller sees, by name; those that contain a text."""
    return sorted(
        (
            project
            for project in ctx.world.projects.all()
            if project.catalog_resource_at is not None
            and any(list_versions(ctx.world, project))
            and can_see(ctx, project)
            and search.lower() in f"{project.name} {project.description or ''}".lower()
        ),
        key=lambda project: project.name.lower(),
    )


def list_versions(world: World, project: Project) -> Sequence[Release]:
    """Return the versions of a project, the highest first."""
    if project.catalog_resource_at is None:
        return []
    published = [row for row in world.releases.where("project", project.id) if row.catalog_version_at is not None]
    return sorted(published, key=_rank, reverse=True)


def _rank(release: Release) -> tuple[list[int], bool]:
    match = _VERSION.fullmatch(release.tag_name)
    numbers = [int(part) for part in match.groups()[:3]] if match else [0, 0, 0]
    return numbers, match is not None and match[4] is None


def find_version(world: World, project: Project, numbers: Sequence[str] = ()) -> Release | None:
    """Return the highest version that is no prerelease, with a major and perhaps a minor number."""
    wanted = [int(number) for number in numbers]
    for release in list_versions(world, project):
        parts, is_final = _rank(release)
        if is_final and parts[: len(wanted)] == wanted:
            return release
    return None


def read_readme(world: World, release: Release) -> str | None:
    """Return the README of a version."""
    project, sha = world.projects[release.project_id], releases.find_sha(world, release)
    git = repositories.open_repository(world, project)
    entries = {entry.name: entry for entry in git.tree(sha, "") if entry.kind == "blob"} if sha is not None else {}
    name = readme_and_license.find_readme(entries)
    return git.objects.blob(entries[name].sha).decode(errors="replace") if name is not None else None


def list_components(world: World, release: Release) -> Iterator[Component]:
    """Yield the components of a version, by name."""
    # Imported late: most worlds read no configuration.
    from fakeplat.ci_config.inputs import list_specs

    project, sha = world.projects[release.project_id], releases.find_sha(world, release) or ""
    for name, text in sorted(_list_files(world, project, sha)):
        yield Component(f"{release.id}-{name}", name, release, list_specs(text, world.profile))


def _list_files(world: World, project: Project, sha: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the components of a commit."""
    git = repositories.open_repository(world, project)
    if not sha or git.entry(sha, "templates") is None:
        return
    for entry in git.tree(sha, "templates", recursive=True):
        match = _FILE.fullmatch(entry.path)
        if match is not None and entry.kind == "blob":
            yield match[1] or match[2], git.objects.blob(entry.sha).decode(errors="replace")
