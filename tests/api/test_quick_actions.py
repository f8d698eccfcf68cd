"""Quick actions in descriptions and notes of issues.

Source: docs/platform/notes-discussions.md, docs/platform/issues.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api import quick_actions
from tests.api.company import COMPANY
from tests.api.notes import ONE, TWO, create_note, list_bodies, list_system_notes, list_todos
from tests.api.planning_records import DOCS, SITE, create_record, get_json, issue, label, milestone
from tests.api.quick_actions import NO_DATE, NO_USER, fill_in_ids, nothing_done
from tests.api.requests import names, outcome, refusal

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]
UNSAVED = (400, {"message": '400 Bad request - Failed to save note {:note=>["can\'t be blank"]}'})


def run_note(fake: Fakeplat, text: str, by: str = "ada", target: str = ONE) -> tuple[dict[str, Any], str]:
    """Return the changes and the summary of a note that consists of commands."""
    return quick_actions.run_commands(fake, text, by, target)


def test_commands_alone_leave_no_note(fakeplat: Fakeplat) -> None:
    """Commands alone answer 202 with their changes and a summary."""
    issue(fakeplat)

    assert ({"state_event": "close"}, "Closed this issue.") == run_note(fakeplat, "/close")
    assert ([], "closed") == (list_bodies(fakeplat), get_json(fakeplat, ONE)["state"])


def test_commands_beside_a_text_leave_the_text(fakeplat: Fakeplat) -> None:
    """Commands beside a text answer 201 with the note and their changes."""
    issue(fakeplat)
    note = create_note(fakeplat, "That is it.\n/close\n/title Done\n")

    assert ("That is it.", {"state_event": "close", "title": "Done"}) == (note["body"], note["commands_changes"])
    assert {} == get_json(fakeplat, f"{ONE}/notes/{note['id']}")["commands_changes"]
    assert ("closed", "Done") == (get_json(fakeplat, ONE)["state"], get_json(fakeplat, ONE)["title"])


COMMANDS = [
    # before it, the command, what changed, what is said, what the issue shows
    ("/close", "/reopen", {"state_event": "reopen"}, "Reopened this issue.", ("state", "opened")),
    ("", "/title New", {"title": "New"}, 'Changed the title to "New".', ("title", "New")),
    ("", "/confidential", {"confidential": True}, "Made this issue confidential.", ("confidential", True)),
    ("", "/lock", {"discussion_locked": True}, "Locked the discussion.", ("discussion_locked", True)),
    ("/lock", "/unlock", {"discussion_locked": False}, "Unlocked the discussion.", ("discussion_locked", False)),
    ("", "/due 2020-12-01", {"due_date": "2020-12-01"}, "Set the due date to Dec 1, 2020.", ("due_date", "2020-12-01")),
    ("", "/due tomorrow", {"due_date": "2020-11-21"}, "Set the due date to Nov 21, 2020.", ("due_date", "2020-11-21")),
    ("", "/due today", {"due_date": "2020-11-20"}, "Set the due date to Nov 20, 2020.", ("due_date", "2020-11-20")),
    ("", "/due yesterday", {"due_date": "2020-11-19"}, "Set the due date to Nov 19, 2020.", ("due_date", "2020-11-19")),
    ("", "/due in 2 days", {"due_date": "2020-11-22"}, "Set the due date to Nov 22, 2020.", ("due_date", "2020-11-22")),
    ("", "/due monday", {"due_date": "2020-11-23"}, "Set the due date to Nov 23, 2020.", ("due_date", "2020-11-23")),
    (
        "",
        "/due January 31st",
        {"due_date": "2021-01-31"},
        "Set the due date to Jan 31, 2021.",
        ("due_date", "2021-01-31"),
    ),
    ("/due today", "/remove_due_date", {"due_date": None}, "Removed the due date.", ("due_date", None)),
    ("", "/assign @dev", {"assignee_ids": ["{dev}"]}, "Assigned @dev.", ("assignees", ["dev"])),
    ("", "/assign me", {"assignee_ids": ["{ada}"]}, "Assigned @ada.", ("assignees", ["ada"])),
    ("/assign @dev", "/assign gus", {"assignee_ids": ["{gus}"]}, "Assigned @gus.", ("assignees", ["gus"])),
    ("/assign @dev", "/unassign", {"assignee_ids": []}, "Removed assignee @dev.", ("assignees", [])),
    ("", "/label ~bug", {"add_label_ids": ["{bug}"]}, 'Added ~"bug" label.', ("labels", ["bug"])),
    (
        "",
        '/label ~bug ~"two words"',
        {"add_label_ids": ["{bug}", "{two}"]},
        'Added ~"bug" ~"two words" labels.',
        ("labels", ["bug", "two words"]),
    ),
    ("/label ~bug", "/unlabel ~bug", {"remove_label_ids": ["{bug}"]}, 'Removed ~"bug" label.', ("labels", [])),
    (
        '/label bug "two words"',
        "/unlabel",
        {"label_ids": []},
        "Removed all labels.",
        ("labels", []),
    ),
    (
        "/label ~bug",
        '/relabel ~"two words"',
        {"label_ids": ["{two}"]},
        'Replaced all labels with ~"two words" label.',
        ("labels", ["two words"]),
    ),
    ("", "/milestone %v1", {"milestone_id": "{v1}"}, 'Set the milestone to %"v1".', ("milestone", "v1")),
    ("", '/milestone %"v1"', {"milestone_id": "{v1}"}, 'Set the milestone to %"v1".', ("milestone", "v1")),
    ("/milestone v1", "/remove_milestone", {"milestone_id": None}, 'Removed %"v1" milestone.', ("milestone", None)),
    ("", "/estimate 1w 3d", {"time_estimate": 230_400}, "Set time estimate to 1w 3d.", ("time_estimate", 230_400)),
    ("/estimate 1h", "/remove_estimate", {"time_estimate": 0}, "Removed time estimate.", ("time_estimate", 0)),
    (
        "",
        "/spend 1h 30m",
        {"spend_time": {"duration": 5400, "user_id": "{ada}", "spent_at": "2020-11-20"}},
        "Added 1h 30m spent time.",
        ("total_time_spent", 5400),
    ),
    (
        "/spend 1h",
        "/spend -30m 2020-11-19",
        {"spend_time": {"duration": -1800, "user_id": "{ada}", "spent_at": "2020-11-19"}},
        "Subtracted 30m spent time.",
        ("total_time_spent", 1800),
    ),
    (
        "/spend 1h",
        "/remove_time_spent",
        {"spend_time": {"duration": "reset", "user_id": "{ada}"}},
        "Removed spent time.",
        ("total_time_spent", 0),
    ),
    (
        "/subscribe",
        "/unsubscribe",
        {"subscription_event": "unsubscribe"},
        "Unsubscribed from this issue.",
        ("subscribed", False),
    ),
    (
        "/unsubscribe",
        "/subscribe",
        {"subscription_event": "subscribe"},
        "Subscribed to this issue.",
        ("subscribed", True),
    ),
    ("", "/award :thumbsup:", {"emoji_award": "thumbsup"}, "Toggled :thumbsup: emoji award.", ("upvotes", 1)),
    ("/award :+1:", "/award thumbsup", {"emoji_award": "thumbsup"}, "Toggled :thumbsup: emoji award.", ("upvotes", 0)),
    (
        "",
        "/duplicate #2",
        {"canonical_issue_id": "{other}"},
        "Marked this issue as a duplicate of #2.",
        ("state", "closed"),
    ),
    ("", "/move acme/docs", {}, "Moved this issue to acme/docs.", ("state", "closed")),
]


def load_ids(fake: Fakeplat) -> dict[str, int]:
    """The ids that rows name, after what they need is made."""
    issue(fake)
    return {
        "other": issue(fake)["id"],
        "bug": label(fake, "bug")["id"],
        "two": label(fake, "two words")["id"],
        "v1": milestone(fake, "v1")["id"],
        **{name: fake.world.user(name).id for name in ("ada", "dev", "gus")},
    }


def read_field(fake: Fakeplat, name: str) -> Any:
    shown_issue = get_json(fake, ONE)
    value = shown_issue["time_stats"][name] if name in shown_issue["time_stats"] else shown_issue[name]
    if name == "assignees":
        return names(value, "username")
    return value["title"] if name == "milestone" and value else value


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize(
    ("before", "text", "changes", "message", "then"),
    COMMANDS,
    ids=[f"{before} {text}" for before, text, *_ in COMMANDS],
)
def test_each_command(
    fakeplat: Fakeplat, before: str, text: str, changes: dict[str, Any], message: str, then: tuple[str, Any]
) -> None:
    """Each command changes the issue as expected and answers its summary."""
    ids = load_ids(fakeplat)
    if before:
        fakeplat.as_user("ada").post(f"{ONE}/notes", json={"body": before})

    assert (fill_in_ids(changes, ids), fill_in_ids(message, ids)) == run_note(fakeplat, text)
    assert then == (then[0], read_field(fakeplat, then[0]))


UNDOABLE = [
    "/reopen",
    "/title",
    f"/title {'x' * 256}",
    "/unlock",
    "/due",
    "/duplicate",
    "/move",
    "/remove_due_date",
    "/unassign",
    "/label ~none",
    "/label",
    "/unlabel",
    "/relabel ~none",
    "/milestone %none",
    "/remove_milestone",
    "/estimate much",
    "/estimate -1h",
    "/spend nothing",
    "/spend -1h",
    "/spend 1h 2030-01-01",
    "/done",
    "/subscribe",
    "/award :no_such_emoji:",
    "/move acme/site",
    "/copy_metadata #99",
    "/weight 3",
    "/reassign @dev",
    "/merge",
    "/draft",
    "/target_branch master",
    "/approve",
]


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize("text", UNDOABLE, ids=[text[:30] for text in UNDOABLE])
def test_commands_without_effect(fakeplat: Fakeplat, text: str) -> None:
    """Commands without effect answer 400 alone and are removed from other text."""
    issue(fakeplat)
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": text})
    note = create_note(fakeplat, f"Well.\n{text}")
    assert ("Well.", {}) == (note["body"], note["commands_changes"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/duplicate #99", "Failed to mark this issue as a duplicate because referenced issue was not found."),
        ("/move no/where", "Failed to move this issue because target project doesn't exist."),
        ("/assign @eve", NO_USER),
        ("/assign @abcd1234", NO_USER),
        ("/assign", NO_USER),
        ("/due invalid date", NO_DATE),
        ("/due 2020-02-30", NO_DATE),
        ("/due in 9999 years", NO_DATE),
    ],
)
def test_commands_that_fail_with_a_message(fakeplat: Fakeplat, text: str, message: str) -> None:
    """A command that fails answers 202 with its message and no changes."""
    issue(fakeplat)
    assert ({}, message) == run_note(fakeplat, text)


ADMINISTERED = [
    "/confidential",
    "/lock",
    "/due tomorrow",
    "/assign @dev",
    "/label ~bug",
    "/milestone %v1",
    "/estimate 1h",
    "/spend 1h",
    "/move acme/docs",
]


@pytest.mark.parametrize("text", ADMINISTERED)
def test_commands_of_reporters(fakeplat: Fakeplat, text: str) -> None:
    """Guests may not, not even on their own issues."""
    issue(fakeplat, SITE, "gus")
    label(fakeplat, "bug")
    milestone(fakeplat, "v1")
    assert nothing_done(fakeplat) == refusal(fakeplat, "gus", "POST", f"{ONE}/notes", json={"body": text})
    run_note(fakeplat, text, "rep")


@pytest.mark.parametrize("text", ["/close", "/title New", "/duplicate #2"])
def test_commands_of_authors(fakeplat: Fakeplat, text: str) -> None:
    """Guests use some commands on their own issues only."""
    issue(fakeplat, SITE, "gus")
    issue(fakeplat)
    run_note(fakeplat, text, "gus")
    assert nothing_done(fakeplat) == refusal(
        fakeplat, "gus", "POST", f"{TWO}/notes", json={"body": text.replace("2", "1")}
    )


@pytest.mark.parametrize("text", ["/todo", "/subscribe", "/award :tada:", "/shrug"])
def test_commands_of_everybody(fakeplat: Fakeplat, text: str) -> None:
    """Whoever sees an issue may use /todo, /subscribe, /award and /shrug."""
    issue(fakeplat)
    assert fakeplat.as_user("gus").post(f"{ONE}/notes", json={"body": text}).status in (201, 202)


def test_to_dos_by_command(fakeplat: Fakeplat) -> None:
    """/todo asks oneself, /done is done with it."""
    issue(fakeplat)
    assert ({"todo_event": "add"}, "Added a To Do.") == run_note(fakeplat, "/todo", "gus")
    assert [("marked", "One")] == list_todos(fakeplat, "gus")
    assert nothing_done(fakeplat) == refusal(fakeplat, "gus", "POST", f"{ONE}/notes", json={"body": "/todo"})
    assert ({"todo_event": "done"}, "Marked To Do as done.") == run_note(fakeplat, "/done", "gus")
    assert [] == list_todos(fakeplat, "gus")


def test_several_commands_are_done_in_their_order(fakeplat: Fakeplat) -> None:
    """Several commands are executed in order with one summary."""
    load_ids(fakeplat)
    changes, message = run_note(fakeplat, "/label ~bug\n/unlabel ~bug\n/Estimate 1h\n/remove_estimate\n/close")

    assert {"add_label_ids", "remove_label_ids", "time_estimate", "state_event"} == set(changes)
    assert message.endswith("Set time estimate to 1h. Removed time estimate. Closed this issue.")
    assert ([], 0) == (read_field(fakeplat, "labels"), read_field(fakeplat, "time_estimate"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/shrug", "¯\\＿(ツ)＿/¯"),  # noqa: RUF001  # as the platform writes it
        ("well /shrug", "well /shrug"),
        ("/shrug so what", "so what ¯\\＿(ツ)＿/¯"),  # noqa: RUF001
        ("/tableflip", "(╯°□°)╯︵ ┻━┻"),
        ("```\n/close\n```", "```\n/close\n```"),
        (">>>\n/close\n>>>", ">>>\n/close\n>>>"),
        ("/nothing of that kind", "/nothing of that kind"),
        (" /close", " /close"),
        ("say /close", "say /close"),
        ("/closed", "/closed"),
        ("/etc/hosts", "/etc/hosts"),
        ("  kept as it is  ", "  kept as it is  "),
    ],
)
def test_lines_that_are_no_commands(fakeplat: Fakeplat, text: str, left: str) -> None:
    """Lines in code or quotations, or that begin otherwise, are no commands."""
    issue(fakeplat)
    note = create_note(fakeplat, text)

    assert (left, {}, "opened") == (note["body"], note["commands_changes"], get_json(fakeplat, ONE)["state"])


@pytest.mark.parametrize(
    "text",
    [
        "/title Other",
        "/close",
        "/lock",
        "/todo",
        "/subscribe",
        "/award :tada:",
        "/relabel ~bug",
        "/duplicate #1",
        "/move acme/docs",
    ],
)
def test_commands_for_existing_issues_do_not_apply_to_new_ones(fakeplat: Fakeplat, text: str) -> None:
    """Commands that need an existing issue are ignored, and left out, in the description of a new one."""
    load_ids(fakeplat)
    plain = issue(fakeplat, description="It is broken.")
    new_issue = issue(fakeplat, description=f"It is broken.\n{text}")
    own = ("id", "iid", "web_url", "references", "_links", "created_at", "updated_at")

    assert {name: value for name, value in plain.items() if name not in own} == {
        name: value for name, value in new_issue.items() if name not in own
    }
    assert [] == get_json(fakeplat, f"{SITE}/issues/{new_issue['iid']}/award_emoji")
    assert [] == get_json(fakeplat, "todos")


@pytest.mark.fakeplat(clock="virtual")
def test_a_description_has_its_commands_done_at_once(fakeplat: Fakeplat) -> None:
    """A new issue has it all from the beginning, and nothing of that is noted but its due date."""
    load_ids(fakeplat)
    text = (
        "It is broken.\n/label ~bug\n/assign @dev\n/milestone %v1\n/due 2020-12-01\n/estimate 2h\n/confidential\n/close"
    )
    new_issue = issue(fakeplat, description=text)

    assert ("It is broken.", ["bug"], "v1", "2020-12-01", True, "opened") == (
        new_issue["description"],
        new_issue["labels"],
        new_issue["milestone"]["title"],
        new_issue["due_date"],
        new_issue["confidential"],
        new_issue["state"],
    )
    assert (["dev"], 7200) == (names(new_issue["assignees"], "username"), new_issue["time_stats"]["time_estimate"])
    assert ["changed due date to December 1, 2020"] == list_system_notes(fakeplat, f"{SITE}/issues/3")
    assert [("assigned", "One")] == list_todos(fakeplat, "dev")


def test_a_changed_description_has_its_commands_done(fakeplat: Fakeplat) -> None:
    """Commands in a changed description are executed."""
    load_ids(fakeplat)
    changed = fakeplat.as_user("ada").put(ONE, json={"description": "Fixed.\n/close\n/label ~bug"}).json()

    assert ("Fixed.", "closed", ["bug"]) == (changed["description"], changed["state"], changed["labels"])
    assert ["changed the description"] == list_system_notes(fakeplat)


def test_a_guest_s_description_keeps_no_commands(fakeplat: Fakeplat) -> None:
    """Commands that a Guest may not use are removed from the description without effect."""
    label(fakeplat, "bug")
    new_issue = issue(fakeplat, SITE, "gus", description="Broken.\n/label ~bug\n/due tomorrow")
    assert ("Broken.", [], None) == (new_issue["description"], new_issue["labels"], new_issue["due_date"])


@pytest.mark.fakeplat(releases="<17.11")
def test_a_changed_note_has_its_commands_done(fakeplat: Fakeplat) -> None:
    """The text is left; a note of which nothing is left is gone, and answered with 400, as on the platform."""
    issue(fakeplat)
    target = f"{ONE}/notes/{create_note(fakeplat, 'Well.')['id']}"
    changed = fakeplat.as_user("ada").put(target, json={"body": "Better.\n/title New"}).json()
    assert ("Better.", {"title": "New"}) == (changed["body"], changed["commands_changes"])
    gone = outcome(fakeplat.as_user("ada").put(target, json={"body": "/close"}))

    assert UNSAVED == gone
    assert (404, "closed") == (fakeplat.as_user("ada").get(target).status, get_json(fakeplat, ONE)["state"])


@pytest.mark.fakeplat(releases="<17.11")
def test_discussions_have_their_commands_done(fakeplat: Fakeplat) -> None:
    """Commands in discussions are executed; commands alone answer 400."""
    issue(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{ONE}/discussions", json={"body": "/close"})
    assert (nothing_done(fakeplat), "closed") == (outcome(reply), get_json(fakeplat, ONE)["state"])
    thread = fakeplat.as_user("ada").post(f"{ONE}/discussions", json={"body": "No!\n/reopen"}).json()

    assert ["No!"] == names(thread["notes"], "body")
    assert "opened" == get_json(fakeplat, ONE)["state"]


def test_a_duplicate_is_noted_at_both_ends(fakeplat: Fakeplat) -> None:
    """Marking an issue as a duplicate is noted on both issues."""
    issue(fakeplat)
    issue(fakeplat)
    run_note(fakeplat, "/duplicate #2")

    assert ["marked this issue as a duplicate of #2"] == list_system_notes(fakeplat)
    assert ["marked #1 as a duplicate of this issue"] == list_system_notes(fakeplat, TWO)


def test_metadata_are_copied(fakeplat: Fakeplat) -> None:
    """Labels are added, the milestone is taken over."""
    ids = load_ids(fakeplat)
    run_note(fakeplat, "/label ~bug\n/milestone %v1", target=TWO)
    changes, message = run_note(fakeplat, '/label ~"two words"\n/copy_metadata #2')

    assert (ids["v1"], "Copied labels and milestone from #2.") == (changes["milestone_id"], message.partition(". ")[2])
    assert (["bug", "two words"], "v1") == (sorted(read_field(fakeplat, "labels")), read_field(fakeplat, "milestone"))


def test_an_issue_is_moved_by_a_command(fakeplat: Fakeplat) -> None:
    """An issue moved by a command appears in the target with the note's text."""
    issue(fakeplat)
    create_note(fakeplat, "Elsewhere.\n/move acme/docs")

    assert "One" == get_json(fakeplat, f"{DOCS}/issues/1")["title"]
    assert "Elsewhere." in list_bodies(fakeplat, f"{DOCS}/issues/1")


