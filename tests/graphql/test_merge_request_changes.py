"""Mutations of merge requests: what they do, who may, what a refusal says; and that it leaves no trace."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, OPEN, SITE, commit, get_json, merge
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

CREATE = {"projectPath": "acme/site", "title": "New", "sourceBranch": "topic", "targetBranch": "master"}
FIRST = {"projectPath": "acme/site", "iid": "1"}


def build_mutation(name: str, selection: str = "mergeRequest { iid title state }") -> str:
    return write_mutation(name, selection)


def run_mutation(fake: Fakeplat, by: str, name: str, **given: Any) -> Any:
    """What a mutation of merge request 1 gives."""
    whole = {**(CREATE if name == "mergeRequestCreate" else FIRST), **given}
    return query_data(fake, by, build_mutation(name), input=whole)[name]


def get_label_gid(fake: Fakeplat, title: str) -> str:
    labels = fake.as_user("ada").get(f"{SITE}/labels").json()
    return f"gid://gitlab/ProjectLabel/{next(label['id'] for label in labels if label['name'] == title)}"


def get_milestone_gid(fake: Fakeplat, title: str) -> str:
    return f"gid://gitlab/Milestone/{fake.as_user('ada').get(f'{SITE}/milestones?title={title}').json()[0]['id']}"


# mergeRequestCreate


def test_a_merge_request_is_created(fakeplat: Fakeplat) -> None:
    """A merge request created by `mergeRequestCreate` appears in REST."""
    commit(fakeplat, "topic")
    payload = run_mutation(fakeplat, "dev", "mergeRequestCreate", description="Text", labels=["bug"])
    rest = get_json(fakeplat, f"{MRS}/3")

    assert {"mergeRequest": {"iid": "3", "title": "New", "state": "opened"}, "errors": []} == payload
    assert ("dev", "topic", "master", "Text", ["bug"]) == (
        rest["author"]["username"],
        rest["source_branch"],
        rest["target_branch"],
        rest["description"],
        rest["labels"],
    )


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"title": " "}, ["Title can't be blank"]),
        ({"title": "x" * 256}, ["Title is too long (maximum is 255 characters)"]),
        (
            {"sourceBranch": "feature"},
            ["Validate branches Another open merge request already exists for this source branch: !1"],
        ),
        (
            {"sourceBranch": "master"},
            ["Branch conflict You can't use same project/branch for source and target"],
        ),
    ],
)
def test_what_the_rules_refuse_stands_in_the_payload(
    fakeplat: Fakeplat, given: dict[str, str], errors: list[str]
) -> None:
    """Validation errors of a new merge request are in the payload, and nothing is created."""
    commit(fakeplat, "topic")
    answered = query_refused(fakeplat, "dev", build_mutation("mergeRequestCreate"), input={**CREATE, **given})

    assert {"data": {"mergeRequestCreate": {"mergeRequest": None, "errors": errors}}} == answered


@pytest.mark.parametrize(
    ("by", "given"),
    [
        ("rep", {}),
        ("gus", {}),
        ("eve", {}),
        (None, {}),
        ("dev", {"projectPath": "no/such"}),
        ("dev", {"projectPath": "5001"}),
    ],
)
def test_developers_create_merge_requests(fakeplat: Fakeplat, by: str | None, given: dict[str, str]) -> None:
    """Creating a merge request without permission is refused as not available."""
    commit(fakeplat, "topic")
    answered = query_refused(fakeplat, by, build_mutation("mergeRequestCreate"), input={**CREATE, **given})

    assert ([NOT_AVAILABLE], {"mergeRequestCreate": None}) == (list_messages(answered), answered["data"])


# mergeRequestUpdate


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"title": "Other"}, {"title": "Other"}),
        ({"title": None}, {"title": "Search by name"}),
        ({"description": "Other"}, {"description": "Other"}),
        ({"targetBranch": "readme"}, {"target_branch": "readme"}),
        pytest.param({"state": "CLOSED"}, {"state": "closed"}, marks=pytest.mark.fakeplat(version="13.9")),
    ],
)
def test_a_merge_request_is_updated(fakeplat: Fakeplat, given: dict[str, Any], changed: dict[str, Any]) -> None:
    """`mergeRequestUpdate` changes the given fields, and null leaves them."""
    assert [] == run_mutation(fakeplat, "mia", "mergeRequestUpdate", **given)["errors"]
    assert changed == {name: get_json(fakeplat)[name] for name in changed}


@pytest.mark.fakeplat(version="13.9")
def test_a_merge_request_is_opened_again(fakeplat: Fakeplat) -> None:
    """`mergeRequestUpdate` with the state OPEN reopens a closed merge request."""
    run_mutation(fakeplat, "dev", "mergeRequestUpdate", state="CLOSED")

    assert "opened" == run_mutation(fakeplat, "dev", "mergeRequestUpdate", state="OPEN")["mergeRequest"]["state"]


@pytest.mark.fakeplat(version="13.9")
def test_one_whose_branch_is_gone_is_not_opened_again(fakeplat: Fakeplat) -> None:
    """A merge request whose source branch is deleted is not reopened; the payload says why."""
    run_mutation(fakeplat, "dev", "mergeRequestUpdate", state="CLOSED")
    fakeplat.as_user("mia").delete(f"{SITE}/repository/branches/feature")
    answered = query_refused(fakeplat, "dev", build_mutation("mergeRequestUpdate"), input={**FIRST, "state": "OPEN"})
    payload = answered["data"]["mergeRequestUpdate"]

    assert ("closed", ["Source branch feature does not exist"]) == (payload["mergeRequest"]["state"], payload["errors"])


def test_an_update_that_is_refused_shows_it_as_it_is(fakeplat: Fakeplat) -> None:
    """A refused update shows the unchanged merge request and the errors in the payload."""
    answered = query_refused(fakeplat, "dev", build_mutation("mergeRequestUpdate"), input={**FIRST, "title": " "})

    assert {
        "mergeRequest": {"iid": "1", "title": "Search by name", "state": "opened"},
        "errors": ["Title can't be blank"],
    } == answered["data"]["mergeRequestUpdate"]


# single properties


def test_labels_are_set_in_three_modes(fakeplat: Fakeplat) -> None:
    """Labels are replaced by default, appended or removed; an empty list removes all."""
    bug, docs = get_label_gid(fakeplat, "bug"), get_label_gid(fakeplat, "docs")
    steps: list[tuple[dict[str, Any], list[str]]] = [
        ({"labelIds": [bug], "operationMode": "APPEND"}, ["bug", "feature"]),
        ({"labelIds": [bug, docs]}, ["bug", "docs"]),
        ({"labelIds": [bug], "operationMode": "REMOVE"}, ["docs"]),
        ({"labelIds": []}, []),
    ]
    for given, left in steps:
        run_mutation(fakeplat, "dev", "mergeRequestSetLabels", **given)
        assert left == get_json(fakeplat)["labels"]


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("mode", "usernames", "left"),
    [
        ({}, ["rep"], {"rep"}),
        ({"operationMode": "APPEND"}, ["rep"], {"mia", "rep"}),
        ({"operationMode": "REMOVE"}, ["mia"], set()),
        ({}, ["eve", "gus", "no-such"], set()),
    ],
)
def test_assignees_are_set(fakeplat: Fakeplat, mode: dict[str, str], usernames: list[str], left: set[str]) -> None:
    """Assignees are set in each mode, and users who cannot read merge requests are ignored."""
    run_mutation(fakeplat, "dev", "mergeRequestSetAssignees", assigneeUsernames=usernames, **mode)

    assert left == {user["username"] for user in get_json(fakeplat)["assignees"]}


def test_a_milestone_is_set_and_taken_away(fakeplat: Fakeplat) -> None:
    """`mergeRequestSetMilestone` sets a milestone, and null removes it."""
    run_mutation(fakeplat, "dev", "mergeRequestSetMilestone", milestoneId=get_milestone_gid(fakeplat, "v1.0"))
    assert "v1.0" == get_json(fakeplat)["milestone"]["title"]

    run_mutation(fakeplat, "dev", "mergeRequestSetMilestone", milestoneId=None)
    assert get_json(fakeplat)["milestone"] is None


@pytest.mark.parametrize(
    ("name", "given", "changed"),
    [
        ("mergeRequestSetLocked", {"locked": True}, {"discussion_locked": True}),
        ("mergeRequestSetWip", {"wip": True}, {"title": "Draft: Search by name", "work_in_progress": True}),
        ("mergeRequestSetWip", {"wip": False}, {"title": "Search by name", "work_in_progress": False}),
        pytest.param(
            "mergeRequestSetDraft",
            {"draft": True},
            {"title": "Draft: Search by name", "work_in_progress": True},
            marks=pytest.mark.fakeplat(version="14.8"),
        ),
        ("mergeRequestSetSubscription", {"subscribedState": True}, {"subscribed": True}),
    ],
)
def test_single_properties_are_set(
    fakeplat: Fakeplat, name: str, given: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Each mutation of a single property of a merge request changes that property."""
    assert [] == run_mutation(fakeplat, "root", name, **given)["errors"]
    assert changed == {key: get_json(fakeplat)[key] for key in changed}


