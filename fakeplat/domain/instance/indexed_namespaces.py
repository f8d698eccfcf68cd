"""Which namespaces of a plan advanced search indexes: the setting has their ids. Source: docs/platform/settings.md."""

from fakeplat.domain import settings
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_ALL: int = 100


def roll_out(ctx: WriteContext, plan: str, percentage: int) -> None:
    """Index further namespaces of a plan, the oldest first, until a percentage of them are."""
    of_plan, indexed = _list_ids(ctx.world, plan), ctx.world.settings.elasticsearch_namespace_ids
    missing = len(of_plan) * percentage // _ALL - sum(id_ in indexed for id_ in of_plan)
    new = [id_ for id_ in of_plan if id_ not in indexed][: max(missing, 0)]
    settings.change(ctx, {"elasticsearch_namespace_ids": (*indexed, *new)})


def roll_back(ctx: WriteContext, plan: str, percentage: int) -> None:
    """Index fewer namespaces of a plan, the newest leaving first, until a percentage of them are."""
    of_plan, indexed = _list_ids(ctx.world, plan), ctx.world.settings.elasticsearch_namespace_ids
    present = [id_ for id_ in of_plan if id_ in indexed]
    superfluous = max(len(present) - len(of_plan) * percentage // _ALL, 0)
    removed = present[len(present) - superfluous :]
    kept = tuple(id_ for id_ in indexed if id_ not in removed)
    settings.change(ctx, {"elasticsearch_namespace_ids": kept})


def _list_ids(world: World, plan: str) -> list[int]:
    return sorted(namespace.id for namespace in world.namespaces.all() if namespace.plan == plan)
