"""npm in later releases: groups, audits, deprecation and free names. Source: docs/platform/packages.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    NPM_ASKS_VISITORS_TO_LOGIN,
    NPM_DEPRECATES,
    NPM_HIDES_UNKNOWN_PROJECTS,
    NPM_NAMES_ARE_FREE,
    NPM_REFUSALS_HAVE_ERRORS,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, KIT, SITE, basic, deploy_token, list_statuses, npm_document
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
NAME, ENCODED = "@acme/app", "@acme%2fapp"
GROUP = "groups/acme/-/packages/npm"
TAGS = f"{GROUP}/-/package/{ENCODED}/dist-tags"
AUDITS = ("-/npm/v1/security/advisories/bulk", "-/npm/v1/security/audits/quick")
OFF = {"settings": {"npm_package_requests_forwarding": False}}


def twice(text: str) -> dict[str, str]:
    """The body of a refusal of later releases with the same text for all clients and for npm."""
    return {"message": text, "error": text}


def publish(fake: Fakeplat, version: str, project: str = SITE, name: str = NAME) -> Any:
    path = f"{project}/packages/npm/{name.replace('/', '%2f')}"
    return fake.as_user("dev").put(path, json=npm_document(name, version))


def test_a_group_has_the_packages_of_its_projects(fakeplat: Fakeplat) -> None:
    """The metadata of a package in a group names the tarball in its project."""
    publish(fakeplat, "1.0.0")
    reply = fakeplat.as_user("rep").get(f"{GROUP}/{ENCODED}")
    assert reply.json() == fakeplat.as_user("rep").get(f"{SITE}/packages/npm/{ENCODED}").json()
    tarball = reply.json()["versions"]["1.0.0"]["dist"]["tarball"]
    assert f"{fakeplat.url}/api/v4/projects/5001/packages/npm/{NAME}/-/{NAME}-1.0.0.tgz" == tarball
    assert "401 403 403 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{GROUP}/{ENCODED}")
    token = deploy_token(fakeplat, "groups/acme", "read_package_registry")
    assert 200 == fakeplat.as_user(None).get(f"{GROUP}/{ENCODED}", headers=basic("ci", token)).status


@by_release(NPM_ASKS_VISITORS_TO_LOGIN, "closed", {"16.3": 404, "16.4": 401})
def test_visitors_are_asked_to_login(fakeplat: Fakeplat, closed: int) -> None:
    """Later, metadata and tags of closed projects are 401 for anonymous callers; the tarballs remain 404."""
    publish(fakeplat, "1.0.0")
    publish(fakeplat, "1.0.0", KIT, "@acme/kit")
    publish(fakeplat, "1.0.0", DOCS, "@acme/docs")
    visitor = fakeplat.as_user(None)
    tags = f"packages/npm/-/package/{ENCODED}/dist-tags"
    for path in (f"{SITE}/packages/npm/{ENCODED}", f"{SITE}/{tags}", tags, TAGS, f"packages/npm/{ENCODED}"):
        assert closed == visitor.get(path).status
    assert closed == visitor.get(f"{KIT}/packages/npm/@acme%2fkit").status
    assert 200 == visitor.get(f"{DOCS}/packages/npm/@acme%2fdocs").status
    assert 404 == visitor.get(f"{SITE}/packages/npm/{ENCODED}/-/{NAME}-1.0.0.tgz").status
    assert 404 == fakeplat.as_user("eve").get(f"{SITE}/{tags}").status


def test_unknown_packages_of_a_group_are_forwarded(fakeplat: Fakeplat) -> None:
    """A package that no project of the group has is looked up at the public registry, or is not found."""
    publish(fakeplat, "1.0.0")
    dev = fakeplat.as_user("dev")
    for path in (f"{GROUP}/left", f"{SITE}/packages/npm/left"):
        reply = dev.get(path)
        assert (302, "https://registry.npmjs.org/left") == (reply.status, reply.headers["Location"])
    fakeplat.load(OFF)
    reply = dev.get(f"{GROUP}/left")
    assert (404, {"message": "404 Packages Not Found", "error": "Packages not found"}) == (reply.status, reply.json())
    assert 404 == dev.get(f"groups/acme%2Ftools/-/packages/npm/{ENCODED}").status


def test_tags_of_a_group(fakeplat: Fakeplat) -> None:
    """Tags of a package are listed, set and deleted through its group, by the roles of its project."""
    publish(fakeplat, "1.0.0")
    dev = fakeplat.as_user("dev")
    assert "401 404 404 403 403 204 204 204 204" == list_statuses(fakeplat, "PUT", f"{TAGS}/old", json="1.0.0")
    assert 204 == dev.put(f"{TAGS}/old", json="1.0.0").status
    assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", TAGS)
    assert {"latest": "1.0.0", "old": "1.0.0"} == dev.get(TAGS).json()
    assert "401 404 404 403 403 403 204 204 204" == list_statuses(fakeplat, "DELETE", f"{TAGS}/old")
    reply = dev.put(f"{TAGS}/old", json="9.0.0")
    assert (404, {"message": "404 Package Not Found", "error": "Package not found"}) == (reply.status, reply.json())
    reply = dev.get(f"{GROUP}/-/package/@acme%2fnone/dist-tags")
    assert (404, {"message": "404 Project Not Found", "error": "Project not found"}) == (reply.status, reply.json())


@pytest.mark.parametrize("audit", AUDITS)
@pytest.mark.parametrize("registry", ["packages/npm", GROUP, f"{SITE}/packages/npm"], ids=["instance", "group", "site"])
def test_audits_are_forwarded(fakeplat: Fakeplat, registry: str, audit: str) -> None:
    """Audits are redirected with their body; without forwarding a project answers that nothing is known."""
    path = f"{registry}/{audit}"
    reply = fakeplat.as_user("dev").post(path, json={"left": ["1.0.0"]})
    assert (307, f"https://registry.npmjs.org/{audit}") == (reply.status, reply.headers["Location"])
    assert 401 == fakeplat.as_user(None).post(path, json={}).status
    fakeplat.load(OFF)
    reply = fakeplat.as_user("rep").post(path, json={})
    if registry.startswith("projects/"):
        assert (200, []) == (reply.status, reply.json())
        assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "POST", path, json={})
    else:
        assert (404, {"message": "404 Project Not Found", "error": "Project not found"}) == (reply.status, reply.json())


def test_the_settings_of_a_group_decide_what_is_forwarded(fakeplat: Fakeplat) -> None:
    """A group may forbid to look its packages up elsewhere."""
    settings = {"npm_package_requests_forwarding": False}
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": settings}]})
    dev = fakeplat.as_user("dev")
    assert (404, 302) == (dev.get(f"{SITE}/packages/npm/left").status, dev.get("packages/npm/left").status)


def deprecate(fake: Fakeplat, user: str, message: str, version: str = "1.0.0") -> Any:
    document = {"name": NAME, "versions": {version: {"name": NAME, "version": version, "deprecated": message}}}
    headers = {"npm-command": "deprecate"}
    return fake.as_user(user).put(f"{SITE}/packages/npm/{ENCODED}", json=document, headers=headers)


def list_messages(fake: Fakeplat) -> dict[str, str | None]:
    versions = fake.as_user("rep").get(f"{SITE}/packages/npm/{ENCODED}").json()["versions"]
    return {version: manifest.get("deprecated") for version, manifest in versions.items()}


def test_maintainers_deprecate_versions(fakeplat: Fakeplat) -> None:
    """A Maintainer deprecates versions with a message, and takes it back with an empty one."""
    for version in ("1.0.0", "1.1.0"):
        publish(fakeplat, version)
    assert (403, 200) == (deprecate(fakeplat, "dev", "old").status, deprecate(fakeplat, "mia", "old").status)
    assert {"1.0.0": "old", "1.1.0": None} == list_messages(fakeplat)
    deprecate(fakeplat, "mia", "", "1.0.0")
    assert {"1.0.0": None, "1.1.0": None} == list_messages(fakeplat)


@by_release(NPM_DEPRECATES, "status", {"15.11": 403, "16.0": 200})
def test_versions_are_deprecated_later(fakeplat: Fakeplat, status: int) -> None:
    """Before 16.0 the document of a deprecation is one of a version that exists."""
    publish(fakeplat, "1.0.0")
    assert status == deprecate(fakeplat, "mia", "old").status


@by_release(NPM_NAMES_ARE_FREE, "status", {"13.5": 400, "14.0": 200})
@pytest.mark.parametrize("name", ["app", "@other/app", "@tools/app"])
def test_names_are_free(fakeplat: Fakeplat, name: str, status: int) -> None:
    """Later releases accept a package without a scope, or with one that is no namespace."""
    assert status == publish(fakeplat, "1.0.0", KIT, name).status


@pytest.mark.parametrize("name", ["@acme/app/x", "@acme", "@/app", "app@1"])
def test_invalid_names_are_refused(fakeplat: Fakeplat, name: str) -> None:
    """A name has at most one scope."""
    reply = publish(fakeplat, "1.0.0", name=name)
    assert (400, twice("Validation failed: Name is invalid")) == (reply.status, reply.json())


def test_the_instance_finds_names_in_the_namespace_of_their_scope(fakeplat: Fakeplat) -> None:
    """The registry of the instance has the packages whose scope is their top-level namespace."""
    publish(fakeplat, "1.0.0", name="@other/app")
    publish(fakeplat, "1.0.0")
    dev = fakeplat.as_user("dev")
    assert (200, 302) == (dev.get(f"packages/npm/{ENCODED}").status, dev.get("packages/npm/@other%2fapp").status)
    assert 200 == dev.get(f"{SITE}/packages/npm/@other%2fapp").status
    reply = publish(fakeplat, "1.1.0", DOCS, "@other/app")
    assert (400, twice("Validation failed: Package already exists")) == (reply.status, reply.json())


# Callers without rights


EVERYBODY_IS_SENT_ON = "302 302 302 302 302 302 302 302 302"
NOBODY_IS = "404 404 404 404 404 404 404 404 404"
IN_INTERNAL = "401 404 404 404 404 404 404 404 404"
IN_PRIVATE = "401 404 404 403 404 404 404 404 404"


@pytest.mark.parametrize(
    ("project", "refused"),
    [(DOCS, NOBODY_IS), (KIT, IN_INTERNAL), (SITE, IN_PRIVATE)],
    ids=["public", "internal", "private"],
)
def test_unknown_packages_are_forwarded_for_everybody(fakeplat: Fakeplat, project: str, refused: str) -> None:
    """A request for an unknown package is forwarded before the caller's rights in the project matter."""
    path = f"{project}/packages/npm/left"
    assert EVERYBODY_IS_SENT_ON == list_statuses(fakeplat, "GET", path)
    fakeplat.load(OFF)
    assert refused == list_statuses(fakeplat, "GET", path)


