"""The operations, one module per section of the specification; importing this package declares them all."""

from fakeplat.api import (
    custom_attributes,
    groups,
    issues,
    labels,
    members,
    milestones,
    namespaces,
    pages,
    projects,
    users,
    version,
)

__all__ = [
    "custom_attributes",
    "groups",
    "issues",
    "labels",
    "members",
    "milestones",
    "namespaces",
    "pages",
    "projects",
    "users",
    "version",
]
