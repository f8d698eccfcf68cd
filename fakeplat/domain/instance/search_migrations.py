"""Migrations of the index of advanced search, all of them done. Source: docs/platform/version-and-metadata.md."""

from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

_ROOT_ID: Final = 1
_NAMES: Final = {
    20230426195404: "AddHiddenToMergeRequests",
    20230427555555: "BackfillHiddenOnMergeRequests",
    20230428500000: "AddSuffixProjectInWikiRid",
    20230503064300: "BackfillProjectPermissionsInBlobsUsingPermutations",
}
"""Migrations that the platform's documentation shows, by their versions."""


def check_indexing(ctx: ReadContext) -> None:
    """Refuse with 400 while nothing is indexed."""
    if not ctx.world.settings.elasticsearch_indexing:
        reason = "the setting elasticsearch_indexing is off"
        raise BadRequest("400 Bad request - indexing is not enabled", reason=reason)


def list_migrations(world: World) -> list[dict[str, Any]]:
    """Return the migrations, which ended when the instance began."""
    return [_describe(world, version) for version in _NAMES]


def get_migration(world: World, version_or_name: str) -> dict[str, Any]:
    """Return the migration with a version or a name, or refuse with 404."""
    for version, name in _NAMES.items():
        if version_or_name in (str(version), name):
            return _describe(world, version)
    raise NotFound(reason=f"there is no migration {version_or_name}")


def _describe(world: World, version: int) -> dict[str, Any]:
    began = world.users[_ROOT_ID].created_at
    return {
        "version": version,
        "name": _NAMES[version],
        "started_at": began,
        "completed_at": began,
        "completed": True,
        "obsolete": False,
        "migration_state": {},
    }
