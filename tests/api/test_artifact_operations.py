"""Artifacts as users see, download, keep and delete them. Source: docs/platform/artifacts.md."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from fakeplat.ci_config.jobs import ArtifactsSpec, PlannedJob
from fakeplat.domain.ci import job_outcomes
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import create_pipeline, jobs_of
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, outcome, refusal, resource_not_found

NOW = "2020-11-20T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, start=NOW)

JOBS = "projects/acme%2Fsite/jobs"
NONE = (404, {"message": "404 Not Found"})
UNKNOWN = (404, {"message": "404 Not found"})


def play_job(fake: Fakeplat, files: dict[str, str], **fields: Any) -> str:
    """Play a job that leaves files; return its path."""
    with fake.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"artifacts": files, "log": "done"}])
    pipeline = create_pipeline(fake, PlannedJob(name="build", **fields))
    fake.clock.advance(1)
    return f"{JOBS}/{jobs_of(fake, pipeline)[0].id}"


def get(fake: Fakeplat, path: str, by: str = "dev") -> Any:
    reply = fake.as_user(by).get(path)
    assert 200 == reply.status, reply
    return reply.json()


def test_a_job_shows_its_artifacts(fakeplat: Fakeplat) -> None:
    """A job shows its archive, all artifact files and their expiry."""
    job = get(fakeplat, play_job(fakeplat, {"a": "A"}))
    archive, metadata, log = job["artifacts"]

    assert {"filename": "artifacts.zip", "size": archive["size"]} == job["artifacts_file"]
    assert ("archive", "zip", "artifacts.zip") == (archive["file_type"], archive["file_format"], archive["filename"])
    assert ("metadata", "gzip", "metadata.gz") == (
        metadata["file_type"],
        metadata["file_format"],
        metadata["filename"],
    )
    assert {"file_type": "trace", "size": 4, "filename": "job.log", "file_format": None} == log
    assert "2020-12-20T09:00:01.000Z" == job["artifacts_expire_at"]


def test_an_expired_archive_is_not_shown(fakeplat: Fakeplat) -> None:
    """A job whose archive expired shows only its log."""
    path = play_job(fakeplat, {"a": "A"}, artifacts=ArtifactsSpec(paths=("a",), expire_in="1 minute"))
    fakeplat.clock.advance(60)
    job = get(fakeplat, path)

    assert "artifacts_file" not in job
    assert ["trace"] == [artifact["file_type"] for artifact in job["artifacts"]]


def test_the_archive_is_downloaded(fakeplat: Fakeplat) -> None:
    """The archive of a job is served as the attachment artifacts.zip."""
    reply = fakeplat.as_user("rep").get(f"{play_job(fakeplat, {'a': 'A'})}/artifacts")

    assert (200, "application/octet-stream", "binary") == (
        reply.status,
        reply.headers["Content-Type"],
        reply.headers["Content-Transfer-Encoding"],
    )
    disposition = "attachment; filename=\"artifacts.zip\"; filename*=UTF-8''artifacts.zip"
    assert disposition == reply.headers["Content-Disposition"]
    assert {"a": b"A"} == {
        name: ZipFile(BytesIO(reply.content)).read(name) for name in ZipFile(BytesIO(reply.content)).namelist()
    }


def test_a_job_downloads_with_its_token(fakeplat: Fakeplat) -> None:
    """A job token in its header allows to download artifacts."""
    path = play_job(fakeplat, {"a": "A"})
    token = fakeplat.token("dev", "job", project="acme/site")

    assert 200 == fakeplat.as_user(None).request("GET", f"{path}/artifacts", headers={"JOB-TOKEN": token}).status


@pytest.mark.parametrize(("tier", "status"), [("free", 404), ("premium", 200)])
def test_downloads_with_job_tokens_are_paid_on_the_platform(
    fakeplat_factory: Callable[..., Fakeplat], tier: str, status: int
) -> None:
    """On the platform downloads with a job token require the tier of cross-project pipelines."""
    fakeplat = fakeplat_factory(scenario="starter", tier=tier, documented=False)
    path = play_job(fakeplat, {"a": "A"})
    anonymous, token = fakeplat.as_user(None), fakeplat.token("dev", "job", project="acme/site")
    tails = [f"{path}/artifacts", f"{path}/artifacts/a"]
    tails += [f"{JOBS}/artifacts/master/{tail}" for tail in ("download?job=build", "raw/a?job=build")]
    for tail in tails:
        reply = anonymous.get(tail, headers={"JOB-TOKEN": token})
        assert status == reply.status, tail
        if status == 404:
            assert resource_not_found("Project") == outcome(reply)


@pytest.mark.fakeplat(documented=False)
def test_kept_jobs_have_no_obsolete_field(fakeplat: Fakeplat) -> None:
    """``download_url`` is a field of the specification that the platform no longer has."""
    path = play_job(fakeplat, {"a": "A"})
    assert "download_url" not in fakeplat.as_user("mia").post(f"{path}/artifacts/keep").json()


def test_artifacts_of_an_archived_project_are_deleted(fakeplat: Fakeplat) -> None:
    """The deletion of artifacts is none of the actions that an archived project forbids."""
    path = play_job(fakeplat, {"a": "A"})
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/archive").status
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{path}/artifacts")
    assert 204 == fakeplat.as_user("mia").delete(f"{path}/artifacts").status


def test_who_cannot_read_jobs_gets_no_artifacts(fakeplat: Fakeplat) -> None:
    """Guests get a 403 for artifacts of private pipelines, others a 404."""
    path = f"{play_job(fakeplat, {'a': 'A'})}/artifacts"
    assert 200 == fakeplat.as_user("mia").put("projects/acme%2Fsite", json={"public_builds": False}).status

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", path)
    assert UNKNOWN == refusal(fakeplat, "dev", "GET", f"{JOBS}/1/artifacts")


ALLOWED = ("rep", "dev", "mia", "ada")


@pytest.mark.parametrize(
    ("configured", "allowed"),
    [
        ("", ALLOWED),
        ("public: true", ALLOWED),
        ("public: false", ("dev", "mia", "ada")),
        ("access: all", ALLOWED),
        ("access: developer", ("dev", "mia", "ada")),
        ("access: maintainer", ("mia", "ada")),
        ("access: none", ()),
    ],
)
@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_configurations_say_who_gets_artifacts(fakeplat: Fakeplat, configured: str, allowed: tuple[str, ...]) -> None:
    """``artifacts:public`` and ``artifacts:access`` say who may download: by each of the addresses the same."""
    with fakeplat.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"artifacts": {"a": "A"}, "log": "done"}])
    text = f"build:\n  script: make\n  artifacts:\n    paths: [a]\n    {configured}\n"
    commit_ci(fakeplat, text)
    fakeplat.clock.advance(1)
    *_, job = fakeplat.bench.platform.view.jobs.all()
    tails = [f"{job.id}/artifacts", f"{job.id}/artifacts/a"]
    tails += [f"artifacts/master/{tail}?job=build" for tail in ("download", "raw/a")]

    for tail in tails:
        for user in ALLOWED:
            reply = fakeplat.as_user(user).get(f"{JOBS}/{tail}")
            assert (200 if user in allowed else 403) == reply.status, (tail, user)


def test_without_an_archive_there_is_nothing_to_download_or_to_keep(fakeplat: Fakeplat) -> None:
    """A missing or expired archive can be neither downloaded nor kept."""
    path = play_job(fakeplat, {})
    assert NONE == refusal(fakeplat, "dev", "GET", f"{path}/artifacts")
    assert NONE == refusal(fakeplat, "mia", "POST", f"{path}/artifacts/keep")

    expired = play_job(fakeplat, {"a": "A"}, artifacts=ArtifactsSpec(paths=("a",), expire_in="1 minute"))
    fakeplat.clock.advance(60)
    assert NONE == refusal(fakeplat, "dev", "GET", f"{expired}/artifacts")


def test_artifacts_are_kept(fakeplat: Fakeplat) -> None:
    """Whoever may update the job keeps its artifacts, which then never expire."""
    path = play_job(fakeplat, {"a": "A"})
    status, job = outcome(fakeplat.as_user("mia").post(f"{path}/artifacts/keep"))
    assert (200, None) == (status, job["artifacts_expire_at"])

    fakeplat.clock.advance("400d")
    assert 200 == fakeplat.as_user("dev").get(f"{path}/artifacts").status
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{path}/artifacts/keep")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"{path}/artifacts/keep")


def test_artifacts_are_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete artifacts but not the log, and a job without any answers 204 too."""
    path = play_job(fakeplat, {"a": "A"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{path}/artifacts")
    assert [204, 204] == [fakeplat.as_user("mia").delete(f"{path}/artifacts").status for _ in range(2)]

    job = get(fakeplat, path)
    assert (["trace"], None) == ([row["file_type"] for row in job["artifacts"]], job["artifacts_expire_at"])
    assert UNKNOWN == refusal(fakeplat, "mia", "DELETE", f"{JOBS}/1/artifacts")


def test_erasing_a_job_deletes_its_artifacts(fakeplat: Fakeplat) -> None:
    """Erasing a job deletes its artifacts and its log."""
    path = play_job(fakeplat, {"a": "A"})
    status, job = outcome(fakeplat.as_user("mia").post(f"{path}/erase"))

    assert (201, [], None) == (status, job["artifacts"], job["artifacts_expire_at"])


def test_reports_of_tests_make_the_report_of_the_pipeline(fakeplat: Fakeplat) -> None:
    """All JUnit files of the configuration make the pipeline's test report."""
    case = '<testsuite><testcase name="{}" classname="x" time="1"/></testsuite>'
    spec = ArtifactsSpec(reports={"junit": ("*.xml",)})
    play_job(fakeplat, {"one.xml": case.format("one"), "two.xml": case.format("two")}, artifacts=spec)
    pipeline = get(fakeplat, "projects/acme%2Fsite/pipelines")[0]
    report = get(fakeplat, f"projects/acme%2Fsite/pipelines/{pipeline['id']}/test_report")

    assert (2, 2, ["build"]) == (
        report["total_count"],
        report["success_count"],
        [suite["name"] for suite in report["test_suites"]],
    )
