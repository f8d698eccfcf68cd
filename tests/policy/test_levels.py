from collections.abc import Callable

import pytest

from fakeplat.model.levels import Level
from fakeplat.policy.authorization import level_on
from fakeplat.policy.levels import group_level, project_level
from tests.worlds import Site, create_site

Act = Callable[[Site], object]


def member(container: str, level: int, username: str = "dev") -> Act:
    return lambda site: site.member(container, username, level)


def share(container: str, group: str, level: int) -> Act:
    return lambda site: site.share(container, group, level)


def nested() -> Site:
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
        ([member(WORK, 30)], Level.DEVELOPER),
        ([member("outer/inner", 20)], Level.REPORTER),
        ([member("outer", 40)], Level.MAINTAINER),
        ([member("outer", 50)], Level.OWNER),
        ([member("outer", 20), member(WORK, 40)], Level.MAINTAINER),
        ([member(WORK, 10), member("outer", 40)], Level.MAINTAINER),
        ([member("outer", 10), member("outer/inner", 20), member(WORK, 30)], Level.DEVELOPER),
        ([member("beside", 50)], Level.NONE),
        ([member("beside/work", 40)], Level.NONE),
        ([member("friends", 30), share(WORK, "friends", 40)], Level.DEVELOPER),
        ([member("friends", 50), share(WORK, "friends", 20)], Level.REPORTER),
        ([member("friends", 30), share(WORK, "friends", 30)], Level.DEVELOPER),
        ([member("friends", 30), share("outer/inner", "friends", 20)], Level.REPORTER),
        ([member("friends", 50), share("outer", "friends", 40)], Level.MAINTAINER),
        ([member("friends", 40), share(WORK, "friends", 10), member(WORK, 20)], Level.REPORTER),
        ([member("friends", 40), share(WORK, "friends", 30), member(WORK, 20)], Level.DEVELOPER),
        ([member("friends", 40), share(WORK, "beside", 40)], Level.NONE),
        ([member("friends/close", 40), share(WORK, "friends", 40)], Level.NONE),
        ([member("friends", 40), share("beside/work", "friends", 40)], Level.NONE),
    ],
)
def test_the_level_on_a_project_is_the_highest_that_anything_grants(acts: list[Act], level: Level) -> None:
    """Direct, inherited from every group above, or through a share, where the share's own level is the most."""
    site = nested()
    for act in acts:
        act(site)
    assert level == project_level(site.world, site.place(WORK), site.person("dev").id)
    assert level == level_on(site.context("dev"), site.place(WORK))


@pytest.mark.parametrize(
    ("acts", "level"),
    [
        ([], Level.NONE),
        ([member("outer/inner", 30)], Level.DEVELOPER),
        ([member("outer", 50)], Level.OWNER),
        ([member(WORK, 40)], Level.NONE),
        ([member("friends", 40), share("outer", "friends", 20)], Level.REPORTER),
        ([member("friends", 20), share("outer/inner", "friends", 40)], Level.REPORTER),
        ([member("outer", 10), member("outer/inner", 50)], Level.OWNER),
    ],
)
def test_the_level_on_a_group_comes_from_it_from_above_and_from_shares(acts: list[Act], level: Level) -> None:
    """What is inside a group grants nothing on it."""
    site = nested()
    for act in acts:
        act(site)
    assert level == group_level(site.world, site.place("outer/inner"), site.person("dev").id)


@pytest.mark.parametrize(("username", "level"), [("ada", Level.OWNER), ("dev", Level.REPORTER), ("root", Level.OWNER)])
def test_the_owner_of_a_user_namespace_owns_what_is_in_it(username: str, level: Level) -> None:
    """Without any membership; others have what they were given, administrators everything."""
    site = nested()
    site.member("ada/work", "dev", Level.REPORTER)
    assert level == level_on(site.context(username), site.place("ada/work"))


@pytest.mark.parametrize("container", [WORK, "outer/inner", "outer", "ada/work", "ada"])
def test_administrators_own_everything_and_nobody_nothing(container: str) -> None:
    """Whatever their memberships."""
    site = nested()
    assert Level.OWNER == level_on(site.context("root"), site.place(container))
    assert Level.NONE == level_on(site.context(None), site.place(container))


@pytest.mark.parametrize(("username", "level"), [("ada", Level.OWNER), ("dev", Level.NONE)])
def test_a_user_namespace_has_one_owner(username: str, level: Level) -> None:
    """Nobody else has a level on it, also who is a member of a project inside."""
    site = nested()
    site.member("ada/work", "dev", Level.MAINTAINER)
    assert level == level_on(site.context(username), site.place("ada"))


def test_a_level_is_seen_in_the_permissions_of_a_project() -> None:
    """``permissions`` shows the direct and the inherited membership apart, null where there is none."""
    site = create_site()
    site.member("acme", "dev", Level.GUEST)
    permissions = site.get("projects/acme%2Fsite", "dev").json["permissions"]
    assert {"project_access": 30, "group_access": 10} == {
        name: access["access_level"] for name, access in permissions.items()
    }
    assert {"project_access": None, "group_access": None} == site.get("projects/acme%2Fsite", "root").json[
        "permissions"
    ]
