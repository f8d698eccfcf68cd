"""The reference implementation of issue lists, on ten handwritten issues.

Source: docs/platform/issues.md ('Lists').
"""

from datetime import date
from typing import Any

import pytest

from tests.api.naive_issues import SideData, count_states, list_ids

USERS = {"ann": 1, "ben": 2, "cat": 3}
HALF = {
    "id": 7,
    "title": "Half",
    "state": "active",
    "project_id": 1,
    "start_date": "2020-01-01",
    "due_date": "2020-12-01",
}
FULL = {"id": 8, "title": "Full", "state": "active", "project_id": 1, "start_date": None, "due_date": "2020-12-24"}
DONE = {"id": 9, "title": "Done", "state": "closed", "group_id": 5, "start_date": "2020-01-01", "due_date": None}


def build_row(id_: int, **given: Any) -> dict[str, Any]:
    row = {
        "id": id_,
        "iid": id_,
        "project_id": 1,
        "title": "Plain",
        "description": None,
        "state": "opened",
        "labels": [],
        "milestone": None,
        "author": "ann",
        "assignees": [],
        "created_at": f"2020-10-{id_:02}",
        "updated_at": "2020-11-01",
        "due_date": None,
        "confidential": False,
        "weight": None,
        "upvotes": 0,
        **given,
    }
    people = {"author": row["author"], "assignees": row["assignees"]}
    assert isinstance(people["author"], str)
    row["author"] = build_user(people["author"])
    row["assignees"] = [build_user(username) for username in people["assignees"]]
    return row


def build_user(username: str) -> dict[str, Any]:
    return {"id": USERS[username], "username": username}


