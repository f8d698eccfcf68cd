"""Lists and statistics of issues.

Source: docs/platform/issues.md, docs/decisions/rulings.md (6, 8).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.issue_fields import ISSUE, LABEL_DETAIL, PREMIUM
from tests.api.planning_records import get_json, issue
from tests.api.requests import (
    PAGE_HEADERS,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

SITE, DOCS, KIT = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/acme%2Ftools%2Fkit"
NOTES = "projects/ada%2Fnotes"
LISTS = ("issues", "groups/acme/issues", f"{SITE}/issues")


def create_issue(fake: Fakeplat, by: str = "ada", container: str = SITE, /, **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(f"{container}/issues", json={"title": "One", **body})
    assert 201 == reply.status, reply.text
    new_issue: dict[str, Any] = reply.json()
    return new_issue


def list_titles(fake: Fakeplat, viewer: str | None, path: str, **params: Any) -> list[str]:
    reply = fake.as_user(viewer).get(path, params=params)
    assert 200 == reply.status, reply.text
    return names(reply.json(), "title")


@pytest.fixture
def four(fakeplat: Fakeplat) -> Fakeplat:
    """One issue in each project, each by somebody else."""
    create_issue(fakeplat, "ada", SITE, title="site", assignee_ids=[person(fakeplat, "dev")])
    create_issue(fakeplat, "gus", DOCS, title="docs")
    create_issue(fakeplat, "dev", KIT, title="kit")
    create_issue(fakeplat, "ada", NOTES, title="notes")
    return fakeplat


# who sees what


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        ("ada", "issues", ["notes", "site"]),
        ("gus", "issues", ["docs"]),
        ("mia", "issues", []),
        ("ada", "issues?scope=all", ["notes", "kit", "docs", "site"]),
        ("root", "issues?scope=all", ["notes", "kit", "docs", "site"]),
        ("gus", "issues?scope=all", ["kit", "docs", "site"]),
        ("eve", "issues?scope=all", ["kit", "docs"]),
        ("ext", "issues?scope=all", ["docs"]),
        (None, "issues?scope=all", ["docs"]),
        ("mia", "groups/acme/issues", ["kit", "docs", "site"]),
        ("mia", "groups/acme%2Ftools/issues", ["kit"]),
        ("eve", "groups/acme/issues", ["kit", "docs"]),
        (None, "groups/acme/issues", ["docs"]),
        ("mia", f"{SITE}/issues", ["site"]),
        (None, f"{DOCS}/issues", ["docs"]),
    ],
)
def test_visible_issues_by_viewer(four: Fakeplat, viewer: str | None, path: str, expected: list[str]) -> None:
    """The global list defaults to the caller's issues, those of groups and projects to all visible ones."""
    assert expected == list_titles(four, viewer, path)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("created_by_me", ["kit"]),
        ("created-by-me", ["kit"]),
        ("assigned_to_me", ["site"]),
        ("assigned-to-me", ["site"]),
        ("all", ["kit", "docs", "site"]),
    ],
)
@pytest.mark.parametrize("path", ["issues", "groups/acme/issues"])
def test_scopes(four: Fakeplat, path: str, scope: str, expected: list[str]) -> None:
    """Scopes may be written with dashes too."""
    assert expected == list_titles(four, "dev", path, scope=scope)


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        (None, "issues", UNAUTHORIZED),
        (None, "issues?scope=created_by_me", UNAUTHORIZED),
        (None, "issues?state=x", invalid("state does not have a valid value")),
        (None, "issues_statistics", UNAUTHORIZED),
        (None, f"{SITE}/issues", resource_not_found("Project")),
        ("eve", f"{SITE}/issues", resource_not_found("Project")),
        ("eve", f"{SITE}/issues_statistics", resource_not_found("Project")),
        ("eve", f"{SITE}/issues?state=x", invalid("state does not have a valid value")),
        (None, "groups/acme%2Ftools/issues", resource_not_found("Group")),
        ("ext", "groups/acme%2Ftools/issues_statistics", resource_not_found("Group")),
        ("ada", "groups/9999/issues", resource_not_found("Group")),
        ("ada", "projects/9999/issues", resource_not_found("Project")),
        ("ada", "projects/site/issues", resource_not_found("Project")),
    ],
)
def test_listing_is_refused(four: Fakeplat, viewer: str | None, path: str, expected: Outcome) -> None:
    """Listing issues checks parameters, login and container in this order."""
    assert expected == refusal(four, viewer, "GET", path)


