"""The npm registry. Source: docs/platform/packages.md."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MISSING_ATTRIBUTE
from tests.api.company import COMPANY
from tests.api.package_files import (
    DOCS,
    KIT,
    SITE,
    basic,
    deploy_token,
    finish_jobs,
    job_token,
    list_statuses,
    npm_document,
)
from tests.api.requests import refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)
NAME = "@acme/app"
ENCODED = "@acme%2fapp"
TAGS = f"packages/npm/-/package/{ENCODED}/dist-tags"


def publish_package(fake: Fakeplat, version: str, project: str = SITE, user: str = "dev", **rest: Any) -> Any:
    return fake.as_user(user).put(f"{project}/packages/npm/{ENCODED}", json=npm_document(NAME, version, **rest))


def test_a_published_package_is_a_record_with_a_file_and_a_tag(fakeplat: Fakeplat) -> None:
    """The answer is the record; the SHA-1 of the file is the one that npm sent."""
    reply = publish_package(fakeplat, "1.0.1")
    view = reply.json()
    assert {"id", "project_id", "created_at", "updated_at", "name", "version", "package_type"} == view.keys()
    assert (200, NAME, "1.0.1", "npm") == (reply.status, view["name"], view["version"], view["package_type"])
    dev = fakeplat.as_user("dev")
    (package,) = dev.get(f"{SITE}/packages").json()
    assert ["latest"] == [tag["name"] for tag in package["tags"]]
    (file,) = dev.get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ("@acme/app-1.0.1.tgz", 7, None, "e10f6e70661d167ef514ab6e6d98607438c6a8c6") == (
        file["file_name"],
        file["size"],
        file["file_md5"],
        file["file_sha1"],
    )


def test_each_way_to_send_a_token(fakeplat: Fakeplat) -> None:
    """A package is published and read with the tokens of people, jobs and deployments."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    headers = [
        {"Authorization": f"Bearer {personal}"},
        {"PRIVATE-TOKEN": personal},
        basic("dev", personal),
        {"Authorization": f"Bearer {fakeplat.token('dev', 'oauth')}"},
        {"Authorization": f"Bearer {job}"},
        {"JOB-TOKEN": job},
        {"Authorization": f"Bearer {deploy}"},
        {"Deploy-Token": deploy},
        basic("ci", deploy),
    ]
    caller = fakeplat.as_user(None)
    for number, sent in enumerate(headers):
        document = npm_document(NAME, f"1.0.{number}")
        assert 200 == caller.put(f"{SITE}/packages/npm/{ENCODED}", json=document, headers=sent).status
        assert number + 1 == len(caller.get(f"packages/npm/{ENCODED}", headers=sent).json()["versions"])
    assert 9 == len(fakeplat.bench.platform.view.packages.all())
    finish_jobs(fakeplat)
    assert 401 == caller.get(f"packages/npm/{ENCODED}", headers={"Authorization": f"Bearer {job}"}).status
    assert 401 == caller.get(f"packages/npm/{ENCODED}", headers={"Authorization": "Bearer wrong"}).status


@pytest.mark.parametrize("path", [ENCODED, NAME, "@acme%2Fapp", "%40acme%2Fapp"])
def test_the_metadata_of_a_package(fakeplat: Fakeplat, path: str) -> None:
    """The npm metadata lists the versions with the fields for installing."""
    publish_package(fakeplat, "1.10.0", dependencies={"left": "^1.0.0"}, bin={"app": "app.js"}, scripts={"test": "x"})
    publish_package(fakeplat, "1.9.0", tag="old", devDependencies={"right": "2"}, bundleDependencies=["left"])
    metadata = fakeplat.as_user("rep").get(f"packages/npm/{path}").json()
    tarball = f"{fakeplat.url}/api/v4/projects/5001/packages/npm/@acme/app/-/@acme/app-1.9.0.tgz"
    assert {"name": NAME, "dist-tags": {"latest": "1.10.0", "old": "1.9.0"}} == {
        name: metadata[name] for name in ("name", "dist-tags")
    }
    assert ["1.9.0", "1.10.0"] == list(metadata["versions"])
    assert {
        "name": NAME,
        "version": "1.9.0",
        "dist": {"shasum": "e10f6e70661d167ef514ab6e6d98607438c6a8c6", "tarball": tarball},
        "devDependencies": {"right": "2"},
    } == metadata["versions"]["1.9.0"]
    newer = metadata["versions"]["1.10.0"]
    assert ({"left": "^1.0.0"}, {"app": "app.js"}) == (newer["dependencies"], newer["bin"])
    assert "scripts" not in newer


