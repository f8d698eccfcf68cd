"""Links between epics, boards of epics, and what later releases show of epics.

Source: doc/api/linked_epics.md, ee/lib/api/related_epic_links.rb and ee/lib/api/epic_boards.rb of the platform.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GUESTS_LINK_EPICS
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, MISSING, TOOLS, create_record, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, outcome, refusal
from tests.by_release import by_release

BOARD = {"name": "Roadmap", "lists": ["now", "later"], "labels": ["now"], "hide_closed_list": True}
GROUP: dict[str, Any] = {
    **COMPANY["groups"][0],
    "labels": [{"title": "now", "color": "#112233"}, {"title": "later", "color": "#112233"}],
    "epic_boards": [BOARD, {"name": "Another"}],
    "epics": [
        {"title": "One", "author": "ada", "labels": ["now"]},
        {"title": "Two", "author": "rep", "parent": "acme&1", "color": "#ffffff"},
    ],
}
TOOLS_GROUP: dict[str, Any] = {**GROUP["groups"][0], "epics": [{"title": "Below", "author": "ada"}]}
GROUP["groups"] = [TOOLS_GROUP]
PRIVATE: dict[str, Any] = {
    "path": "private",
    "visibility": "private",
    "members": {"eve": "owner", "gus": "guest"},
    "epics": [{"title": "Hidden", "author": "eve"}],
}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [GROUP, PRIVATE]},
    version="latest",
    tier="ultimate",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
RELATED = f"{ACME}/epics/1/related_epics"
ALL_LINKS = f"{ACME}/related_epic_links"
NO_EPIC: Outcome = (
    404,
    {"message": "No matching epic found. Make sure that you are adding a valid epic URL."},
)


def link(fake: Fakeplat, group: str = "acme", iid: int = 2, by: str | None = "gus", **more: str) -> Outcome:
    body = {"target_group_id": group, "target_epic_iid": iid, **more}
    return outcome(fake.as_user(by).post(RELATED, json=body))


def list_bodies(fake: Fakeplat, iid: int) -> list[str]:
    epic = get_json(fake, f"{ACME}/epics/{iid}")
    return names(get_json(fake, f"{ACME}/epics/{epic['id']}/notes?sort=asc"), "body")


# Links


def test_epics_are_linked_and_unlinked(fakeplat: Fakeplat) -> None:
    """A link is seen from both epics, with the other side of its type, and system notes tell of it."""
    status, created = link(fakeplat, link_type="is_blocked_by")
    first, second = (get_json(fakeplat, f"{ACME}/epics/{iid}/related_epics") for iid in (1, 2))

    assert (201, "blocks", "Two", "One") == (
        status,
        created["link_type"],
        created["source_epic"]["title"],
        created["target_epic"]["title"],
    )
    assert ["id", "source_epic", "target_epic", "link_type", "created_at", "updated_at"] == list(created)
    assert [("Two", "is_blocked_by")] == [(epic["title"], epic["link_type"]) for epic in first]
    assert [("One", "blocks")] == [(epic["title"], epic["link_type"]) for epic in second]
    assert (created["id"], created["created_at"].replace("Z", "+00:00")) == (
        first[0]["related_epic_link_id"],
        first[0]["link_created_at"],
    )
    assert (200, created) == outcome(fakeplat.as_user("gus").delete(f"{RELATED}/{created['id']}"))
    assert [] == get_json(fakeplat, RELATED)
    assert ["marked this epic as blocked by &2", "removed the relation with &2"] == list_bodies(fakeplat, 1)
    assert ["marked this epic as blocking &1", "removed the relation with &1"] == list_bodies(fakeplat, 2)


@pytest.mark.parametrize(
    ("group", "iid", "by", "expected"),
    [
        ("acme", 2, None, UNAUTHORIZED),
        ("acme", 2, "eve", FORBIDDEN),
        ("acme", 9, "gus", MISSING),
        ("nowhere", 1, "gus", (404, {"message": "404 Group Not Found"})),
        ("private", 1, "rep", (404, {"message": "404 Group Not Found"})),
        ("acme", 1, "gus", (422, {"message": "&1 cannot be added: cannot be related to itself"})),
    ],
)
def test_links_that_are_refused(fakeplat: Fakeplat, group: str, iid: int, by: str | None, expected: Outcome) -> None:
    """Epics that do not exist, are hidden or the same are not linked, and nothing changes."""
    assert expected == link(fakeplat, group, iid, by)
    assert [] == get_json(fakeplat, RELATED)


def test_both_epics_must_be_linkable(fakeplat: Fakeplat) -> None:
    """Who may not link the other epic is told that there is none."""
    assert NO_EPIC == outcome(
        fakeplat.as_user("eve").post(
            "groups/private/epics/1/related_epics", json={"target_group_id": "acme", "target_epic_iid": 1}
        )
    )


def test_epics_are_linked_once(fakeplat: Fakeplat) -> None:
    """A second link between two epics is a conflict, and the type is one of three."""
    assert 201 == link(fakeplat)[0]
    assert (409, {"message": "Epic(s) already assigned"}) == link(fakeplat, link_type="blocks")
    assert invalid("link_type does not have a valid value") == link(fakeplat, link_type="near")


@by_release(GUESTS_LINK_EPICS, "statuses", {"15.7": (403, 201), "15.8": (201, 409)})
def test_guests_link_epics(fakeplat: Fakeplat, statuses: tuple[int, int]) -> None:
    """Reporters linked epics at first, later guests as well."""
    assert statuses == tuple(link(fakeplat, by=user)[0] for user in ("gus", "rep"))


def test_a_link_of_other_epics_is_not_found(fakeplat: Fakeplat) -> None:
    """A link is deleted at one of its own epics."""
    link_id = link(fakeplat)[1]["id"]
    assert MISSING == refusal(fakeplat, "gus", "DELETE", f"{TOOLS}/epics/1/related_epics/{link_id}")
    assert FORBIDDEN == refusal(fakeplat, "eve", "DELETE", f"{RELATED}/{link_id}")
    assert MISSING == refusal(fakeplat, "gus", "DELETE", f"{ACME}/epics/9/related_epics/{link_id}")
    assert ["Two"] == names(get_json(fakeplat, RELATED), "title")


def test_a_link_with_a_hidden_epic_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Who may not link the other epic finds no link."""
    link_id = link(fakeplat, "private", 1)[1]["id"]
    expected = (404, {"message": "No Related Epic Link found"})
    assert expected == refusal(fakeplat, "rep", "DELETE", f"{RELATED}/{link_id}")
    assert [] == get_json(fakeplat, RELATED, "rep")
    assert [] == get_json(fakeplat, ALL_LINKS, "rep")
    assert [link_id] == names(get_json(fakeplat, ALL_LINKS, "gus"), "id")


