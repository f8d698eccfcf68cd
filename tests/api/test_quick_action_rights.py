"""Rights of quick actions: by kind of record, role of the caller and state of the record.

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


def roles_that_administer(kind: str) -> tuple[str, ...]:
    """Reporters assign, label and plan issues, Developers merge requests."""
    return REPORTERS if kind == ISSUE else DEVELOPERS


def roles_that_update(kind: str) -> tuple[str, ...]:
    """The same, and authors."""
    return ("author", *roles_that_administer(kind))


class Row(NamedTuple):
    """A command: what is said where it is done, in which states, by whom, on which kinds."""

    text: str
    message: str
    states: tuple[str, ...]
    who: Any
    kinds: tuple[str, ...] = BOTH


RESOLVING = "and a merge request to resolve this issue."
ROWS = [
    Row("/close", "Closed this {kind}.", OPEN, roles_that_update),
    Row("/reopen", "Reopened this {kind}.", ("closed",), roles_that_update),
    Row("/title Two", 'Changed the title to "Two".', ANY, roles_that_update),
    Row("/lock", "Locked the discussion.", ANY, roles_that_administer),
    Row("/unlock", "", (), roles_that_administer),
    Row("/assign @mia", "Assigned @mia.", ANY, roles_that_administer),
    Row("/assign @nobody", NO_USER, ANY, roles_that_administer),
    Row("/reassign @mia", "", (), roles_that_administer),
    Row("/unassign", "Removed assignee @dev.", FULL, roles_that_administer),
    Row("/label ~bug", 'Added ~"bug" label.', ANY, roles_that_administer),
    Row("/label ~none", "", (), roles_that_administer),
    Row("/unlabel", "Removed all labels.", FULL, roles_that_administer),
    Row("/unlabel ~feature", 'Removed ~"feature" label.', FULL, roles_that_administer),
    Row("/relabel ~bug", 'Replaced all labels with ~"bug" label.', FULL, roles_that_administer),
    Row("/milestone %v1.1", 'Set the milestone to %"v1.1".', ANY, roles_that_administer),
    Row("/remove_milestone", 'Removed %"v1.1" milestone.', FULL, roles_that_administer),
    Row("/copy_metadata #1", "Copied labels and milestone from #1.", ANY, roles_that_administer),
    Row("/copy_metadata !1", "Copied labels and milestone from !1.", ANY, roles_that_administer),
    Row("/estimate 2h", "Set time estimate to 2h.", ANY, roles_that_administer),
    Row("/remove_estimate", "Removed time estimate.", ANY, roles_that_administer),
    Row("/spend 1h", "Added 1h spent time.", ANY, roles_that_administer),
    Row("/spend -1h", "Subtracted 1h spent time.", FULL, roles_that_administer),
    Row("/remove_time_spent", "Removed spent time.", ANY, roles_that_administer),
    Row("/todo", "Added a To Do.", ANY, lambda kind: EVERYBODY),
    Row("/done", "", (), lambda kind: EVERYBODY),
    Row("/award :tada:", "Toggled :tada: emoji award.", ANY, lambda kind: EVERYBODY),
    Row("/award :none:", "", (), lambda kind: EVERYBODY),
    Row("/confidential", "Made this issue confidential.", ANY, roles_that_administer, (ISSUE,)),
    Row("/due 2030-01-01", "Set the due date to Jan 1, 2030.", ANY, roles_that_administer, (ISSUE,)),
    Row("/remove_due_date", "", (), roles_that_administer, (ISSUE,)),
    Row("/duplicate #1", "Marked this issue as a duplicate of #1.", ANY, roles_that_update, (ISSUE,)),
    Row("/move acme/docs", "Moved this issue to acme/docs.", ANY, roles_that_administer, (ISSUE,)),
    Row("/weight 3", "", (), roles_that_administer, (ISSUE,)),
    Row("/clear_weight", "", (), roles_that_administer, (ISSUE,)),
    Row("/iteration *iteration:1", "", (), roles_that_administer, (ISSUE,)),
    Row("/remove_iteration", "", (), roles_that_administer, (ISSUE,)),
    Row("/draft", "Marked this merge request as a draft.", ANY, roles_that_update, (MERGE_REQUEST,)),
    Row("/wip", "Marked this merge request as a draft.", ANY, roles_that_update, (MERGE_REQUEST,)),
    Row("/target_branch readme", "Set target branch to readme.", UNMERGED, roles_that_update, (MERGE_REQUEST,)),
    Row("/target_branch none", "", (), roles_that_update, (MERGE_REQUEST,)),
    Row("/merge", "Merged this merge request.", OPEN, lambda kind: ("maintainer",), (MERGE_REQUEST,)),
    Row("/approve", "Approved the current merge request.", ANY, roles_that_update, (MERGE_REQUEST,)),
    Row("/submit_review", "Submitted the current review.", ANY, lambda kind: EVERYBODY, (MERGE_REQUEST,)),
    Row("/relate #999", "", (), roles_that_update, (ISSUE,)),
    Row("/board_move ~feature", "", (), roles_that_update, (ISSUE,)),
    Row("/create_merge_request", f"Created a branch {RESOLVING}", ANY, lambda kind: DEVELOPERS, (ISSUE,)),
    Row("/create_merge_request x", f"Created branch 'x' {RESOLVING}", ANY, lambda kind: DEVELOPERS, (ISSUE,)),
    Row("/zoom https://zoom.us/j/123456789", "Zoom meeting added", ANY, lambda kind: REPORTERS, (ISSUE,)),
    Row("/zoom https://invalid-zoom", "Failed to add a Zoom meeting", ANY, lambda kind: REPORTERS, (ISSUE,)),
    Row("/remove_zoom", "", (), roles_that_update, (ISSUE,)),
    Row("/epic &1", "", (), roles_that_update, (ISSUE,)),
    Row("/remove_epic", "", (), roles_that_update, (ISSUE,)),
    Row("/promote", "", (), roles_that_update, (ISSUE,)),
    # For epics only.
    Row("/child_epic &1", "", (), roles_that_update),
    Row("/remove_child_epic &1", "", (), roles_that_update),
    Row("/parent_epic &1", "", (), roles_that_update),
    Row("/remove_parent_epic", "", (), roles_that_update),
    Row("/tag v9.9", "", (), roles_that_update),
    Row("/subscribe", "Subscribed to this {kind}.", ANY, None),
    Row("/unsubscribe", "Unsubscribed from this {kind}.", ANY, None),
]


def expect_message(row: Row, kind: str, role: str, state: str) -> str | None:
    """Return the message of a command, or None where it has no effect."""
    if row.who is None:
        hears = role == "author" or (role == "developer" and state == "full")
        done = hears is (row.text == "/unsubscribe")
    else:
        done = kind in row.kinds and state in row.states and role in row.who(kind)
    return row.message.format(kind=kind) if done else None


def create_target(fake: Fakeplat, kind: str, state: str) -> str:
    """Create a record in a state; return its path."""
    without_ci(fake)
    commit(fake, "work", "work.txt")
    record = {"iid": 50, "title": "One", "author": "eve", **STATES[state]}
    if kind == MERGE_REQUEST:
        record |= {"source_branch": "work", "target_branch": "master"}
    site = {"path_with_namespace": "acme/site", "visibility": "public", KINDS[kind]: [record]}
    fake.load({"projects": [site]})
    return f"{SITE}/{KINDS[kind]}/50"


def run_command(fake: Fakeplat, by: str, target: str, text: str) -> str | None:
    """Return the message of a command, or None if it has no effect; the world is restored."""
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
def test_rights_of_each_command(fakeplat: Fakeplat, kind: str, role: str, state: str) -> None:
    """Each command works for the expected roles, kinds and states."""
    target = create_target(fakeplat, kind, state)
    fakeplat.snapshot("start")

    wanted = {row.text: expect_message(row, kind, role, state) for row in ROWS}
    assert wanted == {row.text: run_command(fakeplat, PEOPLE[role], target, row.text) for row in ROWS}


@pytest.mark.parametrize("kind", BOTH)
def test_locked_discussions_are_for_members(fakeplat: Fakeplat, kind: str) -> None:
    """In locked discussions only members use commands."""
    target = create_target(fakeplat, kind, "bare")
    assert 200 == fakeplat.as_user("mia").put(target, json={"discussion_locked": True}).status
    fakeplat.snapshot("start")
    for text in ("/close", "/todo", "/unlock"):
        assert FORBIDDEN == post_note(fakeplat, "eve", target, text)
    for role in ("guest", "reporter", "developer"):
        wanted = "Unlocked the discussion." if role in roles_that_administer(kind) else None
        assert wanted == run_command(fakeplat, PEOPLE[role], target, "/unlock")
        assert run_command(fakeplat, PEOPLE[role], target, "/lock") is None
        assert "Added a To Do." == run_command(fakeplat, PEOPLE[role], target, "/todo")


@pytest.mark.parametrize("kind", BOTH)
def test_assignees_have_the_rights_of_authors(fakeplat: Fakeplat, kind: str) -> None:
    """An assigned Guest closes and renames an issue but cannot plan it."""
    target = create_target(fakeplat, kind, "bare")
    assignee = fakeplat.world.user("gus").id
    assert 200 == fakeplat.as_user("mia").put(target, json={"assignee_ids": [assignee]}).status
    fakeplat.snapshot("start")

    assert f"Closed this {kind}." == run_command(fakeplat, "gus", target, "/close")
    assert 'Changed the title to "Two".' == run_command(fakeplat, "gus", target, "/title Two")
    assert run_command(fakeplat, "gus", target, "/label ~bug") is None


def test_the_table_contains_every_command() -> None:
    """The table of rights contains each command under one of its names."""
    from fakeplat.domain.quick_actions.quick_actions import COMMANDS, import_commands

    import_commands()
    runs = {COMMANDS[row.text[1:].split()[0]].run for row in ROWS}
    # Commands of later releases have tests of their own.
    assert runs == {declared.run for declared in COMMANDS.values() if not declared.lifetime}
