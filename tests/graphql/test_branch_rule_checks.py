"""Approval rules and status checks of branch rules by GraphQL, and who pushes, merges and ends a protection.

Source: ee/spec/requests/api/graphql/mutations/approval_project_rules and branch_rules of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.test_protected import KEY
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

ACME: dict[str, Any] = COMPANY["groups"][0]
SITE: dict[str, Any] = {
    **ACME["projects"][0],
    "protected_branches": [
        {
            "name": "main",
            "push_access_levels": [40],
            "merge_access_levels": [40],
            "unprotect_access_levels": [{"user": "mia"}],
        }
    ],
}
GROUP = {
    **ACME,
    "projects": [SITE],
    "group_protected_branches": [{"name": "v*", "push_access_levels": [0], "merge_access_levels": [40]}],
}
pytestmark = pytest.mark.fakeplat(scenario={**COMPANY, "groups": [GROUP]}, version="latest", tier="ultimate")
RULE = "approvalRule { id name approvalsRequired type eligibleApprovers { nodes { username } } }"
CHECK = "externalStatusCheck { id name externalUrl hmac }"
CREATE_RULE = write_mutation("branchRuleApprovalProjectRuleCreate", RULE).replace("BranchRule", "branchRule", 1)
UPDATE_RULE = write_mutation("approvalProjectRuleUpdate", RULE).replace("ApprovalProject", "approvalProject", 1)
DELETE_RULE = write_mutation("approvalProjectRuleDelete", RULE).replace("ApprovalProject", "approvalProject", 1)
CREATE_CHECK = write_mutation("branchRuleExternalStatusCheckCreate", CHECK)
UPDATE_CHECK = write_mutation("branchRuleExternalStatusCheckUpdate", CHECK)
DESTROY_CHECK = write_mutation("branchRuleExternalStatusCheckDestroy", "")
UPDATE_BRANCH = write_mutation(
    "branchRuleUpdate",
    """branchRule { branchProtection { allowForcePush codeOwnerApprovalRequired
        mergeAccessLevels { nodes { accessLevelDescription } }
        pushAccessLevels { nodes { accessLevelDescription deployKey { id title user { username } } } } } }""",
)
TWO_PEOPLE = {"name": "Two people", "approvalsRequired": 2}
SCAN = {"name": "Scan", "externalUrl": "https://scan.example.test"}


def branch_rule_id(fake: Fakeplat, name: str = "main") -> str:
    nodes = query_project(fake, "mia", "branchRules { nodes { id name } }")["branchRules"]["nodes"]
    return str(next(node["id"] for node in nodes if node["name"] == name))


def user_ids(fake: Fakeplat, *names: str) -> list[str]:
    return [str(fake.as_user("ada").get("users", params={"username": name}).json()[0]["id"]) for name in names]


def change(fake: Fakeplat, mutation: str, by: str = "mia", **input_: Any) -> Any:
    (payload,) = query_data(fake, by, mutation, input=input_).values()
    return payload


def create_rule(fake: Fakeplat, **given: Any) -> Any:
    payload = change(fake, CREATE_RULE, branchRuleId=branch_rule_id(fake), **{**TWO_PEOPLE, **given})
    assert [] == payload["errors"]
    return payload["approvalRule"]


def create_check(fake: Fakeplat, **given: Any) -> Any:
    payload = change(fake, CREATE_CHECK, branchRuleId=branch_rule_id(fake), **{**SCAN, **given})
    assert [] == payload["errors"]
    return payload["externalStatusCheck"]


def get_site(fake: Fakeplat, path: str) -> Any:
    return fake.as_user("mia").get(f"projects/acme%2Fsite/{path}").json()


# Approval rules


def test_a_branch_rule_gets_approvals(fakeplat: Fakeplat) -> None:
    """A new approval rule is for the branch rule, and names the members among the users."""
    rule = create_rule(fakeplat, userIds=user_ids(fakeplat, "dev", "eve"), groupIds=[])
    (shown,) = get_site(fakeplat, "approval_rules")

    assert {**TWO_PEOPLE, "type": "REGULAR", "eligibleApprovers": {"nodes": [{"username": "dev"}]}} == {
        key: value for key, value in rule.items() if key != "id"
    }
    assert f"gid://gitlab/ApprovalProjectRule/{shown['id']}" == rule["id"]
    assert ["main"] == [branch["name"] for branch in shown["protected_branches"]]


def test_a_rule_without_approvers_is_for_anybody(fakeplat: Fakeplat) -> None:
    """Without users and groups, anybody may approve."""
    assert "ANY_APPROVER" == create_rule(fakeplat)["type"]


def test_an_approval_rule_is_changed(fakeplat: Fakeplat) -> None:
    """An update keeps the branches, and the users that it does not send; a null removes these."""
    rule = create_rule(fakeplat, userIds=user_ids(fakeplat, "dev"))
    renamed = change(fakeplat, UPDATE_RULE, id=rule["id"], name="One", approvalsRequired=1)
    emptied = change(fakeplat, UPDATE_RULE, id=rule["id"], name="One", approvalsRequired=1, userIds=None)
    (shown,) = get_site(fakeplat, "approval_rules")

    assert {"approvalRule": {**rule, "name": "One", "approvalsRequired": 1}, "errors": []} == renamed
    assert [] == emptied["approvalRule"]["eligibleApprovers"]["nodes"]
    assert ["main"] == [branch["name"] for branch in shown["protected_branches"]]


def test_an_approval_rule_is_deleted(fakeplat: Fakeplat) -> None:
    """The payload of a deletion shows the rule, which is gone."""
    rule = create_rule(fakeplat)

    assert {"approvalRule": rule, "errors": []} == change(fakeplat, DELETE_RULE, id=rule["id"])
    assert [] == get_site(fakeplat, "approval_rules")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"name": "Taken"}, "Name has already been taken"),
        ({"name": ""}, "Name can't be blank"),
        ({"approvalsRequired": -1}, "Approvals required must be greater than or equal to 0"),
    ],
    ids=["taken", "blank", "negative"],
)
def test_an_invalid_approval_rule_is_refused(fakeplat: Fakeplat, given: dict[str, Any], error: str) -> None:
    """An approval rule has a name of its own, and no negative number."""
    users = user_ids(fakeplat, "dev")
    create_rule(fakeplat, name="Taken", userIds=users)
    rule = create_rule(fakeplat, userIds=users)
    changes = {**TWO_PEOPLE, "name": "New", "userIds": users, **given}
    sent = ((CREATE_RULE, {"branchRuleId": branch_rule_id(fakeplat)}), (UPDATE_RULE, {"id": rule["id"]}))
    for mutation, which in sent:
        (payload,) = query_refused(fakeplat, "mia", mutation, input={**which, **changes})["data"].values()
        assert {"approvalRule": None, "errors": [error]} == payload


def test_developers_change_no_approval_rules(fakeplat: Fakeplat) -> None:
    """Developers neither create, change nor delete approval rules; a missing one is not available."""
    rule = create_rule(fakeplat)
    missing = "gid://gitlab/ApprovalProjectRule/1"
    for by, mutation, given in (
        ("dev", CREATE_RULE, {"branchRuleId": branch_rule_id(fakeplat), **TWO_PEOPLE}),
        ("dev", UPDATE_RULE, {"id": rule["id"], **TWO_PEOPLE}),
        ("dev", DELETE_RULE, {"id": rule["id"]}),
        ("mia", UPDATE_RULE, {"id": missing, **TWO_PEOPLE}),
        ("mia", DELETE_RULE, {"id": missing}),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, mutation, input=given))


def test_an_id_of_another_kind_is_no_approval_rule(fakeplat: Fakeplat) -> None:
    """An ID of another kind is refused by name."""
    (message,) = list_messages(query_refused(fakeplat, "mia", DELETE_RULE, input={"id": "gid://gitlab/Project/1"}))

    assert '("gid://gitlab/Project/1" does not represent an instance of ApprovalProjectRule)' in message


# External status checks


def test_a_status_check_of_a_branch_rule(fakeplat: Fakeplat) -> None:
    """A status check is created for the branch rule, changed and deleted; it shows that it has a secret."""
    check = create_check(fakeplat)
    which = {"id": check["id"], "branchRuleId": branch_rule_id(fakeplat)}
    (shown,) = get_site(fakeplat, "external_status_checks")
    changed = change(fakeplat, UPDATE_CHECK, **which, **{**SCAN, "name": "Deep scan", "sharedSecret": "s"})
    kept = change(fakeplat, UPDATE_CHECK, **which, **SCAN)

    assert {**SCAN, "id": check["id"], "hmac": False} == check
    assert ["main"] == [branch["name"] for branch in shown["protected_branches"]]
    assert {"externalStatusCheck": {**check, "name": "Deep scan", "hmac": True}, "errors": []} == changed
    assert kept["externalStatusCheck"]["hmac"]
    assert {"errors": []} == change(fakeplat, DESTROY_CHECK, **which)
    assert [] == get_site(fakeplat, "external_status_checks")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"name": "Taken"}, "Name has already been taken"),
        ({"externalUrl": "https://taken.example.test"}, "External url has already been taken"),
        ({"sharedSecret": "a" * 256}, "Shared secret is too long (maximum is 255 characters)"),
    ],
    ids=["name", "url", "secret"],
)
def test_an_invalid_status_check_is_refused(fakeplat: Fakeplat, given: dict[str, str], error: str) -> None:
    """A status check has a name and a URL of its own, and a short secret."""
    create_check(fakeplat, name="Taken", externalUrl="https://taken.example.test")
    check = create_check(fakeplat)
    which = {"branchRuleId": branch_rule_id(fakeplat)}
    for mutation, ids in ((CREATE_CHECK, which), (UPDATE_CHECK, {**which, "id": check["id"]})):
        sent = {"name": "New", "externalUrl": "https://new.example.test", **given, **ids}
        (payload,) = query_refused(fakeplat, "mia", mutation, input=sent)["data"].values()
        assert {"externalStatusCheck": None, "errors": [error]} == payload


def test_a_missing_status_check_is_an_error_of_the_payload(fakeplat: Fakeplat) -> None:
    """A status check that the project does not have is not found."""
    which = {"id": "gid://gitlab/MergeRequests::ExternalStatusCheck/1", "branchRuleId": branch_rule_id(fakeplat)}
    updated = query_refused(fakeplat, "mia", UPDATE_CHECK, input={**which, **SCAN})["data"]
    destroyed = query_refused(fakeplat, "mia", DESTROY_CHECK, input=which)["data"]

    assert {"externalStatusCheck": None, "errors": ["Not found"]} == updated["branchRuleExternalStatusCheckUpdate"]
    assert {"errors": ["Not found"]} == destroyed["branchRuleExternalStatusCheckDestroy"]


@pytest.mark.parametrize("by", ["dev", "ada"])
def test_who_changes_status_checks(fakeplat: Fakeplat, by: str) -> None:
    """Developers change no status checks, and not even Owners do if others may end the protection."""
    check = create_check(fakeplat)
    which = {"branchRuleId": branch_rule_id(fakeplat)}
    for mutation, given in (
        (CREATE_CHECK, {**which, **SCAN, "name": "New"}),
        (UPDATE_CHECK, {**which, **SCAN, "id": check["id"]}),
        (DESTROY_CHECK, {**which, "id": check["id"]}),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, mutation, input=given))


@pytest.mark.fakeplat(version="17.0")
def test_earlier_status_checks_show_no_secret(fakeplat: Fakeplat) -> None:
    """In 17.0, mutations take no secret."""
    create = write_mutation("branchRuleExternalStatusCheckCreate", "externalStatusCheck { id }")
    given = {"branchRuleId": "gid://gitlab/Projects::BranchRule/1", **SCAN, "sharedSecret": "s"}
    (message,) = list_messages(query_refused(fakeplat, "mia", create, input=given))

    assert message.endswith("sharedSecret (Field is not defined on BranchRuleExternalStatusCheckCreateInput)")


# Who pushes, merges and ends a protection


def protect(fake: Fakeplat, **protection: Any) -> Any:
    payload = change(fake, UPDATE_BRANCH, id=branch_rule_id(fake), name="main", branchProtection=protection)
    assert [] == payload["errors"]
    return payload["branchRule"]["branchProtection"]


def list_names(protection: Any, kind: str) -> list[str]:
    return [node["accessLevelDescription"] for node in protection[f"{kind}AccessLevels"]["nodes"]]


def test_users_groups_and_deploy_keys_get_access(fakeplat: Fakeplat) -> None:
    """What a rule grants already comes first; users, groups and deploy keys can be named."""
    (dev,) = user_ids(fakeplat, "dev")
    mia = fakeplat.as_user("mia")
    key = mia.post("projects/acme%2Fsite/deploy_keys", json={"title": "CI", "key": KEY, "can_push": True}).json()
    group = query_data(fakeplat, "mia", '{ group(fullPath: "acme") { id } }')["group"]["id"]
    key_id = f"gid://gitlab/DeployKey/{key['id']}"
    pushing = [{"userId": f"gid://gitlab/User/{dev}"}, {"deployKeyId": key_id}, {"accessLevel": 40}]
    protection = protect(fakeplat, pushAccessLevels=pushing, mergeAccessLevels=[{"groupId": group}])

    assert ["Maintainers", "dev", "CI"] == list_names(protection, "push")
    assert ["Acme"] == list_names(protection, "merge")
    shown = protection["pushAccessLevels"]["nodes"][2]["deployKey"]
    assert {"id": key_id, "title": "CI", "user": {"username": "mia"}} == shown


def test_what_is_not_sent_is_reset(fakeplat: Fakeplat) -> None:
    """An empty protection grants nothing, forbids forced pushes and requires code owners."""
    protect(fakeplat, pushAccessLevels=[{"accessLevel": 40}], allowForcePush=True, codeOwnerApprovalRequired=False)
    protection = protect(fakeplat, pushAccessLevels=None)

    assert (False, True) == (protection["allowForcePush"], protection["codeOwnerApprovalRequired"])
    assert ([], []) == (list_names(protection, "push"), list_names(protection, "merge"))


@pytest.mark.parametrize(
    ("levels", "error"),
    [
        ([{"accessLevel": 30}, {"accessLevel": 30}], "Push access levels access level has already been taken"),
        ([{"accessLevel": 35}], "Push access levels access level is not included in the list"),
        ([{"userId": "gid://gitlab/User/1"}], "Push access levels user is not a member of the project"),
        ([{"deployKeyId": "gid://gitlab/DeployKey/1"}], "Push access levels deploy key can't be blank"),
    ],
    ids=["twice", "level", "user", "key"],
)
def test_invalid_access_is_refused(fakeplat: Fakeplat, levels: list[dict[str, Any]], error: str) -> None:
    """Access is granted once each, to known roles, members and keys."""
    given = {"id": branch_rule_id(fakeplat), "name": "main", "branchProtection": {"pushAccessLevels": levels}}
    payload = query_refused(fakeplat, "mia", UPDATE_BRANCH, input=given)["data"]["branchRuleUpdate"]

    assert {"branchRule": None, "errors": [error]} == payload


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_name_nobody(fakeplat: Fakeplat) -> None:
    """A free tier grants access to roles only."""
    levels = [{"userId": f"gid://gitlab/User/{user_ids(fakeplat, 'dev')[0]}"}]
    given = {"id": branch_rule_id(fakeplat), "name": "main", "branchProtection": {"pushAccessLevels": levels}}
    payload = query_refused(fakeplat, "mia", UPDATE_BRANCH, input=given)["data"]["branchRuleUpdate"]

    assert ["Push access levels user must be blank"] == payload["errors"]


def test_who_ends_a_protection_and_whose_it_is(fakeplat: Fakeplat) -> None:
    """A branch rule shows who may end the protection, and whether a group protects the branches."""
    levels = "accessLevel accessLevelDescription user { username } group { name }"
    protection = f"branchProtection {{ isGroupLevel unprotectAccessLevels {{ nodes {{ {levels} }} }} }}"
    nodes = query_project(fakeplat, "mia", f"branchRules {{ nodes {{ name {protection} }} }}")["branchRules"]["nodes"]
    mia = {"accessLevel": 40, "accessLevelDescription": "mia", "user": {"username": "mia"}, "group": None}

    assert [
        {"name": "main", "branchProtection": {"isGroupLevel": False, "unprotectAccessLevels": {"nodes": [mia]}}},
        {"name": "v*", "branchProtection": {"isGroupLevel": True, "unprotectAccessLevels": {"nodes": []}}},
    ] == nodes


def test_a_project_does_not_change_the_rules_of_its_group(fakeplat: Fakeplat) -> None:
    """A branch rule of a group is not available to mutations of the project's."""
    given = {"id": branch_rule_id(fakeplat, "v*"), "name": "v*"}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "ada", UPDATE_BRANCH, input=given))


@pytest.mark.fakeplat(version="18.2")
def test_earlier_releases_do_not_tell_groups(fakeplat: Fakeplat) -> None:
    """Branch rules say since 18.3 whether they are those of a group."""
    query = '{ project(fullPath: "acme/site") { branchRules { nodes { branchProtection { isGroupLevel } } } } }'

    assert "Field 'isGroupLevel' doesn't exist on type 'BranchProtection'" in list_messages(
        query_refused(fakeplat, "mia", query)
    )
