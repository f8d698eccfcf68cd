"""CI_JOB_TOKEN: how tests get one, and how long it is valid. Source: docs/platform/authentication.md."""

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_actions, job_tokens
from fakeplat.domain.people import users
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job
from fakeplat.workbench.tokens import TokenNotCreatable
from tests.api.ci_jobs import create_pipeline, jobs_of, wait_for_runner

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual")


def run_job(fake: Fakeplat) -> Job:
    wait_for_runner(fake)
    (job,) = jobs_of(fake, create_pipeline(fake, PlannedJob(name="build")))
    with fake.bench.platform.acting() as ctx:
        return job_actions.run(ctx, job)


def test_a_test_gets_the_token_of_a_running_job(fakeplat: Fakeplat) -> None:
    """A test gets the same token of a running job until the job ends."""
    job = run_job(fakeplat)
    value = fakeplat.token("dev", "job", job=job.id)
    assert value == fakeplat.token("dev", "job", job=job.id)
    token = job_tokens.find(fakeplat.bench.platform.view, job)
    assert token is not None
    assert (value, 20, "job", job.project_id, False) == (
        token.value,
        len(token.value),
        token.kind,
        token.project_id,
        token.revoked,
    )

    with fakeplat.bench.platform.acting() as ctx:
        job_actions.succeed(ctx, ctx.world.jobs[job.id])
    ended = job_tokens.find(fakeplat.bench.platform.view, job)
    assert ended is not None
    assert ended.revoked


def test_only_a_running_job_has_a_token(fakeplat: Fakeplat) -> None:
    """Only a running job has a token, which acts as the job's user."""
    job = run_job(fakeplat)
    with pytest.raises(TokenNotCreatable, match="there is no job 1"):
        fakeplat.token("dev", "job", job=1)
    with pytest.raises(TokenNotCreatable, match="only a job token has a job"):
        fakeplat.token("dev", "personal", job=job.id)
    with pytest.raises(TokenNotCreatable, match="does not run for the user 'mia'"):
        fakeplat.token("mia", "job", job=job.id)
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.cancel(ctx, ctx.world.jobs[job.id])
    with pytest.raises(TokenNotCreatable, match="is canceled"):
        fakeplat.token("dev", "job", job=job.id)


def test_the_job_of_a_deleted_user_has_a_token_without_rights(fakeplat: Fakeplat) -> None:
    """The job token of a deleted user only identifies the job to its runner."""
    job = run_job(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        dev = users.find_by_username(ctx.world, "dev")
        assert dev is not None
        users.delete(ctx, dev)
        value = job_tokens.ensure(ctx, ctx.world.jobs[job.id]).value
    reply = fakeplat.as_user(None).request("PUT", f"jobs/{job.id}", json={"token": value, "state": "success"})

    assert 200 == reply.status
