"""Moving the positions of diff notes when a merge request gets a new diff version.

If the line still exists, the thread moves to the new version. Otherwise it stays with the old one and gets a system
note; depending on a setting of the project, it is also resolved.
"""

from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.notes import resolution, system_notes
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_positions, diff_versions
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.policy.context import WriteContext


def move_positions(ctx: WriteContext, merge_request: MergeRequest, before: DiffRefs | None, by: User | None) -> None:
    """Move the threads of the diff ``before`` to the newest version, which ``by`` caused."""
    _move_threads(ctx, merge_request, before, diff_versions.latest_refs(ctx.world, merge_request), by)


def _move_threads(
    ctx: WriteContext, merge_request: MergeRequest, before: DiffRefs | None, refs: DiffRefs | None, by: User | None
) -> None:
    if refs is None or before is None or refs == before:
        return
    for thread in _list_threads(ctx, merge_request, before):
        _move_thread(ctx, merge_request, thread, refs, by)


def _list_threads(ctx: WriteContext, merge_request: MergeRequest, refs: DiffRefs) -> list[list[Note]]:
    threads: dict[str, list[Note]] = {}
    for note in ctx.world.notes.where("subject", (merge_requests.KIND, merge_request.id)):
        # Threads that an earlier push made outdated stay with their old version.
        if note.position is not None and diff_positions.refs_of(note.position) == refs:
            threads.setdefault(note.discussion_id, []).append(note)
    return list(threads.values())


def _move_thread(
    ctx: WriteContext, merge_request: MergeRequest, thread: list[Note], refs: DiffRefs, by: User | None
) -> None:
    # Replies copy the position, so the first note speaks for all of its thread.
    project, position = ctx.world.projects[merge_request.project_id], thread[0].position
    traced = (
        diff_positions.trace_position(repositories.open_repository(ctx.world, project).objects, position, refs)
        if position
        else None
    )
    if traced is not None:
        for note in thread:
            ctx.world.notes.change(note, position=traced.position, line_code=traced.line_code)
    elif by is not None:
        if project.resolve_outdated_diff_discussions:
            resolution.mark_resolved(ctx, [note for note in thread if note.is_waiting], by)
        _write_outdated_note(ctx, merge_request, thread[0], refs, by)


def _write_outdated_note(ctx: WriteContext, merge_request: MergeRequest, first: Note, refs: DiffRefs, by: User) -> None:
    on_text = first.position is not None and first.position.position_type == "text"
    # After a reopening, the version of these refs does not exist yet.
    is_pending = diff_versions.latest_refs(ctx.world, merge_request) != refs
    count = len(ctx.world.diff_versions.ids("merge_request", merge_request.id)) + is_pending
    body = f"changed this {'line' if on_text else 'file'} in version {count} of the diff"
    system_notes.write_in_thread(ctx, first, by, body)


def handle_retargeting(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Move the threads of a merge request whose target branch changed."""
    if before.target_branch != after.target_branch:
        # The newest version is the one that the retargeting has just added.
        versions = list(diff_versions.list_versions(ctx.world, after))
        move_positions(
            ctx, after, diff_versions.refs_of(ctx.world, versions[1]) if len(versions) > 1 else None, ctx.user
        )


def handle_reopening(ctx: WriteContext, _closed: MergeRequest, merge_request: MergeRequest, by: User | None) -> None:
    """Move the threads of a reopened merge request to what was pushed while it was closed."""
    if merge_request.state == "opened":
        before, refs = (
            diff_versions.latest_refs(ctx.world, merge_request),
            diff_versions.compute_refs(ctx.world, merge_request),
        )
        # As in merge_requests.reopen, only a new head counts: the target alone adds no version.
        if before is not None and refs is not None and before.head != refs.head:
            _move_threads(ctx, merge_request, before, refs, by)
