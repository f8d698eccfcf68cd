"""Definitions of the features that operations ask for, and which are on by default.

Source: docs/platform/version-and-metadata.md.
"""

from typing import Final

from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.policy.behaviours import (
    ADMIN_ROLES_ARE_ON,
    APPLICATIONS_REGISTER_THEMSELVES,
    CERTIFICATE_CLUSTERS_SERVE,
    DEVICE_GRANTS_ARE_ON,
    MCP_SERVER_IS_ON,
    USAGE_EVENTS_ARE_TRACKED,
)

_CHANGES: Final = "https://gitlab.com/gitlab-org/gitlab/-/merge_requests"
_GROUP: Final = "group::product intelligence"


@frozen
class FeatureDefinition:
    """What the platform says of one of its features, whether or not anybody switched it."""

    name: str
    milestone: str
    introduced_by_url: str
    type: str = "ops"
    group: str = _GROUP
    default_enabled: bool = False
    rollout_issue_url: str | None = None
    log_state_changes: bool | None = None


USAGE_DATA_API: Final = "usage_data_api"
USAGE_DATA_QUERIES: Final = "usage_data_queries_api"
USAGE_DATA_NON_SQL_METRICS: Final = "usage_data_non_sql_metrics"
CERTIFICATE_CLUSTERS: Final = "certificate_based_clusters"
SLSA_PROVENANCE: Final = "slsa_provenance_statement"
DEVICE_GRANTS: Final = "oauth2_device_grant_flow"
DYNAMIC_REGISTRATION: Final = "oauth_dynamic_client_registration"
MCP_SERVER: Final = "mcp_server"
ADMIN_ROLES: Final = "custom_admin_roles"
DEFINITIONS: Final = {
    definition.name: definition
    for definition in (
        FeatureDefinition(USAGE_DATA_API, "13.4", f"{_CHANGES}/41301", default_enabled=True),
        FeatureDefinition(USAGE_DATA_QUERIES, "13.11", f"{_CHANGES}/57016"),
        FeatureDefinition(USAGE_DATA_NON_SQL_METRICS, "13.11", f"{_CHANGES}/57050"),
        FeatureDefinition(
            CERTIFICATE_CLUSTERS,
            "14.9",
            f"{_CHANGES}/81054",
            group="group::environments",
            rollout_issue_url="https://gitlab.com/gitlab-org/gitlab/-/issues/353410",
        ),
        FeatureDefinition(SLSA_PROVENANCE, "18.5", f"{_CHANGES}/205784", type="wip", group="group::pipeline security"),
    )
}


_ON_BY_RELEASE: Final = {
    ADMIN_ROLES: ADMIN_ROLES_ARE_ON,
    USAGE_DATA_API: USAGE_EVENTS_ARE_TRACKED,
    CERTIFICATE_CLUSTERS: CERTIFICATE_CLUSTERS_SERVE,
    DEVICE_GRANTS: DEVICE_GRANTS_ARE_ON,
    DYNAMIC_REGISTRATION: APPLICATIONS_REGISTER_THEMSELVES,
    MCP_SERVER: MCP_SERVER_IS_ON,
}


def is_on_by_default(profile: Profile, name: str) -> bool:
    """Return whether a feature that nobody switched is on in a release; what has no definition is off."""
    if name in _ON_BY_RELEASE:
        return profile.has(_ON_BY_RELEASE[name])
    return name in DEFINITIONS and DEFINITIONS[name].default_enabled
