"""What the tests of pipelines share: how to say some, and how to move one."""

from typing import Any

from fakeplat.domain.projects import pipelines
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.pipelines import Pipeline, Status
from tests.api.merge_requests import OPEN, SITE, shown

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


def give(fake: Fakeplat, *said: dict[str, Any], project: str = "acme/site") -> None:
    """Put pipelines into a project; without a word they are of the branch ``feature``."""
    found = [{"ref": "feature", **one} for one in said]
    fake.load({"projects": [{"path_with_namespace": project, "pipelines": found}]})


def say(fake: Fakeplat, project: str = "acme/site", **said: Any) -> None:
    """Change a project or what is in it."""
    fake.load({"projects": [{"path_with_namespace": project, **said}]})


def newest(fake: Fakeplat) -> Pipeline:
    return fake.bench.platform.view.pipelines.all()[-1]


def become(fake: Fakeplat, *statuses: Status) -> None:
    """Let the newest pipeline come to one status after another, a second each."""
    for status in statuses:
        fake.clock.advance(1)
        with fake.bench.platform.acting() as ctx:
            pipelines.set_status(ctx, ctx.world.pipelines[newest(fake).id], status)


def head(fake: Fakeplat, path: str = OPEN) -> Any:
    return shown(fake, path)["head_pipeline"]


__all__ = ["BASIC", "FULL", "OPEN", "SITE", "become", "give", "head", "newest", "say"]
