"""Packages: lists, lookup, creation and sizes. Source: docs/platform/packages.md.

Lists do not show packages without a version, hidden ones, and those whose upload NuGet has not finished.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypedDict, Unpack
from urllib.parse import unquote

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.ci import Pipeline
from fakeplat.model.packages import PACKAGE_TYPES, Package, PackageFile, PackageStatus, PackageTag, PackageType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import BAD_REQUEST_WITH_REASON, PACKAGES_REMEMBER_DOWNLOADS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

UNFINISHED_NAME: Final = "NuGet.Temporary.Package"
"""The name of NuGet packages whose upload has not been processed."""
_MIN_FUZZY: Final = 3
_LISTED: Final[frozenset[PackageStatus]] = frozenset({"default", "error"})

_ORDERS: Final[dict[str, Callable[[World, Package], Any]]] = {
    "created_at": lambda world, package: package.created_at,
    "name": lambda world, package: package.name,
    "version": lambda world, package: package.version or "",
    "type": lambda world, package: PACKAGE_TYPES.index(package.package_type),
    "project_path": lambda world, package: namespaces.project_path(world, world.projects[package.project_id]),
}


class PackageFilter(NamedTuple):
    """Which packages a list shows, and their order."""

    order_by: str = "created_at"
    sort: str = "asc"
    package_type: str | None = None
    name: str = ""
    version: str = ""
    status: str | None = None
    with_versionless: bool = False


def list_in_project(world: World, project: Project, filter_: PackageFilter) -> Sequence[Package]:
    """Return the packages of a project that lists show."""
    return _select(world, world.packages.where("project", project.id), filter_)


def list_in_group(
    ctx: ReadContext, group: Group, filter_: PackageFilter, *, exclude_subgroups: bool
) -> Sequence[Package]:
    """Return the packages of a group's projects, as far as the caller may read them."""
    projects = select_readable(ctx, list_projects(ctx.world, group, exclude_subgroups=exclude_subgroups))
    rows = [package for project in projects for package in ctx.world.packages.where("project", project.id)]
    return _select(ctx.world, rows, filter_)


def select_readable(ctx: ReadContext, projects: Iterable[Project]) -> list[Project]:
    """Return the projects that the caller sees, and whose packages the caller may read."""
    return [
        project
        for project in projects
        if can(ctx, Ability.READ_PACKAGE, project) and (ctx.deploy_token is not None or can_see(ctx, project))
    ]


def list_projects(world: World, group: Group, *, exclude_subgroups: bool = False) -> Sequence[Project]:
    """Return the projects of a group, by default also those of its subgroups."""
    if exclude_subgroups:
        return world.projects.where("namespace", group.id)
    return [*namespaces.list_projects_within(world, group)]


def _select(world: World, rows: Iterable[Package], filter_: PackageFilter) -> list[Package]:
    selected = [package for package in rows if _is_shown(package, filter_) and _matches(package, filter_)]
    order = _ORDERS[filter_.order_by]
    selected.sort(key=lambda package: (order(world, package), package.id), reverse=filter_.sort == "desc")
    return selected


def is_listed(package: Package) -> bool:
    """Return whether lists show a package."""
    is_unfinished = package.package_type == "nuget" and package.name == UNFINISHED_NAME
    return package.version is not None and package.status in _LISTED and not is_unfinished


def _is_shown(package: Package, filter_: PackageFilter) -> bool:
    if filter_.package_type is None and package.package_type == "terraform_module":
        # Modules have a page of their own, so that lists show them only if they are asked for.
        return False
    has_status = package.status == filter_.status if filter_.status else package.status in _LISTED
    is_unfinished = package.package_type == "nuget" and package.name == UNFINISHED_NAME
    return has_status and not is_unfinished and (filter_.with_versionless or package.version is not None)


def _matches(package: Package, filter_: PackageFilter) -> bool:
    if filter_.package_type not in (None, package.package_type) or filter_.version not in ("", package.version):
        return False
    name, text = package.name.lower(), filter_.name.lower()
    words = [word for word in text.split() if len(word) >= _MIN_FUZZY]
    # The platform looks up short texts as whole names, because its index has no parts below three characters.
    return all(word in name for word in words) if words or not text.strip() else name == text.strip()


def get_by_id(world: World, project: Project, id_: int) -> Package:
    """Return the package of a project with an id, or refuse with 404; those of Maven may have no version."""
    package = world.packages.get(id_)
    if package is None or package.project_id != project.id or package.status == "hidden":
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no package {id_}")
    return package


def list_named(world: World, project: Project, package_type: PackageType, name: str) -> list[Package]:
    """Return all versions of a package of a project, by id."""
    rows = world.packages.where("name", (package_type, name))
    return [package for package in rows if package.project_id == project.id]


def list_other_versions(world: World, package: Package) -> list[Package]:
    """Return the other versions of a package, newest first."""
    project = world.projects[package.project_id]
    versions = list_named(world, project, package.package_type, package.name)
    return [version for version in reversed(versions) if version.id != package.id and is_listed(version)]


def list_files(world: World, package: Package) -> Sequence[PackageFile]:
    """Return the files of a package, by id."""
    return world.package_files.where("package", package.id)


def get_file_by_id(world: World, package: Package, id_: int) -> PackageFile:
    """Return the file of a package with an id, or refuse with 404."""
    file = world.package_files.get(id_)
    if file is None or file.package_id != package.id:
        raise RecordNotFound(reason=f"the package {package.name} has no file {id_}")
    return file


