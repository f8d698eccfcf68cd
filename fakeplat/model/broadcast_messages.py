"""Broadcast messages: what an instance tells everybody, for a while."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

BroadcastType = Literal["banner", "notification"]


@frozen
class BroadcastMessage:
    """A message that is displayed between two times, on all pages or on those that match ``target_path``."""

    id: int
    message: str
    starts_at: str
    ends_at: str
    created_at: str
    updated_at: str
    color: str = "#E75E40"
    font: str = "#FFFFFF"
    target_path: str | None = None
    broadcast_type: BroadcastType = "banner"
    dismissable: bool | None = None
