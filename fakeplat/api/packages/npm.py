"""The npm registry, of the instance, groups and projects. Source: docs/platform/packages.md."""

from typing import Any, Final

import orjson

from fakeplat.api.packages import npm_refusals
from fakeplat.api.packages.access import (
    ANY_PROJECT,
    REGISTRY_GROUP,
    REGISTRY_PROJECT,
    ask_visitors_to_login,
    authorize_found,
    authorize_seen,
    build_visitor_scope,
    sees_project,
)
from fakeplat.api.packages.transfers import file_response
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidParams, NotFound, Unauthorized
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import parse_body
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.packages import npm, package_settings
from fakeplat.entities import urls
from fakeplat.entities.packages import PublishedPackage
from fakeplat.model.packages import Package
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import (
    MISSING_ATTRIBUTE,
    NPM_ASKS_VISITORS_TO_LOGIN,
    NPM_DEPRECATES,
    NPM_HIDES_UNKNOWN_PROJECTS,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area(
    "Packages (npm)", login=Login.WRITES, raw_body=True, deploy_tokens=True, amend_refusal=npm_refusals.add_error
)
_JOB_ID: Final = 24
_TAGS: Final = "packages/npm/-/package/*package_name/dist-tags"
_TAGGED_PROJECT: Final = build_visitor_scope(NPM_ASKS_VISITORS_TO_LOGIN)


@area.operation("GET", "packages/npm/*package_name", job_token=True, also=(302,), refusals=(401, 403, 404))
def get_npm_package(ctx: ReadContext, package_name: str) -> dict[str, Any] | RawBody:
    """Get the metadata of an npm package.

    An unknown package is looked up at the public registry (302), unless the settings forbid it.
    """
    project = npm.find_project(ctx.world, package_name)
    if project is None and package_settings.is_forwarded(ctx.world, None, "npm"):
        return package_settings.forward(ctx, "npm", package_name)
    return _describe(ctx, _authorize(ctx, project, Ability.READ_PACKAGE, package_name), package_name)


@area.operation(
    "GET",
    "packages/npm/*package_name",
    scope=ANY_PROJECT,
    since="13.8",
    job_token=True,
    also=(302,),
    refusals=(401, 403, 404),
)
def get_project_npm_package(ctx: ReadContext, project: Project, package_name: str) -> dict[str, Any] | RawBody:
    """Get the metadata of an npm package of a project.

    An unknown package is looked up at the public registry (302), unless the settings forbid it. Nobody needs rights in
    the project for that.
    """
    is_known = npm.has_package(ctx.world, project, package_name)
    if not is_known and package_settings.is_forwarded(ctx.world, project, "npm"):
        return package_settings.forward(ctx, "npm", package_name)
    ask_visitors_to_login(ctx, project, NPM_ASKS_VISITORS_TO_LOGIN)
    authorize_seen(ctx, Ability.READ_PACKAGE, project)
    npm.require_package(ctx.world, project, package_name)
    return _describe(ctx, project, package_name)


@area.operation(
    "GET",
    "-/packages/npm/*package_name",
    scope=REGISTRY_GROUP,
    since="16.1",
    job_token=True,
    also=(302,),
    refusals=(401, 403, 404),
)
def get_group_npm_package(ctx: ReadContext, group: Group, package_name: str) -> dict[str, Any] | RawBody:
    """Get the metadata of an npm package in the projects of a group.

    An unknown package is looked up at the public registry (302), unless the settings forbid it.
    """
    project = npm.find_project_in_group(ctx.world, group, package_name)
    if project is None:
        if package_settings.is_forwarded(ctx.world, None, "npm"):
            return package_settings.forward(ctx, "npm", package_name)
        raise NotFound("Packages", reason=f"no project of the group has an npm package {package_name}")
    if not can(ctx, Ability.READ_PACKAGE, project):
        if ctx.viewer is None and ctx.deploy_token is None:
            raise Unauthorized(reason="nobody is signed in")
        raise Forbidden(reason=f"the project of {package_name} is closed to the caller")
    job_token_scope.authorize_job(ctx, project)
    return _describe(ctx, project, package_name)


def _describe(ctx: ReadContext, project: Project, package_name: str) -> dict[str, Any]:
    base = urls.api_url(ctx, f"projects/{project.id}/packages/npm")
    return npm.describe_package(ctx.world, project, package_name, base)


def _authorize(ctx: ReadContext, project: Project | None, ability: Ability, package_name: str) -> Project:
    """Return the project of a package, for which the caller needs an ability; 403, later 404 for an unknown package."""
    ask_visitors_to_login(ctx, project, NPM_ASKS_VISITORS_TO_LOGIN)
    hides = ctx.profile.has(NPM_HIDES_UNKNOWN_PROJECTS)
    if project is None:
        reason = f"no project has an npm package {package_name}"
        raise NotFound("Project", reason=reason) if hides else Forbidden(reason=reason)
    (authorize_seen if hides else authorize_found)(ctx, ability, project)
    return project


@area.operation("GET", _TAGS, job_token=True, refusals=(401, 403, 404))
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
        raise BadRequest(ctx.profile.choose(MISSING_ATTRIBUTE).format("Version"))
    return version


@area.operation("DELETE", f"{_TAGS}/:tag", job_token=True, refusals=(403, 404))
def delete_npm_dist_tag(ctx: WriteContext, package_name: str, tag: str) -> None:
    """Delete a tag of an npm package."""
    project = _authorize(ctx, npm.find_project(ctx.world, package_name), Ability.DESTROY_PACKAGE, package_name)
    npm.delete_tag(ctx, project, package_name, tag)


@area.operation(
    "GET",
    _TAGS,
    scope=_TAGGED_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.8",
    job_token=True,
    refusals=(401, 404),
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
    return file_response(ctx, npm.get_file(ctx.world, project, package_name, file_name))


@area.operation(
    "PUT",
    "packages/npm/:package_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    view=PublishedPackage,
    job_token=True,
    refusals=(400, 403),
)
def upload_npm_package(ctx: WriteContext, project: Project, package_name: str) -> Package | RawBody:
    """Upload a version of an npm package, in the document that npm publishes it with.

    Later releases deprecate versions instead if npm's header says so.
    """
    # The body is parsed here, because the tarball in it may exceed the limit of other bodies.
    document = parse_body("application/json", ctx.request.body if ctx.request else b"")
    if "versions" not in document:
        raise InvalidParams("versions is missing")
    if not isinstance(document["versions"], dict):
        raise InvalidParams("versions is invalid")
    if _is_deprecating(ctx):
        authorize(ctx, Ability.DESTROY_PACKAGE, project)
        npm.deprecate(ctx, project, package_name, document["versions"])
        # The platform answers with the id of a background job.
        return RawBody(orjson.dumps(ctx.random_uuid("job").replace("-", "")[:_JOB_ID]), JSON)
    return npm.publish(ctx, project, package_name, document)


def _is_deprecating(ctx: ReadContext) -> bool:
    command = ctx.request.headers.get("npm-command") if ctx.request else None
    return command == "deprecate" and ctx.profile.has(NPM_DEPRECATES)


def _get_project_of_group(ctx: ReadContext, group: Group, package_name: str, ability: Ability) -> Project:
    """Return the project of a group that has a package, for which the caller needs an ability."""
    project = npm.find_project_in_group(ctx.world, group, package_name)
    ask_visitors_to_login(ctx, project, NPM_ASKS_VISITORS_TO_LOGIN)
    if project is None or not sees_project(ctx, project):
        raise NotFound("Project", reason=f"no project of the group that the caller sees has a package {package_name}")
    authorize_found(ctx, ability, project)
    return project


_GROUP_TAGS: Final = f"-/{_TAGS}"


@area.operation("GET", _GROUP_TAGS, scope=REGISTRY_GROUP, since="16.1", job_token=True, refusals=(401, 403, 404))
def list_group_npm_dist_tags(ctx: ReadContext, group: Group, package_name: str) -> dict[str, str]:
    """List the tags of an npm package of a group with their versions."""
    project = _get_project_of_group(ctx, group, package_name, Ability.READ_PACKAGE)
    return npm.list_tags(ctx.world, project, package_name)


@area.operation(
    "PUT",
    f"{_GROUP_TAGS}/:tag",
    scope=REGISTRY_GROUP,
    since="16.1",
    job_token=True,
    status=204,
    refusals=(400, 403, 404),
)
def set_group_npm_dist_tag(ctx: WriteContext, group: Group, package_name: str, tag: str) -> None:
    """Set a tag on a version of an npm package of a group; the body is the version as a JSON string."""
    version = _read_version(ctx)
    project = _get_project_of_group(ctx, group, package_name, Ability.CREATE_PACKAGE)
    npm.set_tag(ctx, npm.get_version(ctx.world, project, package_name, version), tag)


@area.operation(
    "DELETE", f"{_GROUP_TAGS}/:tag", scope=REGISTRY_GROUP, since="16.1", job_token=True, refusals=(403, 404)
)
def delete_group_npm_dist_tag(ctx: WriteContext, group: Group, package_name: str, tag: str) -> None:
    """Delete a tag of an npm package of a group."""
    project = _get_project_of_group(ctx, group, package_name, Ability.DESTROY_PACKAGE)
    npm.delete_tag(ctx, project, package_name, tag)


_ADVISORIES: Final = "-/npm/v1/security/advisories/bulk"
_AUDITS: Final = "-/npm/v1/security/audits/quick"


def _forward_audit(ctx: ReadContext, container: Project | None, path: str) -> list[Any] | RawBody:
    """Return the redirect to the public registry, which is asked with the same body; else that nothing is known.

    The registries of groups and of the instance do not know whose packages are meant.
    """
    if package_settings.is_forwarded(ctx.world, container, "npm"):
        return package_settings.forward(ctx, "npm", path, 307)
    if container is None:
        raise NotFound("Project", reason="an audit names no project, and npm_package_requests_forwarding is off")
    authorize_seen(ctx, Ability.READ_PACKAGE, container)
    return []


@area.operation(
    "POST",
    f"packages/npm/{_ADVISORIES}",
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(404,),
)
def check_npm_advisories(ctx: ReadContext) -> list[Any] | RawBody:
    """Check npm packages for advisories, at the public registry."""
    return _forward_audit(ctx, None, _ADVISORIES)


@area.operation(
    "POST",
    f"packages/npm/{_AUDITS}",
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(404,),
)
def check_npm_audits(ctx: ReadContext) -> list[Any] | RawBody:
    """Check npm packages of a lock file, at the public registry."""
    return _forward_audit(ctx, None, _AUDITS)


@area.operation(
    "POST",
    f"-/packages/npm/{_ADVISORIES}",
    scope=REGISTRY_GROUP,
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(404,),
)
def create_group_security_advisory_bulk(ctx: ReadContext, _group: Group) -> list[Any] | RawBody:
    """Check npm packages for advisories through a group, at the public registry."""
    return _forward_audit(ctx, None, _ADVISORIES)


@area.operation(
    "POST",
    f"-/packages/npm/{_AUDITS}",
    scope=REGISTRY_GROUP,
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(404,),
)
def create_group_security_audit_quick(ctx: ReadContext, _group: Group) -> list[Any] | RawBody:
    """Check npm packages of a lock file through a group, at the public registry."""
    return _forward_audit(ctx, None, _AUDITS)


@area.operation(
    "POST",
    f"packages/npm/{_ADVISORIES}",
    scope=ANY_PROJECT,
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(403, 404),
)
def check_project_npm_advisories(ctx: ReadContext, project: Project) -> list[Any] | RawBody:
    """Check npm packages for advisories through a project: at the public registry, or without any."""
    return _forward_audit(ctx, project, _ADVISORIES)


@area.operation(
    "POST",
    f"packages/npm/{_AUDITS}",
    scope=ANY_PROJECT,
    since="15.6",
    job_token=True,
    status=200,
    also=(307,),
    reads=True,
    login=Login.ALWAYS,
    refusals=(403, 404),
)
def check_project_npm_audits(ctx: ReadContext, project: Project) -> list[Any] | RawBody:
    """Check npm packages of a lock file through a project: at the public registry, or without findings."""
    return _forward_audit(ctx, project, _AUDITS)
