"""The NuGet registry, protocol version 3: projects publish, projects and groups are installed from.

Source: docs/platform/packages.md (NuGet).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final

from fakeplat.api.packages.access import (
    authorize_or_challenge,
    get_any_group,
    get_any_project,
    get_group_of_packages,
    list_readable_projects,
    require_password,
)
from fakeplat.api.packages.transfers import CREATED, file_response
from fakeplat.core.operations.errors import Forbidden, InvalidParams
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Scope, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Check, Params
from fakeplat.core.release import Required
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.packages import nuget, nuget_versions, package_settings, packages, protection_rules
from fakeplat.domain.purging import purge
from fakeplat.entities import nuget as documents
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    NUGET_CREDENTIALS_ARE_CHECKED,
    NUGET_GROUP_NEEDS_SIGHT,
    NUGET_INDEX_IS_PUBLIC,
    NUGET_SYMBOLS_BELONG_TO_PROJECTS,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (NuGet)", login=Login.NEVER, deploy_tokens=True)
writing: Final = Area("Packages (NuGet)", login=Login.NEVER, deploy_tokens=True, key_header="x-nuget-apikey")
_CHECKSUM: Final = re.compile(r"SHA256:([a-f0-9]{64})", re.IGNORECASE)
_TAKE: Final = 20
_GROUPS: Final = "<=13.12"
"""The release that began to answer for groups."""


def check_id(reference: str, parameter: str = "id") -> int:
    """Return the id in a path, or refuse with 400: the registry does not know paths of projects and groups."""
    number = parse_number(reference)
    if not number or reference.startswith("0"):
        raise InvalidParams(
            f"{parameter} is invalid", reason=f"the NuGet registry takes a numeric id, not {reference!r}"
        )
    return number


def _check_credentials(ctx: ReadContext) -> None:
    """Refuse wrong credentials, which older releases ignore."""
    authorization = ctx.request.headers.get("authorization") if ctx.request else None
    if authorization and ctx.profile.has(NUGET_CREDENTIALS_ARE_CHECKED):
        require_password(ctx)


def _scope_for(ability: Ability) -> Scope:
    def locate(ctx: ReadContext, reference: str) -> Project:
        check_id(reference)
        _check_credentials(ctx)
        return authorize_or_challenge(ctx, reference, ability)

    return NO_SCOPE / Segment("projects/:id", locate=locate, word="project")


def _get_group(ctx: ReadContext, reference: str) -> Group:
    """Return the group that the caller sees; 401 with a challenge for all who are not signed in, even to a public one.

    Older releases also ask for the right to read packages in the group, besides that in their projects.
    """
    check_id(reference)
    require_password(ctx)
    group = get_group_of_packages(ctx, reference, has_public_registries=True)
    if ctx.deploy_token is None and not ctx.profile.has(NUGET_GROUP_NEEDS_SIGHT):
        authorize(ctx, Ability.READ_PACKAGE, group)
    return group


def get_open_project(ctx: ReadContext, reference: str) -> Project:
    """Return a project, whoever asks, or 404."""
    check_id(reference)
    return get_any_project(ctx, reference)


def get_open_group(ctx: ReadContext, reference: str) -> Group:
    """Return a group, whoever asks, or 404."""
    check_id(reference)
    return get_any_group(ctx, reference)


def _get_project_with_index(ctx: ReadContext, reference: str) -> Project:
    if ctx.profile.has(NUGET_INDEX_IS_PUBLIC):
        return get_open_project(ctx, reference)
    check_id(reference)
    return authorize_or_challenge(ctx, reference, Ability.READ_PACKAGE)


def _get_group_with_index(ctx: ReadContext, reference: str) -> Group:
    return (get_open_group if ctx.profile.has(NUGET_INDEX_IS_PUBLIC) else _get_group)(ctx, reference)


READING: Final = _scope_for(Ability.READ_PACKAGE)
PUBLISHING: Final = _scope_for(Ability.CREATE_PACKAGE)
DELETING: Final = _scope_for(Ability.DESTROY_PACKAGE)
GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_get_group, word="group")
OPEN_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=get_open_project, word="project")
OPEN_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=get_open_group, word="group")
INDEXED_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project_with_index, word="project")
INDEXED_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_get_group_with_index, word="group")


@area.operation("GET", "packages/nuget/index", scope=INDEXED_PROJECT, job_token=True, refusals=(400, 401, 403, 404))
def get_package_nuget_index(ctx: ReadContext, project: Project) -> dict[str, Any]:
    """Get the service index of a project's NuGet registry."""
    return documents.describe_services(ctx, project)


@area.operation(
    "GET", "-/packages/nuget/index", scope=INDEXED_GROUP, since=_GROUPS, job_token=True, refusals=(400, 401, 403, 404)
)
def get_group_package_nuget_index(ctx: ReadContext, group: Group) -> dict[str, Any]:
    """Get the service index of a group's NuGet registry."""
    return documents.describe_services(ctx, group)


