"""Issues that go on with what was discussed of a merge request, which is settled thereby.

Source: docs/platform/issues.md.
"""

from collections.abc import Iterator

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.notes import discussions, noteables, system_notes
from fakeplat.domain.notes import resolution as resolving
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.people import namespaces
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext


@frozen
class ThreadsToResolve:
    """What a new issue goes on with: threads of a merge request that wait to be settled."""

    merge_request: MergeRequest
    threads: tuple[Discussion, ...]


def find_threads(
    ctx: ReadContext, project: Project, iid: int | None, discussion_id: str | None
) -> ThreadsToResolve | None:
    """The open threads of a merge request, or the one that is named; None without one that the caller sees."""
    found = ctx.world.merge_requests.find("iid", (project.id, iid)) if iid is not None else None
    if found is None or not noteables.is_visible(ctx, found):
        return None
    waiting = (
        thread for thread in discussions.list_discussions(ctx, found) if any(note.is_waiting for note in thread.notes)
    )
    return ThreadsToResolve(
        found, tuple(thread for thread in waiting if not discussion_id or thread.id == discussion_id)
    )


def describe_threads(ctx: ReadContext, follow_up: ThreadsToResolve) -> str:
    """What the issue says unless something else is said: a task for each thread, with what began it."""
    reference, count = f"!{follow_up.merge_request.iid}", len(follow_up.threads)
    if not count:
        return f"There are no unresolved discussions. Review the conversation in {reference}"
    title = f"The following {'discussion' if count == 1 else 'discussions'} from {reference} should be addressed:"
    return "\n\n".join((title, *_tasks(ctx, follow_up)))


def _tasks(ctx: ReadContext, follow_up: ThreadsToResolve) -> Iterator[str]:
    project = ctx.world.projects[follow_up.merge_request.project_id]
    page = f"/{namespaces.project_path(ctx.world, project)}/-/merge_requests/{follow_up.merge_request.iid}"
    for thread in follow_up.threads:
        first = next(note for note in thread.notes if note.is_waiting)
        author, more = ctx.world.users.get(first.author_id), len(thread.notes) - 1
        acted = "started" if first is thread.notes[0] else "commented on"
        counted = f" (+{more} {'comment' if more == 1 else 'comments'})" if more else ""
        who = f"@{author.username}" if author else "Somebody"
        quoted = "\n".join(f"    > {line}" for line in first.body.splitlines())
        yield f"- [ ] {who} {acted} a [discussion]({page}#note_{first.id}):{counted}\n\n{quoted}"


def resolve_threads(ctx: WriteContext, follow_up: ThreadsToResolve, issue: Issue) -> None:
    """Settle the threads and note in each where it goes on; who may not settle them leaves them open."""
    for thread in follow_up.threads:
        merge_request = ctx.world.merge_requests[follow_up.merge_request.id]
        if resolving.can_resolve(ctx, merge_request).allowed:
            discussions.resolve_discussion(ctx, merge_request, thread, resolved=True)
            body = f"created #{issue.iid} to continue this discussion"
            system_notes.write_in_thread(ctx, thread.notes[0], ctx.signed_in_user, body)
