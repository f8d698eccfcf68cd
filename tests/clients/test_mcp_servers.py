"""Servers of the Model Context Protocol: what assistants read and change with their tools arrives in the world."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import environment
from tests.clients.environments import NodeClient, PythonClient
from tests.clients.mcp import McpServer, ToolError, running

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", tier="ultimate")]

SERVER = NodeClient("@zereight/mcp-gitlab", "2.1.64")
NATIVE = PythonClient("jmrplens-gitlab-mcp-server", "3.3.0")
SITE = {"project_id": "acme/site"}
PAGE = "assistants"


@pytest.fixture
def assistant(fakeplat: Fakeplat, tmp_path: Path) -> Iterator[McpServer]:
    """The tools of ada's assistant."""
    variables = environment(fakeplat, PAGE, "environment of mcp-gitlab")
    with running(SERVER, "mcp-gitlab", tmp_path, **variables) as server:
        yield server


def list_unserved(fakeplat: Fakeplat) -> list[str]:
    """The requests of a test that the fake did not serve."""
    return [f"{entry.method} {entry.path}" for entry in fakeplat.requests if entry.status >= 500]


def open_merge_request(assistant: McpServer, **fields: Any) -> dict[str, Any]:
    """Open a merge request with one new file."""
    assistant.call("create_branch", **SITE, branch="hello", ref="main")
    file = {"file_path": "hello.txt", "content": "Hello\nworld\n"}
    assistant.call("push_files", **SITE, branch="hello", commit_message="Say hello", files=[file])
    opened: dict[str, Any] = assistant.call(
        "create_merge_request", **SITE, title="Say hello", source_branch="hello", target_branch="main", **fields
    )
    return opened


