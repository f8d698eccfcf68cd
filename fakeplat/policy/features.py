"""Availability of paid features: by the tier, and on the hosted offering by the plan of the root namespace.

Features of users, and those of instances that are not hosted, follow the tier. Source: docs/contract.md ('Instance').
"""

from fakeplat.model.instance import PLAN_TIERS, TIERS
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors_of


def has_feature(world: World, tier: str, container: Routable | Issue | None = None) -> bool:
    """Return whether features of a tier (empty: of every tier) are available to a project, group or issue."""
    # A self-managed instance has one licence for everything; plans exist on the hosted offering only.
    if not (world.instance.hosted and tier and container is not None):
        return world.instance.has(tier)
    return TIERS.index(_tier_of(world, container)) >= TIERS.index(tier)


def _tier_of(world: World, container: Routable | Issue) -> str:
    # The last ancestor is the top-level namespace, whose plan applies to all subgroups and projects below.
    *_, root = ancestors_of(world, world.projects[container.project_id] if isinstance(container, Issue) else container)
    return PLAN_TIERS[root.plan] if root.plan else world.instance.tier