@pytest.mark.fakeplat(tier="premium")
def test_paid_commands(fakeplat: Fakeplat) -> None:
    """Several assignees, others in their place, some of them no more; weights."""
    issue(fakeplat)
    run_note(fakeplat, "/assign @dev @gus")
    assert "Assigned @rep." == run_note(fakeplat, "/assign @rep")[1]
    assert ["dev", "gus", "rep"] == read_field(fakeplat, "assignees")
    assert "Removed assignees @dev and @gus." == run_note(fakeplat, "/unassign @dev @gus")[1]
    assert "Changed assignees to @mia." == run_note(fakeplat, "/reassign @mia")[1]
    assert (["mia"], None) == (read_field(fakeplat, "assignees"), read_field(fakeplat, "weight"))
    assert ({"weight": 5}, "Set weight to 5.") == run_note(fakeplat, "/weight 5")
    assert ({"weight": None}, "Cleared weight.") == run_note(fakeplat, "/clear_weight")


def test_labels_are_added_in_the_order_of_titles(fakeplat: Fakeplat) -> None:
    """Known labels are added in the order of titles, unknown ones ignored."""
    ids = {name: label(fakeplat, name)["id"] for name in ("In Progress", "Bug")}
    issue(fakeplat)
    changes, message = run_note(fakeplat, '/label ~"In Progress" ~Bug ~unknown')

    assert {"add_label_ids": [ids["Bug"], ids["In Progress"]]} == changes
    assert 'Added ~"Bug" ~"In Progress" labels.' == message


