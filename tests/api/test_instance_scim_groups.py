"""Groups at the SCIM endpoint of an instance.

Source: ee/spec/requests/api/scim/instance_scim_spec.rb ('resource :Groups') of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SCIM_GROUPS_SHOW_MEMBERS
from fakeplat.workbench.journal_entries import Reply
from tests.by_release import by_release

UID, OTHER_UID = "5f1c9c4e-6a0b-4a7e-9d3f-2b8e1c0a7d42", "0c3d7a52-8f0e-4a52-9a0c-5c2b3e8f4d11"
SCENARIO: dict[str, Any] = {
    "instance": {"tier": "premium", "version": "latest", "scim_token": "scim-secret"},
    "users": [
        {"username": "ada", "name": "Ada", "identities": [{"provider": "scim", "extern_uid": "ada-id"}]},
        {"username": "ben", "identities": [{"provider": "scim", "extern_uid": "ben-id"}]},
        {"username": "cleo"},
    ],
    "groups": [
        {
            "full_path": "acme",
            "members": {"cleo": "owner"},
            "saml_group_links": [
                {"name": "Engineering", "access_level": 20, "scim_group_uid": UID},
                {"name": "Leads", "access_level": 40, "scim_group_uid": OTHER_UID},
            ],
        },
        {"full_path": "labs", "saml_group_links": [{"name": "Engineering", "access_level": 30, "scim_group_uid": UID}]},
        {"full_path": "shop", "saml_group_links": [{"name": "Sales", "access_level": 30}]},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
SCHEMAS = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]


def send(fake: Fakeplat, method: str, path: str = "", body: Any = None, token: str = "scim-secret") -> Reply:
    headers = {"authorization": f"Bearer {token}"}
    if body is not None:
        headers["content-type"] = "application/scim+json"
    url = f"{fake.url}/api/scim/v2/application/Groups{path}"
    return fake.as_user(None).request(method, url, headers=headers, json=body)


def patch(fake: Fakeplat, op: str, *ids: str, uid: str = UID, path: str = "members") -> int:
    """Send one operation on the members of a group; return the status."""
    operations = [{"op": op, "path": path, "value": [{"value": id_} for id_ in ids]}]
    return int(send(fake, "PATCH", f"/{uid}", {"schemas": SCHEMAS, "Operations": operations}).status)


def levels(fake: Fakeplat, group: str) -> dict[str, int]:
    rows = fake.as_user("root").get(f"groups/{group}/members").json()
    return {row["username"]: row["access_level"] for row in rows}


def error(detail: str, status: int = 412) -> tuple[int, Any]:
    return status, {"schemas": [ERROR], "detail": detail, "status": status}


def test_groups_are_the_links_with_an_id(fakeplat: Fakeplat) -> None:
    """Links with an id are listed, all of them or those with a name; other filters are refused."""
    page = send(fakeplat, "GET").json()
    groups = send(fakeplat, "GET", "?filter=DisplayName EQ 'Leads'&excludedAttributes=meta,members").json()

    assert (3, 20, 1) == (page["totalResults"], page["itemsPerPage"], page["startIndex"])
    assert [UID, OTHER_UID, UID] == [row["id"] for row in page["Resources"]]
    document = {"schemas": [GROUP], "id": OTHER_UID, "displayName": "Leads", "meta": {"resourceType": "Group"}}
    assert [document] == groups["Resources"]
    assert {**document, "members": []} == send(fakeplat, "GET", f"/{OTHER_UID}").json()
    refused = send(fakeplat, "GET", "?filter=unsupported filter")
    assert error("Unsupported Filter") == (refused.status, refused.json())


def test_all_links_with_a_name_get_the_id(fakeplat: Fakeplat) -> None:
    """Creating a group sets the id of every link with its name, a new one if none is sent."""
    created = send(fakeplat, "POST", body={"displayName": "Sales", "externalId": OTHER_UID})
    moved = send(fakeplat, "POST", body={"displayName": "Engineering"})

    assert (201, OTHER_UID, "Sales", []) == (
        created.status,
        *(created.json()[key] for key in ("id", "displayName", "members")),
    )
    assert 201 == moved.status
    rows = send(fakeplat, "GET", '?filter=displayName eq "Engineering"').json()["Resources"]
    assert [moved.json()["id"]] * 2 == [row["id"] for row in rows]
    assert 404 == send(fakeplat, "GET", f"/{UID}").status


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"displayName": "None", "externalId": UID}, "No matching SAML group found with name: None"),
        ({"displayName": "Sales", "externalId": "x"}, "Invalid UUID for scim_group_uid"),
        ({"displayName": "", "externalId": UID}, "Missing params: [:saml_group_name]"),
        ({"displayName": "Sales", "externalId": ""}, "Missing params: [:scim_group_uid]"),
    ],
)
def test_what_cannot_be_linked_is_refused(fakeplat: Fakeplat, body: Any, detail: str) -> None:
    """A group needs the name of a SAML link, and an id that is a UUID."""
    reply = send(fakeplat, "POST", body=body)
    assert error(detail) == (reply.status, reply.json())
    assert 3 == send(fakeplat, "GET").json()["totalResults"]


def test_members_get_the_highest_level(fakeplat: Fakeplat) -> None:
    """Who is added becomes a member of all linked groups; levels only rise, and unknown ids are ignored."""
    assert 204 == patch(fakeplat, "Add", "ada-id", "none", uid=OTHER_UID)
    assert 204 == patch(fakeplat, "ADD", "ada-id", "ben-id", path="MEMBERS")

    assert {"cleo": 50, "ada": 40, "ben": 20} == levels(fakeplat, "acme")
    assert {"ada": 30, "ben": 30} == levels(fakeplat, "labs")
    assert 204 == patch(fakeplat, "add", "x", path="externalId")


def test_what_another_group_gives_remains(fakeplat: Fakeplat) -> None:
    """Who is removed keeps the level of another group of the provider, and else is no member any more."""
    patch(fakeplat, "add", "ada-id", "ben-id")
    patch(fakeplat, "add", "ada-id", uid=OTHER_UID)

    assert 204 == patch(fakeplat, "remove", "ada-id", uid=OTHER_UID)
    assert {"cleo": 50, "ada": 20, "ben": 20} == levels(fakeplat, "acme")
    assert 204 == patch(fakeplat, "Remove", "ada-id", "ben-id")
    assert ({"cleo": 50}, {}) == (levels(fakeplat, "acme"), levels(fakeplat, "labs"))


def test_members_are_replaced(fakeplat: Fakeplat) -> None:
    """Replacing removes those whom the provider had added, and nobody else; the name is ignored."""
    patch(fakeplat, "add", "ada-id")
    body = {"schemas": [GROUP], "displayName": "Other", "members": [{"value": "ben-id"}]}
    replaced = send(fakeplat, "PUT", f"/{UID}", body)

    assert (200, "Engineering", False) == (
        replaced.status,
        replaced.json()["displayName"],
        "members" in replaced.json(),
    )
    assert ({"cleo": 50, "ben": 20}, {"ben": 30}) == (levels(fakeplat, "acme"), levels(fakeplat, "labs"))
    assert 200 == send(fakeplat, "PUT", f"/{UID}", {"schemas": [GROUP], "displayName": "x"}).status
    assert {"cleo": 50} == levels(fakeplat, "acme")


def test_the_last_owner_stays(fakeplat: Fakeplat) -> None:
    """The only owner of a group is not removed by the provider."""
    fakeplat.as_user("root").put(
        f"users/{fakeplat.world.user('cleo').id}", json={"provider": "scim", "extern_uid": "cleo-id"}
    )
    assert 204 == patch(fakeplat, "remove", "cleo-id")
    assert {"cleo": 50} == levels(fakeplat, "acme")


def test_a_deleted_group_leaves_its_members(fakeplat: Fakeplat) -> None:
    """Deleting takes the id from the links; the members of the groups stay."""
    patch(fakeplat, "add", "ada-id")

    assert 204 == send(fakeplat, "DELETE", f"/{UID}").status
    assert error(f"Group {UID} not found", 404) == (
        send(fakeplat, "GET", f"/{UID}").status,
        send(fakeplat, "GET", f"/{UID}").json(),
    )
    assert {"cleo": 50, "ada": 20} == levels(fakeplat, "acme")
    send(fakeplat, "POST", body={"displayName": "Engineering", "externalId": UID})
    assert [] == send(fakeplat, "GET", f"/{UID}").json()["members"]


def test_the_last_link_takes_the_members_with_it(fakeplat: Fakeplat) -> None:
    """Who is in a group of the provider is forgotten when no link leads to it any more."""
    patch(fakeplat, "add", "ada-id")
    root = fakeplat.as_user("root")

    root.delete("groups/acme/saml_group_links/Engineering")
    assert ["ada-id"] == [row["value"] for row in send(fakeplat, "GET", f"/{UID}").json()["members"]]
    root.delete("groups/labs/saml_group_links/Engineering")
    send(fakeplat, "POST", body={"displayName": "Sales", "externalId": UID})
    assert [] == send(fakeplat, "GET", f"/{UID}").json()["members"]


@by_release(
    SCIM_GROUPS_SHOW_MEMBERS,
    "shown",
    {"18.9": [], "19.3": [{"value": "ada-id", "display": "Ada", "type": "User"}]},
)
def test_groups_show_their_members_later(fakeplat: Fakeplat, shown: list[dict[str, str]]) -> None:
    """A group has its members in 19.3, and an empty list in 18.9."""
    patch(fakeplat, "add", "ada-id")
    assert shown == send(fakeplat, "GET", f"/{UID}").json()["members"]


@pytest.mark.parametrize(
    ("operations", "text"),
    [
        (None, "Operations is missing"),
        ([{"path": "members"}], "Operations[0][op] is missing"),
        ([{"op": "Invalid", "path": "members"}], "Operations[0][op] does not have a valid value"),
    ],
)
def test_operations_are_add_and_remove(fakeplat: Fakeplat, operations: Any, text: str) -> None:
    """Other operations on groups are refused."""
    body = {"schemas": SCHEMAS} if operations is None else {"schemas": SCHEMAS, "Operations": operations}
    reply = send(fakeplat, "PATCH", f"/{UID}", body)
    assert (400, {"error": text}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("POST", "", {"displayName": "Sales"}),
        ("GET", "/x", None),
        ("PATCH", "/x", {"schemas": [], "Operations": []}),
        ("PUT", "/x", {"schemas": [], "displayName": "x"}),
        ("DELETE", "/x", None),
    ],
)
def test_groups_need_the_token_of_the_instance(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Without it every operation on groups is refused; with it, unknown groups are not found."""
    reply = send(fakeplat, method, path, body, token="wrong")
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    if path:
        reply = send(fakeplat, method, path, body)
        assert error("Group x not found", 404) == (reply.status, reply.json())
