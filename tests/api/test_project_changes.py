"""Changing projects. Source: docs/platform/projects.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.fields import ADMINISTERED, PROJECT_FULL
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    form,
    invalid,
    invalid_record,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)

SITE, DOCS, NOTES = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/ada%2Fnotes"
TAKEN = ["has already been taken"]


def test_a_changed_project_has_the_full_view(fakeplat: Fakeplat) -> None:
    """Changing a project answers 200 with what those who administer it see."""
    reply = fakeplat.as_user("mia").put(SITE, json={"description": "Ours"})

    assert (200, PROJECT_FULL | ADMINISTERED) == (reply.status, set(reply.json()) - {"permissions"})
    assert "Ours" == fakeplat.as_user("gus").get(SITE).json()["description"]


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, {"description": "x"}, UNAUTHORIZED),
        (None, {}, UNAUTHORIZED),
        ("eve", {"description": "x"}, resource_not_found("Project")),
        ("gus", {"description": "x"}, FORBIDDEN),
        ("rep", {"description": "x"}, FORBIDDEN),
        ("dev", {"description": "x"}, FORBIDDEN),
        ("dev", {"visibility": "secret"}, invalid("visibility does not have a valid value")),
        ("eve", {"visibility": "secret"}, invalid("visibility does not have a valid value")),
        ("mia", {"visibility": "public"}, FORBIDDEN),
        ("ada", {"path": "docs"}, invalid_record(path=TAKEN)),
        ("ada", {"name": "Docs"}, invalid_record(name=TAKEN)),
        ("ada", {"default_branch": "nowhere"}, invalid_record(base=["Could not set the default branch"])),
    ],
)
def test_changing_a_project_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Updating a project checks login, parameters, visibility and role in this order."""
    assert expected == refusal(fakeplat, viewer, "PUT", SITE, json=body)


def test_a_change_needs_something_to_change(fakeplat: Fakeplat) -> None:
    """An update of a project without known attributes is refused with a list of all."""
    status, body = refusal(fakeplat, "ada", "PUT", SITE, json={"unheard_of": 1})

    assert 400 == status
    assert body["error"].endswith(" are missing, at least one parameter must be provided")
    listed = set(body["error"].removesuffix(" are missing, at least one parameter must be provided").split(", "))
    assert {"name", "default_branch", "path", "description", "visibility", "merge_method", "avatar"} <= listed


def test_the_owner_changes_the_visibility(fakeplat: Fakeplat) -> None:
    """The owner of the group changes a project's visibility."""
    assert "public" == fakeplat.as_user("ada").put(SITE, json={"visibility": "public"}).json()["visibility"]


def test_the_owner_renames_a_project(fakeplat: Fakeplat) -> None:
    """A new name leaves the path as it is."""
    renamed = fakeplat.as_user("ada").put(SITE, json={"name": "New Name"}).json()

    assert ("New Name", "Acme / New Name", "acme/site") == tuple(
        renamed[name] for name in ("name", "name_with_namespace", "path_with_namespace")
    )


def test_a_new_path_moves_a_project(fakeplat: Fakeplat) -> None:
    """A new path changes all URLs, and the old path is not found (a choice)."""
    moved = fakeplat.as_user("ada").put(SITE, json={"path": "home"}).json()

    assert ("acme/home", f"{fakeplat.url}/acme/home") == (moved["path_with_namespace"], moved["web_url"])
    assert resource_not_found("Project") == outcome(fakeplat.as_user("ada").get(SITE))


def test_a_picture_of_a_project(fakeplat: Fakeplat) -> None:
    """An uploaded avatar has an address that serves it; an empty one removes it."""
    calls, picture = fakeplat.as_user("ada"), b"\x89PNG\r\n\x1a\n picture"
    url = calls.put(NOTES, **form(avatar=("logo.png", "image/png", picture))).json()["avatar_url"]

    assert picture == calls.get(url).content
    assert 404 == fakeplat.as_user("eve").get(url).status
    assert calls.put(NOTES, json={"avatar": ""}).json()["avatar_url"] is None
    assert 404 == calls.get(url).status


