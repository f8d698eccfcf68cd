"""Generic packages: upload and download of any files. Source: docs/platform/packages.md."""

from typing import Annotated, Final, Literal

import orjson

from fakeplat.api.packages.access import REGISTRY_PROJECT
from fakeplat.api.packages.transfers import CREATED, file_response, read_upload
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Check, Params
from fakeplat.domain.packages import generic, protection_rules
from fakeplat.model.packages import PackageFile, PackageStatus
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import LOOSE_VERSIONS_OF_GENERIC_PACKAGES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages", login=Login.ALWAYS, raw_body=True, deploy_tokens=True)
_PATH: Final = "packages/generic/:package_name/:package_version/:file_name"
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
    refusals=(400, 403),
)
def upload_generic_package_file(
    ctx: WriteContext,
    project: Project,
    package_name: Name,
    package_version: str,
    file_name: Name,
    p: UploadGenericPackageFile,
) -> RawBody:
    """Upload a file of a generic package: the body, or the part ``file`` of a form."""
    _check_version(ctx, package_version)
    protection_rules.authorize_push(ctx, project, "generic", package_name)
    status: PackageStatus | None = p.status
    file = generic.upload(ctx, project, package_name, package_version, file_name, read_upload(ctx), status)
    return RawBody(_describe_file(file) if p.select else CREATED, JSON, status=201)


def _describe_file(file: PackageFile) -> bytes:
    names = ("id", "package_id", "created_at", "updated_at", "size", "file_name", "file_md5", "file_sha1")
    return orjson.dumps({**{name: getattr(file, name) for name in names}, "file_sha256": file.file_sha256})


@area.operation("GET", _PATH, scope=REGISTRY_PROJECT, ability=Ability.READ_PACKAGE, job_token=True, refusals=(400, 404))
def download_generic_package_file(
    ctx: ReadContext, project: Project, package_name: Name, package_version: str, file_name: Name
) -> RawBody:
    """Download a file of a generic package; of several with the same name, the newest."""
    _check_version(ctx, package_version)
    return file_response(ctx, generic.get_file(ctx.world, project, package_name, package_version, file_name))


def _check_version(ctx: ReadContext, version: str) -> None:
    is_loose = ctx.profile.has(LOOSE_VERSIONS_OF_GENERIC_PACKAGES)
    grammar = generic.LOOSE_VERSION if is_loose else generic.VERSION
    if not grammar.fullmatch(version):
        form = "letters, digits, '.', '_', '+' and '-'" if is_loose else "three numbers, such as 1.0.0"
        raise InvalidParams("package_version is invalid", reason=f"package_version must be {form}, not {version!r}")
