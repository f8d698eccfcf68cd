"""Single projects.

Source: docs/platform/projects.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import (
    ADMINISTERED,
    FLAG,
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    OF_CODE,
    PLATFORM_FULL,
    PROJECT_FULL,
    PROJECT_PAID,
    PROJECT_SIMPLE,
    TEXT,
    list_mistyped_fields,
)
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, person, refusal, resource_not_found

SITE, DOCS, KIT, NOTES = "acme%2Fsite", "acme%2Fdocs", "acme%2Ftools%2Fkit", "ada%2Fnotes"
MEMBER_VIEW = PROJECT_FULL | {"permissions"}


@pytest.mark.parametrize(
    ("viewer", "project", "fields"),
    [
        (None, DOCS, PROJECT_SIMPLE),
        ("eve", DOCS, MEMBER_VIEW),
        ("dev", SITE, MEMBER_VIEW),
        ("mia", SITE, MEMBER_VIEW | ADMINISTERED),
        ("ada", SITE, MEMBER_VIEW | ADMINISTERED),
        ("root", SITE, MEMBER_VIEW | ADMINISTERED),
        ("ada", NOTES, MEMBER_VIEW | ADMINISTERED | {"owner"}),
        ("gus", f"{SITE}?statistics=true", MEMBER_VIEW - OF_CODE),
        ("rep", f"{SITE}?statistics=true", MEMBER_VIEW | {"statistics"}),
        ("gus", f"{SITE}?license=true", (MEMBER_VIEW | {"license", "license_url"}) - OF_CODE),
        ("gus", f"{SITE}?with_custom_attributes=true", MEMBER_VIEW - OF_CODE),
        ("root", f"{SITE}?with_custom_attributes=true", MEMBER_VIEW | ADMINISTERED | {"custom_attributes"}),
    ],
)
def test_the_viewer_decides_which_fields_a_project_has(
    fakeplat: Fakeplat, viewer: str | None, project: str, fields: set[str]
) -> None:
    """The role of the caller decides which fields a single project has."""
    assert fields == set(fakeplat.as_user(viewer).get(f"projects/{project}").json())


@pytest.mark.parametrize(
    ("viewer", "project", "access", "expected_fields"),
    [
        ("gus", SITE, "enabled", set()),
        ("rep", SITE, "enabled", OF_CODE),
        (None, DOCS, "enabled", {"default_branch"}),
        (None, DOCS, "private", set()),
        ("eve", DOCS, "private", set()),
        ("gus", DOCS, "private", OF_CODE),
        ("rep", DOCS, "private", OF_CODE),
        ("root", DOCS, "disabled", set()),
    ],
)
def test_fields_about_the_code_require_the_right_to_read_it(
    fakeplat: Fakeplat, viewer: str | None, project: str, access: str, expected_fields: set[str]
) -> None:
    """Fields about the code are shown only to those who may read it."""
    fakeplat.as_user("ada").put(f"projects/{project}", json={"repository_access_level": access})
    calls = fakeplat.as_user(viewer)
    (listed,) = calls.get(f"projects?search={project.partition('%2F')[2]}").json()

    assert expected_fields == OF_CODE & set(calls.get(f"projects/{project}").json())
    assert expected_fields == OF_CODE & set(listed)


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_show_more_of_a_single_project(fakeplat: Fakeplat) -> None:
    """The fields of paid tiers stand on a single project too."""
    assert MEMBER_VIEW | PROJECT_PAID == set(fakeplat.as_user("dev").get(f"projects/{SITE}").json())


def test_fields_have_the_types_of_the_specification(fakeplat: Fakeplat) -> None:
    """Identities are numbers and texts, switches are booleans, lists are lists."""
    types = {
        **dict.fromkeys(("id", "star_count", "forks_count", "open_issues_count", "ci_default_git_depth"), (NUMBER,)),
        **dict.fromkeys(("creator_id",), (NUMBER, NULL)),
        **dict.fromkeys(("description", "default_branch", "avatar_url", "readme_url"), (TEXT, NULL)),
        **dict.fromkeys(("name", "name_with_namespace", "path", "path_with_namespace", "web_url"), (TEXT,)),
        **dict.fromkeys(("ssh_url_to_repo", "http_url_to_repo", "created_at", "last_activity_at"), (TEXT,)),
        **dict.fromkeys(("visibility", "merge_method", "import_status", "runners_token"), (TEXT,)),
        **dict.fromkeys(("tag_list", "shared_with_groups"), (LIST,)),
        **dict.fromkeys(("namespace", "_links", "permissions", "container_expiration_policy"), (OBJECT,)),
        **dict.fromkeys(("archived", "issues_enabled", "jobs_enabled", "public_jobs", "empty_repo"), (FLAG,)),
        **dict.fromkeys(("lfs_enabled", "shared_runners_enabled", "can_create_merge_request_in"), (FLAG,)),
    }
    assert {} == list_mistyped_fields(fakeplat.as_user("ada").get(f"projects/{SITE}").json(), types)


def test_values_of_a_project(fakeplat: Fakeplat) -> None:
    """Names and addresses of a project in a group, under the origin that the client used."""
    project = fakeplat.as_user("dev").get(f"projects/{SITE}").json()
    api = f"{fakeplat.url}/api/v4/projects/{project['id']}"
    expected = {
        "name": "Site",
        "path": "site",
        "name_with_namespace": "Acme / Site",
        "path_with_namespace": "acme/site",
        "web_url": f"{fakeplat.url}/acme/site",
        "http_url_to_repo": f"{fakeplat.url}/acme/site.git",
        "visibility": "private",
        "archived": False,
        "build_timeout": 3600,
        "auto_cancel_pending_pipelines": "enabled",
        "marked_for_deletion_at": None,
        "marked_for_deletion_on": None,
        "merge_method": "merge",
        "_links": {
            "self": api,
            "issues": f"{api}/issues",
            "merge_requests": f"{api}/merge_requests",
            "repo_branches": f"{api}/repository/branches",
            "labels": f"{api}/labels",
            "events": f"{api}/events",
            "members": f"{api}/members",
        },
    }

    assert expected == {name: project[name] for name in expected}
    namespace = {
        name: project["namespace"][name] for name in ("name", "path", "kind", "full_path", "parent_id", "web_url")
    }
    assert {
        "name": "Acme",
        "path": "acme",
        "kind": "group",
        "full_path": "acme",
        "parent_id": None,
        "web_url": f"{fakeplat.url}/groups/acme",
    } == namespace


@pytest.mark.parametrize("feature", ["issues", "merge_requests"])
def test_links_of_closed_features_are_left_out(fakeplat: Fakeplat, feature: str) -> None:
    """The links issues and merge_requests stand only where the feature is open."""
    fakeplat.as_user("ada").put(f"projects/{SITE}", json={f"{feature}_access_level": "disabled"})
    project = fakeplat.as_user("ada").get(f"projects/{SITE}").json()

    assert feature not in project["_links"]
    assert not project[f"{feature}_enabled"]


def test_the_owner_of_a_users_project(fakeplat: Fakeplat) -> None:
    """A project in a user's namespace names its owner."""
    owner = fakeplat.as_user("ada").get(f"projects/{NOTES}").json()["owner"]

    assert (person(fakeplat, "ada"), "Ada Example") == (owner["id"], owner["name"])
    assert "created_at" in owner