def test_without_a_tag_the_highest_version_is_the_latest(fakeplat: Fakeplat) -> None:
    """Without a tag the highest version is `latest`, releases before their candidates."""
    for version in ("1.0.0-rc.2", "1.0.0", "1.0.0-rc.10"):
        publish_package(fakeplat, version, tag="next")
    assert {"next": "1.0.0-rc.10", "latest": "1.0.0"} == fakeplat.as_user("dev").get(TAGS).json()


def test_what_is_no_version_is_never_the_latest(fakeplat: Fakeplat) -> None:
    """A package of a scenario whose version is not a semantic one comes before all that are."""
    versions = [{"package_type": "npm", "name": NAME, "version": version} for version in ("0.0.0-0", "newest")]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": versions}]})
    assert {"latest": "0.0.0-0"} == fakeplat.as_user("dev").get(TAGS).json()


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200"),
        (KIT, "403 200 403 200 200 200 200 200 200"),
        (SITE, "403 403 403 403 200 200 200 200 200"),
    ],
    ids=["public", "internal", "private"],
)
@pytest.mark.parametrize("path", [f"packages/npm/{ENCODED}", TAGS], ids=["metadata", "tags"])
def test_roles_that_read_metadata_and_tags(fakeplat: Fakeplat, project: str, expected: str, path: str) -> None:
    """Those who may not read npm metadata get a 403, even for hidden projects."""
    publish_package(fakeplat, "1.0.0", project)
    assert expected == list_statuses(fakeplat, "GET", path)


def test_an_unknown_package_is_looked_up_elsewhere(fakeplat: Fakeplat) -> None:
    """An unknown package redirects to the public registry unless that is disabled."""
    caller = fakeplat.as_user(None)
    reply = caller.get("packages/npm/@none%2fapp")
    assert (302, "https://registry.npmjs.org/@none/app") == (reply.status, reply.headers["Location"])
    fakeplat.load({"settings": {"npm_package_requests_forwarding": False}})
    for path in ("packages/npm/@none%2fapp", "packages/npm/-/package/@none%2fapp/dist-tags"):
        reply = caller.get(path)
        assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())


def test_tags_are_set_by_developers_and_deleted_by_maintainers(fakeplat: Fakeplat) -> None:
    """Developers set and move npm tags, and Maintainers delete them."""
    publish_package(fakeplat, "1.0.0")
    publish_package(fakeplat, "1.1.0")
    path = f"{TAGS}/stable"
    assert "401 403 403 403 403 204 204 204 204" == list_statuses(fakeplat, "PUT", path, json="1.0.0")
    dev, mia = fakeplat.as_user("dev"), fakeplat.as_user("mia")
    for version in ("1.0.0", "1.1.0"):
        assert 204 == dev.put(path, json=version).status
        assert {"latest": "1.1.0", "stable": version} == dev.get(TAGS).json()
    assert "401 403 403 403 403 403 204 204 204" == list_statuses(fakeplat, "DELETE", path)
    assert 204 == mia.delete(path).status
    reply = mia.delete(path)
    assert (404, {"message": "404 Package tag Not Found"}) == (reply.status, reply.json())
    reply = dev.put(path, json="9.9.9")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())
    for body in (b"", b'""', b"{", b"[]"):
        reply = dev.put(path, data=body)
        assert (400, {"message": '400 (Bad request) "Version" not given'}) == (reply.status, reply.json())


