"""CI configuration files of a commit, and the files that they include: from repositories, artifacts and the scenario.

Source: docs/platform/pipelines-jobs.md, docs/ci-configuration.md.
"""

from functools import partial
from typing import Final

from fakeplat.ci_config import globs
from fakeplat.ci_config.behaviours import HIDDEN_PROJECT, MISSING_REMOTE_FILE, WILDCARDS_OF_INCLUDES
from fakeplat.ci_config.includes import (
    ONLY_IN_CHILD_PIPELINES,
    Component,
    Fetch,
    Include,
    IncludeFailed,
    MatchingPaths,
    child_document,
)
from fakeplat.ci_config.jobs import ChildFile
from fakeplat.domain import urls
from fakeplat.domain.ci import artifact_files, components, job_artifacts, jobs
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.model.ci import CiInclude
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

CI_FILE: Final = ".gitlab-ci.yml"
TEMPLATE: Final = "template:"


def set_content(ctx: WriteContext, location: str, content: str) -> CiInclude:
    """Set the content of a file outside the instance: a URL, or the name of a template after ``template:``."""
    table = ctx.world.ci_includes
    existing = table.find("location", location)
    if existing is not None:
        return table.change(existing, content=content)
    return table.add(CiInclude(id=table.next_id(), location=location, content=content))


def read_file(world: World, project: Project, sha: str, path: str) -> str | None:
    """Return the text of a file at a commit, None if there is no such file, or no commit (``sha`` is empty)."""
    from fakeplat.git.trees import find_entry

    if not sha:
        return None
    git = repositories.open_repository(world, project)
    entry = find_entry(git.objects, git.objects.commit(sha).tree, path.removeprefix("/"))
    if entry is None or entry.kind != "blob":
        return None
    return git.objects.blob(entry.sha).decode(errors="replace")


def read_file_at(world: World, project: Project, ref: str, path: str) -> str | None:
    """Return the text of a file at a ref, None if there is no such file or ref."""
    commit = commits.find_commit(world, project, ref)
    return None if commit is None else read_file(world, project, commit.commit.sha, path)


def ci_path(project: Project) -> str:
    """Return the path of the CI configuration of a project."""
    return project.ci_config_path or CI_FILE


def config_uri(world: World, project: Project, ref_path: str, origin: str) -> str | None:
    """Return the address of the configuration that a project has itself, at a ref; None if it is elsewhere."""
    path = ci_path(project)
    if "://" in path or "@" in path:
        return None
    return f"{urls.host_of(origin)}/{namespaces.project_path(world, project)}//{path}@{ref_path}"


def read_configuration(world: World, project: Project, sha: str) -> str | None:
    """Return the text of the configuration for a commit; None if there is none."""
    path = ci_path(project)
    if "://" in path:
        return child_document([ChildFile("remote", path)])
    if "@" in path:
        file, _, other = path.partition("@")
        return child_document([ChildFile("file", file, project=other)])
    return read_file(world, project, sha, path)


def fetcher(ctx: ReadContext, project: Project | None, sha: str, parent_id: int | None = None) -> Fetch:
    """Return the function that fetches what a configuration includes, for a commit of a project or for none.

    The configuration of a child pipeline may include artifacts of its parent.
    """
    return partial(_fetch, ctx, project, sha, parent_id)


def _fetch(
    ctx: ReadContext, project: Project | None, sha: str, parent_id: int | None, include: Include
) -> str | Component | MatchingPaths:
    match include.kind:
        case "local" if include.project is None:
            return _fetch_local(ctx, project, sha, include)
        case "local" | "file":
            return _fetch_from_project(ctx, include)
        case "artifact":
            if parent_id is None:
                raise IncludeFailed(ONLY_IN_CHILD_PIPELINES)
            return _fetch_artifact(ctx, parent_id, include)
        case "component":
            return components.fetch(ctx, project, include.location)
        case "template":
            return _fetch_outside(ctx, TEMPLATE + include.location, include.explain_empty())
    missing = ctx.profile.choose(MISSING_REMOTE_FILE).format(location=include.location)
    return _fetch_outside(ctx, include.location, missing)


def _fetch_artifact(ctx: ReadContext, parent_id: int, include: Include) -> str:
    """Return a file from the archive of a job of the parent pipeline."""
    if not include.job:
        raise IncludeFailed("Job must be provided when including configs from artifacts")
    job = next((job for job in jobs.get_latest(ctx.world, parent_id) if job.name == include.job), None)
    archive = None if job is None else job_artifacts.find(ctx, job)
    if archive is None:
        raise IncludeFailed(f"Job `{include.job}` not found in parent pipeline or does not have artifacts!")
    try:
        content = artifact_files.read_entry(archive.content, include.location)
    except artifact_files.EntryTooLarge:
        content = None
    if content is None:
        raise IncludeFailed(f"Path `{include.location}` does not exist inside the `{include.job}` archive!")
    return content.decode(errors="replace")


def _fetch_local(ctx: ReadContext, project: Project | None, sha: str, include: Include) -> str | MatchingPaths:
    if project is None:
        raise IncludeFailed(f"Local file `{include.location}` does not have project!")
    return _read(ctx, project, sha, include)


def _read(ctx: ReadContext, project: Project, sha: str, include: Include) -> str | MatchingPaths:
    if "*" in include.location and include.kind == "local" and ctx.profile.has(WILDCARDS_OF_INCLUDES):
        return MatchingPaths(_list_matching(ctx.world, project, sha, include.location.lstrip("/")))
    text = read_file(ctx.world, project, sha, include.location)
    if text is None:
        start = "Local" if include.kind == "local" else f"Project `{include.project}`"
        raise IncludeFailed(f"{start} file `{include.location}` does not exist!")
    return text


def _list_matching(world: World, project: Project, sha: str, pattern: str) -> list[str]:
    """Return the paths of a commit that a pattern with wildcards matches."""
    if not sha:
        return []
    paths = repositories.open_repository(world, project).file_paths(sha)
    return [path for path in paths if globs.matches_wildcards(pattern, path)]


def _fetch_from_project(ctx: ReadContext, include: Include) -> str | MatchingPaths:
    other = namespaces.find_project_by_path(ctx.world, include.project or "")
    if other is None or not can_see(ctx, other) or not can(ctx, Ability.DOWNLOAD_CODE, other):
        raise IncludeFailed(ctx.profile.choose(HIDDEN_PROJECT).format(project=include.project))
    revision = include.ref or "HEAD"
    commit = commits.find_commit(ctx.world, other, revision)
    if commit is None:
        raise IncludeFailed(f"Project `{include.project}` reference `{revision}` does not exist!")
    return _read(ctx, other, commit.commit.sha, include)


def _fetch_outside(ctx: ReadContext, location: str, missing: str) -> str:
    row = ctx.world.ci_includes.find("location", location)
    if row is None:
        raise IncludeFailed(missing)
    return row.content
