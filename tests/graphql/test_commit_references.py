"""The branches and tags that contain a commit, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, post_query, query_project

SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "repository": {"commits": [{"message": "First", "files": {"a": "1"}}, {"message": "Second", "files": {"a": "2"}}]},
}
pytestmark = pytest.mark.fakeplat(version="16.0", clock="virtual", scenario={"extends": "starter", "projects": [SITE]})


@pytest.fixture
def commits(fakeplat: Fakeplat) -> list[str]:
    """The SHAs of the commits, oldest first; both have a branch, and the first one an annotated tag, too."""
    mia = fakeplat.as_user("mia")
    first, second = reversed([row["id"] for row in mia.get("projects/acme%2Fsite/repository/commits").json()])
    mia.post("projects/acme%2Fsite/repository/branches", json={"branch": "old", "ref": first})
    tag = {"tag_name": "v1", "ref": first, "message": "First release"}
    mia.post("projects/acme%2Fsite/repository/tags", json=tag)
    mia.post("projects/acme%2Fsite/repository/tags", json={"tag_name": "v2", "ref": second})
    return [first, second]


def read(fake: Fakeplat, sha: str, selection: str, by: str = "dev") -> Any:
    project = query_project(fake, by, f'commitReferences(commitSha: "{sha}") {{ {selection} }}')
    return project and project["commitReferences"]


def test_refs_point_to_commits_and_contain_them(fakeplat: Fakeplat, commits: list[str]) -> None:
    """Refs that point to a commit, and those that contain it, also without the former."""
    selection = """tippingBranches { names } tippingTags { names } containingBranches { names } containingTags { names }
        otherBranches: containingBranches(excludeTipped: true) { names }
        otherTags: containingTags(excludeTipped: true) { names } one: containingTags(limit: 1) { names }"""
    found = {name: row["names"] for name, row in read(fakeplat, commits[0], selection).items()}

    assert {
        "tippingBranches": ["old"],
        "tippingTags": ["v1"],
        "containingBranches": ["main", "old"],
        "containingTags": ["v1", "v2"],
        "otherBranches": ["main"],
        "otherTags": ["v2"],
        "one": ["v1"],
    } == found


def test_unknown_commits_have_no_references(fakeplat: Fakeplat, commits: list[str]) -> None:
    """What is no commit, and what the caller may not read, is null; a limit is within its range."""
    assert [None, None] == [read(fakeplat, sha, "tippingTags { names }") for sha in ("6" * 40, "foo")]
    query = f"""{{ project(fullPath: "acme/site") {{ commitReferences(commitSha: "{commits[0]}") {{
        tippingTags(limit: 1001) {{ names }} }} }} }}"""
    assert ["limit must be within 1..1000"] == list_messages(post_query(fakeplat, "dev", query))
