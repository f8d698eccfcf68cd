"""Messages of Prometheus' alert manager, and what alert endpoints answer in later releases.

Source: docs/platform/alerts.md ('Prometheus', 'Answers').
"""

from base64 import b64encode
from hashlib import sha1
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ALERT_ENDPOINTS_LIST_ALERTS,
    ALERT_KEYS_ARE_PASSWORDS,
    ENDS_WITHOUT_ALERTS_ARE_REFUSED,
    PROMETHEUS_ALERTS_HAVE_SEVERITIES,
    PROMETHEUS_MESSAGES_ARE_CREATED,
)
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
ENDPOINT = "/acme/site/alerts/notify.json"
OWN_ADDRESS = "/acme/site/prometheus/alerts/notify.json"
START, END = "2020-11-20T08:00:00Z", "2020-11-20T08:30:00Z"
QUERY = "up == 0"
STATUS = "status eventCount severity"


def configure(fake: Fakeplat, **settings: Any) -> str:
    """Enable the endpoint of acme/site, and return its key."""
    reply = fake.as_user("mia").put(f"{SITE}/services/alerts", json={"active": True, **settings})
    return str(reply.json()["properties"]["token"])


def alert(title: str = "Down", *, status: str = "firing", **parts: Any) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": title},
        "annotations": {},
        "startsAt": START,
        "endsAt": END if status == "resolved" else "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example.test/graph?g0.expr=up+%3D%3D+0&g0.tab=1",
        **parts,
    }


def message(*alerts: Any, **rest: Any) -> dict[str, Any]:
    keys = "groupKey status receiver groupLabels commonLabels commonAnnotations externalURL".split()
    return {"version": "4", **dict.fromkeys(keys, ""), "alerts": [*alerts], **rest}


def send(fake: Fakeplat, payload: Any, key: str | None, path: str = ENDPOINT) -> Any:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return fake.as_user(None).post(f"{fake.url}{path}", json=payload, headers=headers)


def list_alerts(fake: Fakeplat, fields: str = f"title {STATUS}") -> list[list[Any]]:
    """Return fields of all alerts, the first alert first."""
    connection = f"alertManagementAlerts(sort: CREATED_ASC) {{ nodes {{ {fields} }} }}"
    query = f'{{ project(fullPath: "acme/site") {{ {connection} }} }}'
    data = fake.as_user("mia").post("/api/graphql", json={"query": query}).json()["data"]
    return [list(node.values()) for node in data["project"]["alertManagementAlerts"]["nodes"]]


def test_each_alert_of_a_message_is_an_alert(fakeplat: Fakeplat) -> None:
    """The endpoint of any tool takes messages of Prometheus: titles, times, tool, environment and fingerprint."""
    fakeplat.as_user("mia").post(f"{SITE}/environments", json={"name": "edge"})
    key = configure(fakeplat)
    annotated = alert(
        "named",
        annotations={"title": "Titled", "summary": "Summed up", "description": "All of it"},
        labels={"alertname": "named", "gitlab_environment_name": "edge"},
    )
    reply = send(fakeplat, message(annotated, alert(annotations={"summary": "Summed up"}), alert("named")), key)

    assert (200, "") == (reply.status, reply.text)
    assert [
        ["Summed up", None, "Prometheus", START, None],
        ["Titled", "All of it", "Prometheus", START, None],
        ["named", None, "Prometheus", START, None],
    ] == sorted(list_alerts(fakeplat, "title description monitoringTool startedAt endedAt"), key=str)
    world = fakeplat.bench.platform.view
    first = next(iter(world.alerts.all()))
    assert first.fingerprint == sha1(f"{START}/Titled/{QUERY}".encode()).hexdigest()
    assert world.environments[first.environment_id or 0].name == "edge"


def test_alerts_fire_again_and_end(fakeplat: Fakeplat) -> None:
    """A repeated alert is counted and triggered again; its end resolves it, and the next one is new."""
    key = configure(fakeplat)
    for payload in (alert(), alert()):
        send(fakeplat, message(payload), key)
    mutation = (
        'mutation { updateAlertStatus(input: {projectPath: "acme/site", iid: "1", status: ACKNOWLEDGED}) { errors } }'
    )
    fakeplat.as_user("mia").post("/api/graphql", json={"query": mutation})
    acknowledged = list_alerts(fakeplat)
    send(fakeplat, message(alert()), key)
    triggered = list_alerts(fakeplat)
    send(fakeplat, message(alert(status="resolved"), alert("Other", status="resolved")), key)
    send(fakeplat, message(alert()), key)

    assert [["Down", "ACKNOWLEDGED", 2, "CRITICAL"]] == acknowledged
    assert [["Down", "TRIGGERED", 3, "CRITICAL"]] == triggered
    assert [["Down", "RESOLVED", END], ["Down", "TRIGGERED", None]] == list_alerts(fakeplat, "title status endedAt")


