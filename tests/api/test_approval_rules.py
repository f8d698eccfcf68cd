"""Rules by which merge requests are approved (paid). Source: the platform's documentation on the approvals API."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import USER
from tests.api.merge_requests import MRS, NOT_FOUND, OPEN, SITE, commit, get_json, merge
from tests.api.pipelines import load_project
from tests.api.planning_records import create_record
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(tier="premium")
RULES, OWN, APPROVALS = f"{SITE}/approval_rules", f"{OPEN}/approval_rules", f"{OPEN}/approvals"
NOT_ACCEPTABLE: Outcome = (406, {"message": "Branch cannot be merged"})
RULE = {
    "id",
    "name",
    "rule_type",
    "eligible_approvers",
    "approvals_required",
    "users",
    "groups",
    "contains_hidden_groups",
}
EVERY = [
    ("GET", f"{SITE}/approvals"),
    ("GET", RULES),
    ("POST", RULES),
    ("DELETE", f"{RULES}/1"),
    ("GET", OWN),
    ("POST", OWN),
    ("PUT", f"{RULES}/1"),
    ("POST", f"{SITE}/approvals"),
    ("PUT", f"{SITE}/approvers"),
    ("PUT", f"{OWN}/1"),
    ("DELETE", f"{OWN}/1"),
    ("POST", APPROVALS),
    ("PUT", f"{OPEN}/approvers"),
    ("GET", f"{OPEN}/approval_state"),
    ("GET", f"{OPEN}/approval_settings"),
]
BODY = {"name": "A", "approvals_required": 1, "approver_ids": [], "approver_group_ids": [], "approvals_before_merge": 1}


def create_rule(fake: Fakeplat, *people: str, path: str = RULES, needed: int = 1, **more: Any) -> dict[str, Any]:
    """A new rule of some people."""
    ids = [person(fake, name) for name in people]
    return create_record(fake, path, **{"name": "Look", "approvals_required": needed, "user_ids": ids, **more})


def approve(fake: Fakeplat, *people: str) -> None:
    for name in people:
        assert 201 == fake.as_user(name).post(f"{OPEN}/approve").status, name


def read_state(fake: Fakeplat) -> tuple[int, int, bool]:
    approvals = get_json(fake, APPROVALS)
    return approvals["approvals_required"], approvals["approvals_left"], approvals["approved"]


def is_mergeable(fake: Fakeplat) -> bool:
    """Return whether mia may merge it; a refusal changes nothing."""
    fake.snapshot("asked")
    reply = fake.as_user("mia").put(f"{OPEN}/merge")
    fake.restore("asked")
    assert 200 == reply.status or NOT_ACCEPTABLE == outcome(reply)
    return reply.status == 200


def create_group(fake: Fakeplat, path: str, visibility: str = "public", **members: str) -> int:
    """A group with members; its id."""
    fake.load({"groups": [{"path": path, "visibility": visibility, "members": members}]})
    return int(fake.world.group(path).id)


# who may ask


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize(("method", "path"), EVERY)
def test_the_free_tier_has_none(fakeplat: Fakeplat, method: str, path: str) -> None:
    """On the free tier approval rules answer 404, and merging requires none."""
    for user in ("root", "eve", None):
        assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, user, method, path)
    load_project(fakeplat, approval_rules=[{"name": "Look", "approvals_required": 1, "users": ["ada"]}])
    assert "merged" == merge(fakeplat)["state"]


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_anonymous_callers_and_strangers_are_refused(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Approval rules answer 401 to anonymous callers and 404 where the project is hidden."""
    assert UNAUTHORIZED == refusal(fakeplat, None, method, path, json=BODY)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", method, path, json=BODY)


@pytest.mark.parametrize(
    ("method", "path", "gate"),
    [
        ("GET", f"{SITE}/approvals", "mia"),
        ("GET", RULES, "gus"),
        ("POST", RULES, "mia"),
        ("GET", OWN, "rep"),
        ("POST", OWN, "dev"),
        ("POST", f"{SITE}/approvals", "mia"),
        ("PUT", f"{SITE}/approvers", "mia"),
        ("POST", APPROVALS, "dev"),
        ("PUT", f"{OPEN}/approvers", "dev"),
        ("GET", f"{OPEN}/approval_state", "rep"),
        ("GET", f"{OPEN}/approval_settings", "rep"),
    ],
)
def test_roles_that_manage_rules(fakeplat: Fakeplat, method: str, path: str, gate: str) -> None:
    """Maintainers manage a project's rules, editors those of a merge request."""
    roles = ("gus", "rep", "dev", "mia", "ada")
    for role in roles[: roles.index(gate)]:
        assert FORBIDDEN == refusal(fakeplat, role, method, path, json=BODY)
    assert (201 if method == "POST" else 200) == fakeplat.as_user(gate).request(method, path, json=BODY).status
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", f"{SITE}/approvals?sudo=dev")


