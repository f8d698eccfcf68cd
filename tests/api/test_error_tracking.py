"""Error tracking settings of projects. Source: docs/platform/error-tracking.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, outcome, refusal, resource_not_found

PATH = "projects/acme%2Fsite/error_tracking/settings"
API_URL = "https://errors.example.test/api/0/projects/acme/site"
DECLARED = {"project_name": "site", "api_url": API_URL}
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "error_tracking": DECLARED}]}
)
SHOWN = {
    "active": True,
    "project_name": "site",
    "sentry_external_url": "https://errors.example.test/acme/site",
    "api_url": API_URL,
}


def test_maintainers_read_and_switch_error_tracking(fakeplat: Fakeplat) -> None:
    """The address for browsers follows from that of the API; only the state can be changed."""
    mia = fakeplat.as_user("mia")
    assert (200, SHOWN) == outcome(mia.get(PATH))
    assert (200, {**SHOWN, "active": False}) == outcome(mia.request("PATCH", PATH, json={"active": False}))
    assert {**SHOWN, "active": False} == mia.get(PATH).json()


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_refused_readers_of_the_settings(fakeplat: Fakeplat, method: str) -> None:
    """Developers are 403, strangers do not see the project, nobody is 401."""
    body = {"active": False}
    assert FORBIDDEN == refusal(fakeplat, "dev", method, PATH, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", method, PATH, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, method, PATH, json=body)


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_a_project_without_settings(fakeplat: Fakeplat, method: str) -> None:
    """Without error tracking settings there is nothing to read or change."""
    path = PATH.replace("site", "docs")
    expected = resource_not_found("Error Tracking Setting")
    assert expected == refusal(fakeplat, "ada", method, path, json={"active": True})


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "active is missing, active is empty"),
        ({"active": ""}, "active is empty"),
        ({"active": "random"}, "active is invalid"),
    ],
)
def test_the_state_is_required(fakeplat: Fakeplat, body: dict[str, Any], text: str) -> None:
    """The state of error tracking is required and must be a boolean."""
    assert invalid(text) == refusal(fakeplat, "mia", "PATCH", PATH, json=body)


@pytest.mark.fakeplat(version="14.2.0")
def test_later_releases_may_collect_errors_themselves(fakeplat: Fakeplat) -> None:
    """From 14.2 on error tracking has the setting `integrated`."""
    changed = fakeplat.as_user("mia").request("PATCH", PATH, json={"active": True, "integrated": True})
    assert (200, {**SHOWN, "integrated": True}) == outcome(changed)


def test_the_settings_are_exported(fakeplat: Fakeplat) -> None:
    """Error tracking settings are exported as they were declared."""
    projects = export_world(fakeplat.bench.platform)["projects"]
    assert [DECLARED] == [project["error_tracking"] for project in projects if "error_tracking" in project]
