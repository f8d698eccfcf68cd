"""Deployments of pages. Source: docs/platform/pages.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.pipelines import load_project
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

START = "2027-01-01T09:00:00.000Z"
START_TIME = "2027-01-01T09:00:00Z"
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", start=START)
STATE = "pagesDeployment { id active deletedAt updatedAt }"
DELETE = write_mutation("deletePagesDeployment", STATE)
RESTORE = write_mutation("restorePagesDeployment", STATE)


def load_deployments(fake: Fakeplat, *deployments: dict[str, Any]) -> None:
    load_project(fake, pages_deployments=list(deployments))


def list_prefixes(fake: Fakeplat, by: str = "mia", filters: str = "") -> list[str | None]:
    selection = f"pagesDeployments{filters} {{ nodes {{ pathPrefix }} }}"
    return [node["pathPrefix"] for node in query_project(fake, by, selection)["pagesDeployments"]["nodes"]]


def find_id(fake: Fakeplat) -> str:
    """Return the global id of the only deployment."""
    (node,) = query_project(fake, "mia", "pagesDeployments { nodes { id } }")["pagesDeployments"]["nodes"]
    return str(node["id"])


def change(fake: Fakeplat, mutation: str, id_: str) -> dict[str, Any]:
    (payload,) = query_data(fake, "mia", mutation, input={"id": id_}).values()
    assert payload.pop("errors") == []
    deployment: dict[str, Any] = payload["pagesDeployment"]
    assert id_ == deployment.pop("id")
    return deployment


def test_a_job_says_what_it_deployed(fakeplat: Fakeplat) -> None:
    """A deployment names its job, its files and their folder, and where they are."""
    configuration = "deploy: {script: make, artifacts: {paths: [dist]}, pages: {publish: dist, path_prefix: Docs}}"
    commits = [{"message": "first", "branch": "main", "files": {".gitlab-ci.yml": configuration}}]
    outcome = {"artifacts": {"dist/index.html": "a", "dist/b/c.html": "b", "other.txt": "c"}}
    fakeplat.load({"job_outcomes": [outcome]})
    load_project(fakeplat, repository={"commits": commits})
    mia = fakeplat.as_user("mia")
    pipeline = mia.post("projects/acme%2Fsite/pipeline", json={"ref": "main"}).json()
    fakeplat.settle()
    (job,) = mia.get(f"projects/acme%2Fsite/pipelines/{pipeline['id']}/jobs").json()
    size = next(each["size"] for each in job["artifacts"] if each["file_type"] == "archive")

    selection = """pagesDeployments { count nodes {
        active ciBuildId deletedAt fileCount pathPrefix rootDirectory size url expiresAt project { fullPath }
    } }"""
    listed = query_project(fakeplat, "mia", selection)["pagesDeployments"]
    (deployment,) = listed["nodes"]
    expires_at = deployment.pop("expiresAt")

    assert 1 == listed["count"]
    assert expires_at.startswith("2027-01-02T09:")
    assert {
        "active": True,
        "ciBuildId": str(job["id"]),
        "deletedAt": None,
        "fileCount": 2,
        "pathPrefix": "docs",
        "rootDirectory": "dist",
        "size": size,
        "url": "http://site-5001.pages.localhost/docs",
        "project": {"fullPath": "acme/site"},
    } == deployment


def test_a_deployment_ends_and_is_restored(fakeplat: Fakeplat) -> None:
    """What a Maintainer ends is no longer active, and is active again once it is restored."""
    load_deployments(fakeplat, {"created_at": "2026-12-01T00:00:00.000Z"})
    id_ = find_id(fakeplat)

    assert {"active": False, "deletedAt": START_TIME, "updatedAt": START_TIME} == change(fakeplat, DELETE, id_)
    assert [] == fakeplat.as_user("root").get("projects/acme%2Fsite/pages").json()["deployments"]
    fakeplat.clock.advance("1m")
    restored = {"active": True, "deletedAt": None, "updatedAt": "2027-01-01T09:01:00Z"}
    assert restored == change(fakeplat, RESTORE, id_)
    fakeplat.clock.advance("1h")
    assert id_ == find_id(fakeplat)


@pytest.mark.parametrize(("wait", "expected"), [("9m", [None]), ("10m", [])])
def test_what_has_ended_is_deleted_every_ten_minutes(fakeplat: Fakeplat, wait: str, expected: list[str | None]) -> None:
    """A deployment that has ended is there until the platform cleans up, and cannot be restored after that."""
    load_deployments(fakeplat, {})
    id_ = find_id(fakeplat)
    change(fakeplat, DELETE, id_)
    fakeplat.clock.advance(wait)

    assert expected == list_prefixes(fakeplat)
    if not expected:
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", RESTORE, input={"id": id_}))


def test_an_outdated_deployment_is_kept_for_half_an_hour(fakeplat: Fakeplat) -> None:
    """The next deployment ends the one before, which is deleted after 30 minutes at the earliest."""
    commits = [{"message": "first", "branch": "main", "files": {".gitlab-ci.yml": "pages: {script: a}"}}]
    fakeplat.load({"job_outcomes": [{"artifacts": {"public/a": "a"}}]})
    load_project(fakeplat, repository={"commits": commits}, pages_deployments=[{}])
    fakeplat.as_user("mia").post("projects/acme%2Fsite/pipeline", json={"ref": "main"})
    fakeplat.settle()

    selection = "pagesDeployments { nodes { active updatedAt deletedAt } }"
    new, old = query_project(fakeplat, "mia", selection)["pagesDeployments"]["nodes"]
    assert [True, False] == [new["active"], old["active"]]
    assert old["updatedAt"].replace("T09:0", "T09:3") == old["deletedAt"]
    fakeplat.clock.advance("30m")
    assert [None, None] == list_prefixes(fakeplat)
    fakeplat.clock.advance("10m")
    assert [None] == list_prefixes(fakeplat)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("", ["expired", None, "ended", "old"]),
        ("(active: true)", [None, "old"]),
        ("(active: false)", ["expired", "ended"]),
        ("(versioned: true)", ["expired", "ended", "old"]),
        ("(versioned: false)", [None]),
        ("(sort: created_asc)", ["old", "ended", None, "expired"]),
        ("(sort: updated_desc)", ["ended", "expired", None, "old"]),
    ],
)
@pytest.mark.parametrize("where", ["project", "group"])
def test_deployments_are_filtered_and_sorted(
    fakeplat: Fakeplat, filters: str, expected: list[str | None], where: str
) -> None:
    """Lists of projects and groups begin with the newest, and tell active deployments and prefixes apart."""
    load_deployments(
        fakeplat,
        {"path_prefix": "old", "created_at": "2026-12-01T00:00:00.000Z"},
        {
            "path_prefix": "ended",
            "created_at": "2026-12-02T00:00:00.000Z",
            "updated_at": "2026-12-31T00:00:00.000Z",
            "deleted_at": "2027-01-01T09:30:00.000Z",
        },
        {"created_at": "2026-12-03T00:00:00.000Z"},
        {"path_prefix": "expired", "created_at": "2026-12-04T00:00:00.000Z", "expires_at": "2026-12-05T00:00:00.000Z"},
    )
    path = "acme/site" if where == "project" else "acme"
    query = f'{{ {where}(fullPath: "{path}") {{ pagesDeployments{filters} {{ nodes {{ pathPrefix }} }} }} }}'
    nodes = query_data(fakeplat, "root", query)[where]["pagesDeployments"]["nodes"]

    assert expected == [node["pathPrefix"] for node in nodes]


@pytest.mark.parametrize("by", ["dev", "rep"])
def test_below_maintainer_nobody_sees_or_changes_deployments(fakeplat: Fakeplat, by: str) -> None:
    """Others find no deployments, and change none."""
    load_deployments(fakeplat, {})
    id_ = find_id(fakeplat)

    for mutation in (DELETE, RESTORE):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, mutation, input={"id": id_}))
    assert [] == list_prefixes(fakeplat, by)
    assert [None] == list_prefixes(fakeplat, filters="(active: true)")


def test_removed_pages_can_be_restored(fakeplat: Fakeplat) -> None:
    """Removing the pages of a project ends their deployments."""
    load_deployments(fakeplat, {}, {"path_prefix": "docs"})
    fakeplat.as_user("root").delete("projects/acme%2Fsite/pages")

    assert [] == list_prefixes(fakeplat, filters="(active: true)")
    assert ["docs", None] == list_prefixes(fakeplat, filters="(active: false)")


@pytest.mark.fakeplat(version="17.0")
def test_earlier_releases_change_no_deployments(fakeplat: Fakeplat) -> None:
    """Deployments are ended and restored since 17.1."""
    for mutation in (DELETE, RESTORE):
        assert "errors" in query_refused(fakeplat, "mia", mutation, input={"id": "gid://platform/PagesDeployment/1"})