def test_authors_have_rules_of_their_own(fakeplat: Fakeplat) -> None:
    """Authors create rules for their merge requests unless the project forbids that or is archived."""
    load_project(fakeplat, merge_requests=[{"iid": 1, "author": "rep"}])
    body = {"name": "A", "approvals_required": 1}
    assert 201 == fakeplat.as_user("rep").post(OWN, json=body).status
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", OWN, json=body)
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=False)
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", OWN, json=body)


# what is shown


def test_the_projects_settings(fakeplat: Fakeplat) -> None:
    """The approval settings of a project have the platform's defaults and can be changed."""
    usual = {
        "approvers": [],
        "approver_groups": [],
        "approvals_before_merge": 0,
        "reset_approvals_on_push": True,
        "disable_overriding_approvers_per_merge_request": False,
        "merge_requests_author_approval": False,
        "merge_requests_disable_committers_approval": False,
        "require_password_to_approve": False,
    }
    assert usual == get_json(fakeplat, f"{SITE}/approvals")
    fakeplat.as_user("ada").put(SITE, json={"approvals_before_merge": 3})
    load_project(fakeplat, require_password_to_approve=True, reset_approvals_on_push=False)
    settings = get_json(fakeplat, f"{SITE}/approvals", by="mia")
    assert {
        **usual,
        "approvals_before_merge": 3,
        "require_password_to_approve": True,
        "reset_approvals_on_push": False,
    } == settings
    assert get_json(fakeplat, APPROVALS)["require_password_to_approve"] is True


def test_a_rule_names_people_groups_and_branches(fakeplat: Fakeplat) -> None:
    """The eligible approvers of a rule are its users and the members of its groups."""
    group = create_group(fakeplat, "guild", eve="developer")
    (branch,) = get_json(fakeplat, f"{SITE}/protected_branches")
    new_rule = create_rule(fakeplat, "mia", group_ids=[group], protected_branch_ids=[branch["id"]], needed=2)

    assert RULE | {"protected_branches"} == set(new_rule)
    assert ("Look", "regular", 2, False) == tuple(
        new_rule[name] for name in ("name", "rule_type", "approvals_required", "contains_hidden_groups")
    )
    assert (USER, ["mia"], ["mia", "eve"]) == (
        set(new_rule["users"][0]),
        names(new_rule["users"], "username"),
        names(new_rule["eligible_approvers"], "username"),
    )
    assert (["guild"], [branch]) == (names(new_rule["groups"], "path"), new_rule["protected_branches"])
    assert [new_rule] == get_json(fakeplat, RULES, by="ada")


def test_strangers_and_hidden_groups_are_left_out(fakeplat: Fakeplat) -> None:
    """Users who are no members and hidden groups are left out of a rule silently."""
    hidden = create_group(fakeplat, "secret", "private", eve="owner")
    new_rule = create_rule(fakeplat, "eve", group_ids=[hidden, 999], protected_branch_ids=[1])
    assert ("regular", [], [], []) == tuple(
        new_rule[name] for name in ("rule_type", "users", "groups", "protected_branches")
    )


def test_rules_take_people_as_users_and_groups(fakeplat: Fakeplat) -> None:
    """``users`` and ``groups`` mean the same as ``user_ids`` and ``group_ids``."""
    group = create_group(fakeplat, "guild", eve="developer")
    people: dict[str, Any] = {"users": [person(fakeplat, "mia")], "groups": str(group)}
    for path in (RULES, OWN):
        new_rule = create_record(fakeplat, path, name="Look", approvals_required=1, **people)
        assert ("regular", ["mia"], ["guild"]) == (
            new_rule["rule_type"],
            names(new_rule["users"], "username"),
            names(new_rule["groups"], "path"),
        )


def test_rules_of_merge_requests_are_regular(fakeplat: Fakeplat) -> None:
    """Only a project's rule without people counts everybody's approvals."""
    assert ("any_approver", "regular") == (
        create_rule(fakeplat)["rule_type"],
        create_rule(fakeplat, path=OWN)["rule_type"],
    )


