"""The epic that an issue is given with it, and what is noted when issues move between epics.

Source: ee/spec/requests/api/issues_spec.rb, ee/app/services/ee/issues/base_service.rb and
ee/app/services/system_notes/epics_service.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ISSUES_CHOOSE_READABLE_EPICS, NEW_ISSUES_ARE_HIDDEN_LIKE_EPICS
from tests.api.requests import FORBIDDEN, Outcome, invalid, names, refusal
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual")]
EPICS, SITE = "groups/acme/epics", "projects/acme%2Fsite"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
WRITES = [("POST", f"{SITE}/issues"), ("PUT", f"{SITE}/issues/1")]


def create_epic(fake: Fakeplat, path: str = EPICS, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("root").post(path, json={"title": "Fly", **fields})
    assert 201 == reply.status
    return dict(reply.json())


def list_notes(fake: Fakeplat, path: str) -> list[str]:
    return names(fake.as_user("root").get(f"{path}/notes?sort=asc").json(), "body")


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_an_epic_that_nobody_sees_is_not_found(fakeplat: Fakeplat, method: str, path: str) -> None:
    """An unknown epic, one of another group and a confidential one are 404 for an issue, which stays as it is."""
    root = fakeplat.as_user("root")
    root.post("groups", json={"name": "Else", "path": "else"})
    elsewhere = create_epic(fakeplat, "groups/else/epics")["id"]
    hidden = create_epic(fakeplat, confidential=True)
    issues = root.get(f"{SITE}/issues").json()

    for chosen in ({"epic_id": 7}, {"epic_iid": 7}, {"epic_id": elsewhere}):
        assert NOT_FOUND == refusal(fakeplat, "rep", method, path, json={"title": "New", **chosen})
    mine = root.post(f"{SITE}/issues", json={"title": "x"}).json()["iid"]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/own", "issues": [{"title": "x", "author": "gus"}]}]})
    own = f"projects/acme%2Fown/issues{'' if method == 'POST' else '/1'}"
    for chosen in ({"epic_id": hidden["id"]}, {"epic_iid": hidden["iid"]}):
        assert NOT_FOUND == refusal(fakeplat, "gus", method, own, json={"title": "New", **chosen})
    assert 204 == root.delete(f"{SITE}/issues/{mine}").status
    assert issues == root.get(f"{SITE}/issues").json()


def test_one_parameter_chooses_the_epic(fakeplat: Fakeplat) -> None:
    """Both at once are refused."""
    body = {"title": "x", "epic_id": create_epic(fakeplat)["id"], "epic_iid": 1}

    for method, path in WRITES:
        assert invalid("epic_id, epic_iid are mutually exclusive") == refusal(fakeplat, "rep", method, path, json=body)


@by_release(ISSUES_CHOOSE_READABLE_EPICS, "allowed", {"13.5": False, "15.7": False, "15.8": True})
def test_who_chooses_the_epics_of_issues(fakeplat: Fakeplat, allowed: bool) -> None:
    """Guests may choose the epics that they see, also for issues that they change; earlier releases refuse them."""
    epic = create_epic(fakeplat)
    fakeplat.load({"projects": [{"path_with_namespace": "acme/own", "issues": [{"title": "x", "author": "gus"}]}]})
    path, gus = "projects/acme%2Fown/issues", fakeplat.as_user("gus")
    created = gus.post(path, json={"title": "x", "epic_id": epic["id"]})
    changed = gus.put(f"{path}/1", json={"epic_id": epic["id"]})

    assert ([201, 200] if allowed else [403, 403]) == [created.status, changed.status]
    assert allowed or {"message": "403 Forbidden"} == created.json() == changed.json()
    assert (2 if allowed else 0) == len(fakeplat.as_user("root").get(f"{EPICS}/1/issues").json())


@pytest.mark.fakeplat(releases="<15.8")
def test_guests_take_no_issue_out_of_its_epic(fakeplat: Fakeplat) -> None:
    """An issue of theirs stays in its epic, and is changed only if it is in none."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/own", "issues": [{"title": "x", "author": "gus"}]}]})
    path, root = "projects/acme%2Fown/issues/1", fakeplat.as_user("root")
    assert 200 == fakeplat.as_user("gus").put(path, json={"epic_id": 0}).status
    root.put(path, json={"epic_id": create_epic(fakeplat)["id"]})

    assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", path, json={"epic_id": 0, "title": "New"})
    assert ("x", 1) == tuple(root.get(path).json()[name] for name in ("title", "epic_iid"))


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_without_epics_none_is_found(fakeplat: Fakeplat, method: str, path: str) -> None:
    """On the free tier any epic is 404, and none is no change."""
    for chosen in ({"epic_id": 7}, {"epic_iid": 7}):
        assert NOT_FOUND == refusal(fakeplat, "root", method, path, json={"title": "New", **chosen})
    reply = fakeplat.as_user("root").request(method, path, json={"title": "New", "epic_id": 0})
    assert "New" == reply.json()["title"]


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_projects_of_users_ignore_epics(fakeplat_factory: Any, tier: str) -> None:
    """There an epic is neither found nor missed, nor shown."""
    fake = fakeplat_factory(scenario="starter", tier=tier)
    own = f"projects/{fake.as_user('rep').post('projects', json={'name': 'own'}).json()['id']}"
    created = fake.as_user("rep").post(f"{own}/issues", json={"title": "x", "epic_id": 7})
    changed = fake.as_user("rep").put(f"{own}/issues/1", json={"epic_iid": 7})

    assert [201, 200] == [created.status, changed.status]
    assert "epic_iid" not in created.json()