INVALID = [
    ("state=reopened", "state does not have a valid value"),
    ("order_by=title", "order_by does not have a valid value"),
    ("sort=up", "sort does not have a valid value"),
    ("scope=mine", "scope does not have a valid value"),
    ("due_date=tomorrow", "due_date does not have a valid value"),
    ("assignee_id=ada", "assignee_id should be an integer, 'None' or 'Any'"),
    ("author_id=ada", "author_id is invalid"),
    ("confidential=perhaps", "confidential is invalid"),
    ("created_after=soon", "created_after is invalid"),
    ("created_before=soon", "created_before is invalid"),
    ("updated_after=soon", "updated_after is invalid"),
    ("updated_before=soon", "updated_before is invalid"),
    ("iids[]=x", "iids is invalid"),
    ("per_page=0", "per_page has a value not allowed"),
    ("page=x", "page is invalid"),
    ("with_labels_details=perhaps", "with_labels_details is invalid"),
    ("author_id=1&author_username=ada", "author_id, author_username are mutually exclusive"),
    ("assignee_id=1&assignee_username=ada", "assignee_id, assignee_username are mutually exclusive"),
    ("assignee_username=a,b", "assignee_username allows one value, but found 2: a, b"),
    ("assignee_username[]=a&assignee_username[]=b", "assignee_username allows one value, but found 2: a, b"),
    ("state=x&sort=y", "state does not have a valid value, sort does not have a valid value"),
]


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(("query", "text"), INVALID)
def test_bad_parameters(fakeplat: Fakeplat, path: str, query: str, text: str) -> None:
    """Every bad value is told by its name."""
    assert invalid(text) == refusal(fakeplat, "ada", "GET", f"{path}?{query}")


@pytest.mark.parametrize(
    "query",
    ["not[author_id]=1&not[author_username]=ada", "not[assignee_id]=1&not[assignee_username]=ada", "not[author_id]=x"],
)
def test_bad_parameters_inside_not(fakeplat: Fakeplat, query: str) -> None:
    """Filters inside `not` are validated and exclude each other like others."""
    assert 400 == refusal(fakeplat, "ada", "GET", f"issues?{query}")[0]


@pytest.mark.parametrize("query", ["nonsense=1", "pagination=keyset&order_by=created_at", "simple=true", "due_date="])
@pytest.mark.parametrize("path", LISTS)
def test_unknown_parameters_are_ignored(four: Fakeplat, path: str, query: str) -> None:
    """Unknown parameters, keyset paging and an empty due date change nothing."""
    assert list_titles(four, "ada", path) == list_titles(four, "ada", f"{path}?{query}")


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_take_several_assignees(fakeplat: Fakeplat) -> None:
    """On paid tiers several assignees in a filter must all be assigned."""
    dev, rep = person(fakeplat, "dev"), person(fakeplat, "rep")
    for number, ids in enumerate(([dev], [dev, rep], [rep])):
        create_issue(fakeplat, title=str(number), assignee_ids=ids)

    assert ["1"] == list_titles(fakeplat, "ada", "issues", assignee_username="dev,rep")
    assert ["1", "0"] == list_titles(fakeplat, "ada", "issues", assignee_username="dev")


