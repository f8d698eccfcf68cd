"""How what quick actions change of an issue is put into effect."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.errors import Refusal
from fakeplat.domain import awards, issue_moves, issues, noteables, subscriptions, system_notes, time_tracking, todos
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.quick_actions import CARRY_OUT, FIELDS
from fakeplat.model.issues import Issue
from fakeplat.policy.context import Doing

_FIELDS: Final = (
    "title",
    "confidential",
    "discussion_locked",
    "due_date",
    "weight",
    "milestone_id",
    "assignee_ids",
    "label_ids",
    "time_estimate",
)


def carry_out(cx: Doing, issue: Issue, changes: Mapping[str, Any]) -> Issue:
    """Change an issue as commands ask for; what speaks against one of them leaves that one out."""
    issue = issues.put(cx, issue, {name: value for name, value in changes.items() if name in _FIELDS})
    for name, act in _ACTS.items():
        if name in changes:
            issue = _tried(cx, act, issue, changes[name])
    return issue


def _tried(cx: Doing, act: Callable[[Doing, Issue, Any], None], issue: Issue, value: Any) -> Issue:
    try:
        act(cx, issue, value)
    except Refusal:
        return issue
    return cx.world.issues[issue.id]


def _spend(cx: Doing, issue: Issue, spent: Mapping[str, Any]) -> None:
    if spent["duration"] == "reset":
        time_tracking.reset_spent(cx, issue)
    else:
        time_tracking.add_spent(cx, issue, spent["duration"])


def _change_todo(cx: Doing, issue: Issue, event: str) -> None:
    if event == "add":
        todos.mark(cx, issue)
    else:
        todos.finish(cx, cx.someone, (ISSUE.kind, issue.id))


def _change_subscription(cx: Doing, issue: Issue, event: str) -> None:
    subscriptions.put(cx, (ISSUE.kind, issue.id), cx.someone, wanted=event == "subscribe")


def _change_state(cx: Doing, issue: Issue, event: str) -> None:
    issues.close(cx, issue) if event == "close" else issues.reopen(cx, issue)


def _mark_duplicate(cx: Doing, issue: Issue, canonical_id: int) -> None:
    world, canonical = cx.world, cx.world.issues[canonical_id]
    left, right = (world.projects[one.project_id] for one in (issue, canonical))
    told = (
        (issue, f"marked this issue as a duplicate of {noteables.reference(world, canonical, left)}"),
        (canonical, f"marked {noteables.reference(world, issue, right)} as a duplicate of this issue"),
    )
    for one, body in told:
        other = canonical if one is issue else issue
        system_notes.write(cx, (ISSUE.kind, one.id), cx.someone, body, source=(ISSUE.kind, other.id))
    issues.close(cx, issue)


def _move(cx: Doing, issue: Issue, project_id: int) -> None:
    issue_moves.move(cx, cx.world.projects[issue.project_id], issue, cx.world.projects[project_id])


_ACTS: Final[Mapping[str, Callable[[Doing, Issue, Any], None]]] = {
    "spend_time": _spend,
    "todo_event": _change_todo,
    "subscription_event": _change_subscription,
    "emoji_award": awards.toggle,
    "state_event": _change_state,
    "canonical_issue_id": _mark_duplicate,
    "target_project": _move,
}
CARRY_OUT[ISSUE.kind] = carry_out
FIELDS[ISSUE.kind] = _FIELDS
