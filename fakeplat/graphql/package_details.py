"""Packages with their files, versions and addresses, and their deletion.

Source: docs/platform/graphql.md, docs/platform/packages.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from graphql import GraphQLError

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.packages import packages, protection_rules
from fakeplat.domain.purging import purge
from fakeplat.entities import urls
from fakeplat.entities.packages import PackageView
from fakeplat.graphql.ids import declare_id, global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.packages import PACKAGE
from fakeplat.graphql.schema_builder import QUERY, Scalar, Type, mutation
from fakeplat.model.ci import Pipeline
from fakeplat.model.packages import Package, PackageFile, PackageTag
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_FIRST: Final = "<=13.9"
_DETAILS: Final = "<=14.0"
_ADDRESSES: Final = "<=14.9"
_BASE: Final = "<=15.0"
_LINKS: Final = "<=15.8"
_PERMISSIONS: Final = "<=16.9"
_LATEST: Final = "<=18.5"
_MAX: Final = 100
_PACKAGE: Final = "Packages::Package"
_FILE: Final = "Packages::PackageFile"
_PROTECTED: Final = "Package is deletion protected."
Scalar("PackagesPackageID", "The global ID of a record of the type Packages::Package.", since=_FIRST)
DETAILS: Final = Type("PackageDetailsType", "A package with its files.", since=_DETAILS, base=PACKAGE)
BASE: Final = Type("PackageBase", "A version of a package.", since=_BASE, has_count=True)
BASE.attributes(
    {
        "name: String!": "The name.",
        "version: String": "The version.",
        "packageType: PackageTypeEnum!": "The type.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
TAG: Final = Type("PackageTag", "A tag of a package.", gid="Packages::Tag", since=_FIRST)
TAG.attributes(
    {
        "name: String!": "The name.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
LINKS: Final = Type("PackageLinks", "Addresses of a package.", since=_LINKS)
PERMISSIONS: Final = Type("PackagePermissions", "What the caller may do with a package.", since=_PERMISSIONS)


def _project_of(ctx: ReadContext, package: Package) -> Project:
    return ctx.world.projects[package.project_id]


@DETAILS.field("id: PackagesPackageID!")
@BASE.field("id: PackagesPackageID!")
def id_of(ctx: ReadContext, package: Package) -> str:
    """The global ID."""
    return global_id(ctx, _PACKAGE, package.id)


@PACKAGE.field("project: Project!", since=_FIRST)
@BASE.field("project: Project!")
def project_of(ctx: ReadContext, package: Package) -> Project:
    """The project."""
    return _project_of(ctx, package)


@PACKAGE.field("tags: PackageTagConnection", since=_FIRST)
@BASE.field("tags: PackageTagConnection")
def tags_of(ctx: ReadContext, package: Package) -> Sequence[PackageTag]:
    """The tags."""
    return packages.list_tags(ctx.world, package)


@PACKAGE.field("pipelines: PipelineConnection", since=_FIRST)
def pipelines_of(ctx: ReadContext, package: Package) -> Sequence[Pipeline]:
    """The pipelines whose jobs published it."""
    readable = can(ctx, Ability.READ_PIPELINE, _project_of(ctx, package))
    return packages.list_pipelines(ctx.world, package) if readable else ()


@PACKAGE.field("status: PackageStatus!", since=_DETAILS)
@BASE.field("status: PackageStatus!")
def status_of(_ctx: ReadContext, package: Package) -> str:
    """The status."""
    return package.status


@PACKAGE.field("statusMessage: String", since=_PERMISSIONS)
@BASE.field("statusMessage: String", since=_PERMISSIONS)
def status_message(_ctx: ReadContext, package: Package) -> str | None:
    """What went wrong with an upload that could not be read."""
    return "Invalid package" if package.status == "error" else None


@PACKAGE.field("canDestroy: Boolean!", since=_ADDRESSES, until=_LATEST)
@BASE.field("canDestroy: Boolean!", until=_LATEST)
@PERMISSIONS.field("destroyPackage: Boolean!")
def may_destroy(ctx: ReadContext, package: Package) -> bool:
    """Whether the caller may delete it."""
    return can(ctx, Ability.DESTROY_PACKAGE, _project_of(ctx, package))


@PACKAGE.field("userPermissions: PackagePermissions!", since=_PERMISSIONS)
@BASE.field("userPermissions: PackagePermissions!", since=_PERMISSIONS)
def permissions_of(_ctx: ReadContext, package: Package) -> Package:
    """What the caller may do."""
    return package


@PACKAGE.field("_links: PackageLinks!", since=_LINKS)
@BASE.field("_links: PackageLinks!", since=_LINKS)
def links_of(_ctx: ReadContext, package: Package) -> Package:
    """Its addresses."""
    return package


@LINKS.field("webPath: String")
def web_path(ctx: ReadContext, package: Package) -> str:
    """The path of the page."""
    return str(PackageView(package, ctx)._links()["web_path"])  # the name on the wire


@PACKAGE.field("protectionRuleExists: Boolean!", since=_LATEST)
@BASE.field("protectionRuleExists: Boolean!", since=_LATEST)
def has_protection_rule(ctx: ReadContext, package: Package) -> bool:
    """Whether a rule protects packages with its name."""
    return protection_rules.has_rule(ctx.world, package)


@DETAILS.field("versions: PackageBaseConnection", since=_BASE)
@DETAILS.field("versions: PackageConnection", until=_BASE)
def versions_of(ctx: ReadContext, package: Package) -> Sequence[Package]:
    """The other versions, the newest first."""
    return packages.list_other_versions(ctx.world, package)


@DETAILS.field("lastDownloadedAt: Time", since=_LINKS)
def last_downloaded_at(_ctx: ReadContext, package: Package) -> str | None:
    """Timestamp of the last download."""
    return package.last_downloaded_at


@DETAILS.field("publicPackage: Boolean", since="<=16.2")
def is_public(ctx: ReadContext, package: Package) -> bool:
    """Whether everybody may download it."""
    project = _project_of(ctx, package)
    return project.visibility == "public" or project.package_registry_access_level == "public"


# Addresses of the registries


def _declare_address(name: str, path: str) -> None:
    def address(ctx: ReadContext, package: Package) -> str:
        return urls.api_url(ctx, f"projects/{package.project_id}/packages/{path}")

    DETAILS.field(f"{name}: String", since=_ADDRESSES, description=f"The address of the project's registry, {name}.")(
        address
    )


_declare_address("conanUrl", "conan")
_declare_address("mavenUrl", "maven")
_declare_address("npmUrl", "npm")
_declare_address("nugetUrl", "nuget/index.json")
_declare_address("pypiSetupUrl", "pypi")


@DETAILS.field("pypiUrl: String", since=_ADDRESSES)
def pypi_url(ctx: ReadContext, package: Package) -> str:
    """The address of the project's index for pip, with a place for a token unless the project is public."""
    url = urls.api_url(ctx, f"projects/{package.project_id}/packages/pypi/simple")
    is_open = _project_of(ctx, package).visibility == "public"
    return url if is_open else url.replace("://", "://__token__:<your_personal_token>@", 1)


