"""Real GraphQL clients drive queries, pages and mutations: `gql` itself, and the GraphQL class of python-gitlab."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest
from gql import Client, GraphQLRequest, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport

from fakeplat.harness.fake import Fakeplat

PROJECT = gql("query($path: ID!) { project(fullPath: $path) { id name issues(state: opened) { count } } }")
ISSUES = gql("""query($after: String) { project(fullPath: "acme/site") {
    issues(first: 2, after: $after) { nodes { iid title } pageInfo { endCursor hasNextPage } } } }""")
CREATE = gql("""mutation($title: String!) { createIssue(input: {projectPath: "acme/site", title: $title}) {
    issue { iid webUrl } errors } }""")

MERGE_REQUESTS = gql("""query($after: String) { project(fullPath: "acme/site") {
    mergeRequests(first: 1, after: $after) { count nodes { id iid } pageInfo { endCursor hasNextPage } } } }""")
NOTE = gql("""mutation($id: NoteableID!, $body: String!) { createNote(input: {noteableId: $id, body: $body}) {
    note { id body author { username } discussion { id } } errors } }""")
REPLY = gql("""mutation($id: NoteableID!, $in: DiscussionID!) {
    createNote(input: {noteableId: $id, body: "And here", discussionId: $in}) { note { id } errors } }""")


@pytest.fixture
def client(fakeplat: Fakeplat) -> Iterator[Any]:
    """A client that fetched the schema and checks what it sends against it."""
    headers = {"Authorization": f"Bearer {fakeplat.token('ada')}"}
    transport = RequestsHTTPTransport(f"{fakeplat.url}/api/graphql", headers=headers)
    with Client(transport=transport, fetch_schema_from_transport=True) as session:
        yield session


def test_gql_fetches_the_schema_and_queries(client: Any) -> None:
    """gql fetches the schema by introspection, and its query fits the schema."""
    project = client.execute(GraphQLRequest(PROJECT, variable_values={"path": "acme/site"}))["project"]

    assert "Site" == project["name"]
    assert project["id"].startswith("gid://gitlab/Project/")


def test_gql_follows_pages(client: Any, fakeplat: Fakeplat) -> None:
    """gql gets every issue once by following pages until ``hasNextPage`` is false."""
    iids: list[int] = []
    after = None
    while True:
        page = client.execute(GraphQLRequest(ISSUES, variable_values={"after": after}))["project"]["issues"]
        iids += [int(issue["iid"]) for issue in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break

    assert sorted(iids, reverse=True) == iids
    assert {issue.iid for issue in fakeplat.world.project("acme/site").issues} == {*iids}


def test_gql_mutates(client: Any, fakeplat: Fakeplat) -> None:
    """An issue that gql creates is in the REST API with the same URL."""
    payload = client.execute(GraphQLRequest(CREATE, variable_values={"title": "By GraphQL"}))["createIssue"]
    rest = fakeplat.as_user("ada").get(f"projects/acme%2Fsite/issues/{payload['issue']['iid']}").json()

    assert [] == payload["errors"]
    assert ("By GraphQL", payload["issue"]["webUrl"]) == (rest["title"], rest["web_url"])


def test_gql_reviews_merge_requests(client: Any, fakeplat: Fakeplat) -> None:
    """Notes and replies that gql creates on merge requests are in the REST API, thread by thread."""
    merge_requests: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    after, more = None, True
    while more:
        asked = GraphQLRequest(MERGE_REQUESTS, variable_values={"after": after})
        page = client.execute(asked)["project"]["mergeRequests"]
        merge_requests += page["nodes"]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    for row in merge_requests:
        request = GraphQLRequest(NOTE, variable_values={"id": row["id"], "body": f"Seen {row['iid']}"})
        payload = client.execute(request)["createNote"]
        replied = GraphQLRequest(REPLY, variable_values={"id": row["id"], "in": payload["note"]["discussion"]["id"]})
        assert ([], []) == (payload["errors"], client.execute(replied)["createNote"]["errors"])
    path = "projects/acme%2Fsite/merge_requests"
    threads = [fakeplat.as_user("ada").get(f"{path}/{row['iid']}/discussions").json() for row in merge_requests]

    assert (["2", "1"], 2) == ([row["iid"] for row in merge_requests], page["count"])
    assert [[["Seen 2", "And here"]], [["Seen 1", "And here"]]] == [
        [[note["body"] for note in thread["notes"]] for thread in discussions] for discussions in threads
    ]


def test_gql_batches(client: Any) -> None:
    """gql sends several documents in one request."""
    requests = [gql("{ currentUser { username } }"), gql('{ echo(text: "x") }')]

    assert [{"currentUser": {"username": "ada"}}, {"echo": '"ada" says: x'}] == client.execute_batch(requests)


def test_gql_raises_for_errors(client: Any) -> None:
    """An error of a mutation is raised as TransportQueryError."""
    text = gql('mutation { createIssue(input: {projectPath: "no/such", title: "x"}) { errors } }')
    with pytest.raises(TransportQueryError, match="does not exist or you don't have permission"):
        client.execute(text)


@pytest.fixture
def python_gitlab(fakeplat: Fakeplat) -> Iterator[gitlab.GraphQL]:
    """The GraphQL class, as ada."""
    with gitlab.GraphQL(fakeplat.url, token=fakeplat.token("ada")) as client:
        yield client


@pytest.mark.fakeplat(version="18.5")
def test_python_gitlab_queries(python_gitlab: gitlab.GraphQL) -> None:
    """The documented query of python-gitlab returns the current user."""
    assert {"currentUser": {"username": "ada", "active": True}} == python_gitlab.execute(
        "query { currentUser { username active } }"
    )


def test_python_gitlab_mutates(python_gitlab: gitlab.GraphQL, fakeplat: Fakeplat) -> None:
    """An issue that python-gitlab creates by GraphQL is in the world."""
    text = 'mutation { createIssue(input: {projectPath: "acme/docs", title: "By GraphQL"}) { issue { iid } errors } }'
    payload = python_gitlab.execute(text)["createIssue"]

    assert [] == payload["errors"]
    assert "By GraphQL" == fakeplat.world.project("acme/docs").issues[-1].title


def test_python_gitlab_tells_of_a_wrong_token(fakeplat: Fakeplat) -> None:
    """A wrong token raises TransportQueryError with the platform's text."""
    with gitlab.GraphQL(fakeplat.url, token="nothing") as client, pytest.raises(TransportQueryError, match="Invalid"):
        client.execute("{ currentUser { username } }")


async def test_python_gitlab_queries_without_blocking(fakeplat: Fakeplat) -> None:
    """The asynchronous GraphQL class of python-gitlab gets the same response."""
    async with gitlab.AsyncGraphQL(fakeplat.url, token=fakeplat.token("ada")) as client:
        data = await client.execute("{ currentUser { username } }")

    assert {"currentUser": {"username": "ada"}} == data