@pytest.mark.parametrize(("size", "status"), [(200 * 1024, 200), (200 * 1024 + 1, 400)])
def test_a_picture_has_at_most_200_kilobytes(fakeplat: Fakeplat, size: int, status: int) -> None:
    """A bigger avatar of a project is refused."""
    reply = fakeplat.as_user("ada").put(NOTES, **form(avatar=("logo.png", "image/png", bytes(size))))

    assert status == reply.status
    if status == 400:
        assert {"message": {"avatar": ["is too big (should be at most 200 KB)"]}} == reply.json()


def test_a_read_only_parameter_is_ignored(fakeplat: Fakeplat) -> None:
    """The storage of a repository is changed by administrators and ignored for others."""
    fakeplat.as_user("ada").put(NOTES, json={"repository_storage": "second", "description": "x"})

    assert [] == names(fakeplat.as_user("root").get("projects?repository_storage=second").json(), "path")
    fakeplat.load({"projects": [{"path_with_namespace": "ada/far", "repository_storage": "second"}]})
    fakeplat.as_user("root").put(NOTES, json={"repository_storage": "second"})
    listed = fakeplat.as_user("root").get("projects?repository_storage=second").json()
    assert {"far", "notes"} == set(names(listed, "path"))


def test_a_storage_must_be_known(fakeplat: Fakeplat) -> None:
    """The instance has its usual one, and those where some project lies."""
    expected = invalid_record(repository_storage_moves=["is invalid"])
    assert expected == refusal(fakeplat, "root", "PUT", NOTES, json={"repository_storage": "elsewhere"})
    assert 200 == fakeplat.as_user("root").put(NOTES, json={"repository_storage": "default"}).status


@pytest.mark.parametrize("name", ["name_regex", "name_regex_keep"])
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("[", "missing ]: ["),
        ("(a", "missing ): (a"),
        ("a)", "unexpected ): a)"),
        ("*", "no argument for repetition operator: *"),
    ],
)
def test_an_expiration_policy_has_valid_patterns(fakeplat: Fakeplat, name: str, pattern: str, text: str) -> None:
    """An invalid pattern of a cleanup policy is refused in the words of RE2."""
    body = {"container_expiration_policy_attributes": {name: pattern}}

    expected = invalid_record(**{f"container_expiration_policy.{name}": [f"not valid RE2 syntax: {text}"]})
    assert expected == refusal(fakeplat, "ada", "PUT", NOTES, json=body)


def test_deployments_may_go_back(fakeplat: Fakeplat) -> None:
    """Whether older deployment jobs may run can be set alone."""
    changed = fakeplat.as_user("ada").put(NOTES, json={"ci_forward_deployment_enabled": False})

    assert (200, False) == (changed.status, changed.json()["ci_forward_deployment_enabled"])


@pytest.mark.fakeplat(tier="premium")
def test_whoever_changes_a_mirror_becomes_its_user(fakeplat: Fakeplat) -> None:
    """Whoever changes a mirror becomes its user; administrators may name another one."""
    other = person(fakeplat, "mia")

    assert person(fakeplat, "ada") == fakeplat.as_user("ada").put(NOTES, json={"mirror": True}).json()["mirror_user_id"]
    invalid_user = invalid_record(mirror_user_id=["is invalid"])
    assert invalid_user == refusal(fakeplat, "ada", "PUT", NOTES, json={"mirror": True, "mirror_user_id": other})
    assert invalid_user == refusal(fakeplat, "root", "PUT", NOTES, json={"mirror_user_id": 9999})
    named = fakeplat.as_user("root").put(NOTES, json={"mirror_user_id": other})
    assert other == named.json()["mirror_user_id"]


@pytest.mark.fakeplat(tier="premium", scenario={**COMPANY, "settings": {"mirror_available": False}})
@pytest.mark.parametrize(("viewer", "mirrors"), [("ada", False), ("root", True)])
def test_where_mirrors_are_not_available_only_administrators_set_them_up(
    fakeplat: Fakeplat, viewer: str, mirrors: bool
) -> None:
    """Where mirrors are unavailable the parameters of others are ignored."""
    body = {"mirror": True, "mirror_trigger_builds": True, "only_mirror_protected_branches": True}
    calls = fakeplat.as_user(viewer)
    changed = calls.put(NOTES, json=body)
    reply = calls.post("projects", json={"name": "Foo", "mirror": True, "import_url": "http://a.test/b.git"})

    assert (200, 201) == (changed.status, reply.status)
    assert (mirrors, mirrors) == (changed.json()["mirror"], reply.json()["mirror"])
