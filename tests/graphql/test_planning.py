"""Labels and milestones of projects and groups. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import HIDDEN_MILESTONES_ARE_NULL
from tests.api.company import COMPANY
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data, query_project, query_refused

LABELS = ("feature", "new")


def _declare(path: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"path": path, "name": name, "labels": [{"title": f"{name} {label}"} for label in LABELS], **rest}


TREE = {
    "users": [{"username": "dev"}, {"username": "eve"}],
    "groups": [
        _declare(
            "top",
            "Top",
            visibility="private",
            members={"dev": "developer"},
            groups=[
                _declare(
                    "sub",
                    "Sub",
                    visibility="private",
                    projects=[_declare("site", "Site", visibility="private")],
                    groups=[
                        _declare(
                            "deep",
                            "Deep",
                            visibility="private",
                            projects=[_declare("kit", "Kit", visibility="private")],
                        )
                    ],
                )
            ],
        )
    ],
}


def list_owners(rows: dict[str, Any]) -> list[str]:
    """Return the first words of the titles of labels, of which each has two."""
    assert 2 * len({row["title"].split()[0] for row in rows["nodes"]}) == len(rows["nodes"])
    return sorted({row["title"].split()[0] for row in rows["nodes"]})


@pytest.mark.fakeplat(scenario=TREE, version="latest")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Site", "Sub"]),
        ("(includeAncestorGroups: false)", ["Site", "Sub"]),
        ("(includeAncestorGroups: true)", ["Site", "Sub", "Top"]),
    ],
)
def test_labels_of_a_project_and_its_group(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """A project shows its labels and those of its group; those of the groups above only on request."""
    found = query_project(fakeplat, "dev", f"labels{arguments} {{ nodes {{ title }} }}", "top/sub/site")
    assert expected == list_owners(found["labels"])


@pytest.mark.fakeplat(scenario=TREE, version="latest")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Site", "Sub"]),
        ("(onlyGroupLabels: true)", ["Sub"]),
        ("(includeDescendantGroups: true)", ["Deep", "Kit", "Site", "Sub"]),
        ("(includeDescendantGroups: true, onlyGroupLabels: true)", ["Deep", "Sub"]),
        ("(includeAncestorGroups: true, onlyGroupLabels: true)", ["Sub", "Top"]),
        (
            "(includeAncestorGroups: true, includeDescendantGroups: true)",
            ["Deep", "Kit", "Site", "Sub", "Top"],
        ),
    ],
)
def test_labels_of_a_group(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """A group shows its labels and those of its projects; those of other groups only on request."""
    query = f'{{ group(fullPath: "top/sub") {{ labels{arguments} {{ nodes {{ title }} }} }} }}'
    assert expected == list_owners(query_data(fakeplat, "dev", query)["group"]["labels"])


@pytest.mark.fakeplat(scenario=TREE, version="latest")
def test_labels_are_searched_and_sorted(fakeplat: Fakeplat) -> None:
    """Labels are sorted by title; a title and a text exclude each other; a label is found without those above."""
    selection = 'labels(searchTerm: "NEW") { nodes { title } } label(title: "Sub new") { title }'
    found = query_project(fakeplat, "dev", f'{selection} above: label(title: "Top new") {{ title }}', "top/sub/site")
    assert ["Site new", "Sub new"] == [row["title"] for row in found["labels"]["nodes"]]
    assert ({"title": "Sub new"}, None) == (found["label"], found["above"])
    query = '{ project(fullPath: "top/sub/site") { labels(searchTerm: "a", title: "b") { nodes { id } } } }'
    message = "Only one of [searchTerm, title] arguments is allowed at the same time."
    assert [message] == list_messages(query_refused(fakeplat, "dev", query))


@pytest.mark.fakeplat(version="latest")
def test_hidden_labels_are_an_error(fakeplat: Fakeplat) -> None:
    """Labels that the caller cannot read are an error of the query, beside what the caller can read."""
    closed = {"issues_access_level": "disabled", "merge_requests_access_level": "disabled"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", **closed}]})
    content = post_query(fakeplat, "dev", '{ project(fullPath: "acme/site") { name labels { nodes { id } } } }')
    assert {"name": "Site", "labels": None} == content["data"]["project"]
    assert [NOT_AVAILABLE] == list_messages(content)


MILESTONES = [
    {"title": "no dates"},
    {"title": "no end", "start_date": "2020-11-10"},
    {"title": "no start", "due_date": "2020-11-15"},
    {"title": "past", "start_date": "2020-11-10", "due_date": "2020-11-15"},
    {"title": "present", "start_date": "2020-11-15", "due_date": "2020-11-25"},
    {"title": "future", "start_date": "2020-11-25", "due_date": "2020-11-30"},
    {"title": "closed", "state": "closed"},
]


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["past", "no start", "present", "future", "closed", "no end", "no dates"]),
        ("ids: []", ["past", "no start", "present", "future", "closed", "no end", "no dates"]),
        ('title: "wibble"', []),
        ("state: closed", ["closed"]),
        ('searchTitle: "No"', ["no start", "no end", "no dates"]),
        ('containingDate: "2020-11-13"', ["past", "no start", "no end"]),
        ('containingDate: "2020-11-20"', ["present", "no end"]),
        ('timeframe: {start: "2020-11-26", end: "2020-11-27"}', ["future", "no end"]),
    ],
)
def test_milestones_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Milestones are found by state, title and days; those due first come first, and the newest of a day."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "milestones": MILESTONES}]})
    call = f"milestones({arguments})" if arguments else "milestones"
    found = query_project(fakeplat, "gus", f"{call} {{ nodes {{ title }} }}")["milestones"]["nodes"]
    assert expected == [row["title"] for row in found]


@pytest.mark.fakeplat(version="latest")
def test_a_time_ends_after_its_start(fakeplat: Fakeplat) -> None:
    """A time that ends before it starts is an error."""
    frame = '{start: "2020-11-27", end: "2020-11-26"}'
    query = f'{{ project(fullPath: "acme/site") {{ milestones(timeframe: {frame}) {{ nodes {{ id }} }} }} }}'
    (message,) = list_messages(query_refused(fakeplat, "gus", query))
    assert "start must be before end" in message


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        ('startDate: "2020-11-27"', "Both startDate and endDate must be present."),
        ('startDate: "2020-11-27", endDate: "2020-11-26"', "startDate is after endDate"),
    ],
)
def test_two_dates_are_a_time(fakeplat: Fakeplat, dates: str, message: str) -> None:
    """The first releases take two dates, in order."""
    query = f'{{ project(fullPath: "acme/site") {{ milestones({dates}) {{ nodes {{ id }} }} }} }}'
    assert [message] == list_messages(query_refused(fakeplat, "gus", query))


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
def test_milestones_below_a_group(fakeplat: Fakeplat) -> None:
    """A group shows the milestones of its subgroups and projects on request; a milestone counts its issues."""
    fakeplat.load(
        {
            "groups": [
                {
                    "path": "acme",
                    "milestones": [{"title": "of acme"}],
                    "groups": [{"path": "tools", "milestones": [{"title": "of tools"}]}],
                }
            ],
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "milestones": [{"title": "of site"}],
                    "issues": [
                        {"title": "a", "milestone": "of site"},
                        {"title": "b", "milestone": "of site", "state": "closed"},
                    ],
                }
            ],
        }
    )
    fields = "nodes { title subgroupMilestone stats { totalIssuesCount closedIssuesCount } }"
    query = f"""{{ group(fullPath: "acme") {{ own: milestones {{ {fields} }}
        all: milestones(includeDescendants: true) {{ {fields} }} }} }}"""
    found = query_data(fakeplat, "dev", query)["group"]
    assert ["of acme"] == [row["title"] for row in found["own"]["nodes"]]
    shown = {row["title"]: (row["subgroupMilestone"], *row["stats"].values()) for row in found["all"]["nodes"]}
    assert {"of acme": (False, 0, 0), "of tools": (True, 0, 0), "of site": (False, 2, 1)} == shown


@by_release(HIDDEN_MILESTONES_ARE_NULL, "messages", {"18.1": [NOT_AVAILABLE], "18.2": []})
def test_hidden_milestones_are_null(fakeplat: Fakeplat, messages: list[str]) -> None:
    """Milestones that the caller cannot read are null, in earlier releases with an error."""
    closed = {"issues_access_level": "disabled", "merge_requests_access_level": "disabled"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", **closed}]})
    content = post_query(fakeplat, "dev", '{ project(fullPath: "acme/site") { milestones { nodes { id } } } }')
    assert {"milestones": None} == content["data"]["project"]
    assert messages == [error["message"] for error in content.get("errors", ())]


@pytest.mark.fakeplat(version="latest")
def test_one_milestone(fakeplat: Fakeplat) -> None:
    """A milestone is found by its id by those who can read it; others find none."""
    fakeplat.load(
        {"projects": [{"path_with_namespace": "acme/site", "visibility": "private", "milestones": [{"title": "v9"}]}]}
    )
    found = query_project(fakeplat, "dev", 'milestones(title: "v9") { nodes { id } }')["milestones"]["nodes"]
    query = "query($id: MilestoneID!) { milestone(id: $id) { title } }"
    assert {"milestone": {"title": "v9"}} == query_data(fakeplat, "dev", query, id=found[0]["id"])
    assert {"milestone": None} == query_data(fakeplat, None, query, id=found[0]["id"])
    assert {"milestone": None} == query_data(fakeplat, "dev", query, id="gid://gitlab/Milestone/999")