@pytest.mark.parametrize("audit", AUDITS)
def test_audits_are_forwarded_for_whoever_is_signed_in(fakeplat: Fakeplat, audit: str) -> None:
    """An audit through a project is forwarded for all who are signed in; without forwarding they need its packages."""
    path = f"{SITE}/packages/npm/{audit}"
    assert "401 307 307 307 307 307 307 307 307" == list_statuses(fakeplat, "POST", path, json={})
    fakeplat.load(OFF)
    assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "POST", path, json={})


@by_release(NPM_HIDES_UNKNOWN_PROJECTS, "hidden", {"13.7": "403 403 403 403", "13.8": "404 404 404 403"})
def test_the_instance_hides_the_projects_of_packages(fakeplat: Fakeplat, hidden: str) -> None:
    """Since 13.8 the registry of the instance answers 404 for a package that is in no project, or in a hidden one."""
    publish(fakeplat, "1.0.0")
    fakeplat.load(OFF)
    for path in (f"packages/npm/{ENCODED}", f"packages/npm/-/package/{ENCODED}/dist-tags"):
        assert f"{hidden} 200 200 200 200 200" == list_statuses(fakeplat, "GET", path)
    status = 403 if hidden.startswith("403") else 404
    message = "403 Forbidden" if status == 403 else "404 Project Not Found"
    for path in ("packages/npm/@acme%2fnone", "packages/npm/-/package/@acme%2fnone/dist-tags"):
        reply = fakeplat.as_user("dev").get(path)
        assert (status, {"message": message}) == (reply.status, reply.json())


