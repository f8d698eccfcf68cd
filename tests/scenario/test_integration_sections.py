"""Integrations in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export, write

CREATED, CHANGED = "2020-11-10T00:00:00.000Z", "2020-11-11T00:00:00.000Z"
SLACK: dict[str, Any] = {
    "slug": "slack",
    "push_events": False,
    "deployment_events": True,
    "properties": {"webhook": "https://chat.test/hook", "notify_only_default_branch": True},
    "created_at": CREATED,
    "updated_at": CHANGED,
}
SERVICES: list[dict[str, Any]] = [
    SLACK,
    {"slug": "jira", "active": False, "created_at": CREATED},
    {"slug": "jenkins", "merge_requests_events": True, "created_at": CREATED},
    {"slug": "emails-on-push", "properties": {"recipients": "a@x.test"}, "created_at": CREATED},
]


def build_scenario(*services: dict[str, Any]) -> dict[str, Any]:
    """The starter scenario with integrations."""
    return {"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "services": [*services]}]}


def export_services(platform: Any) -> Any:
    (site,) = [
        project
        for project in scenario.export_world(platform)["projects"]
        if project["path_with_namespace"] == "acme/site"
    ]
    return site.get("services")


def test_integrations_are_exported_as_they_were_declared() -> None:
    """Integrations are exported with the keys that differ from the defaults and with their initial properties."""
    platform = create_platform(build_scenario(*SERVICES))
    slack, jira, jenkins, emails = export_services(platform)
    initial = {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}
    assert {**SLACK, "properties": {**initial, **SLACK["properties"]}} == slack
    assert SERVICES[1:3] == [jira, jenkins]
    assert {"branches_to_be_notified": "all", "recipients": "a@x.test"} == emails["properties"]
    assert [] == list(build_validator().iter_errors(build_scenario(*SERVICES)))


def test_a_world_with_integrations_is_the_same_after_a_round_trip() -> None:
    """Integrations are equal after an export and a load."""
    platform = create_platform(build_scenario(*SERVICES))
    assert [*platform.view.services.all()] == [*reload_export(platform).view.services.all()]


def test_an_entry_changes_the_integration_of_its_slug() -> None:
    """An entry changes the integration with its slug and keeps the settings that it omits."""
    platform = create_platform(build_scenario(SLACK))
    fragment = build_scenario({"slug": "slack", "properties": {"username": "bot"}})
    scenario.load(platform, {"projects": fragment["projects"]})
    (slack,) = export_services(platform)
    assert ("bot", "https://chat.test/hook") == (slack["properties"]["username"], slack["properties"]["webhook"])
    assert slack["push_events"] is False


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, "default"),
        ({"notify_only_default_branch": True}, "default"),
        ({"notify_only_default_branch": False}, "all"),
        ({"notify_only_default_branch": False, "branches_to_be_notified": "protected"}, "protected"),
    ],
)
def test_the_old_switch_for_the_default_branch_is_read(properties: dict[str, Any], expected: str) -> None:
    """`notify_only_default_branch` selects the branches unless `branches_to_be_notified` is given."""
    (service,) = create_platform(build_scenario({"slug": "slack", "properties": properties})).view.services.all()
    assert expected == service.properties["branches_to_be_notified"]


@pytest.mark.parametrize("slug", ["nothing", "alerts"])
def test_an_unknown_slug_is_a_mistake(slug: str) -> None:
    """An unknown slug is refused, as is `alerts`, which has a key of its own."""
    with pytest.raises(ScenarioError, match=f"unknown integration '{slug}'"):
        create_platform(build_scenario({"slug": slug}))


def test_settings_made_through_the_api_are_exported() -> None:
    """Integration settings that were stored through the API survive a round trip."""
    platform = create_platform("starter")
    site = "projects/acme%2Fsite/services"
    write(platform, "PUT", f"{site}/asana", "root-token", api_key="k", push_events=False)
    write(platform, "PUT", f"{site}/alerts", "root-token", alert_events=False)
    copy = reload_export(platform)
    (asana,) = export_services(copy)
    assert ("asana", False, {"api_key": "k"}) == (asana["slug"], asana["push_events"], asana["properties"])
    (alerts,) = [service for service in copy.view.services.all() if service.slug == "alerts"]
    assert alerts.alert_events is False


WIKI: dict[str, Any] = {"slug": "external-wiki", "properties": {"external_wiki_url": "https://wiki.test"}}


def find_wiki(platform: Any, path: str) -> Any:
    """Return the exported wiki of a project, None without one."""
    (project,) = [
        project for project in scenario.export_world(platform)["projects"] if project["path_with_namespace"] == path
    ]
    return next((entry for entry in project.get("services", ()) if entry["slug"] == "external-wiki"), None)


def test_projects_inherit_the_integrations_of_their_groups() -> None:
    """What a group has is inherited by its projects, except for those with an entry of their own."""
    own = {**WIKI, "properties": {"external_wiki_url": "https://own.test"}}
    data = {
        "extends": "starter",
        "groups": [{"path": "acme", "services": [WIKI]}],
        "projects": [{"path_with_namespace": "acme/site", "services": [own]}],
    }
    platform = create_platform(data)
    of_site, of_docs = find_wiki(platform, "acme/site"), find_wiki(platform, "acme/docs")
    assert (False, own["properties"]) == (of_site.get("inherited", False), of_site["properties"])
    assert (True, WIKI["properties"]) == (of_docs["inherited"], of_docs["properties"])
    copy = reload_export(platform)
    assert (of_site, of_docs) == (find_wiki(copy, "acme/site"), find_wiki(copy, "acme/docs"))


def test_something_has_to_be_inherited() -> None:
    """An entry that inherits needs an integration of a group above."""
    with pytest.raises(ScenarioError, match="Default integration not found"):
        create_platform(build_scenario({"slug": "slack", "inherited": True}))