def test_statistics_contain_all_sizes(fakeplat: Fakeplat) -> None:
    """The statistics count commits and bytes."""
    sizes = {"storage", "repository", "wiki", "lfs_objects", "job_artifacts", "packages", "snippets"}
    statistics = fakeplat.as_user("rep").get(f"projects/{SITE}?statistics=true").json()["statistics"]

    assert {"commit_count", *(f"{size}_size" for size in sizes)} == set(statistics)


def build_access(level: int) -> dict[str, int]:
    return {"access_level": level, "notification_level": 3}


@pytest.mark.parametrize(
    ("viewer", "project", "own", "by_group"),
    [
        ("eve", DOCS, None, None),
        ("root", SITE, None, None),
        ("gus", SITE, None, build_access(10)),
        ("ada", SITE, None, build_access(50)),
        ("dev", KIT, None, build_access(30)),
        ("ada", NOTES, build_access(40), None),
    ],
)
def test_permissions_name_what_memberships_grant(
    fakeplat: Fakeplat, viewer: str, project: str, own: Any, by_group: Any
) -> None:
    """The caller's own membership and the one in the groups above, each null where there is none."""
    expected = {"project_access": own, "group_access": by_group}

    assert expected == fakeplat.as_user(viewer).get(f"projects/{project}").json()["permissions"]


# where there is none

