"""The npm registry, of the instance and of projects. Source: docs/platform/packages.md."""

from typing import Any, Final
from urllib.parse import quote

import orjson

from fakeplat.api.packages.access import REGISTRY_PROJECT, authorize_found
from fakeplat.api.packages.transfers import file_response
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidParams
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import parse_body
from fakeplat.domain.packages import npm, protection_rules
from fakeplat.entities import urls
from fakeplat.entities.packages import PublishedPackage
from fakeplat.model.packages import Package
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (npm)", login=Login.WRITES, raw_body=True, deploy_tokens=True)
_REGISTRY: Final = "https://registry.npmjs.org"
_TAGS: Final = "packages/npm/-/package/*package_name/dist-tags"


@area.operation("GET", "packages/npm/*package_name", job_token=True, also=(302,), refusals=(403,))
def get_npm_package(ctx: ReadContext, package_name: str) -> dict[str, Any] | RawBody:
    """Get the metadata of an npm package.

    An unknown package is looked up at the public registry (302), unless the settings forbid it.
    """
    project = npm.find_project(ctx.world, package_name)
    if project is None and ctx.world.settings.npm_package_requests_forwarding:
        location = f"{_REGISTRY}/{quote(package_name, safe='@/')}"
        return RawBody(b"", "text/html; charset=utf-8", (("Location", location),), 302)
    return _describe(ctx, _authorize(ctx, project, Ability.READ_PACKAGE, package_name), package_name)


@area.operation(
    "GET",
    "packages/npm/*package_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.8",
    job_token=True,
    refusals=(404,),
)
def get_project_npm_package(ctx: ReadContext, project: Project, package_name: str) -> dict[str, Any]:
    """Get the metadata of an npm package of a project."""
    npm.require_package(ctx.world, project, package_name)
    return _describe(ctx, project, package_name)


def _describe(ctx: ReadContext, project: Project, package_name: str) -> dict[str, Any]:
    base = urls.api_url(ctx, f"projects/{project.id}/packages/npm")
    return npm.describe_package(ctx.world, project, package_name, base)


def _authorize(ctx: ReadContext, project: Project | None, ability: Ability, package_name: str) -> Project:
    """Return the project of a package, for which the caller needs an ability; 403 for an unknown package."""
    if project is None:
        raise Forbidden(reason=f"no project has an npm package {package_name}")
    authorize_found(ctx, ability, project)
    return project


@area.operation("GET", _TAGS, job_token=True, refusals=(403,))
def list_npm_dist_tags(ctx: ReadContext, package_name: str) -> dict[str, str]:
    """List the tags of an npm package with their versions."""
    project = _authorize(ctx, npm.find_project(ctx.world, package_name), Ability.READ_PACKAGE, package_name)
    return npm.list_tags(ctx.world, project, package_name)


@area.operation("PUT", f"{_TAGS}/:tag", job_token=True, status=204, refusals=(400, 403, 404))
def set_npm_dist_tag(ctx: WriteContext, package_name: str, tag: str) -> None:
    """Set a tag on a version of an npm package; the body is the version as a JSON string."""
    version = _read_version(ctx)
    project = _authorize(ctx, npm.find_project(ctx.world, package_name), Ability.CREATE_PACKAGE, package_name)
    npm.set_tag(ctx, npm.get_version(ctx.world, project, package_name, version), tag)


def _read_version(ctx: ReadContext) -> str:
    try:
        version = orjson.loads(ctx.request.body if ctx.request else b"")
    except orjson.JSONDecodeError:
        version = None
    if not isinstance(version, str) or not version.strip():
        raise BadRequest.not_given("Version")
    return version


@area.operation("DELETE", f"{_TAGS}/:tag", job_token=True, refusals=(403, 404))
def delete_npm_dist_tag(ctx: WriteContext, package_name: str, tag: str) -> None:
    """Delete a tag of an npm package."""
    project = _authorize(ctx, npm.find_project(ctx.world, package_name), Ability.DESTROY_PACKAGE, package_name)
    npm.delete_tag(ctx, project, package_name, tag)


@area.operation(
    "GET",
    _TAGS,
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.8",
    job_token=True,
    refusals=(404,),
)
def list_project_npm_dist_tags(ctx: ReadContext, project: Project, package_name: str) -> dict[str, str]:
    """List the tags of an npm package of a project with their versions."""
    npm.require_package(ctx.world, project, package_name)
    return npm.list_tags(ctx.world, project, package_name)


@area.operation(
    "PUT",
    f"{_TAGS}/:tag",
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    since="13.8",
    job_token=True,
    status=204,
    refusals=(400, 404),
)
def set_project_npm_dist_tag(ctx: WriteContext, project: Project, package_name: str, tag: str) -> None:
    """Set a tag on a version of an npm package of a project; the body is the version as a JSON string."""
    npm.set_tag(ctx, npm.get_version(ctx.world, project, package_name, _read_version(ctx)), tag)


@area.operation(
    "DELETE",
    f"{_TAGS}/:tag",
    scope=REGISTRY_PROJECT,
    ability=Ability.DESTROY_PACKAGE,
    since="13.8",
    job_token=True,
    refusals=(404,),
)
def delete_project_npm_dist_tag(ctx: WriteContext, project: Project, package_name: str, tag: str) -> None:
    """Delete a tag of an npm package of a project."""
    npm.delete_tag(ctx, project, package_name, tag)


@area.operation(
    "GET",
    "packages/npm/*package_name/-/*file_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    job_token=True,
    refusals=(404,),
)
def download_npm_package_file(ctx: ReadContext, project: Project, package_name: str, file_name: str) -> RawBody:
    """Download the tarball of a version of an npm package."""
    return file_response(npm.get_file(ctx.world, project, package_name, file_name))


@area.operation(
    "PUT",
    "packages/npm/:package_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    view=PublishedPackage,
    job_token=True,
    refusals=(400, 403),
)
def upload_npm_package(ctx: WriteContext, project: Project, package_name: str) -> Package:
    """Upload a version of an npm package, in the document that npm publishes it with."""
    # The body is parsed here, because the tarball in it may exceed the limit of other bodies.
    document = parse_body("application/json", ctx.request.body if ctx.request else b"")
    if "versions" not in document:
        raise InvalidParams("versions is missing")
    if not isinstance(document["versions"], dict):
        raise InvalidParams("versions is invalid")
    protection_rules.authorize_push(ctx, project, "npm", package_name)
    return npm.publish(ctx, project, package_name, document)
