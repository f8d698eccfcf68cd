"""Quick actions on issues. Source: more on notes and issues; texts as the platform says them."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from fakeplat.core.errors import Refusal
from fakeplat.domain import (
    awards,
    emoji,
    issue_moves,
    issues,
    labels,
    milestones,
    noteables,
    references,
    spoken_dates,
    subscriptions,
    system_notes,
    time_tracking,
    todos,
)
from fakeplat.domain.issue_notes import sentence
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.quick_actions import CARRY_OUT, FIELDS, On, command
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Label
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Doing
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, sees

ISSUES: Final = (ISSUE.kind,)
_LABEL: Final = re.compile(r'~?"([^"\n]+)"|~?([^\s~"]+)')
_MILESTONE: Final = re.compile(r'%?"([^"\n]+)"|%?(\S.*)')
_AWARD: Final = re.compile(r":?([\w+-]+):?")
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
Outcome = str | None


# its state and text


@command("close", on=ISSUES, exists=True)
def close(on: On, argument: str) -> Outcome:
    """Close it."""
    del argument
    return _state(on, "opened", "close", "Closed this issue.")


@command("reopen", on=ISSUES, exists=True)
def reopen(on: On, argument: str) -> Outcome:
    """Open it again."""
    del argument
    return _state(on, "closed", "reopen", "Reopened this issue.")


def _state(on: On, state: str, event: str, said: str) -> Outcome:
    if on.record.state != state or not on.may_update:
        return None
    on.changes["state_event"] = event
    return said


@command("title", on=ISSUES, exists=True)
def title(on: On, argument: str) -> Outcome:
    """Give it another title."""
    if not argument or len(argument) > issues.LONGEST_TITLE or not on.may_update:
        return None
    on.changes["title"] = argument
    return f'Changed the title to "{argument}".'


@command("confidential", on=ISSUES)
def confidential(on: On, argument: str) -> Outcome:
    """Hide it from all who have no say."""
    del argument
    return _flag(on, "confidential", "Made this issue confidential.", wanted=True)


@command("lock", on=ISSUES, exists=True)
def lock(on: On, argument: str) -> Outcome:
    """Let only members comment."""
    del argument
    return _flag(on, "discussion_locked", "Locked the discussion.", wanted=True)


@command("unlock", on=ISSUES, exists=True)
def unlock(on: On, argument: str) -> Outcome:
    """Let everybody comment again."""
    del argument
    return _flag(on, "discussion_locked", "Unlocked the discussion.", wanted=False)


def _flag(on: On, field: str, said: str, *, wanted: bool) -> Outcome:
    if not on.administers or bool(on.now(field)) is wanted:
        return None
    on.changes[field] = wanted
    return said


# who is to do it


@command("assign", on=ISSUES)
def assign(on: On, argument: str) -> Outcome:
    """Assign somebody more; on the free tier instead of who was assigned."""
    users = _people(on, argument)
    if not users or not on.administers:
        return None
    if not has(on.cx.world, "premium", on.project):
        users = users[:1]
        on.changes["assignee_ids"] = (users[0].id,)
    else:
        on.changes["assignee_ids"] = tuple(dict.fromkeys((*on.now("assignee_ids", ()), *(user.id for user in users))))
    return f"Assigned {_said(users)}."


@command("reassign", on=ISSUES)
def reassign(on: On, argument: str) -> Outcome:
    """Assign others; part of a paid tier."""
    users = _people(on, argument)
    if not users or not on.administers or not has(on.cx.world, "premium", on.project):
        return None
    on.changes["assignee_ids"] = tuple(user.id for user in users)
    return f"Changed assignees to {_said(users)}."


@command("unassign", "remove_assignee", on=ISSUES)
def unassign(on: On, argument: str) -> Outcome:
    """Assign nobody, or (on a paid tier) some no more."""
    before = on.now("assignee_ids", ())
    if not before or not on.administers:
        return None
    named = {user.id for user in _people(on, argument)} if has(on.cx.world, "premium", on.project) else set()
    gone = [id_ for id_ in before if id_ in named or not named]
    if not gone:
        return None
    on.changes["assignee_ids"] = tuple(id_ for id_ in before if id_ not in gone)
    return f"Removed {'assignee' if len(gone) == 1 else 'assignees'} {_said([on.cx.world.users[id_] for id_ in gone])}."


def _people(on: On, argument: str) -> list[Any]:
    words = argument.replace(",", " ").split()
    text = " ".join(f"@{word.lstrip('@')}" for word in words if word != "me")
    found = references.mentioned(on.cx, on.project, text)
    if "me" in words:
        found = {on.cx.someone.id: on.cx.someone, **found}
    return [user for user in found.values() if issues.assignable(on.cx, on.project, user)]


def _said(users: list[Any]) -> str:
    return sentence([f"@{user.username}" for user in users])


# labels and milestone


@command("label", "labels", on=ISSUES)
def label(on: On, argument: str) -> Outcome:
    """Add labels."""
    found = _labels(on, argument)
    if not found or not on.administers:
        return None
    _put_labels(on, "add_label_ids", (*_label_ids(on), *(one.id for one in found)), found)
    return f"Added {_labelled(found)}."


@command("unlabel", "remove_label", "remove_labels", on=ISSUES)
def unlabel(on: On, argument: str) -> Outcome:
    """Take labels away; all if none is named."""
    before, named = _label_ids(on), _labels(on, argument)
    gone = [on.cx.world.labels[id_] for id_ in before if not argument or id_ in {one.id for one in named}]
    if not gone or not on.administers:
        return None
    _put_labels(on, "remove_label_ids", tuple(id_ for id_ in before if id_ not in {one.id for one in gone}), gone)
    return f"Removed {_labelled(gone)}." if argument else "Removed all labels."


@command("relabel", on=ISSUES)
def relabel(on: On, argument: str) -> Outcome:
    """Put labels in the place of all others."""
    found = _labels(on, argument)
    if not found or not on.administers:
        return None
    on.changes["label_ids"] = tuple(dict.fromkeys(one.id for one in found))
    return f"Replaced all labels with {_labelled(found)}."


def _label_ids(on: On) -> tuple[int, ...]:
    ids: tuple[int, ...] = on.now("label_ids", ())
    return ids


def _put_labels(on: On, name: str, ids: tuple[int, ...], named: list[Label]) -> None:
    on.changes["label_ids"] = tuple(dict.fromkeys(ids))
    on.named[name] = [*on.named.get(name, ()), *(one.id for one in named)]


def _labels(on: On, argument: str) -> list[Label]:
    titles = [quoted or plain for quoted, plain in _LABEL.findall(argument)]
    found = (labels.by_title(on.cx.world, on.project, one) for one in dict.fromkeys(titles))
    return [one for one in found if one is not None]


def _labelled(found: list[Label]) -> str:
    return f"{' '.join(f'~{one.id}' for one in found)} {'label' if len(found) == 1 else 'labels'}"


@command("milestone", on=ISSUES)
def milestone(on: On, argument: str) -> Outcome:
    """Set the milestone."""
    match = _MILESTONE.fullmatch(argument)
    wanted = (match[1] or match[2]) if match else ""
    usable = milestones.usable(on.cx.world, on.project)
    found = next((one for one in usable if one.title == wanted and one.state == "active"), None)
    if found is None or not on.administers:
        return None
    on.changes["milestone_id"] = found.id
    return f'Set the milestone to %"{found.title}".'


@command("remove_milestone", on=ISSUES)
def remove_milestone(on: On, argument: str) -> Outcome:
    """Take the milestone away."""
    del argument
    before = on.now("milestone_id")
    if before is None or not on.administers:
        return None
    on.changes["milestone_id"] = None
    return f'Removed %"{on.cx.world.milestones[before].title}" milestone.'


@command("copy_metadata", on=ISSUES)
def copy_metadata(on: On, argument: str) -> Outcome:
    """Take labels and milestone over from another issue of the project."""
    other = _other(on, argument)
    if other is None or other.project_id != on.project.id or not on.administers:
        return None
    on.changes["label_ids"] = tuple(dict.fromkeys((*_label_ids(on), *other.label_ids)))
    if other.milestone_id is not None:
        on.changes["milestone_id"] = other.milestone_id
    return f"Copied labels and milestone from {noteables.reference(on.cx.world, other, on.project)}."


# plans


@command("due", on=ISSUES)
def due(on: On, argument: str) -> Outcome:
    """Say when it is to be done."""
    found = spoken_dates.read(argument, on.cx.today)
    if found is None or not on.administers:
        return None
    on.changes["due_date"] = found
    day = date.fromisoformat(found)
    return f"Set the due date to {day:%b} {day.day}, {day.year}."


@command("remove_due_date", on=ISSUES)
def remove_due_date(on: On, argument: str) -> Outcome:
    """Take the due date away."""
    del argument
    return _cleared(on, "due_date", None, "Removed the due date.")


@command("estimate", on=ISSUES)
def estimate(on: On, argument: str) -> Outcome:
    """Say how long it should take."""
    span = time_tracking.seconds(argument)
    if not span or span < 0 or not on.administers:
        return None
    on.changes["time_estimate"] = span
    return f"Set time estimate to {issues.duration(span)}."


@command("remove_estimate", on=ISSUES)
def remove_estimate(on: On, argument: str) -> Outcome:
    """Take the estimate away."""
    del argument
    return _cleared(on, "time_estimate", 0, "Removed time estimate.")


@command("weight", on=ISSUES)
def weight(on: On, argument: str) -> Outcome:
    """Say how much work it is; part of a paid tier."""
    if not re.fullmatch(r"[0-9]{1,9}", argument) or not _weighs(on):
        return None
    on.changes["weight"] = int(argument)
    return f"Set weight to {int(argument)}."


@command("clear_weight", on=ISSUES)
def clear_weight(on: On, argument: str) -> Outcome:
    """Take the weight away; part of a paid tier."""
    del argument
    return _cleared(on, "weight", None, "Cleared weight.") if _weighs(on) else None


def _weighs(on: On) -> bool:
    return on.administers and has(on.cx.world, "premium", on.project)


def _cleared(on: On, field: str, empty: object, said: str) -> Outcome:
    if on.now(field, empty) == empty or not on.administers:
        return None
    on.changes[field] = empty
    return said


@command("spend", on=ISSUES)
def spend(on: On, argument: str) -> Outcome:
    """Say how much more time it took, on a date perhaps; a negative span is taken back."""
    first, _, last = argument.rpartition(" ")
    day = spoken_dates.iso(last)
    span = time_tracking.seconds(first if day else argument)
    total = on.now("total_time_spent", 0) + (span or 0)
    if not span or total < 0 or (day or "") > on.cx.today or not on.administers:
        return None
    on.changes["spend_time"] = {"duration": span, "user_id": on.cx.someone.id, "spent_at": day or on.cx.today}
    return f"{'Added' if span > 0 else 'Subtracted'} {issues.duration(abs(span))} spent time."


@command("remove_time_spent", on=ISSUES, exists=True)
def remove_time_spent(on: On, argument: str) -> Outcome:
    """Forget what it took."""
    del argument
    if not on.record.total_time_spent or not on.administers:
        return None
    on.changes["spend_time"] = {"duration": "reset", "user_id": on.cx.someone.id}
    return "Removed spent time."


# what concerns the caller


@command("todo", on=ISSUES, exists=True)
def todo(on: On, argument: str) -> Outcome:
    """Look at it later."""
    del argument
    return _todo(on, "add", "Added a To Do.", pending=False)


@command("done", on=ISSUES, exists=True)
def done(on: On, argument: str) -> Outcome:
    """Be done with it."""
    del argument
    return _todo(on, "done", "Marked To Do as done.", pending=True)


def _todo(on: On, event: str, said: str, *, pending: bool) -> Outcome:
    if bool(todos.pending(on.cx.world, on.cx.someone, (ISSUE.kind, on.record.id))) is not pending:
        return None
    on.changes["todo_event"] = event
    return said


@command("subscribe", on=ISSUES, exists=True)
def subscribe(on: On, argument: str) -> Outcome:
    """Hear of it."""
    del argument
    return _subscription(on, "subscribe", "Subscribed to this issue.", wanted=True)


@command("unsubscribe", on=ISSUES, exists=True)
def unsubscribe(on: On, argument: str) -> Outcome:
    """Hear of it no more."""
    del argument
    return _subscription(on, "unsubscribe", "Unsubscribed from this issue.", wanted=False)


def _subscription(on: On, event: str, said: str, *, wanted: bool) -> Outcome:
    if subscriptions.hears_of(on.cx.world, on.record, on.cx.someone) is wanted:
        return None
    on.changes["subscription_event"] = event
    return said


@command("award", on=ISSUES, exists=True)
def award(on: On, argument: str) -> Outcome:
    """Give it an emoji, or take it back."""
    match = _AWARD.fullmatch(argument)
    name = emoji.known(match[1]) if match else None
    if name is None or not noteables.may_note(on.cx, on.record, May.AWARD_EMOJI).allowed:
        return None
    on.changes["emoji_award"] = name
    return f"Toggled :{name}: emoji award."


# other issues and projects


@command("duplicate", on=ISSUES, exists=True)
def duplicate(on: On, argument: str) -> Outcome:
    """Close it as a duplicate of another one."""
    if not on.may_update:
        return None
    other = _other(on, argument)
    if other is None or other.id == on.record.id:
        return "Failed to mark this issue as a duplicate because referenced issue was not found."
    on.changes["canonical_issue_id"] = other.id
    return f"Marked this issue as a duplicate of {noteables.reference(on.cx.world, other, on.project)}."


@command("move", on=ISSUES, exists=True)
def move(on: On, argument: str) -> Outcome:
    """Move it to another project."""
    if not on.administers:
        return None
    target = references.project_named(on.cx, on.project, argument.strip())
    if target is None or not sees(on.cx, target):
        return "Failed to move this issue because target project doesn't exist."
    if target.id == on.project.id or not can(on.cx, May.ADMIN_ISSUE, target):
        return None
    on.changes["target_project"] = target.id
    return f"Moved this issue to {argument.strip()}."


def _other(on: On, argument: str) -> Issue | None:
    found = references.issue(on.cx, on.project, argument)
    return found if found is not None and noteables.visible(on.cx, found) else None


# putting it into effect


def carry_out(cx: Doing, issue: Issue, changes: Mapping[str, Any]) -> Issue:
    """Change an issue as commands ask for; what speaks against one of them leaves that one out."""
    issue = issues.put(cx, issue, {name: value for name, value in changes.items() if name in _FIELDS})
    for name, act in _ACTS.items():
        if name in changes:
            issue = _tried(cx, act, issue, changes[name])
    return issue


def _tried(cx: Doing, act: Any, issue: Issue, value: Any) -> Issue:
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


_ACTS: Final = {
    "spend_time": _spend,
    "todo_event": _change_todo,
    "subscription_event": _change_subscription,
    "emoji_award": lambda cx, issue, name: awards.toggle(cx, issue, name),
    "state_event": _change_state,
    "canonical_issue_id": _mark_duplicate,
    "target_project": _move,
}
CARRY_OUT[ISSUE.kind] = carry_out
FIELDS[ISSUE.kind] = _FIELDS