@pytest.fixture
def columns(fakeplat: Fakeplat) -> dict[str, int]:
    """The labels (ids) of an issue's project: three columns of its one board, and one that is none."""
    ids = {name: label(fakeplat, name)["id"] for name in ("Bug", "In Progress", "In Review", "To Do")}
    board = create_record(fakeplat, f"{SITE}/boards", name="Work")["id"]
    for name in ("To Do", "In Review", "In Progress"):
        create_record(fakeplat, f"{SITE}/boards/{board}/lists", label_id=ids[name])
    issue(fakeplat, labels="Bug,In Progress,To Do")
    return ids


def test_an_issue_moves_to_another_column(fakeplat: Fakeplat, columns: dict[str, int]) -> None:
    """The labels of the other columns go, others stay."""
    changes, message = run_note(fakeplat, '/board_move ~"In Review"')

    assert {
        "add_label_ids": [columns["In Review"]],
        "remove_label_ids": [columns["In Progress"], columns["To Do"]],
    } == {name: sorted(ids) for name, ids in changes.items()}
    assert f"Moved issue to ~{columns['In Review']} column in the board." == message
    assert ["Bug", "In Review"] == get_json(fakeplat, ONE)["labels"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('~"Fake Label"', "Failed to move this issue because label was not found."),
        ("~Bug", "Failed to move this issue because label was not found."),
        ('~"In Review" ~"To Do"', "Failed to move this issue because only a single label can be provided."),
    ],
)
def test_where_an_issue_cannot_move(fakeplat: Fakeplat, columns: dict[str, int], text: str, message: str) -> None:
    """An issue moves to exactly one column of the board."""
    assert columns
    assert ({}, message) == run_note(fakeplat, f"/board_move {text}")


