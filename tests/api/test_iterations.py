"""Iterations of groups and projects. Source: ee/lib/api/iterations.rb of the platform."""

from collections.abc import Callable

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names, refusal
from tests.graphql.queries import query_data, write_mutation

ITERATIONS = [
    {"title": "Winter", "start_date": "2020-12-01", "due_date": "2020-12-14"},
    {"title": "Autumn", "start_date": "2020-11-01", "due_date": "2020-11-14"},
    {"title": "Now", "start_date": "2020-11-16", "due_date": "2020-11-29", "description": "Words"},
]
OF_TOOLS = [{"title": "Tools", "start_date": "2020-12-20", "due_date": "2020-12-31"}]
GROUPS = [
    {"full_path": "acme", "iterations": ITERATIONS},
    {"full_path": "acme/tools", "iterations": OF_TOOLS},
]
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "groups": GROUPS},
    tier="premium",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
SITE, ACME, TOOLS = "projects/acme%2Fsite/iterations", "groups/acme/iterations", "groups/acme%2Ftools/iterations"


def list_titles(fake: Fakeplat, path: str) -> list[str]:
    return names(fake.as_user("gus").get(path).json(), "title")


def test_an_iteration_is_shown_with_the_number_of_its_state(fakeplat: Fakeplat) -> None:
    """The state of an iteration is a number that follows from its dates."""
    iterations = fakeplat.as_user("gus").get(ACME).json()
    now = iterations[1]

    assert [3, 2, 1] == names(iterations, "state")
    group_id = fakeplat.world.group("acme").id
    dates = {"start_date": "2020-11-16", "due_date": "2020-11-29"}
    times = {"created_at": now["created_at"], "updated_at": now["created_at"]}
    about = {"id": now["id"], "iid": 3, "group_id": group_id, "title": "Now", "description": "Words", "state": 2}
    assert {**about, **times, **dates} == now
    fakeplat.clock.advance("10d")
    assert [3, 3, 1] == names(fakeplat.as_user("gus").get(ACME).json(), "state")


@pytest.mark.parametrize(
    ("version", "expected"), [("14.8", set()), ("16.0", {"web_url"}), ("16.1", {"web_url", "sequence"})]
)
def test_later_releases_show_the_page_of_an_iteration(
    fakeplat_factory: Callable[..., Fakeplat], version: str, expected: set[str]
) -> None:
    """The address of the page and the place in the cadence, which begins with 1, were added one after the other."""
    fake = fakeplat_factory(version=version, tier="premium")
    new = {"groupPath": "acme", "startDate": "2020-11-16", "dueDate": "2020-11-29"}
    data = query_data(fake, "dev", write_mutation("iterationCreate", "iteration { id webUrl }"), input=new)
    (iteration,) = fake.as_user("gus").get(ACME).json()
    values = {"web_url": data["iterationCreate"]["iteration"]["webUrl"], "sequence": 1}

    assert {name: values[name] for name in expected} == {
        name: iteration[name] for name in ("web_url", "sequence") if name in iteration
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (ACME, ["Autumn", "Now", "Winter"]),
        (SITE, ["Autumn", "Now", "Winter"]),
        (TOOLS, ["Autumn", "Now", "Winter", "Tools"]),
        (f"{TOOLS}?include_ancestors=false", ["Tools"]),
        (f"{ACME}?state=opened", ["Now", "Winter"]),
        (f"{ACME}?state=upcoming", ["Winter"]),
        (f"{ACME}?state=started", ["Now"]),
        (f"{ACME}?state=closed", ["Autumn"]),
        (f"{ACME}?search=WINT", ["Winter"]),
    ],
)
def test_iterations_are_listed_by_their_end(fakeplat: Fakeplat, path: str, expected: list[str]) -> None:
    """Iterations, also those of groups above, are listed by their end."""
    assert expected == list_titles(fakeplat, path)


def test_a_personal_project_has_no_iterations(fakeplat: Fakeplat) -> None:
    """A personal project has no iterations, because they belong to groups."""
    fakeplat.as_user("gus").post("projects", json={"name": "own"})

    assert [] == list_titles(fakeplat, "projects/gus%2Fown/iterations")


def test_other_states_are_refused(fakeplat: Fakeplat) -> None:
    """Unknown states of iterations answer 400."""
    expected = (400, {"error": "state does not have a valid value"})
    assert expected == refusal(fakeplat, "gus", "GET", f"{ACME}?state=new")
