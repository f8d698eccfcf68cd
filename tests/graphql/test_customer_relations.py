"""Customers of groups and their contacts. Source: docs/platform/customer-relations.md."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CUSTOMERS_ARE_ENABLED, CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS
from tests.api.company import COMPANY
from tests.by_release import by_release
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_refused,
    write_mutation,
)

CUSTOMERS: Final[dict[str, Any]] = {
    "crm_organizations": [
        {"name": "Initech", "default_rate": 90.5, "description": "Software"},
        {"name": "acme corp", "default_rate": 120, "state": "inactive"},
        {"name": "Zeta"},
    ],
    "crm_contacts": [
        {
            "first_name": "Bo",
            "last_name": "Stone",
            "email": "Bo@initech.test",
            "organization": "Initech",
            "phone": "12",
            "description": "Buys much",
        },
        {"first_name": "Al", "last_name": "Abel", "email": "al@zeta.test", "organization": "Zeta", "state": "inactive"},
        {"first_name": "Cy", "last_name": "Moss"},
        {"first_name": "An", "last_name": "abel", "email": "an@initech.test", "organization": "Initech"},
    ],
}
BROKEN: Final[dict[str, Any]] = {"title": "Broken", "author": "gus", "issue_contacts": ["Cy Moss"]}
ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
WORLD: Final[dict[str, Any]] = {
    **COMPANY,
    "users": [*COMPANY["users"], {"username": "pla"}, {"username": "sub"}],
    "groups": [
        {
            **ACME,
            **CUSTOMERS,
            "members": {**ACME["members"], "pla": "planner"},
            "projects": [
                {
                    **ACME["projects"][0],
                    "issues": [{"title": "Broken", "author": "gus", "issue_contacts": ["Cy Moss"]}],
                },
                ACME["projects"][1],
            ],
            "groups": [{**ACME["groups"][0], "members": {"sub": "developer"}}],
        },
        {"path": "other", "members": {"dev": "developer"}, "crm_organizations": [{"name": "Foreign"}]},
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=WORLD)

CONTACTS: Final = "contact { id firstName lastName phone email description active organization { name } }"
CREATE: Final = write_mutation("customerRelationsContactCreate", CONTACTS)
UPDATE: Final = write_mutation("customerRelationsContactUpdate", CONTACTS)
ORGANIZATION: Final = "organization { id name defaultRate description active }"
CREATE_ORGANIZATION: Final = write_mutation("customerRelationsOrganizationCreate", ORGANIZATION)
UPDATE_ORGANIZATION: Final = write_mutation("customerRelationsOrganizationUpdate", ORGANIZATION)
SET: Final = write_mutation("issueSetCrmContacts", "issue { customerRelationsContacts { nodes { lastName } } }")
WRONG_ORGANIZATION: Final = "The specified organization was not found or does not belong to this group"


def query_group(fake: Fakeplat, by: str | None, selection: str, path: str = "acme") -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "{path}") {{ {selection} }} }}')["group"]


def list_names(fake: Fakeplat, by: str | None, arguments: str = "", path: str = "acme") -> list[str]:
    nodes = query_group(fake, by, f"contacts{arguments} {{ nodes {{ firstName }} }}", path)["contacts"]["nodes"]
    return [node["firstName"] for node in nodes]


def list_organizations(fake: Fakeplat, by: str | None, arguments: str = "", path: str = "acme") -> list[str]:
    nodes = query_group(fake, by, f"organizations{arguments} {{ nodes {{ name }} }}", path)["organizations"]["nodes"]
    return [node["name"] for node in nodes]


def find_contact(fake: Fakeplat, last_name: str) -> str:
    nodes = query_group(fake, "root", "contacts { nodes { id lastName } }")["contacts"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["lastName"] == last_name)


def find_organization(fake: Fakeplat, name: str, path: str = "acme") -> str:
    nodes = query_group(fake, "root", "organizations { nodes { id name } }", path)["organizations"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["name"] == name)


def group_id(fake: Fakeplat, path: str = "acme") -> str:
    return str(query_group(fake, "root", "id", path)["id"])


def set_contacts(fake: Fakeplat, by: str, ids: list[str], mode: str = "REPLACE", path: str = "acme/site") -> Any:
    given = {"projectPath": path, "iid": "1", "contactIds": ids, "operationMode": mode}
    return query_data(fake, by, SET, input=given)["issueSetCrmContacts"]


def list_issue_contacts(fake: Fakeplat, by: str = "rep", path: str = "acme/site", iid: int = 1) -> list[str]:
    selection = "customerRelationsContacts { nodes { lastName } }"
    query = f'{{ project(fullPath: "{path}") {{ issue(iid: "{iid}") {{ {selection} }} }} }}'
    nodes = query_data(fake, by, query)["project"]["issue"]["customerRelationsContacts"]["nodes"]
    return [node["lastName"] for node in nodes]


# Lists


def test_contacts_are_listed_by_last_name(fakeplat: Fakeplat) -> None:
    """Contacts are in the order of their last names, each with its customer."""
    selection = "contacts { nodes { firstName lastName phone email description active organization { name } } }"
    nodes = query_group(fakeplat, "rep", selection)["contacts"]["nodes"]

    assert ["An", "Al", "Cy", "Bo"] == [node["firstName"] for node in nodes]
    assert {
        "firstName": "Bo",
        "lastName": "Stone",
        "phone": "12",
        "email": "Bo@initech.test",
        "description": "Buys much",
        "active": True,
        "organization": {"name": "Initech"},
    } == nodes[3]
    assert (False, None) == (nodes[1]["active"], nodes[2]["organization"])
    assert find_contact(fakeplat, "Stone").startswith("gid://gitlab/CustomerRelations::Contact/")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('(search: "INITECH")', ["An", "Bo"]),
        ('(search: "much buys")', ["Bo"]),
        ('(search: "bo stone")', []),
        ('(search: "")', ["An", "Al", "Cy", "Bo"]),
        ("(state: active)", ["An", "Cy", "Bo"]),
        ("(state: inactive)", ["Al"]),
        ("(state: all)", ["An", "Al", "Cy", "Bo"]),
        ("(sort: FIRST_NAME_DESC)", ["Cy", "Bo", "An", "Al"]),
        ("(sort: EMAIL_ASC)", ["Al", "An", "Bo", "Cy"]),
        ("(sort: EMAIL_DESC)", ["Bo", "An", "Al", "Cy"]),
        ("(sort: ORGANIZATION_ASC)", ["An", "Bo", "Al", "Cy"]),
        ("(sort: ORGANIZATION_DESC)", ["Al", "An", "Bo", "Cy"]),
    ],
)
def test_contacts_are_filtered_and_sorted(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """All words are in one column, in any case; contacts without a value come last, the newest of equal ones first."""
    assert expected == list_names(fakeplat, "rep", arguments)


def test_contacts_are_found_by_their_ids(fakeplat: Fakeplat) -> None:
    """A list of ids selects contacts and customers."""
    contact, organization = find_contact(fakeplat, "Moss"), find_organization(fakeplat, "Zeta")

    assert ["Cy"] == list_names(fakeplat, "rep", f'(ids: ["{contact}"])')
    assert ["Zeta"] == list_organizations(fakeplat, "rep", f'(ids: ["{organization}"])')


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["acme corp", "Initech", "Zeta"]),
        ('(search: "soft")', ["Initech"]),
        ("(state: inactive)", ["acme corp"]),
        ("(sort: NAME_DESC)", ["Zeta", "Initech", "acme corp"]),
        ("(sort: DEFAULT_RATE_ASC)", ["Initech", "acme corp", "Zeta"]),
        ("(sort: DEFAULT_RATE_DESC)", ["acme corp", "Initech", "Zeta"]),
    ],
)
def test_customers_are_listed(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Customers are sorted by name unless another order is asked for."""
    assert expected == list_organizations(fakeplat, "rep", arguments)


