"""Notes on issues: comments and system notes.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.notes import NOTE, ONE, TWO, create_note, list_bodies, list_system_notes
from tests.api.planning_records import DOCS, MISSING, SITE, get_json, issue, label, milestone
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
from tests.examples import examples

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})


# saying something


@pytest.mark.fakeplat(clock="virtual", releases="<15.0")
def test_a_new_note(fakeplat: Fakeplat) -> None:
    """A new note answers 201 with all fields and resolves nothing."""
    issue_view = issue(fakeplat)
    note = create_note(fakeplat, "Well.", "gus")
    author = note.pop("author")

    assert NOTE - {"author"} == set(note)
    assert ("gus", "active") == (author["username"], author["state"])
    assert {
        "id": note["id"],
        "type": None,
        "body": "Well.",
        "attachment": None,
        "created_at": "2020-11-20T09:00:00.001Z",
        "updated_at": "2020-11-20T09:00:00.001Z",
        "system": False,
        "noteable_id": issue_view["id"],
        "noteable_type": "Issue",
        "resolvable": False,
        "confidential": False,
        "noteable_iid": 1,
        "commands_changes": {},
    } == note
    assert {**note, "author": author} == get_json(fakeplat, f"{ONE}/notes/{note['id']}", "gus")


def test_a_note_is_counted_and_moves_its_issue(fakeplat: Fakeplat) -> None:
    """user_notes_count counts what people said, updated_at moves; kept answers change too."""
    before = issue(fakeplat)
    assert 0 == get_json(fakeplat, ONE)["user_notes_count"]
    assert 0 == get_json(fakeplat, f"{SITE}/issues")[0]["user_notes_count"]
    note = create_note(fakeplat, "Well.", "dev")
    fakeplat.as_user("ada").put(ONE, json={"title": "Another"})
    after = get_json(fakeplat, ONE)

    assert 1 == after["user_notes_count"] == get_json(fakeplat, f"{SITE}/issues")[0]["user_notes_count"]
    assert before["updated_at"] < after["updated_at"]
    assert 204 == fakeplat.as_user("dev").delete(f"{ONE}/notes/{note['id']}").status
    assert (
        0 == get_json(fakeplat, ONE)["user_notes_count"] == get_json(fakeplat, f"{SITE}/issues")[0]["user_notes_count"]
    )


def test_commenting_makes_a_subscribed_participant(fakeplat: Fakeplat) -> None:
    """Commenting makes its author a subscribed participant, and mentioned users participants."""
    issue(fakeplat)
    assert not get_json(fakeplat, ONE, "gus")["subscribed"]
    create_note(fakeplat, "what does @dev say, or `@mia`?", "gus")

    assert get_json(fakeplat, ONE, "gus")["subscribed"]
    assert ["ada", "gus", "dev"] == names(get_json(fakeplat, f"{ONE}/participants"), "username")


def test_a_note_creates_an_event(fakeplat: Fakeplat) -> None:
    """A note creates an event of its author."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.", "dev")
    (event,) = [row for row in fakeplat.bench.platform.view.events.all() if row.kind == "note"]

    assert ("commented", note["id"]) == (event.action, event.target_id)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("body is missing")),
        ({"body": ""}, BLANK),
        ({"body": " \n\t"}, BLANK),
        (
            {"body": "x" * 1_000_001},
            (400, {"message": '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}'}),
        ),
        ({"body": "x", "confidential": "perhaps"}, invalid("confidential is invalid")),
        ({"body": "x", "created_at": {}}, invalid("created_at is invalid")),
    ],
)
def test_invalid_notes_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """An empty, blank or too long note answers 400."""
    issue(fakeplat)
    assert expected == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json=body)


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize("path", ["notes", "discussions"])
def test_what_is_no_time_is_none(fakeplat: Fakeplat, path: str) -> None:
    """The time of a note is a text for the platform: what is no time leaves the note with the present one."""
    issue(fakeplat)
    created = [
        fakeplat.as_user("ada").post(f"{ONE}/{path}", json={"body": "x", **sent}).json()
        for sent in ({}, {"created_at": "once"})
    ]
    times = [note.get("created_at") or note["notes"][0]["created_at"] for note in created]
    assert times[0][:16] == times[1][:16]