def test_an_issue_moves_only_on_a_single_board(fakeplat: Fakeplat, columns: dict[str, int]) -> None:
    """The command /board_move does nothing unless the project has one board."""
    assert columns
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": "/board_move"})
    create_record(fakeplat, f"{SITE}/boards", name="Play")
    text = '/board_move ~"In Review"'
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": text})


def test_a_zoom_meeting_is_added_and_removed(fakeplat: Fakeplat) -> None:
    """An issue has at most one Zoom meeting, and its changes are noted."""
    issue(fakeplat)
    link = "https://zoom.us/j/123456789"
    refused = {"json": {"body": f"/zoom {link}"}}
    assert ({}, "Failed to add a Zoom meeting") == run_note(fakeplat, "/zoom https://invalid-zoom")
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": "/remove_zoom"})
    assert ({}, "Zoom meeting added") == run_note(fakeplat, f"/zoom {link}")
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", **refused)
    assert ({}, "Zoom meeting removed") == run_note(fakeplat, "/remove_zoom")
    assert ({}, "Zoom meeting added") == run_note(fakeplat, f"/zoom {link}")
    assert [
        "added a Zoom call to this issue",
        "removed a Zoom call from this issue",
        "added a Zoom call to this issue",
    ] == list_system_notes(fakeplat)


