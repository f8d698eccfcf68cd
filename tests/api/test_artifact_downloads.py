"""Downloads of artifacts by job and by branch or tag; keep and delete. Source: docs/platform/artifacts.md."""

import subprocess
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.ci import artifact_files, job_actions, job_artifacts, job_tokens
from fakeplat.harness.fake import Fakeplat
from fakeplat.platform import Platform
from fakeplat.policy.behaviours import ARTIFACTS_HAVE_ETAGS, KEPT_JOBS_ARE_LOCATED_FIRST
from fakeplat.workbench.journal_entries import Reply
from tests.api.ci_jobs import create_pipeline, jobs_of, wait_for_runner
from tests.api.jobs import SITE, job, path
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import get_json
from tests.api.pipelines import create_pipelines, load_project
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal, resource_not_found
from tests.by_release import by_release
from tests.scenario.worlds import create_platform

pytestmark = STARTER_AT_NINE

FILES = {"out/a.txt": "A", "b.json": "{}", "out/ä b.txt": "umlaut"}
NO_ARTIFACTS = (404, {"message": "404 Not Found"})
NO_RECORD = (404, {"message": "404 Not found"})
BAD_PATH = (400, {"message": "400 (Bad request)"})
LATER = "2020-11-21T09:00:00.000Z"


def build_job(name: str = "build", files: dict[str, str] | None = None, **archive: Any) -> dict[str, Any]:
    """The entry of a finished job with an archive."""
    return {
        "name": name,
        "status": "success",
        "log": "done",
        "artifact_files": [{"files": FILES if files is None else files, **archive}],
    }


def create_successful_pipeline(fake: Fakeplat, *jobs: dict[str, Any], **pipeline: Any) -> None:
    """Create a successful pipeline of the branch ``feature``."""
    create_pipelines(fake, {"status": "success", "sha": "a" * 40, "jobs": [*(jobs or (build_job(),))], **pipeline})


def get(fake: Fakeplat, url: str, user: str | None = "dev") -> Reply:
    return fake.as_user(user).get(url)


def list_names(reply: Reply) -> set[str]:
    with ZipFile(BytesIO(reply.content)) as archive:
        return set(archive.namelist())


LATEST = pytest.mark.fakeplat(version="latest", default_branch="master")
TREE = {"out/a.txt": "A", "out/deep/b.txt": "bb", "c.json": "{}", "out/d": ""}


def build_entry(path: str, size: int | None = None) -> dict[str, Any]:
    name = path.rstrip("/").rpartition("/")[2]
    if size is None:
        return {"name": name, "path": path, "type": "directory", "mode": "040755"}
    return {"name": name, "path": path, "type": "file", "size": size, "mode": "100644"}


@LATEST
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [build_entry("out/"), build_entry("c.json", 2)]),
        ("?path=out", [build_entry("out/deep/"), build_entry("out/a.txt", 1), build_entry("out/d", 0)]),
        ("?path=out/deep/", [build_entry("out/deep/b.txt", 2)]),
        (
            "?path=out&recursive=true",
            [
                build_entry("out/a.txt", 1),
                build_entry("out/d", 0),
                build_entry("out/deep/"),
                build_entry("out/deep/b.txt", 2),
            ],
        ),
        ("?per_page=1&page=2", [build_entry("c.json", 2)]),
    ],
)
def test_the_entries_of_an_archive_are_listed(fakeplat: Fakeplat, query: str, expected: list[dict[str, Any]]) -> None:
    """A directory of an archive is listed without its content, directories first; or with all that is in it."""
    create_successful_pipeline(fakeplat, build_job(files=TREE))

    assert expected == get(fakeplat, path(fakeplat, "build", f"/artifacts/tree{query}")).json()


@by_release(ARTIFACTS_HAVE_ETAGS, "is_strong", {"19.2": False, "19.3": True})
def test_downloads_have_the_digest_as_their_tag(fakeplat: Fakeplat, is_strong: bool) -> None:
    """The tag of an archive is its digest, that of a file is made of it and the path; an unchanged one is 304."""
    create_successful_pipeline(fakeplat)
    of_archive, of_file = path(fakeplat, "build", "/artifacts"), path(fakeplat, "build", "/artifacts/out/a.txt")
    digest = sha256(get(fakeplat, of_archive).content).hexdigest()
    of_entry = sha256(f"{digest}:out/a.txt".encode()).hexdigest()
    for url, expected in ((of_archive, digest), (of_file, of_entry)):
        etag = get(fakeplat, url).headers.get("ETag")
        assert (f'"{expected}"' if is_strong else None) == etag
        again = fakeplat.as_user("dev").get(url, headers={"If-None-Match": f'"{expected}"'})
        assert (304 if is_strong else 200) == again.status


