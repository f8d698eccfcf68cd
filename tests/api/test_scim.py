"""SCIM. Source: docs/platform/scim.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    SCIM_DEACTIVATION_KEEPS_IDENTITY,
    SCIM_EXTERNAL_IDS,
    SCIM_NESTED_NAMES,
    SCIM_OPERATIONS_IN_ANY_CASE,
)
from fakeplat.workbench.journal_entries import Reply
from tests.api.requests import UNAUTHORIZED
from tests.by_release import by_release

SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"hosted": True, "tier": "premium"},
    "users": [
        {"username": "dev", "identities": [{"provider": "group_saml", "extern_uid": "dev-id", "group": "acme"}]},
        {"username": "ada", "identities": [{"provider": "group_saml", "extern_uid": "ada-id", "group": "acme"}]},
        {"username": "eve", "identities": [{"provider": "group_saml", "extern_uid": "eve-id", "group": "acme"}]},
        {"username": "gus", "identities": [{"provider": "github", "extern_uid": "dev-id"}]},
    ],
    "groups": [
        {"full_path": "acme", "scim": {"token": "scim-secret"}},
        {"full_path": "off", "scim": {"token": "off-secret", "enabled": False}},
        {"full_path": "plain"},
        {"full_path": "cheap", "plan": "free", "scim": {"token": "cheap-secret"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual")
USERS = "api/scim/v2/groups/acme/Users"
ERROR, LIST, USER = (
    "urn:ietf:params:scim:api:messages:2.0:Error",
    "urn:ietf:params:scim:api:messages:2.0:ListResponse",
    "urn:ietf:params:scim:schemas:core:2.0:User",
)
NEW = {
    "externalId": "new-id",
    "userName": "newton@example.test",
    "emails": [{"type": "work", "value": "newton@example.test", "primary": True}],
    "name": {"formatted": "Isa Newton", "familyName": "Newton", "givenName": "Isa"},
}


def send_request(
    fake: Fakeplat, method: str, path: str = "", body: Any = None, token: str | None = "scim-secret", base: str = USERS
) -> Reply:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["content-type"] = "application/scim+json"
    return fake.as_user(None).request(method, f"{fake.url}/{base}{path}", headers=headers, json=body)


def build_error(status: int, detail: str) -> tuple[int, Any]:
    return status, {"schemas": [ERROR], "detail": detail, "status": status}


def outcome(reply: Reply) -> tuple[int, Any]:
    return reply.status, reply.json()


def build_user(id_: str, username: str, name: str) -> dict[str, Any]:
    return {
        "schemas": [USER],
        "id": id_,
        "active": True,
        "name.formatted": name,
        "userName": username,
        "meta": {"resourceType": "User"},
        "emails": [{"type": "work", "value": f"{username}@example.test", "primary": True}],
    }


def patch_user(fake: Fakeplat, id_: str, *operations: Any) -> tuple[int, Any]:
    return outcome(send_request(fake, "PATCH", f"/{id_}", {"Operations": list(operations)}))


def build_replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "Replace", "path": path, "value": value}


def list_ids(fake: Fakeplat, query: str = "") -> list[str]:
    return [row["id"] for row in send_request(fake, "GET", query).json()["Resources"]]


def list_members(fake: Fakeplat) -> dict[str, int]:
    rows = fake.as_user("root").get("groups/acme/members").json()
    return {row["username"]: row["access_level"] for row in rows}


def test_a_user_is_identified_by_the_id_of_the_identity_provider(fakeplat: Fakeplat) -> None:
    """The name is a flat key with a dot in it."""
    reply = send_request(fakeplat, "GET", "/dev-id")

    assert (200, build_user("dev-id", "dev", "Dev Example")) == outcome(reply)
    assert "application/scim+json" == reply.headers["Content-Type"]


def test_a_list_has_the_users_of_the_group(fakeplat: Fakeplat) -> None:
    """SCIM lists the group's users in pages of 20."""
    answer = send_request(fakeplat, "GET").json()
    envelope = {name: value for name, value in answer.items() if name != "Resources"}

    assert {"schemas": [LIST], "totalResults": 3, "itemsPerPage": 20, "startIndex": 1} == envelope
    assert ["ada-id", "dev-id", "eve-id"] == sorted(row["id"] for row in answer["Resources"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('filter=id eq "dev-id"', ["dev-id"]),
        ('filter=externalId eq "eve-id"', ["eve-id"]),
        ('filter=userName eq "dev-id"', ["dev-id"]),
        ('filter=userName eq "Eve"', ["eve-id"]),
        ('filter=userName eq "eve@example.test"', ["eve-id"]),
        ('filter=userName eq "mia"', []),
        ('filter=id eq "nobody"', []),
    ],
)
def test_a_filter_finds_a_user(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """A SCIM filter finds a user by id, username or e-mail address."""
    assert expected == list_ids(fakeplat, f"?{query.replace(' ', '%20').replace(chr(34), '%22')}")


@pytest.mark.parametrize("text", ["id ne dev-id", "name eq x", "id", "id eq", "emails.value eq x"])
def test_other_filters_are_unsupported(fakeplat: Fakeplat, text: str) -> None:
    """Other SCIM filters than equality of known fields answer 412."""
    reply = send_request(fakeplat, "GET", f"?filter={text.replace(' ', '%20')}")

    assert build_error(412, "Unsupported Filter") == outcome(reply)


@pytest.mark.parametrize(
    ("query", "size", "start", "count"),
    [
        ("count=2", 2, 1, 2),
        ("count=2&startIndex=3", 2, 3, 1),
        ("count=0", 20, 1, 3),
        ("count=-1&startIndex=0", 20, 1, 3),
        ("count=500&startIndex=", 100, 1, 3),
        ("count=x&startIndex=9", 20, 9, 0),
    ],
)
def test_a_page_starts_at_an_index(fakeplat: Fakeplat, query: str, size: int, start: int, count: int) -> None:
    """A SCIM page starts at an index from 1 and has at most 100 users."""
    answer = send_request(fakeplat, "GET", f"?{query}").json()

    assert (3, size, start, count) == (
        answer["totalResults"],
        answer["itemsPerPage"],
        answer["startIndex"],
        len(answer["Resources"]),
    )


@pytest.mark.parametrize(
    ("group", "token", "expected"),
    [
        ("acme", None, UNAUTHORIZED),
        ("acme", "off-secret", UNAUTHORIZED),
        ("acme", "root-token", UNAUTHORIZED),
        ("nowhere", None, build_error(404, "Group nowhere not found")),
        ("plain", None, build_error(404, "Group plain does not have SAML SSO configured")),
        ("cheap", "cheap-secret", (404, {"message": "404 Not Found"})),
    ],
)
def test_the_token_of_the_group_is_checked_last(
    fakeplat: Fakeplat, group: str, token: str | None, expected: Any
) -> None:
    """The SCIM token is checked after plan, group and single sign-on."""
    reply = send_request(fakeplat, "GET", token=token, base=f"api/scim/v2/groups/{group}/Users")

    assert expected == outcome(reply)


@pytest.mark.parametrize("instance", [{}, {"tier": "ultimate"}, {"hosted": True}], ids=["free", "own", "hosted"])
def test_only_paid_groups_of_the_hosted_offering_have_scim(fakeplat_factory: Any, instance: dict[str, Any]) -> None:
    """SCIM exists only for paid groups of the hosted offering."""
    fake = fakeplat_factory(scenario={**SCENARIO, "instance": instance})

    assert (404, {"message": "404 Not Found"}) == outcome(send_request(fake, "GET"))


def test_the_users_of_a_disabled_sign_on_are_not_listed(fakeplat: Fakeplat) -> None:
    """Where single sign-on is disabled the list of SCIM users is empty."""
    reply = send_request(fakeplat, "GET", token="off-secret", base="api/scim/v2/groups/off/Users")

    assert (200, 0) == (reply.status, reply.json()["totalResults"])


def test_a_new_user_becomes_a_member(fakeplat: Fakeplat) -> None:
    """A new SCIM user is by default an unconfirmed Guest."""
    reply = send_request(fakeplat, "POST", body=NEW)

    assert (201, build_user("new-id", "newton", "Isa Newton")) == outcome(reply)
    assert 10 == list_members(fakeplat)["newton"]
    newton = fakeplat.as_user("root").get("users?username=newton").json()[0]
    assert (None, "group_saml", "new-id") == (
        newton["confirmed_at"],
        newton["identities"][0]["provider"],
        newton["identities"][0]["extern_uid"],
    )


def test_identities_name_the_sign_on_of_the_group(fakeplat: Fakeplat) -> None:
    """An identity names the single sign-on of its group by id."""
    dev = fakeplat.as_user("root").get(f"users/{fakeplat.world.user('dev').id}").json()

    assert [{"provider": "group_saml", "extern_uid": "dev-id", "saml_provider_id": 22_200_001}] == dev["identities"]


def test_an_existing_user_is_linked(fakeplat: Fakeplat) -> None:
    """SCIM links an existing user by address without changing name and role."""
    rep = {**NEW, "externalId": "rep-id", "emails": [{"type": "work", "value": "REP@example.test"}]}

    reply = send_request(fakeplat, "POST", body=rep)

    assert (201, "rep", 20) == (reply.status, reply.json()["userName"], list_members(fakeplat)["rep"])


def test_provisioning_twice_changes_nothing(fakeplat: Fakeplat) -> None:
    """The second answer is the same."""
    first = send_request(fakeplat, "POST", body=NEW)
    state = fakeplat.bench.platform.state

    assert outcome(first) == outcome(send_request(fakeplat, "POST", body=NEW))
    assert state is fakeplat.bench.platform.state


SENT = (
    '{"externalId"=>"new-id", "userName"=>"newton@example.test", "emails"=>[{"type"=>"work", '
    '"value"=>"newton@example.test", "primary"=>true}], "name"=>%s, "group"=>"acme"}'
)
NAME = '{"formatted"=>"Isa Newton", "familyName"=>"Newton", "givenName"=>"Isa"}'


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            {"userName": "x", "password": "secret"},
            build_error(
                412,
                'Error saving user with {"userName"=>"x", "password"=>"[FILTERED]", "group"=>"acme"}: '
                "Missing params: [:extern_uid, :email]",
            ),
        ),
        ({**NEW, "name": {}}, build_error(412, f"Error saving user with {SENT % '{}'}: Name can't be blank")),
        (
            {**NEW, "emails": [{"primary": True, "value": "dev@example.test"}]},
            build_error(
                409,
                "Error saving user with "
                + (SENT % NAME).replace(
                    '{"type"=>"work", "value"=>"newton@example.test", "primary"=>true}',
                    '{"primary"=>true, "value"=>"dev@example.test"}',
                )
                + ": User has already been taken",
            ),
        ),
    ],
    ids=["missing", "unnamed", "linked already"],
)
def test_invalid_users_are_refused(fakeplat: Fakeplat, document: dict[str, Any], expected: Any) -> None:
    """Invalid SCIM users answer 412, or 409 if taken, with what was sent and no secrets."""
    state = fakeplat.bench.platform.state

    assert expected == outcome(send_request(fakeplat, "POST", body=document))
    assert state is fakeplat.bench.platform.state


