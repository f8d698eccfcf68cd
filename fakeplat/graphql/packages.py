"""Packages of projects. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.packages import packages
from fakeplat.domain.packages.packages import PackageFilter
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Type
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
    "ml_model": Lifetime(since="<=16.2"),
    "cargo": Lifetime(since="<=18.5"),
}
"""The types of later releases."""

Enumeration(
    "PackageTypeEnum",
    "The type of a package.",
    {
        name.upper(): (name, f"Packages of the type {name}.", _TYPES.get(name, ALWAYS))
        for name in (*PACKAGE_TYPES, "ml_model")
    },
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


_STATUS: Final = "<=14.0"
_ORDERS: Final = ("CREATED", "NAME", "VERSION", "TYPE")
Enumeration(
    "PackageStatus",
    "The status of a package.",
    {
        name: (name.lower(), f"The status {name.lower().replace('_', ' ')}.", lifetime)
        for name, lifetime in (
            *((name, ALWAYS) for name in ("DEFAULT", "HIDDEN", "PROCESSING", "ERROR")),
            ("PENDING_DESTRUCTION", Lifetime(since="<=14.9")),
            ("DEPRECATED", Lifetime(since="<=18.5")),
        )
    },
    since=_STATUS,
)


def _declare_sort(name: str, description: str, later: Mapping[str, EnumValue]) -> None:
    columns = {"CREATED": "created_at"}
    values: dict[str, EnumValue] = {
        f"{order}_{direction}": (
            (columns.get(order, order.lower()), direction.lower()),
            f"By {order.lower()}, {direction.lower()}ending.",
        )
        for order in _ORDERS
        for direction in ("DESC", "ASC")
    }
    Enumeration(name, description, {**values, **later}, since=_STATUS)


_declare_sort("PackageSort", "The order of packages.", {})
_declare_sort(
    "PackageGroupSort",
    "The order of packages of a group.",
    {
        f"PROJECT_PATH_{direction}": (
            ("project_path", direction.lower()),
            f"By the path of the project, {direction.lower()}ending.",
            Lifetime(since="<=14.1"),
        )
        for direction in ("DESC", "ASC")
    },
)


class PackageArguments(TypedDict, total=False):
    """The arguments of lists of packages."""

    sort: tuple[str, str] | None
    package_name: str | None
    package_type: str | None
    package_version: str | None
    status: str | None
    include_versionless: bool | None


def _arguments(sort: str) -> str:
    later = f'@lifetime(since: "{_STATUS}")'
    return (
        f"sort: {sort} = CREATED_DESC {later}, packageName: String {later}, packageType: PackageTypeEnum {later}, "
        f'packageVersion: String @lifetime(since: "<=16.9"), status: PackageStatus {later}, '
        f"includeVersionless: Boolean {later}"
    )


def _read(arguments: PackageArguments) -> PackageFilter:
    """Return what a list shows; releases without an order show the oldest packages first."""
    column, direction = arguments.get("sort") or ("created_at", "asc")
    return PackageFilter(
        column,
        direction,
        arguments.get("package_type"),
        arguments.get("package_name") or "",
        arguments.get("package_version") or "",
        arguments.get("status"),
        with_versionless=bool(arguments.get("include_versionless")),
    )


@PROJECT.field(f"packages({_arguments('PackageSort')}): PackageConnection")
def packages_of_project(ctx: ReadContext, project: Project, **arguments: Unpack[PackageArguments]) -> Sequence[Package]:
    """The packages of the project that pass the filters."""
    if not can(ctx, Ability.READ_PACKAGE, project):
        return []
    return packages.list_in_project(ctx.world, project, _read(arguments))


@GROUP.field(f"packages({_arguments('PackageGroupSort')}): PackageConnection", since="13.10", calls=1)
def packages_of_group(ctx: ReadContext, group: Group, **arguments: Unpack[PackageArguments]) -> Sequence[Package]:
    """The packages of the group's projects and of its subgroups' that pass the filters."""
    if not can(ctx, Ability.READ_PACKAGE, group):
        return []
    return packages.list_in_group(ctx, group, _read(arguments), exclude_subgroups=False)
