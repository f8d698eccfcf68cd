"""Stars for dashboards of metrics. Source: docs/platform/metrics-dashboards.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import UNAUTHORIZED, outcome, refusal, resource_not_found

SITE = "projects/acme%2Fsite"
STARS = f"{SITE}/metrics/user_starred_dashboards"
COMMON, POD = "config/prometheus/common_metrics.yml", "config/prometheus/pod_metrics.yml"
OWN = ".gitlab/dashboards/find&seek.yml"
NOT_AUTHORIZED = (400, {"errors": "You are not authorized to add star to this dashboard"})
NOT_FOUND = (400, {"errors": "Dashboard with requested path can not be found"})
pytestmark = STARTER_AT_NINE


def stars(fake: Fakeplat) -> list[Any]:
    """The stars of the project, as a scenario declares them."""
    return [
        star for project in export_world(fake.bench.platform)["projects"] for star in project.get("dashboard_stars", [])
    ]


def add_dashboard(fake: Fakeplat) -> None:
    """Add a dashboard to the repository, and a file beside it that is none."""
    files = [{"action": "create", "file_path": path, "content": "a"} for path in (OWN, ".gitlab/dashboards/notes.md")]
    body = {"branch": "master", "commit_message": "Add a dashboard", "actions": files}
    fake.as_user("ada").post(f"{SITE}/repository/commits", json=body)


@pytest.mark.parametrize("sent", [OWN, ".gitlab%2Fdashboards%2Ffind%26seek.yml"])
def test_a_dashboard_of_the_repository_is_starred(fakeplat: Fakeplat, sent: str) -> None:
    """The path of a dashboard may be encoded once more than the body that contains it."""
    add_dashboard(fakeplat)
    rep = fakeplat.as_user("rep")
    reply = rep.post(STARS, json={"dashboard_path": sent})
    row = reply.json()

    assert (201, OWN, rep.get("user").json()["id"], rep.get(SITE).json()["id"]) == (
        reply.status,
        row["dashboard_path"],
        row["user_id"],
        row["project_id"],
    )
    assert ["id", "dashboard_path", "user_id", "project_id"] == list(row)


@pytest.mark.parametrize("path", [".gitlab/dashboards/notes.md", ".gitlab/dashboards/none.yml", "README.md"])
def test_what_is_no_dashboard_is_not_starred(fakeplat: Fakeplat, path: str) -> None:
    """Only the platform's dashboards and the YAML files in the folder of dashboards can be starred."""
    add_dashboard(fakeplat)

    assert NOT_FOUND == refusal(fakeplat, "rep", "POST", STARS, json={"dashboard_path": path})
    assert [] == stars(fakeplat)


def test_a_dashboard_is_starred_once(fakeplat: Fakeplat) -> None:
    """A second star of the same user is refused, and a path is required."""
    rep = fakeplat.as_user("rep")
    rep.post(STARS, json={"dashboard_path": COMMON})
    taken = (400, {"errors": {"dashboard_path": ["has already been taken"]}})

    assert taken == outcome(rep.post(STARS, json={"dashboard_path": COMMON}))
    assert (400, {"error": "dashboard_path is empty"}) == outcome(rep.post(STARS, json={"dashboard_path": ""}))
    assert (400, {"error": "dashboard_path is missing, dashboard_path is empty"}) == outcome(rep.post(STARS))
    assert [{"path": COMMON, "user": "rep"}] == stars(fakeplat)


def test_who_cannot_see_metrics_does_not_star_dashboards(fakeplat: Fakeplat) -> None:
    """Reporters star dashboards; guests are told that they may not, and strangers see no project."""
    body = {"dashboard_path": COMMON}

    assert NOT_AUTHORIZED == refusal(fakeplat, "gus", "POST", STARS, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", STARS, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, None, "POST", STARS, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", STARS)
    assert [] == stars(fakeplat)


@pytest.mark.parametrize(("query", "deleted"), [(f"?dashboard_path={COMMON}", 1), ("", 2), ("?dashboard_path=x", 0)])
def test_stars_are_removed(fakeplat: Fakeplat, query: str, deleted: int) -> None:
    """The caller's star for a dashboard goes, without a path all of them in the project, and nobody else's."""
    for username in ("rep", "dev"):
        for path in (COMMON, POD):
            fakeplat.as_user(username).post(STARS, json={"dashboard_path": path})

    assert (200, {"deleted_rows": deleted}) == outcome(fakeplat.as_user("rep").delete(f"{STARS}{query}"))
    assert 4 - deleted == len(stars(fakeplat))
    assert 2 == len([star for star in stars(fakeplat) if star["user"] == "dev"])


def test_stars_are_declared(fakeplat: Fakeplat) -> None:
    """A scenario declares the stars of a project, and an export has them."""
    entry = {"path": POD, "user": "dev"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "dashboard_stars": [entry]}]})

    assert [entry] == stars(fakeplat)
