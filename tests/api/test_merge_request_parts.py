"""Commits, versions, participants, to-dos and other parts of a merge request.

Source: docs/platform/merge-requests.md, docs/platform/issues.md ('Sub-resources').
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import (
    BASIC,
    CONFLICTING,
    DETAIL,
    MRS,
    NOT_FOUND,
    OPEN,
    SITE,
    commit,
    create_merge_request,
    get_json,
    select_fields,
)
from tests.api.requests import FORBIDDEN, UNMODIFIED, invalid, invalid_record, names, refusal, usernames

# interest


def test_subscribing_answers_with_the_whole_and_201(fakeplat: Fakeplat) -> None:
    """Subscribing answers 201 with the merge request, and 304 when repeated."""
    for user, first, then in (("mia", "unsubscribe", "subscribe"), ("ada", "subscribe", "unsubscribe")):
        assert UNMODIFIED == refusal(fakeplat, user, "POST", f"{OPEN}/{then}")
        reply = fakeplat.as_user(user).post(f"{OPEN}/{first}")
        assert (201, first == "subscribe", DETAIL) == (reply.status, reply.json()["subscribed"], set(reply.json()))
        assert UNMODIFIED == refusal(fakeplat, user, "POST", f"{OPEN}/{first}")
        assert (first == "subscribe") == get_json(fakeplat, by=user)["subscribed"]


def test_only_who_may_change_it_subscribes(fakeplat: Fakeplat) -> None:
    """A Reporter is 403; unknown ones are 404."""
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/subscribe")
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/unsubscribe")
    assert NOT_FOUND == refusal(fakeplat, "dev", "POST", f"{MRS}/77/subscribe")


def test_a_to_do_is_made_once(fakeplat: Fakeplat) -> None:
    """A second to-do for the same merge request answers 304 while one is pending."""
    reply = fakeplat.as_user("rep").post(f"{OPEN}/todo")
    todo = reply.json()
    assert (201, "marked", "MergeRequest", "pending", "Search by name") == (
        reply.status,
        *select_fields(todo, "action_name", "target_type", "state", "body"),
    )
    assert f"{fakeplat.url}/acme/site/-/merge_requests/1".endswith(todo["target_url"].partition("/acme")[2])
    assert (1, "rep") == (todo["target"]["iid"], todo["author"]["username"])
    assert UNMODIFIED == refusal(fakeplat, "rep", "POST", f"{OPEN}/todo")


def test_participants_are_its_people(fakeplat: Fakeplat) -> None:
    """Participants are author, assignees and mentioned users who see it."""
    fakeplat.as_user("dev").put(OPEN, json={"description": "@ada and @gus and @eve, see `@rep`"})
    assert ["dev", "mia", "ada"] == usernames(fakeplat.as_user("dev").get(f"{OPEN}/participants"))


# commits and versions


def test_commits_and_versions_are_paged(fakeplat: Fakeplat) -> None:
    """Commits and versions of a merge request are paged, newest first, with totals."""
    shas = [commit(fakeplat, "feature", f"{n}.txt") for n in range(3)]
    reply = fakeplat.as_user("dev").get(f"{OPEN}/commits?per_page=2")
    assert (shas[:0:-1], "4") == (names(reply.json(), "id"), reply.headers.get("X-Total"))
    reply = fakeplat.as_user("dev").get(f"{OPEN}/versions?per_page=2&page=2")
    assert ("4", 2) == (reply.headers.get("X-Total"), len(reply.json()))
    assert {"collected"} == {row["state"] for row in reply.json()}


def test_an_empty_one_has_an_empty_version(fakeplat: Fakeplat) -> None:
    """A merge request without changes has one empty version, without commits and files."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "same", "ref": "master"})
    path = f"{MRS}/{create_merge_request(fakeplat, 'same')['iid']}"
    assert [("empty", "0")] == [
        select_fields(row, "state", "real_size") for row in get_json(fakeplat, f"{path}/versions")
    ]
    assert ([], []) == (get_json(fakeplat, f"{path}/commits"), get_json(fakeplat, f"{path}/changes")["changes"])


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_the_patch_id_of_a_version_survives_a_rebase(fakeplat: Fakeplat) -> None:
    """A rebase makes a version with the same patch id, another change one with another; none has none."""
    commit(fakeplat, "master", "elsewhere.txt", by="mia")
    fakeplat.as_user("dev").put(f"{OPEN}/rebase")
    fakeplat.settle()
    commit(fakeplat, "feature", "more.txt")
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "same", "ref": "master"})
    empty = f"{MRS}/{create_merge_request(fakeplat, 'same')['iid']}"

    changed, rebased, opened = (row["patch_id_sha"] for row in get_json(fakeplat, f"{OPEN}/versions"))

    assert opened == rebased != changed
    assert 40 == len(opened)
    assert [None] == [row["patch_id_sha"] for row in get_json(fakeplat, f"{empty}/versions")]


