"""What the platform's specs expect of approvals and their rules (paid), by release.

Source: the request specs of merge request approvals, their rules, and merge requests.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    APPROVALS_LEFT_OVERLAP,
    APPROVALS_REQUIRED_OVERLAP,
    APPROVERS_ARE_ACTIVE,
    APPROVERS_ARE_MEMBERS,
    APPROVERS_OF_PROJECTS_ARE_EMPTY,
    ASSIGNEES_ARE_LIMITED,
    AUDITORS_READ_APPROVALS,
    COPIED_RULES_FOLLOW_THEIR_SOURCE,
    GROUPS_APPROVE_FOR_BRANCHES,
    HIDDEN_GROUPS_HIDE_APPROVERS,
    MEMBERS_SEE_HIDDEN_APPROVERS,
    NAMES_OF_RULES_ARE_BOUNDED,
    NUMBERS_OF_APPROVALS_ARE_RULES,
    PLANNERS_APPROVE_FOR_BRANCHES,
    REVIEWERS_ARE_LIMITED,
    RULES_ARE_EDITED_BY_FEWER,
    RULES_ARE_INHERITED,
    RULES_OF_MERGED_ARE_FIXED,
    UNREACHABLE_RULES_ARE_MET,
)
from tests.api.merge_requests import MRS, OPEN, SITE, get_json, merge
from tests.api.pipelines import load_project
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, invalid_record, names, outcome, person, refusal
from tests.api.test_approval_changes import STATE, list_approvers, update
from tests.api.test_approval_rules import APPROVALS, OWN, RULES, approve, create_group, create_rule, read_state
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", default_branch="master", tier="premium", version="latest")
SETTINGS = f"{OPEN}/approval_settings"
NEW = {"title": "New", "source_branch": "conflict", "target_branch": "feature"}


def create_merge_request(fake: Fakeplat, by: str = "dev", **fields: Any) -> str:
    """Create a merge request and return its path."""
    reply = fake.as_user(by).post(MRS, json={**NEW, **fields})
    assert 201 == reply.status, reply
    return f"{MRS}/{reply.json()['iid']}"


def protect_target(fake: Fakeplat, name: str = "master") -> int:
    """Return the id of the rule that protects a branch."""
    branches = get_json(fake, f"{SITE}/protected_branches")
    existing_id = next((branch["id"] for branch in branches if branch["name"] == name), None)
    return int(existing_id or fake.as_user("ada").post(f"{SITE}/protected_branches", json={"name": name}).json()["id"])


def target_branch(fake: Fakeplat) -> str:
    return str(get_json(fake)["target_branch"])


# Numbers


@by_release(APPROVALS_LEFT_OVERLAP, "expected", {"16.4": (3, ["B", "All Members"]), "16.5": (2, ["B"])})
def test_an_approval_for_anybody_is_one_of_the_others(fakeplat: Fakeplat, expected: tuple[int, list[str]]) -> None:
    """Later, what a rule for anybody needs is not counted beside what the other rules need."""
    create_rule(fakeplat, "mia", "ada", name="B", needed=2), create_rule(fakeplat, name="C")
    approvals = get_json(fakeplat, APPROVALS)
    left = names(approvals["approval_rules_left"], "name")

    assert expected == (approvals["approvals_left"], sorted(left, key=expected[1].index))
    assert not approvals["approved"]


def test_a_larger_number_for_anybody_is_left(fakeplat: Fakeplat) -> None:
    """A rule for anybody that needs more approvals than the others is one of the rules left."""
    create_rule(fakeplat, "mia", name="B"), create_rule(fakeplat, name="C", needed=3)
    left = get_json(fakeplat, APPROVALS)["approval_rules_left"]

    assert ((3, 3, False), ["All Members", "B"]) == (read_state(fakeplat), names(left, "name"))
    assert ["any_approver", "regular"] == names(left, "rule_type")


@by_release(APPROVALS_REQUIRED_OVERLAP, "required", {"18.8": 3, "18.9": 2})
def test_required_approvals_overlap(fakeplat: Fakeplat, required: int) -> None:
    """In 18.9 at the latest, the number of required approvals is the larger one of those for anybody and the others."""
    create_rule(fakeplat, "mia", "ada", name="B", needed=2), create_rule(fakeplat, name="C")
    assert required == get_json(fakeplat, APPROVALS)["approvals_required"]


@by_release(UNREACHABLE_RULES_ARE_MET, "approved", {"16.1": False, "16.2": True})
def test_a_rule_that_nobody_can_fulfil(fakeplat: Fakeplat, approved: bool) -> None:
    """A rule that requires more approvals than it has approvers counts as met, earlier once all of them approved."""
    rule = create_rule(fakeplat, "mia", "ada", needed=3)
    row = {"id": rule["id"], "name": "Look", "rule_type": "regular"}
    approvals = get_json(fakeplat, APPROVALS)

    assert (approved, 3, [] if approved else [row]) == tuple(
        approvals[name] for name in ("approved", "approvals_left", "approval_rules_left")
    )
    assert approvals.get("invalid_approvers_rules") == ([row] if approved else None)
    approve(fakeplat, "mia", "ada")
    assert (3, 1, True) == read_state(fakeplat)


@pytest.mark.fakeplat(releases=["13.5", "latest"])
def test_the_rule_for_anybody_has_its_own_name(fakeplat: Fakeplat) -> None:
    """Whatever the rule for anybody is named, the state and the list of unmet rules call it All Members, first."""
    create_rule(fakeplat, "mia", name="A"), create_rule(fakeplat, name="Anybody", needed=2)

    assert ["Anybody", "A"] == names(get_json(fakeplat, RULES), "name")
    assert ["All Members", "A"] == names(get_json(fakeplat, STATE)["rules"], "name")
    assert "All Members" in names(get_json(fakeplat, APPROVALS)["approval_rules_left"], "name")


@pytest.mark.fakeplat(releases=["13.5", "latest"])
def test_those_who_may_not_approve_do_not_count_for_anybody(fakeplat: Fakeplat) -> None:
    """An approval of the author, from before the project forbade that, does not count for a rule for anybody."""
    load_project(fakeplat, merge_requests_author_approval=True)
    create_rule(fakeplat)
    approve(fakeplat, "dev")
    assert (1, 0, True) == read_state(fakeplat)
    load_project(fakeplat, merge_requests_author_approval=False)
    assert (1, 1, False) == read_state(fakeplat)


@by_release(NUMBERS_OF_APPROVALS_ARE_RULES, "has_rule", {"16.1": False, "16.2": True})
def test_the_number_of_a_merge_request(fakeplat: Fakeplat, has_rule: bool) -> None:
    """From 16.2 on, setting the number of approvals creates or changes the rule of the merge request for anybody."""
    dev = fakeplat.as_user("dev")
    first, second = (dev.post(APPROVALS, json={"approvals_required": number}) for number in (5, 3))
    rules = [(rule["name"], rule["rule_type"], rule["approvals_required"]) for rule in get_json(fakeplat, OWN)]

    assert ((201, 5), (201, 3)) == tuple((each.status, each.json()["approvals_required"]) for each in (first, second))
    assert ([("All Members", "any_approver", 3)] if has_rule else []) == rules
    assert (None if has_rule else 3) == get_json(fakeplat)["approvals_before_merge"]


def test_the_number_changes_no_other_rule(fakeplat: Fakeplat) -> None:
    """A rule with people keeps its number, and a number that is too large changes nothing."""
    create_rule(fakeplat, "mia", path=OWN, name="A", needed=2), create_rule(fakeplat, path=OWN, name="B")
    assert 5 == fakeplat.as_user("dev").post(APPROVALS, json={"approvals_required": 5}).json()["approvals_required"]
    assert {"A": 2, "B": 5} == {rule["name"]: rule["approvals_required"] for rule in get_json(fakeplat, OWN)}
    too_many = invalid_record(approvals_required=["must be less than or equal to 100"])
    assert too_many == refusal(fakeplat, "dev", "POST", APPROVALS, json={"approvals_required": 101})


def test_who_may_not_set_the_number(fakeplat: Fakeplat) -> None:
    """Who may update the merge request but not its rules is refused by the service, others by the operation."""
    body = {"approvals_required": 1}
    load_project(fakeplat, members={"eve": "developer"})
    assert (403, {"message": ["Prohibited"]}) == refusal(fakeplat, "eve", "POST", APPROVALS, json=body)
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", APPROVALS, json=body)


# Who approves


@by_release(APPROVERS_ARE_MEMBERS, "status", {"15.1": 201, "15.2": 403})
def test_approvers_belong_to_the_project(fakeplat: Fakeplat, status: int) -> None:
    """From 15.2 on, who does not belong to the project does not approve, not even an administrator."""
    may_approve = get_json(fakeplat, APPROVALS, by="root")["user_can_approve"]
    assert (status, status == 201) == (fakeplat.as_user("root").post(f"{OPEN}/approve").status, may_approve)


def test_strangers_take_nothing_back(fakeplat: Fakeplat) -> None:
    """Taking an approval back needs the right to approve."""
    assert FORBIDDEN == refusal(fakeplat, "root", "POST", f"{OPEN}/unapprove")
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/approve")


def name_group_in_rule(fake: Fakeplat, role: str, branch: str | None = None) -> None:
    """Let eve be in a group that a rule for a protected branch names."""
    load_project(fake, visibility="public")
    group, branch_id = create_group(fake, "guild", eve=role), protect_target(fake, branch or target_branch(fake))
    create_rule(fake, group_ids=[group], protected_branch_ids=[branch_id])


@by_release(GROUPS_APPROVE_FOR_BRANCHES, "status", {"13.12": 403, "14.0": 201})
def test_groups_of_protected_branches_approve(fakeplat: Fakeplat, status: int) -> None:
    """From 14.0 on, Reporters of a group that a rule for the protected target branch names may approve."""
    name_group_in_rule(fakeplat, "reporter")
    reply = fakeplat.as_user("eve").post(f"{OPEN}/approve")

    assert status == reply.status
    assert (status == 201) is reply.json().get("user_has_approved", False)


@by_release(PLANNERS_APPROVE_FOR_BRANCHES, "status", {"18.3": 403, "18.4": 201})
def test_planners_of_groups_approve(fakeplat: Fakeplat, status: int) -> None:
    """From 18.4 on, Planners of such a group approve, too."""
    name_group_in_rule(fakeplat, "planner")
    assert status == fakeplat.as_user("eve").post(f"{OPEN}/approve").status


@pytest.mark.parametrize("change", ["role", "branch"])
def test_groups_that_do_not_approve(fakeplat: Fakeplat, change: str) -> None:
    """Guests of such a group do not approve, nor do groups of rules for other branches."""
    name_group_in_rule(fakeplat, *(["guest"] if change == "role" else ["reporter", "other"]))
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{OPEN}/approve")


@by_release(APPROVERS_ARE_ACTIVE, "expected", {"15.10": ["mia", "bob"], "15.11": ["mia"]})
def test_inactive_users_are_no_approvers(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Blocked users of a rule are no eligible approvers from 15.11 on."""
    load_project(fakeplat, members={"bob": "developer"})
    rule = create_rule(fakeplat, "mia", "bob")
    assert (expected, ["mia", "bob"]) == (
        names(rule["eligible_approvers"], "username"),
        names(rule["users"], "username"),
    )


