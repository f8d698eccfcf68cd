"""Requests for unknown packages are forwarded to the public registries, or to those that the instance declares."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MAVEN_IS_FORWARDED, MAVEN_NAMES_WHAT_IS_MISSING
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
POM = "packages/maven/org/acme/app/1.0/app-1.0.pom"
CENTRAL = "https://repo.maven.apache.org/maven2/org/acme/app/1.0/app-1.0.pom"
FEATURE = "features/maven_central_request_forwarding"


def location(fake: Fakeplat, path: str) -> tuple[int, str | None]:
    reply = fake.as_user("dev").get(path)
    return reply.status, reply.headers.get("Location")


@pytest.mark.fakeplat(
    upstreams={"npm": "http://127.0.0.1:1/npm/", "pypi": "/api/v4/projects/acme%2Fdocs/packages/pypi/simple"}
)
def test_the_instance_declares_other_registries(fakeplat: Fakeplat) -> None:
    """Unknown packages are looked up at a declared address, or at a declared path of the same host."""
    assert (302, "http://127.0.0.1:1/npm/left-pad") == location(fakeplat, f"{SITE}/packages/npm/left-pad")
    base = f"{fakeplat.url}/api/v4/projects/acme%2Fdocs/packages/pypi/simple"
    assert (302, f"{base}/left-pad/") == location(fakeplat, f"{SITE}/packages/pypi/simple/left-pad")


def test_maven_is_forwarded_with_its_feature(fakeplat: Fakeplat) -> None:
    """Projects and groups forward requests for unknown Maven packages once the feature is on; the instance does not."""
    group = f"groups/acme/-/{POM}"
    assert [404, 404, 403] == [location(fakeplat, path)[0] for path in (f"{SITE}/{POM}", group, POM)]
    fakeplat.as_user("root").post(FEATURE, json={"value": "true"})
    assert [(302, CENTRAL)] * 2 == [location(fakeplat, path) for path in (f"{SITE}/{POM}", group)]
    assert 403 == location(fakeplat, POM)[0]
    assert (302, f"{CENTRAL}.sha1") == location(fakeplat, f"{SITE}/{POM}.sha1")
    assert 200 == fakeplat.as_user("dev").put(f"{SITE}/{POM}", data=b"<project/>").status
    assert [200, 200] == [location(fakeplat, path)[0] for path in (f"{SITE}/{POM}", group)]


def test_a_group_forbids_to_forward_maven(fakeplat: Fakeplat) -> None:
    """A group may forbid to look its Maven packages up elsewhere, and administrators may for all."""
    root = fakeplat.as_user("root")
    root.post(FEATURE, json={"value": "true"})
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": {"maven_package_requests_forwarding": False}}]})
    assert 404 == location(fakeplat, f"{SITE}/{POM}")[0]


@by_release(MAVEN_IS_FORWARDED, "status", {"15.3": 404, "15.4": 302})
def test_maven_is_forwarded_later(fakeplat: Fakeplat, status: int) -> None:
    """The feature that forwards requests for Maven packages begins with 15.4."""
    fakeplat.as_user("root").post(FEATURE, json={"value": "true"})
    assert status == location(fakeplat, f"{SITE}/{POM}")[0]


@by_release(
    MAVEN_NAMES_WHAT_IS_MISSING,
    "messages",
    {"15.3": ["404 Not found"] * 3, "15.4": ["404 Project Not Found", "404 Group Not Found", "404 Package Not Found"]},
)
def test_the_refusal_names_what_is_missing(fakeplat: Fakeplat, messages: list[str]) -> None:
    """Later releases say that the project or group is missing if no project has the path, else that the package is."""
    answers = [fakeplat.as_user("dev").get(path).json() for path in (f"{SITE}/{POM}", f"groups/acme/-/{POM}")]
    fakeplat.as_user("mia").put(f"{DOCS}/{POM}", data=b"<project/>")
    answers.append(fakeplat.as_user("dev").get(f"{SITE}/{POM}").json())
    assert messages == [answer["message"] for answer in answers]
