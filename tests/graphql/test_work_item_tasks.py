"""Tasks in descriptions that become work items.

Source: spec/requests/api/graphql/mutations/work_items/create_from_task_spec.rb, and the spec of its service.
"""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", scenario=WORLD)
SITE: Final = "projects/acme%2Fsite"
TEXT: Final = "Plan\n- [ ] Mend the roof\n  soon\n\n1. [x] Paint\n"
CREATE: Final = write_mutation(
    "workItemCreateFromTask",
    "workItem { description } newWorkItem { iid title confidential workItemType { name } }",
)
TASK: Final = "gid://gitlab/WorkItems::Type/5"


def create_issue(fake: Fakeplat, description: str | None = TEXT, **fields: Any) -> str:
    """Create an issue, and return its global ID."""
    body = {"title": "House", "description": description, **fields}
    return f"gid://gitlab/WorkItem/{fake.as_user('dev').post(f'{SITE}/issues', json=body).json()['id']}"


def build_input(id_: str, first: int = 2, last: int = 2, **fields: Any) -> dict[str, Any]:
    task = {"title": "Mend the roof", "lineNumberStart": first, "lineNumberEnd": last, "lockVersion": 0}
    return {"id": id_, "workItemData": {**task, "workItemTypeId": TASK, **fields}}


def test_a_task_becomes_a_work_item(fakeplat: Fakeplat) -> None:
    """The new work item is below the issue, confidential like it, and the description refers to it."""
    id_ = create_issue(fakeplat, confidential=True)
    payload = query_data(fakeplat, "dev", CREATE, input=build_input(id_, last=3))["workItemCreateFromTask"]
    iid = payload["newWorkItem"]["iid"]

    assert {
        "workItem": {"description": f"Plan\n- [ ] #{iid}+\n\n1. [x] Paint"},
        "newWorkItem": {"iid": iid, "title": "Mend the roof", "confidential": True, "workItemType": {"name": "Task"}},
        "errors": [],
    } == payload
    hierarchy = "widgets { ... on WorkItemWidgetHierarchy { children { nodes { iid } } } }"
    shown = query_data(fakeplat, "dev", f'{{ workItem(id: "{id_}") {{ {hierarchy} }} }}')["workItem"]["widgets"]
    assert {"children": {"nodes": [{"iid": iid}]}} in shown


def test_numbered_and_done_tasks_become_work_items(fakeplat: Fakeplat) -> None:
    """A task of a numbered list that is done keeps its number and its mark."""
    payload = query_data(fakeplat, "dev", CREATE, input=build_input(create_issue(fakeplat), 5, 5, title=" Paint "))[
        "workItemCreateFromTask"
    ]

    assert "Paint" == payload["newWorkItem"]["title"]
    assert f"1. [x] #{payload['newWorkItem']['iid']}+" == payload["workItem"]["description"].splitlines()[-1]


@pytest.mark.parametrize(
    ("task", "error"),
    [
        ({"lockVersion": -1}, "Stale work item. Check lock version"),
        ({"lineNumberStart": 0}, "line_number_start must be greater than 0"),
        ({"lineNumberEnd": 1}, "line_number_end must be greater or equal to line_number_start"),
        ({"lineNumberStart": 1}, "Unable to detect a task on line 1"),
        ({"lineNumberStart": 9, "lineNumberEnd": 9}, "Unable to detect a task on line 9"),
        ({"title": " "}, "Title can't be blank"),
    ],
)
def test_what_is_no_task_is_refused(fakeplat: Fakeplat, task: dict[str, Any], error: str) -> None:
    """Without a task in the lines nothing is created."""
    given = build_input(create_issue(fakeplat), **task)
    content = query_refused(fakeplat, "dev", CREATE, input=given)["data"]["workItemCreateFromTask"]

    assert {"workItem": None, "newWorkItem": None, "errors": [error]} == content


def test_only_some_types_are_below_issues(fakeplat: Fakeplat) -> None:
    """Issues are not below issues, epics are not created in projects, and other types do not exist."""
    id_ = create_issue(fakeplat)
    types = {name: f"gid://gitlab/WorkItems::Type/{number}" for name, number in (("issue", 1), ("epic", 8), ("no", 99))}
    issue, epic, none = (
        query_refused(fakeplat, "dev", CREATE, input=build_input(id_, workItemTypeId=type_)) for type_ in types.values()
    )

    (error,) = issue["data"]["workItemCreateFromTask"]["errors"]
    assert error.endswith("cannot be added: it's not allowed to add this type of parent item")
    assert [NOT_AVAILABLE] == list_messages(epic)
    assert ["Work Item type with id 99 was not found"] == list_messages(none)


def test_an_issue_without_a_description_has_no_tasks(fakeplat: Fakeplat) -> None:
    """A blank description is refused."""
    content = query_refused(fakeplat, "dev", CREATE, input=build_input(create_issue(fakeplat, None)))

    assert ["Work item description can't be blank"] == content["data"]["workItemCreateFromTask"]["errors"]


@pytest.mark.parametrize("by", ["gus", "eve", None])
def test_others_convert_no_tasks(fakeplat: Fakeplat, by: str | None) -> None:
    """Who cannot change a work item creates none from its tasks."""
    content = query_refused(fakeplat, by, CREATE, input=build_input(create_issue(fakeplat)))

    assert [NOT_AVAILABLE] == list_messages(content)
