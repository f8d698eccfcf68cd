"""The merge requests that a deployment brought to an environment. Source: docs/platform/deployments.md."""

from collections.abc import Iterable
from functools import reduce
from operator import and_

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.deployments import environments
from fakeplat.domain.repository import repositories
from fakeplat.model.deployments import Deployment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def link(ctx: WriteContext, deployment: Deployment) -> Deployment:
    """Record the merged merge requests that a deployment brought; none for environments in folders."""
    # Environments in folders are mostly review apps, which deploy what is not merged yet.
    if ctx.world.environments[deployment.environment_id].folder is not None:
        return deployment
    ids = {*deployment.merge_request_ids, *(found.id for found in _find_deployed(ctx.world, deployment))}
    return ctx.world.deployments.change(deployment, merge_request_ids=tuple(sorted(ids)))


def find_production_time(world: World, merge_request: MergeRequest) -> str | None:
    """Return when a merge request was first deployed to production from its target branch."""
    merged_at = merge_request.merged_at
    if merge_request.state != "merged" or merged_at is None:
        return None
    deployed = (
        deployment.finished_at
        for deployment in world.deployments.where("project", merge_request.project_id)
        if (deployment.status, deployment.ref) == ("success", merge_request.target_branch)
        and world.environments[deployment.environment_id].is_production
    )
    return min((time for time in deployed if time is not None and time >= merged_at), default=None)


def _find_deployed(world: World, deployment: Deployment) -> Iterable[MergeRequest]:
    project, environment = world.projects[deployment.project_id], world.environments[deployment.environment_id]
    previous = environments.find_last_deployment(world, environment, other_than=deployment.id)
    if previous is None:
        return _list_merged(world, project, ("target_branch", deployment.ref))
    deployed = _list_commits_between(world, project, previous.sha, deployment.sha)
    return [
        each
        for each in _list_merged(world, project)
        if each.merge_commit_sha in deployed or not deployed.isdisjoint(each.picked_shas)
    ]


def _list_merged(world: World, project: Project, *facts: tuple[str, str]) -> list[MergeRequest]:
    table = world.merge_requests
    keys = (("project", project.id), ("state", "merged"), *facts)
    return table.get_many(iterate_bits(reduce(and_, (table.bits("facts", key) for key in keys))))


def _list_commits_between(world: World, project: Project, start: str, end: str) -> set[str]:
    from fakeplat.git.errors import UnknownRevision

    git = repositories.open_repository(world, project)
    try:
        return {commit.sha for commit in git.log(f"{start}..{end}")}
    except UnknownRevision:
        # A commit may have vanished with its branch.
        return set()
