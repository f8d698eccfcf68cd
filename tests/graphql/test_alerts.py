"""Alerts by GraphQL: what they show, how they are chosen, and how people move them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_project, query_refused

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=WORLD)]

STATUS = """mutation($path: ID!, $iid: String!, $status: AlertManagementStatus!) {
    updateAlertStatus(input: {projectPath: $path, iid: $iid, status: $status}) {
        errors issue { iid } alert { iid status endedAt notes { nodes { body author { username } } } } } }"""
ASSIGN = """mutation($path: ID!, $iid: String!, $names: [String!]!, $mode: MutationOperationMode) {
    alertSetAssignees(input: {projectPath: $path, iid: $iid, assigneeUsernames: $names, operationMode: $mode}) {
        errors alert { assignees { nodes { username } } } } }"""
ISSUE = """mutation($path: ID!, $iid: String!) {
    createAlertIssue(input: {projectPath: $path, iid: $iid}) {
        errors issue { iid type title author { username } labels { nodes { title } } } alert { iid issueIid } } }"""


def set_status(fake: Fakeplat, by: str, iid: str, status: str) -> Any:
    return query_data(fake, by, STATUS, path="acme/site", iid=iid, status=status)["updateAlertStatus"]


def set_assignees(fake: Fakeplat, by: str, *usernames: str, mode: str = "REPLACE") -> list[str]:
    """Assign the first alert; who it is assigned to then."""
    answer = query_data(fake, by, ASSIGN, path="acme/site", iid="1", names=usernames, mode=mode)["alertSetAssignees"]
    assert [] == answer["errors"]
    return [user["username"] for user in answer["alert"]["assignees"]["nodes"]]


def list_titles(fake: Fakeplat, by: str | None, arguments: str = "") -> list[str]:
    project = query_project(fake, by, f"alertManagementAlerts{arguments} {{ nodes {{ title }} }}")
    return [alert["title"] for alert in project["alertManagementAlerts"]["nodes"]]


@pytest.mark.fakeplat(version="13.6")
def test_an_alert_shows_what_was_reported(fakeplat: Fakeplat) -> None:
    """An alert shows its fields, its other payload as details, and its page, with enums in capitals."""
    alert = query_project(
        fakeplat,
        "dev",
        """alertManagementAlert(iid: "1") { iid title description severity status service monitoringTool hosts startedAt
           endedAt eventCount createdAt environment { name } issueIid details runbook detailsUrl
           assignees { nodes { id } } notes { nodes { system body } } }""",
    )["alertManagementAlert"]

    assert 3 == alert.pop("details")["disk.free"]
    assert {
        "iid": "1",
        "title": "Disk full",
        "description": "No space left",
        "severity": "HIGH",
        "status": "TRIGGERED",
        "service": "web",
        "monitoringTool": "Probe",
        "hosts": ["a", "b"],
        "startedAt": "2020-11-02T00:00:00Z",
        "endedAt": None,
        "eventCount": 4,
        "createdAt": "2020-11-02T00:00:01Z",
        "environment": None,
        "issueIid": None,
        "runbook": "https://runbook.example.test",
        "detailsUrl": f"{fakeplat.url}/acme/site/-/alert_management/1/details",
        "assignees": {"nodes": []},
        "notes": {"nodes": [{"system": True, "body": "logged an alert from **Probe**"}]},
    } == alert


@pytest.mark.parametrize(("by", "reads"), [("rep", False), ("gus", False), ("dev", True), ("ada", True)])
def test_alerts_are_read_by_developers(fakeplat: Fakeplat, by: str, reads: bool) -> None:
    """Users below Developer get no alerts, and counts of zero."""
    project = query_project(
        fakeplat, by, 'alertManagementAlert(iid: "1") { iid } alertManagementAlertStatusCounts { all }'
    )

    assert ({"iid": "1"} if reads else None) == project["alertManagementAlert"]
    assert (3 if reads else 0) == project["alertManagementAlertStatusCounts"]["all"]
    assert reads is bool(list_titles(fakeplat, by))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Over", "CPU hot", "Disk full"]),
        ('(iid: "2")', ["CPU hot"]),
        ('(iid: "x")', []),
        ("(statuses: [TRIGGERED])", ["Disk full"]),
        ("(statuses: [ACKNOWLEDGED, RESOLVED])", ["Over", "CPU hot"]),
        ("(statuses: [IGNORED])", []),
        ('(search: "PROBE")', ["Disk full"]),
        ('(search: "space")', ["Disk full"]),
        ('(search: "hot")', ["CPU hot"]),
        ('(search: "full disk")', ["Disk full"]),
        ('(search: "full hot")', []),
        (r'(search: "\"full disk\"")', []),
        ('(assigneeUsername: "dev")', []),
        ("(sort: SEVERITY_DESC)", ["Over", "Disk full", "CPU hot"]),
        ("(sort: SEVERITY_ASC)", ["CPU hot", "Disk full", "Over"]),
        ("(sort: EVENT_COUNT_DESC)", ["Disk full", "Over", "CPU hot"]),
        ("(sort: STATUS_ASC)", ["Over", "CPU hot", "Disk full"]),
        ("(sort: STATUS_DESC)", ["Disk full", "CPU hot", "Over"]),
        ("(sort: ENDED_AT_ASC)", ["Over", "CPU hot", "Disk full"]),
        ("(sort: ENDED_AT_DESC)", ["CPU hot", "Disk full", "Over"]),
        ("(sort: STARTED_AT_ASC)", ["Disk full", "Over", "CPU hot"]),
        ("(sort: created_asc)", ["Disk full", "Over", "CPU hot"]),
        ("(sort: CREATED_ASC)", ["Disk full", "Over", "CPU hot"]),
        ("(first: 1)", ["Over"]),
    ],
)
def test_alerts_are_chosen(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Alerts are filtered and sorted, the newest first among equals. Triggered is the highest status, and alerts
    without an end count as ending last.
    """
    assert expected == list_titles(fakeplat, "dev", arguments)


