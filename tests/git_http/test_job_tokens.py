"""Git with the token of a running job, as a runner fetches. Source: docs/platform/runner-protocol.md."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_actions, runners
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import create_pipeline, find_project, wait_for_runner
from tests.git.command import Git
from tests.git_http.remote import error_output

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual")


def take_job(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    """Take a job of acme/site as a runner."""
    wait_for_runner(fake)
    with fake.bench.platform.acting() as ctx:
        runner = runners.create(ctx, "project_type", projects=[find_project(ctx.world)])
    create_pipeline(fake, PlannedJob(name="build"), **fields)
    taken: dict[str, Any] = fake.as_user(None).post("jobs/request", json={"token": runner.token}).json()
    return taken


def test_a_job_fetches_with_its_token(fakeplat: Fakeplat, here: Git) -> None:
    """A job can fetch with its URL and refspecs while it runs, and not after it has finished."""
    info = take_job(fakeplat)["git_info"]
    work = Git(here.path / "build")
    work("fetch", "-q", f"--depth={info['depth']}", info["repo_url"], *info["refspecs"])
    pipeline_ref = info["refspecs"][0].partition(":")[2]
    assert [info["sha"]] * 2 == [work("rev-parse", ref).strip() for ref in (pipeline_ref, "origin/master")]

    with fakeplat.bench.platform.acting() as ctx:
        (job,) = ctx.world.jobs.all()
        job_actions.succeed(ctx, job)
    assert "Authentication failed" in error_output(work.tried("fetch", "-q", info["repo_url"]))


def test_a_job_fetches_a_commit_that_no_branch_has_any_more(fakeplat: Fakeplat, here: Git) -> None:
    """A job can fetch the commit of its pipeline by the pipeline's ref after its branch was deleted."""
    dev = fakeplat.as_user("dev")
    actions = [{"action": "create", "file_path": "new", "content": "x"}]
    body = {"branch": "gone", "start_branch": "master", "commit_message": "New", "actions": actions}
    sha = dev.post("projects/acme%2Fsite/repository/commits", json=body).json()["id"]
    info = take_job(fakeplat, ref="gone", sha=sha)["git_info"]
    assert 204 == dev.delete("projects/acme%2Fsite/repository/branches/gone").status
    work = Git(here.path / "build")
    work("fetch", "-q", info["repo_url"], info["refspecs"][0])

    assert sha == work("rev-parse", "FETCH_HEAD").strip()
