"""Statuses that users set, and the incidents of alerts. Source: docs/platform/alerts.md."""

from typing import Any

import pytest

from fakeplat.core.operations.errors import Conflict
from fakeplat.domain.alerts import alerts, incidents
from fakeplat.model.issues import Issue
from fakeplat.model.outgoing import Outgoing, OutgoingMails
from tests.api.alerts import SERVICE, AlertProject

SITE = "projects/acme%2Fsite"
END = {"end_time": "2020-11-21T00:00:00Z"}


def change_alert(taking: AlertProject, verb: Any, alert: Any, *rest: Any, by: str = "dev") -> Any:
    """Do something with an alert as it is now, as somebody."""
    with taking.site.platform.acting(taking.site.person(by)) as ctx:
        return verb(ctx, ctx.world.alerts[alert.id], *rest, ctx.signed_in_user)


def list_issues(taking: AlertProject) -> list[Issue]:
    return list(taking.site.world.issues.all())


MOVES = ["triggered", "acknowledged", "ignored", "resolved"]


@pytest.mark.parametrize("before", MOVES)
@pytest.mark.parametrize("after", MOVES)
def test_every_status_can_follow_every_other(before: Any, after: Any) -> None:
    """Resolving says when it ended, any other status that it did not; each change is noted in who did it's name."""
    taking = AlertProject()
    taking.send()
    change_alert(taking, alerts.set_status, taking.last, before)
    taking.site.clock.advance(60_000)
    moved = change_alert(taking, alerts.set_status, taking.last, after)
    notes = taking.notes(moved)

    assert after == moved.status
    assert (after == "resolved") == (moved.ended_at is not None)
    expected = [status for status, last in ((before, "triggered"), (after, before)) if status != last]
    assert [("dev", f"changed the status to **{status.title()}**") for status in expected] == notes[1:]


def test_a_resolved_alert_is_not_reopened_beside_an_open_one() -> None:
    """A resolved alert cannot be reopened while an open one has its fingerprint."""
    taking = AlertProject()
    for payload in ({}, END, {}):
        taking.send(fingerprint="f", **payload)
    first, second = taking.alerts
    before = taking.site.platform.state
    for status in ("triggered", "acknowledged", "ignored"):
        with pytest.raises(Conflict, match="same fingerprint"):
            change_alert(taking, alerts.set_status, first, status)
    assert before is taking.site.platform.state
    change_alert(taking, alerts.set_status, second, "resolved")
    change_alert(taking, alerts.set_status, first, "triggered")
    taking.send(fingerprint="f")

    assert [("triggered", 2, None), ("resolved", 1)] == [
        (taking.alerts[0].status, taking.alerts[0].event_count, taking.alerts[0].ended_at),
        (taking.alerts[1].status, taking.alerts[1].event_count),
    ]


@pytest.mark.parametrize(("tool", "source"), [("Probe", "Probe"), (None, "Generic Alert Endpoint")])
def test_a_new_alert_is_noted_with_its_source(tool: str | None, source: str) -> None:
    """The alert bot notes a new alert with the monitoring tool that sent it."""
    taking = AlertProject()
    taking.send(monitoring_tool=tool)

    assert [("alert-bot", f"logged an alert from **{source}**")] == taking.notes(taking.last)


def test_an_incident_is_made_if_the_project_wants_it() -> None:
    """If the project wants it, the alert bot creates a linked incident for a new alert."""
    taking = AlertProject(create_issue=True)
    taking.send(description="No space", severity="high", hosts=["a", "b"], extra={"free": 0})
    assert [] == list_issues(taking)
    taking.settle()
    (issue,) = list_issues(taking)
    (label,) = taking.site.world.labels.all()

    assert ("incident", "disk full", "opened", (label.id,)) == (issue.kind, issue.title, issue.state, issue.label_ids)
    assert ("incident", ("project", issue.project_id)) == (label.title, label.source)
    assert "alert-bot" == taking.site.world.users[issue.author_id].username
    assert issue.id == taking.last.issue_id
    assert ("alert-bot", "created issue #1 for this alert") == taking.notes(taking.last)[-1]
    for part in ("**Severity:** high", "**Hosts:** a b", "**Description:** No space", "**extra.free:** 0", "^alert#1"):
        assert part in (issue.description or "")


def test_no_incident_is_made_unless_the_project_wants_it() -> None:
    """By default an alert creates no incident."""
    taking = AlertProject()
    taking.send()
    taking.settle()
    assert [] == list_issues(taking)


def test_a_repeat_makes_the_missing_incident() -> None:
    """A repeated alert creates an incident only if it has none."""
    taking = AlertProject()
    taking.send(fingerprint="f")
    taking.configure(create_issue=True)
    for _ in range(3):
        taking.send(fingerprint="f")
    taking.settle()
    assert [1] == [issue.iid for issue in list_issues(taking)]
    assert 204 == taking.site.ask("DELETE", f"{SITE}/issues/1", "ada").status
    assert taking.last.issue_id is None
    taking.send(fingerprint="f")
    taking.settle()
    assert [2] == [issue.iid for issue in list_issues(taking)]


