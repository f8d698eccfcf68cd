"""Inputs of the mutations of issues, merge requests and work items, and what is refused of them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
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
SITE: dict[str, Any] = {"projectPath": "acme/site", "iid": "1"}
FILES = [{"action": "create", "file_path": "new.txt", "content": "one\n"}]
BRANCH = {"branch": "topic", "start_branch": "main", "commit_message": "Add", "actions": FILES}


def run(fake: Fakeplat, name: str, selection: str, by: str = "dev", **input_: Any) -> Any:
    return query_data(fake, by, write_mutation(name, selection), input=input_)[name]


def refuse(fake: Fakeplat, name: str, by: str = "dev", **input_: Any) -> list[str]:
    return list_messages(query_refused(fake, by, write_mutation(name, ""), input=input_))


def create_merge_request(fake: Fakeplat, **input_: Any) -> Any:
    assert 201 == fake.as_user("dev").post("projects/acme%2Fsite/repository/commits", json=BRANCH).status
    branches = {"projectPath": "acme/site", "title": "New", "sourceBranch": "topic", "targetBranch": "main"}
    return run(fake, "mergeRequestCreate", "mergeRequest { iid forceRemoveSourceBranch }", **branches, **input_)


def list_label_ids(fake: Fakeplat) -> list[str]:
    return [node["id"] for node in query_project(fake, "dev", "labels { nodes { id } }")["labels"]["nodes"]]


# issues


def test_an_issue_has_the_type_that_was_asked_for(fakeplat: Fakeplat) -> None:
    """The type of an issue is set by its creation, and changed later."""
    created = run(fakeplat, "createIssue", "issue { iid type }", projectPath="acme/site", title="Down", type="INCIDENT")
    iid = created["issue"]["iid"]

    assert "INCIDENT" == created["issue"]["type"]
    assert {"issue": {"type": "ISSUE"}, "errors": []} == run(
        fakeplat, "updateIssue", "issue { type }", projectPath="acme/site", iid=iid, type="ISSUE"
    )


def test_labels_of_an_issue_are_replaced(fakeplat: Fakeplat) -> None:
    """``labelIds`` replaces all labels, by global or plain ids; it excludes the arguments for single ones."""
    bug, idea = list_label_ids(fakeplat)
    selection = "issue { labels { nodes { id } } }"

    for ids, expected in (([bug], [bug]), ([idea.rpartition("/")[2]], [idea]), ([], [])):
        changed = run(fakeplat, "updateIssue", selection, **SITE, labelIds=ids)
        assert expected == [node["id"] for node in changed["issue"]["labels"]["nodes"]]
    for name in ("addLabelIds", "removeLabelIds"):
        other: dict[str, Any] = {name: [idea]}
        assert ["labelIds is mutually exclusive with any of addLabelIds or removeLabelIds"] == refuse(
            fakeplat, "updateIssue", **SITE, labelIds=[bug], **other
        )


@pytest.mark.parametrize(("text", "seconds"), [("1h", 3600), ("0h", 0), ("-0h", 0), (None, 0)])
def test_an_estimate_is_set(fakeplat: Fakeplat, text: str | None, seconds: int) -> None:
    """An estimate is a duration; zero and null remove it."""
    run(fakeplat, "updateIssue", "issue { iid }", **SITE, timeEstimate="30m")
    merge_request = create_merge_request(fakeplat)["mergeRequest"]
    given = {"projectPath": "acme/site", "iid": merge_request["iid"], "timeEstimate": text}

    assert (
        seconds
        == run(fakeplat, "updateIssue", "issue { timeEstimate }", **SITE, timeEstimate=text)["issue"]["timeEstimate"]
    )
    changed = run(fakeplat, "mergeRequestUpdate", "mergeRequest { timeEstimate }", **given)
    assert {"mergeRequest": {"timeEstimate": seconds}, "errors": []} == changed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "timeEstimate must be formatted correctly, for example `1h 30m`"),
        (
            "-3.5d",
            (
                "timeEstimate must be greater than or equal to zero. "
                "Remember that every new timeEstimate overwrites the previous value."
            ),
        ),
    ],
    ids=["no duration", "negative"],
)
def test_other_estimates_are_refused(fakeplat: Fakeplat, text: str, message: str) -> None:
    """A text that is no duration, or a negative one, is an error of the mutation."""
    assert [message] == refuse(fakeplat, "updateIssue", **SITE, timeEstimate=text)


def test_a_merge_request_removes_its_branch_on_request(fakeplat: Fakeplat) -> None:
    """Whether merging removes the branch is set by the creation of a merge request, and changed later."""
    created = create_merge_request(fakeplat, removeSourceBranch=True)["mergeRequest"]
    changed = run(
        fakeplat,
        "mergeRequestUpdate",
        "mergeRequest { forceRemoveSourceBranch }",
        projectPath="acme/site",
        iid=created["iid"],
        removeSourceBranch=False,
    )

    assert True is created["forceRemoveSourceBranch"]
    assert False is changed["mergeRequest"]["forceRemoveSourceBranch"]


def test_an_issue_does_not_move_where_the_caller_may_not(fakeplat: Fakeplat) -> None:
    """A project that the caller may not change is an error of the payload, even if hidden; a missing one is not."""
    move = {**SITE, "targetProjectPath": "ada/notes"}
    answered = query_refused(fakeplat, "dev", write_mutation("issueMove", "issue { title }"), input=move)

    assert {
        "issue": {"title": "Broken link"},
        "errors": ["Cannot move issue due to insufficient permissions!"],
    } == answered["data"]["issueMove"]
    assert [NOT_AVAILABLE] == refuse(fakeplat, "issueMove", **SITE, targetProjectPath="ada/nothing")


# work items


def get_item(fake: Fakeplat) -> str:
    id_: str = query_project(fake, "dev", 'issue(iid: "1") { id }')["issue"]["id"]
    return id_.replace("Issue", "WorkItem")


def get_type(fake: Fakeplat, name: str = "Task") -> str:
    nodes = query_project(fake, "dev", "workItemTypes { nodes { id name } }")["workItemTypes"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["name"] == name)


@pytest.mark.parametrize(
    ("widget", "message"),
    [
        (
            {"timeTrackingWidget": {"timeEstimate": "12abc"}},
            "Time estimate must be formatted correctly. For example: 1h 30m.",
        ),
        (
            {"timeTrackingWidget": {"timelog": {"timeSpent": "2abc"}}},
            "Time spent must be formatted correctly. For example: 1h 30m.",
        ),
        (
            {"awardEmojiWidget": {"action": "REMOVE", "name": "thumbsdown"}},
            "User has not awarded emoji of type thumbsdown on the awardable",
        ),
        (
            {"startAndDueDateWidget": {"startDate": "2020-12-02", "dueDate": "2020-12-01"}},
            "Due date must be greater than or equal to start date",
        ),
        ({"title": ""}, "Title can't be blank"),
    ],
    ids=["estimate", "spent", "emoji", "dates", "title"],
)
def test_a_refused_change_shows_no_work_item(fakeplat: Fakeplat, widget: dict[str, Any], message: str) -> None:
    """The payload of a change with errors has no work item."""
    given = {"id": get_item(fakeplat), **widget}
    answered = query_refused(fakeplat, "dev", write_mutation("workItemUpdate", "workItem { id }"), input=given)

    assert {"data": {"workItemUpdate": {"workItem": None, "errors": [message]}}} == answered


def test_a_due_date_is_not_before_the_start(fakeplat: Fakeplat) -> None:
    """A due date is compared with the start that is there already, by REST too."""
    dates = {"startDate": "2020-12-02", "dueDate": None}
    run(fakeplat, "workItemUpdate", "workItem { id }", id=get_item(fakeplat), startAndDueDateWidget=dates)
    answered = fakeplat.as_user("dev").put("projects/acme%2Fsite/issues/1", json={"due_date": "2020-12-01"})

    assert (400, {"message": {"due_date": ["must be greater than or equal to start date"]}}) == (
        answered.status,
        answered.json(),
    )


def test_a_widget_that_the_type_lacks_is_refused(fakeplat: Fakeplat) -> None:
    """Widgets that a type does not have, also because of the tier, are refused by name."""
    change: dict[str, Any] = {"id": get_item(fakeplat), "weightWidget": {"weight": 1}, "labelsWidget": {}}
    new = {"namespacePath": "acme/site", "title": "New", "workItemTypeId": get_type(fakeplat)}

    assert ["Following widget keys are not supported by Issue type: [:weight_widget]"] == refuse(
        fakeplat, "workItemUpdate", **change
    )
    assert ["Following widget keys are not supported by Task type: [:weight_widget, :iteration_widget]"] == refuse(
        fakeplat, "workItemCreate", **new, weightWidget={"weight": 1}, iterationWidget={}
    )


@pytest.mark.parametrize("paths", [{}, {"projectPath": "acme/site", "namespacePath": "acme/site"}], ids=["none", "two"])
def test_a_work_item_is_created_at_one_path(fakeplat: Fakeplat, paths: dict[str, str]) -> None:
    """Exactly one of the two arguments says where a work item is created."""
    assert ["Please provide either projectPath or namespacePath argument, but not both."] == refuse(
        fakeplat, "workItemCreate", **paths, title="New", workItemTypeId=get_type(fakeplat)
    )


@pytest.mark.parametrize(
    ("widget", "argument"), [({"parentId": 0}, "parentId"), ({"childrenIds": [0]}, "childrenIds")], ids=str
)
def test_a_relative_that_is_missing_is_named(fakeplat: Fakeplat, widget: dict[str, Any], argument: str) -> None:
    """A parent or child that does not exist is an error with the name of the argument."""
    missing = "gid://gitlab/WorkItem/99999"
    ids = {name: missing if value == 0 else [missing] for name, value in widget.items()}

    assert [f'No object found for `{argument}: "{missing}"`'] == refuse(
        fakeplat, "workItemUpdate", id=get_item(fakeplat), hierarchyWidget=ids
    )


def test_a_type_that_is_missing_is_named_by_its_number(fakeplat: Fakeplat) -> None:
    """A conversion to an unknown type names the number of the type."""
    assert ["Work Item type with id 999 was not found"] == refuse(
        fakeplat, "workItemConvert", id=get_item(fakeplat), workItemTypeId="gid://gitlab/WorkItems::Type/999"
    )
