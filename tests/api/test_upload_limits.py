"""Limits of uploads: artifacts of jobs by instance, group, project and plan, and files of packages.

Source: docs/platform/runner-protocol.md, docs/platform/packages.md.
"""

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from fakeplat import scenario
from fakeplat.domain.ci import artifact_files, artifact_limits
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LARGE_LSIF_ARTIFACTS
from fakeplat.workbench.journal_entries import Reply
from tests.api.ci_jobs import find_project
from tests.api.package_files import npm_document
from tests.api.requests import Outcome, form, outcome, refusal
from tests.api.test_runner_protocol import take_one, upload_artifacts
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0)

SITE: Final = "projects/acme%2Fsite"
KIT: Final = "acme/tools/kit"
MEGABYTE: Final = 1024 * 1024
TOO_LARGE: Final[Outcome] = (413, {"message": "file size has reached maximum size limit"})
FILE_TOO_LARGE: Final[Outcome] = (400, {"message": '400 (Bad request) "File is too large" not given'})
Fragment = dict[str, Any]


def of_instance(limit: int, **types: int) -> Fragment:
    return {"settings": {"max_artifacts_size": limit, "ci_max_artifact_size": types}}


def of_group(path: str, limit: int) -> Fragment:
    return {"groups": [{"full_path": path, "max_artifacts_size": limit}]}


def of_project(limit: int) -> Fragment:
    return {"projects": [{"path_with_namespace": KIT, "max_artifacts_size": limit}]}


@pytest.mark.parametrize(
    ("fragments", "file_type", "expected"),
    [
        ((), "archive", 100),
        ((of_instance(7),), "archive", 7),
        ((of_instance(7), of_group("acme", 9)), "archive", 9),
        ((of_instance(7), of_group("acme", 9), of_group("acme/tools", 8)), "archive", 8),
        ((of_instance(7), of_group("acme/tools", 8), of_project(6)), "archive", 6),
        ((of_group("acme", 0),), "archive", 0),
        ((of_instance(7, archive=5),), "archive", 5),
        ((of_instance(7, archive=9),), "archive", 7),
        ((of_instance(7, archive=5),), "junit", 7),
        ((of_instance(7, archive=5), of_project(0)), "archive", 5),
        ((of_instance(100),), "lsif", 20),
        ((of_instance(100, lsif=0),), "lsif", 100),
        ((of_instance(10),), "lsif", 10),
        ((of_instance(100),), "terraform", 5),
        ((of_instance(100, junit=1),), "terraform", 5),
    ],
)
def test_the_closest_limit_and_that_of_the_plan_count(
    fakeplat: Fakeplat, fragments: tuple[Fragment, ...], file_type: Any, expected: int
) -> None:
    """The smaller one of the closest limit and the plan's counts."""
    for fragment in fragments:
        fakeplat.load(fragment)
    with fakeplat.bench.platform.acting() as ctx:
        limit = artifact_limits.get_limit(ctx, find_project(ctx.world, KIT), file_type)

    assert expected == limit


@by_release(LARGE_LSIF_ARTIFACTS, "limit", {"13.5": 20, "13.6": 100})
def test_the_plan_allowed_larger_indexes_later(fakeplat: Fakeplat, limit: int) -> None:
    """From 13.6 on plans allow LSIF reports of 100 MB."""
    with fakeplat.bench.platform.acting() as ctx:
        assert limit == artifact_limits.get_limit(ctx, find_project(ctx.world, KIT), "lsif")


@pytest.mark.parametrize(
    ("fragment", "parts"),
    [
        ({"settings": {"max_artifacts_size": 1}}, {}),
        ({"groups": [{"full_path": "acme", "max_artifacts_size": 1}]}, {}),
        ({"projects": [{"path_with_namespace": "acme/site", "max_artifacts_size": 1}]}, {}),
        (
            {"settings": {"ci_max_artifact_size": {"terraform": 1}}},
            {"artifact_type": "terraform", "artifact_format": "raw"},
        ),
    ],
    ids=["instance", "group", "project", "plan"],
)
def test_artifacts_above_a_limit_are_refused(fakeplat: Fakeplat, fragment: Fragment, parts: dict[str, str]) -> None:
    """Artifacts above a limit answer 413 and are not stored."""
    fakeplat.load(fragment)
    taken = take_one(fakeplat)
    before = fakeplat.bench.platform.state
    refused = outcome(upload_artifacts(fakeplat, taken, b"x" * (MEGABYTE + 1), **parts))
    untouched = before is fakeplat.bench.platform.state

    assert (TOO_LARGE, True) == (refused, untouched)
    assert 201 == upload_artifacts(fakeplat, taken, b"x" * MEGABYTE, **parts).status


