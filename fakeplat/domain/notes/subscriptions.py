"""Subscriptions to issues, merge requests, epics, labels and pages of wikis.

Source: docs/platform/issues.md, docs/platform/labels.md.
"""

from typing import Final

from fakeplat.core.operations.errors import NotModified
from fakeplat.core.store.references import Subject
from fakeplat.domain.notes import noteables
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue, Subscription
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

ISSUE: Final = "issue"
MERGE_REQUEST: Final = "merge_request"


def is_subscribed(world: World, subject: Subject, user: User | None) -> bool:
    """Return whether a user explicitly subscribed to a subject."""
    subscription = world.subscriptions.find("own", (subject, user.id)) if user else None
    return subscription is not None and subscription.subscribed


def is_notified(world: World, record: Issue | MergeRequest | Epic | WikiPageMeta, user: User | None) -> bool:
    """Return whether a user gets notifications: by explicit choice, otherwise as who takes part."""
    if user is None:
        return False
    subject = noteables.subject_of(record)
    choice = world.subscriptions.find("own", (subject, user.id))
    if choice is not None:
        return choice.subscribed
    if user.id in noteables.noteable_of(record).participant_ids(record):
        return True
    return bool(world.notes.ids("spoken", (subject, user.id)))


def subscribe(ctx: WriteContext, subject: Subject, user: User, *, subscribed: bool, now: bool) -> None:
    """Subscribe or unsubscribe a user; 304 if ``now``, the current state, is the same."""
    if now == subscribed:
        raise NotModified(reason=f"{user.username} is {'already' if subscribed else 'not'} subscribed")
    save_subscription(ctx, subject, user, subscribed=subscribed)


def save_subscription(ctx: WriteContext, subject: Subject, user: User, *, subscribed: bool) -> Subscription:
    """Store a user's subscription choice."""
    table = ctx.world.subscriptions
    existing = table.find("own", (subject, user.id))
    if existing is not None:
        return table.change(existing, subscribed=subscribed)
    return table.add(Subscription(table.next_id(), user.id, subject, subscribed))
