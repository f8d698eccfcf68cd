"""How much users did in a group, as the platform's spec of its contributions says."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from tests.by_release import by_release
from tests.graphql.queries import WORLD, list_messages, post_query, query_data, query_refused

ISSUE = {"project": "acme/site", "target_type": "issue", "target": "acme/site#1"}
EVENTS: list[dict[str, Any]] = [
    {"author": "dev", "action": "created", **ISSUE, "created_at": "2020-11-01T00:00:00Z"},
    {"author": "rep", "action": "created", **ISSUE, "created_at": "2020-11-10T23:59:59Z"},
    {"author": "rep", "action": "closed", **ISSUE, "created_at": "2020-11-05T12:00:00Z"},
    {"author": "eve", "action": "closed", **ISSUE, "created_at": "2020-11-05T12:00:00Z"},
    {"author": "dev", "action": "created", **ISSUE, "created_at": "2020-11-11T00:00:00Z"},
    {"author": "dev", "action": "joined", "project": "acme/site", "created_at": "2020-11-05T00:00:00Z"},
    {
        "author": "rep",
        "action": "pushed",
        "project": "acme/tools/kit",
        "created_at": "2020-11-06T00:00:00Z",
        "push_data": {"ref": "main", "ref_type": "branch", "action": "pushed", "commit_count": 1, "commit_title": "x"},
    },
    {
        "author": "ada",
        "action": "pushed",
        "project": "ada/notes",
        "created_at": "2020-11-06T00:00:00Z",
        "push_data": {"ref": "main", "ref_type": "branch", "action": "pushed", "commit_count": 1, "commit_title": "x"},
    },
]
pytestmark = pytest.mark.fakeplat(scenario={**WORLD, "events": EVENTS}, version="latest", tier="premium")
QUERY = """query($from: ISO8601Date!, $to: ISO8601Date!) { group(fullPath: "acme") {
    contributions(from: $from, to: $to) { nodes { user { username } totalEvents repoPushed issuesClosed issuesCreated
    mergeRequestsApproved mergeRequestsClosed mergeRequestsCreated mergeRequestsMerged } } } }"""
DAYS = {"from": "2020-11-01", "to": "2020-11-10"}
NONE = {f"mergeRequests{action}": 0 for action in ("Approved", "Closed", "Created", "Merged")}


def list_contributions(fake: Fakeplat, by: str | None, **days: str) -> Any:
    shown = query_data(fake, by, QUERY, **{**DAYS, **days})["group"]["contributions"]
    return None if shown is None else shown["nodes"]


def test_contributions_are_counted(fakeplat: Fakeplat) -> None:
    """Members see what active users did in the projects of a group and its subgroups, both days included."""
    eve = fakeplat.world.user("eve").id
    assert 201 == fakeplat.as_user("root").post(f"users/{eve}/block").status
    counts = {"repoPushed": 0, "issuesClosed": 0, "issuesCreated": 1, **NONE}
    assert [
        {"user": {"username": "dev"}, "totalEvents": 1, **counts},
        {"user": {"username": "rep"}, "totalEvents": 3, **counts, "repoPushed": 1, "issuesClosed": 1},
    ] == list_contributions(fakeplat, "gus")
    assert ["dev"] == [row["user"]["username"] for row in list_contributions(fakeplat, "gus", to="2020-11-01")]


@pytest.mark.parametrize("by", [None, "eve"])
def test_others_see_no_contributions(fakeplat: Fakeplat, by: str | None) -> None:
    """Who is no member of the group sees no contributions, even if the group is public."""
    assert None is list_contributions(fakeplat, by)


@pytest.mark.fakeplat(tier="free")
def test_contributions_are_paid(fakeplat: Fakeplat) -> None:
    """Without a licence nobody sees contributions."""
    assert None is list_contributions(fakeplat, "ada")


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ("2020-10-31", "The to date is earlier than the given from date"),
        ("2021-02-03", "The given date range is larger than 93 days"),
    ],
)
def test_an_invalid_range_is_refused(fakeplat: Fakeplat, to: str, message: str) -> None:
    """The last day is not before the first one, and at most 93 days later."""
    assert [message] == list_messages(query_refused(fakeplat, "gus", QUERY, **{**DAYS, "to": to}))
    assert ["dev", "rep", "eve"] == [
        row["user"]["username"] for row in list_contributions(fakeplat, "gus", to="2021-02-02")
    ]


@by_release(Lifetime("<=15.8"), "is_known", {"15.7": False, "15.8": True})
def test_older_releases_have_no_contributions(fakeplat: Fakeplat, is_known: bool) -> None:
    """Contributions to a group are unknown before the release 15.8."""
    content = post_query(fakeplat, "gus", QUERY, **DAYS)
    assert is_known == ("errors" not in content)