@pytest.mark.parametrize("title", ["WIP: New", "Draft: WIP: New", "[Draft] New"])
def test_a_draft_is_finished(fakeplat: Fakeplat, title: str) -> None:
    """Ending a draft removes its prefix from the title, and marking a draft again changes nothing."""
    fakeplat.as_user("dev").put(OPEN, json={"title": title})
    assert title == run_mutation(fakeplat, "dev", "mergeRequestSetWip", wip=True)["mergeRequest"]["title"]
    assert "New" == run_mutation(fakeplat, "dev", "mergeRequestSetWip", wip=False)["mergeRequest"]["title"]


CHANGES: dict[str, dict[str, Any]] = {
    "mergeRequestUpdate": {"title": "x"},
    "mergeRequestSetLabels": {"labelIds": []},
    "mergeRequestSetAssignees": {"assigneeUsernames": []},
    "mergeRequestSetMilestone": {"milestoneId": None},
    "mergeRequestSetLocked": {"locked": True},
    "mergeRequestSetWip": {"wip": True},
    "mergeRequestSetSubscription": {"subscribedState": True},
}


@pytest.mark.parametrize("name", [*CHANGES])
@pytest.mark.parametrize(
    ("by", "given"),
    [
        ("rep", {}),
        ("gus", {}),
        ("eve", {}),
        (None, {}),
        ("dev", {"iid": "99"}),
        ("dev", {"iid": "one"}),
        ("dev", {"projectPath": "no/such"}),
    ],
)
def test_what_is_hidden_or_forbidden_is_one_error(
    fakeplat: Fakeplat, name: str, by: str | None, given: dict[str, str]
) -> None:
    """Changing a merge request that is missing, hidden or forbidden is refused with the same error."""
    answered = query_refused(fakeplat, by, build_mutation(name), input={**FIRST, **CHANGES[name], **given})

    assert ([NOT_AVAILABLE], {name: None}) == (list_messages(answered), answered["data"])


