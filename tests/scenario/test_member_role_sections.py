"""Custom roles in scenarios, and back."""

import pytest

from fakeplat.scenario import ScenarioError
from tests.scenario.worlds import create_platform, reload_export

ROLES = [{"name": "Reader", "base_access_level": 10, "read_code": True}, {"base_access_level": 20}]


def test_roles_survive_an_export() -> None:
    """Custom roles keep their permissions after a round trip; a default name is made from the base level."""
    platform = create_platform({"member_roles": ROLES})
    roles = list(reload_export(platform).view.member_roles.all())

    assert list(platform.view.member_roles.all()) == roles
    assert [("Reader", True), ("Reporter - custom", False)] == [(role.name, role.read_code) for role in roles]


def test_unknown_levels_are_refused() -> None:
    """A custom role with an unknown base access level is refused."""
    with pytest.raises(ScenarioError, match="base_access_level"):
        create_platform({"member_roles": [{"base_access_level": 7}]})


def test_a_name_is_used_once() -> None:
    """Two custom roles with the same name are refused, as in the API."""
    with pytest.raises(ScenarioError, match="has already been taken"):
        create_platform({"member_roles": [{"base_access_level": 10}, {"base_access_level": 10}]})


MEMBERS = {
    "member_roles": ROLES,
    "users": [{"username": "ada"}, {"username": "eve"}],
    "groups": [
        {
            "path": "acme",
            "members": [
                {"username": "ada", "access_level": "owner"},
                {"username": "eve", "access_level": 10, "member_role": "Reader"},
            ],
        }
    ],
}


def test_members_with_roles_survive_an_export() -> None:
    """Members keep their custom role, which is referred to by name, after a round trip."""
    platform = create_platform(MEMBERS)
    members = list(platform.view.members.all())

    assert members == list(reload_export(platform).view.members.all())
    (reader, _) = platform.view.member_roles.all()
    assert [None, reader.id] == [member.member_role_id for member in members]


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ({"access_level": 10, "member_role": "Nobody"}, "unknown custom role 'Nobody'"),
        ({"access_level": 20, "member_role": "Reader"}, "base access level does not match"),
    ],
)
def test_the_role_of_a_member_must_fit(member: dict[str, object], text: str) -> None:
    """A member's custom role is refused if it does not exist or has another access level."""
    with pytest.raises(ScenarioError, match=text):
        create_platform({**MEMBERS, "groups": [{"path": "acme", "members": [{"username": "eve", **member}]}]})