@area.operation(
    "GET", "packages/nuget/metadata/:package_name/index", scope=READING, job_token=True, refusals=(400, 401, 403, 404)
)
def get_package_nuget_metadata_index(ctx: ReadContext, project: Project, package_name: str) -> dict[str, Any]:
    """Get the metadata of the versions of a NuGet package of a project."""
    return _describe_versions(ctx, [project], package_name)


@area.operation(
    "GET",
    "-/packages/nuget/metadata/:package_name/index",
    scope=GROUP,
    since=_GROUPS,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_group_nuget_metadata_index(ctx: ReadContext, group: Group, package_name: str) -> dict[str, Any]:
    """Get the metadata of the versions of a NuGet package in the projects of a group."""
    return _describe_versions(ctx, list_readable_projects(ctx, group), package_name)


def _describe_versions(ctx: ReadContext, projects: Iterable[Project], name: str) -> dict[str, Any]:
    return documents.describe_versions(ctx, nuget.list_versions(ctx.world, projects, name))


@area.operation(
    "GET",
    "packages/nuget/metadata/:package_name/:package_version",
    scope=READING,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_package_nuget_metadata(
    ctx: ReadContext, project: Project, package_name: str, package_version: str
) -> dict[str, Any]:
    """Get the metadata of a version of a NuGet package of a project."""
    return _describe_version(ctx, [project], package_name, package_version)


@area.operation(
    "GET",
    "-/packages/nuget/metadata/:package_name/:package_version",
    scope=GROUP,
    since=_GROUPS,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_group_package_nuget_metadata(
    ctx: ReadContext, group: Group, package_name: str, package_version: str
) -> dict[str, Any]:
    """Get the metadata of a version of a NuGet package in the projects of a group."""
    return _describe_version(ctx, list_readable_projects(ctx, group), package_name, package_version)


def _describe_version(ctx: ReadContext, projects: Iterable[Project], name: str, version: str) -> dict[str, Any]:
    package = nuget.get_version(ctx.world, projects, name, version.removesuffix(".json"))
    return documents.describe_version(ctx, package)


class SearchNugetPackages(Params):
    """What NuGet searches for."""

    q: Annotated[str | None, Required(until="<=14.0")] = None
    skip: Annotated[int, Check(lambda number: None if number >= 0 else "is invalid")] = 0
    take: Annotated[int, Check(lambda number: None if number > 0 else "is invalid")] = _TAKE
    prerelease: bool = True


@area.operation(
    "GET",
    "packages/nuget/query",
    scope=READING,
    params=SearchNugetPackages,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_package_nuget_query(ctx: ReadContext, project: Project, p: SearchNugetPackages) -> dict[str, Any]:
    """Search the NuGet packages of a project."""
    return _search(ctx, [project], p)


@area.operation(
    "GET",
    "-/packages/nuget/query",
    scope=GROUP,
    params=SearchNugetPackages,
    since=_GROUPS,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_group_package_nuget_query(ctx: ReadContext, group: Group, p: SearchNugetPackages) -> dict[str, Any]:
    """Search the NuGet packages in the projects of a group."""
    return _search(ctx, list_readable_projects(ctx, group), p)


def _search(ctx: ReadContext, projects: Iterable[Project], p: SearchNugetPackages) -> dict[str, Any]:
    rows = nuget.list_all(ctx.world, projects)
    results = nuget.search(rows, p.q or "", skip=p.skip, take=p.take, pre_releases=p.prerelease)
    return documents.describe_results(ctx, results)


@area.operation(
    "GET", "packages/nuget/download/:package_name/index", scope=READING, job_token=True, refusals=(400, 401, 403, 404)
)
def get_package_nuget_download_index(ctx: ReadContext, project: Project, package_name: str) -> dict[str, list[str]]:
    """List the versions of a NuGet package."""
    rows = nuget.list_versions(ctx.world, [project], package_name)
    return {"versions": sorted(row.version or "" for row in rows)}


@area.operation(
    "GET",
    "packages/nuget/download/:package_name/:package_version/:package_filename",
    scope=READING,
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_package_nuget_download(
    ctx: ReadContext, project: Project, package_name: str, package_version: str, package_filename: str
) -> RawBody:
    """Download a NuGet package or its symbol package."""
    package = nuget.get_version(ctx.world, [project], package_name, package_version)
    return file_response(ctx, nuget.get_file(ctx.world, package, package_filename))


class UploadNugetPackage(Params):
    """A package, as NuGet sends it in a form."""

    package: Upload


@writing.operation(
    "PUT",
    "packages/nuget",
    scope=PUBLISHING,
    params=UploadNugetPackage,
    job_token=True,
    status=201,
    refusals=(400, 401, 403, 404, 409),
)
def upload_nuget_package(ctx: WriteContext, project: Project, p: UploadNugetPackage) -> RawBody:
    """Publish a NuGet package."""
    nuget.upload(ctx, project, p.package.data)
    return RawBody(CREATED, JSON, status=201)


@writing.operation(
    "PUT",
    "packages/nuget/v2",
    scope=PUBLISHING,
    params=UploadNugetPackage,
    since="16.2",
    job_token=True,
    status=201,
    refusals=(400, 401, 403, 404, 409),
)
def upload_nuget_v2_package(ctx: WriteContext, project: Project, p: UploadNugetPackage) -> RawBody:
    """Publish a NuGet package through the feed of protocol version 2."""
    nuget.upload(ctx, project, p.package.data)
    return RawBody(CREATED, JSON, status=201)


@writing.operation(
    "PUT",
    "packages/nuget/symbolpackage",
    scope=PUBLISHING,
    params=UploadNugetPackage,
    since="14.1",
    job_token=True,
    status=201,
    refusals=(400, 401, 403, 404),
)
def upload_nuget_symbol_package(ctx: WriteContext, project: Project, p: UploadNugetPackage) -> RawBody:
    """Publish the symbol package of a NuGet package."""
    nuget.upload_symbols(ctx, project, p.package.data)
    return RawBody(CREATED, JSON, status=201)


@writing.operation(
    "DELETE",
    "packages/nuget/:package_name/:package_version",
    scope=DELETING,
    since="16.5",
    job_token=True,
    refusals=(400, 401, 403, 404, 412),
)
def delete_nuget_package(ctx: WriteContext, project: Project, package_name: str, package_version: str) -> None:
    """Delete a version of a NuGet package."""
    check_name(package_name)
    check_version(package_version)
    package = nuget.get_version(ctx.world, [project], package_name, package_version)
    ctx.check_unmodified_since(package.updated_at)
    protection_rules.authorize_deletion_of_package(ctx, project, package)
    purge(ctx, package)


def check_name(name: str, parameter: str = "package_name") -> str:
    """Return the name of a package, or refuse with 400."""
    if not nuget.is_name(name):
        raise InvalidParams(f"{parameter} is invalid", reason=f"{name!r} is no name of a NuGet package")
    return name


def check_version(version: str) -> str:
    """Return the version of a package, or refuse with 400."""
    if not nuget_versions.is_version(version):
        raise InvalidParams("package_version is invalid", reason=f"{version!r} is no version of a NuGet package")
    return version


_SYMBOL_FILE: Final = "packages/nuget/symbolfiles/:file_name/:signature/:same_file_name"


@area.operation("GET", _SYMBOL_FILE, scope=OPEN_PROJECT, since="16.7", refusals=(400, 403, 404))
def get_package_nuget_symbolfile(
    ctx: ReadContext, project: Project, file_name: str, signature: str, same_file_name: str
) -> RawBody:
    """Download a symbol file by its signature and digest, as debuggers do."""
    settings = package_settings.get_settings(ctx.world, project)
    is_enabled = settings.nuget_symbol_server_enabled
    return _get_symbol(ctx, [project], file_name, signature, same_file_name, is_enabled=is_enabled)


@area.operation("GET", f"-/{_SYMBOL_FILE}", scope=OPEN_GROUP, since="16.7", refusals=(400, 403, 404))
def get_group_package_nuget_symbolfile(
    ctx: ReadContext, group: Group, file_name: str, signature: str, same_file_name: str
) -> RawBody:
    """Download a symbol file from a group by its signature and digest, as debuggers do."""
    is_enabled = bool(group.package_settings.get("nuget_symbol_server_enabled"))
    projects = packages.list_projects(ctx.world, group)
    return _get_symbol(ctx, projects, file_name, signature, same_file_name, is_enabled=is_enabled)


def _get_symbol(
    ctx: ReadContext, projects: Sequence[Project], name: str, signature: str, same_name: str, *, is_enabled: bool
) -> RawBody:
    if name != same_name:
        raise InvalidParams("same_file_name is not the same as file_name")
    if not is_enabled:
        raise Forbidden(reason="the symbol server is off in the settings of packages of the namespace")
    checksum = ctx.request.headers.get("symbolchecksum") if ctx.request else None
    if not checksum:
        raise packages.build_refusal(ctx, "Missing checksum header")
    is_limited = ctx.profile.has(NUGET_SYMBOLS_BELONG_TO_PROJECTS)
    places = projects if is_limited else ctx.world.projects.all()
    symbol = nuget.get_symbol(ctx.world, places, name, signature, _CHECKSUM.findall(checksum))
    return RawBody(symbol.content, "application/octet-stream")