# issues


def test_issues_know_what_closes_and_what_names_them(fakeplat: Fakeplat) -> None:
    """Issues list closing and related merge requests that the caller may read."""
    commit(fakeplat, "work")
    create_merge_request(fakeplat, "work", title="See #1", description="Closes #5")
    fakeplat.as_user("rep").put(f"{SITE}/issues/4", json={"description": "as !2 and acme/site!1 say, not !77"})
    closing, related = (f"{SITE}/issues/{{}}/{name}" for name in ("closed_by", "related_merge_requests"))
    assert [[], [1], [3]] == [names(get_json(fakeplat, closing.format(iid)), "iid") for iid in (1, 2, 5)]
    assert [[3], [3], [2, 1]] == [names(get_json(fakeplat, related.format(iid)), "iid") for iid in (1, 5, 4)]
    assert {frozenset(BASIC)} == {frozenset(row) for row in get_json(fakeplat, closing.format(5))}
    assert {frozenset(DETAIL - {"subscribed"})} == {frozenset(row) for row in get_json(fakeplat, related.format(5))}
    assert [] == get_json(fakeplat, closing.format(5), by="gus")
    assert [] == get_json(fakeplat, related.format(5), by="gus")


def test_closing_references_are_stored_when_written(fakeplat: Fakeplat) -> None:
    """An issue that is made later is no part of it until a text changes; both sides and merging go by the note."""
    fakeplat.as_user("dev").put(OPEN, json={"description": "Closes #2 and #6"})
    later = fakeplat.as_user("dev").post(f"{SITE}/issues", json={"title": "Later"}).json()
    assert 6 == later["iid"]

    def count_closing() -> tuple[list[int], int]:
        closes = names(get_json(fakeplat, f"{OPEN}/closes_issues"), "iid")
        return closes, len(get_json(fakeplat, f"{SITE}/issues/6/closed_by"))

    assert ([2], 0) == count_closing()
    fakeplat.as_user("dev").put(OPEN, json={"title": "Another"})
    assert ([2, 6], 1) == count_closing()
    assert 1 == get_json(fakeplat, f"{SITE}/issues/6")["merge_requests_count"]


def test_nothing_is_noted_while_the_project_has_no_issues(fakeplat: Fakeplat) -> None:
    """Where issues are disabled references are not noted, and earlier notes stay."""
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"issues_enabled": False})
    fakeplat.as_user("dev").put(OPEN, json={"description": "Closes #1"})
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"issues_enabled": True})
    assert [2] == names(get_json(fakeplat, f"{OPEN}/closes_issues"), "iid")


def test_only_visible_issues_are_listed(fakeplat: Fakeplat) -> None:
    """A confidential one is left out for who does not see it."""
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"visibility": "public"})
    fakeplat.as_user("dev").put(OPEN, json={"description": "Closes #2, #3"})
    assert [2, 3] == names(get_json(fakeplat, f"{OPEN}/closes_issues", by="dev"), "iid")
    closed_issues = get_json(fakeplat, f"{OPEN}/closes_issues", by="eve")
    assert [2] == names(closed_issues, "iid")
    assert "_links" not in closed_issues[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Closes #1", [1]),
        ("closed: #1", [1]),
        ("Fixing #1 and #2", [1, 2]),
        ("fixes #1, #2, and #5", [1, 2, 5]),
        ("Resolved issue #1", [1]),
        ("implements acme/site#2", [2]),
        ("Implementing #1 #2", [1, 2]),
        ("closes {url}/acme/site/-/issues/4", [4]),
        ("encloses #1", []),
        ("see #1", []),
        ("Closes #77", []),
        ("`closes #1`", []),
        ("close #1. See #2", [1]),
        ("closes #1 , and #2", [1, 2]),
        pytest.param(f"closes #1{' ' * 500_000}x", [1], id="as much space as a text can hold is read once"),
    ],
)
def test_closing_words(fakeplat: Fakeplat, text: str, expected: list[int]) -> None:
    """The closing pattern of the platform finds the issues in a description."""
    origin = get_json(fakeplat)["web_url"].partition("/acme")[0]
    fakeplat.as_user("dev").put(OPEN, json={"description": text.format(url=origin)})
    assert expected == names(get_json(fakeplat, f"{OPEN}/closes_issues"), "iid")


