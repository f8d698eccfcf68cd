"""Quick actions on issues and merge requests alike: their state and title, who is to do them, what concerns the caller.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from typing import Final

from fakeplat.domain.issues.issue_notes import sentence
from fakeplat.domain.notes import emoji, noteables, references, subscriptions, todos
from fakeplat.domain.quick_actions.quick_actions import NOTED, On, Outcome, command
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can

_AWARD: Final = re.compile(r":?([\w+-]+):?")
LONGEST_TITLE: Final = 255


# state and title


@command("close", on=NOTED, exists=True)
def close(on: On, argument: str) -> Outcome:
    """Close it."""
    del argument
    return _state(on, "opened", "close", f"Closed this {on.words}.")


@command("reopen", on=NOTED, exists=True)
def reopen(on: On, argument: str) -> Outcome:
    """Open it again."""
    del argument
    return _state(on, "closed", "reopen", f"Reopened this {on.words}.")


def _state(on: On, state: str, event: str, said: str) -> Outcome:
    if on.record.state != state or not on.may_update:
        return None
    on.changes["state_event"] = event
    return said


@command("title", on=NOTED, exists=True)
def title(on: On, argument: str) -> Outcome:
    """Give it another title."""
    if not argument or len(argument) > LONGEST_TITLE or not on.may_update:
        return None
    on.changes["title"] = argument
    on.untold.discard("title")
    return f'Changed the title to "{argument}".'


@command("lock", on=NOTED, exists=True)
def lock(on: On, argument: str) -> Outcome:
    """Let only members comment."""
    del argument
    return flag(on, "discussion_locked", "Locked the discussion.", wanted=True)


@command("unlock", on=NOTED, exists=True)
def unlock(on: On, argument: str) -> Outcome:
    """Let everybody comment again."""
    del argument
    return flag(on, "discussion_locked", "Unlocked the discussion.", wanted=False)


def flag(on: On, field: str, said: str, *, wanted: bool) -> Outcome:
    """Set what is either so or not; for who administers such things, and where it is otherwise now."""
    if not on.administers or bool(on.now(field)) is wanted:
        return None
    on.changes[field] = wanted
    return said


# who is to do it


@command("assign", on=NOTED)
def assign(on: On, argument: str) -> Outcome:
    """Assign somebody more; on the free tier instead of who was assigned."""
    if not on.administers:
        return None
    users = _people(on, argument)
    if not users:
        return "Failed to assign a user because no user was found."
    if not has(on.cx.world, "premium", on.project):
        users = users[:1]
        on.changes["assignee_ids"] = (users[0].id,)
    else:
        on.changes["assignee_ids"] = tuple(dict.fromkeys((*on.now("assignee_ids", ()), *(user.id for user in users))))
    return f"Assigned {_said(users)}."


@command("reassign", on=NOTED)
def reassign(on: On, argument: str) -> Outcome:
    """Assign others; part of a paid tier."""
    users = _people(on, argument)
    if not users or not on.administers or not has(on.cx.world, "premium", on.project):
        return None
    on.changes["assignee_ids"] = tuple(user.id for user in users)
    return f"Changed assignees to {_said(users)}."


@command("unassign", "remove_assignee", on=NOTED)
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
    """The named people to whom such things can be assigned."""
    words = argument.replace(",", " ").split()
    text = " ".join(f"@{word.lstrip('@')}" for word in words if word != "me")
    found = references.mentioned(on.cx, on.project, text)
    if "me" in words:
        found = {on.cx.someone.id: on.cx.someone, **found}
    reads = noteables.NOTEABLES[on.kind].reads
    return [user for user in found.values() if can(on.cx.as_user(user), reads, on.project)]


def _said(users: list[User]) -> str:
    return sentence([f"@{user.username}" for user in users])


# what concerns the caller


@command("todo", on=NOTED, exists=True)
def todo(on: On, argument: str) -> Outcome:
    """Look at it later."""
    del argument
    return _todo(on, "add", "Added a To Do.", pending=False)


@command("done", on=NOTED, exists=True)
def done(on: On, argument: str) -> Outcome:
    """Be done with it."""
    del argument
    return _todo(on, "done", "Marked To Do as done.", pending=True)


def _todo(on: On, event: str, said: str, *, pending: bool) -> Outcome:
    if bool(todos.pending(on.cx.world, on.cx.someone, (on.kind, on.record.id))) is not pending:
        return None
    on.changes["todo_event"] = event
    return said


@command("subscribe", on=NOTED, exists=True)
def subscribe(on: On, argument: str) -> Outcome:
    """Hear of it."""
    del argument
    return _subscription(on, "subscribe", f"Subscribed to this {on.words}.", wanted=True)


@command("unsubscribe", on=NOTED, exists=True)
def unsubscribe(on: On, argument: str) -> Outcome:
    """Hear of it no more."""
    del argument
    return _subscription(on, "unsubscribe", f"Unsubscribed from this {on.words}.", wanted=False)


def _subscription(on: On, event: str, said: str, *, wanted: bool) -> Outcome:
    if subscriptions.hears_of(on.cx.world, on.record, on.cx.someone) is wanted:
        return None
    on.changes["subscription_event"] = event
    return said


@command("award", on=NOTED, exists=True)
def award(on: On, argument: str) -> Outcome:
    """Give it an emoji, or take it back."""
    match = _AWARD.fullmatch(argument)
    name = emoji.known(match[1]) if match else None
    if name is None or not noteables.may_note(on.cx, on.record, May.AWARD_EMOJI).allowed:
        return None
    on.changes["emoji_award"] = name
    return f"Toggled :{name}: emoji award."
