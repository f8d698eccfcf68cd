"""Composer repositories of groups, and publishing. Source: docs/platform/packages.md."""

import io
import json
import zipfile
from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    COMPOSER_2_NEEDS_NO_PROVIDERS,
    COMPOSER_2_REPOSITORIES,
    COMPOSER_ARCHIVES_NEED_A_RIGHT,
    COMPOSER_ASKS_VISITORS_TO_LOGIN,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses
from tests.by_release import by_release

MANIFEST = {"name": "acme/lib", "type": "library", "require": {"php": ">=7"}}
GROUP = "group/acme/-/packages/composer"


def declare(manifest: str) -> dict[str, Any]:
    """A repository with tags and branches, whose root has a manifest."""
    files = {"composer.json": manifest, "src/a.php": "<?php\n"}
    first = {"message": "First", "files": files, "tags": ["v1.0.0", "1.0", "2.0.0-beta.1"]}
    starts = [
        {"message": "Start", "branch": branch, "start": "master", "files": {"b.php": ""}} for branch in ("v1", "v2.x")
    ]
    return {"commits": [first, *starts], "head": "master"}


def world_with(manifest: str = json.dumps(MANIFEST), **site: Any) -> dict[str, Any]:
    group = {**COMPANY["groups"][0]}
    group["projects"] = [
        {**project, "repository": declare(manifest), **(site if project["path"] == "site" else {})}
        for project in group["projects"]
    ]
    return {**COMPANY, "groups": [group]}


WORLD = world_with()
pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=WORLD)


def publish(fake: Fakeplat, project: str = SITE, **what: str) -> Any:
    return fake.as_user("dev").post(f"{project}/packages/composer", json=what)


def head(fake: Fakeplat, project: str = SITE) -> str:
    sha: str = fake.as_user("root").get(f"{project}/repository/commits").json()[0]["id"]
    return sha


@pytest.mark.parametrize(
    ("project", "statuses"),
    [(DOCS, "401 403 403 403 403 201 201 201 201"), (SITE, "401 404 404 403 403 201 201 201 201")],
    ids=["public", "private"],
)
def test_developers_publish(fakeplat: Fakeplat, project: str, statuses: str) -> None:
    """Developers publish packages; anonymous callers get a challenge."""
    assert statuses == list_statuses(fakeplat, "POST", f"{project}/packages/composer", json={"tag": "v1.0.0"})
    reply = fakeplat.as_user(None).post(f"{project}/packages/composer", json={"tag": "v1.0.0"})
    assert 'Basic realm="Platform Packages Registry"' == reply.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("what", "version"),
    [
        ({"tag": "v1.0.0"}, "1.0.0"),
        ({"tag": "2.0.0-beta.1"}, "2.0.0-beta.1"),
        ({"branch": "v1"}, "1.x-dev"),
        ({"branch": "v2.x"}, "2.x-dev"),
        ({"branch": "master"}, "dev-master"),
    ],
)
def test_versions_come_from_tags_and_branches(fakeplat: Fakeplat, what: dict[str, str], version: str) -> None:
    """A tag is a version, a branch a development version in the form of Composer."""
    reply = publish(fakeplat, **what)
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_type=composer").json()
    assert ("acme/lib", version) == (package["name"], package["version"])