# time


def test_time_is_tracked(fakeplat: Fakeplat) -> None:
    """Developers and above track time of merge requests."""
    dev = fakeplat.as_user("dev")
    assert 0 == get_json(fakeplat, f"{OPEN}/time_stats")["time_estimate"]
    assert (200, "3h 30m") == read_time(dev.post(f"{OPEN}/time_estimate", json={"duration": "3h30m"}), "estimate")
    assert (201, "1h") == read_time(dev.post(f"{OPEN}/add_spent_time", json={"duration": "1h"}), "spent")
    assert (200, None) == read_time(dev.post(f"{OPEN}/reset_time_estimate"), "estimate")
    assert (200, None) == read_time(dev.post(f"{OPEN}/reset_spent_time"), "spent")
    assert invalid("duration is missing") == refusal(fakeplat, "dev", "POST", f"{OPEN}/time_estimate")
    assert invalid_record(base=["Time to subtract exceeds the total time spent"]) == refusal(
        fakeplat, "dev", "POST", f"{OPEN}/add_spent_time", json={"duration": "-1h"}
    )
    for act in ("time_estimate", "add_spent_time"):
        assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/{act}", json={"duration": "1h"})
    for act in ("reset_time_estimate", "reset_spent_time"):
        assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/{act}")


def test_a_reset_of_spent_time_moves_the_merge_request(fakeplat: Fakeplat) -> None:
    """Resetting spent time changes a merge request even at 0."""
    before = get_json(fakeplat)["updated_at"]
    fakeplat.clock.advance("1m")
    assert 200 == fakeplat.as_user("dev").post(f"{OPEN}/reset_spent_time").status
    assert before < get_json(fakeplat)["updated_at"]


def read_time(reply: Any, what: str) -> tuple[int, str | None]:
    key = {"estimate": "human_time_estimate", "spent": "human_total_time_spent"}[what]
    return reply.status, reply.json()[key]


# what is noted


def test_changes_are_noted_and_recorded(fakeplat: Fakeplat) -> None:
    """Labels and milestones as events; title, target, people and pushes as notes of the platform."""
    dev = fakeplat.as_user("dev")
    dev.put(OPEN, json={"title": "Draft: Search by name", "labels": "bug", "milestone_id": 0, "assignee_id": 0})
    dev.put(OPEN, json={"title": "Draft: Find by name"})
    commit(fakeplat, "feature", commit_message="More")
    labels = [(row["action"], row["label"]["name"]) for row in get_json(fakeplat, f"{OPEN}/resource_label_events")]
    assert [("add", "bug"), ("remove", "feature")] == sorted(labels)
    assert ["remove"] == names(get_json(fakeplat, f"{OPEN}/resource_milestone_events"), "action")
    with fakeplat.bench.platform.acting() as ctx:
        record = next(row for row in ctx.world.merge_requests.all() if row.iid == 1)
        bodies = [note.body for note in ctx.world.notes.where("subject", ("merge_request", record.id)) if note.system]
    assert [
        "marked as a **Work In Progress**",
        "unassigned @mia",
        "changed title from **Draft: {-Search-} by name** to **Draft: {+Find+} by name**",
    ] == bodies[:3]
    assert bodies[3].startswith("added 1 commit\n\n<ul><li>")
    assert bodies[3].endswith(" - More</li></ul>")


def test_assigning_creates_a_todo(fakeplat: Fakeplat) -> None:
    """A to-do for the new assignee."""
    ada = get_json(fakeplat, "users?username=ada")[0]["id"]
    fakeplat.as_user("dev").put(CONFLICTING, json={"assignee_id": ada})
    assert ["assigned"] == names(get_json(fakeplat, "todos", by="ada"), "action_name")
