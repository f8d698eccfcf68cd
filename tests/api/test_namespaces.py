"""Namespaces. Source: docs/platform/namespaces.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BILLS_ARE_FOR_OWNERS,
    DOMAINS_OF_PAGES_ARE_TAKEN,
    LIMITS_ARE_OF_HOSTED_NAMESPACES,
)
from tests.api.fields import NAMESPACE
from tests.api.requests import (
    FORBIDDEN,
    PAGE_HEADERS,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.every_release

BILLED = {"billable_members_count"}
PLAN = BILLED | {"plan", "trial_ends_on", "trial"}
SEATS = {"max_seats_used", "seats_in_use"}
MINUTES = {"shared_runners_minutes_limit", "extra_shared_runners_minutes_limit"}
STORAGE = {"additional_purchased_storage_size", "additional_purchased_storage_ends_on"}
COUNT = {"members_count_with_descendants"}
ALL = ["root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob", "acme", "acme/tools"]


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        ("root", "", ALL),
        ("ada", "", ["ada", "acme"]),
        ("gus", "", ["gus", "acme"]),
        ("eve", "", ["eve"]),
        ("root", "search=ACM", ["acme"]),
        ("root", "search=tools", ["acme/tools"]),
        ("root", "search=Tool", ["acme/tools"]),
        ("root", "search=ada+Ex", ["ada"]),
        ("root", "search=nothing", []),
        ("root", "search=", ALL),
        ("ada", "search=mia", []),
        ("ada", "search=acme", ["acme"]),
    ],
)
def test_lists_of_namespaces(fakeplat: Fakeplat, viewer: str, query: str, expected: list[str]) -> None:
    """Users list their own namespace and groups with direct membership, administrators all."""
    assert expected == names(fakeplat.as_user(viewer).get(f"namespaces?{query}").json(), "full_path")


@pytest.mark.parametrize("role", ["guest", "reporter", "developer", "maintainer", "owner"])
def test_any_direct_membership_lists_a_group(fakeplat: Fakeplat, role: str) -> None:
    """A direct membership of a subgroup lists the subgroup alone."""
    fakeplat.load({"groups": [{"path": "one", "groups": [{"path": "two", "members": {"eve": role}}]}]})

    assert ["eve", "one/two"] == names(fakeplat.as_user("eve").get("namespaces").json(), "full_path")


@pytest.mark.fakeplat(releases="<18.9")
@pytest.mark.parametrize(
    ("viewer", "path", "fields"),
    [
        ("ada", "ada", NAMESPACE),
        ("root", "ada", NAMESPACE),
        ("gus", "acme", NAMESPACE),
        ("dev", "acme", NAMESPACE),
        ("mia", "acme", NAMESPACE | COUNT),
        ("ada", "acme", NAMESPACE | COUNT),
        ("root", "acme", NAMESPACE | COUNT),
    ],
)
@pytest.mark.parametrize("single", [True, False])
def test_the_viewer_decides_which_fields_a_namespace_has(
    fakeplat: Fakeplat, viewer: str, path: str, fields: set[str], single: bool
) -> None:
    """Eight fields; Maintainers and owners of a group also see how many members it has."""
    namespace = fakeplat.as_user(viewer).get(f"namespaces/{path}" if single else f"namespaces?search={path}").json()

    assert fields == set(namespace if single else namespace[0])


@pytest.mark.fakeplat(releases="<18.9")
@pytest.mark.parametrize("hosted", [pytest.param(True, marks=pytest.mark.fakeplat(hosted=True, tier="premium")), False])
@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("viewer", "fields"),
    [
        ("gus", NAMESPACE | BILLED),
        ("mia", NAMESPACE | COUNT | BILLED),
        ("ada", NAMESPACE | COUNT | PLAN),
        ("root", NAMESPACE | COUNT | PLAN),
    ],
)
def test_paid_tiers_show_owners_the_plan(fakeplat: Fakeplat, viewer: str, fields: set[str], hosted: bool) -> None:
    """Plans are for who owns the namespace, seats for the hosted offering, its limits of minutes for administrators."""
    expected = fields | (SEATS if hosted else set()) | (MINUTES if hosted and viewer == "root" else set())
    # Early releases show the limits to administrators everywhere.
    ignored = STORAGE if hosted else STORAGE | MINUTES

    assert expected == set(fakeplat.as_user(viewer).get("namespaces/acme").json()) - ignored


@pytest.mark.fakeplat(tier="premium")
@by_release(LIMITS_ARE_OF_HOSTED_NAMESPACES, "expected", {"13.5": MINUTES, "13.12": set()})
def test_limits_are_sold_on_the_hosted_offering(fakeplat: Fakeplat, expected: set[str]) -> None:
    """Only early releases show administrators of other instances what can be bought on the hosted offering."""
    assert expected == set(fakeplat.as_user("root").get("namespaces/acme").json()) & (MINUTES | STORAGE)


@pytest.mark.fakeplat(tier="premium", hosted=True, version="13.12")
@pytest.mark.parametrize(("viewer", "expected"), [("gus", set()), ("ada", set()), ("root", STORAGE)])
def test_bought_storage_is_for_administrators(fakeplat: Fakeplat, viewer: str, expected: set[str]) -> None:
    """Only administrators of the hosted offering see what storage was bought."""
    assert expected == set(fakeplat.as_user(viewer).get("namespaces/acme").json()) & STORAGE


@pytest.mark.fakeplat(tier="premium", hosted=True)
@by_release(BILLS_ARE_FOR_OWNERS, "expected", {"18.8": 5, "18.9": None})
def test_others_do_not_see_bills(fakeplat: Fakeplat, expected: int | None) -> None:
    """What is billed is null for those who do not own the namespace; owners and administrators see it."""
    hidden = fakeplat.as_user("gus").get("namespaces/acme").json()
    assert [expected] * 3 == [hidden[name] for name in ("billable_members_count", "max_seats_used", "seats_in_use")]
    for viewer in ("ada", "root"):
        assert 5 == fakeplat.as_user(viewer).get("namespaces/acme").json()["billable_members_count"]


@pytest.mark.parametrize(("tier", "plan"), [("free", "free"), ("premium", "silver"), ("ultimate", "gold")])
def test_the_plan_follows_the_tier(fakeplat_factory: Any, tier: str, plan: str) -> None:
    """On the hosted offering a namespace's plan follows the tier by default."""
    fake = fakeplat_factory(hosted=True, tier=tier)

    assert plan == fake.as_user("ada").get("namespaces/acme").json()["plan"]


