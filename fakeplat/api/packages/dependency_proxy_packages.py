"""Packages that are pulled through the dependency proxy of a project. Source: docs/platform/packages.md."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Final
from urllib.parse import unquote

from fakeplat.api.packages.access import build_refusal, get_project, sees_project
from fakeplat.api.packages.transfers import FilePath, file_response
from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Check
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.instance import features
from fakeplat.domain.packages import dependency_proxy, maven
from fakeplat.domain.packages.dependency_proxy import Kind, WantedFile
from fakeplat.domain.people import namespaces
from fakeplat.model.packages import PackageFile
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Dependency proxy of packages", login=Login.NEVER, deploy_tokens=True)
_NPM_FEATURE: Final = "packages_dependency_proxy_npm"
_MAVEN_PATH: Final = "dependency_proxy/packages/maven/*path/:file_name"
_NPM_PATH: Final = "dependency_proxy/packages/npm/*package_name/-/*file_name"
_PATH: Final = re.compile(
    r"/api/v4/projects/[^/]+/dependency_proxy/packages/"
    r"(maven/(?P<path>.+)/(?P<file>[^/]+)|npm/(?P<name>.+?)/-/(?P<tarball>.+))"
)
_DIGESTS: Final = {".md5": "file_md5", ".sha1": "file_sha1"}
_UNSAFE: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "attachment",
}
_BINARY: Final = "application/octet-stream"
MavenFileName = Annotated[str, Check(lambda name: None if maven.is_file_name(name) else "is invalid")]


def _authorize_maven(ctx: ReadContext, reference: str) -> Project:
    """Return the project whose proxy the caller may use; anonymous callers get a challenge instead of any refusal."""
    project = namespaces.find_project(ctx.world, reference)
    if project is None or not sees_project(ctx, project):
        if ctx.viewer is None and ctx.deploy_token is None:
            raise build_refusal(ctx, "nobody is signed in")
        return get_project(ctx, reference)
    job_token_scope.authorize_job(ctx, project)
    if not _may_read(ctx, project):
        raise build_refusal(ctx, "the caller may not read the packages of the project")
    if dependency_proxy.find_setting(project, "maven") is None:
        raise NotFound(reason="the dependency proxy of the project is off for Maven: see dependency_proxy_packages")
    _require_tier(ctx, project)
    return project


def _may_read(ctx: ReadContext, project: Project) -> bool:
    is_known = ctx.viewer is not None or ctx.deploy_token is not None
    return is_known and can(ctx, Ability.READ_PACKAGE, project)


def _require_tier(ctx: ReadContext, project: Project) -> None:
    if not has_feature(ctx.world, "premium", project):
        raise Forbidden(reason="the dependency proxy of packages requires the tier premium")


def _authorize_npm(ctx: ReadContext, reference: str) -> Project:
    """Return the project whose proxy the caller may use; 404 for one that is hidden, or whose proxy is off."""
    project = get_project(ctx, reference)
    job_token_scope.authorize_job(ctx, project)
    features.check_enabled(ctx.world, _NPM_FEATURE, project)
    if dependency_proxy.find_setting(project, "npm") is None:
        raise NotFound(reason="the dependency proxy of the project is off for npm: see dependency_proxy_packages")
    if not _may_read(ctx, project):
        raise Forbidden(reason="the caller may not read the packages of the project")
    _require_tier(ctx, project)
    return project


_MAVEN: Final = NO_SCOPE / Segment("projects/:id", locate=_authorize_maven, word="project")
_NPM: Final = NO_SCOPE / Segment("projects/:id", locate=_authorize_npm, word="project")


def _plan(ctx: ReadContext, records: Sequence[Project], _p: object) -> Callable[[WriteContext], object] | None:
    """Return what keeps a file that is pulled, if the caller may publish packages."""
    # The effect of a read gets no path parameters, so they are taken from the request.
    match = _PATH.fullmatch(ctx.request.path) if ctx.request else None
    if match is None:
        return None
    kind: Kind = "npm" if match["name"] is not None else "maven"
    path, name = unquote(match["name"] or match["path"]), unquote(match["tarball"] or match["file"])
    return dependency_proxy.plan_keeping(ctx, WantedFile(records[0], kind, path, name))


@area.operation(
    "GET",
    _MAVEN_PATH,
    scope=_MAVEN,
    since="16.2",
    job_token=True,
    refusals=(400, 401, 403, 404, 502),
    reading=Reading(effect=_plan),
)
def get_dependency_proxy_package_maven(
    ctx: ReadContext, project: Project, path: str, file_name: MavenFileName
) -> RawBody:
    """Download a file of a Maven package of a registry outside, which is kept in the project's own."""
    suffix = next((suffix for suffix in _DIGESTS if file_name.endswith(suffix)), "")
    if not suffix:
        return _answer(ctx, WantedFile(project, "maven", path, file_name))
    file = _choose(ctx, WantedFile(project, "maven", path, file_name.removesuffix(suffix)))
    return RawBody((getattr(file, _DIGESTS[suffix]) or "").encode(), "text/plain") if file else _bad_gateway()


def _choose(ctx: ReadContext, wanted: WantedFile) -> PackageFile | None:
    """Return the file that is kept, unless the registry outside has another one."""
    kept = dependency_proxy.find_file(ctx.world, wanted.project, wanted)
    upstream = dependency_proxy.find_upstream_file(ctx, wanted)
    return kept if kept is not None and dependency_proxy.is_current(kept, upstream) else upstream


def _answer(ctx: ReadContext, wanted: WantedFile) -> RawBody:
    file = _choose(ctx, wanted)
    if file is None:
        has_registry = dependency_proxy.find_registry(ctx, wanted.project, wanted.kind) is not None
        return _pass_on_refusal() if has_registry else _bad_gateway()
    if file == dependency_proxy.find_file(ctx.world, wanted.project, wanted):
        return file_response(ctx, file)
    return RawBody(file.content, _BINARY, tuple(_UNSAFE.items()))


def _pass_on_refusal() -> RawBody:
    """Return the refusal of the registry outside."""
    return RawBody(b'{"message":"404 Package Not Found"}', "application/json", tuple(_UNSAFE.items()), 404)


def _bad_gateway() -> RawBody:
    """Return what clients get if the registry outside cannot be asked."""
    return RawBody(b"Bad Gateway\n", "text/plain; charset=utf-8", (), 502)


@area.operation(
    "GET",
    _NPM_PATH,
    scope=_NPM,
    since="16.11",
    job_token=True,
    refusals=(400, 401, 403, 404, 502),
    reading=Reading(effect=_plan),
)
def get_dependency_proxy_package_npm(
    ctx: ReadContext, project: Project, package_name: str, file_name: FilePath
) -> RawBody:
    """Download the tarball of an npm package of a registry outside, which is kept in the project's own."""
    if not dependency_proxy.is_npm_name(package_name):
        raise InvalidParams("package_name is invalid")
    return _answer(ctx, WantedFile(project, "npm", package_name, file_name))
