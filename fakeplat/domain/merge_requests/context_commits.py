"""Commits that a merge request refers to without containing them."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.merge_requests import ContextCommit, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import DEVELOPERS_REMOVE_CONTEXT_COMMITS
from fakeplat.policy.context import WriteContext

LIMIT: Final = 20
_INVALID: Final = "One or more context commits' sha is not valid."


def list_commits(world: World, project: Project, merge_request: MergeRequest) -> Sequence[ProjectCommit]:
    """Return the context commits of a merge request that still exist."""
    rows = world.context_commits.where("merge_request", merge_request.id)
    found = (commits.find_commit(world, project, row.sha) for row in rows)
    return [commit for commit in found if commit is not None]


def add_commits(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, shas: Sequence[str]
) -> Sequence[ProjectCommit]:
    """Add context commits; 400 for unknown ones, those that are there, and too many, 403 without the right."""
    if len(shas) > LIMIT:
        raise BadRequest(f"Context commits array size should not be more than {LIMIT}")
    noteables.authorize_update(ctx, merge_request)
    found = _find_all(ctx.world, project, shas)
    table = ctx.world.context_commits
    existing = {row.sha for row in table.where("merge_request", merge_request.id)}
    duplicates = [commit.commit.sha for commit in found if commit.commit.sha in existing]
    if duplicates:
        raise BadRequest(f"Context commits: {duplicates} are already created".replace("'", '"'))
    for commit in found:
        table.add(ContextCommit(table.next_id(), merge_request.id, commit.commit.sha))
    return found


def remove_commits(ctx: WriteContext, project: Project, merge_request: MergeRequest, shas: Sequence[str]) -> None:
    """Remove context commits; 400 for unknown commits, 403 without the right."""
    if ctx.profile.has(DEVELOPERS_REMOVE_CONTEXT_COMMITS):
        noteables.authorize_update(ctx, merge_request)
    else:
        authorize(ctx, Ability.DESTROY_MERGE_REQUEST, project)
    removed = {commit.commit.sha for commit in _find_all(ctx.world, project, shas)}
    rows = ctx.world.context_commits.where("merge_request", merge_request.id)
    purge(ctx, *(row for row in rows if row.sha in removed))


def _find_all(world: World, project: Project, shas: Sequence[str]) -> list[ProjectCommit]:
    found = [commits.find_commit(world, project, sha) for sha in dict.fromkeys(shas)]
    if None in found:
        raise BadRequest(_INVALID, reason="a commit is unknown")
    return [commit for commit in found if commit is not None]
