"""User agents with which records were created."""

from fakeplat.core.store.frozen import frozen


@frozen
class UserAgentDetail:
    """The user agent and IP address of the request that created a record. ``subject`` is (kind, id)."""

    id: int
    subject: tuple[str, int]
    user_agent: str
    ip_address: str
    antispam_submitted: bool = False
