"""Logs of spent time: how they come about, who sees, creates and deletes them, and their lists."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GROUP_TIMELOGS_ARE_PAID
from tests.by_release import by_release
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate")

ISSUE = "projects/acme%2Fsite/issues/1"
LOG = "timeSpent spentAt summary user { username }"
CREATE = write_mutation("timelogCreate", f"timelog {{ id {LOG} }}")
DELETE = write_mutation("timelogDelete", "timelog { id timeSpent }")


def list_logs(fake: Fakeplat, selection: str = "timeSpent") -> list[Any]:
    answer = query_project(fake, "rep", f'issue(iid: "1") {{ timelogs {{ nodes {{ {selection} }} }} }}')
    rows: list[Any] = answer["issue"]["timelogs"]["nodes"]
    return rows


def global_id(fake: Fakeplat, by: str = "rep") -> str:
    return f"gid://gitlab/Issue/{fake.as_user(by).get(ISSUE).json()['id']}"


def create_log(fake: Fakeplat, by: str = "rep", **values: Any) -> Any:
    given = {"issuableId": global_id(fake), "timeSpent": "1h", "summary": "Reading", **values}
    return query_data(fake, by, CREATE, input=given)["timelogCreate"]


def total(fake: Fakeplat) -> int:
    return int(fake.as_user("rep").get(f"{ISSUE}/time_stats").json()["total_time_spent"])


def last_note(fake: Fakeplat) -> str:
    return str(fake.as_user("rep").get(f"{ISSUE}/notes").json()[0]["body"])


def test_spent_time_is_logged(fakeplat: Fakeplat) -> None:
    """Added, subtracted and reset time are logs whose sum is the total; a reset subtracts all of it."""
    user = fakeplat.as_user("rep")
    user.post(f"{ISSUE}/add_spent_time", json={"duration": "2h"})
    user.post(f"{ISSUE}/add_spent_time", json={"duration": "-30m"})
    user.post(f"{ISSUE}/reset_spent_time")

    assert [7200, -1800, -5400] == [row["timeSpent"] for row in list_logs(fakeplat)]
    assert 0 == total(fakeplat)


def test_a_quick_action_logs_time_with_its_note(fakeplat: Fakeplat) -> None:
    """The log of a quick action names the day, and the note that has other text too."""
    fakeplat.as_user("rep").post(f"{ISSUE}/notes", json={"body": "Done\n/spend 1h 2020-11-02"})

    assert [{"timeSpent": 3600, "spentAt": "2020-11-02T00:00:00Z", "note": {"body": "Done"}}] == list_logs(
        fakeplat, "timeSpent spentAt note { body }"
    )


def test_a_refused_subtraction_logs_nothing(fakeplat: Fakeplat) -> None:
    """More time than was spent cannot be subtracted."""
    fakeplat.as_user("rep").post(f"{ISSUE}/add_spent_time", json={"duration": "-1h"})

    assert [] == list_logs(fakeplat)


def test_a_reporter_creates_a_log(fakeplat: Fakeplat) -> None:
    """A created log counts in the total and writes a system note with the day, unless it is today."""
    created = create_log(fakeplat, spentAt="2020-11-02T10:00:00Z")

    assert [] == created["errors"]
    assert {
        "timeSpent": 3600,
        "spentAt": "2020-11-02T10:00:00Z",
        "summary": "Reading",
        "user": {"username": "rep"},
    }.items() <= created["timelog"].items()
    assert 3600 == total(fakeplat)
    assert "added 1h of time spent at 2020-11-02" == last_note(fakeplat)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"timeSpent": "soon"}, "Time spent must be formatted correctly. For example: 1h 30m."),
        ({"timeSpent": "0h"}, "Time spent can't be zero."),
        ({"spentAt": "2999-01-01T00:00:00Z"}, "Spent at can't be a future date and time."),
        ({"summary": "x" * 256}, "Summary is too long (maximum is 255 characters)"),
    ],
    ids=["format", "zero", "future", "summary"],
)
def test_a_wrong_log_is_refused(fakeplat: Fakeplat, values: dict[str, str], error: str) -> None:
    """Time that is no duration, zero or in the future and long summaries are errors of the payload."""
    assert {"timelog": None, "errors": [error]} == create_log(fakeplat, **values)
    assert [] == list_logs(fakeplat)


def test_a_guest_creates_no_log(fakeplat: Fakeplat) -> None:
    """Logging time needs the role of a reporter."""
    given = {"issuableId": global_id(fakeplat), "timeSpent": "1h", "summary": ""}
    content = query_refused(fakeplat, "gus", CREATE, input=given)

    assert [NOT_AVAILABLE] == list_messages(content)


@pytest.mark.parametrize("by", ["rep", "ada"])
def test_a_log_is_deleted(fakeplat: Fakeplat, by: str) -> None:
    """The author and maintainers delete a log, whose time is subtracted, with a system note."""
    id_ = create_log(fakeplat, spentAt="2020-11-02T10:00:00Z")["timelog"]["id"]
    deleted = query_data(fakeplat, by, DELETE, input={"id": id_})["timelogDelete"]

    assert {"timelog": {"id": id_, "timeSpent": 3600}, "errors": []} == deleted
    assert (0, []) == (total(fakeplat), list_logs(fakeplat))
    assert "deleted 1h of spent time from 2020-11-02" == last_note(fakeplat)


def test_a_developer_deletes_no_log_of_others(fakeplat: Fakeplat) -> None:
    """Logs of others are deleted by maintainers only."""
    id_ = create_log(fakeplat)["timelog"]["id"]

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", DELETE, input={"id": id_}))


def test_permissions_say_who_deletes(fakeplat: Fakeplat) -> None:
    """The permissions of a log are true for its author, not for another reporter or developer."""
    create_log(fakeplat)
    query = 'issue(iid: "1") { timelogs { nodes { userPermissions { adminTimelog } } } }'
    timelogs = [query_project(fakeplat, by, query)["issue"]["timelogs"]["nodes"][0] for by in ("rep", "dev")]

    assert [{"userPermissions": {"adminTimelog": True}}, {"userPermissions": {"adminTimelog": False}}] == timelogs


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", [3600, 60]),
        ('(username: "dev")', [60]),
        ('(username: "nobody")', []),
        ('(startDate: "2020-11-03")', [60]),
        ('(endDate: "2020-11-02")', [3600]),
        ('(startTime: "2020-11-02T11:00:00Z", endTime: "2020-11-04T00:00:00Z")', [60]),
        ("(sort: TIME_SPENT_ASC)", [60, 3600]),
        ("(sort: SPENT_AT_DESC)", [60, 3600]),
    ],
)
def test_lists_of_logs_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[int]) -> None:
    """Logs are listed by user and time, by default in the order in which the time was spent."""
    create_log(fakeplat, spentAt="2020-11-02T10:00:00Z")
    create_log(fakeplat, "dev", timeSpent="1m", spentAt="2020-11-03T10:00:00Z")
    selection = f"timelogs{arguments} {{ nodes {{ timeSpent }} }}"
    of_project = query_project(fakeplat, "rep", selection)
    of_group = query_data(fakeplat, "rep", f'{{ group(fullPath: "acme") {{ {selection} }} }}')["group"]

    assert expected == [row["timeSpent"] for row in of_project["timelogs"]["nodes"]]
    assert expected == [row["timeSpent"] for row in of_group["timelogs"]["nodes"]]


def test_the_root_lists_logs(fakeplat: Fakeplat) -> None:
    """The logs of all projects are listed by user, project or group; without an argument they are refused."""
    create_log(fakeplat)
    group = f"gid://gitlab/Group/{fakeplat.as_user('rep').get('groups/acme').json()['id']}"
    site = f"gid://gitlab/Project/{fakeplat.as_user('rep').get('projects/acme%2Fsite').json()['id']}"
    for argument in ('username: "rep"', f'groupId: "{group}"', f'projectId: "{site}"'):
        answer = query_data(fakeplat, "rep", f"{{ timelogs({argument}) {{ nodes {{ project {{ path }} }} }} }}")
        assert [{"project": {"path": "site"}}] == answer["timelogs"]["nodes"]
    own = query_data(fakeplat, "rep", "{ currentUser { timelogs { nodes { timeSpent } } } }")
    assert [{"timeSpent": 3600}] == own["currentUser"]["timelogs"]["nodes"]
    content = post_query(fakeplat, "rep", "{ timelogs { nodes { timeSpent } } }")
    assert ["Provide at least one argument"] == list_messages(content)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            'startDate: "2020-11-03", startTime: "2020-11-03"',
            "Provide either a start date or time, but not both",
        ),
        ('endDate: "2020-11-03", endTime: "2020-11-03"', "Provide either an end date or time, but not both"),
        ('startTime: "2020-11-03", endTime: "2020-11-01"', "Start argument must be before End argument"),
    ],
)
def test_contradictory_times_are_refused(fakeplat: Fakeplat, arguments: str, message: str) -> None:
    """A list has one start and one end, in this order."""
    content = post_query(
        fakeplat, "rep", f'{{ project(fullPath: "acme/site") {{ timelogs({arguments}) {{ nodes {{ id }} }} }} }}'
    )

    assert [message] == list_messages(content)


def test_logs_of_hidden_issues_are_hidden(fakeplat: Fakeplat) -> None:
    """The logs of confidential issues are shown to those only who see the issue."""
    create_log(fakeplat)
    fakeplat.as_user("ada").put(ISSUE, json={"confidential": True})
    # The author of a confidential issue sees it in any role.
    assert "gus" != fakeplat.as_user("ada").get(ISSUE).json()["author"]["username"]
    selection = "timelogs { nodes { timeSpent } }"

    assert [1, 0] == [len(query_project(fakeplat, by, selection)["timelogs"]["nodes"]) for by in ("ada", "gus")]


def test_work_items_log_time(fakeplat: Fakeplat) -> None:
    """The widget of time tracking adds a log and lists the logs."""
    item = global_id(fakeplat).replace("Issue", "WorkItem")
    update = write_mutation(
        "workItemUpdate",
        "workItem { widgets(onlyTypes: [TIME_TRACKING]) "
        "{ ... on WorkItemWidgetTimeTracking { totalTimeSpent timelogs { nodes { timeSpent summary } } } } }",
    )
    spent = {"timelog": {"timeSpent": "2h", "summary": "Reading"}}
    answer = query_data(fakeplat, "rep", update, input={"id": item, "timeTrackingWidget": spent})["workItemUpdate"]

    assert [{"totalTimeSpent": 7200, "timelogs": {"nodes": [{"timeSpent": 7200, "summary": "Reading"}]}}] == answer[
        "workItem"
    ]["widgets"]


@pytest.mark.fakeplat(version="13.5", tier="premium")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Start and End arguments must be present"),
        ('(startDate: "2020-11-01")', "Both Start and End arguments must be present"),
        ('(startDate: "2020-01-01", endDate: "2020-11-01")', "The time range period cannot contain more than 60 days"),
        ('(startDate: "2020-11-02", endDate: "2020-11-01")', "Start argument must be before End argument"),
    ],
)
def test_groups_first_needed_a_period(fakeplat: Fakeplat, arguments: str, message: str) -> None:
    """At first, lists of a group needed a period of 60 days at most."""
    query = f'{{ group(fullPath: "acme") {{ timelogs{arguments} {{ nodes {{ timeSpent date }} }} }} }}'

    assert [message] == list_messages(post_query(fakeplat, "ada", query))


@pytest.mark.parametrize(("tier", "by", "count"), [("premium", "ada", 1), ("premium", "gus", 0), ("free", "ada", 0)])
def test_groups_first_showed_logs_to_reporters_on_paid_tiers(
    fakeplat_factory: Any, tier: str, by: str, count: int
) -> None:
    """At first, lists of a group were empty for guests and without a paid tier."""
    fake = fakeplat_factory(version="13.5", tier=tier)
    fake.as_user("ada").post(f"{ISSUE}/notes", json={"body": "/spend 1h 2020-11-02"})
    period = 'startDate: "2020-11-01", endDate: "2020-11-30"'
    query = f'{{ group(fullPath: "acme") {{ timelogs({period}) {{ nodes {{ timeSpent }} }} }} }}'

    assert count == len(query_data(fake, by, query)["group"]["timelogs"]["nodes"])


@pytest.mark.fakeplat(tier="free")
@by_release(GROUP_TIMELOGS_ARE_PAID, "count", {"14.2": 0, "14.3": 1})
def test_the_release_that_lists_logs_of_groups_on_all_tiers(fakeplat: Fakeplat, count: int) -> None:
    """A group without a paid tier has no logs before 14.3."""
    fakeplat.as_user("ada").post(f"{ISSUE}/notes", json={"body": "/spend 1h 2020-11-02"})
    period = 'startDate: "2020-11-01", endDate: "2020-11-30"'
    query = f'{{ group(fullPath: "acme") {{ timelogs({period}) {{ nodes {{ timeSpent }} }} }} }}'

    assert count == len(query_data(fakeplat, "ada", query)["group"]["timelogs"]["nodes"])


LOGGED: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "issues": [
                {
                    "title": "Slow",
                    "iid": 40,
                    "author": "dev",
                    "total_time_spent": 60,
                    "timelogs": [
                        {"user": "rep", "time_spent": 3600, "spent_at": "2020-11-02T10:00:00Z", "summary": "Reading"},
                        {"user": "dev", "time_spent": -600},
                    ],
                }
            ],
        }
    ],
}


def test_scenarios_have_logs(fakeplat_factory: Any) -> None:
    """Logs of a scenario add to the total; the time that it states otherwise is logged by the author."""
    fake = fakeplat_factory(version="latest", scenario=LOGGED)
    copy = fakeplat_factory(version="latest", scenario=fake.export())
    query = 'issue(iid: "40") { totalTimeSpent timelogs { nodes { timeSpent summary user { username } } } }'
    issue = query_project(fake, "root", query)["issue"]

    assert 3060 == issue["totalTimeSpent"]
    assert [(60, None, "dev"), (3600, "Reading", "rep"), (-600, None, "dev")] == [
        (row["timeSpent"], row["summary"], row["user"]["username"]) for row in issue["timelogs"]["nodes"]
    ]
    assert issue == query_project(copy, "root", query)["issue"]
