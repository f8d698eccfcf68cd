"""What users visit often and lately, as app/models/concerns/users/visitable.rb of the platform scores it."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.graphql.queries import query_data

PROJECTS: Final = ("one", "two", "six", "ten", "own", "all")


def visit(path: str, day: str) -> dict[str, str]:
    return {"path": path, "visited_at": f"2020-{day}T12:00:00.000Z"}


# 16 November 2020 is a Monday.
VISITS: Final = [
    visit("acme/one", "11-13"),
    visit("acme/one", "11-14"),
    visit("acme/two", "11-16"),
    visit("acme/one", "11-22"),
    *[visit("acme/six", "08-21")] * 2,
    *[visit("acme/ten", "08-19")] * 9,
    visit("acme/ten", "11-25"),
    visit("acme", "11-10"),
    visit("hidden", "11-11"),
    visit("hidden/deep", "11-11"),
]
SCENARIO: Final[dict[str, Any]] = {
    "users": [{"username": "ada", "visits": VISITS}, "eve"],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "projects": [{"path": path, "visibility": "public"} for path in PROJECTS],
        },
        {"path": "hidden", "visibility": "private", "projects": [{"path": "deep", "visibility": "private"}]},
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=SCENARIO, start="2020-11-20T09:00:00Z")
QUERY: Final = "{ frecentGroups { fullPath } frecentProjects { path } }"


def list_paths(fake: Fakeplat, by: str | None) -> tuple[list[str], list[str]]:
    data = query_data(fake, by, QUERY)
    return [row["fullPath"] for row in data["frecentGroups"]], [row["path"] for row in data["frecentProjects"]]


def test_later_weeks_count_more(fakeplat: Fakeplat) -> None:
    """Scores are visits times the place of their week; visits to come and those before three months do not count."""
    # The weeks are those of 21 August, 13 November and 16 November: six 2 * 1, one 2 * 2, two 1 * 3.
    assert (["acme"], ["one", "two", "six"]) == list_paths(fakeplat, "ada")


def test_time_changes_what_was_visited_lately(fakeplat: Fakeplat) -> None:
    """Visits are forgotten after three months."""
    fakeplat.clock.advance_to("2020-11-23T09:00:00Z")

    # The visit of 22 November counts with that of 16 November, in the second week.
    assert ["one", "two"] == list_paths(fakeplat, "ada")[1]


def test_each_user_has_own_visits(fakeplat: Fakeplat) -> None:
    """Who visited nothing gets empty lists, and visitors get none."""
    assert ([], []) == list_paths(fakeplat, "eve")
    assert {"frecentGroups": None, "frecentProjects": None} == query_data(fakeplat, None, QUERY)


@pytest.mark.fakeplat(
    scenario={
        **SCENARIO,
        "users": [{"username": "ada", "visits": [visit(f"acme/{path}", "11-16") for path in PROJECTS]}],
    }
)
def test_five_projects_are_listed(fakeplat: Fakeplat) -> None:
    """At most five projects are listed."""
    assert 5 == len(list_paths(fakeplat, "ada")[1])


def test_visits_survive_an_export(fakeplat: Fakeplat) -> None:
    """An export has the visits of users."""
    with fakeplat.bench.platform.acting() as ctx:
        exported = export_world(ctx.world)
    (ada,) = [user for user in exported["users"] if user["username"] == "ada"]

    assert VISITS == ada["visits"]
