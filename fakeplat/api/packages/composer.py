"""The Composer repositories of groups, and publishing to a project. Source: docs/platform/packages.md."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from attrs import evolve

from fakeplat.api.packages.access import (
    build_challenged_group_scope,
    challenged_scope,
    sees_project,
)
from fakeplat.api.packages.transfers import CREATED, FilePath
from fakeplat.api.repository.repository import render_archive
from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import PREFIX, Area, Login
from fakeplat.core.params.params import Params, exactly_one_of
from fakeplat.domain.packages import composer, packages
from fakeplat.domain.repository import archives, branches, tags
from fakeplat.entities import urls
from fakeplat.model.packages import Package
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    COMPOSER_2_NEEDS_NO_PROVIDERS,
    COMPOSER_2_REPOSITORIES,
    COMPOSER_ARCHIVES_NEED_A_RIGHT,
    COMPOSER_ASKS_VISITORS_TO_LOGIN,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Packages (Composer)", login=Login.NEVER, deploy_tokens=True)
WRITING: Final = challenged_scope(Ability.CREATE_PACKAGE)
ARCHIVES: Final = challenged_scope(Ability.READ_PACKAGE, lifetime=COMPOSER_ARCHIVES_NEED_A_RIGHT)
GROUP: Final = build_challenged_group_scope(COMPOSER_ASKS_VISITORS_TO_LOGIN, "group/:id")
_ROOT: Final = "-/packages/composer"


def _list_packages(ctx: ReadContext, group: Group, name: str = "") -> list[Package]:
    projects = [
        project
        for project in packages.list_projects(ctx.world, group)
        if sees_project(ctx, project) and can(ctx, Ability.READ_PACKAGE, project)
    ]
    return composer.list_in_projects(ctx.world, projects, name)


@area.operation("GET", f"{_ROOT}/packages", scope=GROUP, endings=(".json",), job_token=True, refusals=(401, 404))
def list_group_package_composer_packages(ctx: ReadContext, group: Group) -> dict[str, Any]:
    """Get the root of the Composer repository of a group."""
    base = f"{PREFIX}/group/{group.id}/{_ROOT}"
    providers = {
        "provider-includes": {"p/%hash%.json": {"sha256": composer.digest(_list_providers(ctx, group))}},
        "providers-url": f"{base}/%package%$%hash%.json",
    }
    metadata = {"metadata-url": f"{base}/p2/%package%.json"}
    if not ctx.profile.has(COMPOSER_2_REPOSITORIES):
        return {"packages": [], **providers}
    if ctx.profile.has(COMPOSER_2_NEEDS_NO_PROVIDERS) and _is_composer_2(ctx):
        return {"packages": [], **metadata}
    return {"packages": [], **providers, **metadata}


def _is_composer_2(ctx: ReadContext) -> bool:
    # Responses are kept for all clients alike.
    ctx.expire_at_once()
    return ctx.request is not None and "Composer/2" in ctx.request.headers.get("user-agent", "")


def _list_providers(ctx: ReadContext, group: Group) -> dict[str, Any]:
    names = composer.group_by_name(_list_packages(ctx, group))
    return {
        "providers": {name: {"sha256": composer.digest(_describe_versions(ctx, rows))} for name, rows in names.items()}
    }


def _describe_versions(ctx: ReadContext, rows: Sequence[Package]) -> dict[str, Any]:
    versions = {str(package.version): _describe(ctx, package) for package in composer.sort_versions(rows)}
    return {"packages": {rows[0].name: versions}}


def _describe(ctx: ReadContext, package: Package) -> dict[str, Any]:
    project, sha = ctx.world.projects[package.project_id], package.target_sha
    archive = urls.api_url(ctx, f"projects/{project.id}/packages/composer/archives/{quote(package.name)}.zip")
    is_public = project.visibility == "public"
    source = urls.http_url(ctx, project) if is_public else urls.ssh_url(ctx, project)
    return {
        **package.manifest,
        "dist": {"type": "zip", "url": f"{archive}?sha={sha}", "reference": sha, "shasum": ""},
        "source": {"type": "git", "url": source, "reference": sha},
        "uid": package.id,
        "version": package.version,
    }


def _json(document: object) -> RawBody:
    return RawBody(composer.serialize(document), JSON)


@area.operation("GET", f"{_ROOT}/p/:sha", scope=GROUP, job_token=True, refusals=(400, 401, 404))
def get_group_package_composer_p(ctx: ReadContext, group: Group, sha: str) -> RawBody:  # noqa: ARG001
    """List the packages of the Composer repository of a group with the digests of their metadata."""
    return _json(_list_providers(ctx, group))


@area.operation(
    "GET", f"{_ROOT}/p2/*package_name", scope=GROUP, job_token=True, since="<=14.10", refusals=(400, 401, 404)
)
def get_group_package_composer_p2(ctx: ReadContext, group: Group, package_name: FilePath) -> RawBody:
    """Get the versions of a package for Composer 2."""
    return _json(_describe_versions(ctx, _get_versions(ctx, group, package_name.removesuffix(".json"))))


@area.operation("GET", f"{_ROOT}/*package_name", scope=GROUP, job_token=True, refusals=(400, 401, 404))
def get_composer_resource(ctx: ReadContext, group: Group, package_name: FilePath) -> RawBody:
    """Get the versions of a package for Composer 1, which adds ``$`` and a digest to the name."""
    name, _, sha = package_name.removesuffix(".json").partition("$")
    rows = _get_versions(ctx, group, name)
    if not sha:
        raise NotFound(reason="the digest is missing, which follows the name and a dollar sign")
    return _json(_describe_versions(ctx, rows))


def _get_versions(ctx: ReadContext, group: Group, name: str) -> list[Package]:
    rows = _list_packages(ctx, group, name)
    if not rows:
        raise NotFound(reason=f"the caller sees no Composer package {name} in {describe(ctx.world, group)}")
    return rows


class UploadComposerPackage(Params):
    """What is published: the head of a branch, or a tag."""

    branch: str | None = None
    tag: str | None = None

    rules = (exactly_one_of("tag", "branch"),)


@area.operation(
    "POST",
    "packages/composer",
    scope=WRITING,
    params=UploadComposerPackage,
    job_token=True,
    refusals=(400, 401, 403, 404, 422),
)
def upload_composer_package(ctx: WriteContext, project: Project, p: UploadComposerPackage) -> RawBody:
    """Publish a Composer package from the ``composer.json`` of a branch or tag."""
    if p.branch:
        branch = branches.get_branch(ctx.world, project, p.branch)
        composer.publish_branch(ctx, project, branch.name, branch.sha)
    elif p.tag:
        tag = tags.get_tag(ctx.world, project, p.tag)
        composer.publish_tag(ctx, project, tag.name, tag.commit or tag.target)
    else:
        raise BadRequest("400 Bad request", reason="the name of the branch or tag is empty")
    return RawBody(CREATED, JSON, status=201)


class DownloadComposerArchive(Params):
    """The commit of the version."""

    sha: str


@area.operation(
    "GET",
    "packages/composer/archives/*package_name",
    scope=ARCHIVES,
    params=DownloadComposerArchive,
    job_token=True,
    refusals=(401, 403, 404),
)
def download_composer_archive(
    ctx: ReadContext, project: Project, package_name: FilePath, p: DownloadComposerArchive
) -> RawBody:
    """Download the files of a version of a Composer package: the archive of its commit.

    Who knows the commit needs no right in earlier releases.
    """
    package = composer.get_version(ctx.world, project, package_name.removesuffix(".zip"), p.sha)
    download = archives.create_archive(ctx, project, package.target_sha, "zip")
    effect = packages.plan_download_record(ctx, package.id)
    return evolve(render_archive(download, "max-age=60, private"), effect=effect)
