"""Packages of projects. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.packages import packages
from fakeplat.domain.packages.packages import PackageFilter
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.packages import PACKAGE_TYPES, Package
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_TYPES: Final[Mapping[str, Lifetime]] = {
    "debian": Lifetime(since="<=13.6"),
    "rubygems": Lifetime(since="<=13.10"),
    "helm": Lifetime(since="<=14.0"),
    "terraform_module": Lifetime(since="<=14.0"),
    "rpm": Lifetime(since="<=15.8"),
}
"""The types of later releases."""

Enumeration(
    "PackageTypeEnum",
    "The type of a package.",
    {name.upper(): (name, f"Packages of the type {name}.", _TYPES.get(name, ALWAYS)) for name in PACKAGE_TYPES},
)

PACKAGE = Type(
    "Package", "A package in the package registry.", gid="Packages::Package", has_count=True, count_since="<=14.8"
)
PACKAGE.attributes(
    {
        "name: String!": "The name.",
        "version: String": "The version.",
        "packageType: PackageTypeEnum!": "The type.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@PROJECT.field("packages: PackageConnection")
def packages_of_project(ctx: ReadContext, project: Project) -> Sequence[Package]:
    """The packages of the project, oldest first."""
    if not can(ctx, Ability.READ_PACKAGE, project):
        return []
    return packages.list_in_project(ctx.world, project, PackageFilter())


@GROUP.field("packages: PackageConnection", since="13.10")
def packages_of_group(ctx: ReadContext, group: Group) -> Sequence[Package]:
    """The packages of the group's projects and of its subgroups', oldest first."""
    if not can(ctx, Ability.READ_PACKAGE, group):
        return []
    return packages.list_in_group(ctx, group, PackageFilter(), exclude_subgroups=False)
