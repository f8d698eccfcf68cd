"""Deletion of uploaded files. Source: docs/platform/graphql.md."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotFound
from fakeplat.domain import uploads
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import NOT_AVAILABLE, MutationFailed
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.lookups import require_group, require_project
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.projects import StoredFile
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.3"
_ONE_PARENT: Final = "Exactly one of group_path or project_path arguments is required"
Scalar("UploadID", "The global ID of an uploaded file.", since=_SINCE)
FILE: Final = Type("FileUpload", "An uploaded file.", since=_SINCE)


@FILE.field("id: UploadID!")
def id_of(ctx: ReadContext, file: StoredFile) -> str:
    """The global ID."""
    return global_id(ctx, "Upload", file.id)


@FILE.field("path: String!")
def path_of(_ctx: ReadContext, file: StoredFile) -> str:
    """The path below that of the project or group."""
    return f"{file.secret}/{file.filename}"


@FILE.field("size: Int!")
def size_of(_ctx: ReadContext, file: StoredFile) -> int:
    """Number of bytes."""
    return len(file.data)


@mutation(
    "uploadDelete",
    input_fields='''
"""The full path of the project."""
projectPath: ID
"""The full path of the group."""
groupPath: ID
"""The secret part of the path."""
secret: String!
"""The name of the file."""
filename: String!
''',
    payload_fields='"""The deleted file."""\nupload: FileUpload',
    since=_SINCE,
)
def upload_delete(
    ctx: WriteContext, secret: str, filename: str, project_path: str | None = None, group_path: str | None = None
) -> Mapping[str, Any]:
    """Delete an uploaded file."""
    if (project_path is None) is (group_path is None):
        raise GraphQLError(_ONE_PARENT)
    container = require_project(ctx, project_path) if project_path is not None else require_group(ctx, group_path or "")
    authorize(ctx, Ability.DESTROY_UPLOAD, container)
    try:
        file = uploads.get_file_by_secret(ctx.world, container, secret, filename)
    except NotFound:
        raise MutationFailed([f"{NOT_AVAILABLE}."], {"upload": None}) from None
    purge(ctx, file)
    return {"upload": file}
