"""Transfers of groups to other parents. Source: app/services/groups/transfer_service.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest")
TOOLS = "groups/acme%2Ftools/transfer"


def create_group(fake: Fakeplat, path: str, **fields: Any) -> int:
    return int(fake.as_user("ada").post("groups", json={"name": path, "path": path, **fields}).json()["id"])


def test_a_group_moves_below_another_one(fakeplat: Fakeplat) -> None:
    """A transferred group keeps its projects, and its visibility is limited by the new parent."""
    ada, target = fakeplat.as_user("ada"), create_group(fakeplat, "birds", visibility="private")
    moved = ada.post(TOOLS, json={"group_id": target})

    assert (201, "birds/tools", target, "private") == (
        moved.status,
        moved.json()["full_path"],
        moved.json()["parent_id"],
        moved.json()["visibility"],
    )
    (project,) = ada.get("groups/birds%2Ftools/projects").json()
    assert ("birds/tools/kit", "private") == (project["path_with_namespace"], project["visibility"])


def test_a_group_moves_to_the_top_level(fakeplat: Fakeplat) -> None:
    """A group that is transferred without a parent moves to the top level."""
    moved = fakeplat.as_user("ada").post(TOOLS).json()

    assert ("tools", None) == (moved["full_path"], moved["parent_id"])


def test_labels_of_groups_that_are_left_are_copied(fakeplat: Fakeplat) -> None:
    """Labels of groups that a project leaves are copied into it."""
    ada = fakeplat.as_user("ada")
    ada.post("groups/acme/labels", json={"name": "high", "color": "#FF0000"})
    issue = ada.post("projects/acme%2Ftools%2Fkit/issues", json={"title": "x", "labels": "high"}).json()["iid"]
    ada.post(TOOLS)

    assert ["high"] == ada.get(f"projects/tools%2Fkit/issues/{issue}").json()["labels"]
    assert ["high"] == names(ada.get("projects/tools%2Fkit/labels").json(), "name")


def transfer_refused(text: str) -> tuple[int, dict[str, str]]:
    return 400, {"message": f"Transfer failed: {text}"}


def test_impossible_transfers_are_refused(fakeplat: Fakeplat) -> None:
    """Impossible transfers answer 400 with their cause, or 404 for a hidden parent."""
    acme, tools = (fakeplat.world.group(path).id for path in ("acme", "acme/tools"))
    birds = create_group(fakeplat, "birds")
    create_group(fakeplat, "tools", parent_id=birds)

    for path, body, text in (
        ("groups/acme/transfer", {}, "Group is already a root group."),
        (TOOLS, {"group_id": acme}, "Group is already associated to the parent group."),
        ("groups/acme/transfer", {"group_id": tools}, "Cannot transfer group to one of its subgroup."),
        (TOOLS, {"group_id": birds}, "The parent group already has a subgroup or a project with the same path."),
    ):
        assert transfer_refused(text) == refusal(fakeplat, "ada", "POST", path, json=body)
    assert resource_not_found("Group") == refusal(fakeplat, "ada", "POST", TOOLS, json={"group_id": 1})


def test_the_parent_must_accept_subgroups_of_the_caller(fakeplat: Fakeplat) -> None:
    """A Developer does not create them."""
    group = create_group(fakeplat, "birds", visibility="public")
    other = fakeplat.as_user("eve").post("groups", json={"name": "Eve", "path": "eves", "visibility": "public"}).json()

    expected = transfer_refused("You don't have enough permissions.")
    assert expected == refusal(fakeplat, "ada", "POST", f"groups/{group}/transfer", json={"group_id": other["id"]})