@pytest.mark.parametrize("name", [*CHANGES])
def test_an_archived_project_takes_no_change(fakeplat: Fakeplat, name: str) -> None:
    """A merge request of an archived project cannot be changed, not even by the owner."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert [NOT_AVAILABLE] == list_messages(
        query_refused(fakeplat, "ada", build_mutation(name), input={**FIRST, **CHANGES[name]})
    )


def test_assignees_and_authors_may_update(fakeplat: Fakeplat) -> None:
    """An assigned Reporter can change the title; labels from a Reporter are ignored, as in REST."""
    fakeplat.as_user("dev").put(OPEN, json={"assignee_id": fakeplat.world.user("rep").id})

    assert "By rep" == run_mutation(fakeplat, "rep", "mergeRequestUpdate", title="By rep")["mergeRequest"]["title"]
    assert [] == run_mutation(fakeplat, "rep", "mergeRequestSetLabels", labelIds=[])["errors"]
    assert ["feature"] == get_json(fakeplat)["labels"]


def test_a_merged_one_keeps_its_target(fakeplat: Fakeplat) -> None:
    """A new target branch of a merged merge request is ignored without an error, as in REST."""
    merge(fakeplat)

    assert [] == run_mutation(fakeplat, "mia", "mergeRequestUpdate", targetBranch="readme")["errors"]
    assert "master" == get_json(fakeplat)["target_branch"]
