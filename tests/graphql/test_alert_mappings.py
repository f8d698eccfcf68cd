"""Mappings of the payloads of alerts. Source: docs/platform/alerts.md ('Mappings')."""

from typing import Any, Final

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, post_query, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest", tier="premium", clock="virtual")
SITE: Final = "acme/site"
EXAMPLE: Final[dict[str, Any]] = {
    "alert": {"name": "Disk full", "since": "2020-11-20T08:00:00Z", "count": 3},
    "machines": [{"host": "a.example.test"}, "b"],
    "on": True,
}
MAPPINGS: Final[list[dict[str, Any]]] = [
    {"fieldName": "TITLE", "path": ["alert", "name"], "type": "STRING", "label": "Name"},
    {"fieldName": "START_TIME", "path": ["alert", "since"], "type": "DATETIME"},
    {"fieldName": "HOSTS", "path": ["machines", 0, "host"], "type": "STRING"},
]
SHOWN: Final = "payloadExample payloadAttributeMappings { fieldName path type label }"
GIVES: Final = f"integration {{ id token url {SHOWN} payloadAlertFields {{ path label type }} }}"
CREATE: Final = write_mutation("httpIntegrationCreate", GIVES)
UPDATE: Final = write_mutation("httpIntegrationUpdate", GIVES)
TITLE: Final[dict[str, Any]] = {"fieldName": "TITLE", "path": ["name"], "type": "STRING"}


def create(fake: Fakeplat, mappings: list[dict[str, Any]] | None = None, **more: Any) -> Any:
    given = {"projectPath": SITE, "name": "Probe", "active": True, "payloadAttributeMappings": mappings, **more}
    payload = query_data(fake, "mia", CREATE, input=given)["httpIntegrationCreate"]
    assert [] == payload["errors"]
    return payload["integration"]


def send(fake: Fakeplat, integration: Any, payload: dict[str, Any]) -> int:
    headers = {"Authorization": f"Bearer {integration['token']}"}
    return fake.as_user(None).post(integration["url"], json=payload, headers=headers).status


def list_alerts(fake: Fakeplat, fields: str = "title") -> list[dict[str, Any]]:
    query = (
        f'{{ project(fullPath: "{SITE}") {{ alertManagementAlerts(sort: CREATED_ASC) {{ nodes {{ {fields} }} }} }} }}'
    )
    nodes: list[dict[str, Any]] = query_data(fake, "mia", query)["project"]["alertManagementAlerts"]["nodes"]
    return nodes


def list_fields(fake: Fakeplat, example: str, by: str = "mia") -> Any:
    query = "query($path: ID!, $example: String!) { project(fullPath: $path) { "
    query += "alertManagementPayloadFields(payloadExample: $example) { path label type } } }"
    content = post_query(fake, by, query, path=SITE, example=example)
    return list_messages(content) if "errors" in content else content["data"]["project"]["alertManagementPayloadFields"]


def test_an_endpoint_has_an_example_and_mappings(fakeplat: Fakeplat) -> None:
    """The example is JSON in a text; the mappings are shown in their order."""
    integration = create(fakeplat, MAPPINGS, payloadExample=orjson.dumps(EXAMPLE).decode())

    assert EXAMPLE == orjson.loads(integration["payloadExample"])
    assert [{"label": None, **mapping} for mapping in MAPPINGS] == integration["payloadAttributeMappings"]


def test_an_endpoint_without_mappings_has_none(fakeplat: Fakeplat) -> None:
    """Without an example there is nothing to map."""
    integration = create(fakeplat)

    assert (None, [], []) == tuple(
        integration[name] for name in ("payloadExample", "payloadAttributeMappings", "payloadAlertFields")
    )


def test_the_values_of_an_example_are_listed(fakeplat: Fakeplat) -> None:
    """Texts, times and arrays can be mapped, numbers and truth values cannot; inner ones follow, the last one first."""
    expected = [
        {"path": ["alert", "since"], "label": "alert/since", "type": "DATETIME"},
        {"path": ["alert", "name"], "label": "alert/name", "type": "STRING"},
        {"path": ["machines"], "label": "machines", "type": "ARRAY"},
        {"path": ["machines", 1], "label": "machines[1]", "type": "STRING"},
        {"path": ["machines", 0, "host"], "label": "machines[0]/host", "type": "STRING"},
    ]
    text = orjson.dumps(EXAMPLE).decode()

    assert expected == list_fields(fakeplat, text)
    assert expected == create(fakeplat, payloadExample=text)["payloadAlertFields"]


@pytest.mark.parametrize(
    ("by", "example", "error"),
    [
        ("dev", "{}", "Insufficient permissions"),
        ("mia", "nonsense", "Failed to parse payload"),
        ("mia", "[]", "Failed to parse payload"),
        ("mia", '{"a": "' + "x" * 1_100_000 + '"}', "Payload size exceeded"),
    ],
)
def test_examples_are_checked(fakeplat: Fakeplat, by: str, example: str, error: str) -> None:
    """An example is a JSON object of at most a mebibyte, for those who manage endpoints."""
    assert [error] == list_fields(fakeplat, example, by)


def test_endpoints_check_examples(fakeplat: Fakeplat) -> None:
    """An endpoint takes no example that is too large or no JSON."""
    given = {"projectPath": SITE, "name": "Probe", "active": True}
    large = {**given, "payloadExample": '["' + "x" * 1_100_000 + '"]'}
    assert ["payloadExample JSON is too big"] == list_messages(query_refused(fakeplat, "mia", CREATE, input=large))
    (message,) = list_messages(query_refused(fakeplat, "mia", CREATE, input={**given, "payloadExample": "nonsense"}))
    assert "was provided invalid value for payloadExample (Invalid JSON string" in message


