"""Remarks on dashboards of metrics. Source: docs/platform/metrics-dashboards.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.pipelines import load_project
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, refusal

COMMON = "config/prometheus/common_metrics.yml"
START, END = "2020-11-20T09:00:00.000Z", "2020-11-20T10:00:00.000Z"
REMARK = {"dashboard_path": COMMON, "starting_at": "2020-11-20T09:00:00Z", "description": "Deployed"}
MISSING = (404, {"message": "404 Not found"})


@pytest.fixture
def path(fakeplat: Fakeplat) -> str:
    """Where the remarks of an environment are sent to."""
    load_project(fakeplat, environments=[{"name": "observed"}])
    (row,) = fakeplat.as_user("ada").get("projects/acme%2Fsite/environments?name=observed").json()
    return f"environments/{row['id']}/metrics_dashboard/annotations"


def list_remarks(fake: Fakeplat) -> list[Any]:
    """The remarks on environments, as a scenario declares them."""
    projects = export_world(fake.bench.platform)["projects"]
    rows = [row for project in projects for row in project.get("environments", []) if isinstance(row, dict)]
    return [remark for row in rows for remark in row.get("dashboard_annotations", [])]


def test_a_developer_annotates_a_dashboard_of_an_environment(fakeplat: Fakeplat, path: str) -> None:
    """The remark is answered with all fields, and the path of the dashboard may be encoded once more."""
    sent = {**REMARK, "dashboard_path": COMMON.replace("/", "%2F"), "ending_at": "2020-11-20T10:00:00Z"}
    answer = fakeplat.as_user("dev").post(path, json=sent)
    row = answer.json()

    expected = {"starting_at": START, "ending_at": END, "dashboard_path": COMMON, "description": "Deployed"}
    environment_id = int(path.split("/")[1])
    assert (201, {"id": row["id"], **expected, "environment_id": environment_id, "cluster_id": None}) == (
        answer.status,
        row,
    )
    assert ["id", "starting_at", "ending_at", "dashboard_path", "description", "environment_id", "cluster_id"] == list(
        row
    )
    assert [expected] == list_remarks(fakeplat)


def test_a_developer_annotates_a_dashboard_of_a_cluster(fakeplat: Fakeplat) -> None:
    """A cluster of a group is annotated by the group's Developers, one of the instance by nobody."""
    platform = {"api_url": "https://kubernetes.example.test", "token": "secret"}
    clusters = [{"name": "own", "platform_kubernetes": platform}]
    fakeplat.load({"clusters": clusters, "groups": [{"full_path": "acme", "clusters": clusters}]})
    ids = [fakeplat.as_user("root").get(f"{where}/clusters").json()[0]["id"] for where in ("groups/acme", "admin")]
    paths = [f"clusters/{id_}/metrics_dashboard/annotations" for id_ in ids]
    row = fakeplat.as_user("dev").post(paths[0], json=REMARK).json()

    assert (None, ids[0]) == (row["environment_id"], row["cluster_id"])
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", paths[0], json=REMARK)
    assert FORBIDDEN == refusal(fakeplat, "root", "POST", paths[1], json=REMARK)
    assert MISSING == refusal(fakeplat, "dev", "POST", "clusters/1/metrics_dashboard/annotations", json=REMARK)


def failed(message: object, step: str = "create") -> Outcome:
    return 400, {"message": message, "status": "error", "last_step": step}


NO_DASHBOARD = failed("Dashboard with requested path can not be found", "parse_dashboard_path")


@pytest.mark.parametrize(
    ("by", "changes", "expected"),
    [
        (None, {}, UNAUTHORIZED),
        ("eve", {}, FORBIDDEN),
        ("rep", {}, FORBIDDEN),
        ("dev", {"dashboard_path": ".gitlab/dashboards/none.yml"}, NO_DASHBOARD),
        ("dev", {"description": " "}, failed({"description": ["can't be blank"]})),
        ("dev", {"description": "x" * 256}, failed({"description": ["is too long (maximum is 255 characters)"]})),
        ("dev", {"ending_at": "2020-11-19T09:00:00Z"}, failed({"ending_at": ["can't be before starting_at time"]})),
        ("dev", {"starting_at": "soon"}, invalid("starting_at is invalid")),
    ],
)
def test_a_remark_is_refused(
    fakeplat: Fakeplat, path: str, by: str | None, changes: dict[str, str], expected: Outcome
) -> None:
    """Below Developer, for a dashboard that is missing or with a wrong field nothing is stored."""
    assert expected == refusal(fakeplat, by, "POST", path, json={**REMARK, **changes})
    assert [] == list_remarks(fakeplat)


def test_the_environment_has_to_exist(fakeplat: Fakeplat) -> None:
    """The id is that of an environment of any project."""
    assert MISSING == refusal(fakeplat, "dev", "POST", "environments/1/metrics_dashboard/annotations", json=REMARK)


def test_remarks_are_declared_and_deleted_with_the_environment(fakeplat: Fakeplat) -> None:
    """A scenario brings remarks, and the end of an environment takes them away."""
    remark = {"dashboard_path": COMMON, "starting_at": START, "description": "Deployed"}
    load_project(fakeplat, environments=[{"name": "observed", "dashboard_annotations": [remark]}])
    declared = list_remarks(fakeplat)
    (row,) = fakeplat.as_user("ada").get("projects/acme%2Fsite/environments?name=observed").json()
    place = f"projects/acme%2Fsite/environments/{row['id']}"
    fakeplat.as_user("ada").post(f"{place}/stop")
    fakeplat.as_user("ada").delete(place)

    assert [remark] == declared
    assert [] == list_remarks(fakeplat)
