"""Environments, the alerts service, alerts and their notes in scenarios, and back."""

from typing import Any

import pytest
from attrs import asdict

from fakeplat import scenario
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.inspection import WorldView
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, project, reload_export, write

KEY = "0123456789abcdef0123456789abcdef"
FINGERPRINT = "a" * 40
SAID: dict[str, Any] = {
    "users": ["ada", "dev"],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner", "dev": "developer"},
            "projects": [
                {
                    "path": "site",
                    "environments": [
                        "production",
                        {"name": "staging", "state": "stopped", "external_url": "https://s.test"},
                    ],
                    "issues": [{"title": "Disk full", "iid": 3, "type": "incident"}],
                    "alerts": {
                        "active": True,
                        "token": KEY,
                        "create_issue": True,
                        "auto_close_incident": False,
                        "created_at": "2020-11-01T00:00:00Z",
                        "received": [
                            "Only a title",
                            {
                                "title": "Disk full",
                                "iid": 7,
                                "description": "No space",
                                "severity": "low",
                                "status": "acknowledged",
                                "event_count": 4,
                                "service": "web",
                                "monitoring_tool": "Probe",
                                "hosts": ["a", "b"],
                                "started_at": "2020-11-02T00:00:00Z",
                                "created_at": "2020-11-02T00:00:01Z",
                                "updated_at": "2020-11-02T00:00:02Z",
                                "fingerprint": FINGERPRINT,
                                "environment": "production",
                                "issue": 3,
                                "payload": {"title": "Disk full", "deep": {"a": [1, None, {"b": 1.5}]}},
                                "notes": [
                                    {"author": "dev", "body": "changed the status to **Acknowledged**"},
                                    {"author": "ada", "body": "I look", "system": False},
                                ],
                            },
                            {
                                "title": "Over",
                                "status": "resolved",
                                "ended_at": "2020-11-03T00:00:00Z",
                                "fingerprint": FINGERPRINT,
                                "notes": [],
                            },
                        ],
                    },
                },
                {"path": "quiet", "alerts": {"received": ["From before"]}},
                {"path": "none"},
            ],
        }
    ],
}


def read_alerts(platform: Platform) -> Any:
    """All that can be seen of integrations, alerts and notes, without ids."""
    look = WorldView(platform)
    world = look.world
    return [
        [
            [without_ids(row) for row in project.services],
            [[without_ids(alert), [without_ids(note) for note in alert.notes]] for alert in project.alerts],
            [
                {**asdict(row), "id": None, "project_id": None}
                for row in world.environments.where("project", project.id)
            ],
            [get_json(platform, project.id, f"services/alerts{rest}") for rest in ("", "/nothing")],
        ]
        for project in look.projects
    ]


def without_ids(row: Any) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("id", "project_id", "author")} | {
        "author": row["author"]["username"] if "author" in row else None
    }


def get_json(platform: Platform, id_: int, path: str) -> Any:
    headers = {"private-token": "root-token"}
    response = platform.handle(Request("GET", f"/api/v4/projects/{id_}/{path}", headers=headers))
    return response.status, response.body.partition(b'"title"')[2]


def test_declared_alerts_are_shown() -> None:
    """Declared alerts appear under the names of the API, with the defaults of the record for omitted keys."""
    site = WorldView(create_platform(SAID)).project("acme/site")
    first, disk, over = site.alerts

    assert (True, KEY, True, False) == tuple(
        site.services[0][name] if name == "active" else site.services[0].properties[name]
        for name in ("active", "token", "create_issue", "auto_close_incident")
    )
    assert ["logged an alert from **Generic Alert Endpoint**"] == [note.body for note in first.notes]
    assert [("dev", True), ("ada", False)] == [(note.author["username"], note.system) for note in disk.notes]
    assert ("production", 3, {"deep.a": [1, None, {"b": 1.5}]}) == (disk.environment, disk.issue_iid, disk.details)
    assert ([], "resolved", 8) == (over.notes, over.status, over.iid)


