"""Who wants to hear of what. Source: docs/platform/issues.md, docs/platform/labels.md."""

from typing import Final

from fakeplat.core.operations.errors import NotModified
from fakeplat.model.issues import Issue, Subscription
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Subject = tuple[str, int]
ISSUE: Final = "issue"
MERGE_REQUEST: Final = "merge_request"


def is_subscribed(world: World, subject: Subject, user: User | None) -> bool:
    """Whether somebody asked to hear of something."""
    found = world.subscriptions.find("own", (subject, user.id)) if user else None
    return found is not None and found.subscribed


def is_notified(world: World, record: Issue | MergeRequest, user: User | None) -> bool:
    """Whether somebody hears of a thing: as they said, else as its author, as assigned to it, or as they said of it."""
    if user is None:
        return False
    subject = (ISSUE if isinstance(record, Issue) else MERGE_REQUEST, record.id)
    said = world.subscriptions.find("own", (subject, user.id))
    if said is not None:
        return said.subscribed
    if user.id == record.author_id or user.id in record.assignee_ids:
        return True
    return bool(world.notes.ids("spoken", (subject, user.id)))


def subscribe(ctx: WriteContext, subject: Subject, user: User, *, wanted: bool, now: bool) -> None:
    """Say that somebody wants (or does not want) to hear of something; ``now`` is how it stands."""
    if now == wanted:
        raise NotModified(reason=f"{user.username} is {'already' if wanted else 'not'} subscribed")
    save_subscription(ctx, subject, user, wanted=wanted)


def save_subscription(ctx: WriteContext, subject: Subject, user: User, *, wanted: bool) -> Subscription:
    """Keep what somebody says of wanting to hear of something."""
    table = ctx.world.subscriptions
    found = table.find("own", (subject, user.id))
    if found is not None:
        return table.change(found, subscribed=wanted)
    return table.add(Subscription(table.next_id(), user.id, subject, wanted))
