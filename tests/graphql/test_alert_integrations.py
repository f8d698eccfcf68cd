"""Endpoints for alerts, and the alerts of incidents, by GraphQL. Source: docs/platform/alerts.md ('Integrations')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ONE_ALERT_INTEGRATION
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, WORLD, post_query

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest", clock="virtual")
SITE = "acme/site"
FIELDS = "id type name active token url apiUrl"
GIVES = f"errors integration {{ {FIELDS} }}"


def mutate(fake: Fakeplat, user: str, name: str, arguments: str, fields: str = GIVES) -> Any:
    """Run a mutation; return its payload, or the message of its error."""
    reply = post_query(fake, user, f"mutation {{ {name}(input: {{ {arguments} }}) {{ {fields} }} }}")
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"][name]


def create(fake: Fakeplat, name: str = "Probe", user: str = "mia", *, active: bool = True) -> Any:
    arguments = f'projectPath: "{SITE}", name: "{name}", active: {str(active).lower()}'
    return mutate(fake, user, "httpIntegrationCreate", arguments)


def create_prometheus(fake: Fakeplat, user: str = "mia") -> Any:
    arguments = f'projectPath: "{SITE}", active: true, apiUrl: "https://prometheus.example.test"'
    return mutate(fake, user, "prometheusIntegrationCreate", arguments)


def list_integrations(fake: Fakeplat, field: str = "alertManagementIntegrations", user: str = "mia") -> Any:
    query = f'{{ project(fullPath: "{SITE}") {{ {field} {{ nodes {{ {FIELDS} }} }} }} }}'
    return next(iter(post_query(fake, user, query)["data"]["project"].values()))["nodes"]


def send(fake: Fakeplat, url: str, token: str) -> int:
    reply = fake.as_user(None).post(url, json={"title": "Hot"}, headers={"Authorization": f"Bearer {token}"})
    return reply.status


def test_an_endpoint_takes_alerts(fakeplat: Fakeplat) -> None:
    """An active endpoint takes alerts with its key at its address; an inactive one none."""
    payload = create(fakeplat)
    integration = payload["integration"]
    assert ([], "HTTP", "Probe", True, None) == (
        payload["errors"],
        integration["type"],
        integration["name"],
        integration["active"],
        integration["apiUrl"],
    )
    assert f"/{SITE}/alerts/notify/probe/" in integration["url"]
    assert 32 == len(integration["token"])
    assert [integration] == list_integrations(fakeplat)
    assert 401 == send(fakeplat, integration["url"], "wrong")
    assert 200 == send(fakeplat, integration["url"], integration["token"])
    assert ["Hot"] == [alert.title for alert in fakeplat.bench.platform.view.alerts.all()]
    mutate(fakeplat, "mia", "httpIntegrationUpdate", f'id: "{integration["id"]}", active: false')
    assert 403 == send(fakeplat, integration["url"], integration["token"])
    assert 403 == send(fakeplat, integration["url"].replace("/probe/", "/probe/0"), integration["token"])


def test_an_endpoint_is_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """The name is part of the address; a new key replaces the old one; a deleted endpoint is shown once more."""
    integration = create(fakeplat, active=False)["integration"]
    changed = mutate(fakeplat, "mia", "httpIntegrationUpdate", f'id: "{integration["id"]}", name: "New Probe"')[
        "integration"
    ]
    assert ("New Probe", False, integration["token"]) == (changed["name"], changed["active"], changed["token"])
    assert "/new-probe/" in changed["url"]
    reset = mutate(fakeplat, "mia", "httpIntegrationResetToken", f'id: "{integration["id"]}"')["integration"]
    assert reset["token"] != integration["token"]
    assert {"errors": [], "integration": reset} == mutate(
        fakeplat, "mia", "httpIntegrationDestroy", f'id: "{integration["id"]}"'
    )
    assert [] == list_integrations(fakeplat)
    for name in ("httpIntegrationUpdate", "httpIntegrationDestroy", "httpIntegrationResetToken"):
        assert NOT_AVAILABLE == mutate(fakeplat, "mia", name, f'id: "{integration["id"]}"')


def test_names_of_endpoints(fakeplat: Fakeplat) -> None:
    """A name has 1 to 255 characters."""
    assert {"errors": ["Name can't be blank"], "integration": None} == create(fakeplat, "")
    assert ["Name is too long (maximum is 255 characters)"] == create(fakeplat, "x" * 256)["errors"]


@by_release(
    ONE_ALERT_INTEGRATION,
    "text",
    {
        "16.1": "Multiple HTTP integrations are not supported for this project",
        "16.2": "Multiple integrations of a single type are not supported for this project",
    },
)
def test_free_tiers_have_one_endpoint(fakeplat: Fakeplat, text: str) -> None:
    """Free tiers have one endpoint of a type."""
    create(fakeplat)
    before = fakeplat.bench.platform.state
    assert {"errors": [text], "integration": None} == create(fakeplat, "Second")
    assert before is fakeplat.bench.platform.state


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_have_several_endpoints(fakeplat: Fakeplat) -> None:
    """Paid tiers have several endpoints, which are found by id."""
    create(fakeplat)
    second = create(fakeplat, "Second")["integration"]
    assert ["Probe", "Second"] == [row["name"] for row in list_integrations(fakeplat)]
    create_prometheus(fakeplat)
    assert [second] == list_integrations(fakeplat, f'alertManagementHttpIntegrations(id: "{second["id"]}")')
    assert [second] == list_integrations(fakeplat, f'alertManagementIntegrations(id: "{second["id"]}")')
    assert 2 == len(list_integrations(fakeplat, "alertManagementHttpIntegrations"))
    assert 1 == len(list_integrations(fakeplat, "alertManagementHttpIntegrations(types: [PROMETHEUS])"))


def test_the_endpoint_of_prometheus(fakeplat: Fakeplat) -> None:
    """There is one endpoint for Prometheus, whose name and address are given."""
    integration = create_prometheus(fakeplat)["integration"]
    assert ("PROMETHEUS", "Prometheus", True, "https://prometheus.example.test") == (
        integration["type"],
        integration["name"],
        integration["active"],
        integration["apiUrl"],
    )
    assert integration["url"].endswith(f"/{SITE}/prometheus/alerts/notify.json")
    text = "Multiple Prometheus integrations are not supported"
    assert {"errors": [text], "integration": None} == create_prometheus(fakeplat)
    arguments = f'id: "{integration["id"]}", active: false, apiUrl: "https://other.example.test"'
    changed = mutate(fakeplat, "mia", "prometheusIntegrationUpdate", arguments)["integration"]
    assert (False, "https://other.example.test") == (changed["active"], changed["apiUrl"])
    reset = mutate(fakeplat, "mia", "prometheusIntegrationResetToken", f'id: "{integration["id"]}"')["integration"]
    assert reset["token"] != integration["token"]


def test_endpoints_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Who does not maintain the project sees and changes no endpoint."""
    integration, prometheus = create(fakeplat)["integration"], create_prometheus(fakeplat)["integration"]
    before = fakeplat.bench.platform.state
    assert [] == list_integrations(fakeplat, user="dev")
    assert [] == list_integrations(fakeplat, "alertManagementHttpIntegrations", user="dev")
    assert NOT_AVAILABLE == create(fakeplat, user="dev")
    assert NOT_AVAILABLE == create_prometheus(fakeplat, user="dev")
    for name in ("httpIntegrationUpdate", "httpIntegrationDestroy", "httpIntegrationResetToken"):
        assert NOT_AVAILABLE == mutate(fakeplat, "dev", name, f'id: "{integration["id"]}"')
    for name in ("prometheusIntegrationUpdate", "prometheusIntegrationResetToken"):
        assert NOT_AVAILABLE == mutate(fakeplat, "dev", name, f'id: "{prometheus["id"]}"')
    assert before is fakeplat.bench.platform.state