# what an issue shows


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("issues?scope=all&search=site", "acme/site#1"),
        ("groups/acme/issues?search=site", "site#1"),
        ("groups/acme/issues?search=kit", "acme/tools/kit#1"),
        ("groups/acme%2Ftools/issues", "kit#1"),
        (f"{SITE}/issues", "#1"),
        (f"{SITE}/issues/1", "#1"),
    ],
)
def test_references_are_relative_to_the_request(four: Fakeplat, path: str, relative: str) -> None:
    """References of issues are relative to the project or group of the request."""
    view = four.as_user("ada").get(path).json()
    view = view[0] if isinstance(view, list) else view
    full = f"acme/{'tools/kit' if 'kit' in relative else 'site'}#1"

    assert {"short": "#1", "relative": relative, "full": full} == view["references"]


@pytest.mark.parametrize("path", LISTS)
def test_lists_leave_subscriptions_out(four: Fakeplat, path: str) -> None:
    """Issues in lists have every field but subscribed."""
    assert ISSUE == set(four.as_user("ada").get(path).json()[0])


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("path", LISTS)
def test_paid_fields_are_shown_in_lists(four: Fakeplat, path: str) -> None:
    """Paid tiers add their fields in lists too; projects of users have no epics."""
    for row in four.as_user("ada").get(path).json():
        absent = set() if row["references"]["full"].startswith("acme/") else {"epic", "epic_iid"}
        assert (ISSUE | PREMIUM) - absent == set(row)


@pytest.mark.parametrize("path", LISTS)
def test_labels_in_detail(fakeplat: Fakeplat, path: str) -> None:
    """with_labels_details makes objects of the titles; both ways they are sorted by title."""
    fakeplat.as_user("ada").post(f"{SITE}/labels", json={"name": "b", "color": "#ff0000", "description": "Bad"})
    create_issue(fakeplat, labels="c,b,A")
    plain = fakeplat.as_user("ada").get(path).json()[0]["labels"]
    detailed = fakeplat.as_user("ada").get(path, params={"with_labels_details": "true"}).json()[0]["labels"]

    assert (["A", "b", "c"], ["A", "b", "c"]) == (plain, names(detailed, "name"))
    assert LABEL_DETAIL == set(detailed[1])
    assert ("#ff0000", "Bad", "#FFFFFF") == tuple(detailed[1][name] for name in ("color", "description", "text_color"))
    assert "Bad" in detailed[1]["description_html"]