def test_values_of_namespaces(fakeplat: Fakeplat) -> None:
    """Namespaces of groups and of users have the expected values."""
    calls = fakeplat.as_user("root")
    tools, ada, acme = (calls.get(f"namespaces/{path}").json() for path in ("acme%2Ftools", "ada", "acme"))

    assert ("Tools", "tools", "group", "acme/tools", acme["id"], f"{fakeplat.url}/groups/acme/tools") == tuple(
        tools[name] for name in ("name", "path", "kind", "full_path", "parent_id", "web_url")
    )
    assert ("Ada Example", "ada", "user", "ada", None, f"{fakeplat.url}/ada") == tuple(
        ada[name] for name in ("name", "path", "kind", "full_path", "parent_id", "web_url")
    )
    assert 5 == acme["members_count_with_descendants"]


@pytest.mark.parametrize(
    ("viewer", "path", "seen"),
    [
        ("ada", "ada", True),
        ("eve", "ada", False),
        ("root", "ada", True),
        ("gus", "acme", True),
        ("gus", "acme%2Ftools", True),
        ("eve", "acme", False),
        ("eve", "acme%2Ftools", False),
        ("root", "acme%2Ftools", True),
        ("root", "nothing", False),
        ("root", "acme%2Fsite", False),
        ("root", "9999", False),
    ],
)
def test_roles_that_find_a_namespace(fakeplat: Fakeplat, viewer: str, path: str, seen: bool) -> None:
    """A namespace is found by its owner, its members and administrators only."""
    if seen:
        reply = fakeplat.as_user(viewer).get(f"namespaces/{path}")
        assert 200 == reply.status
        assert reply.json() == fakeplat.as_user(viewer).get(f"namespaces/{reply.json()['id']}").json()
    else:
        assert resource_not_found("Namespace") == refusal(fakeplat, viewer, "GET", f"namespaces/{path}")


def test_a_path_of_digits_is_an_id(fakeplat: Fakeplat) -> None:
    """A group whose path is a number is not found by it."""
    fakeplat.load({"groups": [{"path": "4711", "members": {"eve": "owner"}}]})

    assert resource_not_found("Namespace") == refusal(fakeplat, "eve", "GET", "namespaces/4711")