@pytest.mark.parametrize(
    ("operation", "field", "expected"),
    [
        (build_replace("name.formatted", "New Name"), "name", "New Name"),
        (build_replace("name", {"givenName": "New", "familyName": "Name"}), "name", "New Name"),
        ({**build_replace("displayName", "New Name"), "op": "Add"}, "name", "New Name"),
        (build_replace("userName", "devon"), "username", "devon"),
        (build_replace('emails[type eq "work"].value', "x@example.test"), "email", "dev@example.test"),
        ({"op": "Replace", "value": {"displayName": "New Name"}}, "name", "New Name"),
        ({**build_replace("name.formatted", "x"), "op": "replace"}, "name", "Dev Example"),
        ({**build_replace("name.formatted", "x"), "op": "Remove"}, "name", "Dev Example"),
        (build_replace("title", "x"), "name", "Dev Example"),
    ],
)
def test_operations_update_the_user(fakeplat: Fakeplat, operation: Any, field: str, expected: str) -> None:
    """SCIM operations update a user, and unknown ones are ignored."""
    id_ = fakeplat.world.user("dev").id

    assert (204, None) == patch_user(fakeplat, "dev-id", operation)
    assert expected == fakeplat.as_user("root").get(f"users/{id_}").json()[field]


def test_a_patch_without_operations_changes_nothing(fakeplat: Fakeplat) -> None:
    """A SCIM patch without operations answers 204."""
    assert (204, None) == outcome(send_request(fakeplat, "PATCH", "/dev-id", {}))


