"""Minutes on runners of the instance. Source: ee/spec/requests/api/graphql/ci/minutes/usage_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data


def build_job(start: str, end: str, runner: str = "big-token") -> dict[str, Any]:
    times = {"started_at": f"{start}Z", "finished_at": f"{end}Z"}
    return {"name": "build", "status": "success", "runner": {"token": runner}, **times}


SMALL = [
    build_job("2020-10-31T23:59:00", "2020-11-01T00:00:30"),
    build_job("2020-10-20T08:00:00", "2020-10-20T08:05:59"),
    build_job("2020-10-20T08:00:00", "2020-10-20T09:00:00", "own-token"),
    {"name": "open", "status": "running", "runner": {"token": "big-token"}, "started_at": "2020-11-20T08:00:00Z"},
]
LARGE = [build_job("2020-10-21T08:00:00", "2020-10-21T08:10:00")]
PUBLIC = [build_job("2020-10-22T08:00:00", "2020-10-22T08:01:00")]
NOTES = [build_job("2020-09-01T08:00:00", "2020-09-01T08:02:00")]
SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "settings": {"shared_runners_minutes": 100},
    "runners": [
        {"description": "big", "runner_type": "instance_type", "token": "big-token"},
        {"description": "own", "runner_type": "group_type", "group": "acme", "token": "own-token"},
    ],
    "projects": [
        {"path_with_namespace": "acme/site", "pipelines": [{"ref": "main", "jobs": SMALL}]},
        {"path_with_namespace": "acme/tools/kit", "pipelines": [{"ref": "main", "jobs": LARGE}]},
        {"path_with_namespace": "acme/docs", "pipelines": [{"ref": "main", "jobs": PUBLIC}]},
        {"path_with_namespace": "ada/notes", "pipelines": [{"ref": "main", "jobs": NOTES}]},
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", scenario=SCENARIO, tier="premium")
USAGE = "month monthIso8601 minutes sharedRunnersDuration"
PROJECTS = "projects { nodes { minutes sharedRunnersDuration project { name } } }"


def list_months(fake: Fakeplat, by: str | None, selection: str = USAGE, **arguments: str) -> list[dict[str, Any]]:
    given = ", ".join(f'{name}: "{value}"' for name, value in arguments.items())
    query = f"{{ ciMinutesUsage{f'({given})' if given else ''} {{ nodes {{ {selection} }} }} }}"
    nodes: list[dict[str, Any]] = query_data(fake, by, query)["ciMinutesUsage"]["nodes"]
    return nodes


def find_group(fake: Fakeplat, path: str = "acme") -> str:
    return str(query_data(fake, "root", f'{{ group(fullPath: "{path}") {{ id }} }}')["group"]["id"])


OCTOBER = {"month": "October", "monthIso8601": "2020-10-01", "minutes": 15, "sharedRunnersDuration": 1019}
NOVEMBER = {"month": "November", "monthIso8601": "2020-11-01", "minutes": 1, "sharedRunnersDuration": 90}


def test_a_namespace_has_the_minutes_of_its_projects(fakeplat: Fakeplat) -> None:
    """Each month, the newest first, has the jobs that ended in it, of all projects of the group and below."""
    assert [NOVEMBER, OCTOBER] == list_months(fakeplat, "ada", namespaceId=find_group(fakeplat))


def test_the_projects_of_a_month(fakeplat: Fakeplat) -> None:
    """The project with the most minutes comes first; public projects cost nothing, but their seconds are counted."""
    found = list_months(fakeplat, "ada", PROJECTS, namespaceId=find_group(fakeplat), date="2020-10-01")

    assert [
        [
            {"minutes": 10, "sharedRunnersDuration": 600, "project": {"name": "Kit"}},
            {"minutes": 5, "sharedRunnersDuration": 359, "project": {"name": "Site"}},
            {"minutes": 0, "sharedRunnersDuration": 60, "project": {"name": "Docs"}},
        ]
    ] == [month["projects"]["nodes"] for month in found]


def test_users_see_their_own_minutes(fakeplat: Fakeplat) -> None:
    """Without a namespace, the minutes are those of the caller's projects; a month without jobs is not listed."""
    expected = {"month": "September", "monthIso8601": "2020-09-01", "minutes": 2, "sharedRunnersDuration": 120}
    assert [expected] == list_months(fakeplat, "ada")
    assert [[], [], []] == [
        list_months(fakeplat, "ada", date="2020-10-01"),
        list_months(fakeplat, "mia"),
        list_months(fakeplat, None),
    ]


def test_minutes_are_for_owners_of_top_level_groups(fakeplat: Fakeplat) -> None:
    """Maintainers see no minutes, and nobody sees those of a subgroup or of a group that does not exist."""
    group, subgroup = find_group(fakeplat), find_group(fakeplat, "acme/tools")

    assert 2 == len(list_months(fakeplat, "root", namespaceId=group))
    assert [[], [], []] == [
        list_months(fakeplat, "mia", namespaceId=group),
        list_months(fakeplat, "ada", namespaceId=subgroup),
        list_months(fakeplat, "ada", namespaceId="gid://gitlab/Group/1"),
    ]


@pytest.mark.fakeplat(scenario={**SCENARIO, "settings": {}})
def test_without_a_quota_no_minutes_count(fakeplat: Fakeplat) -> None:
    """Where a namespace may take any number of minutes, only the seconds are counted."""
    assert [0, 0] == [month["minutes"] for month in list_months(fakeplat, "ada", namespaceId=find_group(fakeplat))]


@pytest.mark.fakeplat(version="14.3", releases="<14.9")
def test_at_first_users_see_only_their_own_minutes(fakeplat: Fakeplat) -> None:
    """In the first releases minutes are those of the caller, and projects have names only."""
    found = list_months(fakeplat, "ada", "month minutes projects { nodes { name minutes } }")
    assert [{"month": "September", "minutes": 2, "projects": {"nodes": [{"name": "Notes", "minutes": 2}]}}] == found
