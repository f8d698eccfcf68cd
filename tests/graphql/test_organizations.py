"""The organization of the instance and its users, as the platform's specs of organizations expect them."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ORGANIZATION_PATH
from tests.by_release import by_release
from tests.graphql.queries import (
    NOT_AVAILABLE,
    WORLD,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")

ID = "gid://gitlab/Organizations::Organization/1"
FIELDS = "id name path description descriptionHtml webUrl rootPath"
SHOW = f'{{ organization(id: "{ID}") {{ {FIELDS} }} }}'
USERS = f"""{{ organization(id: "{ID}") {{ organizationUsers {{ nodes {{ id isLastOwner user {{ username }}
    accessLevel {{ integerValue stringValue }} badges {{ text variant }}
    userPermissions {{ adminOrganization deleteUser removeUser }} }} }} }} }}"""
UPDATE = write_mutation("organizationUpdate", f"organization {{ {FIELDS} }}")
UPDATE_USER = write_mutation("organizationUserUpdate", "organizationUser { accessLevel { stringValue } isLastOwner }")
OWNED = {**WORLD, "organization": {"name": "Ours", "path": "ours", "description": "*Us*", "owners": ["ada"]}}
PATH_FORMAT = "Path can contain only letters, digits, '_' and '-'. Cannot start with '-'."


def update(fake: Fakeplat, by: str, **changes: Any) -> Any:
    return query_data(fake, by, UPDATE, input={"id": ID, **changes})["organizationUpdate"]


def user_id(fake: Fakeplat, username: str) -> str:
    return f"gid://gitlab/Organizations::OrganizationUser/{fake.world.user(username).id}"


def update_user(fake: Fakeplat, by: str, username: str, level: str) -> Any:
    sent = {"id": user_id(fake, username), "accessLevel": level}
    return query_data(fake, by, UPDATE_USER, input=sent)["organizationUserUpdate"]


def find_row(fake: Fakeplat, by: str, username: str) -> Any:
    rows = query_data(fake, by, USERS)["organization"]["organizationUsers"]["nodes"]
    return next(row for row in rows if row["user"]["username"] == username)


@pytest.mark.parametrize("by", [None, "eve", "root"])
def test_everybody_sees_the_organization(fakeplat: Fakeplat, by: str | None) -> None:
    """A new instance has the public organization ``default``, with the id 1, and no other one."""
    organization = query_data(fakeplat, by, SHOW)["organization"]
    origin = organization["webUrl"].removesuffix("/o/default")
    assert {
        "id": ID,
        "name": "Default",
        "path": "default",
        "description": "",
        "descriptionHtml": "",
        "webUrl": f"{origin}/o/default",
        "rootPath": "/",
    } == organization
    rows = query_data(fakeplat, by, "{ organizations { count nodes { id } } }")["organizations"]
    assert {"count": 1, "nodes": [{"id": ID}]} == rows


def test_another_organization_is_missing(fakeplat: Fakeplat) -> None:
    """There is no second organization."""
    content = query_refused(fakeplat, "root", SHOW.replace("Organization/1", "Organization/2"))
    assert [NOT_AVAILABLE] == list_messages(content)


@pytest.mark.fakeplat(scenario=OWNED)
@pytest.mark.parametrize(
    ("search", "count"),
    [("ours", 1), ("OUR", 1), ("ou", 0), ("our rs", 1), ("our not", 0), ("nothing", 0), ("", 1)],
)
def test_organizations_are_searched(fakeplat: Fakeplat, search: str, count: int) -> None:
    """A search finds names and paths with all its words; words of fewer than three letters only as a whole."""
    query = "query($text: String) { organizations(search: $text) { count } }"
    assert {"organizations": {"count": count}} == query_data(fakeplat, "eve", query, text=search)


def test_groups_and_projects_of_the_organization(fakeplat: Fakeplat) -> None:
    """The organization shows the groups of which the caller is a member, and all projects that the caller sees."""
    query = f"""{{ organization(id: "{ID}") {{ groups {{ nodes {{ fullPath }} }}
        last: groups(sort: "path_desc", search: "oo") {{ nodes {{ fullPath }} }}
        projects(sort: "path_asc") {{ nodes {{ fullPath }} }} }} }}"""
    shown = {
        by: {
            name: [node["fullPath"] for node in rows["nodes"]]
            for name, rows in query_data(fakeplat, by, query)["organization"].items()
        }
        for by in (None, "gus", "root")
    }
    everything = ["acme/docs", "acme/tools/kit", "ada/notes", "acme/site"]
    assert {"groups": [], "last": [], "projects": ["acme/docs"]} == shown[None]
    assert ["acme", "acme/tools"] == shown["gus"]["groups"]
    assert ["acme/tools"] == shown["gus"]["last"]
    assert ["acme/docs", "acme/tools/kit", "acme/site"] == shown["gus"]["projects"]
    assert ([], everything) == (shown["root"]["groups"], shown["root"]["projects"])


@pytest.mark.fakeplat(scenario=OWNED)
def test_settings_within_the_organization(fakeplat: Fakeplat) -> None:
    """Groups and projects show the paths of their settings within the organization."""
    path = "/-/organizations/ours/projects/acme/site/edit"
    assert {"organizationEditPath": path} == query_project(fakeplat, "gus", "organizationEditPath")
    query = '{ group(fullPath: "acme/tools") { organizationEditPath } }'
    path = "/-/organizations/ours/groups/acme/tools/edit"
    assert {"organizationEditPath": path} == query_data(fakeplat, "gus", query)["group"]


@by_release(ORGANIZATION_PATH, "path", {"18.5": "/-/organizations/default", "18.9": "/o/default"})
def test_the_address_of_the_organization(fakeplat: Fakeplat, path: str) -> None:
    """The page of the organization moved."""
    assert query_data(fakeplat, None, SHOW)["organization"]["webUrl"].endswith(path)


# Users


@pytest.mark.fakeplat(scenario=OWNED)
def test_owners_see_the_users(fakeplat: Fakeplat) -> None:
    """Owners and administrators see all users, the newest first, with what is special about their accounts."""
    fakeplat.as_user("root").post(f"users/{fakeplat.world.user('dev').id}/block")
    rows = query_data(fakeplat, "ada", USERS)["organization"]["organizationUsers"]["nodes"]
    ids = [int(row["id"].rpartition("/")[2]) for row in rows]
    assert sorted(ids, reverse=True) == ids
    assert len(ids) == len(fakeplat.as_user("root").get("users?per_page=100").json())
    ada, root = (find_row(fakeplat, "ada", username) for username in ("ada", "root"))
    assert {"integerValue": 50, "stringValue": "OWNER"} == ada["accessLevel"] == root["accessLevel"]
    assert {"integerValue": 10, "stringValue": "DEFAULT"} == find_row(fakeplat, "ada", "eve")["accessLevel"]
    assert [{"text": "It's you!", "variant": "neutral"}] == ada["badges"]
    assert [{"text": "Admin", "variant": "success"}] == root["badges"]
    assert [{"text": "External", "variant": "neutral"}] == find_row(fakeplat, "ada", "ext")["badges"]
    assert [{"text": "Blocked", "variant": "danger"}] == find_row(fakeplat, "ada", "dev")["badges"]
    assert {"adminOrganization": True, "deleteUser": True, "removeUser": True} == ada["userPermissions"]
    assert ada["userPermissions"] == find_row(fakeplat, "root", "ada")["userPermissions"]


@pytest.mark.parametrize("by", [None, "ada"])
def test_others_do_not_see_the_users(fakeplat: Fakeplat, by: str | None) -> None:
    """Who does not own the organization gets an error in place of its users."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, USERS))


