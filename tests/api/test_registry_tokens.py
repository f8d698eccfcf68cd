"""The challenge of docker's protocol, and the tokens for it."""

import re
from base64 import urlsafe_b64decode
from typing import Any

import orjson
import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from tests.api.images import REPOSITORIES, START, world
from tests.api.requests import names

pytestmark = pytest.mark.fakeplat(scenario=world(), clock="virtual", start=START)
DENIED = {"errors": [{"code": "UNAUTHORIZED", "message": "HTTP Basic: Access denied"}]}


def request_token(
    fake: Fakeplat, *scopes: str, auth: tuple[str, str] | None = None, service: str = "container_registry"
) -> Any:
    query = [("service", service), *(("scope", scope) for scope in scopes)]
    return requests.get(f"{fake.url}/jwt/auth", params=query, auth=auth, timeout=30)


def read_claims(reply: Any) -> dict[str, Any]:
    payload = reply.json()["token"].split(".")[1]
    return dict(orjson.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


def list_granted(reply: Any) -> list[tuple[str, list[str]]]:
    return [(access["name"], access["actions"]) for access in read_claims(reply)["access"]]


def test_docker_is_sent_to_the_token_service(fakeplat: Fakeplat) -> None:
    """The first call names the realm and the service."""
    reply = requests.get(f"{fakeplat.url}/v2/", timeout=30)
    error = {"code": "UNAUTHORIZED", "message": "authentication required", "detail": None}
    assert (401, {"errors": [error]}) == (reply.status_code, reply.json())
    challenge = f'Bearer realm="{fakeplat.url}/jwt/auth",service="container_registry"'
    assert challenge == reply.headers["WWW-Authenticate"]
    assert "registry/2.0" == reply.headers["Docker-Distribution-Api-Version"]


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "acme/site/manifests/latest", "repository:acme/site:pull"),
        ("GET", "acme/site/web/tags/list", "repository:acme/site/web:pull"),
        ("POST", "acme/site/web/blobs/uploads/", "repository:acme/site/web:pull,push"),
        ("PUT", "acme/site/web/manifests/v2", "repository:acme/site/web:pull,push"),
    ],
)
def test_the_challenge_names_what_is_needed(fakeplat: Fakeplat, method: str, path: str, scope: str) -> None:
    """The registry's challenge names the scope that a request needs."""
    reply = requests.request(method, f"{fakeplat.url}/v2/{path}", data=b"\0\xff", timeout=30)
    assert (401, True) == (reply.status_code, reply.headers["WWW-Authenticate"].endswith(f',scope="{scope}"'))


def test_a_token_is_valid_until_it_expires(fakeplat: Fakeplat) -> None:
    """A valid token is accepted, an invalid or expired one gets the challenge again."""
    token = request_token(fakeplat, auth=("dev", fakeplat.token("dev"))).json()["token"]
    for value, status in ((token, 200), (f"{token}x", 401), ("x", 401)):
        reply = requests.get(f"{fakeplat.url}/v2/", headers={"Authorization": f"Bearer {value}"}, timeout=30)
        assert status == reply.status_code
    fakeplat.clock.advance("5m")
    assert (
        401 == requests.get(f"{fakeplat.url}/v2/", headers={"Authorization": f"Bearer {token}"}, timeout=30).status_code
    )


def test_a_token_names_user_access_and_expiry(fakeplat: Fakeplat) -> None:
    """A registry token names user and access and is valid for five minutes."""
    reply = request_token(fakeplat, "repository:acme/site/web:pull", auth=("x", fakeplat.token("rep")))
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", reply.json()["token"], re.ASCII)
    token = read_claims(reply)
    access = [{"type": "repository", "name": "acme/site/web", "actions": ["pull"]}]
    assert (access, "rep", "container_registry") == (token["access"], token["sub"], token["aud"])
    assert (1_605_862_800, 1_605_863_100) == (token["iat"], token["exp"])


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("eve", []),
        ("gus", []),
        ("rep", [("acme/site", ["pull"])]),
        ("dev", [("acme/site", ["pull", "push"])]),
        ("mia", [("acme/site", ["pull", "push", "delete", "*"])]),
    ],
)
def test_roles_decide(fakeplat: Fakeplat, user: str, expected: list[tuple[str, list[str]]]) -> None:
    """Access beyond the caller's role is left out of the registry token."""
    reply = request_token(fakeplat, "repository:acme/site:pull,push,delete,*", auth=(user, fakeplat.token(user)))
    assert (200, expected) == (reply.status_code, list_granted(reply))