def test_customers_and_contacts_are_counted_by_state(fakeplat: Fakeplat) -> None:
    """The counts of states depend on the search."""
    counts = "{ active inactive all }"

    assert {
        "contactStateCounts": {"active": 3, "inactive": 1, "all": 4},
        "organizationStateCounts": {"active": 2, "inactive": 1, "all": 3},
    } == query_group(fakeplat, "rep", f"contactStateCounts {counts} organizationStateCounts {counts}")
    found = query_group(fakeplat, "rep", f'contactStateCounts(search: "initech") {counts}')
    assert {"active": 2, "inactive": 0, "all": 2} == found["contactStateCounts"]


@pytest.mark.parametrize("by", ["gus", "eve", "sub", None])
def test_customers_are_for_reporters_of_their_group(fakeplat: Fakeplat, by: str | None) -> None:
    """Guests, strangers and members of a subgroup alone see empty lists, no counts, and lack the permissions."""
    permissions = "userPermissions { readCrmContact readCrmOrganization }"

    assert [] == list_names(fakeplat, by) == list_organizations(fakeplat, by)
    assert {"contactStateCounts": None, "organizationStateCounts": None} == query_group(
        fakeplat, by, "contactStateCounts { all } organizationStateCounts { all }"
    )
    assert {"readCrmContact": False, "readCrmOrganization": False} == query_group(fakeplat, by, permissions)[
        "userPermissions"
    ]