def test_organizations_of_a_user(fakeplat: Fakeplat) -> None:
    """A user and administrators see the user's organizations; those owned alone can be selected."""
    query = """query($name: String) { user(username: $name) { organizations { nodes { path } }
        alone: organizations(soloOwned: true) { nodes { path } } none: organizations(search: "x") { count } } }"""
    every: dict[str, Any] = {"nodes": [{"path": "default"}]}
    none: dict[str, Any] = {"nodes": []}
    assert {"organizations": every, "alone": none, "none": {"count": 0}} == query_data(
        fakeplat, "gus", query, name="gus"
    )["user"]
    assert every == query_data(fakeplat, "root", query, name="gus")["user"]["organizations"]
    assert every == query_data(fakeplat, "root", query, name="root")["user"]["alone"]
    hidden = {"organizations": None, "alone": None, "none": None}
    assert hidden == query_data(fakeplat, "ada", query, name="gus")["user"]
    assert [] == update_user(fakeplat, "root", "gus", "OWNER")["errors"]
    assert none == query_data(fakeplat, "root", query, name="root")["user"]["alone"]


# Changes


@pytest.mark.fakeplat(scenario=OWNED)
@pytest.mark.parametrize("by", ["ada", "root"])
@pytest.mark.parametrize("name", ["name", "path", "description"])
def test_an_owner_changes_the_organization(fakeplat: Fakeplat, by: str, name: str) -> None:
    """Owners and administrators change the name, the path and the description, each by itself."""
    before = query_data(fakeplat, by, SHOW)["organization"]
    payload = update(fakeplat, by, **{name: "changed"})
    assert ([], "changed") == (payload["errors"], payload["organization"][name])
    kept = {"name", "path", "description"} - {name}
    assert {key: before[key] for key in kept} == {key: payload["organization"][key] for key in kept}
    assert payload["organization"] == query_data(fakeplat, None, SHOW)["organization"]