def test_publishing_again_moves_the_version(fakeplat: Fakeplat) -> None:
    """A branch that is published again is the same package with the new commit."""
    publish(fakeplat, branch="master")
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    action = {"action": "create", "file_path": "b.php", "content": "<?php\n"}
    body = {"branch": "master", "commit_message": "b", "actions": [action]}
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/repository/commits", json=body).status
    publish(fakeplat, branch="master")
    (again,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert package["id"] == again["id"]
    versions = fakeplat.as_user("rep").get(f"{GROUP}/acme/lib$0.json").json()["packages"]["acme/lib"]
    assert [head(fakeplat)] == [version["dist"]["reference"] for version in versions.values()]


@pytest.mark.parametrize(
    ("what", "status", "body"),
    [
        ({}, 400, {"error": "tag, branch are missing, exactly one parameter must be provided"}),
        ({"tag": "v1.0.0", "branch": "v1"}, 400, {"error": "tag, branch are mutually exclusive"}),
        ({"tag": ""}, 400, {"message": "400 Bad request"}),
        ({"tag": "v9"}, 404, {"message": "404 Tag Not Found"}),
        ({"branch": "none"}, 404, {"message": "404 Branch Not Found"}),
        ({"tag": "1.0"}, 400, {"message": "Validation failed: Version should follow SemVer: https://semver.org"}),
    ],
)
def test_what_is_published_is_checked(fakeplat: Fakeplat, what: dict[str, str], status: int, body: Any) -> None:
    """Exactly one branch or tag is published, which exists and names a version; nothing is stored otherwise."""
    reply = publish(fakeplat, **what)
    assert (status, body) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


@pytest.mark.parametrize(
    ("manifest", "status", "message"),
    [
        ("", 422, "Could not parse composer.json file. Invalid JSON."),
        ("no JSON", 422, "Could not parse composer.json file. Invalid JSON."),
        ("[]", 422, "Could not parse composer.json file. Invalid JSON."),
        ("{}", 400, "Validation failed: Name can't be blank, Name is invalid"),
        ('{"name": "acme lib"}', 400, "Validation failed: Name is invalid"),
    ],
)
def test_the_manifest_is_checked(fakeplat_factory: Any, manifest: str, status: int, message: str) -> None:
    """A package needs a composer.json that is JSON and names it."""
    fake = fakeplat_factory(scenario=world_with(manifest))
    reply = publish(fake, tag="v1.0.0")
    assert (status, {"message": message}) == (reply.status, reply.json())


def test_a_manifest_is_required(fakeplat_factory: Any) -> None:
    """A commit without a composer.json is refused."""
    commit = {"message": "First", "files": {"a.txt": "a"}}
    fake = fakeplat_factory(scenario=world_with(repository={"commits": [commit]}))
    reply = publish(fake, branch="master")
    assert (422, {"message": "The file composer.json was not found."}) == (reply.status, reply.json())


def test_names_belong_to_one_project(fakeplat: Fakeplat) -> None:
    """A name of a package that another project published is taken in the whole instance."""
    publish(fakeplat, tag="v1.0.0")
    reply = publish(fakeplat, DOCS, tag="2.0.0-beta.1")
    message = "Validation failed: Name is already taken by another project"
    assert (400, {"message": message}) == (reply.status, reply.json())


@pytest.mark.fakeplat(releases="<14.2")
def test_the_repository_of_a_group_in_13_5(fakeplat: Fakeplat) -> None:
    """Composer 1 finds the digests of the lists by which it checks what it gets."""
    publish(fakeplat, tag="v1.0.0")
    rep = fakeplat.as_user("rep")
    id_ = rep.get("groups/acme").json()["id"]
    root = rep.get(f"{GROUP}/packages.json")
    providers = rep.get(f"{GROUP}/p/{'0' * 64}.json")
    base = f"/api/v4/group/{id_}/-/packages/composer"
    expected = {
        "packages": [],
        "provider-includes": {"p/%hash%.json": {"sha256": sha256(providers.content).hexdigest()}},
        "providers-url": f"{base}/%package%$%hash%.json",
    }
    assert (200, expected) == (root.status, root.json())
    assert expected == rep.get(f"{GROUP}/packages").json()
    digest = providers.json()["providers"]["acme/lib"]["sha256"]
    assert digest == sha256(rep.get(f"{GROUP}/acme%2Flib${digest}.json").content).hexdigest()
    assert 404 == rep.get(f"{GROUP}/p2/acme/lib.json").status


def test_the_metadata_of_a_package(fakeplat: Fakeplat) -> None:
    """Each version has the fields of its composer.json, an archive and its source; that of a private project by SSH."""
    publish(fakeplat, tag="v1.0.0")
    sha, rep = head(fakeplat), fakeplat.as_user("rep")
    (package,) = rep.get(f"{SITE}/packages").json()
    archive = f"{fakeplat.url}/api/v4/projects/5001/packages/composer/archives/acme/lib.zip?sha={sha}"
    ssh = rep.get(SITE).json()["ssh_url_to_repo"]
    version = {
        **MANIFEST,
        "dist": {"type": "zip", "url": archive, "reference": sha, "shasum": ""},
        "source": {"type": "git", "url": ssh, "reference": sha},
        "uid": package["id"],
        "version": "1.0.0",
    }
    reply = rep.get(f"{GROUP}/acme/lib$0.json")
    assert (200, {"packages": {"acme/lib": {"1.0.0": version}}}) == (reply.status, reply.json())
    with zipfile.ZipFile(io.BytesIO(rep.get(archive.removeprefix(f"{fakeplat.url}/api/v4/")).content)) as packed:
        assert [f"site-{sha}-{sha}/composer.json"] == [name for name in packed.namelist() if name.endswith(".json")]


def test_the_source_of_a_public_project(fakeplat: Fakeplat) -> None:
    """The source of a public project is cloned over HTTP."""
    publish(fakeplat, DOCS, tag="v1.0.0")
    (version,) = fakeplat.as_user(None).get(f"{GROUP}/acme/lib$0.json").json()["packages"]["acme/lib"].values()
    assert f"{fakeplat.url}/acme/docs.git" == version["source"]["url"]


@pytest.mark.parametrize("version", ["14.10", COMPOSER_2_NEEDS_NO_PROVIDERS.since.removeprefix("<=")])
def test_composer_2_reads_the_metadata_at_once(fakeplat_factory: Any, version: str) -> None:
    """Composer 2 has a URL of its own, and later gets nothing else."""
    fake = fakeplat_factory(scenario=WORLD, version=version)
    profile = fake.bench.platform.view.profile
    assert profile.has(COMPOSER_2_REPOSITORIES)
    publish(fake, tag="v1.0.0")
    rep = fake.as_user("rep")
    id_ = rep.get("groups/acme").json()["id"]
    old, new = (
        rep.get(f"{GROUP}/packages.json", headers={"User-Agent": agent}).json()
        for agent in ("Composer/1.9", "Composer/2.5")
    )
    url = f"/api/v4/group/{id_}/-/packages/composer/p2/%package%.json"
    names = {"packages", "metadata-url", "provider-includes", "providers-url"}
    assert (names, url) == (old.keys(), old["metadata-url"])
    is_short = profile.has(COMPOSER_2_NEEDS_NO_PROVIDERS)
    assert ({"packages": [], "metadata-url": url} if is_short else old) == new
    assert ["1.0.0"] == list(rep.get(f"{GROUP}/p2/acme/lib.json").json()["packages"]["acme/lib"])


@pytest.mark.parametrize("path", ["acme/lib.json", "none/lib$0.json"])
def test_unknown_packages_are_not_found(fakeplat: Fakeplat, path: str) -> None:
    """A package needs a digest in its address and somebody who sees it."""
    publish(fakeplat, tag="v1.0.0")
    reply = fakeplat.as_user("rep").get(f"{GROUP}/{path}")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_groups_show_what_their_callers_may_read(fakeplat: Fakeplat) -> None:
    """The packages of private projects are shown to members from Reporter on, without a refusal of others."""
    publish(fakeplat, tag="v1.0.0")
    assert "404 404 404 404 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{GROUP}/acme/lib$0.json")
    assert " ".join(["200"] * 9) == list_statuses(fakeplat, "GET", f"{GROUP}/packages.json")
    assert {"providers": {}} == fakeplat.as_user("gus").get(f"{GROUP}/p/0.json").json()


