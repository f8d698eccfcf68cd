"""Artifacts of jobs: how they are stored, and when they expire. Source: docs/platform/artifacts.md."""

import gzip
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from fakeplat.ci_config.jobs import ArtifactsSpec, PlannedJob
from fakeplat.domain.ci import artifact_files, job_actions, job_artifacts, job_outcomes
from fakeplat.domain.purging import purge
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, JobArtifact
from tests.api.ci_jobs import create_pipeline, jobs_of
from tests.api.marks import STARTER_AT_NINE

pytestmark = STARTER_AT_NINE

START = "2020-11-20T09:00:01.000Z"
"""When a played job finishes, one second after it was queued."""
MONTH_LATER = "2020-12-20T09:00:01.000Z"


def play_job(fake: Fakeplat, files: dict[str, str], spec: ArtifactsSpec | None = None, **outcome: Any) -> Job:
    """Play a job that leaves files."""
    with fake.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"artifacts": files, **outcome}])
    pipeline = create_pipeline(fake, PlannedJob(name="build", artifacts=spec))
    fake.clock.advance(1)
    return jobs_of(fake, pipeline)[0]


def artifacts_of(fake: Fakeplat, job: Job) -> dict[str, JobArtifact]:
    with fake.bench.platform.acting() as ctx:
        return {artifact.file_type: artifact for artifact in job_artifacts.list_of(ctx, job)}