@pytest.mark.parametrize("path", ["namespaces", "namespaces/acme", "namespaces/9999", "namespaces?page=x"])
def test_namespaces_require_a_login(fakeplat: Fakeplat, path: str) -> None:
    """Somebody must be signed in, before anything else is looked at."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


def test_the_list_has_pages(fakeplat: Fakeplat) -> None:
    """The list of namespaces has all headers of pages."""
    reply = fakeplat.as_user("root").get("namespaces?per_page=5&page=3")

    assert ["acme/tools"] == names(reply.json(), "full_path")
    assert ("11", "3", "5", "3", "", "2") == tuple(reply.headers[name] for name in PAGE_HEADERS[:-1])
    assert invalid("page is invalid") == refusal(fakeplat, "root", "GET", "namespaces?page=x")


# changing


@pytest.mark.fakeplat(tier="premium", hosted=True)
@pytest.mark.parametrize("reference", ["acme%2Ftools", "{id}", "ada"])
def test_administrators_set_limits(fakeplat: Fakeplat, reference: str) -> None:
    """Administrators set limits by id or path; null removes one."""
    path = f"namespaces/{reference.format(id=fakeplat.world.group('acme/tools').id)}"
    calls = fakeplat.as_user("root")
    minutes = {"shared_runners_minutes_limit": 9001, "extra_shared_runners_minutes_limit": 5}
    reply = calls.put(path, json=minutes)

    assert (200, reply.json()) == (reply.status, calls.get(path).json())
    assert minutes.items() <= reply.json().items()
    later = calls.put(path, json={"shared_runners_minutes_limit": None}).json()
    assert (None, 5) == (later["shared_runners_minutes_limit"], later["extra_shared_runners_minutes_limit"])


@pytest.mark.fakeplat(tier="premium", hosted=True, releases="<14.10")
@pytest.mark.parametrize("path", ["acme%2Ftools", "ada"])
def test_administrators_set_the_end_of_a_trial(fakeplat: Fakeplat, path: str) -> None:
    """Administrators set when the trial of a namespace ends; later releases have that in the subscription."""
    reply = fakeplat.as_user("root").put(f"namespaces/{path}", json={"trial_ends_on": "2021-01-31"})
    assert (200, "2021-01-31") == (reply.status, reply.json()["trial_ends_on"])


@pytest.mark.fakeplat(tier="premium", hosted=True, releases="<14.10")
def test_administrators_set_the_plan(fakeplat: Fakeplat) -> None:
    """Administrators set the plan of a namespace, which then shows it; later releases have it in the subscription."""
    assert "bronze" == fakeplat.as_user("root").put("namespaces/acme", json={"plan": "bronze"}).json()["plan"]
    assert "bronze" == fakeplat.as_user("ada").get("namespaces/acme").json()["plan"]


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("viewer", "path", "body", "expected"),
    [
        (None, "acme", {}, UNAUTHORIZED),
        ("ada", "acme", {"shared_runners_minutes_limit": 1}, FORBIDDEN),
        ("ada", "nowhere", {"shared_runners_minutes_limit": 1}, FORBIDDEN),
        ("root", "nowhere", {}, resource_not_found("Namespace")),
        ("root", "99999", {}, resource_not_found("Namespace")),
        ("root", "acme", {"shared_runners_minutes_limit": "x"}, invalid("shared_runners_minutes_limit is invalid")),
        pytest.param(
            *("root", "acme", {"trial_ends_on": "soon"}, invalid("trial_ends_on is invalid")),
            marks=pytest.mark.fakeplat(releases="<14.10"),
        ),
        pytest.param(
            *("root", "acme", {"plan": "iron"}, invalid_record(plan=["is not included in the list"])),
            marks=pytest.mark.fakeplat(releases="<14.10"),
        ),
    ],
)
def test_changing_a_namespace_is_refused(
    fakeplat: Fakeplat, viewer: str | None, path: str, body: Any, expected: Outcome
) -> None:
    """Only administrators change existing namespaces."""
    assert expected == refusal(fakeplat, viewer, "PUT", f"namespaces/{path}", json=body)


def test_changing_a_namespace_is_a_paid_feature(fakeplat: Fakeplat) -> None:
    """On the free tier changing a namespace is not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "PUT", "namespaces/acme", json={})


@by_release(DOMAINS_OF_PAGES_ARE_TAKEN, "is_taken", {"18.8": False, "18.9": True})
def test_names_of_domains_of_pages_are_taken(fakeplat: Fakeplat, is_taken: bool) -> None:
    """The name of a domain that the pages of a project have for themselves is no name for a group."""
    root = fakeplat.as_user("root")
    project = fakeplat.world.project("acme/site").id
    root.patch(f"projects/{project}/pages", json={"pages_unique_domain_enabled": True})
    name = f"site-{project}"

    expected = {"exists": is_taken, "suggests": [f"{name}1"] if is_taken else []}
    assert expected == root.get(f"namespaces/{name}/exists").json()
    assert {"exists": False, "suggests": []} == root.get(f"namespaces/docs-{project}/exists").json()
    root.patch(f"projects/{project}/pages", json={"pages_unique_domain_enabled": False})
    assert {"exists": False, "suggests": []} == root.get(f"namespaces/{name}/exists").json()
