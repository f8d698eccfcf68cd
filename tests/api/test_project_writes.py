"""Creating and changing projects. Source: docs/platform/projects.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import ADMINISTERED, PROJECT_FULL
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    person,
    refusal,
    resource_not_found,
)

SITE, DOCS, NOTES = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/ada%2Fnotes"
TAKEN = ["has already been taken"]


def get_group_id(fake: Fakeplat, path: str) -> int:
    return int(fake.world.group(path).id)


# making one


def test_a_new_project_has_the_full_view(fakeplat: Fakeplat) -> None:
    """Making a project answers 201 with all fields but the permissions."""
    reply = fakeplat.as_user("eve").post("projects", json={"name": "New Work"})
    project = reply.json()
    expected = {
        "name": "New Work",
        "path": "new-work",
        "path_with_namespace": "eve/new-work",
        "visibility": "private",
        "creator_id": person(fakeplat, "eve"),
        "default_branch": None,
        "empty_repo": True,
        "archived": False,
        "star_count": 0,
        "forks_count": 0,
        "open_issues_count": 0,
        "tag_list": [],
        "shared_with_groups": [],
    }

    assert (201, PROJECT_FULL | ADMINISTERED | {"owner"}) == (reply.status, set(project))
    assert expected == {name: project[name] for name in expected}


@pytest.mark.parametrize(
    ("given", "name", "path"),
    [
        ({"name": "New Work"}, "New Work", "new-work"),
        ({"path": "work"}, "work", "work"),
        ({"name": "New Work", "path": "Other.Path"}, "New Work", "Other.Path"),
        ({"name": "A - B"}, "A - B", "a-b"),
        ({"name": "Größe"}, "Größe", "grosse"),
        ({"name": "Ærø 2.0"}, "Ærø 2.0", "aero-2-0"),
        ({"name": "a日b"}, "a日b", "a-b"),
        ({"name": "_A_ B -"}, "_A_ B -", "_a_-b"),
    ],
)
def test_name_and_path_default_to_each_other(fakeplat: Fakeplat, given: dict[str, str], name: str, path: str) -> None:
    """The path comes from the name, and the name from the path."""
    project = fakeplat.as_user("eve").post("projects", json=given).json()

    assert (name, path) == (project["name"], project["path"])


ATTRIBUTES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"description": "About it"}, {"description": "About it"}),
    ({"visibility": "internal"}, {"visibility": "internal"}),
    ({"visibility": "public"}, {"visibility": "public"}),
    ({"tag_list": "a, b"}, {"tag_list": ["a", "b"]}),
    ({"tag_list": ["a", "b"]}, {"tag_list": ["a", "b"]}),
    ({"issues_enabled": False}, {"issues_enabled": False, "issues_access_level": "disabled"}),
    ({"issues_access_level": "private"}, {"issues_enabled": True, "issues_access_level": "private"}),
    ({"merge_requests_enabled": False}, {"merge_requests_access_level": "disabled"}),
    ({"wiki_enabled": False}, {"wiki_access_level": "disabled"}),
    ({"jobs_enabled": False}, {"jobs_enabled": False, "builds_access_level": "disabled"}),
    ({"snippets_enabled": False}, {"snippets_access_level": "disabled"}),
    ({"pages_access_level": "public"}, {"pages_access_level": "public"}),
    ({"merge_method": "ff"}, {"merge_method": "ff"}),
    ({"merge_method": "rebase_merge"}, {"merge_method": "rebase_merge"}),
    ({"only_allow_merge_if_pipeline_succeeds": True}, {"only_allow_merge_if_pipeline_succeeds": True}),
    (
        {"only_allow_merge_if_all_discussions_are_resolved": True},
        {"only_allow_merge_if_all_discussions_are_resolved": True},
    ),
    ({"allow_merge_on_skipped_pipeline": True}, {"allow_merge_on_skipped_pipeline": True}),
    ({"remove_source_branch_after_merge": False}, {"remove_source_branch_after_merge": False}),
    ({"resolve_outdated_diff_discussions": True}, {"resolve_outdated_diff_discussions": True}),
    ({"request_access_enabled": False}, {"request_access_enabled": False}),
    ({"lfs_enabled": False}, {"lfs_enabled": False}),
    ({"shared_runners_enabled": False}, {"shared_runners_enabled": False}),
    ({"container_registry_enabled": False}, {"container_registry_enabled": False}),
    ({"public_builds": False}, {"public_jobs": False}),
    ({"build_git_strategy": "clone"}, {"build_git_strategy": "clone"}),
    ({"build_timeout": 7200}, {"build_timeout": 7200}),
    ({"auto_cancel_pending_pipelines": "disabled"}, {"auto_cancel_pending_pipelines": "disabled"}),
    ({"build_coverage_regex": "[0-9]+%"}, {"build_coverage_regex": "[0-9]+%"}),
    ({"ci_config_path": "ci.yml"}, {"ci_config_path": "ci.yml"}),
    ({"ci_default_git_depth": 5}, {"ci_default_git_depth": 5}),
    ({"autoclose_referenced_issues": False}, {"autoclose_referenced_issues": False}),
    ({"suggestion_commit_message": "As told"}, {"suggestion_commit_message": "As told"}),
    ({"emails_disabled": True}, {"emails_disabled": True}),
    ({"printing_merge_request_link_enabled": False}, {"printing_merge_request_link_enabled": False}),
]


@pytest.mark.parametrize(("given", "expected"), ATTRIBUTES)
def test_attributes_of_a_project(fakeplat: Fakeplat, given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each attribute of a project is set on creation and update."""
    calls = fakeplat.as_user("ada")
    project = calls.post("projects", json={"name": "Fresh", **given}).json()
    changed = calls.put(NOTES, json=given).json()

    assert expected == {name: project[name] for name in expected}
    assert expected == {name: changed[name] for name in expected}
    assert expected.items() <= calls.get(NOTES).json().items()


