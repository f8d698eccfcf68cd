"""The registry of Terraform modules. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TERRAFORM_MODULES_MAY_HAVE_DUPLICATES
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
    multipart,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="latest")
MODULE = "packages/terraform/modules/v1/acme/network/aws"
IN_PROJECT = "packages/terraform/modules/network/aws"
ARCHIVE = b"archive of a module"


def upload(
    fake: Fakeplat, version: str = "1.0.0", project: str = SITE, name: str = "network/aws", user: str = "dev"
) -> Any:
    path = f"{project}/packages/terraform/modules/{name}/{version}/file"
    return fake.as_user(user).put(path, data=ARCHIVE)


def count(fake: Fakeplat) -> tuple[int, int]:
    view = fake.bench.platform.view
    return len(view.packages.all()), len(view.package_files.all())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_terraform_discovers_the_registry(fakeplat: Fakeplat) -> None:
    """Terraform learns the address of the registry from a well-known address of the host."""
    reply = fakeplat.as_user(None).get(f"{fakeplat.url.rstrip('/')}/.well-known/terraform.json")
    assert (200, {"modules.v1": "/api/v4/packages/terraform/modules/v1/"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("project", "put", "get"),
    [
        (SITE, "401 404 404 403 403 201 201 201 201", "401 404 404 403 200 200 200 200 200"),
        (DOCS, "401 403 403 403 403 201 201 201 201", "200 200 200 200 200 200 200 200 200"),
    ],
    ids=["private", "public"],
)
def test_roles_that_publish_and_download(fakeplat: Fakeplat, project: str, put: str, get: str) -> None:
    """Developers publish modules, and whoever reads the packages of a project downloads them there."""
    path = f"{project}/{IN_PROJECT}"
    assert put == list_statuses(fakeplat, "PUT", f"{path}/1.0.0/file", data=ARCHIVE)
    upload(fakeplat, project=project)
    for version in ("", "/1.0.0"):
        assert get == list_statuses(fakeplat, "GET", path + version)


def test_modules_of_a_public_group_are_listed_for_those_who_read_them(fakeplat: Fakeplat) -> None:
    """In a public group, everybody may ask, and gets the versions of the projects whose packages they read."""
    upload(fakeplat)
    upload(fakeplat, "1.1.0")
    listed = {}
    for user in (None, "eve", "gus", "rep"):
        reply = fakeplat.as_user(user).get(f"{MODULE}/versions")
        (module,) = reply.json()["modules"]
        listed[user] = (reply.status, [version["version"] for version in module["versions"]])
    nothing: tuple[int, list[str]] = (200, [])
    assert {None: nothing, "eve": nothing, "gus": nothing, "rep": (200, ["1.0.0", "1.1.0"])} == listed
    for path in ("1.0.0", "1.0.0/download", "1.0.0/file"):
        reply = fakeplat.as_user("eve").get(f"{MODULE}/{path}")
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_modules_of_a_private_group_are_hidden(fakeplat: Fakeplat) -> None:
    """Those who may not read the packages of a group get 403, and anonymous callers a challenge."""
    fakeplat.as_user("root").put("groups/acme%2Ftools", json={"visibility": "private"})
    fakeplat.as_user("root").put(KIT, json={"visibility": "private"})
    for path in ("versions", "", "download", "1.0.0", "1.0.0/download", "1.0.0/file"):
        upload(fakeplat, project=KIT)
        module = f"packages/terraform/modules/v1/acme%2Ftools/network/aws/{path}".rstrip("/")
        ok = 204 if path == "1.0.0/download" else 302 if path == "download" else 200
        expected = f"401 403 403 403 {ok} {ok} {ok} {ok} {ok}"
        assert expected == list_statuses(fakeplat, "GET", module)
    reply = fakeplat.as_user(None).get("packages/terraform/modules/v1/none/network/aws/versions")
    challenge = 'Basic realm="Platform Packages Registry"'
    assert (401, {"message": "401 Unauthorized"}, challenge) == (
        reply.status,
        reply.json(),
        reply.headers["WWW-Authenticate"],
    )
    reply = fakeplat.as_user("dev").get("packages/terraform/modules/v1/none/network/aws/versions")
    assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())


def test_versions_are_described(fakeplat: Fakeplat) -> None:
    """The versions of a module name its system as provider, and the project as source."""
    upload(fakeplat)
    source = f"{fakeplat.url.rstrip('/')}/acme/site"
    root = {"dependencies": [], "providers": [{"name": "aws", "version": ""}]}
    assert {
        "modules": [{"versions": [{"version": "1.0.0", "submodules": [], "root": root}], "source": source}]
    } == fakeplat.as_user("rep").get(f"{MODULE}/versions").json()
    expected = {
        "name": "network/aws",
        "provider": "aws",
        "providers": ["aws"],
        "root": {"dependencies": []},
        "source": source,
        "submodules": [],
        "version": "1.0.0",
        "versions": ["1.0.0"],
    }
    for path in (MODULE, f"{MODULE}/1.0.0"):
        assert expected == fakeplat.as_user("rep").get(path).json()


def test_the_latest_version_is_the_highest(fakeplat: Fakeplat) -> None:
    """The latest version is the highest by the rules of semantic versions."""
    for version in ("1.0.10", "1.0.9", "1.0.10-rc.1"):
        upload(fakeplat, version)
    rep = fakeplat.as_user("rep")
    assert "1.0.10" == rep.get(MODULE).json()["version"]
    reply = rep.get(f"{MODULE}/download")
    assert (302, f"/api/v4/{MODULE}/1.0.10/download") == (reply.status, reply.headers["Location"])
    assert "network-aws-1.0.10.tgz" in rep.get(f"{SITE}/{IN_PROJECT}").headers["Content-Disposition"]


@pytest.mark.parametrize("path", ["", "/download"])
def test_an_unknown_module_has_no_latest_version(fakeplat: Fakeplat, path: str) -> None:
    """The latest version of an unknown module is not found."""
    reply = fakeplat.as_user("rep").get(f"packages/terraform/modules/v1/acme/other/aws{path}")
    assert (404, {"message": {"error": "No version found for other module"}}) == (reply.status, reply.json())


@pytest.mark.parametrize("kind", ["personal", "job", "deploy"])
def test_the_address_of_an_archive_has_a_token(fakeplat: Fakeplat, kind: str) -> None:
    """The address of an archive carries a token for the caller's own, which ends soon."""
    upload(fakeplat)
    token = {
        "personal": lambda: fakeplat.token("rep"),
        "job": lambda: job_token(fakeplat),
        "deploy": lambda: deploy_token(fakeplat),
    }[kind]()
    caller = fakeplat.as_user(None)
    reply = caller.get(f"{MODULE}/1.0.0/download", headers=bearer(token))
    location = reply.headers["X-Terraform-Get"]
    start = f"/api/v4/{MODULE}/1.0.0/file?token="
    assert (204, True, True) == (reply.status, location.startswith(start), location.endswith("&archive=tgz"))
    assert token not in location
    path = location.removeprefix("/api/v4/")
    download = caller.get(path)
    assert (200, ARCHIVE, "application/octet-stream") == (
        download.status,
        download.content,
        download.headers["Content-Type"],
    )
    assert 401 == caller.get(f"{MODULE}/1.0.0/file?token=invalid&archive=tgz").status
    fakeplat.clock.advance("6m")
    assert 401 == caller.get(path).status


