"""Maven repositories of projects, groups and the instance. Source: docs/platform/packages.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from attrs import evolve

from fakeplat.api.packages.access import (
    REGISTRY_PROJECT,
    authorize_found,
    build_challenged_group_scope,
    build_challenged_scope,
    challenge_visitors,
    require_password,
    sees_project,
)
from fakeplat.api.packages.transfers import file_response, read_upload
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidParams, NotFound, Refusal
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Check
from fakeplat.core.release import Profile
from fakeplat.domain.packages import maven, package_settings, packages, protection_rules
from fakeplat.model.packages import PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    MAVEN_ASKS_VISITORS_TO_LOGIN,
    MAVEN_CHECKS_PATHS,
    MAVEN_GROUPS_SERVE_READABLE_PACKAGES,
    MAVEN_LIMITS_FILE_NAMES,
    MAVEN_NAMES_WHAT_IS_MISSING,
    MAVEN_REPEATS_ERRORS,
    MAVEN_SAYS_DIGESTS,
)
from fakeplat.policy.context import ReadContext, WriteContext


def _add_error(profile: Profile, refusal: Refusal) -> None:
    """Repeat the message of a refusal under ``error``, where the release does so."""
    if profile.has(MAVEN_REPEATS_ERRORS):
        refusal.repeat_message()


area: Final = Area("Packages (Maven)", login=Login.WRITES, raw_body=True, deploy_tokens=True, amend_refusal=_add_error)
_PATH: Final = "packages/maven/*path/:file_name"
FileName = Annotated[str, Check(lambda name: None if maven.is_file_name(name) else "is invalid")]
_DIGESTS: Final = (".md5", ".sha1")
_LONGEST_NAME: Final = 5000


_READ_PROJECT: Final = build_challenged_scope(MAVEN_ASKS_VISITORS_TO_LOGIN, Ability.READ_PACKAGE)
_READ_GROUP: Final = build_challenged_group_scope(MAVEN_ASKS_VISITORS_TO_LOGIN, has_public_registries=True)


def _check_path(ctx: ReadContext, path: str, file_name: str) -> None:
    """Refuse a path of a download that is none, in later releases."""
    texts = {"path": path, "file_name": file_name} if ctx.profile.has(MAVEN_CHECKS_PATHS) else {}
    wrong = [f"{name} should be a valid file path" for name, text in texts.items() if packages.leads_elsewhere(text)]
    if wrong:
        raise InvalidParams(*wrong, reason=f"{path}/{file_name} leaves the repository, or has signs of control")


@area.operation("GET", _PATH, job_token=True, refusals=(400, 401, 403, 404))
def download_maven_package_file(ctx: ReadContext, path: str, file_name: str) -> RawBody:
    """Download a file from the instance's Maven repository: the name of the package is the full path of its project."""
    _check_path(ctx, path, file_name)
    project = maven.find_project_by_path(ctx.world, path, file_name)
    package = maven.find_package(ctx.world, [project], path) if project is not None else None
    is_missing = package is None and ctx.profile.has(MAVEN_NAMES_WHAT_IS_MISSING)
    # All projects are asked only if the one of the path does not have the package.
    if is_missing and not maven.is_known_path(ctx.world, path):
        raise Forbidden(reason=f"no project has a package at {path}")
    _challenge_for(ctx, project)
    if project is None:
        raise Forbidden(reason=f"no project has the path of the package {path}")
    authorize_found(ctx, Ability.READ_PACKAGE, project)
    if is_missing:
        raise NotFound("Package", reason=f"the project has no package at {path}")
    return _download(ctx, [project], path, file_name)


def _challenge_for(ctx: ReadContext, project: Project | None) -> None:
    """Raise 401 with a challenge in later releases for visitors who may not read a project's packages, or know none."""
    reference = str(project.id) if project is not None else ""
    challenge_visitors(ctx, reference, Ability.READ_PACKAGE, MAVEN_ASKS_VISITORS_TO_LOGIN)


@area.operation("GET", f"-/{_PATH}", scope=_READ_GROUP, job_token=True, also=(302,), refusals=(400, 401, 403, 404))
def download_group_maven_package_file(ctx: ReadContext, group: Group, path: str, file_name: str) -> RawBody:
    """Download a file from the Maven repository of a group: the newest package at a path in any of its projects."""
    _check_path(ctx, path, file_name)
    projects = [project for project in packages.list_projects(ctx.world, group) if sees_project(ctx, project)]
    if ctx.profile.has(MAVEN_GROUPS_SERVE_READABLE_PACKAGES):
        projects = [project for project in projects if can(ctx, Ability.READ_PACKAGE, project)]
    package = maven.find_package(ctx.world, projects, path)
    if package is not None:
        found = ctx.world.projects[package.project_id]
        _challenge_for(ctx, found)
        authorize_found(ctx, Ability.READ_PACKAGE, found)
    return _forward_or_download(ctx, group, projects, path, file_name)