def test_a_new_id_is_all_that_changes(fakeplat: Fakeplat) -> None:
    """A SCIM request that changes the id ignores its other operations."""
    assert (204, None) == patch_user(
        fakeplat, "dev-id", build_replace("id", "changed"), build_replace("name.formatted", "x")
    )
    assert (200, build_user("changed", "dev", "Dev Example")) == outcome(send_request(fakeplat, "GET", "/changed"))


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            build_replace('emails[type eq "work"].value', "MIA@example.test"),
            build_error(409, "Email has already been taken"),
        ),
        (
            build_replace("userName", "mia"),
            build_error(
                412,
                'Error updating Dev Example with {"Operations"=>[{"op"=>"Replace", "path"=>"userName", '
                '"value"=>"mia"}], "group"=>"acme", "id"=>"dev-id"}',
            ),
        ),
        (
            build_replace("externalId", "ada-id"),
            build_error(
                412,
                'Error updating Dev Example with {"Operations"=>[{"op"=>"Replace", "path"=>"externalId", '
                '"value"=>"ada-id"}], "group"=>"acme", "id"=>"dev-id"}',
            ),
        ),
    ],
    ids=["email", "username", "id"],
)
def test_taken_attributes_are_refused(fakeplat: Fakeplat, operation: Any, expected: Any) -> None:
    """A taken address answers 409, other taken attributes 412."""
    assert expected == patch_user(fakeplat, "dev-id", operation)