# filters by themselves


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("labels=bug", ["bug", "both"]),
        ("labels=bug,ux", ["both"]),
        ("labels[]=bug&labels[]=ux", ["both"]),
        ("labels=BUG", []),
        ("labels=none", ["plain"]),
        ("labels=No+Label", ["plain"]),
        ("labels=No%2BLabel", ["plain"]),
        ("labels=bug,None", ["plain"]),
        ("labels=aNy", ["bug", "ux", "both"]),
        ("labels=unknown", []),
        ("not[labels]=bug", ["plain", "ux"]),
        ("not[labels]=bug,ux", ["plain"]),
        ("milestone=M1", ["both"]),
        ("milestone=m1", []),
        ("milestone=None", ["plain", "bug", "ux"]),
        ("milestone=any", ["both"]),
        ("milestone=nothing", []),
        ("not[milestone]=M1", ["plain", "bug", "ux"]),
        ("iids[]=1&iids[]=3", ["plain", "ux"]),
        ("iids=2,77", ["bug"]),
        ("iids=&search=PLA", ["plain"]),
        ("confidential=true", ["both"]),
        ("confidential=false", ["plain", "bug", "ux"]),
        ("search=PLA", ["plain"]),
        ("search=zebra", ["ux"]),
        ("search=zebra&in=title", []),
        ("search=ux", ["ux"]),
        ("search=u", []),
        ("search=u&in=title,%20description", []),
        ("search=zebra&in=title,%20description", ["ux"]),
        ("author_username=nobody", []),
        ("author_id=99999", []),
        ("assignee_id=None", ["plain", "bug", "both"]),
        ("assignee_id=0", ["plain", "bug", "both"]),
        ("assignee_id=any", ["ux"]),
        ("assignee_username=rep", ["ux"]),
        ("assignee_username=nobody", []),
        ("not[assignee_username]=rep", ["plain", "bug", "both"]),
        ("state=closed", ["bug"]),
        ("state=opened", ["plain", "ux", "both"]),
        ("due_date=0", ["bug", "ux", "both"]),
        ("due_date=week", ["plain"]),
        ("created_after=2020-11-20T09:00:00Z&created_before=2020-11-20T09:00:00Z", []),
    ],
)
@pytest.mark.parametrize("path", [f"{SITE}/issues", "groups/acme/issues"])
def test_each_filter(fakeplat: Fakeplat, path: str, query: str, expected: list[str]) -> None:
    """Each filter of issues alone selects the expected ones of four."""
    milestone = fakeplat.as_user("ada").post(f"{SITE}/milestones", json={"title": "M1"}).json()["id"]
    create_issue(fakeplat, title="plain", due_date="2020-11-22")
    create_issue(fakeplat, title="bug", labels="bug")
    create_issue(fakeplat, title="ux", labels="ux", description="A zebra", assignee_ids=[person(fakeplat, "rep")])
    create_issue(fakeplat, title="both", labels="bug,ux", milestone_id=milestone, confidential=True)
    fakeplat.as_user("ada").put(f"{SITE}/issues/2", json={"state_event": "close"})
    for number in (1, 2, 3, 4):
        times = {"created_at": f"2020-01-0{number}T00:00:00Z"}
        assert 200 == fakeplat.as_user("ada").put(f"{SITE}/issues/{number}", json=times).status

    assert expected == list_titles(fakeplat, "ada", f"{path}?{query}&sort=asc")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("created_after=2020-01-02T00:00:00Z", ["3", "2"]),
        ("created_before=2020-01-02T00:00:00Z", ["2", "1"]),
        ("created_after=2020-01-02T00:00:00Z&created_before=2020-01-02T00:00:00Z", ["2"]),
        ("created_after=2020-01-02T01:00:00%2B01:00", ["3", "2"]),
        ("updated_after=2020-01-02T00:00:00Z", ["3", "2"]),
        ("updated_before=2020-01-02T00:00:00Z", ["2", "1"]),
    ],
)
def test_times_include_their_ends(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Filters by time include the very moment."""
    for number in (1, 2, 3):
        create_issue(fakeplat, title=str(number), created_at=f"2020-01-0{number}T00:00:00Z")
        times = {"title": str(number), "description": "x", "updated_at": f"2020-01-0{number}T00:00:00Z"}
        fakeplat.as_user("ada").put(f"{SITE}/issues/{number}", json=times)

    assert expected == list_titles(fakeplat, "ada", f"{SITE}/issues?{query}")


@pytest.mark.parametrize(
    ("query", "expected"), [("", []), ("?non_archived=true", []), ("?non_archived=false", ["One"])]
)
def test_archived_projects(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Issues of archived projects are listed only on request, but always in the project itself."""
    create_issue(fakeplat)
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert expected == list_titles(fakeplat, "ada", f"issues{query}")
    assert expected == list_titles(fakeplat, "ada", f"groups/acme/issues{query}")
    assert ["One"] == list_titles(fakeplat, "ada", f"{SITE}/issues")


@pytest.mark.fakeplat(clock="virtual")
def test_due_filters_follow_the_day(fakeplat: Fakeplat) -> None:
    """Overdue issues were due before today, whatever their state."""
    create_issue(fakeplat, due_date="2020-11-20")
    assert [] == list_titles(fakeplat, "ada", "issues", due_date="overdue")
    fakeplat.clock.advance("1d")
    assert ["One"] == list_titles(fakeplat, "ada", "issues", due_date="overdue")
    fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={"state_event": "close"})
    assert ["One"] == list_titles(fakeplat, "ada", "issues", due_date="overdue")


