"""Archived groups and settings of groups in later releases.

Source: spec/services/namespaces/groups/archive_service_spec.rb and doc/api/groups.md of the platform.
"""

from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, outcome, refusal

SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"version": "latest", "tier": "premium"},
    "groups": [{"path": "rival", "visibility": "public", "members": {"ada": "owner"}}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
ACME, TOOLS, SITE = "groups/acme", "groups/acme%2Ftools", "projects/acme%2Fsite"


def unprocessable(text: str) -> tuple[int, dict[str, str]]:
    return 422, {"message": text}


def test_an_archived_group_is_read_only_with_everything_below(fakeplat: Fakeplat) -> None:
    """Nothing is written in projects, and no projects or subgroups are created, until the group is unarchived."""
    ada, issue = fakeplat.as_user("ada"), {"title": "x"}
    acme = ada.get(ACME).json()["id"]
    status, group = outcome(ada.post(f"{ACME}/archive"))

    assert (201, True) == (status, group["archived"])
    assert [True, False] == [ada.get(path).json()["archived"] for path in (TOOLS, "groups/rival")]
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{SITE}/issues", json=issue)
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "groups", json={"name": "x", "path": "x", "parent_id": acme})
    project = {"name": "fresh", "namespace_id": acme}
    assert 201 != ada.post("projects", json=project).status
    epic = {"title": "x"}
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{ACME}/epics", json=epic)

    assert (201, False) == (201, ada.post(f"{ACME}/unarchive").json()["archived"])
    assert 201 == ada.post(f"{SITE}/issues", json=issue).status
    assert 201 == ada.post("projects", json=project).status


def test_refused_archiving(fakeplat: Fakeplat) -> None:
    """A group is archived once, not below an archived one, and not while it is to be deleted."""
    ada = fakeplat.as_user("ada")
    assert unprocessable("Group is already unarchived!") == refusal(fakeplat, "ada", "POST", f"{ACME}/unarchive")
    ada.post(f"{ACME}/archive")

    assert unprocessable("Group is already archived!") == refusal(fakeplat, "ada", "POST", f"{ACME}/archive")
    below = "Cannot archive group since one of the ancestor groups is already archived!"
    assert unprocessable(below) == refusal(fakeplat, "ada", "POST", f"{TOOLS}/archive")
    below = "Cannot unarchive group since one of the ancestor groups is archived!"
    assert unprocessable(below) == refusal(fakeplat, "ada", "POST", f"{TOOLS}/unarchive")
    ada.post(f"{ACME}/unarchive")
    ada.delete(ACME)
    marked = "Cannot archive group since it is scheduled for deletion."
    for path in (ACME, TOOLS):
        assert unprocessable(marked) == refusal(fakeplat, "ada", "POST", f"{path}/archive")


@pytest.mark.parametrize("action", ["archive", "unarchive"])
def test_only_owners_archive_groups(fakeplat: Fakeplat, action: str) -> None:
    """Maintainers and visitors are refused."""
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{ACME}/{action}")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"{ACME}/{action}")