def test_links_of_a_group_include_those_below(fakeplat: Fakeplat) -> None:
    """The links of a group and its subgroups are listed, filtered by their times."""
    first = link(fakeplat)[1]
    fakeplat.clock.advance("1d")
    second = link(fakeplat, "acme/tools", 1)[1]

    assert [first["id"], second["id"]] == names(get_json(fakeplat, ALL_LINKS), "id")
    assert [second["id"]] == names(get_json(fakeplat, f"{TOOLS}/related_epic_links"), "id")
    assert [second["id"]] == names(get_json(fakeplat, f"{ALL_LINKS}?created_after=2020-11-21"), "id")
    assert [first["id"]] == names(get_json(fakeplat, f"{ALL_LINKS}?updated_before=2020-11-21"), "id")


@pytest.mark.fakeplat(tier="premium")
def test_linked_epics_need_the_ultimate_tier(fakeplat: Fakeplat) -> None:
    """In the premium tier there are epics without links."""
    assert 403 == refusal(fakeplat, "ada", "GET", RELATED)[0]
    assert 403 == link(fakeplat)[0]


# Fields and filters


def test_later_fields_of_epics(fakeplat: Fakeplat) -> None:
    """An epic has a colour, its work item, and links to its parts and to the epic above it."""
    first, second = (get_json(fakeplat, f"{ACME}/epics/{iid}") for iid in (1, 2))
    group = f"{fakeplat.url}/api/v4/groups/{first['group_id']}"

    assert ("#1068bf", "#FFFFFF", None, False, "none") == tuple(
        first[name] for name in ("color", "text_color", "parent_iid", "imported", "imported_from")
    )
    assert ("#ffffff", "#333333", 1) == tuple(second[name] for name in ("color", "text_color", "parent_iid"))
    assert {
        "self": f"{group}/epics/2",
        "epic_issues": f"{group}/epics/2/issues",
        "group": group,
        "parent": f"{group}/epics/1",
    } == second["_links"]
    assert first["work_item_id"] != second["work_item_id"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("author_username=rep", ["Two"]),
        ("not[author_username]=rep", ["Below", "One"]),
        ("not[labels]=now", ["Below", "Two"]),
        ("my_reaction_emoji=tada", ["Two"]),
        ("my_reaction_emoji=None", ["Below", "One"]),
        ("my_reaction_emoji=Any", ["Two"]),
    ],
)
def test_epics_are_filtered(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Epics are filtered by their author's name, what they do not have, and the caller's reactions."""
    create_record(fakeplat, f"{ACME}/epics/2/award_emoji", name="tada")
    assert expected == sorted(names(get_json(fakeplat, f"{ACME}/epics?{query}"), "title"))


def test_changes_of_state_are_recorded(fakeplat: Fakeplat) -> None:
    """Closing and reopening an epic are events of its state, by the epic's id."""
    for event in ("close", "reopen"):
        fakeplat.as_user("rep").put(f"{ACME}/epics/1", json={"state_event": event})
    epic = get_json(fakeplat, f"{ACME}/epics/1")
    path = f"{ACME}/epics/{epic['id']}/resource_state_events"
    events = get_json(fakeplat, path)

    assert [("closed", "Epic", epic["id"]), ("reopened", "Epic", epic["id"])] == [
        (event["state"], event["resource_type"], event["resource_id"]) for event in events
    ]
    assert events[0] == get_json(fakeplat, f"{path}/{events[0]['id']}")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{path}/999")


# Boards


def test_boards_of_epics_are_listed(fakeplat: Fakeplat) -> None:
    """A board of epics is shown with its group, its labels and its lists."""
    boards = get_json(fakeplat, f"{ACME}/epic_boards", "gus")
    board: Mapping[str, Any] = boards[1]
    path = f"{ACME}/epic_boards/{board['id']}"

    assert ["Another", "Roadmap"] == names(boards, "name")
    assert (False, True, ["now"], "Acme") == (
        board["hide_backlog_list"],
        board["hide_closed_list"],
        names(board["labels"], "name"),
        board["group"]["name"],
    )
    assert [("now", 0, "label"), ("later", 1, "label")] == [
        (column["label"]["name"], column["position"], column["list_type"]) for column in board["lists"]
    ]
    assert board == get_json(fakeplat, path)
    assert board["lists"] == get_json(fakeplat, f"{path}/lists")
    assert board["lists"][1] == get_json(fakeplat, f"{path}/lists/{board['lists'][1]['id']}")


def test_unknown_boards_of_epics_are_not_found(fakeplat: Fakeplat) -> None:
    """A board is found in its own group, and a list on its own board; both need a login."""
    board = get_json(fakeplat, f"{ACME}/epic_boards")[0]["id"]
    for path in (f"{TOOLS}/epic_boards/{board}", f"{ACME}/epic_boards/1/lists", f"{ACME}/epic_boards/{board}/lists/1"):
        assert MISSING == refusal(fakeplat, "ada", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{ACME}/epic_boards")
