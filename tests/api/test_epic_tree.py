"""Epics below epics, issues of epics in order, and the deletion of epics.

Source: ee/spec/requests/api/{epic_links,epic_issues,epics}_spec.rb and ee/lib/api/{epic_links,epic_issues,epics}.rb of
the platform.
"""

from typing import Any

import pytest

from fakeplat.core.release import parse_release, profile_of
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CHILD_EPIC_REFUSALS,
    CHILD_EPICS_ARE_CREATED_BY_REPORTERS,
    CHILD_EPICS_COME_FROM_ANYWHERE,
    EPIC_LEVELS,
    EPICS_ARE_LINKED_AS_WORK_ITEMS,
    NEW_EPICS_NOTE_THEIR_PARENTS,
    OPEN_CHILD_OF_HIDDEN_EPIC,
    UNLINKABLE_EPIC,
)
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, invalid_record, names, refusal
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario="starter", tier="ultimate", clock="virtual")]
EPICS, SITE = "groups/acme/epics", "projects/acme%2Fsite"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NO_EPIC: Outcome = (404, {"message": "No Epic found for given params"})
NO_MATCHING_EPIC: Outcome = (
    404,
    {"message": "No matching epic found. Make sure that you are adding a valid epic URL."},
)
TOO_DEEP = (
    "This epic cannot be added. One or more epics would exceed the maximum depth (7) from its most distant ancestor."
)
HIDE_IT = "cannot assign a non-confidential epic to a confidential parent. Make the epic confidential and try again."
DEEP = "This epic can't be added because the parent is already at the maximum depth from its most distant ancestor"
OPEN_BELOW_HIDDEN = "Not confidential epic cannot be assigned to a confidential parent epic"
OPEN_BELOW_HIDDEN_LATER = "A non-confidential epic cannot be assigned to a confidential parent epic"