def test_several_scopes_are_answered_together(fakeplat: Fakeplat) -> None:
    """Unknown projects and texts that are no scope are left out; the catalog is for administrators."""
    scopes = (
        "repository:acme/site:pull",
        "repository:acme/nothing:pull x",
        "repository:acme/site/web:pull",
        "registry:catalog:*",
    )
    site = [("acme/site", ["pull"]), ("acme/site/web", ["pull"])]
    assert site == list_granted(request_token(fakeplat, *scopes, auth=("dev", fakeplat.token("dev"))))
    assert [*site, ("catalog", ["*"])] == list_granted(
        request_token(fakeplat, *scopes, auth=("root", fakeplat.token("root")))
    )


def test_the_scopes_of_a_token_limit_it(fakeplat: Fakeplat) -> None:
    """read_registry and write_registry are enough for their actions, read_user for none."""
    wanted = "repository:acme/site:pull,push"
    for scope, actions in (("read_registry", ["pull"]), ("write_registry", ["push"]), ("api", ["pull", "push"])):
        reply = request_token(fakeplat, wanted, auth=("dev", fakeplat.token("dev", scopes=[scope])))
        assert [("acme/site", actions)] == list_granted(reply)
    assert [] == list_granted(
        request_token(fakeplat, wanted, auth=("dev", fakeplat.token("dev", scopes=["read_user"])))
    )


def test_deploy_tokens_have_the_rights_of_their_scopes(fakeplat: Fakeplat) -> None:
    """Deploy tokens have the rights of their scopes in their own project."""
    for scope, actions in (("read_registry", ["pull"]), ("write_registry", ["push"])):
        body = {"name": scope, "scopes": [scope]}
        token = fakeplat.as_user("mia").post("projects/acme%2Fsite/deploy_tokens", json=body).json()
        reply = request_token(
            fakeplat,
            "repository:acme/site:pull,push,delete",
            "repository:acme/docs:pull",
            auth=(token["username"], token["token"]),
        )
        assert [("acme/site", actions)] == list_granted(reply)


JOB = {"name": "build", "status": "running", "token": {"value": "token-of-a-job"}}


@pytest.mark.fakeplat(scenario=world(pipelines=[{"ref": "master", "user": "dev", "jobs": [JOB]}]))
def test_jobs_have_all_rights_in_their_own_project(fakeplat: Fakeplat) -> None:
    """Elsewhere they only read, as their user does; their token needs its user name."""
    wanted = ("repository:acme/site:pull,push,delete,*", "repository:acme/docs:pull,push")
    reply = request_token(fakeplat, *wanted, auth=("gitlab-ci-token", "token-of-a-job"))
    assert [("acme/site", ["pull", "push", "delete"]), ("acme/docs", ["pull"])] == list_granted(reply)
    assert 401 == request_token(fakeplat, auth=("dev", "token-of-a-job")).status_code


@pytest.mark.fakeplat(scenario=world(pipelines=[{"ref": "master", "user": "dev", "jobs": [JOB]}]))
def test_jobs_of_a_project_without_ci_are_nobody(fakeplat: Fakeplat) -> None:
    """The token of a job whose project has switched CI off is a wrong password, also for git."""
    token = fakeplat.token("dev", "job", project="acme/site")
    auth, info = ("gitlab-ci-token", token), f"{fakeplat.url}/acme/site.git/info/refs?service=git-upload-pack"
    assert [200, 200] == [
        request_token(fakeplat, auth=auth).status_code,
        requests.get(info, auth=auth, timeout=30).status_code,
    ]
    assert 200 == fakeplat.as_user("mia").put("projects/acme%2Fsite", json={"builds_access_level": "disabled"}).status
    reply = request_token(fakeplat, auth=auth)
    assert (401, DENIED) == (reply.status_code, reply.json())
    assert 401 == requests.get(info, auth=auth, timeout=30).status_code