@pytest.mark.parametrize("by", ["rep", "pla", "root"])
def test_reporters_and_planners_see_customers(fakeplat: Fakeplat, by: str) -> None:
    """Reporters and Planners see customers, also through a subgroup, whose own permissions differ not."""
    permissions = "userPermissions { readCrmContact readCrmOrganization }"

    assert 4 == len(list_names(fakeplat, by)) == len(list_names(fakeplat, by, path="acme/tools"))
    assert {"readCrmContact": True, "readCrmOrganization": True} == query_group(fakeplat, by, permissions)[
        "userPermissions"
    ]


SILENT: Final[dict[str, Any]] = {**COMPANY, "groups": [{**ACME, **CUSTOMERS}]}
OFF: Final[dict[str, Any]] = {**COMPANY, "groups": [{**ACME, **CUSTOMERS, "crm_enabled": False}]}


@pytest.mark.fakeplat(scenario=OFF)
def test_groups_can_do_without_customers(fakeplat: Fakeplat) -> None:
    """Where customer relations are off, even owners neither see nor add customers."""
    assert [] == list_names(fakeplat, "ada") == list_organizations(fakeplat, "ada")
    given = {"groupId": group_id(fakeplat), "firstName": "Di", "lastName": "Ash"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "ada", CREATE, input=given))


@by_release(CUSTOMERS_ARE_ENABLED, "expected", {"16.8": 0, "16.9": 4})
@pytest.mark.fakeplat(scenario=SILENT)
def test_customers_are_on_by_default_from_a_release_on(fakeplat: Fakeplat, expected: int) -> None:
    """Groups that say nothing have customers from 16.9 on."""
    assert expected == len(list_names(fakeplat, "rep"))


# Changes of contacts


def test_developers_add_contacts(fakeplat: Fakeplat) -> None:
    """A Developer adds a contact of a customer; blanks around the names are removed."""
    organization = find_organization(fakeplat, "Zeta")
    given = {
        "groupId": group_id(fakeplat),
        "firstName": " Di ",
        "lastName": " Ash",
        "phone": " 7 ",
        "email": "di@zeta.test",
        "description": "New",
        "organizationId": organization,
    }
    payload = query_data(fakeplat, "dev", CREATE, input=given)["customerRelationsContactCreate"]
    contact = payload["contact"]

    assert [] == payload["errors"]
    assert {
        "id": contact["id"],
        "firstName": "Di",
        "lastName": "Ash",
        "phone": "7",
        "email": "di@zeta.test",
        "description": "New",
        "active": True,
        "organization": {"name": "Zeta"},
    } == contact
    assert "Di" in list_names(fakeplat, "rep")