def test_a_new_alert_is_an_incident_that_its_end_closes(fakeplat: Fakeplat) -> None:
    """The incident settings hold for alerts of Prometheus, too."""
    key = configure(fakeplat, create_issue=True)
    send(fakeplat, message(alert()), key)
    fakeplat.settle()
    opened = fakeplat.as_user("mia").get(f"{SITE}/issues?labels=incident").json()
    send(fakeplat, message(alert(status="resolved")), key)
    fakeplat.settle()

    assert [("Down", "opened")] == [(row["title"], row["state"]) for row in opened]
    assert "closed" == fakeplat.as_user("mia").get(f"{SITE}/issues/{opened[0]['iid']}").json()["state"]


@pytest.mark.parametrize(
    "broken",
    ["text", alert(labels={}), alert(startsAt=None), alert(" "), {}, alert(labels={"alertname": [1]}, startsAt=None)],
)
def test_an_alert_without_title_or_start_is_left_out(fakeplat: Fakeplat, broken: object) -> None:
    """The other alerts of a message are received nonetheless."""
    reply = send(fakeplat, message(broken, alert("Good")), configure(fakeplat))

    assert 200 == reply.status
    assert [["Good"]] == list_alerts(fakeplat, "title")


@pytest.mark.parametrize("rest", [{"version": "5"}, {"version": 4}, {"alerts": None, "version": None}])
def test_what_is_no_message_is_a_payload_of_any_tool(fakeplat: Fakeplat, rest: dict[str, Any]) -> None:
    """The version is a text, the 4; anything else is received as one alert."""
    send(fakeplat, message(alert(), title="Whole", **rest), configure(fakeplat))
    assert [["Whole"]] == list_alerts(fakeplat, "title")


def test_messages_are_refused(fakeplat: Fakeplat) -> None:
    """A message needs the key of an active endpoint, and has a list of alerts; a refusal changes nothing."""
    unset = send(fakeplat, message(alert()), "key").status
    key = configure(fakeplat)
    statuses = [
        send(fakeplat, message(alert()), "wrong").status,
        send(fakeplat, message(alert()), None).status,
        send(fakeplat, message(alerts=3), key).status,
        send(fakeplat, message(alert(annotations={"title": {"deep": 1}, "description": [1]})), key).status,
    ]
    fakeplat.as_user("mia").put(f"{SITE}/services/alerts", json={"active": False})

    assert (401, [401, 401, 400, 400]) == (unset, statuses)
    assert 401 == send(fakeplat, message(alert()), key).status
    assert 403 == send(fakeplat, {"title": "x"}, key).status
    assert [] == list_alerts(fakeplat)


@by_release(PROMETHEUS_ALERTS_HAVE_SEVERITIES, "known", {"13.8": False, "13.9": True})
@pytest.mark.parametrize(
    ("label", "severity"),
    [("s2", "HIGH"), ("Fatal", "CRITICAL"), ("error", "MEDIUM"), ("warn", "LOW"), ("P5", "INFO"), ("odd", "CRITICAL")],
)
def test_labels_tell_the_severity(fakeplat: Fakeplat, label: str, severity: str, known: bool) -> None:
    """The label `severity` is known in many words; others mean critical, as all do in early releases."""
    send(fakeplat, message(alert(labels={"alertname": "Down", "severity": label})), configure(fakeplat))
    assert [[severity if known else "CRITICAL"]] == list_alerts(fakeplat, "severity")


@by_release(
    PROMETHEUS_MESSAGES_ARE_CREATED, "expected", {"15.11": (200, '[{"iid":1,"title":"Down"}]'), "18.9": (201, "")}
)
def test_the_answer_to_a_message(fakeplat: Fakeplat, expected: tuple[int, str]) -> None:
    """Later releases list the alerts of a message, the latest ones only say that it was received."""
    reply = send(fakeplat, message(alert()), configure(fakeplat))
    assert expected == (reply.status, reply.text)


@by_release(
    ALERT_ENDPOINTS_LIST_ALERTS,
    "expected",
    {"13.5": (200, "text/html", ""), "15.11": (200, "json", '[{"iid":1,"title":"x"}]')},
)
def test_the_answer_to_an_alert(fakeplat: Fakeplat, expected: tuple[int, str, str]) -> None:
    """Later releases tell the number and the title of the alert."""
    reply = send(fakeplat, {"title": "x"}, configure(fakeplat))
    assert expected == (reply.status, reply.headers["Content-Type"].removeprefix("application/"), reply.text)