@pytest.mark.parametrize(
    ("by", "moment"),
    [("ada", "2019-01-02T03:04:05.000Z"), ("root", "2019-01-02T03:04:05.000Z"), ("mia", None), ("gus", None)],
)
def test_owners_choose_the_time_of_a_note(fakeplat: Fakeplat, by: str, moment: str | None) -> None:
    """created_at of others is left out without a word; both times are the given one."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.", by, created_at="2019-01-02T03:04:05Z")

    assert (moment is not None) == (note["created_at"] == note["updated_at"] == "2019-01-02T03:04:05.000Z")


@pytest.mark.parametrize(
    ("who", "method", "path", "expected"),
    [
        (None, "GET", f"{ONE}/notes", UNAUTHORIZED),
        (None, "GET", f"{DOCS}/issues/1/notes", UNAUTHORIZED),
        (None, "POST", f"{ONE}/notes", UNAUTHORIZED),
        ("eve", "GET", f"{ONE}/notes", resource_not_found("Project")),
        ("ada", "GET", f"{SITE}/issues/99/notes", MISSING),
        ("ada", "GET", f"{ONE}/notes/1", MISSING),
        ("ada", "PUT", f"{ONE}/notes/1", MISSING),
        ("ada", "DELETE", f"{ONE}/notes/1", MISSING),
        ("ada", "GET", f"{TWO}/notes/{{note}}", MISSING),
        ("gus", "PUT", f"{ONE}/notes/{{note}}", FORBIDDEN),
        ("dev", "PUT", f"{ONE}/notes/{{note}}", FORBIDDEN),
        ("dev", "DELETE", f"{ONE}/notes/{{note}}", FORBIDDEN),
        ("ada", "PUT", f"{ONE}/notes/{{system}}", FORBIDDEN),
        ("root", "DELETE", f"{ONE}/notes/{{system}}", FORBIDDEN),
        ("ada", "GET", f"{ONE}/notes?order_by=body", invalid("order_by does not have a valid value")),
        ("ada", "GET", f"{ONE}/notes?sort=up", invalid("sort does not have a valid value")),
        ("ada", "GET", f"{ONE}/notes?activity_filter=x", invalid("activity_filter does not have a valid value")),
    ],
)
def test_refusals(fakeplat: Fakeplat, who: str | None, method: str, path: str, expected: Outcome) -> None:
    """Refused requests for notes answer 401, 404 or 403 and change nothing."""
    issue(fakeplat)
    issue(fakeplat)
    issue(fakeplat, DOCS)
    note = create_note(fakeplat, "Well.", "rep")["id"]
    fakeplat.as_user("ada").put(ONE, json={"confidential": True})
    fakeplat.as_user("ada").put(ONE, json={"confidential": False})
    system = next(note_row["id"] for note_row in get_json(fakeplat, f"{ONE}/notes") if note_row["system"])
    target = path.format(note=note, system=system)

    assert expected == refusal(fakeplat, who, method, target, json={"body": "x"} if method != "GET" else None)


# changing and removing


@pytest.mark.parametrize("by", ["dev", "mia", "ada", "root"])
def test_authors_and_maintainers_change_and_remove(fakeplat: Fakeplat, by: str) -> None:
    """Authors and Maintainers change and delete notes."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.", "dev")
    target = f"{ONE}/notes/{note['id']}"
    changed = fakeplat.as_user(by).put(target, json={"body": "Better."})

    assert (200, "Better.", "dev") == (changed.status, changed.json()["body"], changed.json()["author"]["username"])
    assert note["updated_at"] < changed.json()["updated_at"]
    assert (204, None) == outcome(fakeplat.as_user(by).delete(target))
    assert MISSING == refusal(fakeplat, "ada", "GET", target)


