"""The dependency proxy of groups, whose cache is deleted. Source: docs/platform/packages.md (Dependency proxy)."""

from typing import Final

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import Conflict
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.timestamps import HOUR, from_iso
from fakeplat.domain.registry import dependency_proxy
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import DEPENDENCY_PROXY_IS_PURGED_LATER
from fakeplat.policy.context import WriteContext

area: Final = Area("Dependency proxy", login=Login.NEVER)
_TOO_OFTEN: Final = (
    "This request has already been made. It may take some time to purge the cache. You can run this at most once an "
    "hour for a given group"
)


@area.operation(
    "DELETE",
    "dependency_proxy/cache",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    free_since="13.6",
    also=(202,),
    refusals=(409,),
)
def delete_group_dependency_proxy_cache(ctx: WriteContext, group: Group) -> RawBody:
    """Delete the cache of the dependency proxy of a group, at most once an hour."""
    last = group.dependency_proxy_purged_at
    if last is not None and ctx.now() < from_iso(last) + HOUR:
        raise Conflict(_TOO_OFTEN, reason=f"the cache was deleted at {last}")
    dependency_proxy.delete_cache(ctx, group)
    ctx.world.namespaces.change(group, dependency_proxy_purged_at=ctx.now_iso)
    if ctx.profile.has(DEPENDENCY_PROXY_IS_PURGED_LATER):
        return RawBody(b"202", JSON, status=202)
    return RawBody(b"", "", status=204)