@area.operation(
    "GET",
    _PATH,
    scope=_READ_PROJECT,
    ability=Ability.READ_PACKAGE,
    job_token=True,
    also=(302,),
    refusals=(400, 401, 404),
)
def download_project_maven_package_file(ctx: ReadContext, project: Project, path: str, file_name: str) -> RawBody:
    """Download a file from the Maven repository of a project, or its digest (``.md5``, ``.sha1``)."""
    _check_path(ctx, path, file_name)
    return _forward_or_download(ctx, project, [project], path, file_name)


def _forward_or_download(
    ctx: ReadContext, container: Project | Group, projects: Sequence[Project], path: str, file_name: str
) -> RawBody:
    """Return a file; an unknown one is looked up elsewhere if the feature is on, and the settings allow it."""
    is_known = maven.find_file(ctx.world, projects, path, _without_digest(file_name)) is not None
    if is_known or not ctx.profile.has(MAVEN_NAMES_WHAT_IS_MISSING):
        return _download(ctx, projects, path, file_name)
    reason = f"there is no {file_name} at {path}"
    if maven.may_forward(ctx.world, container):
        if package_settings.is_forwarded(ctx.world, container, "maven"):
            return package_settings.forward(ctx, "maven", f"{path}/{file_name}")
    elif not maven.is_known_path(ctx.world, path):
        raise NotFound(type(container).__name__, reason=reason)
    if isinstance(container, Group) and ctx.profile.has(MAVEN_ASKS_VISITORS_TO_LOGIN):
        require_password(ctx)
    raise NotFound("Package", reason=reason)


def _without_digest(file_name: str) -> str:
    return file_name.removesuffix(".md5").removesuffix(".sha1")


def _download(ctx: ReadContext, projects: Sequence[Project], path: str, file_name: str) -> RawBody:
    suffix = next((suffix for suffix in _DIGESTS if file_name.endswith(suffix)), "")
    file = maven.get_file(ctx.world, projects, path, file_name.removesuffix(suffix))
    if not suffix:
        return _say_digests(ctx, file, file_response(ctx, file))
    return RawBody(_digest_of(file, suffix).encode(), "text/plain")


def _say_digests(ctx: ReadContext, file: PackageFile, response: RawBody) -> RawBody:
    """Return the response, in later releases with the digests in its headers."""
    if not ctx.profile.has(MAVEN_SAYS_DIGESTS):
        return response
    digests = (("X-Checksum-Sha1", file.file_sha1), ("X-Checksum-Md5", file.file_md5))
    return evolve(response, headers=(*response.headers, *((name, digest) for name, digest in digests if digest)))


def _digest_of(file: PackageFile, suffix: str) -> str:
    return (file.file_md5 if suffix == ".md5" else file.file_sha1) or ""


@area.operation(
    "PUT",
    _PATH,
    scope=REGISTRY_PROJECT,
    ability=Ability.CREATE_PACKAGE,
    job_token=True,
    also=(204,),
    refusals=(400, 403, 404, 409),
)
def upload_maven_package_file(ctx: WriteContext, project: Project, path: str, file_name: FileName) -> RawBody:
    """Upload a file of a Maven package. A SHA-1 is compared (204, or 409), an MD5 is ignored."""
    protection_rules.authorize_push(ctx, project, "maven", path.rpartition("/")[0])
    if len(file_name) > _LONGEST_NAME and ctx.profile.has(MAVEN_LIMITS_FILE_NAMES):
        raise BadRequest("400 Bad request - File name is too long", reason=f"it has {len(file_name)} characters")
    content = read_upload(ctx)
    if file_name.endswith(".md5"):
        return RawBody(b"", "text/plain")
    if file_name.endswith(".sha1"):
        digest = content.decode("ascii", "replace")
        maven.verify_sha1(ctx.world, project, path, file_name.removesuffix(".sha1"), digest)
        return RawBody(b"", "", status=204)
    maven.upload(ctx, project, path, file_name, content)
    return RawBody(b"", "text/plain")
