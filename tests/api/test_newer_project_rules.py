"""Features of newer releases: status checks, protected packages, mirrors, protected branches of groups, all snippets.

Source: ee/lib/api/status_checks.rb of the platform, and its documentation.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DEVELOPERS_REMOVE_CONTEXT_COMMITS
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, names, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario="starter", tier="ultimate", version="latest", clock="virtual", default_branch="master"
)
SITE, CHECKS = "projects/acme%2Fsite", "projects/acme%2Fsite/external_status_checks"
MIRROR = f"{SITE}/mirror/pull"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
CHECK = {"name": "Look", "external_url": "https://look.test/check"}


def test_a_status_check_names_its_protected_branches(fakeplat: Fakeplat) -> None:
    """A status check shows its protected branches without those of other projects."""
    mia = fakeplat.as_user("mia")
    branch = mia.get(f"{SITE}/protected_branches").json()[0]
    check = mia.post(CHECKS, json={**CHECK, "protected_branch_ids": [branch["id"], 1]}).json()

    project_id = fakeplat.world.project("acme/site").id
    about = {"id": check["id"], **CHECK, "project_id": project_id, "hmac": False}
    assert {**about, "protected_branches": [branch]} == check
    assert [check] == mia.get(CHECKS).json()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({**CHECK, "external_url": "https://other.test"}, "Name has already been taken"),
        ({**CHECK, "name": "Other"}, "External url has already been taken"),
        (
            {"name": "Other", "external_url": "ftp://x"},
            "External url is blocked: Only allowed schemes are http, https",
        ),
    ],
)
def test_invalid_status_checks_are_refused(fakeplat: Fakeplat, body: dict[str, Any], text: str) -> None:
    """Invalid status checks answer 422 with sentences."""
    fakeplat.as_user("mia").post(CHECKS, json=CHECK)

    assert (422, {"message": [text]}) == refusal(fakeplat, "mia", "POST", CHECKS, json=body)


def test_status_checks_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Below Maintainer status checks answer 401."""
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "GET", CHECKS)
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", CHECKS, json=CHECK)


def test_rules_that_protect_packages_are_listed(fakeplat: Fakeplat) -> None:
    """Package protection rules of the scenario are listed."""
    rule = {"package_name_pattern": "@acme/*", "package_type": "npm", "minimum_access_level_for_push": "maintainer"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "package_protection_rules": [rule]}]})

    (listed,) = fakeplat.as_user("mia").get(f"{SITE}/packages/protection/rules").json()
    project_id = fakeplat.world.project("acme/site").id
    assert {**rule, "minimum_access_level_for_delete": None, "id": listed["id"], "project_id": project_id} == listed


def test_a_pull_mirror_hides_its_credentials(fakeplat: Fakeplat) -> None:
    """The URL of a pull mirror is shown without its credentials."""
    mia = fakeplat.as_user("mia")
    off = (400, {"message": "The project is not mirrored"})
    assert off == refusal(fakeplat, "mia", "GET", MIRROR)
    sent = {"enabled": True, "url": "https://x.test/a.git", "auth_user": "ada", "auth_password": "se/cret"}
    mirror = mia.put(MIRROR, json={**sent, "mirror_trigger_builds": True}).json()

    never = ("last_update_at", "last_update_started_at", "last_successful_update_at", "last_error")
    assert {
        "id": fakeplat.world.project("acme/site").id,
        "update_status": "none",
        "url": "https://*****:*****@x.test/a.git",
        "enabled": True,
        "mirror_trigger_builds": True,
        "only_mirror_protected_branches": False,
        "mirror_overwrites_diverged_branches": False,
        **dict.fromkeys(never),
    } == mirror
    assert mirror == mia.get(MIRROR).json()
    blocked = (400, {"message": {"import_url": ["is blocked: Only allowed schemes are http, https"]}})
    assert blocked == refusal(fakeplat, "mia", "PUT", MIRROR, json={"url": "ftp://x"})


def test_branches_of_all_projects_in_a_group_are_protected(fakeplat: Fakeplat) -> None:
    """A protected branch of a group is protected in the group's projects."""
    path, ada, dev = "groups/acme/protected_branches", fakeplat.as_user("ada"), fakeplat.as_user("dev")
    branch = ada.post(path, json={"name": "release-*", "push_access_level": 40}).json()

    level = {"access_level": 40, "user_id": None, "group_id": None, "access_level_description": "Maintainers"}
    level = {"id": branch["push_access_levels"][0]["id"], **level}
    keys = ("push_access_levels", "merge_access_levels", "unprotect_access_levels")
    about = {"id": branch["id"], "name": "release-*", "allow_force_push": False, "code_owner_approval_required": False}
    levels = {key: [level] for key in keys} | {"push_access_levels": [{**level, "deploy_key_id": None}]}
    assert {**about, **levels} == branch
    assert branch == ada.get(f"{path}/release-*").json()
    assert [branch] == ada.get(f"{path}?search=RELEASE").json()
    created = dev.post(f"{SITE}/repository/branches?branch=release-1&ref=master")
    assert 400 == created.status
    conflict = (409, {"message": "Protected branch 'release-*' already exists"})
    assert conflict == refusal(fakeplat, "ada", "POST", path, json={"name": "release-*"})


