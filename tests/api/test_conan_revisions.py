"""Revisions of Conan 2 in the repositories of projects. Source: docs/platform/packages.md."""

from hashlib import md5
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, list_statuses

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="latest")
RECIPE = "hello/0.1/acme+site/stable"
FIRST, SECOND = (md5(text).hexdigest() for text in (b"first", b"second"))
REFERENCE = "5ab84d6acfe1f23c4fae0ab88f26e3a396351ac9"
ROOT = f"{SITE}/packages/conan/v2/conans/{RECIPE}"
READ = "404 404 404 403 200 200 200 200 200"


def upload_recipe(fake: Fakeplat, revision: str, *names: str, root: str = ROOT) -> None:
    for name in names or ("conanfile.py", "conanmanifest.txt"):
        reply = fake.as_user("dev").put(f"{root}/revisions/{revision}/files/{name}", data=f"{name} {revision}".encode())
        assert 200 == reply.status


def package_path(recipe_revision: str, package_revision: str, reference: str = REFERENCE) -> str:
    return f"{ROOT}/revisions/{recipe_revision}/packages/{reference}/revisions/{package_revision}"


def upload_package(fake: Fakeplat, recipe_revision: str, package_revision: str, reference: str = REFERENCE) -> None:
    for name, content in (("conaninfo.txt", b"[settings]\nos=Linux"), ("conan_package.tgz", b"archive")):
        path = f"{package_path(recipe_revision, package_revision, reference)}/files/{name}"
        assert 200 == fake.as_user("dev").put(path, data=content).status


def publish(fake: Fakeplat) -> None:
    """Publish two revisions of a recipe; the first has two revisions of a binary package."""
    upload_recipe(fake, FIRST)
    upload_package(fake, FIRST, FIRST)
    fake.clock.advance("1h")
    upload_recipe(fake, SECOND)
    upload_package(fake, FIRST, SECOND)


def read(fake: Fakeplat, path: str, user: str = "rep") -> Any:
    return fake.as_user(user).get(path).json()


def count(fake: Fakeplat) -> tuple[int, int]:
    view = fake.bench.platform.view
    return len(view.packages.all()), len(view.package_files.all())


def test_roles_that_use_revisions(fakeplat: Fakeplat) -> None:
    """Reporters read revisions, Developers upload them, and Maintainers delete them."""
    publish(fakeplat)
    recipe, reference, package = (
        f"{ROOT}/revisions/{FIRST}",
        f"{ROOT}/revisions/{FIRST}/packages/{REFERENCE}",
        package_path(FIRST, FIRST),
    )
    for path in (
        f"{ROOT}/latest",
        f"{ROOT}/revisions",
        f"{ROOT}/search",
        f"{recipe}/files",
        f"{recipe}/files/conanfile.py",
        f"{recipe}/search",
        f"{reference}/latest",
        f"{reference}/revisions",
        f"{package}/files",
        f"{package}/files/conaninfo.txt",
    ):
        assert READ == list_statuses(fakeplat, "GET", path)
    for path in (f"{recipe}/files/conan_sources.tgz", f"{package}/files/conanmanifest.txt"):
        assert "401 404 404 403 403 200 200 200 200" == list_statuses(fakeplat, "PUT", path, data=b"x")
    for path in (recipe, package):
        assert "401 404 404 403 403 403 200 200 200" == list_statuses(fakeplat, "DELETE", path)


def test_everybody_reads_public_revisions(fakeplat: Fakeplat) -> None:
    """Nobody needs to sign in to read the revisions of a public project, or to log in with a token."""
    root = f"{DOCS}/packages/conan/v2"
    upload_recipe(fakeplat, FIRST, root=f"{root}/conans/{RECIPE}")
    assert 200 == fakeplat.as_user(None).get(f"{root}/conans/{RECIPE}/latest").status
    assert 401 == fakeplat.as_user(None).get(f"{root}/users/check_credentials").status
    headers = basic("ci", deploy_token(fakeplat, DOCS))
    token = fakeplat.as_user(None).get(f"{root}/users/authenticate", headers=headers).text
    reply = fakeplat.as_user(None).get(f"{root}/users/check_credentials", headers={"Authorization": f"Bearer {token}"})
    assert (200, "ok") == (reply.status, reply.text)


