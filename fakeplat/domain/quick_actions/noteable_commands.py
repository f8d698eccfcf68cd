"""Quick actions for issues, merge requests and epics: state, title, assignees, to-dos and subscriptions.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md, docs/platform/external.md ('Commands').
"""

import re
from collections.abc import Iterable
from typing import Final

from fakeplat.domain import emoji
from fakeplat.domain.notes import noteables, references, subscriptions, todos
from fakeplat.domain.quick_actions.quick_actions import (
    ISSUABLE_AND_EPIC_KINDS,
    ISSUABLE_KINDS,
    CommandContext,
    Outcome,
    command,
)
from fakeplat.domain.validation import join_words
from fakeplat.model.people import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.features import has_feature

# Accepts ":tada:", "tada" and "+1".
_AWARD: Final = re.compile(r":?([\w+-]+):?")
MAX_TITLE_LENGTH: Final = 255


# State and title


@command("close", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def close(context: CommandContext, _argument: str) -> Outcome:
    """Close the record."""
    return _change_state(context, "opened", "close", f"Closed this {context.words}.")


@command("reopen", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def reopen(context: CommandContext, _argument: str) -> Outcome:
    """Reopen the record."""
    return _change_state(context, "closed", "reopen", f"Reopened this {context.words}.")


def _change_state(context: CommandContext, state: str, event: str, summary: str) -> Outcome:
    if context.record.state != state or not context.may_update:
        return None
    context.changes["state_event"] = event
    return summary


@command("title", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def title(context: CommandContext, argument: str) -> Outcome:
    """Change the title."""
    if not argument or len(argument) > MAX_TITLE_LENGTH or not context.may_update:
        return None
    context.changes["title"] = argument
    # Responses show a title that was given explicitly, even after /draft has hidden it.
    context.hidden.discard("title")
    return f'Changed the title to "{argument}".'


@command("lock", on=ISSUABLE_KINDS, exists=True)
def lock(context: CommandContext, _argument: str) -> Outcome:
    """Lock the discussion for members only."""
    return set_flag(context, "discussion_locked", "Locked the discussion.", value=True)


@command("unlock", on=ISSUABLE_KINDS, exists=True)
def unlock(context: CommandContext, _argument: str) -> Outcome:
    """Unlock the discussion."""
    return set_flag(context, "discussion_locked", "Unlocked the discussion.", value=False)


def set_flag(context: CommandContext, field: str, summary: str, *, value: bool) -> Outcome:
    """Set a flag that has the other value, if the caller administers the record."""
    if not context.administers or bool(context.value_of(field)) is value:
        return None
    context.changes[field] = value
    return summary


# Assignees


@command("assign", on=ISSUABLE_KINDS)
def assign(context: CommandContext, argument: str) -> Outcome:
    """Add assignees; on the free tier replace the assignee."""
    if not context.administers:
        return None
    users = find_assignable_users(context, argument)
    if not users:
        return "Failed to assign a user because no user was found."
    if not has_feature(context.ctx.world, "premium", context.project):
        users = users[:1]
        context.changes["assignee_ids"] = (users[0].id,)
    else:
        context.changes["assignee_ids"] = tuple(
            dict.fromkeys((*context.value_of("assignee_ids", ()), *(user.id for user in users)))
        )
    return f"Assigned {join_usernames(users)}."


@command("reassign", on=ISSUABLE_KINDS)
def reassign(context: CommandContext, argument: str) -> Outcome:
    """Replace the assignees; a paid feature."""
    users = find_assignable_users(context, argument)
    if not users or not context.administers or not has_feature(context.ctx.world, "premium", context.project):
        return None
    context.changes["assignee_ids"] = tuple(user.id for user in users)
    return f"Changed assignees to {join_usernames(users)}."


@command("unassign", "remove_assignee", on=ISSUABLE_KINDS)
def unassign(context: CommandContext, argument: str) -> Outcome:
    """Remove all assignees or, on a paid tier, only the named ones."""
    current_ids = context.value_of("assignee_ids", ())
    if not current_ids or not context.administers:
        return None
    # On the free tier there is only one assignee, so the argument is ignored.
    named_ids = (
        {user.id for user in find_assignable_users(context, argument)}
        if has_feature(context.ctx.world, "premium", context.project)
        else set()
    )
    removed_ids = [id_ for id_ in current_ids if id_ in named_ids or not named_ids]
    if not removed_ids:
        return None
    context.changes["assignee_ids"] = tuple(id_ for id_ in current_ids if id_ not in removed_ids)
    removed_users = [context.ctx.world.users[id_] for id_ in removed_ids]
    return f"Removed {'assignee' if len(removed_users) == 1 else 'assignees'} {join_usernames(removed_users)}."


def find_assignable_users(context: CommandContext, argument: str) -> list[User]:
    """Return the named users who can be assigned."""
    words = argument.replace(",", " ").split()
    # Names may be written without the at sign, which the search for mentions needs.
    text = " ".join(f"@{word.lstrip('@')}" for word in words if word != "me")
    mentioned = references.find_mentioned_users(context.ctx, context.project, text)
    if "me" in words:
        mentioned = {context.ctx.signed_in_user.id: context.ctx.signed_in_user, **mentioned}
    reads = noteables.NOTEABLES[context.kind].reads
    return [user for user in mentioned.values() if can(context.ctx.as_user(user), reads, context.project)]


def join_usernames(users: Iterable[User]) -> str:
    """Return references to users, joined as in a sentence."""
    return join_words([f"@{user.username}" for user in users])


# To-dos, subscriptions and emoji of the caller


@command("todo", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def todo(context: CommandContext, _argument: str) -> Outcome:
    """Add a to-do item."""
    return _change_todo(context, "add", "Added a To Do.", pending=False)


@command("done", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def done(context: CommandContext, _argument: str) -> Outcome:
    """Mark the to-do item as done."""
    return _change_todo(context, "done", "Marked To Do as done.", pending=True)


def _change_todo(context: CommandContext, event: str, summary: str, *, pending: bool) -> Outcome:
    if (
        bool(todos.list_pending(context.ctx.world, context.ctx.signed_in_user, (context.kind, context.record.id)))
        is not pending
    ):
        return None
    context.changes["todo_event"] = event
    return summary


@command("subscribe", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def subscribe(context: CommandContext, _argument: str) -> Outcome:
    """Subscribe to notifications."""
    return _change_subscription(context, "subscribe", f"Subscribed to this {context.words}.", subscribed=True)


@command("unsubscribe", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def unsubscribe(context: CommandContext, _argument: str) -> Outcome:
    """Unsubscribe from notifications."""
    return _change_subscription(context, "unsubscribe", f"Unsubscribed from this {context.words}.", subscribed=False)


def _change_subscription(context: CommandContext, event: str, summary: str, *, subscribed: bool) -> Outcome:
    if subscriptions.is_notified(context.ctx.world, context.record, context.ctx.signed_in_user) is subscribed:
        return None
    context.changes["subscription_event"] = event
    return summary


@command("award", on=ISSUABLE_AND_EPIC_KINDS, exists=True)
def award(context: CommandContext, argument: str) -> Outcome:
    """Toggle an emoji."""
    match = _AWARD.fullmatch(argument)
    name = emoji.canonical_name(match[1]) if match else None
    if name is None or not noteables.can_comment(context.ctx, context.record, Ability.AWARD_EMOJI).allowed:
        return None
    context.changes["emoji_award"] = name
    return f"Toggled :{name}: emoji award."