TEN = [
    build_row(1, labels=["bug"], milestone=HALF, due_date="2020-11-19", weight=1, title="Fix the door"),
    build_row(2, labels=["bug", "ux"], milestone=FULL, due_date="2020-11-20", weight=3, description="the DOOR fell"),
    build_row(3, labels=["Bug"], milestone=DONE, due_date="2020-11-22", state="closed", upvotes=2),
    build_row(4, author="ben", assignees=["cat"], due_date="2020-11-23", updated_at="2020-11-03"),
    build_row(5, author="ben", assignees=["ben", "cat"], due_date="2020-12-31", confidential=True, upvotes=1),
    build_row(6, assignees=["ann"], due_date="2020-11-06", confidential=True, title="ab"),
    build_row(7, due_date="2020-11-05", weight=3, labels=["ux"], title="abc door open", description="ab"),
    build_row(8, due_date="2021-01-01", project_id=2, milestone=HALF, iid=1),
    build_row(9, project_id=2, labels=["ux", "Bug"], updated_at="2020-11-02", state="closed", iid=2, weight=0),
    build_row(10, project_id=3, iid=1, title="Archived"),
]
EVERYBODY = frozenset({"ann", "ben", "cat", "eve", None})
SIDE = SideData(
    today=date(2020, 11, 20),
    readers={1: EVERYBODY, 2: frozenset({"ann", "cat"}), 3: EVERYBODY},
    reporters={1: frozenset({"ann"}), 2: frozenset({"ann"}), 3: frozenset()},
    archived=frozenset({3}),
    reactions=frozenset({(1, "ann", "thumbsup"), (2, "ann", "tada"), (3, "cat", "tada")}),
    priorities={(1, "bug"): 5, (1, "ux"): 2, (2, "Bug"): 2},
    positions={id_: 100 * (id_ % 4) for id_ in range(1, 11)},
    milestones=[HALF, FULL, DONE],
)
LIVING = {1, 2, 3, 4, 5, 6, 7, 8, 9}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, LIVING),
        ({"non_archived": "false"}, LIVING | {10}),
        ({"state": "opened"}, LIVING - {3, 9}),
        ({"state": "closed"}, {3, 9}),
        ({"state": "all"}, LIVING),
        ({"labels": "bug"}, {1, 2}),
        ({"labels": "Bug"}, {3, 9}),
        ({"labels": "bug,ux"}, {2}),
        ({"labels": "nothing"}, set()),
        ({"labels": "None"}, {4, 5, 6, 8}),
        ({"labels": "bug,none"}, {4, 5, 6, 8}),
        ({"labels": "No Label"}, {4, 5, 6, 8}),
        ({"labels": "ANY"}, {1, 2, 3, 7, 9}),
        ({"labels": ""}, LIVING),
        ({"milestone": "Half"}, {1, 8}),
        ({"milestone": "half"}, set()),
        ({"milestone": "none"}, {4, 5, 6, 7, 9}),
        ({"milestone": "No Milestone"}, {4, 5, 6, 7, 9}),
        ({"milestone": "Any Milestone"}, {1, 2, 3, 8}),
        ({"milestone": "#started"}, {1, 8}),
        ({"milestone": "#upcoming"}, {1, 8}),
        ({"iids": "1,2"}, {1, 2, 8, 9}),
        ({"iids[]": ["3", "77"]}, {3}),
        ({"author_id": "2"}, {4, 5}),
        ({"author_username": "ben"}, {4, 5}),
        ({"author_username": "nobody"}, set()),
        ({"assignee_id": "3"}, {4, 5}),
        ({"assignee_id": "None"}, LIVING - {4, 5, 6}),
        ({"assignee_id": "0"}, LIVING - {4, 5, 6}),
        ({"assignee_id": "Any"}, {4, 5, 6}),
        ({"assignee_username": "cat"}, {4, 5}),
        ({"assignee_username": "cat,ben"}, {5}),
        ({"created_after": "2020-10-04"}, {4, 5, 6, 7, 8, 9}),
        ({"created_before": "2020-10-04"}, {1, 2, 3, 4}),
        ({"updated_after": "2020-11-02"}, {4, 9}),
        ({"updated_before": "2020-11-02"}, LIVING - {4}),
        ({"scope": "all"}, LIVING),
        ({"scope": "created_by_me"}, LIVING - {4, 5}),
        ({"scope": "assigned-to-me"}, {6}),
        ({"my_reaction_emoji": "tada"}, {2}),
        ({"my_reaction_emoji": "Any"}, {1, 2}),
        ({"my_reaction_emoji": "none"}, LIVING - {1, 2}),
        ({"confidential": "true"}, {5, 6}),
        ({"confidential": "false"}, LIVING - {5, 6}),
        ({"weight": "3"}, {2, 7}),
        ({"weight": "0"}, {9}),
        ({"weight": "None"}, {3, 4, 5, 6, 8}),
        ({"weight": "Any"}, {1, 2, 7, 9}),
        ({"due_date": "0"}, {9}),
        ({"due_date": "overdue"}, {1, 6, 7}),
        ({"due_date": "week"}, {1, 2, 3}),
        ({"due_date": "month"}, {1, 2, 3, 4, 6, 7}),
        ({"due_date": "next_month_and_previous_two_weeks"}, {1, 2, 3, 4, 5, 6}),
        ({"due_date": ""}, LIVING),
        ({"search": "door"}, {1, 2, 7}),
        ({"search": "DOOR open"}, {7}),
        ({"search": '"the door"'}, {1, 2}),
        ({"search": "ab"}, {6, 7}),
        ({"search": "door", "in": "title"}, {1, 7}),
        ({"search": "door", "in": "description"}, {2}),
        ({"search": "door", "in": "title,description"}, {1, 2, 7}),
        ({"not[labels]": "bug"}, LIVING - {1, 2}),
        ({"not[labels]": "bug,ux"}, LIVING - {1, 2, 7, 9}),
        ({"not[milestone]": "Half"}, LIVING - {1, 8}),
        ({"not[author_id]": "2"}, LIVING - {4, 5}),
        ({"not[author_username]": "ben"}, LIVING - {4, 5}),
        ({"not[assignee_id]": "1"}, LIVING - {6}),
        ({"not[assignee_username]": "ann"}, LIVING - {6}),
        ({"not[iids]": "1"}, LIVING - {1, 8}),
        ({"not[search]": "door"}, LIVING - {1, 2, 7}),
        ({"not[search]": "door", "not[in]": "title"}, LIVING - {1, 7}),
        ({"not[labels]": "bug", "labels": "ux", "state": "opened"}, {7}),
    ],
)
def test_a_filter_keeps_what_it_names(query: dict[str, Any], expected: set[int]) -> None:
    """Each filter of the naive model keeps the expected issues for a Reporter."""
    assert expected == set(list_ids(TEN, query, "ann", SIDE))


