"""Limits of the downloads of projects of top-level groups. Source: docs/platform/groups.md."""

from typing import Any, Final

import pytest

from fakeplat.domain.groups.download_limits import FIELDS, FLAG
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GROUPS_LIMIT_DOWNLOADS
from tests.api.requests import invalid_record, person, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate")
ACME: Final = "groups/acme"
LIMITS: Final = {
    "unique_project_download_limit": 10,
    "unique_project_download_limit_interval_in_seconds": 600,
    "unique_project_download_limit_allowlist": ["eve"],
    "auto_ban_user_on_excessive_projects_download": True,
}
UNLIMITED: Final = {
    "unique_project_download_limit": 0,
    "unique_project_download_limit_interval_in_seconds": 0,
    "unique_project_download_limit_allowlist": [],
    "auto_ban_user_on_excessive_projects_download": False,
}


def shown(fakeplat: Fakeplat, user: str = "ada", path: str = ACME) -> dict[str, Any]:
    """Return the limits that a user sees, without the list of those who are told."""
    body = fakeplat.as_user(user).get(path).json()
    return {name: body[name] for name in body if name in LIMITS}


def change(fakeplat: Fakeplat, path: str = ACME) -> None:
    """Set all limits of a group."""
    assert 200 == fakeplat.as_user("ada").put(path, json=LIMITS).status


def test_owners_see_and_change_limits(fakeplat: Fakeplat) -> None:
    """Owners of top-level groups set the limits and see them; there is none before."""
    assert UNLIMITED == shown(fakeplat)
    change(fakeplat)
    assert LIMITS == shown(fakeplat)


def test_usernames_are_separated_by_commas(fakeplat: Fakeplat) -> None:
    """The list of usernames is also one text."""
    sent = {"unique_project_download_limit_allowlist": "ada,eve"}
    assert ["ada", "eve"] == fakeplat.as_user("ada").put(ACME, json=sent).json()[next(iter(sent))]


def test_owners_are_told_by_default(fakeplat: Fakeplat) -> None:
    """An empty list of those who are told stands for the owners; a list stands for itself."""
    name = "unique_project_download_limit_alertlist"
    ada, eve = (person(fakeplat, username) for username in ("ada", "eve"))
    assert [ada] == fakeplat.as_user("ada").get(ACME).json()[name]
    assert [eve] == fakeplat.as_user("ada").put(ACME, json={name: [eve]}).json()[name]
    assert [ada] == fakeplat.as_user("ada").put(ACME, json={name: []}).json()[name]


@pytest.mark.parametrize("username", ["eve", None])
def test_others_see_no_limits(fakeplat: Fakeplat, username: str | None) -> None:
    """Who may not change a group does not see its limits."""
    assert not set(FIELDS) & set(fakeplat.as_user(username).get(ACME).json())


def test_subgroups_have_no_limits(fakeplat: Fakeplat) -> None:
    """Subgroups neither take nor show limits."""
    change(fakeplat, "groups/acme%2Ftools")
    assert {} == shown(fakeplat, path="groups/acme%2Ftools")


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_limits_are_of_ultimate(fakeplat: Fakeplat) -> None:
    """Groups of lower tiers take none and show none."""
    change(fakeplat)
    assert {} == shown(fakeplat)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"unique_project_download_limit": -1}, "must be greater than or equal to 0"),
        ({"unique_project_download_limit": 10_001}, "must be less than or equal to 10000"),
        (
            {"unique_project_download_limit_interval_in_seconds": 864_001},
            "must be less than or equal to 864000",
        ),
        (
            {"unique_project_download_limit_allowlist": ["eve", "nobody"]},
            "should be an array of existing usernames. nobody does not exist",
        ),
        (
            {"unique_project_download_limit_alertlist": [987_654]},
            "should be an array of existing user ids. 987654 does not exist",
        ),
    ],
)
def test_wrong_limits_are_refused(fakeplat: Fakeplat, sent: dict[str, Any], text: str) -> None:
    """Limits have bounds, and their lists have users."""
    (name,) = sent
    expected = invalid_record(**{f"namespace_settings.{name}": [text]})
    assert expected == refusal(fakeplat, "ada", "PUT", ACME, json=sent)


def test_lists_have_a_length(fakeplat: Fakeplat) -> None:
    """A list has at most a hundred users."""
    sent = {"unique_project_download_limit_allowlist": ["eve"] * 101}
    _, body = refusal(fakeplat, "ada", "PUT", ACME, json=sent)
    (texts,) = body["message"].values()
    assert ["exceeds maximum length (100 usernames)"] == texts


@by_release(GROUPS_LIMIT_DOWNLOADS, "limits", {"17.11": {}, "18.0": UNLIMITED})
def test_limits_came_with_a_release(fakeplat: Fakeplat, limits: dict[str, Any]) -> None:
    """Without the feature, earlier releases show none."""
    assert limits == shown(fakeplat)


@pytest.mark.fakeplat(version="17.11", tier="ultimate")
def test_a_feature_turned_limits_on(fakeplat: Fakeplat) -> None:
    """Before, a feature turns the limits on."""
    root = fakeplat.as_user("root")
    assert 201 == root.post(f"features/{FLAG}", json={"value": "true", "group": "acme"}).status
    change(fakeplat)
    assert LIMITS == shown(fakeplat)