def test_an_empty_change_is_refused_and_none_changes_nothing(fakeplat: Fakeplat) -> None:
    """A blank text answers 400, and a request without one keeps the note."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.")
    target = f"{ONE}/notes/{note['id']}"

    assert invalid("body is empty") == refusal(fakeplat, "ada", "PUT", target, json={"body": " "})
    assert (200, note) == outcome(fakeplat.as_user("ada").put(target, json={}))


@pytest.mark.fakeplat(releases="<14.10")
def test_a_note_becomes_confidential(fakeplat: Fakeplat) -> None:
    """A confidential note is hidden from Guests until it is shown again."""
    issue(fakeplat)
    target = f"{ONE}/notes/{create_note(fakeplat, 'Well.')['id']}"
    assert ["Well."] == list_bodies(fakeplat, by="gus")
    assert fakeplat.as_user("ada").put(target, json={"confidential": True}).json()["confidential"]
    assert [] == list_bodies(fakeplat, by="gus")
    assert not fakeplat.as_user("ada").put(target, json={"confidential": False}).json()["confidential"]
    assert ["Well."] == list_bodies(fakeplat, by="gus")


def test_a_note_that_changed_since_is_not_removed(fakeplat: Fakeplat) -> None:
    """Deleting a note that changed since answers 412."""
    issue(fakeplat)
    target = f"{ONE}/notes/{create_note(fakeplat, 'Well.')['id']}"
    assert STALE == refusal(fakeplat, "ada", "DELETE", target, headers=LONG_AGO)


@pytest.mark.parametrize("gone", ["issue", "project", "author"])
def test_deleting_an_issue_deletes_its_notes(fakeplat: Fakeplat, gone: str) -> None:
    """Notes, their awards and to-dos are deleted with issue, project or author."""
    issue(fakeplat, SITE, "dev")
    note = create_note(fakeplat, "@mia, look", "dev")
    fakeplat.as_user("mia").post(f"{ONE}/award_emoji", json={"name": "tada"})
    fakeplat.as_user("mia").post(f"{ONE}/notes/{note['id']}/award_emoji", json={"name": "tada"})
    create_note(fakeplat, "@mia, look again", "dev")
    assert (2, 2, 2) == _count_records(fakeplat)
    target = {"issue": ONE, "project": SITE, "author": f"users/{fakeplat.world.user('dev').id}?hard_delete=true"}[gone]
    assert fakeplat.as_user("root").delete(target).status in (202, 204)
    fakeplat.settle()

    assert (0, 0, 0) == _count_records(fakeplat)


def _count_records(fake: Fakeplat) -> tuple[int, int, int]:
    """Return the numbers of notes, awards and to-dos."""
    view = fake.bench.platform.view
    return len(view.notes), len(view.awards), len(view.todos)


def test_notes_of_deleted_users_pass_to_the_ghost(fakeplat: Fakeplat) -> None:
    """A deleted user's notes have the ghost user as their author."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.", "gus")
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('gus').id}")
    fakeplat.settle()

    assert "ghost" == get_json(fakeplat, f"{ONE}/notes/{note['id']}")["author"]["username"]


# lists