@pytest.mark.parametrize(
    ("viewer", "expected"),
    [("ann", LIVING), ("ben", LIVING - {6, 8, 9}), ("cat", LIVING - {6}), ("eve", LIVING - {5, 6, 8, 9})],
)
def test_confidential_issues_are_for_some(viewer: str, expected: set[int]) -> None:
    """In the naive model Reporters, authors and assignees see confidential issues."""
    assert expected == set(list_ids(TEN, {}, viewer, SIDE))


@pytest.mark.parametrize(
    ("query", "expected"), [({"scope": "all"}, {1, 2, 3, 4, 7}), ({"my_reaction_emoji": "tada"}, {1, 2, 3, 4, 7})]
)
def test_anonymous_callers_have_no_reactions(query: dict[str, Any], expected: set[int]) -> None:
    """For anonymous callers the filter by reaction is ignored."""
    assert expected == set(list_ids(TEN, query, None, SIDE))


@pytest.mark.parametrize(
    ("order_by", "ascending", "descending"),
    [
        ("created_at", [1, 2, 3, 4, 5, 6, 7, 8, 9], [9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("updated_at", [8, 7, 6, 5, 3, 2, 1, 9, 4], [4, 9, 8, 7, 6, 5, 3, 2, 1]),
        ("due_date", [7, 6, 1, 2, 3, 4, 5, 8, 9], [8, 5, 4, 3, 2, 1, 6, 7, 9]),
        ("weight", [9, 1, 7, 2, 8, 6, 5, 4, 3], [7, 2, 1, 9, 8, 6, 5, 4, 3]),
        ("popularity", [9, 8, 7, 6, 4, 2, 1, 5, 3], [3, 5, 9, 8, 7, 6, 4, 2, 1]),
        ("relative_position", [8, 4, 9, 5, 1, 6, 2, 7, 3], [7, 3, 6, 2, 9, 5, 1, 8, 4]),
        ("milestone_due", [8, 1, 2, 9, 7, 6, 5, 4, 3], [2, 8, 1, 9, 7, 6, 5, 4, 3]),
        ("label_priority", [9, 7, 2, 1, 8, 6, 5, 4, 3], [1, 9, 7, 2, 8, 6, 5, 4, 3]),
        ("priority", [1, 8, 2, 9, 7, 6, 5, 4, 3], [2, 1, 8, 9, 7, 6, 5, 4, 3]),
    ],
)
def test_rows_without_a_value_come_last(order_by: str, ascending: list[int], descending: list[int]) -> None:
    """Issues without a value come last in both directions."""
    assert ascending == list_ids(TEN, {"order_by": order_by, "sort": "asc"}, "ann", SIDE)
    assert descending == list_ids(TEN, {"order_by": order_by, "sort": "desc"}, "ann", SIDE)


def test_the_newest_come_first() -> None:
    """By default the newest issues come first."""
    assert [9, 8, 7, 6, 5, 4, 3, 2, 1] == list_ids(TEN, {}, "ann", SIDE)


def test_only_the_asked_projects() -> None:
    """A list of some projects shows no others."""
    assert [9, 8] == list_ids(TEN, {}, "ann", SIDE, [2])


def test_states_are_counted() -> None:
    """Statistics count the states of what passes."""
    assert {"all": 9, "closed": 2, "opened": 7} == count_states(TEN, {}, "ann", SIDE)
