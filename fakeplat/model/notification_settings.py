"""Notification settings of users: global, or for a project or group."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

Level = Literal["disabled", "participating", "watch", "global", "mention", "custom"]


@frozen
class NotificationSetting:
    """Settings of a user. ``source`` is ("project" or "group", id), or None for the global settings.

    ``events`` are only used at the level ``custom``.
    """

    id: int
    user_id: int
    source: tuple[str, int] | None
    level: Level
    notification_email: str | None = None
    events: tuple[str, ...] = ()
