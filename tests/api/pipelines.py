"""Helpers for tests of pipelines."""

from typing import Any

from fakeplat.domain.ci import pipelines
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Pipeline, Status
from tests.api.merge_requests import OPEN, SITE, get_json

BASIC = {"id", "sha", "ref", "status", "created_at", "updated_at", "web_url"}
FULL = BASIC | {
    "before_sha",
    "tag",
    "yaml_errors",
    "user",
    "started_at",
    "finished_at",
    "committed_at",
    "duration",
    "coverage",
    "detailed_status",
}


def create_pipelines(fake: Fakeplat, *declared: dict[str, Any], project: str = "acme/site") -> None:
    """Create pipelines in a project, by default of the branch ``feature``."""
    rows = [{"ref": "feature", **row} for row in declared]
    fake.load({"projects": [{"path_with_namespace": project, "pipelines": rows}]})


def load_project(fake: Fakeplat, project: str = "acme/site", **changes: Any) -> None:
    """Change a project or its records with a scenario fragment."""
    fake.load({"projects": [{"path_with_namespace": project, **changes}]})


def without_ci(fake: Fakeplat, project: str = "acme/site") -> None:
    """Let pushes to a project create no pipelines: it has no configuration where it looks for one."""
    load_project(fake, project, ci_config_path="none.yml")


def newest(fake: Fakeplat) -> Pipeline:
    return fake.bench.platform.view.pipelines.all()[-1]


def set_statuses(fake: Fakeplat, *statuses: Status) -> None:
    """Change the newest pipeline to one status after another, one second apart."""
    for status in statuses:
        fake.clock.advance(1)
        with fake.bench.platform.acting() as ctx:
            pipelines.set_status(ctx, ctx.world.pipelines[newest(fake).id], status)


def get_head_pipeline(fake: Fakeplat, path: str = OPEN) -> Any:
    return get_json(fake, path)["head_pipeline"]


__all__ = [
    "BASIC",
    "FULL",
    "OPEN",
    "SITE",
    "create_pipelines",
    "get_head_pipeline",
    "load_project",
    "newest",
    "set_statuses",
    "without_ci",
]