def test_an_assistant_reviews_and_merges(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant reviews changes with draft notes, publishes them as one review, approves and merges."""
    mia = fakeplat.world.user("mia").id
    opened = open_merge_request(assistant, reviewer_ids=[mia])
    of_it = {**SITE, "merge_request_iid": str(opened["iid"])}

    assert ["mia"] == [user["username"] for user in opened["reviewers"]]
    changed = assistant.call("list_merge_request_changed_files", **of_it)
    assert "hello.txt" in str(changed)
    assert ["hello.txt"] == [diff["new_path"] for diff in assistant.call("list_merge_request_diffs", **of_it)]
    version = assistant.call("list_merge_request_versions", **of_it)[0]
    shas = {
        name: version[f"{name.replace('head', 'head').removesuffix('_sha')}_commit_sha"]
        for name in ("base_sha", "start_sha", "head_sha")
    }
    position = {**shas, "position_type": "text", "old_path": "hello.txt", "new_path": "hello.txt", "new_line": 2}
    assistant.call("create_draft_note", **of_it, body="Capital W?", position=position)
    second = assistant.call("create_draft_note", **of_it, body="Nice otherwise")
    assistant.call("update_draft_note", **of_it, draft_note_id=str(second["id"]), body="Good otherwise")
    assert 2 == len(assistant.call("list_draft_notes", **of_it))
    assistant.call("bulk_publish_draft_notes", **of_it)
    notes = [note for note in assistant.call("get_merge_request_notes", **of_it) if not note["system"]]
    assert {"Capital W?", "Good otherwise"} == {note["body"] for note in notes}
    (thread,) = [
        discussion
        for discussion in assistant.call("mr_discussions", **of_it)["items"]
        if discussion["notes"][0]["body"] == "Capital W?"
    ]
    assistant.call("create_merge_request_discussion_note", **of_it, discussion_id=thread["id"], body="Done")
    assistant.call("resolve_merge_request_thread", **of_it, discussion_id=thread["id"], resolved=True)
    assistant.call("create_merge_request_emoji_reaction", **of_it, name="thumbsup")
    assistant.call("update_merge_request", **of_it, title="Say hello to all", labels=["urgent"])
    fakeplat.as_user("mia").post(f"projects/acme%2Fsite/merge_requests/{opened['iid']}/approve")
    assert "mia" in str(assistant.call("get_merge_request_approval_state", **of_it))
    assistant.call("merge_merge_request", **of_it, should_remove_source_branch=True)
    assert "merged" == assistant.call("get_merge_request", **of_it)["state"]
    assert [] == list_unserved(fakeplat)


def test_an_assistant_plans(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant keeps issues, their notes, links and reactions, milestones, labels and to-dos."""
    first = assistant.call("create_issue", **SITE, title="First", labels=["bug"], issue_type="issue")
    other = assistant.call("create_issue", **SITE, title="Other", assignee_ids=[first["author"]["id"]])
    of_first = {**SITE, "issue_iid": str(first["iid"])}

    milestone = assistant.call("create_milestone", **SITE, title="Soon", due_date="2021-02-01")
    assistant.call("update_issue", **of_first, milestone_id=str(milestone["id"]), weight=3)
    issue = assistant.call("get_issue", **of_first, full_response=True)
    assert ("Soon", 3) == (issue["milestone"]["title"], issue["weight"])
    assert ["First"] == [
        row["title"] for row in assistant.call("get_milestone_issue", **SITE, milestone_id=str(milestone["id"]))
    ]
    note = assistant.call("create_issue_note", **of_first, body="Hm")
    (discussion,) = [
        each
        for each in assistant.call("list_issue_discussions", **of_first)["items"]
        if str(each["notes"][0]["id"]) == str(note["id"])
    ]
    assistant.call(
        "update_issue_note", **of_first, discussion_id=discussion["id"], note_id=str(note["id"]), body="Better"
    )
    assistant.call("create_issue_emoji_reaction", **of_first, name="rocket")
    assert ["rocket"] == [award["name"] for award in assistant.call("list_issue_emoji_reactions", **of_first)]
    target = {"target_project_id": "acme/site", "target_issue_iid": str(other["iid"])}
    assistant.call("create_issue_link", **of_first, **target, link_type="blocks")
    (linked,) = assistant.call("list_issue_links", **of_first)
    link = assistant.call("get_issue_link", **of_first, issue_link_id=str(linked["issue_link_id"]))
    assert "blocks" == link["link_type"]
    assistant.call("delete_issue_link", **of_first, issue_link_id=str(linked["issue_link_id"]))
    assert ["Other"] == [row["title"] for row in assistant.call("my_issues", **SITE)]
    label = assistant.call("create_label", **SITE, name="new", color="#112233")
    assistant.call("update_label", **SITE, label_id=str(label["id"]), new_name="newer")
    assert "newer" in [row["name"] for row in assistant.call("list_labels", **SITE)]
    assert isinstance(assistant.call("list_todos"), list)
    assistant.call("mark_all_todos_done")
    assistant.call("update_issue", **of_first, state_event="close")
    assert "closed" == fakeplat.as_user("ada").get(f"projects/acme%2Fsite/issues/{first['iid']}").json()["state"]
    assert [] == list_unserved(fakeplat)


def test_an_assistant_runs_pipelines(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant starts, follows, names, cancels and retries pipelines and their jobs, and keeps schedules."""
    assert assistant.call("validate_ci_lint", **SITE, content="unit:\n  script: make\n")["valid"] is True
    assert "Created pipeline" in assistant.call("create_pipeline", **SITE, ref="main")
    of_it = {**SITE, "pipeline_id": str(assistant.call("list_pipelines", **SITE)[0]["id"])}

    assistant.call("update_pipeline_metadata", **of_it, name="Nightly")
    assert (
        "Nightly"
        == fakeplat.as_user("ada").get(f"projects/acme%2Fsite/pipelines/{of_it['pipeline_id']}").json()["name"]
    )
    jobs = assistant.call("list_pipeline_jobs", **of_it)
    assert "output" not in jobs[0]
    assistant.call("cancel_pipeline", **of_it)
    assistant.call("retry_pipeline", **of_it)
    job = {**SITE, "job_id": str(assistant.call("list_pipeline_jobs", **of_it)[0]["id"])}
    assistant.call("cancel_pipeline_job", **job)
    assistant.call("retry_pipeline_job", **job)
    assistant.call("get_pipeline_job_output", **job)
    assistant.call("get_pipeline_test_report", **of_it)
    assert 0 == assistant.call("get_pipeline_test_report_summary", **of_it)["total"]["count"]
    assistant.call("create_pipeline_schedule", **SITE, description="Nightly", ref="main", cron="0 1 * * *")
    (schedule,) = fakeplat.as_user("ada").get("projects/acme%2Fsite/pipeline_schedules").json()
    of_schedule = {**SITE, "pipeline_schedule_id": str(schedule["id"])}
    assistant.call("create_pipeline_schedule_variable", **of_schedule, key="A", value="1")
    assistant.call("update_pipeline_schedule_variable", **of_schedule, key="A", value="2")
    assistant.call("play_pipeline_schedule", **of_schedule)
    fakeplat.settle()
    assert 1 == len(assistant.call("list_pipeline_schedule_pipelines", **of_schedule))
    trigger = assistant.call("create_pipeline_trigger", **SITE, description="From elsewhere")
    assistant.call("trigger_pipeline", **SITE, token=trigger["token"], ref="main")
    assert "trigger" in {row["source"] for row in assistant.call("list_pipelines", **SITE)}
    assert [] == list_unserved(fakeplat)


def test_an_assistant_works_on_files(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant reads and writes files, commits, tags, releases and protected branches."""
    file = {**SITE, "file_path": "docs/new.md", "branch": "main"}
    assistant.call("create_or_update_file", **file, content="one\n", commit_message="Add")
    assistant.call("create_or_update_file", **file, content="two\n", commit_message="Change")

    content = assistant.call("get_file_contents", **SITE, file_path="docs/new.md", ref="main")
    assert "two" in str(content)
    assert "docs/new.md" in {row["path"] for row in assistant.call("get_repository_tree", **SITE, recursive=True)}
    commits = assistant.call("list_commits", **SITE, ref_name="main")
    sha = commits[0]["id"]
    assert ["docs/new.md"] == [diff["new_path"] for diff in assistant.call("get_commit_diff", **SITE, sha=sha)]
    (blamed,) = assistant.call(
        "get_file_blame", **SITE, file_path="docs/new.md", ref="main", range_start=1, range_end=1
    )
    assert ["two"] == blamed["lines"]
    assistant.call("create_commit_status", **SITE, sha=sha, state="success", name="external")
    assert "external" in [row["name"] for row in assistant.call("list_commit_statuses", **SITE, sha=sha)]
    assistant.call("protect_branch", **SITE, branch_name="feature", name="feature", allow_force_push=True)
    assert assistant.call("get_protected_branch", **SITE, branch_name="feature")["allow_force_push"] is True
    assistant.call("create_tag", **SITE, tag_name="v9", ref="main", message="Ninth")
    with pytest.raises(ToolError):
        assistant.call("get_tag_signature", **SITE, tag_name="v9")
    link = {"name": "docs", "url": "https://files.example.test/docs.zip", "direct_asset_path": "/docs.zip"}
    assistant.call("create_release", **SITE, tag_name="v9", name="Nine", assets={"links": [link]})
    assert "Nine" == assistant.call("get_release", **SITE, tag_name="v9")["name"]
    assistant.call("update_default_branch", **SITE, default_branch="feature")
    assert "feature" == assistant.call("get_project", **SITE)["default_branch"]
    assert [] == list_unserved(fakeplat)


def test_an_assistant_looks_around(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant reads projects, groups, people, events, wikis, hooks, variables and environments."""
    assert "ada" == assistant.call("whoami")["username"]
    assert "acme/site" in {row["path_with_namespace"] for row in assistant.call("list_projects", membership=True)}
    assert "acme/site" in str(assistant.call("list_group_projects", group_id="acme"))
    assert "mia" in str(assistant.call("list_project_members", **SITE, include_inheritance=True))
    assert "acme" in str(assistant.call("list_namespaces"))
    assert assistant.call("verify_namespace", path="acme")["exists"] is True
    assert "eve" in str(assistant.call("get_users", usernames=["eve"]))
    assistant.call("list_events")
    assistant.call("get_project_events", **SITE)
    assistant.call("create_wiki_page", **SITE, title="Home", content="Hello")
    assert "Hello" == assistant.call("get_wiki_page", **SITE, slug="Home")["content"]
    assistant.call("create_project_variable", **SITE, key="KEY", value="value", description="Why")
    assert "value" == assistant.call("get_project_variable", **SITE, key="KEY")["value"]
    hook = assistant.call("create_webhook", **SITE, url="http://127.0.0.1:9/", name="Listener", push_events=False)
    assert "Listener" in str(assistant.call("list_webhooks", **SITE))
    assert "[]" in str(assistant.call("list_webhook_events", **SITE, hook_id=hook["id"]))
    deployment = {"environment": "review/hello", "sha": "main", "ref": "main", "tag": False, "status": "success"}
    deployed = assistant.call(
        "create_deployment",
        **SITE,
        **{**deployment, "sha": assistant.call("get_branch", **SITE, branch_name="main")["commit"]["id"]},
    )
    (deployed_to,) = [row for row in assistant.call("list_environments", **SITE) if row["name"] == "review/hello"]
    of_it = {**SITE, "environment_id": str(deployed_to["id"])}
    assistant.call("update_environment", **of_it, tier="testing")
    assert "testing" == assistant.call("get_environment", **of_it)["tier"]
    assistant.call("stop_environment", **of_it)
    with pytest.raises(ToolError):
        assistant.call("delete_deployment", **SITE, deployment_id=str(deployed["id"]))
    assert [] == list_unserved(fakeplat)


def test_an_assistant_plans_with_work_items(fakeplat: Fakeplat, assistant: McpServer) -> None:
    """An assistant creates, nests, discusses, converts and moves work items."""
    parent = assistant.call("create_work_item", **SITE, title="Parent", type="issue")
    child = assistant.call("create_work_item", **SITE, title="Child", type="task", parent_iid=parent["iid"])
    of_child = {**SITE, "iid": child["iid"]}

    work_item = assistant.call("get_work_item", **of_child)
    assert ("Child", parent["iid"]) == (work_item["title"], work_item["parent"]["iid"])
    assistant.call("update_work_item", **of_child, title="Younger child", state_event="close")
    assert "Younger child" in str(assistant.call("list_work_items", **SITE, state="closed"))
    assistant.call("create_work_item_note", **of_child, body="Noted")
    assistant.call("create_work_item_emoji_reaction", **of_child, name="rocket")
    assistant.call("convert_work_item_type", **of_child, new_type="issue")
    assistant.call("move_work_item", **SITE, iid=parent["iid"], target_project_id="acme/docs")

    ada = fakeplat.as_user("ada")
    issue = f"projects/acme%2Fsite/issues/{child['iid']}"
    assert ("Younger child", "issue") == (ada.get(issue).json()["title"], ada.get(issue).json()["issue_type"])
    assert "Noted" in {note["body"] for note in ada.get(f"{issue}/notes").json()}
    assert ["rocket"] == [award["name"] for award in ada.get(f"{issue}/award_emoji").json()]
    assert ["Parent"] == [row["title"] for row in ada.get("projects/acme%2Fdocs/issues?state=opened").json()][:1]
    assert [] == list_unserved(fakeplat)


@pytest.fixture
def native(fakeplat: Fakeplat, tmp_path: Path) -> Iterator[McpServer]:
    """The tools of mia's assistant, whose server is a program in Go."""
    variables = environment(fakeplat, PAGE, "environment of gitlab-mcp-server")
    with running(NATIVE, "gitlab-mcp-server", tmp_path, **variables) as server:
        yield server


def act(native: McpServer, action: str, /, **params: Any) -> Any:
    """Run an action; one that destroys something has to be confirmed."""
    confirmed = {"confirm": True} if params.pop("confirm", False) else {}
    return native.call("gitlab_execute_action", action=action, params=params, **confirmed)


def test_an_assistant_runs_actions(fakeplat: Fakeplat, native: McpServer) -> None:
    """Two tools find and run the actions: a branch, a file, a merge request, a release and a page arrive."""
    assert {"gitlab_execute_action", "gitlab_find_action"} == native.list_tools()
    act(native, "branch.create", **SITE, branch_name="topic", ref="main")
    file = {"file_path": "hello.txt", "content": "Hello", "commit_message": "Say hello"}
    act(native, "repository.file_create", **SITE, branch="topic", **file)
    act(native, "merge_request.create", **SITE, title="Say hello", source_branch="topic", target_branch="main")
    user = fakeplat.as_user("mia")
    (opened,) = user.get("projects/acme%2Fsite/merge_requests?source_branch=topic").json()
    act(native, "merge_request.merge", confirm=True, **SITE, merge_request_iid=opened["iid"])
    act(native, "release.create", **SITE, tag_name="v1", name="One", ref="main")
    act(native, "wiki.create", **SITE, title="home", content="Text")
    act(native, "milestone.create", **SITE, title="Later")

    assert "merged" == user.get(f"projects/acme%2Fsite/merge_requests/{opened['iid']}").json()["state"]
    assert "Hello" == user.get("projects/acme%2Fsite/repository/files/hello.txt/raw?ref=main").text
    assert ["One"] == [release["name"] for release in user.get("projects/acme%2Fsite/releases").json()]
    assert ["home"] == [page["slug"] for page in user.get("projects/acme%2Fsite/wikis").json()]
    assert "Later" in [milestone["title"] for milestone in user.get("projects/acme%2Fsite/milestones").json()]
    assert [] == list_unserved(fakeplat)


def test_an_assistant_manages_work_items(fakeplat: Fakeplat, native: McpServer) -> None:
    """Work items are created, listed, read and updated with their widgets by GraphQL, and commented on by REST."""
    task = {"full_path": "acme/site", "work_item_type_id": "gid://gitlab/WorkItems::Type/5"}
    act(native, "issue.work_item_create", **task, title="Mend it")
    act(native, "issue.create", **SITE, title="Broken", description="Words")
    created = {issue["title"]: issue for issue in fakeplat.as_user("mia").get("projects/acme%2Fsite/issues").json()}
    iid = created["Mend it"]["iid"]
    act(native, "issue.note_create", **SITE, issue_iid=created["Broken"]["iid"], body="Hello")

    assert "Mend it" in str(act(native, "issue.work_item_list", full_path="acme/site"))
    assert "Mend it" in str(act(native, "issue.work_item_get", full_path="acme/site", work_item_iid=iid))
    act(
        native,
        "issue.work_item_update",
        full_path="acme/site",
        work_item_iid=iid,
        title="Mended",
        due_date="2020-12-01",
    )
    issue = fakeplat.as_user("mia").get(f"projects/acme%2Fsite/issues/{iid}").json()
    assert ("Mended", "2020-12-01", "task") == (issue["title"], issue["due_date"], issue["issue_type"])
    assert [] == list_unserved(fakeplat)
