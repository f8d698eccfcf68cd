"""Package registries that are public although their project is not. Source: docs/platform/packages.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.chart_files import build_chart, chart_form
from tests.api.company import COMPANY
from tests.api.package_files import SITE, list_statuses, npm_document

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
GENERIC = f"{SITE}/packages/generic/app/1.0.0/app.txt"
MAVEN = "packages/maven/acme/site/1.0/app.jar"
NPM = f"{SITE}/packages/npm/@acme%2fapp"
CHARTS = f"{SITE}/packages/helm"
DOWNLOADS = (
    GENERIC,
    MAVEN,
    f"{SITE}/{MAVEN}",
    f"groups/acme/-/{MAVEN}",
    NPM,
    f"{SITE}/packages/npm/-/package/@acme%2fapp/dist-tags",
    f"{SITE}/packages/npm/@acme/app/-/@acme/app-1.0.0.tgz",
    f"{CHARTS}/stable/index.yaml",
    f"{CHARTS}/stable/charts/web-1.0.0.tgz",
)


def publish(fake: Fakeplat) -> None:
    dev = fake.as_user("dev")
    dev.put(GENERIC, data=b"app")
    dev.put(f"{SITE}/{MAVEN}", data=b"jar")
    dev.put(NPM, json=npm_document("@acme/app", "1.0.0"))
    dev.post(f"{CHARTS}/api/stable/charts", **chart_form(build_chart()))
    reply = fake.as_user("ada").put(SITE, json={"package_registry_access_level": "public"})
    assert (200, "public") == (reply.status, reply.json()["package_registry_access_level"])


@pytest.mark.parametrize("path", DOWNLOADS)
def test_anybody_downloads(fakeplat: Fakeplat, path: str) -> None:
    """Visitors, strangers and guests get files and metadata of the private project."""
    publish(fakeplat)
    assert "200 200 200 200 200 200 200 200 200" == list_statuses(fakeplat, "GET", path)


def test_lists_and_writes_are_for_members(fakeplat: Fakeplat) -> None:
    """The project remains hidden, its packages are in no list, and whoever may not publish still may not."""
    publish(fakeplat)
    assert "404 404 404 200 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{SITE}/packages")
    assert [] == fakeplat.as_user("eve").get("groups/acme/packages").json()
    assert 404 == fakeplat.as_user("eve").get(SITE).status
    assert "401 404 404 403 403 201 201 201 201" == list_statuses(fakeplat, "PUT", GENERIC, data=b"app")
    assert "401 404 404 403 403 200 200 200 200" == list_statuses(fakeplat, "PUT", f"{SITE}/{MAVEN}", data=b"jar")


def test_the_instance_forbids_it(fakeplat: Fakeplat) -> None:
    """If the setting of the instance is off, what is in a private project is closed again."""
    publish(fakeplat)
    setting = {"package_registry_allow_anyone_to_pull_option": False}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=setting).status
    assert ("401 404 404", "404 404 404") == (
        list_statuses(fakeplat, "GET", GENERIC)[:11],
        list_statuses(fakeplat, "GET", DOWNLOADS[6])[:11],
    )


def test_a_registry_that_is_off_is_not_public(fakeplat: Fakeplat) -> None:
    """Without its registry a project has no packages for anybody."""
    publish(fakeplat)
    fakeplat.as_user("ada").put(SITE, json={"package_registry_access_level": "disabled"})
    assert "401 404 404 403 403 403 403 403 403" == list_statuses(fakeplat, "GET", GENERIC)
