"""The tools of the MCP server by release, and each of them as its users meet it."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.mcp.tools.table import TOOLS
from fakeplat.policy.behaviours import (
    EMPTY_ARGUMENTS_ARE_OMITTED,
    HIDDEN_PARENTS_ARE_NOT_FOUND,
    MCP_VERSION_IS_STRUCTURED,
    MERGE_REQUEST_TOOL_HAS_PEOPLE,
    PIPELINE_TOOL_IS_SPLIT,
    TOOL_NAMES_HAVE_PREFIXES,
    TOOLS_ARE_ANNOTATED_IN_FULL,
    TOOLS_CAN_BE_CHOSEN,
    TOOLS_HAVE_ANNOTATIONS,
    TOOLS_NAME_MISSING_RECORDS,
)
from tests.by_release import by_release
from tests.mcp.messages import (
    WORLD,
    call,
    enable_server,
    fail,
    schema_of,
    send,
    succeed,
    tool_names,
)

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="19.3")
SITE = "projects/acme%2Fsite"
ISSUE = {"id": "acme/site", "issue_iid": 1}
MERGE_REQUEST = {"id": "acme/site", "merge_request_iid": 1}
LATER_MERGE_REQUEST = {"project_id": "acme/site", "merge_request_iid": 1}
WORK_ITEM = {"project_id": "acme/site", "work_item_iid": 1}
FIRST = ["get_mcp_server_version"]
OF_ROUTES = [
    *("get_pipeline_jobs", "get_issue", "create_issue", "get_merge_request", "get_merge_request_commits"),
    *("get_merge_request_diffs", "get_merge_request_pipelines"),
]
OF_18_5 = [*FIRST, *OF_ROUTES, "gitlab_search", "create_merge_request"]
OF_18_7 = [*OF_18_5, "create_workitem_note", "get_workitem_notes"]
OF_18_9 = [*(name for name in OF_18_7 if name != "gitlab_search"), "search", "search_labels"]
OF_19_2 = [
    *(*OF_18_9, "manage_pipeline", "link_work_items", "create_merge_request_note", "get_merge_request_notes"),
    *("get_merge_request_conflicts", "get_work_item_types"),
]
OF_19_3 = [
    *(name for name in OF_19_2 if name != "create_merge_request"),
    *("save_merge_request", "list_merge_requests", "list_pipelines", "save_pipeline", "get_job", "add_branch"),
    *("get_pipeline", "get_commit", "add_commit", "get_repository_file", "list_wiki_pages"),
]


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(names, id=release, marks=pytest.mark.fakeplat(version=release))
        for release, names in {
            "18.3": FIRST,
            "18.4": [*FIRST, *OF_ROUTES, "gitlab_search"],
            "18.5": OF_18_5,
            "18.7": OF_18_7,
            "18.9": OF_18_9,
            "18.10": [*OF_18_9, "manage_pipeline"],
            "19.2": OF_19_2,
            "19.3": OF_19_3,
        }.items()
    ],
)
def test_each_release_has_its_tools(fakeplat: Fakeplat, expected: list[str]) -> None:
    """A release lists the tools that came up to it, and no earlier names."""
    enable_server(fakeplat)
    assert sorted(expected) == sorted(tool_names(fakeplat))


def test_every_tool_has_a_test() -> None:
    """The lists above name every tool of the table."""
    assert {tool.name for tool in TOOLS} == {*OF_18_5, *OF_19_2, *OF_19_3}


def test_schemas_are_closed_and_their_arrays_have_items(fakeplat: Fakeplat) -> None:
    """Every input schema is an object without further properties, and says what its arrays contain."""
    _, answer = send(fakeplat, "tools/list")
    for tool in answer["result"]["tools"]:
        schema = tool["inputSchema"]
        assert ("object", False) == (schema["type"], schema["additionalProperties"])
        properties = schema["properties"]
        assert {*schema.get("required", ())} <= properties.keys()
        arrays = [property_ for property_ in properties.values() if property_["type"] == "array"]
        assert all("type" in property_["items"] for property_ in arrays)
        assert all(property_["description"] for property_ in properties.values())


def test_the_schema_of_a_route_is_that_of_its_parameters(fakeplat: Fakeplat) -> None:
    """The types, the required arguments and the values come from the parameters of the operation."""
    schema = schema_of(fakeplat, "create_issue")
    types = {name: property_["type"] for name, property_ in schema["properties"].items()}
    assert types == {
        "id": "string",
        "title": "string",
        "description": "string",
        "assignee_ids": "array",
        "milestone_id": "integer",
        "labels": "string",
        "confidential": "boolean",
        "epic_id": "integer",
    }
    assert ["id", "title"] == schema["required"]
    assert ["asc", "desc"] == schema_of(fakeplat, "list_pipelines")["properties"]["sort"]["enum"]


@by_release(TOOLS_HAVE_ANNOTATIONS, "has", {"18.8": False, "18.9": True})
def test_tools_are_annotated_since_18_9(fakeplat: Fakeplat, has: bool) -> None:
    """Since 18.9 a tool says whether it only reads, and has a picture."""
    enable_server(fakeplat)
    _, answer = send(fakeplat, "tools/list")
    tools = {tool["name"]: tool for tool in answer["result"]["tools"]}
    assert has is all("icons" in tool for tool in tools.values())
    assert ({"readOnlyHint": True} if has else None) == tools["get_issue"].get("annotations")
    assert "annotations" not in tools["create_issue"]


@by_release(TOOLS_ARE_ANNOTATED_IN_FULL, "has", {"19.2": False, "19.3": True})
def test_tools_that_write_are_annotated_later(fakeplat: Fakeplat, has: bool) -> None:
    """Later also tools that write say what they do, and all schemas are closed."""
    _, answer = send(fakeplat, "tools/list")
    tools = {tool["name"]: tool for tool in answer["result"]["tools"]}
    assert has is ("annotations" in tools["create_issue"])
    assert has is ("additionalProperties" in tools["get_workitem_notes"]["inputSchema"])


@by_release(TOOL_NAMES_HAVE_PREFIXES, "prefix", {"18.10": "", "18.11": "x" * 32})
def test_a_client_can_ask_for_a_prefix_since_18_11(fakeplat: Fakeplat, prefix: str) -> None:
    """The names of tools begin with what a client asks for, cut at 32 characters; calls use the same names."""
    enable_server(fakeplat)
    headers = {"x_gitlab_mcp_server_tool_name_prefix": "x" * 40}
    assert all(name.startswith(prefix) for name in tool_names(fakeplat, **headers))
    params = {"name": f"{prefix}get_issue", "arguments": ISSUE}
    assert 200 == send(fakeplat, "tools/call", params, **headers)[0]


@by_release(TOOLS_CAN_BE_CHOSEN, "expected", {"19.1": 16, "19.2": 2})
def test_a_client_can_choose_tools(fakeplat: Fakeplat, expected: int) -> None:
    """Later a header names the tools that are listed."""
    enable_server(fakeplat)
    names = tool_names(fakeplat, x_gitlab_enabled_mcp_server_tools="get_issue, search,nothing")
    assert expected == len(names)


@by_release(MCP_VERSION_IS_STRUCTURED, "has", {"18.3": False, "18.4": True})
def test_the_version_of_the_server_is_that_of_the_platform(fakeplat: Fakeplat, has: bool) -> None:
    """get_mcp_server_version returns the version of the platform, and since 18.4 its revision."""
    enable_server(fakeplat)
    result = call(fakeplat, "get_mcp_server_version")
    shown = fakeplat.as_user("mia").get("version").json()
    version = {name: shown[name] for name in ("version", "revision")}
    assert [{"type": "text", "text": version["version"]}] == result["content"]
    assert (version if has else None) == result.get("structuredContent")


# issues


def test_get_issue(fakeplat: Fakeplat) -> None:
    """get_issue returns what the API shows."""
    assert fakeplat.as_user("mia").get(f"{SITE}/issues/1").json() == succeed(fakeplat, "get_issue", **ISSUE)


@pytest.mark.parametrize(
    ("by", "arguments", "text"),
    [
        ("mia", {"id": "acme/site"}, "issue_iid is missing"),
        ("mia", {"id": "acme/site", "issue_iid": None}, "issue_iid is missing"),
        ("mia", {"id": "acme/site", "issue_iid": "one"}, "issue_iid is invalid"),
        ("mia", {"id": ["acme"], "issue_iid": 1}, "id is invalid"),
        ("mia", {"issue_iid": 1}, "404 Project Not Found"),
        ("mia", {"id": "acme/nothing", "issue_iid": 1}, "404 Project Not Found"),
        ("eve", ISSUE, "404 Project Not Found"),
        ("mia", {"id": "acme/site", "issue_iid": 99}, "404 Issue Not Found"),
    ],
)
def test_refusals_of_the_api_are_failures_of_tools(
    fakeplat: Fakeplat, by: str, arguments: dict[str, Any], text: str
) -> None:
    """A tool tells of the refusal that the API has for its caller; without an id, that of the message counts."""
    assert text == fail(fakeplat, "get_issue", by, **arguments)


def test_the_body_of_a_refusal_is_structured(fakeplat: Fakeplat) -> None:
    """The structured content of a failure is the body of the refusal."""
    result = call(fakeplat, "get_issue", id="acme/nothing", issue_iid=1)
    assert {"error": {"message": "404 Project Not Found"}} == result["structuredContent"]


@by_release(TOOLS_NAME_MISSING_RECORDS, "text", {"19.2": "404 Not found", "19.3": "404 Issue Not Found"})
def test_later_failures_name_what_is_missing(fakeplat: Fakeplat, text: str) -> None:
    """A bare 404 names the kind of the record in later releases."""
    assert text == fail(fakeplat, "get_issue", id="acme/site", issue_iid=99)


def test_create_issue(fakeplat: Fakeplat) -> None:
    """create_issue creates an issue for the caller; arguments that the tool does not have are ignored."""
    created = succeed(
        fakeplat, "create_issue", id="acme/site", title="New", labels="bug,docs", confidential=True, weight=3
    )
    shown = fakeplat.as_user("mia").get(f"{SITE}/issues/{created['iid']}").json()
    assert ("New", ["bug", "docs"], True, None) == (
        shown["title"],
        shown["labels"],
        shown["confidential"],
        shown["weight"],
    )
    assert "mia" == shown["author"]["username"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"id": "acme/site"}, "title is missing"),
        ({"id": "acme/site", "title": ""}, '{"title"=>["can\'t be blank"]}'),
        ({"id": "acme/site", "title": "New", "milestone_id": "x"}, "milestone_id is invalid"),
    ],
)
def test_create_issue_refuses_what_the_api_refuses(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """A wrong issue is not created; errors by field are shown as Ruby shows a hash."""
    assert text == fail(fakeplat, "create_issue", **arguments)


# merge requests


def test_lists_of_merge_requests_are_items(fakeplat: Fakeplat) -> None:
    """The tools of a merge request's parts return the lists of the API as items, with their number."""
    for tool, path in (
        ("get_merge_request_commits", "commits"),
        ("get_merge_request_diffs", "diffs"),
        ("get_merge_request_pipelines", "pipelines"),
    ):
        items = fakeplat.as_user("mia").get(f"{SITE}/merge_requests/1/{path}").json()
        expected = {"items": items, "metadata": {"count": len(items), "has_more": False}}
        assert expected == succeed(fakeplat, tool, **MERGE_REQUEST)


