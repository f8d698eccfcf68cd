"""The filters and orders of later releases in lists of issues, merge requests and work items."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, query_data, query_project, query_refused

LIST: dict[str, Any] = {
    "labels": [{"title": "bug", "color": "#d9534f"}, {"title": "idea", "color": "#428bca"}],
    "milestones": [
        {"title": "v1", "start_date": "2020-11-01", "due_date": "2020-12-24"},
        {"title": "v2", "start_date": "2020-12-25", "due_date": "2021-02-01"},
    ],
    "releases": [{"tag_name": "v1.0", "milestones": ["v1"], "author": "mia"}],
    "issues": [
        {"title": "Crash", "author": "dev", "labels": ["bug"], "milestone": "v1", "assignees": ["dev"], "weight": 3},
        {"title": "Theme", "author": "mia", "labels": ["idea"], "milestone": "v2", "health_status": "at_risk"},
        {
            "title": "Outage",
            "author": "mia",
            "issue_type": "incident",
            "severity": "high",
            "state": "closed",
            "due_date": "2020-11-30",
            "assignees": ["dev", "mia"],
        },
        {"title": "Plan", "author": "dev", "start_date": "2020-11-05"},
    ],
    "merge_requests": [
        {
            "title": "A",
            "author": "dev",
            "source_branch": "a",
            "assignees": ["mia"],
            "labels": ["bug"],
            "milestone": "v1",
        },
        {"title": "C", "author": "dev", "source_branch": "c", "reviewers": ["mia"], "labels": ["idea"]},
        {"title": "B", "author": "mia", "source_branch": "b", "state": "closed"},
    ],
}
SCENARIO: dict[str, Any] = {
    "users": [{"username": "dev"}, {"username": "mia"}],
    "groups": [
        {
            "path": "acme",
            "members": {"dev": "developer", "mia": "maintainer"},
            "epics": [{"title": "Launch", "author": "mia"}],
            "projects": [{"path": "shop", **LIST}, {"path": "old", "archived": True, "issues": [{"title": "Gone"}]}],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", scenario=SCENARIO)
SHOP = "acme/shop"


def list_rows(fake: Fakeplat, field: str, arguments: str, by: str = "dev") -> list[str]:
    project = query_project(fake, by, f"{field}{arguments} {{ nodes {{ title }} }}", SHOP)
    return [row["title"] for row in project[field]["nodes"]]


ISSUES = [
    ("(assigneeWildcardId: NONE)", ["Plan", "Theme"]),
    ("(assigneeWildcardId: ANY)", ["Outage", "Crash"]),
    ("(milestoneWildcardId: STARTED)", ["Crash"]),
    ("(milestoneWildcardId: UPCOMING)", ["Crash"]),
    ("(milestoneWildcardId: NONE)", ["Plan", "Outage"]),
    ("(weightWildcardId: ANY)", ["Crash"]),
    ("(epicWildcardId: NONE)", ["Plan", "Outage", "Theme", "Crash"]),
    ('(epicId: "any")', []),
    ("(healthStatusFilter: atRisk)", ["Theme"]),
    ("(healthStatusFilter: NONE)", ["Plan", "Outage", "Crash"]),
    ('(releaseTag: ["v1.0"])', ["Crash"]),
    ("(releaseTagWildcardId: NONE)", ["Plan", "Outage", "Theme"]),
    ('(or: {labelNames: ["bug", "idea"]})', ["Theme", "Crash"]),
    ('(or: {assigneeUsernames: ["mia"], authorUsernames: ["dev", "mia"]})', ["Outage"]),
    ("(not: {milestoneWildcardId: STARTED})", ["Plan", "Outage", "Theme"]),
    ('(not: {releaseTag: ["v1.0"]})', ["Plan", "Outage", "Theme"]),
    ("(not: {healthStatusFilter: atRisk})", ["Plan", "Outage", "Crash"]),
    ("(subscribed: EXPLICITLY_SUBSCRIBED)", ["Theme"]),
    ("(subscribed: EXPLICITLY_UNSUBSCRIBED)", ["Crash"]),
    ("(sort: TITLE_ASC)", ["Crash", "Outage", "Plan", "Theme"]),
    ("(sort: CLOSED_AT_ASC, first: 1)", ["Outage"]),
    ("(sort: SEVERITY_DESC, first: 1)", ["Outage"]),
    ("(sort: WEIGHT_ASC, first: 1)", ["Crash"]),
    ("(sort: HEALTH_STATUS_ASC, first: 1)", ["Theme"]),
    ("(sort: POPULARITY_DESC, first: 1)", ["Plan"]),
    ("(sort: BLOCKING_ISSUES_DESC, first: 1)", ["Crash"]),
]


@pytest.fixture
def shop(fakeplat: Fakeplat) -> Fakeplat:
    """A project whose issues have reactions, subscriptions and a link."""
    dev = fakeplat.as_user("dev")
    issues = "projects/acme%2Fshop/issues"
    assert 201 == dev.post(f"{issues}/2/subscribe").status
    assert 201 == dev.post(f"{issues}/1/unsubscribe").status
    assert 201 == dev.post(f"{issues}/4/award_emoji", json={"name": "thumbsup"}).status
    project_id = fakeplat.world.project(SHOP).id
    link = {"target_project_id": project_id, "target_issue_iid": 2, "link_type": "blocks"}
    assert 201 == dev.post(f"{issues}/1/links", json=link).status
    return fakeplat


@pytest.mark.parametrize(("arguments", "expected"), ISSUES)
def test_issues_are_chosen_by_later_filters(shop: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Issues are filtered by wildcards, unions, exclusions and subscriptions, the newest first."""
    assert expected == list_rows(shop, "issues", arguments)


