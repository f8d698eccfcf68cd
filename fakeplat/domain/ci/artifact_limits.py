"""How large the artifacts of jobs may be. Source: docs/platform/runner-protocol.md ('Artifacts')."""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeplat.core.operations.errors import ContentTooLarge
from fakeplat.model.ci import FileType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import LARGE_LSIF_ARTIFACTS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors

_MEGABYTE: Final = 1024 * 1024
_TOO_LARGE: Final = "file size has reached maximum size limit"
_PLAN: Final[Mapping[FileType, int]] = {"lsif": 20, "terraform": 5}
_LATER_LSIF: Final = 100


def check_size(ctx: ReadContext, project: Project, file_type: FileType, content: bytes) -> None:
    """Refuse a file with 413 above the limit of its type."""
    limit = get_limit(ctx, project, file_type)
    if len(content) > limit * _MEGABYTE:
        raise ContentTooLarge(
            _TOO_LARGE, reason=f"{file_type} may have {limit} MB in this project; the file has {len(content)} bytes"
        )


def get_limit(ctx: ReadContext, project: Project, file_type: FileType) -> int:
    """Return the limit in MB: the smaller of the plan's and the project's; 0 refuses everything.

    A limit of 0 does not count, unless both are 0.
    """
    limits = _get_plan_limit(ctx, file_type), _get_closest_limit(ctx.world, project)
    return min((limit for limit in limits if limit > 0), default=0)


def _get_plan_limit(ctx: ReadContext, file_type: FileType) -> int:
    default = _PLAN.get(file_type, 0)
    if file_type == "lsif" and ctx.profile.has(LARGE_LSIF_ARTIFACTS):
        default = _LATER_LSIF
    return ctx.world.settings.ci_max_artifact_size.get(file_type, default)


def _get_closest_limit(world: World, project: Project) -> int:
    return next(_list_limits(world, project), world.settings.max_artifacts_size)


def _list_limits(world: World, project: Project) -> Iterator[int]:
    """Yield the limits of a project and the groups above it, as far as they have one, the closest first."""
    if project.max_artifacts_size is not None:
        yield project.max_artifacts_size
    for namespace in ancestors(world, project.namespace_id):
        if isinstance(namespace, Group) and namespace.max_artifacts_size is not None:
            yield namespace.max_artifacts_size
