"""What each area says in scenarios; importing this package registers all sections."""

from fakeplat.scenario.sections import (
    access_tokens,
    custom_attributes,
    groups,
    identities,
    members,
    projects,
    shares,
    starrers,
    tokens,
    uploads,
    users,
)

__all__ = [
    "access_tokens",
    "custom_attributes",
    "groups",
    "identities",
    "members",
    "projects",
    "shares",
    "starrers",
    "tokens",
    "uploads",
    "users",
]
