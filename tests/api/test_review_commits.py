"""Discussions of commits; comments are the same notes.

Source: docs/platform/notes-discussions.md, docs/platform/commits.md.
"""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import NOTE
from tests.api.planning_records import MISSING, create_record, get_json
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.api.review_company import DOCS, REVIEW_COMPANY, SITE, list_system_notes, update_record

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY)

COMMIT, COMMENTS = f"{SITE}/repository/commits/feature/discussions", f"{SITE}/repository/commits/feature/comments"
PUBLIC = f"{DOCS}/repository/commits/feature/discussions"
BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
NOT_REPLYABLE: Outcome = (400, {"message": "400 Bad request - Discussion can not be replied to."})
NOT_RESOLVABLE: Outcome = (400, {"message": "400 Bad request - Note is not resolvable"})
_LINE = ':line_code=>["can\'t be blank", "must be a valid line code"]'


def get_commit(fake: Fakeplat, name: str = "feature") -> dict[str, Any]:
    view: dict[str, Any] = fake.as_user("root").get(f"{SITE}/repository/commits/{name}").json()
    return view


def build_position(fake: Fakeplat, **where: Any) -> dict[str, Any]:
    """A position in the commit's own difference."""
    commit_view = get_commit(fake)
    parent = commit_view["parent_ids"][0]
    shas = {"base_sha": parent, "start_sha": parent, "head_sha": commit_view["id"]}
    return {**shas, "position_type": "text", "old_path": "app.txt", "new_path": "app.txt", "new_line": 9, **where}


def create_commit_discussion(fake: Fakeplat, body: str = "Why?", by: str = "rep", **given: Any) -> dict[str, Any]:
    return create_record(fake, COMMIT, by, body=body, **given)


def test_a_new_discussion(fakeplat: Fakeplat) -> None:
    """A discussion of a commit has no id or iid of its own and cannot be resolved."""
    discussion = create_commit_discussion(fakeplat)
    (note,) = discussion["notes"]

    assert re.fullmatch("[0-9a-f]{40}", discussion["id"])
    assert NOTE | {"commit_id"} == set(note)
    assert {
        "type": "DiscussionNote",
        "noteable_type": "Commit",
        "noteable_id": None,
        "noteable_iid": None,
        "commit_id": get_commit(fakeplat)["id"],
        "resolvable": False,
    }.items() <= note.items()
    assert discussion == get_json(fakeplat, f"{COMMIT}/{discussion['id']}", "rep")
    assert note == get_json(fakeplat, f"{COMMIT}/{discussion['id']}/notes/{note['id']}", "rep")


def test_a_discussion_goes_on(fakeplat: Fakeplat) -> None:
    """A discussion of a commit takes replies and changes under each of its names."""
    thread = create_commit_discussion(fakeplat)["id"]
    note = create_record(fakeplat, f"{COMMIT}/{thread}/notes", "dev", body="Because")
    assert (
        "Because." == update_record(fakeplat, f"{COMMIT}/{thread}/notes/{note['id']}", "dev", body="Because.")["body"]
    )
    by_hash = COMMIT.replace("feature", get_commit(fakeplat)["id"])
    assert ["Why?", "Because."] == names(get_json(fakeplat, f"{by_hash}/{thread}", "rep")["notes"], "body")
    assert [] == get_json(fakeplat, COMMIT.replace("feature", "master"), "rep")
    assert STALE == refusal(fakeplat, "dev", "DELETE", f"{COMMIT}/{thread}/notes/{note['id']}", headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user("dev").delete(f"{COMMIT}/{thread}/notes/{note['id']}"))
    assert ["Why?"] == names(get_json(fakeplat, f"{COMMIT}/{thread}", "rep")["notes"], "body")


def test_a_line_of_the_commit(fakeplat: Fakeplat) -> None:
    """A discussion of a commit's line is a DiffNote and a comment on the line."""
    (note,) = create_commit_discussion(fakeplat, position=build_position(fakeplat))["notes"]
    assert ("DiffNote", {**build_position(fakeplat), "old_line": None, "line_range": None}) == (
        note["type"],
        note["position"],
    )
    (comment,) = get_json(fakeplat, COMMENTS, "rep")
    assert ("app.txt", 9, "new") == (comment["path"], comment["line"], comment["line_type"])