@by_release(COMPOSER_ASKS_VISITORS_TO_LOGIN, "is_challenged", {"17.8": False, "17.9": True})
def test_hidden_groups_challenge_visitors(fakeplat: Fakeplat, is_challenged: bool) -> None:
    """From 17.9 on, a group that is unknown or hidden is 401 with a challenge for visitors, and 404 for others."""
    fakeplat.as_user("root").post("groups", json={"name": "Closed", "path": "closed", "visibility": "private"})
    message = "404 Not Found" if is_challenged else "404 Group Not Found"
    for group in ("none", "closed"):
        for path in ("packages.json", "p/0.json", "p2/acme/lib.json", "acme/lib$0.json"):
            url = f"group/{group}/-/packages/composer/{path}"
            reply = fakeplat.as_user("rep").get(url)
            assert (url, 404, {"message": message}) == (url, reply.status, reply.json())
            reply = fakeplat.as_user(None).get(url)
            expected = (401, True) if is_challenged else (404, False)
            assert (url, *expected) == (url, reply.status, "WWW-Authenticate" in reply.headers)


def test_names_of_packages_are_paths(fakeplat: Fakeplat) -> None:
    """The name of a package may not lead elsewhere."""
    for path in (f"{GROUP}/..%2Flib$0.json", f"{SITE}/packages/composer/archives/..%2Flib.zip?sha=0"):
        reply = fakeplat.as_user("rep").get(path)
        assert (400, {"error": "package_name should be a valid file path"}) == (reply.status, reply.json())


