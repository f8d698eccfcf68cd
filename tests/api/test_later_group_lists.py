"""What later releases show and find of groups. Source: docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    GROUPS_ARE_FOUND_BELOW_OTHERS,
    PROJECTS_BY_STARS,
    SHARES_ARE_AS_VISIBLE_AS_GROUPS,
)
from tests.api.requests import names
from tests.by_release import by_release


@by_release(GROUPS_ARE_FOUND_BELOW_OTHERS, "found", {"15.10": ["acme"], "15.11": ["acme", "acme/tools"]})
@pytest.mark.parametrize("text", ["acme", "Acme"])
def test_groups_are_found_by_those_above(fakeplat: Fakeplat, text: str, found: list[str]) -> None:
    """A search among all groups finds those below a group of that name."""
    assert found == names(fakeplat.as_user("ada").get(f"groups?search={text}").json(), "full_path")


@pytest.mark.fakeplat(version="latest")
def test_groups_are_found_by_their_full_name(fakeplat: Fakeplat) -> None:
    """A search among all groups looks at full paths and full names; one among subgroups does not."""
    ada = fakeplat.as_user("ada")
    for text in ("acme/tools", "Acme / Tools"):
        assert ["acme/tools"] == names(ada.get("groups", params={"search": text}).json(), "full_path")
    for path in ("subgroups", "descendant_groups"):
        assert [] == ada.get(f"groups/acme/{path}?search=acme").json()


@by_release(SHARES_ARE_AS_VISIBLE_AS_GROUPS, "is_shown", {"17.10": True, "17.11": False})
@pytest.mark.parametrize("path", ["groups/acme", "projects/acme%2Fdocs"])
def test_shares_are_as_visible_as_their_groups(fakeplat: Fakeplat, path: str, is_shown: bool) -> None:
    """Whoever does not see a group does not see that something is shared with it."""
    fakeplat.load({"groups": [{"path": "secret", "visibility": "private", "members": {"ada": "guest"}}]})
    body = {"group_id": fakeplat.world.group("secret").id, "group_access": 20}
    fakeplat.as_user("ada").post(f"{path}/share", json=body)

    def list_shares(username: str) -> list[str]:
        return names(fakeplat.as_user(username).get(path).json()["shared_with_groups"], "group_full_path")

    assert ["secret"] == list_shares("ada") == list_shares("root")
    assert (["secret"] if is_shown else []) == list_shares("eve")


@by_release(PROJECTS_BY_STARS, "status", {"17.10": 400, "17.11": 200})
def test_shared_projects_by_stars(fakeplat: Fakeplat, status: int) -> None:
    """Projects that are shared with a group are ordered by their stars, too."""
    fakeplat.load({"groups": [{"path": "partners", "members": {"ada": "owner"}}]})
    body = {"group_id": fakeplat.world.group("partners").id, "group_access": 20}
    for path in ("acme%2Fdocs", "acme%2Ftools%2Fkit"):
        fakeplat.as_user("ada").post(f"projects/{path}/share", json=body)
    fakeplat.as_user("ada").post("projects/acme%2Fdocs/star")
    reply = fakeplat.as_user("ada").get("groups/partners/projects/shared?order_by=star_count")

    assert status == reply.status
    if status == 200:
        assert ["docs", "kit"] == names(reply.json(), "path")
