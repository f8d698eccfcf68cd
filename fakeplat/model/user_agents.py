"""With what something was written."""

from fakeplat.core.store.frozen import frozen


@frozen
class UserAgentDetail:
    """The program and the address that a record came from. ``subject`` is (kind, id)."""

    id: int
    subject: tuple[str, int]
    user_agent: str
    ip_address: str
    antispam_submitted: bool = False
