"""Which quick action is done: by kind of thing, by who asks, and by how the thing stands.

Source: docs/platform/issues.md, docs/platform/merge-requests.md. the platform's documentation of quick actions for
release 13.5.
"""

from typing import Any, Final, NamedTuple

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import SITE, commit
from tests.api.pipelines import without_ci
from tests.api.quick_actions import NO_USER, NOTHING_DONE, post_note
from tests.api.requests import FORBIDDEN

ISSUE, MERGE_REQUEST = "issue", "merge request"
KINDS = {ISSUE: "issues", MERGE_REQUEST: "merge_requests"}
BOTH = (ISSUE, MERGE_REQUEST)
PEOPLE = {"author": "eve", "guest": "gus", "reporter": "rep", "developer": "dev", "maintainer": "mia"}
"""The author is no member of the project, which is public."""
EVERYBODY = tuple(PEOPLE)
REPORTERS, DEVELOPERS = ("reporter", "developer", "maintainer"), ("developer", "maintainer")

STATES: Final[dict[str, dict[str, Any]]] = {
    "bare": {},
    "full": {
        "assignees": ["dev"],
        "labels": ["feature"],
        "milestone": "v1.1",
        "time_estimate": 3600,
        "total_time_spent": 3600,
    },
    "closed": {"state": "closed"},
    "merged": {"state": "merged"},
}
OPEN, UNMERGED, ANY, FULL = ("bare", "full"), ("bare", "full", "closed"), tuple(STATES), ("full",)


def administers(kind: str) -> tuple[str, ...]:
    """Reporters assign, label and plan issues, Developers merge requests."""
    return REPORTERS if kind == ISSUE else DEVELOPERS


def updates(kind: str) -> tuple[str, ...]:
    """The same, and authors."""
    return ("author", *administers(kind))


class Row(NamedTuple):
    """A command: what is said where it is done, in which states, by whom, on which kinds."""

    text: str
    message: str
    states: tuple[str, ...]
    who: Any
    kinds: tuple[str, ...] = BOTH


RESOLVING = "and a merge request to resolve this issue."
ROWS = [
    Row("/close", "Closed this {kind}.", OPEN, updates),
    Row("/reopen", "Reopened this {kind}.", ("closed",), updates),
    Row("/title Two", 'Changed the title to "Two".', ANY, updates),
    Row("/lock", "Locked the discussion.", ANY, administers),
    Row("/unlock", "", (), administers),
    Row("/assign @mia", "Assigned @mia.", ANY, administers),
    Row("/assign @nobody", NO_USER, ANY, administers),
    Row("/reassign @mia", "", (), administers),
    Row("/unassign", "Removed assignee @dev.", FULL, administers),
    Row("/label ~bug", 'Added ~"bug" label.', ANY, administers),
    Row("/label ~none", "", (), administers),
    Row("/unlabel", "Removed all labels.", FULL, administers),
    Row("/unlabel ~feature", 'Removed ~"feature" label.', FULL, administers),
    Row("/relabel ~bug", 'Replaced all labels with ~"bug" label.', FULL, administers),
    Row("/milestone %v1.1", 'Set the milestone to %"v1.1".', ANY, administers),
    Row("/remove_milestone", 'Removed %"v1.1" milestone.', FULL, administers),
    Row("/copy_metadata #1", "Copied labels and milestone from #1.", ANY, administers),
    Row("/copy_metadata !1", "Copied labels and milestone from !1.", ANY, administers),
    Row("/estimate 2h", "Set time estimate to 2h.", ANY, administers),
    Row("/remove_estimate", "Removed time estimate.", ANY, administers),
    Row("/spend 1h", "Added 1h spent time.", ANY, administers),
    Row("/spend -1h", "Subtracted 1h spent time.", FULL, administers),
    Row("/remove_time_spent", "Removed spent time.", ANY, administers),
    Row("/todo", "Added a To Do.", ANY, lambda kind: EVERYBODY),
    Row("/done", "", (), lambda kind: EVERYBODY),
    Row("/award :tada:", "Toggled :tada: emoji award.", ANY, lambda kind: EVERYBODY),
    Row("/award :none:", "", (), lambda kind: EVERYBODY),
    Row("/confidential", "Made this issue confidential.", ANY, administers, (ISSUE,)),
    Row("/due 2030-01-01", "Set the due date to Jan 1, 2030.", ANY, administers, (ISSUE,)),
    Row("/remove_due_date", "", (), administers, (ISSUE,)),
    Row("/duplicate #1", "Marked this issue as a duplicate of #1.", ANY, updates, (ISSUE,)),
    Row("/move acme/docs", "Moved this issue to acme/docs.", ANY, administers, (ISSUE,)),
    Row("/weight 3", "", (), administers, (ISSUE,)),
    Row("/clear_weight", "", (), administers, (ISSUE,)),
    Row("/draft", "Marked this merge request as a draft.", ANY, updates, (MERGE_REQUEST,)),
    Row("/wip", "Marked this merge request as a draft.", ANY, updates, (MERGE_REQUEST,)),
    Row("/target_branch readme", "Set target branch to readme.", UNMERGED, updates, (MERGE_REQUEST,)),
    Row("/target_branch none", "", (), updates, (MERGE_REQUEST,)),
    Row("/merge", "Merged this merge request.", OPEN, lambda kind: ("maintainer",), (MERGE_REQUEST,)),
    Row("/approve", "Approved the current merge request.", ANY, updates, (MERGE_REQUEST,)),
    Row("/submit_review", "Submitted the current review.", ANY, lambda kind: EVERYBODY, (MERGE_REQUEST,)),
    Row("/relate #999", "", (), updates, (ISSUE,)),
    Row("/board_move ~feature", "", (), updates, (ISSUE,)),
    Row("/create_merge_request", f"Created a branch {RESOLVING}", ANY, lambda kind: DEVELOPERS, (ISSUE,)),
    Row("/create_merge_request x", f"Created branch 'x' {RESOLVING}", ANY, lambda kind: DEVELOPERS, (ISSUE,)),
    Row("/zoom https://zoom.us/j/123456789", "Zoom meeting added", ANY, lambda kind: REPORTERS, (ISSUE,)),
    Row("/zoom https://invalid-zoom", "Failed to add a Zoom meeting", ANY, lambda kind: REPORTERS, (ISSUE,)),
    Row("/remove_zoom", "", (), updates, (ISSUE,)),
    Row("/epic &1", "", (), updates, (ISSUE,)),
    Row("/remove_epic", "", (), updates, (ISSUE,)),
    Row("/promote", "", (), updates, (ISSUE,)),
    # For epics only.
    Row("/child_epic &1", "", (), updates),
    Row("/remove_child_epic &1", "", (), updates),
    Row("/parent_epic &1", "", (), updates),
    Row("/remove_parent_epic", "", (), updates),
    Row("/tag v9.9", "", (), updates),
    Row("/subscribe", "Subscribed to this {kind}.", ANY, None),
    Row("/unsubscribe", "Unsubscribed from this {kind}.", ANY, None),
]


