"""Custom fields of groups and their values on work items.

Source: the platform's specs of custom fields (services, mutations, callbacks and widgets).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CUSTOM_FIELDS_ARE_ENABLED
from tests.api.company import COMPANY
from tests.api.planning_records import SITE, get_json
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

FIELD = "id name fieldType active selectOptions { id value } workItemTypes { name }"
CREATE, UPDATE, ARCHIVE, UNARCHIVE = (
    write_mutation(f"customField{verb}", f"customField {{ {FIELD} createdBy {{ username }} updatedBy {{ username }} }}")
    for verb in ("Create", "Update", "Archive", "Unarchive")
)
ISSUE, TASK, EPIC = (f"gid://gitlab/WorkItems::Type/{number}" for number in (1, 5, 8))
ACME: dict[str, Any] = COMPANY["groups"][0]
GROUP: dict[str, Any] = {
    **ACME,
    "custom_fields": [
        {
            "name": "Severity",
            "field_type": "single_select",
            "select_options": ["High", "Low"],
            "work_item_types": ["issue", "epic"],
        },
        {"name": "Effort", "field_type": "number", "work_item_types": ["issue"]},
        {
            "name": "Areas",
            "field_type": "multi_select",
            "select_options": ["A", "B", "C"],
            "work_item_types": ["issue"],
        },
        {"name": "Cause", "field_type": "text", "work_item_types": ["issue"]},
        {"name": "Old", "field_type": "text", "work_item_types": ["issue"], "archived_at": "2020-11-01T00:00:00Z"},
        {"name": "Spare", "field_type": "text"},
    ],
    "epics": [{"title": "Launch", "author": "ada", "custom_field_values": {"Severity": "Low"}}],
    "projects": [
        {
            **ACME["projects"][0],
            "issues": [
                {"title": "Broken link", "author": "gus", "custom_field_values": {"Severity": "High", "Effort": 2.5}},
                {"title": "Mend it", "author": "rep", "type": "task"},
            ],
        },
        *ACME["projects"][1:],
    ],
}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [GROUP]}, version="latest", tier="ultimate", clock="virtual"
)
LIST = "query($path: ID!) { group(fullPath: $path) { customFields%s { count nodes { " + FIELD + " } } } }"
VALUES = """query($id: WorkItemID!) { workItem(id: $id) { widgets(onlyTypes: [CUSTOM_FIELDS]) {
    ... on WorkItemWidgetCustomFields { customFieldValues%s { customField { name }
        ... on WorkItemSelectFieldValue { selectedOptions { value } }
        ... on WorkItemNumberFieldValue { number: value }
        ... on WorkItemTextFieldValue { text: value } } } } } }"""
SET = write_mutation("workItemUpdate", "workItem { id }")


def list_fields(fake: Fakeplat, by: str | None = "ada", arguments: str = "", path: str = "acme") -> list[Any]:
    fields = query_data(fake, by, LIST % arguments, path=path)["group"]["customFields"]["nodes"]
    assert isinstance(fields, list)
    return fields


def find_field(fake: Fakeplat, name: str) -> Any:
    return next(field for field in list_fields(fake) if field["name"] == name)


def option_ids(fake: Fakeplat, name: str, *values: str) -> list[str]:
    options = {option["value"]: option["id"] for option in find_field(fake, name)["selectOptions"]}
    return [options[value] for value in values]


def change(fake: Fakeplat, mutation: str, by: str = "mia", **input_: Any) -> Any:
    (payload,) = query_data(fake, by, mutation, input=input_).values()
    return payload


def item_id(fake: Fakeplat, iid: int = 1) -> str:
    return f"gid://gitlab/WorkItem/{get_json(fake, f'{SITE}/issues/{iid}')['id']}"


def list_values(fake: Fakeplat, id_: str, arguments: str = "") -> dict[str, Any]:
    (widget,) = query_data(fake, "ada", VALUES % arguments, id=id_)["workItem"]["widgets"]
    values = {}
    for row in widget["customFieldValues"]:
        (value,) = (row[name] for name in ("selectedOptions", "number", "text") if name in row)
        values[row["customField"]["name"]] = [each["value"] for each in value] if isinstance(value, list) else value
    return values


def set_value(fake: Fakeplat, name: str, by: str = "rep", iid: int = 1, **value: Any) -> Any:
    given = {"customFieldId": find_field(fake, name)["id"], **value}
    return change(fake, SET, by, id=item_id(fake, iid), customFieldsWidget=[given])


def list_system_notes(fake: Fakeplat, iid: int = 1) -> list[str]:
    notes = get_json(fake, f"{SITE}/issues/{iid}/notes?sort=asc")
    return [note["body"] for note in notes if note["system"]]


# Fields


def test_a_group_lists_its_fields(fakeplat: Fakeplat) -> None:
    """The fields of a group are listed by name, archived ones last, for whoever sees the group."""
    names = ["Areas", "Cause", "Effort", "Severity", "Spare", "Old"]
    assert names == [field["name"] for field in list_fields(fakeplat)]
    assert names == [field["name"] for field in list_fields(fakeplat, None)]
    severity = find_field(fakeplat, "Severity")
    assert ("SINGLE_SELECT", True) == (severity["fieldType"], severity["active"])
    assert ["High", "Low"] == [option["value"] for option in severity["selectOptions"]]
    assert [{"name": "Epic"}, {"name": "Issue"}] == severity["workItemTypes"]
    assert [] == list_fields(fakeplat, path="acme/tools")
    query = f'{{ namespace(fullPath: "acme") {{ customFields(active: false) {{ nodes {{ {FIELD} }} }} }} }}'
    (old,) = query_data(fakeplat, "ada", query)["namespace"]["customFields"]["nodes"]
    assert ("Old", False) == (old["name"], old["active"])
    one = f'{{ group(fullPath: "acme") {{ customField(id: "{severity["id"]}") {{ {FIELD} }} }} }}'
    assert severity == query_data(fakeplat, "ada", one)["group"]["customField"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("(active: false)", ["Old"]),
        ('(search: "EFF")', ["Effort"]),
        (f'(workItemTypeId: "{EPIC}")', ["Severity"]),
        ("(fieldType: SINGLE_SELECT)", ["Severity"]),
    ],
)
def test_fields_are_filtered(fakeplat: Fakeplat, arguments: str, names: list[str]) -> None:
    """Fields are filtered by their state, their name, a type that has them, and their kind."""
    assert names == [field["name"] for field in list_fields(fakeplat, arguments=arguments)]


@pytest.mark.fakeplat(version="18.8")
def test_fields_of_several_types(fakeplat: Fakeplat) -> None:
    """Until 18.9 several types select fields; no types find those without."""
    for arguments, names in ((f'(workItemTypeIds: ["{EPIC}"])', ["Severity"]), ("(workItemTypeIds: [])", ["Spare"])):
        assert names == [field["name"] for field in list_fields(fakeplat, arguments=arguments)]


def test_a_maintainer_creates_a_field(fakeplat: Fakeplat) -> None:
    """A Maintainer of a top-level group creates a field with options for types of work items."""
    options = [{"value": "red"}, {"value": "blue"}]
    sent = {"groupPath": "acme", "fieldType": "MULTI_SELECT", "name": "Colour"}
    payload = change(fakeplat, CREATE, **sent, selectOptions=options, workItemTypeIds=[TASK, ISSUE])
    field = payload["customField"]
    assert [] == payload["errors"]
    assert ("Colour", "MULTI_SELECT", True) == (field["name"], field["fieldType"], field["active"])
    assert field["id"].startswith("gid://gitlab/Issuables::CustomField/")
    assert ["red", "blue"] == [option["value"] for option in field["selectOptions"]]
    assert [{"name": "Issue"}, {"name": "Task"}] == field["workItemTypes"]
    assert {"username": "mia"} == field["createdBy"]
    assert None is field["updatedBy"]


@pytest.mark.parametrize("by", ["dev", "gus", "eve", None])
def test_others_create_no_fields(fakeplat: Fakeplat, by: str | None) -> None:
    """Whoever is no Maintainer of the group creates, changes and archives no fields."""
    given = {"groupPath": "acme", "fieldType": "TEXT", "name": "Colour"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, CREATE, input=given))
    field = {"id": find_field(fakeplat, "Effort")["id"]}
    for mutation in (UPDATE, ARCHIVE, UNARCHIVE):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, mutation, input=field))


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"name": ""}, "Name can't be blank"),
        ({"name": "a" * 256}, "Name is too long (maximum is 255 characters)"),
        ({"name": "effort"}, "Name has already been taken"),
        ({"selectOptions": [{"value": "a"}]}, "Field type does not support select options."),
        (
            {"fieldType": "SINGLE_SELECT", "selectOptions": [{"value": "a"}, {"value": "A"}]},
            "Select options value has already been taken",
        ),
        (
            {"fieldType": "SINGLE_SELECT", "selectOptions": [{"value": "a" * 256}]},
            "Select options value is too long (maximum is 255 characters)",
        ),
        (
            {"fieldType": "SINGLE_SELECT", "selectOptions": [{"value": str(n)} for n in range(51)]},
            "Select options exceeds the limit of 50.",
        ),
        ({"groupPath": "acme/tools"}, "Namespace must be a root group."),
    ],
)
def test_an_invalid_field_is_refused(fakeplat: Fakeplat, sent: dict[str, Any], error: str) -> None:
    """A field that breaks a rule is not created; the error names the rule."""
    given = {"groupPath": "acme", "fieldType": "TEXT", "name": "Colour", **sent}
    assert {"customField": None, "errors": [error]} == query_refused(fakeplat, "mia", CREATE, input=given)["data"][
        "customFieldCreate"
    ]


def test_a_type_has_at_most_ten_active_fields(fakeplat: Fakeplat) -> None:
    """A type of work items has at most ten active fields, also when an archived one becomes active again."""
    given: dict[str, Any] = {"groupPath": "acme", "fieldType": "TEXT", "workItemTypeIds": [ISSUE]}
    for number in range(6):
        assert [] == change(fakeplat, CREATE, **given, name=f"Field {number}")["errors"]
    error = "Work item type Issue can only have a maximum of 10 active custom fields."
    assert [error] == change(fakeplat, CREATE, **given, name="Too many")["errors"]
    assert [error] == change(fakeplat, UNARCHIVE, id=find_field(fakeplat, "Old")["id"])["errors"]


def test_an_update_keeps_what_is_not_sent(fakeplat: Fakeplat) -> None:
    """An update changes what is sent; options come in their new order, and those with an id keep it."""
    field = find_field(fakeplat, "Severity")
    high, low = field["selectOptions"]
    payload = change(fakeplat, UPDATE, id=field["id"], name="Priority")
    assert {"username": "mia"} == payload["customField"]["updatedBy"]
    assert ("Priority", [high, low]) == (payload["customField"]["name"], payload["customField"]["selectOptions"])
    options = [{"value": "Urgent"}, {"id": high["id"], "value": "Very high"}]
    changed = change(fakeplat, UPDATE, id=field["id"], selectOptions=options, workItemTypeIds=[ISSUE])["customField"]
    assert ["Urgent", "Very high"] == [option["value"] for option in changed["selectOptions"]]
    assert high["id"] == changed["selectOptions"][1]["id"]
    assert [{"name": "Issue"}] == changed["workItemTypes"]
    number = low["id"].rpartition("/")[2]
    assert [f"Select option ID {number} is invalid."] == change(
        fakeplat, UPDATE, id=field["id"], selectOptions=[{"id": low["id"], "value": "Low"}]
    )["errors"]


def test_fields_are_archived(fakeplat: Fakeplat) -> None:
    """An archived field disappears from work items until it is active again; each is refused a second time."""
    id_ = find_field(fakeplat, "Effort")["id"]
    assert False is change(fakeplat, ARCHIVE, id=id_)["customField"]["active"]
    assert "Effort" not in list_values(fakeplat, item_id(fakeplat))
    assert ["Custom field is already archived."] == change(fakeplat, ARCHIVE, id=id_)["errors"]
    assert True is change(fakeplat, UNARCHIVE, id=id_)["customField"]["active"]
    assert 2.5 == list_values(fakeplat, item_id(fakeplat))["Effort"]
    assert ["Custom field is already active."] == change(fakeplat, UNARCHIVE, id=id_)["errors"]


# Values


def test_work_items_show_the_fields_of_their_type(fakeplat: Fakeplat) -> None:
    """A work item shows the active fields of its type, with or without values."""
    assert {"Areas": None, "Cause": None, "Effort": 2.5, "Severity": ["High"]} == list_values(
        fakeplat, item_id(fakeplat)
    )
    assert {} == list_values(fakeplat, item_id(fakeplat, 2))
    epic_id = get_json(fakeplat, "groups/acme/epics/1")["id"]
    assert {"Severity": ["Low"]} == list_values(fakeplat, f"gid://gitlab/WorkItem/{epic_id}")
    chosen = f'(customFieldIds: ["{find_field(fakeplat, "Effort")["id"]}"])'
    assert {"Effort": 2.5} == list_values(fakeplat, item_id(fakeplat), chosen)


def test_values_are_set_and_removed(fakeplat: Fakeplat) -> None:
    """A Reporter sets and removes values; each change leaves a system note, an equal value none."""
    areas = option_ids(fakeplat, "Areas", "C", "A")
    for name, value in (
        ("Cause", {"textValue": "<b>rust</b>"}),
        ("Effort", {"numberValue": 100}),
        ("Areas", {"selectedOptionIds": areas}),
        ("Severity", {"selectedOptionIds": []}),
        ("Effort", {"numberValue": 100}),
    ):
        assert [] == set_value(fakeplat, name, **value)["errors"]
    assert {"Areas": ["A", "C"], "Cause": "<b>rust</b>", "Effort": 100, "Severity": None} == list_values(
        fakeplat, item_id(fakeplat)
    )
    assert [
        '<p>changed Cause to <code class="idiff">&lt;b&gt;rust&lt;/b&gt;</code></p>',
        '<p>changed Effort to <code class="idiff">100</code></p>',
        '<p>changed Areas to <code class="idiff">A, C</code></p>',
        '<p>removed Severity: <code class="idiff">High</code></p>',
    ] == list_system_notes(fakeplat)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("Old", {"textValue": "x"}, "Invalid custom field ID: {}"),
        ("Spare", {"textValue": "x"}, "Invalid custom field ID: {}"),
        ("Cause", {"textValue": "x" * 1025}, "Validation failed: Value is too long (maximum is 1024 characters)"),
        (
            "Areas",
            {"selectedOptionIds": ["gid://gitlab/Issuables::CustomFieldSelectOption/9"]},
            "Invalid custom field select option IDs: 9",
        ),
    ],
)
def test_an_invalid_value_is_refused(fakeplat: Fakeplat, name: str, value: dict[str, Any], error: str) -> None:
    """A value for a field that the work item lacks, or that the field does not take, is refused."""
    number = find_field(fakeplat, name)["id"].rpartition("/")[2]
    assert [error.format(number)] == set_value(fakeplat, name, **value)["errors"]
    assert [] == list_system_notes(fakeplat)


def test_a_single_option_can_be_selected(fakeplat: Fakeplat) -> None:
    """A field of the type single select takes one option."""
    both = option_ids(fakeplat, "Severity", "High", "Low")
    error = "A custom field of type single select may only have a single selected option"
    assert [error] == set_value(fakeplat, "Severity", selectedOptionIds=both)["errors"]
    assert ["High"] == list_values(fakeplat, item_id(fakeplat))["Severity"]


def test_guests_set_no_values(fakeplat: Fakeplat) -> None:
    """The author of an issue who is a Guest sets no values, without an error."""
    assert [] == set_value(fakeplat, "Effort", by="gus", numberValue=7)["errors"]
    assert 2.5 == list_values(fakeplat, item_id(fakeplat))["Effort"]


def test_a_value_loses_a_removed_option(fakeplat: Fakeplat) -> None:
    """An option that is removed from its field is removed from the values of work items."""
    field = find_field(fakeplat, "Severity")
    change(fakeplat, UPDATE, id=field["id"], selectOptions=[{"value": "New"}])
    assert None is list_values(fakeplat, item_id(fakeplat))["Severity"]


def test_a_new_work_item_has_values(fakeplat: Fakeplat) -> None:
    """A work item is created with values of fields."""
    mutation = write_mutation("workItemCreate", "workItem { id }")
    values = [{"customFieldId": find_field(fakeplat, "Effort")["id"], "numberValue": 3}]
    sent = {"namespacePath": "acme/site", "title": "New", "workItemTypeId": ISSUE, "customFieldsWidget": values}
    item = change(fakeplat, mutation, "rep", **sent)["workItem"]
    assert 3 == list_values(fakeplat, item["id"])["Effort"]


def test_a_moved_issue_keeps_its_values(fakeplat: Fakeplat) -> None:
    """A moved or cloned issue keeps its values below the same top-level group, and loses them elsewhere."""
    ada = fakeplat.as_user("ada")
    docs, notes = (get_json(fakeplat, f"projects/{path}")["id"] for path in ("acme%2Fdocs", "ada%2Fnotes"))
    clone = ada.post(f"{SITE}/issues/1/clone", json={"to_project_id": notes}).json()
    moved = ada.post(f"{SITE}/issues/1/move", json={"to_project_id": docs}).json()
    assert 2.5 == list_values(fakeplat, f"gid://gitlab/WorkItem/{moved['id']}")["Effort"]
    query = VALUES % ""
    widgets = query_data(fakeplat, "ada", query, id=f"gid://gitlab/WorkItem/{clone['id']}")["workItem"]["widgets"]
    assert [{"customFieldValues": []}] == widgets


@pytest.mark.fakeplat(tier="free")
def test_free_instances_have_no_fields(fakeplat: Fakeplat) -> None:
    """Without a licence nobody sees or creates fields, and work items have no such widget."""
    assert [] == list_fields(fakeplat)
    assert {"workItem": {"widgets": []}} == query_data(fakeplat, "ada", VALUES % "", id=item_id(fakeplat))
    given = {"groupPath": "acme", "fieldType": "TEXT", "name": "Colour"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "ada", CREATE, input=given))


@by_release(CUSTOM_FIELDS_ARE_ENABLED, "expected", {"17.10": 0, "17.11": 6})
def test_fields_begin_with_their_flag(fakeplat: Fakeplat, expected: int) -> None:
    """The flag of custom fields is on from 17.11; before, groups have none."""
    assert expected == len(list_fields(fakeplat))