def test_a_public_archive_needs_no_token(fakeplat: Fakeplat) -> None:
    """The address of a public archive has an empty token."""
    upload(fakeplat, project=DOCS)
    caller = fakeplat.as_user(None)
    location = caller.get(f"{MODULE}/1.0.0/download").headers["X-Terraform-Get"]
    assert f"/api/v4/{MODULE}/1.0.0/file?token=&archive=tgz" == location
    assert ARCHIVE == caller.get(location.removeprefix("/api/v4/")).content


def test_wrong_tokens_are_refused(fakeplat: Fakeplat) -> None:
    """A wrong token is refused, even where none is needed, and so is that of a finished job."""
    upload(fakeplat, project=DOCS)
    upload(fakeplat, name="other/aws")
    caller, job = fakeplat.as_user(None), job_token(fakeplat)
    assert 401 == caller.get(f"{MODULE}/versions", headers=bearer("wrong")).status
    assert 401 == caller.get(f"{DOCS}/{IN_PROJECT}", headers=basic("dev", "wrong")).status
    other = "packages/terraform/modules/v1/acme/other/aws/versions"
    assert 200 == caller.get(other, headers=bearer(job)).status
    finish_jobs(fakeplat)
    assert 401 == caller.get(other, headers=bearer(job)).status


