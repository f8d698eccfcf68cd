"""The registry of Terraform modules: those of groups for Terraform, and those of projects.

Source: docs/platform/packages.md.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.packages.access import build_refusal, challenged_scope
from fakeplat.api.packages.transfers import CREATED, file_response, read_upload
from fakeplat.core.operations.errors import NotFound, NotFoundWithMessage, RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Check, Named, Params
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.packages import packages, semver, terraform_modules
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.model.packages import Package
from fakeplat.model.projects import Project
from fakeplat.policy import package_tokens
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import TERRAFORM_MODULES_ARE_DISCOVERED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import covers_namespace

area: Final = Area(
    "Packages (Terraform modules)", login=Login.NEVER, raw_body=True, deploy_tokens=True, package_token="terraform"
)
discovery: Final = Area("Packages (Terraform modules)", login=Login.NEVER, prefix="", credentials="own")
_ROOT: Final = "packages/terraform/modules/v1"
_IN_PROJECT: Final = "packages/terraform/modules/:module_name/:module_system"
_TOKEN_LIFETIME: Final = 5 * MINUTE
_LATEST: Final = "<=16.0"
# The scope finds a module, which is no record that time could advance.
_STILL: Final = Reading(advances=lambda _world, _records: ())
Version = Annotated[str, Check(lambda text: None if semver.is_version(text) else "is invalid")]


@frozen
class Module:
    """A module of a group with those versions that the caller may read."""

    namespace: str
    name: str
    system: str
    versions: Sequence[Package]

    @property
    def path(self) -> str:
        """The path of the module in the registry."""
        return f"/api/v4/{_ROOT}/{self.namespace}/{self.name}/{self.system}"

    def find(self, version: str) -> Package | None:
        """Return a version, None if there is none."""
        return next((package for package in self.versions if package.version == version), None)


def _locate(ctx: ReadContext, values: tuple[str, str, str]) -> Module:
    namespace, name, system = values
    group = namespaces.find_group(ctx.world, namespace)
    versions = terraform_modules.list_in_group(ctx, group, f"{name}/{system}") if group is not None else []
    if versions:
        job_token_scope.authorize_job(ctx, ctx.world.projects[versions[0].project_id])
    elif group is None or not _may_read(ctx, group.id):
        raise build_refusal(ctx, f"there is no module {name}/{system} in {namespace} that the caller may read")
    return Module(namespace, name, system, versions)


def _may_read(ctx: ReadContext, group_id: int) -> bool:
    group, token = ctx.world.namespaces[group_id], ctx.deploy_token
    return can(ctx, Ability.READ_PACKAGE, group) or (token is not None and covers_namespace(ctx.world, token, group_id))


MODULE: Final = NO_SCOPE / Segment(f"{_ROOT}/:module_namespace/:module_name/:module_system", locate=_locate)
PROJECT: Final = challenged_scope(Ability.READ_PACKAGE, strict=True)
WRITING: Final = challenged_scope(Ability.CREATE_PACKAGE)


@discovery.operation("GET", ".well-known/terraform.json")
def get_terraform_discovery(ctx: ReadContext) -> dict[str, str]:
    """Get the address of the registry of Terraform modules."""
    if not ctx.profile.has(TERRAFORM_MODULES_ARE_DISCOVERED):
        raise RouteNotFound(reason="the registry of Terraform modules exists since 14.0")
    return {"modules.v1": f"/api/v4/{_ROOT}/"}


@area.operation(
    "GET",
    "versions",
    name="list_package_terraform_module_versions",
    scope=MODULE,
    since="14.0",
    job_token=True,
    refusals=(401, 403),
)
def list_terraform_module_versions(ctx: ReadContext, module: Module) -> dict[str, Any]:
    """List the versions of a Terraform module."""
    versions = [_describe_version(module, package) for package in module.versions]
    source = {"source": _source(ctx, module.versions[0])} if module.versions else {}
    return {"modules": [{"versions": versions, **source}]}


def _describe_version(module: Module, package: Package) -> dict[str, Any]:
    root = {"dependencies": [], "providers": [{"name": module.system, "version": ""}]}
    return {"version": package.version, "submodules": [], "root": root}


def _source(ctx: ReadContext, package: Package) -> str:
    return urls.project_url(ctx, ctx.world.projects[package.project_id])


@area.operation(
    "GET",
    "download",
    name="get_package_terraform_module_download",
    scope=MODULE,
    status=302,
    since=_LATEST,
    job_token=True,
    refusals=(401, 403),
)
def redirect_to_latest_terraform_module(_ctx: ReadContext, module: Module) -> RawBody:
    """Get the address of the latest version of a Terraform module (302)."""
    location = f"{module.path}/{_get_latest(module).version}/download"
    text = f"This resource has been moved temporarily to {location}."
    return RawBody(text.encode(), "text/plain", (("Location", location),), 302)


def _get_latest(module: Module) -> Package:
    latest = terraform_modules.find_latest(module.versions)
    if latest is None:
        raise NotFoundWithMessage({"error": f"No version found for {module.name} module"})
    return latest


@area.operation(
    "GET",
    "",
    name="get_package_terraform_module",
    scope=MODULE,
    reading=_STILL,
    since=_LATEST,
    job_token=True,
    refusals=(401, 403),
)
def get_latest_terraform_module(ctx: ReadContext, module: Module) -> dict[str, Any]:
    """Get the latest version of a Terraform module."""
    return _describe(ctx, module, _get_latest(module))


def _describe(ctx: ReadContext, module: Module, package: Package) -> dict[str, Any]:
    return {
        "name": package.name,
        "provider": module.system,
        "providers": [module.system],
        "root": {"dependencies": []},
        "source": _source(ctx, package),
        "submodules": [],
        "version": package.version,
        "versions": [package.version],
    }


@area.operation(
    "GET",
    ":module_version",
    name="get_package_terraform_module_by_module_version",
    scope=MODULE,
    since=_LATEST,
    job_token=True,
    refusals=(401, 403),
)
def get_terraform_module_version(ctx: ReadContext, module: Module, module_version: str) -> dict[str, Any]:
    """Get a version of a Terraform module."""
    return _describe(ctx, module, _get_version(ctx, module, module_version))


def _get_version(ctx: ReadContext, module: Module, version: str) -> Package:
    package = module.find(version)
    if package is None or not packages.list_files(ctx.world, package):
        raise NotFound(reason=f"{module.name}/{module.system} has no version {version}")
    return package


@area.operation(
    "GET",
    ":module_version/download",
    name="get_package_terraform_module_download_by_module_version",
    scope=MODULE,
    status=204,
    since="14.0",
    job_token=True,
    refusals=(401, 403),
)
def get_terraform_module_location(ctx: ReadContext, module: Module, module_version: str) -> RawBody:
    """Get the address of the archive of a version of a Terraform module, in a header."""
    _get_version(ctx, module, module_version)
    token = package_tokens.find_token(ctx, "terraform", _TOKEN_LIFETIME) or ""
    location = f"{module.path}/{module_version}/file?token={token}&archive=tgz"
    return RawBody(b"", "", (("X-Terraform-Get", location),), 204)


@area.operation(
    "GET",
    ":module_version/file",
    name="get_package_terraform_module_file",
    scope=MODULE,
    since="14.0",
    job_token=True,
    refusals=(401, 403),
)
def download_terraform_module(ctx: ReadContext, module: Module, module_version: str) -> RawBody:
    """Download the archive of a version of a Terraform module, with the token in its address."""
    return file_response(ctx, terraform_modules.get_file(ctx.world, module.find(module_version)))


class DownloadTerraformModule(Params):
    """How the archive is downloaded: Terraform asks for its address first."""

    terraform_get: Annotated[Literal["1"] | None, Named("terraform-get")] = None


@area.operation(
    "GET",
    _IN_PROJECT,
    name="get_project_package_terraform_module",
    scope=PROJECT,
    params=DownloadTerraformModule,
    also=(204,),
    since="16.7",
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def download_latest_project_terraform_module(
    ctx: ReadContext, project: Project, module_name: str, module_system: str, p: DownloadTerraformModule
) -> RawBody:
    """Download the archive of the latest version of a Terraform module of a project."""
    versions = packages.list_named(ctx.world, project, "terraform_module", f"{module_name}/{module_system}")
    return _download(ctx, terraform_modules.find_latest(versions), p)


@area.operation(
    "GET",
    f"{_IN_PROJECT}/:module_version",
    name="get_package_terraform_module_2",
    scope=PROJECT,
    params=DownloadTerraformModule,
    also=(204,),
    since="16.7",
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def download_project_terraform_module(
    ctx: ReadContext,
    project: Project,
    module_name: str,
    module_system: str,
    module_version: Version,
    p: DownloadTerraformModule,
) -> RawBody:
    """Download the archive of a version of a Terraform module of a project."""
    versions = packages.list_named(ctx.world, project, "terraform_module", f"{module_name}/{module_system}")
    return _download(ctx, next((row for row in versions if row.version == module_version), None), p)


def _download(ctx: ReadContext, package: Package | None, p: DownloadTerraformModule) -> RawBody:
    if p.terraform_get is not None and ctx.request is not None:
        location = f"{ctx.origin}{ctx.request.path}?archive=tgz"
        return RawBody(b"", "", (("X-Terraform-Get", location),), 204)
    return file_response(ctx, terraform_modules.get_file(ctx.world, package))


@area.operation(
    "PUT",
    f"{_IN_PROJECT}/:module_version/file",
    name="update_package_terraform_module_file",
    scope=WRITING,
    status=201,
    since="13.11",
    job_token=True,
    refusals=(400, 401, 403, 422),
)
def upload_terraform_module(
    ctx: WriteContext, project: Project, module_name: str, module_system: str, module_version: Version
) -> RawBody:
    """Publish a version of a Terraform module: the body, or the part ``file`` of a form."""
    terraform_modules.upload(ctx, project, module_name, module_system, module_version, read_upload(ctx))
    return RawBody(CREATED, JSON, status=201)