def test_alerts_are_counted_by_status(fakeplat: Fakeplat) -> None:
    """Alerts are counted by status, and triggered and acknowledged ones are open."""
    selection = "all open triggered acknowledged resolved ignored"
    project = query_project(fakeplat, "dev", f"alertManagementAlertStatusCounts {{ {selection} }}")

    assert {"all": 3, "open": 2, "triggered": 1, "acknowledged": 1, "resolved": 1, "ignored": 0} == (
        project["alertManagementAlertStatusCounts"]
    )


@pytest.mark.parametrize(
    ("arguments", "count"), [('(search: "hot")', 1), ('(search: "")', 3), ('(assigneeUsername: "dev")', 0)]
)
def test_counts_take_the_filters_of_the_list(fakeplat: Fakeplat, arguments: str, count: int) -> None:
    """The counts of alerts take the filters of the list, except the status."""
    project = query_project(fakeplat, "dev", f"alertManagementAlertStatusCounts{arguments} {{ all }}")

    assert {"all": count} == project["alertManagementAlertStatusCounts"]


def test_an_alert_is_moved_between_statuses(fakeplat: Fakeplat) -> None:
    """The payload of a new status shows the alert with a system note, and resolving sets the end."""
    moved = set_status(fakeplat, "dev", "1", "ACKNOWLEDGED")
    resolved = set_status(fakeplat, "dev", "1", "RESOLVED")

    assert ([], None, "ACKNOWLEDGED", None) == (
        moved["errors"],
        moved["issue"],
        moved["alert"]["status"],
        moved["alert"]["endedAt"],
    )
    assert {"body": "changed the status to **Acknowledged**", "author": {"username": "dev"}} == (
        moved["alert"]["notes"]["nodes"][-1]
    )
    assert ("RESOLVED", True) == (resolved["alert"]["status"], resolved["alert"]["endedAt"] is not None)
    assert "resolved" == fakeplat.world.project("acme/site").alerts[0].status


def test_an_incident_is_made_for_an_alert(fakeplat: Fakeplat) -> None:
    """Creating an incident for an alert gives it the caller as author and a label; a second one is refused."""
    payload = query_data(fakeplat, "dev", ISSUE, path="acme/site", iid="1")["createAlertIssue"]
    again = query_refused(fakeplat, "dev", ISSUE, path="acme/site", iid="1")["data"]["createAlertIssue"]

    assert {"iid": "4", "type": "INCIDENT", "title": "Disk full"} == {
        name: payload["issue"][name] for name in ("iid", "type", "title")
    }
    assert ({"username": "dev"}, [{"title": "incident"}]) == (
        payload["issue"]["author"],
        payload["issue"]["labels"]["nodes"],
    )
    assert ([], {"iid": "1", "issueIid": "4"}) == (payload["errors"], payload["alert"])
    assert (["An issue already exists"], payload["alert"], None) == (again["errors"], again["alert"], again["issue"])