@by_release(RULES_OF_MERGED_ARE_FIXED, "is_fixed", {"16.8": False, "16.9": True})
def test_nothing_changes_after_the_merge(fakeplat: Fakeplat, is_fixed: bool) -> None:
    """From 16.9 on, neither approvals nor rules of a merged merge request change."""
    rule = create_rule(fakeplat, "mia", path=OWN)["id"]
    approve(fakeplat, "mia")
    merge(fakeplat)
    requests: tuple[tuple[str, str, str, dict[str, str], Any], ...] = (
        ("mia", "POST", f"{OPEN}/unapprove", {}, (404, {"message": "404 Not Found"})),
        ("ada", "POST", f"{OPEN}/approve", {}, UNAUTHORIZED),
        ("dev", "PUT", f"{OWN}/{rule}", {"name": "New"}, invalid_record(merge_request=["must not be merged"])),
        ("dev", "DELETE", f"{OWN}/{rule}", {}, (400, {"message": "Merge request already merged"})),
    )
    for user, method, path, body, expected in requests:
        if is_fixed:
            assert expected == refusal(fakeplat, user, method, path, json=body)
        else:
            assert fakeplat.as_user(user).request(method, path, json=body).status in {200, 201, 204}


# Who edits rules


@by_release(RULES_ARE_EDITED_BY_FEWER, "status", {"18.4": 201, "18.5": 403})
def test_other_developers_do_not_edit_rules(fakeplat: Fakeplat, status: int) -> None:
    """From 18.5 on, Developers edit the rules of merge requests that they wrote or are assigned to."""
    load_project(fakeplat, members={"eve": "developer"})
    body = {"name": "A", "approvals_required": 1}
    assert status == fakeplat.as_user("eve").post(OWN, json=body).status
    for user in ("dev", "mia", "root"):
        assert 201 == fakeplat.as_user(user).post(OWN, json={**body, "name": user, "rule_type": "x"}).status or user
    fakeplat.as_user("dev").put(OPEN, json={"assignee_ids": [person(fakeplat, "eve")]})
    assert 201 == fakeplat.as_user("eve").post(OWN, json={**body, "name": "B", "usernames": "mia"}).status


