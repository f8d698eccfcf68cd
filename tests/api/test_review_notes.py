"""Notes on merge requests: comments and system notes.

Source: docs/platform/notes-discussions.md, docs/decisions/rulings.md (1).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import NOTE, create_note, list_bodies, list_todos
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
from tests.api.review_company import (
    DOCS,
    MR,
    NEW,
    PUBLIC,
    REVIEW_COMPANY,
    SITE,
    commit_lines,
    create_discussion,
    create_line_discussion,
    list_system_notes,
    update_record,
)

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=REVIEW_COMPANY)]

BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
_SHOWN = "user_notes_count"


@pytest.mark.fakeplat(clock="virtual", releases="<15.0")
def test_a_new_note(fakeplat: Fakeplat) -> None:
    """A new note answers 201 with all fields and resolves nothing."""
    note = create_note(fakeplat, "Well.", "rep", MR)
    author = note.pop("author")

    assert NOTE - {"author"} == set(note)
    assert ("rep", "active") == (author["username"], author["state"])
    assert {
        "id": note["id"],
        "type": None,
        "body": "Well.",
        "attachment": None,
        "created_at": "2020-11-20T09:00:00.000Z",
        "updated_at": "2020-11-20T09:00:00.000Z",
        "system": False,
        "noteable_id": get_json(fakeplat, MR)["id"],
        "noteable_type": "MergeRequest",
        "resolvable": False,
        "confidential": False,
        "noteable_iid": 1,
        "commands_changes": {},
    } == note
    assert {**note, "author": author} == get_json(fakeplat, f"{MR}/notes/{note['id']}", "rep")


def test_a_note_is_counted_and_moves_its_merge_request(fakeplat: Fakeplat) -> None:
    """user_notes_count counts what people said, updated_at moves; kept answers change too."""
    before = get_json(fakeplat, MR)
    assert 0 == before[_SHOWN] == get_json(fakeplat, f"{SITE}/merge_requests")[0][_SHOWN]
    note = create_note(fakeplat, "Well.", "dev", MR)
    update_record(fakeplat, MR, "dev", title="Another")
    after = get_json(fakeplat, MR)

    assert 1 == after[_SHOWN] == get_json(fakeplat, f"{SITE}/merge_requests")[0][_SHOWN]
    assert before["updated_at"] < after["updated_at"]
    assert 204 == fakeplat.as_user("dev").delete(f"{MR}/notes/{note['id']}").status
    assert 0 == get_json(fakeplat, MR)[_SHOWN] == get_json(fakeplat, f"{SITE}/merge_requests")[0][_SHOWN]


def test_commenting_makes_a_subscribed_participant(fakeplat: Fakeplat) -> None:
    """Commenting makes its author a subscribed participant, and mentioned users participants."""
    assert not get_json(fakeplat, MR, "rep")["subscribed"]
    create_note(fakeplat, "what does @mia say?", "rep", MR)
    assert get_json(fakeplat, MR, "rep")["subscribed"]
    assert ["dev", "rep", "mia"] == names(get_json(fakeplat, f"{MR}/participants"), "username")


@pytest.mark.fakeplat(releases="<15.6")
def test_participants_of_confidential_notes_are_for_reporters(fakeplat: Fakeplat) -> None:
    """Participants of confidential notes are shown to Reporters only."""
    create_note(fakeplat, "@mia hush", "rep", PUBLIC, confidential=True)
    participants = {by: names(get_json(fakeplat, f"{PUBLIC}/participants", by), "username") for by in ("dev", "ext")}
    assert {"dev": ["eve", "rep", "mia"], "ext": ["eve"]} == participants


def test_mentions_create_todos_and_answers_finish_them(fakeplat: Fakeplat) -> None:
    """mentioned, or directly addressed; a guest, who does not see it, is not asked. The to-do shows the note."""
    note = create_note(fakeplat, "@mia look, and so may @rep and @gus", "dev", MR)

    assert [("directly_addressed", note["body"])] == list_todos(fakeplat, "mia")
    assert [("mentioned", note["body"])] == list_todos(fakeplat, "rep")
    assert [] == list_todos(fakeplat, "gus")
    (todo,) = get_json(fakeplat, "todos", "mia")
    assert ("MergeRequest", 1) == (todo["target_type"], todo["target"]["iid"])
    assert todo["target_url"].endswith(f"/acme/site/-/merge_requests/1#note_{note['id']}")
    create_discussion(fakeplat, "I see.", "mia")
    fakeplat.as_user("rep").post(f"{MR}/notes/{note['id']}/award_emoji", json={"name": "thumbsup"})
    assert ([], []) == (list_todos(fakeplat, "mia"), list_todos(fakeplat, "rep"))


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (create_note, "Note"),
        (lambda fake, body, by, _: create_discussion(fake, body, by), "DiscussionNote"),
        (lambda fake, body, by, _: create_line_discussion(fake, body, by), "DiffNote"),
    ],
)
def test_notes_are_events(fakeplat: Fakeplat, start: Any, kind: str) -> None:
    """An event commented on, with the note; whoever does not see the merge request does not see it."""
    start(fakeplat, "Well.", "rep", MR)
    (event,) = [event for event in get_json(fakeplat, f"{SITE}/events") if event["action_name"] == "commented on"]

    assert (kind, "Change", "rep", "Well.") == (
        event["target_type"],
        event["target_title"],
        event["author_username"],
        event["note"]["body"],
    )
    assert [] == [
        event for event in get_json(fakeplat, f"{SITE}/events", "gus") if event["action_name"] == "commented on"
    ]
    assert [kind] == [event["target_type"] for event in get_json(fakeplat, f"{SITE}/events?target_type=note")]


def test_changes_are_noted(fakeplat: Fakeplat) -> None:
    """Changes of a merge request create system notes, which are not counted."""
    update_record(fakeplat, MR, "dev", title="WIP: Change")
    update_record(fakeplat, MR, "dev", title="Another", description="x", assignee_id=int(fakeplat.world.user("dev").id))
    update_record(fakeplat, MR, "dev", discussion_locked=True)
    commit_lines(fakeplat, ["zero", *NEW])
    system_notes = list_system_notes(fakeplat)

    assert [
        "marked as a **Work In Progress**",
        "unmarked as a **Work In Progress**",
        "changed the description",
        "assigned to @dev",
        "locked this merge request",
    ] == system_notes[:5]
    assert system_notes[5].startswith("added 1 commit\n\n<ul><li>")
    assert 0 == get_json(fakeplat, MR)[_SHOWN]
    assert [] == get_json(fakeplat, f"{MR}/notes?activity_filter=only_comments")
    assert 6 == len(get_json(fakeplat, f"{MR}/notes"))


def test_an_issue_learns_that_it_was_named(fakeplat: Fakeplat) -> None:
    """All notes of a merge request that mention an issue are noted on it once."""
    create_record(fakeplat, f"{SITE}/issues", title="One")
    create_note(fakeplat, "See #1", "dev", MR)
    create_note(fakeplat, "See #1 again", "dev", MR)
    assert ["mentioned in merge request !1"] == list_system_notes(fakeplat, f"{SITE}/issues/1")


@pytest.mark.parametrize("text", ["see !1", "see acme/docs!1", "see docs!1, !1", "(!1)", "{page}"])
def test_a_merge_request_learns_that_it_was_named(fakeplat: Fakeplat, text: str) -> None:
    """A reference to a merge request is noted once per source, but not from itself."""
    create_record(fakeplat, f"{DOCS}/issues", title="One")
    text = text.format(page=get_json(fakeplat, PUBLIC)["web_url"])
    create_note(fakeplat, text, "dev", f"{DOCS}/issues/1")
    create_note(fakeplat, text, "dev", f"{DOCS}/issues/1")
    create_note(fakeplat, text, "dev", PUBLIC)
    assert ["mentioned in issue #1"] == list_system_notes(fakeplat, PUBLIC)


@pytest.mark.parametrize("text", ["`!1`", "!11", "no such/thing!1", "x!1", "wow!1!", "acme/site!1"])
def test_texts_without_mentions(fakeplat: Fakeplat, text: str) -> None:
    """Text in code, other projects and hidden references are no mentions."""
    create_record(fakeplat, f"{DOCS}/issues", title="One")
    create_note(fakeplat, text, "ext", f"{DOCS}/issues/1")
    assert ([], []) == (list_system_notes(fakeplat, PUBLIC), list_system_notes(fakeplat, MR))


def test_the_list(fakeplat: Fakeplat) -> None:
    """Notes are listed newest first and sorted by either time in pages."""
    for body in ("one", "two", "three"):
        create_note(fakeplat, body, "rep", MR)
    first = get_json(fakeplat, f"{MR}/notes?sort=asc")[0]["id"]
    update_record(fakeplat, f"{MR}/notes/{first}", "rep", body="one!")

    assert ["three", "two", "one!"] == names(get_json(fakeplat, f"{MR}/notes"), "body")
    assert ["one!", "two", "three"] == list_bodies(fakeplat, MR)
    assert ["one!", "three", "two"] == names(get_json(fakeplat, f"{MR}/notes?order_by=updated_at"), "body")
    page = fakeplat.as_user("rep").get(f"{MR}/notes?per_page=2&page=2")
    assert (["one!"], "3") == (names(page.json(), "body"), page.headers["X-Total"])


@pytest.mark.fakeplat(releases="<15.6")
def test_a_confidential_note_is_for_reporters(fakeplat: Fakeplat) -> None:
    """Confidential notes are shown to Reporters and the merge request's author."""
    note = create_note(fakeplat, "between us", "rep", PUBLIC, confidential=True)
    assert note["confidential"]
    assert [["between us"], ["between us"], [], []] == [
        list_bodies(fakeplat, PUBLIC, by) for by in ("rep", "eve", "gus", "ext")
    ]
    assert resource_not_found("Note") == refusal(fakeplat, "ext", "GET", f"{PUBLIC}/notes/{note['id']}")


