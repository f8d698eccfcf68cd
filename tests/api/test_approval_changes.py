"""Changes of approval rules and settings, and their state (paid). Source: the platform's documentation and specs."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import USER
from tests.api.merge_requests import DOCS, MRS, NOT_FOUND, OPEN, SITE, get_json
from tests.api.pipelines import load_project
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    invalid,
    invalid_record,
    names,
    person,
    refusal,
    resource_not_found,
)
from tests.api.test_approval_rules import APPROVALS, OWN, RULES, approve, create_group, create_rule

pytestmark = pytest.mark.fakeplat(tier="premium")
STATE, SETTINGS = f"{OPEN}/approval_state", f"{OPEN}/approval_settings"
APPROVERS, OWN_APPROVERS = f"{SITE}/approvers", f"{OPEN}/approvers"
STATE_RULE = {
    "id",
    "name",
    "rule_type",
    "eligible_approvers",
    "approvals_required",
    "users",
    "groups",
    "contains_hidden_groups",
    "source_rule",
    "code_owner",
    "approved_by",
    "approved",
}


def update(fake: Fakeplat, path: str, by: str = "mia", **body: Any) -> Any:
    reply = fake.as_user(by).put(path, json=body)
    assert 200 == reply.status, reply
    return reply.json()


def list_approvers(rule: Any) -> tuple[list[Any], list[Any]]:
    return names(rule["users"], "username"), names(rule["groups"], "path")


# rules


@pytest.mark.parametrize("path", [RULES, OWN])
def test_a_rule_is_updated(fakeplat: Fakeplat, path: str) -> None:
    """An update of a rule replaces its name, number and people and keeps what is not sent."""
    own = f"{path}/{create_rule(fakeplat, 'mia', path=path)['id']}"
    updated = update(fakeplat, own, name="Security", approvals_required=3)
    assert ("Security", 3, ["mia"]) == (
        updated["name"],
        updated["approvals_required"],
        names(updated["users"], "username"),
    )
    updated = update(fakeplat, own, users=[person(fakeplat, "ada")])
    assert (["ada"], []) == list_approvers(updated)
    updated = update(fakeplat, own, user_ids=[], group_ids=[create_group(fakeplat, "guild", eve="developer")])
    assert ([], ["guild"]) == list_approvers(updated)
    assert [updated] == get_json(fakeplat, path, by="mia")


def test_a_rule_is_limited_to_other_branches(fakeplat: Fakeplat) -> None:
    """``protected_branch_ids`` replaces the branches that a project's rule is for."""
    branches = get_json(fakeplat, f"{SITE}/protected_branches")
    own = f"{RULES}/{create_rule(fakeplat, 'mia')['id']}"
    assert branches == update(fakeplat, own, protected_branch_ids=names(branches, "id"))["protected_branches"]
    assert [] == update(fakeplat, own, protected_branch_ids=[])["protected_branches"]


@pytest.mark.parametrize("path", [RULES, OWN])
def test_hidden_groups_stay(fakeplat: Fakeplat, path: str) -> None:
    """Groups that the caller does not see stay in the rule, unless ``remove_hidden_groups`` is true."""
    hidden = create_group(fakeplat, "secret", "private", eve="owner", ada="developer")
    own = f"{path}/{create_rule(fakeplat, path=path, group_ids=[hidden])['id']}"
    assert update(fakeplat, own, group_ids=[])["contains_hidden_groups"] is True
    assert update(fakeplat, own, group_ids=[], remove_hidden_groups=True)["contains_hidden_groups"] is False


@pytest.mark.parametrize("path", [RULES, OWN])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"approvals_required": "many"}, invalid("approvals_required is invalid")),
        ({"approvals_required": -1}, invalid_record(approvals_required=["must be greater than or equal to 0"])),
        ({"name": " "}, invalid_record(name=["can't be blank"])),
        ({"name": "Other"}, invalid_record(name=["has already been taken"])),
    ],
    ids=["not a number", "negative", "blank", "taken"],
)
def test_invalid_updates_of_rules_are_refused(
    fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Any
) -> None:
    """Invalid updates of a rule answer 400 with the texts of creation."""
    create_rule(fakeplat, "ada", path=path, name="Other")
    own = f"{path}/{create_rule(fakeplat, 'mia', path=path)['id']}"
    assert expected == refusal(fakeplat, "mia", "PUT", own, json=body)
    assert "Look" == update(fakeplat, own, name="Look")["name"]


