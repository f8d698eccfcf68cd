"""Integrations that came after 13.5, those of groups, and their inheritance.

Source: docs/platform/integrations.md ('Later integrations', 'Inheritance'); the platform's request specs of
integrations, of 16 to 18, and its pages of the integrations of projects and of groups.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.core.release import LATEST, parse_release, profile_of
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ADDRESSES_OF_CHATS_ARE_HIDDEN,
    INTEGRATION_ERRORS_ARE_SHOWN,
    INTEGRATIONS_HAVE_THEIR_NAME,
    UNCONFIGURED_INTEGRATIONS_ARE_MISSING,
    UNCONFIGURED_INTEGRATIONS_CANNOT_BE_DELETED,
)
from tests.api.deliveries import Deliveries
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, outcome, refusal

SITE = "projects/acme%2Fsite/integrations"
SERVICES = "projects/acme%2Fsite/services"
ACME = "groups/acme/integrations"
ISSUER = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
PEM = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----"
APP = {
    "app_store_issuer_id": ISSUER,
    "app_store_key_id": "ABC1",
    "app_store_private_key_file_name": "key.p8",
    "app_store_private_key": PEM,
}
SERVICE_ACCOUNT = (
    '{"type": "service_account", "project_id": "p", "private_key_id": "k", "private_key": "x",'
    ' "client_email": "a@x.test", "client_id": "1"}'
)
PLAY = {
    "package_name": "com.acme.site",
    "service_account_key": SERVICE_ACCOUNT,
    "service_account_key_file_name": "key.json",
}
TRACKER = {"issues_url": "https://bugs.test/:id", "project_url": "https://bugs.test"}
HARBOR = {"url": "https://harbor.test", "project_name": "site", "username": "ci", "password": "Sesame123"}
COVER = {
    "diffblue_license_key": "1234-ABCD",
    "diffblue_access_token_name": "Diffblue",
    "diffblue_access_token_secret": "glpat-x",
}
ROOM = {"token": "t", "room": "!room:matrix.test"}
HOOK = {"webhook": "https://chat.test/hook"}
CHAT_FILTERS = {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}

# slug, title, the first release and the one before, all required parameters, the properties in the response to them
TABLE: list[tuple[str, str, str, str, dict[str, Any], dict[str, Any]]] = [
    (
        "apple-app-store",
        "Apple App Store Connect",
        "15.10",
        "15.9",
        APP,
        {
            **{
                name: APP[name]
                for name in ("app_store_issuer_id", "app_store_key_id", "app_store_private_key_file_name")
            },
            "app_store_protected_refs": True,
        },
    ),
    ("clickup", "ClickUp", "16.1", "16.0", TRACKER, TRACKER),
    ("datadog", "Datadog", "14.1", "14.0", {"api_key": "secret"}, {"datadog_site": "datadoghq.com"}),
    ("diffblue-cover", "Diffblue Cover", "17.0", "16.11", COVER, {"diffblue_access_token_name": "Diffblue"}),
    ("git-guardian", "GitGuardian", "16.9", "16.8", {"token": "t"}, {}),
    (
        "google-play",
        "Google Play",
        "15.11",
        "15.10",
        PLAY,
        {
            "package_name": "com.acme.site",
            "service_account_key_file_name": "key.json",
            "google_play_protected_refs": True,
        },
    ),
    ("harbor", "Harbor", "14.9", "14.8", HARBOR, {name: HARBOR[name] for name in ("url", "project_name", "username")}),
    (
        "linear",
        "Linear",
        "18.3",
        "18.2",
        {"workspace_url": "https://linear.app/acme"},
        {"workspace_url": "https://linear.app/acme"},
    ),
    ("matrix", "Matrix notifications", "17.3", "17.2", ROOM, {"room": ROOM["room"], **CHAT_FILTERS}),
    ("phorge", "Phorge", "16.11", "16.10", TRACKER, TRACKER),
    ("pumble", "Pumble", "15.3", "15.2", HOOK, {**HOOK, **CHAT_FILTERS}),
    ("squash-tm", "Squash TM", "15.10", "15.9", {"url": "https://squash.test"}, {"url": "https://squash.test"}),
    ("telegram", "Telegram", "16.1", "16.0", ROOM, {"room": ROOM["room"], **CHAT_FILTERS}),
]
EACH = pytest.mark.parametrize(
    ("slug", "title", "since", "before", "required", "properties"), [pytest.param(*row, id=row[0]) for row in TABLE]
)


@EACH
def test_each_begins_with_its_release(
    fakeplat_factory: Callable[..., Fakeplat],
    slug: str,
    title: str,
    since: str,
    before: str,
    required: dict[str, Any],
    properties: dict[str, Any],
) -> None:
    """In its first release PUT answers 200 with the properties that are no secrets; before, its slug is no route."""
    path = f"projects/acme%2Fsite/services/{slug}"
    fakeplat = fakeplat_factory(version=since, tier="premium")
    status, configured = outcome(fakeplat.as_user("mia").put(path, json=required))
    assert (200, slug, title, True) == (status, configured["slug"], configured["title"], configured["active"])
    assert properties == configured["properties"]

    earlier = fakeplat_factory(version=before, tier="premium")
    assert (404, {"error": "404 Not Found"}) == refusal(earlier, "mia", "PUT", path, json=required)


@EACH
@pytest.mark.fakeplat(version="latest", tier="premium")
def test_each_can_be_configured_and_deleted(
    fakeplat: Fakeplat,
    slug: str,
    title: str,
    since: str,
    before: str,
    required: dict[str, Any],
    properties: dict[str, Any],
) -> None:
    """A missing parameter is named, GET answers as PUT did, and DELETE leaves an inactive integration."""
    del title, since, before, properties
    mia, path = fakeplat.as_user("mia"), f"{SITE}/{slug}"
    status, answer = refusal(fakeplat, "mia", "PUT", path, json={})
    assert (400, {f"{name} is missing" for name in required}) == (status, set(answer["error"].split(", ")))

    configured = mia.put(path, json=required).json()
    assert configured == mia.get(path).json()
    assert [slug] == [row["slug"] for row in mia.get(SITE).json()]
    assert (204, None) == outcome(mia.delete(path))
    assert (False, configured["id"]) == (mia.get(path).json()["active"], configured["id"])
    assert [] == mia.get(SITE).json()


def _refuse(**errors: str) -> tuple[int, dict[str, str]]:
    shown = ", ".join(f':{name}=>["{text}"]' for name, text in errors.items())
    return 400, {"message": f"Failed to update integration. {{{shown}}}"}


BROKEN: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("slack", {"webhook": ""}, {"webhook": "can't be blank"}),
    ("slack", {"webhook": "ftp://x.test"}, {"webhook": "is blocked: Only allowed schemes are http, https"}),
    ("harbor", {**HARBOR, "password": "short"}, {"password": "is invalid"}),
    (
        "harbor",
        {**HARBOR, "project_name": "", "username": ""},
        {"project_name": "can't be blank", "username": "can't be blank"},
    ),
    ("datadog", {"api_key": "with blank"}, {"api_key": "is invalid"}),
    ("datadog", {"api_key": "k", "datadog_tags": "no value"}, {"datadog_tags": "have an invalid format"}),
    ("apple-app-store", {**APP, "app_store_key_id": "lower"}, {"app_store_key_id": "is invalid"}),
    (
        "apple-app-store",
        {**APP, "app_store_private_key": "none"},
        {"app_store_private_key": "must be a valid PEM private key"},
    ),
    ("google-play", {**PLAY, "service_account_key": "{}"}, {"service_account_key": "must be a valid json schema"}),
    ("squash-tm", {"url": "https://s.test", "token": "t" * 256}, {"token": "is too long (maximum is 255 characters)"}),
    (
        "linear",
        {"workspace_url": "https://linear.app/a"},
        {"workspace_url": "URL must point to a workspace URL like https://linear.app/example"},
    ),
    ("jira", {"url": "https://jira.test", "password": "p"}, {"username": "can't be blank"}),
]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(("slug", "settings", "errors"), BROKEN)
def test_broken_rules_are_told(fakeplat: Fakeplat, slug: str, settings: dict[str, Any], errors: dict[str, str]) -> None:
    """Since 17.3 the refusal of invalid settings contains the errors by their names, and nothing changes."""
    assert _refuse(**errors) == refusal(fakeplat, "mia", "PUT", f"{SITE}/{slug}", json=settings)


@pytest.mark.parametrize("version", ["17.2", "17.3"])
def test_when_broken_rules_are_told(fakeplat_factory: Callable[..., Fakeplat], version: str) -> None:
    """Before 17.3 the refusal of invalid settings has no details."""
    fakeplat = fakeplat_factory(version=version)
    is_told = profile_of(parse_release(version)).has(INTEGRATION_ERRORS_ARE_SHOWN)
    expected = _refuse(webhook="can't be blank") if is_told else (400, {"message": "400 Bad Request"})
    assert expected == refusal(fakeplat, "mia", "PUT", f"{SITE}/slack", json={"webhook": ""})


@pytest.mark.parametrize("version", ["17.2", "17.3"])
def test_when_addresses_of_chats_are_hidden(fakeplat_factory: Callable[..., Fakeplat], version: str) -> None:
    """Responses of later releases do not contain the address of a chat."""
    properties = fakeplat_factory(version=version).as_user("mia").put(f"{SITE}/slack", json=HOOK).json()["properties"]
    assert profile_of(parse_release(version)).has(ADDRESSES_OF_CHATS_ARE_HIDDEN) is ("webhook" not in properties)


@pytest.mark.parametrize("version", ["13.12", "14.0", "14.3", "14.4"])
def test_when_one_that_was_never_configured_is_missing(fakeplat_factory: Callable[..., Fakeplat], version: str) -> None:
    """Since 14.0 it is missing, and since 14.4 by its later name, which is also that of an unknown slug."""
    fakeplat, profile = fakeplat_factory(version=version), profile_of(parse_release(version))
    word, slug = ("Integration", "slug") if profile.has(INTEGRATIONS_HAVE_THEIR_NAME) else ("Service", "service_slug")
    status, body = outcome(fakeplat.as_user("mia").get(f"{SERVICES}/asana"))
    if profile.has(UNCONFIGURED_INTEGRATIONS_ARE_MISSING):
        assert (404, {"message": f"404 {word} Not Found"}) == (status, body)
    else:
        assert (200, None) == (status, body["id"])
    unknown = invalid(f"{slug} does not have a valid value")
    assert unknown == refusal(fakeplat, "mia", "GET", f"{SERVICES}/nothing")


@pytest.mark.parametrize("version", ["18.8", "18.9"])
def test_when_one_that_was_never_configured_cannot_be_deleted(
    fakeplat_factory: Callable[..., Fakeplat], version: str
) -> None:
    """Earlier releases add an inactive record instead."""
    is_refused = profile_of(parse_release(version)).has(UNCONFIGURED_INTEGRATIONS_CANNOT_BE_DELETED)
    reply = fakeplat_factory(version=version).as_user("mia").delete(f"{SITE}/asana")
    assert (404 if is_refused else 204) == reply.status


@pytest.mark.fakeplat(version="latest")
def test_jira_takes_a_personal_access_token(fakeplat: Fakeplat) -> None:
    """With `jira_auth_type` 1 no user is needed."""
    sent = {"url": "https://jira.test", "password": "p", "jira_auth_type": 1, "jira_issue_prefix": "ABC-"}
    status, jira = outcome(fakeplat.as_user("mia").put(f"{SITE}/jira", json=sent))
    shown = {name: jira["properties"][name] for name in ("jira_auth_type", "jira_issue_prefix", "username")}
    assert (200, {"jira_auth_type": 1, "jira_issue_prefix": "ABC-", "username": None}) == (status, shown)


@pytest.mark.fakeplat(version="latest")
def test_harbor_forgets_the_credentials_of_another_address(fakeplat: Fakeplat) -> None:
    """A new address without credentials drops the stored ones, so that the parameters have to be sent again."""
    mia, path = fakeplat.as_user("mia"), f"{SITE}/harbor"
    mia.put(path, json=HARBOR)
    moved = mia.put(path, json={**HARBOR, "url": "https://other.test", "username": "other"}).json()
    assert ("https://other.test", "other") == (moved["properties"]["url"], moved["properties"]["username"])


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("slug", "title"),
    [("gitlab-slack-application", "GitLab for Slack app"), ("jira-cloud-app", "GitLab for Jira Cloud app")],
)
def test_apps_are_not_created_by_the_api(fakeplat: Fakeplat, slug: str, title: str) -> None:
    """An app that is installed elsewhere answers 422 until it is installed."""
    expected = (422, {"message": f"You cannot create the {title} integration from the API"})
    assert expected == refusal(fakeplat, "mia", "PUT", f"{SITE}/{slug}", json={})


def _load(fakeplat: Fakeplat, *services: dict[str, Any]) -> None:
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "services": [*services]}]})


@pytest.mark.fakeplat(version="latest")
def test_an_installed_app_is_edited(fakeplat: Fakeplat) -> None:
    """PUT changes an installed app and leaves it active or inactive as it is; that for Jira is never deleted."""
    _load(fakeplat, {"slug": "gitlab-slack-application", "active": False}, {"slug": "jira-cloud-app"})
    mia = fakeplat.as_user("mia")
    slack = mia.put(f"{SITE}/gitlab-slack-application", json={"push_events": True, "channel": "#dev"}).json()
    assert (False, True, "#dev") == (slack["active"], slack["push_events"], slack["properties"]["channel"])

    jira = mia.put(f"{SITE}/jira-cloud-app", json={"jira_cloud_app_service_ids": "b:1,b:2"}).json()
    assert (True, "b:1,b:2") == (jira["active"], jira["properties"]["jira_cloud_app_service_ids"])
    message = "You cannot disable the GitLab for Jira Cloud app integration from the API"
    assert (422, {"message": message}) == refusal(fakeplat, "mia", "DELETE", f"{SITE}/jira-cloud-app")


UNAVAILABLE = (400, {"message": "400 Integration not available"})
ZENTAO = {"url": "https://z.test", "api_token": "t", "zentao_product_xid": "1"}
REGISTRY = {
    "artifact_registry_project_id": "acme",
    "artifact_registry_location": "us",
    "artifact_registry_repositories": "site",
}


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("slug", "settings"), [("zentao", ZENTAO), ("google-cloud-platform-artifact-registry", REGISTRY)]
)
def test_some_are_not_available(fakeplat: Fakeplat, slug: str, settings: dict[str, Any]) -> None:
    """ZenTao is nowhere available any more, and those of Google Cloud on the hosted offering only."""
    assert UNAVAILABLE == refusal(fakeplat, "mia", "PUT", f"{SITE}/{slug}", json=settings)
    missing = (404, {"message": "404 Integration Not Found"})
    assert missing == refusal(fakeplat, "mia", "GET", f"{SITE}/{slug}")
    assert missing == refusal(fakeplat, "mia", "DELETE", f"{SITE}/{slug}")


@pytest.mark.fakeplat(version="latest", hosted=True)
def test_google_cloud_is_for_the_hosted_offering(fakeplat: Fakeplat) -> None:
    """On the hosted offering the integration with Google Cloud's registry can be configured."""
    status, registry = outcome(
        fakeplat.as_user("mia").put(f"{SITE}/google-cloud-platform-artifact-registry", json=REGISTRY)
    )
    assert (200, REGISTRY) == (status, registry["properties"])