def test_the_cleanup_policy_keeps_what_is_not_sent(fakeplat: Fakeplat) -> None:
    """Attributes of the container expiration policy are set one by one."""
    body = {"container_expiration_policy_attributes": {"keep_n": 5, "cadence": "7d"}}
    policy = fakeplat.as_user("ada").put(NOTES, json=body).json()["container_expiration_policy"]

    assert {"cadence", "enabled", "keep_n", "older_than", "name_regex", "name_regex_keep", "next_run_at"} == set(policy)
    assert ("7d", 5) == (policy["cadence"], policy["keep_n"])


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    "given",
    [{"approvals_before_merge": 2}, {"mirror": True}, {"issues_template": "Hello"}, {"merge_requests_template": "Hi"}],
)
def test_attributes_of_paid_tiers(fakeplat: Fakeplat, given: dict[str, Any]) -> None:
    """Paid tiers take and show more."""
    assert given.items() <= fakeplat.as_user("ada").put(NOTES, json=given).json().items()


def test_parameters_may_be_in_the_query(fakeplat: Fakeplat) -> None:
    """A POST takes its parameters from the query too."""
    reply = fakeplat.as_user("eve").post("projects?name=work&remove_source_branch_after_merge=False")

    assert (201, False) == (reply.status, reply.json()["remove_source_branch_after_merge"])


def test_the_creator_of_a_project_is_its_maintainer(fakeplat: Fakeplat) -> None:
    """The creator becomes a member as Maintainer."""
    calls = fakeplat.as_user("dev")
    project = calls.post("projects", json={"name": "work", "namespace_id": get_group_id(fakeplat, "acme")}).json()

    assert "acme/work" == project["path_with_namespace"]
    assert "owner" not in project
    assert [("dev", 40)] == [
        (m["username"], m["access_level"]) for m in calls.get(f"projects/{project['id']}/members").json()
    ]


