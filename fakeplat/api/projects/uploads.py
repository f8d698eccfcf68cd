"""Files that were uploaded to projects and groups, and avatars. Source: docs/platform/later-releases.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.pages import serve_file
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.domain import uploads
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.projects import StoredUploadView
from fakeplat.model.projects import Container, StoredFile
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Uploads", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)


@area.operation(
    "GET",
    "uploads",
    name="list_{scope}_uploads",
    scope=CONTAINERS,
    ability=Ability.ADMIN_UPLOAD,
    params=Paged,
    view=StoredUploadView,
    many=True,
    since=("17.2", "17.2"),
)
def list_uploads(ctx: ReadContext, container: Container) -> Sequence[StoredFile]:
    """List the files that were uploaded to a project or group, the newest first."""
    return uploads.list_files(ctx.world, container)[::-1]


@area.operation(
    "GET",
    "uploads/:upload_id",
    name="get_{scope}_upload",
    scope=CONTAINERS,
    ability=Ability.ADMIN_UPLOAD,
    since=("17.2", "17.2"),
    produces="*/*",
    refusals=(404,),
)
def get_upload(ctx: ReadContext, container: Container, upload_id: int) -> RawBody:
    """Download an uploaded file by its id."""
    return serve_file(uploads.get_file(ctx.world, container, upload_id))


@area.operation(
    "GET",
    "uploads/:secret/:filename",
    name="get_{scope}_upload_by_secret",
    scope=CONTAINERS,
    ability=Ability.READ_UPLOAD,
    since=("17.4", "17.4"),
    produces="*/*",
    refusals=(404,),
)
def get_upload_by_secret(ctx: ReadContext, container: Container, secret: str, filename: str) -> RawBody:
    """Download an uploaded file by its address."""
    return serve_file(uploads.get_file_by_secret(ctx.world, container, secret, filename))


@area.operation(
    "DELETE",
    "uploads/:upload_id",
    name="delete_{scope}_upload",
    scope=CONTAINERS,
    ability=Ability.DESTROY_UPLOAD,
    since=("17.2", "17.2"),
    refusals=(404,),
)
def delete_upload(ctx: WriteContext, container: Container, upload_id: int) -> None:
    """Delete an uploaded file by its id."""
    purge(ctx, uploads.get_file(ctx.world, container, upload_id))


@area.operation(
    "DELETE",
    "uploads/:secret/:filename",
    name="delete_{scope}_upload_by_secret",
    scope=CONTAINERS,
    ability=Ability.DESTROY_UPLOAD,
    since=("17.4", "17.4"),
    refusals=(404,),
)
def delete_upload_by_secret(ctx: WriteContext, container: Container, secret: str, filename: str) -> None:
    """Delete an uploaded file by its address."""
    purge(ctx, uploads.get_file_by_secret(ctx.world, container, secret, filename))


avatars: Final = Area("Projects", login=Login.WRITES)


@avatars.operation(
    "GET",
    "avatar",
    name="get_{scope}_avatar",
    scope=CONTAINERS,
    since=("16.9", "14.0"),
    produces="*/*",
    refusals=(404,),
)
def get_avatar(ctx: ReadContext, container: Container) -> RawBody:
    """Download the avatar of a project or group."""
    file = ctx.world.files.get(container.avatar) if container.avatar is not None else None
    if file is None:
        raise NotFound("Avatar", reason="there is no avatar")
    return serve_file(file)
