"""Types of packages that some releases of the 13 line had: those of Composer, and versions of a package.

Source: docs/platform/graphql.md, docs/platform/packages.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.packages import packages
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.package_details import id_of, pipelines_of, project_of, tags_of
from fakeplat.graphql.package_metadata import find_metadata
from fakeplat.graphql.packages import PACKAGE
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.packages import Package
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_FIRST: Final = "<=13.9"
_SECOND: Final = "<=13.10"
_END: Final = "<=14.0"
COMPOSER_PACKAGE: Final = Type(
    "PackageComposerDetails",
    "A Composer package with its metadata.",
    gid="Packages::Package",
    since=_FIRST,
    until=_SECOND,
    base=PACKAGE,
)
VERSION: Final = Type("PackageWithoutVersions", "A version of a package.", since=_SECOND, until=_END)
VERSION.attributes(
    {
        "name: String!": "The name.",
        "version: String": "The version.",
        "packageType: PackageTypeEnum!": "The type.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
VERSION.field("id: PackagesPackageID!")(id_of)
VERSION.field("project: Project!")(project_of)
VERSION.field("tags: PackageTagConnection")(tags_of)
VERSION.field("pipelines: PipelineConnection")(pipelines_of)
VERSION.field("metadata: PackageMetadata")(find_metadata)


@PACKAGE.field("versions: PackageConnection", since=_END, until="<=15.0")
@PACKAGE.field("versions: PackageWithoutVersionsConnection", since=_SECOND, until=_END)
@PACKAGE.field("versions: PackageConnection", since=_FIRST, until=_SECOND)
def versions_of(ctx: ReadContext, package: Package) -> Sequence[Package]:
    """The other versions, the newest first."""
    return packages.list_other_versions(ctx.world, package)


@COMPOSER_PACKAGE.field("composerMetadatum: PackageComposerMetadatumType!")
def composer_metadatum(_ctx: ReadContext, package: Package) -> Package:
    """What Composer says of it."""
    return package


@QUERY.field("packageComposerDetails(id: PackagesPackageID!): PackageComposerDetails", since=_FIRST, until=_SECOND)
def find_composer_package(ctx: ReadContext, id: str) -> Package | None:  # the argument's name on the wire
    """The Composer package with a global ID."""
    package = ctx.world.packages.get(parse_id(ctx, id, "Packages::Package"))
    if package is None or package.target_sha is None:
        return None
    return package if can(ctx, Ability.READ_PACKAGE, ctx.world.projects[package.project_id]) else None
