"""Filters of issues and work items by iterations, customers, statuses, custom fields, weights and places.

Source: ee/spec/finders/work_items/custom_field_filter_spec.rb, app/graphql/resolvers/concerns/work_items of 18.9.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, query_data, query_refused

GROUP: dict[str, Any] = {
    "path": "acme",
    "crm_enabled": True,
    "members": {"ada": "owner", "dev": "developer", "gus": "guest"},
    "crm_organizations": [{"name": "Moss Ltd"}],
    "crm_contacts": [
        {"first_name": "Cy", "last_name": "Moss", "organization": "Moss Ltd"},
        {"first_name": "Di", "last_name": "Stone"},
    ],
    "custom_fields": [
        {
            "name": "Area",
            "field_type": "multi_select",
            "select_options": ["Web", "App"],
            "work_item_types": ["issue", "epic"],
        },
        {"name": "Notes", "field_type": "text", "work_item_types": ["issue"]},
    ],
    "iteration_cadences": [
        {"title": "Weekly", "automatic": False, "active": True},
        {"title": "Other", "automatic": False, "active": True},
    ],
    "iterations": [
        {"title": "Now", "start_date": "2020-11-16", "due_date": "2020-11-22", "cadence": "Weekly"},
        {"title": "Later", "start_date": "2020-12-01", "due_date": "2020-12-07", "cadence": "Other"},
    ],
    "epics": [
        {
            "title": "Launch",
            "author": "ada",
            "custom_field_values": {"Area": ["Web"]},
            "issues": ["acme/site#3"],
        },
        {"title": "Below", "author": "ada", "parent": "acme&1", "issues": ["acme/site#1"]},
    ],
    "projects": [
        {
            "path": "site",
            "issues": [
                {
                    "title": "a",
                    "author": "ada",
                    "iteration": "Now",
                    "weight": 3,
                    "custom_field_values": {"Area": ["Web", "App"]},
                    "issue_contacts": ["Cy Moss"],
                },
                {
                    "title": "b",
                    "author": "ada",
                    "iteration": "Later",
                    "custom_field_values": {"Area": ["App"]},
                    "issue_contacts": ["Di Stone"],
                    "health_status": "at_risk",
                },
                {"title": "c", "author": "ada", "weight": 5},
            ],
        },
        {"path": "old", "archived": True, "issues": [{"title": "gone", "author": "ada"}]},
    ],
}
SCENARIO: dict[str, Any] = {"users": [{"username": name} for name in ("ada", "dev", "gus")], "groups": [GROUP]}
pytestmark = pytest.mark.fakeplat(
    version="latest", tier="ultimate", scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z"
)
FIELD = 'customFieldName: "area"'


def list_titles(fake: Fakeplat, field: str, arguments: str, by: str = "ada") -> list[str]:
    """Return the titles of a list of the project."""
    query = f'{{ project(fullPath: "acme/site") {{ {field}({arguments}) {{ nodes {{ title }} }} }} }}'
    return sorted(node["title"] for node in query_data(fake, by, query)["project"][field]["nodes"])


def list_in_group(fake: Fakeplat, arguments: str) -> list[str]:
    """Return the titles of all work items of the group."""
    query = f'{{ group(fullPath: "acme") {{ workItems({arguments}) {{ nodes {{ title }} }} }} }}'
    return sorted(node["title"] for node in query_data(fake, "ada", query)["group"]["workItems"]["nodes"])


def find_ids(fake: Fakeplat) -> dict[str, str]:
    """Return the global ids of fields, options and cadences by name."""
    query = """{ group(fullPath: "acme") {
        customFields { nodes { id name selectOptions { id value } } } iterationCadences { nodes { id title } } } }"""
    group = query_data(fake, "ada", query)["group"]
    fields = group["customFields"]["nodes"]
    options = {option["value"]: option["id"] for field in fields for option in field["selectOptions"] or ()}
    cadences = {cadence["title"]: cadence["id"] for cadence in group["iterationCadences"]["nodes"]}
    return {**{field["name"]: field["id"] for field in fields}, **options, **cadences}


@pytest.mark.parametrize("field", ["issues", "workItems"])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (f'customField: [{{ {FIELD}, selectedOptionValues: ["web"] }}]', "a"),
        (f'customField: [{{ {FIELD}, selectedOptionValues: ["Web", "App"] }}]', "a"),
        (f'customField: [{{ {FIELD}, selectedOptionValues: ["Web", "None such"] }}]', ""),
        (f'not: {{ customField: [{{ {FIELD}, selectedOptionValues: ["Web"] }}] }}', "bc"),
        (f'not: {{ customField: [{{ {FIELD}, selectedOptionValues: ["Web", "None such"] }}] }}', "abc"),
        (f'or: {{ customField: [{{ {FIELD}, selectedOptionValues: ["Web", "App"] }}] }}', "ab"),
        (f'or: {{ customField: [{{ {FIELD}, selectedOptionValues: ["App", "None such"] }}] }}', "ab"),
        ('customField: [{ customFieldName: "Notes", selectedOptionValues: ["Web"] }]', ""),
        ('customField: [{ customFieldName: "None such", selectedOptionValues: ["Web"] }]', ""),
        ("iterationWildcardId: CURRENT", "a"),
        ("iterationWildcardId: ANY", "ab"),
        ("iterationWildcardId: NONE", "c"),
        ("not: { iterationWildcardId: CURRENT }", "bc"),
        ("weightWildcardId: NONE", "b"),
        ('weight: "5"', "c"),
        ('not: { weight: "5" }', "ab"),
        ('status: { name: "to do" }', "abc"),
        ('status: { name: "Done" }', ""),
    ],
)
def test_filters_of_both_lists(fakeplat: Fakeplat, field: str, arguments: str, expected: str) -> None:
    """Lists of issues and of work items have the same filters."""
    assert [*expected] == list_titles(fakeplat, field, arguments)


@pytest.mark.parametrize("field", ["issues", "workItems"])
def test_filters_with_ids(fakeplat: Fakeplat, field: str) -> None:
    """Fields, options and cadences are given by their ids, contacts and their organizations by numbers."""
    ids = find_ids(fakeplat)
    chosen = f'customField: [{{ customFieldId: "{ids["Area"]}", selectedOptionIds: ["{ids["App"]}"] }}]'
    contact, other = (row.id for row in fakeplat.bench.platform.view.crm_contacts.all())
    organization = next(row.id for row in fakeplat.bench.platform.view.crm_organizations.all())

    assert ["a", "b"] == list_titles(fakeplat, field, chosen)
    assert ["b"] == list_titles(fakeplat, field, f'iterationCadenceId: ["{ids["Other"]}"]')
    assert ["a"] == list_titles(fakeplat, field, f'crmContactId: "{contact}"')
    assert ["b"] == list_titles(fakeplat, field, f'crmContactId: "{other}"')
    assert ["a"] == list_titles(fakeplat, field, f'crmOrganizationId: "{organization}"')


def test_customers_are_ignored_for_those_who_do_not_see_them(fakeplat: Fakeplat) -> None:
    """Guests see no contacts, so a filter by them filters nothing."""
    assert ["a", "b", "c"] == list_titles(fakeplat, "issues", 'crmContactId: "1"', by="gus")


def test_iterations_by_title(fakeplat: Fakeplat) -> None:
    """Issues are found by the title of their iteration."""
    assert ["b"] == list_titles(fakeplat, "issues", 'iterationTitle: "Later"')


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("includeDescendants: true", ["Below", "Launch", "a", "b", "c"]),
        ("includeDescendants: true, includeArchived: true", ["Below", "Launch", "a", "b", "c", "gone"]),
        ("includeDescendants: true, excludeProjects: true", ["Below", "Launch"]),
        ("includeDescendants: true, excludeGroupWorkItems: true", ["a", "b", "c"]),
        (f'includeDescendants: true, customField: [{{ {FIELD}, selectedOptionValues: ["Web"] }}]', ["Launch", "a"]),
        ("includeDescendants: true, not: { healthStatusFilter: [atRisk] }", ["Below", "Launch", "a", "c"]),
    ],
)
def test_filters_of_groups(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Lists of groups leave out what is asked, and archived projects unless these are asked for."""
    assert expected == list_in_group(fakeplat, arguments)