def test_contacts_are_changed(fakeplat: Fakeplat) -> None:
    """What is not sent stays; null removes the customer; a contact becomes inactive."""
    given = {"id": find_contact(fakeplat, "Stone"), "firstName": "Bob", "organizationId": None, "active": False}
    payload = query_data(fakeplat, "dev", UPDATE, input=given)["customerRelationsContactUpdate"]

    assert {
        "id": given["id"],
        "firstName": "Bob",
        "lastName": "Stone",
        "phone": "12",
        "email": "Bo@initech.test",
        "description": "Buys much",
        "active": False,
        "organization": None,
    } == payload["contact"]
    assert [] == payload["errors"]


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"firstName": " "}, ["First name can't be blank"]),
        ({"lastName": ""}, ["Last name can't be blank"]),
        ({"firstName": "a" * 256}, ["First name is too long (maximum is 255 characters)"]),
        ({"phone": "1" * 33}, ["Phone is too long (maximum is 32 characters)"]),
        ({"description": "a" * 1025}, ["Description is too long (maximum is 1024 characters)"]),
        ({"email": "nobody"}, ["Email is invalid"]),
        ({"email": "AN@initech.test"}, ["Email has already been taken"]),
    ],
)
def test_invalid_contacts_are_refused(fakeplat: Fakeplat, given: dict[str, str], errors: list[str]) -> None:
    """Names are required, texts are limited, and addresses are valid and unique in any case."""
    new = {"groupId": group_id(fakeplat), "firstName": "Di", "lastName": "Ash", **given}
    changed = {"id": find_contact(fakeplat, "Stone"), **given}

    created = query_refused(fakeplat, "dev", CREATE, input=new)["data"]["customerRelationsContactCreate"]
    assert {"contact": None, "errors": errors} == created
    updated = query_refused(fakeplat, "dev", UPDATE, input=changed)["data"]["customerRelationsContactUpdate"]
    assert {"contact": None, "errors": errors} == updated


def test_contacts_are_at_customers_of_their_group(fakeplat: Fakeplat) -> None:
    """The customer of another group, and an unknown one, cannot be that of a contact."""
    foreign = find_organization(fakeplat, "Foreign", "other")
    unknown = "gid://gitlab/CustomerRelations::Organization/1"
    for organization in (foreign, unknown):
        given = {
            "groupId": group_id(fakeplat),
            "firstName": "Di",
            "lastName": "Ash",
            "organizationId": organization,
        }
        payload = query_refused(fakeplat, "dev", CREATE, input=given)["data"]["customerRelationsContactCreate"]
        assert {"contact": None, "errors": [WRONG_ORGANIZATION]} == payload


