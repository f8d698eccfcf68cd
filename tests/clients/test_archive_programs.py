"""The programs unzip and tar, and Python's zipfile, read the archives of artifacts and of projects."""

import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.test_runner_protocol import take_one, upload_artifacts
from tests.clients.programs import get_program

PATH = "projects/acme%2Fsite"
ARCHIVES = f"{PATH}/repository/archive"
FILES = {"out/a.txt": "A\n", "out/deep/ünïcode é.json": "{}", "empty": ""}
JOB = {"name": "build", "status": "success", "artifact_files": [{"files": FILES}]}
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "pipelines": [{"ref": "master", "status": "success", "jobs": [JOB]}],
}
pytestmark = [
    pytest.mark.clients,
    pytest.mark.fakeplat(scenario={"extends": "starter", "projects": [SITE]}, clock="virtual"),
]


def run(*command: str, folder: Path) -> str:
    """Run a program in a folder; return its output. Fails by name if the program is missing."""
    get_program(command[0])
    # Without a locale of its own, unzip would not write names beyond ASCII.
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def download(fake: Fakeplat, path: str, folder: Path, name: str = "archive.zip") -> Path:
    reply = fake.as_user("dev").get(path)
    assert 200 == reply.status, reply
    (folder / name).write_bytes(reply.content)
    return folder / name


def create_artifacts(fake: Fakeplat) -> str:
    (job,) = fake.bench.platform.view.jobs.all()
    return f"{PATH}/jobs/{job.id}/artifacts"


def read_files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_unzip_tests_and_extracts_artifacts(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """unzip extracts the artifacts of a job without errors, with every declared file."""
    download(fakeplat, create_artifacts(fakeplat), tmp_path)

    assert "No errors detected in compressed data" in run("unzip", "-t", "archive.zip", folder=tmp_path)
    run("unzip", "-q", "archive.zip", "-d", "out", folder=tmp_path)
    assert {name: text.encode() for name, text in FILES.items()} == read_files_below(tmp_path / "out")


def test_zipfile_reads_artifacts(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """zipfile reads all files of an artifacts archive with correct checksums."""
    with ZipFile(download(fakeplat, create_artifacts(fakeplat), tmp_path)) as archive:
        assert archive.testzip() is None
        assert sorted(FILES) == sorted(archive.namelist())


def test_an_archive_that_a_runner_uploaded_comes_back_byte_for_byte(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A compressed archive that a runner uploads is downloaded byte for byte."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as written:
        written.writestr("dist/", "")
        written.writestr("dist/app.js", "x" * 10_000)
    taken = take_one(fakeplat)
    upload_artifacts(fakeplat, taken, stream.getvalue())
    content = download(fakeplat, f"{PATH}/jobs/{taken['id']}/artifacts", tmp_path).read_bytes()

    assert stream.getvalue() == content
    assert "dist/app.js" in run("unzip", "-t", "archive.zip", folder=tmp_path)


def test_unzip_and_tar_extract_the_same_project(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The zip, tar, tar.gz and tar.bz2 archives of a branch have the same files."""
    zipped = download(fakeplat, f"{ARCHIVES}.zip", tmp_path)
    run("unzip", "-t", "archive.zip", folder=tmp_path)
    run("unzip", "-q", "archive.zip", "-d", "zip", folder=tmp_path)
    extracted = [read_files_below(tmp_path / "zip")]
    for ending in ("tar", "tar.gz", "tar.bz2"):
        name = f"archive.{ending}"
        download(fakeplat, f"{ARCHIVES}.{ending}", tmp_path, name)
        (tmp_path / ending).mkdir()
        if ending == "tar.bz2":
            get_program("bzip2")  # tar calls it
        run("tar", "-xf", name, "-C", ending, folder=tmp_path)
        extracted.append(read_files_below(tmp_path / ending))

    with ZipFile(zipped) as archive:
        assert archive.testzip() is None
    assert any(name.endswith("/README.md") for name in extracted[0])
    assert [extracted[0]] * 4 == extracted


def test_sources_of_a_release_are_archives(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The source URLs of a release return archives in four formats."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{PATH}/releases", json={"tag_name": "v1.0", "description": "First"})
    sources = mia.get(f"{PATH}/releases/v1.0").json()["assets"]["sources"]
    urls = {source["format"]: source["url"] for source in sources}
    reply = mia.get(urls["zip"])
    (tmp_path / "source.zip").write_bytes(reply.content)

    assert {"zip", "tar.gz", "tar.bz2", "tar"} == urls.keys()
    assert "No errors detected" in run("unzip", "-t", "source.zip", folder=tmp_path)