def test_hidden_groups_are_not_shown(fakeplat: Fakeplat) -> None:
    """A rule says that it contains hidden groups but does not show them."""
    hidden = create_group(fakeplat, "secret", "private", eve="owner", ada="developer")
    create_rule(fakeplat, "mia", group_ids=[hidden])
    for user, groups in (("ada", ["secret"]), ("dev", [])):
        (shown_rule,) = get_json(fakeplat, RULES, by=user)
        assert (groups, not groups) == (names(shown_rule["groups"], "path"), shown_rule["contains_hidden_groups"])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing, approvals_required is missing")),
        ({"name": "A", "approvals_required": "many"}, invalid("approvals_required is invalid")),
        ({"name": " ", "approvals_required": 1}, invalid_record(name=["can't be blank"])),
        ({"name": "Look", "approvals_required": 1, "user_ids": "MIA"}, invalid_record(name=["has already been taken"])),
        (
            {"name": "A", "approvals_required": -1},
            invalid_record(approvals_required=["must be greater than or equal to 0"]),
        ),
        (
            {"name": "A", "approvals_required": 101},
            invalid_record(approvals_required=["must be less than or equal to 100"]),
        ),
    ],
)
def test_invalid_rules_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Invalid rules of projects and merge requests answer 400."""
    mia = person(fakeplat, "mia")
    sent = {**body, **({"user_ids": [mia]} if "user_ids" in body else {})}
    for path in (RULES, OWN):
        create_rule(fakeplat, "mia", path=path)
        assert expected == refusal(fakeplat, "mia", "POST", path, json=sent)


def test_everybody_counts_once(fakeplat: Fakeplat) -> None:
    """A project has one rule at most in which everybody counts."""
    create_rule(fakeplat)
    again = refusal(fakeplat, "mia", "POST", RULES, json={"name": "B", "approvals_required": 1})
    assert invalid_record(rule_type=["any-approver for the project already exists"]) == again
    assert invalid("rule_type does not have a valid value") == refusal(
        fakeplat, "mia", "POST", RULES, json={"name": "C", "approvals_required": 1, "rule_type": "code_owner"}
    )


def test_rules_are_deleted(fakeplat: Fakeplat) -> None:
    """Rules are deleted with 204, and those of other owners are not found."""
    here, own = create_rule(fakeplat, "mia"), create_rule(fakeplat, "mia", path=OWN)
    docs = "projects/acme%2Fdocs"
    for user, path, expected in (
        ("dev", f"{RULES}/{here['id']}", FORBIDDEN),
        ("mia", f"{RULES}/{own['id']}", NOT_FOUND),
        ("mia", f"{docs}/approval_rules/{here['id']}", NOT_FOUND),
        ("mia", f"{RULES}/x", invalid("approval_rule_id is invalid")),
    ):
        assert expected == refusal(fakeplat, user, "DELETE", path)
    path = f"{RULES}/{here['id']}"
    assert 204 == fakeplat.as_user("mia").delete(path).status
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", path)
    assert ([], [own]) == (get_json(fakeplat, RULES, by="ada"), get_json(fakeplat, OWN))


def test_rules_are_deleted_with_their_owner(fakeplat: Fakeplat) -> None:
    """Rules are deleted with their merge request or project."""
    create_rule(fakeplat, "mia"), create_rule(fakeplat, "mia", path=OWN)
    fakeplat.as_user("ada").delete(OPEN)
    assert 1 == len(fakeplat.bench.platform.view.approval_rules)
    load_project(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        from fakeplat.domain.purging import purge

        purge(ctx, ctx.world.projects[fakeplat.world.project("acme/site").id])
    assert 0 == len(fakeplat.bench.platform.view.approval_rules)


# what they come to


def test_a_rule_holds_until_its_people_approve(fakeplat: Fakeplat) -> None:
    """Approvals of others do not count for a rule, and the state shows what is left."""
    new_rule = create_rule(fakeplat, "mia", "ada", needed=1)
    assert ((1, 1, False), False) == (read_state(fakeplat), is_mergeable(fakeplat))
    approvals = get_json(fakeplat, APPROVALS)
    assert [{"id": new_rule["id"], "name": "Look", "rule_type": "regular"}] == approvals["approval_rules_left"]
    assert ["mia", "ada"] == names(approvals["suggested_approvers"], "username")
    assert ["mia", "ada"] == [approver["user"]["username"] for approver in approvals["approvers"]]
    assert (True, True, True) == tuple(
        approvals[name]
        for name in ("has_approval_rules", "merge_request_approvers_available", "multiple_approval_rules_available")
    )
    approve(fakeplat, "root")
    assert ((1, 1, False), False) == (read_state(fakeplat), is_mergeable(fakeplat))
    approve(fakeplat, "ada")
    approvals = get_json(fakeplat, APPROVALS)
    assert ((1, 0, True), True, []) == (read_state(fakeplat), is_mergeable(fakeplat), approvals["approval_rules_left"])
    assert ["mia"] == names(approvals["suggested_approvers"], "username")
    fakeplat.as_user("ada").post(f"{OPEN}/unapprove")
    assert not is_mergeable(fakeplat)


def test_every_rule_must_hold(fakeplat: Fakeplat) -> None:
    """Every rule has to be satisfied, and one approval may count for several of them."""
    create_rule(fakeplat, "mia", name="A"), create_rule(fakeplat, "ada", "mia", name="B", needed=2)
    create_rule(fakeplat, name="C")
    approve(fakeplat, "mia")
    assert ((4, 1, False), ["B"]) == (
        read_state(fakeplat),
        names(get_json(fakeplat, APPROVALS)["approval_rules_left"], "name"),
    )
    approve(fakeplat, "ada")
    assert ((4, 0, True), True) == (read_state(fakeplat), is_mergeable(fakeplat))


def test_a_rule_requires_no_more_approvals_than_people(fakeplat: Fakeplat) -> None:
    """A rule is satisfied when all of its people but the author have approved."""
    create_rule(fakeplat, "mia", "dev", needed=3)
    assert (3, 3, False) == read_state(fakeplat)
    approve(fakeplat, "mia")
    assert ((3, 2, True), True) == (read_state(fakeplat), is_mergeable(fakeplat))


def test_groups_approve_through_their_members(fakeplat: Fakeplat) -> None:
    """Direct members, as they are now."""
    group = create_group(fakeplat, "guild", mia="guest")
    create_rule(fakeplat, group_ids=[group])
    assert [{"group": "guild"}] == [
        {"group": approver_group["group"]["path"]}
        for approver_group in get_json(fakeplat, APPROVALS)["approver_groups"]
    ]
    approve(fakeplat, "ada")
    assert not is_mergeable(fakeplat)
    fakeplat.load({"groups": [{"path": "guild", "members": {"ada": "owner"}}]})
    assert is_mergeable(fakeplat)


def test_branches_have_rules_of_their_own(fakeplat: Fakeplat) -> None:
    """A rule for protected branches is for those that go there, by name or pattern."""
    fakeplat.as_user("ada").post(f"{SITE}/protected_branches", json={"name": "rea*"})
    ids = {branch["name"]: branch["id"] for branch in get_json(fakeplat, f"{SITE}/protected_branches")}
    create_rule(fakeplat, "ada", protected_branch_ids=[ids["rea*"]])
    assert is_mergeable(fakeplat)
    fakeplat.as_user("dev").put(OPEN, json={"target_branch": "readme"})
    assert (1, 1, False) == read_state(fakeplat)


def test_own_rules_replace_those_of_the_project(fakeplat: Fakeplat) -> None:
    """A merge request's own rules replace the project's unless the project forbids that."""
    source = create_rule(fakeplat, "ada", needed=1)
    own = create_record(
        fakeplat,
        OWN,
        "dev",
        name="x",
        approvals_required=2,
        user_ids=[person(fakeplat, "mia")],
        approval_project_rule_id=source["id"],
    )
    assert RULE | {"source_rule"} == set(own)
    assert ("Look", 2, ["ada"], {"approvals_required": 1}) == (
        own["name"],
        own["approvals_required"],
        names(own["users"], "username"),
        own["source_rule"],
    )
    create_record(fakeplat, OWN, "dev", name="Mine", approvals_required=0, user_ids=[person(fakeplat, "dev")])
    assert [None, []] == [get_json(fakeplat, OWN)[1][name] for name in ("source_rule", "eligible_approvers")]
    assert (2, 2, False) == read_state(fakeplat)
    load_project(fakeplat, disable_overriding_approvers_per_merge_request=True)
    assert (1, 1, False) == read_state(fakeplat)
    fakeplat.as_user("mia").delete(f"{RULES}/{source['id']}")
    assert get_json(fakeplat, OWN)[0]["source_rule"] is None


def test_the_larger_number_counts_for_everybody(fakeplat: Fakeplat) -> None:
    """The larger number of approvals of project and merge request counts for everybody."""
    fakeplat.as_user("ada").put(SITE, json={"approvals_before_merge": 2})
    fakeplat.as_user("dev").put(OPEN, json={"approvals_before_merge": 1})
    assert ((2, 2, False), False) == (read_state(fakeplat), is_mergeable(fakeplat))
    (left,) = get_json(fakeplat, APPROVALS)["approval_rules_left"]
    assert {"id": None, "name": "All Members", "rule_type": "any_approver"} == left
    fakeplat.as_user("dev").put(OPEN, json={"approvals_before_merge": 3})
    approve(fakeplat, "mia", "ada")
    assert (3, 1, False) == read_state(fakeplat)
    approve(fakeplat, "root")
    assert is_mergeable(fakeplat)
    create_rule(fakeplat, needed=4)
    assert (4, 1, False) == read_state(fakeplat)


@pytest.mark.parametrize("allowed", [True, False])
def test_authors_may_be_allowed_to_approve(fakeplat: Fakeplat, allowed: bool) -> None:
    """Authors approve their own merge request only if the project allows that."""
    load_project(fakeplat, merge_requests_author_approval=allowed)
    create_rule(fakeplat, "dev")
    assert allowed == get_json(fakeplat, APPROVALS, by="dev")["user_can_approve"]
    if allowed:
        approve(fakeplat, "dev")
        assert (1, 0, True) == read_state(fakeplat)
    else:
        assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", f"{OPEN}/approve")


def test_committers_may_be_excluded(fakeplat: Fakeplat) -> None:
    """Committers, known by their addresses, approve unless the project forbids that."""
    commit(fakeplat, "feature", by="mia")
    approve(fakeplat, "mia")
    fakeplat.as_user("mia").post(f"{OPEN}/unapprove")
    load_project(fakeplat, merge_requests_disable_committers_approval=True)
    assert UNAUTHORIZED == refusal(fakeplat, "mia", "POST", f"{OPEN}/approve")
    approve(fakeplat, "ada")


@pytest.mark.parametrize("reset", [True, False])
def test_a_push_revokes_approvals(fakeplat: Fakeplat, reset: bool) -> None:
    """A push revokes approvals unless the project keeps them."""
    load_project(fakeplat, reset_approvals_on_push=reset)
    create_rule(fakeplat, "mia")
    approve(fakeplat, "mia")
    commit(fakeplat, "feature")
    assert ((1, 1, False) if reset else (1, 0, True)) == read_state(fakeplat)


@pytest.mark.parametrize("name", ["Vulnerability-Check", "License-Check"])
def test_rules_of_reports_are_told_by_their_names(fakeplat: Fakeplat, name: str) -> None:
    """A project's rule with the name of a report has the type of reports."""
    assert "report_approver" == create_rule(fakeplat, "mia", name=name)["rule_type"]
    assert "regular" == create_rule(fakeplat, "mia", path=OWN, name=name)["rule_type"]
    assert "regular" == create_rule(fakeplat, "mia", name=name, rule_type="regular")["rule_type"]


