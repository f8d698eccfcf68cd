"""Namespaces whose storage is not limited. Source: docs/platform/namespaces.md ('The hosted offering')."""

from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK
from fakeplat.model.people import Namespace, StorageLimitExclusion
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def find_exclusion(world: World, namespace: Namespace) -> StorageLimitExclusion | None:
    """Return why the storage of a namespace is not limited, or None."""
    return world.storage_limit_exclusions.find("namespace", namespace.id)


def exclude(ctx: WriteContext, namespace: Namespace, reason: str) -> StorageLimitExclusion:
    """Remove the limit of the storage of a top-level namespace; 400 for another one, or if it has none already."""
    _check_root(namespace)
    if find_exclusion(ctx.world, namespace) is not None:
        raise BadRequest("400 Bad request - already excluded")
    if not reason.strip():
        raise InvalidRecord({"reason": [BLANK]})
    table = ctx.world.storage_limit_exclusions
    return table.add(StorageLimitExclusion(table.next_id(), namespace.id, reason))


def include(ctx: WriteContext, namespace: Namespace) -> None:
    """Restore the limit of the storage of a top-level namespace; 400 for another one, or if it has the limit."""
    _check_root(namespace)
    exclusion = find_exclusion(ctx.world, namespace)
    if exclusion is None:
        raise BadRequest("400 Bad request - not excluded")
    purge(ctx, exclusion)


def _check_root(namespace: Namespace) -> None:
    if namespace.parent_id is not None:
        raise BadRequest("400 Bad request - must use a root namespace")