def test_a_new_issue_has_its_zoom_meeting(fakeplat: Fakeplat) -> None:
    """The description of a new issue adds a Zoom meeting."""
    issue(fakeplat, description="Meet.\n/zoom https://vanity.zoom.us/my/room")
    assert ["added a Zoom call to this issue"] == list_system_notes(fakeplat)
    assert ({}, "Zoom meeting removed") == run_note(fakeplat, "/remove_zoom")


def test_issues_are_related(fakeplat: Fakeplat) -> None:
    """The command /relate links several visible issues, also of other projects."""
    for project_path in (SITE, SITE, DOCS):
        issue(fakeplat, project_path)
    note = create_note(fakeplat, "See.\n/relate #2 acme/docs#1 imaginary#1234 #99")

    assert ("See.", {}) == (note["body"], note["commands_changes"])
    assert [2, 1] == names(get_json(fakeplat, f"{ONE}/links"), "iid")
    assert ["marked this issue as related to #1"] == list_system_notes(fakeplat, TWO)


def test_a_relation_alone_is_made_and_answered_with_400(fakeplat: Fakeplat) -> None:
    """The command /relate alone is executed and answered with 400."""
    issue(fakeplat)
    issue(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{ONE}/notes", json={"body": "/relate #2"})
    assert (nothing_done(fakeplat), [2]) == (outcome(reply), names(get_json(fakeplat, f"{ONE}/links"), "iid"))


@pytest.mark.fakeplat(scenario="starter")
@pytest.mark.parametrize(
    ("text", "branch", "message"),
    [
        ("/create_merge_request 1-feature", "1-feature", "branch '1-feature'"),
        ("/create_merge_request", "{iid}-broken-links", "a branch"),
    ],
)
def test_a_merge_request_is_created_from_an_issue(fakeplat: Fakeplat, text: str, branch: str, message: str) -> None:
    """The command /create_merge_request creates a branch and a request that closes the issue."""
    made_issue = issue(fakeplat, SITE, "ada", title="Broken links!", labels="bug")
    target, iid = f"{SITE}/issues/{made_issue['iid']}", made_issue["iid"]
    changes, summary = run_note(fakeplat, text, "dev", target)
    wanted = branch.format(iid=iid)
    (merge_request,) = get_json(fakeplat, f"{SITE}/merge_requests?source_branch={wanted}")

    named = wanted if "feature" in text else None
    assert {"create_merge_request": {"branch_name": named, "issue_iid": iid}} == changes
    assert f"Created {message} and a merge request to resolve this issue." == summary
    assert ('Draft: Resolve "Broken links!"', f"Closes #{iid}", "master", ["bug"], "dev") == (
        merge_request["title"],
        merge_request["description"],
        merge_request["target_branch"],
        merge_request["labels"],
        merge_request["assignee"]["username"],
    )
    said_of_it = f"created merge request !{merge_request['iid']} to address this issue"
    assert (True, False) == tuple(said_of_it in list_system_notes(fakeplat, target, by) for by in ("ada", "gus"))


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_epics_are_none(fakeplat: Fakeplat) -> None:
    """On premium /epic and /remove_epic answer a summary, and other commands of epics do nothing."""
    issue(fakeplat)
    assert ({}, "This epic does not exist or you don't have sufficient permission.") == run_note(fakeplat, "/epic &1")
    assert ({"epic": None}, "Removed an issue from an epic.") == run_note(fakeplat, "/remove_epic")
    for text in ("/promote", "/iteration *iteration:1", "/publish", "/child_epic &1"):
        assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": text})


@pytest.mark.fakeplat(releases="<13.7")
def test_a_command_of_a_later_release_is_a_text(fakeplat: Fakeplat) -> None:
    """In 13.5 commands of later releases are plain text."""
    issue(fakeplat)
    assert ["/health_status on_track", "/clone acme/docs"] == [
        create_note(fakeplat, text)["body"] for text in ("/health_status on_track", "/clone acme/docs")
    ]


@pytest.mark.parametrize(
    ("text", "name", "value", "message", "noted"),
    [
        ("/remove_estimate", "time_estimate", 0, "Removed time estimate.", []),
        (
            "/remove_time_spent",
            "spend_time",
            {"duration": "reset", "user_id": "{ada}"},
            "Removed spent time.",
            ["removed time spent"],
        ),
    ],
)
def test_time_that_is_not_there_is_removed_too(
    fakeplat: Fakeplat, text: str, name: str, value: Any, message: str, noted: list[str]
) -> None:
    """The answer is the same. A reset of spent time is a time log of its own, so it is noted even at 0."""
    ids = load_ids(fakeplat)
    assert ({name: fill_in_ids(value, ids)}, message) == run_note(fakeplat, text)
    assert noted == list_system_notes(fakeplat)


def test_labels_are_replaced_only_where_there_are_any(fakeplat: Fakeplat) -> None:
    """An issue without labels is not labelled by /relabel."""
    load_ids(fakeplat)
    assert nothing_done(fakeplat) == refusal(fakeplat, "ada", "POST", f"{ONE}/notes", json={"body": "/relabel ~bug"})
