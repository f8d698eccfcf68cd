"""Events, resource events, system notes and to-dos that record the changes of merge requests.

Source: docs/platform/merge-requests.md ('Effects'), docs/platform/notes-discussions.md, docs/platform/todos.md.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal
from urllib.parse import quote

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.references import Subject
from fakeplat.domain import events
from fakeplat.domain.issuables import resource_events
from fakeplat.domain.issues.issue_notes import (
    create_assignee_todos,
    describe_assignment,
    describe_creation,
    describe_description_change,
    describe_estimate,
    describe_title_change,
    describe_users,
)
from fakeplat.domain.merge_requests.merge_requests import KIND
from fakeplat.domain.notes import mentions, noteables, system_notes, todos
from fakeplat.domain.people import namespaces
from fakeplat.model.activity import Action
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import BLOCKS_ARE_NOTED
from fakeplat.policy.context import WriteContext

_MERGED: Final = ("state", "merged")
_STATES: Final[dict[str, tuple[Literal["closed", "reopened", "merged"], Action]]] = {
    "opened": ("reopened", "reopened"),
    "closed": ("closed", "closed"),
    "merged": ("merged", "merged"),
}


def subject_of(merge_request: MergeRequest) -> Subject:
    """Return the subject under which the records are stored."""
    return (KIND, merge_request.id)


def write_system_note(ctx: WriteContext, merge_request: MergeRequest, by: User | None, body: str) -> None:
    """Write a system note by a user; no-op without a user."""
    if by is not None:
        system_notes.write(ctx, subject_of(merge_request), by, body)


def record_creation(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Record the creation of a merge request, and create to-dos for its assignees."""
    user = ctx.user
    if user is None:
        return
    project = ctx.world.projects[merge_request.project_id]
    resource_events.record_labels(ctx, subject_of(merge_request), user, (), merge_request.label_ids)
    resource_events.record_milestone(
        ctx, subject_of(merge_request), user, None, merge_request.milestone_id, merge_request.state
    )
    events.record_event(ctx, user, "created", project, subject_of(merge_request))
    create_assignee_todos(ctx, merge_request, merge_request.assignee_ids)
    create_review_todos(ctx, merge_request, merge_request.reviewer_ids)
    mentions.apply_mentions(ctx, merge_request, describe_creation(merge_request))


def record_changes(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Record the changes of a merge request, and create to-dos for its new assignees."""
    user = ctx.user
    if user is None:
        return
    resource_events.record_labels(ctx, subject_of(after), user, before.label_ids, after.label_ids)
    resource_events.record_milestone(ctx, subject_of(after), user, before.milestone_id, after.milestone_id, after.state)
    for body in describe_changes(ctx.world, before, after):
        write_system_note(ctx, after, user, body)
    create_assignee_todos(ctx, after, [id_ for id_ in after.assignee_ids if id_ not in before.assignee_ids])
    create_review_todos(ctx, after, [id_ for id_ in after.reviewer_ids if id_ not in before.reviewer_ids])
    if describe_creation(before) != describe_creation(after):
        mentions.apply_mentions(ctx, after, describe_creation(after), before=describe_creation(before))


def create_review_todos(ctx: WriteContext, merge_request: MergeRequest, ids: Iterable[int]) -> None:
    """Create to-dos for users who are asked for a review."""
    for id_ in ids:
        todos.create_todo(ctx, ctx.world.users[id_], "review_requested", merge_request)


def record_review_request(ctx: WriteContext, merge_request: MergeRequest, reviewer: User, was_approved: bool) -> None:
    """Record that a reviewer was asked once more, and whether that revoked their approval."""
    text = f"requested review from @{reviewer.username}"
    write_system_note(ctx, merge_request, ctx.user, f"{text} and removed approval" if was_approved else text)
    create_review_todos(ctx, merge_request, [reviewer.id])


def record_block(ctx: WriteContext, blocking: MergeRequest, blocked: MergeRequest) -> None:
    """Record at both merge requests that one has to be merged before the other."""
    if not ctx.profile.has(BLOCKS_ARE_NOTED):
        return
    for record, other, words in ((blocking, blocked, "blocking"), (blocked, blocking, "blocked by")):
        reference = noteables.format_reference(ctx.world, other, ctx.world.projects[record.project_id])
        write_system_note(ctx, record, ctx.user, f"marked this merge request as {words} {reference}")


def record_state(ctx: WriteContext, _before: MergeRequest, merge_request: MergeRequest, user: User | None) -> None:
    """Record that a merge request was closed, merged or reopened; closing and merging finish the user's to-dos."""
    if user is None or merge_request.state not in _STATES:
        return
    state, action = _STATES[merge_request.state]
    resource_events.record_state(ctx, subject_of(merge_request), user, state)
    events.record_event(ctx, user, action, ctx.world.projects[merge_request.project_id], subject_of(merge_request))
    if state != "reopened":
        todos.finish_pending(ctx, user, subject_of(merge_request))


def record_pick(ctx: WriteContext, project: Project, sha: str, branch: str, picked_sha: str) -> None:
    """Record on the merge request of a merge commit that the commit was cherry-picked."""
    table = ctx.world.merge_requests
    merged = table.get_many(iterate_bits(table.bits("facts", ("project", project.id)) & table.bits("facts", _MERGED)))
    merge_request = next((row for row in merged if row.merge_commit_sha == sha), None)
    if merge_request is None:
        return
    changed = table.change(merge_request, picked_shas=(*merge_request.picked_shas, picked_sha))
    tree = f"/{namespaces.project_path(ctx.world, project)}/-/tree/{quote(branch)}"
    text = f"picked the changes into the branch [`{branch}`]({tree}) with commit {picked_sha}"
    write_system_note(ctx, changed, ctx.user, text)


def describe_changes(world: World, before: MergeRequest, after: MergeRequest) -> Iterator[str]:
    """Yield the text of a system note for each difference."""
    # The draft prefix is part of the title, so a change of both is reported only as marking.
    if after.work_in_progress != before.work_in_progress:
        yield f"{'marked' if after.work_in_progress else 'unmarked'} as a **Work In Progress**"
    elif after.title != before.title:
        yield describe_title_change(before.title, after.title)
    # A missing description equals an empty one, and below an unset lock equals an open discussion.
    if (after.description or "") != (before.description or ""):
        yield from describe_description_change(before.description or "", after.description or "")
    if after.assignee_ids != before.assignee_ids:
        yield from describe_assignment(world, before, after)
    if after.reviewer_ids != before.reviewer_ids:
        verbs = ("requested review from", "removed review request for")
        yield from describe_users(world, before.reviewer_ids, after.reviewer_ids, *verbs)
    if bool(after.discussion_locked) != bool(before.discussion_locked):
        yield f"{'locked' if after.discussion_locked else 'unlocked'} this merge request"
    if after.target_branch != before.target_branch:
        yield f"changed target branch from `{before.target_branch}` to `{after.target_branch}`"
    yield from describe_estimate(world, before, after)