@pytest.mark.fakeplat(version="latest")
def test_one_that_was_never_configured_is_missing(fakeplat: Fakeplat) -> None:
    """In later releases GET and DELETE of an integration that was never configured are 404, at both paths."""
    missing = (404, {"message": "404 Integration Not Found"})
    for path in (SITE, "projects/acme%2Fsite/services", ACME):
        caller = "mia" if path != ACME else "root"
        assert missing == refusal(fakeplat, caller, "GET", f"{path}/asana")
        assert missing == refusal(fakeplat, caller, "DELETE", f"{path}/asana")
        unknown = invalid("slug does not have a valid value")
        assert unknown == refusal(fakeplat, caller, "GET", f"{path}/nothing")
        assert unknown == refusal(fakeplat, caller, "DELETE", f"{path}/nothing")
        assert (404, {"error": "404 Not Found"}) == refusal(fakeplat, caller, "PUT", f"{path}/nothing", json={})


@pytest.mark.fakeplat(version="latest")
def test_responses_have_later_flags_but_no_address_of_a_chat(fakeplat: Fakeplat) -> None:
    """Later fields tell of further events and of inheritance; the address of a chat is no longer shown."""
    slack = fakeplat.as_user("mia").put(f"{SITE}/slack", json={**HOOK, "incident_events": True}).json()
    shown = {name: slack[name] for name in ("incident_events", "alert_events", "deployment_events", "inherited")}
    assert {"incident_events": True, "alert_events": True, "deployment_events": False, "inherited": False} == shown
    assert "webhook" not in slack["properties"]


