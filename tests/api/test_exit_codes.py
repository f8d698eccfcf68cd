"""Exit codes of jobs that fail: ``allow_failure:exit_codes`` and ``retry:exit_codes``.

Source: spec/models/ci/build_spec.rb (drop_with_exit_code!), spec/lib/gitlab/ci/build/auto_retry_spec.rb, doc/ci/yaml.
"""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci
from tests.api.test_runner_protocol import create_runner, finish_job, take_job

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, version="latest", default_branch="main")
ALLOWED = "allow_failure: {exit_codes: [3, 137]}"


def fail(fake: Fakeplat, keywords: str, exit_code: int | None) -> tuple[str, bool, int]:
    """Let a runner report that a job failed. Return the pipeline's status, whether it may fail, and the tries."""
    runner = create_runner(fake)
    commit_ci(fake, f"job: {{script: a, {keywords}}}", branch="main")
    taken = take_job(fake, runner, info={"features": {"return_exit_code": True}})
    given = {} if exit_code is None else {"exit_code": exit_code}
    assert 200 == finish_job(fake, taken, "failed", failure_reason="script_failure", **given).status
    view = fake.bench.platform.view
    tries = list(view.jobs.where("pipeline", view.jobs[taken["id"]].pipeline_id))
    return view.pipelines[tries[0].pipeline_id].status, view.jobs[taken["id"]].allow_failure, len(tries)


@pytest.mark.parametrize(
    ("keywords", "exit_code", "expected"),
    [
        (ALLOWED, 3, ("success", True, 1)),
        (ALLOWED, 137, ("success", True, 1)),
        (ALLOWED, 1, ("failed", False, 1)),
        (ALLOWED, None, ("failed", False, 1)),
        ("allow_failure: {exit_codes: 3}", 3, ("success", True, 1)),
        (f"{ALLOWED}, rules: [{{allow_failure: false}}]", 3, ("failed", False, 1)),
        (f"{ALLOWED}, rules: [{{allow_failure: true}}]", 1, ("success", True, 1)),
        ("retry: {max: 1, exit_codes: [3]}", 3, ("running", False, 2)),
        ("retry: {max: 1, exit_codes: 3}", 3, ("running", False, 2)),
        ("retry: {max: 1, exit_codes: [3]}", 1, ("failed", False, 1)),
        ("retry: {max: 1, exit_codes: [3], when: script_failure}", 1, ("running", False, 2)),
        ("retry: {max: 1, exit_codes: [3], when: api_failure}", 1, ("failed", False, 1)),
        ("retry: {max: 1, exit_codes: [3], when: api_failure}", 3, ("running", False, 2)),
        ("retry: {max: 1}", 1, ("running", False, 2)),
    ],
)
def test_exit_codes_decide(
    fakeplat: Fakeplat, keywords: str, exit_code: int | None, expected: tuple[str, bool, int]
) -> None:
    """The exit code decides whether a failure counts, and whether the job is retried."""
    assert expected == fail(fakeplat, keywords, exit_code)


@pytest.mark.fakeplat(version="13.8")
def test_allowed_exit_codes_begin_with_13_8(fakeplat: Fakeplat) -> None:
    """The first release with exit codes allows them."""
    assert ("success", True, 1) == fail(fakeplat, "stage: test, allow_failure: {exit_codes: [3]}", 3)


@pytest.mark.parametrize(("exit_code", "status"), [(3, "success"), (1, "failed")])
def test_played_jobs_have_exit_codes(fakeplat: Fakeplat, exit_code: int, status: str) -> None:
    """The outcome of a job that is played has an exit code."""
    fakeplat.pipelines.replace([{"job": "job", "outcome": "failed", "exit_code": exit_code}])
    commit_ci(fakeplat, f"job: {{script: a, {ALLOWED}}}", branch="main")
    fakeplat.settle()

    assert [status] == [pipeline.status for pipeline in fakeplat.bench.platform.view.pipelines.all()][-1:]


def test_a_retried_job_may_not_fail_at_first(fakeplat: Fakeplat) -> None:
    """The copy of a job that failed with an allowed code may not fail until it does so again."""
    assert ("success", True, 1) == fail(fakeplat, ALLOWED, 3)
    (job,) = [job for job in fakeplat.bench.platform.view.jobs.all() if job.name == "job"]
    copy = fakeplat.as_user("ada").post(f"projects/acme%2Fsite/jobs/{job.id}/retry").json()

    assert not copy["allow_failure"]
