"""What the platform notes of changes to issues, and whom it asks to look at them. Source:
docs/platform/notes-discussions.md, docs/platform/todos.md.

State, labels and milestones have events of their own and no notes. What nobody did (a scenario) is not noted.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from fakeplat.domain.issues import issues
from fakeplat.domain.notes import mentions, noteables, system_notes, todos
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

KIND: Final = noteables.ISSUE.kind
Assignable = Issue | MergeRequest | Alert


def follow_creation(ctx: WriteContext, issue: Issue) -> None:
    """A new issue: its due date is noted, who is assigned or named is asked to look at it."""
    if ctx.user is None:
        return
    if issue.due_date:
        _write(ctx, issue, describe_due_date(issue.due_date))
    create_assignee_todos(ctx, issue, issue.assignee_ids)
    mentions.follow_mentions(ctx, issue, describe_creation(issue))


def follow_change(ctx: WriteContext, before: Issue, issue: Issue) -> None:
    """A changed issue: each change is noted, who is newly assigned or named is asked to look at it."""
    if ctx.user is None:
        return
    for body in describe_changes(ctx.world, before, issue):
        _write(ctx, issue, body)
    create_assignee_todos(ctx, issue, [id_ for id_ in issue.assignee_ids if id_ not in before.assignee_ids])
    if describe_creation(before) != describe_creation(issue):
        mentions.follow_mentions(ctx, issue, describe_creation(issue), before=describe_creation(before))


def _write(ctx: WriteContext, issue: Issue, body: str) -> None:
    system_notes.write(ctx, (KIND, issue.id), ctx.signed_in_user, body)


def describe_creation(record: Issue | MergeRequest) -> str:
    """All that somebody wrote of an issue or merge request."""
    return f"{record.title}\n\n{record.description or ''}"


def create_assignee_todos(ctx: WriteContext, record: Issue | MergeRequest, ids: Sequence[int]) -> None:
    """Ask those who are newly assigned to look."""
    for id_ in ids:
        todos.create_todo(ctx, ctx.world.users[id_], "assigned", record)


def describe_changes(world: World, before: Issue, issue: Issue) -> Iterator[str]:
    """What is said of each difference."""
    if issue.title != before.title:
        old_title = mark_differences(before.title, issue.title, "-")
        yield f"changed title from **{old_title}** to **{_added(before, issue)}**"
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
    yield from describe_estimate(before, issue)


def _added(before: Issue, issue: Issue) -> str:
    return mark_differences(issue.title, before.title, "+")


def mark_differences(text: str, other: str, sign: str) -> str:
    """A text with what the other one does not have in it set off: ``{-old-}``, ``{+new+}``."""
    same = _shared(text, other)
    end = len(text) - _shared(text[same:][::-1], other[same:][::-1])
    return f"{text[:same]}{{{sign}{text[same:end]}{sign}}}{text[end:]}" if end > same else text


def _shared(one: str, other: str) -> int:
    """How many letters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def describe_description_change(before: str, after: str) -> Iterator[str]:
    """What is said of another description: which tasks were ticked, where that is all, else that it changed."""
    ticked = list(issues.list_ticked_tasks(before, after))
    if not ticked:
        yield "changed the description"
    for text, done in ticked:
        yield f"marked the task **{text}** as {'completed' if done else 'incomplete'}"


def describe_assignment(world: World, before: Assignable, after: Assignable) -> Iterator[str]:
    """What is said of other assignees."""
    came = [id_ for id_ in after.assignee_ids if id_ not in before.assignee_ids]
    went = [id_ for id_ in before.assignee_ids if id_ not in after.assignee_ids]
    parts = [f"{verb} {_people(world, ids)}" for verb, ids in (("assigned to", came), ("unassigned", went)) if ids]
    if parts:
        yield " and ".join(parts)


def _people(world: World, ids: Sequence[int]) -> str:
    return join_words([f"@{world.users[id_].username}" for id_ in ids])


def join_words(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def describe_due_date(day: str | None) -> str:
    """What is said of a due date."""
    if day is None:
        return "removed due date"
    found = date.fromisoformat(day)
    return f"changed due date to {found:%B} {found.day}, {found.year}"


def describe_estimate(before: Issue | MergeRequest, after: Issue | MergeRequest) -> Iterator[str]:
    """What is said of estimated time."""
    if after.time_estimate != before.time_estimate:
        span = issues.format_duration(after.time_estimate)
        yield f"changed time estimate to {span}" if span else "removed time estimate"


def follow_move(ctx: WriteContext, old: Issue, new: Issue) -> None:
    """Note at both ends that an issue was moved."""
    by, left, entered = ctx.signed_in_user, ctx.world.projects[old.project_id], ctx.world.projects[new.project_id]
    here, there = (KIND, old.id), (KIND, new.id)
    system_notes.write(ctx, here, by, f"moved to {noteables.format_reference(ctx.world, new, left)}", source=there)
    system_notes.write(ctx, there, by, f"moved from {noteables.format_reference(ctx.world, old, entered)}", source=here)


def _write_at_both_ends(ctx: WriteContext, source: Issue, target: Issue, words: str) -> None:
    """Note on each of two issues something about the other."""
    for here, there in ((source, target), (target, source)):
        reference = noteables.format_reference(ctx.world, there, ctx.world.projects[here.project_id])
        system_notes.write(ctx, (KIND, here.id), ctx.signed_in_user, f"{words} {reference}", source=(KIND, there.id))


def follow_linking(ctx: WriteContext, source: Issue, target: Issue) -> None:
    """Note at both ends that two issues were linked."""
    _write_at_both_ends(ctx, source, target, "marked this issue as related to")


def follow_unlinking(ctx: WriteContext, source: Issue, target: Issue) -> None:
    """Note at both ends that the link of two issues was deleted."""
    _write_at_both_ends(ctx, source, target, "removed the relation with")


def follow_closing(ctx: WriteContext, issue: Issue) -> None:
    """Mark the to-dos of who closed an issue as done."""
    todos.finish_pending(ctx, ctx.user, (KIND, issue.id))