# Rules that are copied


@by_release(RULES_ARE_INHERITED, "is_inherited", {"15.11": False, "16.0": True})
def test_new_merge_requests_inherit_rules(fakeplat: Fakeplat, is_inherited: bool) -> None:
    """From 16.0 on, a new merge request has copies of the rules of its project."""
    create_rule(fakeplat, name="Anybody"), create_rule(fakeplat, "mia", "ada", name="Look", needed=2)
    path = create_merge_request(fakeplat)
    rows = [
        (rule["name"], rule["rule_type"], rule["approvals_required"], names(rule["users"], "username"))
        for rule in get_json(fakeplat, f"{path}/approval_rules")
    ]

    copies = [("Anybody", "any_approver", 1, []), ("Look", "regular", 2, ["mia", "ada"])]
    assert (copies if is_inherited else []) == rows
    assert is_inherited is get_json(fakeplat, f"{path}/approval_state")["approval_rules_overwritten"]
    assert 3 == get_json(fakeplat, f"{path}/approvals")["approvals_required"]


def test_copies_know_their_source(fakeplat: Fakeplat) -> None:
    """A copy shows what its source requires and whether it differs from it, and goes with its source."""
    source = create_rule(fakeplat, "mia", needed=2)["id"]
    path = create_merge_request(fakeplat)
    (copy,) = get_json(fakeplat, f"{path}/approval_rules")
    fields = ("source_rule", "overridden", "section", "report_type")
    assert [{"approvals_required": 2}, False, None, None] == [copy[name] for name in fields]

    changed = update(fakeplat, f"{path}/approval_rules/{copy['id']}", "dev", approvals_required=1)
    assert [{"approvals_required": 2}, True] == [changed[name] for name in fields[:2]]
    (row,) = get_json(fakeplat, f"{path}/approval_state")["rules"]
    assert (True, None, None) == tuple(row[name] for name in fields[1:])
    assert 204 == fakeplat.as_user("mia").delete(f"{RULES}/{source}").status
    assert [] == get_json(fakeplat, f"{path}/approval_rules")


