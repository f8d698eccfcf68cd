"""Exports of the relations of projects and groups. Source: docs/platform/import-export.md ('Relations')."""

import gzip
import io
import tarfile
from collections.abc import Callable

import orjson
import pytest

from fakeplat.core.release import Behaviour
from fakeplat.domain.import_export import group_export, project_export, relation_exports
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.people import Group
from fakeplat.policy.behaviours import (
    DIRECT_TRANSFER_IS_A_SETTING,
    RELATION_EXPORTS_HAVE_BATCHES,
    RELATION_EXPORTS_HAVE_FILES,
    RELATION_EXPORTS_HAVE_USERS,
)
from fakeplat.workbench.journal_entries import Reply
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, Outcome, form, outcome, refusal

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
ACCEPTED: Outcome = (202, {"message": "202 Accepted"})
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
CONTAINERS = pytest.mark.parametrize("container", [SITE, ACME])
at_latest = pytest.mark.fakeplat(
    scenario=COMPANY, version="latest", clock="virtual", start="2020-11-20T09:00:00.000Z", default_branch="main"
)


@pytest.fixture(name="fake")
def enabled_fake(fakeplat: Fakeplat) -> Fakeplat:
    """A world in which direct transfer is enabled."""
    reply = fakeplat.as_user("root").put("application/settings", json={"bulk_import_enabled": True})
    assert 200 == reply.status
    return fakeplat


def export(fake: Fakeplat, container: str, **options: object) -> None:
    """Add three labels, and export the relations."""
    calls = fake.as_user("ada")
    for name in ("a", "b", "c"):
        assert 201 == calls.post(f"{container}/labels", json={"name": name, "color": "#FF0000"}).status
    assert ACCEPTED == outcome(calls.post(f"{container}/export_relations", json=options))
    fake.clock.advance("1s")


def download(fake: Fakeplat, container: str, query: str) -> Reply:
    return fake.as_user("ada").get(f"{container}/export_relations/download?relation={query}")


def titles(reply: Reply) -> list[str]:
    """Return the titles of the records of a downloaded relation."""
    return [orjson.loads(line)["title"] for line in gzip.decompress(reply.content).splitlines()]


@at_latest
@CONTAINERS
def test_relations_are_started_and_finish(fake: Fakeplat, container: str) -> None:
    """Each relation has the status 0 while it is exported, and 1 once it is finished."""
    calls = fake.as_user("ada")
    assert [] == calls.get(f"{container}/export_relations/status").json()
    assert ACCEPTED == outcome(calls.post(f"{container}/export_relations"))
    statuses = calls.get(f"{container}/export_relations/status").json()
    assert {0} == {row["status"] for row in statuses}
    assert {"labels", "milestones", "boards", "uploads", "self"} <= {row["relation"] for row in statuses}
    fake.clock.advance("1s")
    status, body = outcome(calls.get(f"{container}/export_relations/status?relation=labels"))
    expected = {
        "relation": "labels",
        "status": 1,
        "error": None,
        "updated_at": body["updated_at"],
        "batched": False,
        "batches_count": 0,
        "total_objects_count": 0,
    }
    assert (200, expected) == (status, body)
    assert body["updated_at"] > statuses[0]["updated_at"]


@at_latest
@CONTAINERS
def test_a_relation_is_downloaded(fake: Fakeplat, container: str) -> None:
    """A relation is a compressed file with a line of JSON for each record."""
    export(fake, container)
    reply = download(fake, container, "labels")
    assert 200 == reply.status
    assert "labels.ndjson.gz" in reply.headers["content-disposition"]
    assert ["a", "b", "c"] == titles(reply)


