"""Uploads and downloads of package files, as all registries answer them. Source: docs/platform/packages.md."""

from typing import Annotated, Final

from attrs import evolve

from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.body import Upload, parse_body
from fakeplat.core.params.params import Check
from fakeplat.domain.packages import packages
from fakeplat.model.packages import PackageFile
from fakeplat.policy.context import ReadContext

CREATED: Final = b'{"message":"201 Created"}'
FilePath = Annotated[str, Check(lambda path: "should be a valid file path" if packages.leads_elsewhere(path) else None)]
"""A name of a package or of a file that does not lead out of its folder."""


def read_upload(ctx: ReadContext) -> bytes:
    """Return the uploaded file: the body, or the part ``file`` of a form."""
    if ctx.request is None:
        return b""
    content_type = ctx.request.headers.get("content-type", "")
    if not content_type.startswith("multipart/form-data"):
        return ctx.request.body
    file = parse_body(content_type, ctx.request.body).get("file")
    if not isinstance(file, Upload):
        raise InvalidParams("file is missing")
    return file.data


def file_response(ctx: ReadContext, file: PackageFile) -> RawBody:
    """Return the response for the download of a package's file, which the package remembers."""
    response = render_file(file.file_name.rpartition("/")[2], file.content)
    return evolve(response, effect=packages.plan_download_record(ctx, file.package_id))


def render_file(name: str, content: bytes, content_type: str = "application/octet-stream") -> RawBody:
    """Return the response for the download of a file."""
    headers = (
        ("Content-Disposition", content_disposition("attachment", name)),
        ("Content-Transfer-Encoding", "binary"),
    )
    return RawBody(content, content_type, headers)
