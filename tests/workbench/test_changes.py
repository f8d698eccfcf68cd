from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World, WorldDraft
from fakeplat.workbench.changes import _unshared
from fakeplat.workbench.natural_keys import HIDDEN, natural_key
from fakeplat.workbench.options import Options
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform

SITE = "projects/acme%2Fsite"


def test_changes_are_listed_by_natural_key(fakeplat: Fakeplat) -> None:
    """A changed record lists its fields with the values before and after, naming users and labels."""
    fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={"labels": "bug"})
    with fakeplat.changes() as c:
        fakeplat.as_user("dev").put(f"{SITE}/issues/1", json={"state_event": "close", "labels": ""})
    changes = {"state": ("opened", "closed"), "closed_by": (None, "dev"), "labels": (["acme/site~bug"], [])}
    assert {"issues": {"acme/site#1": changes}} == c.changed
    assert ({}, {}) == (c.created, c.deleted)


def test_created_and_deleted_records_are_listed_by_natural_key(fakeplat: Fakeplat) -> None:
    """Created and deleted records are listed by section, sorted by natural key."""
    ada = fakeplat.as_user("ada")
    with fakeplat.changes() as c:
        ada.post(f"{SITE}/labels", json={"name": "later", "color": "#000000"})
        ada.post(f"{SITE}/labels", json={"name": "again", "color": "#000000"})
        ada.post(f"{SITE}/star")
        ada.delete(f"{SITE}/issues/2")
    assert {"labels": ["acme/site~again", "acme/site~later"], "stars": ["acme/site: ada"]} == c.created
    assert ["acme/site#2"] == c.deleted["issues"]
    assert {"merge_requests": {"acme/site: 1": {"closes": (["acme/site#2"], [])}}} == c.changed


def test_the_parts_of_a_record_are_plain_data(fakeplat: Fakeplat) -> None:
    """Parts of a record, such as the strategies of a feature flag, are listed as maps of their fields."""
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
    """Reads, refusals and empty updates produce a difference that is empty and false."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").get("projects")
        fakeplat.as_user("eve").delete(SITE)
        fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={})
    assert not c
    assert ({}, {}, {}) == (c.created, c.changed, c.deleted)


def test_a_block_is_looked_at_while_it_runs_and_stays_as_it_ended(fakeplat: Fakeplat) -> None:
    """A difference is current inside its block and does not change afterwards."""
    ada = fakeplat.as_user("ada")
    with fakeplat.changes() as c:
        assert not c
        ada.post(f"{SITE}/star")
        assert {"stars": ["acme/site: ada"]} == c.created
    ada.delete(SITE)
    assert {"stars": ["acme/site: ada"]} == c.created


def test_a_renamed_record_is_listed_by_its_old_name(fakeplat: Fakeplat) -> None:
    """A renamed project is one change under its old path, without changes of its contents."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").put(SITE, json={"path": "web"})
    assert {"projects": {"acme/site": {"path": ("site", "web")}}} == c.changed


