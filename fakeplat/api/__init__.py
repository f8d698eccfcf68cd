"""The operations, one module per section of the specification; importing this package declares them all."""

from fakeplat.api import (
    alerts,
    custom_attributes,
    graphql,
    groups,
    issues,
    labels,
    members,
    milestones,
    namespaces,
    pages,
    projects,
    services,
    users,
    version,
)

__all__ = [
    "alerts",
    "custom_attributes",
    "graphql",
    "groups",
    "issues",
    "labels",
    "members",
    "milestones",
    "namespaces",
    "pages",
    "projects",
    "services",
    "users",
    "version",
]