@at_latest
def test_the_attributes_and_files_are_relations(fake: Fakeplat) -> None:
    """The attributes of a project are the relation self, and its uploads are a compressed tar archive."""
    upload = form(file=("a.txt", "text/plain", b"text"))
    assert 201 == fake.as_user("ada").post(f"{SITE}/uploads", **upload).status
    export(fake, SITE)
    attributes = orjson.loads(gzip.decompress(download(fake, SITE, "self").content))
    assert 0 == attributes["visibility_level"]
    reply = download(fake, SITE, "uploads")
    assert "uploads.tar.gz" in reply.headers["content-disposition"]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(reply.content))) as archive:
        assert ["a.txt"] == [name.rpartition("/")[2] for name in archive.getnames()]


@at_latest
def test_relations_are_exported_in_batches(fake: Fakeplat) -> None:
    """A batch has as many records as the setting says; single things are never in batches."""
    assert 200 == fake.as_user("root").put("application/settings", json={"relation_export_batch_size": 2}).status
    export(fake, SITE, batched=True)
    status = fake.as_user("ada").get(f"{SITE}/export_relations/status?relation=labels").json()
    assert (True, 2, 3) == (status["batched"], status["batches_count"], status["total_objects_count"])
    batch = {"status": 1, "error": None, "updated_at": status["updated_at"]}
    counts = [{**batch, "batch_number": 1, "objects_count": 2}, {**batch, "batch_number": 2, "objects_count": 1}]
    assert counts == status["batches"]
    assert ["c"] == titles(download(fake, SITE, "labels&batched=true&batch_number=2"))
    assert (400, {"message": "Export is batched"}) == outcome(download(fake, SITE, "labels"))
    assert (404, {"message": "Batch not found"}) == outcome(download(fake, SITE, "labels&batched=true&batch_number=3"))
    assert (400, {"message": "Export is not batched"}) == outcome(
        download(fake, SITE, "self&batched=true&batch_number=1")
    )


@at_latest
def test_downloads_are_refused(fake: Fakeplat) -> None:
    """A relation that nobody exported, that is unknown or not finished cannot be downloaded."""
    path = f"{SITE}/export_relations/download"
    assert (404, {"message": "Export not found"}) == refusal(fake, "ada", "GET", f"{path}?relation=labels")
    assert (400, {"error": "relation is not portable"}) == refusal(fake, "ada", "GET", f"{path}?relation=members")
    assert (400, {"error": "relation is missing"}) == refusal(fake, "ada", "GET", path)
    assert (404, {"message": "Export not found"}) == refusal(
        fake, "ada", "GET", f"{ACME}/export_relations/download?relation=nothing"
    )
    fake.as_user("ada").post(f"{SITE}/export_relations")
    assert (404, {"message": "Export file not found"}) == refusal(fake, "ada", "GET", f"{path}?relation=labels")


@at_latest
def test_users_have_exports_of_their_own(fake: Fakeplat) -> None:
    """Nobody sees the exports that another user requested."""
    export(fake, SITE)
    assert [] == fake.as_user("mia").get(f"{SITE}/export_relations/status").json()


@at_latest
def test_a_later_export_replaces_the_older_one(fake: Fakeplat) -> None:
    """While a relation is exported again, its older file is gone."""
    export(fake, SITE)
    before = fake.as_user("ada").get(f"{SITE}/export_relations/status").json()
    fake.as_user("ada").post(f"{SITE}/export_relations")
    assert 404 == download(fake, SITE, "labels").status
    fake.clock.advance("1s")
    assert len(before) == len(fake.as_user("ada").get(f"{SITE}/export_relations/status").json())
    assert ["a", "b", "c"] == titles(download(fake, SITE, "labels"))


