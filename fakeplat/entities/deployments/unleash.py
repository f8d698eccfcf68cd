"""The view of feature flags for applications. Source: docs/platform/feature-flags.md ('Unleash')."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.deployments.unleash import UnleashFeature


class UnleashFeatureView(Entity[UnleashFeature]):
    """A feature flag in one environment; a missing description is left out."""

    cached_by_id = False

    name = attr()
    description = attr(when=lambda view: view.record.description is not None)
    enabled = attr()
    strategies = attr()
