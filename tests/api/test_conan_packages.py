"""Conan repositories of projects and of the instance, as Conan 1 uses them. Source: docs/platform/packages.md."""

from base64 import urlsafe_b64decode
from hashlib import md5, sha1, sha256
from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BAD_REQUEST_WITH_REASON,
    CONAN_FILES_ARE_STORED_ONCE,
    CONAN_NEEDS_LOGIN,
    CONAN_RECIPES_WITHOUT_USER,
    CONAN_REVISIONS,
    CONAN_SEARCHES_ARE_LIMITED,
    CONAN_TOKEN_HOURS,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, finish_jobs, job_token, list_statuses
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)]
RECIPE = "hello/0.1/acme+site/stable"
REFERENCE = "5ab84d6acfe1f23c4fae0ab88f26e3a396351ac9"
INSTANCE = "packages/conan/v1"
IN_SITE, IN_DOCS = f"{SITE}/{INSTANCE}", f"{DOCS}/{INSTANCE}"
FILES = {"conanfile.py": b"recipe", "conanmanifest.txt": b"manifest"}
INFO = b"""[settings]
    os=Linux
    compiler=gcc

[requires]
    zlib/1.2.11

[options]
    shared=False

[full_settings]
    os=Linux

[recipe_hash]
    75151329520e7685dcf5da49ded2fec0
"""
PACKAGE_FILES = {"conaninfo.txt": INFO, "conan_package.tgz": b"archive"}
REPOSITORIES = pytest.mark.parametrize("root", [INSTANCE, IN_SITE], ids=["instance", "project"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def log_in(fake: Fakeplat, name: str, password: str, root: str = INSTANCE) -> str:
    """Return the token that Conan gets for a name and a password."""
    reply = fake.as_user(None).get(f"{root}/users/authenticate", headers=basic(name, password))
    assert (200, "text/plain") == (reply.status, reply.headers["Content-Type"])
    return reply.text


def publish(fake: Fakeplat, root: str = INSTANCE, recipe: str = RECIPE, user: str = "dev") -> None:
    caller = fake.as_user(user)
    for name, content in FILES.items():
        assert 200 == caller.put(f"{root}/files/{recipe}/0/export/{name}", data=content).status
    for name, content in PACKAGE_FILES.items():
        path = f"{root}/files/{recipe}/0/package/{REFERENCE}/0/{name}"
        assert 200 == caller.put(path, data=content).status


def count(fake: Fakeplat) -> tuple[int, int]:
    view = fake.bench.platform.view
    return len(view.packages.all()), len(view.package_files.all())


READ = "404 404 404 403 200 200 200 200 200"


@pytest.mark.parametrize("root", [INSTANCE, IN_SITE], ids=["instance", "project"])
@pytest.mark.fakeplat(version="16.11")
def test_roles_that_use_a_private_recipe(fakeplat: Fakeplat, root: str) -> None:
    """Reporters read the recipes of a private project, Developers publish them and Maintainers delete them."""
    publish(fakeplat)
    recipe, package = f"{root}/conans/{RECIPE}", f"{root}/conans/{RECIPE}/packages/{REFERENCE}"
    for path in (recipe, f"{recipe}/digest", f"{recipe}/download_urls", package, f"{package}/download_urls"):
        assert READ == list_statuses(fakeplat, "GET", path)
    file = f"{root}/files/{RECIPE}/0/export/conanfile.py"
    assert READ == list_statuses(fakeplat, "GET", file)
    assert "401 404 404 403 200 200 200 200 200" == list_statuses(
        fakeplat, "POST", f"{recipe}/upload_urls", json={"conanfile.py": 1}
    )
    assert "401 404 404 403 403 200 200 200 200" == list_statuses(fakeplat, "PUT", file, data=b"other")
    assert "401 404 404 403 403 403 200 200 200" == list_statuses(fakeplat, "DELETE", recipe)


@pytest.mark.parametrize("root", [INSTANCE, IN_DOCS], ids=["instance", "project"])
@by_release(CONAN_NEEDS_LOGIN, "anonymous", {"13.5": 401, "16.11": 200})
def test_public_recipes_are_open(fakeplat: Fakeplat, root: str, anonymous: int) -> None:
    """Everybody reads the recipes of a public project; in early releases, everybody who is signed in."""
    publish(fakeplat, root, "hello/0.1/acme+docs/stable")
    for path in ("ping", "conans/search?q=hello", "conans/hello/0.1/acme+docs/stable"):
        assert f"{anonymous} 200 200 200 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{root}/{path}")


@by_release(CONAN_REVISIONS, "capabilities", {"13.5": "", "18.2": "", "18.3": "revisions"})
@pytest.mark.parametrize("root", [INSTANCE, IN_SITE, "projects/1/packages/conan/v1"])
def test_a_repository_says_what_it_can_do(fakeplat: Fakeplat, root: str, capabilities: str) -> None:
    """The answer to a ping names revisions as soon as the platform has them, whether or not the project exists."""
    reply = fakeplat.as_user("dev").get(f"{root}/ping")
    assert (200, capabilities, capabilities) == (
        reply.status,
        reply.json(),
        reply.headers["X-Conan-Server-Capabilities"],
    )


@pytest.mark.fakeplat(version="18.2")
def test_a_feature_switches_revisions_on(fakeplat: Fakeplat) -> None:
    """Before revisions are available to all, a feature of the instance switches them on."""
    path = f"{SITE}/packages/conan/v2/conans/{RECIPE}/revisions"
    reply = fakeplat.as_user("rep").get(path)
    message = "404 'conan_package_revisions_support' feature flag is disabled Not Found"
    assert (404, {"message": message}) == (reply.status, reply.json())
    fakeplat.as_user("root").post("features/conan_package_revisions_support", json={"value": "true"})
    assert "revisions" == fakeplat.as_user("rep").get(f"{IN_SITE}/ping").json()
    assert {"message": "404 Package Not Found"} == fakeplat.as_user("rep").get(path).json()


@REPOSITORIES
def test_each_kind_of_token_logs_in(fakeplat: Fakeplat, root: str) -> None:
    """Conan logs in with a personal, job or deploy token as password, and then sends the token that it got."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    caller = fakeplat.as_user(None)
    for name, password in (("anybody", personal), ("ci_user", job), ("ci", deploy)):
        token = log_in(fakeplat, name, password, root)
        for headers in (bearer(token), basic(name, password)):
            reply = caller.get(f"{root}/users/check_credentials", headers=headers)
            assert (200, "text/plain", "ok") == (reply.status, reply.headers["Content-Type"], reply.text)
            path = f"{root}/files/{RECIPE}/0/export/conanfile.py"
            assert 200 == caller.put(path, data=b"recipe", headers=headers).status
            assert b"recipe" == caller.get(path, headers=headers).content


def test_a_token_is_signed_and_expires(fakeplat: Fakeplat) -> None:
    """The token of Conan names its user, is signed by the world, and expires."""
    token = log_in(fakeplat, "dev", fakeplat.token("dev"))
    claims = orjson.loads(urlsafe_b64decode(token.split(".")[1] + "=="))
    assert {"access_token", "user_id", "jti", "iat", "nbf", "exp"} == set(claims)
    caller, path = fakeplat.as_user(None), f"{INSTANCE}/users/check_credentials"
    assert 200 == caller.get(path, headers=bearer(token)).status
    forged = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")
    for wrong in (forged, "invalid", ""):
        assert 401 == caller.get(path, headers=bearer(wrong)).status
    fakeplat.clock.advance("2d")
    reply = caller.get(path, headers=bearer(token))
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())


@by_release(CONAN_TOKEN_HOURS, "status", {"13.5": 401, "16.11": 200})
def test_a_token_lasts_longer_in_later_releases(fakeplat: Fakeplat, status: int) -> None:
    """The token of Conan is valid for an hour, in later releases for a day."""
    token = log_in(fakeplat, "dev", fakeplat.token("dev"))
    fakeplat.clock.advance("2h")
    reply = fakeplat.as_user(None).get(f"{INSTANCE}/users/check_credentials", headers=bearer(token))
    assert status == reply.status


def test_a_token_ends_with_what_it_stands_for(fakeplat: Fakeplat) -> None:
    """The token of Conan is refused as soon as the job ends, or the personal token is revoked."""
    caller, path = fakeplat.as_user(None), f"{INSTANCE}/users/check_credentials"
    job = log_in(fakeplat, "ci_user", job_token(fakeplat))
    created = fakeplat.as_user("root").post(
        f"users/{fakeplat.as_user('dev').get('user').json()['id']}/impersonation_tokens",
        json={"name": "conan", "scopes": ["api"], "expires_at": "2021-01-01"},
    )
    personal = log_in(fakeplat, "dev", created.json()["token"])
    assert [200, 200] == [caller.get(path, headers=bearer(token)).status for token in (job, personal)]
    finish_jobs(fakeplat)
    user = fakeplat.as_user("dev").get("user").json()["id"]
    fakeplat.as_user("root").delete(f"users/{user}/impersonation_tokens/{created.json()['id']}")
    assert [401, 401] == [caller.get(path, headers=bearer(token)).status for token in (job, personal)]


@pytest.mark.parametrize("operation", ["authenticate", "check_credentials"])
@REPOSITORIES
def test_wrong_credentials_do_not_log_in(fakeplat: Fakeplat, root: str, operation: str) -> None:
    """Nobody logs in without credentials or with a wrong password."""
    caller = fakeplat.as_user(None)
    for headers in ({}, basic("dev", "wrong"), bearer("wrong")):
        reply = caller.get(f"{root}/users/{operation}", headers=headers)
        assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())


def test_a_deploy_token_needs_its_scope(fakeplat: Fakeplat) -> None:
    """A deploy token reads with the scope to read, and publishes with the scope to write."""
    reading = basic("ci", deploy_token(fakeplat, SITE, "read_package_registry"))
    other = basic("ci", deploy_token(fakeplat, DOCS))
    caller, path = fakeplat.as_user(None), f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py"
    publish(fakeplat)
    assert [200, 403] == [caller.get(path, headers=headers).status for headers in (reading, other)]
    assert [403, 403] == [caller.put(path, data=b"x", headers=headers).status for headers in (reading, other)]


@REPOSITORIES
def test_a_recipe_is_described_by_digests_and_urls(fakeplat: Fakeplat, root: str) -> None:
    """The snapshot of a recipe has the MD5 digests of its files, and its manifest their URLs."""
    publish(fakeplat, root)
    rep = fakeplat.as_user("rep")
    base = f"{fakeplat.url}/api/v4/{'projects/5001/' if root == IN_SITE else ''}packages/conan/v1/files/{RECIPE}/0"
    digests = {name: md5(content).hexdigest() for name, content in FILES.items()}
    assert digests == rep.get(f"{root}/conans/{RECIPE}").json()
    expected = {name: f"{base}/export/{name}" for name in FILES}
    for path in ("digest", "download_urls"):
        assert expected == rep.get(f"{root}/conans/{RECIPE}/{path}").json()
    package = f"{root}/conans/{RECIPE}/packages/{REFERENCE}"
    digests = {name: md5(content).hexdigest() for name, content in PACKAGE_FILES.items()}
    assert digests == rep.get(package).json()
    expected = {name: f"{base}/package/{REFERENCE}/0/{name}" for name in PACKAGE_FILES}
    for path in ("digest", "download_urls"):
        assert expected == rep.get(f"{package}/{path}").json()
    for url in (*expected.values(), *(f"{base}/export/{name}" for name in FILES)):
        path, name = url.partition("/api/v4/")[2], url.rpartition("/")[2]
        assert {**FILES, **PACKAGE_FILES}[name] == rep.get(path).content


@REPOSITORIES
def test_upload_urls_are_those_of_known_files(fakeplat: Fakeplat, root: str) -> None:
    """The URLs for uploads leave out files that Conan does not have there."""
    base = f"{fakeplat.url}/api/v4/{'projects/5001/' if root == IN_SITE else ''}packages/conan/v1/files/{RECIPE}/0"
    sizes = {"conanfile.py": 24, "conanmanifest.txt": 123, "conaninfo.txt": 3, "other.txt": 1}
    dev = fakeplat.as_user("dev")
    reply = dev.post(f"{root}/conans/{RECIPE}/upload_urls", json=sizes)
    expected = {name: f"{base}/export/{name}" for name in ("conanfile.py", "conanmanifest.txt")}
    assert (200, expected) == (reply.status, reply.json())
    reply = dev.post(f"{root}/conans/{RECIPE}/packages/123456789/upload_urls", json=sizes)
    expected = {name: f"{base}/package/123456789/0/{name}" for name in ("conanmanifest.txt", "conaninfo.txt")}
    assert (200, expected) == (reply.status, reply.json())


@pytest.mark.fakeplat(version="13.5")
@pytest.mark.parametrize("body", [b'["foo","bar"]', b"", b"{", b'"a"'])
def test_upload_urls_need_names(fakeplat: Fakeplat, body: bytes) -> None:
    """A body without names of files is a bad request."""
    path = f"{IN_SITE}/conans/{RECIPE}/upload_urls"
    reply = fakeplat.as_user("dev").post(path, data=body, headers={"Content-Type": "application/json"})
    assert 400 == reply.status


@REPOSITORIES
def test_an_unknown_recipe_has_no_files(fakeplat: Fakeplat, root: str) -> None:
    """The snapshot of an unknown recipe is empty, and its manifest is not found."""
    rep, recipe = fakeplat.as_user("rep"), f"{root}/conans/{RECIPE}"
    for path in (recipe, f"{recipe}/packages/{REFERENCE}"):
        assert (200, {}) == (rep.get(path).status, rep.get(path).json())
        reply = rep.get(f"{path}/digest")
        assert (404, {"message": "No recipe manifest found"}) == (reply.status, reply.json())
    reply = rep.get(f"{root}/files/{RECIPE}/0/export/conanfile.py")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())
    publish(fakeplat)
    reply = rep.get(f"{root}/files/{RECIPE}/0/export/conan_sources.tgz")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("mia").delete(f"{root}/conans/other/0.1/acme+site/stable")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())


def test_a_recipe_of_no_project_is_not_found(fakeplat: Fakeplat) -> None:
    """The instance finds the project of a recipe by the username, in which plus signs stand for slashes."""
    for path in (f"{INSTANCE}/conans/aa/bb/cc/dd", f"projects/1/{INSTANCE}/conans/{RECIPE}"):
        reply = fakeplat.as_user("root").get(path)
        assert (404, {"message": "404 Project Not Found"}) == (reply.status, reply.json())


def test_a_project_has_recipes_of_any_user(fakeplat: Fakeplat) -> None:
    """The repository of a project has recipes of any username, which the instance does not find."""
    publish(fakeplat, IN_SITE, "hello/0.1/someone/stable")
    assert 2 == len(fakeplat.as_user("rep").get(f"{IN_SITE}/conans/hello/0.1/someone/stable").json())
    assert {} == fakeplat.as_user("rep").get(f"{IN_SITE}/conans/{RECIPE}").json()


@pytest.mark.parametrize(
    ("recipe", "error"),
    [
        ("a/0.1/acme+site/stable", "package_name is invalid"),
        ("hello/1/acme+site/stable", "package_version is invalid"),
        ("hello/0.1/acme%2Fsite/stable", "package_username is invalid"),
        ("hello/0.1/acme+site/-beta", "package_channel is invalid"),
        ("-a/%40b/acme+site/stable", "package_name is invalid, package_version is invalid"),
        ("..%2f..%2ffoo/0.1/acme+site/stable", "package_name is invalid"),
        (f"{'h' * 51}/0.1/acme+site/stable", "package_name is invalid"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_names_of_recipes_are_checked(fakeplat: Fakeplat, method: str, recipe: str, error: str) -> None:
    """Names, versions, usernames and channels have 2 to 50 letters, digits and some signs."""
    reply = fakeplat.as_user("ada").request(method, f"{IN_SITE}/conans/{recipe}")
    assert (400, {"error": error}) == (reply.status, reply.json())


@by_release(CONAN_RECIPES_WITHOUT_USER, "status", {"13.5": 400, "16.11": 200})
def test_recipes_without_user_and_channel(fakeplat: Fakeplat, status: int) -> None:
    """Later releases have recipes without username and channel in the repositories of projects."""
    reply = fakeplat.as_user("dev").put(f"{IN_SITE}/files/hello/0.1/_/_/0/export/conanfile.py", data=b"recipe")
    assert status == reply.status
    if status == 200:
        (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
        assert "hello/0.1@_/_" == package["name"]


@pytest.mark.fakeplat(version="16.11")
def test_username_and_channel_are_left_out_together(fakeplat: Fakeplat) -> None:
    """A recipe has both username and channel, or neither; the instance needs the username."""
    rep = fakeplat.as_user("rep")
    answers = [rep.get(f"{IN_SITE}/conans/hello/0.1/{names}").json() for names in ("_/stable", "acme+site/_")]
    assert [
        {"message": "400 Bad request - username can't be solely blank"},
        {"message": "400 Bad request - channel can't be solely blank"},
    ] == answers
    for names in ("_/_", "_/stable"):
        reply = rep.get(f"{INSTANCE}/conans/hello/0.1/{names}")
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("0/export/other.txt", "file_name does not have a valid value"),
        ("0/export/conanfile.py.git%2fgit-upload-pack", "file_name does not have a valid value"),
        ("1/export/conanfile.py", "recipe_revision is invalid"),
        (f"0/package/{REFERENCE}/1/conaninfo.txt", "package_revision is invalid"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_names_of_files_are_checked(fakeplat: Fakeplat, method: str, path: str, error: str) -> None:
    """Only the files that Conan has are accepted, and only the one revision of Conan 1."""
    reply = fakeplat.as_user("dev").request(method, f"{IN_SITE}/files/{RECIPE}/{path}")
    assert (400, {"error": error}) == (reply.status, reply.json())
    assert (0, 0) == count(fakeplat)


def test_a_reference_has_letters_and_digits(fakeplat: Fakeplat) -> None:
    """The reference of a binary package consists of letters and digits."""
    path = f"{IN_SITE}/files/{RECIPE}/0/package/a-b/0/conaninfo.txt"
    reply = fakeplat.as_user("dev").put(path, data=b"x")
    message = "Validation failed: Conan file metadatum conan package reference is invalid"
    assert (400, {"message": message}) == (reply.status, reply.json())
    assert (0, 0) == count(fakeplat)


def test_an_upload_answers_with_the_stored_file(fakeplat: Fakeplat) -> None:
    """The upload of a file answers with its record, and the packages of the project list it."""
    reply = fakeplat.as_user("dev").put(f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py", data=b"recipe")
    (package,) = fakeplat.as_user("mia").get(f"{SITE}/packages").json()
    (file,) = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    digest = sha256(b"5001").hexdigest()
    url = f"/{digest[:2]}/{digest[2:4]}/{digest}/packages/{package['id']}/files/{file['id']}/conanfile.py"
    assert {
        "id": file["id"],
        "package_id": package["id"],
        "created_at": file["created_at"],
        "updated_at": file["created_at"],
        "size": 6,
        "file_store": 1,
        "file_md5": md5(b"recipe").hexdigest(),
        "file_sha1": sha1(b"recipe").hexdigest(),
        "file_name": "conanfile.py",
        "file": {"url": url},
        "file_sha256": None,
    } == reply.json()
    assert ("hello/0.1@acme+site/stable", "hello", "0.1", "conan") == tuple(
        package[name] for name in ("name", "conan_package_name", "version", "package_type")
    )
    assert {"web_path", "delete_api_path"} == set(package["_links"])


def test_an_upload_without_content_stores_no_file(fakeplat: Fakeplat) -> None:
    """Conan first sends no content, for which only the package is created."""
    reply = fakeplat.as_user("dev").put(f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py", data=b"")
    assert (200, None, (1, 0)) == (reply.status, reply.json(), count(fakeplat))


@by_release(CONAN_FILES_ARE_STORED_ONCE, "number", {"13.5": 3, "19.0": 2})
def test_the_newest_file_of_a_name_is_served(fakeplat: Fakeplat, number: int) -> None:
    """The newest file of a name is served; the same content again is stored once in later releases."""
    dev, path = fakeplat.as_user("dev"), f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py"
    replies = [dev.put(path, data=content) for content in (b"first", b"first", b"second")]
    assert [200] * 3 == [reply.status for reply in replies]
    assert (number, (1, number), b"second") == (
        len({reply.json()["id"] for reply in replies}),
        count(fakeplat),
        dev.get(path).content,
    )


@by_release(
    BAD_REQUEST_WITH_REASON,
    "message",
    {"13.5": '400 (Bad request) "File is too large" not given', "16.11": "400 Bad request - File is too large"},
)
def test_a_file_above_the_limit_is_refused(fakeplat: Fakeplat, message: str) -> None:
    """A file above the limit of the plan is refused and not stored."""
    fakeplat.load({"settings": {"conan_max_file_size": 3}})
    reply = fakeplat.as_user("dev").put(f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py", data=b"four")
    assert (400, {"message": message}, (0, 0)) == (reply.status, reply.json(), count(fakeplat))


def test_a_job_publishes_for_its_pipeline(fakeplat: Fakeplat) -> None:
    """A package that a job publishes shows the job's pipeline."""
    headers = bearer(log_in(fakeplat, "ci_user", job_token(fakeplat)))
    path = f"{IN_SITE}/files/{RECIPE}/0/export/conanfile.py"
    assert 200 == fakeplat.as_user(None).put(path, data=b"x", headers=headers).status
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert "dev" == package["pipeline"]["user"]["username"]


@REPOSITORIES
def test_a_deleted_recipe_is_gone(fakeplat: Fakeplat, root: str) -> None:
    """Deleting a recipe deletes its binary packages, and answers with the package."""
    publish(fakeplat, root)
    publish(fakeplat, root, "hello/0.2/acme+site/stable")
    reply = fakeplat.as_user("mia").delete(f"{root}/conans/{RECIPE}")
    assert (200, "hello", "0.1", "conan") == (
        reply.status,
        *(reply.json()[name] for name in ("name", "version", "package_type")),
    )
    assert (1, 4) == count(fakeplat)
    assert {} == fakeplat.as_user("rep").get(f"{root}/conans/{RECIPE}").json()


@pytest.mark.fakeplat(version="latest")
def test_protected_recipes_are_neither_pushed_nor_deleted(fakeplat: Fakeplat) -> None:
    """Rules for the names of packages keep those below their levels from publishing and deleting recipes."""
    publish(fakeplat)
    fakeplat.as_user("mia").post(
        f"{SITE}/packages/protection/rules",
        json={
            "package_name_pattern": "hel*",
            "package_type": "conan",
            "minimum_access_level_for_push": "maintainer",
            "minimum_access_level_for_delete": "owner",
        },
    )
    path = f"{IN_SITE}/files/{RECIPE}/0/export/conan_sources.tgz"
    reply = fakeplat.as_user("dev").put(path, data=b"x")
    assert (403, {"message": "403 Forbidden - Package protected."}) == (reply.status, reply.json())
    reply = fakeplat.as_user("mia").delete(f"{IN_SITE}/conans/{RECIPE}")
    assert (403, {"message": "403 Forbidden - Package is deletion protected."}) == (reply.status, reply.json())
    assert (1, 4) == count(fakeplat)
    assert 200 == fakeplat.as_user("mia").put(path, data=b"x").status


def search(fake: Fakeplat, query: str, root: str = INSTANCE, user: str = "rep") -> Any:
    return fake.as_user(user).get(f"{root}/conans/search?q={query}").json()["results"]


HELLO, NEXT = "hello/0.1@acme+site/stable", "hello/0.2@acme+site/stable"


@pytest.mark.fakeplat(version="13.5")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("*", []),
        ("hel*", [HELLO, NEXT]),
        ("HEL*", [HELLO, NEXT]),
        ("hello", [HELLO, NEXT]),
        ("hell", []),
        ("hello/0.1@acme%2Bsite/stable", [HELLO]),
        ("hello/0.3@acme%2Bsite/stable", []),
        ("hello/0.1@acme%2Bdocs/stable", []),
    ],
)
def test_recipes_are_searched(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """A search finds recipes by the beginning of their names, or one by all its parts."""
    publish(fakeplat)
    publish(fakeplat, recipe="hello/0.2/acme+site/stable")
    assert expected == search(fakeplat, query)
    assert expected == search(fakeplat, query, IN_SITE)
    assert [] == search(fakeplat, query, user="eve")


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("*", []),
        ("*/*", []),
        ("", []),
        ("h*l*", [NEXT, HELLO]),
        ("hello/0.1", [HELLO]),
        ("hello/0.*", [NEXT, HELLO]),
        ("HELLO", [NEXT, HELLO]),
        ("HELLO&ignorecase=False", []),
        ("hello&ignorecase=False", [NEXT, HELLO]),
        ("h[e]llo", []),
        ("hello/0.1@acme%2Bsite/stable", [HELLO]),
    ],
)
def test_later_releases_search_with_stars_anywhere(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Later releases accept stars anywhere, and find the newest recipes first."""
    publish(fakeplat)
    publish(fakeplat, recipe="hello/0.2/acme+site/stable")
    for root in (INSTANCE, IN_SITE, f"{SITE}/packages/conan/v2"):
        assert expected == search(fakeplat, query, root)


@by_release(CONAN_SEARCHES_ARE_LIMITED, "found", {"13.5": [], "17.11": [HELLO]})
def test_a_star_at_the_beginning_of_a_search(fakeplat: Fakeplat, found: list[str]) -> None:
    """Early releases do not know stars at the beginning of a query."""
    publish(fakeplat)
    assert found == search(fakeplat, "*llo")


@pytest.mark.fakeplat(version="latest")
def test_later_releases_limit_searches(fakeplat: Fakeplat) -> None:
    """Later releases search a project alone, and refuse long queries and many stars."""
    publish(fakeplat)
    publish(fakeplat, recipe="hello/0.1/acme+docs/stable")
    assert [HELLO] == search(fakeplat, "hello", IN_SITE)
    assert ["hello/0.1@acme+docs/stable", HELLO] == search(fakeplat, "hello")
    assert ["hello/0.1@acme+docs/stable"] == search(fakeplat, "hello", user="eve")
    errors = {
        "q" * 201: "400 Bad request - Search term length must be less than 200 characters.",
        "al*h*/*@*nn*/*": "400 Bad request - Too many wildcards in search term. Maximum is 5.",
    }
    for query, message in errors.items():
        reply = fakeplat.as_user("rep").get(f"{IN_SITE}/conans/search?q={query}")
        assert (400, {"message": message}) == (reply.status, reply.json())


def test_a_search_needs_a_query(fakeplat: Fakeplat) -> None:
    """A search without a query is refused."""
    reply = fakeplat.as_user("rep").get(f"{IN_SITE}/conans/search")
    assert (400, {"error": "q is missing"}) == (reply.status, reply.json())


@pytest.mark.fakeplat(version="latest")
@REPOSITORIES
def test_the_settings_of_binary_packages_are_listed(fakeplat: Fakeplat, root: str) -> None:
    """The search of a recipe lists its binary packages with the settings that they were built with."""
    publish(fakeplat)
    broken = f"{root}/files/{RECIPE}/0/package/abc/0/conaninfo.txt"
    assert 200 == fakeplat.as_user("dev").put(broken, data=b"[settings\nos=Linux").status
    path = f"{root}/conans/{RECIPE}/search"
    assert {
        REFERENCE: {
            "settings": {"os": "Linux", "compiler": "gcc"},
            "requires": ["zlib/1.2.11"],
            "options": {"shared": "False"},
            "recipe_hash": "75151329520e7685dcf5da49ded2fec0",
        },
        "abc": {},
    } == fakeplat.as_user("rep").get(path).json()
    assert READ == list_statuses(fakeplat, "GET", path)
    reply = fakeplat.as_user("rep").get(f"{root}/conans/other/0.1/acme+site/stable/search")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    "text",
    [
        "[settings]\n=Linux",
        "[settings]\nos=",
        "[settings]\nos=Linux\nalone",
        "[requires]\nalone\na=b",
        "[recipe_hash]\na\nb",
        "[a b]\n",
    ],
)
@pytest.mark.fakeplat(version="latest")
def test_a_description_that_cannot_be_parsed_is_left_out(fakeplat: Fakeplat, text: str) -> None:
    """A binary package whose description cannot be parsed is listed without settings."""
    path = f"{IN_SITE}/files/{RECIPE}/0/package/abc/0/conaninfo.txt"
    assert 200 == fakeplat.as_user("dev").put(path, data=text.encode()).status
    assert {"abc": {}} == fakeplat.as_user("rep").get(f"{IN_SITE}/conans/{RECIPE}/search").json()


def test_scenarios_declare_recipes(fakeplat: Fakeplat) -> None:
    """A scenario declares the files of recipes and of binary packages, and exports have them."""
    files = [
        {"file_name": "conanfile.py", "content": "recipe"},
        {"file_name": "conaninfo.txt", "content": "[settings]\nos=Linux", "conan_package_reference": "abc"},
    ]
    package = {
        "name": "hello",
        "version": "0.1",
        "package_type": "conan",
        "conan_username": "acme+site",
        "conan_channel": "stable",
        "files": files,
    }
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [package]}]})
    rep = fakeplat.as_user("rep")
    assert {"conanfile.py": md5(b"recipe").hexdigest()} == rep.get(f"{IN_SITE}/conans/{RECIPE}").json()
    assert ["conaninfo.txt"] == list(rep.get(f"{IN_SITE}/conans/{RECIPE}/packages/abc").json())