@pytest.mark.parametrize("value", [False, "False", "false"])
def test_a_user_who_is_not_active_leaves_the_group(fakeplat: Fakeplat, value: Any) -> None:
    """The account stays, without the identity."""
    assert (204, None) == patch_user(fakeplat, "dev-id", build_replace("active", value))
    assert "dev" not in list_members(fakeplat)
    assert build_error(404, "Resource dev-id not found") == outcome(send_request(fakeplat, "GET", "/dev-id"))
    assert 200 == fakeplat.as_user("dev").get("user").status


def test_deleting_removes_identity_and_membership(fakeplat: Fakeplat) -> None:
    """Deleting a SCIM user removes the identity and the membership."""
    assert (204, None) == outcome(send_request(fakeplat, "DELETE", "/dev-id"))
    assert "dev" not in list_members(fakeplat)
    assert build_error(404, "Resource dev-id not found") == outcome(send_request(fakeplat, "DELETE", "/dev-id"))


@pytest.mark.parametrize(
    ("id_", "detail"),
    [
        ("ada-id", "Could not remove Ada Example from Acme. Cannot remove last group owner."),
        ("eve-id", "Could not remove Eve Example from Acme. User is not a group member."),
    ],
)
def test_members_that_cannot_be_removed(fakeplat: Fakeplat, id_: str, detail: str) -> None:
    """SCIM removes neither the last owner of a group nor a user who is no member."""
    assert build_error(412, detail) == outcome(send_request(fakeplat, "DELETE", f"/{id_}"))
    assert build_error(412, detail) == patch_user(fakeplat, id_, build_replace("active", False))


@pytest.mark.parametrize("body", [b"[]", b"{", b'"x"', b'{"Operations": [1, {"op": 1}, {"op": "Add", "value": [1]}]}'])
def test_odd_bodies_are_no_servers_error(fakeplat: Fakeplat, body: bytes) -> None:
    """Malformed SCIM bodies are answered without a server error."""
    headers = {"authorization": "Bearer scim-secret", "content-type": "application/scim+json"}
    calls = fakeplat.as_user(None)

    assert calls.request("PATCH", f"{fakeplat.url}/{USERS}/dev-id", headers=headers, data=body).status in (204, 400)
    assert calls.request("POST", f"{fakeplat.url}/{USERS}", headers=headers, data=body).status in (400, 412)


@by_release(SCIM_NESTED_NAMES, "keys", {"13.12": {"name.formatted"}, "14.0": {"name"}})
def test_names_are_nested_later(fakeplat: Fakeplat, keys: set[str]) -> None:
    """The name of a SCIM user has parts from 14.0 on; before, it is a key with a dot."""
    user = send_request(fakeplat, "GET", "/dev-id").json()
    assert keys == {key for key in user if key.startswith("name")}


@by_release(SCIM_DEACTIVATION_KEEPS_IDENTITY, "status", {"13.12": 404, "14.0": 200})
def test_who_is_not_active_stays_known_later(fakeplat: Fakeplat, status: int) -> None:
    """A SCIM user who was deactivated keeps the identity from 14.0 on."""
    assert (204, None) == patch_user(fakeplat, "dev-id", {"op": "Replace", "path": "active", "value": "False"})
    assert status == send_request(fakeplat, "GET", "/dev-id").status