@pytest.mark.parametrize(("username", "status"), [("eve", 400), ("gus", 400), ("rep", 400), ("dev", 201), ("mia", 201)])
def test_roles_that_create_projects_in_a_group(fakeplat: Fakeplat, username: str, status: int) -> None:
    """Developers and above create projects in a group."""
    body = {"name": "work", "namespace_id": get_group_id(fakeplat, "acme")}

    if status == 400:
        assert invalid_record(namespace=["is not valid"]) == refusal(fakeplat, username, "POST", "projects", json=body)
    else:
        assert status == fakeplat.as_user(username).post("projects", json=body).status


@pytest.mark.parametrize(
    ("level", "makers"),
    [
        ("noone", set()),
        ("maintainer", {"ada", "mia"}),
        ("developer", {"ada", "mia", "dev"}),
    ],
)
def test_the_group_decides_who_creates_projects(fakeplat: Fakeplat, level: str, makers: set[str]) -> None:
    """The group's project_creation_level is the gate."""
    fakeplat.load({"groups": [{"path": "acme", "project_creation_level": level}]})
    id_, creators = get_group_id(fakeplat, "acme"), set()
    for username in ("ada", "mia", "dev", "rep"):
        body = {"name": f"by {username}", "namespace_id": id_}
        if fakeplat.as_user(username).post("projects", json=body).status == 201:
            creators.add(username)

    assert makers == creators


EITHER = invalid("name, path are missing, at least one parameter must be provided")
ONE_SOURCE = invalid("import_url, template_name, template_project_id are mutually exclusive")


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, {"name": "work"}, UNAUTHORIZED),
        (None, {}, UNAUTHORIZED),
        ("ada", {}, EITHER),
        ("ada", {"description": "x"}, EITHER),
        ("ada", {"name": "w", "namespace_id": "x"}, invalid("namespace_id is invalid")),
        ("ada", {"name": "w", "visibility": "secret"}, invalid("visibility does not have a valid value")),
        (
            "ada",
            {"name": "w", "issues_access_level": "public"},
            invalid("issues_access_level does not have a valid value"),
        ),
        ("ada", {"name": "w", "merge_method": "squash"}, invalid("merge_method does not have a valid value")),
        ("ada", {"name": "w", "build_timeout": "long"}, invalid("build_timeout is invalid")),
        (
            "ada",
            {
                "name": "w",
                "import_url": "https://example.test/x.git",
                "template_name": "rails",
                "template_project_id": 1,
            },
            ONE_SOURCE,
        ),
        ("ada", {"name": "Notes"}, invalid_record(name=TAKEN, path=TAKEN)),
        ("ada", {"name": "Other", "path": "NOTES"}, invalid_record(path=TAKEN)),
        ("ada", {"name": "w", "namespace_id": 9999}, invalid_record(namespace=["is not valid"])),
    ],
)
def test_making_a_project_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Creating a project checks login, parameters, namespace and uniqueness in this order."""
    assert expected == refusal(fakeplat, viewer, "POST", "projects", json=body)


def test_a_template_must_be_known(fakeplat: Fakeplat) -> None:
    """A project is created from the platform's templates only."""
    body = {"name": "x", "template_name": "unknown"}

    expected = invalid_record(template_name=["'unknown' is unknown or invalid"])
    assert expected == refusal(fakeplat, "ada", "POST", "projects", json=body)
    assert 201 == fakeplat.as_user("ada").post("projects", json={**body, "template_name": "rails"}).status


@pytest.mark.fakeplat(tier="premium")
def test_the_creator_of_a_mirror_is_its_user(fakeplat: Fakeplat) -> None:
    """A new mirror names its creator in `mirror_user_id`."""
    project = fakeplat.as_user("ada").post("projects", json={"name": "x", "mirror": True}).json()

    assert person(fakeplat, "ada") == project["mirror_user_id"]