def create_epic(fake: Fakeplat, title: str = "Fly", path: str = EPICS, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("root").post(path, json={"title": title, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def create_family(fake: Fakeplat) -> list[int]:
    """Create an epic with three children; return the children's ids in order."""
    create_epic(fake)
    ids = [int(create_epic(fake, title, f"{EPICS}/1/epics")["id"]) for title in ("Three", "Two", "One")]
    return ids[::-1]


def list_children(fake: Fakeplat, iid: int = 1) -> list[int]:
    return names(fake.as_user("rep").get(f"{EPICS}/{iid}/epics").json(), "id")


def test_an_epic_is_created_below_another_one(fakeplat: Fakeplat) -> None:
    """The response shows it as a linked epic."""
    parent = create_epic(fakeplat)
    reply = fakeplat.as_user("rep").post(f"{EPICS}/1/epics", json={"title": "Flap"})

    page = f"{fakeplat.url}/groups/acme/-/epics"
    child = reply.json()
    assert (
        201,
        {
            "id": child["id"],
            "iid": 2,
            "title": "Flap",
            "group_id": fakeplat.world.group("acme").id,
            "parent_id": parent["id"],
            "has_children": False,
            "has_issues": False,
            "reference": "&2",
            "url": f"{page}/2",
            "relation_url": f"{page}/1/links/{child['id']}",
        },
    ) == (reply.status, child)
    assert [child["id"]] == list_children(fakeplat)


OPEN_CHILD = {
    "13.5": [invalid_record(confidential=[OPEN_BELOW_HIDDEN]), (409, {"message": OPEN_BELOW_HIDDEN})],
    "13.12": [invalid_record(confidential=[OPEN_BELOW_HIDDEN_LATER]), (409, {"message": OPEN_BELOW_HIDDEN_LATER})],
    "18.11": [invalid_record(confidential=[OPEN_BELOW_HIDDEN_LATER]), (409, {"message": OPEN_BELOW_HIDDEN_LATER})],
    "19.3": [
        invalid_record(base=[f"#3 cannot be added: {HIDE_IT}"]),
        (422, {"message": f"#3 cannot be added: {HIDE_IT}"}),
    ],
}


@by_release(OPEN_CHILD_OF_HIDDEN_EPIC, "refusals", OPEN_CHILD)
def test_a_child_is_confidential_as_its_parent(fakeplat: Fakeplat, refusals: list[Outcome]) -> None:
    """A child of a confidential epic is so by default and must be."""
    create_epic(fakeplat, confidential=True)
    create_epic(fakeplat, "Flap", f"{EPICS}/1/epics")

    assert fakeplat.as_user("rep").get(f"{EPICS}/2").json()["confidential"] is True
    body = {"title": "x", "confidential": False}
    assert refusals[0] == refusal(fakeplat, "rep", "POST", f"{EPICS}/1/epics", json=body)
    other = create_epic(fakeplat)["id"]
    assert refusals[1] == refusal(fakeplat, "rep", "POST", f"{EPICS}/1/epics/{other}")


def test_an_epic_is_put_below_another_one(fakeplat: Fakeplat) -> None:
    """A new child becomes the first, leaves its former parent, and both epics get a note."""
    first, *_ = create_family(fakeplat)
    parent = create_epic(fakeplat, "New")
    child = create_epic(fakeplat, "Last", f"{EPICS}/5/epics")["id"]
    rep = fakeplat.as_user("rep")
    reply = rep.post(f"{EPICS}/5/epics/{first}")

    assert (201, first, parent["id"]) == (reply.status, reply.json()["id"], reply.json()["parent_id"])
    assert [first, child] == list_children(fakeplat, 5)
    assert 2 == len(list_children(fakeplat))


ADDED = [["added epic &2 as child epic"], ["added epic &1 as parent epic"]]
ADDED_AND_REMOVED = [
    ["added #2 as child epic", "removed child epic #2"],
    ["added #1 as parent epic", "removed parent epic #1"],
]


@by_release(EPICS_ARE_LINKED_AS_WORK_ITEMS, "noted", {"13.5": ADDED, "18.11": ADDED, "19.3": ADDED_AND_REMOVED})
def test_what_arranged_epics_note(fakeplat: Fakeplat, noted: list[list[str]]) -> None:
    """Both epics note that one is below the other, in the latest releases also that it is no longer."""
    ids = [create_epic(fakeplat)["id"] for _ in range(2)]
    rep = fakeplat.as_user("rep")
    for method in (rep.post, rep.delete):
        method(f"{EPICS}/1/epics/{ids[1]}")

    assert noted == [names(rep.get(f"{EPICS}/{id_}/notes?sort=asc").json(), "body") for id_ in ids]


@by_release(NEW_EPICS_NOTE_THEIR_PARENTS, "noted", {"15.7": False, "15.8": True})
@pytest.mark.parametrize("way", ["parent_id", "path"])
def test_a_new_epic_below_another_one_is_noted(fakeplat: Fakeplat, noted: bool, way: str) -> None:
    """Both epics say so, in later releases; an epic of another group is named by its full reference."""
    parent = create_epic(fakeplat)
    below = {"parent_id": parent["id"]}
    child = create_epic(fakeplat, **below) if way == "parent_id" else create_epic(fakeplat, path=f"{EPICS}/1/epics")
    nephew = create_epic(fakeplat, path="groups/acme%2Ftools/epics", **below)
    paths = (*(f"{EPICS}/{epic['id']}" for epic in (parent, child)), f"groups/acme%2Ftools/epics/{nephew['id']}")
    notes = [names(fakeplat.as_user("root").get(f"{path}/notes?sort=asc").json(), "body") for path in paths]

    expected = [
        ["added epic &2 as child epic", "added epic acme/tools&1 as child epic"],
        ["added epic &1 as parent epic"],
        ["added epic acme&1 as parent epic"],
    ]
    assert (expected if noted else [[], [], []]) == notes


@pytest.mark.fakeplat(releases="<15.9")
def test_children_can_belong_to_groups_below(fakeplat: Fakeplat) -> None:
    """Epics of groups above or elsewhere are not found."""
    above = create_epic(fakeplat)["id"]
    below = create_epic(fakeplat, "Below", "groups/acme%2Ftools/epics")["id"]

    assert NO_EPIC == refusal(fakeplat, "root", "POST", f"groups/acme%2Ftools/epics/1/epics/{above}")
    assert 201 == fakeplat.as_user("root").post(f"{EPICS}/1/epics/{below}").status
    (child,) = fakeplat.as_user("root").get(f"{EPICS}/1/epics").json()
    assert (below, "acme/tools&1") == (child["id"], child["references"]["full"])


TOOLS = "groups/acme%2Ftools/epics"


@by_release(CHILD_EPICS_COME_FROM_ANYWHERE, "allowed", {"15.8": False, "15.9": True})
def test_children_can_belong_to_any_group(fakeplat: Fakeplat, allowed: bool) -> None:
    """Epics of groups above and elsewhere are added, listed, moved and taken out by who may arrange those epics."""
    root = fakeplat.as_user("root")
    root.post("groups", json={"name": "Else", "path": "else", "visibility": "public"})
    ids = [create_epic(fakeplat, path=path)["id"] for path in (EPICS, "groups/else/epics")]
    create_epic(fakeplat, path=TOOLS)

    statuses = [root.post(f"{TOOLS}/1/epics/{id_}").status for id_ in ids]
    assert [201 if allowed else 404] * 2 == statuses
    assert (ids[::-1] if allowed else []) == names(root.get(f"{TOOLS}/1/epics").json(), "id")
    moved = root.put(f"{TOOLS}/1/epics/{ids[0]}", json={"move_after_id": ids[1]})
    assert ((200, ids) if allowed else (404, None)) == (moved.status, names(moved.json(), "id") if allowed else None)
    # Its group is public, and the reporter is no member of it.
    assert NO_MATCHING_EPIC == refusal(fakeplat, "rep", "DELETE", f"{TOOLS}/1/epics/{ids[1]}")
    assert (200 if allowed else 404) == root.delete(f"{TOOLS}/1/epics/{ids[1]}").status
    assert (ids[:1] if allowed else []) == names(root.get(f"{TOOLS}/1/epics").json(), "id")


@by_release(UNLINKABLE_EPIC, "expected", {"15.7": NO_EPIC, "15.8": NO_MATCHING_EPIC})
def test_an_epic_that_cannot_be_a_child_is_not_found(fakeplat: Fakeplat, expected: Outcome) -> None:
    """The text is that of all links from 15.8 on at the latest."""
    create_epic(fakeplat)
    assert expected == refusal(fakeplat, "rep", "POST", f"{EPICS}/1/epics/7")


@pytest.mark.fakeplat(version="latest")
def test_only_own_children_are_taken_out(fakeplat: Fakeplat) -> None:
    """An epic that is not below the one in the path is not found there, and stays where it is."""
    (first, *_), _ = create_family(fakeplat), create_epic(fakeplat)

    for method in ("DELETE", "PUT"):
        assert NO_MATCHING_EPIC == refusal(fakeplat, "rep", method, f"{EPICS}/5/epics/{first}", json={})
    assert 3 == len(list_children(fakeplat))


def nest(fake: Fakeplat, levels: int) -> tuple[int, int]:
    """Create a row of epics, then a single one and one with a child; return the ids of these two."""
    create_epic(fake)
    for iid in range(1, levels):
        create_epic(fake, "Deeper", f"{EPICS}/{iid}/epics")
    single, pair = create_epic(fake)["id"], create_epic(fake)["id"]
    create_epic(fake, "x", f"{EPICS}/{levels + 2}/epics")
    return single, pair


@pytest.mark.fakeplat(releases="<13.12")
def test_there_are_five_levels_of_epics(fakeplat: Fakeplat) -> None:
    """Epics cannot be nested below the fifth level, counting their own children."""
    single, pair = nest(fakeplat, 5)

    assert invalid_record(parent=[DEEP]) == refusal(fakeplat, "rep", "POST", f"{EPICS}/5/epics", json={"title": "x"})
    assert (409, {"message": DEEP}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/5/epics/{single}")
    text = "This epic can't be added because the resulting epic would exceed the maximum depth"
    assert (409, {"message": text}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/4/epics/{pair}")
    assert 201 == fakeplat.as_user("rep").post(f"{EPICS}/4/epics/{single}").status


TOO_HIGH = "#{} cannot be added: reached maximum depth"
SEVEN = {
    "13.12": [invalid_record(parent=[TOO_DEEP]), *[(409, {"message": TOO_DEEP})] * 2],
    "19.3": [
        invalid_record(base=[TOO_HIGH.format(11)]),
        *[(422, {"message": TOO_HIGH.format(iid)}) for iid in (8, 9)],
    ],
}


@by_release(EPICS_ARE_LINKED_AS_WORK_ITEMS, "refusals", SEVEN)
def test_there_are_seven_levels_of_epics_later(fakeplat: Fakeplat, refusals: list[Outcome]) -> None:
    """From 13.12 on at the latest epics are nested in seven levels."""
    single, pair = nest(fakeplat, 7)

    assert refusals[0] == refusal(fakeplat, "rep", "POST", f"{EPICS}/7/epics", json={"title": "x"})
    assert refusals[1] == refusal(fakeplat, "rep", "POST", f"{EPICS}/7/epics/{single}")
    assert refusals[2] == refusal(fakeplat, "rep", "POST", f"{EPICS}/6/epics/{pair}")
    assert 201 == fakeplat.as_user("rep").post(f"{EPICS}/6/epics/{single}").status


def test_the_number_of_levels_has_a_beginning() -> None:
    """What is tried above in whole worlds: five before 13.12, seven from there on."""
    assert [5, 5, 7] == [profile_of(parse_release(text)).choose(EPIC_LEVELS) for text in ("13.5", "13.11", "13.12")]


def test_paths_of_epics_may_have_a_dash(fakeplat: Fakeplat) -> None:
    """Paths of epics below `groups/:id/-/epics` work, too."""
    create_family(fakeplat)
    add_issues(fakeplat, 1)
    mia = fakeplat.as_user("mia")
    for tail in ("", "/1", "/1/issues", "/1/epics"):
        plain, dashed = (mia.get(f"{path}{tail}") for path in (EPICS, EPICS.replace("/epics", "/-/epics")))
        assert (200, plain.json()) == (dashed.status, dashed.json()), tail
    assert 201 == mia.post(f"{EPICS.replace('/epics', '/-/epics')}", json={"title": "Dashed"}).status


RINGS = {
    "13.5": [
        (409, "Cannot add an epic as a child of itself"),
        (409, "This epic can't be added as it is already assigned to the parent"),
        (409, "This epic can't be added as it is already assigned to this epic's ancestor"),
    ],
    "13.12": [
        (409, "This epic cannot be added. An epic cannot be added to itself."),
        (409, "This epic cannot be added. It is already assigned to the parent epic."),
        (409, "This epic cannot be added. It is already an ancestor of the parent epic."),
    ],
    "19.3": [
        (422, "#1 cannot be added: is not allowed to point to itself"),
        (409, "Epic(s) already assigned"),
        (422, "#1 cannot be added: it's already present in this item's hierarchy"),
    ],
}


@by_release(CHILD_EPIC_REFUSALS, "refusals", RINGS)
def test_epics_are_no_rings(fakeplat: Fakeplat, refusals: list[tuple[int, str]]) -> None:
    """An epic is not its own child, nor that of one below it, nor twice the same one's."""
    parent = create_epic(fakeplat)["id"]
    child = create_epic(fakeplat, "Child", f"{EPICS}/1/epics")["id"]

    tried = ((parent, 1), (child, 1), (parent, 2))
    for (id_, iid), (status, text) in zip(tried, refusals, strict=True):
        assert (status, {"message": text}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/{iid}/epics/{id_}")


@by_release(CHILD_EPICS_ARE_CREATED_BY_REPORTERS, "status", {"15.8": 201, "18.11": 201, "19.3": 403})
def test_guests_create_child_epics_for_a_while(fakeplat: Fakeplat, status: int) -> None:
    """Guests arrange epics, but create none below others in the latest releases."""
    create_epic(fakeplat)
    other = create_epic(fakeplat)["id"]
    gus = fakeplat.as_user("gus")

    assert status == gus.post(f"{EPICS}/1/epics", json={"title": "x"}).status
    assert [201, 200] == [method(f"{EPICS}/1/epics/{other}").status for method in (gus.post, gus.delete)]


@pytest.mark.parametrize(
    ("moved", "between", "expected"),
    [
        (0, {"move_before_id": 1, "move_after_id": 2}, [1, 0, 2]),
        (0, {"move_before_id": 2}, [1, 2, 0]),
        (2, {"move_after_id": 0}, [2, 0, 1]),
        (2, {"move_after_id": 1}, [0, 2, 1]),
        (1, {}, [0, 1, 2]),
        (1, {"move_after_id": 1}, [0, 1, 2]),
    ],
)
def test_children_are_reordered(fakeplat: Fakeplat, moved: int, between: dict[str, int], expected: list[int]) -> None:
    """The response lists them in their new order."""
    ids = create_family(fakeplat)
    body = {name: ids[index] for name, index in between.items()}
    reply = fakeplat.as_user("rep").put(f"{EPICS}/1/epics/{ids[moved]}", json=body)

    assert (200, [ids[index] for index in expected]) == (reply.status, names(reply.json(), "id"))


def test_children_can_be_reordered_without_end(fakeplat: Fakeplat) -> None:
    """Positions are numbered anew when there is no gap between two."""
    first, two, three = create_family(fakeplat)
    rep = fakeplat.as_user("rep")
    for _ in range(12):
        rep.put(f"{EPICS}/1/epics/{three}", json={"move_before_id": first})
        rep.put(f"{EPICS}/1/epics/{two}", json={"move_before_id": first})

    assert [first, two, three] == list_children(fakeplat)


def test_children_are_ordered_among_siblings_only(fakeplat: Fakeplat) -> None:
    """A child epic cannot be moved relative to an epic of another parent."""
    first, *_ = create_family(fakeplat)
    other = create_epic(fakeplat)["id"]

    body = {"move_before_id": other}
    expected = (404, {"message": "Epic not found for given params"})
    assert expected == refusal(fakeplat, "rep", "PUT", f"{EPICS}/1/epics/{first}", json=body)


def test_an_epic_is_taken_out_of_its_parent(fakeplat: Fakeplat) -> None:
    """An epic that is removed from its parent continues to exist without one."""
    first, two, three = create_family(fakeplat)
    reply = fakeplat.as_user("rep").delete(f"{EPICS}/1/epics/{two}")

    assert (200, two, None) == (reply.status, reply.json()["id"], reply.json()["parent_id"])
    assert [first, three] == list_children(fakeplat)


def test_hidden_children_are_not_listed(fakeplat: Fakeplat) -> None:
    """Confidential ones are for Reporters."""
    create_epic(fakeplat)
    child = create_epic(fakeplat, "Secret", f"{EPICS}/1/epics", confidential=True)["id"]

    assert [] == fakeplat.as_user("gus").get(f"{EPICS}/1/epics").json()
    assert [child] == list_children(fakeplat)


@pytest.mark.fakeplat(tier="premium")
def test_epics_below_epics_are_for_ultimate(fakeplat: Fakeplat) -> None:
    """Below ultimate child epics can only be listed and removed."""
    parent = create_epic(fakeplat)["id"]
    child = create_epic(fakeplat, parent_id=parent)["id"]

    assert [child] == list_children(fakeplat)
    for method, path in (("POST", f"{EPICS}/1/epics"), ("POST", f"{EPICS}/1/epics/7"), ("PUT", f"{EPICS}/1/epics/7")):
        assert FORBIDDEN == refusal(fakeplat, "root", method, path, json={"title": "x"})
    assert 200 == fakeplat.as_user("rep").delete(f"{EPICS}/1/epics/{child}").status


def add_issues(fake: Fakeplat, *iids: int) -> list[int]:
    """Create an epic with issues; return the ids of the links."""
    create_epic(fake)
    root = fake.as_user("root")
    ids = [root.get(f"{SITE}/issues/{iid}").json()["id"] for iid in iids]
    return [int(root.post(f"{EPICS}/1/issues/{id_}").json()["id"]) for id_ in ids]


def test_an_issue_is_removed_from_an_epic(fakeplat: Fakeplat) -> None:
    """The response shows the former link; both sides get a system note."""
    (link,) = add_issues(fakeplat, 1)
    rep = fakeplat.as_user("rep")
    reply = rep.delete(f"{EPICS}/1/issues/{link}")

    assert (200, link, 1, 1) == (
        reply.status,
        reply.json()["id"],
        reply.json()["epic"]["iid"],
        reply.json()["issue"]["iid"],
    )
    assert [] == rep.get(f"{EPICS}/1/issues").json()
    assert "removed from epic &1" in names(rep.get(f"{SITE}/issues/1/notes").json(), "body")


def test_an_added_issue_is_the_first_of_its_epic(fakeplat: Fakeplat) -> None:
    """An issue that is added to an epic comes before those that it has, whichever way it is added."""
    add_issues(fakeplat, 1, 2)
    rep = fakeplat.as_user("rep")
    rep.put(f"{SITE}/issues/3", json={"epic_iid": 1})
    issues = rep.get(f"{EPICS}/1/issues").json()

    assert [3, 2, 1] == names(issues, "iid")
    assert sorted(positions := names(issues, "relative_position")) == positions


def test_issues_of_an_epic_are_reordered(fakeplat: Fakeplat) -> None:
    """The response lists them in their new order; links that are not the epic's change nothing."""
    first, second = add_issues(fakeplat, 1, 2)
    rep, path = fakeplat.as_user("rep"), f"{EPICS}/1/issues"

    moved = rep.put(f"{path}/{first}", json={"move_before_id": second})
    assert (200, [2, 1]) == (moved.status, names(moved.json(), "iid"))
    assert 500 == moved.json()[1]["relative_position"] - moved.json()[0]["relative_position"]
    moved = rep.put(f"{path}/{first}", json={"move_after_id": second})
    assert [1, 2] == names(moved.json(), "iid")
    assert 500 == moved.json()[1]["relative_position"] - moved.json()[0]["relative_position"]
    assert [1, 2] == names(rep.put(f"{path}/{first}", json={"move_before_id": 7}).json(), "iid")
    assert [1, 2] == names(rep.get(path).json(), "iid")


def test_links_of_other_epics_are_not_found(fakeplat: Fakeplat) -> None:
    """Moving or removing a link of another epic is not found."""
    (link,) = add_issues(fakeplat, 1)
    create_epic(fakeplat)

    for method in ("PUT", "DELETE"):
        assert NOT_FOUND == refusal(fakeplat, "rep", method, f"{EPICS}/2/issues/{link}")


def test_an_epic_is_deleted_with_the_epics_below_it(fakeplat: Fakeplat) -> None:
    """Deleting an epic deletes its child epics, keeps its issues and never reuses its iid."""
    add_issues(fakeplat, 1)
    create_epic(fakeplat, "Child", f"{EPICS}/1/epics")
    root = fakeplat.as_user("root")
    reply = root.delete(f"{EPICS}/1")

    assert (204, b"") == (reply.status, reply.content)
    assert [] == root.get(EPICS).json()
    assert root.get(f"{SITE}/issues/1").json()["epic_iid"] is None
    assert 3 == create_epic(fakeplat)["iid"]


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", f"{EPICS}/1/epics", UNAUTHORIZED),
        ("rep", "POST", f"{EPICS}/1/epics", invalid("title is missing")),
        *(
            pytest.param("rep", method, f"{EPICS}/1/epics/7", expected, marks=pytest.mark.fakeplat(releases=releases))
            for method in ("POST", "PUT", "DELETE")
            for releases, expected in (("<15.8", NO_EPIC), (["15.8", "latest"], NO_MATCHING_EPIC))
        ),
        pytest.param(
            *("gus", "DELETE", f"{EPICS}/1/issues/7", FORBIDDEN), marks=pytest.mark.fakeplat(releases="<15.8")
        ),
        ("rep", "DELETE", f"{EPICS}/1/issues/7", NOT_FOUND),
        ("mia", "DELETE", f"{EPICS}/1", FORBIDDEN),
        ("root", "DELETE", f"{EPICS}/9", FORBIDDEN),
    ],
)
def test_refusals(fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome) -> None:
    """A missing epic is forbidden, a missing child is not found."""
    create_epic(fakeplat)
    assert expected == refusal(fakeplat, user, method, path)


@pytest.mark.fakeplat(releases="<15.8")
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_guests_arrange_no_epics(fakeplat: Fakeplat, method: str) -> None:
    """Guests put no epic below another one, nor take it out, before 15.8."""
    create_epic(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "gus", method, f"{EPICS}/1/epics/7")
