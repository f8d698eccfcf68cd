"""Issues created to resolve the open threads of a merge request.

Source: docs/platform/issues.md.
"""

from collections.abc import Iterator
from typing import Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues import issues
from fakeplat.domain.issues.issues import NewIssueParams
from fakeplat.domain.notes import discussions, noteables, resolution, system_notes
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.people import namespaces
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext


@frozen
class ThreadsToResolve:
    """Unresolved threads of a merge request that a new issue continues."""

    merge_request: MergeRequest
    threads: tuple[Discussion, ...]


def find_threads(
    ctx: ReadContext, project: Project, iid: int | None, discussion_id: str | None
) -> ThreadsToResolve | None:
    """Return the unresolved threads of a merge request, or one of them; None if it does not exist or is hidden."""
    merge_request = ctx.world.merge_requests.find("iid", (project.id, iid)) if iid is not None else None
    if merge_request is None or not noteables.is_visible(ctx, merge_request):
        return None
    threads = discussions.list_discussions(ctx, merge_request)
    unresolved = (thread for thread in threads if any(note.is_waiting for note in thread.notes))
    return ThreadsToResolve(
        merge_request, tuple(thread for thread in unresolved if not discussion_id or thread.id == discussion_id)
    )


def create_issue(
    ctx: WriteContext,
    project: Project,
    author: User,
    merge_request_iid: int | None,
    discussion_id: str | None,
    **fields: Unpack[NewIssueParams],
) -> Issue:
    """Create an issue that continues the threads of a merge request, or only one of them, if one is named."""
    follow_up = find_threads(ctx, project, merge_request_iid, discussion_id)
    if follow_up is None:
        return issues.create(ctx, project, author, **fields)
    # A description that was sent replaces the generated list of threads.
    if "description" not in fields:
        fields["description"] = describe_threads(ctx, follow_up)
    issue = issues.create(ctx, project, author, **fields)
    resolve_threads(ctx, follow_up, issue)
    return issue


def describe_threads(ctx: ReadContext, to_resolve: ThreadsToResolve) -> str:
    """Return the default description of the issue: a task for each thread, quoting its first unresolved note."""
    reference, count = f"!{to_resolve.merge_request.iid}", len(to_resolve.threads)
    if not count:
        return f"There are no unresolved discussions. Review the conversation in {reference}"
    title = f"The following {'discussion' if count == 1 else 'discussions'} from {reference} should be addressed:"
    return "\n\n".join((title, *_format_tasks(ctx, to_resolve)))


def _format_tasks(ctx: ReadContext, to_resolve: ThreadsToResolve) -> Iterator[str]:
    project = ctx.world.projects[to_resolve.merge_request.project_id]
    page = f"/{namespaces.project_path(ctx.world, project)}/-/merge_requests/{to_resolve.merge_request.iid}"
    for thread in to_resolve.threads:
        # The notes before the first unresolved one have been resolved or are system notes.
        first = next(note for note in thread.notes if note.is_waiting)
        author, more = ctx.world.users.get(first.author_id), len(thread.notes) - 1
        verb = "started" if first is thread.notes[0] else "commented on"
        counted = f" (+{more} {'comment' if more == 1 else 'comments'})" if more else ""
        who = f"@{author.username}" if author else "Somebody"
        quoted = "\n".join(f"    > {line}" for line in first.body.splitlines())
        yield f"- [ ] {who} {verb} a [discussion]({page}#note_{first.id}):{counted}\n\n{quoted}"


def resolve_threads(ctx: WriteContext, to_resolve: ThreadsToResolve, issue: Issue) -> None:
    """Resolve the threads, each with a system note that names the issue; no-op if the caller may not resolve them."""
    for thread in to_resolve.threads:
        # Resolving the last thread changes the merge request, so each turn reads it again.
        merge_request = ctx.world.merge_requests[to_resolve.merge_request.id]
        if resolution.can_resolve(ctx, merge_request).allowed:
            discussions.resolve_discussion(ctx, merge_request, thread, resolved=True)
            body = f"created #{issue.iid} to continue this discussion"
            system_notes.write_in_thread(ctx, thread.notes[0], ctx.signed_in_user, body)
