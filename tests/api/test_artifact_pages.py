"""Artifacts, logs and package files at the addresses of their pages. Source: docs/platform/external.md."""

from typing import Any

import pytest
import requests

from fakeplat.ci_config.jobs import ArtifactsSpec, PlannedJob
from fakeplat.domain.ci import artifact_files, job_outcomes
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job
from tests.api.ci_jobs import create_pipeline, jobs_of

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0)


@pytest.fixture
def job(fakeplat: Fakeplat) -> Job:
    """A job of master that left an archive with a file."""
    with fakeplat.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"artifacts": {"out/a.txt": "A"}, "log": "done"}])
    pipeline = create_pipeline(fakeplat, PlannedJob(name="build"))
    fakeplat.clock.advance(1)
    (created,) = jobs_of(fakeplat, pipeline)
    return created


def get(fake: Fakeplat, path: str, by: str | None = "dev", **params: Any) -> requests.Response:
    """Get a page without following redirects."""
    headers = {"PRIVATE-TOKEN": fake.token(by)} if by else {}
    url = path if path.startswith("http") else f"{fake.url}/acme/site/-/{path}"
    return requests.get(url, params=params, headers=headers, timeout=30, allow_redirects=False)


def test_artifacts_and_logs_are_downloaded_from_their_pages(fakeplat: Fakeplat, job: Job) -> None:
    """The pages of a job serve the same archive, files and log as the API."""
    archive = get(fakeplat, f"jobs/{job.id}/artifacts/download")
    assert (200, b"A") == (archive.status_code, artifact_files.read_entry(archive.content, "out/a.txt"))
    assert 'filename="artifacts.zip"' in archive.headers["Content-Disposition"]
    assert archive.content == fakeplat.as_user("dev").get(f"projects/acme%2Fsite/jobs/{job.id}/artifacts").content
    file = get(fakeplat, f"jobs/{job.id}/artifacts/raw/out/a.txt")
    assert (200, b"A") == (file.status_code, file.content)
    log = get(fakeplat, f"jobs/{job.id}/raw")
    assert (200, "done", "text/plain; charset=utf-8") == (log.status_code, log.text, log.headers["Content-Type"])


@pytest.mark.parametrize(("path", "target"), [("download", "download"), ("raw/out/a.txt", "raw/out/a.txt")])
def test_the_newest_artifacts_of_a_branch_are_redirects(fakeplat: Fakeplat, job: Job, path: str, target: str) -> None:
    """The address with a branch and the name of a job leads to that of the job."""
    reply = get(fakeplat, f"jobs/artifacts/master/{path}", job="build")
    address = f"{fakeplat.url.rstrip('/')}/acme/site/-/jobs/{job.id}/artifacts/{target}"
    assert (302, address) == (reply.status_code, reply.headers["Location"])
    assert 200 == get(fakeplat, reply.headers["Location"]).status_code


@pytest.mark.parametrize("tail", ["artifacts/download", "artifacts/raw/out/a.txt", "raw"])
def test_who_cannot_read_jobs_finds_no_pages(fakeplat: Fakeplat, job: Job, tail: str) -> None:
    """Signed-in callers get 404, others are sent to the page on which they sign in."""
    path = f"jobs/{job.id}/{tail}"
    assert [404, 302] == [get(fakeplat, path, by).status_code for by in ("eve", None)]
    assert 404 == get(fakeplat, f"{fakeplat.url}/acme/docs/-/{path}").status_code
    assert 404 == get(fakeplat, f"jobs/1/{tail}").status_code


@pytest.mark.parametrize(("access", "expected"), [("all", [200, 200]), ("developer", [200, 404]), ("none", [404, 404])])
def test_who_may_not_download_finds_no_pages(fakeplat: Fakeplat, access: Any, expected: list[int]) -> None:
    """The access to artifacts counts for their pages, and not for logs."""
    with fakeplat.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"artifacts": {"out/a.txt": "A"}, "log": "done"}])
    planned = PlannedJob(name="build", artifacts=ArtifactsSpec(paths=("out",), access=access))
    (job,) = jobs_of(fakeplat, create_pipeline(fakeplat, planned))
    fakeplat.clock.advance(1)

    for tail in ("download", "raw/out/a.txt"):
        path = f"jobs/{job.id}/artifacts/{tail}"
        assert expected == [get(fakeplat, path, by).status_code for by in ("dev", "rep")]
    assert 200 == get(fakeplat, f"jobs/{job.id}/raw", "rep").status_code


@pytest.mark.parametrize(
    ("tail", "name"),
    [("master/download", "other"), ("master/download", None), ("feature/download", "build"), ("master/up", "build")],
)
def test_missing_newest_artifacts_are_not_found(fakeplat: Fakeplat, job: Job, tail: str, name: str | None) -> None:
    """A job of another name, no name, a branch without a pipeline and another action are not found."""
    del job
    assert 404 == get(fakeplat, f"jobs/artifacts/{tail}", job=name).status_code
    assert [404, 302] == [get(fakeplat, f"jobs/artifacts/{tail}", by, job=name).status_code for by in ("eve", None)]


def test_missing_files_of_archives(fakeplat: Fakeplat, job: Job) -> None:
    """A file that the archive does not have, and the archive once it is deleted, are not found."""
    assert 404 == get(fakeplat, f"jobs/{job.id}/artifacts/raw/out/b.txt").status_code
    assert 204 == fakeplat.as_user("mia").delete(f"projects/acme%2Fsite/jobs/{job.id}/artifacts").status
    assert 404 == get(fakeplat, f"jobs/{job.id}/artifacts/download").status_code


def test_package_files_are_downloaded_from_their_pages(fakeplat: Fakeplat) -> None:
    """The address in the web interface has the id of the file; who may not read packages finds nothing."""
    dev, packages = fakeplat.as_user("dev"), "projects/acme%2Fsite/packages"
    assert 201 == dev.put(f"{packages}/generic/p/1.0.0/app.bin", data=b"app").status
    (package,) = dev.get(packages).json()
    (file,) = dev.get(f"{packages}/{package['id']}/package_files").json()
    path = f"package_files/{file['id']}/download"
    reply = get(fakeplat, path)
    assert (200, b"app") == (reply.status_code, reply.content)
    assert 'filename="app.bin"' in reply.headers["Content-Disposition"]
    assert [404, 302] == [get(fakeplat, path, by).status_code for by in ("gus", None)]
    assert 404 == get(fakeplat, f"{fakeplat.url}/acme/docs/-/{path}").status_code
    assert 404 == get(fakeplat, "package_files/1/download").status_code
