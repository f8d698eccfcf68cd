"""Of what users want to be told, everywhere or in one place."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

Level = Literal["disabled", "participating", "watch", "global", "mention", "custom"]


@frozen
class NotificationSetting:
    """``source`` is ("project" or "group", id), None for everywhere. ``events`` count at the level ``custom``."""

    id: int
    user_id: int
    source: tuple[str, int] | None
    level: Level
    notification_email: str | None = None
    events: tuple[str, ...] = ()
