"""Labels of groups in later releases, seen from their projects. Source: docs/platform/labels.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LABELS_OF_GROUPS_NEED_THE_GROUP
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, NOTES, SITE
from tests.api.requests import FORBIDDEN, refusal
from tests.by_release import by_release

RELEASES = {"18.8": False, "18.9": True}
TEAM = {"groups": [{"path": "acme", "projects": [{"path": "site", "members": {"pam": "maintainer"}}]}]}


@pytest.fixture
def label_id(fakeplat: Fakeplat) -> int:
    """A label of the group, in a project whose maintainer pam is no member of the group."""
    fakeplat.load({**COMPANY, "users": [*COMPANY["users"], {"username": "pam"}]})
    fakeplat.load(TEAM)
    return int(fakeplat.as_user("ada").post(f"{ACME}/labels", json={"name": "shared", "color": "red"}).json()["id"])


@by_release(LABELS_OF_GROUPS_NEED_THE_GROUP, "is_refused", RELEASES)
def test_labels_of_groups_are_changed_with_a_right_in_the_group(
    fakeplat: Fakeplat, label_id: int, is_refused: bool
) -> None:
    """Through a project, only the priority of a group's label needs no right in the group."""
    path, pam = f"{SITE}/labels/{label_id}", fakeplat.as_user("pam")

    assert 5 == pam.put(path, json={"priority": 5}).json()["priority"]
    assert 5 == pam.put(f"{SITE}/labels", json={"label_id": label_id, "priority": 5}).json()["priority"]
    if is_refused:
        for changes in ({"new_name": "mine"}, {"color": "blue", "priority": 1}):
            assert FORBIDDEN == refusal(fakeplat, "pam", "PUT", path, json=changes)
            assert FORBIDDEN == refusal(fakeplat, "pam", "PUT", f"{SITE}/labels", json={"name": "shared", **changes})
        assert FORBIDDEN == refusal(fakeplat, "pam", "DELETE", path)
        assert FORBIDDEN == refusal(fakeplat, "pam", "DELETE", f"{SITE}/labels", json={"label_id": label_id})
    else:
        assert "mine" == pam.put(path, json={"new_name": "mine"}).json()["name"]
        assert 204 == pam.delete(path).status
        return
    assert "ours" == fakeplat.as_user("dev").put(path, json={"new_name": "ours", "priority": 2}).json()["name"]
    assert 204 == fakeplat.as_user("rep").delete(path).status


@by_release(LABELS_OF_GROUPS_NEED_THE_GROUP, "is_refused", RELEASES)
@pytest.mark.usefixtures("label_id")
def test_labels_are_promoted_with_a_right_in_the_group(fakeplat: Fakeplat, is_refused: bool) -> None:
    """Whoever promotes a label creates one of the group, which later needs a right there."""
    pam = fakeplat.as_user("pam")
    pam.post(f"{SITE}/labels", json={"name": "bug", "color": "red"})

    if is_refused:
        for name in ("bug", "nothing"):
            assert FORBIDDEN == refusal(fakeplat, "pam", "PUT", f"{SITE}/labels/promote", json={"name": name})
            assert FORBIDDEN == refusal(fakeplat, "pam", "PUT", f"{SITE}/labels/{name}/promote")
        assert "bug" == fakeplat.as_user("rep").put(f"{SITE}/labels/bug/promote").json()["name"]
    else:
        assert "bug" == pam.put(f"{SITE}/labels/bug/promote").json()["name"]
    failed = (400, {"message": "Failed to promote project label to group label"})
    fakeplat.as_user("ada").post(f"{NOTES}/labels", json={"name": "bug", "color": "red"})
    assert failed == refusal(fakeplat, "ada", "PUT", f"{NOTES}/labels/bug/promote")
