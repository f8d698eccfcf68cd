"""Packages are pulled through the dependency proxy of a project, which keeps them in its own registry."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import SITE, basic, deploy_token, job_token, list_statuses, npm_document

HUB = "projects/hub%2Fpackages"
ON: dict[str, Any] = {
    "enabled": True,
    "maven_external_registry_url": "/api/v4/projects/hub%2Fpackages/packages/maven",
    "npm_external_registry_url": "/api/v4/projects/hub%2Fpackages/packages/npm/",
}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    tier="premium",
    clock="virtual",
    scenario={
        **COMPANY,
        "groups": [*COMPANY["groups"], {"path": "hub", "visibility": "private"}],
        "projects": [{"path_with_namespace": "hub/packages"}],
    },
)
POM = "org/acme/app/1.0/app-1.0.pom"
MAVEN = f"{SITE}/dependency_proxy/packages/maven/{POM}"
TARBALL = "@acme/app/-/@acme/app-1.0.0.tgz"
NPM = f"{SITE}/dependency_proxy/packages/npm/{TARBALL}"
CONTENT = b"<project/>"


def configure(fake: Fakeplat, setting: dict[str, Any] | None, path: str = "acme/site") -> None:
    fake.load({"projects": [{"path_with_namespace": path, "dependency_proxy_packages": setting}]})


@pytest.fixture(autouse=True)
def _published(fakeplat: Fakeplat) -> None:
    """Both packages are in the registry outside, and proxies are on for both formats."""
    for path in ("acme/site", "acme/docs"):
        configure(fakeplat, ON, path)
    root = fakeplat.as_user("root")
    assert 200 == root.put(f"{HUB}/packages/maven/{POM}", data=CONTENT).status
    assert 200 == root.put(f"{HUB}/packages/npm/@acme%2fapp", json=npm_document("@acme/app", "1.0.0")).status
    root.post("features/packages_dependency_proxy_npm", json={"value": "true"})


def list_kept(fake: Fakeplat) -> list[tuple[str, str, str]]:
    rows = fake.as_user("root").get(f"{SITE}/packages").json()
    return [(row["package_type"], row["name"], row["version"]) for row in rows]


def change_outside(fake: Fakeplat) -> None:
    assert 200 == fake.as_user("root").put(f"{HUB}/packages/maven/{POM}", data=b"<project>2</project>").status


def test_a_developer_keeps_what_is_pulled(fakeplat: Fakeplat) -> None:
    """A Developer's download through the proxy publishes the file in the project's own registry."""
    dev = fakeplat.as_user("dev")
    pom, tarball = dev.get(MAVEN), dev.get(NPM)
    assert [(200, CONTENT), (200, b"tarball")] == [(reply.status, reply.content) for reply in (pom, tarball)]
    assert [("maven", "org/acme/app", "1.0"), ("npm", "@acme/app", "1.0.0")] == list_kept(fakeplat)
    assert CONTENT == dev.get(f"{SITE}/packages/maven/{POM}").content
    assert b"tarball" == dev.get(f"{SITE}/packages/npm/{TARBALL}").content


def test_a_reporter_keeps_nothing(fakeplat: Fakeplat) -> None:
    """Whoever may not publish packages gets the file of the registry outside, and nothing is kept."""
    reply = fakeplat.as_user("rep").get(MAVEN)
    assert (200, CONTENT, "attachment", "nosniff") == (
        reply.status,
        reply.content,
        reply.headers["Content-Disposition"],
        reply.headers["X-Content-Type-Options"],
    )
    assert [] == list_kept(fakeplat)


def test_a_file_that_changed_outside(fakeplat: Fakeplat) -> None:
    """A file that changed outside is passed on, and kept again only for whoever may delete packages."""
    fakeplat.as_user("dev").get(MAVEN)
    change_outside(fakeplat)
    contents = []
    for user in ("dev", "mia"):
        reply = fakeplat.as_user(user).get(MAVEN)
        contents.append((reply.content, fakeplat.as_user("dev").get(f"{SITE}/packages/maven/{POM}").content))
    new = b"<project>2</project>"
    assert [(new, CONTENT), (new, new)] == contents


def test_what_is_kept_outlives_the_registry_outside(fakeplat: Fakeplat) -> None:
    """What is kept is served when it is gone outside; what is not gets the refusal from there."""
    dev, root = fakeplat.as_user("dev"), fakeplat.as_user("root")
    dev.get(MAVEN)
    for row in root.get(f"{HUB}/packages").json():
        root.delete(f"{HUB}/packages/{row['id']}")
    assert (200, CONTENT) == (dev.get(MAVEN).status, dev.get(MAVEN).content)
    assert (404, {"message": "404 Package Not Found"}) == (dev.get(NPM).status, dev.get(NPM).json())


def test_digests_are_those_of_the_file(fakeplat: Fakeplat) -> None:
    """Maven's digests are served for kept and for other files."""
    for user in ("rep", "dev"):
        fakeplat.as_user(user).get(MAVEN)
        reply = fakeplat.as_user("rep").get(f"{MAVEN}.sha1")
        assert (200, 40) == (reply.status, len(reply.content))
        assert reply.content == fakeplat.as_user("root").get(f"{HUB}/packages/maven/{POM}.sha1").content