def test_reporters_change_no_contacts(fakeplat: Fakeplat) -> None:
    """Reporters and Planners neither add nor change contacts and customers."""
    contact, organization = find_contact(fakeplat, "Stone"), find_organization(fakeplat, "Zeta")
    group = group_id(fakeplat)
    calls: list[tuple[str, dict[str, str]]] = [
        (CREATE, {"groupId": group, "firstName": "Di", "lastName": "Ash"}),
        (UPDATE, {"id": contact, "firstName": "Di"}),
        (CREATE_ORGANIZATION, {"groupId": group, "name": "New"}),
        (UPDATE_ORGANIZATION, {"id": organization, "name": "New"}),
    ]
    for by in ("rep", "pla", None):
        for text, given in calls:
            assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, text, input=given))
    for text, given in (
        (UPDATE, {"id": "gid://gitlab/CustomerRelations::Contact/1", "firstName": "Di"}),
        (UPDATE_ORGANIZATION, {"id": "gid://gitlab/CustomerRelations::Organization/1", "name": "Di"}),
        (CREATE_ORGANIZATION, {"groupId": "gid://gitlab/Group/1", "name": "New"}),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", text, input=given))


def test_customers_belong_to_top_level_groups(fakeplat: Fakeplat) -> None:
    """Nothing can be added to a subgroup, not even by its Developers."""
    group = group_id(fakeplat, "acme/tools")
    given = {"groupId": group, "firstName": "Di", "lastName": "Ash"}

    payload = query_refused(fakeplat, "dev", CREATE, input=given)["data"]["customerRelationsContactCreate"]
    assert [ONLY_AT_THE_TOP] == payload["errors"]
    content = query_refused(fakeplat, "dev", CREATE_ORGANIZATION, input={"groupId": group, "name": "New"})
    errors = content["data"]["customerRelationsOrganizationCreate"]["errors"]
    assert ["organizations can only be added to root groups and groups configured as CRM targets"] == errors


NESTED: Final[dict[str, Any]] = {
    **COMPANY,
    "groups": [{**ACME, "crm_enabled": True, "groups": [{**ACME["groups"][0], "crm_enabled": True}]}],
}


CREATE_NAME: Final = write_mutation("customerRelationsContactCreate", "contact { firstName }")
ONLY_AT_THE_TOP: Final = "contacts can only be added to root groups and groups configured as CRM targets"


@by_release(CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS, "errors", {"14.7": [], "14.8": [ONLY_AT_THE_TOP]})
@pytest.mark.fakeplat(scenario=NESTED)
def test_subgroups_had_customers_of_their_own(fakeplat: Fakeplat, errors: list[str]) -> None:
    """Before 14.8 each group has its own contacts."""
    given = {"groupId": group_id(fakeplat, "acme/tools"), "firstName": "Di", "lastName": "Ash"}
    created = query_data(fakeplat, "dev", CREATE_NAME, input=given)["customerRelationsContactCreate"]

    assert errors == created["errors"]
    assert [] == list_names(fakeplat, "dev")
    assert ([] if errors else ["Di"]) == list_names(fakeplat, "dev", path="acme/tools")


# Changes of customers


def test_developers_add_and_change_customers(fakeplat: Fakeplat) -> None:
    """A Developer adds a customer, changes its rate, and makes it inactive."""
    given = {"groupId": group_id(fakeplat), "name": " Globex ", "defaultRate": 80.5, "description": "Big"}
    created = query_data(fakeplat, "dev", CREATE_ORGANIZATION, input=given)["customerRelationsOrganizationCreate"]
    organization = created["organization"]

    assert {
        "id": organization["id"],
        "name": "Globex",
        "defaultRate": 80.5,
        "description": "Big",
        "active": True,
    } == organization
    changed = query_data(
        fakeplat, "dev", UPDATE_ORGANIZATION, input={"id": organization["id"], "defaultRate": 90, "active": False}
    )["customerRelationsOrganizationUpdate"]
    assert {"organization": {**organization, "defaultRate": 90, "active": False}, "errors": []} == changed


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"name": " "}, ["Name can't be blank"]),
        ({"name": "INITECH"}, ["Name has already been taken"]),
        ({"name": "a" * 256}, ["Name is too long (maximum is 255 characters)"]),
        ({"name": "New", "description": "a" * 1025}, ["Description is too long (maximum is 1024 characters)"]),
    ],
)
def test_invalid_customers_are_refused(fakeplat: Fakeplat, given: dict[str, str], errors: list[str]) -> None:
    """A customer has a name of its own in its group, in any case."""
    new = {"groupId": group_id(fakeplat), **given}
    content = query_refused(fakeplat, "dev", CREATE_ORGANIZATION, input=new)

    assert {"organization": None, "errors": errors} == content["data"]["customerRelationsOrganizationCreate"]