def expected(row: Row, kind: str, role: str, state: str) -> str | None:
    """What is said, None where the command is none."""
    if row.who is None:
        hears = role == "author" or (role == "developer" and state == "full")
        done = hears is (row.text == "/unsubscribe")
    else:
        done = kind in row.kinds and state in row.states and role in row.who(kind)
    return row.message.format(kind=kind) if done else None


def given(fake: Fakeplat, kind: str, state: str) -> str:
    """Where the thing is to be found that stands so."""
    without_ci(fake)
    commit(fake, "work", "work.txt")
    thing = {"iid": 50, "title": "One", "author": "eve", **STATES[state]}
    if kind == MERGE_REQUEST:
        thing |= {"source_branch": "work", "target_branch": "master"}
    site = {"path_with_namespace": "acme/site", "visibility": "public", KINDS[kind]: [thing]}
    fake.load({"projects": [site]})
    return f"{SITE}/{KINDS[kind]}/50"


def said(fake: Fakeplat, by: str, target: str, text: str) -> str | None:
    """What came of a command, None where it is none and changes nothing; the world is as before."""
    start = fake.bench.platform.state
    status, answer = answered = post_note(fake, by, target, text)
    if status != 202:
        assert NOTHING_DONE == answered
        assert start is fake.bench.platform.state
        return None
    fake.restore("start")
    (sentence,) = answer["summary"]
    return str(sentence)


CASES = [
    (kind, role, state) for kind in BOTH for role in PEOPLE for state in STATES if (kind, state) != (ISSUE, "merged")
]


@pytest.mark.parametrize(("kind", "role", "state"), CASES, ids=[" ".join(case) for case in CASES])
def test_who_may_do_what_to_what(fakeplat: Fakeplat, kind: str, role: str, state: str) -> None:
    """Every command on every kind, by everybody, in every state."""
    target = given(fakeplat, kind, state)
    fakeplat.snapshot("start")

    wanted = {row.text: expected(row, kind, role, state) for row in ROWS}
    assert wanted == {row.text: said(fakeplat, PEOPLE[role], target, row.text) for row in ROWS}


@pytest.mark.parametrize("kind", BOTH)
def test_locked_discussions_are_for_members(fakeplat: Fakeplat, kind: str) -> None:
    """Others give no commands either, their own things included; who administers unlocks."""
    target = given(fakeplat, kind, "bare")
    assert 200 == fakeplat.as_user("mia").put(target, json={"discussion_locked": True}).status
    fakeplat.snapshot("start")
    for text in ("/close", "/todo", "/unlock"):
        assert FORBIDDEN == post_note(fakeplat, "eve", target, text)
    for role in ("guest", "reporter", "developer"):
        wanted = "Unlocked the discussion." if role in administers(kind) else None
        assert wanted == said(fakeplat, PEOPLE[role], target, "/unlock")
        assert said(fakeplat, PEOPLE[role], target, "/lock") is None
        assert "Added a To Do." == said(fakeplat, PEOPLE[role], target, "/todo")


@pytest.mark.parametrize("kind", BOTH)
def test_whoever_is_assigned_may_what_authors_may(fakeplat: Fakeplat, kind: str) -> None:
    """A guest, to whom it is assigned, closes and renames it; plans it not."""
    target = given(fakeplat, kind, "bare")
    assignee = fakeplat.world.user("gus").id
    assert 200 == fakeplat.as_user("mia").put(target, json={"assignee_ids": [assignee]}).status
    fakeplat.snapshot("start")

    assert f"Closed this {kind}." == said(fakeplat, "gus", target, "/close")
    assert 'Changed the title to "Two".' == said(fakeplat, "gus", target, "/title Two")
    assert said(fakeplat, "gus", target, "/label ~bug") is None


def test_every_command_stands_in_the_table() -> None:
    """By each of its names, or one that means the same."""
    from fakeplat.domain.quick_actions.quick_actions import COMMANDS, import_commands

    import_commands()
    runs = {COMMANDS[row.text[1:].split()[0]].run for row in ROWS}
    assert runs == {declared.run for declared in COMMANDS.values()}