def test_roles_decide_who_pulls_maven_packages(fakeplat: Fakeplat) -> None:
    """Anonymous callers get a challenge, hidden projects are 404, Guests of private ones 403."""
    assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", MAVEN)
    docs = MAVEN.replace("site", "docs")
    assert "401 200 200 200 200 200 200 200 200" == list_statuses(fakeplat, "GET", docs)


def test_roles_decide_who_pulls_npm_packages(fakeplat: Fakeplat) -> None:
    """Anonymous callers get 404 for a private and 403 for a public project."""
    assert "404 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", NPM)
    docs = NPM.replace("site", "docs")
    assert "403 200 200 200 200 200 200 200 200" == list_statuses(fakeplat, "GET", docs)


def test_tokens_of_deployments_and_jobs_keep_packages(fakeplat: Fakeplat) -> None:
    """A deploy token that publishes packages and the token of a Developer's job keep what they pull."""
    value = deploy_token(fakeplat)
    anonymous = fakeplat.as_user(None)
    assert 200 == anonymous.get(MAVEN, headers={"Deploy-Token": value}).status
    assert [("maven", "org/acme/app", "1.0")] == list_kept(fakeplat)
    token = job_token(fakeplat)
    assert 200 == anonymous.get(NPM, headers={"Authorization": f"Bearer {token}"}).status
    assert 200 == anonymous.get(MAVEN, headers=basic("gitlab-ci-token", token)).status
    assert 2 == len(list_kept(fakeplat))


@pytest.mark.parametrize("path", [MAVEN, NPM], ids=["maven", "npm"])
def test_the_proxy_can_be_off(fakeplat: Fakeplat, path: str) -> None:
    """Without a setting, with one that is off, or without the address of a registry, the proxy is 404."""
    for setting in (None, {**ON, "enabled": False}, {"enabled": True}):
        configure(fakeplat, setting)
        reply = fakeplat.as_user("mia").get(path)
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize("path", [MAVEN, NPM], ids=["maven", "npm"])
def test_a_registry_of_another_host_cannot_be_asked(fakeplat: Fakeplat, path: str) -> None:
    """A registry that cannot be asked is a bad gateway, and nothing is kept."""
    url = "http://127.0.0.1:1/maven"
    setting = {"enabled": True, "maven_external_registry_url": url, "npm_external_registry_url": url}
    configure(fakeplat, setting)
    assert (502, []) == (fakeplat.as_user("dev").get(path).status, list_kept(fakeplat))


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize("path", [MAVEN, NPM], ids=["maven", "npm"])
def test_the_proxy_of_packages_is_paid(fakeplat: Fakeplat, path: str) -> None:
    """The dependency proxy of packages needs Premium: 403 without it."""
    reply = fakeplat.as_user("dev").get(path)
    assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())


def test_npm_needs_its_feature(fakeplat: Fakeplat) -> None:
    """The proxy of npm packages is 404 until its feature is on."""
    fakeplat.as_user("root").delete("features/packages_dependency_proxy_npm")
    reply = fakeplat.as_user("dev").get(NPM)
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_names_that_are_none_are_refused(fakeplat: Fakeplat) -> None:
    """A name with two scopes, and a file name that leads out of its folder, are refused."""
    dev = fakeplat.as_user("dev")
    base = f"{SITE}/dependency_proxy/packages/npm"
    reply = dev.get(f"{base}/@test/package/invalid/-/a-1.0.0.tgz")
    assert (400, {"error": "package_name is invalid"}) == (reply.status, reply.json())
    reply = dev.get(f"{base}/@acme/app/-/%2F..%2Ftest.tgz")
    assert (400, {"error": "file_name should be a valid file path"}) == (reply.status, reply.json())