@pytest.mark.parametrize(("tier", "expected"), [("free", ["2", "1", "0"]), ("premium", ["1"])])
def test_weights_are_filtered_on_paid_tiers(fakeplat_factory: Any, tier: str, expected: list[str]) -> None:
    """The filter by weight exists on paid tiers only; a bad one is refused there."""
    fake = fakeplat_factory(tier=tier, scenario=COMPANY)
    for number, weight in enumerate((None, 3, 0)):
        create_issue(fake, title=str(number), **({} if weight is None else {"weight": weight}))

    assert expected == list_titles(fake, "ada", "issues", weight="3")
    if tier == "premium":
        assert ["0"] == list_titles(fake, "ada", "issues", weight="None")
        assert ["2", "1"] == list_titles(fake, "ada", "issues", weight="any")
        text = "weight should be an integer, 'None' or 'Any'"
        assert invalid(text) == refusal(fake, "ada", "GET", "issues?weight=heavy")


# orders


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize(
    "order_by", ["due_date", "milestone_due", "label_priority", "priority", "popularity", "updated_at", "created_at"]
)
def test_of_equals_the_newer_comes_first(fakeplat: Fakeplat, order_by: str, sort: str) -> None:
    """Issues of equal values are ordered by descending id in both directions."""
    for number in range(3):
        create_issue(fakeplat, title=str(number), created_at="2020-01-01T00:00:00Z")

    assert ["2", "1", "0"] == list_titles(fakeplat, "ada", f"{SITE}/issues", order_by=order_by, sort=sort)


