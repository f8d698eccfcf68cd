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


KEYS = "projects/acme%2Fsite/error_tracking/client_keys"


@pytest.mark.fakeplat(version="16.11")
def test_client_keys_are_created_and_deleted(fakeplat: Fakeplat) -> None:
    """A client key has an address for clients; deleting it answers the key."""
    mia, site = fakeplat.as_user("mia"), fakeplat.world.project("acme/site").id
    status, key = outcome(mia.post(KEYS))
    scheme, _, host = fakeplat.url.partition("://")
    dsn = f"{scheme}://{key['public_key']}@{host}/api/v4/error_tracking/collector/{site}"
    shown = {"id": key["id"], "active": True, "public_key": key["public_key"], "sentry_dsn": dsn}
    assert (201, shown, True) == (status, key, key["public_key"].startswith("glet_"))
    assert [key] == mia.get(KEYS).json()
    assert (200, key) == outcome(mia.delete(f"{KEYS}/{key['id']}"))
    assert [] == mia.get(KEYS).json()
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "mia", "DELETE", f"{KEYS}/{key['id']}")
    for name, expected in (("dev", FORBIDDEN), ("eve", resource_not_found("Project")), (None, UNAUTHORIZED)):
        assert [expected] * 2 == [refusal(fakeplat, name, method, KEYS) for method in ("GET", "POST")]


@pytest.mark.fakeplat(version="16.11", scenario="starter")
def test_settings_are_set_where_there_were_none(fakeplat: Fakeplat) -> None:
    """From 15.10 on maintainers set the settings of a project that has none."""
    sent = {"active": True, "integrated": True}
    expected = invalid("integrated is missing")
    assert expected == refusal(fakeplat, "mia", "PUT", PATH, json={"active": True})
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", PATH, json=sent)
    status, setting = outcome(fakeplat.as_user("mia").put(PATH, json=sent))
    assert (200, True, True, None) == (status, setting["active"], setting["integrated"], setting["api_url"])
    assert setting == fakeplat.as_user("mia").get(PATH).json()
