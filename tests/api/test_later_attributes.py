"""Parameters and fields that single operations got later."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, SITE, create_record, get_json
from tests.api.requests import form, person, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", default_branch="master", tier="premium")
PLATFORM = {"api_url": "https://cluster.example.com", "token": "secret"}


def test_clusters_that_are_no_longer_managed(fakeplat: Fakeplat) -> None:
    """A cluster can be taken out of the platform's management later."""
    fakeplat.as_user("root").post("features/certificate_based_clusters", json={"value": True})
    body = {"name": "edge", "platform_kubernetes_attributes": PLATFORM}
    cluster = create_record(fakeplat, f"{SITE}/clusters/user", "ada", **body)
    changed = fakeplat.as_user("ada").put(f"{SITE}/clusters/{cluster['id']}", json={"managed": False})

    assert (True, 200, False) == (cluster["managed"], changed.status, changed.json()["managed"])


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_groups_of_a_directory(fakeplat: Fakeplat, method: str) -> None:
    """A group that is created or changed with a group of the directory and a level is linked with it."""
    path = "groups/fresh" if method == "POST" else ACME
    names = {"name": "Fresh", "path": "fresh"} if method == "POST" else {}
    body: dict[str, Any] = {**names, "ldap_cn": "staff", "ldap_access": 30}
    reply = fakeplat.as_user("root").request(method, "groups" if method == "POST" else path, json=body)
    assert reply.status in (200, 201)
    (link,) = get_json(fakeplat, f"{path}/ldap_group_links", "root")

    assert ("staff", 30, "ldapmain") == (link["cn"], link["group_access"], link["provider"])


@pytest.mark.fakeplat(tier="free")
def test_groups_of_a_directory_are_paid(fakeplat: Fakeplat) -> None:
    """Without a paid tier, groups are not linked with those of the directory."""
    fakeplat.as_user("root").put(ACME, json={"ldap_cn": "staff", "ldap_access": 30})

    assert not fakeplat.bench.platform.view.ldap_group_links.all_ids()


def test_groups_belong_to_the_only_organization(fakeplat: Fakeplat) -> None:
    """New and imported groups may name the organization of the instance, and no other."""
    body = {"name": "Fresh", "path": "fresh"}
    created = create_record(fakeplat, "groups", "root", **body, organization_id=1)
    assert 1 == created["organization_id"]

    unknown = resource_not_found("Organization")
    other = {"name": "Other", "path": "other", "organization_id": 7}
    assert unknown == refusal(fakeplat, "root", "POST", "groups", json=other)
    archive = form(name="Other", path="other", organization_id="7", file=("a.tar.gz", "application/gzip", b"x"))
    assert unknown == refusal(fakeplat, "root", "POST", "groups/import", **archive)


def test_the_storage_of_a_whole_hierarchy(fakeplat: Fakeplat) -> None:
    """Administrators see the storage of all projects below a top-level group; subgroups have no such figures."""
    groups = {group["full_path"]: group for group in get_json(fakeplat, "groups?statistics=true", "root")}
    group = groups["acme"]
    figures: dict[str, Any] = group["root_storage_statistics"]

    assert {"build_artifacts_size", "container_registry_size_is_estimated", "storage_size"} <= set(figures)
    assert figures["storage_size"] == sum(
        figures[f"{part}_size"]
        for part in ("build_artifacts", "lfs_objects", "packages", "repository", "snippets", "wiki")
    )
    assert figures["storage_size"] >= group["statistics"]["storage_size"]
    assert "root_storage_statistics" not in groups["acme/tools"]
    assert all("root_storage_statistics" not in row for row in get_json(fakeplat, "groups?statistics=true", "ada"))


def test_users_who_are_followed(fakeplat: Fakeplat) -> None:
    """A single user says whether the caller follows them."""
    path = f"users/{person(fakeplat, 'mia')}"
    assert not get_json(fakeplat, path, "dev")["is_followed"]
    assert 201 == fakeplat.as_user("dev").post(f"{path}/follow").status

    assert [True, False] == [get_json(fakeplat, path, by)["is_followed"] for by in ("dev", "ada")]


def test_image_repositories_say_how_to_delete_them(fakeplat: Fakeplat) -> None:
    """Image repositories show their status, and their address to those who may delete them."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "container_repositories": [{"name": "web"}]}]})
    (mine,) = get_json(fakeplat, f"{SITE}/registry/repositories", "dev")
    (others,) = get_json(fakeplat, f"{SITE}/registry/repositories", "rep")
    path = f"/api/v4/projects/{mine['project_id']}/registry/repositories/{mine['id']}"

    assert (None, True) == (mine["status"], mine["delete_api_path"].endswith(path))
    assert "delete_api_path" not in others


def create_merge_request(fake: Fakeplat, **fields: Any) -> str:
    """Create a merge request; return its path."""
    body = {"title": "New", "source_branch": "feature", "target_branch": "master", **fields}
    return f"{SITE}/merge_requests/{create_record(fake, f'{SITE}/merge_requests', 'dev', **body)['iid']}"


def list_numbers(fake: Fakeplat, path: str) -> list[tuple[str, int]]:
    """Return names and numbers of the rules of a merge request."""
    rows = get_json(fake, f"{path}/approval_rules", "dev")
    return [(row["name"], row["approvals_required"]) for row in rows]


def test_rules_of_new_and_changed_merge_requests(fakeplat: Fakeplat) -> None:
    """A merge request takes rules of its project with other numbers of approvals, and changes its own ones."""
    body = {"name": "Leads", "approvals_required": 1, "user_ids": [person(fakeplat, "mia")]}
    rule = create_record(fakeplat, f"{SITE}/approval_rules", "ada", **body)
    fakeplat.load(
        {
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "repository": {
                        "commits": [
                            {"branch": "master", "message": "Start", "files": {"README.md": "x"}},
                            {"branch": "feature", "message": "Add", "files": {"a.txt": "a"}},
                        ]
                    },
                }
            ]
        }
    )
    path = create_merge_request(fakeplat, approval_rules_attributes=[{"id": rule["id"], "approvals_required": 3}])
    assert [("Leads", 3)] == list_numbers(fakeplat, path)

    (own,) = get_json(fakeplat, f"{path}/approval_rules", "dev")
    numbers = [{"id": own["id"], "approvals_required": 2}]
    assert 200 == fakeplat.as_user("dev").put(path, json={"approval_rules_attributes": numbers}).status
    assert [("Leads", 2)] == list_numbers(fakeplat, path)
    unknown = {"approval_rules_attributes": [{"id": 1, "approvals_required": 2}]}
    assert 404 == refusal(fakeplat, "dev", "PUT", path, json=unknown)[0]