@by_release(
    MISSING_ATTRIBUTE,
    "message",
    {"13.11": '400 (Bad request) "Version" not given', "13.12": '400 Bad request - "Version" not given'},
)
def test_the_words_for_a_missing_version(fakeplat: Fakeplat, message: str) -> None:
    """From 13.12 on, the refusal of a tag without a version names the status first."""
    publish_package(fakeplat, "1.0.0")
    reply = fakeplat.as_user("dev").put(f"{TAGS}/stable", data=b"")
    assert (400, {"message": message}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200"),
        (KIT, "404 200 404 200 200 200 200 200 200"),
        (SITE, "404 404 404 403 200 200 200 200 200"),
    ],
    ids=["public", "internal", "private"],
)
def test_roles_that_download(fakeplat: Fakeplat, project: str, expected: str) -> None:
    """The address is the one in the metadata."""
    publish_package(fakeplat, "1.0.0", project)
    version = fakeplat.as_user("dev").get(f"packages/npm/{ENCODED}").json()["versions"]["1.0.0"]
    assert expected == list_statuses(fakeplat, "GET", version["dist"]["tarball"])
    reply = fakeplat.as_user("dev").get(version["dist"]["tarball"])
    assert (b"tarball", "application/octet-stream") == (reply.content, reply.headers["Content-Type"])
    reply = fakeplat.as_user("dev").get(version["dist"]["tarball"].replace("1.0.0", "2.0.0"))
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())


@pytest.mark.parametrize("name", ["my_inv@@lid_package_name", "a$b", "a~b!", "with space", "a+b"])
def test_names_have_few_signs(fakeplat: Fakeplat, name: str) -> None:
    """The name of a package consists of word characters, dashes and dots."""
    document = {
        "versions": {"1.0.0": {"name": f"@acme/{name}", "version": "1.0.0"}},
        "_attachments": {f"@acme/{name}-1.0.0.tgz": {"data": "dGFyYmFsbA==", "length": 7}},
    }
    path = f"{SITE}/packages/npm/{quote(f'@acme/{name}', safe='@')}"
    expected = (400, {"message": "Validation failed: Name is invalid"})
    assert expected == refusal(fakeplat, "dev", "PUT", path, json=document)


def test_a_version_is_published_once(fakeplat: Fakeplat) -> None:
    """A published npm version is refused until it is deleted."""
    publish_package(fakeplat, "1.0.0")
    reply = publish_package(fakeplat, "1.0.0")
    assert (403, {"message": "Package already exists."}) == (reply.status, reply.json())
    (package,) = fakeplat.as_user("mia").get(f"{SITE}/packages").json()
    fakeplat.as_user("mia").delete(f"{SITE}/packages/{package['id']}")
    assert 302 == fakeplat.as_user("dev").get(f"packages/npm/{ENCODED}").status
    assert 200 == publish_package(fakeplat, "1.0.0").status


def test_a_name_belongs_to_one_project(fakeplat: Fakeplat) -> None:
    """An npm package name belongs to one project of a root namespace."""
    publish_package(fakeplat, "1.0.0")
    reply = publish_package(fakeplat, "1.1.0", DOCS)
    assert (400, {"message": "Validation failed: Package already exists"}) == (reply.status, reply.json())