@LATEST
def test_what_has_no_entries_is_not_found(fakeplat: Fakeplat) -> None:
    """The archive, its metadata and the directory must be there."""
    broken = {"name": "broken", "status": "success", "artifact_files": [{"content_base64": "YQ=="}]}
    create_successful_pipeline(fakeplat, build_job(files=TREE), {"name": "none", "status": "success"}, broken)

    def ask(name: str, query: str = "") -> Any:
        return outcome(get(fakeplat, path(fakeplat, name, f"/artifacts/tree{query}")))

    assert resource_not_found("Artifacts") == ask("none")
    assert resource_not_found("Artifacts metadata") == ask("broken")
    assert resource_not_found("Path") == ask("build", "?path=gone")
    assert resource_not_found("Path") == ask("build", "?path=c.json")


@LATEST
@pytest.mark.parametrize("place", ["download", "raw/a.txt"])
def test_recent_successful_pipelines_are_searched(fakeplat: Fakeplat, place: str) -> None:
    """Another successful pipeline than the newest one may have the job."""
    create_successful_pipeline(fakeplat, build_job(files={"a.txt": "A"}), ref="feature")
    create_successful_pipeline(fakeplat, build_job("other"), ref="feature")
    url = f"{SITE}/jobs/artifacts/feature/{place}?search_recent_successful_pipelines="

    assert NO_RECORD == outcome(get(fakeplat, f"{url}false&job=build"))
    assert 200 == get(fakeplat, f"{url}true&job=build").status
    assert resource_not_found("Job") == outcome(get(fakeplat, f"{url}true&job=gone"))


@LATEST
@pytest.mark.parametrize(
    ("accessibility", "expected"), [("public", 200), ("private", 403), ("maintainer", 403), ("none", 403)]
)
def test_the_runner_says_who_downloads_artifacts(fakeplat: Fakeplat, accessibility: str, expected: int) -> None:
    """What the runner says of an archive precedes the configuration."""
    artifacts = {"paths": ["a"], "access": "none" if accessibility == "public" else "all"}
    entry = {**build_job(accessibility=accessibility), "artifacts": artifacts}
    create_successful_pipeline(fakeplat, entry)

    assert expected == get(fakeplat, path(fakeplat, "build", "/artifacts"), "rep").status


def test_an_archive_is_downloaded(fakeplat: Fakeplat) -> None:
    """The artifacts archive is served as bytes under the name of the uploaded file."""
    create_successful_pipeline(fakeplat)
    reply = get(fakeplat, path(fakeplat, "build", "/artifacts"))
    assert (200, set(FILES)) == (reply.status, list_names(reply))
    headers = reply.headers
    assert (
        "application/octet-stream",
        "binary",
        "attachment; filename=\"artifacts.zip\"; filename*=UTF-8''artifacts.zip",
    ) == (
        headers["Content-Type"],
        headers["Content-Transfer-Encoding"],
        headers["Content-Disposition"],
    )


def test_the_content_type_of_a_file_follows_from_its_name(fakeplat: Fakeplat) -> None:
    """Files that browsers show have their type and, if they are texts, their encoding; all others have none."""
    types = {
        "a.css": "text/css; charset=utf-8",
        "a.gif": "image/gif",
        "a.html": "text/html; charset=utf-8",
        "a.HTM": "text/html; charset=utf-8",
        "a.jpg": "image/jpeg",
        "a.js": "text/javascript; charset=utf-8",
        "a.json": "application/json",
        "a.pdf": "application/pdf",
        "a.png": "image/png",
        "a.svg": "image/svg+xml",
        "a.wasm": "application/wasm",
        "a.webp": "image/webp",
        "a.xml": "text/xml; charset=utf-8",
        "a.unknown": "application/octet-stream",
        "html": "application/octet-stream",
    }
    create_successful_pipeline(fakeplat, build_job(files=dict.fromkeys(types, "x")))

    assert types == {
        name: get(fakeplat, path(fakeplat, "build", f"/artifacts/{name}")).headers["Content-Type"] for name in types
    }


