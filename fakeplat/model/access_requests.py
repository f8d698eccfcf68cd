"""Requests for membership."""

from fakeplat.core.store.frozen import frozen


@frozen
class AccessRequest:
    """A user's request for access to a project or group. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    user_id: int
    requested_at: str
