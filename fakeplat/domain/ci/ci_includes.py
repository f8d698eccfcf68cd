"""What the validation of a configuration tells of the files that it includes.

Source: docs/platform/pipelines-jobs.md ('Validation of configurations').
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fakeplat.ci_config.includes import Include
from fakeplat.domain.ci import components
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_TEMPLATES: Final = "https://gitlab.com/gitlab-org/gitlab/-/raw/master/lib/gitlab/ci/templates"


def describe_all(ctx: ReadContext, commit: ProjectCommit, includes: Iterable[Include]) -> tuple[Mapping[str, Any], ...]:
    """Describe the files that the configuration of a commit includes."""
    return tuple(_describe(ctx, commit, include) for include in includes)


def _describe(ctx: ReadContext, commit: ProjectCommit, include: Include) -> Mapping[str, Any]:
    base, sha = _find_place(ctx, commit, include.base_project, include.base_ref)
    return {
        "type": include.kind,
        "location": include.location.lstrip("/") if include.kind in ("local", "file") else include.location,
        **_describe_file(ctx, commit, include),
        "context_project": namespaces.project_path(ctx.world, base) if base else None,
        "context_sha": sha,
    }


def _find_place(
    ctx: ReadContext, commit: ProjectCommit, path: str | None, ref: str | None
) -> tuple[Project | None, str | None]:
    """Return the project with a path and the commit of a ref; those of the pipeline without a path."""
    if path is None:
        return commit.project, commit.commit.sha
    project = namespaces.find_project_by_path(ctx.world, path)
    found = commits.find_commit(ctx.world, project, ref or "HEAD") if project else None
    return project, found.commit.sha if found else None


def _describe_file(ctx: ReadContext, commit: ProjectCommit, include: Include) -> dict[str, Any]:
    """Return the addresses of an included file, and what else is known of it."""
    match include.kind:
        case "local" | "file":
            project, sha = _find_place(ctx, commit, include.project, include.ref)
            path = f"{sha}/{include.location.lstrip('/')}"
            extra: Mapping[Any, Any] = {key: value for key, value in include.given.items() if key != "local"}
            if include.kind == "file":
                extra = {"project": (include.project or "").lower(), "ref": include.ref or "HEAD"}
            return {
                "blob": _url(ctx, project, "blob", path),
                "raw": _url(ctx, project, "raw", path),
                "extra": dict(extra),
            }
        case "component":
            place = components.find_file(ctx, include.location)
            blob = None if place is None else _url(ctx, place.project, "blob", f"{place.sha}/{place.path}")
            return {"blob": blob, "raw": None, "extra": {}}
        case "artifact":
            return {"blob": None, "raw": None, "extra": {"job_name": include.job}}
        case "template":
            return {"blob": None, "raw": f"{_TEMPLATES}/{include.location}", "extra": {}}
    return {"blob": None, "raw": include.location, "extra": {}}


def _url(ctx: ReadContext, project: Project | None, kind: str, path: str) -> str | None:
    return None if project is None else f"{ctx.origin}/{namespaces.project_path(ctx.world, project)}/-/{kind}/{path}"
