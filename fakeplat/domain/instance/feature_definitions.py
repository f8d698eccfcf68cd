"""Definitions of the features that operations ask for. Source: docs/platform/version-and-metadata.md."""

from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.instance import features
from fakeplat.policy.behaviours import USAGE_EVENTS_ARE_TRACKED
from fakeplat.policy.context import ReadContext

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
DEFINITIONS: Final = {
    definition.name: definition
    for definition in (
        FeatureDefinition(USAGE_DATA_API, "13.4", f"{_CHANGES}/41301", default_enabled=True),
        FeatureDefinition(USAGE_DATA_QUERIES, "13.11", f"{_CHANGES}/57016"),
        FeatureDefinition(USAGE_DATA_NON_SQL_METRICS, "13.11", f"{_CHANGES}/57050"),
    )
}


def is_enabled(ctx: ReadContext, name: str) -> bool:
    """Return whether a defined feature is on for everybody: as it was switched, or else by default."""
    feature = features.find_feature(ctx.world, name)
    if feature is not None:
        return feature.state == "on"
    if name == USAGE_DATA_API:
        return ctx.profile.has(USAGE_EVENTS_ARE_TRACKED)
    return DEFINITIONS[name].default_enabled