@pytest.mark.fakeplat(scenario=WORLD, default_branch="master")
def test_the_service_is_the_first_endpoint(fakeplat: Fakeplat) -> None:
    """The service `alerts` is one of the endpoints: it is switched, gets another key and is deleted like others."""
    (first,) = list_integrations(fakeplat)
    assert ("HTTP endpoint", True) == (first["name"], first["active"])
    assert first["url"].endswith(f"/{SITE}/alerts/notify.json")
    assert 200 == send(fakeplat, first["url"], first["token"])
    reset = mutate(fakeplat, "mia", "httpIntegrationResetToken", f'id: "{first["id"]}"')["integration"]
    assert 401 == send(fakeplat, first["url"], first["token"])
    assert 200 == send(fakeplat, first["url"], reset["token"])
    changed = mutate(fakeplat, "mia", "httpIntegrationUpdate", f'id: "{first["id"]}", active: false')["integration"]
    assert (False, reset["token"]) == (changed["active"], changed["token"])
    mutate(fakeplat, "mia", "httpIntegrationDestroy", f'id: "{first["id"]}"')
    assert [] == list_integrations(fakeplat)


# The alerts of incidents

ALERTS = "nodes { iid name webUrl id issue { iid } commenters { nodes { username } } }"


def read_alerts(fake: Fakeplat, user: str) -> Any:
    query = f'{{ project(fullPath: "{SITE}") {{ issue(iid: "1") {{ alertManagementAlerts {{ {ALERTS} }} }} }} }}'
    return post_query(fake, user, query)["data"]["project"]["issue"]["alertManagementAlerts"]["nodes"]