@pytest.mark.parametrize("auth", [("dev", "wrong"), ("nobody", "wrong"), ("dev", "dev-password")])
def test_where_no_password_would_do_a_token_is_recommended(fakeplat: Fakeplat, auth: tuple[str, str]) -> None:
    """With passwords disabled, failed attempts are told to use a personal access token."""
    info = f"{fakeplat.url}/acme/site.git/info/refs?service=git-upload-pack"
    fakeplat.load({"settings": {"password_authentication_enabled_for_git": False}})
    (error,) = request_token(fakeplat, auth=auth).json()["errors"]
    assert "You must use a personal access token with 'api' scope for Git over HTTP." in error["message"]
    reply = requests.get(info, auth=auth, timeout=30)
    text = "You must use a personal access token with 'read_repository' or 'write_repository' scope for Git over HTTP."
    assert (401, True) == (reply.status_code, text in reply.text)
    assert text not in requests.get(info, timeout=30).text


def test_passwords_are_accepted(fakeplat: Fakeplat) -> None:
    """Passwords are accepted except from users with two-factor authentication."""
    fakeplat.load(
        {
            "users": [
                {"username": "ann", "password": "secret"},
                {"username": "bea", "password": "secret", "two_factor_enabled": True},
            ]
        }
    )
    assert "ann" == read_claims(request_token(fakeplat, auth=("ann", "secret")))["sub"]
    reply = request_token(fakeplat, auth=("bea", "secret"))
    message = reply.json()["errors"][0]["message"]
    assert (401, True) == (reply.status_code, "personal access token" in message), message


def test_wrong_credentials_are_401(fakeplat: Fakeplat) -> None:
    """A registry token with wrong credentials answers 401, whatever was requested."""
    reply = request_token(fakeplat, "repository:acme/site:pull", auth=("dev", "wrong"))
    assert (401, DENIED) == (reply.status_code, reply.json())


def test_without_a_registry_nothing_is_granted(fakeplat: Fakeplat) -> None:
    """Where the registry is disabled nothing is granted, not even to administrators."""
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"container_registry_enabled": False})
    reply = request_token(fakeplat, "repository:acme/site:pull,push", auth=("root", fakeplat.token("root")))
    assert (200, []) == (reply.status_code, list_granted(reply))


def test_without_credentials_only_what_is_public_is_granted(fakeplat: Fakeplat) -> None:
    """Anonymous registry tokens are granted for public images, else 403."""
    reply = request_token(fakeplat, "repository:acme/site:pull")
    denied = {"errors": [{"code": "DENIED", "message": "access forbidden"}], "http_status": 403}
    assert (403, denied) == (reply.status_code, reply.json())
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"visibility": "public"})
    fakeplat.as_user("root").put("groups/acme", json={"visibility": "public"})
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"visibility": "public"})
    assert [("acme/site", ["pull"])] == list_granted(request_token(fakeplat, "repository:acme/site:pull,push"))


def test_another_service_is_404(fakeplat: Fakeplat) -> None:
    """A token for an unknown service answers 404 with an empty body."""
    reply = request_token(fakeplat, service="dependency_proxy")
    assert (404, b"") == (reply.status_code, reply.content)


def test_the_right_to_push_creates_the_repository(fakeplat: Fakeplat) -> None:
    """A token for pushing creates the image repository, one for pulling does not."""
    auth = ("dev", fakeplat.token("dev"))
    request_token(fakeplat, "repository:acme/docs/a:pull", auth=auth)
    request_token(fakeplat, "repository:acme/docs/a/b/c:pull,push", auth=auth)
    assert [] == list_granted(request_token(fakeplat, "repository:acme/docs/a/b/c/d:pull,push", auth=auth))
    repositories = fakeplat.as_user("dev").get("projects/acme%2Fdocs/registry/repositories?tags_count=1").json()
    assert [("a/b/c", "acme/docs/a/b/c", 0)] == [(row["name"], row["path"], row["tags_count"]) for row in repositories]
    assert ["", "web"] == names(fakeplat.as_user("dev").get(REPOSITORIES).json(), "name")
