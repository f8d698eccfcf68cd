"""Webhooks about issues and notes. Source: docs/platform/webhooks.md, recorded payloads."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import HOOKS_NAME_TYPES, TASKS_ARE_WORK_ITEMS
from tests.api.deliveries import (
    ADA,
    BUG,
    NOW,
    PROJECT,
    REPOSITORY,
    SITE,
    URGENT,
    URL,
    change,
    create,
    receive,
)
from tests.by_release import by_release
from tests.graphql.queries import query_data, write_mutation

ONE = f"{SITE}/issues/6"
ATTRIBUTES = {
    "author_id": 2,
    "closed_at": None,
    "confidential": False,
    "created_at": NOW,
    "description": "![a](http://localhost/acme/site/uploads/x.png)",
    "discussion_locked": None,
    "due_date": "2020-12-01",
    "id": 10008,
    "iid": 6,
    "last_edited_at": None,
    "last_edited_by_id": None,
    "milestone_id": None,
    "moved_to_id": None,
    "duplicated_to_id": None,
    "project_id": 5001,
    "relative_position": 3000,
    "state_id": 1,
    "time_estimate": 0,
    "title": "Broken",
    "updated_at": NOW,
    "updated_by_id": None,
    "url": "http://localhost/acme/site/-/issues/6",
    "total_time_spent": 0,
    "human_total_time_spent": None,
    "human_time_estimate": None,
    "assignee_ids": [2],
    "assignee_id": 2,
    "labels": [BUG, URGENT],
    "state": "opened",
}


def create_issue(fake: Fakeplat, **more: Any) -> Any:
    fields = {"title": "Broken", "description": "![a](/uploads/x.png)", "labels": "urgent,bug", "assignee_ids": [2]}
    return create(fake, f"{SITE}/issues", **fields, due_date="2020-12-01", **more)


def test_a_new_issue(fakeplat: Fakeplat) -> None:
    """The event of a new issue has the whole payload."""
    sent = receive(fakeplat)
    create_issue(fakeplat)
    (payload,) = sent.payloads()

    assert {
        "object_kind": "issue",
        "event_type": "issue",
        "user": ADA,
        "project": PROJECT,
        "object_attributes": {**ATTRIBUTES, "action": "open"},
        "labels": [BUG, URGENT],
        "changes": {
            "author_id": {"previous": None, "current": 2},
            "created_at": {"previous": None, "current": NOW},
            "description": {"previous": None, "current": "![a](/uploads/x.png)"},
            "due_date": {"previous": None, "current": "2020-12-01"},
            "id": {"previous": None, "current": 10008},
            "iid": {"previous": None, "current": 6},
            "project_id": {"previous": None, "current": 5001},
            "relative_position": {"previous": None, "current": 3000},
            "title": {"previous": None, "current": "Broken"},
            "updated_at": {"previous": None, "current": NOW},
        },
        "repository": REPOSITORY,
        "assignees": [ADA],
    } == payload
    assert ["object_kind", "event_type", "user", "project", "object_attributes", "labels", "changes"] == list(payload)[
        :7
    ]
    assert [*ATTRIBUTES, "action"] == list(payload["object_attributes"])


def test_an_issue_without_assignees(fakeplat: Fakeplat) -> None:
    """The key of the assignees is absent."""
    sent = receive(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x")
    (payload,) = sent.payloads()

    assert "assignees" not in payload
    assert ([], None) == tuple(payload["object_attributes"][name] for name in ("assignee_ids", "assignee_id"))


@pytest.mark.fakeplat(tier="premium")
def test_the_weight_on_paid_tiers(fakeplat: Fakeplat) -> None:
    """On paid tiers an issue event contains the weight before the url."""
    sent = receive(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x", weight=3)
    attributes = sent.payloads()[0]["object_attributes"]
    names = list(attributes)

    assert (3, "url") == (attributes["weight"], names[names.index("weight") + 1])


TIME = {"previous": NOW, "current": NOW}


@pytest.mark.parametrize(
    ("sent", "changes"),
    [
        ({"title": "Better"}, {"title": {"previous": "Broken", "current": "Better"}, "updated_at": TIME}),
        ({"labels": "bug"}, {"updated_at": TIME, "labels": {"previous": [BUG, URGENT], "current": [BUG]}}),
        ({"assignee_ids": []}, {"updated_at": TIME, "assignees": {"previous": [ADA], "current": []}}),
        ({"due_date": ""}, {"due_date": {"previous": "2020-12-01", "current": None}, "updated_at": TIME}),
        ({"discussion_locked": True}, {"discussion_locked": {"previous": None, "current": True}, "updated_at": TIME}),
        ({"title": "Broken"}, {}),
    ],
    ids=["title", "labels", "assignees", "due date", "lock", "nothing"],
)
def test_changed_fields_of_an_update(fakeplat: Fakeplat, sent: dict[str, Any], changes: dict[str, Any]) -> None:
    """An update event names changed fields in the order of columns."""
    create_issue(fakeplat)
    deliveries = receive(fakeplat)
    change(fakeplat, ONE, **sent)
    (payload,) = deliveries.payloads()

    assert ("update", changes) == (payload["object_attributes"]["action"], payload["changes"])
    assert list(changes) == list(payload["changes"])


def test_closing_and_reopening(fakeplat: Fakeplat) -> None:
    """Closing and reopening an issue are one event each."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    change(fakeplat, ONE, state_event="close")
    change(fakeplat, ONE, state_event="reopen")
    close, reopen = sent.payloads()

    closing = {"previous": None, "current": NOW}
    assert ("close", "closed", 2) == tuple(close["object_attributes"][name] for name in ("action", "state", "state_id"))
    assert {
        "closed_at": closing,
        "state_id": {"previous": 1, "current": 2},
        "updated_at": TIME,
    } == close["changes"]
    assert "reopen" == reopen["object_attributes"]["action"]
    assert {"previous": NOW, "current": None} == reopen["changes"]["closed_at"]
    assert {"previous": 2, "current": 1} == reopen["changes"]["state_id"]