def test_the_files_of_an_archive_may_be_read_by_all(fakeplat: Fakeplat) -> None:
    """The entries of an archive have the permissions of files on Unix, as a runner writes them."""
    create_successful_pipeline(fakeplat)
    with ZipFile(BytesIO(get(fakeplat, path(fakeplat, "build", "/artifacts")).content)) as archive:
        assert {(3, 0o100644)} == {(entry.create_system, entry.external_attr >> 16) for entry in archive.infolist()}


def test_unzip_reads_an_archive(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The archives are real ones."""
    create_successful_pipeline(fakeplat)
    (tmp_path / "a.zip").write_bytes(get(fakeplat, path(fakeplat, "build", "/artifacts")).content)
    subprocess.run(["python3", "-m", "zipfile", "-e", "a.zip", "."], cwd=tmp_path, check=True)
    assert "A" == (tmp_path / "out/a.txt").read_text()


@pytest.mark.parametrize(
    ("file", "content_type", "disposition", "content"),
    [
        ("out/a.txt", "text/plain; charset=utf-8", 'attachment; filename="a.txt"', b"A"),
        ("b.json", "application/json", 'attachment; filename="b.json"', b"{}"),
        ("out%2Fa.txt", "text/plain; charset=utf-8", 'attachment; filename="a.txt"', b"A"),
        ("out/%C3%A4%20b.txt", "text/plain; charset=utf-8", 'attachment; filename="_ b.txt"', b"umlaut"),
    ],
    ids=["folder", "top", "encoded slash", "umlaut"],
)
def test_a_single_file_is_downloaded(
    fakeplat: Fakeplat, file: str, content_type: str, disposition: str, content: bytes
) -> None:
    """A file of an archive is served by job and by ref, with the content type of its name."""
    create_successful_pipeline(fakeplat)
    for url in (path(fakeplat, "build", f"/artifacts/{file}"), f"{SITE}/jobs/artifacts/feature/raw/{file}?job=build"):
        reply = get(fakeplat, url)
        assert (200, content_type, disposition, content) == (
            reply.status,
            reply.headers["Content-Type"],
            reply.headers["Content-Disposition"],
            reply.content,
        )


@pytest.mark.parametrize("file", ["nope.txt", "out", "out%2F", "../b.json", "out/..%2Fb.json", "%2Fetc%2Fpasswd"])
def test_a_path_that_is_no_file_of_the_archive_is_not_found(fakeplat: Fakeplat, file: str) -> None:
    """A path that is no file of the archive answers 404 as plain text."""
    create_successful_pipeline(fakeplat)
    for url in (path(fakeplat, "build", f"/artifacts/{file}"), f"{SITE}/jobs/artifacts/feature/raw/{file}?job=build"):
        reply = get(fakeplat, url)
        assert (404, "text/plain; charset=utf-8", "404 page not found\n") == (
            reply.status,
            reply.headers["Content-Type"],
            reply.text,
        )


def test_an_entry_outside_of_the_archive_is_never_read(fakeplat: Fakeplat) -> None:
    """A path that leads out of the archive is never read, even if the archive names it."""
    create_successful_pipeline(fakeplat, build_job(files={"../b.json": "{}"}))
    assert 404 == get(fakeplat, path(fakeplat, "build", "/artifacts/..%2Fb.json")).status


@pytest.mark.parametrize("file", ["a%00.txt", "%FF.txt", "out/%C3"])
def test_a_path_that_is_no_text_is_refused(fakeplat: Fakeplat, file: str) -> None:
    """A path with null bytes or invalid UTF-8 answers 400."""
    create_successful_pipeline(fakeplat)
    assert BAD_PATH == refusal(fakeplat, "dev", "GET", path(fakeplat, "build", f"/artifacts/{file}"))
    assert BAD_PATH == refusal(fakeplat, "dev", "GET", f"{SITE}/jobs/artifacts/feature/raw/{file}?job=build")


def test_a_job_without_an_archive_has_nothing_to_download(fakeplat: Fakeplat) -> None:
    """A job without an archive answers 404 before its path is validated."""
    create_successful_pipeline(fakeplat, {"name": "build", "status": "success"})
    for tail in ("/artifacts", "/artifacts/b.json", "/artifacts/%FF"):
        assert NO_ARTIFACTS == refusal(fakeplat, "dev", "GET", path(fakeplat, "build", tail))
    assert NO_ARTIFACTS == refusal(fakeplat, "dev", "POST", path(fakeplat, "build", "/artifacts/keep"))
    assert 204 == fakeplat.as_user("mia").delete(path(fakeplat, "build", "/artifacts")).status


def test_an_unknown_job_is_not_found(fakeplat: Fakeplat) -> None:
    """Unknown jobs answer 404 after the right to read is checked."""
    for method, tail in (("GET", ""), ("GET", "/x"), ("POST", "/keep"), ("DELETE", "")):
        assert NO_RECORD == refusal(fakeplat, "mia", method, f"{SITE}/jobs/1/artifacts{tail}")
        assert invalid("job_id is invalid") == refusal(fakeplat, "mia", method, f"{SITE}/jobs/x/artifacts{tail}")
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{SITE}/jobs/1/artifacts")


@by_release(KEPT_JOBS_ARE_LOCATED_FIRST, "expected", {"19.2": (FORBIDDEN, FORBIDDEN), "19.3": (NO_RECORD, FORBIDDEN)})
def test_jobs_to_keep_are_looked_up_first(fakeplat: Fakeplat, expected: tuple[Outcome, Outcome]) -> None:
    """Whoever may not keep artifacts gets 404 for an unknown job in later releases, and 403 for its deletion."""
    kept, deleted = f"{SITE}/jobs/1/artifacts/keep", f"{SITE}/jobs/1/artifacts"
    assert expected == (refusal(fakeplat, "rep", "POST", kept), refusal(fakeplat, "rep", "DELETE", deleted))


@pytest.mark.parametrize("ref", ["feature", "feature/one", "a/raw/b"])
def test_the_archive_of_a_ref(fakeplat: Fakeplat, ref: str) -> None:
    """The name of the ref may contain slashes, encoded or not; the last ``/raw/`` ends it."""
    create_successful_pipeline(fakeplat, ref=ref)
    assert set(FILES) == list_names(
        get(fakeplat, f"{SITE}/jobs/artifacts/{ref.replace('/', '%2F')}/download?job=build")
    )
    for written in (ref, ref.replace("/", "%2F")):
        assert b"A" == get(fakeplat, f"{SITE}/jobs/artifacts/{written}/raw/out/a.txt?job=build").content


def test_the_ref_of_an_archive_may_be_written_with_slashes(fakeplat: Fakeplat) -> None:
    """The ref of an archive may contain unencoded slashes."""
    create_successful_pipeline(fakeplat, ref="feature/one")
    assert set(FILES) == list_names(get(fakeplat, f"{SITE}/jobs/artifacts/feature/one/download?job=build"))


def test_the_newest_successful_pipeline_counts(fakeplat: Fakeplat) -> None:
    """Newer ones that failed or still run are passed over; the job itself may have failed."""
    create_successful_pipeline(fakeplat, build_job(files={"v": "1"}))
    create_successful_pipeline(fakeplat, {**build_job(files={"v": "2"}), "status": "failed", "allow_failure": True})
    create_successful_pipeline(fakeplat, build_job(files={"v": "3"}), status="failed")
    create_successful_pipeline(fakeplat, build_job(files={"v": "4"}), status="running")
    create_successful_pipeline(fakeplat, build_job(files={"v": "5"}), ref="other")
    assert b"2" == get(fakeplat, f"{SITE}/jobs/artifacts/feature/raw/v?job=build").content


def test_jobs_of_child_pipelines_count_after_their_parents(fakeplat: Fakeplat) -> None:
    """The parent's own job wins over the child's of the same name."""
    create_successful_pipeline(
        fakeplat,
        build_job(files={"v": "parent"}),
        {"name": "child", "kind": "bridge", "status": "success"},
        ref="feature",
    )
    parent = job(fakeplat, "child")
    create_successful_pipeline(
        fakeplat, build_job(files={"v": "child"}), build_job("docs", files={"v": "docs"}), source="parent_pipeline"
    )
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.jobs.change(parent, downstream_pipeline_id=ctx.world.pipelines.all()[-1].id)
    assert b"parent" == get(fakeplat, f"{SITE}/jobs/artifacts/feature/raw/v?job=build").content
    assert b"docs" == get(fakeplat, f"{SITE}/jobs/artifacts/feature/raw/v?job=docs").content


@pytest.mark.parametrize(
    "tail",
    ["nope/download?job=build", "feature/download?job=nope", "nope/raw/v?job=build", "feature/raw/v?job=nope"],
)
def test_an_unknown_ref_or_job_is_not_found(fakeplat: Fakeplat, tail: str) -> None:
    """An unknown ref or job name answers 404 with the text of a missing record."""
    create_successful_pipeline(fakeplat)
    assert NO_RECORD == refusal(fakeplat, "dev", "GET", f"{SITE}/jobs/artifacts/{tail}")


@pytest.mark.parametrize("tail", ["download", "raw/v"])
def test_the_job_of_a_ref_is_required(fakeplat: Fakeplat, tail: str) -> None:
    """The parameter `job` is required before the project is searched."""
    assert invalid("job is missing") == refusal(fakeplat, "eve", "GET", f"{SITE}/jobs/artifacts/master/{tail}")


PLACES = (
    "jobs/{job}/artifacts",
    "jobs/{job}/artifacts/b.json",
    "jobs/artifacts/feature/download?job=build",
    "jobs/artifacts/feature/raw/b.json?job=build",
)


@pytest.mark.parametrize(
    ("project", "statuses"),
    [
        ({}, (404, 404, 200, 200, 200)),
        ({"public_builds": False}, (404, 404, 403, 200, 200)),
        ({"visibility": "public"}, (200, 200, 200, 200, 200)),
        ({"visibility": "public", "public_builds": False}, (403, 403, 403, 200, 200)),
        ({"builds_access_level": "disabled"}, (404, 404, 403, 403, 403)),
    ],
    ids=["private", "private, builds not public", "public", "public, builds not public", "no CI"],
)
def test_roles_that_download(fakeplat: Fakeplat, project: dict[str, Any], statuses: tuple[int, ...]) -> None:
    """Artifacts are downloaded by whoever reads the project's jobs."""
    create_successful_pipeline(fakeplat)
    load_project(fakeplat, **project)
    for template in PLACES:
        address = f"{SITE}/{template.format(job=job(fakeplat, 'build').id)}"
        assert statuses == tuple(get(fakeplat, address, user).status for user in (None, "eve", "gus", "rep", "dev")), (
            template
        )


@pytest.mark.parametrize(
    ("method", "tail", "statuses"),
    [("POST", "/keep", (401, 404, 403, 403, 200, 200)), ("DELETE", "", (401, 404, 403, 403, 403, 204))],
    ids=["keep", "delete"],
)
def test_roles_that_keep_and_delete(fakeplat: Fakeplat, method: str, tail: str, statuses: tuple[int, ...]) -> None:
    """Developers keep, Maintainers delete: nobody, eve, guest, reporter, developer, maintainer."""
    create_successful_pipeline(fakeplat)
    url = path(fakeplat, "build", f"/artifacts{tail}")
    users = (None, "eve", "gus", "rep", "dev", "mia")
    assert statuses == tuple(fakeplat.as_user(user).request(method, url).status for user in users)


def test_artifacts_of_a_protected_branch_are_kept_by_those_who_may_push(fakeplat: Fakeplat) -> None:
    """Only those who may push to a protected branch keep its artifacts."""
    create_successful_pipeline(fakeplat, ref="master")
    url = path(fakeplat, "build", "/artifacts/keep")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", url)
    assert 200 == fakeplat.as_user("mia").post(url).status


def test_a_running_job_downloads_with_its_token(fakeplat: Fakeplat) -> None:
    """A running job downloads artifacts with its token, which is refused once the job ended."""
    create_successful_pipeline(fakeplat)
    finished = job(fakeplat, "build")
    wait_for_runner(fakeplat)
    (running,) = jobs_of(fakeplat, create_pipeline(fakeplat, PlannedJob(name="other")))
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.run(ctx, ctx.world.jobs[running.id])
        token = job_tokens.ensure(ctx, ctx.world.jobs[running.id]).value
    addresses = [f"{SITE}/{template.format(job=finished.id)}" for template in PLACES]
    anonymous = fakeplat.as_user(None)
    assert [200] * 4 == [anonymous.get(address, headers={"JOB-TOKEN": token}).status for address in addresses]
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.succeed(ctx, ctx.world.jobs[running.id])
    assert [401] * 4 == [anonymous.get(address, headers={"JOB-TOKEN": token}).status for address in addresses]


def test_artifacts_expire(fakeplat: Fakeplat) -> None:
    """Expired artifacts answer 404, and their job shows only its log."""
    create_successful_pipeline(fakeplat, build_job(expire_at=LATER))
    shown_job = get_json(fakeplat, path(fakeplat, "build"))
    assert ("artifacts.zip", LATER) == (shown_job["artifacts_file"]["filename"], shown_job["artifacts_expire_at"])
    assert ["archive", "trace"] == sorted({row["file_type"] for row in shown_job["artifacts"]} - {"metadata"})
    fakeplat.clock.advance_to(LATER)
    for tail in ("/artifacts", "/artifacts/b.json"):
        assert NO_ARTIFACTS == refusal(fakeplat, "dev", "GET", path(fakeplat, "build", tail))
    assert NO_ARTIFACTS == refusal(fakeplat, "dev", "POST", path(fakeplat, "build", "/artifacts/keep"))
    expired = get_json(fakeplat, path(fakeplat, "build"))
    assert ("artifacts_file" in expired, LATER) == (False, expired["artifacts_expire_at"])


def test_kept_artifacts_do_not_expire(fakeplat: Fakeplat) -> None:
    """Keeping the artifacts of a job answers 200 with the job and removes their expiry."""
    create_successful_pipeline(fakeplat, build_job(expire_at=LATER))
    status, kept = outcome(fakeplat.as_user("dev").post(path(fakeplat, "build", "/artifacts/keep")))
    assert (200, "build", None) == (status, kept["name"], kept["artifacts_expire_at"])
    fakeplat.clock.advance_to(LATER)
    assert 200 == get(fakeplat, path(fakeplat, "build", "/artifacts")).status


def test_deleted_artifacts_leave_the_log(fakeplat: Fakeplat) -> None:
    """Deleting artifacts keeps the log and is idempotent."""
    create_successful_pipeline(fakeplat)
    for _ in range(2):
        assert 204 == fakeplat.as_user("mia").delete(path(fakeplat, "build", "/artifacts")).status
    shown_job = get_json(fakeplat, path(fakeplat, "build"))
    assert (["trace"], False) == ([row["file_type"] for row in shown_job["artifacts"]], "artifacts_file" in shown_job)
    assert "done" == get(fakeplat, path(fakeplat, "build", "/trace")).text


def test_erasing_a_job_deletes_its_artifacts(fakeplat: Fakeplat) -> None:
    """A job with artifacts can be erased even if it has no log."""
    create_successful_pipeline(fakeplat, {**build_job(), "log": ""})
    assert 201 == fakeplat.as_user("mia").post(path(fakeplat, "build", "/erase")).status
    assert [] == get_json(fakeplat, path(fakeplat, "build"))["artifacts"]
    assert NO_ARTIFACTS == refusal(fakeplat, "dev", "GET", path(fakeplat, "build", "/artifacts"))


def test_artifacts_count_for_the_size_of_their_project(fakeplat: Fakeplat) -> None:
    """Artifacts and logs count for statistics until they expire or are deleted."""
    url = f"{SITE}?statistics=true"
    before = get_json(fakeplat, url)["statistics"]
    assert 0 == before["job_artifacts_size"]
    create_successful_pipeline(fakeplat, build_job(expire_at=LATER))
    files = [row["size"] for row in get_json(fakeplat, path(fakeplat, "build"))["artifacts"]]
    after = get_json(fakeplat, url)["statistics"]
    assert (sum(files), before["storage_size"] + sum(files)) == (after["job_artifacts_size"], after["storage_size"])
    fakeplat.as_user("mia").delete(path(fakeplat, "build", "/artifacts"))
    assert len("done") == get_json(fakeplat, url)["statistics"]["job_artifacts_size"]


def test_deleting_a_project_deletes_its_artifacts(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its artifacts from all tables."""
    create_successful_pipeline(fakeplat)
    fakeplat.as_user("root").delete(SITE)
    fakeplat.settle()
    assert 0 == len(list(fakeplat.bench.platform.view.job_artifacts.all()))
    assert resource_not_found("Project") == refusal(fakeplat, "root", "GET", f"{SITE}/jobs/1/artifacts")


def store_archive(fake: Fakeplat, content: bytes) -> None:
    """Give a new job an archive of these bytes."""
    create_successful_pipeline(fake, {"name": "build", "status": "success"})
    with fake.bench.platform.acting() as ctx:
        job_artifacts.insert(ctx, job(fake, "build"), "archive", "artifacts.zip", content, None)


def build_damaged_archive() -> bytes:
    """An archive whose compressed data is not what its entry says."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "a" * 1000)
    content = bytearray(stream.getvalue())
    content[40:44] = b"\xff\xff\xff\xff"
    return bytes(content)


@pytest.mark.parametrize("content", [b"no archive", b"", build_damaged_archive()], ids=["text", "empty", "damaged"])
def test_a_damaged_archive_has_no_files(fakeplat: Fakeplat, content: bytes) -> None:
    """A damaged archive is served whole, but its files are not found."""
    store_archive(fakeplat, content)
    assert 404 == get(fakeplat, path(fakeplat, "build", "/artifacts/a.txt")).status
    assert content == get(fakeplat, path(fakeplat, "build", "/artifacts")).content


def test_an_entry_over_the_limit_is_not_unpacked(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too large when unpacked answers 413."""
    monkeypatch.setattr(artifact_files, "MAX_ENTRY_SIZE", 10)
    create_successful_pipeline(fakeplat, build_job(files={"a": "x" * 10, "b": "x" * 11}))
    assert 200 == get(fakeplat, path(fakeplat, "build", "/artifacts/a")).status
    expected = (413, {"message": "413 Request Entity Too Large"})
    assert expected == refusal(fakeplat, "dev", "GET", path(fakeplat, "build", "/artifacts/b"))


ACTIONS = st.one_of(
    st.tuples(st.just("advance"), st.integers(1, 100)), st.tuples(st.sampled_from(("keep", "delete")), st.just(0))
)
PIPELINE = {"ref": "feature", "sha": "a" * 40, "status": "success", "jobs": [build_job()]}
SITE_WITH_ARTIFACTS = {"path_with_namespace": "acme/site", "pipelines": [PIPELINE]}


@pytest.fixture(scope="module")
def platform() -> Platform:
    return create_platform({"extends": "starter", "projects": [SITE_WITH_ARTIFACTS]}, kind="virtual", tick=0)


@given(st.lists(ACTIONS, max_size=8), st.one_of(st.none(), st.integers(1, 200)))
def test_artifacts_are_there_until_they_expire_or_are_deleted(
    platform: Platform, actions: list[tuple[str, int]], expire_in: int | None
) -> None:
    """Artifacts are served until they expire or are deleted, and keeping them prevents expiry."""
    snapshot = platform.snapshot()
    record = platform.view.jobs.all()[-1]
    expires = None if expire_in is None else from_iso(record.created_at) + expire_in * SECOND
    with platform.acting() as ctx:
        for artifact in list(ctx.world.job_artifacts.where("job", record.id)):
            ctx.world.job_artifacts.change(artifact, expire_at=None if expires is None else to_iso(expires))
    is_there = True
    for action, seconds in actions:
        if action == "advance":
            platform.advance(seconds * SECOND)
            is_there = is_there and (expires is None or platform.clock.now() < expires)
        elif action == "keep":
            assert (200 if is_there else 404) == send_request(
                platform, "mia", "POST", f"jobs/{record.id}/artifacts/keep"
            )
            expires = None if is_there else expires
        else:
            assert 204 == send_request(platform, "mia", "DELETE", f"jobs/{record.id}/artifacts")
            is_there = False
        for tail in (f"jobs/{record.id}/artifacts", "jobs/artifacts/feature/raw/b.json"):
            assert (200 if is_there else 404) == send_request(platform, "mia", "GET", tail, "job=build")
    platform.restore(snapshot)


def send_request(platform: Platform, username: str, method: str, tail: str, query: str = "") -> int:
    """Send a request about the project; return the status."""
    headers = {"private-token": f"{username}-token"}
    return platform.handle(Request(method, f"/api/v4/projects/acme%2Fsite/{tail}", query, headers)).status