# Groups


def _set_up(fakeplat: Fakeplat, **settings: Any) -> dict[str, Any]:
    reply = fakeplat.as_user("root").put(f"{ACME}/slack", json={**HOOK, **settings})
    assert 200 == reply.status
    configured: dict[str, Any] = reply.json()
    return configured


@pytest.mark.fakeplat(version="latest")
def test_groups_have_integrations(fakeplat: Fakeplat) -> None:
    """The integrations of a group are configured, shown, listed and deleted as those of a project are."""
    root = fakeplat.as_user("root")
    configured = _set_up(fakeplat, username="bot")
    assert ("slack", True, False) == (configured["slug"], configured["active"], configured["inherited"])
    assert configured == root.get(f"{ACME}/slack").json()
    (listed,) = root.get(ACME).json()
    assert {name: value for name, value in configured.items() if name != "properties"} == listed
    assert (204, None) == outcome(root.delete(f"{ACME}/slack"))
    assert [] == root.get(ACME).json()


@pytest.mark.fakeplat(version="latest")
def test_integrations_of_groups_are_for_owners(fakeplat: Fakeplat) -> None:
    """A maintainer of a group is forbidden what its owners may do; nobody else learns of them."""
    for method, path in (
        ("GET", ACME),
        ("PUT", f"{ACME}/slack"),
        ("DELETE", f"{ACME}/slack"),
        ("GET", f"{ACME}/slack"),
    ):
        body = {"json": HOOK} if method == "PUT" else {}
        assert FORBIDDEN == refusal(fakeplat, "mia", method, path, **body)
        assert UNAUTHORIZED == refusal(fakeplat, None, method, path, **body)


