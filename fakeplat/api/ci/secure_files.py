"""Secure files of projects, which jobs download. Source: docs/platform/secure-files.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Check, Params
from fakeplat.domain.ci import secure_files
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.secure_files import SecureFileView
from fakeplat.model.projects import Project
from fakeplat.model.secure_files import SecureFile
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Secure files", login=Login.ALWAYS, located_first=True, token_passwords=True)
FILE: Final = "secure_files/:secure_file_id"


@area.operation(
    "GET",
    "secure_files",
    scope=PROJECT,
    ability=Ability.READ_SECURE_FILES,
    job_token=True,
    params=Paged,
    view=SecureFileView,
    many=True,
    since="15.7",
)
def list_secure_files(ctx: ReadContext, project: Project) -> Sequence[SecureFile]:
    """List the secure files of a project, newest first."""
    return secure_files.list_secure_files(ctx.world, project)


@area.operation(
    "GET",
    FILE,
    scope=PROJECT,
    ability=Ability.READ_SECURE_FILES,
    job_token=True,
    view=SecureFileView,
    refusals=(404,),
    since="15.7",
)
def get_secure_file(ctx: ReadContext, project: Project, secure_file_id: int) -> SecureFile:
    """Get a secure file of a project."""
    return secure_files.get_secure_file(ctx.world, project, secure_file_id)


@area.operation(
    "GET",
    f"{FILE}/download",
    scope=PROJECT,
    ability=Ability.READ_SECURE_FILES,
    job_token=True,
    refusals=(404,),
    since="15.7",
)
def download_secure_file(ctx: ReadContext, project: Project, secure_file_id: int) -> RawBody:
    """Download a secure file of a project."""
    file = secure_files.get_secure_file(ctx.world, project, secure_file_id)
    headers = (("Content-Disposition", f"attachment; filename={file.name}"),)
    return RawBody(file.content, "application/octet-stream", headers)


class CreateSecureFile(Params):
    """A new secure file."""

    name: Annotated[str, Check(lambda name: "should be a valid file path" if _leaves_folder(name) else None)]
    file: Upload


def _leaves_folder(name: str) -> bool:
    return ".." in name.replace("\\", "/").split("/")


@area.operation(
    "POST",
    "secure_files",
    scope=PROJECT,
    ability=Ability.ADMIN_SECURE_FILES,
    job_token=True,
    params=CreateSecureFile,
    view=SecureFileView,
    refusals=(400, 413),
    since="15.7",
)
def create_secure_file(ctx: WriteContext, project: Project, p: CreateSecureFile) -> SecureFile:
    """Add a secure file to a project."""
    return secure_files.upload(ctx, project, p.name, p.file.data)


@area.operation(
    "DELETE",
    FILE,
    scope=PROJECT,
    ability=Ability.ADMIN_SECURE_FILES,
    job_token=True,
    refusals=(404,),
    since="15.7",
)
def delete_secure_file(ctx: WriteContext, project: Project, secure_file_id: int) -> None:
    """Delete a secure file of a project."""
    purge(ctx, secure_files.get_secure_file(ctx.world, project, secure_file_id))
