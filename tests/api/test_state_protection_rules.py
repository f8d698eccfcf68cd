"""Rules about who may write states of Terraform. Source: docs/platform/terraform-states.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import SITE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    missing_value,
    outcome,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="19.1")
RULES = f"{SITE}/terraform/state_protection_rules"
RULE = {"state_name": "production", "minimum_access_level_for_write": "maintainer", "allowed_from": "ci_only"}
OFF: Outcome = (404, {"message": "404 Not Found"})
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
TAKEN: Outcome = (422, {"message": {"error": ["State name has already been taken"]}})


def switch_on(fake: Fakeplat) -> None:
    fake.as_user("root").post("features/protected_terraform_states", json={"value": True})


@pytest.fixture
def protecting(fakeplat: Fakeplat) -> Fakeplat:
    """A world that has the feature."""
    switch_on(fakeplat)
    return fakeplat


def protect(fake: Fakeplat, **values: Any) -> dict[str, Any]:
    reply = fake.as_user("mia").post(RULES, json={**RULE, **values})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def test_a_rule_is_created_changed_and_deleted(protecting: Fakeplat) -> None:
    """A rule names a state, the role that may write it, and from where; it is changed in part and deleted."""
    rule, caller = protect(protecting), protecting.as_user("mia")
    assert {"id": rule["id"], "project_id": 5001, **RULE} == rule
    path = f"{RULES}/{rule['id']}"
    changed = caller.request("PATCH", path, json={"minimum_access_level_for_write": "owner"})
    assert (200, {**rule, "minimum_access_level_for_write": "owner"}) == outcome(changed)
    changed = caller.request("PATCH", path, json={"state_name": "x", "allowed_from": "ci_on_protected_branch_only"})
    assert ("x", "ci_on_protected_branch_only") == (changed.json()["state_name"], changed.json()["allowed_from"])
    assert (200, [changed.json()]) == outcome(protecting.as_user("dev").get(RULES))
    assert STALE == refusal(protecting, "mia", "DELETE", path, headers=LONG_AGO)
    assert 204 == caller.delete(path).status
    assert (200, []) == outcome(caller.get(RULES))
    assert [NOT_FOUND] * 2 == [refusal(protecting, "mia", method, path, json={}) for method in ("PATCH", "DELETE")]


def test_states_are_written_from_anywhere_by_default(protecting: Fakeplat) -> None:
    """A rule that does not say from where only asks for a role."""
    reply = protecting.as_user("mia").post(
        RULES, json={"state_name": "staging", "minimum_access_level_for_write": "developer"}
    )
    assert (201, "anywhere") == (reply.status, reply.json()["allowed_from"])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"state_name": None}, "state_name is missing"),
        ({"minimum_access_level_for_write": None}, missing_value("minimum_access_level_for_write")),
        ({"minimum_access_level_for_write": "guest"}, "minimum_access_level_for_write does not have a valid value"),
        ({"allowed_from": "home"}, "allowed_from does not have a valid value"),
        ({"state_name": "a" * 256}, "state_name must be less than 255 characters"),
    ],
    ids=["no name", "no role", "role", "source", "long name"],
)
def test_parameters_of_rules_are_checked(protecting: Fakeplat, changes: dict[str, str | None], text: str) -> None:
    """A rule has a name, a role and a source that exist."""
    body = {name: value for name, value in {**RULE, **changes}.items() if value is not None}
    assert invalid(text) == refusal(protecting, "mia", "POST", RULES, json=body)


def test_a_state_has_one_rule(protecting: Fakeplat) -> None:
    """A second rule for a state is refused, also by a change; a rule has a name of 255 characters at most."""
    protect(protecting)
    other = f"{RULES}/{protect(protecting, state_name='staging')['id']}"
    assert TAKEN == refusal(protecting, "mia", "POST", RULES, json=RULE)
    assert TAKEN == refusal(protecting, "mia", "PATCH", other, json={"state_name": "production"})
    blank = (422, {"message": {"error": ["State name can't be blank"]}})
    assert blank == refusal(protecting, "mia", "PATCH", other, json={"state_name": ""})
    long = (422, {"message": {"error": ["State name is too long (maximum is 255 characters)"]}})
    assert long == refusal(protecting, "mia", "PATCH", other, json={"state_name": "a" * 256})


def test_developers_read_and_maintainers_write_rules(protecting: Fakeplat) -> None:
    """Below Developer rules are not read, below Maintainer not written, and hidden projects are not found."""
    path = f"{RULES}/{protect(protecting)['id']}"
    assert [FORBIDDEN] * 2 == [refusal(protecting, user, "GET", RULES) for user in ("gus", "rep")]
    body = {**RULE, "state_name": "x"}
    assert FORBIDDEN == refusal(protecting, "dev", "POST", RULES, json=body)
    assert [FORBIDDEN] * 2 == [refusal(protecting, "dev", method, path, json={}) for method in ("PATCH", "DELETE")]
    assert resource_not_found("Project") == refusal(protecting, "eve", "POST", RULES, json=body)
    assert UNAUTHORIZED == refusal(protecting, None, "GET", RULES)


def test_without_the_feature_nothing_is_found(fakeplat: Fakeplat) -> None:
    """As long as the feature is off, whoever sees the project gets 404."""
    assert [OFF] * 2 == [refusal(fakeplat, user, "GET", RULES) for user in ("rep", "ada")]
    assert OFF == refusal(fakeplat, "mia", "POST", RULES, json=RULE)
    fakeplat.as_user("root").post("features/protected_terraform_states", json={"value": True, "project": "acme/site"})
    assert (200, []) == outcome(fakeplat.as_user("ada").get(RULES))
    assert OFF == refusal(fakeplat, "ada", "GET", RULES.replace("site", "docs"))


@pytest.mark.fakeplat(version="18.11")
def test_the_first_release_only_lists_rules(protecting: Fakeplat) -> None:
    """Before they could be created by the API, rules were listed; a scenario declares them."""
    protecting.load({"projects": [{"path_with_namespace": "acme/site", "terraform_state_protection_rules": [RULE]}]})
    (rule,) = protecting.as_user("dev").get(RULES).json()
    assert RULE == {name: rule[name] for name in RULE}
    assert [404, 404] == [
        protecting.as_user("mia").delete(f"{RULES}/{rule['id']}").status,
        protecting.as_user("mia").post(RULES, json=RULE).status,
    ]