@pytest.mark.fakeplat(version="latest", tier="premium")
@pytest.mark.parametrize("slug", ["apple-app-store", "google-play", "jenkins", "alerts"])
def test_some_are_for_projects_only(fakeplat: Fakeplat, slug: str) -> None:
    """Some integrations are not available for groups."""
    settings = {**APP, **PLAY, "jenkins_url": "https://ci.test", "project_name": "site"}
    assert UNAVAILABLE == refusal(fakeplat, "root", "PUT", f"{ACME}/{slug}", json=settings)
    assert UNAVAILABLE == refusal(fakeplat, "root", "GET", f"{ACME}/{slug}")
    assert UNAVAILABLE == refusal(fakeplat, "root", "DELETE", f"{ACME}/{slug}")


@pytest.mark.fakeplat(version="latest")
def test_projects_inherit_what_they_have_not_configured(fakeplat: Fakeplat) -> None:
    """A project without the integration gets the group's, follows its changes, and is switched off with it."""
    mia, root = fakeplat.as_user("mia"), fakeplat.as_user("root")
    of_group = _set_up(fakeplat, username="bot")
    of_project = mia.get(f"{SITE}/slack").json()
    assert (True, True, "bot") == (of_project["active"], of_project["inherited"], of_project["properties"]["username"])
    assert of_group["id"] != of_project["id"]

    _set_up(fakeplat, username="robot", push_events=False)
    of_project = mia.get(f"{SITE}/slack").json()
    assert ("robot", False) == (of_project["properties"]["username"], of_project["push_events"])
    root.delete(f"{ACME}/slack")
    assert [] == mia.get(SITE).json()


