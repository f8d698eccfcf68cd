"""Approval rules of groups, and of projects by private operations. Source: docs/platform/external.md ('Approvals')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY
from fakeplat.scenario.export import export_world
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.planning_records import create_record
from tests.api.requests import FORBIDDEN, invalid, invalid_record, names, person, refusal, resource_not_found
from tests.by_release import by_release

RULES = "groups/acme/approval_rules"
OLD = f"{SITE}/approval_settings"
NOT_FOUND = (404, {"message": "404 Not Found"})
pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium")


def enable(fake: Fakeplat, **target: str) -> None:
    """Switch the feature on, by default for everybody."""
    reply = fake.as_user("root").post("features/approval_group_rules", json={"value": True, **target})
    assert 201 == reply.status


def create_rule(fake: Fakeplat, **fields: Any) -> Any:
    """Create a rule of the group."""
    reply = fake.as_user("ada").post(RULES, json={"name": "Group", "approvals_required": 1, **fields})
    assert 201 == reply.status, reply
    return reply.json()


@pytest.mark.parametrize(("method", "path"), [("GET", RULES), ("POST", RULES), ("PUT", f"{RULES}/1")])
def test_groups_have_no_rules_by_default(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Rules of groups are not found, unless an administrator has switched the feature on."""
    assert NOT_FOUND == refusal(fakeplat, "ada", method, path, json={"name": "A", "approvals_required": 1})


def test_a_rule_of_a_group(fakeplat: Fakeplat) -> None:
    """The owner of a group lists, creates and updates its rules, once the feature is on for it."""
    enable(fakeplat, group="acme")
    mia = person(fakeplat, "mia")
    rule = create_rule(fakeplat)
    changed = fakeplat.as_user("ada").put(f"{RULES}/{rule['id']}", json={"name": "New", "user_ids": [mia]}).json()

    assert {"master"} == set(names(rule["protected_branches"], "name"))
    assert ("Group", "any_approver", 1, True, None) == tuple(
        rule[name]
        for name in (
            "name",
            "rule_type",
            "approvals_required",
            "applies_to_all_protected_branches",
            "report_type",
        )
    )
    assert ("New", ["mia"]) == (changed["name"], names(changed["users"], "username"))
    assert [changed] == fakeplat.as_user("ada").get(RULES).json()
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", RULES)
    assert resource_not_found("Approval Rule") == refusal(fakeplat, "ada", "PUT", f"{RULES}/1", json={"name": "A"})
    blank = invalid_record(name=["can't be blank"])
    assert blank == refusal(
        fakeplat, "ada", "POST", RULES, json={"name": "", "approvals_required": 1, "user_ids": [mia]}
    )
    missing = invalid("name is missing, approvals_required is missing")
    assert missing == refusal(fakeplat, "ada", "POST", RULES)


def test_it_is_for_protected_branches(fakeplat: Fakeplat) -> None:
    """The rule of a group asks for approvals of merge requests into protected branches of its projects."""
    enable(fakeplat)
    create_rule(fakeplat, user_ids=[person(fakeplat, "mia")])
    rules = get_json(fakeplat, f"{OPEN}/approval_state")["rules"]
    fakeplat.as_user("mia").delete(f"{SITE}/protected_branches/master")
    unprotected = get_json(fakeplat, f"{OPEN}/approval_state")["rules"]

    assert ["Group"] == names(rules, "name")
    assert [] == unprotected


def test_rules_of_groups_are_exported(fakeplat: Fakeplat) -> None:
    """The rules of a group are part of an exported scenario."""
    enable(fakeplat)
    create_rule(fakeplat, user_ids=[person(fakeplat, "mia")])
    groups = {group["full_path"]: group for group in export_world(fakeplat.bench.platform)["groups"]}

    assert [("Group", ["mia"])] == [(rule["name"], rule["users"]) for rule in groups["acme"]["approval_rules"]]


def test_the_private_operations_change_the_same_rules(fakeplat: Fakeplat) -> None:
    """The private operations of approval settings change the rules of a project, and show their approvers."""
    mia = person(fakeplat, "mia")
    body = {"name": "Old", "approvals_required": 2, "users": [mia]}
    rule = fakeplat.as_user("mia").post(f"{OLD}/rules", json=body).json()
    listed = fakeplat.as_user("dev").get(OLD).json()

    assert ("Old", ["mia"], 2) == (
        listed["rules"][0]["name"],
        names(rule["approvers"], "username"),
        listed["fallback_approvals_required"],
    )
    changed = fakeplat.as_user("mia").put(f"{OLD}/rules/{rule['id']}", json={"name": "New"}).json()
    assert "New" == changed["name"]
    assert ["New"] == names(fakeplat.as_user("dev").get(f"{SITE}/approval_rules").json(), "name")
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{OLD}/rules/{rule['id']}")
    assert 204 == fakeplat.as_user("mia").delete(f"{OLD}/rules/{rule['id']}").status
    assert [] == fakeplat.as_user("dev").get(OLD).json()["rules"]


