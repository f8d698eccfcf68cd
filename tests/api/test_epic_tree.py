"""Epics below epics, issues of epics in order, and the deletion of epics.

Source: ee/spec/requests/api/{epic_links,epic_issues,epics}_spec.rb and ee/lib/api/{epic_links,epic_issues,epics}.rb of
the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import NEW_EPICS_NOTE_THEIR_PARENTS
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, invalid_record, names, refusal
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario="starter", tier="ultimate", clock="virtual")]
EPICS, SITE = "groups/acme/epics", "projects/acme%2Fsite"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NO_EPIC: Outcome = (404, {"message": "No Epic found for given params"})
DEEP = "This epic can't be added because the parent is already at the maximum depth from its most distant ancestor"
OPEN_BELOW_HIDDEN = "Not confidential epic cannot be assigned to a confidential parent epic"


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


@pytest.mark.fakeplat(releases="<18.9")
def test_a_child_is_confidential_as_its_parent(fakeplat: Fakeplat) -> None:
    """A child of a confidential epic must be confidential."""
    create_epic(fakeplat, confidential=True)
    create_epic(fakeplat, "Flap", f"{EPICS}/1/epics")

    assert fakeplat.as_user("rep").get(f"{EPICS}/2").json()["confidential"] is True
    body = {"title": "x", "confidential": False}
    assert invalid_record(confidential=[OPEN_BELOW_HIDDEN]) == refusal(
        fakeplat, "rep", "POST", f"{EPICS}/1/epics", json=body
    )
    other = create_epic(fakeplat)["id"]
    assert (409, {"message": OPEN_BELOW_HIDDEN}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/1/epics/{other}")


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
    assert ["added epic &4 as child epic"] == names(rep.get(f"{EPICS}/{parent['id']}/notes").json(), "body")
    assert ["added epic &5 as parent epic"] == names(rep.get(f"{EPICS}/{first}/notes").json(), "body")


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


def test_children_can_belong_to_groups_below(fakeplat: Fakeplat) -> None:
    """Epics of groups above or elsewhere are not found."""
    above = create_epic(fakeplat)["id"]
    below = create_epic(fakeplat, "Below", "groups/acme%2Ftools/epics")["id"]

    assert NO_EPIC == refusal(fakeplat, "root", "POST", f"groups/acme%2Ftools/epics/1/epics/{above}")
    assert 201 == fakeplat.as_user("root").post(f"{EPICS}/1/epics/{below}").status
    (child,) = fakeplat.as_user("root").get(f"{EPICS}/1/epics").json()
    assert (below, "acme/tools&1") == (child["id"], child["references"]["full"])


def test_there_are_five_levels_of_epics(fakeplat: Fakeplat) -> None:
    """Epics cannot be nested below the fifth level, counting their own children."""
    create_epic(fakeplat)
    for iid in range(1, 5):
        create_epic(fakeplat, "Deeper", f"{EPICS}/{iid}/epics")
    single, pair = create_epic(fakeplat)["id"], create_epic(fakeplat)["id"]
    create_epic(fakeplat, "x", f"{EPICS}/7/epics")

    assert invalid_record(parent=[DEEP]) == refusal(fakeplat, "rep", "POST", f"{EPICS}/5/epics", json={"title": "x"})
    assert (409, {"message": DEEP}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/5/epics/{single}")
    text = "This epic can't be added because the resulting epic would exceed the maximum depth"
    assert (409, {"message": text}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/4/epics/{pair}")
    assert 201 == fakeplat.as_user("rep").post(f"{EPICS}/4/epics/{single}").status


def test_paths_of_epics_may_have_a_dash(fakeplat: Fakeplat) -> None:
    """Paths of epics below `groups/:id/-/epics` work, too."""
    create_family(fakeplat)
    add_issues(fakeplat, 1)
    mia = fakeplat.as_user("mia")
    for tail in ("", "/1", "/1/issues", "/1/epics"):
        plain, dashed = (mia.get(f"{path}{tail}") for path in (EPICS, EPICS.replace("/epics", "/-/epics")))
        assert (200, plain.json()) == (dashed.status, dashed.json()), tail
    assert 201 == mia.post(f"{EPICS.replace('/epics', '/-/epics')}", json={"title": "Dashed"}).status


def test_epics_are_no_rings(fakeplat: Fakeplat) -> None:
    """An epic is not its own child, nor that of one below it, nor twice the same one's."""
    parent = create_epic(fakeplat)["id"]
    child = create_epic(fakeplat, "Child", f"{EPICS}/1/epics")["id"]

    conflicts = [
        (parent, 1, "Cannot add an epic as a child of itself"),
        (child, 1, "This epic can't be added because it is already assigned to the parent"),
        (parent, 2, "This epic can't be added because it is already an ancestor of the parent"),
    ]
    for id_, iid, text in conflicts:
        assert (409, {"message": text}) == refusal(fakeplat, "rep", "POST", f"{EPICS}/{iid}/epics/{id_}")


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
        ("rep", "POST", f"{EPICS}/1/epics/7", NO_EPIC),
        ("rep", "PUT", f"{EPICS}/1/epics/7", NO_EPIC),
        ("rep", "DELETE", f"{EPICS}/1/epics/7", NO_EPIC),
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