def test_without_any_space_every_artifact_is_refused(fakeplat: Fakeplat) -> None:
    """An empty file is the only one of 0 MB."""
    fakeplat.load(of_instance(0))
    taken = take_one(fakeplat)

    assert [413, 201] == [upload_artifacts(fakeplat, taken, content).status for content in (b"x", b"")]


@pytest.mark.parametrize(("username", "status"), [("mia", 200), ("root", 200)])
@pytest.mark.parametrize("path", [SITE, "groups/acme"])
def test_the_limit_is_no_parameter_of_the_api(fakeplat: Fakeplat, username: str, status: int, path: str) -> None:
    """Administrators set it on a page at this release, so the API drops it; the fields do not show it either."""
    if path.startswith("groups") and username == "mia":
        username = "ada"
    reply = fakeplat.as_user(username).put(path, json={"max_artifacts_size": 1, "description": "x"})

    assert (status, False) == (reply.status, "max_artifacts_size" in reply.json())
    assert [] == [
        record
        for record in (*fakeplat.bench.platform.view.projects.all(), *fakeplat.bench.platform.view.namespaces.all())
        if getattr(record, "max_artifacts_size", None) is not None
    ]


def test_limits_survive_an_export(fakeplat: Fakeplat) -> None:
    """Limits of settings, groups and projects are exported."""
    fakeplat.load(of_instance(7, junit=3))
    fakeplat.load(of_group("acme", 5))
    fakeplat.load(of_project(0))
    exported = scenario.export_world(fakeplat.bench.platform)
    (group,) = [group for group in exported["groups"] if group["full_path"] == "acme"]
    (kit,) = [project for project in exported["projects"] if project["path_with_namespace"] == KIT]

    assert {"max_artifacts_size": 7, "ci_max_artifact_size": {"junit": 3}} == exported["settings"]
    assert (5, 0) == (group["max_artifacts_size"], kit["max_artifacts_size"])


# packages


def put_generic(fake: Fakeplat, content: bytes) -> Reply:
    return fake.as_user("dev").put(f"{SITE}/packages/generic/app/1.0.0/app.bin", data=content)


def put_maven(fake: Fakeplat, content: bytes) -> Reply:
    return fake.as_user("dev").put(f"{SITE}/packages/maven/com/acme/app/1.0/app-1.0.jar", data=content)


def post_pypi(fake: Fakeplat, content: bytes) -> Reply:
    body = form(name="app", version="1.0", content=("app-1.0.tar.gz", "application/octet-stream", content))
    return fake.as_user("dev").post(f"{SITE}/packages/pypi", **body)


def put_npm(fake: Fakeplat, content: bytes) -> Reply:
    return fake.as_user("dev").put(f"{SITE}/packages/npm/@acme%2fapp", json=npm_document("@acme/app", "1.0.0", content))


REGISTRIES: Final = pytest.mark.parametrize(
    ("setting", "publish", "expected"),
    [
        ("generic_packages_max_file_size", put_generic, FILE_TOO_LARGE),
        ("maven_max_file_size", put_maven, FILE_TOO_LARGE),
        ("pypi_max_file_size", post_pypi, FILE_TOO_LARGE),
        ("npm_max_file_size", put_npm, (400, {"message": "File is too large."})),
    ],
    ids=["generic", "maven", "pypi", "npm"],
)
Publish = Callable[[Fakeplat, bytes], Reply]