def test_who_updates_and_deletes_rules(fakeplat: Fakeplat) -> None:
    """Rules of a project are changed by Maintainers, those of a merge request by its editors."""
    project, own = create_rule(fakeplat, "mia")["id"], create_rule(fakeplat, "mia", path=OWN)["id"]
    for role, path in (("dev", f"{RULES}/{project}"), ("rep", f"{OWN}/{own}"), ("gus", f"{OWN}/{own}")):
        for method in ("PUT", "DELETE"):
            assert FORBIDDEN == refusal(fakeplat, role, method, path, json={"name": "B"})
    update(fakeplat, f"{OWN}/{own}", "dev", name="B")
    assert 204 == fakeplat.as_user("dev").delete(f"{OWN}/{own}").status
    assert ([], 1) == (get_json(fakeplat, OWN), len(get_json(fakeplat, RULES)))


def test_rules_of_other_owners_are_not_found(fakeplat: Fakeplat) -> None:
    """Rules of other projects or merge requests are not found."""
    project, own = create_rule(fakeplat, "mia")["id"], create_rule(fakeplat, "mia", path=OWN)["id"]
    for path in (f"{RULES}/{own}", f"{OWN}/{project}", f"{MRS}/2/approval_rules/{own}", f"{OWN}/1"):
        for method in ("PUT", "DELETE"):
            assert NOT_FOUND == refusal(fakeplat, "mia", method, path, json={"name": "B"})
    assert NOT_FOUND == refusal(fakeplat, "mia", "PUT", f"{DOCS}/approval_rules/{project}", json={"name": "B"})


def test_rules_of_merge_requests_can_be_forbidden(fakeplat: Fakeplat) -> None:
    """Where own rules are forbidden every change of them answers 403."""
    own = create_rule(fakeplat, "mia", path=OWN)["id"]
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    body = {"name": "B", "approver_ids": [], "approver_group_ids": []}
    for method, path in (("PUT", f"{OWN}/{own}"), ("DELETE", f"{OWN}/{own}"), ("PUT", OWN_APPROVERS)):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, path, json=body)


# settings


def test_settings_of_a_project_are_updated(fakeplat: Fakeplat) -> None:
    """Updating approval settings requires at least one and answers 201 with all."""
    settings = {
        "approvals_before_merge": 4,
        "reset_approvals_on_push": False,
        "disable_overriding_approvers_per_merge_request": True,
        "merge_requests_author_approval": True,
        "merge_requests_disable_committers_approval": True,
        "require_password_to_approve": True,
    }
    reply = fakeplat.as_user("mia").post(f"{SITE}/approvals", json=settings)
    assert (201, {"approvers": [], "approver_groups": [], **settings}) == (reply.status, reply.json())
    assert reply.json() == get_json(fakeplat, f"{SITE}/approvals", by="mia")
    missing = f"{', '.join(settings)} are missing, at least one parameter must be provided"
    assert invalid(missing) == refusal(fakeplat, "mia", "POST", f"{SITE}/approvals", json={})


def test_approvers_of_a_project_are_replaced(fakeplat: Fakeplat) -> None:
    """Replacing a project's approvers changes its first regular rule, or creates one named Default."""
    group = create_group(fakeplat, "guild", eve="developer")
    approvals = update(fakeplat, APPROVERS, approver_ids=[person(fakeplat, "mia")], approver_group_ids=[group])
    assert ["mia"] == [approver["user"]["username"] for approver in approvals["approvers"]]
    assert ["guild"] == [approver_group["group"]["path"] for approver_group in approvals["approver_groups"]]
    (new_rule,) = get_json(fakeplat, RULES)
    assert ("Default", "regular", 0, (["mia"], ["guild"])) == (
        new_rule["name"],
        new_rule["rule_type"],
        new_rule["approvals_required"],
        list_approvers(new_rule),
    )
    update(fakeplat, APPROVERS, approver_ids=[person(fakeplat, "ada")], approver_group_ids=[])
    assert [(new_rule["id"], (["ada"], []))] == [
        (rule_row["id"], list_approvers(rule_row)) for rule_row in get_json(fakeplat, RULES)
    ]


@pytest.mark.parametrize("form", [{"json": {"approver_ids": [], "approver_group_ids": []}}, {"data": b""}])
def test_all_approvers_of_a_project_are_removed(fakeplat: Fakeplat, form: dict[str, Any]) -> None:
    """Empty lists remove them all, with the regular rules; empty texts of a form are empty lists."""
    if "data" in form:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        form = {"data": b"approver_ids=&approver_group_ids=", "headers": headers}
    update(fakeplat, APPROVERS, approver_ids=[person(fakeplat, "mia")], approver_group_ids=[])
    reply = fakeplat.as_user("mia").put(APPROVERS, **form)
    assert (200, [], []) == (reply.status, reply.json()["approvers"], get_json(fakeplat, RULES))


