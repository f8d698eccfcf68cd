"""Packages remember when they were downloaded last, and modules and exceptions follow the settings of groups."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DUPLICATE_EXCEPTIONS_INVERT,
    GUESTS_MAY_PULL_PACKAGES,
    PACKAGES_REMEMBER_DOWNLOADS,
    PACKAGES_WITH_ERRORS_HAVE_NO_DETAILS,
    TERRAFORM_MODULE_PAGES,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, npm_document
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    version="latest", clock="virtual", tick=0, start="2026-01-01T09:00:00Z", scenario=COMPANY
)
GENERIC = f"{SITE}/packages/generic/app/1.0.0/app.txt"
MODULE = "packages/terraform/modules/vpc/aws/1.0.0/file"


def last_download(fake: Fakeplat) -> object:
    (package,) = fake.as_user("rep").get(f"{SITE}/packages").json()
    return package.get("last_downloaded_at", "no such field")


def test_each_download_is_remembered(fakeplat: Fakeplat) -> None:
    """A package tells the time of its last download; looking at it, and asking for the head only, are none."""
    fakeplat.as_user("dev").put(GENERIC, data=b"content")
    assert last_download(fakeplat) is None
    fakeplat.as_user("rep").request("HEAD", GENERIC)
    assert last_download(fakeplat) is None
    for minutes in ("00", "05", "10"):
        assert b"content" == fakeplat.as_user("rep").get(GENERIC).content
        assert f"2026-01-01T09:{minutes}:00.000Z" == last_download(fakeplat)
        fakeplat.clock.advance("5m")


def test_a_refused_download_is_not_remembered(fakeplat: Fakeplat) -> None:
    """Whoever may not read the package leaves no trace."""
    fakeplat.as_user("dev").put(GENERIC, data=b"content")
    assert [404, 403] == [fakeplat.as_user(user).get(GENERIC).status for user in ("eve", "gus")]
    assert last_download(fakeplat) is None


@by_release(GUESTS_MAY_PULL_PACKAGES, "is_known", {"17.8": False, "17.9": True})
def test_guests_pull_packages_with_a_feature(fakeplat: Fakeplat, is_known: bool) -> None:
    """From 17.9 on, a feature of the top-level group, off by default, lets guests read packages, but nobody else."""
    fakeplat.as_user("dev").put(GENERIC, data=b"content")
    gus, name = fakeplat.as_user("gus"), "allow_guest_plus_roles_to_pull_packages"
    paths = (GENERIC, f"{SITE}/packages")
    refused = [403, 403]
    assert refused == [gus.get(path).status for path in paths]
    assert [] == gus.get("groups/acme/packages").json()
    assert 201 == fakeplat.as_user("root").post(f"features/{name}", json={"value": True, "group": "acme"}).status
    assert ([200, 200] if is_known else refused) == [gus.get(path).status for path in paths]
    assert int(is_known) == len(gus.get("groups/acme/packages").json())
    statuses = [fakeplat.as_user("eve").get(GENERIC).status, gus.put(GENERIC, data=b"more").status]
    assert [404, 403] == statuses
    fakeplat.as_user("ada").put(SITE, json={"packages_enabled": False})
    assert 403 == gus.get(GENERIC).status
    assert 201 == fakeplat.as_user("root").post(f"features/{name}", json={"value": False}).status
    fakeplat.as_user("ada").put(SITE, json={"packages_enabled": True})
    assert 403 == gus.get(GENERIC).status


def test_installing_is_a_download(fakeplat: Fakeplat) -> None:
    """The tarball of npm is a download, its metadata is not."""
    fakeplat.as_user("dev").put(f"{SITE}/packages/npm/@acme%2fapp", json=npm_document("@acme/app", "1.0.0"))
    assert 200 == fakeplat.as_user("rep").get(f"{SITE}/packages/npm/@acme%2fapp").status
    assert last_download(fakeplat) is None
    assert 200 == fakeplat.as_user("rep").get(f"{SITE}/packages/npm/@acme/app/-/@acme/app-1.0.0.tgz").status
    assert "2026-01-01T09:00:00.000Z" == last_download(fakeplat)


@by_release(PACKAGES_REMEMBER_DOWNLOADS, "expected", {"13.5": "no such field", "16.0": "2026-01-01T09:00:00.000Z"})
def test_older_releases_remember_no_download(fakeplat: Fakeplat, expected: str) -> None:
    """The time of the last download came with a later release."""
    fakeplat.as_user("root").post("features/generic_packages", json={"value": "true"})
    assert 201 == fakeplat.as_user("dev").put(GENERIC, data=b"content").status
    assert 200 == fakeplat.as_user("dev").get(GENERIC).status
    assert expected == last_download(fakeplat)


def configure(fake: Fakeplat, **settings: object) -> None:
    fake.load({"groups": [{"full_path": "acme", "package_settings": settings}]})


def upload_twice(fake: Fakeplat) -> list[int]:
    dev = fake.as_user("dev")
    return [dev.put(f"{project}/{MODULE}", data=b"module").status for project in (SITE, DOCS)]


@pytest.mark.parametrize(
    ("settings", "second"),
    [
        ({}, 403),
        ({"terraform_module_duplicates_allowed": True}, 201),
        ({"terraform_module_duplicates_allowed": True, "terraform_module_duplicate_exception_regex": "vpc/.*"}, 403),
        ({"terraform_module_duplicate_exception_regex": "vpc/.*"}, 201),
        ({"terraform_module_duplicate_exception_regex": "dns/.*"}, 403),
    ],
    ids=["never", "allowed", "allowed for others", "exception", "other exception"],
)
def test_groups_allow_modules_in_several_projects(fakeplat: Fakeplat, settings: dict[str, object], second: int) -> None:
    """Several projects of a group may have a module of the same name if the group allows it."""
    configure(fakeplat, **settings)
    assert [201, second] == upload_twice(fakeplat)


def test_a_version_of_a_module_is_published_once(fakeplat: Fakeplat) -> None:
    """The same version of a module in the same project is refused, whatever the group allows."""
    configure(fakeplat, terraform_module_duplicates_allowed=True)
    dev = fakeplat.as_user("dev")
    assert [201, 403] == [dev.put(f"{SITE}/{MODULE}", data=b"module").status for _ in range(2)]


@by_release(DUPLICATE_EXCEPTIONS_INVERT, "status", {"16.0": 201, "17.0": 400})
def test_exceptions_are_from_either_decision(fakeplat: Fakeplat, status: int) -> None:
    """In later releases the exceptions of a group that allows duplicates are packages that may have none."""
    configure(fakeplat, generic_duplicates_allowed=True, generic_duplicate_exception_regex="app")
    dev = fakeplat.as_user("dev")
    assert [201, status] == [dev.put(GENERIC, data=b"content").status for _ in range(2)]


@by_release(
    TERRAFORM_MODULE_PAGES,
    "page",
    {"14.2": "packages", "14.3": "infrastructure_registry", "16.9": "terraform_module_registry"},
)
def test_modules_have_a_page_of_their_own(fakeplat: Fakeplat, page: str) -> None:
    """In later releases the page of a Terraform module is that of the registry of modules."""
    assert 201 == fakeplat.as_user("dev").put(f"{SITE}/{MODULE}", data=b"module").status
    (row,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_type=terraform_module").json()
    assert f"/acme/site/-/{page}/{row['id']}" == row["_links"]["web_path"]


@by_release(PACKAGES_WITH_ERRORS_HAVE_NO_DETAILS, "status", {"15.11": 200, "16.0": 404})
def test_a_package_with_an_error_has_no_details(fakeplat: Fakeplat, status: int) -> None:
    """A package whose upload could not be read is listed, but in later releases not shown alone."""
    package = {"name": "broken", "version": "1.0", "package_type": "generic", "status": "error"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [package]}]})
    rep = fakeplat.as_user("rep")
    (row,) = rep.get(f"{SITE}/packages").json()
    reply = rep.get(f"{SITE}/packages/{row['id']}")
    assert status == reply.status
    if status == 404:
        assert {"message": "Package not found"} == reply.json()
    assert 200 == rep.get(f"{SITE}/packages/{row['id']}/package_files").status


@pytest.mark.parametrize("size", [-2, 0, 21])
def test_pages_of_pipelines_are_small(fakeplat: Fakeplat, size: int) -> None:
    """A page of the pipelines of a package has 20 at most."""
    fakeplat.as_user("dev").put(GENERIC, data=b"content")
    rep = fakeplat.as_user("rep")
    (row,) = rep.get(f"{SITE}/packages").json()
    reply = rep.get(f"{SITE}/packages/{row['id']}/pipelines?per_page={size}")
    assert (400, {"error": "per_page does not have a valid value"}) == (reply.status, reply.json())
    assert 200 == rep.get(f"{SITE}/packages/{row['id']}/pipelines?per_page=20").status
