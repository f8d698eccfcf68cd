"""Figures about groups, projects and their deployments. Source: docs/platform/analytics.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DORA_COUNTS_CHANGE_FAILURES,
    DORA_COUNTS_INCIDENTS,
    DORA_RANGE_IN_DAYS,
    DORA_ROWS_HAVE_DATES_AS_KEYS,
)
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, outcome, refusal, resource_not_found
from tests.by_release import by_release

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
NO_PERMISSION = (401, {"message": "You do not have permission to access dora metrics."})


def deployment(finished_at: str, **more: Any) -> dict[str, Any]:
    """A successful deployment to production."""
    return {
        "environment": "production",
        "ref": "master",
        "status": "success",
        "created_at": finished_at,
        "finished_at": finished_at,
        **more,
    }


PROJECT: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "environments": [{"name": "production"}, {"name": "staging"}],
    "deployments": [
        deployment("2020-10-05T12:00:00Z"),
        deployment("2020-11-02T12:00:00Z"),
        deployment("2020-11-03T10:00:00Z"),
        deployment("2020-11-03T12:00:00Z"),
        deployment("2020-11-04T12:00:00Z", status="failed"),
        deployment("2020-11-04T12:00:00Z", environment="staging"),
    ],
    "issues": [
        {
            "title": "Down",
            "type": "incident",
            "author": "dev",
            "state": "closed",
            "created_at": "2020-11-03T13:00:00Z",
            "closed_at": "2020-11-05T13:00:00Z",
        }
    ],
}
DEPLOYED: dict[str, Any] = {"extends": "starter", "projects": [PROJECT]}
pytestmark = STARTER_AT_NINE
WITH_DEPLOYMENTS = pytest.mark.fakeplat(scenario=DEPLOYED, version="latest", default_branch="master", tier="ultimate")


def metric(fake: Fakeplat, name: str, place: str = SITE, **values: Any) -> Any:
    """Ask for a metric as a reporter."""
    query = "&".join(f"{key}={value}" for key, value in {"metric": name, **values}.items())
    return fake.as_user("rep").get(f"{place}/dora/metrics?{query}").json()


@WITH_DEPLOYMENTS
@pytest.mark.parametrize("place", [SITE, ACME])
def test_deployments_are_counted_by_day(fakeplat: Fakeplat, place: str) -> None:
    """Successful deployments of production count, by the day of their end; a day with an incident only has none."""
    rows = metric(fakeplat, "deployment_frequency", place, start_date="2020-10-01", end_date="2020-11-20")

    assert [
        {"date": "2020-10-05", "value": 1},
        {"date": "2020-11-02", "value": 1},
        {"date": "2020-11-03", "value": 2},
        {"date": "2020-11-05", "value": 0},
    ] == rows


@WITH_DEPLOYMENTS
def test_deployments_are_counted_by_month_or_together(fakeplat: Fakeplat) -> None:
    """A month is named by its first day; all of them are one number."""
    days = {"start_date": "2020-10-01", "end_date": "2020-11-20"}

    monthly = [{"date": "2020-10-01", "value": 1}, {"date": "2020-11-01", "value": 3}]
    assert monthly == metric(fakeplat, "deployment_frequency", interval="monthly", **days)
    assert 4 == metric(fakeplat, "deployment_frequency", interval="all", **days)


@WITH_DEPLOYMENTS
def test_other_tiers_are_counted_apart(fakeplat: Fakeplat) -> None:
    """Without tiers only production counts; both parameters name others."""
    expected = [{"date": "2020-11-04", "value": 1}]

    assert expected == metric(fakeplat, "deployment_frequency", environment_tier="staging")
    assert expected == metric(fakeplat, "deployment_frequency", environment_tiers="staging")


@WITH_DEPLOYMENTS
def test_incidents_are_counted(fakeplat: Fakeplat) -> None:
    """The time of an incident is that until its end; failures are incidents by deployments."""
    restored = metric(fakeplat, "time_to_restore_service")
    assert {"date": "2020-11-05", "value": 172_800.0} in restored
    assert {"date": "2020-11-03", "value": 0.5} in metric(fakeplat, "change_failure_rate")
    assert 0.25 == metric(fakeplat, "change_failure_rate", interval="all")


@pytest.mark.fakeplat(version="latest", default_branch="master", tier="ultimate")
def test_the_lead_time_is_that_of_merge_requests(fakeplat: Fakeplat) -> None:
    """The lead time is that between the merge of a merge request and the end of its deployment."""
    root = fakeplat.as_user("ada")
    (iid,) = [row["iid"] for row in root.get(f"{SITE}/merge_requests?state=opened&source_branch=feature").json()]
    merged = root.put(f"{SITE}/merge_requests/{iid}/merge").json()
    fakeplat.clock.advance("1h")
    body = {"environment": "production", "sha": merged["merge_commit_sha"], "ref": "master", "tag": False}
    root.post(f"{SITE}/deployments", json={**body, "status": "success"})
    (row,) = metric(fakeplat, "lead_time_for_changes", end_date="2020-11-21")

    assert ("2020-11-20", 3600) == (row["date"], round(row["value"]))


@WITH_DEPLOYMENTS
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("metric=speed", "The metric must be one of deployment_frequency,lead_time_for_changes,"),
        ("metric=deployment_frequency&interval=weekly", "The interval must be one of all,monthly,daily."),
        ("metric=deployment_frequency&start_date=2020-01-01", "Date range must be shorter than 180 days."),
        (
            "metric=deployment_frequency&start_date=2020-11-20&end_date=2020-11-20",
            "The start date must be earlier than the end date.",
        ),
        (
            "metric=deployment_frequency&environment_tier=x",
            "The environment tiers must be from production, staging, testing, development, other.",
        ),
    ],
)
def test_senseless_questions_are_refused(fakeplat: Fakeplat, query: str, text: str) -> None:
    """Each wrong parameter has a text of its own."""
    status, body = refusal(fakeplat, "rep", "GET", f"{SITE}/dora/metrics?{query}")
    assert (400, True) == (status, body["message"].startswith(text))


@WITH_DEPLOYMENTS
def test_reporters_read_the_metrics(fakeplat: Fakeplat) -> None:
    """Guests and visitors of a public project get 401 with a text, those who do not see the project 404."""
    path = "dora/metrics?metric=deployment_frequency"

    assert 200 == fakeplat.as_user("rep").get(f"{SITE}/{path}").status
    assert NO_PERMISSION == refusal(fakeplat, "gus", "GET", f"{SITE}/{path}")
    assert NO_PERMISSION == refusal(fakeplat, None, "GET", f"projects/acme%2Fdocs/{path}")
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", f"{SITE}/{path}")
    assert invalid("metric is missing") == refusal(fakeplat, "rep", "GET", f"{SITE}/dora/metrics")


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_the_metrics_need_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate, nobody has the permission."""
    assert NO_PERMISSION == refusal(fakeplat, "root", "GET", f"{ACME}/dora/metrics?metric=deployment_frequency")


