"""The PyPI repository of a project: uploads with twine, installation with pip. Source: docs/platform/packages.md."""

from functools import partial
from html import escape
from typing import Annotated, Final
from urllib.parse import quote

from fakeplat.api.packages.access import challenged_scope, get_any_project
from fakeplat.api.packages.transfers import CREATED, file_response
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import NotBlankIfSent, Params
from fakeplat.domain.packages import protection_rules, pypi
from fakeplat.entities import urls
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (PyPI)", login=Login.NEVER, deploy_tokens=True)
_HTML: Final = "text/html; charset=utf-8"


READING: Final = challenged_scope(Ability.READ_PACKAGE)
WRITING: Final = challenged_scope(Ability.CREATE_PACKAGE)
ANY_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=get_any_project, word="project")


class UploadPypiPackage(Params):
    """A file with the fields of its metadata that are used; twine sends more."""

    content: Upload
    name: Annotated[str, NotBlankIfSent]
    version: Annotated[str, NotBlankIfSent]
    requires_python: str | None = None
    md5_digest: str | None = None
    sha256_digest: str | None = None


@area.operation(
    "POST", "packages/pypi", scope=WRITING, params=UploadPypiPackage, job_token=True, refusals=(400, 401, 403)
)
def upload_pypi_package(ctx: WriteContext, project: Project, p: UploadPypiPackage) -> RawBody:
    """Upload a file of a PyPI package."""
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
    )
    return RawBody(CREATED, JSON, status=201)


@area.operation("POST", "packages/pypi/authorize", scope=WRITING, job_token=True, refusals=(401, 403))
def authorize_pypi_upload(_ctx: WriteContext, _project: Project) -> None:
    """Refuse the handshake of uploads, which is for the platform's own proxy."""
    raise Forbidden(reason="only the platform's proxy asks for this, with a signed header")


@area.operation("GET", "packages/pypi/simple/*package_name", scope=READING, job_token=True, refusals=(401, 403, 404))
def get_pypi_package(ctx: ReadContext, project: Project, package_name: str) -> RawBody:
    """Get the simple index page of a PyPI package, which pip installs from."""
    name = package_name.strip("/")
    base = urls.api_url(ctx, f"projects/{project.id}/packages/pypi/files")
    links = "".join(map(partial(_render_link, base), pypi.list_files(ctx.world, project, name)))
    title = f"Links for {escape(name)}"
    page = (
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{links}</body>\n</html>\n"
    )
    return RawBody(page.encode(), _HTML)


def _render_link(base: str, row: tuple[Package, PackageFile]) -> str:
    package, file = row
    url = f"{base}/{file.file_sha256}/{quote(file.file_name)}#sha256={file.file_sha256}"
    return (
        f'<a href="{url}" data-requires-python="{escape(package.requires_python or "")}">'
        f"{escape(file.file_name)}</a><br>\n"
    )


@area.operation("GET", "packages/pypi/files/:sha256/*file_identifier", scope=ANY_PROJECT, refusals=(404,))
def download_pypi_package_file(ctx: ReadContext, project: Project, sha256: str, file_identifier: str) -> RawBody:
    """Download a file of a PyPI package; who knows its digest needs no right."""
    return file_response(pypi.get_file(ctx.world, project, sha256, file_identifier))