@pytest.mark.fakeplat(version="latest")
def test_a_project_may_have_settings_of_its_own(fakeplat: Fakeplat) -> None:
    """`use_inherited_settings` false ends the inheritance, true resumes it; without it an update changes nothing."""
    mia = fakeplat.as_user("mia")
    _set_up(fakeplat, username="bot")
    ignored = mia.put(f"{SITE}/slack", json={**HOOK, "username": "mine"}).json()
    assert (True, "bot") == (ignored["inherited"], ignored["properties"]["username"])
    own = mia.put(f"{SITE}/slack", json={**HOOK, "username": "mine", "use_inherited_settings": False}).json()
    assert (False, "mine") == (own["inherited"], own["properties"]["username"])
    _set_up(fakeplat, username="robot")
    assert own == mia.get(f"{SITE}/slack").json()
    again = mia.put(f"{SITE}/slack", json={**HOOK, "use_inherited_settings": True}).json()
    assert (True, "robot", own["id"]) == (again["inherited"], again["properties"]["username"], again["id"])


@pytest.mark.fakeplat(version="latest")
def test_there_has_to_be_something_to_inherit(fakeplat: Fakeplat) -> None:
    """Without an integration of a group above, `use_inherited_settings` is refused."""
    expected = (400, {"message": "Default integration not found."})
    body = {**HOOK, "use_inherited_settings": True}
    assert expected == refusal(fakeplat, "mia", "PUT", f"{SITE}/slack", json=body)