def test_closing_together_with_other_changes(fakeplat: Fakeplat) -> None:
    """Closing an issue with other changes sends two events, the state's first."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    change(fakeplat, ONE, state_event="close", title="Done")
    close, update = sent.payloads()

    assert ["close", "update"] == [payload["object_attributes"]["action"] for payload in (close, update)]
    assert ["title", "updated_at"] == list(update["changes"])
    assert "closed" == update["object_attributes"]["state"]


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/time_estimate?duration=1h", {}, {"time_estimate": {"previous": 0, "current": 3600}}),
        ("/add_spent_time?duration=30m", {}, {"total_time_spent": {"previous": 0, "current": 1800}}),
    ],
    ids=["estimate", "spent"],
)
def test_time_tracking_is_an_update(
    fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Time tracking sends an update event with human-readable times."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    create(fakeplat, f"{ONE}{path}", **body)
    (payload,) = sent.payloads()
    del payload["changes"]["updated_at"]

    assert ("update", expected) == (payload["object_attributes"]["action"], payload["changes"])


def test_confidential_issues(fakeplat: Fakeplat) -> None:
    """An issue counts as what it is after the change; a flag for issues alone never shows them."""
    create_issue(fakeplat)
    both, public = (
        receive(fakeplat, url=URL, push_events=False, confidential_issues_events=True),
        receive(fakeplat, url=URL, push_events=False, issues_events=True),
    )
    change(fakeplat, ONE, confidential=True)
    (request,) = both.take()
    assert ("confidential_issue_hooks", "Confidential Issue Hook") == (
        request.trigger,
        request.headers["X-Gitlab-Event"],
    )
    public.take()
    change(fakeplat, ONE, confidential=False)
    assert ["issue_hooks"] == public.triggers()


def test_the_event_type_of_confidential_issues(fakeplat: Fakeplat) -> None:
    """The event type of a confidential issue is `confidential_issue`."""
    sent = receive(fakeplat)
    create_issue(fakeplat, confidential=True)

    assert "confidential_issue" == sent.payloads()[0]["event_type"]


def test_a_move_is_two_events(fakeplat: Fakeplat) -> None:
    """The old issue is closed, the new one is opened."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    receive(fakeplat, "acme/docs")
    target = fakeplat.world.project("acme/docs").id
    create(fakeplat, f"{ONE}/move", to_project_id=target)

    assert [("close", 5001), ("open", target)] == [
        (payload["object_attributes"]["action"], payload["project"]["id"]) for payload in sent.payloads()
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/unsubscribe", {}),
        ("POST", "/award_emoji", {"name": "tada"}),
        ("POST", "/links", {"target_project_id": 5001, "target_issue_iid": 1}),
        ("DELETE", "", {}),
    ],
    ids=["subscription", "award", "link", "deletion"],
)
def test_changes_without_an_event(fakeplat: Fakeplat, method: str, path: str, body: dict[str, Any]) -> None:
    """Subscriptions, awards and links of an issue send no webhook."""
    create_issue(fakeplat)
    sent = receive(fakeplat)

    assert fakeplat.as_user("ada").request(method, f"{ONE}{path}", json=body).status < 300
    assert [] == sent.take()


