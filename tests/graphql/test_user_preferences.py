"""How users want lists to be shown, as the platform's spec of userPreferencesUpdate expects it."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from tests.by_release import by_release
from tests.graphql.queries import WORLD, post_query, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")

FIELDS = """issuesSort projectsSort organizationGroupsProjectsSort organizationGroupsProjectsDisplay useWorkItemsView
    visibilityPipelineIdType mergeRequestDashboardListType mergeRequestDashboardShowDrafts workItemsDisplaySettings
    timezone"""
UPDATE = write_mutation("userPreferencesUpdate", f"userPreferences {{ {FIELDS} }}")
SHOW = f"query($name: String) {{ user(username: $name) {{ userPreferences {{ {FIELDS} }} }} }}"
NEW: dict[str, Any] = {
    "issuesSort": None,
    "projectsSort": None,
    "organizationGroupsProjectsSort": None,
    "organizationGroupsProjectsDisplay": "GROUPS",
    "useWorkItemsView": False,
    "visibilityPipelineIdType": "ID",
    "mergeRequestDashboardListType": "ACTION_BASED",
    "mergeRequestDashboardShowDrafts": True,
    "workItemsDisplaySettings": {},
    "timezone": None,
}
CHANGED = {
    "issuesSort": "TITLE_ASC",
    "projectsSort": "NAME_DESC",
    "organizationGroupsProjectsSort": "NAME_DESC",
    "organizationGroupsProjectsDisplay": "PROJECTS",
    "useWorkItemsView": True,
    "visibilityPipelineIdType": "IID",
    "mergeRequestDashboardListType": "ROLE_BASED",
    "mergeRequestDashboardShowDrafts": False,
    "workItemsDisplaySettings": {"shouldOpenItemsInSidePanel": False},
}
SORTS = ("issuesSort", "projectsSort", "organizationGroupsProjectsSort")
DECLARED: dict[str, Any] = {"issues_sort": "DUE_DATE_DESC", "projects_sort": "OTHER", "timezone": "Europe/Rome"}
PREFERRING = {
    **WORLD,
    "users": [{**user, "preferences": DECLARED} if user["username"] == "gus" else user for user in WORLD["users"]],
}


def update(fake: Fakeplat, **changes: Any) -> Any:
    return query_data(fake, "gus", UPDATE, input=changes)["userPreferencesUpdate"]


def show(fake: Fakeplat, by: str | None = "gus") -> Any:
    return query_data(fake, by, SHOW, name="gus")["user"]["userPreferences"]


def test_a_new_user_has_preferences(fakeplat: Fakeplat) -> None:
    """A user has the platform's preferences until they are changed; administrators see them, too."""
    assert NEW == show(fakeplat) == show(fakeplat, "root")
    assert None is show(fakeplat, "ada")


def test_preferences_are_changed(fakeplat: Fakeplat) -> None:
    """All preferences are changed at once or one by one; those of others stay as they are."""
    payload = update(fakeplat, **CHANGED)
    assert {"userPreferences": {**CHANGED, "timezone": None}, "errors": []} == payload
    assert payload["userPreferences"] == show(fakeplat)
    assert [] == update(fakeplat, mergeRequestsSort="TITLE_ASC")["errors"]
    assert {**CHANGED, "issuesSort": "TITLE_DESC", "timezone": None} == update(fakeplat, issuesSort="TITLE_DESC")[
        "userPreferences"
    ]
    query = "{ currentUser { userPreferences { useWorkItemsView } } }"
    assert {"useWorkItemsView": False} == query_data(fakeplat, "ada", query)["currentUser"]["userPreferences"]


def test_null_removes_orders_only(fakeplat: Fakeplat) -> None:
    """Null removes a sort order; for a preference that has a value it is ignored."""
    update(fakeplat, **CHANGED)
    sent = {name: None for name in CHANGED if name != "workItemsDisplaySettings"}
    expected = {**CHANGED, **dict.fromkeys(SORTS), "timezone": None}
    assert {"userPreferences": expected, "errors": []} == update(fakeplat, **sent)


@pytest.mark.parametrize("settings", [None, [], "x", {"other": True}, {"shouldOpenItemsInSidePanel": "yes"}])
def test_invalid_display_settings_are_refused(fakeplat: Fakeplat, settings: object) -> None:
    """Display settings have one known key with a boolean; otherwise nothing is changed."""
    sent = {"workItemsDisplaySettings": settings, "useWorkItemsView": True}
    payload = query_refused(fakeplat, "gus", UPDATE, input=sent)["data"]["userPreferencesUpdate"]
    error = "Work items display settings must be a valid json schema"
    assert {"userPreferences": None, "errors": [error]} == payload


def test_empty_display_settings_remove_the_choice(fakeplat: Fakeplat) -> None:
    """An empty object removes what was chosen for lists of work items."""
    update(fakeplat, workItemsDisplaySettings={"shouldOpenItemsInSidePanel": True})
    assert {"shouldOpenItemsInSidePanel": True} == show(fakeplat)["workItemsDisplaySettings"]
    assert {} == update(fakeplat, workItemsDisplaySettings={})["userPreferences"]["workItemsDisplaySettings"]


def test_visitors_have_no_preferences(fakeplat: Fakeplat) -> None:
    """Who is not signed in changes no preferences."""
    assert "errors" in query_refused(fakeplat, None, UPDATE, input={"useWorkItemsView": True})


@pytest.mark.fakeplat(scenario=PREFERRING)
def test_scenarios_declare_preferences(fakeplat: Fakeplat) -> None:
    """A scenario declares preferences; an order that the release does not have is none."""
    expected = {**NEW, "issuesSort": "DUE_DATE_DESC", "timezone": "Europe/Rome"}
    assert expected == show(fakeplat)


@by_release(Lifetime("17.2"), "is_known", {"17.1": False, "17.2": True})
def test_older_releases_have_fewer_preferences(fakeplat: Fakeplat, is_known: bool) -> None:
    """Preferences about organizations are unknown before the release 17.2."""
    mutation = write_mutation("userPreferencesUpdate", "clientMutationId")
    content = post_query(fakeplat, "gus", mutation, input={"organizationGroupsProjectsDisplay": "PROJECTS"})
    assert is_known == ("errors" not in content)
