"""Releases by GraphQL. Source: docs/platform/graphql.md, docs/platform/releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_project

RELEASES = [
    {
        "tag_name": "v1.0",
        "name": "First",
        "description": "Notes",
        "author": "dev",
        "milestones": ["v1.1"],
        "created_at": "2020-11-10T00:00:00Z",
        "links": [{"name": "a", "url": "https://x.test/a", "filepath": "/a", "link_type": "package"}],
        "evidences": [{"summary": "{}"}],
    },
    {"tag_name": "v2", "created_at": "2020-11-11T00:00:00Z", "released_at": "2099-01-01T00:00:00Z"},
]
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "releases": RELEASES}]}
)
SELECTION = """
name tagName tagPath description descriptionHtml createdAt upcomingRelease author { username }
milestones { nodes { title } } evidences { nodes { sha filepath } } commit { title }
assets { count links { nodes { name linkType external directAssetUrl } } sources { nodes { format } } }
links { selfUrl editUrl issuesUrl mergeRequestsUrl }
"""


def test_a_release_is_shown(fakeplat: Fakeplat) -> None:
    """A release shows its fields, author, assets and links."""
    release = query_project(fakeplat, "dev", f'release(tagName: "v1.0") {{ {SELECTION} }}')["release"]
    project = f"{fakeplat.url.rstrip('/')}/acme/site"
    url = f"{project}/-/releases/v1.0"
    assert {
        "name": "First",
        "tagName": "v1.0",
        "tagPath": "/acme/site/-/tags/v1.0",
        "description": "Notes",
        "descriptionHtml": '<p dir="auto">Notes</p>',
        "createdAt": "2020-11-10T00:00:00Z",
        "upcomingRelease": False,
        "author": {"username": "dev"},
        "milestones": {"nodes": [{"title": "v1.1"}]},
        "commit": {"title": "Add a logo and a menu"},
        "evidences": {
            "nodes": [
                {
                    "sha": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                    "filepath": f"{url}/evidences/9630001.json",
                }
            ]
        },
        "assets": {
            "count": 5,
            "links": {
                "nodes": [
                    {"name": "a", "linkType": "PACKAGE", "external": True, "directAssetUrl": f"{url}/downloads/a"}
                ]
            },
            "sources": {"nodes": [{"format": name} for name in ("zip", "tar.gz", "tar.bz2", "tar")]},
        },
        "links": {
            "selfUrl": url,
            "editUrl": f"{url}/edit",
            "issuesUrl": f"{project}/-/issues?release_tag=v1.0&scope=all&state=opened",
            "mergeRequestsUrl": f"{project}/-/merge_requests?release_tag=v1.0&scope=all&state=opened",
        },
    } == release


def test_releases_are_listed_newest_first(fakeplat: Fakeplat) -> None:
    """Releases are listed from the newest to the oldest, with their number."""
    releases = query_project(fakeplat, "rep", "releases { count nodes { tagName upcomingRelease } }")["releases"]
    assert (2, [("v2", True), ("v1.0", False)]) == (
        releases["count"],
        [(row["tagName"], row["upcomingRelease"]) for row in releases["nodes"]],
    )


def test_guests_see_no_tags(fakeplat: Fakeplat) -> None:
    """A guest sees a release without its tag, commit and links, and none by its tag."""
    project = query_project(
        fakeplat, "gus", f'releases {{ nodes {{ {SELECTION} }} }} release(tagName: "v1.0") {{ name }}'
    )
    release = project["releases"]["nodes"][1]
    assert None is project["release"]
    assert ("Release-9610001", None, None, None, None, 1) == (
        release["name"],
        release["tagName"],
        release["tagPath"],
        release["commit"],
        release["links"],
        release["assets"]["count"],
    )


def test_an_unknown_release_is_null(fakeplat: Fakeplat) -> None:
    """A release of an unknown tag is null."""
    assert None is query_project(fakeplat, "dev", 'release(tagName: "x") { name }')["release"]


@pytest.mark.fakeplat(version="13.6")
def test_links_lead_to_issues_and_merge_requests_in_each_state(fakeplat: Fakeplat) -> None:
    """From release 13.6 on a release links to its open and closed issues, and its open, merged and closed requests."""
    names = "openedIssuesUrl closedIssuesUrl openedMergeRequestsUrl mergedMergeRequestsUrl closedMergeRequestsUrl"
    links = query_project(fakeplat, "dev", f'release(tagName: "v1.0") {{ links {{ {names} }} }}')["release"]["links"]
    pages = f"{fakeplat.url.rstrip('/')}/acme/site/-"
    query = "release_tag=v1.0&scope=all&state="
    assert {
        "openedIssuesUrl": f"{pages}/issues?{query}opened",
        "closedIssuesUrl": f"{pages}/issues?{query}closed",
        "openedMergeRequestsUrl": f"{pages}/merge_requests?{query}opened",
        "mergedMergeRequestsUrl": f"{pages}/merge_requests?{query}merged",
        "closedMergeRequestsUrl": f"{pages}/merge_requests?{query}closed",
    } == links


@pytest.mark.fakeplat(version="13.6")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["v2", "v1.0"]),
        ("(sort: RELEASED_AT_ASC)", ["v1.0", "v2"]),
        ("(sort: CREATED_DESC)", ["v2", "v1.0"]),
        ("(sort: CREATED_ASC)", ["v1.0", "v2"]),
        ("(sort: null)", ["v2", "v1.0"]),
    ],
)
def test_releases_are_sorted(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Releases are sorted by release or creation, the newest release first by default."""
    rows = query_project(fakeplat, "rep", f"releases{arguments} {{ nodes {{ tagName }} }}")["releases"]["nodes"]
    assert expected == [row["tagName"] for row in rows]