def test_rules_about_reports(fakeplat: Fakeplat) -> None:
    """A rule about a report shows the report that it is about."""
    body = {
        "name": "Coverage-Check",
        "approvals_required": 1,
        "rule_type": "report_approver",
        "report_type": "code_coverage",
        "scanners": ["sast"],
    }
    rule = fakeplat.as_user("mia").post(f"{SITE}/approval_rules", json=body).json()

    assert ("report_approver", "code_coverage") == (rule["rule_type"], rule["report_type"])


@by_release(RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY, "expected", {"15.5": "regular", "15.6": "any_approver"})
def test_a_rule_without_people_is_for_anybody(fakeplat: Fakeplat, expected: str) -> None:
    """In later releases, a rule of a merge request without people accepts any user's approvals."""
    path = f"{OPEN}/approval_rules"
    assert expected == create_record(fakeplat, path, name="A", approvals_required=1)["rule_type"]
    people = [person(fakeplat, "mia")]
    assert "regular" == create_record(fakeplat, path, name="B", approvals_required=1, user_ids=people)["rule_type"]


def test_there_is_one_rule_for_anybody(fakeplat: Fakeplat) -> None:
    """A second rule of a merge request for any user is refused, and the first needs the approval of any user."""
    path = f"{OPEN}/approval_rules"
    create_record(fakeplat, path, name="A", approvals_required=1)
    second = {"name": "B", "approvals_required": 1}
    taken = invalid_record(rule_type=["any-approver for the merge request already exists"])
    assert taken == refusal(fakeplat, "ada", "POST", path, json=second)
    assert not get_json(fakeplat, f"{OPEN}/approvals")["approved"]
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approve").status
    assert get_json(fakeplat, f"{OPEN}/approvals")["approved"]


@by_release(RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY, "expected", {"15.5": ["mia"], "15.6": []})
def test_the_people_of_a_rule_win_over_its_source(fakeplat: Fakeplat, expected: list[str]) -> None:
    """In later releases, sent people, even none, replace those of the rule of the project that is copied."""
    people = [person(fakeplat, "mia")]
    source = create_record(fakeplat, f"{SITE}/approval_rules", name="A", approvals_required=1, user_ids=people)
    fields = {"name": "B", "approvals_required": 2, "approval_project_rule_id": source["id"]}
    path = f"{OPEN}/approval_rules"
    copy = create_record(fakeplat, path, **fields, user_ids=[])

    assert ("A", expected) == (copy["name"], names(copy["users"], "username"))
    fakeplat.as_user("ada").delete(f"{path}/{copy['id']}")
    assert ["mia"] == names(create_record(fakeplat, path, **fields)["users"], "username")


def test_people_of_rules_of_groups(fakeplat: Fakeplat) -> None:
    """A rule of a group has direct members and visible groups as its people; without changes it stays as it is."""
    enable(fakeplat)
    fakeplat.load({"groups": [{"full_path": "acme/tools", "members": {"eve": "developer"}}]})
    rules, people = "groups/acme%2Ftools/approval_rules", [person(fakeplat, name) for name in ("mia", "eve")]
    acme = fakeplat.world.group("acme").id
    body = {"name": "Tools", "approvals_required": 1, "user_ids": people, "group_ids": [acme]}
    rule = fakeplat.as_user("ada").post(rules, json=body).json()
    same = fakeplat.as_user("ada").put(f"{rules}/{rule['id']}", json={})

    assert (["eve"], ["acme"]) == (names(rule["users"], "username"), names(rule["groups"], "path"))
    assert (200, rule) == (same.status, same.json())
    blank = invalid_record(name=["can't be blank"])
    assert blank == refusal(fakeplat, "ada", "PUT", f"{rules}/{rule['id']}", json={"name": ""})
    second = fakeplat.as_user("root").post(rules, json={**body, "name": "Second"}).json()
    assert [second["id"]] == names(fakeplat.as_user("ada").get(f"{rules}?per_page=1&page=2").json(), "id")
