"""The nodes that index code for exact search, of which there are none. Source: docs/platform/settings.md."""

from typing import Final

from fakeplat.core.operations.errors import InvalidParams, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Search", login=Login.ALWAYS, located_first=True)
_SINCE: Final = "<=18.9"
_SHARDS: Final = "admin/zoekt/shards"
_NAMESPACE: Final = f"{_SHARDS}/:node_id/indexed_namespaces/:namespace_id"


def _build_refusal(node: str) -> RecordNotFound:
    return RecordNotFound(reason=f"there is no node {node}: nothing here indexes code")


def _require_indexing(ctx: ReadContext) -> None:
    if not ctx.world.settings.zoekt_indexing_enabled:
        raise InvalidParams("application setting zoekt_indexing_enabled is not enabled")


@area.operation("GET", _SHARDS, ability=Ability.ADMIN_SETTINGS, since=_SINCE, tier="premium")
def list_admin_zoekt_shards(_ctx: ReadContext) -> list[object]:
    """List the nodes that index code, of which there are none."""
    return []


@area.operation(
    "GET",
    f"{_SHARDS}/:node_id/indexed_namespaces",
    ability=Ability.ADMIN_SETTINGS,
    refusals=(404,),
    since=_SINCE,
    tier="premium",
)
def list_admin_zoekt_shard_indexed_namespaces(_ctx: ReadContext, node_id: int) -> list[object]:
    """List the namespaces that a node indexes."""
    raise _build_refusal(str(node_id))


@area.operation(
    "PUT",
    "admin/zoekt/projects/:project_id/index",
    ability=Ability.ADMIN_SETTINGS,
    refusals=(400, 404),
    since=_SINCE,
    tier="premium",
)
def update_admin_zoekt_project_index(ctx: WriteContext, project_id: int) -> dict[str, str]:
    """Start to index the code of a project."""
    _require_indexing(ctx)
    if ctx.world.projects.get(project_id) is None:
        raise RecordNotFound(reason=f"there is no project {project_id}")
    return {"job_id": ctx.random_hex("job of exact code search", 12)}


class IndexNamespace(Params):
    """Whether the namespace is searched, too."""

    search: bool | None = None


@area.operation(
    "PUT",
    _NAMESPACE,
    ability=Ability.ADMIN_SETTINGS,
    params=IndexNamespace,
    refusals=(400, 404),
    since=_SINCE,
    tier="premium",
)
def update_admin_zoekt_shard_indexed_namespace(ctx: WriteContext, node_id: int, namespace_id: int) -> None:
    """Add a namespace to those that a node indexes."""
    _require_indexing(ctx)
    raise _build_refusal(f"{node_id} for namespace {namespace_id}")


@area.operation("DELETE", _NAMESPACE, ability=Ability.ADMIN_SETTINGS, refusals=(404,), since=_SINCE, tier="premium")
def delete_admin_zoekt_shard_indexed_namespace(_ctx: WriteContext, node_id: int, namespace_id: int) -> None:
    """Remove a namespace from those that a node indexes."""
    raise _build_refusal(f"{node_id} for namespace {namespace_id}")
