"""Generic packages: upload and download of any files. Source: docs/platform/packages.md."""

from typing import Annotated, Final, Literal

import orjson
from attrs import evolve

from fakeplat.api.packages.access import REGISTRY_PROJECT, build_visitor_scope
from fakeplat.api.packages.transfers import CREATED, file_response, read_upload
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area
from fakeplat.core.params.params import Check, Params
from fakeplat.domain.packages import generic, packages, protection_rules
from fakeplat.model.packages import PackageFile, PackageStatus
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import (
    GENERIC_FILE_NAMES_HAVE_MORE_SIGNS,
    GENERIC_FILES_ARE_PUBLIC,
    GENERIC_FILES_SAY_THEIR_DIGEST,
    LOOSE_VERSIONS_OF_GENERIC_PACKAGES,
)
from fakeplat.policy.context import ReadContext, WriteContext


def _needs_login(world: World) -> bool:
    return not world.profile.has(GENERIC_FILES_ARE_PUBLIC)


area: Final = Area("Packages", login=_needs_login, raw_body=True, deploy_tokens=True)
_READ_PROJECT: Final = build_visitor_scope(GENERIC_FILES_ARE_PUBLIC)
_FOLDER: Final = "packages/generic/:package_name/:package_version"
_PATH: Final = f"{_FOLDER}/:file_name"
_PATH_IN_FOLDER: Final = f"{_FOLDER}/*path/:file_name"
_FOLDERS_SINCE: Final = "<=18.9"
Name = Annotated[str, Check(lambda name: None if generic.is_name(name) else "is invalid")]


class UploadGenericPackageFile(Params):
    """What happens to the package, and what the response shows; both are from later releases."""

    status: Literal["default", "hidden"] | None = None
    select: Literal["package_file"] | None = None


@area.operation(
    "PUT",
    _PATH,
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    params=UploadGenericPackageFile,
    status=201,
    job_token=True,
    also=(200,),
    refusals=(400, 403),
)
def upload_generic_package_file(
    ctx: WriteContext,
    project: Project,
    package_name: Name,
    package_version: str,
    file_name: str,
    p: UploadGenericPackageFile,
) -> RawBody:
    """Upload a file of a generic package: the body, or the part ``file`` of a form."""
    return _upload(ctx, project, (package_name, package_version, _check_names(ctx, package_version, file_name)), p)


@area.operation(
    "PUT",
    _PATH_IN_FOLDER,
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    params=UploadGenericPackageFile,
    status=201,
    job_token=True,
    also=(200,),
    refusals=(400, 403),
    since=_FOLDERS_SINCE,
    ours=True,
)
def upload_generic_package_file_in_folder(
    ctx: WriteContext,
    project: Project,
    package_name: Name,
    package_version: str,
    path: str,
    file_name: str,
    p: UploadGenericPackageFile,
) -> RawBody:
    """Upload a file to a folder of a generic package."""
    name = _check_names(ctx, package_version, file_name, path)
    return _upload(ctx, project, (package_name, package_version, name), p)


def _upload(ctx: WriteContext, project: Project, names: tuple[str, str, str], p: UploadGenericPackageFile) -> RawBody:
    """Store what was uploaded under the names of a package, its version and a file."""
    package_name, package_version, file_name = names
    protection_rules.authorize_push(ctx, project, "generic", package_name)
    status: PackageStatus | None = p.status
    file = generic.upload(ctx, project, package_name, package_version, file_name, read_upload(ctx), status)
    return RawBody(_describe_file(file), JSON) if p.select else RawBody(CREATED, JSON, status=201)


def _describe_file(file: PackageFile) -> bytes:
    names = ("id", "package_id", "created_at", "updated_at", "size", "file_name", "file_md5", "file_sha1")
    return orjson.dumps({**{name: getattr(file, name) for name in names}, "file_sha256": file.file_sha256})


@area.operation(
    "GET", _PATH, scope=_READ_PROJECT, ability=Ability.READ_PACKAGE, job_token=True, refusals=(400, 401, 404)
)
def download_generic_package_file(
    ctx: ReadContext, project: Project, package_name: Name, package_version: str, file_name: str
) -> RawBody:
    """Download a file of a generic package; of several with the same name, the newest."""
    return _download(ctx, project, package_name, package_version, _check_names(ctx, package_version, file_name))


@area.operation(
    "GET",
    _PATH_IN_FOLDER,
    scope=_READ_PROJECT,
    ability=Ability.READ_PACKAGE,
    job_token=True,
    refusals=(400, 401, 404),
    since=_FOLDERS_SINCE,
    ours=True,
)
def download_generic_package_file_in_folder(
    ctx: ReadContext, project: Project, package_name: Name, package_version: str, path: str, file_name: str
) -> RawBody:
    """Download a file from a folder of a generic package."""
    name = _check_names(ctx, package_version, file_name, path)
    return _download(ctx, project, package_name, package_version, name)


def _download(ctx: ReadContext, project: Project, package_name: str, package_version: str, file_name: str) -> RawBody:
    file = generic.get_file(ctx.world, project, package_name, package_version, file_name)
    response = file_response(ctx, file)
    if file.file_sha256 and ctx.profile.has(GENERIC_FILES_SAY_THEIR_DIGEST):
        return evolve(response, headers=(*response.headers, ("X-Checksum-SHA256", file.file_sha256)))
    return response


def _check_names(ctx: ReadContext, version: str, file_name: str, path: str = "") -> str:
    """Return the stored name of a file, if its parts are valid."""
    _check_version(ctx, version)
    if not generic.is_name(file_name, is_later_file=ctx.profile.has(GENERIC_FILE_NAMES_HAVE_MORE_SIGNS)):
        raise InvalidParams("file_name is invalid", reason=f"{file_name!r} is no valid name of a file")
    if packages.leads_elsewhere(path):
        raise InvalidParams("path should be a valid file path", reason=f"{path!r} leaves the package")
    return generic.join_path(path, file_name)


def _check_version(ctx: ReadContext, version: str) -> None:
    is_loose = ctx.profile.has(LOOSE_VERSIONS_OF_GENERIC_PACKAGES)
    grammar = generic.LOOSE_VERSION if is_loose else generic.VERSION
    if not grammar.fullmatch(version):
        form = "letters, digits, '.', '_', '+' and '-'" if is_loose else "three numbers, such as 1.0.0"
        raise InvalidParams("package_version is invalid", reason=f"package_version must be {form}, not {version!r}")