def link(fake: Fakeplat, user: str, references: str) -> Any:
    arguments = f'projectPath: "{SITE}", iid: "1", alertReferences: [{references}]'
    fields = "errors issue { alertManagementAlerts { nodes { iid } } }"
    return mutate(fake, user, "issueLinkAlerts", arguments, fields)


@pytest.mark.fakeplat(scenario=WORLD, default_branch="master")
def test_alerts_are_linked_to_an_issue(fakeplat: Fakeplat) -> None:
    """References and addresses link alerts of the project; what names none is ignored; a link is taken back by id."""
    address = f"https://example.test/{SITE}/-/alert_management/2/details"
    payload = link(fakeplat, "dev", f'"^alert#1", "{address}", "^alert#99", "nothing"')
    assert {"errors": [], "issue": {"alertManagementAlerts": {"nodes": [{"iid": "1"}, {"iid": "2"}]}}} == payload
    first, second = read_alerts(fakeplat, "dev")
    assert ("Disk full", {"iid": "1"}, []) == (first["name"], first["issue"], first["commenters"]["nodes"])
    assert first["webUrl"].endswith(f"/{SITE}/-/alert_management/1/details")
    assert [] == read_alerts(fakeplat, "gus")
    arguments = f'projectPath: "{SITE}", iid: "1", alertId: "{first["id"]}"'
    fields = "errors issue { alertManagementAlerts { nodes { id } } }"
    assert NOT_AVAILABLE == mutate(fakeplat, "gus", "issueUnlinkAlert", arguments, fields)
    payload = mutate(fakeplat, "dev", "issueUnlinkAlert", arguments, fields)
    expected = {"errors": [], "issue": {"alertManagementAlerts": {"nodes": [{"id": second["id"]}]}}}
    assert expected == payload
    assert expected == mutate(fakeplat, "dev", "issueUnlinkAlert", arguments, fields)
    missing = arguments.replace(first["id"], "gid://gitlab/AlertManagement::Alert/1")
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", "issueUnlinkAlert", missing, fields)


@pytest.mark.fakeplat(scenario=WORLD, default_branch="master")
def test_guests_link_no_alerts(fakeplat: Fakeplat) -> None:
    """Linking alerts needs the right to manage issues."""
    before = fakeplat.bench.platform.state
    assert NOT_AVAILABLE == link(fakeplat, "gus", '"^alert#1"')
    assert before is fakeplat.bench.platform.state