def test_the_list_is_sorted_and_filtered(fakeplat: Fakeplat) -> None:
    """Notes are listed newest first, and sorted and filtered by activity on request."""
    issue(fakeplat)
    first = create_note(fakeplat, "first")
    create_note(fakeplat, "second")
    fakeplat.as_user("ada").put(ONE, json={"confidential": True})
    fakeplat.as_user("ada").put(f"{ONE}/notes/{first['id']}", json={"body": "first, changed"})
    system = "made the issue confidential"

    def listed(query: str) -> list[str]:
        return names(get_json(fakeplat, f"{ONE}/notes?{query}"), "body")

    assert [system, "second", "first, changed"] == listed("")
    assert ["first, changed", "second", system] == listed("sort=asc")
    assert ["first, changed", system, "second"] == listed("order_by=updated_at")
    assert ["second", system, "first, changed"] == listed("order_by=updated_at&sort=asc")
    assert ["second", "first, changed"] == listed("activity_filter=only_comments")
    assert [system] == listed("activity_filter=only_activity")
    assert [system, "second", "first, changed"] == listed("activity_filter=all_notes")


def test_the_list_has_pages(fakeplat: Fakeplat) -> None:
    """Counted over what the caller sees."""
    issue(fakeplat)
    for number in range(5):
        create_note(fakeplat, str(number))
    reply = fakeplat.as_user("ada").get(f"{ONE}/notes?per_page=2&page=2")

    assert ("5", ["2", "1"]) == (reply.headers["X-Total"], names(reply.json(), "body"))


def test_pages_break_among_notes_of_the_same_time(fakeplat: Fakeplat) -> None:
    """Notes of equal times are ordered by id, so that none is on two pages."""
    issue(fakeplat)
    for number in range(4):
        create_note(fakeplat, str(number), created_at=f"2020-01-0{number + 1}T00:00:00Z")
    create_note(fakeplat, "as old as 0", created_at="2020-01-01T00:00:00Z")
    pages = [names(get_json(fakeplat, f"{ONE}/notes?per_page=4&page={page}"), "body") for page in (1, 2)]

    assert [["3", "2", "1", "as old as 0"], ["0"]] == pages


@pytest.mark.parametrize("by", ["ada", "dev"])
def test_a_note_of_an_emoji_only_is_a_note(fakeplat: Fakeplat, by: str) -> None:
    """A note of only an emoji stays a note and is no award."""
    issue(fakeplat)
    assert ":+1:" == create_note(fakeplat, ":+1:", by)["body"]
    assert [] == get_json(fakeplat, f"{ONE}/award_emoji")


# who may


def test_a_confidential_issue_hides_its_notes(fakeplat: Fakeplat) -> None:
    """Notes of a confidential issue answer 404 to Guests."""
    issue(fakeplat, confidential=True)
    note = create_note(fakeplat, "secret")["id"]

    assert MISSING == refusal(fakeplat, "gus", "GET", f"{ONE}/notes")
    assert MISSING == refusal(fakeplat, "gus", "GET", f"{ONE}/notes/{note}")
    assert MISSING == refusal(fakeplat, "gus", "POST", f"{ONE}/notes", json={"body": "x"})
    assert ["secret"] == list_bodies(fakeplat, by="rep")


@pytest.mark.fakeplat(releases="<15.6")
def test_a_confidential_note_is_for_reporters_and_those_concerned(fakeplat: Fakeplat) -> None:
    """Guests do not see it, unless they wrote it, or the issue, or are assigned."""
    issue(fakeplat, DOCS, "eve")
    issue_path = f"{DOCS}/issues/1"
    note = create_note(fakeplat, "between us", "ada", issue_path, confidential=True)

    assert note["confidential"]
    assert ["between us"] == list_bodies(fakeplat, issue_path, "rep") == list_bodies(fakeplat, issue_path, "eve")
    assert [] == list_bodies(fakeplat, issue_path, "gus") == list_bodies(fakeplat, issue_path, "ext")
    assert resource_not_found("Note") == refusal(fakeplat, "gus", "GET", f"{issue_path}/notes/{note['id']}")
    for path in (f"{issue_path}/notes/{note['id']}", f"{issue_path}/discussions/x/notes/{note['id']}"):
        assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", path, json={"body": "x"})
        assert FORBIDDEN == refusal(fakeplat, "gus", "DELETE", path)
    create_note(fakeplat, "mine", "gus", issue_path, confidential=True)
    assert ["mine"] == list_bodies(fakeplat, issue_path, "gus")
    assert [] == get_json(fakeplat, f"{issue_path}/discussions", "ext")


