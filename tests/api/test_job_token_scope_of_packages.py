"""Jobs of other projects reach the packages of a project only if they are on its list, in every registry."""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.chart_files import build_chart, chart_form
from tests.api.package_files import DOCS, basic, job_token, multipart, npm_document

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest")
DENIED = "403 Forbidden - Authentication by CI/CD job token not allowed from site to docs."
NPM, MAVEN = "packages/npm/@acme%2Fkit", "packages/maven/acme/docs/1.0/kit-1.0.jar"
PYPI = multipart({"name": "kit", "version": "2.0"}, ("content", "kit-2.0.tar.gz", b"x"))
REQUESTS: Mapping[str, tuple[str, str, Any, int]] = {
    "npm of the instance": ("GET", NPM, {}, 200),
    "npm of the project": ("GET", f"{DOCS}/{NPM}", {}, 200),
    "npm tags": ("GET", "packages/npm/-/package/@acme%2Fkit/dist-tags", {}, 200),
    "npm tag": ("PUT", "packages/npm/-/package/@acme%2Fkit/dist-tags/next", {"data": b'"1.0.0"'}, 204),
    "npm upload": ("PUT", f"{DOCS}/{NPM}", {"json": npm_document("@acme/kit", "1.1.0")}, 200),
    "Maven of the instance": ("GET", MAVEN, {}, 200),
    "Maven of the group": ("GET", f"groups/acme/-/{MAVEN}", {}, 200),
    "Maven of the project": ("GET", f"{DOCS}/{MAVEN}", {}, 200),
    "Maven upload": ("PUT", f"{DOCS}/packages/maven/acme/docs/2.0/kit-2.0.jar", {"data": b"x"}, 200),
    "PyPI": ("GET", f"{DOCS}/packages/pypi/simple/kit", {}, 200),
    "PyPI upload": ("POST", f"{DOCS}/packages/pypi", PYPI, 201),
    "Composer upload": ("POST", f"{DOCS}/packages/composer", {"json": {"branch": "none"}}, 404),
    "Helm": ("GET", f"{DOCS}/packages/helm/stable/index.yaml", {}, 200),
    "Helm upload": ("POST", f"{DOCS}/packages/helm/api/stable/charts", chart_form(build_chart()), 201),
    "Debian": ("GET", f"{DOCS}/packages/debian/dists/sid/Release", {}, 404),
    "Debian distributions": ("GET", f"{DOCS}/debian_distributions", {}, 200),
    "Debian upload": ("PUT", f"{DOCS}/packages/debian/a.deb", {"data": b"x"}, 201),
    "RPM upload": ("POST", f"{DOCS}/packages/rpm", multipart({}, ("file", "a.rpm", b"x")), 404),
    "generic": ("GET", f"{DOCS}/packages/generic/kit/1.0.0/a.txt", {}, 200),
    "generic upload": ("PUT", f"{DOCS}/packages/generic/kit/2.0.0/a.txt", {"data": b"x"}, 201),
}


def publish_packages(fake: Fakeplat) -> None:
    """Publish a package of each kind in acme/docs."""
    fake.as_user("root").post("features/debian_packages", json={"value": True})
    ada = fake.as_user("ada")
    replies = [
        ada.request("PUT", f"{DOCS}/{NPM}", json=npm_document("@acme/kit", "1.0.0")),
        ada.request("PUT", f"{DOCS}/{MAVEN}", data=b"x"),
        ada.request(
            "POST",
            f"{DOCS}/packages/pypi",
            **multipart({"name": "kit", "version": "1.0"}, ("content", "kit-1.0.tar.gz", b"x")),
        ),
        ada.request("PUT", f"{DOCS}/packages/generic/kit/1.0.0/a.txt", data=b"x"),
    ]
    assert [200, 200, 201, 201] == [reply.status for reply in replies]


def send_job_request(fake: Fakeplat, token: str, method: str, path: str, body: dict[str, Any]) -> Reply:
    """Send a request of a job, as each package manager does: in a header of its own, or as a password."""
    credentials = (
        basic("gitlab-ci-token", token)
        if "/pypi" in path or "/helm" in path or "packages/debian" in path or "/rpm" in path
        else {"Job-Token": token}
    )
    headers = {**body.get("headers", {}), **credentials}
    return fake.as_user(None).request(method, path, **{**body, "headers": headers})


@pytest.mark.parametrize("name", REQUESTS)
def test_jobs_need_to_be_on_the_list(fakeplat: Fakeplat, name: str) -> None:
    """Jobs access packages only of projects whose allowlist names theirs."""
    method, path, body, status = REQUESTS[name]
    publish_packages(fakeplat)
    token = job_token(fakeplat)
    refused = send_job_request(fakeplat, token, method, path, body)
    keys = ("message", "error") if "/maven/" in path else ("message",)
    assert (403, dict.fromkeys(keys, DENIED)) == (refused.status, refused.json())

    site = fakeplat.world.project("acme/site").id
    fakeplat.as_user("mia").post(f"{DOCS}/job_token_scope/allowlist", json={"target_project_id": site})
    assert status == send_job_request(fakeplat, token, method, path, body).status


@pytest.mark.fakeplat(version="13.5.1")
@pytest.mark.parametrize("name", ["npm of the instance", "Maven of the group", "PyPI"])
def test_older_releases_have_no_limit(fakeplat: Fakeplat, name: str) -> None:
    """The user of the job decides."""
    method, path, body, status = REQUESTS[name]
    publish_packages(fakeplat)
    assert status == send_job_request(fakeplat, job_token(fakeplat), method, path, body).status
