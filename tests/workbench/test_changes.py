from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.store.table import ROWS
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World, WorldDraft
from fakeplat.workbench.changes import _unshared
from fakeplat.workbench.natural_keys import natural_key
from fakeplat.workbench.options import Options

SITE = "projects/acme%2Fsite"


def test_what_changes_is_told_by_natural_key(fakeplat: Fakeplat) -> None:
    """Fields by name with the value before and after; people and labels by their names."""
    fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={"labels": "bug"})
    with fakeplat.changes() as c:
        fakeplat.as_user("dev").put(f"{SITE}/issues/1", json={"state_event": "close", "labels": ""})
    told = {"state": ("opened", "closed"), "closed_by": (None, "dev"), "labels": (["acme/site~bug"], [])}
    assert {"issues": {"acme/site#1": told}} == c.changed
    assert ({}, {}) == (c.created, c.deleted)


def test_what_is_created_and_deleted_is_told_by_natural_key(fakeplat: Fakeplat) -> None:
    """Sorted, by section; what would have closed a deleted issue closes it no more; nothing else is there."""
    ada = fakeplat.as_user("ada")
    with fakeplat.changes() as c:
        ada.post(f"{SITE}/labels", json={"name": "later", "color": "#000000"})
        ada.post(f"{SITE}/labels", json={"name": "again", "color": "#000000"})
        ada.post(f"{SITE}/star")
        ada.delete(f"{SITE}/issues/2")
    assert {"labels": ["acme/site~again", "acme/site~later"], "stars": ["acme/site: ada"]} == c.created
    assert ["acme/site#2"] == c.deleted["issues"]
    assert {"merge_requests": {"acme/site: 1": {"closes": (["acme/site#2"], [])}}} == c.changed


def test_the_parts_of_a_record_are_told_as_plain_data(fakeplat: Fakeplat) -> None:
    """The strategies of a feature flag, for example: a part is a map of its fields."""
    dev = fakeplat.as_user("dev")
    flag = {"name": "fresh", "version": "new_version_flag", "strategies": [{"name": "default", "parameters": {}}]}
    (strategy,) = dev.post(f"{SITE}/feature_flags", json=flag).json()["strategies"]
    users = {"name": "userWithId", "parameters": {"userIds": "a"}}
    with fakeplat.changes() as c:
        dev.put(f"{SITE}/feature_flags/fresh", json={"strategies": [{"id": strategy["id"], **users}]})
    before, after = c.changed["feature_flags"]["acme/site: fresh"]["strategies"]
    assert [{**strategy, "user_list": None}] == before
    assert [{**strategy, **users, "user_list": None}] == after


def test_reading_and_refusals_change_nothing(fakeplat: Fakeplat) -> None:
    """An empty difference is false."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").get("projects")
        fakeplat.as_user("eve").delete(SITE)
        fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={})
    assert not c
    assert ({}, {}, {}) == (c.created, c.changed, c.deleted)


def test_a_block_is_looked_at_while_it_runs_and_stays_as_it_ended(fakeplat: Fakeplat) -> None:
    """Inside: so far; afterwards: no more than what was done in it."""
    ada = fakeplat.as_user("ada")
    with fakeplat.changes() as c:
        assert not c
        ada.post(f"{SITE}/star")
        assert {"stars": ["acme/site: ada"]} == c.created
    ada.delete(SITE)
    assert {"stars": ["acme/site: ada"]} == c.created


def test_a_renamed_thing_is_told_by_its_old_name(fakeplat: Fakeplat) -> None:
    """What is below it is not told again."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").put(SITE, json={"path": "web"})
    assert {"projects": {"acme/site": {"path": ("site", "web")}}} == c.changed


def test_the_whole_of_a_group_goes(fakeplat: Fakeplat) -> None:
    """Every section that lost something is there; what is gone is named as it was."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").delete("groups/acme")
    assert ["acme", "acme/tools"] == c.deleted["groups"]
    assert ["acme/docs", "acme/site", "acme/tools/kit"] == c.deleted["projects"]
    assert "acme: dev" in c.deleted["members"]


def test_records_without_a_form_of_their_own_are_named_by_what_they_belong_to(fakeplat: Fakeplat) -> None:
    """By iid, slug, name or key where they have one, else by id."""

    @frozen
    class Thing:
        id: int
        project_id: int
        name: str

    @frozen
    class Remark:
        id: int
        subject: tuple[str, int]

    world = fakeplat.bench.platform.view
    issue = next(iter(world.issues.all()))
    assert "acme/site: production" == natural_key(world, Thing(1, issue.project_id, "production"))
    assert "acme/site#1: 7" == natural_key(world, Remark(7, ("issue", issue.id)))


@pytest.fixture(scope="module")
def large() -> Any:
    return Options(scenario="large").bench().platform


@given(data=st.data())
def test_only_what_two_moments_do_not_share_is_looked_at(data: st.DataObject, large: Any) -> None:
    """Found by branches it is what a comparison of all records finds."""
    draft = WorldDraft(large.state)
    for id_ in data.draw(st.lists(st.sampled_from(list(draft.issues.all_ids())), max_size=4, unique=True)):
        issue = draft.issues[id_]
        if data.draw(st.booleans()):
            draft.issues.change(issue, title=f"{issue.title}!")
        else:
            draft.issues.remove(issue)
    old, new = (state.roots[World.issues.position].maps[ROWS] for state in (large.state, draft.frozen()))
    found_old, found_new = _unshared(old, new, World.issues.kind)
    differing = {id_ for id_ in {*old, *new} if old.get(id_) is not new.get(id_)}
    assert differing == {id_ for id_ in found_old.keys() | found_new.keys() if old.get(id_) is not new.get(id_)}
    assert len(found_old) <= 64 * len(differing)