@by_release(NPM_REFUSALS_HAVE_ERRORS, "has_errors", {"15.6": False, "16.11": True})
def test_refusals_have_the_text_that_npm_shows(fakeplat: Fakeplat, has_errors: bool) -> None:
    """From 16.11 on at the latest, refusals have a text under ``error``, which is not always that of the message."""
    publish(fakeplat, "1.0.0")
    fakeplat.load(OFF)
    dev = fakeplat.as_user("dev")

    def message(text: str, error: str, *, earlier: str = "") -> dict[str, str]:
        return {"message": text, "error": error} if has_errors else {"message": earlier or text}

    tags = f"{SITE}/packages/npm/-/package/{ENCODED}/dist-tags"
    unknown = f"{SITE}/packages/npm/-/package/left/dist-tags"
    reply = fakeplat.as_user("mia").delete(f"{tags}/none")
    texts = message("404 Package Tag Not Found", "Package tag not found", earlier="404 Package tag Not Found")
    assert (404, texts) == (reply.status, reply.json())
    reply = dev.get(unknown)
    assert (404, message("404 Package Not Found", "Package not found")) == (reply.status, reply.json())
    reply = dev.get("packages/npm/@none%2fleft")
    assert (404, message("404 Project Not Found", "Project not found")) == (reply.status, reply.json())
    reply = dev.put(f"{tags}/old", json=" ")
    texts = message('400 Bad request - "Version" not given', '"Version" not given')
    assert (400, texts) == (reply.status, reply.json())
    reply = publish(fakeplat, "1.0.0")
    assert (403, message("Package already exists.", "Package already exists.")) == (reply.status, reply.json())
    text = "Validation failed: Version is invalid"
    reply = publish(fakeplat, "one")
    assert (400, message(text, text)) == (reply.status, reply.json())
    assert ["1.0.0"] == list(dev.get(f"{SITE}/packages/npm/{ENCODED}").json()["versions"])


def test_other_refusals_have_one_text(fakeplat: Fakeplat) -> None:
    """Refusals of abilities, of parameters and of files that are unknown are those of all areas."""
    publish(fakeplat, "1.0.0")
    reply = fakeplat.as_user("rep").put(f"{SITE}/packages/npm/{ENCODED}", json=npm_document(NAME, "2.0.0"))
    assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/npm/{ENCODED}", json={})
    assert (400, {"error": "versions is missing"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("dev").get(f"{SITE}/packages/npm/{ENCODED}/-/{NAME}-9.tgz")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