@by_release(ALERT_KEYS_ARE_PASSWORDS, "status", {"13.5": 401, "15.11": 200})
def test_a_key_may_be_a_password(fakeplat: Fakeplat, status: int) -> None:
    """Later releases accept the key as the password of Basic authentication, whatever the name."""
    headers = {"Authorization": f"Basic {b64encode(f':{configure(fakeplat)}'.encode()).decode()}"}
    assert (
        status == fakeplat.as_user(None).post(f"{fakeplat.url}{ENDPOINT}", json={"title": "x"}, headers=headers).status
    )


@pytest.mark.fakeplat(version="16.11")
def test_the_integration_of_prometheus_has_an_address(fakeplat: Fakeplat) -> None:
    """Messages come to the address of the integration with its key; anything else there is 422."""
    arguments = 'projectPath: "acme/site", active: true, apiUrl: "https://prometheus.example.test"'
    mutation = (
        f"mutation {{ prometheusIntegrationCreate(input: {{{arguments}}}) {{ integration {{ id token url }} }} }}"
    )
    data = fakeplat.as_user("mia").post("/api/graphql", json={"query": mutation}).json()["data"]
    integration = data["prometheusIntegrationCreate"]["integration"]
    key, id_ = integration["token"], integration["id"]

    assert integration["url"].endswith(OWN_ADDRESS)
    assert 422 == send(fakeplat, {"title": "x"}, key, OWN_ADDRESS).status
    assert 401 == send(fakeplat, message(alert()), None, OWN_ADDRESS).status
    assert 401 == send(fakeplat, message(alert()), "wrong", OWN_ADDRESS).status
    assert 200 == send(fakeplat, message(alert()), key, OWN_ADDRESS).status
    assert [["Down"]] == list_alerts(fakeplat, "title")
    update = f'mutation {{ prometheusIntegrationUpdate(input: {{id: "{id_}", active: false}}) {{ errors }} }}'
    fakeplat.as_user("mia").post("/api/graphql", json={"query": update})
    assert 401 == send(fakeplat, message(alert()), key, OWN_ADDRESS).status


def test_a_prometheus_that_was_set_up_by_hand_needs_no_key(fakeplat: Fakeplat) -> None:
    """Without an integration of its own, the service `prometheus` of the project lets messages in."""
    refused = send(fakeplat, message(alert()), None, OWN_ADDRESS).status
    names = ("api_url", "google_iap_audience_client_id", "google_iap_service_account_json")
    body = {**dict.fromkeys(names, ""), "api_url": "https://prometheus.example.test"}
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/services/prometheus", json=body).status

    assert (401, 401, 200) == (
        refused,
        send(fakeplat, message(alert()), "key", OWN_ADDRESS).status,
        send(fakeplat, message(alert()), None, OWN_ADDRESS).status,
    )


TITLED = {"title": "Down", "fingerprint": "f"}


@by_release(ENDS_WITHOUT_ALERTS_ARE_REFUSED, "expected", {"13.11": (200, [["Down", None]]), "13.12": (400, [])})
@pytest.mark.parametrize("tier", ["free", "premium"])
def test_the_end_of_no_alert_is_no_alert(fakeplat: Fakeplat, expected: tuple[int, Any], tier: str) -> None:
    """An end time without an open alert is refused and changes nothing; at first it made a new alert."""
    key = configure(fakeplat)
    reply = send(fakeplat, {**TITLED, "end_time": END}, key)

    assert expected == (reply.status, list_alerts(fakeplat, "title endedAt"))
    assert b"" == reply.content
    # A time that cannot be read is none.
    assert 200 == send(fakeplat, {**TITLED, "fingerprint": "g", "end_time": "soon"}, key).status


RECOVERED = ["logged a recovery alert from **Watch**", "changed the status to **Resolved**"]


@by_release(ENDS_WITHOUT_ALERTS_ARE_REFUSED, "expected", {"13.11": RECOVERED[1:], "13.12": RECOVERED})
def test_a_recovery_is_noted_at_its_alert(fakeplat: Fakeplat, expected: list[str]) -> None:
    """The alert that an end time resolves says from which tool it came; afterwards there is nothing to resolve."""
    key = configure(fakeplat)
    for end in ({}, {"end_time": END}):
        assert 200 == send(fakeplat, {**TITLED, "monitoring_tool": "Watch", **end}, key).status
    notes = [note.body for note in fakeplat.bench.platform.view.notes.all() if note.subject[0] == "alert"]

    assert ["logged an alert from **Watch**", *expected] == notes
    assert [["RESOLVED", END]] == list_alerts(fakeplat, "status endedAt")
