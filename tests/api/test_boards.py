"""Boards of issues and the lists on them. Source: docs/platform/boards.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.fields import USER
from tests.api.planning_records import (
    ACME,
    DOCS,
    KIT,
    MISSING,
    SITE,
    TOOLS,
    create_record,
    get_json,
    issue,
    label,
    milestone,
)
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, Outcome, invalid, invalid_record, names, outcome, refusal

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
UNMOVED: Outcome = (400, {"message": {"error": "List could not be moved!"}})
UNNAMED: Outcome = (400, {"message": '400 Bad request - Failed to save board {:name=>["can\'t be blank"]}'})


def list_refused(text: str) -> Outcome:
    """400 of what a list cannot be made of."""
    return 400, {"message": {"error": text}}


def create_board(fake: Fakeplat, container: str = SITE, name: str = "Work") -> str:
    """The path of a new board."""
    return f"{container}/boards/{create_record(fake, f'{container}/boards', name=name)['id']}"


def list_titles(fake: Fakeplat, path: str) -> list[str]:
    rows = get_json(fake, f"{path}/lists")
    assert list(range(len(rows))) == names(rows, "position")
    return [row["label"]["name"] for row in rows]


def create_filled_board(fake: Fakeplat, *titles: str) -> tuple[str, dict[str, int]]:
    """A board with a list for each label, and the lists' ids."""
    path = create_board(fake)
    ids = {name: create_record(fake, f"{path}/lists", label_id=label(fake, name)["id"])["id"] for name in titles}
    return path, ids