@by_release(NEW_ISSUES_ARE_HIDDEN_LIKE_EPICS, "hidden", {"13.11": False, "13.12": True})
def test_new_issues_of_confidential_epics(fakeplat: Fakeplat, hidden: bool) -> None:
    """They are confidential, too, whatever is sent; issues that are there already stay as they are."""
    epic, root = create_epic(fakeplat, confidential=True), fakeplat.as_user("root")
    for sent in ({}, {"confidential": False}):
        created = root.post(f"{SITE}/issues", json={"title": "x", "epic_id": epic["id"], **sent}).json()
        assert hidden is created["confidential"]
    assert False is root.put(f"{SITE}/issues/1", json={"epic_id": epic["id"]}).json()["confidential"]


def test_an_issue_that_changes_its_epic_is_noted_at_both(fakeplat: Fakeplat) -> None:
    """Both epics name each other and the issue, which names the new one; the same epic again is no change."""
    first, second = create_epic(fakeplat), create_epic(fakeplat)
    root = fakeplat.as_user("root")
    before = list_notes(fakeplat, f"{SITE}/issues/1")
    for epic in (first, second, second):
        root.put(f"{SITE}/issues/1", json={"epic_id": epic["id"]})

    assert ["added issue site#1", "moved issue site#1 to epic &2"] == list_notes(fakeplat, f"{EPICS}/{first['id']}")
    assert ["added issue site#1 from epic &1"] == list_notes(fakeplat, f"{EPICS}/{second['id']}")
    assert [*before, "added to epic &1", "changed epic to &2"] == list_notes(fakeplat, f"{SITE}/issues/1")


def test_notes_between_groups_have_full_references(fakeplat: Fakeplat) -> None:
    """Epics name issues of projects further below by the full path, which name epics further above so."""
    root, epic = fakeplat.as_user("root"), create_epic(fakeplat)
    tools = root.get("groups/acme%2Ftools").json()["id"]
    project = root.post("projects", json={"name": "deep", "namespace_id": tools}).json()["id"]
    near = create_epic(fakeplat, "groups/acme%2Ftools/epics")
    issue = f"projects/{project}/issues/1"
    root.post(f"projects/{project}/issues", json={"title": "x", "epic_id": epic["id"]})
    root.put(issue, json={"epic_id": near["id"]})
    root.put(issue, json={"epic_id": None})

    assert ["added issue acme/tools/deep#1", "moved issue acme/tools/deep#1 to epic acme/tools&1"] == list_notes(
        fakeplat, f"{EPICS}/{epic['id']}"
    )
    assert ["added issue deep#1 from epic acme&1", "removed issue deep#1"] == list_notes(
        fakeplat, f"groups/acme%2Ftools/epics/{near['id']}"
    )
    assert ["added to epic acme&1", "changed epic to &1", "removed from epic &1"] == list_notes(fakeplat, issue)
