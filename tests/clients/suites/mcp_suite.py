"""What assistants that use the official SDK of the Model Context Protocol rely on; it checks each message it gets."""

import asyncio

import pytest
from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamablehttp_client

TOKEN = "mia-mcp-token"
WORLD = {
    "extends": "starter",
    "instance": {"version": "latest"},
    "users": [{"username": "mia", "tokens": [{"kind": "oauth", "value": TOKEN, "scopes": ["mcp"]}]}],
}


@pytest.fixture
def run(create_world):
    """Run a function with a session that has shaken hands, and return what it returns."""
    world = create_world(scenario=WORLD)

    def run(use, token=TOKEN, **headers):
        async def connect():
            sent = {"Authorization": f"Bearer {token}", **headers}
            async with (
                streamablehttp_client(f"{world.url}/api/v4/mcp", headers=sent) as (read, write, _),
                ClientSession(read, write) as session,
            ):
                return await use(session, await session.initialize())

        return asyncio.run(asyncio.wait_for(connect(), 30))

    return run


def test_the_handshake(run):
    """The client and the server agree on the newest version that both know."""

    async def use(_session, hello):
        return hello

    hello = run(use)
    assert ("2025-11-25", False) == (hello.protocolVersion, hello.capabilities.tools.listChanged)
    assert hello.serverInfo.name.endswith("MCP Server")


def test_tools_are_listed_with_their_schemas(run):
    """Each tool has a schema and annotations."""

    async def use(session, _hello):
        return (await session.list_tools()).tools

    tools = {tool.name: tool for tool in run(use)}
    assert {"get_issue", "create_issue", "search", "save_merge_request"} <= tools.keys()
    assert ["id", "issue_iid"] == tools["get_issue"].inputSchema["required"]
    assert tools["get_issue"].annotations.readOnlyHint is True


def test_tools_read_and_write(run):
    """A created issue is read again, and commented."""

    async def use(session, _hello):
        created = await session.call_tool("create_issue", {"id": "acme/site", "title": "From the SDK"})
        iid = created.structuredContent["iid"]
        place = {"project_id": "acme/site", "work_item_iid": iid}
        await session.call_tool("create_workitem_note", {**place, "body": "Hello"})
        notes = await session.call_tool("get_workitem_notes", place)
        shown = await session.call_tool("get_issue", {"id": "acme/site", "issue_iid": iid})
        return shown.structuredContent["title"], [node["body"] for node in notes.structuredContent["nodes"]]

    assert ("From the SDK", ["Hello"]) == run(use)


def test_tools_work_on_files(run):
    """A file is committed, changed by a part of its text, and read again; the commit and its diff are shown."""

    async def use(session, _hello):
        place = {"project_id": "acme/site", "branch": "main", "commit_message": "From the SDK"}
        new = {"action": "create", "file_path": "sdk.txt", "content": "one\ntwo\n"}
        await session.call_tool("add_commit", {**place, "actions": [new]})
        edit = {"action": "update", "file_path": "sdk.txt", "old_str": "two", "new_str": "three"}
        made = await session.call_tool("add_commit", {**place, "actions": [edit]})
        sha = made.structuredContent["commit"]["sha"]
        file = {"project_id": "acme/site", "file_path": "sdk.txt", "ref": sha}
        read = await session.call_tool("get_repository_file", file)
        wanted = {"project_id": "acme/site", "commit_sha": sha, "include": ["diff"]}
        shown = await session.call_tool("get_commit", wanted)
        return read.structuredContent["content"], shown.structuredContent["diffStats"]

    content, stats = run(use)
    assert "one\nthree\n" == content
    assert [{"path": "sdk.txt", "additions": 1, "deletions": 1}] == stats


def test_tools_list_pages_and_types(run):
    """Pages of a wiki and types of work items are listed, pipelines shown with their jobs."""

    async def use(session, _hello):
        project = {"project_id": "acme/site"}
        pages = await session.call_tool("list_wiki_pages", project)
        types = await session.call_tool("get_work_item_types", project)
        made = await session.call_tool("save_pipeline", {**project, "ref": "main"})
        wanted = {"id": "acme/site", "pipeline_id": made.structuredContent["id"], "include": ["jobs"]}
        pipeline = await session.call_tool("get_pipeline", wanted)
        return pages, types, pipeline

    pages, types, pipeline = run(use)
    assert {"items", "metadata"} == pages.structuredContent.keys()
    assert "Task" in [each["name"] for each in types.structuredContent["workItemTypes"]]
    assert pipeline.structuredContent["jobs"]


def test_failures_of_tools_are_results(run):
    """A refusal of the API is a result with its text."""

    async def use(session, _hello):
        return await session.call_tool("get_issue", {"id": "acme/nothing", "issue_iid": 1})

    result = run(use)
    assert (True, "404 Project Not Found") == (result.isError, result.content[0].text)


def test_pages_of_comments(run):
    """Comments are read page by page with cursors."""

    async def use(session, _hello):
        place = {"project_id": "acme/site", "merge_request_iid": 1}
        for body in ("One", "Two", "Three"):
            await session.call_tool("create_merge_request_note", {**place, "body": body})
        bodies, after = [], None
        while True:
            page = {"first": 2, **({"after": after} if after else {})}
            result = await session.call_tool("get_merge_request_notes", {**place, **page})
            notes = result.structuredContent["notes"]
            bodies += [node["body"] for node in notes["nodes"]]
            if not notes["pageInfo"]["hasNextPage"]:
                return bodies
            after = notes["pageInfo"]["endCursor"]

    assert ["One", "Two", "Three"] == run(use)


def test_names_have_the_prefix_of_the_client(run):
    """A client that knows several servers tells their tools apart."""

    async def use(session, _hello):
        names = [tool.name for tool in (await session.list_tools()).tools]
        return names, await session.call_tool("mine_get_mcp_server_version", {})

    names, version = run(use, **{"X-Gitlab-Mcp-Server-Tool-Name-Prefix": "mine_"})
    assert all(name.startswith("mine_") for name in names)
    assert version.structuredContent["version"] == version.content[0].text


def test_a_token_of_another_scope_is_refused(run):
    """The client cannot connect with a token for the API."""
    with pytest.raises(BaseExceptionGroup) as caught:
        run(lambda *_: None, token="mia-token")
    assert "403" in "".join(map(str, _list_errors(caught.value)))


def test_an_unknown_tool_is_an_error(run):
    """The client gets an error for a tool that there is not."""

    async def use(session, _hello):
        await session.call_tool("nothing", {})

    with pytest.raises((McpError, BaseExceptionGroup)):
        run(use)


def _list_errors(error):
    nested = getattr(error, "exceptions", ())
    return [each for part in nested for each in _list_errors(part)] if nested else [error]
