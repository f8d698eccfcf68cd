"""Effects of quick actions that issues and merge requests have in common."""

from collections.abc import Mapping
from typing import Final, Literal, Required, TypedDict

from fakeplat.domain import time_tracking
from fakeplat.domain.notes import awards, noteables, subscriptions, todos
from fakeplat.domain.notes.noteables import Subscribable
from fakeplat.domain.quick_actions.quick_actions import Effect
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import WriteContext


class SpentTime(TypedDict, total=False):
    """Spent time: seconds to add, and the day on which they were spent."""

    duration: Required[int | Literal["reset"]]
    user_id: int
    spent_at: str


def _change_spent_time(ctx: WriteContext, record: Issue | MergeRequest, spent: SpentTime) -> None:
    if spent["duration"] == "reset":
        time_tracking.reset_spent(ctx, record)
    else:
        time_tracking.add_spent(ctx, record, spent["duration"], spent["spent_at"])


def _change_todo(ctx: WriteContext, record: Subscribable, event: str) -> None:
    if event == "add":
        todos.mark_for_later(ctx, record)
    else:
        todos.finish_pending(ctx, ctx.signed_in_user, noteables.subject_of(record))


def _change_subscription(ctx: WriteContext, record: Subscribable, event: str) -> None:
    subscriptions.save_subscription(
        ctx, noteables.subject_of(record), ctx.signed_in_user, subscribed=event == "subscribe"
    )


COMMON_EFFECTS: Final[Mapping[str, Effect]] = {
    "time_estimate": time_tracking.set_estimate,
    "spend_time": _change_spent_time,
    "todo_event": _change_todo,
    "subscription_event": _change_subscription,
    "emoji_award": awards.toggle_award,
}
COMMON_FIELDS: Final = ("title", "discussion_locked", "milestone_id", "assignee_ids", "label_ids")
COMMON_CREATION_FIELDS: Final = ("time_estimate",)
"""The common parts of both ``CommandEffects``."""