def test_an_incident_asks_for_the_right_to_create_issues(fakeplat: Fakeplat) -> None:
    """Creating an incident where issues are disabled is an error in the payload, beside the alert."""
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"issues_access_level": "disabled"})
    payload = query_refused(fakeplat, "dev", ISSUE, path="acme/site", iid="1")["data"]["createAlertIssue"]

    assert (["You have no permissions"], "1", None) == (payload["errors"], payload["alert"]["iid"], payload["issue"])


def test_an_alert_is_assigned_to_one(fakeplat: Fakeplat) -> None:
    """An alert has one assignee, the first given; changes leave system notes, and the list filters by assignee."""
    assert ["dev"] == set_assignees(fakeplat, "ada", "dev", "ada")
    assert ["Disk full"] == list_titles(fakeplat, "ada", '(assigneeUsername: "dev")')
    assert [] == list_titles(fakeplat, "ada", '(assigneeUsername: "nobody")')
    counts = query_project(
        fakeplat, "ada", 'alertManagementAlertStatusCounts(assigneeUsername: "dev") { all triggered }'
    )
    assert {"all": 1, "triggered": 1} == counts["alertManagementAlertStatusCounts"]

    assert ["dev"] == set_assignees(fakeplat, "ada", "ada", mode="APPEND")
    assert ["ada"] == set_assignees(fakeplat, "ada", "ada")
    assert [] == set_assignees(fakeplat, "ada", "ada", mode="REMOVE")
    selection = 'alertManagementAlert(iid: "1") { notes { nodes { body author { username } } } }'
    notes = query_project(fakeplat, "ada", selection)["alertManagementAlert"]["notes"]["nodes"]
    assert ["assigned to @dev", "assigned to @ada and unassigned @dev", "unassigned @ada"] == [
        note["body"] for note in notes if note["author"]["username"] == "ada"
    ]


def test_who_cannot_read_alerts_is_not_assigned(fakeplat: Fakeplat) -> None:
    """Assigning a user who cannot read alerts is an error in the payload, and the alert stays as it was."""
    payload = query_refused(fakeplat, "dev", ASSIGN, path="acme/site", iid="1", names=["rep"], mode="REPLACE")["data"]
    assert {"errors": ["Assignee has no permissions"], "alert": {"assignees": {"nodes": []}}} == payload[
        "alertSetAssignees"
    ]


@pytest.mark.parametrize(
    ("by", "path", "iid"),
    [("rep", "acme/site", "1"), ("eve", "acme/site", "1"), ("dev", "acme/site", "9"), ("dev", "no/such", "1")],
)
def test_alerts_are_changed_by_developers(fakeplat: Fakeplat, by: str, path: str, iid: str) -> None:
    """Changing an alert that is hidden, forbidden or missing is refused with the same error."""
    for text, more in ((STATUS, {"status": "IGNORED"}), (ISSUE, {}), (ASSIGN, {"names": ["dev"]})):
        answered = query_refused(fakeplat, by, text, path=path, iid=iid, **more)
        assert [NOT_AVAILABLE] == list_messages(answered)


def test_reopening_what_is_reported_anew_is_refused(fakeplat: Fakeplat) -> None:
    """A resolved alert is not reopened while another open alert has its fingerprint."""
    settings = fakeplat.as_user("ada").get("projects/acme%2Fsite/services/alerts").json()["properties"]
    for _ in range(2):
        sent = {"title": "Same", "fingerprint": "one"}
        headers = {"authorization": f"Bearer {settings['token']}"}
        reply = fakeplat.as_user(None).post(f"{fakeplat.url}/acme/site/alerts/notify.json", json=sent, headers=headers)
        if reply.status != 200:
            pytest.fail(f"the alert was not taken: {reply.status}")
        last = len(fakeplat.world.project("acme/site").alerts)
        if last == 4:
            set_status(fakeplat, "dev", "4", "RESOLVED")
    payload = query_refused(fakeplat, "dev", STATUS, path="acme/site", iid="4", status="TRIGGERED")["data"][
        "updateAlertStatus"
    ]

    assert 1 == len(payload["errors"])
    assert "already open" in payload["errors"][0]
    assert "RESOLVED" == payload["alert"]["status"]