def test_terraform_asks_a_project_for_the_address(fakeplat: Fakeplat) -> None:
    """With `terraform-get` a project answers with the address of the archive, which is its own."""
    upload(fakeplat)
    rep = fakeplat.as_user("rep")
    reply = rep.get(f"{SITE}/{IN_PROJECT}/1.0.0?terraform-get=1")
    assert (204, f"{fakeplat.url.rstrip('/')}/api/v4/{SITE}/{IN_PROJECT}/1.0.0?archive=tgz") == (
        reply.status,
        reply.headers["X-Terraform-Get"],
    )
    assert ARCHIVE == rep.get(f"{SITE}/{IN_PROJECT}/1.0.0?archive=tgz").content
    reply = rep.get(f"{SITE}/{IN_PROJECT}?terraform-get=2")
    assert (400, {"error": "terraform-get does not have a valid value"}) == (reply.status, reply.json())
    for path in ("packages/terraform/modules/other/aws", f"{IN_PROJECT}/2.0.0"):
        reply = rep.get(f"{SITE}/{path}")
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_a_published_module_is_a_package(fakeplat: Fakeplat) -> None:
    """A version of a module is a package with one file, of which only the SHA-256 digest is known."""
    reply = upload(fakeplat)
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_type=terraform_module").json()
    (file,) = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ("network/aws", "1.0.0", "network-aws-1.0.0.tgz", sha256(ARCHIVE).hexdigest(), None) == (
        package["name"],
        package["version"],
        file["file_name"],
        file["file_sha256"],
        file["file_md5"],
    )


def test_an_upload_may_be_a_form(fakeplat: Fakeplat) -> None:
    """A form uploads its part `file`."""
    path = f"{SITE}/{IN_PROJECT}/1.0.0/file"
    assert 201 == fakeplat.as_user("dev").put(path, **multipart({}, ("file", "module.tgz", ARCHIVE))).status
    assert ARCHIVE == fakeplat.as_user("rep").get(f"{SITE}/{IN_PROJECT}").content


@by_release(
    TERRAFORM_MODULES_MAY_HAVE_DUPLICATES,
    "message",
    {
        "13.11": "Package already exists.",
        "16.11": "A package with the same name already exists in the namespace",
    },
)
def test_a_module_is_published_once(fakeplat: Fakeplat, message: str) -> None:
    """A version is published once, and a module by one project of a top-level group."""
    upload(fakeplat)
    reply = upload(fakeplat)
    assert (403, {"message": "Package version already exists."}) == (reply.status, reply.json())
    for project in (DOCS, KIT):
        reply = upload(fakeplat, "2.0.0", project)
        assert (403, {"message": message}) == (reply.status, reply.json())
    assert (1, 1) == count(fakeplat)
    assert 201 == upload(fakeplat, project="projects/ada%2Fnotes", user="ada").status


@pytest.mark.parametrize(
    ("name", "version", "status", "answer"),
    [
        ("network/aws", "1.0", 400, {"error": "module_version is invalid"}),
        ("network/aws", "v1.0.0", 400, {"error": "module_version is invalid"}),
        ("Network/aws", "1.0.0", 422, {"message": "Validation failed: Name is invalid"}),
        ("network/a_b", "1.0.0", 422, {"message": "Validation failed: Name is invalid"}),
    ],
)
def test_names_and_versions_are_checked(
    fakeplat: Fakeplat, name: str, version: str, status: int, answer: dict[str, str]
) -> None:
    """Modules have names of small letters, digits and dashes, and semantic versions."""
    reply = upload(fakeplat, version, name=name)
    assert (status, answer, (0, 0)) == (reply.status, reply.json(), count(fakeplat))


def test_a_module_above_the_limit_is_refused(fakeplat: Fakeplat) -> None:
    """A module above the limit of the plan is refused and not stored."""
    fakeplat.load({"settings": {"terraform_module_max_file_size": 3}})
    reply = upload(fakeplat)
    assert (400, {"message": "400 Bad request - File is too large"}, (0, 0)) == (
        reply.status,
        reply.json(),
        count(fakeplat),
    )


@pytest.mark.parametrize("header", ["PRIVATE-TOKEN", "JOB-TOKEN", "DEPLOY-TOKEN"])
def test_each_kind_of_token_publishes(fakeplat: Fakeplat, header: str) -> None:
    """Modules are published with a personal, job or deploy token in its header."""
    tokens = {
        "PRIVATE-TOKEN": lambda: fakeplat.token("dev"),
        "JOB-TOKEN": lambda: job_token(fakeplat),
        "DEPLOY-TOKEN": lambda: deploy_token(fakeplat),
    }
    path = f"{SITE}/{IN_PROJECT}/1.0.0/file"
    reply = fakeplat.as_user(None).put(path, data=ARCHIVE, headers={header: tokens[header]()})
    assert 201 == reply.status
