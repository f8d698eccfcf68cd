"""What packages depend on. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.packages import dependency_links
from fakeplat.domain.packages.dependency_links import DependencyLink
from fakeplat.graphql.ids import declare_id
from fakeplat.graphql.package_details import DETAILS
from fakeplat.graphql.schema_builder import Enumeration, Type, Union, to_snake_case
from fakeplat.model.packages import Package
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.3"
Enumeration(
    "PackageDependencyType",
    "The kind of a dependency.",
    {to_snake_case(kind).upper(): (kind, f"The value {kind}.") for kind in dependency_links.KINDS},
    since=_SINCE,
)
LINK: Final = Type("PackageDependencyLink", "That a package depends on another one.", since=_SINCE)
DEPENDENCY: Final = Type("PackageDependency", "A package that others depend on.", since=_SINCE)
DEPENDENCY.attributes({"name: String!": "The name.", "versionPattern: String!": "The versions that are needed."})
NUGET: Final = Type("NugetDependencyLinkMetadata", "What NuGet says of a dependency.", since=_SINCE)
UNION: Final = Union(
    "DependencyLinkMetadata", "What a package manager says of a dependency.", (NUGET,), lambda _link: NUGET.name, _SINCE
)


declare_id(LINK, "Packages::DependencyLink")
declare_id(DEPENDENCY, "Packages::Dependency")
declare_id(NUGET, "Packages::Nuget::DependencyLinkMetadatum")


@DETAILS.field("dependencyLinks: PackageDependencyLinkConnection", since=_SINCE)
def links_of(_ctx: ReadContext, package: Package) -> Sequence[DependencyLink]:
    """What it depends on."""
    return dependency_links.list_links(package)


LINK.attributes(
    {"dependency: PackageDependency": "What is needed.", "dependencyType: PackageDependencyType!": "The kind."}
)


@LINK.field("metadata: DependencyLinkMetadata")
def find_link_metadata(_ctx: ReadContext, link: DependencyLink) -> DependencyLink | None:
    """What NuGet says of it, if it is needed for one framework only."""
    return link if link.target_framework else None


NUGET.attributes({"targetFramework: String!": "The framework for which it is needed."})
