"""Quick actions have the effects of the API's operations: the same records, events, notes, signals and mails."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.outgoing import Outgoing
from fakeplat.model.world import World
from tests.api.merge_requests import MRS, SITE, commit
from tests.api.quick_actions import fill_in_ids, post_note
from tests.signals import SentSignals

pytestmark = pytest.mark.fakeplat(clock="virtual")
TARGETS = {"issue": f"{SITE}/issues/1", "merge request": f"{MRS}/1"}
FULL = "/assign @dev\n/label feature docs\n/milestone v1.1\n/estimate 1h\n/spend 1h"

BOTH = [
    # before it, the command, the operation that does the same, its body
    ("", "/close", "PUT", "", {"state_event": "close"}),
    ("/close", "/reopen", "PUT", "", {"state_event": "reopen"}),
    ("/todo", "/close", "PUT", "", {"state_event": "close"}),
    ("", "/title Two", "PUT", "", {"title": "Two"}),
    ("", "/lock", "PUT", "", {"discussion_locked": True}),
    ("/lock", "/unlock", "PUT", "", {"discussion_locked": False}),
    (FULL, "/assign @mia", "PUT", "", {"assignee_ids": ["{mia}"]}),
    (FULL, "/unassign", "PUT", "", {"assignee_ids": [0]}),
    ("", "/label ~bug ~urgent", "PUT", "", {"add_labels": "bug,urgent"}),
    (FULL, "/unlabel ~docs", "PUT", "", {"remove_labels": "docs"}),
    (FULL, "/unlabel", "PUT", "", {"labels": ""}),
    (FULL, "/relabel ~bug", "PUT", "", {"labels": "bug"}),
    ("/remove_milestone", "/milestone %v1.1", "PUT", "", {"milestone_id": "{v1}"}),
    (FULL, "/remove_milestone", "PUT", "", {"milestone_id": 0}),
    ("", "/estimate 2h", "POST", "/time_estimate", {"duration": "2h"}),
    (FULL, "/remove_estimate", "POST", "/reset_time_estimate", {}),
    (FULL, "/remove_time_spent", "POST", "/reset_spent_time", {}),
    ("", "/todo", "POST", "/todo", {}),
    ("", "/award :tada:", "POST", "/award_emoji", {"name": "tada"}),
    ("", "/title Two\n/label ~bug\n/lock", "PUT", "", {"title": "Two", "add_labels": "bug", "discussion_locked": True}),
]
ISSUES = [
    ("", "/subscribe", "POST", "/subscribe", {}),
    ("/subscribe", "/unsubscribe", "POST", "/unsubscribe", {}),
    ("", "/confidential", "PUT", "", {"confidential": True}),
    ("", "/due 2020-12-01", "PUT", "", {"due_date": "2020-12-01"}),
    ("/due today", "/remove_due_date", "PUT", "", {"due_date": ""}),
    ("", "/move acme/docs", "POST", "/move", {"to_project_id": "{docs}"}),
]
MERGE_REQUESTS = [
    ("/unsubscribe", "/subscribe", "POST", "/subscribe", {}),
    ("", "/unsubscribe", "POST", "/unsubscribe", {}),
    ("/title Two", "/draft", "PUT", "", {"title": "Draft: Two"}),
    ("/title WIP: Two", "/wip", "PUT", "", {"title": "Two"}),
    ("", "/target_branch stage", "PUT", "", {"target_branch": "stage"}),
    ("", "/approve", "POST", "/approve", {}),
    ("/todo", "/approve", "POST", "/approve", {}),
    ("", "/merge", "PUT", "/merge", {}),
]
ROWS = [
    *((kind, *row) for kind in TARGETS for row in BOTH),
    *(("issue", *row) for row in ISSUES),
    *(("merge request", *row) for row in MERGE_REQUESTS),
]


def load_ids(fake: Fakeplat) -> dict[str, Any]:
    """The ids that rows name."""
    milestones = {row["title"]: row["id"] for row in fake.as_user("mia").get(f"{SITE}/milestones").json()}
    return {"v1": milestones["v1.1"], "mia": fake.world.user("mia").id, "docs": fake.world.project("acme/docs").id}


class Effects:
    """All records of a world, and what it sent since: signals, mails and requests to webhooks."""

    def __init__(self, fake: Fakeplat, sent_signals: SentSignals) -> None:
        self.fake = fake
        self.sent_signals = sent_signals
        self.outgoing: list[Outgoing] = []
        fake.bench.platform.outgoing_handlers.append(self.outgoing.append)

    def after(self, status: int, *expected: int) -> dict[str, Any]:
        """Return all records, signals and messages, and restore the world."""
        assert status in expected
        effects = {**self.records(), "signals": [*self.sent_signals], "outgoing": [*self.outgoing]}
        self.begin()
        return effects

    def records(self) -> dict[str, Any]:
        world = World(self.fake.bench.platform.state)
        return {table.name: list(getattr(world, table.name)) for table in World.tables}

    def begin(self) -> None:
        self.fake.restore("start")
        self.sent_signals.clear()
        self.outgoing.clear()


@pytest.fixture
def effects(fakeplat: Fakeplat, sent_signals: SentSignals) -> Effects:
    return Effects(fakeplat, sent_signals)


@pytest.mark.parametrize(
    ("kind", "before", "text", "method", "path", "body"),
    ROWS,
    ids=[f"{row[0]} {row[1][:13]} {row[2]}".replace("\n", " ") for row in ROWS],
)
def test_a_command_equals_the_operation(
    fakeplat: Fakeplat,
    effects: Effects,
    kind: str,
    before: str,
    text: str,
    method: str,
    path: str,
    body: dict[str, Any],
) -> None:
    """A command changes the same records as the operation."""
    target = TARGETS[kind]
    fakeplat.as_user("dev").post(f"{SITE}/repository/branches", json={"branch": "stage", "ref": "master"})
    if before:
        assert 202 == post_note(fakeplat, "mia", target, before)[0]
    fakeplat.snapshot("start")
    effects.begin()
    before_all = effects.records()
    fakeplat.clock.advance("1h")
    commanded = effects.after(post_note(fakeplat, "mia", target, text)[0], 202)
    fakeplat.clock.advance("1h")
    reply = fakeplat.as_user("mia").request(method, f"{target}{path}", json=fill_in_ids(body, load_ids(fakeplat)))

    assert effects.after(reply.status, 200, 201) == commanded
    assert before_all != {name: rows for name, rows in commanded.items() if name in before_all}


@pytest.mark.parametrize("kind", TARGETS)
def test_a_description_is_one_change_with_its_commands(fakeplat: Fakeplat, effects: Effects, kind: str) -> None:
    """Commands in a description are one change, as if sent as parameters."""
    fakeplat.snapshot("start")
    effects.begin()
    mia, target = fakeplat.as_user("mia"), TARGETS[kind]
    by_text = mia.put(target, json={"description": "New.\n/title Two\n/label ~bug\n/assign @dev\n/lock"})
    state = effects.after(by_text.status, 200)
    given = {"title": "Two", "add_labels": "bug", "assignee_ids": [fakeplat.world.user("dev").id]}
    by_field = mia.put(target, json={"description": "New.", "discussion_locked": True, **given})

    assert state == effects.after(by_field.status, 200)
    assert 1 == sum(name.endswith("_update_finished") for name, _ in state["signals"])


@pytest.mark.parametrize("kind", ["issues", "merge_requests"])
def test_a_new_record_is_created_with_its_commands(fakeplat: Fakeplat, effects: Effects, kind: str) -> None:
    """Commands in a new description work as if sent as parameters."""
    commit(fakeplat, "work", "work.txt")
    fakeplat.snapshot("start")
    effects.begin()
    dev, ids = fakeplat.as_user("dev"), load_ids(fakeplat)
    branches = {"source_branch": "work", "target_branch": "master"} if kind == "merge_requests" else {}
    body = {"title": "T", "description": "New.", **branches}
    text = "New.\n/label ~bug\n/assign @mia\n/milestone %v1.1"
    by_text = dev.post(f"{SITE}/{kind}", json={**body, "description": text})
    state = effects.after(by_text.status, 201)
    given = {"labels": "bug", "assignee_ids": [ids["mia"]], "milestone_id": ids["v1"]}
    by_field = dev.post(f"{SITE}/{kind}", json={**body, **given})

    assert state == effects.after(by_field.status, 201)