@pytest.mark.parametrize(
    ("sort", "expected"), [("asc", ["late", "later", "never"]), ("desc", ["later", "late", "never"])]
)
def test_issues_without_a_due_date_come_last(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Issues without a due date come last in both directions."""
    create_issue(fakeplat, title="later", due_date="2021-02-01")
    create_issue(fakeplat, title="never")
    create_issue(fakeplat, title="late", due_date="2021-01-01")

    assert expected == list_titles(fakeplat, "ada", f"{SITE}/issues", order_by="due_date", sort=sort)


@pytest.mark.parametrize(
    ("sort", "expected"), [("asc", ["first", "second", "none"]), ("desc", ["second", "first", "none"])]
)
@pytest.mark.parametrize("order_by", ["label_priority", "priority"])
def test_priorities_order(fakeplat: Fakeplat, order_by: str, sort: str, expected: list[str]) -> None:
    """The highest of an issue's label priorities counts; what has none comes last."""
    for name, priority in (("low", 9), ("high", 1), ("mid", 5), ("free", None)):
        fakeplat.as_user("ada").post(f"{SITE}/labels", json={"name": name, "color": "red", "priority": priority})
    create_issue(fakeplat, title="second", labels="mid,low")
    create_issue(fakeplat, title="first", labels="low,high,free")
    create_issue(fakeplat, title="none", labels="free")

    assert expected == list_titles(fakeplat, "ada", f"{SITE}/issues", order_by=order_by, sort=sort)


# pages and statistics


@pytest.mark.parametrize("path", LISTS)
def test_pages(fakeplat: Fakeplat, path: str) -> None:
    """Lists come in pages, with every header; the links keep the query."""
    for number in range(5):
        create_issue(fakeplat, title=str(number))
    reply = fakeplat.as_user("ada").get(f"{path}?per_page=2&page=2&state=opened")

    assert ["2", "1"] == names(reply.json(), "title")
    assert ("5", "3", "2", "2", "3", "1") == tuple(reply.headers[name] for name in PAGE_HEADERS[:6])
    assert all("state=opened" in link for link in reply.headers["Link"].split(", <"))


@pytest.mark.parametrize(
    ("viewer", "path", "counts"),
    [
        ("ada", "issues_statistics", (3, 1, 2)),
        ("ada", "issues_statistics?scope=all", (4, 1, 3)),
        ("dev", "issues_statistics", (1, 0, 1)),
        (None, "issues_statistics?scope=all", (0, 0, 0)),
        ("gus", "groups/acme/issues_statistics", (3, 1, 2)),
        ("rep", "groups/acme/issues_statistics", (4, 1, 3)),
        ("rep", f"{SITE}/issues_statistics", (4, 1, 3)),
        ("rep", f"{SITE}/issues_statistics?labels=bug", (2, 1, 1)),
        ("rep", f"{SITE}/issues_statistics?search=two&labels=bug", (1, 1, 0)),
        ("rep", f"{SITE}/issues_statistics?confidential=true", (1, 0, 1)),
        ("rep", "groups/acme%2Ftools/issues_statistics", (0, 0, 0)),
    ],
)
def test_statistics(fakeplat: Fakeplat, viewer: str | None, path: str, counts: tuple[int, int, int]) -> None:
    """Statistics count what the list with the same filters shows, by state."""
    create_issue(fakeplat, labels="bug")
    create_issue(fakeplat, title="two", labels="bug")
    create_issue(fakeplat, confidential=True)
    create_issue(fakeplat, "dev")
    fakeplat.as_user("ada").put(f"{SITE}/issues/2", json={"state_event": "close"})

    everything, closed, opened = counts
    expected = {"statistics": {"counts": {"all": everything, "closed": closed, "opened": opened}}}
    assert (200, expected) == outcome(fakeplat.as_user(viewer).get(path))


@pytest.mark.fakeplat(scenario=COMPANY)
@pytest.mark.parametrize("level", ["private", "disabled"])
def test_a_project_whose_issues_are_closed_lists_none(fakeplat: Fakeplat, level: str) -> None:
    """Where issues are for members others get empty lists and statistics."""
    issue(fakeplat, DOCS)
    fakeplat.as_user("ada").put(DOCS, json={"issues_access_level": level})
    counts = [
        get_json(fakeplat, f"{DOCS}/issues_statistics", by)["statistics"]["counts"]["all"] for by in ("eve", "ada")
    ]

    assert [] == get_json(fakeplat, f"{DOCS}/issues", "eve") == get_json(fakeplat, f"{DOCS}/issues", None)
    assert [0, 1 if level == "private" else 0] == counts


@pytest.mark.fakeplat(scenario="starter")
def test_only_merge_requests_that_the_caller_sees_are_counted(fakeplat: Fakeplat) -> None:
    """`merge_requests_count` counts only visible merge requests."""
    counts = {
        by: {row["iid"]: row["merge_requests_count"] for row in get_json(fakeplat, f"{SITE}/issues", by)}
        for by in ("ada", "gus")
    }
    assert any(counts["ada"].values())
    assert {0} == set(counts["gus"].values())


def test_merge_requests_of_other_projects_count_and_are_related(fakeplat: Fakeplat) -> None:
    """Merge requests of other projects are related to an issue but do not close it."""
    create_issue(fakeplat, "ada", DOCS)
    ada = fakeplat.as_user("ada")
    for branch in ("main", "work"):
        body = {"branch": branch, "start_branch": "main", "content": branch, "commit_message": "x"}
        assert 201 == ada.post(f"{KIT}/repository/files/{branch}.txt", json=body).status
    merge_request = {
        "source_branch": "work",
        "target_branch": "main",
        "title": "x",
        "description": "Closes acme/docs#1",
    }
    assert 201 == ada.post(f"{KIT}/merge_requests", json=merge_request).status
    issue_path = f"{DOCS}/issues/1"

    assert [1, 1, 0] == [get_json(fakeplat, issue_path, by)["merge_requests_count"] for by in ("ada", "eve", None)]
    assert [1, 1, 0] == [
        len(get_json(fakeplat, f"{issue_path}/related_merge_requests", by)) for by in ("ada", "eve", None)
    ]
    assert [0, 0, 0] == [len(get_json(fakeplat, f"{issue_path}/closed_by", by)) for by in ("ada", "eve", None)]