def ask_by_release(fake: Fakeplat, query: str) -> Any:
    """Ask for a metric of the starter scenario as the administrator."""
    return fake.as_user("root").get(f"{SITE}/dora/metrics?{query}").json()


@pytest.mark.fakeplat(tier="ultimate")
@by_release(DORA_COUNTS_INCIDENTS, "expected", {"14.8": False, "14.9": True})
def test_incidents_were_counted_later(fakeplat: Fakeplat, expected: bool) -> None:
    """The time to restore the service is a metric since 14.9."""
    assert expected == isinstance(ask_by_release(fakeplat, "metric=time_to_restore_service"), list)


@pytest.mark.fakeplat(tier="ultimate")
@by_release(DORA_COUNTS_CHANGE_FAILURES, "expected", {"14.9": False, "14.10": True})
def test_failures_of_changes_were_counted_later(fakeplat: Fakeplat, expected: bool) -> None:
    """The rate of failures is a metric since 14.10."""
    assert expected == isinstance(ask_by_release(fakeplat, "metric=change_failure_rate"), list)


@pytest.mark.fakeplat(tier="ultimate")
@by_release(DORA_RANGE_IN_DAYS, "expected", {"15.11": 92, "16.0": 180})
def test_longer_ranges_were_allowed_later(fakeplat: Fakeplat, expected: int) -> None:
    """The longest range was three months at first."""
    answer = ask_by_release(fakeplat, "metric=deployment_frequency&start_date=2020-01-01")
    assert {"message": f"Date range must be shorter than {expected} days."} == answer


