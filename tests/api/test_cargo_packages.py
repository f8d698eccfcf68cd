"""The Cargo registry of a project. Source: docs/platform/packages.md (Cargo)."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CARGO_NAMES_UNKNOWN_PROJECTS
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, deploy_token, job_token, list_statuses
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
CRATES = "packages/cargo"
NEWEST = {"name": "My_Crate", "vers": "2.0.0+linux", "deps": [], "cksum": "0" * 64, "features": {}, "yanked": True}
READERS = "401 404 404 403 200 200 200 200 200"


def build_crate(name: str, version: str, **fields: Any) -> dict[str, Any]:
    content = b64encode(f"{name} {version}".encode()).decode()
    file = {"file_name": f"{name}-{version}.crate", "content_base64": content}
    return {"name": name, "version": version, "package_type": "cargo", "files": [file], **fields}


PACKAGES = [
    build_crate("my-crate", "1.0.0"),
    build_crate("My_Crate", "2.0.0+linux", manifest=NEWEST),
    build_crate("my-crate", "3.0.0", status="error"),
    *(build_crate(name, "0.1.0") for name in ("a", "ab", "abc")),
    build_crate("empty", "1.0.0", files=[]),
]


@pytest.fixture
def crates(fakeplat: Fakeplat) -> Fakeplat:
    """A world with crates in the private project, whose registry is on."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": PACKAGES}]})
    fakeplat.as_user("root").post("features/package_registry_cargo_support", json={"value": "true"})
    return fakeplat


def test_cargo_reads_where_the_registry_is(crates: Fakeplat) -> None:
    """The configuration of Cargo names the registry, and whether it asks for a token."""
    url = f"{crates.url}/api/v4/projects/5001/packages/cargo"
    expected = {"dl": url, "api": url, "auth-required": True}
    assert expected == crates.as_user("rep").get(f"{SITE}/{CRATES}/config.json").json()
    assert crates.as_user(None).get(f"{DOCS}/{CRATES}/config.json").json()["auth-required"] is False


@pytest.mark.parametrize("path", ["config.json", "my/-c/my-crate", "my-crate/1.0.0/download"])
def test_readers_of_packages_use_the_registry(crates: Fakeplat, path: str) -> None:
    """The registry is for those who read packages; visitors get a challenge. Without its feature there is none."""
    path = f"{SITE}/{CRATES}/{path}"
    assert READERS == list_statuses(crates, "GET", path)
    for token in (job_token(crates), deploy_token(crates), crates.token("rep")):
        assert 200 == crates.as_user(None).get(path, headers={"Authorization": f"Bearer {token}"}).status
    assert 'Basic realm="Platform Packages Registry"' == crates.as_user(None).get(path).headers["WWW-Authenticate"]
    crates.as_user("root").post("features/package_registry_cargo_support", json={"value": "false"})
    reply = crates.as_user("rep").get(path)
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@by_release(CARGO_NAMES_UNKNOWN_PROJECTS, "message", {"19.2": "404 Not Found", "19.3": "404 Project Not Found"})
def test_an_unknown_project(fakeplat: Fakeplat, message: str) -> None:
    """An unknown project is not found, from 19.3 on by name; visitors get a challenge."""
    path = f"projects/1/{CRATES}/config.json"
    reply = fakeplat.as_user("rep").get(path)
    assert (404, {"message": message}) == (reply.status, reply.json())
    assert 401 == fakeplat.as_user(None).get(path).status


@pytest.mark.parametrize("path", ["my/-c/my-crate", "my/_c/My_Crate"])
def test_the_index_has_a_line_for_each_version(crates: Fakeplat, path: str) -> None:
    """The index of a crate has a line of JSON for each version, newest first, by any spelling of the name."""
    reply = crates.as_user("rep").get(f"{SITE}/{CRATES}/{path}")
    assert (200, "text/plain") == (reply.status, reply.headers["Content-Type"])
    checksum = sha256(b"my-crate 1.0.0").hexdigest()
    oldest = {"name": "my-crate", "vers": "1.0.0", "deps": [], "cksum": checksum, "features": {}, "yanked": False}
    assert [NEWEST, oldest] == [orjson.loads(line) for line in reply.text.split("\n")]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("1/a", 200),
        ("2/ab", 200),
        ("3/a/abc", 200),
        ("1/ab", 400),
        ("3/z/abc", 400),
        ("zz/zz/my-crate", 400),
        ("my/-c/none", 400),
        ("no/ne/none", 404),
        ("MY/-C/MY-CRATE", 404),
        ("3/aa/abc", 404),
    ],
)
def test_folders_of_the_index_follow_the_name(crates: Fakeplat, path: str, status: int) -> None:
    """The folders of a file of the index are those of the crate's name in small letters."""
    reply = crates.as_user("rep").get(f"{SITE}/{CRATES}/{path}")
    assert status == reply.status
    if status == 400:
        text = "400 Bad request - Request path does not match the Cargo index layout for this package name"
        assert {"message": text} == reply.json()


def test_an_unknown_crate_is_not_found(crates: Fakeplat) -> None:
    """Unknown crates and versions are not found, nor is one without a file."""
    rep = crates.as_user("rep")
    for path in ("no/ne/none", "none/1.0.0/download", "my-crate/9.9.9/download", "my-crate/3.0.0/download"):
        reply = rep.get(f"{SITE}/{CRATES}/{path}")
        assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())
    reply = rep.get(f"{SITE}/{CRATES}/empty/1.0.0/download")
    assert (404, {"message": "404 Package file Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("my_crate/1.0.0", b"my-crate 1.0.0"),
        ("my-crate/2.0.0", b"My_Crate 2.0.0+linux"),
        ("MY-CRATE/2.0.0+mac", b"My_Crate 2.0.0+linux"),
    ],
)
def test_a_crate_is_downloaded_by_any_spelling(crates: Fakeplat, path: str, content: bytes) -> None:
    """A crate is downloaded by any spelling of its name, and without its build; the package remembers the time."""
    reply = crates.as_user("rep").get(f"{SITE}/{CRATES}/{path}/download")
    assert (200, "application/octet-stream", content) == (reply.status, reply.headers["Content-Type"], reply.content)
    listed = crates.as_user("rep").get(f"{SITE}/packages?package_type=cargo").json()
    assert 1 == sum(row["last_downloaded_at"] is not None for row in listed)
