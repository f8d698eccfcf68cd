"""Imports of single relations into projects that exist. Source: docs/platform/import-export.md ('Relations')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.planning_records import SITE, get_json, issue, milestone
from tests.api.requests import Outcome, form, names, outcome, refusal
from tests.api.test_import_export import archive_of

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", start="2020-11-20T09:00:00.000Z")
PATH = "projects/import-relation"
STATUS = f"{SITE}/relation-imports"


def build_form(archive: bytes, relation: str = "issues", path: str = "acme/site", name: str = "a.tar.gz") -> Any:
    return form(path=path, relation=relation, file=(name, "application/gzip", archive))


def list_imports(fake: Fakeplat) -> Any:
    return get_json(fake, STATUS)


@pytest.mark.parametrize("relation", ["issues", "milestones"])
def test_what_is_missing_is_imported_again(fakeplat: Fakeplat, relation: str) -> None:
    """The records of the relation whose numbers the project lacks come back; the others stay as they are."""
    create = issue if relation == "issues" else milestone
    numbers = [
        (issue(fakeplat, title=title) if create is issue else milestone(fakeplat, title))["iid"]
        for title in ("Gone", "Kept")
    ]
    records = get_json(fakeplat, f"{SITE}/{relation}?per_page=100")
    archive = archive_of(fakeplat)
    gone, kept = ((row["id"] if relation == "milestones" else row["iid"]) for row in _find(records, "Gone", "Kept"))
    assert 204 == fakeplat.as_user("root").delete(f"{SITE}/{relation}/{gone}").status
    fakeplat.as_user("ada").put(f"{SITE}/{relation}/{kept}", json={"title": "Renamed"})

    reply = fakeplat.as_user("mia").post(PATH, **build_form(archive, relation))
    expected = {
        "id": reply.json()["id"],
        "project_path": "acme/site",
        "relation": relation,
        "status": "created",
        "created_at": reply.json()["created_at"],
        "updated_at": reply.json()["created_at"],
    }
    assert (201, expected) == outcome(reply)
    seen = [list_imports(fakeplat)[0]["status"]]
    for _ in range(2):
        fakeplat.clock.advance("1s")
        seen.append(list_imports(fakeplat)[0]["status"])
    assert ["created", "started", "finished"] == seen
    after = get_json(fakeplat, f"{SITE}/{relation}?per_page=100")
    assert {"Gone": numbers[0], "Renamed": numbers[1]}.items() <= {row["title"]: row["iid"] for row in after}.items()
    assert len(records) == len(after)


def _find(records: list[dict[str, Any]], *titles: str) -> list[dict[str, Any]]:
    return [next(row for row in records if row["title"] == title) for title in titles]


def test_who_imports_relations(fakeplat: Fakeplat) -> None:
    """Only those who administer the project import relations; an unknown path answers 404."""
    archive = archive_of(fakeplat)
    denied: Outcome = (403, {"message": "You are not authorized to perform this action"})
    missing: Outcome = (404, {"message": "Project not found"})

    for user in ("dev", "ext"):
        assert denied == refusal(fakeplat, user, "POST", PATH, **build_form(archive))
    assert missing == refusal(fakeplat, "mia", "POST", PATH, **build_form(archive, path="acme/none"))
    assert (401, {"message": "401 Unauthorized"}) == refusal(fakeplat, None, "POST", PATH, **build_form(archive))
    assert [] == list_imports(fakeplat)
    assert 404 == fakeplat.as_user("ext").get(STATUS).status
    assert (401, {"message": "401 Unauthorized"}) == refusal(fakeplat, None, "GET", STATUS)
    assert (403, {"message": "403 Forbidden - Project"}) == refusal(fakeplat, "dev", "GET", STATUS)


def test_imports_of_relations_are_limited(fakeplat: Fakeplat) -> None:
    """They count as imports of projects, and need the same source."""
    archive, root = archive_of(fakeplat), fakeplat.as_user("root")
    root.put("application/settings", json={"project_import_limit": 1})
    assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(archive)).status
    limited = refusal(fakeplat, "mia", "POST", PATH, **build_form(archive))
    text = "This endpoint has been requested too many times. Try again later."
    assert (429, {"message": {"error": text}}) == limited

    root.put("application/settings", json={"import_sources": ["git"]})
    assert (403, {"message": "403 Forbidden"}) == refusal(fakeplat, "mia", "POST", PATH, **build_form(archive))


def test_which_relations_are_imported(fakeplat: Fakeplat) -> None:
    """Four relations can be imported again."""
    text = "Imported relation must be one of issues, merge_requests, milestones, or ci_pipelines"
    archive = archive_of(fakeplat)

    assert (400, {"message": text}) == refusal(fakeplat, "mia", "POST", PATH, **build_form(archive, "labels"))
    for relation in ("merge_requests", "ci_pipelines"):
        assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(archive, relation)).status
        fakeplat.clock.advance("2s")
    assert {"merge_requests", "ci_pipelines"} == set(names(list_imports(fakeplat), "relation"))


def test_one_import_at_a_time(fakeplat: Fakeplat) -> None:
    """A second import has to wait for the end of the first one."""
    archive = archive_of(fakeplat)
    assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(archive)).status
    conflict: Outcome = (409, {"message": "A relation import is already in progress for this project"})

    assert conflict == refusal(fakeplat, "mia", "POST", PATH, **build_form(archive))
    fakeplat.clock.advance("2s")
    assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(archive)).status


def test_a_file_that_is_no_archive(fakeplat: Fakeplat) -> None:
    """A file whose name is not that of an archive is refused; one with other content fails later."""
    wrong = fakeplat.as_user("mia").post(PATH, **build_form(b"x", name="a.txt"))
    assert (422, []) == (wrong.status, list_imports(fakeplat))
    assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(b"no archive")).status
    fakeplat.clock.advance("2s")

    assert ["failed"] == names(list_imports(fakeplat), "status")


def test_an_import_continues_in_another_world(fakeplat: Fakeplat) -> None:
    """The export of a world has the imports that are not finished, with their archives."""
    assert 201 == fakeplat.as_user("mia").post(PATH, **build_form(archive_of(fakeplat))).status
    exported = export_world(fakeplat.bench.platform.view)
    site = next(row for row in exported["projects"] if "relation_imports" in row)

    assert [("issues", "created", "mia")] == [
        (row["relation"], row["status"], row["user"]) for row in site["relation_imports"]
    ]
    assert site["relation_imports"][0]["archive"]