def test_nothing_is_inherited_where_overriding_is_forbidden(fakeplat: Fakeplat) -> None:
    """Where the project forbids own rules, its own ones are in force and none is copied."""
    source = create_rule(fakeplat, "mia")["id"]
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    path = create_merge_request(fakeplat)
    assert [] == get_json(fakeplat, f"{path}/approval_rules")
    assert [source] == names(get_json(fakeplat, f"{path}/approval_state")["rules"], "id")


def test_numbers_of_inherited_rules(fakeplat: Fakeplat) -> None:
    """Numbers that are sent with a new merge request are those of its copies."""
    source = create_rule(fakeplat, "mia", needed=2)["id"]
    path = create_merge_request(fakeplat, approval_rules_attributes=[{"id": source, "approvals_required": 3}])
    assert [("Look", 3)] == [
        (rule["name"], rule["approvals_required"]) for rule in get_json(fakeplat, f"{path}/approval_rules")
    ]


@by_release(COPIED_RULES_FOLLOW_THEIR_SOURCE, "follows", {"15.3": True, "15.4": False})
def test_copies_follow_their_source(fakeplat: Fakeplat, follows: bool) -> None:
    """Until 15.3, a copy that nobody changed becomes what its source becomes."""
    source = create_rule(fakeplat, "mia", needed=1)["id"]
    create_rule(fakeplat, "mia", path=OWN, approval_project_rule_id=source)
    update(fakeplat, f"{RULES}/{source}", name="New", approvals_required=2, user_ids=[person(fakeplat, "ada")])
    (copy,) = get_json(fakeplat, OWN)
    expected = ("New", 2, ["ada"]) if follows else ("Look", 1, ["mia"])

    assert expected == (copy["name"], copy["approvals_required"], names(copy["users"], "username"))


@pytest.mark.fakeplat(version="15.3")
def test_changed_copies_do_not_follow(fakeplat: Fakeplat) -> None:
    """A copy that somebody changed stays as it is."""
    source = create_rule(fakeplat, "mia", needed=1)["id"]
    copy = create_rule(fakeplat, "mia", path=OWN, approval_project_rule_id=source)["id"]
    update(fakeplat, f"{OWN}/{copy}", "dev", approvals_required=5)
    update(fakeplat, f"{RULES}/{source}", approvals_required=2)
    assert [5] == names(get_json(fakeplat, OWN), "approvals_required")