BELOW = ["", "/starrers", "/languages", "/users", pytest.param("/groups", marks=pytest.mark.fakeplat(version="latest"))]


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize(
    ("viewer", "reference"),
    [
        (None, "9999"),
        ("root", "9999"),
        ("root", "acme%2Fnothing"),
        ("root", "site"),
        (None, SITE),
        (None, KIT),
        ("eve", SITE),
        ("ext", KIT),
        ("mia", NOTES),
    ],
)
def test_a_project_is_not_found(fakeplat: Fakeplat, viewer: str | None, reference: str, below: str) -> None:
    """Missing and hidden projects are not found alike."""
    assert resource_not_found("Project") == refusal(fakeplat, viewer, "GET", f"projects/{reference}{below}")


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize(("viewer", "reference"), [(None, DOCS), ("eve", KIT), ("gus", SITE), ("root", NOTES)])
def test_a_project_is_found_by_id_or_path(fakeplat: Fakeplat, viewer: str | None, reference: str, below: str) -> None:
    """A project is found by id or encoded path in any case."""
    calls, id_ = fakeplat.as_user(viewer), fakeplat.world.project(reference.replace("%2F", "/")).id

    for way in (reference, reference.upper(), id_):
        assert 200 == calls.get(f"projects/{way.replace('%2f', '%2F') if isinstance(way, str) else way}{below}").status
    assert 200 == calls.head(f"projects/{id_}{below}").status


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"projects/{DOCS}?statistics=much", invalid("statistics is invalid")),
        (f"projects/{DOCS}?license=MIT", invalid("license is invalid")),
        ("projects/9999?statistics=much", invalid("statistics is invalid")),
        (f"projects/{DOCS}/starrers?page=x", invalid("page is invalid")),
        (f"projects/{DOCS}/users?skip_users=x", invalid("skip_users is invalid")),
        pytest.param(
            f"projects/{DOCS}/groups?shared_min_access_level=x",
            invalid("shared_min_access_level is invalid"),
            marks=pytest.mark.fakeplat(version="latest"),
        ),
    ],
)
def test_parameters_that_cannot_be(fakeplat: Fakeplat, path: str, expected: Outcome) -> None:
    """Parameters are checked before the project is looked for."""
    assert expected == refusal(fakeplat, "ada", "GET", path)


@pytest.mark.fakeplat(
    scenario={
        "users": [{"username": "ann"}, {"username": "ben"}],
        "projects": [
            {"path_with_namespace": "ann/secret", "visibility": "private"},
            {"path_with_namespace": "ben/copy", "visibility": "public", "forked_from_project": "ann/secret"},
        ],
    }
)
@pytest.mark.parametrize(("viewer", "is_shown"), [("ann", True), ("root", True), ("ben", False)])
def test_the_parent_of_a_fork(fakeplat: Fakeplat, viewer: str, is_shown: bool) -> None:
    """The parent stands, in the simple view, on forks whose parent the caller may read."""
    fork = fakeplat.as_user(viewer).get("projects/ben%2Fcopy").json()

    assert is_shown == ("forked_from_project" in fork)
    if is_shown:
        assert PROJECT_SIMPLE == set(fork["forked_from_project"])
        assert 1 == fakeplat.as_user("ann").get("projects/ann%2Fsecret").json()["forks_count"]


def test_a_blocked_user_reads_nothing(fakeplat: Fakeplat) -> None:
    """A blocked user's token opens not even a public project."""
    status, body = refusal(fakeplat, "bob", "GET", f"projects/{DOCS}")

    assert (FORBIDDEN[0], "403 Forbidden - Your account has been blocked.") == (status, body["message"])
    assert 200 == outcome(fakeplat.as_user(None).get(f"projects/{DOCS}"))[0]


# the platform's fields


@pytest.mark.fakeplat(documented=False)
@pytest.mark.parametrize(
    ("viewer", "fields"),
    [
        ("dev", PLATFORM_FULL | {"permissions"}),
        ("root", PLATFORM_FULL | ADMINISTERED | {"permissions", "repository_storage"}),
    ],
)
def test_the_fields_of_a_free_project_on_the_platform(fakeplat: Fakeplat, viewer: str, fields: set[str]) -> None:
    """On the platform's free tier a project has other fields (ruling 32)."""
    assert fields == set(fakeplat.as_user(viewer).get(f"projects/{SITE}").json())


@pytest.mark.fakeplat(documented=False, tier="premium")
def test_paid_projects_show_on_the_platform_when_they_go(fakeplat: Fakeplat) -> None:
    """Paid tiers have the marks on both sides of ruling 32."""
    assert MEMBER_VIEW | PROJECT_PAID == set(fakeplat.as_user("dev").get(f"projects/{SITE}").json())


@pytest.mark.fakeplat(documented=False)
def test_the_owner_of_a_users_project_on_the_platform(fakeplat: Fakeplat) -> None:
    """The six fields of a user."""
    owner = fakeplat.as_user("ada").get(f"projects/{NOTES}").json()["owner"]

    assert {"id", "name", "username", "state", "avatar_url", "web_url"} == set(owner)


@pytest.mark.fakeplat(documented=False)
def test_the_statistics_of_a_group_on_the_platform(fakeplat: Fakeplat) -> None:
    """On the platform a group's statistics leave out packages."""
    sizes = {"storage", "repository", "wiki", "lfs_objects", "job_artifacts", "snippets"}
    statistics = fakeplat.as_user("root").get("groups?statistics=true").json()[0]["statistics"]

    assert {f"{size}_size" for size in sizes} == set(statistics)