def test_what_is_not_sent_stays(fakeplat: Fakeplat) -> None:
    """A change of the name keeps the mappings; null removes them."""
    integration = create(fakeplat, MAPPINGS, payloadExample="{}")
    renamed = query_data(fakeplat, "mia", UPDATE, input={"id": integration["id"], "name": "Other"})
    changed = renamed["httpIntegrationUpdate"]["integration"]
    assert integration["payloadAttributeMappings"] == changed["payloadAttributeMappings"]
    assert "{}" == changed["payloadExample"]
    given = {"id": integration["id"], "payloadAttributeMappings": None, "payloadExample": None}
    changed = query_data(fakeplat, "mia", UPDATE, input=given)["httpIntegrationUpdate"]["integration"]
    assert ([], None) == (changed["payloadAttributeMappings"], changed["payloadExample"])


@pytest.mark.fakeplat(tier="free")
def test_mappings_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """In the free tier, mappings and examples are ignored."""
    integration = create(fakeplat, MAPPINGS, payloadExample="{}")

    assert ([], None) == (integration["payloadAttributeMappings"], integration["payloadExample"])
    assert ["Feature not available"] == list_fields(fakeplat, "{}")


# Alerts


def test_mappings_are_applied_to_alerts(fakeplat: Fakeplat) -> None:
    """The values at the mapped places are those of the alert, whose payload is shown as it was sent."""
    integration = create(fakeplat, MAPPINGS)

    assert 200 == send(fakeplat, integration, {**EXAMPLE, "title": "Unused", "service": "web"})
    (alert,) = list_alerts(fakeplat, "title startedAt hosts service details")
    assert ("Disk full", "2020-11-20T08:00:00Z", ["a.example.test"], "web") == tuple(
        alert[name] for name in ("title", "startedAt", "hosts", "service")
    )
    assert "Disk full" == alert["details"]["alert.name"]


def test_usual_names_count_where_nothing_is_mapped(fakeplat: Fakeplat) -> None:
    """Where the payload has nothing, or something of another shape, at the mapped place, the usual name counts."""
    integration = create(fakeplat, MAPPINGS)

    for payload in ({"title": "A"}, {"title": "B", "alert": "x"}, {"title": "C", "alert": {"name": None}}):
        assert 200 == send(fakeplat, integration, payload)
    assert 200 == send(fakeplat, integration, {"title": "D", "machines": [], "alert": {"name": False}})
    assert ["A", "B", "C", "D"] == [alert["title"] for alert in list_alerts(fakeplat)]


def test_mapped_fingerprints_group_alerts(fakeplat: Fakeplat) -> None:
    """Alerts with one value at the place of the fingerprint are one alert; a mapped end resolves it."""
    mappings = [
        TITLE,
        {"fieldName": "FINGERPRINT", "path": ["id"], "type": "STRING"},
        {"fieldName": "END_TIME", "path": ["over"], "type": "DATETIME"},
    ]
    integration = create(fakeplat, mappings)

    for payload in ({"name": "A", "id": "x"}, {"name": "B", "id": "x"}, {"name": "C", "id": "y"}):
        send(fakeplat, integration, payload)
    assert [("A", 2), ("C", 1)] == [
        (alert["title"], alert["eventCount"]) for alert in list_alerts(fakeplat, "title eventCount")
    ]
    send(fakeplat, integration, {"name": "A", "id": "x", "over": "2020-11-20T09:30:00Z"})
    assert {"title": "A", "status": "RESOLVED", "endedAt": "2020-11-20T09:30:00Z"} == list_alerts(
        fakeplat, "title status endedAt"
    )[0]


def test_without_a_fingerprint_the_sent_payload_counts(fakeplat: Fakeplat) -> None:
    """Payloads that differ in a mapped time only are one alert no more, since that is not under its usual name."""
    mappings = [TITLE, {"fieldName": "START_TIME", "path": ["since"], "type": "DATETIME"}]
    integration = create(fakeplat, mappings)
    for since in ("2020-11-20T08:00:00Z", "2020-11-20T08:00:00Z", "2020-11-20T08:30:00Z"):
        send(fakeplat, integration, {"name": "A", "since": since})

    assert [2, 1] == [alert["eventCount"] for alert in list_alerts(fakeplat, "eventCount")]


def test_mapped_environments(fakeplat: Fakeplat) -> None:
    """The environment of an alert is that at the mapped place."""
    reply = fakeplat.as_user("mia").post("/api/v4/projects/acme%2Fsite/environments", json={"name": "live"})
    assert 201 == reply.status
    mappings = [TITLE, {"fieldName": "GITLAB_ENVIRONMENT_NAME", "path": ["where"], "type": "STRING"}]
    send(fakeplat, create(fakeplat, mappings), {"name": "A", "where": "live"})

    assert [{"environment": {"name": "live"}}] == list_alerts(fakeplat, "environment { name }")


def test_other_endpoints_have_no_mappings(fakeplat: Fakeplat) -> None:
    """The mappings of an endpoint do not concern others."""
    create(fakeplat, [TITLE])
    given = {"projectPath": SITE, "name": "Second", "active": True}
    second = query_data(fakeplat, "mia", CREATE, input=given)["httpIntegrationCreate"]["integration"]

    send(fakeplat, second, {"title": "A", "name": "B"})
    assert [{"title": "A"}] == list_alerts(fakeplat)
