"""Mutations of issues: what they do, who may, what a refusal says; and that it leaves no trace."""

from typing import Any

import pytest

from fakeplat.domain import settings
from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, NOW, WORLD, list_messages, post_query, query_data, query_refused

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=WORLD)]

SHOWN = "errors clientMutationId issue { iid title state confidential }"


def run_mutation(fake: Fakeplat, by: str | None, name: str, selection: str = SHOWN, **given: Any) -> Any:
    """What a mutation of acme/site gives."""
    return query_data(fake, by, build_mutation(name, selection), input=_build_input(name, given))[name]


def build_mutation(name: str, selection: str = SHOWN) -> str:
    kind = name[0].upper() + name[1:]
    return f"mutation($input: {kind}Input!) {{ {name}(input: $input) {{ {selection} }} }}"


def _build_input(name: str, given: dict[str, Any]) -> dict[str, Any]:
    iid = {} if name == "createIssue" else {"iid": "1"}
    return {"projectPath": "acme/site", **iid, **given}


def get_label_id(fake: Fakeplat, title: str) -> int:
    return next(
        int(label["id"])
        for label in fake.as_user("ada").get("projects/acme%2Fsite/labels").json()
        if label["name"] == title
    )


def get_milestone_id(fake: Fakeplat) -> int:
    return int(fake.as_user("ada").get("projects/acme%2Fsite/milestones", params={"title": "v1"}).json()[0]["id"])


def get_from_rest(fake: Fakeplat, iid: int = 1) -> Any:
    """An issue as REST shows it."""
    return fake.as_user("root").get(f"projects/acme%2Fsite/issues/{iid}").json()


def test_an_issue_is_created(fakeplat: Fakeplat) -> None:
    """An issue created by `createIssue` appears in REST, and the `clientMutationId` is returned."""
    payload = run_mutation(
        fakeplat,
        "dev",
        "createIssue",
        title="New",
        description="Text",
        confidential=True,
        dueDate="2020-12-01",
        labels=["bug"],
        milestoneId=f"gid://gitlab/Milestone/{get_milestone_id(fakeplat)}",
        assigneeIds=[f"gid://gitlab/User/{fakeplat.world.user('rep').id}"],
        clientMutationId="mine",
    )
    issue = get_from_rest(fakeplat, 4)

    assert {"iid": "4", "title": "New", "state": "opened", "confidential": True} == payload["issue"]
    assert ([], "mine") == (payload["errors"], payload["clientMutationId"])
    assert ("dev", "Text", "2020-12-01", ["bug"], "v1", ["rep"]) == (
        issue["author"]["username"],
        issue["description"],
        issue["due_date"],
        issue["labels"],
        issue["milestone"]["title"],
        [user["username"] for user in issue["assignees"]],
    )


def test_an_issue_is_created_with_label_ids(fakeplat: Fakeplat) -> None:
    """`labelIds` sets labels by their global ids; both `labels` and `labelIds` are an error."""
    id_ = f"gid://gitlab/ProjectLabel/{get_label_id(fakeplat, 'idea')}"
    run_mutation(fakeplat, "dev", "createIssue", title="New", labelIds=[id_])
    both = {"projectPath": "acme/site", "title": "x", "labels": ["bug"], "labelIds": [id_]}
    answered = query_refused(fakeplat, "dev", build_mutation("createIssue"), input=both)

    assert ["idea"] == get_from_rest(fakeplat, 4)["labels"]
    assert ["Only one of labels or labelIds arguments is allowed"] == list_messages(answered)


@pytest.mark.fakeplat(releases="<13.12")
def test_guests_create_issues_without_what_only_reporters_set(fakeplat: Fakeplat) -> None:
    """Labels in a guest's `createIssue` are ignored before 13.12, as in REST."""
    run_mutation(fakeplat, "gus", "createIssue", title="New", labels=["bug"])

    assert [] == get_from_rest(fakeplat, 4)["labels"]


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"title": "Mended"}, {"title": "Mended"}),
        ({"description": None}, {"description": None}),
        ({"confidential": True}, {"confidential": True}),
        ({"locked": True}, {"discussion_locked": True}),
        ({"dueDate": "2021-01-02"}, {"due_date": "2021-01-02"}),
        ({"dueDate": None}, {"due_date": None}),
        ({"stateEvent": "CLOSE"}, {"state": "closed"}),
        ({"milestoneId": None}, {"milestone": None}),
        ({"title": None}, {"title": "Broken link"}),
    ],
)
def test_an_issue_is_updated(fakeplat: Fakeplat, given: dict[str, Any], changed: dict[str, Any]) -> None:
    """`updateIssue` changes the given fields; null clears those that can be cleared and leaves others."""
    assert [] == run_mutation(fakeplat, "rep", "updateIssue", **given)["errors"]
    assert changed == {name: get_from_rest(fakeplat)[name] for name in changed}


