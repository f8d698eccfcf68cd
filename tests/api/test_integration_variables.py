"""Variables that integrations give to jobs. Source: docs/platform/predefined-variables.md."""

import base64
from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_variables
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import create_pipeline, jobs_of
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import SITE
from tests.api.test_later_integrations import APP, COVER, PEM, PLAY, SERVICE_ACCOUNT

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]

Row = tuple[str, str, bool, bool]
HARBOR = {"url": "https://harbor.test:8443/hub", "project_name": "site", "username": "robot$ci", "password": "Sesame12"}


def list_integrated(fake: Fakeplat, prefix: str, *, ref: str = "main") -> list[Row]:
    """Return key, value, and whether it is public and masked, of a job's variables with a prefix."""
    (job,) = jobs_of(fake, create_pipeline(fake, PlannedJob(name="build"), ref=ref))
    with fake.bench.platform.acting() as ctx:
        listed = job_variables.list_variables(ctx, job)
    return [(row.key, row.value, row.public, row.masked) for row in listed if row.key.startswith(prefix)]


def integrate(fake: Fakeplat, slug: str, settings: dict[str, Any]) -> None:
    assert 200 == fake.as_user("root").put(f"{SITE}/integrations/{slug}", json=settings).status_code


def test_jobs_know_the_registry_of_harbor(fakeplat: Fakeplat) -> None:
    """The address, its parts and the credentials of Harbor are variables, as long as it is active."""
    assert [] == list_integrated(fakeplat, "HARBOR_")

    integrate(fakeplat, "harbor", HARBOR)
    assert [
        ("HARBOR_URL", "https://harbor.test:8443/hub", True, False),
        ("HARBOR_HOST", "harbor.test", True, False),
        ("HARBOR_OCI", "oci://harbor.test:8443/hub", True, False),
        ("HARBOR_PROJECT", "site", True, False),
        ("HARBOR_USERNAME", "robot$$ci", True, False),
        ("HARBOR_PASSWORD", "Sesame12", False, True),
    ] == list_integrated(fakeplat, "HARBOR_")

    fakeplat.as_user("root").delete(f"{SITE}/integrations/harbor")
    assert [] == list_integrated(fakeplat, "HARBOR_")


def test_jobs_know_the_credentials_of_diffblue_cover(fakeplat: Fakeplat) -> None:
    """License key and token are masked."""
    integrate(fakeplat, "diffblue-cover", COVER)

    assert [
        ("DIFFBLUE_LICENSE_KEY", "1234-ABCD", False, True),
        ("DIFFBLUE_ACCESS_TOKEN_NAME", "Diffblue", False, True),
        ("DIFFBLUE_ACCESS_TOKEN", "glpat-x", False, True),
    ] == list_integrated(fakeplat, "DIFFBLUE_")


def test_jobs_of_protected_refs_know_the_app_store(fakeplat: Fakeplat) -> None:
    """The key is in Base64, in lines."""
    integrate(fakeplat, "apple-app-store", APP)

    variables = list_integrated(fakeplat, "APP_STORE_")
    encoded = variables[1][1]
    assert [
        ("APP_STORE_CONNECT_API_KEY_ISSUER_ID", APP["app_store_issuer_id"], False, True),
        ("APP_STORE_CONNECT_API_KEY_KEY", encoded, False, True),
        ("APP_STORE_CONNECT_API_KEY_KEY_ID", "ABC1", False, True),
        ("APP_STORE_CONNECT_API_KEY_IS_KEY_CONTENT_BASE64", "true", False, False),
    ] == variables
    assert PEM == base64.b64decode(encoded).decode()
    assert [60, 40] == [len(line) for line in encoded.splitlines()]
    assert encoded.endswith("\n")


def test_jobs_of_protected_refs_know_google_play(fakeplat: Fakeplat) -> None:
    """The name of the package is not masked."""
    integrate(fakeplat, "google-play", PLAY)

    assert [
        ("SUPPLY_JSON_KEY_DATA", SERVICE_ACCOUNT, False, True),
        ("SUPPLY_PACKAGE_NAME", "com.acme.site", False, False),
    ] == list_integrated(fakeplat, "SUPPLY_")


@pytest.mark.parametrize(
    ("slug", "settings", "name", "prefix"),
    [
        ("apple-app-store", APP, "app_store_protected_refs", "APP_STORE_"),
        ("google-play", PLAY, "google_play_protected_refs", "SUPPLY_"),
    ],
)
def test_stores_are_for_protected_refs_unless_told_otherwise(
    fakeplat: Fakeplat, slug: str, settings: dict[str, Any], name: str, prefix: str
) -> None:
    """A branch that is not protected has the variables of stores only if the setting says so."""
    integrate(fakeplat, slug, settings)
    assert [] == list_integrated(fakeplat, prefix, ref="feature")
    assert fakeplat.as_user("root").get(f"{SITE}/integrations/{slug}").json()["properties"][name] is True

    integrate(fakeplat, slug, {**settings, name: False})
    assert [] != list_integrated(fakeplat, prefix, ref="feature")