def test_the_first_commit_differs_from_nothing(fakeplat: Fakeplat) -> None:
    """The base of the first commit is a hash of zeros."""
    sha, zero = get_commit(fakeplat, "begin")["id"], "0" * 40
    where = build_position(
        fakeplat, base_sha=zero, start_sha=zero, head_sha=sha, new_path="other.txt", old_path=None, new_line=1
    )
    answer = create_record(fakeplat, COMMIT.replace("feature", "begin"), "rep", body="x", position=where)
    assert zero == answer["notes"][0]["position"]["base_sha"]


@pytest.mark.parametrize(
    ("where", "texts"),
    [
        ({"new_line": 10}, _LINE),
        ({"new_path": "nowhere", "old_path": None}, _LINE),
        ({"new_line": None}, f'{_LINE}, :position=>["is incomplete"]'),
        ({"base_sha": "0" * 40}, ':commit_id=>["does not match the diff refs"]'),
        ({"head_sha": "f" * 40}, f':commit_id=>["does not match the diff refs"], {_LINE}'),
    ],
)
def test_lines_that_are_not_there(fakeplat: Fakeplat, where: dict[str, Any], texts: str) -> None:
    """A discussion of a line outside of the commit's diff answers 400."""
    body: dict[str, Any] = {"body": "x", "position": build_position(fakeplat, **where)}
    if where == {"base_sha": "0" * 40}:
        body["position"]["start_sha"] = "0" * 40
    assert (400, {"message": f"400 Bad request - Note {{{texts}}}"}) == refusal(
        fakeplat, "rep", "POST", COMMIT, json=body
    )


def test_comments_are_discussions(fakeplat: Fakeplat) -> None:
    """Comments on a commit are individual notes; those on a line are threads."""
    create_record(fakeplat, COMMENTS, "rep", note="whole")
    create_record(fakeplat, COMMENTS, "dev", note="line", path="app.txt", line=9)
    whole, line = get_json(fakeplat, COMMIT, "rep")

    assert (True, None, "whole") == (whole["individual_note"], whole["notes"][0]["type"], whole["notes"][0]["body"])
    assert (False, "LegacyDiffNote", False) == (
        line["individual_note"],
        line["notes"][0]["type"],
        "position" in line["notes"][0],
    )
    target = f"{COMMIT}/{whole['id']}/notes"
    assert NOT_REPLYABLE == refusal(fakeplat, "dev", "POST", target, json={"body": "x"})
    assert "LegacyDiffNote" == create_record(fakeplat, f"{COMMIT}/{line['id']}/notes", "rep", body="reply")["type"]
    rows = get_json(fakeplat, COMMENTS, "rep")
    assert [("whole", None), ("line", 9), ("reply", 9)] == [(row["note"], row["line"]) for row in rows]


def test_discussions_are_comments(fakeplat: Fakeplat) -> None:
    """Discussions of a commit are also listed as its comments."""
    discussion = create_commit_discussion(fakeplat)
    (comment,) = get_json(fakeplat, COMMENTS, "rep")
    assert ("Why?", None, None, None) == tuple(comment[name] for name in ("note", "path", "line", "line_type"))
    fakeplat.as_user("rep").delete(f"{COMMIT}/{discussion['id']}/notes/{discussion['notes'][0]['id']}")
    assert ([], []) == (get_json(fakeplat, COMMENTS, "rep"), get_json(fakeplat, COMMIT, "rep"))


