"""Quick actions on issues: their state and text, who is to do them, what concerns the caller, other issues.

Source: more on notes and issues; texts as the platform says them.
"""

import re
from typing import Final

from fakeplat.domain import emoji, issues, noteables, references, subscriptions, todos
from fakeplat.domain.issue_notes import sentence
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.quick_actions import On, Outcome, command
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, sees

ISSUES: Final = (ISSUE.kind,)
_AWARD: Final = re.compile(r":?([\w+-]+):?")
_LONGEST_TITLE: Final = 255


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
    if not argument or len(argument) > _LONGEST_TITLE or not on.may_update:
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


def _people(on: On, argument: str) -> list[User]:
    words = argument.replace(",", " ").split()
    text = " ".join(f"@{word.lstrip('@')}" for word in words if word != "me")
    found = references.mentioned(on.cx, on.project, text)
    if "me" in words:
        found = {on.cx.someone.id: on.cx.someone, **found}
    return [user for user in found.values() if issues.assignable(on.cx, on.project, user)]


def _said(users: list[User]) -> str:
    return sentence([f"@{user.username}" for user in users])


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
    other = on.issue(argument)
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
    on.untold.add("target_project")
    return f"Moved this issue to {argument.strip()}."