def _find_group(ctx: ReadContext, package: Package) -> Group | None:
    namespace = ctx.world.namespaces[_project_of(ctx, package).namespace_id]
    return namespace if isinstance(namespace, Group) else None


@DETAILS.field("composerUrl: String", since=_ADDRESSES)
def composer_url(ctx: ReadContext, package: Package) -> str:
    """The address of the group's repository for Composer."""
    group = _find_group(ctx, package)
    return urls.api_url(ctx, f"group/{group.id if group is not None else ''}/-/packages/composer/packages.json")


@DETAILS.field("composerConfigRepositoryUrl: String", since=_ADDRESSES)
def composer_repository(ctx: ReadContext, package: Package) -> str:
    """The name of the group's repository in the configuration of Composer."""
    group = _find_group(ctx, package)
    return f"{urlsplit(ctx.origin).hostname}/{group.id if group is not None else ''}"


# Files

FILE: Final = Type("PackageFile", "A file of a package.", since=_DETAILS)
FILE.attributes(
    {
        "fileName: String!": "The name.",
        "fileMd5: String": "The MD5 digest.",
        "fileSha1: String": "The SHA-1 digest.",
        "fileSha256: String": "The SHA-256 digest.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@DETAILS.field("packageFiles: PackageFileConnection")
def files_of(ctx: ReadContext, package: Package) -> Sequence[PackageFile]:
    """The files."""
    return packages.list_files(ctx.world, package)


declare_id(FILE, _FILE)


@FILE.field("size: String!")
def size_of(_ctx: ReadContext, file: PackageFile) -> str:
    """The number of bytes."""
    return str(file.size)


@FILE.field("downloadPath: String!")
def download_path(ctx: ReadContext, file: PackageFile) -> str:
    """The path of its content."""
    project = _project_of(ctx, ctx.world.packages[file.package_id])
    return f"/{urls.project_path(ctx, project)}/-/package_files/{file.id}/download"


@QUERY.field("package(id: PackagesPackageID!): PackageDetailsType", since=_DETAILS, calls=1)
def find_package(ctx: ReadContext, id: str) -> Package | None:  # the argument's name on the wire
    """The package with a global ID; null for those without a finished upload."""
    package = ctx.world.packages.get(parse_id(ctx, id, _PACKAGE))
    if package is None or package.status != "default" or not can(ctx, Ability.READ_PACKAGE, _project_of(ctx, package)):
        return None
    return package


# Deletion


def _get_package(ctx: ReadContext, id_: int) -> Package:
    package = ctx.world.packages.get(id_)
    if package is None:
        raise RecordNotFound(reason=f"no package has the id {id_}")
    authorize(ctx, Ability.DESTROY_PACKAGE, _project_of(ctx, package))
    return package


def _delete(ctx: WriteContext, chosen: Sequence[Package], delete: Callable[[Package], None]) -> Mapping[str, Any]:
    """Delete packages or their files; protected ones are an error of the payload."""
    for package in chosen:
        if protection_rules.is_deletion_protected(ctx, _project_of(ctx, package), package):
            return {"errors": [_PROTECTED]}
    for package in chosen:
        delete(package)
    return {}


@mutation(
    "destroyPackage",
    input_fields='"""The global ID of the package."""\nid: PackagesPackageID!',
    payload_fields="",
    since="<=14.1",
)
def destroy_package(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a package."""
    return _delete(ctx, [_get_package(ctx, parse_id(ctx, id, _PACKAGE))], lambda package: purge(ctx, package))


@mutation(
    "destroyPackages",
    input_fields='"""The global IDs of the packages, at most 100."""\nids: [PackagesPackageID!]!',
    payload_fields="",
    since="<=15.8",
)
def destroy_packages(ctx: WriteContext, ids: Sequence[str]) -> Mapping[str, Any]:
    """Delete packages, all of them or none."""
    if len(ids) > _MAX:
        raise GraphQLError(f"Cannot delete more than {_MAX} packages")
    chosen = [_get_package(ctx, number) for number in dict.fromkeys(parse_id(ctx, text, _PACKAGE) for text in ids)]
    return _delete(ctx, chosen, lambda package: purge(ctx, package))


@mutation(
    "destroyPackageFile",
    input_fields='"""The global ID of the file."""\nid: PackagesPackageFileID!',
    payload_fields="",
    since="<=14.3",
)
def destroy_package_file(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a file of a package."""
    file = ctx.world.package_files.get(parse_id(ctx, id, _FILE))
    if file is None:
        raise RecordNotFound(reason=f"{id} does not exist")
    return _delete(ctx, [_get_package(ctx, file.package_id)], lambda _package: purge(ctx, file))


@mutation(
    "destroyPackageFiles",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The global IDs of the files, at most 100."""
ids: [PackagesPackageFileID!]!
''',
    payload_fields="",
    since="<=15.3",
)
def destroy_package_files(ctx: WriteContext, project_path: str, ids: Sequence[str]) -> Mapping[str, Any]:
    """Delete files of packages of a project."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.DESTROY_PACKAGE, project)
    if len(ids) > _MAX:
        raise GraphQLError(f"Cannot delete more than {_MAX} files")
    found = (ctx.world.package_files.get(parse_id(ctx, text, _FILE)) for text in ids)
    files = {file.id: file for file in found if file is not None}
    owners = [ctx.world.packages[file.package_id] for file in files.values()]
    if {owner.project_id for owner in owners} != {project.id}:
        raise GraphQLError("All files must be in the requested project")
    return _delete(ctx, owners, lambda _package: None) or _purge_files(ctx, files.values())


def _purge_files(ctx: WriteContext, files: Iterable[PackageFile]) -> Mapping[str, Any]:
    for file in files:
        purge(ctx, file)
    return {}