@pytest.mark.fakeplat(releases=["13.5", "latest"])
def test_copies_are_for_the_branches_of_their_source(fakeplat: Fakeplat) -> None:
    """A copy counts for the protected branches of its source, unless somebody changed it."""
    target, other = protect_target(fakeplat, target_branch(fakeplat)), protect_target(fakeplat, "other")
    here = create_rule(fakeplat, "mia", name="Here", protected_branch_ids=[target])["id"]
    there = create_rule(fakeplat, "mia", name="There", protected_branch_ids=[other])["id"]
    for source in (here, there):
        create_rule(fakeplat, "mia", path=OWN, approval_project_rule_id=source)

    assert ["Here"] == names(get_json(fakeplat, STATE)["rules"], "name")
    assert ["There"] == names(get_json(fakeplat, f"{SETTINGS}?target_branch=other")["rules"], "name")
    copy = next(rule["id"] for rule in get_json(fakeplat, OWN) if rule["name"] == "There")
    update(fakeplat, f"{OWN}/{copy}", "dev", approvals_required=4)
    assert ["Here", "There"] == names(get_json(fakeplat, STATE)["rules"], "name")


# What rules show


@by_release(HIDDEN_GROUPS_HIDE_APPROVERS, "expected", {"14.9": ["mia", "eve"], "14.10": []})
def test_hidden_groups_hide_approvers(fakeplat: Fakeplat, expected: list[str]) -> None:
    """From 14.10 on, who does not see a group of a rule sees none of its approvers, and none is suggested."""
    hidden = create_group(fakeplat, "secret", "private", eve="owner", ada="developer")
    create_rule(fakeplat, "mia", group_ids=[hidden])
    load_project(fakeplat, visibility="public")
    (rule,) = get_json(fakeplat, RULES, by="ada")
    (rule_for_dev,) = get_json(fakeplat, RULES, by="dev")
    (state,) = get_json(fakeplat, STATE, by="dev")["rules"]

    assert ["mia", "eve", "ada"] == names(rule["eligible_approvers"], "username")
    for row in (rule_for_dev, state):
        assert [*expected, *(["ada"] if expected else [])] == names(row["eligible_approvers"], "username")
    assert [] == get_json(fakeplat, APPROVALS, by="dev")["suggested_approvers"]


@by_release(MEMBERS_SEE_HIDDEN_APPROVERS, "expected", {"18.8": [], "18.9": ["mia", "eve"]})
def test_members_see_approvers_of_hidden_groups(fakeplat: Fakeplat, expected: list[str]) -> None:
    """In 18.9 at the latest, members of the project see the approvers of all groups; others do not."""
    create_group(fakeplat, "secret", "private", eve="owner")
    load_project(fakeplat, visibility="public")
    create_rule(fakeplat, "mia")
    load_project(fakeplat, approval_rules=[{"name": "Look", "groups": ["secret"]}])
    seen = {user: get_json(fakeplat, STATE, by=user)["rules"][0] for user in ("dev", "ext")}

    assert (expected, []) == tuple(names(row["eligible_approvers"], "username") for row in seen.values())


def test_all_protected_branches_are_shown(fakeplat: Fakeplat) -> None:
    """A rule for all protected branches shows them all, and stays such a rule if nothing else is sent."""
    protect_target(fakeplat, "other")
    rule = create_rule(fakeplat, applies_to_all_protected_branches=True)
    updated = update(fakeplat, f"{RULES}/{rule['id']}", name="New")
    every = names(get_json(fakeplat, f"{SITE}/protected_branches"), "id")

    assert every == names(rule["protected_branches"], "id") == names(updated["protected_branches"], "id")
    assert updated["applies_to_all_protected_branches"] is True
    assert every == names(get_json(fakeplat, RULES)[0]["protected_branches"], "id")


@pytest.mark.fakeplat(releases=["13.5", "latest"])
@pytest.mark.parametrize("path", [RULES, OWN])
def test_later_names_of_people_win(fakeplat: Fakeplat, path: str) -> None:
    """``user_ids`` and ``group_ids`` win over ``users`` and ``groups``, in whatever order they are sent."""
    mia, ada = person(fakeplat, "mia"), person(fakeplat, "ada")
    guild, other = create_group(fakeplat, "guild", eve="owner"), create_group(fakeplat, "other", eve="owner")
    people = {"user_ids": [mia], "users": [ada], "groups": [other], "group_ids": [guild]}
    body = {"name": "Look", "approvals_required": 1, **people}
    rule = fakeplat.as_user("mia").post(path, json=body).json()

    assert (["mia"], ["guild"]) == list_approvers(rule)
    assert (["mia"], ["guild"]) == list_approvers(update(fakeplat, f"{path}/{rule['id']}", "mia", **people))