def test_work_items_below_others(fakeplat: Fakeplat) -> None:
    """The children of a parent, or with those further below."""
    (launch,) = (row.id for row in fakeplat.bench.platform.view.epics.all() if row.title == "Launch")
    parent = f'parentIds: ["gid://gitlab/WorkItem/{launch}"]'
    found = {
        arguments: list_in_group(fakeplat, f"includeDescendants: true, {arguments}")
        for arguments in (
            parent,
            f"{parent}, includeDescendantWorkItems: true",
            f"hierarchyFilters: {{ {parent}, includeDescendantWorkItems: true }}",
            "hierarchyFilters: { parentWildcardId: NONE }",
        )
    }
    assert [["Below", "c"], ["Below", "a", "c"], ["Below", "a", "c"], ["Launch", "b"]] == [*found.values()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            'customField: [{ customFieldName: "Area" }]',
            "One and only one of [selectedOptionIds, selectedOptionValues] arguments is required.",
        ),
        (
            'customField: [{ selectedOptionValues: ["Web"] }]',
            "One and only one of [customFieldId, customFieldName] arguments is required.",
        ),
        (
            "hierarchyFilters: { parentWildcardId: ANY }, parentWildcardId: NONE",
            "Only one of [hierarchyFilters, parentWildcardId] arguments is allowed at the same time.",
        ),
        (
            'weight: "1", weightWildcardId: ANY',
            "Only one of [weight, weightWildcardId] arguments is allowed at the same time.",
        ),
    ],
)
def test_filters_that_contradict_each_other(fakeplat: Fakeplat, arguments: str, expected: str) -> None:
    """What says the same in two ways is refused."""
    text = f'{{ project(fullPath: "acme/site") {{ workItems({arguments}) {{ count }} }} }}'
    assert [expected] == list_messages(query_refused(fakeplat, "ada", text))


@pytest.mark.fakeplat(version="16.11")
def test_custom_fields_came_later(fakeplat: Fakeplat) -> None:
    """In 16.11 lists have no filter by custom fields."""
    text = '{ project(fullPath: "acme/site") { issues(customField: []) { count } } }'
    assert ["Field 'issues' doesn't accept argument 'customField'"] == list_messages(
        query_refused(fakeplat, "ada", text)
    )
