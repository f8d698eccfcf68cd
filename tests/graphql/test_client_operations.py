"""The operations that public clients send, against the latest release."""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.architecture.sources import ROOT
from tests.graphql.client_operations import ClientOperation, list_operations, list_shares, write_operation
from tests.graphql.queries import post_query

SERVED = [operation for operation in list_operations() if not operation.list_missing()]
QUERIES = [operation for operation in SERVED if operation.kind == "query"]
MUTATIONS = [operation for operation in SERVED if operation.kind == "mutation"]
NOT_BUILT = (
    *("Vulnerabilit", "SecurityReport", "CustomEmoji", "DependencyProxy", "TimelineEvent"),
    *("escalationStatus", "ApprovalProjectRule"),
)
"""What the operations that are not served ask for."""
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "labels": [{"title": "bug", "color": "#d9534f"}],
    "milestones": [{"title": "v1"}],
    "issues": [
        {
            "title": "Broken link",
            "author": "dev",
            "labels": ["bug"],
            "milestone": "v1",
            "notes": [{"author": "mia", "body": "Hm"}],
        }
    ],
    "snippets": [{"title": "Hint", "author": "dev", "visibility": "internal", "files": {"a.md": "Do it."}}],
    "container_repositories": [{"name": "web", "tags": ["v1"]}],
    "pipelines": [{"ref": "main", "status": "success", "jobs": [{"name": "unit", "status": "success"}]}],
}
SCENARIO: dict[str, Any] = {"extends": "starter", "projects": [SITE]}


@pytest.fixture(scope="module")
def rich(fakeplat_factory: Any) -> Fakeplat:
    """A world of the latest release with records of each kind that the operations name."""
    world: Fakeplat = fakeplat_factory(version="latest", tier="ultimate", scenario=SCENARIO)
    return world


def find_values(fake: Fakeplat) -> Mapping[str, Any]:
    """Return values of arguments: paths, numbers and ids of records that exist."""
    site = "projects/acme%2Fsite"
    root = fake.as_user("root")
    issue = next(row for row in root.get(f"{site}/issues").json() if row["title"] == "Broken link")
    merge_request = root.get(f"{site}/merge_requests").json()[0]
    note = root.get(f"{site}/issues/{issue['iid']}/notes").json()[0]
    return {
        "fullPath": "acme/site",
        "Query.group.fullPath": "acme",
        "projectPath": "acme/site",
        "iid": issue["iid"],
        "Project.pipeline.iid": "1",
        "Project.mergeRequest.iid": merge_request["iid"],
        "username": "dev",
        "search": "a",
        "state": "opened",
        "id": f"gid://gitlab/Issue/{issue['id']}",
        "IssueID": f"gid://gitlab/Issue/{issue['id']}",
        "WorkItemID": f"gid://gitlab/WorkItem/{issue['id']}",
        "MergeRequestID": f"gid://gitlab/MergeRequest/{merge_request['id']}",
        "NoteID": f"gid://gitlab/Note/{note['id']}",
        "NoteableID": f"gid://gitlab/Issue/{issue['id']}",
        "CiRunnerID": "gid://gitlab/Ci::Runner/1",
        "ContainerRepositoryID": "gid://gitlab/ContainerRepository/1",
        "SnippetID": "gid://gitlab/ProjectSnippet/1",
        "ids": None,
    }


@pytest.mark.parametrize("operation", QUERIES, ids=[f"{n}-{each.id}" for n, each in enumerate(QUERIES)])
def test_a_query_of_a_client_is_answered(rich: Fakeplat, operation: ClientOperation) -> None:
    """Each query with the types, fields and arguments that a client uses is answered without errors."""
    query = write_operation(operation, find_values(rich))
    content = post_query(rich, "root", query)

    assert ["data"] == [*content], (content["errors"][:2], query)


@pytest.mark.parametrize("operation", MUTATIONS, ids=[f"{n}-{each.id}" for n, each in enumerate(MUTATIONS)])
def test_a_mutation_of_a_client_is_understood(rich: Fakeplat, operation: ClientOperation) -> None:
    """Each mutation with the fields and inputs that a client uses is valid; it is skipped, so nothing is done."""
    query = write_operation(operation, find_values(rich))

    assert {"data": {}} == post_query(rich, "root", query), query


def test_most_operations_are_served() -> None:
    """Nine of ten operations are served; of each of the others, a type or field is named here."""
    lacking = [operation for operation in list_operations() if operation.list_missing()]

    assert 0.88 * len(list_operations()) < len(SERVED)
    assert [] == [each.id for each in lacking if not any(word in str(each.list_missing()) for word in NOT_BUILT)]


def test_the_page_shows_the_share_of_each_client() -> None:
    """The page on GraphQL tells how many operations of each client are served."""
    page = (ROOT / "docs/clients/graphql.md").read_text("utf-8")
    shares = list_shares()
    totals = [sum(counts) for counts in zip(*shares.values(), strict=True)]
    rows = [f"| {client} | {served} | {total} |" for client, (served, total) in shares.items()]

    assert [] == [row for row in [*rows, f"| all | {totals[0]} | {totals[1]} |"] if row not in page]