@pytest.mark.parametrize(
    ("behaviour", "release"),
    [
        (DIRECT_TRANSFER_IS_A_SETTING, "15.8"),
        (RELATION_EXPORTS_HAVE_FILES, "15.0"),
        (RELATION_EXPORTS_HAVE_BATCHES, "17.0"),
        (RELATION_EXPORTS_HAVE_USERS, "18.9"),
    ],
    ids=["setting", "files", "batches", "users"],
)
def test_later_releases_export_more(
    fakeplat_factory: Callable[..., Fakeplat], behaviour: Behaviour, release: str
) -> None:
    """The setting, files, batches and the exports of each user came one after the other."""
    before = {"15.8": "15.7", "15.0": "14.10", "17.0": "16.11", "18.9": "18.8"}[release]
    answers = []
    for version in (before, release):
        fake = fakeplat_factory(scenario=COMPANY, version=version, clock="virtual", start="2020-11-20T09:00:00.000Z")
        ada, mia = fake.as_user("ada"), fake.as_user("mia")
        started = outcome(ada.post(f"{SITE}/export_relations"))
        fake.as_user("root").put("application/settings", json={"bulk_import_enabled": True})
        ada.post(f"{SITE}/export_relations")
        rows = ada.get(f"{SITE}/export_relations/status").json()
        answers.append(
            {
                DIRECT_TRANSFER_IS_A_SETTING: started == NOT_FOUND,
                RELATION_EXPORTS_HAVE_FILES: "self" in {row["relation"] for row in rows},
                RELATION_EXPORTS_HAVE_BATCHES: "batched" in rows[0],
                RELATION_EXPORTS_HAVE_USERS: mia.get(f"{SITE}/export_relations/status").json() == [],
            }[behaviour]
        )
    assert [False, True] == answers


@at_latest
def test_direct_transfer_is_off_by_default(fakeplat: Fakeplat) -> None:
    """Unless the setting bulk_import_enabled is on, nobody exports relations."""
    for container in (SITE, ACME):
        assert NOT_FOUND == refusal(fakeplat, "ada", "POST", f"{container}/export_relations")
        assert NOT_FOUND == refusal(fakeplat, "ada", "GET", f"{container}/export_relations/status")


@at_latest
def test_only_those_who_administer_export(fake: Fakeplat) -> None:
    """Maintainers export the relations of projects, and owners those of groups."""
    assert FORBIDDEN == refusal(fake, "dev", "POST", f"{SITE}/export_relations")
    assert FORBIDDEN == refusal(fake, "mia", "POST", f"{ACME}/export_relations")
    assert ACCEPTED == outcome(fake.as_user("mia").post(f"{SITE}/export_relations"))


@pytest.mark.fakeplat(scenario=COMPANY, version="14.4", clock="virtual", start="2020-11-20T09:00:00.000Z")
def test_early_releases_have_relations_without_batches(fakeplat: Fakeplat) -> None:
    """In 14.4, everybody who may export sees all exports, which tell of their status and of no batches."""
    export(fakeplat, SITE)
    rows = fakeplat.as_user("mia").get(f"{SITE}/export_relations/status").json()
    labels = next(row for row in rows if row["relation"] == "labels")
    assert {"relation": "labels", "status": 1, "error": None, "updated_at": labels["updated_at"]} == labels
    assert "self" not in {row["relation"] for row in rows}
    path = f"{ACME}/export_relations/download?relation=labels"
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "ada", "GET", path)


@pytest.mark.fakeplat(version="16.11", scenario=COMPANY)
def test_every_exported_relation_is_declared(fakeplat: Fakeplat) -> None:
    """The relations that can be exported are those of an archive; members of projects are left out."""
    world = fakeplat.bench.platform.view
    with fakeplat.bench.platform.acting(world.users.find("username", "root")) as ctx:
        project = next(iter(world.projects.all()))
        group = next(group for group in world.namespaces.all() if isinstance(group, Group) and group.path == "acme")
        files = {"uploads", "lfs_objects", "repository", "self"}
        tree = set(project_export.project_relations(ctx, project)) - {"project_members"}
        assert tree == set(relation_exports.list_relations(ctx, "project")) - files
        tree = set(group_export.group_relations(ctx.world, group))
        assert tree == set(relation_exports.list_relations(ctx, "group")) - files