@pytest.mark.parametrize(
    ("container", "kind", "fields"),
    [
        (SITE, "project", {"id", "name", "path_with_namespace", "web_url"}),
        (ACME, "group", {"id", "name", "web_url"}),
    ],
)
def test_a_board_shows_its_container_and_lists(fakeplat: Fakeplat, container: str, kind: str, fields: set[str]) -> None:
    """A board shows its container and lists; on the free tier it has no scope."""
    path = create_board(fakeplat, container)
    bug = label(fakeplat, "bug", container)
    new_list = create_record(fakeplat, f"{path}/lists", label_id=bug["id"])
    whole = get_json(fakeplat, path)

    assert {"id", "name", kind, "lists"} == set(whole)
    assert fields <= set(whole[kind])
    assert [new_list] == whole["lists"] == get_json(fakeplat, f"{path}/lists")
    assert {"id", "label", "position"} == set(new_list)
    assert {"id": bug["id"], "name": "bug", "color": "#112233", "description": None} == new_list["label"]
    assert new_list == get_json(fakeplat, f"{path}/lists/{new_list['id']}")
    assert [whole] == get_json(fakeplat, f"{container}/boards")


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_paid_boards_are_narrowed_down(fakeplat: Fakeplat) -> None:
    """A paid board is scoped to a milestone, assignee, weight and labels, which are created if unknown."""
    v1, dev = milestone(fakeplat, "v1"), fakeplat.world.user("dev").id
    label(fakeplat, "bug")
    path = create_board(fakeplat)
    assert {"milestone": None, "assignee": None, "labels": [], "weight": None}.items() <= get_json(
        fakeplat, path
    ).items()
    body = {"milestone_id": v1["id"], "assignee_id": dev, "labels": "bug,new", "weight": 3, "name": "Play"}
    changed = fakeplat.as_user("dev").put(path, json=body).json()

    assert ("Play", "v1", 3) == (changed["name"], changed["milestone"]["title"], changed["weight"])
    assert USER == set(changed["assignee"])
    assert ["bug", "new"] == sorted(names(changed["labels"], "name"))
    assert ["bug", "new"] == names(get_json(fakeplat, f"{SITE}/labels"), "name")
    assert fakeplat.as_user("dev").put(path, json={"milestone_id": 1}).json()["milestone"] is None


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@pytest.mark.parametrize("container", [SITE, ACME])
@pytest.mark.parametrize(
    ("id_", "expected"), [(-2, {"title": "Upcoming"}), (-3, {"title": "Started"}), (0, None), (-1, None)]
)
def test_boards_are_narrowed_down_to_milestones_by_the_day(
    fakeplat: Fakeplat, container: str, id_: int, expected: dict[str, str] | None
) -> None:
    """-2 is the upcoming, -3 any started milestone, shown by its title alone; no other such number is known."""
    path = create_board(fakeplat, container)
    changed = fakeplat.as_user("rep").put(path, json={"milestone_id": id_}).json()

    assert expected == changed["milestone"] == get_json(fakeplat, path)["milestone"]


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@pytest.mark.parametrize(
    ("container", "expected"), [(KIT, {TOOLS: "v1", KIT: "v1"}), (TOOLS, {TOOLS: "v1"}), (ACME, {ACME: "v1"})]
)
def test_milestones_that_narrow_a_board_down(fakeplat: Fakeplat, container: str, expected: dict[str, str]) -> None:
    """A board accepts milestones of its container and of a project's own group only."""
    path, known = create_board(fakeplat, container), {}
    for source in (KIT, TOOLS, ACME):
        id_ = (
            milestone(fakeplat, "v1", source)["id"]
            if source == KIT
            else create_record(fakeplat, f"{source}/milestones", title=f"v1 of {source}")["id"]
        )
        changed = fakeplat.as_user("ada").put(path, json={"milestone_id": id_}).json()["milestone"]
        if changed is not None:
            known[source] = "v1"

    assert expected == known


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@pytest.mark.parametrize("container", [SITE, ACME])
def test_the_scope_of_a_board_is_kept_or_removed(fakeplat: Fakeplat, container: str) -> None:
    """An omitted scope of a board stays; null and empty values remove it."""
    path, v1, dev = (
        create_board(fakeplat, container),
        milestone(fakeplat, "v1", container),
        fakeplat.world.user("dev").id,
    )
    whole = {"milestone_id": v1["id"], "assignee_id": dev, "labels": "foo, bar", "weight": 4}
    rep = fakeplat.as_user("rep")

    def narrowed(**body: Any) -> tuple[Any, ...]:
        view = rep.put(path, **body).json()
        names_ = sorted(names(view["labels"], "name"))
        return (
            view["name"],
            view["milestone"] and view["milestone"]["title"],
            bool(view["assignee"]),
            names_,
            view["weight"],
        )

    assert ("Work", "v1", True, ["bar", "foo"], 4) == narrowed(json=whole)
    assert ("Play", "v1", True, ["bar", "foo"], 4) == narrowed(json={"name": "Play"})
    assert ("Play", None, False, [], None) == narrowed(json=dict.fromkeys(whole))
    narrowed(json=whole)
    assert ("Play", None, False, [], None) == narrowed(data=dict.fromkeys(whole, ""))


def test_free_groups_have_one_board(fakeplat: Fakeplat) -> None:
    """A second is refused, and the one stays; projects may have several."""
    path = create_board(fakeplat, ACME)

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{ACME}/boards", json={"name": "More"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "DELETE", path)
    assert create_board(fakeplat, SITE) != create_board(fakeplat, SITE)


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_paid_groups_have_several(fakeplat: Fakeplat) -> None:
    """On a paid tier a group has several boards, which can be deleted."""
    paths = [create_board(fakeplat, ACME, name) for name in ("Work", "Play")]

    assert ["Play", "Work"] == names(get_json(fakeplat, f"{ACME}/boards"), "name")
    assert [204, 204] == [fakeplat.as_user("dev").delete(path).status for path in paths]


