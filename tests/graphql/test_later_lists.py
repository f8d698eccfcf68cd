"""Fields that later releases have, and whose state REST shows too: forks, topics, counts, threads, runners of jobs."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_project, query_refused
from tests.graphql.test_refs_and_stars import create_first_branch, run

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")
PROJECT = "projects/acme%2Fsite"


def test_a_milestone_shows_where_it_is(fakeplat: Fakeplat) -> None:
    """A milestone has its project or its group, its releases, and is upcoming before its start."""
    api = fakeplat.as_user("dev")
    create_first_branch(fakeplat)
    assert 201 == api.post(f"{PROJECT}/milestones", json={"title": "v2", "start_date": "2030-01-01"}).status
    body = {"tag_name": "r1", "ref": "main", "milestones": ["v1"]}
    assert 201 == api.post(f"{PROJECT}/releases", json=body).status
    assert 201 == fakeplat.as_user("ada").post("groups/acme/milestones", json={"title": "all"}).status
    fields = "nodes { title upcoming project { path } group { path } releases { nodes { tagName } } }"
    rows = query_project(fakeplat, "dev", f"milestones(includeAncestors: true) {{ {fields} }}")["milestones"]["nodes"]
    shown = {
        row["title"]: (
            row["upcoming"],
            (row["project"] or row["group"])["path"],
            [release["tagName"] for release in row["releases"]["nodes"]],
        )
        for row in rows
    }

    assert {
        "v0": (False, "site", []),
        "v1": (False, "site", ["r1"]),
        "v2": (True, "site", []),
        "all": (False, "acme", []),
    } == shown


def test_a_group_counts_releases_and_repositories(fakeplat: Fakeplat) -> None:
    """A group lists the releases of its projects, and tells how many of the projects have one."""
    api = fakeplat.as_user("dev")
    create_first_branch(fakeplat)
    for tag in ("r1", "r2"):
        released = f"202{tag[1]}-01-01T00:00:00Z"
        body = {"tag_name": tag, "ref": "main", "released_at": released}
        assert 201 == api.post(f"{PROJECT}/releases", json=body).status
    query = """{ group(fullPath: "acme") { containerRepositoriesCount mergeRequestsEnabled
        releases { nodes { tagName } } oldest: releases(sort: RELEASED_AT_ASC) { nodes { tagName } }
        stats { releaseStats { releasesCount releasesPercentage } } } }"""

    assert {
        "containerRepositoriesCount": 0,
        "mergeRequestsEnabled": True,
        "releases": {"nodes": [{"tagName": "r2"}, {"tagName": "r1"}]},
        "oldest": {"nodes": [{"tagName": "r1"}, {"tagName": "r2"}]},
        "stats": {"releaseStats": {"releasesCount": 2, "releasesPercentage": 33}},
    } == query_data(fakeplat, "dev", query)["group"]


def test_forks_and_where_to_fork(fakeplat: Fakeplat) -> None:
    """The visible forks are listed, also by role, and the namespaces where the caller may create projects."""
    forked = fakeplat.as_user("dev").post(f"{PROJECT}/fork", json={"path": "copy", "visibility": "private"})
    assert 201 == forked.status
    selection = """all: visibleForks { nodes { fullPath } }
        own: visibleForks(minimumAccessLevel: MAINTAINER) { nodes { fullPath } }
        forkTargets { nodes { fullPath } } some: forkTargets(search: "tool") { nodes { fullPath } }"""
    shown = query_project(fakeplat, "dev", selection)
    copies = {"nodes": [{"fullPath": "dev/copy"}]}

    assert (copies, copies) == (shown["all"], shown["own"])
    assert {"nodes": [{"fullPath": path} for path in ("dev", "acme", "acme/tools")]} == shown["forkTargets"]
    assert {"nodes": [{"fullPath": "acme/tools"}]} == shown["some"]
    assert {"nodes": []} == query_project(fakeplat, "mia", "visibleForks { nodes { path } }")["visibleForks"]
    targets = "forkTargets { nodes { fullPath } }"
    assert {"forkTargets": {"nodes": [{"fullPath": "rep"}]}} == query_project(fakeplat, "rep", targets)
    assert {"forkTargets": None} == query_project(fakeplat, "gus", targets)


def test_features_and_branches_of_a_project(fakeplat: Fakeplat) -> None:
    """The access to features is a number and a level; branches with a rule of their own cannot get another one."""
    settings = {
        "issues_access_level": "private",
        "merge_requests_access_level": "disabled",
        "merge_request_title_regex": "^[A-Z]",
        "merge_request_title_regex_description": "A capital letter",
    }
    fakeplat.as_user("ada").put(PROJECT, json=settings)
    run(fakeplat, "createBranch", "", projectPath="acme/site", name="topic", ref="main")
    levels = "{ integerValue stringValue }"
    shown = query_project(
        fakeplat,
        "ada",
        f"forkingAccessLevel {levels} issuesAccessLevel {levels} mergeRequestsAccessLevel {levels} "
        "protectableBranches mergeRequestTitleRegex mergeRequestTitleRegexDescription",
    )

    assert {
        "forkingAccessLevel": {"integerValue": 20, "stringValue": "ENABLED"},
        "issuesAccessLevel": {"integerValue": 10, "stringValue": "PRIVATE"},
        "mergeRequestsAccessLevel": {"integerValue": 0, "stringValue": "DISABLED"},
        "protectableBranches": ["topic"],
        "mergeRequestTitleRegex": "^[A-Z]",
        "mergeRequestTitleRegexDescription": "A capital letter",
    } == shown


def test_topics_are_listed(fakeplat: Fakeplat) -> None:
    """Everybody lists topics and searches them."""
    for name in ("cats", "dogs"):
        body = {"name": name, "title": name.title(), "description": f"All *{name}*"}
        assert 201 == fakeplat.as_user("root").post("topics", json=body).status
    fields = "nodes { name title description descriptionHtml avatarUrl }"
    found = query_data(fakeplat, None, f'{{ topics(search: "cat") {{ {fields} }} all: topics {{ nodes {{ name }} }} }}')

    assert {"nodes": [{"name": "cats"}, {"name": "dogs"}]} == found["all"]
    assert [
        {
            "name": "cats",
            "title": "Cats",
            "description": "All *cats*",
            "descriptionHtml": '<p dir="auto">All <em>cats</em></p>',
            "avatarUrl": None,
        }
    ] == found["topics"]["nodes"]


def test_a_to_do_is_found_by_its_user(fakeplat: Fakeplat) -> None:
    """A to-do is found by its id, by its user only."""
    fakeplat.as_user("dev").post(f"{PROJECT}/issues/1/todo")
    (id_,) = [todo.id for todo in fakeplat.world.user("dev").todos]
    query = f'{{ todo(id: "gid://gitlab/Todo/{id_}") {{ action state }} }}'

    assert {"todo": {"action": "marked", "state": "pending"}} == query_data(fakeplat, "dev", query)
    assert {"todo": None} == query_data(fakeplat, "mia", query)


def test_a_comment_becomes_a_thread(fakeplat: Fakeplat) -> None:
    """A comment can be made a thread once; a new discussion is one from the start."""
    issue = query_project(fakeplat, "dev", 'issue(iid: "1") { id }')["issue"]["id"]
    fields = "note { id resolvable bodyFirstLineHtml imported externalAuthor maxAccessLevelOfAuthor }"
    note = run(fakeplat, "createNote", fields, noteableId=issue, body="*Hm*\nthen")["note"]
    selection = "note { id resolvable discussion { userPermissions { resolveNote } } }"
    thread = run(fakeplat, "noteConvertToThread", selection, id=note["id"])["note"]
    mutation = "mutation($input: NoteConvertToThreadInput!) { noteConvertToThread(input: $input) { errors } }"
    again = query_refused(fakeplat, "dev", mutation, input={"id": thread["id"]})

    assert {
        "resolvable": False,
        "bodyFirstLineHtml": '<p dir="auto"><em>Hm</em></p>',
        "imported": False,
        "externalAuthor": None,
        "maxAccessLevelOfAuthor": "Developer",
    } == {name: value for name, value in note.items() if name != "id"}
    assert (True, {"userPermissions": {"resolveNote": True}}) == (thread["resolvable"], thread["discussion"])
    assert ["Note cannot be converted to a resolvable thread"] == list_messages(again)
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", mutation, input={"id": thread["id"]}))
    started = run(fakeplat, "createDiscussion", "note { resolvable body }", noteableId=issue, body="Why?")
    assert {"note": {"resolvable": True, "body": "Why?"}, "errors": []} == started


PIPELINES: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "pipelines": [
        {"ref": "main", "status": "success", "jobs": [{"name": "unit", "status": "success"}]},
        {"ref": "main", "status": "running", "jobs": [{"name": "unit", "status": "running"}]},
    ],
}


@pytest.mark.fakeplat(scenario={"extends": "starter", "projects": [PIPELINES]}, version="latest", clock="virtual")
def test_a_pipeline_is_found_and_counted(fakeplat: Fakeplat) -> None:
    """A pipeline is found by at most one of id, number and commit; pipelines are counted by scope."""
    newest, oldest = fakeplat.as_user("root").get(f"{PROJECT}/pipelines").json()
    selection = f"""id: pipeline(id: "gid://gitlab/Ci::Pipeline/{oldest["id"]}") {{ iid }}
        iid: pipeline(iid: "{oldest["iid"]}") {{ iid }} sha: pipeline(sha: "{newest["sha"]}") {{ iid }}
        pipelineCounts {{ all finished pending running }} some: pipelineCounts(ref: "gone") {{ all }}"""
    shown = query_project(fakeplat, "root", selection)
    two = '{ project(fullPath: "acme/site") { pipeline(iid: "1", sha: "a") { iid } } }'
    refused = query_refused(fakeplat, "root", two)

    assert [{"iid": str(each["iid"])} for each in (oldest, oldest, newest)] == [
        shown[name] for name in ("id", "iid", "sha")
    ]
    assert {"all": 2, "finished": 1, "pending": 0, "running": 1} == shown["pipelineCounts"]
    assert {"all": 0} == shown["some"]
    assert ["Only one of [id, iid, sha] arguments is allowed at the same time."] == list_messages(refused)
