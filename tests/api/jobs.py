"""Helpers for tests of jobs: fields, and functions that create pipelines with jobs and look them up."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, Pipeline
from tests.api.merge_requests import SITE
from tests.api.pipelines import BASIC as PIPELINE
from tests.api.pipelines import create_pipelines, newest

BASIC = {
    "id",
    "status",
    "stage",
    "name",
    "ref",
    "tag",
    "coverage",
    "allow_failure",
    "created_at",
    "started_at",
    "finished_at",
    "duration",
    "user",
    "commit",
    "pipeline",
    "web_url",
}
FULL = BASIC | {"artifacts", "runner", "artifacts_expire_at"}
BRIDGE = BASIC | {"downstream_pipeline"}


def create_pipeline(fake: Fakeplat, *jobs: dict[str, Any], **attributes: Any) -> Pipeline:
    """Create a pipeline of the branch ``feature`` with jobs; return it."""
    create_pipelines(fake, {"jobs": [*jobs], **attributes})
    return newest(fake)


def job(fake: Fakeplat, name: str) -> Job:
    """Return the newest job with a name."""
    return [job for job in fake.bench.platform.view.jobs.all() if job.name == name][-1]


def path(fake: Fakeplat, name: str, tail: str = "") -> str:
    """Return the path of the newest job with a name."""
    return f"{SITE}/jobs/{job(fake, name).id}{tail}"


def statuses(fake: Fakeplat) -> list[tuple[str, str]]:
    """Return the names and statuses of all jobs by id."""
    return [(job.name, job.status) for job in fake.bench.platform.view.jobs.all()]


__all__ = ["BASIC", "BRIDGE", "FULL", "PIPELINE", "SITE", "create_pipeline", "job", "path", "statuses"]
