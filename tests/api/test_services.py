"""Integrations of projects.

Source: docs/platform/integrations.md, docs/decisions/rulings.md (31), docs/contract.md.
"""

import re
from typing import Any

import pytest

from fakeplat.api.projects.services import build_service_params
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import profile_of
from fakeplat.domain.projects.services import Integration, Property
from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, UNAUTHORIZED, invalid, outcome, refusal, resource_not_found

SERVICES = "projects/acme%2Fsite/services"
ALERTS = f"{SERVICES}/alerts"
LISTED = (
    "id title slug created_at updated_at active commit_events push_events issues_events confidential_issues_events "
    "merge_requests_events tag_push_events note_events confidential_note_events pipeline_events wiki_page_events "
    "job_events comment_on_event_enabled"
).split()
EVENTS = LISTED[6:]


def enable_alerts(fakeplat: Fakeplat, **given: Any) -> dict[str, Any]:
    reply = fakeplat.as_user("mia").put(ALERTS, json={"active": True, **given})
    assert 200 == reply.status
    integration: dict[str, Any] = reply.json()
    return integration


def test_one_that_was_never_configured_is_shown_with_nulls(fakeplat: Fakeplat) -> None:
    """A service that was never configured is inactive with null properties."""
    status, body = outcome(fakeplat.as_user("mia").get(ALERTS))

    assert (200, [*LISTED, "properties"]) == (status, list(body))
    assert (None, None, None, False) == tuple(body[name] for name in ("id", "created_at", "updated_at", "active"))
    assert dict.fromkeys(EVENTS, True) == {name: body[name] for name in EVENTS}
    assert {None} == set(body["properties"].values())
    assert [] == fakeplat.as_user("mia").get(SERVICES).json()


def test_enabling_gives_the_address_and_a_key(fakeplat: Fakeplat) -> None:
    """PUT is 200 and shows where alerts go and 32 hex digits that senders need."""
    integration = enable_alerts(fakeplat)

    assert (True, "alerts") == (integration["active"], integration["slug"])
    assert f"{fakeplat.url}/acme/site/alerts/notify.json" == integration["properties"]["url"]
    assert re.fullmatch("[0-9a-f]{32}", integration["properties"]["token"])
    assert integration == fakeplat.as_user("mia").get(ALERTS).json()


def test_the_list_holds_active_ones_with_all_fields(fakeplat: Fakeplat) -> None:
    """The fields of the specification in its order, no properties, no pages."""
    integration = enable_alerts(fakeplat)
    reply = fakeplat.as_user("mia").get(f"{SERVICES}?per_page=1")

    assert [{name: integration[name] for name in LISTED}] == reply.json()
    assert "X-Total" not in reply.headers
    enable_alerts(fakeplat, active=False)
    assert [] == fakeplat.as_user("mia").get(SERVICES).json()


def test_the_key_stays_until_it_is_reset(fakeplat: Fakeplat) -> None:
    """Switching off and on keeps it; reset_token draws another."""
    first = enable_alerts(fakeplat)["properties"]["token"]
    enable_alerts(fakeplat, active=False)
    assert first == enable_alerts(fakeplat)["properties"]["token"]
    assert first == enable_alerts(fakeplat, reset_token=False)["properties"]["token"]
    fresh = enable_alerts(fakeplat, reset_token=True)["properties"]["token"]
    assert first != fresh
    assert fresh == enable_alerts(fakeplat)["properties"]["token"]


def test_setting_one_up_switches_it_on(fakeplat: Fakeplat) -> None:
    """A PUT without ``active`` does, even where it was switched off, as with the platform's own integrations."""
    enable_alerts(fakeplat, active=False)
    assert fakeplat.as_user("mia").put(ALERTS, json={}).json()["active"] is True
    (service,) = fakeplat.world.world.services.all()
    assert {"token", "create_issue", "auto_close_incident", "send_email"} == set(service.properties)


def test_incident_settings_are_stored(fakeplat: Fakeplat) -> None:
    """The settings of incidents: their defaults, and that a change of one leaves the others."""
    usual = enable_alerts(fakeplat)["properties"]
    assert (False, True, False) == (usual["create_issue"], usual["auto_close_incident"], usual["send_email"])
    enable_alerts(fakeplat, create_issue=True)
    changed = enable_alerts(fakeplat, auto_close_incident=False)["properties"]
    assert {**usual, "create_issue": True, "auto_close_incident": False} == changed


def test_saying_the_same_again_changes_nothing(fakeplat: Fakeplat) -> None:
    """A PUT that changes nothing leaves updated_at."""
    first = enable_alerts(fakeplat, create_issue=True)
    fakeplat.clock.advance("1h")
    assert first == enable_alerts(fakeplat, create_issue=True)
    assert first["updated_at"] < enable_alerts(fakeplat, create_issue=False)["updated_at"]


