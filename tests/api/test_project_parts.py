"""Lists below a project: starrers, languages, users, groups. Source: docs/platform/projects.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import (
    USER,
)
from tests.api.requests import names, outcome

SITE, DOCS, KIT, NOTES = "acme%2Fsite", "acme%2Fdocs", "acme%2Ftools%2Fkit", "ada%2Fnotes"


# starrers

STARRED = {
    "users": [
        {"username": "ann", "name": "Ann Able"},
        {"username": "ben", "name": "Ben", "private_profile": True},
        {"username": "cora", "name": "Cora"},
    ],
    "projects": [
        {
            "path_with_namespace": "ann/open",
            "visibility": "public",
            "starrers": [
                {"username": "ann", "starred_since": "2020-05-01T10:00:00Z"},
                {"username": "ben"},
                {"username": "cora"},
            ],
        }
    ],
}


@pytest.mark.fakeplat(scenario=STARRED)
@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        (None, "", ["ann", "cora"]),
        ("cora", "", ["ann", "cora"]),
        ("ben", "", ["ann", "ben", "cora"]),
        ("root", "", ["ann", "ben", "cora"]),
        (None, "search=ABLE", ["ann"]),
        (None, "search=cor", ["cora"]),
        (None, "search=nobody", []),
    ],
)
def test_starrers(fakeplat: Fakeplat, viewer: str | None, query: str, expected: list[str]) -> None:
    """Starrers of a project are listed; private profiles only to their users and administrators."""
    rows = fakeplat.as_user(viewer).get(f"projects/ann%2Fopen/starrers?{query}").json()

    assert expected == sorted(row["user"]["username"] for row in rows)


@pytest.mark.fakeplat(scenario=STARRED)
def test_fields_of_a_starrer(fakeplat: Fakeplat) -> None:
    """A starrer is a moment and a user."""
    first = fakeplat.as_user(None).get("projects/ann%2Fopen/starrers?search=ann").json()[0]

    assert ({"starred_since", "user"}, USER) == (set(first), set(first["user"]))
    assert "2020-05-01T10:00:00.000Z" == first["starred_since"]
    assert 3 == fakeplat.as_user(None).get("projects/ann%2Fopen").json()["star_count"]


# languages

LANGUAGES = {
    "users": [{"username": "ann"}],
    "projects": [
        {
            "path_with_namespace": "ann/open",
            "visibility": "public",
            "languages": {"Ruby": 66.69, "Go": 22.98, "C": 10.33},
        },
        {"path_with_namespace": "ann/none", "visibility": "public"},
    ],
}


@pytest.mark.fakeplat(scenario=LANGUAGES)
@pytest.mark.parametrize(("project", "languages"), [("open", {"Ruby": 66.69, "Go": 22.98, "C": 10.33}), ("none", {})])
def test_languages(fakeplat: Fakeplat, project: str, languages: dict[str, float]) -> None:
    """The languages of a project are listed with their shares, the largest first."""
    shares = fakeplat.as_user(None).get(f"projects/ann%2F{project}/languages").json()

    assert list(languages.items()) == list(shares.items())


# users and groups


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"ada", "mia", "dev", "rep", "gus"}),
        ("search=mia", {"mia"}),
        ("search=EXAMPLE", {"ada", "mia", "dev", "rep", "gus"}),
        ("skip_users=2,3", {"dev", "rep", "gus"}),
        ("skip_users[]=2&skip_users[]=3", {"dev", "rep", "gus"}),
    ],
)
def test_users_of_a_project(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """The members, inherited ones too, as six fields each."""
    rows = fakeplat.as_user("gus").get(f"projects/{SITE}/users?{query}").json()

    assert expected == set(names(rows, "username"))
    assert USER == set(rows[0])


GROUPS = {
    "users": [{"username": "ann"}],
    "groups": [
        {
            "path": "red",
            "name": "Red",
            "visibility": "public",
            "members": {"ann": "owner"},
            "groups": [
                {
                    "path": "deep",
                    "name": "Deep",
                    "visibility": "public",
                    "projects": [{"path": "work", "visibility": "public", "shared_with_groups": {"blue": "developer"}}],
                }
            ],
        },
        {"path": "blue", "name": "Blue", "visibility": "private"},
    ],
}


def test_groups_of_a_project_came_after_the_release(fakeplat: Fakeplat) -> None:
    """The groups of a project cannot be listed in release 13.5."""
    assert (404, {"error": "404 Not Found"}) == outcome(fakeplat.as_user("ada").get("projects/acme%2Fsite/groups"))


@pytest.mark.fakeplat(scenario=GROUPS, version="latest")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"red", "red/deep"}),
        ("with_shared=true", {"red", "red/deep", "blue"}),
        ("with_shared=true&shared_min_access_level=30", {"red", "red/deep", "blue"}),
        ("with_shared=true&shared_min_access_level=40", {"red", "red/deep"}),
        ("search=DEE", {"red/deep"}),
    ],
)
def test_groups_of_a_project(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """The groups above it, and on request those that it is shared with: private ones too, the newest first."""
    rows = fakeplat.as_user("ann").get(f"projects/red%2Fdeep%2Fwork/groups?{query}").json()

    assert expected == set(names(rows, "full_path"))
    assert sorted(names(rows, "id"), reverse=True) == names(rows, "id")
    assert {"id", "web_url", "name", "avatar_url", "full_name", "full_path"} == set(rows[0])


@pytest.mark.fakeplat(scenario=GROUPS)
def test_shared_groups_are_listed(fakeplat: Fakeplat) -> None:
    """A project lists the groups that it is shared with."""
    (share,) = fakeplat.as_user("ann").get("projects/red%2Fdeep%2Fwork").json()["shared_with_groups"]
    blue = fakeplat.world.group("blue").id

    assert {
        "group_id": blue,
        "group_name": "Blue",
        "group_full_path": "blue",
        "group_access_level": 30,
        "expires_at": None,
    } == share