def test_an_issue_gets_and_loses_labels(fakeplat: Fakeplat) -> None:
    """Labels are added and removed by number or by global id."""
    bug, idea = get_label_id(fakeplat, "bug"), get_label_id(fakeplat, "idea")
    run_mutation(fakeplat, "rep", "updateIssue", removeLabelIds=[str(bug), f"gid://gitlab/ProjectLabel/{idea}"])
    assert [] == get_from_rest(fakeplat)["labels"]

    run_mutation(fakeplat, "rep", "updateIssue", addLabelIds=[str(bug)])
    assert ["bug"] == get_from_rest(fakeplat)["labels"]


@pytest.mark.parametrize(
    ("name", "given", "changed"),
    [
        ("issueSetConfidential", {"confidential": True}, {"confidential": True}),
        ("issueSetLocked", {"locked": True}, {"discussion_locked": True}),
        ("issueSetDueDate", {"dueDate": "2021-01-02T10:00:00Z"}, {"due_date": "2021-01-02"}),
        pytest.param(
            "issueSetDueDate", {"dueDate": None}, {"due_date": None}, marks=pytest.mark.fakeplat(version="13.12")
        ),
        ("issueSetSubscription", {"subscribedState": True}, {"subscribed": True}),
    ],
)
def test_single_properties_are_set(
    fakeplat: Fakeplat, name: str, given: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Each mutation of a single property of an issue changes that property."""
    assert [] == run_mutation(fakeplat, "root", name, **given)["errors"]
    assert changed == {key: get_from_rest(fakeplat)[key] for key in changed}


@pytest.mark.fakeplat(scenario=WORLD, tier="premium")
@pytest.mark.parametrize(
    ("mode", "names", "left"),
    [
        ({}, ["rep"], {"rep"}),
        ({"operationMode": "REPLACE"}, ["rep", "ada"], {"rep", "ada"}),
        ({"operationMode": "APPEND"}, ["rep"], {"dev", "rep"}),
        ({"operationMode": "REMOVE"}, ["dev"], set()),
        ({}, ["eve", "no-such"], set()),
    ],
)
def test_assignees_are_set(fakeplat: Fakeplat, mode: dict[str, str], names: list[str], left: set[str]) -> None:
    """Assignees are replaced, appended or removed; users who cannot see the project are ignored."""
    run_mutation(fakeplat, "rep", "issueSetAssignees", assigneeUsernames=names, **mode)

    assert left == {user["username"] for user in get_from_rest(fakeplat)["assignees"]}


@pytest.mark.fakeplat(scenario=WORLD, tier="premium")
def test_a_weight_is_set_where_it_is_paid_for(fakeplat: Fakeplat) -> None:
    """`issueSetWeight` sets the weight on the premium tier, and REST shows it."""
    payload = run_mutation(fakeplat, "rep", "issueSetWeight", "issue { weight }", weight=5)

    assert ({"weight": 5}, 5) == (payload["issue"], get_from_rest(fakeplat)["weight"])


@pytest.mark.fakeplat(scenario=WORLD, tier="premium", version="14.1")
def test_a_weight_is_removed(fakeplat: Fakeplat) -> None:
    """From release 14.1 on `issueSetWeight` takes null, which removes the weight."""
    run_mutation(fakeplat, "rep", "issueSetWeight", weight=5)

    assert [] == run_mutation(fakeplat, "rep", "issueSetWeight", weight=None)["errors"]
    assert None is get_from_rest(fakeplat)["weight"]


@pytest.mark.parametrize(
    ("name", "given", "errors"),
    [
        ("createIssue", {"title": " "}, ["Title can't be blank"]),
        ("createIssue", {"title": "x" * 256}, ["Title is too long (maximum is 255 characters)"]),
        ("updateIssue", {"title": " "}, ["Title can't be blank"]),
    ],
)
def test_what_the_records_rules_refuse_stands_in_the_payload(
    fakeplat: Fakeplat, name: str, given: dict[str, Any], errors: list[str]
) -> None:
    """Validation errors are in the payload, and an update shows the issue unchanged."""
    answered = query_refused(fakeplat, "ada", build_mutation(name), input=_build_input(name, given))
    payload = answered["data"][name]
    title = payload["issue"] and payload["issue"]["title"]

    assert errors == payload["errors"]
    assert (None if name == "createIssue" else "Broken link") == title
    assert "errors" not in answered


@pytest.mark.parametrize(
    ("by", "name", "given"),
    [
        ("eve", "createIssue", {"title": "x"}),
        (None, "createIssue", {"title": "x"}),
        ("ada", "createIssue", {"title": "x", "projectPath": "no/such"}),
        ("ada", "createIssue", {"title": "x", "projectPath": "5001"}),
        ("eve", "updateIssue", {"title": "x"}),
        ("ada", "updateIssue", {"title": "x", "iid": "99"}),
        ("ada", "updateIssue", {"title": "x", "iid": "one"}),
        ("gus", "updateIssue", {"title": "x", "iid": "2"}),
        ("gus", "updateIssue", {"title": "x", "iid": "3"}),
        (None, "issueSetLocked", {"locked": True}),
    ],
)
def test_what_is_hidden_or_forbidden_is_one_error(
    fakeplat: Fakeplat, by: str | None, name: str, given: dict[str, Any]
) -> None:
    """Changing an issue that is missing, hidden or forbidden gives the same error and a null payload."""
    answered = query_refused(fakeplat, by, build_mutation(name), input=_build_input(name, given))
    (error,) = answered["errors"]

    assert (NOT_AVAILABLE, [name]) == (error["message"], error["path"])
    assert {name: None} == answered["data"]


def test_authors_update_their_own_issues(fakeplat: Fakeplat) -> None:
    """A guest can change the title of an issue that they created."""
    assert "Mine" == run_mutation(fakeplat, "gus", "updateIssue", title="Mine")["issue"]["title"]


@pytest.mark.parametrize(("scopes", "ability"), [(["api"], True), (["read_api"], False)])
def test_mutations_ask_for_the_scope_api(fakeplat: Fakeplat, scopes: list[str], ability: bool) -> None:
    """A mutation needs a token with the scope `api`; `read_api` is enough for queries."""
    token = fakeplat.token("ada", kind="personal", scopes=scopes)
    given = {
        "query": build_mutation("updateIssue"),
        "variables": {"input": _build_input("updateIssue", {"title": "x"})},
    }
    reply = fakeplat.as_user(None).post("/api/graphql", json=given, headers={"private-token": token}).json()
    queried = {"query": "{ currentUser { username } }"}
    asked = fakeplat.as_user(None).post("/api/graphql", json=queried, headers={"private-token": token}).json()

    assert ability is ("errors" not in reply)
    assert {"data": {"currentUser": {"username": "ada"}}} == asked
    assert ("x" if ability else "Broken link") == get_from_rest(fakeplat)["title"]


def test_each_mutation_is_a_transaction_of_its_own(fakeplat: Fakeplat) -> None:
    """Each mutation of a document is a transaction: others succeed when one is refused."""
    query = """mutation {
        a: updateIssue(input: {projectPath: "acme/site", iid: "1", title: "First"}) { issue { title } }
        b: updateIssue(input: {projectPath: "acme/site", iid: "1", title: " "}) { errors }
        c: updateIssue(input: {projectPath: "no/such", iid: "1", title: "x"}) { errors }
        d: updateIssue(input: {projectPath: "acme/site", iid: "1", stateEvent: CLOSE}) { issue { title state } } }"""
    answered = post_query(fakeplat, "ada", query)

    assert {
        "a": {"issue": {"title": "First"}},
        "b": {"errors": ["Title can't be blank"]},
        "c": None,
        "d": {"issue": {"title": "First", "state": "closed"}},
    } == answered["data"]
    assert ("First", "closed") == (get_from_rest(fakeplat)["title"], get_from_rest(fakeplat)["state"])


def test_an_issue_keeps_the_time_at_which_it_was_made(fakeplat: Fakeplat) -> None:
    """`createdAt` is accepted from owners and ignored from others, as in REST."""
    selection = "issue { createdAt }"
    long_ago = "2019-01-01T00:00:00Z"
    by_owner = run_mutation(fakeplat, "ada", "createIssue", selection, title="x", createdAt=long_ago)
    by_developer = run_mutation(fakeplat, "dev", "createIssue", selection, title="x", createdAt=long_ago)

    assert long_ago == by_owner["issue"]["createdAt"]
    assert NOW == by_developer["issue"]["createdAt"]


def test_creating_issues_is_limited_as_in_rest(fakeplat: Fakeplat) -> None:
    """Creating more issues than the limit per minute is refused."""
    fakeplat.as_user("root").put("application/settings", json={"issues_create_limit": 1})
    with fakeplat.bench.platform.acting() as ctx:
        settings.change(ctx, {"issues_create_limit": 1})
    run_mutation(fakeplat, "dev", "createIssue", title="x")
    answered = query_refused(
        fakeplat, "dev", build_mutation("createIssue"), input={"projectPath": "acme/site", "title": "y"}
    )

    assert ["This endpoint has been requested too many times. Try again later."] == list_messages(answered)


def test_an_archived_project_takes_no_change(fakeplat: Fakeplat) -> None:
    """Creating and updating issues of an archived project is refused."""
    fakeplat.as_user("ada").post("projects/acme%2Fsite/archive")
    for name in ("createIssue", "updateIssue"):
        answered = query_refused(fakeplat, "ada", build_mutation(name), input=_build_input(name, {"title": "x"}))
        assert [NOT_AVAILABLE] == list_messages(answered)