def unzip(artifact: JobArtifact) -> dict[str, bytes]:
    with ZipFile(BytesIO(artifact.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_played_job_leaves_an_archive(fakeplat: Fakeplat) -> None:
    """A played job creates an archive, its metadata and a log."""
    artifacts = artifacts_of(fakeplat, play_job(fakeplat, {"out/a.txt": "A", "b.txt": "ä"}))

    assert {"archive", "metadata", "trace"} == set(artifacts)
    assert {"b.txt": "ä".encode(), "out/a.txt": b"A"} == unzip(artifacts["archive"])
    assert [("artifacts.zip", "zip"), ("metadata.gz", "gzip"), ("job.log", None)] == [
        (artifacts[kind].filename, artifacts[kind].file_format) for kind in ("archive", "metadata", "trace")
    ]
    assert (START, MONTH_LATER) == (artifacts["archive"].created_at, artifacts["archive"].expire_at)


def test_equal_files_give_equal_archives(fakeplat: Fakeplat) -> None:
    """Equal files give byte-identical archives in any order and on any machine."""
    del fakeplat
    first, other = ({"b": "2", "a": "1"}, {"a": b"1", "b": b"2"})
    time = 1_605_862_800_000

    assert artifact_files.build_zip(first, time) == artifact_files.build_zip(other, time)


def test_the_metadata_lists_the_entries(fakeplat: Fakeplat) -> None:
    """Strings after their lengths, compressed: a header, then each path with its size."""
    content = gzip.decompress(artifacts_of(fakeplat, play_job(fakeplat, {"a.txt": "abc"}))["metadata"].content)
    texts = []
    while content:
        size = int.from_bytes(content[:4], "big")
        texts.append(content[4 : 4 + size])
        content = content[4 + size :]

    assert [b"GitLab Build Artifacts Metadata 0.0.2\n", b"{}", b"a.txt"] == texts[:3]
    assert b'"size":3' in texts[3]


def test_the_configuration_names_the_archive_and_its_expiry(fakeplat: Fakeplat) -> None:
    """`artifacts.name` and `artifacts.expire_in` name the archive and set its expiry."""
    spec = ArtifactsSpec(name="binaries", paths=("out/",), expire_in="1 minute")
    archive = artifacts_of(fakeplat, play_job(fakeplat, {"out/a": "A"}, spec))["archive"]

    assert ("binaries.zip", "2020-11-20T09:01:01.000Z") == (archive.filename, archive.expire_at)


def test_reports_are_files_of_their_own(fakeplat: Fakeplat) -> None:
    """A report is in the archive only if the paths name it, too."""
    spec = ArtifactsSpec(paths=("out/",), reports={"junit": ("*.xml", "out/*.xml"), "codequality": ("quality.json",)})
    files = {"one.xml": "<one/>", "out/two.xml": "<two/>", "quality.json": "[]"}
    artifacts = artifacts_of(fakeplat, play_job(fakeplat, files, spec))

    assert {"out/two.xml"} == set(unzip(artifacts["archive"]))
    assert ("junit.xml.gz", b"<one/><two/>") == (
        artifacts["junit"].filename,
        gzip.decompress(artifacts["junit"].content),
    )
    assert ("gl-code-quality-report.json", "raw", b"[]") == (
        artifacts["codequality"].filename,
        artifacts["codequality"].file_format,
        artifacts["codequality"].content,
    )


@pytest.mark.parametrize(
    ("when", "outcome", "kept"),
    [
        ("on_success", "success", True),
        ("on_success", "failed", False),
        ("on_failure", "success", False),
        ("on_failure", "failed", True),
        ("always", "failed", True),
    ],
)
def test_the_result_decides_whether_the_archive_is_kept(
    fakeplat: Fakeplat, when: Any, outcome: str, *, kept: bool
) -> None:
    """`artifacts.when` decides whether the archive is stored; reports are always stored."""
    spec = ArtifactsSpec(paths=("out",), when=when, reports={"junit": ("report.xml",)})
    artifacts = artifacts_of(fakeplat, play_job(fakeplat, {"out": "", "report.xml": ""}, spec, outcome=outcome))

    assert kept == ("archive" in artifacts)
    assert "junit" in artifacts


def test_artifacts_expire(fakeplat: Fakeplat) -> None:
    """Artifacts, but not logs, expire after the instance's default; settling does not wait."""
    job = play_job(fakeplat, {"a": ""})
    fakeplat.bench.platform.settle()
    assert START == fakeplat.clock.now

    fakeplat.clock.advance_to(MONTH_LATER)
    assert {"trace"} == set(artifacts_of(fakeplat, job))


def test_artifacts_can_be_kept(fakeplat: Fakeplat) -> None:
    """Artifacts that are kept never expire."""
    job = play_job(fakeplat, {"a": ""})
    with fakeplat.bench.platform.acting() as ctx:
        job_artifacts.keep(ctx, job)

    fakeplat.clock.advance("400d")
    assert {"archive", "metadata", "trace"} == set(artifacts_of(fakeplat, job))
    assert None is job_artifacts.expire_at(fakeplat.bench.platform.view, job)


def test_the_default_expiry_can_be_none(fakeplat: Fakeplat) -> None:
    """The setting ``0`` means that artifacts never expire."""
    fakeplat.load({"settings": {"default_artifacts_expire_in": "0"}})

    assert None is artifacts_of(fakeplat, play_job(fakeplat, {"a": ""}))["archive"].expire_at


def test_deleting_artifacts_keeps_the_log(fakeplat: Fakeplat) -> None:
    """Deleting artifacts deletes archive, metadata and reports, but not the log."""
    job = play_job(fakeplat, {"a": ""})
    with fakeplat.bench.platform.acting() as ctx:
        job_artifacts.delete(ctx, job)

    assert {"trace"} == set(artifacts_of(fakeplat, job))


def test_artifacts_are_deleted_with_their_job(fakeplat: Fakeplat) -> None:
    """Deleting a job deletes all of its artifacts."""
    job = play_job(fakeplat, {"a": ""})
    with fakeplat.bench.platform.acting() as ctx:
        purge(ctx, job)

    assert [] == list(fakeplat.bench.platform.view.job_artifacts.all())


def test_a_repeated_job_has_no_artifacts_of_the_first_try(fakeplat: Fakeplat) -> None:
    """A copy of a job starts without any."""
    job = play_job(fakeplat, {"a": ""})
    with fakeplat.bench.platform.acting() as ctx:
        copy = job_actions.retry(ctx, job)

    assert {} == artifacts_of(fakeplat, copy)