def test_a_locked_issue_is_for_members(fakeplat: Fakeplat) -> None:
    """Only members comment on a locked issue, but others read it."""
    issue(fakeplat, DOCS, "eve")
    issue_path = f"{DOCS}/issues/1"
    mine = create_note(fakeplat, "mine", "eve", issue_path)["id"]
    fakeplat.as_user("ada").put(issue_path, json={"discussion_locked": True})

    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{issue_path}/notes", json={"body": "x"})
    assert FORBIDDEN == refusal(fakeplat, "eve", "PUT", f"{issue_path}/notes/{mine}", json={"body": "x"})
    assert FORBIDDEN == refusal(fakeplat, "eve", "DELETE", f"{issue_path}/notes/{mine}")
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{issue_path}/discussions", json={"body": "x"})
    assert resource_not_found("Award Emoji") == refusal(
        fakeplat, "eve", "POST", f"{issue_path}/award_emoji", json={"name": "tada"}
    )
    assert ["mine", "locked this issue"] == list_bodies(fakeplat, issue_path, "eve")
    create_note(fakeplat, "a member", "gus", issue_path)


def test_an_archived_project_is_read_only(fakeplat: Fakeplat) -> None:
    """Notes of an archived project are read-only even for owners."""
    issue(fakeplat)
    note = create_note(fakeplat, "Well.")["id"]
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    for method, path in (("POST", f"{ONE}/notes"), ("PUT", f"{ONE}/notes/{note}"), ("DELETE", f"{ONE}/notes/{note}")):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, path, json={"body": "x"})
    assert ["Well."] == list_bodies(fakeplat)


def test_issues_that_are_switched_off_have_no_notes(fakeplat: Fakeplat) -> None:
    """Where issues are disabled their notes answer 404."""
    issue(fakeplat)
    fakeplat.as_user("ada").put(SITE, json={"issues_access_level": "disabled"})
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{ONE}/notes")


# what the platform notes


CHANGES = [
    ({"title": "Another"}, ["changed title from **{-Old title-}** to **{+Another+}**"]),
    ({"title": "Older title"}, ["changed title from **Old title** to **Old{+er+} title**"]),
    ({"description": "New."}, ["changed the description"]),
    ({"confidential": True}, ["made the issue confidential"]),
    ({"discussion_locked": True}, ["locked this issue"]),
    ({"discussion_locked": False}, []),
    ({"due_date": "2020-12-01"}, ["changed due date to December 1, 2020"]),
    ({"assignee_ids": ["{dev}"]}, ["assigned to @dev"]),
    ({"state_event": "close"}, []),
    ({"labels": "bug"}, []),
    ({"milestone_id": "{milestone}"}, []),
]


@pytest.mark.parametrize(("change", "expected"), CHANGES, ids=[str(change) for change, _ in CHANGES])
def test_changes_are_noted(fakeplat: Fakeplat, change: dict[str, Any], expected: list[str]) -> None:
    """Changes of an issue's fields are noted, states, labels and milestones are not."""
    issue(fakeplat, title="Old title")
    label(fakeplat, "bug")
    known = {"{milestone}": milestone(fakeplat, "v1")["id"], "{dev}": fakeplat.world.user("dev").id}
    body = {
        name: [known[item] for item in value] if isinstance(value, list) else known.get(str(value), value)
        for name, value in change.items()
    }
    assert 200 == fakeplat.as_user("rep").put(ONE, json=body).status
    notes = get_json(fakeplat, f"{ONE}/notes")

    assert expected == names(notes, "body")
    assert all(note["system"] and note["author"]["username"] == "rep" and note["type"] is None for note in notes)