def test_revisions_are_listed_newest_first(fakeplat: Fakeplat) -> None:
    """The revisions of recipes and of binary packages are listed newest first, with the times of their first files."""
    publish(fakeplat)
    listed = read(fakeplat, f"{ROOT}/revisions")
    assert ("hello/0.1@acme+site/stable", [SECOND, FIRST]) == (
        listed["reference"],
        [row["revision"] for row in listed["revisions"]],
    )
    assert listed["revisions"][0] == read(fakeplat, f"{ROOT}/latest")
    assert listed["revisions"][0]["time"] > listed["revisions"][1]["time"]
    reference = f"{ROOT}/revisions/{FIRST}/packages/{REFERENCE}"
    packages = read(fakeplat, f"{reference}/revisions")
    assert (f"hello/0.1@acme+site/stable#{FIRST}:{REFERENCE}", [SECOND, FIRST]) == (
        packages["packageReference"],
        [row["revision"] for row in packages["revisions"]],
    )
    assert packages["revisions"][0] == read(fakeplat, f"{reference}/latest")


def test_the_files_of_revisions_are_apart(fakeplat: Fakeplat) -> None:
    """Each revision lists and serves its own files."""
    publish(fakeplat)
    files: dict[str, Any] = {"files": {"conanfile.py": {}, "conanmanifest.txt": {}}}
    assert files == read(fakeplat, f"{ROOT}/revisions/{FIRST}/files")
    contents = [
        fakeplat.as_user("rep").get(f"{ROOT}/revisions/{revision}/files/conanfile.py").content
        for revision in (FIRST, SECOND)
    ]
    assert [f"conanfile.py {FIRST}".encode(), f"conanfile.py {SECOND}".encode()] == contents
    assert {"files": {"conaninfo.txt": {}, "conan_package.tgz": {}}} == read(
        fakeplat, f"{package_path(FIRST, FIRST)}/files"
    )
    assert b"archive" == fakeplat.as_user("rep").get(f"{package_path(FIRST, SECOND)}/files/conan_package.tgz").content


def test_a_file_of_a_revision_is_stored_once(fakeplat: Fakeplat) -> None:
    """A revision keeps the first file of a name."""
    path = f"{ROOT}/revisions/{FIRST}/files/conanfile.py"
    ids = [fakeplat.as_user("dev").put(path, data=content).json()["id"] for content in (b"first", b"second")]
    assert (ids[0], (1, 1)) == (ids[1], count(fakeplat))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/latest", "404 Package Not Found"),
        ("/revisions", "404 Package Not Found"),
        ("/search", "404 Package Not Found"),
        (f"/revisions/{FIRST}/files", "404 Package Not Found"),
        (f"/revisions/{FIRST}/files/conanfile.py", "404 Package Not Found"),
        (f"/revisions/{FIRST}/search", "404 Package Not Found"),
        (f"/revisions/{FIRST}/packages/{REFERENCE}/latest", "404 Package Not Found"),
        (f"/revisions/{FIRST}/packages/{REFERENCE}/revisions", "404 Package Not Found"),
        (f"/revisions/{FIRST}/packages/{REFERENCE}/revisions/{FIRST}/files", "404 Package Not Found"),
    ],
)
def test_an_unknown_recipe_is_not_found(fakeplat: Fakeplat, path: str, message: str) -> None:
    """Nothing is read of an unknown recipe."""
    reply = fakeplat.as_user("rep").get(ROOT + path)
    assert (404, {"message": message}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"/revisions/{SECOND}/files", "404 Recipe files Not Found"),
        (f"/revisions/{SECOND}/files/conanfile.py", "404 Not found"),
        (f"/revisions/{SECOND}/search", "404 Revision Not Found"),
        (f"/revisions/{SECOND}/packages/{REFERENCE}/latest", "404 Revision Not Found"),
        (f"/revisions/{FIRST}/packages/{REFERENCE}/revisions/{SECOND}/files", "404 Package files Not Found"),
    ],
)
def test_an_unknown_revision_is_not_found(fakeplat: Fakeplat, path: str, message: str) -> None:
    """Unknown revisions of a known recipe are not found."""
    upload_recipe(fakeplat, FIRST)
    upload_package(fakeplat, FIRST, FIRST)
    reply = fakeplat.as_user("rep").get(ROOT + path)
    assert (404, {"message": message}) == (reply.status, reply.json())


