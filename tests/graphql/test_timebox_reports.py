"""Reports of milestones and iterations. Source: docs/platform/milestones.md ('Reports')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
SITE: Final[dict[str, Any]] = {
    **ACME["projects"][0],
    "milestones": [
        {"title": "v1", "start_date": "2020-11-20", "due_date": "2020-11-22"},
        {"title": "v2", "start_date": "2020-11-20"},
    ],
    "issues": [
        {"title": "Old", "author": "rep", "milestone": "v1", "weight": 3, "created_at": "2020-11-01T00:00:00.000Z"},
        {
            "title": "Done",
            "author": "rep",
            "milestone": "v1",
            "weight": 1,
            "state": "closed",
            "created_at": "2020-11-01T00:00:00.000Z",
            "closed_at": "2020-11-19T00:00:00.000Z",
        },
        {"title": "New", "author": "rep"},
    ],
}
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "iterations": [{"title": "One", "start_date": "2020-11-20", "due_date": "2020-11-22"}],
    "projects": [SITE, ACME["projects"][1]],
}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
START: Final = "2020-11-20T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", start=START, scenario=SCENARIO)
SERIES: Final = "burnupTimeSeries { date scopeCount scopeWeight completedCount completedWeight }"
STATS: Final = "stats { complete { count weight } incomplete { count weight } total { count weight } }"
ISSUES: Final = "projects/acme%2Fsite/issues"


def write_query(selection: str, title: str = "v1", arguments: str = "") -> str:
    milestones = f'milestones(title: "{title}") {{ nodes {{ report{arguments} {{ {selection} }} }} }}'
    return f'{{ project(fullPath: "acme/site") {{ {milestones} }} }}'


def read_report(fake: Fakeplat, selection: str, title: str = "v1", arguments: str = "", by: str = "gus") -> Any:
    data = query_data(fake, by, write_query(selection, title, arguments))
    (node,) = data["project"]["milestones"]["nodes"]
    return node["report"]


def list_days(fake: Fakeplat, arguments: str = "") -> list[tuple[Any, ...]]:
    return [tuple(day.values()) for day in read_report(fake, SERIES, arguments=arguments)["burnupTimeSeries"]]


def change(fake: Fakeplat, iid: int, **fields: Any) -> None:
    assert 200 == fake.as_user("mia").put(f"{ISSUES}/{iid}", json=fields).status


def test_a_report_has_the_days_on_which_something_changed(fakeplat: Fakeplat) -> None:
    """Issues are added, weighed, closed, reopened and removed; what was before the first day counts for that one."""
    milestone = fakeplat.as_user("mia").get("projects/acme%2Fsite/milestones", params={"title": "v1"}).json()[0]
    assert [("2020-11-20", 2, 4, 1, 1)] == list_days(fakeplat)

    fakeplat.clock.advance("1d")
    change(fakeplat, 3, milestone_id=milestone["id"], weight=5)
    change(fakeplat, 3, state_event="close")
    fakeplat.clock.advance("1d")
    change(fakeplat, 1, milestone_id=0)
    change(fakeplat, 2, state_event="reopen")
    fakeplat.clock.advance("1d")
    change(fakeplat, 3, weight=9)

    assert [
        ("2020-11-20", 2, 4, 1, 1),
        ("2020-11-21", 3, 9, 2, 6),
        ("2020-11-22", 2, 6, 1, 5),
    ] == list_days(fakeplat)
    assert {
        "complete": {"count": 1, "weight": 5},
        "incomplete": {"count": 1, "weight": 1},
        "total": {"count": 2, "weight": 6},
    } == read_report(fakeplat, STATS)["stats"]


def test_a_report_is_narrowed_to_a_project_or_group(fakeplat: Fakeplat) -> None:
    """Only the issues of a project or group count, if the caller sees it."""
    assert [("2020-11-20", 2, 4, 1, 1)] == list_days(fakeplat, '(fullPath: "acme")')
    assert [("2020-11-20", 2, 4, 1, 1)] == list_days(fakeplat, '(fullPath: "acme/site")')
    assert [] == list_days(fakeplat, '(fullPath: "acme/docs")')
    content = post_query(fakeplat, "gus", write_query(SERIES, arguments='(fullPath: "ada/notes")'))
    assert [NOT_AVAILABLE] == list_messages(content)


def test_iterations_have_reports(fakeplat: Fakeplat) -> None:
    """The report of an iteration follows its issues."""
    query = f'{{ group(fullPath: "acme") {{ iterations {{ nodes {{ id report {{ {SERIES} }} }} }} }} }}'
    (iteration,) = query_data(fakeplat, "rep", query)["group"]["iterations"]["nodes"]
    assert [] == iteration["report"]["burnupTimeSeries"]

    text = "mutation($input: IssueSetIterationInput!) { issueSetIteration(input: $input) { errors } }"
    given = {"projectPath": "acme/site", "iid": "1", "iterationId": iteration["id"]}
    query_data(fakeplat, "rep", text, input=given)
    (iteration,) = query_data(fakeplat, "rep", query)["group"]["iterations"]["nodes"]
    (day,) = iteration["report"]["burnupTimeSeries"]
    assert ("2020-11-20", 1, 3, 0, 0) == tuple(day.values())


ERROR: Final = "error { code message } stats { total { count } }"


def test_a_milestone_without_dates_has_an_error(fakeplat: Fakeplat) -> None:
    """Both dates are needed for the report of a milestone."""
    error = {"code": "MISSING_DATES", "message": "Milestone must have a start and due date"}

    assert {"error": error, "stats": None} == read_report(fakeplat, ERROR, "v2")


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_no_reports(fakeplat: Fakeplat) -> None:
    """Reports of milestones are a paid feature."""
    error = {"code": "UNSUPPORTED", "message": "Milestone does not support burnup charts"}

    assert {"error": error, "stats": None} == read_report(fakeplat, ERROR)


@pytest.mark.fakeplat(version="14.0")
def test_errors_of_older_releases_are_those_of_the_query(fakeplat: Fakeplat) -> None:
    """A milestone without dates fails the field in older releases."""
    content = post_query(fakeplat, "gus", write_query(SERIES, "v2"))

    assert ["Milestone must have a start and due date"] == list_messages(content)


@pytest.mark.fakeplat(version="14.0", tier="free")
def test_reports_of_the_free_tier_were_empty(fakeplat: Fakeplat) -> None:
    """Older releases have reports without content in the free tier."""
    assert {"burnupTimeSeries": None} == read_report(fakeplat, SERIES)


@pytest.mark.fakeplat(version="13.5")
def test_the_default_release_has_no_reports(fakeplat: Fakeplat) -> None:
    """Reports came to milestones after 13.5."""
    query = '{ project(fullPath: "acme/site") { milestones { nodes { report { stats { total { count } } } } } } }'

    assert ["Field 'report' doesn't exist on type 'Milestone'"] == list_messages(post_query(fakeplat, "gus", query))