def test_pages_of_lists(fakeplat: Fakeplat) -> None:
    """Lists are paginated as by the API, and nothing tells of further pages."""
    page = succeed(fakeplat, "get_merge_request_commits", **MERGE_REQUEST, per_page=1, page=5)
    assert {"items": [], "metadata": {"count": 0, "has_more": False}} == page
    text = "per_page has a value not allowed"
    assert text == fail(fakeplat, "get_merge_request_diffs", **MERGE_REQUEST, per_page=0)


@pytest.mark.parametrize(
    "tool", ["get_merge_request_commits", "get_merge_request_diffs", "get_merge_request_pipelines"]
)
def test_parts_of_missing_merge_requests(fakeplat: Fakeplat, tool: str) -> None:
    """Parts of a merge request that does not exist are not found."""
    assert "404 Merge request Not Found" == fail(fakeplat, tool, id="acme/site", merge_request_iid=99)


@pytest.mark.fakeplat(scenario=WORLD, version="18.11")
def test_get_merge_request_was_a_route(fakeplat: Fakeplat) -> None:
    """Until 19.3 get_merge_request returns what the API shows."""
    enable_server(fakeplat)
    shown = fakeplat.as_user("mia").get(f"{SITE}/merge_requests/1").json()
    assert shown == succeed(fakeplat, "get_merge_request", **MERGE_REQUEST)
    assert "merge_request_iid is missing" == fail(fakeplat, "get_merge_request", id="acme/site")


