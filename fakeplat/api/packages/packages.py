"""Packages of projects and groups. Source: docs/platform/packages.md."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.packages.transfers import file_response
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import NotFound, NotFoundWithMessage
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BY_DESCENDING_ID, CursorPaged, Paged, Paging
from fakeplat.core.params.params import Check
from fakeplat.core.release import Lifetime
from fakeplat.domain.packages import packages, protection_rules
from fakeplat.domain.packages.packages import PackageFilter
from fakeplat.domain.purging import purge
from fakeplat.entities.packages import GroupPackageView, PackageDetail, PackageFileView, PackagePipeline, PackageView
from fakeplat.model.ci import Pipeline
from fakeplat.model.packages import Package, PackageFile, PackageType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    GROUPS_LIST_READABLE_PACKAGES,
    JOBS_USE_APIS_OF_THEIR_PROJECT,
    PACKAGE_PIPELINES_NEED_A_RIGHT,
    PACKAGES_WITH_ERRORS_HAVE_NO_DETAILS,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages", login=Login.NEVER, located_first=True)
_MAX_PIPELINES: Final = 20


class _ListPackages(Paged):
    sort: Literal["asc", "desc"] = "asc"
    package_type: Annotated[
        PackageType | Literal["ml_model"] | None,
        Lifetime(since="<=13.6", values=("debian",)),
        Lifetime(since="<=13.10", values=("rubygems",)),
        Lifetime(since="<=14.0", values=("helm", "terraform_module")),
        Lifetime(since="<=15.7", values=("rpm",)),
        Lifetime(since="<=18.9", values=("cargo", "ml_model")),
    ] = None
    package_name: str | None = None
    package_version: Annotated[str | None, Lifetime(since="16.6")] = None
    include_versionless: Annotated[bool | None, Lifetime(since="13.8")] = None
    status: Annotated[
        Literal["default", "hidden", "processing", "error", "pending_destruction", "deprecated"] | None,
        Lifetime(since="13.9"),
    ] = None


class ListProjectPackages(_ListPackages):
    """Filters and order of a project's packages."""

    order_by: Literal["created_at", "name", "version", "type"] = "created_at"


