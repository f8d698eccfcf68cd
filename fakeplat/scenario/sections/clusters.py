"""Clusters of projects, groups and the instance."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import NULLABLE_TEXT, Object
from fakeplat.domain.clusters import clusters
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import Container
from fakeplat.model.clusters import Cluster, KubernetesPlatform
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_PLATFORM: Final = Object(fields(KubernetesPlatform))
_FIELDS: Final = fields(
    Cluster, without=("id", "source", "user_id", "management_project_id"), platform_kubernetes=_PLATFORM
)
_API_URL: Final = "https://kubernetes.example.com"
_TOKEN: Final = "token-of-a-cluster"


def _create(entry: Entry) -> Cluster:
    values = build_fields(Cluster, {**entry.select(_FIELDS), "platform_kubernetes": _read_platform(entry)})
    platform = values.pop("platform_kubernetes")
    user = entry.user_or_none("user")
    project = entry.project_or_none("management_project")
    references = {"user_id": user.id if user else None, "management_project_id": project.id if project else None}
    times = {"created_at": entry.since, "updated_at": values.get("created_at", entry.since)}
    attributes: Any = {name: getattr(platform, name) for name in _PLATFORM.keys}
    return clusters.create(entry.ctx, entry.owner, platform_kubernetes=attributes, **{**times, **references, **values})


def _read_platform(entry: Entry) -> dict[str, Any]:
    return {"api_url": _API_URL, "token": _TOKEN, **entry.values.get("platform_kubernetes", {})}


def _export(world: World, owner: Container | None) -> Iterable[tuple[Cluster, EntryData]] | None:
    return [(cluster, _serialize(world, cluster)) for cluster in clusters.list_clusters(world, owner)] or None


def _serialize(world: World, cluster: Cluster) -> EntryData:
    project = world.projects.get(cluster.management_project_id or 0)
    data = {
        **serialization.non_default_fields(cluster, _FIELDS),
        "user": serialization.username_of(world, cluster.user_id),
        "management_project": namespaces.project_path(world, project) if project else None,
    }
    return serialization.remove_defaults(data, updated_at=cluster.created_at, user=None, management_project=None)


SECTION: Final = Section(
    "clusters",
    within=(SCENARIO, "group", "project"),
    # After the projects that manage them.
    rank=ISSUES,
    keys=Object(
        {**_FIELDS, "user": NULLABLE_TEXT, "management_project": NULLABLE_TEXT},
        required=("name",),
        descriptions={
            "user": "Username of who added it.",
            "management_project": "Full path of the project that manages it.",
        },
    ),
    create=_create,
    export=_export,
)
