"""Secure files of projects. Source: docs/platform/secure-files.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import ContentTooLarge, RecordNotFound
from fakeplat.domain.ci import secure_file_metadata
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.projects import Project
from fakeplat.model.secure_files import SecureFile
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

MAX_SIZE: Final = 5 * 1024 * 1024
MAX_COUNT: Final = 100


def list_secure_files(world: World, project: Project) -> Sequence[SecureFile]:
    """Return the secure files of a project, newest first."""
    rows = world.secure_files.where("project", project.id)
    return sorted(rows, key=lambda file: (file.created_at, file.id), reverse=True)


def get_secure_file(world: World, project: Project, id_: int) -> SecureFile:
    """Return the secure file of a project with an id, or refuse with 404."""
    file = world.secure_files.get(id_)
    if file is None or file.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no secure file {id_}")
    return file


class NewSecureFile(TypedDict, total=False):
    """The fields of a new secure file. What it says of itself is read from its content unless it is given."""

    name: Required[str]
    content: Required[bytes]
    created_at: str
    updated_at: str
    expires_at: str | None
    metadata: Mapping[str, Any] | None


def upload(ctx: WriteContext, project: Project, name: str, content: bytes) -> SecureFile:
    """Add a file of a client, whose size and number are limited."""
    if len(content) >= MAX_SIZE:
        raise ContentTooLarge(reason=f"the file has {len(content)} bytes; it must have less than {MAX_SIZE}")
    return create(ctx, project, name=name, content=content)


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewSecureFile]) -> SecureFile:
    """Add a secure file to a project."""
    table, now = ctx.world.secure_files, ctx.now_iso
    _validate(ctx.world, project, fields["name"])
    times: dict[str, Any] = {"created_at": now, "updated_at": fields.get("created_at", now)}
    found = secure_file_metadata.read(fields["name"], fields["content"])
    read = {} if found is None else {"metadata": found, "expires_at": found.get("expires_at")}
    return table.add(SecureFile(id=table.next_id(), project_id=project.id, **{**times, **read, **fields}))


def _validate(world: World, project: Project, name: str) -> None:
    errors, count = ValidationErrors(), len(world.secure_files.where("project", project.id))
    errors.when(count >= MAX_COUNT, "base", f"Maximum number of project ci secure files ({MAX_COUNT}) exceeded")
    errors.when(world.secure_files.find("name", (project.id, name)) is not None, "name", TAKEN)
    errors.refuse()