@pytest.mark.parametrize("by", [None, "ada"])
def test_others_change_nothing(fakeplat: Fakeplat, by: str | None) -> None:
    """Who does not own the organization changes neither it nor its users."""
    content = query_refused(fakeplat, by, UPDATE, input={"id": ID, "name": "Mine"})
    assert [NOT_AVAILABLE] == list_messages(content)
    sent = {"id": user_id(fakeplat, "ada"), "accessLevel": "OWNER"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, UPDATE_USER, input=sent))


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"name": ""}, ["Name can't be blank"]),
        ({"name": "n" * 256}, ["Name is too long (maximum is 255 characters)"]),
        ({"path": ""}, ["Path can't be blank", PATH_FORMAT, "Path is too short (minimum is 2 characters)"]),
        ({"path": "p"}, ["Path is too short (minimum is 2 characters)"]),
        ({"path": "-ours"}, [PATH_FORMAT]),
        ({"path": "a.b"}, [PATH_FORMAT]),
        ({"path": "Admin"}, ["Path Admin is a reserved name"]),
        (
            {"description": "d" * 1025},
            ["Organization detail description is too long (maximum is 1024 characters)"],
        ),
    ],
)
def test_invalid_changes_are_refused(fakeplat: Fakeplat, changes: dict[str, str], errors: list[str]) -> None:
    """A change that breaks a rule is not made; the errors name the rules."""
    content = query_refused(fakeplat, "root", UPDATE, input={"id": ID, **changes})
    assert errors == content["data"]["organizationUpdate"]["errors"]


def test_an_owner_makes_others_owners(fakeplat: Fakeplat) -> None:
    """Owners make users owners and ordinary users again, except for the last owner."""
    assert {"accessLevel": {"stringValue": "OWNER"}, "isLastOwner": False} == update_user(
        fakeplat, "root", "ada", "OWNER"
    )["organizationUser"]
    assert {"accessLevel": {"stringValue": "DEFAULT"}, "isLastOwner": False} == update_user(
        fakeplat, "ada", "root", "DEFAULT"
    )["organizationUser"]
    ada = find_row(fakeplat, "ada", "ada")
    assert ada["isLastOwner"]
    assert {"adminOrganization": True, "deleteUser": False, "removeUser": False} == ada["userPermissions"]
    sent = {"id": user_id(fakeplat, "ada"), "accessLevel": "DEFAULT"}
    payload = query_refused(fakeplat, "ada", UPDATE_USER, input=sent)["data"]["organizationUserUpdate"]
    assert ["You cannot change the access of the last owner from the organization"] == payload["errors"]
    assert "OWNER" == find_row(fakeplat, "root", "ada")["accessLevel"]["stringValue"]


@by_release(Lifetime("16.4"), "is_known", {"16.3": False, "16.4": True})
def test_older_releases_have_no_organizations(fakeplat: Fakeplat, is_known: bool) -> None:
    """Organizations are unknown before the release 16.4."""
    content = query_refused(fakeplat, "root", f'{{ organization(id: "{ID}") {{ path }} }}')
    assert is_known == ("errors" not in content)