def test_all_snippets_that_the_caller_may_see_are_listed(fakeplat: Fakeplat) -> None:
    """All snippets that the caller sees are listed, also of projects and other users."""
    body = {"file_name": "x", "content": "x"}
    fakeplat.as_user("mia").post("snippets", json={**body, "title": "own", "visibility": "private"})
    fakeplat.as_user("mia").post("snippets", json={**body, "title": "open", "visibility": "internal"})
    fakeplat.as_user("mia").post(f"{SITE}/snippets", json={**body, "title": "site", "visibility": "private"})

    def titles(user: str, query: str = "") -> list[str]:
        return names(fakeplat.as_user(user).get(f"snippets/all{query}").json(), "title")

    assert ["site", "open", "own"] == titles("mia")
    assert ["site", "open"] == titles("gus")
    assert ["open"] == titles("eve")
    assert [] == titles("mia", "?created_before=2001-01-01T00:00:00Z")
    assert ["site", "open", "own"] == titles("mia", "?created_after=2001-01-01T00:00:00Z")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "snippets/all")


def open_merge_request(fake: Fakeplat) -> str:
    body = {"source_branch": "feature", "target_branch": "readme", "title": "x"}
    iid = fake.as_user("dev").post(f"{SITE}/merge_requests", json=body).json()["iid"]
    # Its mergeability is checked first, so that nothing changes the world later.
    fake.settle()
    return f"{SITE}/merge_requests/{iid}"


def test_context_commits_are_added_listed_and_removed(fakeplat: Fakeplat) -> None:
    """Context commits are added and removed by their hashes in the target project."""
    path, dev = f"{open_merge_request(fakeplat)}/context_commits", fakeplat.as_user("dev")
    sha = dev.get(f"{SITE}/repository/commits/master").json()["id"]
    added = dev.post(path, json={"commits": [sha]})

    assert (201, [sha]) == (added.status, names(added.json(), "id"))
    assert added.json() == dev.get(path).json()
    again = (400, {"message": f'Context commits: ["{sha}"] are already created'})
    assert again == refusal(fakeplat, "dev", "POST", path, json={"commits": [sha]})
    assert 204 == dev.delete(path, json={"commits": [sha]}).status
    assert [] == dev.get(path).json()


def test_unknown_and_too_many_context_commits_are_refused(fakeplat: Fakeplat) -> None:
    """Unknown or too many context commits, or a missing right, are refused."""
    path = f"{open_merge_request(fakeplat)}/context_commits"

    unknown = (400, {"message": "One or more context commits' sha is not valid."})
    many = (400, {"message": "Context commits array size should not be more than 20"})
    for method in ("POST", "DELETE"):
        assert unknown == refusal(fakeplat, "dev", method, path, json={"commits": ["0" * 40]})
    assert many == refusal(fakeplat, "dev", "POST", path, json={"commits": [f"{i:040}" for i in range(21)]})
    for method in ("POST", "DELETE"):
        assert FORBIDDEN == refusal(fakeplat, "rep", method, path, json={"commits": ["master"]})


@by_release(DEVELOPERS_REMOVE_CONTEXT_COMMITS, "expected", {"19.2": 403, "19.3": 204})
def test_owners_alone_removed_context_commits(fakeplat: Fakeplat, expected: int) -> None:
    """Who may not delete the merge request removes its context commits in later releases only."""
    path = f"{open_merge_request(fakeplat)}/context_commits"
    sha = fakeplat.as_user("dev").get(f"{SITE}/repository/commits/master").json()["id"]
    fakeplat.as_user("dev").post(path, json={"commits": [sha]})

    assert expected == fakeplat.as_user("dev").delete(path, json={"commits": [sha]}).status
    assert 204 == fakeplat.as_user("ada").delete(path, json={"commits": [sha]}).status


def test_differences_of_a_merge_request_are_a_list(fakeplat: Fakeplat) -> None:
    """The diffs of a merge request are a paginated list."""
    path, rep = open_merge_request(fakeplat), fakeplat.as_user("rep")
    diffs = rep.get(f"{path}/diffs")

    assert rep.get(f"{path}/changes").json()["changes"] == diffs.json()
    assert str(len(diffs.json())) == diffs.headers["X-Total"]


@pytest.mark.parametrize("tier", ["free", "ultimate"])
def test_only_bots_of_projects_reset_approvals(fakeplat_factory: Callable[..., Fakeplat], tier: str) -> None:
    """In every tier, only bots of a project reset approvals, and none of what is merged; others get a 401."""
    fakeplat = fakeplat_factory(scenario="starter", version="latest", default_branch="master", tier=tier)
    bot = {"name": "bot", "value": "bot-token"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "access_tokens": [bot]}]})
    path, mia = open_merge_request(fakeplat), fakeplat.as_user("mia")
    mia.post(f"{path}/approve")

    assert UNAUTHORIZED == refusal(fakeplat, "mia", "PUT", f"{path}/reset_approvals")
    reply = fakeplat.as_user(None).put(f"{path}/reset_approvals", headers={"Private-Token": "bot-token"})
    assert (202, 202) == outcome(reply)
    assert [] == mia.get(f"{path}/approvals").json()["approved_by"]
    assert 200 == mia.put(f"{path}/merge").status
    again = fakeplat.as_user(None).put(f"{path}/reset_approvals", headers={"Private-Token": "bot-token"})
    assert UNAUTHORIZED == outcome(again)
    assert outcome(mia.get(f"{path}/approvals"))[0] == 200
