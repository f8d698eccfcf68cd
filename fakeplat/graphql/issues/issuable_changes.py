"""What the mutations of issues and of merge requests share. Source: docs/platform/graphql.md."""

from collections.abc import Iterable
from typing import Final, TypeVar

from graphql import GraphQLError

from fakeplat.domain import time_tracking
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people import users
from fakeplat.graphql.operation_mode import combine_ids
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import WriteContext

_Tracked = TypeVar("_Tracked", Issue, MergeRequest)
_NO_DURATION: Final = "timeEstimate must be formatted correctly, for example `1h 30m`"
_NEGATIVE: Final = (
    "timeEstimate must be greater than or equal to zero. "
    "Remember that every new timeEstimate overwrites the previous value."
)
TIME_ESTIMATE: Final = '"""The time estimate; null removes it."""\ntimeEstimate: String @lifetime(since: "<=16.2")'
"""The input field of the estimate."""


def read_estimate(text: str | None) -> int:
    """Return the seconds of an estimate, 0 for null; an error of the whole mutation for other texts."""
    seconds = 0 if text is None else time_tracking.parse_seconds(text)
    if seconds is None:
        raise GraphQLError(_NO_DURATION)
    if seconds < 0:
        raise GraphQLError(_NEGATIVE)
    return seconds


def set_estimate(ctx: WriteContext, record: _Tracked, seconds: int) -> _Tracked:
    """Set the time estimate in seconds, unless it is that already."""
    return record if record.time_estimate == seconds else time_tracking.set_estimate(ctx, record, seconds)


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
