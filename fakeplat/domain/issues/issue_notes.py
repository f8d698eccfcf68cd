"""What the platform notes of changes to issues, and whom it asks to look at them. Source:
docs/platform/notes-discussions.md, docs/platform/todos.md.

State, labels and milestones have events of their own and no notes. What nobody did (a scenario) is not noted.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from fakeplat.domain.issues import issue_links, issue_moves, issues
from fakeplat.domain.notes import mentions, noteables, notes, system_notes, todos
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.context import Doing

KIND: Final = noteables.ISSUE.kind


def follow_creation(cx: Doing, issue: Issue) -> None:
    """A new issue: its due date is noted, who is assigned or named is asked to look at it."""
    if cx.user is None:
        return
    if issue.due_date:
        _write(cx, issue, due(issue.due_date))
    ask_assigned(cx, issue, issue.assignee_ids)
    mentions.follow(cx, issue, whole_text(issue))


def follow_change(cx: Doing, before: Issue, issue: Issue) -> None:
    """A changed issue: each change is noted, who is newly assigned or named is asked to look at it."""
    if cx.user is None:
        return
    for body in told(cx.world, before, issue):
        _write(cx, issue, body)
    ask_assigned(cx, issue, [id_ for id_ in issue.assignee_ids if id_ not in before.assignee_ids])
    if whole_text(before) != whole_text(issue):
        mentions.follow(cx, issue, whole_text(issue), before=whole_text(before))


def _write(cx: Doing, issue: Issue, body: str) -> None:
    system_notes.write(cx, (KIND, issue.id), cx.someone, body)


def whole_text(record: Issue | MergeRequest) -> str:
    """All that somebody wrote of an issue or merge request."""
    return f"{record.title}\n\n{record.description or ''}"


def ask_assigned(cx: Doing, record: Issue | MergeRequest, ids: Sequence[int]) -> None:
    """Ask those who are newly assigned to look."""
    for id_ in ids:
        todos.ask(cx, cx.world.users[id_], "assigned", record)


def told(world: World, before: Issue, issue: Issue) -> Iterator[str]:
    """What is said of each difference."""
    if issue.title != before.title:
        yield f"changed title from **{marked(before.title, issue.title, '-')}** to **{_added(before, issue)}**"
    if (issue.description or "") != (before.description or ""):
        yield from described(before.description or "", issue.description or "")
    if issue.assignee_ids != before.assignee_ids:
        yield from assigned(world, before, issue)
    if bool(issue.discussion_locked) != bool(before.discussion_locked):
        yield f"{'locked' if issue.discussion_locked else 'unlocked'} this issue"
    if issue.confidential != before.confidential:
        yield "made the issue confidential" if issue.confidential else "made the issue visible to everyone"
    if issue.due_date != before.due_date:
        yield due(issue.due_date)
    yield from tracked(before, issue)


def _added(before: Issue, issue: Issue) -> str:
    return marked(issue.title, before.title, "+")


def marked(text: str, other: str, sign: str) -> str:
    """A text with what the other one does not have in it set off: ``{-old-}``, ``{+new+}``."""
    same = _shared(text, other)
    end = len(text) - _shared(text[same:][::-1], other[same:][::-1])
    return f"{text[:same]}{{{sign}{text[same:end]}{sign}}}{text[end:]}" if end > same else text


def _shared(one: str, other: str) -> int:
    """How many letters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def described(before: str, after: str) -> Iterator[str]:
    """What is said of another description: which tasks were ticked, where that is all, else that it changed."""
    ticked = list(issues.ticked(before, after))
    if not ticked:
        yield "changed the description"
    for text, done in ticked:
        yield f"marked the task **{text}** as {'completed' if done else 'incomplete'}"


def assigned(world: World, before: Issue | MergeRequest, after: Issue | MergeRequest) -> Iterator[str]:
    """What is said of other assignees."""
    came = [id_ for id_ in after.assignee_ids if id_ not in before.assignee_ids]
    went = [id_ for id_ in before.assignee_ids if id_ not in after.assignee_ids]
    parts = [f"{verb} {_people(world, ids)}" for verb, ids in (("assigned to", came), ("unassigned", went)) if ids]
    if parts:
        yield " and ".join(parts)


def _people(world: World, ids: Sequence[int]) -> str:
    return sentence([f"@{world.users[id_].username}" for id_ in ids])


def sentence(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def due(day: str | None) -> str:
    """What is said of a due date."""
    if day is None:
        return "removed due date"
    found = date.fromisoformat(day)
    return f"changed due date to {found:%B} {found.day}, {found.year}"


def tracked(before: Issue | MergeRequest, after: Issue | MergeRequest) -> Iterator[str]:
    """What is said of estimated time."""
    if after.time_estimate != before.time_estimate:
        span = issues.duration(after.time_estimate)
        yield f"changed time estimate to {span}" if span else "removed time estimate"


def _follow_move(cx: Doing, old: Issue, new: Issue) -> None:
    by, left, entered = cx.someone, cx.world.projects[old.project_id], cx.world.projects[new.project_id]
    here, there = (KIND, old.id), (KIND, new.id)
    system_notes.write(cx, here, by, f"moved to {noteables.reference(cx.world, new, left)}", source=there)
    system_notes.write(cx, there, by, f"moved from {noteables.reference(cx.world, old, entered)}", source=here)


def _write_at_both_ends(cx: Doing, source: Issue, target: Issue, words: str) -> None:
    """Note on each of two issues something about the other."""
    for here, there in ((source, target), (target, source)):
        reference = noteables.reference(cx.world, there, cx.world.projects[here.project_id])
        system_notes.write(cx, (KIND, here.id), cx.someone, f"{words} {reference}", source=(KIND, there.id))


def _follow_linking(cx: Doing, source: Issue, target: Issue) -> None:
    _write_at_both_ends(cx, source, target, "marked this issue as related to")


def _follow_unlinking(cx: Doing, source: Issue, target: Issue) -> None:
    _write_at_both_ends(cx, source, target, "removed the relation with")


def _follow_closing(cx: Doing, issue: Issue) -> None:
    todos.finish(cx, cx.user, (KIND, issue.id))


def _follow_removal(cx: Doing, issue: Issue) -> None:
    subject = (KIND, issue.id)
    notes.drop(cx, subject)
    todos.drop(cx, subject)


issue_links.ON_LINK.append(_follow_linking)
issue_links.ON_UNLINK.append(_follow_unlinking)
issue_moves.ON_MOVE.append(_follow_move)
issues.ON_CREATE.append(follow_creation)
issues.ON_CHANGE.append(follow_change)
issues.ON_CLOSE.append(_follow_closing)
issues.ON_REMOVE.append(_follow_removal)