@pytest.mark.parametrize("path", [RULES, OWN])
def test_usernames_join_ids(fakeplat: Fakeplat, path: str) -> None:
    """Usernames and ids name people together; spaces around usernames do not matter."""
    body = {"name": "Look", "approvals_required": 1, "user_ids": person(fakeplat, "mia"), "usernames": "ada, dev"}
    rule = fakeplat.as_user("mia").post(path, json=body).json()
    assert ["mia", "ada", "dev"] == names(rule["users"], "username")


def test_commenters_of_a_rule_for_anybody(fakeplat: Fakeplat) -> None:
    """The private settings of a merge request name commenters who may approve, if anybody may."""
    create_rule(fakeplat)
    for user in ("dev", "ada", "rep"):
        fakeplat.as_user(user).post(f"{OPEN}/notes", json={"body": "Hm"})
    assert ["ada"] == names(get_json(fakeplat, SETTINGS)["rules"][0]["commented_by"], "username")


@by_release(APPROVERS_OF_PROJECTS_ARE_EMPTY, "expected", {"18.5": ["mia"], "18.6": []})
def test_approvers_of_projects_are_empty(fakeplat: Fakeplat, expected: list[str]) -> None:
    """From 18.6 on, the settings of a project name neither approvers nor groups of them."""
    create_group(fakeplat, "guild", eve="developer")
    load_project(fakeplat, approvers=["mia"], approver_groups=["guild"])
    settings = get_json(fakeplat, f"{SITE}/approvals")

    assert expected == [row["user"]["username"] for row in settings["approvers"]]
    assert len(expected) == len(settings["approver_groups"])


# Validation


def test_rules_about_coverage_have_their_own_name(fakeplat: Fakeplat) -> None:
    """Only the rule about coverage has the name Coverage-Check; other reports are no value."""
    body = {"name": "Coverage-Check", "approvals_required": 1}
    coverage = {"rule_type": "report_approver", "report_type": "code_coverage"}
    reserved = invalid_record(name=["Coverage-Check is reserved for code_coverage report type"])
    misnamed = invalid_record(report_type=["code_coverage only supports Coverage-Check name"])
    assert reserved == refusal(fakeplat, "mia", "POST", RULES, json=body)
    assert misnamed == refusal(fakeplat, "mia", "POST", RULES, json={**body, **coverage, "name": "Other"})
    unknown = invalid("report_type does not have a valid value")
    for report_type in ("wrong", "license_scanning"):
        sent = {**body, **coverage, "report_type": report_type}
        assert unknown == refusal(fakeplat, "mia", "POST", RULES, json=sent)
    rule = fakeplat.as_user("mia").post(RULES, json={**body, **coverage}).json()
    assert ("report_approver", "code_coverage") == (rule["rule_type"], rule["report_type"])
    assert misnamed == refusal(fakeplat, "mia", "PUT", f"{RULES}/{rule['id']}", json={"name": "Other"})
    assert 201 == fakeplat.as_user("mia").post(OWN, json=body).status


@by_release(NAMES_OF_RULES_ARE_BOUNDED, "status", {"17.9": 201, "17.10": 400})
def test_names_of_rules_are_bounded(fakeplat: Fakeplat, status: int) -> None:
    """From 17.10 on, a rule's name has at most 1,024 characters."""
    for path in (RULES, OWN):
        body = {"name": "n" * 1025, "approvals_required": 1}
        reply = fakeplat.as_user("mia").post(path, json=body)
        assert status == reply.status
        too_long = invalid_record(name=["is too long (maximum is 1024 characters)"])
        assert status == 201 or too_long == outcome(reply)
        assert 201 == fakeplat.as_user("mia").post(path, json={**body, "name": "n" * 1024, "usernames": "mia"}).status


# The private settings of a project


