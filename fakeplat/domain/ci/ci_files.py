"""The CI configuration of a commit: the file that its project names."""

from typing import Final

from fakeplat.ci_config.includes import child_document
from fakeplat.ci_config.jobs import ChildFile
from fakeplat.domain.ci import includes
from fakeplat.model.projects import Project
from fakeplat.model.world import World

CI_FILE: Final = ".gitlab-ci.yml"


def ci_path(project: Project) -> str:
    """Return the path of the CI configuration of a project."""
    return project.ci_config_path or CI_FILE


def read_configuration(world: World, project: Project, sha: str) -> str | None:
    """Return the text of the configuration for a commit; None if there is none."""
    path = ci_path(project)
    if "://" in path:
        return child_document([ChildFile("remote", path)])
    if "@" in path:
        file, _, other = path.partition("@")
        return child_document([ChildFile("file", file, project=other)])
    return includes.read_file(world, project, sha, path)