@pytest.mark.parametrize("version", ["15.6", COMPOSER_ARCHIVES_NEED_A_RIGHT.since.removeprefix("<=")])
def test_archives_of_private_projects(fakeplat_factory: Any, version: str) -> None:
    """Who knows the commit gets the archive; later releases ask for the right to read packages."""
    fake = fakeplat_factory(scenario=WORLD, version=version)
    publish(fake, tag="v1.0.0")
    path = f"{SITE}/packages/composer/archives/acme/lib.zip?sha={head(fake)}"
    is_open = not fake.bench.platform.view.profile.has(COMPOSER_ARCHIVES_NEED_A_RIGHT)
    expected = " ".join(["200"] * 9) if is_open else "401 404 404 403 200 200 200 200 200"
    assert expected == list_statuses(fake, "GET", path)
    unknown = path.replace(SITE, "projects/none")
    statuses = [404, 404] if is_open else [401, 404]
    assert statuses == [fake.as_user(user).get(unknown).status for user in (None, "rep")]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("acme/lib.zip", {"error": "sha is missing"}),
        ("acme/lib.zip?sha=0", {"message": "404 Not Found"}),
        ("acme/other.zip?sha={sha}", {"message": "404 Not Found"}),
    ],
)
def test_unknown_archives_are_not_found(fakeplat: Fakeplat, path: str, body: Any) -> None:
    """An archive needs the name of a package and the commit of one of its versions."""
    publish(fakeplat, tag="v1.0.0")
    path = f"{SITE}/packages/composer/archives/{path.format(sha=head(fakeplat))}"
    assert body == fakeplat.as_user("rep").get(path).json()


def test_each_kind_of_token(fakeplat: Fakeplat) -> None:
    """Personal, job and deploy tokens are sent as passwords or in their headers."""
    deploy, job = deploy_token(fakeplat), job_token(fakeplat)
    caller, personal = fakeplat.as_user(None), fakeplat.token("dev")
    for headers in (
        basic("dev", personal),
        basic("gitlab-ci-token", job),
        basic("ci", deploy),
        {"Private-Token": personal},
        {"Job-Token": job},
        {"Deploy-Token": deploy},
    ):
        reply = caller.post(f"{SITE}/packages/composer", json={"tag": "v1.0.0"}, headers=headers)
        assert (headers, 201) == (headers, reply.status)
        assert (headers, 200) == (headers, caller.get(f"{GROUP}/acme/lib$0.json", headers=headers).status)


def test_packages_of_a_scenario(fakeplat_factory: Any) -> None:
    """A scenario declares a version with its commit, and an export writes it again."""
    fake = fakeplat_factory(scenario=WORLD)
    publish(fake, tag="v1.0.0")
    exported = fakeplat_factory(scenario=fake.export())
    path = f"{GROUP}/acme/lib$0.json"
    texts = [world.as_user("root").get(path).text.replace(world.url, "") for world in (fake, exported)]
    assert texts[0] == texts[1]
