"""Effects of quick actions that issues and merge requests have in common."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain import time_tracking
from fakeplat.domain.notes import awards, noteables, subscriptions, todos
from fakeplat.domain.quick_actions.quick_actions import Effect
from fakeplat.policy.context import WriteContext


def _change_spent_time(ctx: WriteContext, record: Any, spent: Mapping[str, Any]) -> None:
    if spent["duration"] == "reset":
        time_tracking.reset_spent(ctx, record)
    else:
        time_tracking.add_spent(ctx, record, spent["duration"], spent["spent_at"])


def _change_todo(ctx: WriteContext, record: Any, event: str) -> None:
    if event == "add":
        todos.mark_for_later(ctx, record)
    else:
        todos.finish_pending(ctx, ctx.signed_in_user, noteables.subject_of(record))


def _change_subscription(ctx: WriteContext, record: Any, event: str) -> None:
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
