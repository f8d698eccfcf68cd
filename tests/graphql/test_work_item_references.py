"""Work items by references. Source: docs/platform/work-items.md, app/graphql/resolvers of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused

SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "issues": [
        {"iid": 101, "title": "One", "author": "gus"},
        {"iid": 102, "title": "Two", "author": "gus"},
        {"iid": 103, "title": "Secret", "author": "ada", "confidential": True},
    ],
}
GROUPS = [{"path": "acme", "epics": [{"iid": 7, "title": "Plan", "author": "ada"}]}]
pytestmark = pytest.mark.fakeplat(
    version="latest",
    scenario={"extends": "starter", "instance": {"tier": "premium"}, "groups": GROUPS, "projects": [SITE]},
)
QUERY = """query($refs: [String!]!, $path: ID) {
    workItemsByReference(refs: $refs, contextNamespacePath: $path) { nodes { title } } }"""


def list_titles(fake: Fakeplat, refs: list[str], path: str, by: str = "rep") -> list[str]:
    nodes = query_data(fake, by, QUERY, refs=refs, path=path)["workItemsByReference"]["nodes"]
    return sorted(node["title"] for node in nodes)


@pytest.mark.parametrize(
    ("refs", "path", "expected"),
    [
        (["#101", "#102"], "acme/site", ["One", "Two"]),
        (["site#101", "acme/site#102"], "acme", ["One", "Two"]),
        (["acme&7"], "acme/site", ["Plan"]),
        (["&7"], "acme", ["Plan"]),
        (["#101", "#101", "#999", "nothing"], "acme/site", ["One"]),
        ([], "acme/site", []),
    ],
    ids=["iids", "paths", "path of an epic", "epic", "unknown", "none"],
)
def test_work_items_are_found_by_references(
    fakeplat: Fakeplat, refs: list[str], path: str, expected: list[str]
) -> None:
    """References are read as in the project or group, each work item is shown once, and unknown ones are left out."""
    assert expected == list_titles(fakeplat, refs, path)


def test_work_items_are_found_by_their_pages(fakeplat: Fakeplat) -> None:
    """The URLs of issues, epics and work items are references, those of other hosts are none."""
    site, group = f"{fakeplat.url}/acme/site/-", f"{fakeplat.url}/groups/acme/-"
    refs = [f"{site}/issues/101", f"{site}/work_items/102", f"{group}/work_items/7"]

    assert ["One", "Plan", "Two"] == list_titles(fakeplat, refs, "acme/site")
    assert ["Plan"] == list_titles(fakeplat, [f"{group}/epics/7"], "acme/site")
    assert [] == list_titles(fakeplat, ["https://other.example.test/acme/site/-/work_items/101"], "acme/site")


def test_hidden_work_items_are_left_out(fakeplat: Fakeplat) -> None:
    """A confidential work item is found by those who see it."""
    assert ["Secret"] == list_titles(fakeplat, ["#103"], "acme/site", by="mia")
    assert [] == list_titles(fakeplat, ["#103"], "acme/site", by="gus")


def test_references_are_limited(fakeplat: Fakeplat) -> None:
    """More than ten references and a hidden place of reading are errors."""
    text = "Number of references exceeds the limit. Please provide no more than 10 references at the same time."
    content = query_refused(fakeplat, "rep", QUERY, refs=["#101"] * 11, path="acme/site")
    assert [text] == list_messages(content)
    for path in ("acme/none", None):
        content = query_refused(fakeplat, "rep", QUERY, refs=["#101"], path=path)
        assert [NOT_AVAILABLE] == list_messages(content)