@pytest.mark.parametrize(("limit", "status"), [(0, 403), (1, 403), (2, 201)])
def test_a_limit_of_projects(fakeplat: Fakeplat, limit: int, status: int) -> None:
    """A user at the limit creates no more projects, with the reason under `error`."""
    fakeplat.as_user("root").put("users/2", json={"projects_limit": limit})
    if status == 403:
        text = "Your project limit is 1 projects! Please contact your administrator to increase it"
        if limit == 0:
            text = "Personal project creation is not allowed. Please contact your administrator with questions"
        assert (403, {"error": [text]}) == refusal(fakeplat, "ada", "POST", "projects", json={"name": "x"})
    else:
        assert status == fakeplat.as_user("ada").post("projects", json={"name": "x"}).status


def test_restricted_visibilities_of_groups_are_for_administrators(fakeplat: Fakeplat) -> None:
    """Only administrators give a group a visibility that the settings restrict."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["internal", "public"]}})
    view = fakeplat.bench.platform.view
    product, acme = view.instance.product_name, fakeplat.world.group("acme").id
    for visibility in ("internal", "public"):
        text = f"{visibility} has been restricted by your {product} administrator"
        for parent in ({}, {"parent_id": acme}):
            body = {"name": "g", "path": "g", "visibility": visibility, **parent}
            expected = (400, {"message": f'Failed to save group {{:visibility_level=>["{text}"]}}'})
            assert expected == refusal(fakeplat, "ada", "POST", "groups", json=body)
    group = fakeplat.as_user("ada").post("groups", json={"name": "g", "path": "g", "visibility": "private"})
    assert 201 == group.status
    path = f"groups/{group.json()['id']}"
    text = f"public has been restricted by your {product} administrator"
    expected = invalid_record(visibility_level=[text])
    assert expected == refusal(fakeplat, "ada", "PUT", path, json={"visibility": "public"})
    # What a group has already is not refused.
    assert 200 == fakeplat.as_user("ada").put(f"groups/{acme}", json={"visibility": "public", "name": "Acme"}).status
    assert 200 == fakeplat.as_user("root").put(path, json={"visibility": "public"}).status


def test_restricted_visibilities_are_for_administrators(fakeplat: Fakeplat) -> None:
    """Only administrators give a project a visibility that the settings restrict."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})
    product = fakeplat.bench.platform.view.instance.product_name
    expected = invalid_record(visibility_level=[f"public has been restricted by your {product} administrator"])
    body = {"name": "x", "visibility": "public"}

    assert expected == refusal(fakeplat, "ada", "POST", "projects", json=body)
    assert expected == refusal(fakeplat, "ada", "PUT", NOTES, json={"visibility": "public"})
    assert 201 == fakeplat.as_user("root").post("projects", json=body).status


# making one for somebody else


def test_administrators_make_projects_for_others(fakeplat: Fakeplat) -> None:
    """The project stands in the user's namespace, and the user is its creator."""
    eve = person(fakeplat, "eve")
    reply = fakeplat.as_user("root").post(f"projects/user/{eve}", json={"name": "Gift"})

    assert (201, "eve/gift", eve) == (reply.status, reply.json()["path_with_namespace"], reply.json()["creator_id"])


@pytest.mark.parametrize(
    ("viewer", "user", "body", "expected"),
    [
        (None, "2", {"name": "x"}, UNAUTHORIZED),
        ("ada", "2", {"name": "x"}, FORBIDDEN),
        ("ada", "2", {}, invalid("name is missing")),
        ("root", "2", {"path": "x"}, invalid("name is missing")),
        ("root", "x", {"name": "x"}, invalid("user_id is invalid")),
        ("root", "999", {"name": "x"}, resource_not_found("User")),
    ],
)
def test_making_a_project_for_somebody_is_refused(
    fakeplat: Fakeplat, viewer: str | None, user: str, body: Any, expected: Outcome
) -> None:
    """Only administrators create a named project for an existing user."""
    assert expected == refusal(fakeplat, viewer, "POST", f"projects/user/{user}", json=body)