def test_boards_are_renamed_and_deleted(fakeplat: Fakeplat) -> None:
    """A board is renamed, and deleted with all of its lists."""
    path, _ = create_filled_board(fakeplat, "bug")
    assert "Play" == fakeplat.as_user("dev").put(path, json={"name": "Play"}).json()["name"]
    assert STALE == refusal(fakeplat, "dev", "DELETE", path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("dev").delete(path).status

    assert MISSING == refusal(fakeplat, "ada", "GET", path)
    assert 0 == len(fakeplat.bench.platform.view.board_lists)


@pytest.mark.parametrize(
    ("moved", "position", "expected"),
    [("a", 1, "bac"), ("a", 2, "bca"), ("c", 0, "cab"), ("b", 0, "bac"), ("b", 2, "acb")],
)
def test_lists_are_put_elsewhere(fakeplat: Fakeplat, moved: str, position: int, expected: str) -> None:
    """The others make room; positions have no gaps."""
    path, ids = create_filled_board(fakeplat, "a", "b", "c")
    reply = fakeplat.as_user("rep").put(f"{path}/lists/{ids[moved]}", json={"position": position})

    assert (200, position) == (reply.status, reply.json()["position"])
    assert (
        [*expected]
        == list_titles(fakeplat, path)
        == [row["label"]["name"] for row in get_json(fakeplat, path)["lists"]]
    )


@pytest.mark.parametrize("position", [0, 3, -1])
def test_lists_are_not_put_where_they_are_or_cannot_be(fakeplat: Fakeplat, position: int) -> None:
    """Moving a list to its own position or out of range is refused and moves nothing."""
    path, ids = create_filled_board(fakeplat, "a", "b", "c")
    assert UNMOVED == refusal(fakeplat, "ada", "PUT", f"{path}/lists/{ids['a']}", json={"position": position})


def test_lists_go_and_the_others_move_up(fakeplat: Fakeplat) -> None:
    """Deleting a list or its label closes the gap in positions; a promoted label keeps its list."""
    path, ids = create_filled_board(fakeplat, "a", "b", "c", "d")
    list_path = f"{path}/lists/{ids['b']}"
    assert STALE == refusal(fakeplat, "rep", "DELETE", list_path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("rep").delete(list_path).status
    assert ["a", "c", "d"] == list_titles(fakeplat, path)
    fakeplat.as_user("ada").delete(f"{SITE}/labels/a")
    assert ["c", "d"] == list_titles(fakeplat, path)
    label(fakeplat, "c", ACME)
    fakeplat.as_user("ada").put(f"{SITE}/labels/{get_json(fakeplat, path)['lists'][0]['label']['id']}/promote")

    assert ["c", "d"] == list_titles(fakeplat, path)


def test_groups_labels_make_lists_of_projects(fakeplat: Fakeplat) -> None:
    """Lists use labels of the project and its groups but not of other projects."""
    path, urgent, other = create_board(fakeplat), label(fakeplat, "urgent", ACME), label(fakeplat, "other", DOCS)
    create_record(fakeplat, f"{path}/lists", "rep", label_id=urgent["id"])

    refused = refusal(fakeplat, "rep", "POST", f"{path}/lists", json={"label_id": other["id"]})
    assert ["urgent"] == list_titles(fakeplat, path)
    assert list_refused("Label not found!") == refused
    again = refusal(fakeplat, "rep", "POST", f"{path}/lists", json={"label_id": urgent["id"]})
    assert invalid_record(label_id=["has already been taken"]) == again


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", "boards", {}, invalid("name is missing")),
        ("POST", "boards", {"name": " "}, UNNAMED),
        ("PUT", "boards/{board}", {"name": ""}, UNNAMED),
        (
            "PUT",
            "boards/{board}",
            {},
            invalid(
                "name, assignee_id, milestone_id, labels, weight are missing, at least one parameter must be provided"
            ),
        ),
        ("GET", "boards/1", None, MISSING),
        ("GET", "boards/x", None, invalid("board_id is invalid")),
        ("POST", "boards/{board}/lists", {}, invalid("label_id is missing")),
        ("POST", "boards/{board}/lists", {"label_id": 1}, list_refused("Label not found!")),
        ("PUT", "boards/{board}/lists/1", {}, invalid("position is missing")),
        ("PUT", "boards/{board}/lists/1", {"position": 1}, MISSING),
        ("DELETE", "boards/{board}/lists/1", None, MISSING),
        ("GET", "boards/1/lists", None, MISSING),
    ],
)
def test_invalid_boards_are_refused(fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome) -> None:
    """Invalid boards and lists are refused with the platform's bodies and change nothing."""
    id_ = create_board(fakeplat).rpartition("/")[2]
    assert expected == refusal(fakeplat, "ada", method, f"{SITE}/{path.format(board=id_)}", json=body)


