"""Artifacts, tokens and runners of jobs in scenarios."""

from typing import Any

from fakeplat.platform import Platform
from tests.scenario.worlds import create_platform, reload_export

TIME = "2020-11-20T09:00:00.000Z"
JOB = {
    "name": "build",
    "status": "running",
    "artifact_files": [
        {"files": {"a.txt": "A"}, "expire_at": "2030-01-01T00:00:00.000Z"},
        {"file_type": "dotenv", "filename": ".env.gz", "content_base64": "H4sIAAAAAAAA", "created_at": TIME},
    ],
    "token": {"value": "token-of-the-job", "created_at": TIME},
    "runner": {"token": "token-of-the-runner"},
}
WORLD: dict[str, Any] = {
    "extends": "starter",
    "runners": [{"token": "token-of-the-runner", "projects": ["acme/site"]}],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "runners": "external",
            "pipelines": [{"ref": "master", "user": "dev", "jobs": [JOB]}],
        }
    ],
}


def list_facts(platform: Platform) -> Any:
    """What jobs have, without ids."""
    world = platform.view
    (job,) = world.jobs.all()
    runner = world.runners[job.runner_id or 0]
    (token,) = world.tokens.where("job", job.id)
    artifacts = [
        (row.file_type, row.file_format, row.filename, row.content, row.created_at, row.expire_at)
        for row in world.job_artifacts.where("job", job.id)
    ]
    return runner.token, (token.value, token.kind, token.created_at, token.revoked), artifacts


def test_what_a_job_has_is_loaded() -> None:
    """A job is loaded with its runner, its token, its archive with metadata, and its report files."""
    runner, token, (archive, metadata, dotenv) = list_facts(create_platform(WORLD))

    assert ("token-of-the-runner", ("token-of-the-job", "job", TIME, False)) == (runner, token)
    assert ("archive", "zip", "artifacts.zip", "2030-01-01T00:00:00.000Z") == (*archive[:3], archive[5])
    assert ("metadata", "gzip") == metadata[:2]
    assert ("dotenv", "gzip", ".env.gz", TIME, None) == (*dotenv[:3], *dotenv[4:])


def test_what_a_job_has_survives_an_export() -> None:
    """Runner, token and artifacts of a job survive a round trip."""
    platform = create_platform(WORLD)

    assert list_facts(platform) == list_facts(reload_export(platform))