def test_a_note_on_an_issue(fakeplat: Fakeplat) -> None:
    """The event of a note has the whole payload, with an issue without action."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    note = create(fakeplat, f"{ONE}/notes", body="See ![b](uploads/b.png)")
    (payload,) = sent.payloads()
    attributes = payload["object_attributes"]

    expected = {
        "attachment": None,
        "author_id": 2,
        "change_position": None,
        "commit_id": None,
        "created_at": NOW,
        "discussion_id": attributes["discussion_id"],
        "id": note["id"],
        "line_code": None,
        "note": "See ![b](uploads/b.png)",
        "noteable_id": 10008,
        "noteable_type": "Issue",
        "original_position": None,
        "position": None,
        "project_id": 5001,
        "resolved_at": None,
        "resolved_by_id": None,
        "resolved_by_push": None,
        "st_diff": None,
        "system": False,
        "type": None,
        "updated_at": NOW,
        "updated_by_id": None,
        "description": "See ![b](http://localhost/acme/site/uploads/b.png)",
        "url": f"http://localhost/acme/site/-/issues/6#note_{note['id']}",
    }
    assert {
        "object_kind": "note",
        "event_type": "note",
        "user": ADA,
        "project_id": 5001,
        "project": PROJECT,
        "object_attributes": expected,
        "repository": REPOSITORY,
        "issue": ATTRIBUTES,
    } == payload
    assert list(expected) == list(attributes)


def test_quick_actions_of_a_note(fakeplat: Fakeplat) -> None:
    """Quick actions send the note's event before the issue's."""
    create_issue(fakeplat)
    sent = receive(fakeplat)
    create(fakeplat, f"{ONE}/notes", body="Done\n/label ~feature\n/close")
    assert ["note", "issue update", "issue close"] == sent.actions()
    create(fakeplat, f"{ONE}/notes", body="/reopen")
    assert ["issue reopen"] == sent.actions()


@pytest.mark.parametrize(
    ("confidential", "note", "expected"),
    [(False, {}, "note_hooks"), (True, {}, "confidential_note_hooks"), (False, {"confidential": True}, "")],
    ids=["public", "issue", "note"],
)
def test_confidential_notes(fakeplat: Fakeplat, confidential: bool, note: dict[str, Any], expected: str) -> None:
    """A note is confidential if it or its issue is."""
    create_issue(fakeplat, confidential=confidential)
    sent = receive(fakeplat)
    create(fakeplat, f"{ONE}/notes", body="x", **note)

    assert [expected or "confidential_note_hooks"] == sent.triggers()


def test_only_new_notes_are_events(fakeplat: Fakeplat) -> None:
    """Edited, deleted and system notes send no note event."""
    create_issue(fakeplat)
    note = create(fakeplat, f"{ONE}/notes", body="x")["id"]
    sent = receive(fakeplat, url=URL, push_events=False, note_events=True)
    change(fakeplat, f"{ONE}/notes/{note}", body="y")
    change(fakeplat, ONE, title="Another")
    fakeplat.as_user("ada").delete(f"{ONE}/notes/{note}")

    assert [] == sent.take()


def test_notes_on_commits_and_snippets(fakeplat: Fakeplat) -> None:
    """A commit has a hash instead of an id."""
    sent = receive(fakeplat)
    sha = fakeplat.as_user("ada").get(f"{SITE}/repository/commits/master").json()["id"]
    create(fakeplat, f"{SITE}/repository/commits/{sha}/comments", note="Nice")
    (payload,) = sent.payloads()
    attributes = payload["object_attributes"]
    assert ("Commit", sha, None) == tuple(attributes[name] for name in ("noteable_type", "commit_id", "noteable_id"))
    assert ["id", "message", "title", "timestamp", "url", "author"] == list(payload["commit"])

    snippet = create(fakeplat, f"{SITE}/snippets", title="S", file_name="a.py", content="1", visibility="private")
    create(fakeplat, f"{SITE}/snippets/{snippet['id']}/notes", body="Nice")
    (payload,) = sent.payloads()
    assert {
        "id": snippet["id"],
        "title": "S",
        "content": "1",
        "author_id": 2,
        "project_id": 5001,
        "created_at": NOW,
        "updated_at": NOW,
        "file_name": "a.py",
        "expires_at": None,
        "type": "ProjectSnippet",
        "visibility_level": 0,
        "description": None,
    } == payload["snippet"]


@pytest.mark.fakeplat(tier="ultimate")
def test_comments_on_epics_are_no_events(fakeplat: Fakeplat) -> None:
    """Comments on epics send no webhooks, but a mail to those whom they mention."""
    sent = receive(fakeplat)
    epic = create(fakeplat, "groups/acme/epics", title="Epic")
    create(fakeplat, f"groups/acme/epics/{epic['id']}/notes", body="Nice, @dev")

    assert [] == sent.take()
    assert ["dev@example.test"] == [mail.to for mail in fakeplat.mails]


@by_release(HOOKS_NAME_TYPES, "expected", {"17.1": None, "17.2": "Issue"})
def test_the_type_of_an_issue(fakeplat: Fakeplat, expected: str | None) -> None:
    """From 17.2 on the payload names the type of the work item."""
    sent = receive(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x")
    (payload,) = sent.payloads()

    assert expected == payload["object_attributes"].get("type")


@by_release(TASKS_ARE_WORK_ITEMS, "kind", {"15.4": "issue", "15.5": "work_item"})
@pytest.mark.parametrize("confidential", [False, True])
def test_the_event_of_a_task(fakeplat: Fakeplat, kind: str, confidential: bool) -> None:
    """A task is a work item in payloads, sent with the events of issues."""
    sent = receive(fakeplat)
    task = {"title": "x", "projectPath": "acme/site", "workItemTypeId": "gid://gitlab/WorkItems::Type/5"}
    create_task = write_mutation("workItemCreate", "workItem { title }")
    query_data(fakeplat, "ada", create_task, input={**task, "confidential": confidential})
    (payload,) = sent.payloads()

    assert (kind, f"confidential_{kind}" if confidential else kind) == (payload["object_kind"], payload["event_type"])
