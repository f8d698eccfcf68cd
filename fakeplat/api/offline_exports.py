"""Offline transfers, whose exports go to an object storage.

Source: docs/platform/import-export.md ('Offline transfer').
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, NoReturn

from fakeplat.core.operations.errors import RecordNotFound, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import NotBlank, Params, exactly_one_of
from fakeplat.domain.instance import features
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Import/export", login=Login.ALWAYS)
_SINCE: Final = "<=18.9"
_FEATURE: Final = "offline_transfer_exports"
_NO_PATHS: Final = "Export failed. Entity full paths must be provided."
_NOT_ALLOWED: Final = (
    "Export failed. You do not have permission to export the following resources or they do not exist: "
)
_NO_BUCKET: Final = "Unable to access object storage bucket."


def _check_feature(ctx: ReadContext) -> None:
    features.check_enabled(ctx.world, _FEATURE, ctx.viewer)


class ListOfflineExports(Paged):
    """Order and status."""

    sort: Literal["asc", "desc"] = "desc"
    status: Literal["created", "started", "finished", "failed"] | None = None


@area.operation("GET", "offline_exports", params=ListOfflineExports, refusals=(404,), since=_SINCE)
def list_offline_exports(ctx: ReadContext) -> list[object]:
    """List the caller's offline exports, of which none could be started."""
    _check_feature(ctx)
    return []


@area.operation("GET", "offline_exports/:id", refusals=(404,), since=_SINCE)
def get_offline_export(ctx: ReadContext, id: int) -> NoReturn:  # the name in the path
    """Get an offline export."""
    _check_feature(ctx)
    raise RecordNotFound(reason=f"there is no offline export {id}: no object storage can be reached")


class StorageAccount(Params):
    """An account of an object storage."""

    aws_access_key_id: str
    aws_secret_access_key: str
    region: str
    path_style: bool | None = None


class CompatibleStorage(StorageAccount):
    """An account of an object storage at an address of its own."""

    endpoint: str


class ExportedEntity(Params):
    """A group or project."""

    full_path: str


class StartOfflineExport(Params):
    """Where the export goes, and what it has."""

    bucket: Annotated[str, NotBlank]
    aws_s3_configuration: StorageAccount | None = None
    s3_compatible_configuration: CompatibleStorage | None = None
    entities: list[ExportedEntity]

    rules = (exactly_one_of("aws_s3_configuration", "s3_compatible_configuration"),)


@area.operation("POST", "offline_exports", params=StartOfflineExport, refusals=(404, 422), since=_SINCE)
def create_offline_export(ctx: WriteContext, p: StartOfflineExport) -> NoReturn:
    """Start an offline export, for which no object storage can be reached."""
    _check_feature(ctx)
    paths = list(dict.fromkeys(entity.full_path for entity in p.entities))
    if not paths or not all(path.strip() for path in paths):
        raise Unprocessable(_NO_PATHS, reason="an entity has no full_path")
    refused = _list_refused(ctx, paths)
    if refused:
        raise Unprocessable(
            _NOT_ALLOWED + ", ".join(refused), reason="it takes Owner of groups, Maintainer of projects"
        )
    raise Unprocessable(_NO_BUCKET, reason="nothing is sent to object storages")


def _list_refused(ctx: ReadContext, paths: Sequence[str]) -> Sequence[str]:
    """Return the paths of what the caller does not manage, or nobody has."""
    return [path for path in paths if not _may_export(ctx, path)]


def _may_export(ctx: ReadContext, path: str) -> bool:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is not None:
        return can(ctx, Ability.ADMIN_PROJECT, project)
    namespace = namespaces.find_by_path(ctx.world, path)
    return isinstance(namespace, Group) and can(ctx, Ability.ADMIN_GROUP, namespace)
