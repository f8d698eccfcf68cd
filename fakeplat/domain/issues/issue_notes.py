"""System notes and to-dos for changes to issues. Source:
docs/platform/notes-discussions.md, docs/platform/todos.md.

State, labels and milestones have resource events instead of notes. Changes without a user (in scenarios) write none.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from fakeplat.domain.issues import issues, work_statuses
from fakeplat.domain.notes import mentions, noteables, system_notes, todos
from fakeplat.domain.validation import join_words
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CHANGED_TYPES_NAME_BOTH
from fakeplat.policy.context import WriteContext

KIND: Final = noteables.ISSUE.kind
SEVERITY_NAMES: Final = {
    "critical": "Critical - S1",
    "high": "High - S2",
    "medium": "Medium - S3",
    "low": "Low - S4",
    "unknown": "Unknown",
}
Assignable = Issue | MergeRequest | Alert


def record_creation(ctx: WriteContext, issue: Issue) -> None:
    """Write notes and create to-dos for a new issue: due date, assignees, mentions."""
    if ctx.user is None:
        return
    if issue.due_date:
        _write_note(ctx, issue, describe_due_date(issue.due_date))
    create_assignee_todos(ctx, issue, issue.assignee_ids)
    mentions.apply_mentions(ctx, issue, describe_creation(issue))


def record_changes(ctx: WriteContext, before: Issue, issue: Issue) -> None:
    """Write notes and create to-dos for a changed issue: its differences, new assignees, new mentions."""
    if ctx.user is None:
        return
    for body in describe_changes(ctx.world, before, issue):
        _write_note(ctx, issue, body)
    create_assignee_todos(ctx, issue, [id_ for id_ in issue.assignee_ids if id_ not in before.assignee_ids])
    if describe_creation(before) != describe_creation(issue):
        mentions.apply_mentions(ctx, issue, describe_creation(issue), before=describe_creation(before))


def _write_note(ctx: WriteContext, issue: Issue, body: str) -> None:
    system_notes.write(ctx, (KIND, issue.id), ctx.signed_in_user, body)


def describe_creation(record: Issue | MergeRequest) -> str:
    """Return title and description of an issue or merge request as one text."""
    return f"{record.title}\n\n{record.description or ''}"


def create_assignee_todos(ctx: WriteContext, record: Issue | MergeRequest, ids: Sequence[int]) -> None:
    """Create to-dos for new assignees."""
    for id_ in ids:
        todos.create_todo(ctx, ctx.world.users[id_], "assigned", record)


def describe_changes(world: World, before: Issue, issue: Issue) -> Iterator[str]:
    """Yield the text of a system note for each difference."""
    if issue.title != before.title:
        yield describe_title_change(before.title, issue.title)
    if (issue.description or "") != (before.description or ""):
        yield from describe_description_change(before.description or "", issue.description or "")
    if issue.assignee_ids != before.assignee_ids:
        yield from describe_assignment(world, before, issue)
    if bool(issue.discussion_locked) != bool(before.discussion_locked):
        yield f"{'locked' if issue.discussion_locked else 'unlocked'} this issue"
    if issue.confidential != before.confidential:
        yield "made the issue confidential" if issue.confidential else "made the issue visible to everyone"
    if issue.due_date != before.due_date:
        yield describe_due_date(issue.due_date)
    yield from describe_estimate(world, before, issue)
    if issue.kind != before.kind:
        yield describe_type_change(world, before, issue)
    if issue.severity != before.severity:
        yield f"changed the severity to **{SEVERITY_NAMES[issue.severity]}**"
    if issue.work_status not in (None, before.work_status):
        yield f"set status to **{work_statuses.status_of(issue).name}**"


def describe_title_change(before: str, after: str) -> str:
    """Return the text for a changed title, in which the difference is marked: ``{-old-}``, ``{+new+}``."""
    start = _common_prefix_length(before, after)
    # The common suffix is searched after the common prefix only, as the two could overlap ("aa" and "aaa").
    rest = _common_prefix_length(before[start:][::-1], after[start:][::-1])
    marked = (_mark(text, start, len(text) - rest, sign) for text, sign in ((before, "-"), (after, "+")))
    return "changed title from **{}** to **{}**".format(*marked)


def _common_prefix_length(text: str, other: str) -> int:
    for index, (left, right) in enumerate(zip(text, other, strict=False)):
        if left != right:
            return index
    return min(len(text), len(other))


def _mark(text: str, start: int, end: int, sign: str) -> str:
    return f"{text[:start]}{{{sign}{text[start:end]}{sign}}}{text[end:]}" if end > start else text


def describe_description_change(before: str, after: str) -> Iterator[str]:
    """Yield the texts for a changed description: the tasks that were ticked or unticked, otherwise that it changed."""
    ticked = list(issues.list_ticked_tasks(before, after))
    if not ticked:
        yield "changed the description"
    for text, done in ticked:
        yield f"marked the task **{text}** as {'completed' if done else 'incomplete'}"


def describe_assignment(world: World, before: Assignable, after: Assignable) -> Iterator[str]:
    """Yield the text for changed assignees."""
    yield from describe_users(world, before.assignee_ids, after.assignee_ids, "assigned to", "unassigned")


def describe_users(
    world: World, before: Sequence[int], after: Sequence[int], verb_of_added: str, verb_of_removed: str
) -> Iterator[str]:
    """Yield the text for the users who were added to a list or removed from it."""
    added = [id_ for id_ in after if id_ not in before]
    removed = [id_ for id_ in before if id_ not in after]
    parts = [
        f"{verb} {format_users(world, ids)}"
        for verb, ids in ((verb_of_added, added), (verb_of_removed, removed))
        if ids
    ]
    if parts:
        yield " and ".join(parts)


def format_users(world: World, ids: Sequence[int]) -> str:
    """Return references to users, joined as in a sentence."""
    return join_words([f"@{world.users[id_].username}" for id_ in ids])


def describe_type_change(world: World, before: Issue, issue: Issue) -> str:
    """Return the text for a changed type."""
    old, new = (record.kind.replace("_", " ") for record in (before, issue))
    if world.profile.has(CHANGED_TYPES_NAME_BOTH):
        return f"changed type from {old} to {new}"
    return f"changed issue type to {new}"


def describe_due_date(day: str | None) -> str:
    """Return the text for a due date."""
    if day is None:
        return "removed due date"
    due = date.fromisoformat(day)
    # The day is formatted apart, as %d would pad it with a zero.
    return f"changed due date to {due:%B} {due.day}, {due.year}"


def describe_estimate(world: World, before: Issue | MergeRequest, after: Issue | MergeRequest) -> Iterator[str]:
    """Yield the text for a changed time estimate."""
    if after.time_estimate != before.time_estimate:
        estimate = issues.format_duration(world, after.time_estimate)
        yield f"changed time estimate to {estimate}" if estimate else "removed time estimate"


def record_move(ctx: WriteContext, old: Issue, new: Issue) -> None:
    """Write a system note on both issues of a move."""
    _record_copy(ctx, old, new, "moved")


def record_clone(ctx: WriteContext, original: Issue, clone: Issue) -> None:
    """Write a system note on both issues, and create to-dos for the people of the new one."""
    _record_copy(ctx, original, clone, "cloned")
    create_assignee_todos(ctx, clone, clone.assignee_ids)


def _record_copy(ctx: WriteContext, old: Issue, new: Issue, verb: str) -> None:
    by, old_project, new_project = ctx.signed_in_user, *(ctx.world.projects[end.project_id] for end in (old, new))
    old_subject, new_subject = (KIND, old.id), (KIND, new.id)
    body = f"{verb} to {noteables.format_reference(ctx.world, new, old_project)}"
    system_notes.write(ctx, old_subject, by, body, source=new_subject)
    body = f"{verb} from {noteables.format_reference(ctx.world, old, new_project)}"
    system_notes.write(ctx, new_subject, by, body, source=old_subject)


def _write_at_both_ends(ctx: WriteContext, source: Issue, target: Issue, words: str) -> None:
    """Write a system note on each of two issues that refers to the other."""
    for issue, other in ((source, target), (target, source)):
        reference = noteables.format_reference(ctx.world, other, ctx.world.projects[issue.project_id])
        system_notes.write(ctx, (KIND, issue.id), ctx.signed_in_user, f"{words} {reference}", source=(KIND, other.id))


def record_linking(ctx: WriteContext, source: Issue, target: Issue) -> None:
    """Write a system note on both issues of a new link."""
    _write_at_both_ends(ctx, source, target, "marked this issue as related to")


def record_unlinking(ctx: WriteContext, source: Issue, target: Issue) -> None:
    """Write a system note on both issues of a deleted link."""
    _write_at_both_ends(ctx, source, target, "removed the relation with")


def finish_closer_todos(ctx: WriteContext, issue: Issue) -> None:
    """Mark the to-dos of the user who closed an issue as done."""
    todos.finish_pending(ctx, ctx.user, (KIND, issue.id))
