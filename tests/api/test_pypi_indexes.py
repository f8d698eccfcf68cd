"""PyPI indexes of groups and of all packages, and requests that are forwarded. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    PYPI_FILES_NEED_A_RIGHT,
    PYPI_PAGES_MAY_BE_JSON,
    PYPI_REQUESTS_ARE_FORWARDED,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses, multipart
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
GROUP = "groups/acme/-/packages/pypi"
DIGEST = sha256(b"wheel").hexdigest()


def upload(fake: Fakeplat, name: str, project: str = SITE, **fields: str) -> Any:
    values = {"name": name, "version": "1.0", "requires_python": ">=3.7", **fields}
    sent = multipart(values, ("content", f"{name}-1.0.tar.gz", b"wheel"))
    return fake.as_user("dev").post(f"{project}/packages/pypi", **sent)


def list_links(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("<a")]


def test_a_group_has_the_packages_of_its_projects(fakeplat: Fakeplat) -> None:
    """The index of a group names the files in the projects whose packages the caller may read."""
    upload(fakeplat, "acme.docs", DOCS)
    upload(fakeplat, "acme.site")
    reply = fakeplat.as_user("rep").get(f"{GROUP}/simple/acme-site/")
    acme = fakeplat.as_user("root").get("groups/acme").json()["id"]
    base = f"{fakeplat.url}/api/v4/groups/{acme}/-/packages/pypi"
    link = f"{base}/files/{DIGEST}/acme.site-1.0.tar.gz#sha256={DIGEST}"
    expected = f'<a href="{link}" data-requires-python="&gt;=3.7">acme.site-1.0.tar.gz</a><br>'
    assert (200, "text/html; charset=utf-8", [expected]) == (
        reply.status,
        reply.headers["Content-Type"],
        list_links(reply.text),
    )
    assert b"wheel" == fakeplat.as_user("rep").get(f"{GROUP}/files/{DIGEST}/acme.site-1.0.tar.gz").content
    for user, names in (("rep", ["acme-docs", "acme-site"]), ("gus", ["acme-docs"]), (None, ["acme-docs"])):
        links = list_links(fakeplat.as_user(user).get(f"{GROUP}/simple").text)
        assert [f"{base}/simple/{name}" for name in names] == [link.split('"')[1] for link in links]


def test_roles_of_a_private_group(fakeplat: Fakeplat) -> None:
    """A private group answers to its Reporters; who is not signed in gets a challenge, and Guests are forbidden."""
    members = [{"username": "gus", "access_level": 10}, {"username": "rep", "access_level": 20}]
    fakeplat.load({"groups": [{"path": "vault", "visibility": "private", "members": members}]})
    for path in ("simple", "simple/none"):
        status = 200 if path == "simple" else 302
        expected = f"401 404 404 403 {status} 404 404 404 {status}"
        assert expected == list_statuses(fakeplat, "GET", f"groups/vault/-/packages/pypi/{path}")
    reply = fakeplat.as_user(None).get("groups/vault/-/packages/pypi/simple")
    assert 'Basic realm="Platform Packages Registry"' == reply.headers["WWW-Authenticate"]
    reply = fakeplat.as_user(None).get("groups/nowhere/-/packages/pypi/simple")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_tokens_of_groups_and_jobs(fakeplat: Fakeplat) -> None:
    """A deploy token of the group or of one above it reads its index, one of a project does not."""
    fakeplat.load({"groups": [{"path": "vault", "visibility": "private"}]})
    path = "groups/vault/-/packages/pypi/simple"
    own, other = deploy_token(fakeplat, "groups/vault", "read_package_registry"), deploy_token(fakeplat)
    repository = deploy_token(fakeplat, "groups/vault", "read_repository")
    statuses = [
        fakeplat.as_user(None).get(path, headers=basic("ci", token)).status for token in (own, other, repository)
    ]
    assert [200, 404, 403] == statuses
    job = basic("gitlab-ci-token", job_token(fakeplat))
    assert 200 == fakeplat.as_user(None).get(f"{GROUP}/simple", headers=job).status


def test_who_reads_packages_of_a_group_downloads_files_of_each_project(fakeplat: Fakeplat) -> None:
    """Who may read packages in a group downloads files of all its projects, knowing their digests."""
    upload(fakeplat, "acme.site")
    path = f"{GROUP}/files/{DIGEST}/acme.site-1.0.tar.gz"
    assert " ".join(["200"] * 9) == list_statuses(fakeplat, "GET", path)
    fakeplat.as_user("root").put("groups/acme", json={"visibility": "private"})
    reply = fakeplat.as_user("rep").get(f"{GROUP}/files/{'0' * 64}/acme.site-1.0.tar.gz")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())


@by_release(PYPI_FILES_NEED_A_RIGHT, "status", {"15.6": 200, "15.7": 401})
def test_files_of_a_private_group(fakeplat: Fakeplat, status: int) -> None:
    """From 15.7 on, files of a private group need a login; before, the digest was enough."""
    fakeplat.load({"groups": [{"path": "vault", "visibility": "private", "projects": [{"path": "kit"}]}]})
    sent = multipart({"name": "kit", "version": "1.0"}, ("content", "kit-1.0.tar.gz", b"wheel"))
    assert 201 == fakeplat.as_user("root").post("projects/vault%2Fkit/packages/pypi", **sent).status
    path = f"groups/vault/-/packages/pypi/files/{DIGEST}/kit-1.0.tar.gz"
    assert status == fakeplat.as_user(None).get(path).status
    assert 404 == fakeplat.as_user(None).get(path.replace("vault", "nowhere")).status


def test_the_index_of_a_project_names_each_version(fakeplat: Fakeplat) -> None:
    """The index of a project has a link for each version, with the name in the form that pip looks up."""
    upload(fakeplat, "My.App")
    upload(fakeplat, "My.App", version="2.0", requires_python=">=3.9")
    upload(fakeplat, "other")
    text = fakeplat.as_user("rep").get(f"{SITE}/packages/pypi/simple").text
    assert "<title>Links for Site</title>" in text
    base = f"{fakeplat.url}/api/v4/projects/5001/packages/pypi/simple"
    assert [
        f'<a href="{base}/my-app" data-requires-python="&gt;=3.7">My.App</a><br>',
        f'<a href="{base}/my-app" data-requires-python="&gt;=3.9">My.App</a><br>',
        f'<a href="{base}/other" data-requires-python="&gt;=3.7">other</a><br>',
    ] == list_links(text)
    assert "401 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", f"{SITE}/packages/pypi/simple/")


HTML, PEP_691 = "text/html; charset=utf-8", "application/vnd.pypi.simple.v1+json; charset=utf-8"


@by_release(PYPI_PAGES_MAY_BE_JSON, "kind", {"18.9": HTML, "18.10": PEP_691})
def test_pages_are_json_with_a_feature(fakeplat: Fakeplat, kind: str) -> None:
    """From 18.10 on, with a feature that is off by default, pages are JSON for who accepts that (PEP 691)."""
    upload(fakeplat, "My.App")
    upload(fakeplat, "My.App", version="2.0", requires_python="")
    upload(fakeplat, "aaa")
    rep, page = fakeplat.as_user("rep"), f"{SITE}/packages/pypi/simple"
    accept = {"Accept": "text/html;q=0.1, application/vnd.pypi.simple.latest+json"}
    assert HTML == rep.get(page, headers=accept).headers["Content-Type"]
    body = {"value": True, "project": "acme/site"}
    assert 201 == fakeplat.as_user("root").post("features/pypi_pep_691_json", json=body).status
    replies = [rep.get(path, headers=accept) for path in (page, f"{page}/my_app")]
    assert [kind] * 2 == [reply.headers["Content-Type"] for reply in replies]
    html = rep.get(page)
    assert (HTML, "Accept, Origin" if kind == PEP_691 else "Origin") == (
        html.headers["Content-Type"],
        html.headers["Vary"],
    )
    if kind == PEP_691:
        meta, base = {"api-version": "1.0"}, f"{fakeplat.url}/api/v4/projects/5001/packages/pypi/files/{DIGEST}"
        file = {"filename": "My.App-1.0.tar.gz", "url": f"{base}/My.App-1.0.tar.gz#sha256={DIGEST}"}
        hashes = {"hashes": {"sha256": DIGEST}}
        files = [{**file, **hashes, "requires-python": ">=3.7"}, {**file, **hashes}]
        assert {"meta": meta, "projects": [{"name": "aaa"}, {"name": "my-app"}]} == replies[0].json()
        assert {"meta": meta, "name": "my-app", "files": files} == replies[1].json()
        assert HTML == rep.get(f"{GROUP}/simple", headers=accept).headers["Content-Type"]


@by_release(PYPI_REQUESTS_ARE_FORWARDED, "status", {"14.1": 404, "14.2": 302})
def test_unknown_packages_are_forwarded(fakeplat: Fakeplat, status: int) -> None:
    """From 14.2 on, a package that the project does not have is looked up at the public index."""
    for path in (f"{SITE}/packages/pypi/simple/none", f"{GROUP}/simple/none/"):
        reply = fakeplat.as_user("rep").get(path)
        assert status == reply.status
        assert ("https://pypi.org/simple/none/" if status == 302 else None) == reply.headers.get("Location")


@pytest.mark.parametrize(
    ("instance", "group", "subgroup", "status"),
    [
        (True, {}, {}, 302),
        (False, {}, {}, 404),
        (False, {"pypi_package_requests_forwarding": True}, {}, 302),
        (True, {"pypi_package_requests_forwarding": False}, {"pypi_package_requests_forwarding": True}, 302),
        (
            True,
            {"pypi_package_requests_forwarding": False, "lock_pypi_package_requests_forwarding": True},
            {"pypi_package_requests_forwarding": True},
            404,
        ),
    ],
    ids=["default", "instance", "group", "subgroup", "locked"],
)
def test_settings_decide_what_is_forwarded(
    fakeplat: Fakeplat, instance: bool, group: dict[str, bool], subgroup: dict[str, bool], status: int
) -> None:
    """The instance decides, then the group, then the subgroup, unless a group above locks its decision."""
    groups = [
        {"full_path": "acme", "package_settings": group},
        {"full_path": "acme/tools", "package_settings": subgroup},
    ]
    fakeplat.load({"settings": {"pypi_package_requests_forwarding": instance}, "groups": groups})
    path = "projects/acme%2Ftools%2Fkit/packages/pypi/simple/none"
    assert status == fakeplat.as_user("mia").get(path).status


def test_further_fields_of_a_package_are_kept(fakeplat: Fakeplat) -> None:
    """The summary and other fields that twine sends belong to the package."""
    upload(fakeplat, "app", summary="An app", keywords="a,b", metadata_version="2.3")
    (package,) = fakeplat.bench.platform.view.packages.all()
    assert {"summary": "An app", "keywords": "a,b", "metadata_version": "2.3"} == package.manifest