@pytest.mark.fakeplat(version="latest")
def test_new_projects_and_subgroups_inherit(fakeplat: Fakeplat) -> None:
    """A new subgroup and a new project in it get the active integrations of the groups above."""
    root = fakeplat.as_user("root")
    _set_up(fakeplat, username="bot")
    acme = root.get("groups/acme").json()["id"]
    inner = root.post("groups", json={"name": "Inner", "path": "inner", "parent_id": acme}).json()["id"]
    new = root.post("projects", json={"name": "Fresh", "namespace_id": inner}).json()["id"]
    for path in (f"groups/{inner}", f"projects/{new}"):
        inherited = root.get(f"{path}/integrations/slack").json()
        assert (True, "bot") == (inherited["inherited"], inherited["properties"]["username"])


@pytest.mark.fakeplat(version="latest")
def test_an_inherited_integration_sends_what_happens(fakeplat: Fakeplat) -> None:
    """The integration that a project inherited announces the events of that project."""
    _set_up(fakeplat)
    sent = Deliveries(fakeplat)
    fakeplat.as_user("mia").post("projects/acme%2Fsite/issues", json={"title": "Broken"})
    assert ["https://chat.test/hook"] == [request.url for request in sent.take()]


# Slash commands


@pytest.mark.fakeplat(version="latest")
def test_the_newer_path_triggers_commands(fakeplat: Fakeplat) -> None:
    """Since 14.4 slash commands are triggered at the newer path, too, and a wrong token is a missing integration."""
    tokens = [{"slug": f"{chat}-slash-commands", "properties": {"token": "t"}} for chat in ("slack", "mattermost")]
    _load(fakeplat, *tokens)
    for chat in ("slack", "mattermost"):
        path = f"{SITE}/{chat}_slash_commands/trigger"
        status, answer = outcome(fakeplat.as_user(None).post(path, json={"token": "t"}))
        assert (200, "ephemeral") == (status, answer["response_type"])
        missing = (404, {"message": "404 Integration Not Found"})
        assert missing == refusal(fakeplat, None, "POST", path, json={"token": "wrong"})


APP_COMMAND = "slack/trigger"


@pytest.mark.fakeplat(tier="premium")
def test_the_app_for_slack_answers_with_the_token_of_the_settings(fakeplat: Fakeplat) -> None:
    """A command with the token finds no project, since none has the app; without a text or the token it is refused."""
    root = fakeplat.as_user("root")
    assert 200 == root.put("application/settings", json={"slack_app_verification_token": "t"}).status
    status, answer = outcome(
        fakeplat.as_user(None).post(APP_COMMAND, json={"token": "t", "text": "acme/site issue show 1"})
    )
    text = "GitLab error: project or alias not found"
    assert (200, {"response_type": "ephemeral", "status": 200, "text": text}) == (status, answer)
    help_ = fakeplat.as_user(None).post(APP_COMMAND, json={"token": "t", "text": "help", "command": "/gitlab"}).json()
    assert re.search(r"^/gitlab \[project name or alias\] issue show <id>$", help_["text"], re.MULTILINE)
    assert (404, {"message": "404 Not Found"}) == refusal(
        fakeplat, None, "POST", APP_COMMAND, json={"token": "x", "text": "help"}
    )
    assert invalid("text is missing") == refusal(fakeplat, None, "POST", APP_COMMAND, json={"token": "t"})


def test_the_latest_release_has_all(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """Every slug of the table is known in the latest release."""
    fakeplat = fakeplat_factory(version=LATEST, tier="premium")
    for slug, *_ in TABLE:
        assert (404, {"message": "404 Integration Not Found"}) == refusal(fakeplat, "mia", "GET", f"{SITE}/{slug}")
