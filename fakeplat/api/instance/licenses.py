"""Licences of the instance. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.instance import license_usage, licenses
from fakeplat.domain.purging import purge
from fakeplat.entities.instance.licenses import InstanceLicenseView, LicenseWithActiveUsers
from fakeplat.model.instance import InstanceLicense
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)


@area.operation("GET", "license", ability=Ability.READ_INSTANCE, view=LicenseWithActiveUsers, tier="premium")
def get_license(ctx: ReadContext) -> InstanceLicense | None:
    """Get the licence that counts, the newest one; null without any."""
    return licenses.find_current(ctx.world)


class CreateLicense(Params):
    """The key of a licence."""

    license: str


@area.operation(
    "POST",
    "license",
    ability=Ability.ADMIN_LICENSES,
    params=CreateLicense,
    view=LicenseWithActiveUsers,
    refusals=(400,),
    tier="premium",
)
def create_license(ctx: WriteContext, p: CreateLicense) -> InstanceLicense:
    """Add a licence, which counts from now on."""
    return licenses.add_key(ctx, p.license)


@area.operation(
    "GET",
    "license/usage_export",
    ability=Ability.READ_INSTANCE,
    endings=(".csv",),
    since="<=18.9",
    refusals=(404,),
    tier="premium",
)
def get_license_usage_export(ctx: ReadContext) -> RawBody:
    """Get the use of the licence that counts as CSV."""
    current = licenses.find_current(ctx.world)
    if current is None:
        raise NotFound(reason="the instance has no licence")
    return RawBody(license_usage.write_csv(ctx, current).encode(), "text/csv")


@area.operation(
    "GET",
    "license/:id",
    ability=Ability.READ_INSTANCE,
    view=LicenseWithActiveUsers,
    since="<=15.7",
    refusals=(404,),
    tier="premium",
)
def get_license_by_id(ctx: ReadContext, id: int) -> InstanceLicense:
    """Get a licence."""
    return _get_license(ctx, id)


def _get_license(ctx: ReadContext, id_: int) -> InstanceLicense:
    # Unlike deletion, these operations have the plain text of what does not exist.
    found = ctx.world.instance_licenses.get(id_)
    if found is None:
        raise NotFound(reason=f"there is no licence {id_}")
    return found


@area.operation(
    "PUT",
    "license/:id/refresh_billable_users",
    ability=Ability.ADMIN_LICENSES,
    status=202,
    since="<=18.9",
    refusals=(404,),
    tier="premium",
)
def refresh_license_billable_users(ctx: WriteContext, id: int) -> dict[str, bool]:
    """Count the users of a licence again; the count is always up to date here."""
    _get_license(ctx, id)
    return {"success": True}


@area.operation("DELETE", "license/:id", ability=Ability.ADMIN_LICENSES, refusals=(404,), tier="premium")
def delete_license(ctx: WriteContext, id: int) -> None:
    """Delete a licence; the one before it counts again."""
    purge(ctx, licenses.get_license(ctx.world, id))


@area.operation(
    "GET", "licenses", ability=Ability.READ_INSTANCE, view=InstanceLicenseView, many=True, paging=None, tier="premium"
)
def list_licenses(ctx: ReadContext) -> Sequence[InstanceLicense]:
    """List the licences of the instance, by their ids."""
    return list(ctx.world.instance_licenses.all())
