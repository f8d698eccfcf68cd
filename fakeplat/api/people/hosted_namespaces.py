"""What only the hosted offering does with namespaces. Source: docs/platform/namespaces.md ('The hosted offering')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import Forbidden, OperationNotImplemented, Refusal
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS)
SINCE: Final = "<=18.9"


def _build_refusal(ctx: ReadContext, name: str) -> Refusal:
    """Return the refusal of every instance that does not check plans; what those do that check them is not served."""
    if ctx.instance.hosted and ctx.world.settings.check_namespace_plan:
        return OperationNotImplemented(name)
    reason = "instance.hosted or the setting check_namespace_plan is off"
    return Forbidden(f"this API is for {ctx.instance.product_name}.com only", reason=reason)


@area.operation(
    "GET",
    "namespaces/storage/limit_exclusions",
    ability=Ability.ADMIN_SETTINGS,
    refusals=(403, 501),
    since=SINCE,
    tier="premium",
)
def list_namespace_storage_limit_exclusions(ctx: ReadContext) -> Sequence[str]:
    """List the namespaces whose storage is unlimited; only the hosted offering has them."""
    raise _build_refusal(ctx, "list_namespace_storage_limit_exclusions")


class ExcludeNamespace(Params):
    """Why the storage of a namespace is not limited."""

    reason: str


@area.operation(
    "POST",
    "namespaces/:id/storage/limit_exclusion",
    ability=Ability.ADMIN_SETTINGS,
    params=ExcludeNamespace,
    refusals=(403, 501),
    since=SINCE,
    tier="premium",
)
def create_namespace_storage_limit_exclusion(ctx: WriteContext, id: str) -> None:
    """Remove the limit of the storage of a namespace; only the hosted offering does."""
    raise _build_refusal(ctx, f"create_namespace_storage_limit_exclusion of {id}")


@area.operation(
    "DELETE",
    "namespaces/:id/storage/limit_exclusion",
    ability=Ability.ADMIN_SETTINGS,
    refusals=(403, 501),
    since=SINCE,
    tier="premium",
)
def delete_namespace_storage_limit_exclusion(ctx: WriteContext, id: str) -> None:
    """Restore the limit of the storage of a namespace; only the hosted offering does."""
    raise _build_refusal(ctx, f"delete_namespace_storage_limit_exclusion of {id}")


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
