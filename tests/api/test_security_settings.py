"""Security settings of the instance, of groups and of projects. Source: docs/platform/settings.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, outcome, refusal, resource_not_found

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest", tier="ultimate")]
SITE, ACME = "projects/acme%2Fsite/security_settings", "groups/acme/security_settings"
POLICIES = "admin/security/compliance_policy_settings"


def test_developers_read_the_settings_of_a_project(fakeplat: Fakeplat) -> None:
    """Members below developer get 401, those who do not see the project 404."""
    status, settings = outcome(fakeplat.as_user("dev").get(SITE))
    project = fakeplat.world.project("acme/site")

    assert (200, project.id, project.created_at) == (status, settings["project_id"], settings["created_at"])
    assert {
        "auto_fix_container_scanning": True,
        "auto_fix_dast": True,
        "auto_fix_dependency_scanning": True,
        "auto_fix_sast": True,
        "continuous_vulnerability_scans_enabled": False,
        "container_scanning_for_registry_enabled": False,
        "secret_push_protection_enabled": False,
    } == {name: value for name, value in settings.items() if isinstance(value, bool)}
    assert UNAUTHORIZED == refusal(fakeplat, "rep", "GET", SITE)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", SITE)


@pytest.mark.parametrize("name", ["secret_push_protection_enabled", "pre_receive_secret_detection_enabled"])
def test_maintainers_protect_a_project_against_secrets(fakeplat: Fakeplat, name: str) -> None:
    """The setting has two names; one of them is required."""
    assert fakeplat.as_user("mia").put(SITE, json={name: True}).json()["secret_push_protection_enabled"]
    assert fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["secret_push_protection_enabled"]
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "PUT", SITE, json={name: False})
    text = (
        "secret_push_protection_enabled, pre_receive_secret_detection_enabled are missing, "
        "at least one parameter must be provided"
    )
    assert invalid(text) == refusal(fakeplat, "mia", "PUT", SITE)


def test_an_archived_project_keeps_its_protection(fakeplat: Fakeplat) -> None:
    """The settings of an archived project cannot be changed."""
    fakeplat.as_user("ada").post("projects/acme%2Fsite/archive")
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", SITE, json={"secret_push_protection_enabled": True})


def test_a_group_protects_its_projects(fakeplat: Fakeplat) -> None:
    """The setting of a group is that of its projects, except for those that are named."""
    root = fakeplat.as_user("root")
    excluded = fakeplat.world.project("acme/docs").id
    body = {"secret_push_protection_enabled": True, "projects_to_exclude": [excluded]}

    assert {"secret_push_protection_enabled": True, "errors": []} == fakeplat.as_user("mia").put(ACME, json=body).json()
    protected = {
        path: root.get(f"projects/acme%2F{path}").json()["secret_push_protection_enabled"] for path in ("site", "docs")
    }
    assert {"site": True, "docs": False} == protected
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "PUT", ACME, json=body)
    assert invalid("secret_push_protection_enabled is missing") == refusal(fakeplat, "mia", "PUT", ACME)


@pytest.mark.fakeplat(tier="premium")
def test_security_settings_are_forbidden_below_ultimate(fakeplat: Fakeplat) -> None:
    """A licence without the feature is told by 403, for the policies with a text."""
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", SITE)
    assert FORBIDDEN == refusal(fakeplat, "root", "PUT", ACME, json={"secret_push_protection_enabled": True})
    text = "403 Forbidden - security_orchestration_policies license feature not available"
    assert (403, {"message": text}) == refusal(fakeplat, "root", "GET", POLICIES)


def test_a_group_manages_the_policies_of_the_instance(fakeplat: Fakeplat) -> None:
    """An administrator chooses a top-level group, or none; the deletion of the group clears it."""
    root, group = fakeplat.as_user("root"), fakeplat.world.group("acme").id
    assert {"csp_namespace_id": None} == root.get(POLICIES).json()

    assert {"csp_namespace_id": group} == root.put(POLICIES, json={"csp_namespace_id": group}).json()
    assert {"csp_namespace_id": group} == root.get(POLICIES).json()
    assert {"csp_namespace_id": None} == root.put(POLICIES, json={"csp_namespace_id": None}).json()
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", POLICIES)


def test_only_top_level_groups_manage_policies(fakeplat: Fakeplat) -> None:
    """Namespaces of users, unknown ids and subgroups are refused with 422."""
    person = fakeplat.as_user("root").get("namespaces/ada").json()["id"]
    group = fakeplat.world.group("acme").id
    body = {"name": "Sub", "path": "sub", "parent_id": group}
    subgroup = fakeplat.as_user("root").post("groups", json=body).json()["id"]

    for id_ in (person, 1):
        answer = refusal(fakeplat, "root", "PUT", POLICIES, json={"csp_namespace_id": id_})
        assert (422, {"message": "CSP namespace must be a group"}) == answer
    answer = refusal(fakeplat, "root", "PUT", POLICIES, json={"csp_namespace_id": subgroup})
    assert (422, {"message": "CSP namespace must be a top level Group"}) == answer
    assert invalid("csp_namespace_id is missing") == refusal(fakeplat, "root", "PUT", POLICIES)