def test_a_fragment_enables_a_living_project() -> None:
    """A fragment with ``alerts: {active: true}`` enables alerts with a random key that a second load keeps."""
    platform = create_platform("starter")
    fragment = {"projects": [{"path_with_namespace": "acme/site", "alerts": {"active": True}}]}
    scenario.load(platform, fragment)
    (service,) = platform.view.services.all()
    scenario.load(platform, fragment)

    assert 32 == len(service.properties["token"])
    assert [service] == list(platform.view.services.all())
    headers = {"authorization": f"Bearer {service.properties['token']}", "content-type": JSON}
    request = Request("POST", "/acme/site/alerts/notify.json", headers=headers, body=b'{"title": "x"}')
    assert 200 == platform.handle(request).status


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_it_is_the_same_after_a_round_trip(tier: str) -> None:
    """Alerts and their export are the same after a round trip."""
    platform = create_platform({**SAID, "instance": {"tier": tier}})
    copy = reload_export(platform)

    assert read_alerts(platform) == read_alerts(copy)
    assert export_alerts(platform) == export_alerts(copy)


def export_alerts(platform: Platform) -> Any:
    return [project.get("alerts") for project in scenario.export_world(platform)["projects"]]


def test_what_came_through_the_endpoint_is_the_same_after_a_round_trip() -> None:
    """Alerts sent to the endpoint keep their issues, notes, counts of repeats and key after a round trip."""
    platform = create_platform({**SAID, "instance": {"tier": "premium"}})
    id_ = project(platform.view, "acme/site").id
    for payload in (b'{"title": "a", "x": {"y": 1}}', b'{"title": "a", "x": {"y": 1}}', b'{"title": "b"}'):
        assert 200 == send_alert(platform, payload)
    write(platform, "PUT", f"projects/{id_}/services/alerts", "root-token", send_email=True)
    platform.settle()
    copy = reload_export(platform)

    assert read_alerts(platform) == read_alerts(copy)
    assert export_alerts(platform) == export_alerts(copy)
    assert [200, 200] == [send_alert(server, b'{"title": "a", "x": {"y": 1}}') for server in (platform, copy)]
    assert read_alerts(platform) == read_alerts(copy)
    assert 3 in [alert.event_count for alert in platform.view.alerts.all()]


def send_alert(platform: Platform, body: bytes) -> int:
    headers = {"authorization": f"Bearer {KEY}", "content-type": JSON}
    return platform.handle(Request("POST", "/acme/site/alerts/notify.json", headers=headers, body=body)).status


def test_the_schema_takes_it() -> None:
    """The JSON Schema accepts the alerts of a scenario and of its export, and refuses an unknown key."""
    assert [] == list(build_validator().iter_errors(SAID))
    assert [] == list(build_validator().iter_errors(scenario.export_world(create_platform(SAID))))
    assert [*build_validator().iter_errors(build_scenario({"activ": True}))]


def build_scenario(alerts: Any) -> dict[str, Any]:
    return {"users": ["ada"], "projects": [{"path_with_namespace": "ada/x", "alerts": alerts}]}


@pytest.mark.parametrize(
    ("alerts", "text"),
    [
        ([], "must be a map, not a list"),
        ({"activ": True}, "active"),
        ({"token": 7}, "must be text"),
        ({"received": [{"iid": 1}]}, "needs 'title'"),
        ({"received": [{"title": "x", "issue": 9}]}, "unknown issue"),
        ({"received": [{"title": "x", "environment": "nowhere"}]}, "unknown environment"),
        ({"received": [{"title": "x", "status": "open"}]}, "must be one of"),
        ({"received": [{"title": "x", "notes": [{"author": "ada"}]}]}, "needs 'body'"),
        ({"received": [{"title": "x", "fingerprint": "f"}, {"title": "y", "fingerprint": "f"}]}, "already been taken"),
    ],
)
def test_mistakes_are_reported(alerts: Any, text: str) -> None:
    """A mistake under the key `alerts` is refused with its text."""
    with pytest.raises(ScenarioError) as wrong:
        create_platform(build_scenario(alerts))
    assert text in str(wrong.value)


def test_a_world_without_alerts_tells_nothing_of_them() -> None:
    """The export of a world without alerts does not contain the key `alerts`."""
    assert "alerts" not in str(scenario.export_world(create_platform("starter")))
