"""Users who want to become members."""

from fakeplat.core.store.frozen import frozen


@frozen
class AccessRequest:
    """A user asks to be let into a project or group. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    user_id: int
    requested_at: str
