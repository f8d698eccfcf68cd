"""Software licenses that projects allow or deny. Source: docs/platform/projects.md."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.model.projects import LicenseStatus, ManagedLicense, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe


def list_licenses(world: World, project: Project) -> Sequence[ManagedLicense]:
    """Return the licenses that a project allows or denies."""
    return world.managed_licenses.where("project", project.id)


def get_license(world: World, project: Project, name_or_id: str) -> ManagedLicense:
    """Return the license with an id or a name, upper and lower case alike; 404 without it."""
    number, name = parse_number(name_or_id), name_or_id.lower()
    for license_ in list_licenses(world, project):
        if license_.id == number or license_.name.lower() == name:
            return license_
    raise NotFound("SoftwareLicensePolicy", reason=lambda: f"{describe(world, project)} has no {name_or_id!r}")


def create(ctx: WriteContext, project: Project, name: str, approval_status: LicenseStatus) -> ManagedLicense:
    """Allow or deny a license; 400 if the project did so already."""
    if any(license_.name.lower() == name.lower() for license_ in list_licenses(ctx.world, project)):
        raise BadRequest({"software_license": ["has already been taken"]})
    table = ctx.world.managed_licenses
    return table.add(ManagedLicense(table.next_id(), project.id, name, approval_status))
