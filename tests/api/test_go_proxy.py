"""The proxy of Go modules. Source: docs/platform/packages.md."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import SITE, basic, finish_jobs, job_token, list_statuses

HOST = "127.0.0.1"
BASE = f"{HOST}/acme/site"


def commit(message: str, tag: str = "", **files: str) -> dict[str, Any]:
    named = {name.replace("__", "/").replace("_", "."): content for name, content in files.items()}
    return {"message": message, "files": named, **({"tags": [tag]} if tag else {})}


COMMITS = [
    commit("Begin", "v1.0.0", README_md="Hi"),
    commit("Module", "v1.0.1", go_mod=f"module {BASE}\n\ngo 1.16\n", a_go="package a\n"),
    commit("Package", "v1.0.2", pkg__b_go="package b\n"),
    commit("Inner module", "v1.0.3", mod__go_mod=f"module {BASE}/mod\n", mod__a_go="package mod\n"),
    commit("Between", y_go="package a\n"),
    commit("Version 2", "v2.0.0", v2__go_mod=f"module {BASE}/v2\n", v2__x_go="package a\n"),
    commit("Pre-release", "v1.1.0-RC.1", z_go="package a\n"),
    commit("No version", "release-1"),
]


def build_world(commits: list[dict[str, Any]]) -> dict[str, Any]:
    (group,) = COMPANY["groups"]
    projects = [
        {**project, **({"repository": {"commits": commits}} if project["path"] == "site" else {})}
        for project in group["projects"]
    ]
    return {**COMPANY, "groups": [{**group, "projects": projects}]}


pytestmark = [
    pytest.mark.every_release,
    pytest.mark.fakeplat(clock="virtual", scenario=build_world(COMMITS)),
]


@pytest.fixture(autouse=True)
def switched_on(fakeplat: Fakeplat) -> None:
    fakeplat.as_user("root").post("features/go_proxy", json={"value": "true"})


def ask(fake: Fakeplat, file: str, module: str = BASE, user: str | None = "rep") -> Any:
    return fake.as_user(user).get(f"{SITE}/packages/go/{module}/@v/{file}")


def pseudo_version(fake: Fakeplat, message: str, prefix: str) -> str:
    """Return the pseudo-version of the commit with a message."""
    commits = fake.as_user("root").get(f"{SITE}/repository/commits?per_page=100").json()
    (commit,) = (row for row in commits if row["title"] == message)
    digits = "".join(sign for sign in commit["committed_date"][:19] if sign.isdigit())
    return f"{prefix}{digits}-{commit['id'][:12]}"


@pytest.mark.parametrize(
    ("module", "versions"),
    [
        (BASE, ["v1.0.1", "v1.0.2", "v1.0.3", "v1.1.0-RC.1"]),
        (f"{BASE}/mod", ["v1.0.3", "v1.1.0-RC.1"]),
        (f"{BASE}/v2", ["v2.0.0"]),
        (f"{BASE}/pkg", []),
        (f"{BASE}/mod/../v2", ["v2.0.0"]),
    ],
)
def test_tags_are_versions(fakeplat: Fakeplat, module: str, versions: list[str]) -> None:
    """The versions of a module are the tags whose `go.mod` names it, with its major version."""
    reply = ask(fakeplat, "list", module.replace("..", "%2E%2E"))
    assert (200, "text/plain", versions) == (reply.status, reply.headers["Content-Type"], reply.text.split())


@pytest.mark.parametrize("module", [f"{BASE}/%2E%2E%2Fxyz", "example.com/acme/site", f"{BASE}x", f"{HOST}/acme/docs"])
def test_modules_of_other_projects_are_not_found(fakeplat: Fakeplat, module: str) -> None:
    """The name of a module begins with the host and the path of its project."""
    reply = ask(fakeplat, "list", module)
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_the_proxy_is_off_by_default(fakeplat: Fakeplat) -> None:
    """The proxy is a feature, which may be on for one project only."""
    fakeplat.as_user("root").post("features/go_proxy", json={"value": "false"})
    reply = ask(fakeplat, "list")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
    fakeplat.as_user("root").post("features/go_proxy", json={"value": "true", "project": "acme/site"})
    assert 200 == ask(fakeplat, "list").status


@pytest.mark.parametrize(
    ("module", "version"),
    [(BASE, "v1.0.1"), (f"{BASE}/mod", "v1.0.3"), (f"{BASE}/v2", "v2.0.0"), (BASE, "v1.1.0-RC.1")],
)
def test_a_version_is_described(fakeplat: Fakeplat, module: str, version: str) -> None:
    """The description of a version has its name and the time of its commit; capital letters are encoded."""
    encoded = version.replace("RC", "!r!c")
    reply = ask(fakeplat, f"{encoded}.info", module)
    time = fakeplat.as_user("root").get(f"{SITE}/repository/tags/{version}").json()["commit"]["committed_date"]
    assert (200, version) == (reply.status, reply.json()["Version"])
    assert time[:19] == reply.json()["Time"][:19]
    assert f"module {module}" == ask(fakeplat, f"{encoded}.mod", module).text.splitlines()[0]


@pytest.mark.parametrize(
    ("module", "version"),
    [
        (BASE, "v1.0.0"),
        (BASE, "v2.0.0"),
        (BASE, "v9.0.0"),
        (BASE, "release-1"),
        (BASE, "master"),
        (f"{BASE}/mod", "v1.0.1"),
        (f"{BASE}/pkg", "v1.0.3"),
        (f"{BASE}/v2", "v1.0.1"),
    ],
)
@pytest.mark.parametrize("kind", ["info", "mod", "zip", "txt"])
def test_a_tag_without_its_module_is_no_version(fakeplat: Fakeplat, module: str, version: str, kind: str) -> None:
    """A tag is no version of a module that its `go.mod` does not name."""
    reply = ask(fakeplat, f"{version}.{kind}", module)
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("module", "message", "prefix"),
    [(BASE, "Between", "v1.0.4-0."), (f"{BASE}/v2", "Version 2", "v2.0.0-"), (BASE, "No version", "v1.1.0-RC.1.0.")],
)
def test_a_commit_has_a_pseudo_version(fakeplat: Fakeplat, module: str, message: str, prefix: str) -> None:
    """A pseudo-version names a commit by its time and the first twelve digits of its hash."""
    version = pseudo_version(fakeplat, message, prefix)
    reply = ask(fakeplat, f"{version.replace('RC', '!r!c')}.info", module)
    assert (200, version) == (reply.status, reply.json()["Version"])


@pytest.mark.parametrize(
    "change",
    [
        lambda version: version[:-1],
        lambda version: f"{version[:-12]}000000000000",
        lambda version: version.replace("-0.20", "-0.19"),
        lambda version: version.replace("-0.", "-"),
    ],
    ids=["short hash", "unknown hash", "other time", "no base"],
)
def test_a_wrong_pseudo_version_is_not_found(fakeplat: Fakeplat, change: Callable[[str], str]) -> None:
    """A pseudo-version has twelve digits of the hash and the time of the commit."""
    version = change(pseudo_version(fakeplat, "Between", "v1.0.4-0."))
    assert 404 == ask(fakeplat, f"{version}.info").status


@pytest.mark.parametrize(
    ("module", "version", "files"),
    [
        (BASE, "v1.0.1", ["README.md", "a.go", "go.mod"]),
        (BASE, "v1.0.3", ["README.md", "a.go", "go.mod", "pkg/b.go"]),
        (f"{BASE}/mod", "v1.0.3", ["a.go", "go.mod"]),
        (f"{BASE}/v2", "v2.0.0", ["go.mod", "x.go"]),
    ],
)
def test_an_archive_has_the_files_of_its_module(
    fakeplat: Fakeplat, module: str, version: str, files: list[str]
) -> None:
    """The archive of a version has the files of its folder below its name, without those of modules inside it."""
    reply = ask(fakeplat, f"{version}.zip", module)
    assert (200, "application/zip") == (reply.status, reply.headers["Content-Type"])
    assert f'filename="{version}.zip"' in reply.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(reply.content)) as archive:
        assert [f"{module}@{version}/{name}" for name in files] == sorted(archive.namelist())
        assert f"module {module}" == archive.read(f"{module}@{version}/go.mod").decode().splitlines()[0]
    assert reply.content == ask(fakeplat, f"{version}.zip", module).content


def test_a_declared_package_is_a_version(fakeplat: Fakeplat) -> None:
    """A tag is a version without a `go.mod` if a Go package of the project says so."""
    package = {"name": BASE, "version": "v1.0.0", "package_type": "golang"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [package]}]})
    assert "v1.0.0" in ask(fakeplat, "list").text.split()
    assert 404 == ask(fakeplat, "v1.0.0.mod").status


def test_roles_that_read_modules(fakeplat: Fakeplat) -> None:
    """Who reads the packages of a project reads its modules; anonymous callers get 401, but no challenge."""
    path = f"{SITE}/packages/go/{BASE}/@v"
    for file in ("list", "v1.0.1.info"):
        assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{path}/{file}")
    for project in ("projects/none%2Fnone", SITE):
        reply = fakeplat.as_user(None).get(f"{project}/packages/go/{BASE}/@v/list")
        assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
        assert "WWW-Authenticate" not in reply.headers


def test_each_way_to_send_a_token(fakeplat: Fakeplat) -> None:
    """Go sends a personal or job token as password."""
    personal, job = fakeplat.token("rep"), job_token(fakeplat)
    caller, path = fakeplat.as_user(None), f"{SITE}/packages/go/{BASE}/@v/list"
    for headers in (basic("rep", personal), basic("gitlab-ci-token", job), {"PRIVATE-TOKEN": personal}):
        assert 200 == caller.get(path, headers=headers).status
    finish_jobs(fakeplat)
    assert 401 == caller.get(path, headers=basic("gitlab-ci-token", job)).status
