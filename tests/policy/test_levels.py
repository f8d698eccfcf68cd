from collections.abc import Callable

import pytest

from fakeplat.model.people import Level
from fakeplat.policy.authorization import level_on
from fakeplat.policy.levels import group_level, project_level
from tests.worlds import Site, create_site

Act = Callable[[Site], object]


def build_member_change(container: str, level: int, username: str = "dev") -> Act:
    return lambda site: site.member(container, username, level)


def build_share_change(container: str, group: str, level: int) -> Act:
    return lambda site: site.share(container, group, level)


def create_nested_groups() -> Site:
    """Groups outer, outer/inner and beside, a project in each, and a group that others can be shared with."""
    site = Site()
    for username in ("ada", "dev"):
        site.user(username)
    for path in ("outer", "outer/inner", "beside", "friends", "friends/close"):
        site.group(path)
    for path in ("outer/inner/work", "beside/work", "ada/work"):
        site.project(path, creator="ada" if path == "ada/work" else "root")
    return site


WORK = "outer/inner/work"


@pytest.mark.parametrize(
    ("acts", "level"),
    [
        ([], Level.NONE),
        ([build_member_change(WORK, 30)], Level.DEVELOPER),
        ([build_member_change("outer/inner", 20)], Level.REPORTER),
        ([build_member_change("outer", 40)], Level.MAINTAINER),
        ([build_member_change("outer", 50)], Level.OWNER),
        ([build_member_change("outer", 20), build_member_change(WORK, 40)], Level.MAINTAINER),
        ([build_member_change(WORK, 10), build_member_change("outer", 40)], Level.MAINTAINER),
        (
            [build_member_change("outer", 10), build_member_change("outer/inner", 20), build_member_change(WORK, 30)],
            Level.DEVELOPER,
        ),
        ([build_member_change("beside", 50)], Level.NONE),
        ([build_member_change("beside/work", 40)], Level.NONE),
        ([build_member_change("friends", 30), build_share_change(WORK, "friends", 40)], Level.DEVELOPER),
        ([build_member_change("friends", 50), build_share_change(WORK, "friends", 20)], Level.REPORTER),
        ([build_member_change("friends", 30), build_share_change(WORK, "friends", 30)], Level.DEVELOPER),
        ([build_member_change("friends", 30), build_share_change("outer/inner", "friends", 20)], Level.REPORTER),
        ([build_member_change("friends", 50), build_share_change("outer", "friends", 40)], Level.MAINTAINER),
        (
            [
                build_member_change("friends", 40),
                build_share_change(WORK, "friends", 10),
                build_member_change(WORK, 20),
            ],
            Level.REPORTER,
        ),
        (
            [
                build_member_change("friends", 40),
                build_share_change(WORK, "friends", 30),
                build_member_change(WORK, 20),
            ],
            Level.DEVELOPER,
        ),
        ([build_member_change("friends", 40), build_share_change(WORK, "beside", 40)], Level.NONE),
        ([build_member_change("friends/close", 40), build_share_change(WORK, "friends", 40)], Level.NONE),
        ([build_member_change("friends", 40), build_share_change("beside/work", "friends", 40)], Level.NONE),
    ],
)
def test_the_level_on_a_project_is_the_highest_that_anything_grants(acts: list[Act], level: Level) -> None:
    """The level on a project is the highest one granted by direct, inherited and shared memberships."""
    site = create_nested_groups()
    for change in acts:
        change(site)
    assert level == project_level(site.world, site.place(WORK), site.person("dev").id)
    assert level == level_on(site.context("dev"), site.place(WORK))


@pytest.mark.parametrize(
    ("acts", "level"),
    [
        ([], Level.NONE),
        ([build_member_change("outer/inner", 30)], Level.DEVELOPER),
        ([build_member_change("outer", 50)], Level.OWNER),
        ([build_member_change(WORK, 40)], Level.NONE),
        ([build_member_change("friends", 40), build_share_change("outer", "friends", 20)], Level.REPORTER),
        ([build_member_change("friends", 20), build_share_change("outer/inner", "friends", 40)], Level.REPORTER),
        ([build_member_change("outer", 10), build_member_change("outer/inner", 50)], Level.OWNER),
    ],
)
def test_the_level_on_a_group_comes_from_it_from_above_and_from_shares(acts: list[Act], level: Level) -> None:
    """The level on a group comes from the group, its ancestors and shares, not from what is inside it."""
    site = create_nested_groups()
    for change in acts:
        change(site)
    assert level == group_level(site.world, site.place("outer/inner"), site.person("dev").id)


@pytest.mark.parametrize(("username", "level"), [("ada", Level.OWNER), ("dev", Level.REPORTER), ("root", Level.OWNER)])
def test_the_owner_of_a_user_namespace_owns_what_is_in_it(username: str, level: Level) -> None:
    """The owner of a user namespace and administrators own its projects; others have their memberships."""
    site = create_nested_groups()
    site.member("ada/work", "dev", Level.REPORTER)
    assert level == level_on(site.context(username), site.place("ada/work"))


@pytest.mark.parametrize("container", [WORK, "outer/inner", "outer", "ada/work", "ada"])
def test_administrators_own_everything_and_nobody_nothing(container: str) -> None:
    """Administrators have the level Owner everywhere, and anonymous callers have none."""
    site = create_nested_groups()
    assert Level.OWNER == level_on(site.context("root"), site.place(container))
    assert Level.NONE == level_on(site.context(None), site.place(container))


@pytest.mark.parametrize(("username", "level"), [("ada", Level.OWNER), ("dev", Level.NONE)])
def test_a_user_namespace_has_one_owner(username: str, level: Level) -> None:
    """Only its owner has a level on a user namespace, not the members of its projects."""
    site = create_nested_groups()
    site.member("ada/work", "dev", Level.MAINTAINER)
    assert level == level_on(site.context(username), site.place("ada"))


def test_a_level_is_seen_in_the_permissions_of_a_project() -> None:
    """``permissions`` shows the direct and the inherited membership separately, null where there is none."""
    site = create_site()
    site.member("acme", "dev", Level.GUEST)
    permissions = site.get("projects/acme%2Fsite", "dev").json["permissions"]
    assert {"project_access": 30, "group_access": 10} == {
        name: access["access_level"] for name, access in permissions.items()
    }
    assert {"project_access": None, "group_access": None} == site.get("projects/acme%2Fsite", "root").json[
        "permissions"
    ]