def build_archive_bomb(size: int) -> bytes:
    """Return a small archive that unpacks to many bytes."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(size))
    return stream.getvalue()


@REGISTRIES
def test_packages_above_a_limit_leave_nothing(
    fakeplat: Fakeplat, setting: str, publish: Publish, expected: Outcome
) -> None:
    """A package above its limit is not stored at all; one of exactly the size is."""
    fakeplat.load({"settings": {setting: 1000}})
    before = fakeplat.bench.platform.state
    refused = outcome(publish(fakeplat, b"x" * 1001))
    untouched = before is fakeplat.bench.platform.state

    assert (expected, True) == (refused, untouched)
    fakeplat.snapshot()
    assert publish(fakeplat, b"x" * 1000).status in (200, 201)
    fakeplat.restore()
    fakeplat.load({"settings": {setting: 0}})
    assert publish(fakeplat, b"x" * 1001).status in (200, 201)


@REGISTRIES
def test_an_upload_that_is_refused_loses_nothing(
    fakeplat: Fakeplat, setting: str, publish: Publish, expected: Outcome
) -> None:
    """A refused upload leaves published files and statistics unchanged."""
    publish(fakeplat, b"first")
    mia = fakeplat.as_user("mia")
    fakeplat.load({"settings": {setting: 4}})
    pages = (f"{SITE}/packages", f"{SITE}?statistics=true")
    before = [mia.get(page).json() for page in pages]
    publish(fakeplat, b"other")

    assert before == [mia.get(page).json() for page in pages]
    assert [b"first"] == [file.content for file in fakeplat.bench.platform.view.package_files.all()]
    del expected


@REGISTRIES
def test_packages_are_not_unpacked(fakeplat: Fakeplat, setting: str, publish: Publish, expected: Outcome) -> None:
    """An archive counts with its own size, whatever it would unpack to."""
    content = build_archive_bomb(20 * MEGABYTE)
    fakeplat.load({"settings": {setting: len(content)}})
    status = publish(fakeplat, content).status

    assert status in (200, 201)
    assert [content] == [file.content for file in fakeplat.bench.platform.view.package_files.all()]
    del expected


def test_a_body_above_every_limit_is_refused(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body above every limit answers 413 before it is read."""
    monkeypatch.setattr("fakeplat.pipeline.handler.UPLOAD_LIMIT", 1000)
    body = form(name="app", version="1.0", content=("app-1.0.tar.gz", "application/octet-stream", bytes(2000)))

    assert 413 == refusal(fakeplat, "dev", "POST", f"{SITE}/uploads", **body)[0]


# bombs in artifacts


def test_an_archive_with_a_bomb_is_kept_but_not_unpacked(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive is downloaded as it is; its file is refused, and the world is the same."""
    monkeypatch.setattr(artifact_files, "MAX_ENTRY_SIZE", 1000)
    content = build_archive_bomb(MEGABYTE)
    taken = take_one(fakeplat)
    upload_artifacts(fakeplat, taken, content)
    mia, path = fakeplat.as_user("mia"), f"{SITE}/jobs/{taken['id']}/artifacts"

    assert content == mia.get(path).content
    assert 413 == refusal(fakeplat, "mia", "GET", f"{path}/zeros")[0]
    assert content == mia.get(path).content


def test_reports_are_unpacked_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are unpacked up to a limit, and files before it count."""
    monkeypatch.setattr(artifact_files, "MAX_ENTRY_SIZE", 1000)
    parts = [gzip.compress(bytes(size)) for size in (400, 600, 1)]

    assert [400, 600] == [len(content) for content in artifact_files.read_gzip_files(b"".join(parts))]
    assert [] == artifact_files.read_gzip_files(gzip.compress(bytes(1001)))


def test_a_large_report_of_variables_is_refused_before_it_is_unpacked(
    fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compressed `dotenv` report above 5 KB is refused before it is unpacked."""

    def unpack(*_: object) -> bytes:
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(gzip, "decompress", unpack)
    content = zlib.compress(bytes(8 * MEGABYTE), 9, 31)
    taken = take_one(fakeplat)
    reply = upload_artifacts(fakeplat, taken, content, artifact_type="dotenv", artifact_format="gzip")

    message = "Dotenv Artifact Too Big. Maximum Allowable Size: 5120"
    assert (400, {"message": message}) == outcome(reply)
