"""Issues that become epics. Source: docs/platform/epics.md ('Promotion')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
ISSUES: Final[list[dict[str, Any]]] = [
    {"title": "Page", "description": "All of it", "author": "gus", "labels": ["now", "own"], "confidential": True},
    {"title": "Style", "author": "rep"},
    {"title": "Down", "author": "rep", "type": "incident"},
    {"title": "Before", "author": "rep", "promoted_to": "acme&1"},
]
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "labels": [{"title": "now", "color": "#d9534f"}],
    "epics": [{"title": "Plan", "author": "rep", "issues": ["acme/site#2"]}],
    "projects": [
        {**ACME["projects"][0], "labels": [{"title": "own", "color": "#d9534f"}], "issues": ISSUES},
        ACME["projects"][1],
    ],
}
PRIVATE: Final[dict[str, Any]] = {"path": "other", "visibility": "public", "members": {"mia": "guest"}}
NOTES: Final[dict[str, Any]] = {**COMPANY["projects"][0], "issues": [{"title": "Own", "author": "ada"}]}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP, PRIVATE], "projects": [NOTES]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", clock="virtual", scenario=SCENARIO)

PROMOTE: Final = write_mutation(
    "promoteToEpic",
    """issue { title state } epic { iid title description confidential state author { username }
    labels { nodes { title } } parent { title } group { fullPath } notes { nodes { body } } }""",
)


def describe(iid: int, **changes: Any) -> dict[str, Any]:
    return {"projectPath": "acme/site", "iid": str(iid), **changes}


def list_system_notes(fake: Fakeplat) -> list[str]:
    rows = fake.as_user("root").get("projects/acme%2Fsite/issues/1/notes").json()
    return [row["body"] for row in rows if row["system"]]


def test_an_issue_becomes_an_epic(fakeplat: Fakeplat) -> None:
    """The epic is a copy with the labels of groups, written by the caller; the issue is closed."""
    fakeplat.as_user("gus").post("projects/acme%2Fsite/issues/1/notes", json={"body": "Look"})
    payload = query_data(fakeplat, "rep", PROMOTE, input=describe(1))["promoteToEpic"]
    notes = [note["body"] for note in payload["epic"].pop("notes")["nodes"]]

    assert {
        "iid": "2",
        "title": "Page",
        "description": "All of it",
        "confidential": True,
        "state": "opened",
        "author": {"username": "rep"},
        "labels": {"nodes": [{"title": "now"}]},
        "parent": None,
        "group": {"fullPath": "acme"},
    } == payload["epic"]
    assert ({"title": "Page", "state": "closed"}, []) == (payload["issue"], payload["errors"])
    assert {"Look", "promoted from issue site#1"} == {*notes}
    assert "promoted to epic &2" in list_system_notes(fakeplat)


def test_a_work_item_tells_its_epic(fakeplat: Fakeplat) -> None:
    """A promoted work item has the address of its epic, until it is reopened."""
    query = '{ project(fullPath: "acme/site") { workItems(iid: "4") { nodes { promotedToEpicUrl } } } }'
    (item,) = query_data(fakeplat, "rep", query)["project"]["workItems"]["nodes"]
    assert item["promotedToEpicUrl"].endswith("/groups/acme/-/epics/1")

    for event in ("close", "reopen"):
        fakeplat.as_user("rep").put("projects/acme%2Fsite/issues/4", json={"state_event": event})
    (item,) = query_data(fakeplat, "rep", query)["project"]["workItems"]["nodes"]
    assert item["promotedToEpicUrl"] is None


def test_the_epic_above_stays_above(fakeplat: Fakeplat) -> None:
    """The epic of the issue is the parent of the new one, which may be in another group."""
    given = describe(2, groupPath="acme/tools")
    epic = query_data(fakeplat, "rep", PROMOTE, input=given)["promoteToEpic"]["epic"]

    assert ({"title": "Plan"}, {"fullPath": "acme/tools"}) == (epic["parent"], epic["group"])


@pytest.mark.parametrize(
    ("by", "given", "error"),
    [
        ("rep", describe(4), "Issue already promoted to epic."),
        ("rep", describe(3), "Promotion is not supported."),
        ("gus", describe(1), "Cannot promote issue due to insufficient permissions."),
        ("mia", describe(1, groupPath="other"), "Cannot promote issue due to insufficient permissions."),
        (
            "ada",
            {"projectPath": "ada/notes", "iid": "1"},
            "Cannot promote issue because it does not belong to a group.",
        ),
    ],
    ids=["promoted", "incident", "author", "other-group", "no-group"],
)
def test_a_promotion_is_refused(fakeplat: Fakeplat, by: str, given: dict[str, str], error: str) -> None:
    """Issues become epics once, in groups, by those who may change the issue and create the epic."""
    payload = query_refused(fakeplat, by, PROMOTE, input=given)["data"]["promoteToEpic"]

    assert ([error], None, "opened") == (payload["errors"], payload["epic"], payload["issue"]["state"])


@pytest.mark.fakeplat(tier="premium")
def test_an_issue_of_an_epic_needs_epics_below_epics(fakeplat: Fakeplat) -> None:
    """Without epics below epics an issue in an epic is not promoted."""
    payload = query_refused(fakeplat, "rep", PROMOTE, input=describe(2))["data"]["promoteToEpic"]

    assert ["Promotion is not supported."] == payload["errors"]


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_no_epics(fakeplat: Fakeplat) -> None:
    """Epics are a paid feature."""
    payload = query_refused(fakeplat, "ada", PROMOTE, input=describe(1))["data"]["promoteToEpic"]

    assert ["Cannot promote issue due to insufficient permissions."] == payload["errors"]


@pytest.mark.parametrize(
    ("by", "given"),
    [("gus", describe(2)), ("eve", describe(1)), ("rep", describe(1, groupPath="missing"))],
    ids=["guest", "stranger", "group"],
)
def test_missing_rights_and_groups_fail_the_mutation(fakeplat: Fakeplat, by: str, given: dict[str, str]) -> None:
    """Who may not change the issue cannot promote it, and the group must exist."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, PROMOTE, input=given))


@pytest.mark.fakeplat(version="13.5")
def test_the_default_release_does_not_promote(fakeplat: Fakeplat) -> None:
    """The mutation came after 13.5."""
    messages = list_messages(query_refused(fakeplat, "rep", PROMOTE, input=describe(1)))

    assert "Field 'promoteToEpic' doesn't exist on type 'Mutation'" in messages