def test_private_settings_by_target_branch(fakeplat: Fakeplat) -> None:
    """The private settings of a project show the rules for a branch, and the largest number that one of them has."""
    other, path = protect_target(fakeplat, "other"), f"{SITE}/approval_settings"
    create_rule(fakeplat, "mia", name="Here", needed=7)
    create_rule(fakeplat, "mia", name="Other", protected_branch_ids=[other])
    both, here = get_json(fakeplat, path, by="gus"), get_json(fakeplat, f"{path}?target_branch=readme", by="gus")

    assert (["Here", "Other"], ["Here"], 7) == (
        names(both["rules"], "name"),
        names(here["rules"], "name"),
        both["fallback_approvals_required"],
    )


def test_the_instance_locks_private_settings(fakeplat: Fakeplat) -> None:
    """What the instance forbids is forbidden in the private settings, too; administrators are not bound."""
    path, body = f"{SITE}/approval_settings/rules", {"name": "A", "approvals_required": 1}
    rule = fakeplat.as_user("mia").post(path, json=body).json()["id"]
    fakeplat.as_user("root").put("application/settings", json={"disable_overriding_approvers_per_merge_request": True})
    for method, each in (("POST", path), ("PUT", f"{path}/{rule}"), ("DELETE", f"{path}/{rule}")):
        assert FORBIDDEN == refusal(fakeplat, "mia", method, each, json=body)
    assert 204 == fakeplat.as_user("root").delete(f"{path}/{rule}").status


# The settings of a project


@by_release(AUDITORS_READ_APPROVALS, "status", {"14.10": 403, "15.0": 200})
def test_auditors_read_the_settings(fakeplat: Fakeplat, status: int) -> None:
    """From 15.0 on, auditors read the approval settings of projects, also of archived ones, and change none."""
    load_project(fakeplat, visibility="public")
    fakeplat.load({"users": [{"username": "eve", "auditor": True}]})
    path, body = f"{SITE}/approvals", {"approvals_before_merge": 4}
    assert status == fakeplat.as_user("eve").get(path).status
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path, json=body)
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert status == fakeplat.as_user("eve").get(path).status


@pytest.mark.parametrize(
    ("locked", "field", "value"),
    [
        ("prevent_merge_requests_author_approval", "merge_requests_author_approval", True),
        ("prevent_merge_requests_committers_approval", "merge_requests_disable_committers_approval", False),
        (
            "disable_overriding_approvers_per_merge_request",
            "disable_overriding_approvers_per_merge_request",
            False,
        ),
    ],
)
def test_settings_that_the_instance_locks_are_ignored(fakeplat: Fakeplat, locked: str, field: str, value: bool) -> None:
    """A setting that the instance locks is ignored by a project, which keeps its own for later."""
    path, ada, root = f"{SITE}/approvals", fakeplat.as_user("ada"), fakeplat.as_user("root")
    ada.post(path, json={field: not value})
    root.put("application/settings", json={locked: True})
    reply = ada.post(path, json={field: value, "approvals_before_merge": 3})
    root.put("application/settings", json={locked: False})

    assert (201, 3) == (reply.status, reply.json()["approvals_before_merge"])
    assert (not value) is get_json(fakeplat, path, by="ada")[field]


def test_administrators_change_a_locked_setting(fakeplat: Fakeplat) -> None:
    """Administrators change for a project whether merge requests override its rules; the others are locked for them."""
    path, root = f"{SITE}/approvals", fakeplat.as_user("root")
    names_ = ("disable_overriding_approvers_per_merge_request", "merge_requests_author_approval")
    locks = (names_[0], "prevent_merge_requests_author_approval")
    root.put("application/settings", json=dict.fromkeys(locks, True))
    root.post(path, json=dict.fromkeys(names_, True))
    root.put("application/settings", json=dict.fromkeys(locks, False))
    assert [True, False] == [get_json(fakeplat, path)[name] for name in names_]


# The settings of a group


@pytest.mark.parametrize(
    ("reauthentication", "password", "expected"),
    [(False, True, False), (True, False, True), (None, True, True), (None, False, False), (True, None, True)],
)
def test_both_names_of_the_password_setting(
    fakeplat: Fakeplat, reauthentication: bool | None, password: bool | None, expected: bool
) -> None:
    """Whether approvers authenticate has two names, of which the later one wins."""
    sent = {"require_reauthentication_to_approve": reauthentication, "require_password_to_approve": password}
    body = {name: value for name, value in sent.items() if value is not None}
    reply = fakeplat.as_user("ada").put("groups/acme/merge_request_approval_setting", json=body)

    assert (200, [expected] * 2) == (reply.status, [reply.json()[name]["value"] for name in sent])