@pytest.mark.parametrize(
    ("say", "kind"),
    [
        (lambda fake: create_record(fake, COMMENTS, "rep", note="See #1"), "Note"),
        (lambda fake: create_record(fake, COMMENTS, "rep", note="See #1", path="app.txt", line=9), "LegacyDiffNote"),
        (lambda fake: create_commit_discussion(fake, "See #1"), "DiscussionNote"),
        (lambda fake: create_commit_discussion(fake, "See #1", position=build_position(fake)), "DiffNote"),
    ],
)
def test_comments_are_events(fakeplat: Fakeplat, say: Any, kind: str) -> None:
    """commented on, for those who may read the code; an issue that is named learns of the commit."""
    create_record(fakeplat, f"{SITE}/issues", title="One")
    say(fakeplat)
    (event,) = [event for event in get_json(fakeplat, f"{SITE}/events") if event["action_name"] == "commented on"]

    assert (kind, "Change", "See #1", "Commit") == (
        event["target_type"],
        event["target_title"],
        event["note"]["body"],
        event["note"]["noteable_type"],
    )
    assert [] == [
        event for event in get_json(fakeplat, f"{SITE}/events", "gus") if event["action_name"] == "commented on"
    ]
    assert [f"mentioned in commit {get_commit(fakeplat)['id']}"] == list_system_notes(fakeplat, f"{SITE}/issues/1")


THREAD = f"{COMMIT}/{{thread}}"
FIRST = f"{THREAD}/notes/{{note}}"


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", PUBLIC, None, UNAUTHORIZED),
        (None, "POST", PUBLIC, {"body": "x"}, UNAUTHORIZED),
        ("eve", "GET", COMMIT, None, resource_not_found("Project")),
        ("gus", "GET", COMMIT, None, resource_not_found("Commit")),
        ("gus", "POST", COMMIT, {"body": "x"}, resource_not_found("Commit")),
        ("ada", "GET", COMMIT.replace("feature", "nowhere"), None, resource_not_found("Commit")),
        ("ada", "GET", f"{COMMIT}/{'0' * 40}", None, resource_not_found("Discussion")),
        ("ada", "GET", f"{COMMIT.replace('feature', 'master')}/{{thread}}", None, resource_not_found("Discussion")),
        ("ada", "GET", f"{PUBLIC}/{{thread}}", None, resource_not_found("Discussion")),
        ("ada", "POST", COMMIT, {}, invalid("body is missing")),
        ("ada", "POST", COMMIT, {"body": " "}, BLANK),
        (
            "ada",
            "POST",
            COMMIT,
            {"body": "x", "position": {"base_sha": "x"}},
            invalid(
                "position[start_sha] is missing, position[head_sha] is missing, position[position_type] is missing"
            ),
        ),
        ("ada", "POST", f"{THREAD}/notes", {"body": ""}, BLANK),
        ("ada", "GET", f"{THREAD}/notes/1", None, MISSING),
        ("dev", "PUT", FIRST, {"body": "x"}, FORBIDDEN),
        ("dev", "DELETE", FIRST, None, FORBIDDEN),
        ("dev", "PUT", FIRST, {"resolved": True}, NOT_RESOLVABLE),
        ("ada", "PUT", FIRST, {}, invalid("body, resolved are missing, exactly one parameter must be provided")),
        ("ada", "PUT", THREAD, {"resolved": True}, (405, {"error": "405 Not Allowed"})),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Refused comments on commits change nothing, and hidden code is not found."""
    discussion = create_commit_discussion(fakeplat)
    target = path.format(thread=discussion["id"], note=discussion["notes"][0]["id"])
    assert expected == refusal(fakeplat, who, method, target, json=body)


def test_an_archived_project_is_read_only(fakeplat: Fakeplat) -> None:
    """Discussions of commits in an archived project are read-only."""
    thread = create_commit_discussion(fakeplat)["id"]
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    for path, body in ((COMMIT, {"body": "x"}), (f"{COMMIT}/{thread}/notes", {"body": "x"}), (COMMENTS, {"note": "x"})):
        assert FORBIDDEN == refusal(fakeplat, "rep", "POST", path, json=body)


def test_anybody_may_speak_of_public_code(fakeplat: Fakeplat) -> None:
    """Any signed-in user may start a discussion on a public commit."""
    assert 201 == fakeplat.as_user("eve").post(PUBLIC, json={"body": "Hello"}).status
