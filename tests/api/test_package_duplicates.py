"""Groups that forbid to publish files again. Source: docs/platform/packages.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GENERIC_REFUSES_DUPLICATES, MAVEN_REFUSES_DUPLICATES
from tests.api.company import COMPANY
from tests.api.package_files import SITE
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
MAVEN = f"{SITE}/packages/maven/acme/site/1.0/site-1.0.jar"
METADATA = f"{SITE}/packages/maven/acme/site/maven-metadata.xml"
GENERIC = f"{SITE}/packages/generic/app/1.0.0/app.txt"
FORBIDDEN = {"maven_duplicates_allowed": False, "generic_duplicates_allowed": False}
REFUSED = (400, "400 Bad request - Duplicate package is not allowed")


def forbid(fake: Fakeplat, **exceptions: str) -> None:
    fake.load({"groups": [{"full_path": "acme", "package_settings": {**FORBIDDEN, **exceptions}}]})


def put(fake: Fakeplat, path: str) -> Any:
    return fake.as_user("dev").put(path, data=b"content")


@pytest.mark.parametrize("path", [MAVEN, GENERIC], ids=["Maven", "generic"])
def test_a_file_is_published_once(fakeplat: Fakeplat, path: str) -> None:
    """A file that exists is refused, another one of the package is not."""
    forbid(fakeplat)
    assert put(fakeplat, path).status in (200, 201)
    reply = put(fakeplat, path)
    assert REFUSED == (reply.status, reply.json()["message"])
    assert 1 == len(fakeplat.bench.platform.view.package_files.all())
    assert put(fakeplat, f"{path}.asc").status in (200, 201)


def test_the_metadata_of_all_versions_is_written_again(fakeplat: Fakeplat) -> None:
    """The metadata of an artifact may be published again."""
    forbid(fakeplat)
    assert [200, 200] == [put(fakeplat, METADATA).status for _ in range(2)]


def test_exceptions_are_names_and_versions(fakeplat: Fakeplat) -> None:
    """An expression of exceptions is compared with the whole name and the whole version."""
    forbid(fakeplat, maven_duplicate_exception_regex="acme/.*", generic_duplicate_exception_regex="1[.]0")
    assert [200, 200] == [put(fakeplat, MAVEN).status for _ in range(2)]
    assert [201, 400] == [put(fakeplat, GENERIC).status for _ in range(2)]


@by_release(MAVEN_REFUSES_DUPLICATES, "status", {"13.8": 200, "13.9": 400})
def test_maven_packages_are_protected_later(fakeplat: Fakeplat, status: int) -> None:
    """Older releases accept a file of a Maven package again."""
    forbid(fakeplat)
    put(fakeplat, MAVEN)
    assert status == put(fakeplat, MAVEN).status


@by_release(GENERIC_REFUSES_DUPLICATES, "status", {"13.9": 201, "14.0": 400})
def test_generic_packages_are_protected_later(fakeplat: Fakeplat, status: int) -> None:
    """Older releases accept a file of a generic package again."""
    forbid(fakeplat)
    put(fakeplat, GENERIC)
    assert status == put(fakeplat, GENERIC).status
