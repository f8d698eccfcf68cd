"""Usernames and paths with special characters. Source: docs/platform/later-releases.md, users_spec.rb."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SLUG_TEXT, SLUGS_ARE_PLAIN
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import Outcome, invalid_record, person, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
TEXT = (
    "can only include non-accented letters, digits, '_', '-' and '.'. "
    "It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."
)
OLD_TEXT = (
    "can only include non-accented letters, digits, '_', '-' and '.'. "
    "It must not start with '-', end in '.', '.git', or '.atom'."
)
ODD = pytest.mark.parametrize("slug", ["_x1", "x1_", "x--1", "x._1", ".x1"])
NEW = {"name": "Grace Hopper", "email": "grace@navy.test", "password": "Vt9xQr4mZk7pLs2d"}


def group_refusal(text: str = TEXT) -> Outcome:
    """Return the refusal of a group's path."""
    return 400, {"message": f'Failed to save group {{:path=>["{text}"]}}'}


@ODD
def test_odd_usernames_are_refused(fakeplat: Fakeplat, slug: str) -> None:
    """A username neither starts nor ends with a special character, nor has two of them in a row."""
    expected = invalid_record(username=[TEXT])
    assert expected == refusal(fakeplat, "root", "POST", "users", json={**NEW, "username": slug})
    path = f"users/{person(fakeplat, 'eve')}"
    assert expected == refusal(fakeplat, "root", "PUT", path, json={"username": slug})


@ODD
def test_odd_paths_of_groups_are_refused(fakeplat: Fakeplat, slug: str) -> None:
    """The path of a group follows the same rule, in a subgroup, too."""
    acme = fakeplat.world.group("acme").id
    assert group_refusal() == refusal(fakeplat, "ada", "POST", "groups", json={"name": "x", "path": slug})
    body = {"name": "x", "path": slug, "parent_id": acme}
    assert group_refusal() == refusal(fakeplat, "ada", "POST", "groups", json=body)


@ODD
def test_odd_paths_of_projects_are_refused(fakeplat: Fakeplat, slug: str) -> None:
    """The path of a project follows the same rule."""
    status, body = refusal(fakeplat, "ada", "POST", "projects", json={"name": "x", "path": slug})
    assert (400, [TEXT]) == (status, body["message"]["path"])


@pytest.mark.parametrize("slug", ["x1", "X.1", "a_b-c.d", "1x"])
def test_plain_slugs_are_accepted(fakeplat: Fakeplat, slug: str) -> None:
    """Single special characters inside are accepted."""
    assert 201 == fakeplat.as_user("root").post("users", json={**NEW, "username": slug}).status
    assert 201 == fakeplat.as_user("ada").post("groups", json={"name": "x", "path": f"{slug}g"}).status
    assert 201 == fakeplat.as_user("ada").post("projects", json={"name": "x", "path": slug}).status


def test_wrong_characters_are_told_twice(fakeplat: Fakeplat) -> None:
    """A username with other characters has the errors of both rules."""
    status, body = refusal(fakeplat, "root", "POST", "users", json={**NEW, "username": "test!"})
    assert (400, 2, TEXT) == (status, len(body["message"]["username"]), body["message"]["username"][1])


@by_release(SLUGS_ARE_PLAIN, "status", {"16.10": 201, "16.11": 400})
def test_odd_slugs_were_accepted(fakeplat: Fakeplat, status: int) -> None:
    """Earlier releases accept such paths."""
    assert status == fakeplat.as_user("ada").post("groups", json={"name": "x", "path": "_x1"}).status


@by_release(SLUG_TEXT, "text", {"16.11": OLD_TEXT, "17.0": TEXT})
def test_the_text_was_shorter(fakeplat: Fakeplat, text: str) -> None:
    """The text names the special characters from 17.0 on."""
    assert group_refusal(text) == refusal(fakeplat, "ada", "POST", "groups", json={"name": "x", "path": "_x1"})
