"""The keyword ``workflow:auto_cancel``. Source: doc/ci/yaml of 18.6, cancel_redundant_pipelines_service.rb."""

import pytest

from fakeplat.domain.ci import job_actions
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import wait_for_runner

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, version="latest", default_branch="main")
JOBS = "one: {script: a, interruptible: true}\ntwo: {script: b}\n"


def push_twice(fake: Fakeplat, workflow: str, *, running: str) -> dict[str, str]:
    """Push two commits, a job running in between, and return the statuses of the jobs of the first pipeline."""
    wait_for_runner(fake)
    commit_ci(fake, f"{JOBS}workflow: {workflow}\n", branch="main")
    with fake.bench.platform.acting() as ctx:
        (job,) = [job for job in ctx.world.jobs.all() if job.name == running]
        ctx.world.jobs.change(job, status="running", started_at=ctx.now_iso)
    commit_ci(fake, JOBS, branch="main")
    view = fake.bench.platform.view
    first = min(view.jobs.all(), key=lambda job: job.id).pipeline_id
    return {job.name: job.status for job in view.jobs.all() if job.pipeline_id == first}


@pytest.mark.parametrize(
    ("workflow", "running", "expected"),
    [
        ("{auto_cancel: {on_new_commit: none}}", "one", {"one": "running", "two": "pending"}),
        ("{auto_cancel: {on_new_commit: conservative}}", "one", {"one": "canceled", "two": "canceled"}),
        ("{auto_cancel: {on_new_commit: conservative}}", "two", {"one": "pending", "two": "running"}),
        ("{auto_cancel: {on_new_commit: interruptible}}", "one", {"one": "canceled", "two": "pending"}),
        ("{auto_cancel: {on_new_commit: interruptible}}", "two", {"one": "canceled", "two": "running"}),
        ("{auto_cancel: {on_job_failure: all}}", "two", {"one": "pending", "two": "running"}),
        (
            "{auto_cancel: {on_new_commit: interruptible}, rules: [{auto_cancel: {on_new_commit: none}}]}",
            "one",
            {"one": "running", "two": "pending"},
        ),
        (
            "{auto_cancel: {on_new_commit: none}, rules: [{auto_cancel: {on_job_failure: all}}]}",
            "one",
            {"one": "running", "two": "pending"},
        ),
    ],
)
def test_a_newer_commit_cancels_what_the_workflow_says(
    fakeplat: Fakeplat, workflow: str, running: str, expected: dict[str, str]
) -> None:
    """The older pipeline says which of its jobs a newer commit cancels; a rule of its workflow comes first."""
    assert expected == push_twice(fakeplat, workflow, running=running)


@pytest.mark.parametrize(
    ("on_job_failure", "more", "expected"),
    [
        ("all", "", {"bad": "failed", "good": "canceled", "later": "canceled"}),
        ("none", "", {"bad": "failed", "good": "pending", "later": "created"}),
        ("all", ", allow_failure: true", {"bad": "failed", "good": "pending", "later": "created"}),
        ("all", ", retry: 1", {"bad": "pending", "good": "pending", "later": "created"}),
    ],
)
def test_a_failed_job_cancels_what_the_workflow_says(
    fakeplat: Fakeplat, on_job_failure: str, more: str, expected: dict[str, str]
) -> None:
    """A job whose failure counts and that is not retried cancels all others, if the workflow says so."""
    wait_for_runner(fakeplat)
    text = f"bad: {{script: a{more}}}\ngood: {{script: b}}\nlater: {{script: c, stage: deploy}}\n"
    commit_ci(fakeplat, f"workflow: {{auto_cancel: {{on_job_failure: {on_job_failure}}}}}\n{text}", branch="main")
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.fail(ctx, next(job for job in ctx.world.jobs.all() if job.name == "bad"))
    latest = {job.name: job.status for job in fakeplat.bench.platform.view.jobs.all() if not job.retried}

    assert expected == latest
