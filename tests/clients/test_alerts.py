"""Real clients around alerts: python-gitlab sets the service up, HTTP senders and Prometheus' alert manager report."""

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gitlab
import pytest
import requests
from gitlab.v4.objects import ProjectServiceManager
from requests.adapters import HTTPAdapter, Retry

from tests.clients.programs import get_program

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


ALERT = {
    "startsAt": "2024-01-01T00:00:00Z",
    "labels": {"alertname": "ServiceDown", "severity": "high"},
    "annotations": {"description": "It has been down for five minutes."},
    "generatorURL": "http://prometheus.example.test/graph?g0.expr=up+%3D%3D+0",
}


@contextmanager
def alert_manager(folder: Path, port: int, url: str, key: str) -> Iterator[str]:
    """Run Prometheus' alert manager with one receiver, and return the address of its own API."""
    receiver = {"url": url, "http_config": {"authorization": {"type": "Bearer", "credentials": key}}}
    config = {
        "route": {"receiver": "platform", "group_wait": "0s", "group_interval": "1s"},
        "receivers": [{"name": "platform", "webhook_configs": [receiver]}],
    }
    (folder / "config.yml").write_text(json.dumps(config), "utf-8")
    command: list[str | Path] = [
        get_program("prometheus-alertmanager"),
        f"--config.file={folder / 'config.yml'}",
        f"--storage.path={folder}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            yield f"http://127.0.0.1:{port}/api/v2/alerts"
        finally:
            process.terminate()


@pytest.mark.clients
@pytest.mark.fakeplat(version="16.11")
def test_the_alert_manager_sends_alerts(fakeplat: Any, tmp_path: Path, unused_tcp_port: int) -> None:
    """Prometheus' alert manager reports an alert that fires, and its end."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client, requests.Session() as session:
        url, headers = get_alert_settings(Services(client, client.projects.get("acme/site")))
        session.mount("http://", HTTPAdapter(max_retries=Retry(20, backoff_factor=0.1, allowed_methods=None)))
        key = headers["Authorization"].removeprefix("Bearer ")
        with alert_manager(tmp_path, unused_tcp_port, url, key) as api:
            assert 200 == session.post(api, json=[ALERT]).status_code
            fakeplat.requests.wait_for(1, operation="ingest_alert", status=200, timeout=20)
            (fired,) = fakeplat.world.project("acme/site").alerts
            assert 200 == session.post(api, json=[{**ALERT, "endsAt": "2024-01-01T01:00:00Z"}]).status_code
            fakeplat.requests.wait_for(2, operation="ingest_alert", status=200, timeout=20)
    (ended,) = fakeplat.world.project("acme/site").alerts

    assert ("ServiceDown", "Prometheus", "high", "triggered") == (
        *(fired.title, fired.monitoring_tool, fired.severity, fired.status),
    )
    assert ("resolved", 1) == (ended.status, ended.event_count)