@area.operation(
    "GET",
    "packages",
    scope=PROJECT,
    ability=Ability.READ_PACKAGE,
    params=ListProjectPackages,
    view=PackageView,
    many=True,
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def list_project_packages(ctx: ReadContext, project: Project, p: ListProjectPackages) -> Sequence[Package]:
    """List the packages of a project."""
    return packages.list_in_project(ctx.world, project, _filter(p, p.order_by))


class ListGroupPackages(_ListPackages):
    """Filters and order of the packages of a group's projects."""

    order_by: Literal["created_at", "name", "version", "type", "project_path"] = "created_at"
    exclude_subgroups: bool = False


@area.operation(
    "GET",
    "packages",
    scope=GROUP,
    params=ListGroupPackages,
    view=GroupPackageView,
    many=True,
    refusals=(403,),
)
def list_group_packages(ctx: ReadContext, group: Group, p: ListGroupPackages) -> Sequence[Package]:
    """List the packages of a group's projects, in later releases to all who see the group."""
    if not ctx.profile.has(GROUPS_LIST_READABLE_PACKAGES):
        authorize(ctx, Ability.READ_PACKAGE, group)
    return packages.list_in_group(ctx, group, _filter(p, p.order_by), exclude_subgroups=p.exclude_subgroups)


def _filter(p: _ListPackages, order_by: str) -> PackageFilter:
    return PackageFilter(
        order_by,
        p.sort,
        p.package_type,
        p.package_name or "",
        p.package_version or "",
        p.status,
        with_versionless=bool(p.include_versionless),
    )


@area.operation(
    "GET",
    "packages/:package_id",
    scope=PROJECT,
    ability=Ability.READ_PACKAGE,
    view=PackageDetail,
    refusals=(404,),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def get_package(ctx: ReadContext, project: Project, package_id: int) -> Package:
    """Get a package with its other versions; in later releases not one whose upload could not be read."""
    package = packages.get_by_id(ctx.world, project, package_id)
    if package.status != "default" and ctx.profile.has(PACKAGES_WITH_ERRORS_HAVE_NO_DETAILS):
        raise NotFoundWithMessage("Package not found", reason=f"its status is {package.status}")
    return package


_SORTED_FILES: Final = Lifetime(since="<=16.6")


class ListPackageFiles(Paged):
    """The order of a package's files."""

    order_by: Annotated[Literal["id", "created_at", "file_name"], _SORTED_FILES] = "id"
    sort: Annotated[Literal["asc", "desc"], _SORTED_FILES] = "asc"


@area.operation(
    "GET",
    "packages/:package_id/package_files",
    scope=PROJECT,
    ability=Ability.READ_PACKAGE,
    params=ListPackageFiles,
    view=PackageFileView,
    many=True,
    refusals=(404,),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def list_package_files(
    ctx: ReadContext, project: Project, package_id: int, p: ListPackageFiles
) -> Sequence[PackageFile]:
    """List the files of a package."""
    files = packages.list_files(ctx.world, packages.get_by_id(ctx.world, project, package_id))
    if (p.order_by, p.sort) == ("id", "asc"):
        return files
    return sorted(files, key=lambda file: (getattr(file, p.order_by), file.id), reverse=p.sort == "desc")


@area.operation(
    "DELETE",
    "packages/:package_id",
    scope=PROJECT,
    ability=Ability.DESTROY_PACKAGE,
    refusals=(403, 404, 412),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def delete_package(ctx: WriteContext, project: Project, package_id: int) -> None:
    """Delete a package with its files."""
    package = packages.get_by_id(ctx.world, project, package_id)
    ctx.check_unmodified_since(package.updated_at)
    protection_rules.authorize_deletion_of_package(ctx, project, package)
    purge(ctx, package)


@area.operation(
    "DELETE",
    "packages/:package_id/package_files/:package_file_id",
    scope=PROJECT,
    ability=Ability.DESTROY_PACKAGE,
    refusals=(403, 404, 412),
    since="13.12",
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def delete_package_file(ctx: WriteContext, project: Project, package_id: int, package_file_id: int) -> None:
    """Delete a file of a package."""
    package = packages.get_by_id(ctx.world, project, package_id)
    protection_rules.authorize_deletion(ctx, project, package)
    file = packages.get_file_by_id(ctx.world, package, package_file_id)
    ctx.check_unmodified_since(file.updated_at)
    purge(ctx, file)


@area.operation(
    "GET",
    "packages/:package_id/package_files/:package_file_id/download",
    scope=PROJECT,
    ability=Ability.READ_PACKAGE,
    refusals=(404,),
    since="18.4",
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def get_package_file_download(ctx: ReadContext, project: Project, package_id: int, package_file_id: int) -> RawBody:
    """Download a file of a package by its id."""
    package = packages.get_by_id(ctx.world, project, package_id)
    return file_response(ctx, packages.get_file_by_id(ctx.world, package, package_file_id))


class ListPackagePipelines(CursorPaged):
    """The page of a package's pipelines, which are listed by cursors only."""

    is_by_cursor = True

    per_page: Annotated[int, Check(lambda n: None if 0 < n <= _MAX_PIPELINES else "does not have a valid value")] = 20


@area.operation(
    "GET",
    "packages/:package_id/pipelines",
    scope=PROJECT,
    ability=Ability.READ_PACKAGE,
    params=ListPackagePipelines,
    view=PackagePipeline,
    many=True,
    paging=Paging(cursors=BY_DESCENDING_ID),
    refusals=(403, 404),
    since="16.1",
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def list_package_pipelines(ctx: ReadContext, project: Project, package_id: int) -> Sequence[Pipeline]:
    """List the pipelines that published a package, newest first; in later releases to those who read pipelines."""
    package = packages.get_by_id(ctx.world, project, package_id)
    if package.status != "default":
        raise NotFound("Package not found", reason=f"its status is {package.status}")
    is_job = ctx.token is not None and ctx.token.kind == "job"
    if ctx.profile.has(PACKAGE_PIPELINES_NEED_A_RIGHT) and not is_job:
        authorize(ctx, Ability.READ_PIPELINE, project)
    return packages.list_pipelines(ctx.world, package)[::-1]
