"""A runner that only knows the protocol: it registers, takes jobs, writes logs, uploads artifacts, reports results."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
import requests

from fakeplat.ci_config.jobs import ArtifactsSpec, PlannedJob
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import create_pipeline, find_project, wait_for_runner

pytestmark = pytest.mark.fakeplat(clock="virtual")

FEATURES = {"upload_multiple_artifacts": True, "refspecs": True, "artifacts_exclude": True, "multi_build_steps": True}
WIDTH = 10
"""The number of bytes of each part of a log."""


class RunnerLoop:
    """A runner whose jobs only repeat their scripts, and find the files that they are to keep."""

    def __init__(self, url: str, registration_token: str) -> None:
        self.api = f"{url}/api/v4"
        self.session = requests.Session()
        body = {"token": registration_token, "description": "loop", "run_untagged": True}
        self.token = self._send("POST", "runners", json=body).json()["token"]
        self.last_update = ""

    def _send(self, method: str, path: str, **rest: Any) -> requests.Response:
        response = self.session.request(method, f"{self.api}/{path}", timeout=10, **rest)
        response.raise_for_status()
        return response

    def run_all(self) -> Iterator[str]:
        """Run jobs until there are none; yield the name of each."""
        while job := self._request_job():
            self._run(job)
            yield job["job_info"]["name"]

    def _request_job(self) -> Any:
        body = {"token": self.token, "last_update": self.last_update, "info": {"name": "loop", "features": FEATURES}}
        response = self._send("POST", "jobs/request", json=body)
        self.last_update = response.headers.get("X-GitLab-Last-Update", "")
        return response.json() if response.status_code == 201 else None

    def _run(self, job: Any) -> None:
        for dependency in job["dependencies"]:
            if "artifacts_file" in dependency:
                self._send("GET", f"jobs/{dependency['id']}/artifacts", headers={"JOB-TOKEN": dependency["token"]})
        log = "".join(f"$ {line}\n" for step in job["steps"] for line in step["script"])
        self._write_log(job, log.encode())
        for artifact in job["artifacts"] or ():
            self._upload(job, artifact)
        failed = "$ false\n" in log
        result = {"state": "failed", "failure_reason": "script_failure"} if failed else {"state": "success"}
        self._send("PUT", f"jobs/{job['id']}", json={"token": job["token"], **result})

    def _write_log(self, job: Any, log: bytes) -> None:
        headers = {"JOB-TOKEN": job["token"], "Content-Type": "text/plain"}
        for start in range(0, len(log), WIDTH):
            part = log[start : start + WIDTH]
            content_range = {"Content-Range": f"{start}-{start + len(part)}"}
            response = self._send("PATCH", f"jobs/{job['id']}/trace", data=part, headers=headers | content_range)
            assert ("running", f"0-{start + len(part)}") == (response.headers["Job-Status"], response.headers["Range"])

    def _upload(self, job: Any, artifact: Any) -> None:
        stream = BytesIO()
        with ZipFile(stream, "w") as archive:
            for path in artifact["paths"]:
                archive.writestr(path, path)
        data = {name: artifact[name] for name in ("artifact_type", "artifact_format", "expire_in") if artifact[name]}
        file = (f"{artifact['name'] or 'artifacts'}.zip", stream.getvalue())
        headers = {"JOB-TOKEN": job["token"]}
        self._send("POST", f"jobs/{job['id']}/artifacts", data=data, files={"file": file}, headers=headers)


def register_runner(fake: Fakeplat) -> RunnerLoop:
    """Register a runner of acme/site, whose jobs wait for it."""
    wait_for_runner(fake)
    token = fake.as_user("root").get("projects/acme%2Fsite").json()["runners_token"]
    return RunnerLoop(fake.url, token)


def plan_job(name: str, stage_index: int, *script: str, **fields: Any) -> PlannedJob:
    return PlannedJob(name=name, stage=name, stage_index=stage_index, options={"script": list(script)}, **fields)


def test_a_runner_brings_a_pipeline_to_success(fakeplat: Fakeplat) -> None:
    """A runner completes a pipeline stage by stage and uploads logs and artifacts."""
    runner = register_runner(fakeplat)
    kept = ArtifactsSpec(name="site", paths=("public/index.html",), expire_in="1 hour")
    pipeline = create_pipeline(
        fakeplat, plan_job("build", 0, "make all", artifacts=kept), plan_job("test", 1, "make test")
    )
    assert ["build", "test"] == list(runner.run_all())

    view = fakeplat.bench.platform.view
    build, test = view.jobs.where("pipeline", pipeline.id)
    assert "success" == view.pipelines[pipeline.id].status
    assert ["$ make all\n", "$ make test\n"] == [build.log, test.log]
    archive = view.job_artifacts.find("type", (build.id, "archive"))
    assert archive is not None
    assert ("site.zip", ["public/index.html"]) == (
        archive.filename,
        ZipFile(BytesIO(archive.content)).namelist(),
    )


def test_a_failed_script_fails_the_pipeline(fakeplat: Fakeplat) -> None:
    """A failed script fails the pipeline and skips its next stage."""
    runner = register_runner(fakeplat)
    pipeline = create_pipeline(fakeplat, plan_job("build", 0, "false"), plan_job("test", 1, "make test"))
    assert ["build"] == list(runner.run_all())

    view = fakeplat.bench.platform.view
    assert "failed" == view.pipelines[pipeline.id].status
    assert ["failed", "skipped"] == [job.status for job in view.jobs.where("pipeline", pipeline.id)]


def test_jobs_that_wait_for_a_runner_are_not_played(fakeplat: Fakeplat) -> None:
    """A job for an external runner is still pending after 59 minutes."""
    register_runner(fakeplat)
    pipeline = create_pipeline(fakeplat, plan_job("build", 0, "make"))
    fakeplat.clock.advance("59m")

    assert "external" == find_project(fakeplat.bench.platform.view).runners
    assert "pending" == fakeplat.bench.platform.view.pipelines[pipeline.id].status
