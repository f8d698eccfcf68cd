"""Merge requests: each field as REST shows it, who sees them, how they are chosen and put in order."""

from typing import Any

import pytest

from fakeplat.domain.ci import pipelines
from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, OPEN, SITE, commit, create_merge_request, get_json, merge
from tests.graphql.queries import (
    list_messages,
    list_scalar_fields,
    post_query,
    query_data,
    query_project,
    query_refused,
)

PEOPLE = "{ nodes { username } }"
SUMMARY = "{ additions deletions changes fileCount }"


def query_merge_request(fake: Fakeplat, selection: str, by: str | None = "ada", iid: int = 1) -> Any:
    """A merge request of acme/site."""
    return query_project(fake, by, f'mergeRequest(iid: "{iid}") {{ {selection} }}')["mergeRequest"]


def list_names(connection: Any) -> list[str]:
    return [user["username"] for user in connection["nodes"]]


def list_usernames(users: list[dict[str, Any]]) -> list[str]:
    return [user["username"] for user in users]


def to_rest_name(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


@pytest.fixture
def reviewed(fakeplat: Fakeplat) -> Fakeplat:
    """The merge request 1 of acme/site after some days of work."""
    fakeplat.as_user("dev").put(OPEN, json={"description": "Closes #2\n\n- [x] write\n- [ ] test @rep"})
    fakeplat.as_user("rep").post(f"{OPEN}/notes", json={"body": "Nice"})
    fakeplat.as_user("rep").post(f"{OPEN}/award_emoji", json={"name": "thumbsup"})
    fakeplat.as_user("mia").post(f"{OPEN}/time_estimate", json={"duration": "2h"})
    fakeplat.as_user("mia").post(f"{OPEN}/add_spent_time", json={"duration": "30m"})
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    return fakeplat


SAME = (
    "title description state sourceBranch targetBranch workInProgress mergeStatus mergeCommitSha mergeError "
    "mergeWhenPipelineSucceeds shouldRemoveSourceBranch forceRemoveSourceBranch upvotes downvotes userNotesCount "
    "subscribed webUrl sourceProjectId targetProjectId projectId"
).split()
SPELLED = [
    ("iid", lambda rest: str(rest["iid"])),
    ("diffHeadSha", lambda rest: rest["sha"]),
    ("conflicts", lambda rest: rest["has_conflicts"]),
    ("autoMergeEnabled", lambda rest: rest["merge_when_pipeline_succeeds"]),
    ("discussionLocked", lambda rest: bool(rest["discussion_locked"])),
    ("reference", lambda rest: rest["references"]["short"]),
    ("full: reference(full: true)", lambda rest: rest["references"]["full"]),
    ("createdAt", lambda rest: f"{rest['created_at'][:19]}Z"),
    ("updatedAt", lambda rest: f"{rest['updated_at'][:19]}Z"),
    ("mergedAt", lambda rest: rest["merged_at"] and f"{rest['merged_at'][:19]}Z"),
    ("timeEstimate", lambda rest: rest["time_stats"]["time_estimate"]),
    ("totalTimeSpent", lambda rest: rest["time_stats"]["total_time_spent"]),
    ("mergeableDiscussionsState", lambda rest: rest["blocking_discussions_resolved"]),
    ("author { username }", lambda rest: {"username": rest["author"]["username"]}),
    ("milestone { title }", lambda rest: {"title": rest["milestone"]["title"]}),
    ("assignees { nodes { username } }", lambda rest: {"nodes": [{"username": "mia"}]}),
    ("labels { nodes { title } }", lambda rest: {"nodes": [{"title": title} for title in rest["labels"]]}),
    (
        "diffRefs { baseSha headSha startSha }",
        lambda rest: {
            "baseSha": rest["diff_refs"]["base_sha"],
            "headSha": rest["diff_refs"]["head_sha"],
            "startSha": rest["diff_refs"]["start_sha"],
        },
    ),
    (
        "taskCompletionStatus { count completedCount }",
        lambda rest: {
            "count": rest["task_completion_status"]["count"],
            "completedCount": rest["task_completion_status"]["completed_count"],
        },
    ),
    ("diffStatsSummary { fileCount }", lambda rest: {"fileCount": int(rest["changes_count"])}),
    ("headPipeline { sha }", lambda rest: rest["head_pipeline"]),
    ("titleHtml", lambda rest: rest["title_html"]),
    ("descriptionHtml", lambda rest: rest["description_html"]),
    ("rebaseInProgress", lambda rest: rest["rebase_in_progress"]),
    ("allowCollaboration", lambda rest: rest.get("allow_collaboration", False)),
    *((name, lambda rest, name=name: rest[to_rest_name(name)]) for name in SAME),
]


@pytest.mark.parametrize(("field", "value"), SPELLED, ids=[field.split(" ")[0] for field, _ in SPELLED])
def test_a_field_shows_what_rest_shows(reviewed: Fakeplat, field: str, value: Any) -> None:
    """Each field of a merge request has the value that REST shows to the same caller."""
    rest = get_json(reviewed, f"{OPEN}?render_html=true&include_rebase_in_progress=true", by="rep")
    (shown_value,) = query_merge_request(reviewed, field, "rep").values()

    assert value(rest) == shown_value


@pytest.mark.fakeplat(version="13.6")
def test_lists_of_its_parts_are_those_of_rest(reviewed: Fakeplat) -> None:
    """Participants, approvals, commits and files of a merge request are those that REST shows."""
    lists = query_merge_request(
        reviewed,
        f"participants {PEOPLE} approvedBy {PEOPLE} approved commitCount diffStats {{ path additions deletions }} "
        f'none: diffStats(path: "no") {{ path }} diffStatsSummary {SUMMARY} userDiscussionsCount',
    )
    changes = get_json(reviewed, f"{OPEN}/changes")["changes"]
    added = sum(line[:1] == "+" for change in changes for line in change["diff"].splitlines())
    gone = sum(line[:1] == "-" for change in changes for line in change["diff"].splitlines())

    assert list_usernames(get_json(reviewed, f"{OPEN}/participants")) == list_names(lists["participants"])
    assert ["mia"] == list_names(lists["approvedBy"])
    assert lists["approved"]
    assert len(get_json(reviewed, f"{OPEN}/commits")) == lists["commitCount"]
    assert [change["new_path"] for change in changes] == [file["path"] for file in lists["diffStats"]]
    assert [] == lists["none"]
    assert {"additions": added, "deletions": gone, "changes": added + gone, "fileCount": len(changes)} == (
        lists["diffStatsSummary"]
    )
    assert 1 == lists["userDiscussionsCount"]


@pytest.mark.fakeplat(version="latest")
def test_the_people_of_a_merge_request(reviewed: Fakeplat) -> None:
    """A merge request knows who commented, whose commits it has, and the reactions with their users."""
    (branch,) = {request["source_branch"] for request in get_json(reviewed, MRS) if request["iid"] == 1}
    commit(reviewed, branch, "more.txt", by="mia")
    shown = query_merge_request(
        reviewed,
        f"commenters {PEOPLE} committers {PEOPLE} awardEmoji {{ nodes {{ name emoji user {{ username }} }} }}",
    )

    assert ["rep"] == list_names(shown["commenters"])
    assert "mia" in list_names(shown["committers"])
    assert [{"name": "thumbsup", "emoji": "👍", "user": {"username": "rep"}}] == shown["awardEmoji"]["nodes"]


@pytest.mark.fakeplat(version="14.8")
def test_a_draft_is_shown_under_its_newer_name(fakeplat: Fakeplat) -> None:
    """From release 13.12 on a merge request says with `draft` whether it is a draft."""
    drafts = []
    for title in ("Draft: New", "New"):
        fakeplat.as_user("dev").put(OPEN, json={"title": title})
        drafts.append(query_merge_request(fakeplat, "draft"))
    assert [{"draft": True}, {"draft": False}] == drafts


def test_what_stands_around_it(fakeplat: Fakeplat) -> None:
    """A merge request shows its projects, branches, commit message and the caller's permissions."""
    path = "{ fullPath }"
    fields = query_merge_request(
        fakeplat,
        f"project {path} targetProject {path} sourceProject {path} sourceBranchExists targetBranchExists "
        "shouldBeRebased mergeOngoing inProgressMergeCommitSha rebaseCommitSha defaultMergeCommitMessage "
        "approvalsRequired approvalsLeft userPermissions "
        "{ readMergeRequest adminMergeRequest updateMergeRequest createNote }",
        "rep",
    )
    site = {"fullPath": "acme/site"}

    assert {
        "project": site,
        "targetProject": site,
        "sourceProject": site,
        "sourceBranchExists": True,
        "targetBranchExists": True,
        "shouldBeRebased": False,
        "mergeOngoing": False,
        "inProgressMergeCommitSha": None,
        "rebaseCommitSha": None,
        "defaultMergeCommitMessage": (
            "Merge branch 'feature' into 'master'\n\nSearch by name\n\nCloses #2\n\nSee merge request acme/site!1"
        ),
        "approvalsRequired": None,
        "approvalsLeft": None,
        "userPermissions": {
            "readMergeRequest": True,
            "adminMergeRequest": False,
            "updateMergeRequest": False,
            "createNote": True,
        },
    } == fields


def test_a_merged_one_says_so(fakeplat: Fakeplat) -> None:
    """A merged merge request shows its state, time and commit as REST does."""
    rest = merge(fakeplat)

    assert {
        "state": "merged",
        "mergedAt": f"{rest['merged_at'][:19]}Z",
        "mergeCommitSha": rest["merge_commit_sha"],
    } == (query_merge_request(fakeplat, "state mergedAt mergeCommitSha"))


@pytest.mark.fakeplat(tier="premium")
def test_approvals_are_counted_where_they_are_paid_for(fakeplat: Fakeplat) -> None:
    """On a paid tier a merge request shows how many approvals are required and left."""
    fakeplat.as_user("mia").put(SITE, json={"approvals_before_merge": 1})
    before = query_merge_request(fakeplat, "approved approvalsRequired approvalsLeft")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")

    assert {"approved": False, "approvalsRequired": 1, "approvalsLeft": 1} == before
    assert {"approved": True, "approvalsRequired": 1, "approvalsLeft": 0} == (
        query_merge_request(fakeplat, "approved approvalsRequired approvalsLeft")
    )


@pytest.mark.parametrize(
    ("selection", "kind"),
    [
        ("{}", "MergeRequest"),
        ("notes {{ nodes {{ {} }} }}", "Note"),
        ("discussions {{ nodes {{ {} }} }}", "Discussion"),
        ("author {{ {} }}", "User"),
        ("userPermissions {{ {} }}", "MergeRequestPermissions"),
        ("pipelines {{ nodes {{ {} }} }}", "Pipeline"),
    ],
)
def test_every_plain_field_can_be_shown(reviewed: Fakeplat, selection: str, kind: str) -> None:
    """All scalar fields can be queried, by an administrator and, as null, by a guest."""
    asked = selection.format(list_scalar_fields(kind))

    assert query_merge_request(reviewed, asked, "root") is not None
    assert query_merge_request(reviewed, asked, "gus") is None


def test_pipelines_of_its_commits_are_shown(fakeplat: Fakeplat) -> None:
    """A merge request shows the pipeline of its newest commit as ``headPipeline``, and all as ``pipelines``."""
    head = get_json(fakeplat)["sha"]
    with fakeplat.bench.platform.acting() as ctx:
        project = ctx.world.projects[fakeplat.world.project("acme/site").id]
        pipeline = pipelines.create(ctx, project, ref="feature", sha=head, status="waiting_for_resource")
    asked = "headPipeline { id iid sha status duration coverage user { username } } pipelines { count nodes { iid } }"

    assert {
        "headPipeline": {
            "id": f"gid://gitlab/Ci::Pipeline/{pipeline.id}",
            "iid": "1",
            "sha": head,
            "status": "WAITING_FOR_RESOURCE",
            "duration": None,
            "coverage": None,
            "user": None,
        },
        "pipelines": {"count": 1, "nodes": [{"iid": "1"}]},
    } == query_merge_request(fakeplat, asked)


# who sees them

BY_ID = "query($id: MergeRequestID!) { mergeRequest(id: $id) { iid } }"


def get_merge_request_id(fake: Fakeplat) -> int:
    return int(get_json(fake)["id"])


@pytest.mark.fakeplat(version="14.0")
@pytest.mark.parametrize(("by", "sees"), [("rep", True), ("root", True), ("gus", False)])
def test_merge_requests_of_a_private_project_are_for_reporters(fakeplat: Fakeplat, by: str, sees: bool) -> None:
    """A guest does not find merge requests of a private project by number, by global id or in lists."""
    project = query_project(fakeplat, by, 'mergeRequest(iid: "1") { iid } mergeRequests { count nodes { iid } }')
    by_id = query_data(fakeplat, by, BY_ID, id=f"gid://gitlab/MergeRequest/{get_merge_request_id(fakeplat)}")[
        "mergeRequest"
    ]
    author = query_data(fakeplat, by, '{ user(username: "dev") { authoredMergeRequests { count } } }')["user"]

    assert ({"iid": "1"} if sees else None) == project["mergeRequest"] == by_id
    assert (2 if sees else 0) == project["mergeRequests"]["count"] == author["authoredMergeRequests"]["count"]


@pytest.mark.fakeplat(version="14.0")
@pytest.mark.parametrize("by", ["eve", None])
def test_merge_requests_of_a_hidden_project_are_not_there(fakeplat: Fakeplat, by: str | None) -> None:
    """A caller who cannot read a project gets null for it and for its merge requests."""
    id_ = f"gid://gitlab/MergeRequest/{get_merge_request_id(fakeplat)}"

    assert {"mergeRequest": None} == query_data(fakeplat, by, BY_ID, id=id_)
    assert query_project(fakeplat, by, 'mergeRequest(iid: "1") { iid }') is None


def test_anybody_reads_those_of_public_projects(fakeplat: Fakeplat) -> None:
    """Anonymous callers read merge requests of public projects, although REST requires a login (ruling 1)."""
    commit(fakeplat, "topic", project="projects/acme%2Fdocs")
    create_merge_request(fakeplat, "topic", project="projects/acme%2Fdocs", title="Public")
    project = query_project(
        fakeplat, None, 'mergeRequest(iid: "1") { title subscribed } mergeRequests { count }', "acme/docs"
    )

    assert {"mergeRequest": {"title": "Public", "subscribed": False}, "mergeRequests": {"count": 1}} == project
    assert 401 == fakeplat.as_user(None).get("projects/acme%2Fdocs/merge_requests").status


def test_a_fork_that_is_hidden_is_null(fakeplat: Fakeplat) -> None:
    """``sourceProject`` is null for a fork that the caller cannot see, and ``sourceProjectId`` is not."""
    fork = fakeplat.as_user("eve").post("projects/acme%2Fdocs/fork").json()
    fakeplat.settle()
    commit(fakeplat, "topic", by="eve", project=f"projects/{fork['id']}")
    docs = fakeplat.as_user("eve").get("projects/acme%2Fdocs").json()["id"]
    create_merge_request(fakeplat, "topic", by="eve", project=f"projects/{fork['id']}", target_project_id=docs)
    fakeplat.as_user("eve").put(f"projects/{fork['id']}", json={"visibility": "private"})
    asked = 'mergeRequest(iid: "1") { sourceProject { id } sourceProjectId }'

    assert {"sourceProject": None, "sourceProjectId": fork["id"]} == (
        query_project(fakeplat, "dev", asked, "acme/docs")["mergeRequest"]
    )


def test_merge_requests_are_hidden_where_the_feature_is_off(fakeplat: Fakeplat) -> None:
    """A project with disabled merge requests shows none, alone or in lists."""
    fakeplat.as_user("ada").put(SITE, json={"merge_requests_access_level": "disabled"})
    project = query_project(fakeplat, "ada", 'mergeRequest(iid: "1") { iid } mergeRequests { count }')

    assert {"mergeRequest": None, "mergeRequests": {"count": 0}} == project


@pytest.mark.fakeplat(version="14.0")
@pytest.mark.parametrize(
    ("id_", "text"),
    [
        ("gid://gitlab/Issue/1", '"gid://gitlab/Issue/1" does not represent an instance of MergeRequest'),
        ("1", '"1" is not a valid Global ID'),
    ],
)
def test_what_is_no_global_id_of_one_is_an_error(fakeplat: Fakeplat, id_: str, text: str) -> None:
    """An id that is not the global id of a merge request is an error that names it."""
    (error,) = query_refused(fakeplat, "ada", BY_ID, id=id_)["errors"]

    assert "Variable $id of type MergeRequestID! was provided invalid value" == error["message"]
    assert {"value": id_, "problems": [{"path": [], "explanation": text, "message": text}]} == error["extensions"]


# waking


@pytest.mark.fakeplat(merge_check={"polls": 2})
def test_reading_one_asks_whether_it_can_be_merged(fakeplat: Fakeplat) -> None:
    """Reading a merge request advances its mergeability check, as in REST; reading a list does not."""
    commit(fakeplat, "topic")
    fakeplat.as_user("dev").post(MRS, json={"title": "T", "source_branch": "topic", "target_branch": "master"})
    listed = [query_project(fakeplat, "dev", 'mergeRequests(sourceBranches: ["topic"]) { nodes { mergeStatus } }')] * 3
    read = [query_merge_request(fakeplat, "mergeStatus", "dev", 3)["mergeStatus"] for _ in range(3)]

    assert ["checking"] * 3 == [project["mergeRequests"]["nodes"][0]["mergeStatus"] for project in listed]
    assert ["checking", "can_be_merged", "can_be_merged"] == read


@pytest.mark.fakeplat(merge_check={"after": "2s"}, clock="auto")
def test_under_the_auto_clock_reading_one_shows_the_outcome(fakeplat: Fakeplat) -> None:
    """Under the auto clock a list shows the check in progress, and a single merge request its result."""
    commit(fakeplat, "topic")
    fakeplat.as_user("dev").post(MRS, json={"title": "T", "source_branch": "topic", "target_branch": "master"})
    listed = query_project(fakeplat, "dev", 'mergeRequests(iids: ["3"]) { nodes { mergeStatus } }')["mergeRequests"]

    assert [{"mergeStatus": "checking"}] == listed["nodes"]
    assert {"mergeStatus": "can_be_merged"} == query_merge_request(fakeplat, "mergeStatus", "dev", 3)


def test_passing_through_one_wakes_nothing(fakeplat: Fakeplat) -> None:
    """A query for a merge request's author changes nothing, and a request with a mutation executes it once."""
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.merge_requests.change(
            ctx.world.merge_requests[get_merge_request_id(fakeplat)], merge_status="unchecked"
        )
    state = fakeplat.bench.platform.state
    query_merge_request(fakeplat, "author { username }")
    assert state is fakeplat.bench.platform.state

    given = f'{{noteableId: "gid://gitlab/MergeRequest/{get_merge_request_id(fakeplat)}", body: "x"}}'
    note = f"mutation {{ createNote(input: {given}) {{ errors }} }}"
    read = '{ project(fullPath: "acme/site") { mergeRequest(iid: "1") { mergeStatus userNotesCount } } }'
    sent = [{"query": note}, {"query": read}]
    answered = fakeplat.as_user("ada").post("/api/graphql", json=sent).json()

    assert 1 == answered[1]["data"]["project"]["mergeRequest"]["userNotesCount"]
    assert 1 == query_merge_request(fakeplat, "userNotesCount")["userNotesCount"]


# lists


@pytest.fixture
def several(fakeplat: Fakeplat) -> Fakeplat:
    """Four merge requests of acme/site: 1 and 2 are open, 3 is merged, 4 is closed."""
    for name in ("third", "fourth"):
        commit(fakeplat, name, f"{name}.txt")
        create_merge_request(fakeplat, name, title=name, labels="bug")
    fakeplat.clock.advance("1h")
    merge(fakeplat, f"{MRS}/3")
    fakeplat.clock.advance("1h")
    fakeplat.as_user("ada").put(f"{MRS}/4", json={"state_event": "close", "milestone_id": None})
    return fakeplat


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["4", "3", "2", "1"]),
        ("(state: opened)", ["2", "1"]),
        ("(state: merged)", ["3"]),
        ("(state: closed)", ["4"]),
        ("(state: all)", ["4", "3", "2", "1"]),
        ("(state: locked)", []),
        ('(iids: ["1", "3", "x", "99"])', ["3", "1"]),
        ("(iids: [])", []),
        ('(sourceBranches: ["feature", "third"])', ["3", "1"]),
        ('(targetBranches: ["master"])', ["4", "3", "2", "1"]),
        ('(targetBranches: ["no-such"])', []),
        ('(labels: ["bug"])', ["4", "3"]),
        ('(labels: ["bug", "feature"])', []),
        ('(milestoneTitle: "v1.1")', ["1"]),
        ('(authorUsername: "dev")', ["4", "3", "2", "1"]),
        ('(authorUsername: "nobody")', []),
        ('(assigneeUsername: "mia")', ["1"]),
        ('(mergedAfter: "2020-11-20T09:30:00Z")', ["3"]),
        ('(mergedAfter: "2020-11-20T10:30:00Z")', []),
        ('(mergedBefore: "2020-11-20T10:30:00Z")', ["3"]),
        ('(mergedBefore: "2020-11-20T09:30:00Z")', []),
        ("(sort: CREATED_ASC)", ["1", "2", "3", "4"]),
        ("(sort: created_desc)", ["4", "3", "2", "1"]),
        ("(sort: UPDATED_DESC, first: 2)", ["4", "3"]),
        ("(sort: MERGED_AT_DESC)", ["3", "4", "2", "1"]),
        ("(sort: MERGED_AT_ASC)", ["3", "4", "2", "1"]),
    ],
)
def test_merge_requests_are_chosen(several: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Merge requests are filtered and sorted, the newest first among equals; an empty list finds none."""
    listed = query_project(several, "ada", f"mergeRequests{arguments} {{ nodes {{ iid }} }}")["mergeRequests"]["nodes"]

    assert expected == [row["iid"] for row in listed]


def test_the_merge_requests_of_a_group(fakeplat: Fakeplat) -> None:
    """A group lists the visible merge requests of its projects and, on request, of its subgroups."""
    kit = "projects/acme%2Ftools%2Fkit"
    commit(fakeplat, "topic", project=kit)
    create_merge_request(fakeplat, "topic", project=kit)
    query = """{ group(fullPath: "acme") {
        own: mergeRequests { count } all: mergeRequests(includeSubgroups: true) { count } } }"""
    counts = {by: query_data(fakeplat, by, query)["group"] for by in ("rep", "gus", "eve", None)}

    assert {
        "rep": {"own": {"count": 2}, "all": {"count": 3}},
        "gus": {"own": {"count": 0}, "all": {"count": 1}},
        "eve": {"own": {"count": 0}, "all": {"count": 1}},
        None: {"own": {"count": 0}, "all": {"count": 0}},
    } == counts


OF_USER = """query($name: String, $path: String, $id: ID, $iids: [String!]) { user(username: $name) {
    authoredMergeRequests(projectPath: $path, projectId: $id, iids: $iids) { nodes { iid } }
    assignedMergeRequests(projectPath: $path, projectId: $id, iids: $iids) { nodes { iid } } } }"""


def test_the_merge_requests_of_a_user(fakeplat: Fakeplat) -> None:
    """A user lists authored and assigned merge requests, in all visible projects or in a given one."""
    site = f"gid://gitlab/Project/{fakeplat.world.project('acme/site').id}"
    asked: list[dict[str, Any]] = [{}, {"path": "acme/site"}, {"id": site}, {"path": "acme/docs"}, {"path": "no/such"}]
    lists = [
        query_data(fakeplat, "rep", OF_USER, name="dev", **given)["user"]["authoredMergeRequests"] for given in asked
    ]
    both = [{"iid": "2"}, {"iid": "1"}]

    assert [{"nodes": both}, {"nodes": both}, {"nodes": both}, {"nodes": []}, None] == lists
    assert {"nodes": [{"iid": "1"}]} == query_data(fakeplat, "rep", OF_USER, name="mia")["user"][
        "assignedMergeRequests"
    ]


def test_numbers_mean_nothing_without_a_project(fakeplat: Fakeplat) -> None:
    """``iids`` of a user's merge requests requires a project."""
    answered = post_query(fakeplat, "ada", OF_USER, name="dev", iids=["1"])
    within = query_data(fakeplat, "ada", OF_USER, name="dev", iids=["1"], path="acme/site")["user"]

    assert ["iids requires projectPath or projectId"] * 2 == list_messages(answered)
    assert {"nodes": [{"iid": "1"}]} == within["authoredMergeRequests"]


def test_a_private_profile_hides_what_its_user_does(fakeplat: Fakeplat) -> None:
    """A private profile hides the user's merge requests from all but the user and administrators."""
    fakeplat.as_user("root").put(f"users/{fakeplat.world.user('dev').id}", json={"private_profile": True})
    query = '{ user(username: "dev") { authoredMergeRequests { count } } }'
    lists = {by: query_data(fakeplat, by, query)["user"]["authoredMergeRequests"] for by in ("ada", "dev", "root")}

    assert {"ada": None, "dev": {"count": 2}, "root": {"count": 2}} == lists