def test_a_recipe_of_conan_1_has_no_revision(fakeplat: Fakeplat) -> None:
    """What Conan 1 published has no revision, but its binary packages are searched."""
    path = f"{SITE}/packages/conan/v1/files/{RECIPE}/0/package/abc/0/conaninfo.txt"
    fakeplat.as_user("dev").put(path, data=b"[settings]\nos=Linux")
    reply = fakeplat.as_user("rep").get(f"{ROOT}/latest")
    assert (404, {"message": "404 Revision Not Found"}) == (reply.status, reply.json())
    assert {"abc": {"settings": {"os": "Linux"}}} == read(fakeplat, f"{ROOT}/search")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("revisions/0/files", "recipe_revision is invalid"),
        (f"revisions/{'g' * 32}/files", "recipe_revision is invalid"),
        (f"revisions/{'a' * 41}/files", "recipe_revision is invalid"),
        (f"revisions/{FIRST}/files/other.txt", "file_name does not have a valid value"),
        (f"revisions/{FIRST}/packages/a-b/latest", "conan_package_reference is invalid"),
        (f"revisions/{FIRST}/packages/{REFERENCE}/revisions/0/files", "package_revision is invalid"),
    ],
)
def test_revisions_are_digests(fakeplat: Fakeplat, path: str, error: str) -> None:
    """Revisions are MD5 or SHA-1 digests."""
    reply = fakeplat.as_user("dev").get(f"{ROOT}/{path}")
    assert (400, {"error": error}) == (reply.status, reply.json())


def test_the_settings_of_a_revision_are_searched(fakeplat: Fakeplat) -> None:
    """The search of a revision lists its own binary packages only."""
    publish(fakeplat)
    upload_package(fakeplat, SECOND, FIRST, "abc")
    info = {"settings": {"os": "Linux"}}
    assert {REFERENCE: info, "abc": info} == read(fakeplat, f"{ROOT}/search")
    assert {"abc": info} == read(fakeplat, f"{ROOT}/revisions/{SECOND}/search")


def test_deleting_revisions(fakeplat: Fakeplat) -> None:
    """A deleted revision takes its binary packages with it, and the last one the package."""
    publish(fakeplat)
    mia = fakeplat.as_user("mia")
    reply = mia.delete(package_path(FIRST, SECOND))
    assert (200, b"", (1, 6)) == (reply.status, reply.content, count(fakeplat))
    reply = mia.delete(package_path(FIRST, SECOND))
    assert (404, {"message": "404 Package Revision Not Found"}) == (reply.status, reply.json())
    assert (200, (1, 2)) == (mia.delete(f"{ROOT}/revisions/{FIRST}").status, count(fakeplat))
    reply = mia.delete(f"{ROOT}/revisions/{FIRST}")
    assert (404, {"message": "404 Revision Not Found"}) == (reply.status, reply.json())
    assert (200, (0, 0)) == (mia.delete(f"{ROOT}/revisions/{SECOND}").status, count(fakeplat))
    reply = mia.delete(f"{ROOT}/revisions/{SECOND}")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())


def test_a_protected_recipe_keeps_its_revisions(fakeplat: Fakeplat) -> None:
    """A rule for deletions keeps Maintainers from deleting revisions."""
    publish(fakeplat)
    rule = {"package_name_pattern": "hello", "package_type": "conan", "minimum_access_level_for_delete": "owner"}
    fakeplat.as_user("mia").post(f"{SITE}/packages/protection/rules", json=rule)
    for path in (f"{ROOT}/revisions/{FIRST}", package_path(FIRST, FIRST)):
        reply = fakeplat.as_user("mia").delete(path)
        assert (403, {"message": "403 Forbidden - Package is deletion protected."}) == (reply.status, reply.json())
    assert (1, 8) == count(fakeplat)
    assert 200 == fakeplat.as_user("ada").delete(package_path(FIRST, FIRST)).status
