"""What the mutations of issues and of merge requests share. Source: docs/platform/graphql.md."""

from collections.abc import Iterable

from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people import users
from fakeplat.graphql.operation_mode import combine_ids
from fakeplat.policy.context import WriteContext


def build_identity_fields(words: str) -> str:
    """Return the input fields that identify a record of a project."""
    return f'''
"""The full path of the project."""
projectPath: ID!
"""The number of the {words} within the project."""
iid: String!
'''


def combine_assignees(ctx: WriteContext, record: Issuable, usernames: Iterable[str], mode: str | None) -> list[int]:
    """Return the ids of the resulting assignees."""
    # The platform selects the users with these names, so names that nobody has are ignored, not refused.
    found = [users.find_by_username(ctx.world, name) for name in usernames]
    return combine_ids(mode, record.assignee_ids, [user.id for user in found if user is not None])


def set_subscription(ctx: WriteContext, record: Issuable, *, subscribed: bool) -> None:
    """Subscribe the caller to a record, or unsubscribe from it."""
    is_subscribed = subscriptions.is_notified(ctx.world, record, ctx.user)
    # Without a change nothing is stored, so the subscription of an author or assignee stays an implicit one.
    if is_subscribed != subscribed:
        subscriptions.subscribe(
            ctx, noteables.subject_of(record), ctx.signed_in_user, subscribed=subscribed, now=is_subscribed
        )
