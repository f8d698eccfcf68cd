"""Changes of several issues, and further fields of issues, by GraphQL. Source: docs/platform/graphql.md ('Issues')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import form
from tests.api.test_metric_images import PIXEL
from tests.graphql.queries import NOT_AVAILABLE, WORLD, post_query
from tests.graphql.reviewed_world import DISCUSSION, REVIEWED

pytestmark = pytest.mark.fakeplat(scenario=WORLD, default_branch="master", version="18.5", clock="virtual")
SITE = "acme/site"


def mutate(fake: Fakeplat, user: str, name: str, arguments: str, fields: str = "errors") -> Any:
    """Run a mutation; return its payload, or the message of its error."""
    reply = post_query(fake, user, f"mutation {{ {name}(input: {{ {arguments} }}) {{ {fields} }} }}")
    return reply["errors"][0]["message"] if "errors" in reply else reply["data"][name]


def gid(kind: str, id_: int) -> str:
    return f"gid://gitlab/{kind}/{id_}"


def issue_gid(fake: Fakeplat, iid: int = 1) -> str:
    return gid("Issue", fake.world.project(SITE).issue(iid).id)


def update(fake: Fakeplat, user: str, ids: list[str], changes: str, parent: str = "") -> Any:
    """Change issues of acme/site, or of another parent."""
    named = ", ".join(f'"{text}"' for text in ids)
    parent = parent or gid("Project", fake.world.project(SITE).id)
    arguments = f'parentId: "{parent}", ids: [{named}], {changes}'
    return mutate(fake, user, "issuesBulkUpdate", arguments, "errors updatedIssueCount")


def read_issue(fake: Fakeplat, fields: str, user: str = "dev", iid: int = 1) -> Any:
    query = f'{{ project(fullPath: "{SITE}") {{ issue(iid: "{iid}") {{ {fields} }} }} }}'
    return post_query(fake, user, query)["data"]["project"]["issue"]


FIELDS = "state subscribed labels { nodes { title } } milestone { title } assignees { nodes { username } }"


def test_several_issues_change(fakeplat: Fakeplat) -> None:
    """Labels, milestone, assignees, state and subscription change in all issues that are named."""
    view = fakeplat.bench.platform.view
    label = next(label.id for label in view.labels.all() if label.title == "idea")
    milestone = next(each.id for each in view.milestones.all() if each.title == "v1")
    mia = fakeplat.world.user("mia").id
    changes = (
        f'assigneeIds: ["{gid("User", mia)}"], milestoneId: "{gid("Milestone", milestone)}", stateEvent: CLOSE, '
        f'addLabelIds: ["{gid("ProjectLabel", label)}"], subscriptionEvent: SUBSCRIBE'
    )
    ids = [issue_gid(fakeplat, iid) for iid in (1, 2)]
    assert {"errors": [], "updatedIssueCount": 2} == update(fakeplat, "dev", ids, changes)
    expected = {
        "state": "closed",
        "subscribed": True,
        "labels": {"nodes": [{"title": "idea"}]},
        "milestone": {"title": "v1"},
        "assignees": {"nodes": [{"username": "mia"}]},
    }
    assert expected == read_issue(fakeplat, FIELDS, iid=2)
    changes = f'assigneeIds: [], milestoneId: null, removeLabelIds: ["{gid("Label", label)}"]'
    assert {"errors": [], "updatedIssueCount": 2} == update(fakeplat, "dev", ids, changes)
    emptied: dict[str, Any] = {"labels": {"nodes": []}, "milestone": None, "assignees": {"nodes": []}}
    assert {**expected, **emptied} == read_issue(fakeplat, FIELDS, iid=2)


def test_issues_that_may_not_be_changed_are_left_out(fakeplat: Fakeplat) -> None:
    """Unknown issues, those of other projects and those that the caller may not change do not count."""
    ids = [issue_gid(fakeplat), issue_gid(fakeplat, 2), gid("Issue", 1)]
    assert 1 == update(fakeplat, "gus", ids, "stateEvent: CLOSE")["updatedIssueCount"]
    docs = gid("Project", fakeplat.world.project("acme/docs").id)
    assert 0 == update(fakeplat, "dev", ids, "stateEvent: CLOSE", docs)["updatedIssueCount"]


def test_refused_changes_of_several_issues(fakeplat: Fakeplat) -> None:
    """At most 100 issues change at once; the parent has to be visible, and groups are a paid feature."""
    before = fakeplat.bench.platform.state
    text = "No more than 100 issues can be updated at the same time"
    assert text == update(fakeplat, "dev", [gid("Issue", number) for number in range(1, 102)], "stateEvent: CLOSE")
    group = gid("Group", fakeplat.world.group("acme").id)
    for parent in (gid("Project", 1), gid("Group", 1), group):
        assert NOT_AVAILABLE == update(fakeplat, "dev", [issue_gid(fakeplat)], "stateEvent: CLOSE", parent)
    assert before is fakeplat.bench.platform.state


@pytest.mark.fakeplat(tier="premium")
def test_issues_of_a_group_change(fakeplat: Fakeplat) -> None:
    """In paid tiers issues of all projects of a group change."""
    group = gid("Group", fakeplat.world.group("acme").id)
    assert 1 == update(fakeplat, "dev", [issue_gid(fakeplat)], "stateEvent: CLOSE", group)["updatedIssueCount"]


# Labels


def test_a_label_is_archived(fakeplat: Fakeplat) -> None:
    """A label is archived by those who administer it."""
    label = next(label for label in fakeplat.bench.platform.view.labels.all() if label.title == "bug")
    arguments, fields = f'id: "{gid("ProjectLabel", label.id)}", archived: true', "errors label { title archived }"
    assert NOT_AVAILABLE == mutate(fakeplat, "gus", "labelUpdate", arguments, fields)
    expected = {"errors": [], "label": {"title": "bug", "archived": True}}
    assert expected == mutate(fakeplat, "dev", "labelUpdate", arguments, fields)
    missing = f'id: "{gid("ProjectLabel", 1)}", archived: true'
    assert NOT_AVAILABLE == mutate(fakeplat, "dev", "labelUpdate", missing, fields)


# New issues


def create_issue(fake: Fakeplat, arguments: str) -> Any:
    arguments = f'projectPath: "{SITE}", title: "New", {arguments}'
    return mutate(fake, "dev", "createIssue", arguments, "errors issue { iid description relativePosition }")


def test_a_new_issue_gets_a_place(fakeplat: Fakeplat) -> None:
    """A new issue is placed between others; unknown ones do not matter."""
    fakeplat.as_user("dev").put("projects/acme%2Fsite/issues/1/reorder", json={"move_after_id": issue_gid(fakeplat, 3)})
    issue = create_issue(fakeplat, f'moveBeforeId: "{issue_gid(fakeplat)}"')["issue"]
    position = fakeplat.bench.platform.view.issues[fakeplat.world.project(SITE).issue(1).id].relative_position or 0
    assert issue["relativePosition"] > position
    assert [] == create_issue(fakeplat, f'moveAfterId: "{gid("Issue", 1)}"')["errors"]


@pytest.mark.fakeplat(scenario=REVIEWED)
def test_a_new_issue_continues_threads(fakeplat: Fakeplat) -> None:
    """A new issue resolves the threads of a merge request, or one of them, and quotes them."""
    text = "to resolve a discussion please also provide `merge_request_to_resolve_discussions_of` parameter"
    assert text == create_issue(fakeplat, f'discussionToResolve: "{DISCUSSION}"')
    merge_request = fakeplat.bench.platform.view.merge_requests.all()[0]
    named = f'mergeRequestToResolveDiscussionsOf: "{gid("MergeRequest", merge_request.id)}"'
    issue = create_issue(fakeplat, f'{named}, discussionToResolve: "{DISCUSSION}"')["issue"]
    assert "The following discussion from !1 should be addressed:" in issue["description"]
    fields = 'mergeRequest(iid: "1") { discussions { nodes { id resolved } } }'
    query = f'{{ project(fullPath: "{SITE}") {{ {fields} }} }}'
    nodes = post_query(fakeplat, "dev", query)["data"]["project"]["mergeRequest"]["discussions"]["nodes"]
    assert [True] == [node["resolved"] for node in nodes if node["id"].endswith(DISCUSSION)]
    assert "" == (
        create_issue(fakeplat, f'mergeRequestToResolveDiscussionsOf: "{gid("MergeRequest", 1)}"')["issue"][
            "description"
        ]
        or ""
    )


# Further fields


def test_duplicates(fakeplat: Fakeplat) -> None:
    """A duplicate names the issue that it repeats until it is reopened, if the caller sees that one."""
    dev = fakeplat.as_user("dev")
    dev.post("projects/acme%2Fsite/issues/1/notes", json={"body": "/duplicate #2"})
    fields = "state closedAsDuplicateOf { iid }"
    assert {"state": "closed", "closedAsDuplicateOf": {"iid": "2"}} == read_issue(fakeplat, fields)
    assert {"state": "closed", "closedAsDuplicateOf": None} == read_issue(fakeplat, fields, "gus")
    dev.put("projects/acme%2Fsite/issues/1", json={"state_event": "reopen"})
    assert {"state": "opened", "closedAsDuplicateOf": None} == read_issue(fakeplat, fields)


def test_who_changed_an_issue(fakeplat: Fakeplat) -> None:
    """An issue shows who changed it last; nobody wrote it by e-mail."""
    fields = "updatedBy { username } externalAuthor"
    assert {"updatedBy": None, "externalAuthor": None} == read_issue(fakeplat, fields)
    fakeplat.as_user("dev").put("projects/acme%2Fsite/issues/1", json={"title": "Other"})
    assert {"username": "dev"} == read_issue(fakeplat, fields)["updatedBy"]


@pytest.mark.fakeplat(tier="premium")
def test_pictures_of_metrics(fakeplat: Fakeplat) -> None:
    """The pictures of an incident are shown with their files."""
    dev = fakeplat.as_user("dev")
    fakeplat.load(
        {"projects": [{"path_with_namespace": SITE, "issues": [{"title": "Down", "issue_type": "incident"}]}]}
    )
    fields = form(file=("a.gif", "image/gif", PIXEL), url="https://metrics.example.test")
    reply = dev.post("projects/acme%2Fsite/issues/4/metric_images", **fields)
    assert 201 == reply.status, reply.text
    (image,) = read_issue(fakeplat, "metricImages { id iid url fileName filePath }", iid=4)["metricImages"]
    assert ("a.gif", "https://metrics.example.test") == (image["fileName"], image["url"])
    assert reply.json()["file_path"] == image["filePath"]
    assert image["id"].endswith(f"IssuableMetricImage/{image['iid']}")


PERMISSIONS = (
    "readIssue readDesign updateIssue reopenIssue adminIssue createNote createDesign destroyDesign updateDesign "
    "moveDesign moveIssue cloneIssue adminIssueRelation"
)


@pytest.mark.parametrize(
    ("user", "refused"),
    [
        ("dev", set()),
        (
            "gus",
            {"adminIssue", "createDesign", "destroyDesign", "updateDesign", "moveDesign", "moveIssue", "cloneIssue"},
        ),
    ],
)
def test_permissions(fakeplat: Fakeplat, user: str, refused: set[str]) -> None:
    """Developers may do everything with an issue; its author may change it and comment."""
    permissions = read_issue(fakeplat, f"userPermissions {{ {PERMISSIONS} }}", user)["userPermissions"]
    assert refused == {name for name, allowed in permissions.items() if not allowed}
