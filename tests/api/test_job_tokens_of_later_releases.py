"""The operations that accept job tokens in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    JOBS_READ_ISSUES,
    JOBS_READ_PIPELINES,
    JOBS_READ_REPOSITORIES,
    JOBS_USE_APIS_OF_THEIR_PROJECT,
)
from tests.api.package_files import DOCS, SITE, job_token, npm_document
from tests.by_release import by_release

IMAGES = {
    "extends": "starter",
    "projects": [
        {"path_with_namespace": "acme/site", "container_repositories": [{"name": "web", "tags": [{"name": "v1"}]}]},
        {"path_with_namespace": "acme/docs", "container_repositories": [{"name": "web", "tags": [{"name": "v1"}]}]},
    ],
}
pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=IMAGES, default_branch="master")
FOREIGN = (
    "403 Forbidden - This project's CI/CD job token cannot be used to authenticate with the container registry of a "
    "different project."
)
OF_THE_PROJECT = (
    "packages",
    "registry/repositories",
    "environments",
    "deployments",
    "releases",
    "releases/v9/assets/links",
)
OF_THE_REPOSITORY = (
    "repository/branches",
    "repository/tags",
    "repository/commits/master",
    "repository/commits/master/merge_requests",
    "repository/files/README.md/raw?ref=master",
    "merge_requests",
    "merge_requests/1",
)


OF_PIPELINES = (
    "jobs",
    "pipelines",
    "pipelines/{id}",
    "pipelines/{id}/jobs",
    "pipelines/{id}/bridges",
)


def send(fake: Fakeplat, token: str, method: str, path: str, **rest: Any) -> Any:
    return fake.as_user(None).request(method, path, headers={"Job-Token": token}, **rest)


@by_release(JOBS_USE_APIS_OF_THEIR_PROJECT, "is_accepted", {"16.7": False, "16.8": True})
@pytest.mark.parametrize("path", OF_THE_PROJECT)
def test_jobs_use_the_apis_of_their_project(fakeplat: Fakeplat, path: str, *, is_accepted: bool) -> None:
    """Packages, images, environments, deployments and releases accept the token of a job in later releases."""
    fakeplat.as_user("mia").post(f"{SITE}/releases", json={"tag_name": "v9", "ref": "master"})
    assert is_accepted == (200 == send(fakeplat, job_token(fakeplat), "GET", f"{SITE}/{path}").status)


@by_release(JOBS_READ_REPOSITORIES, "is_accepted", {"18.8": False, "18.9": True})
@pytest.mark.parametrize("path", OF_THE_REPOSITORY)
def test_jobs_read_repositories(fakeplat: Fakeplat, path: str, *, is_accepted: bool) -> None:
    """Some operations that read repositories and merge requests accept the token of a job in later releases."""
    assert is_accepted == (200 == send(fakeplat, job_token(fakeplat), "GET", f"{SITE}/{path}").status)


@by_release(JOBS_READ_PIPELINES, "is_accepted", {"19.1": False, "19.2": True})
@pytest.mark.parametrize("path", OF_PIPELINES)
def test_jobs_read_pipelines(fakeplat: Fakeplat, path: str, *, is_accepted: bool) -> None:
    """Pipelines and jobs are read with the token of a job in later releases."""
    token = job_token(fakeplat)
    (pipeline, *_) = fakeplat.as_user("ada").get(f"{SITE}/pipelines").json()
    reply = send(fakeplat, token, "GET", f"{SITE}/{path.format(id=pipeline['id'])}")
    assert is_accepted == (200 == reply.status)


@by_release(JOBS_READ_ISSUES, "is_accepted", {"19.2": False, "19.3": True})
@pytest.mark.parametrize("path", ["issues", "issues/1"])
def test_jobs_read_issues(fakeplat: Fakeplat, path: str, *, is_accepted: bool) -> None:
    """The issues of a project are read with the token of a job in later releases, which still change nothing."""
    token = job_token(fakeplat)
    assert is_accepted == (200 == send(fakeplat, token, "GET", f"{SITE}/{path}").status)
    assert 401 == send(fakeplat, token, "POST", f"{SITE}/issues", json={"title": "x"}).status


@pytest.mark.fakeplat(version="latest")
def test_a_job_has_the_rights_of_its_user(fakeplat: Fakeplat) -> None:
    """A job of a Developer reads and publishes packages, makes releases and environments, and deletes no package."""
    token = job_token(fakeplat)
    assert (
        200
        == send(fakeplat, token, "PUT", f"{SITE}/packages/npm/@acme%2fa", json=npm_document("@acme/a", "1.0.0")).status
    )
    (package,) = send(fakeplat, token, "GET", f"{SITE}/packages?package_name=@acme/a").json()
    files = send(fakeplat, token, "GET", f"{SITE}/packages/{package['id']}/package_files").json()
    assert ["@acme/a-1.0.0.tgz"] == [file["file_name"] for file in files]
    assert 403 == send(fakeplat, token, "DELETE", f"{SITE}/packages/{package['id']}").status
    assert 201 == send(fakeplat, token, "POST", f"{SITE}/environments", json={"name": "review/1"}).status


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "registry/repositories"),
        ("GET", "registry/repositories/1/tags"),
        ("DELETE", "registry/repositories/1"),
        ("DELETE", "registry/repositories/1/tags/v1"),
    ],
)
def test_jobs_use_the_registry_of_their_own_project_only(fakeplat: Fakeplat, method: str, path: str) -> None:
    """The API of images refuses a job of another project, whatever the allowlist of the project says."""
    fakeplat.as_user("ada").patch(f"{DOCS}/job_token_scope", json={"enabled": False})
    token = job_token(fakeplat)
    reply = send(fakeplat, token, method, f"{DOCS}/{path}")
    assert (403, {"message": FOREIGN}) == (reply.status, reply.json())
    assert 200 == send(fakeplat, token, "GET", f"{DOCS}/packages").status


@pytest.mark.fakeplat(version="latest")
def test_other_projects_need_the_allowlist(fakeplat: Fakeplat) -> None:
    """The APIs refuse a job of a project that is not on the list, as the registries do."""
    reply = send(fakeplat, job_token(fakeplat), "GET", f"{DOCS}/packages")
    expected = "403 Forbidden - Authentication by CI/CD job token not allowed from site to docs."
    assert (403, {"message": expected}) == (reply.status, reply.json())