def test_a_refused_change_of_a_customer_is_an_error(fakeplat: Fakeplat) -> None:
    """The payload of a change must have a customer, so a refused one has no payload."""
    given = {"id": find_organization(fakeplat, "Zeta"), "name": ""}
    content = query_refused(fakeplat, "dev", UPDATE_ORGANIZATION, input=given)

    assert {"customerRelationsOrganizationUpdate": None} == content["data"]
    assert ["Name can't be blank"] == list_messages(content)


# Issues


def test_contacts_of_issues_are_replaced_added_and_removed(fakeplat: Fakeplat) -> None:
    """A Reporter sets the contacts of an issue in the three modes; system notes count the changes."""
    stone, abel, moss = (find_contact(fakeplat, name) for name in ("Stone", "Abel", "Moss"))

    assert ["Moss"] == list_issue_contacts(fakeplat)
    replaced = set_contacts(fakeplat, "rep", [stone, abel])
    assert {"issue": {"customerRelationsContacts": {"nodes": [{"lastName": "Stone"}, {"lastName": "Abel"}]}}} == {
        "issue": replaced["issue"]
    }
    assert [] == replaced["errors"]
    set_contacts(fakeplat, "pla", [moss, stone], "APPEND")
    assert ["Stone", "Abel", "Moss"] == list_issue_contacts(fakeplat)
    set_contacts(fakeplat, "rep", [stone, stone], "REMOVE")
    assert ["Abel", "Moss"] == list_issue_contacts(fakeplat)
    # To remove what the issue lacks changes nothing.
    assert [] == set_contacts(fakeplat, "rep", [stone], "REMOVE")["errors"]
    set_contacts(fakeplat, "rep", [])
    assert [] == list_issue_contacts(fakeplat)
    notes = fakeplat.as_user("root").get("/api/v4/projects/acme%2Fsite/issues/1/notes?sort=asc").json()
    assert [
        "added 1 contact",
        "added 2 contacts and removed 1 contact",
        "removed 1 contact",
        "removed 2 contacts",
    ] == sorted(note["body"] for note in notes)


def test_unknown_contacts_are_told_and_others_are_added(fakeplat: Fakeplat) -> None:
    """A contact that does not exist or is of another group is an error, in spite of which others are added."""
    stone, unknown = find_contact(fakeplat, "Stone"), "gid://gitlab/CustomerRelations::Contact/1"
    payload = set_contacts(fakeplat, "rep", [unknown, stone], "APPEND")

    assert [f"Issue customer relations contacts 1: {NOT_AVAILABLE}"] == payload["errors"]
    assert ["Moss", "Stone"] == list_issue_contacts(fakeplat)


def test_six_contacts_are_added_at_most(fakeplat: Fakeplat) -> None:
    """Seven contacts are too many, even if they are one; none is no change."""
    stone = find_contact(fakeplat, "Stone")

    assert ["You can only add up to 6 contacts at one time"] == set_contacts(fakeplat, "rep", [stone] * 7, "APPEND")[
        "errors"
    ]
    assert ["You cannot combine replace_ids with add_ids or remove_ids"] == set_contacts(fakeplat, "rep", [], "APPEND")[
        "errors"
    ]
    assert ["Moss"] == list_issue_contacts(fakeplat)


def test_contacts_of_issues_are_for_reporters(fakeplat: Fakeplat) -> None:
    """Guests see no contacts; an author may change the issue, but not its contacts; others do not find it."""
    stone = find_contact(fakeplat, "Stone")
    given = {"projectPath": "acme/site", "iid": "1", "contactIds": [stone]}

    assert [] == list_issue_contacts(fakeplat, "gus")
    payload = query_refused(fakeplat, "gus", SET, input=given)["data"]["issueSetCrmContacts"]
    text = "You have insufficient permissions to set customer relations contacts for this issue"
    assert [text] == payload["errors"]
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", SET, input=given))


