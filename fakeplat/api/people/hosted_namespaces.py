"""What only the hosted offering does with namespaces. Source: docs/platform/namespaces.md ('The hosted offering')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.people.namespaces import require_namespace
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.people import storage_limits
from fakeplat.entities.people.purchases import StorageLimitExclusionView
from fakeplat.model.people import StorageLimitExclusion
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS)
SINCE: Final = "<=18.9"
_PATH: Final = "namespaces/:id/storage/limit_exclusion"


def _check_offering(ctx: ReadContext) -> None:
    """Refuse with 403 on every instance but the hosted offering, which alone limits the storage of namespaces."""
    if not ctx.instance.hosted:
        text = f"this API is for {ctx.instance.product_name}.com only"
        raise Forbidden(text, reason="instance.hosted is off")


@area.operation(
    "GET",
    "namespaces/storage/limit_exclusions",
    ability=Ability.ADMIN_SETTINGS,
    params=Paged,
    view=StorageLimitExclusionView,
    many=True,
    refusals=(403,),
    since=SINCE,
    tier="premium",
)
def list_namespace_storage_limit_exclusions(ctx: ReadContext) -> Sequence[StorageLimitExclusion]:
    """List the namespaces whose storage is unlimited; only the hosted offering has them."""
    _check_offering(ctx)
    return list(ctx.world.storage_limit_exclusions.all())


class ExcludeNamespace(Params):
    """Why the storage of a namespace is not limited."""

    reason: str | None


@area.operation(
    "POST",
    _PATH,
    ability=Ability.ADMIN_SETTINGS,
    params=ExcludeNamespace,
    view=StorageLimitExclusionView,
    refusals=(400, 403, 404),
    since=SINCE,
    tier="premium",
)
def create_namespace_storage_limit_exclusion(ctx: WriteContext, id: str, p: ExcludeNamespace) -> StorageLimitExclusion:
    """Remove the limit of the storage of a namespace; only the hosted offering does."""
    _check_offering(ctx)
    return storage_limits.exclude(ctx, require_namespace(ctx, id), p.reason or "")


@area.operation("DELETE", _PATH, ability=Ability.ADMIN_SETTINGS, refusals=(400, 403, 404), since=SINCE, tier="premium")
def delete_namespace_storage_limit_exclusion(ctx: WriteContext, id: str) -> None:
    """Restore the limit of the storage of a namespace; only the hosted offering does."""
    _check_offering(ctx)
    storage_limits.include(ctx, require_namespace(ctx, id))


organizations: Final = Area("Organizations", login=Login.ALWAYS)


class CreateOrganization(Params):
    """A new organization."""

    name: str
    path: str
    description: str | None = None


@organizations.operation("POST", "organizations", params=CreateOrganization, refusals=(403,), since="17.5")
def create_organization(_ctx: WriteContext) -> None:
    """Create an organization; no instance has the feature flag for that."""
    raise Forbidden(reason="the feature flag allow_organization_creation is off, as on every instance by default")
