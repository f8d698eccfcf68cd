"""Real clients around alerts: python-gitlab sets the service up, plain HTTP senders report."""

import json
import urllib.error
import urllib.request
from typing import Any

import gitlab
import pytest
import requests
from gitlab.v4.objects import ProjectServiceManager

PAYLOAD = {"title": "disk full", "hosts": ["a", "b"], "free": {"bytes": 0}}


class Services(ProjectServiceManager):
    """The client's manager, at the address that the API had at this release."""

    _path = "/projects/{project_id}/services"


@pytest.fixture
def services(fakeplat: Any) -> Any:
    """The services of acme/site, as their maintainer manages them."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client:
        yield Services(client, client.projects.get("acme/site"))


def test_a_maintainer_switches_alerts_on_and_off(services: Any) -> None:
    """A maintainer enables, reads, lists and deletes the alerts integration."""
    assert services.get("alerts").active is False
    services.update("alerts", {"active": True})
    integration = services.get("alerts")

    assert (True, "alerts") == (integration.active, integration.slug)
    assert integration.properties["url"].endswith("/acme/site/alerts/notify.json")
    assert ["alerts"] == [integration.slug for integration in services.list(get_all=True)]
    integration.delete()
    assert [] == services.list(get_all=True)


def test_a_setting_is_saved_through_the_object(services: Any) -> None:
    """`save` of an integration sends the changed setting."""
    services.update("alerts", {"active": True})
    integration = services.get("alerts")
    integration.create_issue = True
    integration.save()

    assert services.get("alerts").properties["create_issue"] is True


def test_the_client_raises_its_own_errors(services: Any) -> None:
    """An unknown slug gets 400, raised as GitlabGetError with the platform's text."""
    with pytest.raises(gitlab.GitlabGetError) as refused:
        services.get("nothing")
    assert (400, "service_slug does not have a valid value") == (
        refused.value.response_code,
        refused.value.error_message,
    )


def get_alert_settings(services: Any) -> tuple[str, dict[str, str]]:
    services.update("alerts", {"active": True})
    properties = services.get("alerts").properties
    return properties["url"], {"Authorization": f"Bearer {properties['token']}"}


def test_requests_sends_alerts(fakeplat: Any, services: Any) -> None:
    """requests sends an alert with the URL and the key that the API returns."""
    url, headers = get_alert_settings(services)
    reply = requests.post(url, json=PAYLOAD, headers=headers, timeout=10)
    (alert,) = fakeplat.world.project("acme/site").alerts

    assert (200, b"") == (reply.status_code, reply.content)
    assert ("disk full", ["a", "b"], {"free.bytes": 0}) == (alert.title, alert.hosts, alert.details)
    assert 401 == requests.post(url, json=PAYLOAD, timeout=10).status_code


def test_urllib_sends_alerts(fakeplat: Any, services: Any) -> None:
    """urllib sends an alert, and a body that is not declared as JSON gets 400."""
    url, headers = get_alert_settings(services)
    body = json.dumps(PAYLOAD).encode()
    request = urllib.request.Request(url, body, {**headers, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        assert (200, b"") == (reply.status, reply.read())
    with (
        pytest.raises(urllib.error.HTTPError) as refused,
        urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10),
    ):
        pass
    refused.value.close()

    assert 400 == refused.value.code
    assert 1 == len(fakeplat.world.project("acme/site").alerts)
