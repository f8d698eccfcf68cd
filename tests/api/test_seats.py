"""Seats of namespaces on the hosted offering, and what counts for them."""

from typing import Any

import pytest

HOSTED = {
    "instance": {"hosted": True, "tier": "premium"},
    "users": [{"username": name} for name in ("ada", "ben", "cid")],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner", "ben": "guest"},
            "groups": [{"path": "tools", "projects": [{"path": "kit"}]}],
        }
    ],
}
GOLD = {**HOSTED, "instance": {"hosted": True, "tier": "ultimate"}}
START = "2020-11-20T09:00:00Z"


def get_seats(fakeplat: Any, viewer: str = "ada") -> tuple[Any, ...]:
    namespace = fakeplat.as_user(viewer).get("namespaces/acme").json()
    return tuple(namespace.get(name) for name in ("plan", "seats_in_use", "max_seats_used", "billable_members_count"))


@pytest.mark.fakeplat(scenario=HOSTED, clock="virtual", start=START)
def test_seats_change_at_the_worlds_midnight(fakeplat: Any) -> None:
    """A member who joins or leaves is counted from the next midnight on; the most that was ever used stays."""
    assert ("silver", 2, 2, 2) == get_seats(fakeplat)
    owner = fakeplat.as_user("ada")
    cid = fakeplat.world.user("cid").id
    assert 201 == owner.post("groups/acme%2Ftools/members", json={"user_id": cid, "access_level": 30}).status
    assert ("silver", 2, 2, 3) == get_seats(fakeplat)
    fakeplat.clock.advance_to("2020-11-21T00:00:00Z")
    assert ("silver", 3, 3, 3) == get_seats(fakeplat)
    assert 204 == owner.delete(f"groups/acme%2Ftools/members/{cid}").status
    assert ("silver", 3, 3, 2) == get_seats(fakeplat)
    fakeplat.clock.advance("1d")
    assert ("silver", 2, 3, 2) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=GOLD)
def test_guests_use_no_seat_on_the_top_plan(fakeplat: Any) -> None:
    """Gold counts people from Reporter on."""
    assert ("gold", 1, 1, 1) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=GOLD, clock="virtual", start=START)
def test_another_level_counts_from_midnight_on(fakeplat: Any) -> None:
    """A guest who is promoted takes a seat of the top plan from the next midnight on."""
    ben = fakeplat.world.user("ben").id
    assert 200 == fakeplat.as_user("ada").put(f"groups/acme/members/{ben}", json={"access_level": 30}).status

    assert ("gold", 1, 1, 2) == get_seats(fakeplat)
    fakeplat.clock.advance("1d")
    assert ("gold", 2, 2, 2) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=HOSTED, clock="virtual", start=START)
def test_a_transferred_project_counts_from_midnight_on(fakeplat: Any) -> None:
    """Members of a transferred project take seats from the next midnight on."""
    fakeplat.load({"groups": [{"path": "other", "projects": [{"path": "lib", "members": {"cid": "developer"}}]}]})
    assert 201 == fakeplat.as_user("root").post("groups/acme/projects/other%2Flib").status

    assert ("silver", 2, 2, 3) == get_seats(fakeplat)
    fakeplat.clock.advance("1d")
    assert ("silver", 3, 3, 3) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=HOSTED, clock="virtual", start=START)
def test_memberships_that_ended_count_among_the_most(fakeplat: Any) -> None:
    """A membership counts for the maximum of seats if it existed at a midnight."""
    cid = fakeplat.world.user("cid").id
    row = {"user_id": cid, "access_level": 30, "expires_at": "2020-11-23"}
    assert 201 == fakeplat.as_user("ada").post("groups/acme/members", json=row).status

    fakeplat.clock.advance("10d")
    assert ("silver", 2, 3, 2) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=HOSTED, clock="virtual", start=START)
def test_groups_within_have_the_plan_of_the_root(fakeplat: Any) -> None:
    """Subgroups have the root's plan and count their own members."""
    fakeplat.load({"groups": [{"path": "acme", "plan": "bronze"}]})
    cid = fakeplat.world.user("cid").id
    row = {"user_id": cid, "access_level": 30}
    assert 201 == fakeplat.as_user("ada").post("groups/acme%2Ftools/members", json=row).status

    namespace = fakeplat.as_user("ada").get("namespaces/acme%2Ftools").json()
    assert ("bronze", 0, 1) == (namespace["plan"], namespace["seats_in_use"], namespace["billable_members_count"])


@pytest.mark.fakeplat(scenario={**HOSTED, "instance": {"hosted": True, "tier": "free"}})
def test_unpaid_plans_use_no_seats(fakeplat: Any) -> None:
    """Seats are counted on paid plans only."""
    assert ("free", 0, 0, 2) == get_seats(fakeplat)


@pytest.mark.fakeplat(scenario=HOSTED)
def test_plans_are_for_owners(fakeplat: Any) -> None:
    """A guest of the group sees how many seats there are and how many members are billed, not the plan."""
    assert (None, 2, 2, 2) == get_seats(fakeplat, "ben")


@pytest.mark.fakeplat(scenario={**HOSTED, "instance": {"tier": "premium"}})
@pytest.mark.parametrize(("plan", "counted"), [("", 2), ("unknown", 2), ("bronze", 2), ("silver", 2), ("gold", 1)])
@pytest.mark.parametrize("path", ["namespaces?search=acme&", "namespaces/acme?"])
def test_members_are_counted_for_the_requested_plan(fakeplat: Any, path: str, plan: str, counted: int) -> None:
    """Guests are free on the top plan."""
    namespace = fakeplat.as_user("ada").get(f"{path}requested_hosted_plan={plan}").json()

    assert counted == (namespace[0] if isinstance(namespace, list) else namespace)["billable_members_count"]


@pytest.mark.fakeplat(scenario={**HOSTED, "instance": {"tier": "premium"}})
def test_seats_are_the_hosted_offerings(fakeplat: Any) -> None:
    """Elsewhere there is a plan, called default, and no seats."""
    assert ("default", None, None, 2) == get_seats(fakeplat)
