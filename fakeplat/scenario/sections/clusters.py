"""Clusters of projects, groups and the instance."""

from typing import Any, Final

from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import NULLABLE_TEXT, Object
from fakeplat.domain.clusters import clusters
from fakeplat.model.clusters import Cluster, KubernetesPlatform
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ISSUES, SCENARIO, EntryData

_PLATFORM: Final = Object(fields(KubernetesPlatform))
_FIELDS: Final = own_fields(Cluster, platform_kubernetes=_PLATFORM)
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


def _read_platform(entry: Entry) -> EntryData:
    return {"api_url": _API_URL, "token": _TOKEN, **entry.values.get("platform_kubernetes", {})}


SECTION: Final = derive_section(
    "clusters",
    Cluster,
    within=(SCENARIO, "group", "project"),
    # After the projects that manage them.
    rank=ISSUES,
    keys=_FIELDS,
    further_keys={"user": NULLABLE_TEXT, "management_project": NULLABLE_TEXT},
    references={"user": "user_id", "management_project": "management_project_id"},
    required=("name",),
    descriptions={
        "user": "Username of who added it.",
        "management_project": "Full path of the project that manages it.",
    },
    create=_create,
    rows=clusters.list_clusters,
    kind="cluster",
)
