"""The refs of running pipelines, by which runners fetch commits that no branch has any more.

The platform creates a ref when the first job starts, and deletes it when the pipeline ends; here it is computed.
Source: docs/platform/runner-protocol.md.
"""

from typing import TYPE_CHECKING

from attrs import evolve

from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git


def name_of(pipeline: Pipeline) -> str:
    """Return the name of a pipeline's ref."""
    return f"refs/pipelines/{pipeline.id}"


def find_sha(world: World, pipeline: Pipeline) -> str | None:
    """Return the commit of a running pipeline's ref; None if it does not run, or its commit does not exist."""
    if not (pipeline.is_active and pipeline.has_begun):
        return None
    # The commit may belong to a branch that was deleted; objects are never deleted.
    git = repositories.open_repository(world, world.projects[pipeline.project_id])
    return pipeline.sha if pipeline.sha in git.objects else None


def open_with_refs(world: World, project: Project) -> "Git":
    """Return a project's repository including the refs of running pipelines and the heads of merge requests."""
    git = diff_versions.open_with_heads(world, project)
    refs = {
        name_of(pipeline): find_sha(world, pipeline) for pipeline in world.pipelines.where("unfinished", project.id)
    }
    existing = {name: sha for name, sha in refs.items() if sha is not None}
    return evolve(git, refs={**git.refs, **existing}) if existing else git