@pytest.mark.fakeplat(
    scenario={
        **COMPANY,
        "projects": [{"path_with_namespace": "ada/notes", "issues": [{"title": "One", "author": "ada"}]}],
    }
)
def test_issues_outside_of_groups_have_no_contacts(fakeplat: Fakeplat) -> None:
    """In a project of a user, the feature is disabled."""
    given = {"projectPath": "ada/notes", "iid": "1", "contactIds": []}

    assert ["Feature disabled"] == list_messages(query_refused(fakeplat, "ada", SET, input=given))
    assert [] == list_issue_contacts(fakeplat, "ada", "ada/notes")


# Quick actions


def comment(fake: Fakeplat, by: str, body: str) -> Any:
    reply = fake.as_user(by).post("/api/v4/projects/acme%2Fsite/issues/1/notes", json={"body": body})
    return reply.json()


def test_quick_actions_add_and_remove_contacts(fakeplat: Fakeplat) -> None:
    """Contacts are added by their addresses in any case, also within references, and removed by the exact ones."""
    added = comment(fakeplat, "rep", "/add_contacts BO@initech.test [contact:al@zeta.test] nobody@nowhere.test")

    assert ["One or more contacts were successfully added."] == added["summary"]
    assert ["Moss", "Stone", "Abel"] == list_issue_contacts(fakeplat)
    comment(fakeplat, "rep", "/remove_contacts bo@initech.test")
    assert ["Moss", "Stone", "Abel"] == list_issue_contacts(fakeplat)
    removed = comment(fakeplat, "rep", '/remove_contacts ["contact:Bo@initech.test"]')
    assert ["One or more contacts were successfully removed."] == removed["summary"]
    assert ["Moss", "Abel"] == list_issue_contacts(fakeplat)


def test_quick_actions_add_contacts_to_new_issues(fakeplat: Fakeplat) -> None:
    """The description of a new issue can name its contacts."""
    body = {"title": "New", "description": "Text\n/add_contacts al@zeta.test"}
    issue = fakeplat.as_user("rep").post("/api/v4/projects/acme%2Fsite/issues", json=body).json()

    assert "Text" == issue["description"]
    assert ["Abel"] == list_issue_contacts(fakeplat, iid=issue["iid"])


def test_quick_actions_of_guests_add_no_contacts(fakeplat: Fakeplat) -> None:
    """Who may not set contacts cannot do so in comments; too many addresses are left out silently."""
    comment(fakeplat, "gus", "/add_contacts al@zeta.test")
    comment(fakeplat, "rep", f"/add_contacts {'al@zeta.test ' * 7}")

    assert ["Moss"] == list_issue_contacts(fakeplat)


# Moves and deletions


def test_moved_issues_keep_contacts_of_the_same_group(fakeplat: Fakeplat) -> None:
    """An issue keeps its contacts in another project of the group, and loses them elsewhere."""
    client = fakeplat.as_user("ada")
    projects = {project["path_with_namespace"]: project["id"] for project in client.get("/api/v4/projects").json()}

    moved = client.post(
        "/api/v4/projects/acme%2Fsite/issues/1/move", json={"to_project_id": projects["acme/tools/kit"]}
    ).json()
    assert ["Moss"] == list_issue_contacts(fakeplat, "ada", "acme/tools/kit", moved["iid"])
    moved = client.post(
        f"/api/v4/projects/acme%2Ftools%2Fkit/issues/{moved['iid']}/move",
        json={"to_project_id": projects["ada/notes"]},
    ).json()
    assert [] == list_issue_contacts(fakeplat, "ada", "ada/notes", moved["iid"])