@pytest.mark.parametrize("closed", [{"issues_access_level": "disabled"}, {"archived": True}])
def test_a_project_without_issues_gets_no_incident(closed: dict[str, Any]) -> None:
    """Alerts of archived projects or projects without issues create no incident."""
    taking = AlertProject(create_issue=True)
    with taking.site.platform.acting() as ctx:
        ctx.world.projects.change(taking.site.place("acme/site"), **closed)
    assert 200 == taking.send()
    taking.settle()
    assert [] == list_issues(taking)


@pytest.mark.parametrize(("settings", "state"), [({}, "closed"), ({"auto_close_incident": False}, "opened")])
def test_the_end_of_an_alert_closes_its_incident(settings: dict[str, Any], state: str) -> None:
    """The alert bot closes the incident of a resolved alert unless the project disables that."""
    taking = AlertProject(create_issue=True, **settings)
    taking.send(fingerprint="f")
    taking.settle()
    taking.send(fingerprint="f", **END)
    (issue,) = list_issues(taking)
    by = taking.site.world.users.get(issue.closed_by_id or 0)

    assert ("resolved", state) == (taking.last.status, issue.state)
    assert (state == "closed") == (by is not None and by.username == "alert-bot")
    assert ("alert-bot", "changed the status to **Resolved**") == taking.notes(taking.last)[-1]


def test_closing_an_incident_resolves_its_alert() -> None:
    """Closing an incident resolves its alert, and reopening it leaves the alert resolved."""
    taking = AlertProject(create_issue=True)
    taking.send()
    taking.settle()
    taking.site.ask("PUT", f"{SITE}/issues/1", "dev", json={"state_event": "close"})

    assert "resolved" == taking.last.status
    assert ("dev", "changed the status to **Resolved** by closing issue #1") == taking.notes(taking.last)[-1]
    taking.site.ask("PUT", f"{SITE}/issues/1", "dev", json={"state_event": "reopen"})
    assert "resolved" == taking.last.status


def test_an_incident_can_be_made_by_hand() -> None:
    """An incident created for an alert belongs to its creator; a second one answers 409."""
    taking = AlertProject()
    taking.site.ask("POST", f"{SITE}/labels", "ada", json={"name": "incident", "color": "#000000"})
    taking.send()
    issue = change_alert(taking, incidents.create_issue, taking.last)

    assert ("dev", "incident") == (taking.site.world.users[issue.author_id].username, issue.kind)
    assert 1 == len(taking.site.world.labels.all())
    assert issue.id == taking.last.issue_id
    with pytest.raises(Conflict, match="An issue already exists"):
        change_alert(taking, incidents.create_issue, taking.last)


def test_an_issue_can_be_made_as_an_incident() -> None:
    """The parameter issue_type is kept."""
    taking = AlertProject()
    for kind in ("incident", "issue", None):
        given = {"issue_type": kind} if kind else {}
        assert 201 == taking.site.ask("POST", f"{SITE}/issues", "dev", json={"title": "x", **given}).status

    assert ["incident", "issue", "issue"] == [issue.kind for issue in list_issues(taking)]


def test_the_alert_bot_is_made_when_first_needed_and_signs_in_nowhere() -> None:
    """All alerts share one bot, which is an internal user without memberships or login."""
    taking = AlertProject()
    assert not any(user.kind == "alert_bot" for user in taking.site.world.users.all())
    taking.send()
    taking.send()
    bots = [user for user in taking.site.world.users.all() if user.kind == "alert_bot"]

    assert ["alert-bot"] == [user.username for user in bots]
    listed = taking.site.get("users?exclude_internal=true&per_page=100", "root").json
    members = taking.site.get(f"{SITE}/members/all", "ada").json
    assert "alert-bot" not in [user["username"] for user in [*listed, *members]]


def test_notes_of_deleted_users_pass_to_the_ghost() -> None:
    """Notes of a deleted user about an alert pass to the ghost user."""
    taking = AlertProject()
    taking.send()
    change_alert(taking, alerts.set_status, taking.last, "acknowledged")
    taking.site.ask("DELETE", f"users/{taking.site.person('dev').id}", "root")

    assert ("ghost", "changed the status to **Acknowledged**") == taking.notes(taking.last)[-1]


def test_a_new_alert_is_mailed_once() -> None:
    """A new alert is mailed; one that repeats it counts, and an end resolves it, without another mail."""
    taking, sent = AlertProject(send_email=True), list[Outgoing]()
    taking.site.platform.outgoing_handlers.append(sent.append)
    outcomes = []
    for payload in ({}, {}, {"title": ""}, END):
        taking.send(fingerprint="f", **payload)
        outcomes.append((len(taking.alerts), taking.last.event_count, taking.last.status, len(sent)))

    assert [(1, 1, "triggered", 1), (1, 2, "triggered", 1), (1, 2, "triggered", 1), (1, 2, "resolved", 1)] == outcomes
    assert [OutgoingMails] == [type(outgoing) for outgoing in sent]
    assert taking.site.get(SERVICE, "ada").json["properties"]["send_email"]