MERGE_REQUESTS = [
    ("(assigneeWildcardId: NONE)", ["B", "C"]),
    ('(assigneeUsernames: ["mia"])', ["A"]),
    ("(reviewerWildcardId: ANY)", ["C"]),
    ("(reviewerWildcardId: NONE)", ["B", "A"]),
    ("(milestoneWildcardId: STARTED)", ["A"]),
    ('(releaseTag: "v1.0")', ["A"]),
    ('(or: {assigneeUsernames: ["mia", "dev"]})', ["A"]),
    ('(not: {labels: ["bug"]})', ["B", "C"]),
    ('(not: {labelName: ["bug", "idea"]})', ["B"]),
    ('(not: {milestoneTitle: "v1", reviewerUsername: "mia"})', ["B"]),
    ('(not: {sourceBranches: ["a"], authorUsername: "mia"})', ["C"]),
    ('(not: {assigneeUsernames: ["mia"], approvedBy: ["mia"]})', ["B", "C"]),
    ('(not: {releaseTag: "v1.0", myReactionEmoji: "tada"})', ["B", "C"]),
    ("(subscribed: EXPLICITLY_SUBSCRIBED)", []),
    ('(environmentName: "production")', []),
    ('(deploymentId: "1")', []),
    ("(sort: TITLE_ASC)", ["A", "B", "C"]),
    ("(sort: TITLE_DESC)", ["C", "B", "A"]),
    ("(sort: CLOSED_AT_DESC)", ["B", "C", "A"]),
    ("(sort: POPULARITY_ASC)", ["B", "C", "A"]),
]