def test_changes_back_are_noted(fakeplat: Fakeplat) -> None:
    """Reverted changes of an issue are noted, too."""
    dev, gus = fakeplat.world.user("dev").id, fakeplat.world.user("gus").id
    issue(fakeplat, due_date="2020-12-01", confidential=True, discussion_locked=True, assignee_ids=[dev])
    for change in (
        {"due_date": ""},
        {"confidential": False},
        {"discussion_locked": False},
        {"assignee_ids": [gus]},
        {"assignee_ids": [0]},
    ):
        assert 200 == fakeplat.as_user("ada").put(ONE, json=change).status

    assert [
        "changed due date to December 1, 2020",
        "removed due date",
        "made the issue visible to everyone",
        "unlocked this issue",
        "assigned to @gus and unassigned @dev",
        "unassigned @gus",
    ] == list_system_notes(fakeplat)


@pytest.mark.fakeplat(tier="premium")
def test_several_assignees_are_noted_and_weights_are_not(fakeplat: Fakeplat) -> None:
    """Several assignees are noted in one sentence; a weight has its own event."""
    ids = [fakeplat.world.user(name).id for name in ("dev", "gus", "rep")]
    issue(fakeplat)
    for change in ({"assignee_ids": ids}, {"weight": 3}, {"weight": None}, {"assignee_ids": ids[2:]}):
        fakeplat.as_user("ada").put(ONE, json=change)

    assert ["assigned to @dev, @gus, and @rep", "unassigned @dev and @gus"] == list_system_notes(fakeplat)
    assert [3, None] == names(get_json(fakeplat, f"{ONE}/resource_weight_events"), "weight")


def test_ticked_tasks_are_noted_by_name(fakeplat: Fakeplat) -> None:
    """Ticking a task is noted with its name instead of a changed description."""
    issue(fakeplat, description="- [ ] buy milk\n- [x] bake")
    fakeplat.as_user("ada").put(ONE, json={"description": "- [x] buy milk\n- [ ] bake"})

    assert [
        "marked the task **buy milk** as completed",
        "marked the task **bake** as incomplete",
    ] == list_system_notes(fakeplat)


def test_time_tracking_is_noted(fakeplat: Fakeplat) -> None:
    """Estimates and spent time are noted."""
    issue(fakeplat)
    for path, body in (
        ("time_estimate", {"duration": "3h 30m"}),
        ("add_spent_time", {"duration": "1h"}),
        ("add_spent_time", {"duration": "-30m"}),
        ("reset_spent_time", {}),
        ("reset_time_estimate", {}),
    ):
        assert fakeplat.as_user("rep").post(f"{ONE}/{path}", json=body).status in (200, 201)

    assert [
        "changed time estimate to 3h 30m",
        "added 1h of time spent",
        "subtracted 30m of time spent",
        "removed time spent",
        "removed time estimate",
    ] == list_system_notes(fakeplat)


def test_a_move_is_noted_at_both_ends(fakeplat: Fakeplat) -> None:
    """Moving an issue is noted on both issues for those who see the other."""
    issue(fakeplat, DOCS)
    site = fakeplat.world.project("acme/site").id
    assert 201 == fakeplat.as_user("ada").post(f"{DOCS}/issues/1/move", json={"to_project_id": site}).status

    assert ["moved to site#1"] == list_system_notes(fakeplat, f"{DOCS}/issues/1")
    assert ["moved from docs#1"] == list_system_notes(fakeplat)
    assert [] == list_system_notes(fakeplat, f"{DOCS}/issues/1", "ext")


# mentions of other issues


