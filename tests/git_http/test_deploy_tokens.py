"""git with deploy tokens: a username and a token that can only fetch."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote, error_output

NOT_HERE = "could not be found or you don't have permission to view it"
DENIED = "Authentication failed"


def create_deploy_token(fake: Fakeplat, container: str, **fields: Any) -> tuple[str, str]:
    """Create a deploy token; return its username and its value."""
    body = {"name": "ci", "scopes": ["read_repository"], **fields}
    reply = fake.as_user("ada").post(f"{container}/deploy_tokens", json=body)
    assert 201 == reply.status
    return reply.json()["username"], reply.json()["token"]


def clone(here: Git, url: str) -> Any:
    return here.tried("clone", "-q", url, "clone")


def test_the_token_of_a_project_clones_it(work: Git, remote: Remote, here: Git) -> None:
    """A deploy token clones its project, and the journal names the credential."""
    here("clone", "-q", remote.url(*create_deploy_token(remote.fake, remote.api)), "clone")

    assert work.sha() == Git(here.path / "clone", init=False).sha()
    assert (None, "deploy") == (remote.fake.requests[-1].user, remote.fake.requests[-1].credential)


def test_the_token_of_a_group_clones_the_projects_of_its_subgroups(fakeplat: Fakeplat, here: Git) -> None:
    """A deploy token of a group clones a project of its subgroup."""
    group = fakeplat.world.group("acme/tools").id
    reply = fakeplat.as_user("ada").post("projects", json={"name": "deep", "namespace_id": group})
    assert 201 == reply.status
    remote = Remote(fakeplat, "acme/tools/deep")

    here("clone", "-q", remote.url(*create_deploy_token(fakeplat, "groups/acme")), "clone")
    assert (here.path / "clone" / ".git").is_dir()


def test_a_deploy_token_never_pushes(work: Git, remote: Remote) -> None:
    """A push with a deploy token is refused, although the token has write scopes."""
    scopes = ["read_repository", "write_registry", "write_package_registry"]
    work.commit("second", {"b": "b"})
    result = work.tried("push", remote.url(*create_deploy_token(remote.fake, remote.api, scopes=scopes)), "HEAD:master")

    assert "You are not allowed to upload code." in error_output(result)


def test_a_deploy_token_without_the_scope_does_not_clone(remote: Remote, here: Git) -> None:
    """A deploy token without the scope `read_repository` cannot clone."""
    result = clone(here, remote.url(*create_deploy_token(remote.fake, remote.api, scopes=["read_registry"])))

    assert "You are not allowed to download code." in error_output(result)


def test_a_deploy_token_needs_its_username(remote: Remote, here: Git) -> None:
    """A deploy token with another username is treated as a wrong password."""
    _, value = create_deploy_token(remote.fake, remote.api)

    assert DENIED in error_output(clone(here, remote.url("ada", value)))


def test_a_deploy_token_is_not_valid_for_other_projects(remote: Remote, here: Git) -> None:
    """A deploy token is a wrong password for another project, and a missing project is not found."""
    token = create_deploy_token(remote.fake, remote.api)

    assert DENIED in error_output(clone(here, remote.at("acme/site.git", *token)))
    assert NOT_HERE in error_output(clone(here, remote.at("acme/nothing.git", *token)))


@pytest.mark.fakeplat(clock="virtual", start="2020-11-20T09:00:00.000Z")
def test_a_deploy_token_expires(fakeplat: Fakeplat, remote: Remote, here: Git) -> None:
    """An expired deploy token is a wrong password, although responses to it were cached."""
    url = remote.url(*create_deploy_token(fakeplat, remote.api, expires_at="2020-12-01T00:00:00Z"))
    here("ls-remote", url)

    fakeplat.clock.advance("30d")

    assert DENIED in error_output(here.tried("ls-remote", url))


def test_a_deleted_deploy_token_is_not_valid(remote: Remote, here: Git) -> None:
    """A deleted deploy token is a wrong password, although responses to it were cached."""
    url = remote.url(*create_deploy_token(remote.fake, remote.api))
    here("ls-remote", url)
    (token,) = remote.get("/deploy_tokens")
    remote.call("DELETE", f"/deploy_tokens/{token['id']}")

    assert DENIED in error_output(here.tried("ls-remote", url))


def test_a_closed_repository_is_closed_to_deploy_tokens(remote: Remote, here: Git) -> None:
    """A deploy token of a project with a disabled repository is a wrong password."""
    url = remote.url(*create_deploy_token(remote.fake, remote.api))
    remote.call("PUT", "", json={"repository_access_level": "disabled"})

    assert DENIED in error_output(clone(here, url))


def test_an_archived_project_can_be_cloned(work: Git, remote: Remote, here: Git) -> None:
    """An archived project can be cloned with a deploy token."""
    url = remote.url(*create_deploy_token(remote.fake, remote.api))
    remote.call("POST", "/archive")

    here("clone", "-q", url, "clone")
    assert work.sha() == Git(here.path / "clone", init=False).sha()


def test_a_deploy_token_is_no_credential_of_the_api(fakeplat: Fakeplat, remote: Remote) -> None:
    """A deploy token as PRIVATE-TOKEN is refused by the API with 401."""
    _, value = create_deploy_token(fakeplat, remote.api)

    reply = fakeplat.as_user(None).get(remote.api, headers={"PRIVATE-TOKEN": value})
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