@pytest.mark.parametrize(("arguments", "expected"), MERGE_REQUESTS)
def test_merge_requests_are_chosen_by_later_filters(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Merge requests are filtered by wildcards, unions and exclusions, of which each name excludes on its own."""
    assert expected == list_rows(fakeplat, "mergeRequests", arguments)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("authoredMergeRequests(includeAssigned: true)", ["B", "A"]),
        ("authoredMergeRequests", ["B"]),
        ("reviewRequestedMergeRequests", ["C"]),
        ("assigneeOrReviewerMergeRequests", ["C", "A"]),
        ('assignedMergeRequests(groupId: "gid://gitlab/Group/210")', ["A"]),
        ('assignedMergeRequests(groupId: "gid://gitlab/Group/9")', []),
    ],
)
def test_merge_requests_of_a_user_have_several_roles(fakeplat: Fakeplat, field: str, expected: list[str]) -> None:
    """Users list the merge requests in which they have a role, of all projects or of those in a group."""
    group_id = fakeplat.as_user("mia").get("groups/acme").json()["id"]
    field = field.replace("/210", f"/{group_id}")
    data = query_data(fakeplat, "mia", f"{{ currentUser {{ {field} {{ nodes {{ title }} }} }} }}")
    (listed,) = data["currentUser"].values()

    assert expected == [row["title"] for row in listed["nodes"]]


WORK_ITEMS = [
    ("(assigneeWildcardId: ANY)", ["Outage", "Crash"]),
    ("(assigneeWildcardId: NONE)", ["Plan", "Theme"]),
    ("(milestoneWildcardId: UPCOMING)", ["Crash"]),
    ('(releaseTag: ["v1.0"])', ["Crash"]),
    ('(myReactionEmoji: "thumbsup")', ["Plan"]),
    ('(myReactionEmoji: "NONE")', ["Outage", "Theme", "Crash"]),
    ("(subscribed: EXPLICITLY_SUBSCRIBED)", ["Theme"]),
    ("(parentWildcardId: ANY)", []),
    ('(dueBefore: "2020-12-01")', ["Outage"]),
    ('(closedAfter: "2000-01-01")', ["Outage"]),
    ('(createdBefore: "2000-01-01")', []),
    ('(updatedAfter: "2000-01-01", types: [INCIDENT])', ["Outage"]),
    ('(or: {labelNames: ["bug", "idea"]})', ["Theme", "Crash"]),
    ('(or: {assigneeUsernames: ["mia"], authorUsernames: ["mia"]})', ["Outage"]),
    ('(not: {assigneeUsernames: ["dev"], labelName: ["idea"]})', ["Plan"]),
    ('(not: {authorUsername: ["dev"]})', ["Outage", "Theme"]),
    ("(not: {types: [INCIDENT, TASK]})", ["Plan", "Theme", "Crash"]),
    ("(sort: DUE_DATE_ASC, first: 1)", ["Outage"]),
    ("(sort: START_DATE_DESC, first: 1)", ["Plan"]),
    ("(sort: SEVERITY_DESC, first: 1)", ["Outage"]),
    ("(sort: POPULARITY_DESC, first: 1)", ["Plan"]),
    ("(sort: MILESTONE_DUE_ASC, first: 2)", ["Crash", "Theme"]),
    ("(sort: RELATIVE_POSITION_ASC, first: 1)", ["Crash"]),
]


@pytest.mark.parametrize(("arguments", "expected"), WORK_ITEMS)
def test_work_items_are_chosen_by_later_filters(shop: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Work items have the filters of issues, and the orders of theirs; those without a value come last."""
    assert expected == list_rows(shop, "workItems", arguments)


def test_work_items_are_counted_by_state(fakeplat: Fakeplat) -> None:
    """Counts of issues and of work items take the filters of the lists."""
    counts = "{ all opened closed }"
    selection = f"""issueStatusCounts(assigneeUsernames: ["dev"]) {counts}
        workItemStateCounts(not: {{types: [ISSUE]}}) {counts}"""
    group = f"""{{ group(fullPath: "acme") {{ own: workItemStateCounts {counts}
        below: workItemStateCounts(includeDescendants: true) {counts}
        all: workItemStateCounts(includeDescendants: true, includeArchived: true) {counts} }} }}"""

    assert {
        "issueStatusCounts": {"all": 2, "opened": 1, "closed": 1},
        "workItemStateCounts": {"all": 1, "opened": 0, "closed": 1},
    } == query_project(fakeplat, "dev", selection, SHOP)
    assert {
        "own": {"all": 1, "opened": 1, "closed": 0},
        "below": {"all": 5, "opened": 4, "closed": 1},
        "all": {"all": 6, "opened": 5, "closed": 1},
    } == query_data(fakeplat, "dev", group)["group"]


@pytest.mark.parametrize(
    ("field", "arguments", "message"),
    [
        (
            "issues",
            '(milestoneTitle: ["v1"], milestoneWildcardId: ANY)',
            "only one of [milestoneTitle, milestoneWildcardId] arguments is allowed at the same time.",
        ),
        (
            "mergeRequests",
            '(reviewerUsername: "mia", reviewerWildcardId: ANY)',
            "Only one of [reviewerUsername, reviewerWildcardId] arguments is allowed at the same time.",
        ),
        (
            "workItems",
            '(assigneeUsernames: ["mia"], assigneeWildcardId: ANY)',
            "Only one of [assigneeUsernames, assigneeWildcardId] arguments is allowed at the same time.",
        ),
    ],
)
def test_names_and_wildcards_exclude_each_other(fakeplat: Fakeplat, field: str, arguments: str, message: str) -> None:
    """A list takes either names or a wildcard of the same part, and says so in the words of its field."""
    query = f'{{ project(fullPath: "{SHOP}") {{ {field}{arguments} {{ nodes {{ id }} }} }} }}'

    assert [message] == list_messages(query_refused(fakeplat, "dev", query))


def test_lists_of_groups_leave_out_archived_projects(fakeplat: Fakeplat) -> None:
    """From the release on that has the argument, archived projects are listed only on request."""
    query = """{ group(fullPath: "acme") { issues { count } all: issues(includeArchived: true) { count } }
        issues(state: all, search: "Gone") { nodes { title } } }"""

    assert {
        "group": {"issues": {"count": 4}, "all": {"count": 5}},
        "issues": {"nodes": []},
    } == query_data(fakeplat, "dev", query)


def test_all_issues_need_a_filter(fakeplat: Fakeplat) -> None:
    """Issues of the instance are listed only with a filter, which neither an order nor archived projects are."""
    titles = query_data(fakeplat, "dev", '{ issues(labelName: ["bug"]) { nodes { title } } }')
    refused = query_refused(fakeplat, "dev", "{ issues(sort: TITLE_ASC, includeArchived: true) { nodes { title } } }")

    assert {"issues": {"nodes": [{"title": "Crash"}]}} == titles
    assert ["You must provide at least one filter argument for this query"] == list_messages(refused)
