"""The CI configuration of a commit: the file that a project names, or the files of a child pipeline."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.domain.ci import includes
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

CI_FILE: Final = ".gitlab-ci.yml"

Files = str | Sequence[Mapping[str, Any]]
"""The configuration of a child pipeline: its text, or what to include."""


def load_configuration(
    ctx: ReadContext, project: Project, sha: str, files: Files | None = None
) -> Configuration | None:
    """Load the configuration of a commit, or the files of a child pipeline; None if there is no file."""
    text = _read(ctx, project, sha) if files is None else _as_text(files)
    return None if text is None else load(text, includes.fetcher(ctx, project, sha))


def ci_path(project: Project) -> str:
    """Return the path of the CI configuration of a project."""
    return project.ci_config_path or CI_FILE


def _as_text(files: Files) -> str:
    # JSON is YAML as well.
    return files if isinstance(files, str) else orjson.dumps({"include": list(files)}).decode()


def _read(ctx: ReadContext, project: Project, sha: str) -> str | None:
    path = ci_path(project)
    if "://" in path:
        return _as_text([{"remote": path}])
    if "@" in path:
        file, _, other = path.partition("@")
        return _as_text([{"file": file, "project": other}])
    return includes.read_file(ctx.world, project, sha, path)