@pytest.mark.parametrize(("by", "kept"), [("ada", True), ("root", True), ("mia", False), ("rep", False)])
def test_owners_choose_the_time_of_a_note(fakeplat: Fakeplat, by: str, kept: bool) -> None:
    """created_at of others is left out without a word."""
    note = create_note(fakeplat, "Well.", by, MR, created_at="2019-01-02T03:04:05Z")
    assert kept == (note["created_at"] == note["updated_at"] == "2019-01-02T03:04:05.000Z")


def test_only_commands_leave_no_note(fakeplat: Fakeplat) -> None:
    """A note of commands alone answers 202 with a summary."""
    answer = fakeplat.as_user("dev").post(f"{MR}/notes", json={"body": "/title Better"})
    assert (202, {"commands_changes", "summary"}) == (answer.status, set(answer.json()))
    assert ("Better", []) == (
        get_json(fakeplat, MR)["title"],
        list_bodies(fakeplat, MR, query="&activity_filter=only_comments"),
    )


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{PUBLIC}/notes", None, UNAUTHORIZED),
        (None, "POST", f"{PUBLIC}/notes", {"body": "x"}, UNAUTHORIZED),
        (None, "POST", f"{PUBLIC}/notes", {}, UNAUTHORIZED),
        (None, "GET", f"{DOCS}/merge_requests/9/notes/1", None, UNAUTHORIZED),
        ("eve", "GET", f"{MR}/notes", None, resource_not_found("Project")),
        ("gus", "GET", f"{MR}/notes", None, MISSING),
        ("gus", "POST", f"{MR}/notes", {"body": "x"}, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/99/notes", None, MISSING),
        ("ada", "POST", f"{SITE}/merge_requests/99/notes", {"body": "x"}, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/x/notes", None, invalid("merge_request_iid is invalid")),
        ("ada", "GET", f"{MR}/notes/1", None, MISSING),
        ("ada", "PUT", f"{MR}/notes/1", {"body": "x"}, MISSING),
        ("ada", "DELETE", f"{MR}/notes/1", None, MISSING),
        ("ada", "GET", f"{MR}/notes/x", None, invalid("note_id is invalid")),
        ("ada", "GET", f"{PUBLIC}/notes/{{note}}", None, MISSING),
        ("dev", "PUT", f"{MR}/notes/{{note}}", {"body": "x"}, FORBIDDEN),
        ("dev", "DELETE", f"{MR}/notes/{{note}}", None, FORBIDDEN),
        ("ada", "PUT", f"{MR}/notes/{{system}}", {"body": "x"}, FORBIDDEN),
        ("root", "DELETE", f"{MR}/notes/{{system}}", None, FORBIDDEN),
        ("ada", "POST", f"{MR}/notes", {}, invalid("body is missing")),
        ("ada", "POST", f"{MR}/notes", {"body": " "}, BLANK),
        ("ada", "PUT", f"{MR}/notes/{{note}}", {"body": " "}, invalid("body is empty")),
        ("ada", "GET", f"{MR}/notes?order_by=body", None, invalid("order_by does not have a valid value")),
        ("ada", "GET", f"{MR}/notes?sort=up", None, invalid("sort does not have a valid value")),
        ("ada", "GET", f"{MR}/notes?activity_filter=x", None, invalid("activity_filter does not have a valid value")),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Refused requests for notes of merge requests change nothing."""
    note = create_note(fakeplat, "Well.", "rep", MR)["id"]
    update_record(fakeplat, MR, "dev", title="Another")
    system = next(note_row["id"] for note_row in get_json(fakeplat, f"{MR}/notes") if note_row["system"])
    assert expected == refusal(fakeplat, who, method, path.format(note=note, system=system), json=body)


@pytest.mark.parametrize("by", ["rep", "mia"])
def test_authors_and_maintainers_change_and_remove(fakeplat: Fakeplat, by: str) -> None:
    """Authors and Maintainers change and delete notes unless they changed since."""
    target = f"{MR}/notes/{create_note(fakeplat, 'Well.', 'rep', MR)['id']}"
    assert "Better." == update_record(fakeplat, target, by, body="Better.")["body"]
    assert STALE == refusal(fakeplat, by, "DELETE", target, headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user(by).delete(target))
    assert MISSING == refusal(fakeplat, "ada", "GET", target)


@pytest.mark.parametrize("gone", ["merge request", "project"])
def test_deleting_a_merge_request_deletes_its_notes(fakeplat: Fakeplat, gone: str) -> None:
    """Deleting a merge request deletes its notes, threads, emoji, to-dos and events."""
    note = create_note(fakeplat, "@mia", "dev", MR)["id"]
    fakeplat.as_user("rep").post(f"{MR}/notes/{note}/award_emoji", json={"name": "tada"})
    fakeplat.as_user("rep").post(f"{MR}/award_emoji", json={"name": "tada"})
    create_line_discussion(fakeplat)
    fakeplat.as_user("ada").delete(MR if gone == "merge request" else SITE)
    fakeplat.settle()
    world = fakeplat.bench.platform.view

    assert [0, 0, 0] == [len(world.notes.all()), len(world.awards.all()), len(world.todos.all())]
    assert [] == [event for event in world.events.all() if event.kind == "note"]


def test_notes_are_found_by_their_text(fakeplat: Fakeplat) -> None:
    """A project search finds notes on visible merge requests and commits."""
    create_note(fakeplat, "A needle", "dev", MR)
    create_record(fakeplat, f"{SITE}/repository/commits/feature/comments", "rep", note="Needle two")
    search_path = f"{SITE}/search?scope=notes&search=needle"

    assert ["Needle two", "A needle"] == names(get_json(fakeplat, search_path, "rep"), "body")
    assert [] == get_json(fakeplat, search_path, "gus")


def test_records_of_the_world_show_notes(fakeplat: Fakeplat) -> None:
    """The records of the world show a merge request's notes and emoji."""
    note = create_note(fakeplat, "Well.", "rep", MR)
    fakeplat.as_user("rep").post(f"{MR}/award_emoji", json={"name": "tada"})
    merge_request = fakeplat.world.project("acme/site").merge_requests[0]
    assert (["tada"], [note["id"]]) == (
        [award.name for award in merge_request.award_emoji],
        [row.id for row in merge_request.notes],
    )
