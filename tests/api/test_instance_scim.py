"""The SCIM endpoint of an instance. Source: ee/spec/requests/api/scim/instance_scim_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.requests import person

SCENARIO: dict[str, Any] = {
    "instance": {"tier": "premium", "version": "latest", "scim_token": "scim-secret"},
    "users": [
        {"username": "ada", "identities": [{"provider": "scim", "extern_uid": "ada-id"}]},
        {"username": "ben"},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
NEW = {
    "externalId": "new-id",
    "userName": "newbie",
    "name": {"formatted": "New Bie"},
    "emails": [{"type": "work", "value": "new@work.test"}],
}


def send(fake: Fakeplat, method: str, path: str = "", body: Any = None, token: str | None = "scim-secret") -> Reply:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["content-type"] = "application/scim+json"
    url = f"{fake.url}/api/scim/v2/application/Users{path}"
    return fake.as_user(None).request(method, url, headers=headers, json=body)


def patch(fake: Fakeplat, id_: str, **values: Any) -> int:
    """Replace attributes of a user; return the status."""
    operations = [{"op": "Replace", "path": path, "value": value} for path, value in values.items()]
    return int(send(fake, "PATCH", f"/{id_}", {"Operations": operations}).status)


def test_users_of_the_instance_are_listed_and_found(fakeplat: Fakeplat) -> None:
    """A filter finds users by their id; others are refused."""
    page = send(fakeplat, "GET").json()

    assert (1, 20, 1) == (page["totalResults"], page["itemsPerPage"], page["startIndex"])
    (user,) = page["Resources"]
    assert ("ada-id", "ada", True) == (user["id"], user["userName"], user["active"])
    assert user == send(fakeplat, "GET", "/ada-id").json()
    assert 1 == send(fakeplat, "GET", '?filter=id eq "ada-id"').json()["totalResults"]
    assert 0 == send(fakeplat, "GET", '?filter=id eq "none"').json()["totalResults"]
    assert 412 == send(fakeplat, "GET", '?filter=id ne "ada-id"').status


def test_a_user_is_created_or_linked(fakeplat: Fakeplat) -> None:
    """A new address makes a new user; a known one gives the user an identity, which the account shows."""
    created = send(fakeplat, "POST", body=NEW)
    linked = send(
        fakeplat,
        "POST",
        body={**NEW, "externalId": "ben-id", "emails": [{"value": "ben@example.test", "type": "work"}]},
    )

    assert (201, "new-id", "newbie") == (created.status, created.json()["id"], created.json()["userName"])
    assert (201, "ben-id", "ben") == (linked.status, linked.json()["id"], linked.json()["userName"])
    ben = fakeplat.as_user("root").get(f"users/{person(fakeplat, 'ben')}").json()
    assert [{"extern_uid": "ben-id", "group_id": None, "active": True}] == ben["scim_identities"]
    assert [] == ben["identities"]


def test_a_document_without_an_address_is_refused(fakeplat: Fakeplat) -> None:
    """What is missing is named, and an identity of another user is a conflict."""
    refused = send(fakeplat, "POST", body={"externalId": "x", "userName": "x"})
    taken = send(fakeplat, "POST", body={**NEW, "emails": [{"value": "ada@example.test", "type": "work"}]})

    assert 412 == refused.status
    assert "Missing params: [:extern_uid, :email, :username]"[:15] in refused.json()["detail"]
    assert (409, [ERROR]) == (taken.status, taken.json()["schemas"])


def test_who_is_deprovisioned_is_blocked(fakeplat: Fakeplat) -> None:
    """A user who is not active is blocked, and unblocked again; deleting blocks, too."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'ada')}"

    assert 204 == patch(fakeplat, "ada-id", active="False")
    assert "blocked" == root.get(path).json()["state"]
    assert False is send(fakeplat, "GET", "/ada-id").json()["active"]
    assert 204 == patch(fakeplat, "ada-id", active="true")
    assert "active" == root.get(path).json()["state"]
    assert 204 == send(fakeplat, "DELETE", "/ada-id").status
    assert ("blocked", False) == (root.get(path).json()["state"], send(fakeplat, "GET", "/ada-id").json()["active"])


def test_only_the_id_of_a_user_changes(fakeplat: Fakeplat) -> None:
    """Other attributes are ignored; an id of another user is refused."""
    send(fakeplat, "POST", body=NEW)

    assert 204 == patch(fakeplat, "ada-id", userName="other")
    assert "ada" == send(fakeplat, "GET", "/ada-id").json()["userName"]
    assert 412 == patch(fakeplat, "ada-id", id="new-id")
    assert 204 == patch(fakeplat, "ada-id", id="ada-2")
    assert 404 == send(fakeplat, "GET", "/ada-id").status
    assert "ada" == send(fakeplat, "GET", "/ada-2").json()["userName"]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("POST", ""), ("GET", "/x"), ("PATCH", "/x"), ("DELETE", "/x")]
)
def test_the_token_of_the_instance_is_needed(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Without it everything is refused; with it, unknown users are not found."""
    for token in (None, "wrong"):
        reply = send(fakeplat, method, path, token=token)
        assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    if path:
        reply = send(fakeplat, method, path)
        assert (404, "Resource x not found") == (reply.status, reply.json()["detail"])


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {**SCENARIO["instance"], "hosted": True}})
def test_the_hosted_offering_has_no_such_endpoint(fakeplat: Fakeplat) -> None:
    """There, groups have identity providers."""
    assert 404 == send(fakeplat, "GET").status
