"""Which paid features are there: by the tier, and on the hosted offering by the plan of a thing's root namespace.

What concerns users, and instances that are not hosted, follows the tier. Source: docs/contract.md ('Instance').
"""

from fakeplat.model.instance import PLAN_TIERS, TIERS
from fakeplat.model.issues import Issue
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import chain

Place = Namespace | Project | Issue


def has(world: World, tier: str, place: Place | None = None) -> bool:
    """Whether what is marked with a tier (empty: everything) is there for a project, group or issue."""
    if not (world.instance.hosted and tier and place is not None):
        return world.instance.has(tier)
    return TIERS.index(_tier_of(world, place)) >= TIERS.index(tier)


def _tier_of(world: World, place: Place) -> str:
    *_, root = chain(world, _namespace_id(world, place))
    return PLAN_TIERS[root.plan] if root.plan else world.instance.tier


def _namespace_id(world: World, place: Place) -> int:
    if isinstance(place, Issue):
        place = world.projects[place.project_id]
    return place.namespace_id if isinstance(place, Project) else place.id