def test_only_visible_approver_groups_are_shown(fakeplat: Fakeplat) -> None:
    """An administrator sees all of them."""
    hidden = create_group(fakeplat, "secret", "private", eve="owner")
    approvals = update(fakeplat, APPROVERS, approver_ids=[], approver_group_ids=[hidden])
    assert ([], 1) == (approvals["approver_groups"], len(get_json(fakeplat, f"{SITE}/approvals")["approver_groups"]))


@pytest.mark.parametrize("path", [APPROVERS, OWN_APPROVERS])
def test_both_lists_of_approvers_are_required(fakeplat: Fakeplat, path: str) -> None:
    """Replacing approvers requires both lists and names the missing one."""
    expected = invalid("approver_ids is missing, approver_group_ids is missing")
    assert expected == refusal(fakeplat, "mia", "PUT", path, json={})


def test_approvers_of_a_merge_request_are_replaced(fakeplat: Fakeplat) -> None:
    """Replacing the approvers of a merge request changes its own first regular rule."""
    approvals = update(fakeplat, OWN_APPROVERS, "dev", approver_ids=[person(fakeplat, "mia")], approver_group_ids=[])
    assert ["mia"] == [approver["user"]["username"] for approver in approvals["approvers"]]
    assert ["Default"] == names(get_json(fakeplat, OWN), "name")
    approvals = update(fakeplat, OWN_APPROVERS, "dev", approver_ids=[], approver_group_ids=[])
    assert ([], []) == (approvals["approvers"], get_json(fakeplat, OWN))


def test_the_required_number_of_a_merge_request_is_set(fakeplat: Fakeplat) -> None:
    """The required number of approvals of a merge request is set with 201, and 400 without one."""
    reply = fakeplat.as_user("dev").post(APPROVALS, json={"approvals_required": 5})
    assert (201, 5, 5) == (
        reply.status,
        reply.json()["approvals_required"],
        get_json(fakeplat)["approvals_before_merge"],
    )
    assert invalid("approvals_required is missing") == refusal(fakeplat, "dev", "POST", APPROVALS, json={})


def test_numbers_of_merge_requests_can_be_forbidden(fakeplat: Fakeplat) -> None:
    """Where own rules are forbidden the number of a merge request answers 422."""
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    body = {"approvals_required": 5}
    disabled = (422, {"error": "Overriding approvals is disabled"})
    assert disabled == refusal(fakeplat, "ada", "POST", APPROVALS, json=body)
    assert update(fakeplat, OPEN, "ada", approvals_before_merge=1)["approvals_before_merge"] is None
    new = {"title": "T", "source_branch": "conflict", "target_branch": "feature", "approvals_before_merge": 1}
    reply = fakeplat.as_user("dev").post(MRS, json=new)
    assert (201, None) == (reply.status, reply.json()["approvals_before_merge"])


# state


def test_the_state_names_each_rule(fakeplat: Fakeplat) -> None:
    """The approval state shows for each rule who can approve, who did, and whether it is satisfied."""
    source = create_rule(fakeplat, "mia", "ada", needed=1)
    state = get_json(fakeplat, STATE, by="rep")
    assert ({"approval_rules_overwritten", "rules"}, False) == (set(state), state["approval_rules_overwritten"])
    (row,) = state["rules"]
    assert STATE_RULE == set(row)
    assert (source["id"], "Look", "regular", 1, None, False, [], False) == tuple(
        row[name]
        for name in (
            "id",
            "name",
            "rule_type",
            "approvals_required",
            "source_rule",
            "code_owner",
            "approved_by",
            "approved",
        )
    )
    assert (USER, ["mia", "ada"]) == (set(row["users"][0]), names(row["eligible_approvers"], "username"))
    approve(fakeplat, "ada")
    (row,) = get_json(fakeplat, STATE)["rules"]
    assert (["ada"], True) == (names(row["approved_by"], "username"), row["approved"])


