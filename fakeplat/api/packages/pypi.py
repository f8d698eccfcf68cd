"""PyPI repositories of projects and groups: twine uploads, pip installs. Source: docs/platform/packages.md."""

from collections.abc import Iterable
from typing import Annotated, Final

from fakeplat.api.packages.access import (
    authorize_group_or_challenge,
    challenged_scope,
    get_any_group,
    list_readable_projects,
)
from fakeplat.api.packages.pypi_pages import render_index, render_package
from fakeplat.api.packages.transfers import CREATED, FilePath, file_response
from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import NotBlankIfSent, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.packages import package_settings, packages, protection_rules, pypi
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import (
    PYPI_DIGESTS_ARE_CHECKED,
    PYPI_FILES_NEED_A_RIGHT,
    PYPI_REQUESTS_ARE_FORWARDED,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Packages (PyPI)", login=Login.NEVER, deploy_tokens=True)


READING: Final = challenged_scope(Ability.READ_PACKAGE, known=True)
WRITING: Final = challenged_scope(Ability.CREATE_PACKAGE, known=True)
READING_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=authorize_group_or_challenge, word="group")


def _get_group_of_files(ctx: ReadContext, reference: str) -> Group:
    needs_right = ctx.profile.has(PYPI_FILES_NEED_A_RIGHT)
    return authorize_group_or_challenge(ctx, reference) if needs_right else get_any_group(ctx, reference)


FILES: Final = challenged_scope(Ability.READ_PACKAGE, known=True, lifetime=PYPI_FILES_NEED_A_RIGHT)
FILES_OF_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_get_group_of_files, word="group")


_Metadata = Annotated[str | None, Lifetime(since="<=17.9")]
_METADATA: Final = (
    "metadata_version",
    "author_email",
    "description",
    "description_content_type",
    "summary",
    "keywords",
)


class UploadPypiPackage(Params):
    """A file with the fields of its metadata that are used; twine sends more."""

    content: Upload
    name: Annotated[str, NotBlankIfSent]
    version: Annotated[str, NotBlankIfSent]
    requires_python: str | None = None
    md5_digest: str | None = None
    sha256_digest: str | None = None
    metadata_version: _Metadata = None
    author_email: _Metadata = None
    description: _Metadata = None
    description_content_type: _Metadata = None
    summary: _Metadata = None
    keywords: _Metadata = None


@area.operation(
    "POST", "packages/pypi", scope=WRITING, params=UploadPypiPackage, job_token=True, refusals=(400, 401, 403)
)
def upload_pypi_package(ctx: WriteContext, project: Project, p: UploadPypiPackage) -> RawBody:
    """Upload a file of a PyPI package."""
    if p.sha256_digest and not pypi.is_digest(p.sha256_digest) and ctx.profile.has(PYPI_DIGESTS_ARE_CHECKED):
        raise InvalidParams("sha256_digest is invalid", reason=f"{p.sha256_digest!r} is no SHA-256")
    protection_rules.authorize_push(ctx, project, "pypi", p.name)
    pypi.upload(
        ctx,
        project,
        p.name,
        p.version,
        p.content.filename,
        p.content.data,
        requires_python=p.requires_python,
        md5=p.md5_digest,
        sha256=p.sha256_digest,
        metadata={name: value for name in _METADATA if (value := getattr(p, name))},
    )
    return RawBody(CREATED, JSON, status=201)


@area.operation("POST", "packages/pypi/authorize", scope=WRITING, job_token=True, refusals=(401, 403))
def authorize_pypi_upload(_ctx: WriteContext, _project: Project) -> None:
    """Refuse the handshake of uploads, which is for the platform's own proxy."""
    raise Forbidden(reason="only the platform's proxy asks for this, with a signed header")


@area.operation("GET", "packages/pypi/simple", scope=READING, since="15.1", job_token=True, refusals=(401, 403, 404))
def get_package_pypi_simple(ctx: ReadContext, project: Project) -> RawBody:
    """Get the simple index page of a project, with a link for each version of a package."""
    return render_index(ctx, project, pypi.list_all(ctx.world, [project]))


@area.operation(
    "GET", "-/packages/pypi/simple", scope=READING_GROUP, since="15.1", job_token=True, refusals=(401, 403, 404)
)
def get_group_package_pypi_simple(ctx: ReadContext, group: Group) -> RawBody:
    """Get the simple index page of a group, with a link for each version of a package in its projects."""
    return render_index(ctx, group, pypi.list_all(ctx.world, list_readable_projects(ctx, group)))


@area.operation(
    "GET",
    "packages/pypi/simple/*package_name",
    scope=READING,
    job_token=True,
    also=(302,),
    refusals=(400, 401, 403, 404),
)
def get_pypi_package(ctx: ReadContext, project: Project, package_name: FilePath) -> RawBody:
    """Get the simple index page of a PyPI package, which pip installs from.

    Later releases look up an unknown package at the public index (302), unless the settings forbid it.
    """
    return _render_package(ctx, project, [project], package_name)


@area.operation(
    "GET",
    "-/packages/pypi/simple/*package_name",
    scope=READING_GROUP,
    since="13.12",
    job_token=True,
    also=(302,),
    refusals=(400, 401, 403, 404),
)
def get_group_pypi_package(ctx: ReadContext, group: Group, package_name: FilePath) -> RawBody:
    """Get the simple index page of a PyPI package in the projects of a group."""
    return _render_package(ctx, group, list_readable_projects(ctx, group), package_name)


def _render_package(
    ctx: ReadContext, container: Project | Group, projects: Iterable[Project], package_name: str
) -> RawBody:
    name = package_name.strip("/")
    files = pypi.find_files(ctx.world, projects, name)
    return render_package(ctx, container, files) if files else _forward(ctx, container, name)


def _forward(ctx: ReadContext, container: Project | Group, name: str) -> RawBody:
    is_forwarded = package_settings.is_forwarded(ctx.world, container, "pypi")
    if not (is_forwarded and ctx.profile.has(PYPI_REQUESTS_ARE_FORWARDED)):
        raise NotFound("Package", reason=lambda: f"{describe(ctx.world, container)} has no PyPI package {name}")
    return package_settings.forward(ctx, "pypi", f"{name}/")


@area.operation(
    "GET", "packages/pypi/files/:sha256/*file_identifier", scope=FILES, job_token=True, refusals=(400, 401, 403, 404)
)
def download_pypi_package_file(ctx: ReadContext, project: Project, sha256: str, file_identifier: FilePath) -> RawBody:
    """Download a file of a PyPI package. In earlier releases, who knows its digest needs no right."""
    return file_response(ctx, pypi.get_file(ctx.world, [project], sha256, file_identifier))


@area.operation(
    "GET",
    "-/packages/pypi/files/:sha256/*file_identifier",
    scope=FILES_OF_GROUP,
    since="13.12",
    job_token=True,
    refusals=(400, 401, 403, 404),
)
def get_group_package_pypi_file(ctx: ReadContext, group: Group, sha256: str, file_identifier: FilePath) -> RawBody:
    """Download a file of a PyPI package in any project of a group, for whoever reads packages in the group."""
    projects = packages.list_projects(ctx.world, group)
    return file_response(ctx, pypi.get_file(ctx.world, projects, sha256, file_identifier))