def test_a_moved_project_drops_contacts(fakeplat: Fakeplat) -> None:
    """Issues of a project that leaves the top-level group lose their contacts."""
    client = fakeplat.as_user("root")

    assert 200 == client.put("/api/v4/projects/acme%2Fsite/transfer", json={"namespace": "other"}).status
    assert [] == list_issue_contacts(fakeplat, "root", "other/site")
    assert 200 == client.put("/api/v4/projects/other%2Fsite/transfer", json={"namespace": "acme"}).status
    assert [] == list_issue_contacts(fakeplat, "root")


def test_a_scenario_names_contacts(fakeplat: Fakeplat) -> None:
    """An export has customers, contacts and those of issues again."""
    exported = fakeplat.export()
    acme = next(group for group in exported["groups"] if group["full_path"] == "acme")

    assert ["Initech", "acme corp", "Zeta"] == [entry["name"] for entry in acme["crm_organizations"]]
    assert ["Initech", "Zeta", None, "Initech"] == [entry.get("organization") for entry in acme["crm_contacts"]]


def test_contacts_page_by_page(fakeplat: Fakeplat) -> None:
    """A page of contacts continues behind its cursor."""
    page = "nodes { firstName } pageInfo { endCursor hasNextPage }"
    first = query_group(fakeplat, "rep", f"contacts(first: 3) {{ {page} }}")["contacts"]
    cursor = first["pageInfo"]["endCursor"]
    rest = query_group(fakeplat, "rep", f'contacts(first: 3, after: "{cursor}") {{ {page} }}')["contacts"]

    assert ["An", "Al", "Cy", "Bo"] == [node["firstName"] for node in (*first["nodes"], *rest["nodes"])]
    assert (True, False) == (first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"])


@pytest.mark.parametrize("field", ["contacts { nodes { id } }", "organizations { nodes { id } }"])
@pytest.mark.fakeplat(version="14.2", scenario=COMPANY)
def test_earlier_releases_have_no_customers(fakeplat: Fakeplat, field: str) -> None:
    """Groups have neither field before 14.3."""
    content = post_query(fakeplat, "ada", f'{{ group(fullPath: "acme") {{ {field} }} }}')

    name = field.partition(" ")[0]
    assert [f"Field '{name}' doesn't exist on type 'Group'"] == list_messages(content)


READER: Final[dict[str, Any]] = {"name": "Reader", "base_access_level": 10, "read_crm_contact": True}


@pytest.mark.fakeplat(tier="ultimate", scenario={**WORLD, "member_roles": [READER]})
def test_a_custom_role_lets_guests_see_contacts(fakeplat: Fakeplat) -> None:
    """A custom role with the permission for contacts shows them, but not the customers."""
    client = fakeplat.as_user("ada")
    (role,) = fakeplat.as_user("root").get("/api/v4/member_roles").json()
    (eve,) = client.get("/api/v4/users?username=eve").json()
    body = {"user_id": eve["id"], "access_level": 10, "member_role_id": role["id"]}

    assert 201 == client.post("/api/v4/groups/acme/members", json=body).status
    assert 4 == len(list_names(fakeplat, "eve"))
    assert [] == list_organizations(fakeplat, "eve")


KIT: Final[dict[str, Any]] = {
    "path": "kit",
    "issues": [{"title": "One", "author": "ada", "issue_contacts": ["Cy Moss"]}],
}
WITHOUT: Final[dict[str, Any]] = {"path": "tools", "crm_enabled": False, "projects": [KIT]}


@pytest.mark.fakeplat(scenario={**COMPANY, "groups": [{**ACME, **CUSTOMERS, "groups": [WITHOUT]}]})
def test_a_subgroup_without_customers_keeps_those_of_its_issues(fakeplat: Fakeplat) -> None:
    """Where a subgroup does not use customer relations, contacts of issues are shown and not changed."""
    given = {"projectPath": "acme/tools/kit", "iid": "1", "contactIds": []}

    assert ["Moss"] == list_issue_contacts(fakeplat, "rep", "acme/tools/kit")
    assert ["Feature disabled"] == list_messages(query_refused(fakeplat, "rep", SET, input=given))