def test_lists_tell_archived_groups_from_others(fakeplat: Fakeplat) -> None:
    """The filters tell groups and projects apart by the groups above them, too."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{TOOLS}/archive")

    assert ["tools"] == names(ada.get("groups?archived=true").json(), "path")
    assert ["acme", "rival"] == names(ada.get("groups?archived=false").json(), "path")
    assert ["tools"] == names(ada.get(f"{ACME}/subgroups?active=false").json(), "path")
    assert [] == ada.get(f"{ACME}/descendant_groups?archived=false").json()
    inside = names(ada.get(f"{TOOLS}/projects").json(), "path")
    assert inside == names(ada.get(f"{TOOLS}/projects?archived=true").json(), "path")
    assert [] == ada.get(f"{TOOLS}/projects?active=true").json()
    assert "site" in names(ada.get(f"{TOOLS}/projects?include_ancestor_groups=true").json(), "path")


def test_administrators_filter_groups_by_storage(fakeplat: Fakeplat) -> None:
    """The repositories of all groups are on the default storage; others than administrators do not filter."""
    root, ada = fakeplat.as_user("root"), fakeplat.as_user("ada")

    assert [] == root.get("groups?repository_storage=other").json()
    assert root.get("groups").json() == root.get("groups?repository_storage=default").json()
    assert ada.get("groups").json() == ada.get("groups?repository_storage=other").json()
    assert {"default"} == {*names(root.get("groups").json(), "repository_storage")}
    assert "repository_storage" not in ada.get(ACME).json()


def test_groups_say_how_default_branches_are_protected(fakeplat: Fakeplat) -> None:
    """New projects follow the details; the older number replaces them."""
    ada = fakeplat.as_user("ada")
    acme = ada.get(ACME).json()
    maintainers = [{"access_level": 40}]
    shown = {"allowed_to_push": maintainers, "allow_force_push": False, "allowed_to_merge": maintainers}
    assert shown == acme["default_branch_protection_defaults"]
    developers = [{"access_level": 30}]
    protection = {"allowed_to_push": developers, "allow_force_push": True, "allowed_to_merge": maintainers}

    changed = ada.put(ACME, json={"default_branch_protection_defaults": protection}).json()
    assert protection == changed["default_branch_protection_defaults"]
    project = ada.post("projects", json={"name": "n", "namespace_id": acme["id"], "initialize_with_readme": True})
    (branch,) = ada.get(f"projects/{project.json()['id']}/protected_branches").json()
    assert ([30], [40], True) == (
        names(branch["push_access_levels"], "access_level"),
        names(branch["merge_access_levels"], "access_level"),
        branch["allow_force_push"],
    )
    again = ada.put(ACME, json={"default_branch_protection": 2}).json()
    assert shown == again["default_branch_protection_defaults"]
    wrong = {"default_branch_protection_defaults": {"allowed_to_push": [{"access_level": 7}]}}
    assert 400 == refusal(fakeplat, "ada", "PUT", ACME, json=wrong)[0]


def test_a_group_may_refuse_git_over_http(fakeplat: Fakeplat) -> None:
    """Where only SSH is enabled, repositories of the hierarchy are not reached over HTTP."""
    ada = fakeplat.as_user("ada")
    assert "all" == ada.get(ACME).json()["enabled_git_access_protocol"]
    refs = f"{fakeplat.url}/acme/site.git/info/refs?service=git-upload-pack"
    login = {"authorization": f"Basic {b64encode(b'ada:ada-token').decode()}"}
    git = fakeplat.as_user(None)
    assert 200 == git.get(refs, headers=login).status

    changed = ada.put(ACME, json={"enabled_git_access_protocol": "ssh"}).json()
    assert "ssh" == changed["enabled_git_access_protocol"]
    assert 403 == git.get(refs, headers=login).status
    wrong = invalid("enabled_git_access_protocol does not have a valid value")
    assert wrong == refusal(fakeplat, "ada", "PUT", ACME, json={"enabled_git_access_protocol": "ftp"})


def test_a_hierarchy_may_keep_to_itself(fakeplat: Fakeplat) -> None:
    """Groups are then shared with others of the same hierarchy only."""
    ada = fakeplat.as_user("ada")
    rival, tools = (ada.get(path).json()["id"] for path in ("groups/rival", TOOLS))
    changed = ada.put(ACME, json={"prevent_sharing_groups_outside_hierarchy": True}).json()

    assert True is changed["prevent_sharing_groups_outside_hierarchy"]
    body = {"group_id": rival, "group_access": 10}
    for path in (ACME, TOOLS):
        assert (404, {"message": "Not Found"}) == refusal(fakeplat, "ada", "POST", f"{path}/share", json=body)
    assert 201 == ada.post(f"{ACME}/share", json={**body, "group_id": tools}).status
    # Subgroups follow the top-level group.
    below = ada.put(TOOLS, json={"prevent_sharing_groups_outside_hierarchy": True}).json()
    assert "prevent_sharing_groups_outside_hierarchy" not in below


def test_only_visible_groups_of_shares_are_listed_on_request(fakeplat: Fakeplat) -> None:
    """Groups with which a project is shared are left out where the caller does not see them."""
    root, ada = fakeplat.as_user("root"), fakeplat.as_user("ada")
    secret = root.post("groups", json={"name": "secret", "path": "secret", "visibility": "private"}).json()["id"]
    assert 201 == root.post(f"{SITE}/share", json={"group_id": secret, "group_access": 10}).status
    path = f"{SITE}/groups?with_shared=true"

    assert secret in names(ada.get(path).json(), "id")
    assert secret not in names(ada.get(f"{path}&shared_visible_only=true").json(), "id")