@by_release(SCIM_EXTERNAL_IDS, "id_", {"18.8": None, "18.9": "dev-id"})
def test_users_have_external_ids_later(fakeplat: Fakeplat, id_: str | None) -> None:
    """A SCIM user has an externalId; the first release that is known to do so is 18.9."""
    assert id_ == send_request(fakeplat, "GET", "/dev-id").json().get("externalId")


@by_release(SCIM_OPERATIONS_IN_ANY_CASE, "name", {"18.8": "Dev Example", "18.9": "Devon Example"})
def test_names_of_operations_have_any_case_later(fakeplat: Fakeplat, name: str) -> None:
    """Operations of SCIM are named in any case; the first release that is known to do so is 18.9."""
    patch_user(fakeplat, "dev-id", {"op": "REPLACE", "path": "name.formatted", "value": "Devon Example"})
    assert name == send_request(fakeplat, "GET", "/dev-id").json()["name"]["formatted"]


NEWER = {**SCENARIO, "instance": {**SCENARIO["instance"], "version": "latest"}}


@pytest.mark.fakeplat(scenario=NEWER)
def test_newer_releases_keep_who_is_not_active(fakeplat: Fakeplat) -> None:
    """Names of operations have any case, names of users are nested, and the membership can be restored."""
    assert (204, None) == patch_user(fakeplat, "dev-id", {"op": "replace", "path": "active", "value": False})
    assert (False, "dev" in list_members(fakeplat)) == (
        send_request(fakeplat, "GET", "/dev-id").json()["active"],
        False,
    )
    assert (204, None) == patch_user(fakeplat, "dev-id", {"op": "replace", "value": {"active": True}})
    dev = send_request(fakeplat, "GET", "/dev-id").json()
    name = {"formatted": "Dev Example", "familyName": "Example", "givenName": "Dev"}
    assert (True, name, 10) == (dev["active"], dev["name"], list_members(fakeplat)["dev"])


@pytest.mark.fakeplat(scenario=NEWER)
def test_newer_releases_replace_users(fakeplat: Fakeplat) -> None:
    """Newer releases replace a SCIM user including the id."""
    document = {"userName": "devon", "externalId": "other", "name": {"formatted": "Devon"}, "active": True}
    reply = send_request(fakeplat, "PUT", "/dev-id", document)

    assert (200, "other", "devon", "Devon") == (
        reply.status,
        reply.json()["id"],
        reply.json()["userName"],
        reply.json()["name"]["formatted"],
    )


@pytest.mark.fakeplat(scenario=NEWER)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("ServiceProviderConfig", "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"),
        ("ResourceTypes", LIST),
        ("Schemas", LIST),
    ],
)
def test_newer_releases_describe_themselves(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """Newer releases describe their SCIM service to holders of the token."""
    base = f"api/scim/v2/groups/acme/{path}"

    assert [kind] == send_request(fakeplat, "GET", base=base).json()["schemas"]
    assert UNAUTHORIZED == outcome(send_request(fakeplat, "GET", base=base, token=None))


@pytest.mark.fakeplat(scenario=NEWER)
@pytest.mark.parametrize(("path", "id_"), [("ResourceTypes", "User"), ("Schemas", USER)])
def test_newer_releases_describe_what_is_named(fakeplat: Fakeplat, path: str, id_: str) -> None:
    """A single type or schema is the one of the list; others are not found."""
    base = f"api/scim/v2/groups/acme/{path}"

    assert send_request(fakeplat, "GET", base=base).json()["Resources"] == [
        send_request(fakeplat, "GET", f"/{id_}", base=base).json()
    ]
    assert build_error(404, "Resource other not found") == outcome(send_request(fakeplat, "GET", "/other", base=base))


@pytest.mark.fakeplat(scenario=NEWER)
def test_the_schema_requires_what_a_new_user_needs(fakeplat: Fakeplat) -> None:
    """A SCIM user requires an id, a username, a name and an address."""
    schema = send_request(fakeplat, "GET", f"/{USER}", base="api/scim/v2/groups/acme/Schemas").json()

    assert {"externalId", "userName", "name", "emails"} == {
        attribute["name"] for attribute in schema["attributes"] if attribute["required"]
    }


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_methods_that_a_path_does_not_have_are_405(fakeplat: Fakeplat, method: str) -> None:
    """Unsupported methods of SCIM paths answer 405."""
    reply = send_request(fakeplat, method)

    assert (405, {"error": "405 Not Allowed"}) == outcome(reply)
    assert "GET, HEAD, POST" == reply.headers["Allow"]