@pytest.mark.parametrize(
    "text",
    ["see #2", "see acme/site#2", "see site#2", "(#2)", "see #2, #2 and #1", "{page}"],
)
def test_a_mention_is_noted_on_the_issue(fakeplat: Fakeplat, text: str) -> None:
    """A reference to an issue is noted once by the mentioning user, not on itself."""
    issue(fakeplat)
    page = issue(fakeplat, title="Two")["web_url"]
    create_note(fakeplat, text.format(page=page), "gus")
    create_note(fakeplat, "again: #2", "dev")
    (note,) = get_json(fakeplat, f"{TWO}/notes")

    assert ("mentioned in issue #1", True, "gus") == (note["body"], note["system"], note["author"]["username"])
    assert [] == list_system_notes(fakeplat)


@pytest.mark.parametrize("text", ["`#2`", "```\n#2\n```", "#22", "no such/thing#2", "x#2", "#2nd", "##2"])
def test_texts_without_mentions(fakeplat: Fakeplat, text: str) -> None:
    """Text in code and references to other projects are no mentions."""
    issue(fakeplat)
    issue(fakeplat)
    create_note(fakeplat, text)
    assert [] == list_system_notes(fakeplat, TWO)


def test_descriptions_mention_too(fakeplat: Fakeplat) -> None:
    """New ones, and changed ones where they name what they did not name before."""
    for title in ("One", "Two", "Three"):
        issue(fakeplat, title=title)
    issue(fakeplat, title="like #1", description="and #2")
    fakeplat.as_user("ada").put(f"{SITE}/issues/4", json={"description": "and #2 and #3"})

    for iid in (1, 2, 3):
        assert ["mentioned in issue #4"] == list_system_notes(fakeplat, f"{SITE}/issues/{iid}")


def test_a_mention_from_elsewhere_is_for_those_who_see_it(fakeplat: Fakeplat) -> None:
    """The note of a mention from a hidden project is hidden but counted."""
    issue(fakeplat, DOCS)
    issue(fakeplat)
    create_note(fakeplat, "as docs#1 says")
    issue_path = f"{DOCS}/issues/1"
    (note,) = get_json(fakeplat, f"{issue_path}/notes", "gus")

    assert "mentioned in issue site#1" == note["body"]
    assert [] == get_json(fakeplat, f"{issue_path}/notes", "ext")
    assert "1" == fakeplat.as_user("ext").get(f"{issue_path}/notes").headers["X-Total"]
    assert resource_not_found("Note") == refusal(fakeplat, "ext", "GET", f"{issue_path}/notes/{note['id']}")
    create_note(fakeplat, "as acme/site#1 says", "ext", issue_path)
    assert [] == list_system_notes(fakeplat)
    fakeplat.as_user("ada").delete(ONE)
    assert [] == get_json(fakeplat, f"{issue_path}/notes?activity_filter=only_activity", "ada")


@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=200) | st.from_regex(r"\A/[a-z_]{1,9}( \S{0,9})?\Z")
)
def test_any_text_can_be_sent(fakeplat: Fakeplat, text: str) -> None:
    """Any text of a note answers 201, 202 or 400."""
    if fakeplat.as_user("ada").get(ONE).status == 404:
        issue(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{ONE}/notes", json={"body": text})

    assert reply.status in (201, 202, 400)
    assert 200 == fakeplat.as_user("dev").get(f"{ONE}/notes").status


@pytest.mark.fakeplat(clock="virtual")
def test_time_spent_by_command_is_noted_with_its_day(fakeplat: Fakeplat) -> None:
    """The day that is named, else today; the operation names none."""
    issue(fakeplat)
    for text in ("/spend 30m 2016-02-02", "/spend 1h", "/spend -10m"):
        fakeplat.as_user("ada").post(f"{ONE}/notes", json={"body": text})
    fakeplat.as_user("ada").post(f"{ONE}/add_spent_time", json={"duration": "1h"})

    assert [
        "added 30m of time spent at 2016-02-02",
        "added 1h of time spent at 2020-11-20",
        "subtracted 10m of time spent at 2020-11-20",
        "added 1h of time spent",
    ] == list_system_notes(fakeplat)