@by_release(MERGE_REQUEST_TOOL_HAS_PEOPLE, "names", {"18.7": ["acme/site"], "18.8": ["mia"]})
def test_create_merge_request_has_people_since_18_8(fakeplat: Fakeplat, names: list[str]) -> None:
    """create_merge_request creates a merge request; since 18.8 it can also assign it."""
    enable_server(fakeplat)
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "other", "ref": "feature"})
    arguments = {"id": "acme/site", "title": "New", "source_branch": "other", "target_branch": "main"}
    user = fakeplat.as_user("mia").get("user").json()
    created = succeed(fakeplat, "create_merge_request", **arguments, assignee_ids=[user["id"]])
    assigned = [assignee["username"] for assignee in created["assignees"]]
    assert (names if names == ["mia"] else []) == assigned
    again = call(fakeplat, "create_merge_request", **arguments)
    assert again["isError"]
    assert "Another open merge request already exists" in again["content"][0]["text"]


@pytest.mark.parametrize("facet", ["diffs", "commits", "notes", "pipelines", "discussions"])
def test_get_merge_request_with_a_facet(fakeplat: Fakeplat, facet: str) -> None:
    """Since 19.3 get_merge_request shows one thing of a merge request besides."""
    base = succeed(fakeplat, "get_merge_request", **LATER_MERGE_REQUEST)
    assert ("1", "opened", "feature") == (base["iid"], base["state"], base["sourceBranch"])
    shown = succeed(fakeplat, "get_merge_request", **LATER_MERGE_REQUEST, include=[facet])
    keys = {
        "diffs": {"diffStats", "diffStatsSummary"},
        "notes": {"notes", "resolvedDiscussionsCount", "resolvableDiscussionsCount"},
    }
    assert keys.get(facet, {facet}) == shown.keys() - base.keys()
    assert shown == succeed(fakeplat, "get_merge_request", url=base["webUrl"], include=[facet])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Validation error: Provide either url, or project_id and merge_request_iid"),
        ({"url": "nothing"}, "Validation error: Invalid merge request URL: nothing"),
        ({"project_id": "acme/site", "merge_request_iid": 99}, "Merge request not found or inaccessible"),
        (
            {"project_id": "acme/nothing", "merge_request_iid": 1},
            "Tool execution failed: Project 'acme/nothing' not found or inaccessible",
        ),
        (
            {**LATER_MERGE_REQUEST, "include": ["diffs", "notes"]},
            "Validation error: include cannot contain more than 1 items",
        ),
        (
            {**LATER_MERGE_REQUEST, "include": ["all"]},
            "Validation error: Invalid include/0: 'all'. Must be one of: diffs, commits, notes, pipelines, discussions",
        ),
        ({**LATER_MERGE_REQUEST, "notes_first": 101}, "Validation error: notes_first is invalid"),
        ({**LATER_MERGE_REQUEST, "other": 1}, "Validation error: other is invalid"),
    ],
)
def test_wrong_arguments_of_get_merge_request(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """A tool of GraphQL checks its arguments itself, and says what is wrong with them."""
    assert text == fail(fakeplat, "get_merge_request", **arguments)


def test_hidden_merge_requests_are_not_found(fakeplat: Fakeplat) -> None:
    """Who does not see a project is told the same as for one that does not exist."""
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/merge_requests/1"
    assert "Project not found or inaccessible" == fail(fakeplat, "get_merge_request", "eve", url=url)


def test_list_merge_requests(fakeplat: Fakeplat) -> None:
    """list_merge_requests filters as GraphQL does; a scope stands for the caller."""
    everything = succeed(fakeplat, "list_merge_requests", project_id="acme/site")["nodes"]
    assert len(everything) > 1
    author = everything[0]["author"]["username"]
    own = succeed(fakeplat, "list_merge_requests", author, project_id="acme/site", scope="created_by_me")["nodes"]
    named = succeed(fakeplat, "list_merge_requests", project_id="acme/site", author_username=author)["nodes"]
    assert own == named
    assert {author} == {node["author"]["username"] for node in own}
    first = succeed(fakeplat, "list_merge_requests", project_id="acme/site", first=1)
    after = first["pageInfo"]["endCursor"]
    second = succeed(fakeplat, "list_merge_requests", project_id="acme/site", first=1, after=after)
    assert everything[:2] == [*first["nodes"], *second["nodes"]]


def test_a_list_is_of_one_project(fakeplat: Fakeplat) -> None:
    """A list needs either the URL or the id of a project."""
    text = "Validation error: Provide exactly one of: url or project_id"
    assert text == fail(fakeplat, "list_merge_requests")
    url = f"{fakeplat.url.rstrip('/')}/acme/site"
    assert text == fail(fakeplat, "list_merge_requests", url=url, project_id="acme/site")
    assert succeed(fakeplat, "list_merge_requests", url=url)["nodes"]
    wrong = f"{fakeplat.url.rstrip('/')}/groups/acme"
    assert f"Validation error: Invalid project URL: {wrong}" == fail(fakeplat, "list_merge_requests", url=wrong)


def test_save_merge_request(fakeplat: Fakeplat) -> None:
    """save_merge_request creates a merge request, or changes one, and says so before the document."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "other", "ref": "feature"})
    new = {"project_id": "acme/site", "title": "New", "source_branch": "other", "target_branch": "main"}
    result = call(fakeplat, "save_merge_request", **new, labels=["bug"], reviewers=["dev"], milestone="v1.1")
    assert result["content"][0]["text"].startswith("Merge request created successfully via save_merge_request. {")
    created = result["structuredContent"]
    meta = {"operation": "create", "tool": "create_merge_request", "aggregator": "save_merge_request"}
    assert (meta, "v1.1", ["bug"], ["dev"]) == (
        created["_meta"],
        created["milestone"]["title"],
        created["labels"],
        [reviewer["username"] for reviewer in created["reviewers"]],
    )
    change = {"project_id": "acme/site", "merge_request_iid": created["iid"]}
    result = call(fakeplat, "save_merge_request", **change, state_event="close", source_branch="x")
    text = result["content"][0]["text"]
    assert text.startswith(
        "Merge request updated successfully via save_merge_request. "
        "Ignored params not valid for update: source_branch. {"
    )
    assert "closed" == fakeplat.as_user("mia").get(f"{SITE}/merge_requests/{created['iid']}").json()["state"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("save_merge_request", {}, "project_id is missing"),
        (
            "save_merge_request",
            {"project_id": "acme/site", "title": "New"},
            (
                "Cannot determine operation. Provide merge_request_iid to update an existing merge request, "
                "or title, source_branch, target_branch to create a new one."
            ),
        ),
        (
            "save_merge_request",
            {"project_id": "acme/site", "state_event": "close"},
            (
                "These fields only apply when updating: state_event. "
                "Provide merge_request_iid to update, or remove them to create a merge request."
            ),
        ),
        (
            "save_merge_request",
            {**LATER_MERGE_REQUEST, "assignees": ["mia"], "assignee_ids": [3]},
            "Provide assignees or assignee_ids, not both.",
        ),
        (
            "save_merge_request",
            {**LATER_MERGE_REQUEST, "assignees": ["nobody"]},
            "One or more usernames could not be resolved.",
        ),
        (
            "create_merge_request",
            LATER_MERGE_REQUEST,
            (
                "create_merge_request does not accept merge_request_iid. Remove it to create a new merge request, "
                "or use save_merge_request to update an existing one."
            ),
        ),
        (
            "update_merge_request",
            {"project_id": "acme/site", "title": "New"},
            (
                "update_merge_request requires merge_request_iid. Provide it to update an existing merge request, "
                "or use save_merge_request to create one."
            ),
        ),
    ],
)
def test_save_merge_request_needs_to_know_what_to_do(
    fakeplat: Fakeplat, tool: str, arguments: dict[str, Any], text: str
) -> None:
    """Arguments that are neither a new merge request nor a change are refused; earlier names say which it is."""
    assert f"Validation error: {text}" == fail(fakeplat, tool, **arguments)


def test_guests_save_no_merge_request(fakeplat: Fakeplat) -> None:
    """The refusals of the API are those of save_merge_request."""
    assert "403 Forbidden" == fail(fakeplat, "save_merge_request", "rep", **LATER_MERGE_REQUEST, title="Mine")


# pipelines


@pytest.fixture
def pipeline(fakeplat: Fakeplat) -> dict[str, Any]:
    """A failed pipeline of acme/site with a job, whose log has two lines."""
    enable_server(fakeplat)
    job = {"name": "test", "status": "failed", "log": "one\ntwo\n"}
    rows = [{"ref": "main", "status": "failed", "jobs": [job]}]
    configuration = {"ci_config_path": "none.yml"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": rows, **configuration}]})
    shown: dict[str, Any] = fakeplat.as_user("mia").get(f"{SITE}/pipelines").json()[0]
    return shown


def test_get_pipeline_jobs(fakeplat: Fakeplat, pipeline: dict[str, Any]) -> None:
    """get_pipeline_jobs lists the jobs of a pipeline as the API does."""
    arguments = {"id": "acme/site", "pipeline_id": pipeline["id"]}
    jobs = succeed(fakeplat, "get_pipeline_jobs", **arguments)["items"]
    assert fakeplat.as_user("mia").get(f"{SITE}/pipelines/{pipeline['id']}/jobs").json() == jobs
    assert "404 Pipeline Not Found" == fail(fakeplat, "get_pipeline_jobs", id="acme/site", pipeline_id=1)
    assert "pipeline_id is missing" == fail(fakeplat, "get_pipeline_jobs", id="acme/site")


def test_list_pipelines(fakeplat: Fakeplat, pipeline: dict[str, Any]) -> None:
    """list_pipelines filters as the API does."""
    assert [pipeline] == succeed(fakeplat, "list_pipelines", id="acme/site", status="failed", ref="main")["items"]
    assert [] == succeed(fakeplat, "list_pipelines", id="acme/site", status="running")["items"]
    assert "status is invalid" == fail(fakeplat, "list_pipelines", id="acme/site", status="odd")


def test_get_job(fakeplat: Fakeplat, pipeline: dict[str, Any]) -> None:
    """get_job shows a job, and on request its log in parts; its earlier name always shows the log."""
    (job,) = fakeplat.as_user("mia").get(f"{SITE}/pipelines/{pipeline['id']}/jobs").json()
    arguments = {"id": "acme/site", "job_id": job["id"]}
    shown = succeed(fakeplat, "get_job", **arguments)
    assert {name: job[name] for name in ("id", "name", "status", "stage", "allow_failure", "web_url")} == shown
    log = succeed(fakeplat, "get_job", **arguments, include=["log"])["log"]
    metadata = {"total_bytes": 8, "returned": {"start": 0, "end": 8}, "truncated": False}
    assert {"metadata": metadata, "content": "one\ntwo\n"} == log
    assert log == succeed(fakeplat, "get_job_log", **arguments)["log"]
    part = succeed(fakeplat, "get_job", **arguments, include=["log"], byte_offset=2, byte_limit=3)["log"]
    assert ("e\nt", {"start": 2, "end": 5}) == (part["content"], part["metadata"]["returned"])
    assert 'Log truncated. Remaining: 3 bytes. Call again with {"byte_offset": 5}.' == part["system_instruction"]


@pytest.mark.parametrize(
    ("by", "arguments", "text"),
    [
        ("mia", {"id": "acme/site", "job_id": 1}, "Tool execution failed: Job not found or inaccessible"),
        (
            "eve",
            {"id": "acme/site", "job_id": 1},
            "Tool execution failed: Project 'acme/site' not found or inaccessible",
        ),
        ("mia", {"id": "acme/site"}, "Validation error: job_id is missing"),
        ("mia", {"id": "acme/site", "job_id": 1, "byte_limit": 0}, "Validation error: byte_limit is invalid"),
    ],
)
def test_missing_jobs(fakeplat: Fakeplat, by: str, arguments: dict[str, Any], text: str) -> None:
    """A job that the caller does not see is not found."""
    assert text == fail(fakeplat, "get_job", by, **arguments)


def test_save_pipeline(fakeplat: Fakeplat, pipeline: dict[str, Any]) -> None:
    """save_pipeline retries, cancels and creates pipelines."""
    retried = succeed(fakeplat, "save_pipeline", pipeline_id=pipeline["id"], action="retry")
    assert ("retry", pipeline["id"], "main", pipeline["web_url"]) == (
        retried["action"],
        retried["id"],
        retried["ref"],
        retried["web_url"],
    )
    assert retried["status"] in ("pending", "running")
    canceled = succeed(fakeplat, "save_pipeline", pipeline_id=pipeline["id"], action="cancel")
    assert ("cancel", "canceled") == (canceled["action"], canceled["status"])
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "ci_config_path": None}]})
    content = "test: {script: [make]}"
    fakeplat.as_user("mia").post(
        f"{SITE}/repository/files/%2Egitlab-ci.yml",
        json={"branch": "main", "content": content, "commit_message": "Test [skip ci]"},
    )
    variables = [{"key": "KIND", "value": "all", "variable_type": "env_var"}]
    created = succeed(fakeplat, "save_pipeline", project_id="acme/site", ref="main", variables=variables)
    shown = fakeplat.as_user("mia").get(f"{SITE}/pipelines/{created['id']}/variables").json()
    assert ("create", "all") == (created["action"], shown[0]["value"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Validation error: Provide ref to create a pipeline, or pipeline_id and action"),
        ({"ref": "main"}, "Validation error: Provide exactly one of: url or project_id"),
        ({"project_id": "acme/site", "ref": "nothing"}, "Reference not found"),
        ({"pipeline_id": 1}, 'Validation error: Provide action: "retry" or "cancel" when pipeline_id is set'),
        (
            {"pipeline_id": 1, "action": "delete"},
            "Validation error: Invalid action: 'delete'. Must be one of: retry, cancel",
        ),
        (
            {"pipeline_id": 1, "action": "retry"},
            (
                "The resource that you are attempting to access does not exist "
                "or you don't have permission to perform this action"
            ),
        ),
    ],
)
def test_wrong_arguments_of_save_pipeline(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """Without a pipeline a ref is needed, with one something to do."""
    assert text == fail(fakeplat, "save_pipeline", **arguments)


@pytest.mark.fakeplat(scenario=WORLD, version="18.11")
def test_manage_pipeline(fakeplat: Fakeplat, pipeline: dict[str, Any]) -> None:
    """manage_pipeline chooses the operation by its arguments, and says in the result which one it was."""
    pipeline_arguments = {"id": "acme/site", "pipeline_id": pipeline["id"]}
    for arguments, operation, tool, word in (
        ({"id": "acme/site", "list": True}, "list", "list_pipelines", "listed"),
        ({**pipeline_arguments, "name": "Nightly"}, "update", "update_pipeline", "updated"),
        ({**pipeline_arguments, "retry": True}, "retry", "retry_pipeline", "retried"),
        ({**pipeline_arguments, "cancel": True}, "cancel", "cancel_pipeline", "canceled"),
    ):
        result = call(fakeplat, "manage_pipeline", **arguments)
        text = result["content"][0]["text"]
        assert text.startswith(f"Pipeline {word} successfully via manage_pipeline. ")
        meta = {"operation": operation, "tool": tool, "aggregator": "manage_pipeline"}
        assert meta == result["structuredContent"]["_meta"]
    assert "403 Forbidden" == fail(fakeplat, "manage_pipeline", "rep", **pipeline_arguments)
    result = call(fakeplat, "manage_pipeline", "ada", **pipeline_arguments)
    meta = {"operation": "delete", "tool": "delete_pipeline", "aggregator": "manage_pipeline"}
    assert (False, "", {"_meta": meta}) == (
        result["isError"],
        result["content"][0]["text"],
        result["structuredContent"],
    )
    assert [] == fakeplat.as_user("mia").get(f"{SITE}/pipelines").json()
    assert "Reference not found" in fail(fakeplat, "manage_pipeline", id="acme/site", ref="nothing")
    undecided = fail(fakeplat, "manage_pipeline", id="acme/site")
    assert undecided.startswith("Validation error: Cannot determine operation. Provide either: (list: true)")


@by_release(PIPELINE_TOOL_IS_SPLIT, "names", {"19.2": 11, "19.3": 3})
def test_manage_pipeline_only_renames_and_deletes_since_19_3(fakeplat: Fakeplat, names: int) -> None:
    """Since 19.3 other tools list, create, retry and cancel pipelines."""
    assert names == len(schema_of(fakeplat, "manage_pipeline")["properties"])


# branches


def test_add_branch(fakeplat: Fakeplat) -> None:
    """add_branch creates a branch, also under its other name and by the URL of the project."""
    created = succeed(fakeplat, "add_branch", project_id="acme/site", branch="one", ref="main")
    commit = fakeplat.as_user("mia").get(f"{SITE}/repository/branches/one").json()["commit"]
    assert ("one", commit["id"]) == (created["branch"]["name"], created["branch"]["commit"]["sha"])
    url = f"{fakeplat.url.rstrip('/')}/acme/site"
    assert "two" == succeed(fakeplat, "create_branch", url=url, branch="two", ref="main")["branch"]["name"]


@pytest.mark.parametrize(
    ("by", "arguments", "text"),
    [
        ("mia", {"branch": "one", "ref": "main"}, "Validation error: Provide either url or project_id"),
        ("mia", {"project_id": "acme/site", "branch": "one"}, "Validation error: ref is missing"),
        (
            "mia",
            {"project_id": "acme/site", "branch": "one", "ref": "nothing"},
            "Failed to create branch 'one': invalid reference name 'nothing'",
        ),
        (
            "eve",
            {"project_id": "acme/site", "branch": "one", "ref": "main"},
            "Tool execution failed: Project 'acme/site' not found or inaccessible",
        ),
    ],
)
def test_wrong_branches(fakeplat: Fakeplat, by: str, arguments: dict[str, Any], text: str) -> None:
    """What GraphQL refuses, the tool refuses."""
    assert text in fail(fakeplat, "add_branch", by, **arguments)


# comments and labels


def test_create_workitem_note(fakeplat: Fakeplat) -> None:
    """create_workitem_note comments on a work item, also in a thread and by its URL."""
    created = succeed(fakeplat, "create_workitem_note", **WORK_ITEM, body="Hi", internal=True)["note"]
    assert ("Hi", True, "mia") == (created["body"], created["internal"], created["author"]["username"])
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/work_items/1"
    reply = succeed(fakeplat, "create_workitem_note", url=url, body="Yes", discussion_id=created["discussion"]["id"])[
        "note"
    ]
    notes = fakeplat.as_user("mia").get(f"{SITE}/issues/1/notes?sort=asc").json()
    assert ["Hi", "Yes"] == [note["body"] for note in notes]
    listed = succeed(fakeplat, "get_workitem_notes", **WORK_ITEM)
    assert ["Hi", "Yes"] == [node["body"] for node in listed["nodes"]]
    assert reply["id"] == listed["nodes"][1]["id"]
    last = succeed(fakeplat, "get_workitem_notes", url=url, last=1)
    assert (["Yes"], True) == ([node["body"] for node in last["nodes"]], last["pageInfo"]["hasPreviousPage"])


@pytest.mark.parametrize("tool", ["create_workitem_note", "get_workitem_notes", "link_work_items"])
@pytest.mark.parametrize(
    ("by", "arguments", "text"),
    [
        ("mia", {}, "Validation error: Must provide work_item_iid"),
        ("mia", {"work_item_iid": 1}, "Validation error: Must provide either project_id or group_id"),
        ("mia", {**WORK_ITEM, "work_item_iid": 99}, "Validation error: Work item #99 not found or inaccessible"),
        ("mia", {"url": "acme"}, "Validation error: Invalid URL format: acme"),
        (
            "mia",
            {"url": "https://host.example.test/acme/site"},
            "Validation error: Invalid work item URL format. Expected: .../-/work_items/<iid>",
        ),
        (
            "mia",
            {"group_id": "nothing", "work_item_iid": 1},
            "Tool execution failed: Group 'nothing' not found or inaccessible",
        ),
        ("mia", {**WORK_ITEM, "work_item_iid": "1"}, "Validation error: work_item_iid is invalid"),
        ("eve", WORK_ITEM, "Tool execution failed: Project 'acme/site' not found or inaccessible"),
    ],
)
def test_work_items_that_are_not_found(
    fakeplat: Fakeplat, tool: str, by: str, arguments: dict[str, Any], text: str
) -> None:
    """A tool of work items needs one that the caller sees."""
    others: dict[str, dict[str, Any]] = {
        "create_workitem_note": {"body": "Hi"},
        "link_work_items": {"work_items_ids": ["gid://gitlab/WorkItem/1"]},
    }
    assert text == fail(fakeplat, tool, by, **arguments, **others.get(tool, {}))


@by_release(
    HIDDEN_PARENTS_ARE_NOT_FOUND,
    "text",
    {
        "19.2": "Validation error: Access denied to project: 'acme/site'",
        "19.3": "Tool execution failed: Project 'acme/site' not found or inaccessible",
    },
)
def test_hidden_projects_were_told_apart(fakeplat: Fakeplat, text: str) -> None:
    """Earlier releases tell of projects that the caller does not see."""
    assert text == fail(fakeplat, "get_workitem_notes", "eve", **WORK_ITEM)


@pytest.mark.parametrize("body", ["/close", "Well\n /assign @mia"])
@pytest.mark.parametrize(
    ("tool", "target"), [("create_workitem_note", WORK_ITEM), ("create_merge_request_note", LATER_MERGE_REQUEST)]
)
def test_comments_have_no_quick_actions(fakeplat: Fakeplat, tool: str, target: dict[str, Any], body: str) -> None:
    """A comment with a line that begins with a slash is refused."""
    text = "Validation error: Quick actions (commands starting with /) are not allowed in note body"
    assert text == fail(fakeplat, tool, **target, body=body)


@by_release(
    EMPTY_ARGUMENTS_ARE_OMITTED,
    "text",
    {"19.2": "work_item_iid is invalid", "19.3": "Must provide work_item_iid"},
)
def test_empty_arguments_are_omitted_later(fakeplat: Fakeplat, text: str) -> None:
    """Later an argument that is null or empty counts as not sent."""
    wrong = fail(fakeplat, "get_workitem_notes", project_id="acme/site", work_item_iid=None)
    assert f"Validation error: {text}" == wrong


def test_comments_on_merge_requests(fakeplat: Fakeplat) -> None:
    """create_merge_request_note and get_merge_request_notes write and read the same comments."""
    created = succeed(fakeplat, "create_merge_request_note", **LATER_MERGE_REQUEST, body="Hi")["note"]
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/merge_requests/1"
    succeed(fakeplat, "create_merge_request_note", url=url, body="Yes", discussion_id=created["discussion"]["id"])
    listed = succeed(fakeplat, "get_merge_request_notes", **LATER_MERGE_REQUEST)
    assert ["Hi", "Yes"] == [node["body"] for node in listed["notes"]["nodes"]]
    assert listed == succeed(fakeplat, "get_merge_request_notes", url=url)


@pytest.mark.parametrize(
    ("tool", "others", "text"),
    [
        (
            "create_merge_request_note",
            {"body": "Hi"},
            "Validation error: Merge request not found: it does not exist or you do not have access to it.",
        ),
        ("get_merge_request_notes", {}, "Merge request not found or inaccessible"),
    ],
)
def test_comments_on_missing_merge_requests(fakeplat: Fakeplat, tool: str, others: dict[str, Any], text: str) -> None:
    """There are no comments on a merge request that does not exist."""
    assert text == fail(fakeplat, tool, project_id="acme/site", merge_request_iid=99, **others)
    text = "Validation error: Provide either url, or project_id and merge_request_iid"
    assert text == fail(fakeplat, tool, project_id="acme/site", **others)


def test_link_work_items(fakeplat: Fakeplat) -> None:
    """link_work_items links issues, which the API then shows as linked."""
    other = fakeplat.as_user("mia").get(f"{SITE}/issues/2").json()
    ids = [f"gid://gitlab/WorkItem/{other['id']}"]
    linked = succeed(fakeplat, "link_work_items", **WORK_ITEM, work_items_ids=ids, link_type="blocks")
    assert "1" == linked["workItem"]["iid"]
    (link,) = fakeplat.as_user("mia").get(f"{SITE}/issues/1/links").json()
    assert (2, "blocks") == (link["iid"], link["link_type"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "work_items_ids is missing"),
        ({"work_items_ids": []}, "work_items_ids is invalid"),
        ({"work_items_ids": ["x"] * 11}, "work_items_ids cannot contain more than 10 items"),
        (
            {"work_items_ids": ["2"]},
            "Invalid work item ID format: '2'. Expected GitLab global ID (gid://gitlab/WorkItem/<id>)",
        ),
        (
            {"work_items_ids": ["gid://gitlab/WorkItem/1"], "link_type": "odd"},
            "Invalid link_type: 'odd'. Must be one of: relates_to, blocks, blocked_by",
        ),
    ],
)
def test_wrong_links(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """Links need global ids, and a kind that there is."""
    assert f"Validation error: {text}" == fail(fakeplat, "link_work_items", **WORK_ITEM, **arguments)


def test_search_labels(fakeplat: Fakeplat) -> None:
    """search_labels lists the labels of a project and of the groups above it, or of a group."""
    result = succeed(fakeplat, "search_labels", full_path="acme/site", is_project=True)["items"]
    assert ["bug", "docs", "feature", "urgent"] == sorted(label["title"] for label in result)
    result = succeed(fakeplat, "search_labels", full_path="acme", is_project=False, search="urg")
    assert ["urgent"] == [label["title"] for label in result["items"]]
    assert {"count": 1, "has_more": False} == result["metadata"]
    text = "Group 'nothing' not found or inaccessible"
    assert text == fail(fakeplat, "search_labels", full_path="nothing", is_project=False)
    text = "Project 'acme/site' not found or inaccessible"
    assert text == fail(fakeplat, "search_labels", "eve", full_path="acme/site", is_project=True)
    text = "Validation error: is_project is missing"
    assert text == fail(fakeplat, "search_labels", full_path="acme")


# search


@by_release(Lifetime("18.8"), "name", {"18.7": "gitlab_search", "18.8": "search"})
def test_the_search_was_renamed(fakeplat: Fakeplat, name: str) -> None:
    """Since 18.8 the search is named search; the name before still works."""
    enable_server(fakeplat)
    assert [name] == [each for each in tool_names(fakeplat) if "search" in each and "label" not in each]
    for known in {name, "gitlab_search"}:
        result = succeed(fakeplat, known, scope="issues", search="broken")
        assert ["Broken link on the front page"] == [issue["title"] for issue in result["items"]]


@by_release(Lifetime("18.6"), "titles", {"18.5": ["New", "New"], "18.6": ["New"]})
def test_searches_in_groups_and_projects(fakeplat: Fakeplat, titles: list[str]) -> None:
    """Since 18.6 a search can be one of a group or a project; before, other arguments were ignored."""
    enable_server(fakeplat)
    for project in ("acme%2Fsite", "acme%2Fdocs"):
        fakeplat.as_user("ada").post(f"projects/{project}/issues", json={"title": "New"})
    arguments = {"scope": "issues", "search": "New", "project_id": "acme/site"}
    result = succeed(fakeplat, "gitlab_search", "ada", **arguments)
    assert titles == [issue["title"] for issue in result["items"]]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"scope": "issues"}, "Validation error: search is missing"),
        ({"scope": "issues", "search": "x", "page": 0}, "Validation error: page is invalid"),
        ({"scope": "issues", "search": "x", "other": 1}, "Validation error: other is invalid"),
        ({"scope": "odd", "search": "x"}, "scope does not have a valid value"),
        ({"scope": "issues", "search": "x", "group_id": "nothing"}, "404 Group Not Found"),
        ({"scope": "issues", "search": "x", "project_id": "nothing"}, "404 Project Not Found"),
    ],
)
def test_wrong_searches(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """A search checks its arguments; what is searched for, the API checks."""
    assert text == fail(fakeplat, "search", **arguments)


def test_searches_in_groups(fakeplat: Fakeplat) -> None:
    """A search of a group finds what is in its projects."""
    result = succeed(fakeplat, "search", scope="issues", search="broken", group_id="acme", per_page=1)
    assert 1 == len(result["items"])


# reads that wait, and the time of the world


@pytest.mark.fakeplat(scenario=WORLD, version="18.11", clock="auto")
def test_a_tool_waits_as_the_api_does(fakeplat: Fakeplat) -> None:
    """Under the auto clock, reading a merge request through a tool has its mergeability checked."""
    enable_server(fakeplat)
    statuses = [succeed(fakeplat, "get_merge_request", **MERGE_REQUEST)["merge_status"] for _ in range(3)]
    assert "can_be_merged" == statuses[-1]
