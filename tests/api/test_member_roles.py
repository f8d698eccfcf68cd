"""Custom roles of the instance. Source: docs/platform/project-members.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ROLE_PERMISSIONS_ARE_CHECKED
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, missing_value, outcome, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="ultimate", version="latest")
PATH = "member_roles"


def create_role(fake: Fakeplat, by: str | None = "root", **fields: Any) -> Outcome:
    return outcome(fake.as_user(by).post(PATH, json={"base_access_level": 10, "read_code": True, **fields}))


def test_a_role_adds_permissions_to_a_level(fakeplat: Fakeplat) -> None:
    """A custom role has the permissions that were sent and belongs to no group."""
    status, role = create_role(fakeplat, name="Reader", description="Reads code")
    permissions = {name for name, value in role.items() if value is True}

    assert (201, {"read_code"}, None, 10) == (status, permissions, role["group_id"], role["base_access_level"])
    assert ("Reader", "Reads code", False) == (role["name"], role["description"], role["remove_project"])
    assert [role] == fakeplat.as_user("root").get(PATH).json()


@pytest.mark.parametrize("name", [None, ""])
def test_the_level_is_the_name_by_default(fakeplat: Fakeplat, name: str | None) -> None:
    """A custom role is named after its level by default."""
    assert "Guest - custom" == create_role(fakeplat, name=name)[1]["name"]


def test_names_are_unique(fakeplat: Fakeplat) -> None:
    """A second role of the same name answers 400."""
    create_role(fakeplat, name="Reader")

    assert (400, {"message": "Name has already been taken"}) == create_role(fakeplat, name="Reader")


@by_release(
    ROLE_PERMISSIONS_ARE_CHECKED,
    "expected",
    {
        "18.8": (201, False),
        "18.9": (400, {"message": "Cannot create a member role with no enabled permissions"}),
    },
)
def test_a_role_adds_permissions(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Later releases create no role without permissions."""
    status, answer = create_role(fakeplat, read_code=False)

    assert expected == (status, answer if status == 400 else answer["read_code"])


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"admin_runners": True}, "Read runners has to be enabled in order to enable Admin runners"),
        ({"manage_protected_tags": True}, "Unknown permission: manage_protected_tags"),
        ({"read_admin_users": True}, "Unknown permission: read_admin_users"),
    ],
)
def test_permissions_are_checked(fakeplat: Fakeplat, fields: dict[str, Any], error: str) -> None:
    """Some permissions need others, some are switched off, and those of administrators are for other roles."""
    assert (400, {"message": error}) == create_role(fakeplat, **fields)
    assert [] == fakeplat.as_user("root").get(PATH).json()


def test_the_level_may_include_what_a_permission_needs(fakeplat: Fakeplat) -> None:
    """Maintainers read runners anyway, so a role of them manages runners without that permission."""
    assert 201 == create_role(fakeplat, base_access_level=40, admin_runners=True)[0]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, missing_value("base_access_level")),
        ({"base_access_level": 1}, "base_access_level does not have a valid value"),
    ],
    ids=["missing", "invalid"],
)
def test_the_level_is_checked(fakeplat: Fakeplat, fields: dict[str, Any], text: str) -> None:
    """A custom role without a valid base access level answers 400."""
    assert invalid(text) == outcome(fakeplat.as_user("root").post(PATH, json=fields))


def test_a_role_is_deleted(fakeplat: Fakeplat) -> None:
    """A second time it is 404."""
    role = create_role(fakeplat)[1]["id"]
    root = fakeplat.as_user("root")

    assert 204 == root.delete(f"{PATH}/{role}").status
    assert [] == root.get(PATH).json()
    assert resource_not_found("Member Role") == outcome(root.delete(f"{PATH}/{role}"))


@pytest.mark.parametrize(("by", "expected"), [("ada", FORBIDDEN), (None, UNAUTHORIZED)], ids=["user", "nobody"])
def test_administrators_alone_manage_roles(fakeplat: Fakeplat, by: str | None, expected: Outcome) -> None:
    """Only administrators list, create and delete custom roles."""
    calls = fakeplat.as_user(by)

    assert [expected] * 3 == [create_role(fakeplat, by), outcome(calls.get(PATH)), outcome(calls.delete(f"{PATH}/1"))]


@pytest.mark.fakeplat(scenario="starter", tier="ultimate", version="latest", hosted=True)
def test_the_hosted_offering_has_no_roles_of_the_instance(fakeplat: Fakeplat) -> None:
    """The hosted offering answers 400 to requests for roles of the instance."""
    refused: Outcome = (400, {"message": "400 Bad request"})

    assert [refused] * 2 == [create_role(fakeplat), outcome(fakeplat.as_user("root").get(PATH))]
