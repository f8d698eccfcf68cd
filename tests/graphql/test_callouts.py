"""Hints of the interface that users dismissed. Source: docs/platform/users.md ('Callouts')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CALLOUTS_STAY_DISMISSED
from tests.api.company import COMPANY
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, NOW, list_messages, query_data, query_refused, write_mutation

DISMISS: Final = write_mutation("userCalloutCreate", "userCallout { featureName dismissedAt }")
DISMISS_FOR_GROUP: Final = write_mutation(
    "userGroupCalloutCreate", "userGroupCallout { featureName dismissedAt groupId }"
)
LIST: Final = "callouts { nodes { featureName dismissedAt } }"
GROUP_LIST: Final = "groupCallouts { nodes { featureName dismissedAt groupId } }"
ERRORS: Final = ["Feature name can't be blank", "Feature name is not included in the list"]
DEV: Final[dict[str, Any]] = {
    "username": "dev",
    "callouts": [
        {"feature_name": "suggest_pipeline", "dismissed_at": "2020-11-01T00:00:00Z"},
        {"feature_name": "web_hook_disabled", "group": "acme", "dismissed_at": "2020-11-02T00:00:00Z"},
    ],
}
USERS: Final = [DEV if user["username"] == "dev" else user for user in COMPANY["users"]]
PRIVATE: Final = {**COMPANY["groups"][0], "visibility": "private", "projects": [], "groups": []}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "users": USERS}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=SCENARIO)


def list_callouts(fake: Fakeplat, by: str, selection: str = LIST, of: str = "dev") -> Any:
    user = query_data(fake, by, f'{{ user(username: "{of}") {{ {selection} }} }}')["user"]
    return next(iter(user.values()))["nodes"]


def group_id(fake: Fakeplat) -> str:
    return str(query_data(fake, "root", '{ group(fullPath: "acme") { id } }')["group"]["id"])


def test_users_dismiss_hints(fakeplat: Fakeplat) -> None:
    """A user dismisses a hint by its name in lower case, which is shown in upper case with the time."""
    payload = query_data(fakeplat, "gus", DISMISS, input={"featureName": "ultimate_trial"})["userCalloutCreate"]
    shown = {"featureName": "ULTIMATE_TRIAL", "dismissedAt": NOW}

    assert {"userCallout": shown, "errors": []} == payload
    assert [shown] == query_data(fakeplat, "gus", f"{{ currentUser {{ {LIST} }} }}")["currentUser"]["callouts"]["nodes"]
    assert [{"featureName": "SUGGEST_PIPELINE", "dismissedAt": "2020-11-01T00:00:00Z"}] == list_callouts(
        fakeplat, "dev"
    )


def test_users_dismiss_hints_for_groups(fakeplat: Fakeplat) -> None:
    """A hint for a group is dismissed for that alone, and is no hint of the user."""
    group = group_id(fakeplat)
    given = {"featureName": "all_seats_used_alert", "groupId": group}
    payload = query_data(fakeplat, "dev", DISMISS_FOR_GROUP, input=given)["userGroupCalloutCreate"]
    shown = {"featureName": "ALL_SEATS_USED_ALERT", "dismissedAt": NOW, "groupId": group}
    before = {"featureName": "WEB_HOOK_DISABLED", "dismissedAt": "2020-11-02T00:00:00Z", "groupId": group}

    assert {"userGroupCallout": shown, "errors": []} == payload
    assert [before, shown] == list_callouts(fakeplat, "dev", GROUP_LIST)
    assert 1 == len(list_callouts(fakeplat, "dev"))


@pytest.mark.parametrize("name", ["", "nonsense", "ULTIMATE_TRIAL", "web_hook_disabled", "customize_homepage"])
def test_unknown_hints_are_refused(fakeplat: Fakeplat, name: str) -> None:
    """There is no hint of another kind, of an earlier release, or in upper case."""
    content = query_refused(fakeplat, "dev", DISMISS, input={"featureName": name})

    expected = {"userCallout": {"featureName": None, "dismissedAt": None}, "errors": ERRORS}
    assert expected == content["data"]["userCalloutCreate"]


@pytest.mark.fakeplat(version="14.0")
def test_earlier_releases_have_other_hints(fakeplat: Fakeplat) -> None:
    """A hint of 14.0 is known there."""
    payload = query_data(fakeplat, "dev", DISMISS, input={"featureName": "customize_homepage"})["userCalloutCreate"]
    assert {"featureName": "CUSTOMIZE_HOMEPAGE", "dismissedAt": NOW} == payload["userCallout"]


def test_unknown_hints_for_groups_are_refused(fakeplat: Fakeplat) -> None:
    """A hint of users is none for groups."""
    given = {"featureName": "ultimate_trial", "groupId": group_id(fakeplat)}
    content = query_refused(fakeplat, "dev", DISMISS_FOR_GROUP, input=given)

    assert {"userGroupCalloutCreate": None} == content["data"]
    assert ERRORS[:1] == list_messages(content)


@pytest.mark.fakeplat(scenario={**COMPANY, "groups": [PRIVATE]})
def test_hidden_groups_have_no_hints(fakeplat: Fakeplat) -> None:
    """Who does not see a group dismisses nothing for it; anonymous callers dismiss nothing at all."""
    given = {"featureName": "web_hook_disabled", "groupId": group_id(fakeplat)}
    for by in ("eve", None):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, DISMISS_FOR_GROUP, input=given))
    unknown = {**given, "groupId": "gid://gitlab/Group/1"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", DISMISS_FOR_GROUP, input=unknown))
    content = query_refused(fakeplat, None, DISMISS, input={"featureName": "ultimate_trial"})
    assert [NOT_AVAILABLE] == list_messages(content)


@by_release(CALLOUTS_STAY_DISMISSED, "expected", {"14.0": NOW, "19.3": "2020-11-01T00:00:00Z"})
def test_a_second_dismissal_changes_the_time_at_first(fakeplat: Fakeplat, expected: str) -> None:
    """In earlier releases the time is that of the last dismissal, later that of the first one."""
    payload = query_data(fakeplat, "dev", DISMISS, input={"featureName": "suggest_pipeline"})["userCalloutCreate"]
    assert {"featureName": "SUGGEST_PIPELINE", "dismissedAt": expected} == payload["userCallout"]


def test_an_export_has_hints(fakeplat: Fakeplat) -> None:
    """The export of a world has the hints of users."""
    (dev,) = (user for user in fakeplat.export()["users"] if user["username"] == "dev")

    assert [("suggest_pipeline", None), ("web_hook_disabled", "acme")] == [
        (entry["feature_name"], entry.get("group")) for entry in dev["callouts"]
    ]
    assert "2020-11-01T00:00:00.000Z" == dev["callouts"][0]["dismissed_at"]
