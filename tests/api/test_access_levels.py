"""The access levels of protected branches change one by one. Source: docs/platform/protected-branches-and-tags.md."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ACCESS_LEVELS_HAVE_IDS, ACCESS_LEVELS_NAME_DEPLOY_KEYS
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import outcome, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest", tier="premium")]
MASTER: Final = "projects/acme%2Fsite/protected_branches/main"
OF_GROUP: Final = "groups/acme/protected_branches"
BOTH: Final = pytest.mark.parametrize("path", [MASTER, f"{OF_GROUP}/main"], ids=["project", "group"])


def protect(fake: Fakeplat, path: str) -> None:
    """Protect the branch of a path, unless it is the default branch, which is protected."""
    if path != MASTER:
        assert 201 == fake.as_user("ada").post(OF_GROUP, json={"name": "main"}).status


def push_levels(protection: dict[str, Any]) -> list[int]:
    """Return the levels that may push."""
    return [access["access_level"] for access in protection["push_access_levels"]]


@BOTH
def test_access_levels_are_added_changed_and_deleted(fakeplat: Fakeplat, path: str) -> None:
    """An entry with an id changes or deletes an access level, which keeps its id; one without is added."""
    protect(fakeplat, path)
    ada = fakeplat.as_user("ada")
    (first,) = ada.get(path).json()["push_access_levels"]
    keys = {"id", "access_level", "user_id", "group_id", "access_level_description"}
    assert keys | {"deploy_key_id"} == set(first)
    assert keys == set(ada.get(path).json()["merge_access_levels"][0])

    added = ada.patch(path, json={"allowed_to_push": [{"access_level": 30}]}).json()
    assert [40, 30] == push_levels(added)
    second = added["push_access_levels"][1]
    changed = ada.patch(path, json={"allowed_to_push": [{"id": first["id"], "access_level": 0}]}).json()
    assert ([0, 30], first["id"]) == (push_levels(changed), changed["push_access_levels"][0]["id"])
    deleted = ada.patch(path, json={"allowed_to_push": [{"id": first["id"], "_destroy": True}]}).json()
    assert [second] == deleted["push_access_levels"]
    assert deleted == ada.get(path).json()
    assert [40] == [access["access_level"] for access in deleted["merge_access_levels"]]


@by_release(ACCESS_LEVELS_NAME_DEPLOY_KEYS, "keys", {"18.8": set(), "18.9": {"deploy_key_id"}})
def test_who_may_create_a_tag_may_be_a_deploy_key(fakeplat: Fakeplat, keys: set[str]) -> None:
    """Who may create a protected tag has the id of a deploy key, which is null."""
    (level,) = (
        fakeplat.as_user("ada")
        .post("projects/acme%2Fsite/protected_tags", json={"name": "v*"})
        .json()["create_access_levels"]
    )
    assert keys == {name for name, value in level.items() if name.startswith("deploy") and value is None}


@BOTH
def test_the_same_access_level_is_added_once(fakeplat: Fakeplat, path: str) -> None:
    """A second access level that grants the same is refused, and nothing changes."""
    protect(fakeplat, path)
    ada = fakeplat.as_user("ada")
    before = ada.get(path).json()

    taken = (422, {"message": ["Push access levels access level has already been taken"]})
    body = {"allow_force_push": True, "allowed_to_push": [{"access_level": 40}]}
    assert taken == refusal(fakeplat, "ada", "PATCH", path, json=body)
    merge = (422, {"message": ["Merge access levels access level has already been taken"]})
    assert merge == refusal(fakeplat, "ada", "PATCH", path, json={"allowed_to_merge": [{"access_level": 40}]})
    unknown = (404, {"message": "404 Not found"})
    assert unknown == refusal(fakeplat, "ada", "PATCH", path, json={"allowed_to_push": [{"id": 1}]})
    assert before == ada.get(path).json()


def test_users_and_groups_are_added(fakeplat: Fakeplat) -> None:
    """A user must have access to the project; also who may unprotect is changed."""
    ada = fakeplat.as_user("ada")
    dev, rep = (fakeplat.as_user(name).get("user").json()["id"] for name in ("dev", "root"))
    changed = ada.patch(MASTER, json={"allowed_to_push": [{"user_id": dev}], "unprotect_access_level": 60}).json()

    assert [None, dev] == [access["user_id"] for access in changed["push_access_levels"]]
    assert 60 in [access["access_level"] for access in changed["unprotect_access_levels"]]
    outside = (422, {"message": ["Push access levels user is not a member of the project"]})
    assert outside == outcome(fakeplat.as_user("root").patch(MASTER, json={"allowed_to_push": [{"user_id": rep}]}))


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_ignore_lists(fakeplat: Fakeplat) -> None:
    """Who may push, user by user and level by level, is part of paid tiers."""
    mia = fakeplat.as_user("mia")
    before = mia.get(MASTER).json()

    assert (200, before) == outcome(mia.patch(MASTER, json={"allowed_to_push": [{"access_level": 30}]}))


def test_lists_of_groups_are_created(fakeplat: Fakeplat) -> None:
    """A protected branch of a group is created with lists, which replace the default."""
    body = {"name": "next", "allowed_to_push": [{"access_level": 30}, {"access_level": 60}]}
    created = fakeplat.as_user("ada").post(OF_GROUP, json=body).json()

    assert [30, 60] == push_levels(created)
    assert [40] == [access["access_level"] for access in created["merge_access_levels"]]


@by_release(ACCESS_LEVELS_HAVE_IDS, "shown", {"15.8": False, "15.9": True})
def test_access_levels_have_ids_from_a_release_on(fakeplat: Fakeplat, shown: bool) -> None:
    """Earlier releases do not tell the access levels of a branch apart."""
    (access,) = fakeplat.as_user("mia").get(MASTER).json()["push_access_levels"]
    assert shown == ("id" in access)
