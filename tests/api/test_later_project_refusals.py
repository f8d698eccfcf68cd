"""What later releases refuse of projects. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CI_SETTINGS_NEED_MAINTAINER,
    FORKS_ARE_REFUSED_IN_SENTENCES,
    HOUSEKEEPING_PAUSE,
    IMPORTS_BY_URL_ARE_A_SOURCE,
    OWNERS_LINK_FORKS,
    PROJECTS_LINK_AGENTS,
    TAKEN_NAMES_ARE_TAKEN_TWICE,
)
from tests.api.requests import FORBIDDEN, Outcome, invalid_record, refusal
from tests.by_release import by_release

SITE, DOCS, KIT, NOTES = (
    f"projects/{path}" for path in ("acme%2Fsite", "acme%2Fdocs", "acme%2Ftools%2Fkit", "ada%2Fnotes")
)
TAKEN = ["has already been taken"]
ROLE = "ci_pipeline_variables_minimum_override_role"


@by_release(
    TAKEN_NAMES_ARE_TAKEN_TWICE,
    "errors",
    {"17.10": {"name": TAKEN}, "17.11": {"name": TAKEN, "project_namespace.name": TAKEN}},
)
def test_a_taken_name_is_an_error_of_the_namespace_too(fakeplat: Fakeplat, errors: dict[str, list[str]]) -> None:
    """A project is also a namespace, whose name is taken with its own; its path is not."""
    namespace = fakeplat.world.group("acme").id
    body = {"name": "Docs", "namespace_id": namespace}

    assert invalid_record(**errors, path=TAKEN) == refusal(fakeplat, "ada", "POST", "projects", json=body)
    assert invalid_record(**errors) == refusal(fakeplat, "ada", "POST", "projects", json={**body, "path": "fresh"})
    assert invalid_record(**errors) == refusal(fakeplat, "ada", "PUT", SITE, json={"name": "Docs"})
    assert invalid_record(path=TAKEN) == refusal(
        fakeplat, "ada", "POST", "projects", json={**body, "name": "Fresh", "path": "docs"}
    )


@by_release(
    FORKS_ARE_REFUSED_IN_SENTENCES,
    "message",
    {
        "17.10": {"name": TAKEN, "path": TAKEN},
        "17.11": [
            "Name has already been taken",
            "Path has already been taken",
            "Project namespace name has already been taken",
        ],
    },
)
def test_a_second_fork_is_refused(fakeplat: Fakeplat, message: object) -> None:
    """The errors of a fork that cannot be created are a list of sentences."""
    fakeplat.as_user("dev").post(f"{DOCS}/fork")

    status, body = refusal(fakeplat, "dev", "POST", f"{DOCS}/fork")
    assert 409 == status
    assert (sorted(body["message"]) if isinstance(message, list) else body["message"]) == message


@by_release(OWNERS_LINK_FORKS, "expected", {"17.10": 201, "17.11": 403})
def test_owners_link_forks(fakeplat: Fakeplat, expected: int) -> None:
    """Maintainers no longer make a project a fork of another one; Owners do."""
    assert expected == fakeplat.as_user("mia").post(f"{SITE}/fork/{fakeplat.world.project('acme/docs').id}").status
    kit = fakeplat.world.project("acme/tools/kit").id
    assert 201 == fakeplat.as_user("ada").post(f"{NOTES}/fork/{kit}").status


@by_release(
    OWNERS_LINK_FORKS,
    "expected",
    {
        "17.10": (409, {"message": "Project already forked"}),
        "17.11": (400, {"message": "Target project cannot be equal to source project"}),
    },
)
def test_a_project_is_no_fork_of_itself(fakeplat: Fakeplat, expected: Outcome) -> None:
    """A project cannot be linked to itself."""
    assert expected == refusal(fakeplat, "ada", "POST", f"{NOTES}/fork/{fakeplat.world.project('ada/notes').id}")


@by_release(OWNERS_LINK_FORKS, "status", {"17.10": 201, "17.11": 401})
def test_linking_a_fork_needs_the_namespace(fakeplat: Fakeplat, status: int) -> None:
    """Whoever owns a project and may not create any in its group is unauthorized to make it a fork."""
    fakeplat.load({"groups": [{"path": "acme", "projects": [{"path": "site", "members": {"gus": "owner"}}]}]})
    reply = fakeplat.as_user("gus").post(f"{SITE}/fork/{fakeplat.world.project('acme/docs').id}")

    assert status == reply.status
    if status == 401:
        assert {"message": "401 Unauthorized - Target Namespace"} == reply.json()


@by_release(IMPORTS_BY_URL_ARE_A_SOURCE, "status", {"17.10": 201, "17.11": 403})
def test_imports_by_url_can_be_disabled(fakeplat: Fakeplat, status: int) -> None:
    """Where the settings allow no imports from git, a project is created from no URL."""
    fakeplat.as_user("root").put("application/settings", json={"import_sources": ["github"]})
    body = {"path": "mine", "import_url": "http://git.example.com/mine.git"}

    assert status == fakeplat.as_user("dev").post("projects", json=body).status
    assert 201 == fakeplat.as_user("dev").post("projects", json={"path": "fresh"}).status


@by_release(
    HOUSEKEEPING_PAUSE,
    "expected",
    {"13.11": ("project", "60"), "13.12": ("resource", "1440")},
)
def test_housekeeping_pauses(fakeplat: Fakeplat, expected: tuple[str, str]) -> None:
    """A second housekeeping of a project is refused for an hour, later for a day."""
    path, (resource, minutes) = f"{SITE}/housekeeping", expected
    assert 201 == fakeplat.as_user("mia").post(path).status
    text = f"Somebody already triggered housekeeping for this {resource} in the past {minutes} minutes"
    assert (409, {"message": text}) == refusal(fakeplat, "mia", "POST", path)
    fakeplat.clock.advance(f"{minutes}m")
    assert 201 == fakeplat.as_user("mia").post(path).status


@by_release(PROJECTS_LINK_AGENTS, "is_linked", {"17.10": False, "17.11": True})
def test_links_of_a_project(fakeplat: Fakeplat, is_linked: bool) -> None:
    """The links of a project lead to its agents, too."""
    links = fakeplat.as_user("dev").get(SITE).json()["_links"]
    assert is_linked == (links.get("cluster_agents") == f"{links['self']}/cluster_agents")


@by_release(CI_SETTINGS_NEED_MAINTAINER, "is_shown", {"17.10": True, "17.11": False})
@pytest.mark.parametrize("name", ["auto_devops_enabled", "auto_devops_deploy_strategy"])
@pytest.mark.fakeplat(tier="premium")
def test_auto_devops_is_for_maintainers(fakeplat: Fakeplat, name: str, is_shown: bool) -> None:
    """Whether Auto DevOps is on is a setting of CI, which only Maintainers see."""
    assert is_shown == (name in fakeplat.as_user("dev").get(SITE).json())
    assert name in fakeplat.as_user("mia").get(SITE).json()


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("value", [604800, None])
def test_owners_decide_when_pipelines_are_deleted(fakeplat: Fakeplat, value: int | None) -> None:
    """Pipelines are deleted by Owners, and so only they decide after how many seconds that happens."""
    body = {"ci_delete_pipelines_in_seconds": value}
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", SITE, json=body)
    assert value == fakeplat.as_user("ada").put(SITE, json=body).json()["ci_delete_pipelines_in_seconds"]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("body", [{ROLE: "developer"}, {"restrict_user_defined_variables": False}])
def test_owners_keep_who_gives_variables_to_themselves(fakeplat: Fakeplat, body: dict[str, Any]) -> None:
    """While only Owners may give variables to pipelines, only they change that."""
    fakeplat.as_user("ada").put(SITE, json={ROLE: "owner"})
    text = f"Changing the restrict_user_defined_variables or {ROLE} is not allowed"

    assert (400, {"message": text}) == refusal(fakeplat, "mia", "PUT", SITE, json=body)
    assert 200 == fakeplat.as_user("mia").put(SITE, json={ROLE: "owner", "description": "x"}).status
    assert 200 == fakeplat.as_user("ada").put(SITE, json=body).status


@pytest.mark.fakeplat(version="latest")
def test_maintainers_do_not_shut_themselves_out(fakeplat: Fakeplat) -> None:
    """Maintainers change who may give variables to pipelines, but not to Owners only."""
    text = f"Changing the {ROLE} to the owner role is not allowed"

    assert (400, {"message": text}) == refusal(fakeplat, "mia", "PUT", SITE, json={ROLE: "owner"})
    assert 200 == fakeplat.as_user("mia").put(SITE, json={ROLE: "maintainer"}).status


@pytest.mark.fakeplat(version="latest")
def test_merge_requests_target_the_fork_itself_only_in_forks(fakeplat: Fakeplat) -> None:
    """`mr_default_target_self` is refused for projects that are no forks."""
    text = ["This setting is allowed for forked projects only"]
    body = {"mr_default_target_self": True}

    expected = invalid_record(**{"project_setting.mr_default_target_self": text})
    assert expected == refusal(fakeplat, "ada", "PUT", SITE, json=body)
    assert 200 == fakeplat.as_user("ada").put(SITE, json={"mr_default_target_self": False}).status
    fakeplat.as_user("ada").post(f"{DOCS}/fork")
    assert fakeplat.as_user("ada").put("projects/ada%2Fdocs", json=body).json()["mr_default_target_self"]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("order", [{}, {"order_by": "id"}])
def test_the_filter_by_changes_needs_its_order(fakeplat: Fakeplat, order: dict[str, str]) -> None:
    """All projects are filtered by their last change only in that order; those of a user in any."""
    filters = {"updated_before": "2030-01-01T00:00:00Z", **order}
    text = "400 Bad request - `updated_at` filter and `updated_at` sorting must be paired"

    assert (400, {"message": text}) == refusal(fakeplat, "ada", "GET", "projects", params=filters)
    assert 200 == fakeplat.as_user("ada").get("projects", params={**filters, "order_by": "updated_at"}).status
    assert 200 == fakeplat.as_user("ada").get("users/ada/projects", params=filters).status


@pytest.mark.fakeplat(version="latest")
def test_groups_to_share_with_are_found_by_their_full_path(fakeplat: Fakeplat) -> None:
    """A search for a full path finds the group there."""
    found = fakeplat.as_user("ada").get(f"{SITE}/share_locations?search=acme/tools").json()
    assert ["acme/tools"] == [group["full_path"] for group in found]


def test_an_empty_default_branch_is_the_usual_one(fakeplat: Fakeplat) -> None:
    """A new project with an empty `default_branch` gets the branch of the instance."""
    body = {"path": "fresh", "initialize_with_readme": True, "default_branch": ""}
    fakeplat.as_user("ada").post("projects", json=body)
    assert "master" == fakeplat.as_user("ada").get("projects/ada%2Ffresh").json()["default_branch"]