def test_the_state_is_of_a_merge_requests_own_rules(fakeplat: Fakeplat) -> None:
    """A merge request's own rules replace the project's in its state and name their source rule."""
    source = create_rule(fakeplat, "ada", needed=1)
    create_rule(fakeplat, path=OWN, needed=2, approval_project_rule_id=source["id"])
    state = get_json(fakeplat, STATE)
    (row,) = state["rules"]
    assert (True, {"approvals_required": 1}, 2) == (
        state["approval_rules_overwritten"],
        row["source_rule"],
        row["approvals_required"],
    )
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    state = get_json(fakeplat, STATE)
    assert (False, [source["id"]]) == (state["approval_rules_overwritten"], names(state["rules"], "id"))


def test_a_number_is_a_rule_without_an_id(fakeplat: Fakeplat) -> None:
    """A required number of approvals appears as a rule for everybody, without id and people."""
    load_project(fakeplat, approvals_before_merge=1)
    (row,) = get_json(fakeplat, STATE)["rules"]
    assert (None, "All Members", "any_approver", [], []) == tuple(
        row[name] for name in ("id", "name", "rule_type", "eligible_approvers", "groups")
    )


def test_settings_name_approvers_and_who_commented(fakeplat: Fakeplat) -> None:
    """The approval settings show the rules with `approvers` and `commented_by`."""
    create_rule(fakeplat, "mia", "ada")
    fakeplat.as_user("ada").post(f"{OPEN}/notes", json={"body": "Hm"})
    approve(fakeplat, "mia")
    (row,) = get_json(fakeplat, SETTINGS)["rules"]
    assert STATE_RULE | {"approvers", "commented_by"} == set(row)
    assert (["mia", "ada"], ["ada"], ["mia"]) == tuple(
        names(row[name], "username") for name in ("approvers", "commented_by", "approved_by")
    )


def test_settings_are_shown_for_another_branch(fakeplat: Fakeplat) -> None:
    """``target_branch`` chooses the rules of the project that are for it."""
    fakeplat.as_user("ada").post(f"{SITE}/protected_branches", json={"name": "rea*"})
    ids = {branch["name"]: branch["id"] for branch in get_json(fakeplat, f"{SITE}/protected_branches")}
    create_rule(fakeplat, "ada", protected_branch_ids=[ids["rea*"]])
    assert ([], ["Look"]) == (
        get_json(fakeplat, SETTINGS)["rules"],
        names(get_json(fakeplat, f"{SETTINGS}?target_branch=readme")["rules"], "name"),
    )


# passwords


@pytest.mark.parametrize("password", [None, "wrong"])
def test_approving_can_require_a_password(fakeplat: Fakeplat, password: str | None) -> None:
    """Where the project requires it approving without the caller's password answers 401."""
    load_project(fakeplat, require_password_to_approve=True)
    fakeplat.load({"users": [{"username": "mia", "password": "sesame-open-1"}]})
    body = {"approval_password": password} if password else {}
    assert UNAUTHORIZED == refusal(fakeplat, "mia", "POST", f"{OPEN}/approve", json=body)
    reply = fakeplat.as_user("mia").post(f"{OPEN}/approve", json={"approval_password": "sesame-open-1"})
    assert (201, True) == (reply.status, reply.json()["user_has_approved"])


def test_the_quick_action_cannot_give_a_password(fakeplat: Fakeplat) -> None:
    """Where approvals need a password /approve does nothing."""
    load_project(fakeplat, require_password_to_approve=True)
    fakeplat.as_user("mia").post(f"{OPEN}/notes", json={"body": "Fine\n/approve"})
    assert [] == get_json(fakeplat, APPROVALS)["approved_by"]


def test_approvers_of_scenarios(fakeplat: Fakeplat) -> None:
    """A scenario says the approvers of a project by name, and is exported with them."""
    create_group(fakeplat, "guild", eve="developer")
    load_project(fakeplat, approvers=["mia"], approver_groups=["guild"])
    approvals = get_json(fakeplat, f"{SITE}/approvals")
    assert ["mia"] == [approver["user"]["username"] for approver in approvals["approvers"]]
    assert ["guild"] == [approver_group["group"]["path"] for approver_group in approvals["approver_groups"]]


@pytest.mark.fakeplat(documented=False)
def test_anonymous_callers_read_the_state_on_the_platform(fakeplat: Fakeplat) -> None:
    """On the platform anonymous callers read the approval state in public projects."""
    load_project(fakeplat, visibility="public")
    assert 200 == fakeplat.as_user(None).get(STATE).status
    load_project(fakeplat, visibility="private")
    assert resource_not_found("Project") == refusal(fakeplat, None, "GET", STATE)
