"""Merge refs: the commit that a merge would create, stored under ``refs/merge-requests/<iid>/merge``.

Each mergeability check that finds no conflict writes it.

Source: docs/platform/merge-requests.md.
"""

from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext


def is_outdated(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the merge ref is missing or does not belong to the current branches."""
    refs = diff_versions.compute_refs(ctx.world, merge_request)
    return refs is not None and _is_due(ctx, merge_request, refs)


def _is_due(ctx: ReadContext, merge_request: MergeRequest, refs: DiffRefs) -> bool:
    if not merge_request.is_open:
        return False
    sha = find_merge_ref(ctx.world, merge_request)
    # Without a merge ref one is due, unless a check has already found a conflict.
    if sha is None:
        return merge_request.merge_status != "cannot_be_merged"
    objects = repositories.open_repository(ctx.world, ctx.world.projects[merge_request.project_id]).objects
    # Its parents tell for which heads the merge ref was created, so nothing else has to be stored.
    return objects.commit(sha).parents != (refs.start, refs.head)


def write_merge_ref(ctx: WriteContext, merge_request: MergeRequest, refs: DiffRefs) -> None:
    """Create or update the merge ref of a merge request whose branches can be merged."""
    from fakeplat.git import writing

    if not _is_due(ctx, merge_request, refs):
        return
    project = ctx.world.projects[merge_request.project_id]
    objects = repositories.open_repository(ctx.world, project).objects
    message = f"Merge {refs.head} into {refs.start}"
    by = ctx.world.users[merge_request.author_id]
    sha = writing.merge(objects, refs.start, refs.head, message, git_person(ctx, by))
    repositories.set_internal_refs(ctx, project, {diff_versions.MERGE_REF.format(merge_request.iid): sha})


def find_merge_ref(world: World, merge_request: MergeRequest) -> str | None:
    """Return the commit of the merge ref; None without one."""
    project = world.projects[merge_request.project_id]
    return repositories.open_repository(world, project).refs.get(diff_versions.MERGE_REF.format(merge_request.iid))
