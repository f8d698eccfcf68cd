"""All responses to the GETs of CI records, with natural keys in place of ids, to compare two worlds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.workbench.natural_keys import natural_key
from tests.scenario.answers import ANONYMOUS, replace_ids, token_of

EVERYTHING = "per_page=100"
LISTS = (
    *("pipelines", "jobs", "pipeline_schedules", "triggers", "variables", "runners", "resource_groups"),
    *("environments", "deployments", "feature_flags", "feature_flags_user_lists", "freeze_periods"),
    *("deploy_keys", "deploy_tokens", "pipelines/latest"),
)
RECORDS: Mapping[str, tuple[str, ...]] = {
    "pipelines": ("", "/jobs?include_retried=true", "/bridges?include_retried=true", "/variables", "/test_report"),
    "jobs": ("", "/trace"),
    "pipeline_schedules": ("",),
    "triggers": ("",),
    "environments": ("",),
    "deployments": ("", "/merge_requests"),
    "freeze_periods": ("",),
    "deploy_tokens": ("",),
}
"""Parts of the records of a project, by table, which the path repeats with the id."""
_ID_IN_PATH = re.compile(r"(?<=/jobs/)\d+|(?<=/pipelines/)\d+|(?<=/environments/)\d+")


def list_targets(world: World) -> Iterator[tuple[str, str]]:
    """Yield what each GET is about, without ids, and its target."""
    yield from ((target, target) for target in ("admin/ci/variables", "runners", "runners/all", "deploy_keys"))
    yield "deploy_tokens", "deploy_tokens"
    for runner in world.runners.all():
        for part in ("", "/jobs"):
            yield f"runner {natural_key(world, runner)}{part}", f"runners/{runner.id}{part}"
    for group in (each for each in world.namespaces.all() if isinstance(each, Group)):
        path = full_path(world, group)
        for name in ("variables", "deploy_tokens", "runners"):
            yield f"{path} {name}", f"groups/{quote(path, safe='')}/{name}"
    for project in world.projects.all():
        yield from _project_targets(world, project)


def _project_targets(world: World, project: Project) -> Iterator[tuple[str, str]]:
    path = project_path(world, project)
    start = f"projects/{quote(path, safe='')}"
    for name in LISTS:
        yield f"{path} {name}", f"{start}/{name}"
    for sha in {pipeline.sha for pipeline in world.pipelines.where("project", project.id)}:
        yield f"{path} {sha}", f"{start}/repository/commits/{sha}/statuses?all=true"
    for table, parts in RECORDS.items():
        for record in (each for each in getattr(world, table).all() if _is_in(each, project)):
            for part in parts:
                yield f"{table} {natural_key(world, record)}{part}", f"{start}/{table}/{record.id}{part}"
    for flag in world.feature_flags.where("project", project.id):
        yield f"{path} flag {flag.name}", f"{start}/feature_flags/{flag.name}"
    for group in world.resource_groups.where("project", project.id):
        yield f"{path} resource group {group.key}", f"{start}/resource_groups/{quote(group.key, safe='')}/upcoming_jobs"


def _is_in(record: Any, project: Project) -> bool:
    if hasattr(record, "source") and isinstance(record.source, tuple):
        return bool(record.source == ("project", project.id))
    return bool(record.project_id == project.id and getattr(record, "kind", "build") == "build")


def collect_ci_responses(
    platform: Platform, viewers: tuple[str, ...], *, left_out: tuple[str, ...] = ()
) -> dict[tuple[str, str], tuple[int, Any]]:
    """Return status and content of each response, by viewer and what it is about."""
    world, results = platform.view, {}
    names = collect_names(world)
    for viewer in viewers:
        token = token_of(world, viewer) if viewer != ANONYMOUS else None
        for about, target in list_targets(world):
            if not about.endswith(left_out or "\n"):
                path, _, query = target.partition("?")
                headers = {"private-token": token} if token else {}
                response = platform.handle(Request("GET", f"/api/v4/{path}", f"{EVERYTHING}&{query}", headers))
                results[viewer, about] = response.status, replace_ids(_parse_content(response, names), names)
    return results


def _parse_content(response: Response, names: Mapping[int, str]) -> Any:
    text = _ID_IN_PATH.sub(lambda id_: names.get(int(id_[0]), "N"), response.body.decode())
    is_json = dict(response.headers).get("Content-Type") == JSON
    return orjson.loads(text) if is_json and text else text


def collect_names(world: World) -> dict[int, str]:
    """Return the natural keys of all records by id; ids of different kinds do not overlap."""
    return {
        record.id: f"{table.kind.__name__} {natural_key(world, record)}"
        for table in World.tables
        if hasattr(table.kind, "__name__")
        for record in getattr(world, table.name).all()
    }
