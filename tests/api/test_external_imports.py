"""Imports from other services. Source: docs/platform/import-export.md ('Other services')."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GITHUB_IMPORTS_NEED_A_NAMESPACE
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, refusal

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
GITHUB, BITBUCKET, CANCEL = "import/github", "import/bitbucket_server", "import/github/cancel"
REPOSITORY: dict[str, Any] = {"personal_access_token": "x", "repo_id": 1, "target_namespace": "acme"}
SERVER: dict[str, Any] = {
    "bitbucket_server_url": "https://bitbucket.example.com",
    "bitbucket_server_username": "ada",
    "personal_access_token": "x",
    "bitbucket_server_project": "TES",
    "bitbucket_server_repo": "vim",
}
NOT_ALLOWED: Outcome = (422, {"errors": "You are not allowed to import projects in this namespace."})
TAKEN: Outcome = (422, {"errors": "This namespace has already been taken! Please choose another one."})
DENIED: Outcome = (401, {"error": "Access denied to your GitHub account."})
MISSING: Outcome = (422, {"errors": "Namespace or group to import repository into does not exist."})


def test_github_knows_no_token(fakeplat: Fakeplat) -> None:
    """A token that GitHub does not know is refused with 401."""
    assert DENIED == refusal(fakeplat, "ada", "POST", GITHUB, json=REPOSITORY)
    own = {**REPOSITORY, "target_namespace": "ada"}
    assert DENIED == refusal(fakeplat, "ada", "POST", GITHUB, json=own)


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"target_namespace": ""}, invalid("target_namespace is empty")),
        ({"repo_id": "first"}, invalid("repo_id is invalid")),
        ({"target_namespace": "nowhere"}, MISSING),
        ({"github_hostname": "https://git.example.com"}, (400, {"errors": "Invalid URL: https://git.example.com"})),
    ],
)
def test_what_github_is_never_asked(fakeplat: Fakeplat, changes: dict[str, Any], expected: Outcome) -> None:
    """Parameters, the host name and the namespace are checked before GitHub is asked."""
    assert expected == refusal(fakeplat, "ada", "POST", GITHUB, json={**REPOSITORY, **changes})


@pytest.mark.parametrize("username", ["rep", "eve"])
def test_only_who_may_create_projects_imports(fakeplat: Fakeplat, username: str) -> None:
    """Users import repositories into namespaces in which they may create projects; the text is that of 13.5."""
    assert TAKEN == refusal(fakeplat, username, "POST", GITHUB, json=REPOSITORY)


@pytest.mark.parametrize(
    ("version", "refused", "unknown"),
    [
        pytest.param(GITHUB_IMPORTS_NEED_A_NAMESPACE.since, NOT_ALLOWED, MISSING, id="15.8"),
        pytest.param("15.7", TAKEN, DENIED, id="15.7"),
    ],
)
def test_namespaces_have_to_exist(
    fakeplat_factory: Callable[..., Fakeplat], version: str, refused: Outcome, unknown: Outcome
) -> None:
    """From 15.8 on the namespace has to exist, and its refusal says what is not allowed."""
    fake = fakeplat_factory(scenario=COMPANY, version=version)
    assert refused == refusal(fake, "gus", "POST", GITHUB, json=REPOSITORY)
    assert unknown == refusal(fake, "ada", "POST", GITHUB, json={**REPOSITORY, "target_namespace": "nowhere"})


def test_a_missing_parameter_is_named(fakeplat: Fakeplat) -> None:
    """A token, a repository and a namespace are required."""
    text = "personal_access_token is missing, repo_id is missing, target_namespace is missing"
    assert invalid(text) == refusal(fakeplat, "ada", "POST", GITHUB)


def test_no_host_is_resolved(fakeplat: Fakeplat) -> None:
    """An address that cannot be resolved is refused as an invalid URL."""
    text = "Invalid URL: https://bitbucket.example.com"
    assert (400, {"message": {"error": text}}) == refusal(fakeplat, "ada", "POST", BITBUCKET, json=SERVER)


@pytest.mark.fakeplat(version="latest")
def test_timeout_strategies_are_two(fakeplat: Fakeplat) -> None:
    """The strategy for timeouts is optimistic or pessimistic."""
    body = {**SERVER, "timeout_strategy": "no-strategy"}
    assert invalid("timeout_strategy does not have a valid value") == refusal(
        fakeplat, "ada", "POST", BITBUCKET, json=body
    )


@pytest.mark.parametrize(("path", "body"), [(GITHUB, REPOSITORY), (BITBUCKET, SERVER)])
def test_a_source_that_is_off_is_forbidden(fakeplat: Fakeplat, path: str, body: dict[str, Any]) -> None:
    """Nobody imports from a service that is not one of the instance's import sources, or without a login."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json=body)
    settings = {"import_sources": ["gitlab_project"]}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=settings).status
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", path, json=body)


@pytest.mark.fakeplat(version="latest")
def test_only_imports_from_github_are_canceled(fakeplat: Fakeplat) -> None:
    """A project that does not come from GitHub is not found."""
    project = fakeplat.as_user("ada").get("projects/acme%2Fsite").json()["id"]
    body = {"project_id": project}
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "ada", "POST", CANCEL, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", CANCEL, json=body)


