"""Quick actions on issues and merge requests alike: their state and title, who is to do them, what concerns the caller.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from typing import Final

from fakeplat.domain.issues.issue_notes import join_words
from fakeplat.domain.notes import emoji, noteables, references, subscriptions, todos
from fakeplat.domain.quick_actions.quick_actions import NOTED, CommandContext, Outcome, command
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.features import has_feature

_AWARD: Final = re.compile(r":?([\w+-]+):?")
LONGEST_TITLE: Final = 255


# state and title


@command("close", on=NOTED, exists=True)
def close(on: CommandContext, argument: str) -> Outcome:
    """Close it."""
    del argument
    return _state(on, "opened", "close", f"Closed this {on.words}.")


@command("reopen", on=NOTED, exists=True)
def reopen(on: CommandContext, argument: str) -> Outcome:
    """Open it again."""
    del argument
    return _state(on, "closed", "reopen", f"Reopened this {on.words}.")


def _state(on: CommandContext, state: str, event: str, said: str) -> Outcome:
    if on.record.state != state or not on.may_update:
        return None
    on.changes["state_event"] = event
    return said


@command("title", on=NOTED, exists=True)
def title(on: CommandContext, argument: str) -> Outcome:
    """Give it another title."""
    if not argument or len(argument) > LONGEST_TITLE or not on.may_update:
        return None
    on.changes["title"] = argument
    on.untold.discard("title")
    return f'Changed the title to "{argument}".'


@command("lock", on=NOTED, exists=True)
def lock(on: CommandContext, argument: str) -> Outcome:
    """Let only members comment."""
    del argument
    return set_flag(on, "discussion_locked", "Locked the discussion.", wanted=True)


@command("unlock", on=NOTED, exists=True)
def unlock(on: CommandContext, argument: str) -> Outcome:
    """Let everybody comment again."""
    del argument
    return set_flag(on, "discussion_locked", "Unlocked the discussion.", wanted=False)


def set_flag(on: CommandContext, field: str, said: str, *, wanted: bool) -> Outcome:
    """Set what is either so or not; for who administers such things, and where it is otherwise now."""
    if not on.administers or bool(on.now(field)) is wanted:
        return None
    on.changes[field] = wanted
    return said


# who is to do it


@command("assign", on=NOTED)
def assign(on: CommandContext, argument: str) -> Outcome:
    """Assign somebody more; on the free tier instead of who was assigned."""
    if not on.administers:
        return None
    users = _people(on, argument)
    if not users:
        return "Failed to assign a user because no user was found."
    if not has_feature(on.ctx.world, "premium", on.project):
        users = users[:1]
        on.changes["assignee_ids"] = (users[0].id,)
    else:
        on.changes["assignee_ids"] = tuple(dict.fromkeys((*on.now("assignee_ids", ()), *(user.id for user in users))))
    return f"Assigned {_said(users)}."


@command("reassign", on=NOTED)
def reassign(on: CommandContext, argument: str) -> Outcome:
    """Assign others; part of a paid tier."""
    users = _people(on, argument)
    if not users or not on.administers or not has_feature(on.ctx.world, "premium", on.project):
        return None
    on.changes["assignee_ids"] = tuple(user.id for user in users)
    return f"Changed assignees to {_said(users)}."


@command("unassign", "remove_assignee", on=NOTED)
def unassign(on: CommandContext, argument: str) -> Outcome:
    """Assign nobody, or (on a paid tier) some no more."""
    before = on.now("assignee_ids", ())
    if not before or not on.administers:
        return None
    named = {user.id for user in _people(on, argument)} if has_feature(on.ctx.world, "premium", on.project) else set()
    gone = [id_ for id_ in before if id_ in named or not named]
    if not gone:
        return None
    on.changes["assignee_ids"] = tuple(id_ for id_ in before if id_ not in gone)
    return (
        f"Removed {'assignee' if len(gone) == 1 else 'assignees'} {_said([on.ctx.world.users[id_] for id_ in gone])}."
    )


def _people(on: CommandContext, argument: str) -> list[User]:
    """The named people to whom such things can be assigned."""
    words = argument.replace(",", " ").split()
    text = " ".join(f"@{word.lstrip('@')}" for word in words if word != "me")
    found = references.find_mentioned_users(on.ctx, on.project, text)
    if "me" in words:
        found = {on.ctx.signed_in_user.id: on.ctx.signed_in_user, **found}
    reads = noteables.NOTEABLES[on.kind].reads
    return [user for user in found.values() if can(on.ctx.as_user(user), reads, on.project)]


def _said(users: list[User]) -> str:
    return join_words([f"@{user.username}" for user in users])


# what concerns the caller


@command("todo", on=NOTED, exists=True)
def todo(on: CommandContext, argument: str) -> Outcome:
    """Look at it later."""
    del argument
    return _todo(on, "add", "Added a To Do.", pending=False)


@command("done", on=NOTED, exists=True)
def done(on: CommandContext, argument: str) -> Outcome:
    """Be done with it."""
    del argument
    return _todo(on, "done", "Marked To Do as done.", pending=True)


def _todo(on: CommandContext, event: str, said: str, *, pending: bool) -> Outcome:
    if bool(todos.list_pending(on.ctx.world, on.ctx.signed_in_user, (on.kind, on.record.id))) is not pending:
        return None
    on.changes["todo_event"] = event
    return said


@command("subscribe", on=NOTED, exists=True)
def subscribe(on: CommandContext, argument: str) -> Outcome:
    """Hear of it."""
    del argument
    return _subscription(on, "subscribe", f"Subscribed to this {on.words}.", wanted=True)


@command("unsubscribe", on=NOTED, exists=True)
def unsubscribe(on: CommandContext, argument: str) -> Outcome:
    """Hear of it no more."""
    del argument
    return _subscription(on, "unsubscribe", f"Unsubscribed from this {on.words}.", wanted=False)


def _subscription(on: CommandContext, event: str, said: str, *, wanted: bool) -> Outcome:
    if subscriptions.is_notified(on.ctx.world, on.record, on.ctx.signed_in_user) is wanted:
        return None
    on.changes["subscription_event"] = event
    return said


@command("award", on=NOTED, exists=True)
def award(on: CommandContext, argument: str) -> Outcome:
    """Give it an emoji, or take it back."""
    match = _AWARD.fullmatch(argument)
    name = emoji.canonical_name(match[1]) if match else None
    if name is None or not noteables.can_comment(on.ctx, on.record, Ability.AWARD_EMOJI).allowed:
        return None
    on.changes["emoji_award"] = name
    return f"Toggled :{name}: emoji award."
