"""Mutations of single artifacts of jobs, and of caches. Source: docs/platform/graphql.md ('CI/CD settings')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.domain.ci import job_artifacts
from fakeplat.domain.projects import projects
from fakeplat.domain.purging import purge
from fakeplat.graphql.ci.job_fields import ARTIFACT
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import require_project_with_id
from fakeplat.graphql.schema_builder import Scalar, mutation
from fakeplat.model.ci import JobArtifact
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.8"
_KIND: Final = "Ci::JobArtifact"
_PROJECT_ID: Final = '"""The global ID of the project."""\nprojectId: ProjectID!'
Scalar("CiJobArtifactID", "The global ID of an artifact of a job.", since=_SINCE)


@ARTIFACT.field("id: CiJobArtifactID!", since=_SINCE)
def artifact_id(ctx: ReadContext, artifact: JobArtifact) -> str:
    """The global ID; that of a log has the number of its job."""
    return global_id(ctx, _KIND, artifact.id or artifact.job_id)


@mutation(
    "artifactDestroy",
    input_fields='"""The global ID of the artifact."""\nid: CiJobArtifactID!',
    payload_fields='"""Always null: the artifact is deleted."""\nartifact: CiJobArtifact',
    since=_SINCE,
)
def artifact_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete an artifact."""
    artifact = ctx.world.job_artifacts.get(parse_id(ctx, id, _KIND))
    if artifact is None:
        raise ResourceNotAvailable(f"there is no artifact {id}")
    authorize(ctx, Ability.DESTROY_ARTIFACTS, ctx.world.projects[artifact.project_id])
    purge(ctx, artifact)
    return {}


@mutation(
    "bulkDestroyJobArtifacts",
    input_fields=f'"""The global IDs of the artifacts."""\nids: [CiJobArtifactID!]!\n{_PROJECT_ID}',
    payload_fields='"""Number of deleted artifacts."""\ndestroyedCount: Int\n'
    '"""The global IDs of the deleted artifacts."""\ndestroyedIds: [CiJobArtifactID!]',
    since="15.10",
)
def bulk_destroy_job_artifacts(ctx: WriteContext, ids: Sequence[str], project_id: str) -> Mapping[str, Any]:
    """Delete artifacts of a project, all of them or none."""
    project = require_project_with_id(ctx, project_id)
    authorize(ctx, Ability.DESTROY_ARTIFACTS, project)
    if not ids:
        raise GraphQLError("IDs array of job artifacts can not be empty")
    with collect_errors():
        deleted = job_artifacts.delete_selected(ctx, project, [parse_id(ctx, text, _KIND) for text in ids])
    return {
        "destroyed_count": len(deleted),
        "destroyed_ids": [global_id(ctx, _KIND, artifact.id) for artifact in deleted],
    }


@mutation("runnerCacheClear", input_fields=_PROJECT_ID, payload_fields="", since="<=18.5")
def runner_cache_clear(ctx: WriteContext, project_id: str) -> Mapping[str, Any]:
    """Let the jobs of a project begin with empty caches."""
    project = require_project_with_id(ctx, project_id)
    authorize(ctx, Ability.ADMIN_PIPELINE, project)
    projects.clear_caches(ctx, project)
    return {}