def list_pipelines(world: World, package: Package) -> list[Pipeline]:
    """Return the pipelines that published a package or uploaded its files, oldest first."""
    ids = {package.pipeline_id, *(file.pipeline_id for file in list_files(world, package))}
    return [world.pipelines[id_] for id_ in sorted(id_ for id_ in ids if id_ is not None)]


def list_tags(world: World, package: Package) -> Sequence[PackageTag]:
    """Return the tags of a package, by id."""
    return world.package_tags.where("package", package.id)


def find_file(world: World, package: Package, file_name: str) -> PackageFile | None:
    """Return the newest file of a package with a name."""
    rows = world.package_files.where("name", (package.id, file_name))
    return rows[-1] if rows else None


def total_size(world: World, project: Project) -> int:
    """Return the size of all package files of a project in bytes."""
    packages = world.packages.where("project", project.id)
    return sum(file.size for package in packages for file in list_files(world, package))


class PackageFields(TypedDict, total=False):
    """Further fields of a new package."""

    created_at: str
    updated_at: str
    status: PackageStatus
    pipeline_id: int | None
    creator_id: int | None
    path: str | None
    requires_python: str | None
    manifest: Mapping[str, Any]
    conan_username: str | None
    conan_channel: str | None
    target_sha: str | None
    distribution_id: int | None
    last_downloaded_at: str | None


def create(
    ctx: WriteContext,
    project: Project,
    package_type: PackageType,
    name: str,
    version: str | None,
    **fields: Unpack[PackageFields],
) -> Package:
    """Create a package; one that a job publishes has the job's pipeline."""
    table, now = ctx.world.packages, ctx.now_iso
    values: PackageFields = {
        "created_at": now,
        "updated_at": fields.get("created_at", now),
        "pipeline_id": _pipeline_of_caller(ctx),
        "creator_id": ctx.user.id if ctx.user else None,
        **fields,
    }
    return table.add(Package(table.next_id(), project.id, name, version, package_type, **values))


def _pipeline_of_caller(ctx: WriteContext) -> int | None:
    job_id = ctx.token.job_id if ctx.token is not None and ctx.token.kind == "job" else None
    job = ctx.world.jobs.get(job_id) if job_id is not None else None
    return job.pipeline_id if job is not None else None


def get_or_create(
    ctx: WriteContext,
    project: Project,
    package_type: PackageType,
    name: str,
    version: str,
    **fields: Unpack[PackageFields],
) -> Package:
    """Return the package with a name and version, creating it if necessary."""
    versions = list_named(ctx.world, project, package_type, name)
    existing = next((package for package in versions if package.version == version), None)
    return existing or create(ctx, project, package_type, name, version, **fields)


class FileFields(TypedDict, total=False):
    """Further fields of a new file."""

    file_md5: str | None
    file_sha1: str | None
    file_sha256: str | None
    conan_recipe_revision: str | None
    conan_package_reference: str | None
    conan_package_revision: str | None


def add_file(
    ctx: WriteContext,
    package: Package,
    file_name: str,
    content: bytes,
    *,
    metadata: Mapping[str, Any] | None = None,
    **fields: Unpack[FileFields],
) -> PackageFile:
    """Add a file to a package, with its digests and the other fields that its protocol has.

    A file that a job uploads has the job's pipeline, and so has the package from then on.
    """
    table, now, pipeline_id = ctx.world.package_files, ctx.now_iso, _pipeline_of_caller(ctx)
    if pipeline_id is not None:
        ctx.world.packages.change(ctx.world.packages[package.id], pipeline_id=pipeline_id)
    file = PackageFile(
        table.next_id(),
        package.id,
        file_name,
        content,
        now,
        now,
        metadata=metadata or {},
        pipeline_id=pipeline_id,
        **fields,
    )
    return table.add(file)


def leads_elsewhere(path: str) -> bool:
    """Return whether a path, also an encoded one, leaves its folder, or is no path at all."""
    decoded = unquote(path)
    parts = decoded.replace("\\", "/").split("/")
    return decoded.startswith("/") or not {".", ".."}.isdisjoint(parts) or not decoded.isprintable()


def check_size(ctx: ReadContext, limit: int, content: bytes) -> None:
    """Refuse a file above a limit in bytes; 0 is no limit."""
    if is_too_large(limit, len(content)):
        raise build_refusal(ctx, "File is too large")


def build_refusal(ctx: ReadContext, text: str) -> BadRequest:
    """Return the refusal of a request that is wrong in a way of its protocol."""
    return BadRequest(ctx.profile.choose(BAD_REQUEST_WITH_REASON).format(text))


def is_too_large(limit: int, size: int) -> bool:
    """Return whether a size is above a limit; 0 is no limit."""
    return 0 < limit < size


def refuse_invalid(errors: ValidationErrors) -> None:
    """Raise 400 with the validation errors of a package, if there are any."""
    if errors:
        raise BadRequest(explain(errors))


def explain(errors: ValidationErrors) -> str:
    """Return what is wrong with a package."""
    return f"Validation failed: {', '.join(errors.full_messages())}"


def plan_download_record(ctx: ReadContext, package_id: int) -> Callable[[WriteContext], object] | None:
    """Return what records a download of a package, in the releases that do."""
    if not ctx.profile.has(PACKAGES_REMEMBER_DOWNLOADS):
        return None

    def record(write_ctx: WriteContext) -> None:
        table = write_ctx.world.packages
        table.change(table[package_id], last_downloaded_at=write_ctx.now_iso)

    return record
