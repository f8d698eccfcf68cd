"""Approval rules of merge requests, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium", clock="virtual")
RULES = f"{OPEN}/approval_rules"
SHOWN = """name approvalsRequired overridden section containsHiddenGroups groups { nodes { fullPath } }
    users { nodes { username } } sourceRule { id name approvalsRequired }"""
UPDATE = write_mutation("mergeRequestUpdateApprovalRule", "mergeRequest { iid }")


def read_rules(fake: Fakeplat, by: str = "mia", fields: str = SHOWN) -> Any:
    """Return the rules of the merge request."""
    query = f'mergeRequest(iid: "1") {{ approvalState {{ rules {{ {fields} }} }} }}'
    return query_project(fake, by, query)["mergeRequest"]["approvalState"]["rules"]


@pytest.mark.fakeplat(version="14.3")
def test_a_rule_shows_its_groups_and_its_source(fakeplat: Fakeplat) -> None:
    """A rule names its groups, as far as the caller sees them, and the rule of the project that it was copied from."""
    ada = fakeplat.as_user("ada")
    secret = ada.post("groups", json={"name": "Secret", "path": "secret", "visibility": "private"}).json()
    team = ada.post("groups", json={"name": "Team", "path": "team", "visibility": "public"}).json()
    project_rule = ada.post(
        "projects/acme%2Fsite/approval_rules",
        json={"name": "Leads", "approvals_required": 2, "group_ids": [team["id"]]},
    ).json()
    body = {"name": "Copy", "approvals_required": 3, "approval_project_rule_id": project_rule["id"]}
    copied = ada.post(RULES, json=body)
    assert 201 == copied.status, copied.text
    own = {"name": "Own", "approvals_required": 1, "group_ids": [team["id"], secret["id"]]}
    assert 201 == ada.post(RULES, json=own).status
    rules = {rule["name"]: rule for rule in read_rules(fakeplat)}

    assert {
        "id": f"gid://gitlab/ApprovalProjectRule/{project_rule['id']}",
        "name": "Leads",
        "approvalsRequired": 2,
    } == rules["Leads"]["sourceRule"]
    assert (None, True, [{"fullPath": "team"}]) == (
        rules["Own"]["sourceRule"],
        rules["Own"]["containsHiddenGroups"],
        rules["Own"]["groups"]["nodes"],
    )
    seen = {rule["name"]: rule for rule in read_rules(fakeplat, "ada")}["Own"]
    assert (False, 2, None) == (seen["containsHiddenGroups"], len(seen["groups"]["nodes"]), seen["section"])


@pytest.mark.fakeplat(version="16.2")
def test_a_rule_is_changed(fakeplat: Fakeplat) -> None:
    """A rule of a merge request is changed as a whole; who may not change it learns nothing of it."""
    dev = fakeplat.world.user("dev")
    body = {"name": "Look", "approvals_required": 1, "user_ids": [fakeplat.world.user("mia").id]}
    rule = fakeplat.as_user("mia").post(RULES, json=body).json()
    given = {"projectPath": "acme/site", "iid": "1", "approvalRuleId": rule["id"], "name": "Check"}
    change = {**given, "approvalsRequired": 2, "userIds": [str(dev.id)]}
    payload = query_data(fakeplat, "mia", UPDATE, input=change)["mergeRequestUpdateApprovalRule"]
    fields = "name approvalsRequired users { nodes { username } }"

    assert {"mergeRequest": None, "errors": []} == payload
    expected = {"name": "Check", "approvalsRequired": 2, "users": {"nodes": [{"username": "dev"}]}}
    assert [expected] == read_rules(fakeplat, fields=fields)
    without_users = {**given, "approvalsRequired": 2}
    query_data(fakeplat, "mia", UPDATE, input=without_users)
    assert [{**expected, "users": {"nodes": []}}] == read_rules(fakeplat, fields=fields)
    denied = query_refused(fakeplat, "gus", UPDATE, input=change)
    unknown = query_refused(fakeplat, "mia", UPDATE, input={**change, "approvalRuleId": 1})
    assert [[NOT_AVAILABLE]] * 2 == [list_messages(denied), list_messages(unknown)]


@pytest.mark.fakeplat(version="16.2")
def test_an_invalid_rule_stays_as_it_is(fakeplat: Fakeplat) -> None:
    """What is wrong with a rule is not told, and the rule is not changed."""
    rule = fakeplat.as_user("mia").post(RULES, json={"name": "Look", "approvals_required": 1}).json()
    given = {"projectPath": "acme/site", "iid": "1", "approvalRuleId": rule["id"], "name": "", "approvalsRequired": 2}
    payload = query_data(fakeplat, "mia", UPDATE, input=given)["mergeRequestUpdateApprovalRule"]
    assert {"mergeRequest": None, "errors": []} == payload
    (in_state,) = read_rules(fakeplat, fields="approvalsRequired")
    assert ({"approvalsRequired": 1}, rule["name"]) == (in_state, fakeplat.as_user("mia").get(RULES).json()[0]["name"])


@pytest.mark.fakeplat(version="16.2")
def test_versions_of_the_diff_are_listed(fakeplat: Fakeplat) -> None:
    """The versions of the diff are those of REST, newest first."""
    action = {"action": "create", "file_path": "more.txt", "content": "x"}
    branch = fakeplat.as_user("dev").get(OPEN).json()["source_branch"]
    fakeplat.clock.advance(60)
    body = {"branch": branch, "commit_message": "More", "actions": [action]}
    fakeplat.as_user("dev").post("projects/acme%2Fsite/repository/commits", json=body)
    versions = fakeplat.as_user("dev").get(f"{OPEN}/versions").json()
    query = 'mergeRequest(iid: "1") { mergeRequestDiffs { nodes { createdAt updatedAt } } }'
    rows = query_project(fakeplat, "dev", query)["mergeRequest"]["mergeRequestDiffs"]["nodes"]

    assert 2 == len(rows)
    assert [version["created_at"][:19] for version in versions] == [row["createdAt"][:19] for row in rows]
    assert rows[0]["createdAt"] > rows[1]["createdAt"] == rows[1]["updatedAt"]


@pytest.mark.fakeplat(version="18.5")
def test_the_path_of_the_target_branch(fakeplat: Fakeplat) -> None:
    """The path of the target branch is null once the branch is gone."""
    query = 'mergeRequest(iid: "1") { targetBranchPath }'
    merge_request = query_project(fakeplat, "mia", query)["mergeRequest"]
    target = fakeplat.as_user("mia").get(OPEN).json()["target_branch"]
    assert {"targetBranchPath": f"/acme/site/-/branches/{target}"} == merge_request
    mia = fakeplat.as_user("mia")
    mia.post("projects/acme%2Fsite/repository/branches", json={"branch": "gone", "ref": target})
    mia.put(OPEN, json={"target_branch": "gone"})
    assert {"targetBranchPath": "/acme/site/-/branches/gone"} == query_project(fakeplat, "mia", query)["mergeRequest"]
    mia.delete("projects/acme%2Fsite/repository/branches/gone")
    assert {"targetBranchPath": None} == query_project(fakeplat, "mia", query)["mergeRequest"]