def test_deleting_blanks_it_and_keeps_its_record(fakeplat: Fakeplat) -> None:
    """Deleting a service clears and deactivates its record."""
    first = enable_alerts(fakeplat)
    assert (204, None) == outcome(fakeplat.as_user("mia").delete(ALERTS))
    integration = fakeplat.as_user("mia").get(ALERTS).json()
    assert (False, {None}) == (integration["active"], set(integration["properties"].values()))
    assert (first["id"], first["created_at"]) == (integration["id"], integration["created_at"])
    assert first["properties"]["token"] != enable_alerts(fakeplat)["properties"]["token"]


def test_deleting_one_that_was_never_configured(fakeplat: Fakeplat) -> None:
    """Deleting an unconfigured service creates an inactive record."""
    assert (204, None) == outcome(fakeplat.as_user("mia").delete(ALERTS))
    integration = fakeplat.as_user("mia").get(ALERTS).json()
    assert (False, True) == (integration["active"], integration["id"] is not None)


def test_one_that_changed_since_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Deleting an alert service that changed since answers 412."""
    enable_alerts(fakeplat)
    assert STALE == refusal(fakeplat, "mia", "DELETE", ALERTS, headers=LONG_AGO)


REFUSED = [
    ("GET", SERVICES, None, None, UNAUTHORIZED),
    ("GET", ALERTS, None, None, UNAUTHORIZED),
    ("PUT", ALERTS, None, {"active": True}, UNAUTHORIZED),
    ("DELETE", ALERTS, None, None, UNAUTHORIZED),
    ("POST", f"{ALERTS}/test", None, None, UNAUTHORIZED),
    ("GET", SERVICES, "dev", None, FORBIDDEN),
    ("PUT", ALERTS, "dev", {"active": "maybe"}, FORBIDDEN),
    ("GET", f"{SERVICES}/nothing", "dev", None, FORBIDDEN),
    ("PUT", ALERTS, "eve", {"active": True}, resource_not_found("Project")),
    ("PUT", ALERTS, "mia", {"active": "maybe"}, invalid("active is invalid")),
    (
        "PUT",
        ALERTS,
        "mia",
        {"reset_token": 7, "send_email": "x"},
        invalid("reset_token is invalid, send_email is invalid"),
    ),
    ("GET", f"{SERVICES}/nothing", "mia", None, invalid("service_slug does not have a valid value")),
    ("DELETE", f"{SERVICES}/nothing", "mia", None, invalid("service_slug does not have a valid value")),
    ("PUT", f"{SERVICES}/nothing", "mia", {}, (404, {"error": "404 Not Found"})),
    ("POST", f"{ALERTS}/test", "rep", None, FORBIDDEN),
    ("POST", f"{ALERTS}/test", "dev", None, (404, {"message": "404 Service Not Found"})),
]


@pytest.mark.parametrize(("method", "path", "by", "body", "expected"), REFUSED)
def test_refusals(fakeplat: Fakeplat, method: str, path: str, by: str | None, body: Any, expected: Any) -> None:
    """Services check login, project, role and parameters in this order."""
    assert expected == refusal(fakeplat, by, method, path, json=body)


def test_a_declaration_gives_the_parameters() -> None:
    """The declaration of a service gives its parameters and event flags."""
    plan = binder_of(
        build_service_params(
            Integration(
                "chat",
                "Chat",
                (Property("webhook", required=True), Property("port", int)),
                ("push_events",),
                strict_flags=frozenset(("push_events",)),
            ),
            profile_of((13, 5)),
        ),
        profile_of((13, 5)),
    )

    assert ["webhook", "port", "push_events"] == [field.name for field in plan.fields]
    assert {"webhook": "x", "push_events": False} == plan.bind({"webhook": "x", "push_events": "false"}).given()
    with pytest.raises(InvalidParams) as refused:
        plan.bind({"port": "x"})
    assert {"error": "webhook is missing, port is invalid"} == refused.value.payload


def test_deleting_a_project_deletes_its_integrations(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its services, environments and alerts with their notes."""
    enable_alerts(fakeplat)
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "environments": ["production"]}]})
    fakeplat.as_user("dev").post(f"{ALERTS}/test")
    assert 1 == len(fakeplat.world.project("acme/site").alerts)
    fakeplat.as_user("ada").delete("projects/acme%2Fsite")
    world = fakeplat.world.world
    assert [0] * 4 == [len(table) for table in (world.services, world.environments, world.alerts, world.notes)]