@pytest.mark.parametrize("name", ["app", "@other/app", "@ACME/app", "@acme/app/x", "@acme", "@tools/app"])
def test_the_scope_is_the_root_namespace(fakeplat: Fakeplat, name: str) -> None:
    """The scope of an npm package must equal the root namespace in case, too."""
    path = name.replace("/", "%2f")
    for project in (SITE, KIT):
        reply = fakeplat.as_user("dev").put(f"{project}/packages/npm/{path}", json=npm_document(name, "1.0.0"))
        assert (400, {"message": "Validation failed: Name is not valid"}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


@pytest.mark.parametrize("version", ["1", "1.2", "1./2.3", "../1.0.0", "01.2.3", "1.0.0-01", "v1.0.0", "1.0.0\n"])
def test_versions_are_semantic(fakeplat: Fakeplat, version: str) -> None:
    """A version that is not semantic is refused and not stored."""
    reply = publish_package(fakeplat, version)
    assert (400, {"message": "Validation failed: Version is invalid"}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.package_files.all())


def remove_key(document: Any, *path: str, **changes: Any) -> Any:
    """Return a document without a key, or with others."""
    target = document
    for key in path[:-1]:
        target = target[key]
    target.pop(path[-1])
    target.update(changes)
    return document


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ({}, {"error": "versions is missing"}),
        ({"versions": []}, {"error": "versions is invalid"}),
        ({"versions": {"1.0.0": None}}, {"error": "versions is invalid"}),
        ({"versions": {}}, {"message": "Version is empty."}),
        (remove_key(npm_document(NAME, "1.0.0"), "_attachments"), {"error": "_attachments is invalid"}),
        (
            remove_key(npm_document(NAME, "1.0.0"), "_attachments", "@acme/app-1.0.0.tgz", "data", data="?"),
            {"error": "_attachments is invalid"},
        ),
    ],
    ids=["empty", "list", "no manifest", "no version", "no attachments", "no Base64"],
)
def test_incomplete_documents_are_refused(fakeplat: Fakeplat, document: Any, answer: Any) -> None:
    """An incomplete npm document answers 400."""
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/npm/{ENCODED}", json=document)
    assert (400, answer) == (reply.status, reply.json())


@pytest.mark.parametrize("length", [None, 9])
def test_a_package_above_the_limit_is_refused(fakeplat: Fakeplat, length: int | None) -> None:
    """An npm package above the limit by content or claimed length is refused."""
    limit = 6 if length is None else 8
    fakeplat.load({"settings": {"npm_max_file_size": limit}})
    document = npm_document(NAME, "1.0.0")
    if length is not None:
        document["_attachments"]["@acme/app-1.0.0.tgz"]["length"] = length
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/npm/{ENCODED}", json=document)
    assert (400, {"message": "File is too large."}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_a_package_larger_than_other_bodies_is_published(fakeplat: Fakeplat) -> None:
    """The limit of JSON bodies does not count."""
    assert 200 == publish_package(fakeplat, "1.0.0", content=bytes(11 * 1024 * 1024)).status


def test_the_registry_of_a_project_is_newer(fakeplat: Fakeplat) -> None:
    """At 13.5 npm metadata and tags of a project are not found."""
    publish_package(fakeplat, "1.0.0")
    for path in (f"{SITE}/packages/npm/{ENCODED}", f"{SITE}/{TAGS}"):
        reply = fakeplat.as_user("dev").get(path)
        assert (404, {"error": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.fakeplat(version="13.8.0")
def test_later_releases_have_a_registry_for_each_project(fakeplat: Fakeplat) -> None:
    """Later releases have an npm registry for each project, with tags."""
    publish_package(fakeplat, "1.0.0")
    dev = fakeplat.as_user("dev")
    assert ["1.0.0"] == list(dev.get(f"{SITE}/packages/npm/{ENCODED}").json()["versions"])
    assert 204 == dev.put(f"{SITE}/{TAGS}/stable", json="1.0.0").status
    assert {"latest": "1.0.0", "stable": "1.0.0"} == dev.get(f"{SITE}/{TAGS}").json()
    assert 204 == fakeplat.as_user("mia").delete(f"{SITE}/{TAGS}/stable").status
    fakeplat.load({"settings": {"npm_package_requests_forwarding": False}})
    for path in ("packages/npm/@acme%2fnone", "packages/npm/-/package/@acme%2fnone/dist-tags"):
        reply = dev.get(f"{SITE}/{path}")
        assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())
