"""Software licenses that projects allow or deny. Source: docs/platform/projects.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import managed_licenses
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.projects import ManagedLicenseView
from fakeplat.model.projects import LicenseStatus, ManagedLicense, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Managed licenses", login=Login.ALWAYS)
open_area: Final = Area("Managed licenses", login=Login.NEVER)
PATH: Final = "managed_licenses/:managed_license_id"
UNTIL: Final = "16.0"


@open_area.operation(
    "GET",
    "managed_licenses",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=Paged,
    view=ManagedLicenseView,
    many=True,
    tier="ultimate",
    until=UNTIL,
)
def list_managed_licenses(ctx: ReadContext, project: Project) -> Sequence[ManagedLicense]:
    """List the software licenses that a project allows or denies."""
    return managed_licenses.list_licenses(ctx.world, project)


@area.operation(
    "GET",
    PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    view=ManagedLicenseView,
    tier="ultimate",
    refusals=(404,),
    until=UNTIL,
)
def get_managed_license(ctx: ReadContext, project: Project, managed_license_id: str) -> ManagedLicense:
    """Get a software license by its id or its name."""
    return managed_licenses.get_license(ctx.world, project, managed_license_id)


class CreateManagedLicense(Params):
    """A license, and whether it is allowed."""

    name: str
    approval_status: LicenseStatus


@area.operation(
    "POST",
    "managed_licenses",
    scope=PROJECT,
    ability=Ability.ADMIN_SOFTWARE_LICENSES,
    params=CreateManagedLicense,
    view=ManagedLicenseView,
    tier="ultimate",
    refusals=(400,),
    until=UNTIL,
)
def create_managed_license(ctx: WriteContext, project: Project, p: CreateManagedLicense) -> ManagedLicense:
    """Create a managed license of a project: allow or deny a software license."""
    return managed_licenses.create(ctx, project, p.name, p.approval_status)


class UpdateManagedLicense(Params):
    """Whether a license is allowed. As on the platform, the name stays as it is."""

    name: str | None = None
    approval_status: LicenseStatus | None = None


@area.operation(
    "PATCH",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_SOFTWARE_LICENSES,
    params=UpdateManagedLicense,
    view=ManagedLicenseView,
    tier="ultimate",
    refusals=(404,),
    until=UNTIL,
)
def update_managed_license(
    ctx: WriteContext, project: Project, managed_license_id: str, p: UpdateManagedLicense
) -> ManagedLicense:
    """Update whether a software license is allowed."""
    license_ = managed_licenses.get_license(ctx.world, project, managed_license_id)
    status = p.approval_status or license_.approval_status
    return ctx.world.managed_licenses.change(license_, approval_status=status)


@area.operation(
    "DELETE",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_SOFTWARE_LICENSES,
    tier="ultimate",
    refusals=(404,),
    until=UNTIL,
)
def delete_managed_license(ctx: WriteContext, project: Project, managed_license_id: str) -> None:
    """Delete a software license of a project."""
    purge(ctx, managed_licenses.get_license(ctx.world, project, managed_license_id))