def test_the_whole_of_a_group_goes(fakeplat: Fakeplat) -> None:
    """Deleting a group lists its subgroups, projects and members as deleted."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").delete("groups/acme")
    assert ["acme", "acme/tools"] == c.deleted["groups"]
    assert ["acme/docs", "acme/site", "acme/tools/kit"] == c.deleted["projects"]
    assert "acme: dev" in c.deleted["members"]


def test_records_without_a_form_of_their_own_are_named_by_what_they_belong_to(fakeplat: Fakeplat) -> None:
    """The natural key of a generic record is its owner with its name or id."""

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


def test_a_branch_is_a_record(fakeplat: Fakeplat) -> None:
    """Creating a branch lists the branch, its pipeline and its job as created, and nothing as changed."""
    with fakeplat.changes() as c:
        fakeplat.as_user("dev").post(f"{SITE}/repository/branches", params={"branch": "b1", "ref": "master"})
    created = {"branches": ["acme/site: b1"], "jobs": ["acme/site: 1 test"], "pipelines": ["acme/site: 1"]}
    assert (created, {}, {}) == (c.created, c.changed, c.deleted)
    with fakeplat.changes() as c:
        fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/b1")
    assert ({}, {}, {"branches": ["acme/site: b1"]}) == (c.created, c.changed, c.deleted)


def test_commits_and_tags_are_records(fakeplat: Fakeplat) -> None:
    """A new commit is listed by its title, and its branch with the commits before and after."""
    ada = fakeplat.as_user("ada")
    old = ada.get(f"{SITE}/repository/branches/feature").json()["commit"]["id"]
    file = {"branch": "feature", "content": "x", "commit_message": "Add a file\n\nWith a body."}
    with fakeplat.changes() as c:
        ada.post(f"{SITE}/repository/files/new.txt", json=file)
        ada.post(f"{SITE}/repository/tags", json={"tag_name": "v9", "ref": "master", "message": "annotated"})
    new = ada.get(f"{SITE}/repository/branches/feature").json()["commit"]["id"]
    git = ("branches", "commits", "tags")
    assert {"commits": ["acme/site: Add a file"], "tags": ["acme/site: v9"]} == {
        section: keys for section, keys in c.created.items() if section in git
    }
    assert {"branches": {"acme/site: feature": {"commit": (old, new)}}} == {
        section: keys for section, keys in c.changed.items() if section in git
    }


def test_commits_that_are_gone_are_deleted(fakeplat: Fakeplat) -> None:
    """Deleting the only branch that has a commit deletes the commit, too."""
    dev = fakeplat.as_user("dev")
    dev.post(f"{SITE}/repository/branches", params={"branch": "b1", "ref": "master"})
    actions = [{"action": "create", "file_path": "x", "content": "x"}]
    dev.post(f"{SITE}/repository/commits", json={"branch": "b1", "commit_message": "Lost", "actions": actions})
    with fakeplat.changes() as c:
        dev.delete(f"{SITE}/repository/branches/b1")
    assert {"branches": ["acme/site: b1"], "commits": ["acme/site: Lost"]} == c.deleted


def test_a_new_version_of_a_merge_request_is_named_by_its_number(fakeplat: Fakeplat) -> None:
    """A push to a source branch lists version 2 of its merge request as created."""
    ada = fakeplat.as_user("ada")
    branch = ada.get(f"{SITE}/merge_requests/1").json()["source_branch"]
    with fakeplat.changes() as c:
        file = {"branch": branch, "content": "x", "commit_message": "More"}
        ada.post(f"{SITE}/repository/files/more.txt", json=file)
    assert ["acme/site: 1 version 2"] == c.created["diff_versions"]
    assert "diff_versions" not in c.changed


def test_the_pages_of_a_wiki_are_records(fakeplat: Fakeplat) -> None:
    """Wiki pages are listed by project and slug, with their content before and after."""
    ada = fakeplat.as_user("ada")
    with fakeplat.changes() as c:
        ada.post(f"{SITE}/wikis", json={"title": "Home", "content": "one"})
        ada.post(f"{SITE}/wikis", json={"title": "How to", "content": "x"})
    assert {"wiki_pages": ["acme/site: Home", "acme/site: How-to"]} == c.created
    with fakeplat.changes() as c:
        ada.put(f"{SITE}/wikis/Home", json={"content": "two"})
        ada.delete(f"{SITE}/wikis/How-to")
    assert {"wiki_pages": {"acme/site: Home": {"content": ("one", "two")}}} == c.changed
    assert {"wiki_pages": ["acme/site: How-to"]} == c.deleted


def test_the_files_of_a_snippet_are_shown(fakeplat: Fakeplat) -> None:
    """A changed snippet lists its files before and after."""
    ada = fakeplat.as_user("ada")
    snippet = {"title": "Tip", "file_name": "a.py", "content": "1", "visibility": "private"}
    id_ = ada.post("snippets", json=snippet).json()["id"]
    with fakeplat.changes() as c:
        ada.put(f"snippets/{id_}", json={"content": "2"})
    assert {"snippets": {"ada$Tip": {"files": ({"a.py": "1"}, {"a.py": "2"})}}} == c.changed


def test_a_webhook_is_named_by_its_url(fakeplat: Fakeplat) -> None:
    """A webhook is listed by its project and its URL without credentials."""
    with fakeplat.changes() as c:
        fakeplat.as_user("ada").post(f"{SITE}/hooks", json={"url": "https://me:secret@bot.test/hook"})
        fakeplat.as_user("root").post("hooks", json={"url": "https://bot.test/system"})
    assert {"hooks": ["acme/site: https://*****:*****@bot.test/hook", "https://bot.test/system"]} == c.created


def test_no_natural_key_contains_an_id() -> None:
    """No natural key except that of a runner contains the id of its record."""
    world = create_platform(FULL).view
    keys = {
        (table.name, natural_key(world, record)): record.id
        for table in World.tables
        if table.kind not in HIDDEN and table.name != "runners"
        for record in getattr(world, table.name).all()
        if record.id >= 1_000_000
    }
    assert len(keys) > 50
    assert [] == [key for key, id_ in keys.items() if str(id_) in key[1]]


@pytest.fixture(scope="module")
def large() -> Any:
    return Options(scenario="large").bench().platform


@given(data=st.data())
def test_only_what_two_moments_do_not_share_is_looked_at(data: st.DataObject, large: Any) -> None:
    """Comparing only unshared branches of two states finds the same changes as comparing all records."""
    draft = WorldDraft(large.state)
    for id_ in data.draw(st.lists(st.sampled_from(list(draft.issues.all_ids())), max_size=4, unique=True)):
        issue = draft.issues[id_]
        if data.draw(st.booleans()):
            draft.issues.change(issue, title=f"{issue.title}!")
        else:
            draft.issues.remove(issue)
    old, new = (state.roots[World.issues.position].rows for state in (large.state, draft.frozen()))
    found_old, found_new = _unshared(old, new, World.issues.kind)
    differing = {id_ for id_ in {*old, *new} if old.get(id_) is not new.get(id_)}
    assert differing == {id_ for id_ in found_old.keys() | found_new.keys() if old.get(id_) is not new.get(id_)}
    assert len(found_old) <= 64 * len(differing)