def test_boards_of_other_containers_are_not_found(fakeplat: Fakeplat) -> None:
    """Ids are looked up under the path's own place."""
    id_ = create_board(fakeplat).rpartition("/")[2]
    for container in (DOCS, ACME):
        assert MISSING == refusal(fakeplat, "ada", "GET", f"{container}/boards/{id_}")


def test_boards_are_deleted_with_their_container(fakeplat: Fakeplat) -> None:
    """A project that is deleted leaves none."""
    create_filled_board(fakeplat, "bug")
    issue(fakeplat)
    fakeplat.as_user("ada").delete(SITE)
    world = fakeplat.bench.platform.view

    assert [0, 0, 0] == [len(world.boards), len(world.board_lists), len(world.events.where("project", 1))]


def test_a_cached_board_shows_new_label_names(fakeplat: Fakeplat) -> None:
    """A cached board shows the new name of a renamed label."""
    path, _ = create_filled_board(fakeplat, "bug")
    assert ["bug"] == list_titles(fakeplat, path)
    fakeplat.as_user("ada").put(f"{SITE}/labels/bug", json={"new_name": "defect"})
    assert ["defect"] == list_titles(fakeplat, path)
    assert (200, []) == outcome(fakeplat.as_user("ada").get(f"{path}/lists?page=2"))


def test_records_of_the_world_show_boards(fakeplat: Fakeplat) -> None:
    """The records of the world show boards, events and links."""
    create_filled_board(fakeplat, "bug")
    issue(fakeplat)
    issue(fakeplat)
    create_record(fakeplat, f"{SITE}/issues/1/links", target_project_id="acme/site", target_issue_iid=2)
    site = fakeplat.world.project("acme/site")

    assert ["Work"] == [row.name for row in site.boards]
    assert ["opened", "opened"] == [event.action_name for event in site.events]
    assert ["relates_to"] == [link.link_type for link in site.issues[0].links]


# lists of people and milestones


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@pytest.mark.parametrize("container", [SITE, ACME])
def test_paid_lists_are_of_people_and_milestones_too(fakeplat: Fakeplat, container: str) -> None:
    """Paid lists are of a label, an assignee or a milestone, and show their limits."""
    path, dev, v1 = (
        create_board(fakeplat, container),
        fakeplat.world.user("dev").id,
        milestone(fakeplat, "v1", container),
    )
    bug = label(fakeplat, "bug", container)
    of_label, of_person, of_milestone = (
        create_record(fakeplat, f"{path}/lists", **body)
        for body in ({"label_id": bug["id"]}, {"assignee_id": dev}, {"milestone_id": v1["id"]})
    )
    usual = {"id", "label", "position", "max_issue_count", "max_issue_weight", "limit_metric"}

    assert (usual, usual | {"assignee"}, usual | {"milestone"}) == tuple(map(set, (of_label, of_person, of_milestone)))
    assert (None, {"id": dev, "name": "dev", "username": "dev"}) == (of_person["label"], of_person["assignee"])
    assert (None, v1) == (of_milestone["label"], of_milestone["milestone"])
    assert (0, 0, None) == tuple(of_label[key] for key in ("max_issue_count", "max_issue_weight", "limit_metric"))
    assert (
        [of_label, of_person, of_milestone] == get_json(fakeplat, f"{path}/lists") == get_json(fakeplat, path)["lists"]
    )
    moved = fakeplat.as_user("rep").put(f"{path}/lists/{of_milestone['id']}", json={"position": 0}).json()
    assert (0, v1) == (moved["position"], moved["milestone"])


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_invalid_paid_lists_are_refused(fakeplat: Fakeplat) -> None:
    """A paid list needs exactly one usable label, assignee or milestone, once per board."""
    path, dev, eve = f"{create_board(fakeplat)}/lists", fakeplat.world.user("dev").id, fakeplat.world.user("eve").id
    other = milestone(fakeplat, "v1", DOCS)
    names_ = "label_id, milestone_id, assignee_id"
    create_record(fakeplat, path, assignee_id=dev)
    cases: list[tuple[dict[str, Any], Outcome]] = [
        ({}, invalid(f"{names_} are missing, exactly one parameter must be provided")),
        ({"label_id": 1, "assignee_id": dev}, invalid("label_id, assignee_id are mutually exclusive")),
        ({"assignee_id": eve}, list_refused("User not found!")),
        ({"assignee_id": 9_999}, list_refused("User not found!")),
        ({"assignee_id": None}, list_refused("User not found!")),
        ({"milestone_id": other["id"]}, list_refused("Milestone not found!")),
        ({"label_id": 1}, list_refused("Label not found!")),
        ({"assignee_id": dev}, invalid_record(assignee_id=["has already been taken"])),
    ]
    for body, expected in cases:
        assert expected == refusal(fakeplat, "rep", "POST", path, json=body)


