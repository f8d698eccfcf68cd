"""Subscriptions of namespaces. Source: ee/lib/ee/api/namespaces.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    AUDITORS_READ_BILLS,
    PLANS_ARE_NAMED_LIKE_TIERS,
    SUBSCRIPTIONS_EXCLUDE_GUESTS,
    TRIALS_END_IN_THE_FUTURE,
)
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    invalid,
    invalid_record,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

SCENARIO: dict[str, Any] = {
    "instance": {"hosted": True, "tier": "free"},
    "users": [{"username": name} for name in ("ada", "ben", "eve")],
    "groups": [{"path": "acme", "visibility": "private", "members": {"ada": "owner", "ben": "maintainer"}}],
}
AUDITED: dict[str, Any] = {
    **SCENARIO,
    "instance": {"hosted": True, "tier": "premium"},
    "users": [*SCENARIO["users"], {"username": "aud", "auditor": True}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00Z")
PATH = "namespaces/acme/gitlab_subscription"
BLANK = "can't be blank"
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


@by_release(TRIALS_END_IN_THE_FUTURE, "status", {"13.11": 400, "13.12": 200})
def test_a_trial_ends_in_the_future(fakeplat: Fakeplat, status: int) -> None:
    """A trial cannot be changed to one that has ended in early releases."""
    root = fakeplat.as_user("root")
    root.post(PATH, json={**BODY, "trial": True, "trial_ends_on": "2020-12-01"})
    changed = root.put(PATH, json={"trial_ends_on": "2020-11-19"})

    assert status == changed.status
    if status == 400:
        assert {"message": "400 Bad request - Invalid trial expiration date"} == changed.json()
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
    assert invalid_record(start_date=[BLANK]) == refusal(
        fakeplat, "root", "POST", PATH, json={**BODY, "start_date": None}
    )
    for method in ("POST", "PUT"):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, PATH, json=BODY)
        unknown = "namespaces/none/gitlab_subscription"
        assert resource_not_found("Namespace") == refusal(fakeplat, "root", method, unknown, json=BODY)
    assert 201 == fakeplat.as_user("root").post(PATH, json=BODY).status
    blank = {"seats": None, "start_date": None}
    assert invalid_record(seats=[BLANK], start_date=[BLANK]) == refusal(fakeplat, "root", "PUT", PATH, json=blank)
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


# Plans


@by_release(PLANS_ARE_NAMED_LIKE_TIERS, "status", {"14.10": 400, "15.0": 201})
@pytest.mark.parametrize(
    ("plan", "name"), [("premium", "Premium"), ("ultimate", "Ultimate"), ("ultimate_trial", "Ultimate Trial")]
)
def test_plans_of_later_releases(fakeplat: Fakeplat, status: int, plan: str, name: str) -> None:
    """Plans that are named like the tiers can be bought in 15.0 at the latest."""
    created = fakeplat.as_user("root").post(PATH, json={**BODY, "plan_code": plan})

    assert status == created.status
    if status == 201:
        assert (plan, name) == (created.json()["plan"]["code"], created.json()["plan"]["name"])


@by_release(SUBSCRIPTIONS_EXCLUDE_GUESTS, "is_shown", {"14.10": False, "15.0": True})
def test_plans_tell_whether_guests_are_excluded(fakeplat: Fakeplat, is_shown: bool) -> None:
    """The highest plan does not count guests, which subscriptions say in 15.0 at the latest."""
    root = fakeplat.as_user("root")
    without = root.get(PATH).json()["plan"]
    high = root.post(PATH, json={**BODY, "plan_code": "gold"}).json()["plan"]
    low = root.put(PATH, json={"plan_code": "silver"}).json()["plan"]

    assert [is_shown] * 3 == ["exclude_guests" in plan for plan in (without, high, low)]
    if is_shown:
        assert [None, True, False] == [plan["exclude_guests"] for plan in (without, high, low)]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("plan", ["premium", "ultimate"])
def test_guests_are_free_on_the_highest_plan(fakeplat: Fakeplat, plan: str) -> None:
    """Guests take a seat, unless the plan for which seats are counted is the highest one."""
    ada, eve = fakeplat.as_user("ada"), fakeplat.world.user("eve").id
    ada.post("groups/acme/members", json={"user_id": eve, "access_level": 10})
    counts = [ada.get(f"namespaces/acme{query}").json() for query in ("", f"?requested_hosted_plan={plan}")]

    assert [3, 3 if plan == "premium" else 2] == [row["billable_members_count"] for row in counts]


@pytest.mark.parametrize(
    ("change", "is_upgradable"),
    [({}, True), ({"end_date": "2020-11-19"}, False), ({"trial": True}, False), ({"seats": 0}, False)],
    ids=["paid", "ended", "trial", "no seats"],
)
def test_what_can_be_upgraded(fakeplat: Fakeplat, change: dict[str, Any], is_upgradable: bool) -> None:
    """Only a paid plan that has not ended is upgraded to a higher one; nothing is owed for a trial."""
    subscription = fakeplat.as_user("root").post(PATH, json={**BODY, **change}).json()

    assert is_upgradable == subscription["plan"]["upgradable"]
    # Two members use a plan of one seat.
    is_paid = is_upgradable or "end_date" in change
    assert (1 if is_paid else 0) == subscription["usage"]["seats_owed"]


# Seats


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"hosted": True, "tier": "premium", "version": "latest"}})
def test_the_most_seats_are_kept_within_a_term(fakeplat: Fakeplat) -> None:
    """The most seats that were in use stay while a subscription goes on, and are counted anew in the next term."""
    root = fakeplat.as_user("root")
    root.post(PATH, json=BODY)
    fakeplat.clock.advance("1h")
    root.put(PATH, json={"max_seats_used": 42, "plan_code": "premium"})
    kept = root.put(PATH, json={**BODY, "plan_code": "premium"}).json()["usage"]
    changed_at = fakeplat.as_user("ada").get("namespaces/acme").json()["max_seats_used_changed_at"]
    later = {"seats": 20, "start_date": "2021-11-01", "end_date": "2022-11-01"}

    assert (42, 41) == (kept["max_seats_used"], kept["seats_owed"])
    assert "2020-11-20T10:00:00" == changed_at[:19]
    usage = root.put(PATH, json=later).json()["usage"]
    assert (2, 0) == (usage["max_seats_used"], usage["seats_owed"])
    assert fakeplat.as_user("ben").get("namespaces/acme").json()["max_seats_used_changed_at"] is None


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"hosted": True, "tier": "premium", "version": "latest"}})
def test_the_end_of_a_trial_restarts_the_count(fakeplat: Fakeplat) -> None:
    """What a trial used is not counted for the paid plan that follows it."""
    root = fakeplat.as_user("root")
    root.post(PATH, json={**BODY, "trial": True, "trial_ends_on": "2020-12-01", "max_seats_used": 42})

    assert 42 == root.get(PATH).json()["usage"]["max_seats_used"]
    assert 2 == root.put(PATH, json={"trial": False}).json()["usage"]["max_seats_used"]


# Auditors


@by_release(AUDITORS_READ_BILLS, "status", {"18.8": 404, "18.9": 200})
def test_auditors_read_subscriptions(fakeplat_factory: Any, status: int, request: pytest.FixtureRequest) -> None:
    """Auditors see the subscription of every namespace in 18.9 at the latest, and change none."""
    version = request.node.callspec.id
    fake = fakeplat_factory(scenario=AUDITED, version=version)
    fake.as_user("root").post(PATH, json=BODY)

    assert status == fake.as_user("aud").get(PATH).status
    assert FORBIDDEN == refusal(fake, "aud", "PUT", PATH, json={"seats": 2})
    assert FORBIDDEN == refusal(fake, "ben", "GET", PATH)


# Together with the namespace

ATTRIBUTES = {
    "start_date": "2019-06-01",
    "end_date": "2021-06-01",
    "plan_code": "gold",
    "seats": 20,
    "max_seats_used": 10,
    "auto_renew": True,
    "trial": True,
    "trial_starts_on": "2019-05-01",
    "trial_ends_on": "2019-06-01",
}
hosted_premium = pytest.mark.fakeplat(
    scenario={**SCENARIO, "instance": {"hosted": True, "tier": "premium", "version": "latest"}}
)


def bought_with(**attributes: Any) -> dict[str, Any]:
    return {"gitlab_subscription_attributes": attributes}


@hosted_premium
def test_a_namespace_is_changed_with_its_subscription(fakeplat: Fakeplat) -> None:
    """The attributes create a subscription, even with a trial that has ended, or change the one that is there."""
    root = fakeplat.as_user("root")
    changed = root.put("namespaces/acme", json={"shared_runners_minutes_limit": 7, **bought_with(**ATTRIBUTES)})
    created = root.get(PATH).json()

    assert (200, "gold", 7) == (changed.status, changed.json()["plan"], changed.json()["shared_runners_minutes_limit"])
    assert ("gold", True, True) == tuple(created["plan"][name] for name in ("code", "trial", "auto_renew"))
    assert (20, 10) == tuple(created["usage"][name] for name in ("seats_in_subscription", "max_seats_used"))
    assert ["2019-06-01", "2021-06-01", "2019-06-01"] == list(created["billing"].values())
    root.put("namespaces/acme", json=bought_with(seats=30))
    again = root.get(PATH).json()
    assert (30, created["billing"]) == (again["usage"]["seats_in_subscription"], again["billing"])


@hosted_premium
def test_a_nested_subscription_is_refused(fakeplat: Fakeplat) -> None:
    """Seats and the first day cannot be blank; the refusal says that they are of the subscription."""
    body = {"shared_runners_minutes_limit": 7, **bought_with(start_date=None, seats=None)}
    expected = {"gitlab_subscription.seats": [BLANK], "gitlab_subscription.start_date": [BLANK]}
    assert (400, {"message": expected}) == refusal(fakeplat, "root", "PUT", "namespaces/acme", json=body)


@pytest.mark.parametrize("version", ["14.9", "14.10"])
def test_the_plan_becomes_one_of_the_subscription(fakeplat_factory: Any, version: str) -> None:
    """The plan is no longer an attribute of the namespace itself in 14.10 at the latest."""
    fake = fakeplat_factory(scenario=AUDITED, version=version)
    root = fake.as_user("root")
    root.put("namespaces/acme", json={"plan": "bronze", "trial_ends_on": "2021-01-31"})
    namespace = root.get("namespaces/acme").json()

    expected = ("bronze", "2021-01-31") if version == "14.9" else ("silver", None)
    assert expected == (namespace["plan"], namespace["trial_ends_on"])