def refuse_latest(fake: Fakeplat, operation: str, **body: str) -> Outcome:
    """Ask a later release for an import, which is refused."""
    return refusal(fake, "ada", "POST", operation, json=body)


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_imports_from_bitbucket_are_not_authorized(fakeplat: Fakeplat) -> None:
    """Bitbucket knows no password; a namespace of others is refused first, and a source that is off before it."""
    body = {"bitbucket_username": "ada", "bitbucket_app_password": "x", "repo_path": "a/b", "target_namespace": "ada"}
    text = "Unable to authorize with Bitbucket. Check your credentials"
    assert (401, {"message": {"error": text}}) == refuse_latest(fakeplat, "import/bitbucket", **body)
    text = "You don't have permissions to import this project"
    answer = refuse_latest(fakeplat, "import/bitbucket", **{**body, "target_namespace": "mia"})
    assert (401, {"message": {"error": text}}) == answer

    fakeplat.as_user("root").put("application/settings", json={"import_sources": ["github"]})
    assert (403, {"message": "403 Forbidden"}) == refuse_latest(fakeplat, "import/bitbucket", **body)


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_gists_are_not_imported(fakeplat: Fakeplat) -> None:
    """GitHub knows no token, so there are no gists."""
    answer = refuse_latest(fakeplat, "import/github/gists", personal_access_token="x")
    assert (401, {"error": "Access denied to your GitHub account."}) == answer
    assert (400, {"error": "personal_access_token is missing"}) == refuse_latest(fakeplat, "import/github/gists")


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_archives_at_an_address_are_not_reached(fakeplat: Fakeplat) -> None:
    """Only HTTPS is allowed, and no host answers; an unknown namespace is told before."""
    path, body = "projects/remote-import", {"url": "https://files.example.test/a.tar.gz", "path": "a"}
    text = (
        "Failed to retrive headers: Failed to open TCP connection to files.example.test:443 "
        "(getaddrinfo: Name or service not known)"
    )
    assert (400, {"message": text}) == refuse_latest(fakeplat, path, **body)
    text = "File url is blocked: Only allowed schemes are https"
    assert (400, {"message": text}) == refuse_latest(fakeplat, path, **{**body, "url": "http://files.example.test/a"})
    missing = (404, {"message": "404 Namespace Not Found"})
    assert missing == refuse_latest(fakeplat, path, **body, namespace="none")


@pytest.mark.fakeplat(scenario="starter", version="latest")
@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("remote-import", ["url", "path"]),
        (
            "remote-import-s3",
            ["region", "bucket_name", "file_key", "access_key_id", "secret_access_key", "path"],
        ),
    ],
)
def test_archives_elsewhere_are_imports_of_projects(fakeplat: Fakeplat, path: str, names: list[str]) -> None:
    """They need a login, the parameters, the source of imports, count as imports, and name one namespace."""
    target, root = f"projects/{path}", fakeplat.as_user("root")
    body = dict.fromkeys(names, "https://files.example.test/a")
    assert (401, {"message": "401 Unauthorized"}) == refusal(fakeplat, None, "POST", target, json=body)
    missing = ", ".join(f"{name} is missing" for name in names)
    assert (400, {"error": missing}) == refusal(fakeplat, "ada", "POST", target, json={})
    unknown = {**body, "namespace_id": 1}
    assert (404, {"message": "404 Namespace Not Found"}) == refusal(fakeplat, "ada", "POST", target, json=unknown)
    both = (400, {"error": "namespace_id, namespace_path are mutually exclusive"})
    assert both == refusal(fakeplat, "ada", "POST", target, json={**unknown, "namespace_path": "acme"})

    root.put("application/settings", json={"project_import_limit": 1})
    assert [400, 429] == [refusal(fakeplat, "root", "POST", target, json=body)[0] for _ in range(2)]
    root.put("application/settings", json={"import_sources": ["git"]})
    assert (403, {"message": "403 Forbidden"}) == refusal(fakeplat, "root", "POST", target, json=body)


@pytest.mark.fakeplat(version="latest")
def test_archives_in_a_bucket_are_not_reached(fakeplat: Fakeplat) -> None:
    """No bucket answers; an unknown namespace and blank credentials are told before."""
    path = "projects/remote-import-s3"
    body = {
        "region": "eu-west-1",
        "bucket_name": "archives",
        "file_key": "a.tar.gz",
        "access_key_id": "key",
        "secret_access_key": "secret",
        "path": "a",
    }
    text = (
        "Failed to open 'a.tar.gz' in 'archives': Failed to open TCP connection to "
        "archives.s3.eu-west-1.amazonaws.com:443 (getaddrinfo: Name or service not known)"
    )
    assert (400, {"message": text}) == refuse_latest(fakeplat, path, **body)
    blank = (400, {"message": "Access key can't be blank"})
    assert blank == refuse_latest(fakeplat, path, **{**body, "access_key_id": " "})
    missing = (404, {"message": "404 Namespace Not Found"})
    assert missing == refuse_latest(fakeplat, path, **body, namespace="none")