@pytest.mark.fakeplat(scenario=DEPLOYED, tier="ultimate", default_branch="master")
@by_release(
    DORA_ROWS_HAVE_DATES_AS_KEYS,
    "expected",
    {
        "13.12": {"2020-11-02": 1, "date": "2020-11-02", "value": 1},
        "14.0": {"date": "2020-11-02", "value": 1},
    },
)
def test_rows_had_their_dates_as_keys(fakeplat: Fakeplat, expected: dict[str, Any]) -> None:
    """Before 14.0 each row also has its value under its date."""
    assert expected in metric(fakeplat, "deployment_frequency", start_date="2020-10-01")


@WITH_DEPLOYMENTS
def test_deployments_of_an_environment_are_counted(fakeplat: Fakeplat) -> None:
    """The older operation names an environment and a range of times; the end is not in it."""
    path = f"{SITE}/analytics/deployment_frequency?environment=production&from=2020-10-01T00:00:00Z"
    rep = fakeplat.as_user("rep")

    assert [{"value": 4, "from": "2020-10-01T00:00:00.000Z", "to": "2020-11-20T09:00:00.000Z"}] == [
        {**row, "to": row["to"][:-5] + ".000Z"} for row in rep.get(path).json()
    ]
    monthly = rep.get(f"{path}&interval=monthly").json()
    november = {"value": 3, "from": "2020-11-01T00:00:00.000Z", "to": "2020-12-01T00:00:00.000Z"}
    assert november == monthly[-1]
    daily = rep.get(f"{path}&interval=daily&to=2020-11-03T12:00:00Z").json()
    assert {"value": 1, "from": "2020-11-03", "to": "2020-11-04"} == daily[-1]


@WITH_DEPLOYMENTS
def test_senseless_ranges_of_deployments_are_refused(fakeplat: Fakeplat) -> None:
    """A range that ends before it begins, or is longer than a quarter, is refused; guests get 403."""
    path = f"{SITE}/analytics/deployment_frequency?environment=production"
    text = "400 Bad request - Parameter `to` is before the `from` date"
    assert (400, {"message": text}) == refusal(fakeplat, "rep", "GET", f"{path}&from=2021-01-01")
    text = "400 Bad request - Date range is greater than 91 days"
    assert (400, {"message": text}) == refusal(fakeplat, "rep", "GET", f"{path}&from=2020-01-01")
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{path}&from=2020-11-01")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{path}&from=2020-11-01")


ACTIVITY = "analytics/group_activity"


@pytest.mark.fakeplat(tier="premium")
def test_the_activity_of_a_group_is_counted(fakeplat: Fakeplat) -> None:
    """Issues, merge requests and members of the last 90 days count, those that the caller sees."""
    ada = fakeplat.as_user("ada")
    before = [ada.get(f"{ACTIVITY}/{name}?group_path=acme").json() for name in ("issues_count", "merge_requests_count")]
    ada.post(f"{SITE}/issues", json={"title": "New", "created_at": "2020-11-19T09:00:00Z"})
    ada.post(f"{SITE}/issues", json={"title": "Old", "created_at": "2020-01-01T09:00:00Z"})
    after = ada.get(f"{ACTIVITY}/issues_count?group_path=acme").json()

    assert ["issues_count", "merge_requests_count"] == [key for row in before for key in row]
    assert {"issues_count": before[0]["issues_count"] + 1} == after
    seen = fakeplat.as_user("eve").get(f"{ACTIVITY}/issues_count?group_path=acme").json()["issues_count"]
    assert seen < after["issues_count"]


@pytest.mark.fakeplat(tier="premium")
def test_new_members_of_a_group_are_counted(fakeplat: Fakeplat) -> None:
    """A user who becomes a member counts once."""
    ada, path = fakeplat.as_user("ada"), f"{ACTIVITY}/new_members_count?group_path=acme"
    before = ada.get(path).json()["new_members_count"]
    ada.post("groups/acme/members", json={"user_id": fakeplat.world.user("eve").id, "access_level": 10})

    assert (200, {"new_members_count": before + 1}) == outcome(ada.get(path))


@pytest.mark.fakeplat(tier="premium")
def test_the_activity_needs_a_group(fakeplat: Fakeplat) -> None:
    """The path is required and has to be known; visitors are asked to sign in."""
    path = f"{ACTIVITY}/issues_count"

    assert invalid("group_path is missing") == refusal(fakeplat, "ada", "GET", path)
    assert resource_not_found("Group") == refusal(fakeplat, "ada", "GET", f"{path}?group_path=none")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{path}?group_path=acme")


def test_the_activity_is_forbidden_without_a_licence(fakeplat: Fakeplat) -> None:
    """Below premium everybody gets 403."""
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"{ACTIVITY}/issues_count?group_path=acme")