def test_settings_of_a_project_that_are_not_sent_stay(fakeplat: Fakeplat) -> None:
    """A change of one setting leaves the others as they are; no truth value is none of them."""
    path = f"{SITE}/merge_request_approval_setting"
    chosen = {"retain_approvals_on_push": True, "require_password_to_approve": True, "allow_committer_approval": False}
    update(fakeplat, path, "ada", **chosen)
    after = update(fakeplat, path, "ada", allow_author_approval=True)

    assert chosen == {name: after[name]["value"] for name in chosen}
    assert invalid("allow_author_approval is invalid") == refusal(
        fakeplat, "ada", "PUT", path, json={"allow_author_approval": 45}
    )


# Lists


def test_only_one_way_to_say_who_approved(fakeplat: Fakeplat) -> None:
    """Merge requests are filtered by ids or by usernames of who approved, not by both."""
    approve(fakeplat, "mia", "ada")
    mia = person(fakeplat, "mia")
    both = f"approved_by_ids[]={mia}&approved_by_usernames[]=mia"
    exclusive = invalid("approved_by_ids, approved_by_usernames are mutually exclusive")
    assert exclusive == refusal(fakeplat, "ada", "GET", f"merge_requests?{both}")
    for query, iids in (
        ("approved_by_usernames[]=mia&approved_by_usernames[]=ada", [1]),
        ("approved_by_usernames[]=mia&approved_by_usernames[]=dev", []),
        ("approved_by_usernames=None", [2]),
        ("approved_by_usernames=Any", [1]),
    ):
        assert iids == names(get_json(fakeplat, f"{MRS}?{query}"), "iid")
    for name in ("approver_ids", "approved_by_ids", "approved_by_usernames"):
        wrong = invalid(f"{name} should be an array, 'None' or 'Any'")
        assert wrong == refusal(fakeplat, "ada", "GET", f"merge_requests?{name}=any-other")


# People of merge requests


def load_people(fake: Fakeplat, number: int) -> list[int]:
    """Load Developers of the project and return their ids."""
    usernames = [f"person-{i}" for i in range(number)]
    fake.load({"users": [{"username": username} for username in usernames]})
    load_project(fake, members=dict.fromkeys(usernames, "developer"))
    return [person(fake, username) for username in usernames]


@by_release(ASSIGNEES_ARE_LIMITED, "is_limited", {"15.5": False, "15.6": True})
def test_assignees_are_limited(fakeplat: Fakeplat, is_limited: bool) -> None:
    """From 15.6 on, merge requests and issues have at most 200 assignees."""
    people = load_people(fakeplat, 201)
    too_many = invalid_record(assignees=["total must be less than or equal to 200"])
    for path in (OPEN, f"{SITE}/issues/1"):
        assert 200 == len(update(fakeplat, path, "ada", assignee_ids=people[:200])["assignees"])
        if is_limited:
            assert too_many == refusal(fakeplat, "ada", "PUT", path, json={"assignee_ids": people})
        else:
            assert 201 == len(update(fakeplat, path, "ada", assignee_ids=people)["assignees"])


@by_release(REVIEWERS_ARE_LIMITED, "is_limited", {"15.8": False, "15.9": True})
def test_reviewers_are_limited(fakeplat: Fakeplat, is_limited: bool) -> None:
    """From 15.9 on, merge requests have at most 200 reviewers, also new ones."""
    people = load_people(fakeplat, 201)
    too_many = invalid_record(reviewers=["total must be less than or equal to 200"])
    if is_limited:
        assert too_many == refusal(fakeplat, "ada", "PUT", OPEN, json={"reviewer_ids": people})
        assert too_many == refusal(fakeplat, "dev", "POST", MRS, json={**NEW, "reviewer_ids": people})
    else:
        assert 201 == len(update(fakeplat, OPEN, "ada", reviewer_ids=people)["reviewers"])


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_one_of_each(fakeplat: Fakeplat) -> None:
    """Without a paid tier a merge request has one assignee and one reviewer: the first ones of the lists."""
    people = [person(fakeplat, name) for name in ("mia", "ada")]
    changed = update(fakeplat, OPEN, "dev", assignee_ids=people, reviewer_ids=people)
    new = fakeplat.as_user("dev").post(MRS, json={**NEW, "assignee_ids": people, "reviewer_ids": people}).json()
    for row in (changed, new):
        assert (["mia"], ["mia"]) == tuple(names(row[field], "username") for field in ("assignees", "reviewers"))
        assert "mia" == row["assignee"]["username"]
