"""Subscriptions of namespaces. Source: ee/lib/ee/api/namespaces.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, outcome, refusal, resource_not_found

SCENARIO: dict[str, Any] = {
    "instance": {"hosted": True, "tier": "free"},
    "users": [{"username": name} for name in ("ada", "ben", "eve")],
    "groups": [{"path": "acme", "visibility": "private", "members": {"ada": "owner", "ben": "maintainer"}}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00Z")
PATH = "namespaces/acme/gitlab_subscription"
BODY = {"start_date": "2020-11-01", "end_date": "2021-11-01", "seats": 1, "plan_code": "silver", "auto_renew": True}


def test_a_namespace_without_a_subscription_shows_nulls(fakeplat: Fakeplat) -> None:
    """Every value is null until something is bought."""
    subscription = fakeplat.as_user("ada").get(PATH).json()

    assert {"plan", "usage", "billing"} == {*subscription}
    assert {None} == {value for part in subscription.values() for value in part.values()}


def test_administrators_create_and_change_subscriptions(fakeplat: Fakeplat) -> None:
    """The plan takes effect, and seats in use are compared with those that were bought."""
    root = fakeplat.as_user("root")
    status, created = outcome(root.post(PATH, json=BODY))

    assert 201 == status
    plan = {"code": "silver", "name": "Silver", "trial": False, "auto_renew": True, "upgradable": True}
    usage = {"seats_in_subscription": 1, "seats_in_use": 2, "max_seats_used": 2, "seats_owed": 1}
    billing = {
        "subscription_start_date": "2020-11-01",
        "subscription_end_date": "2021-11-01",
        "trial_ends_on": None,
    }
    assert {"plan": plan, "usage": usage, "billing": billing} == created == fakeplat.as_user("ada").get(PATH).json()
    assert "silver" == fakeplat.as_user("ada").get("namespaces/acme").json()["plan"]
    changed = root.put(PATH, json={"seats": 5, "plan_code": "gold", "end_date": None}).json()
    assert (0, "gold", False, None) == (
        changed["usage"]["seats_owed"],
        changed["plan"]["code"],
        changed["plan"]["upgradable"],
        changed["billing"]["subscription_end_date"],
    )


def test_a_trial_ends_in_the_future(fakeplat: Fakeplat) -> None:
    """A trial cannot be changed to one that has ended."""
    root = fakeplat.as_user("root")
    root.post(PATH, json={**BODY, "trial": True, "trial_ends_on": "2020-12-01"})

    expected = (400, {"message": "400 Bad request - Invalid trial expiration date"})
    assert expected == refusal(fakeplat, "root", "PUT", PATH, json={"trial_ends_on": "2020-11-19"})
    assert "2020-12-24" == root.put(PATH, json={"trial_ends_on": "2020-12-24"}).json()["billing"]["trial_ends_on"]


def test_refused_subscriptions(fakeplat: Fakeplat) -> None:
    """Owners see the subscription; administrators change it, once it is there."""
    assert FORBIDDEN == refusal(fakeplat, "ben", "GET", PATH)
    assert resource_not_found("Namespace") == refusal(fakeplat, "eve", "GET", PATH)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", PATH)
    assert resource_not_found("GitlabSubscription") == refusal(fakeplat, "root", "PUT", PATH, json={"seats": 1})
    assert invalid("start_date is missing") == refusal(fakeplat, "root", "POST", PATH)
    wrong = {**BODY, "plan_code": "tin"}
    assert (400, {"message": {"plan": ["is not included in the list"]}}) == refusal(
        fakeplat, "root", "POST", PATH, json=wrong
    )
    for method in ("POST", "PUT"):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, PATH, json=BODY)
        unknown = "namespaces/none/gitlab_subscription"
        assert resource_not_found("Namespace") == refusal(fakeplat, "root", method, unknown, json=BODY)
    assert 201 == fakeplat.as_user("root").post(PATH, json=BODY).status
    taken = (400, {"message": {"namespace_id": ["has already been taken"]}})
    assert taken == refusal(fakeplat, "root", "POST", PATH, json=BODY)


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"hosted": True, "tier": "premium", "version": "latest"}})
def test_owners_see_the_size_of_a_namespace(fakeplat: Fakeplat) -> None:
    """Owners see how many projects there are and how large they are, administrators also what was bought."""
    root, ada = fakeplat.as_user("root"), fakeplat.as_user("ada")
    bought = {"additional_purchased_storage_size": 10, "additional_purchased_storage_ends_on": "2021-01-01"}
    acme = ada.get("groups/acme").json()["id"]
    ada.post("projects", json={"name": "n", "namespace_id": acme, "initialize_with_readme": True})
    root.post(PATH, json=BODY)
    changed = root.put("namespaces/acme", json=bought)
    assert (200, bought) == (changed.status, {name: changed.json()[name] for name in bought})

    namespace = ada.get("namespaces/acme").json()
    assert (1, "2021-11-01") == (namespace["projects_count"], namespace["end_date"])
    assert namespace["root_repository_size"] > 0
    hidden = fakeplat.as_user("ben").get("namespaces/acme").json()
    assert set() == {*hidden} & {"projects_count", "root_repository_size"}
    assert set() == ({*namespace} | {*hidden}) & {*bought}
    assert hidden["end_date"] is None