def test_lists_choose_by_approvers(fakeplat: Fakeplat) -> None:
    """`approver_ids` filters merge requests by the approvers of their rules."""
    create_rule(fakeplat, "mia", "ada", path=OWN)

    def chosen(query: str) -> list[int]:
        return sorted(names(get_json(fakeplat, f"{MRS}?{query}"), "iid"))

    mia, ada, rep = (person(fakeplat, name) for name in ("mia", "ada", "rep"))
    assert [1] == chosen(f"approver_ids[]={mia}") == chosen(f"approver_ids[]={mia}&approver_ids[]={ada}")
    assert ([], [1], [2]) == (chosen(f"approver_ids[]={rep}"), chosen("approver_ids=Any"), chosen("approver_ids=None"))
    create_rule(fakeplat, "rep")
    assert [2] == chosen(f"approver_ids[]={rep}")


@pytest.mark.fakeplat(tier="premium", hosted=True)
def test_the_plan_decides_when_hosted(fakeplat: Fakeplat) -> None:
    """A free namespace has none of it."""
    create_rule(fakeplat, "ada")
    assert not is_mergeable(fakeplat)
    fakeplat.load({"groups": [{"path": "acme", "plan": "free"}]})
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", RULES)
    assert is_mergeable(fakeplat)


@pytest.mark.parametrize("path", [RULES, OWN])
def test_a_rule_that_changed_since_stays(fakeplat: Fakeplat, path: str) -> None:
    """Deleting a rule that changed since the client's time answers 412."""
    old_rule = create_rule(fakeplat, "mia", path=path)
    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{path}/{old_rule['id']}", headers=LONG_AGO)
    assert 204 == fakeplat.as_user("mia").delete(f"{path}/{old_rule['id']}").status


def test_records_of_the_world_show_rules(fakeplat: Fakeplat) -> None:
    """The records of the world show approval rules with their eligible approvers."""
    create_rule(fakeplat, "mia")
    (approval_rule,) = fakeplat.world.project("acme/site").approval_rules
    assert ("Look", ["mia"]) == (approval_rule.name, names(approval_rule.eligible_approvers, "username"))