def test_free_lists_are_of_labels_alone(fakeplat: Fakeplat) -> None:
    """On the free tier a list requires a label."""
    path, dev = f"{create_board(fakeplat)}/lists", fakeplat.world.user("dev").id
    for body in ({}, {"assignee_id": dev}, {"milestone_id": 1}):
        assert invalid("label_id is missing") == refusal(fakeplat, "rep", "POST", path, json=body)


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_lists_go_with_people_and_milestones(fakeplat: Fakeplat) -> None:
    """Deleting a user or milestone deletes its lists and removes it from the scopes of boards."""
    path, dev, v1 = create_board(fakeplat), fakeplat.world.user("dev").id, milestone(fakeplat, "v1")
    for body in ({"assignee_id": dev}, {"milestone_id": v1["id"]}, {"label_id": label(fakeplat, "bug")["id"]}):
        create_record(fakeplat, f"{path}/lists", **body)
    fakeplat.as_user("ada").put(path, json={"assignee_id": dev, "milestone_id": v1["id"]})
    fakeplat.as_user("ada").delete(f"{SITE}/milestones/{v1['id']}")
    fakeplat.as_user("root").delete(f"users/{dev}")
    fakeplat.settle()
    view = get_json(fakeplat, path)

    assert [("bug", 0)] == [(row["label"]["name"], row["position"]) for row in view["lists"]]
    assert (None, None) == (view["assignee"], view["milestone"])


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_lists_follow_a_project_that_moves(fakeplat: Fakeplat) -> None:
    """A group's milestone becomes the project's own of that title."""
    path, everywhere = create_board(fakeplat), milestone(fakeplat, "v1", ACME)
    create_record(fakeplat, f"{path}/lists", milestone_id=everywhere["id"])
    assert 200 == fakeplat.as_user("root").put(f"{SITE}/transfer", json={"namespace": "ada"}).status
    (shown_list,) = get_json(fakeplat, path.replace("acme", "ada"))["lists"]

    assert ("v1", fakeplat.world.project("ada/site").id) == (
        shown_list["milestone"]["title"],
        shown_list["milestone"]["project_id"],
    )


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_the_scope_of_a_board_follows_a_promoted_label(fakeplat: Fakeplat) -> None:
    """The group's label stands where the project's stood."""
    path = create_board(fakeplat)
    bug, other = label(fakeplat, "bug"), label(fakeplat, "bug", DOCS)
    fakeplat.as_user("ada").put(path, json={"labels": "bug"})
    promoted = fakeplat.as_user("ada").put(f"{DOCS}/labels/{other['id']}/promote").json()
    assert 404 == fakeplat.as_user("ada").get(f"{ACME}/labels/{bug['id']}").status

    assert [promoted["id"]] == names(get_json(fakeplat, path)["labels"], "id")


def test_guests_and_strangers_read_boards(fakeplat: Fakeplat) -> None:
    """Whoever sees the project or group, signed in; not where issues are closed to them."""
    for container, by in ((SITE, "gus"), (DOCS, "eve"), (ACME, "eve")):
        path = create_board(fakeplat, container)
        assert [200, 200, 200] == [
            fakeplat.as_user(by).get(target).status for target in (f"{container}/boards", path, f"{path}/lists")
        ]
    fakeplat.as_user("ada").put(DOCS, json={"issues_access_level": "private"})
    assert FORBIDDEN == refusal(fakeplat, "eve", "GET", f"{DOCS}/boards")
