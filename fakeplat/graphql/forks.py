"""How forks differ from their source, and updates of them. Source: docs/platform/graphql.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.projects import fork_syncs
from fakeplat.domain.projects.fork_syncs import Divergence
from fakeplat.domain.repository import protection, repositories
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

_SYNC: Final = "15.9"
_NO_BRANCH: Final = "Target branch does not exist"
_NO_FORK: Final = "This branch of this project cannot be updated from the upstream"
_CONFLICT: Final = "The synchronization cannot happen due to the merge conflict"
DETAILS: Final = Type("ForkDetails", "How a fork differs from its source.", since="15.7")
DETAILS.attributes(
    {
        "ahead: Int": "Number of commits that only the fork has.",
        "behind: Int": "Number of commits that only the source has.",
    }
)
DETAILS.attributes({"hasConflicts: Boolean": "Whether an update failed, because of a conflict."}, since=_SYNC)


@DETAILS.field("isSyncing: Boolean", since=_SYNC)
def is_syncing(_ctx: ReadContext, _divergence: Divergence) -> bool:
    """Whether an update runs, which takes no time here."""
    return False


@PROJECT.field("forkDetails(ref: String): ForkDetails", since="15.7")
def fork_details(ctx: ReadContext, project: Project, ref: str | None = None) -> Divergence | None:
    """How a branch of the fork differs from the default branch of its source; null for those who see one code only."""
    divergence = fork_syncs.find_divergence(ctx.world, project, ref or project.default_branch or "")
    if divergence is None or not can(ctx, Ability.DOWNLOAD_CODE, project):
        return None
    return divergence if can(ctx, Ability.DOWNLOAD_CODE, divergence.source) else None


@mutation(
    "projectSyncFork",
    input_fields='''
"""The full path of the fork."""
projectPath: ID!
"""The branch to update."""
targetBranch: String!
''',
    payload_fields='"""How the fork differs from its source then."""\ndetails: ForkDetails',
    since=_SYNC,
)
def sync_fork(ctx: WriteContext, project_path: str, target_branch: str) -> Mapping[str, Any]:
    """Update a branch of a fork from the default branch of its source."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.PUSH_CODE, project)
    if target_branch not in repositories.open_repository(ctx.world, project).branches():
        raise MutationFailed([_NO_BRANCH], {"details": None})
    if not protection.can_push(ctx, project, target_branch):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not push to {target_branch}")
    divergence = fork_details(ctx, project, target_branch)
    if divergence is None:
        raise MutationFailed([_NO_FORK], {"details": None})
    if divergence.behind == 0:
        return {"details": divergence}
    if divergence.has_conflicts:
        raise MutationFailed([_CONFLICT], {"details": divergence})
    return {"details": fork_syncs.sync(ctx, divergence)}
