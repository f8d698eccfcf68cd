"""Settings of the platform's integrations: parameters, rules, and what responses contain.

Source: docs/platform/integrations.md; the platform's request spec of services.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import invalid, outcome, refusal

pytestmark = pytest.mark.every_release

SERVICES = "projects/acme%2Fsite/services"
CHAT_FLAGS = (
    "push_events issues_events confidential_issues_events merge_requests_events note_events confidential_note_events "
    "tag_push_events pipeline_events wiki_page_events"
)
HOOK = {"webhook": "https://chat.test/hook"}
TRACKER = {
    "new_issue_url": "https://bugs.test/new",
    "issues_url": "https://bugs.test/:id",
    "project_url": "https://bugs.test",
}
TRACKER_SHOWN = "project_url issues_url new_issue_url"
CHAT_SHOWN = "webhook notify_only_broken_pipelines branches_to_be_notified"
USER = {"username": "ci", "password": "secret"}
BUILDS = "push_events merge_requests_events tag_push_events"
PAID = ("jenkins", "github")

# slug, title, all required parameters, the properties in the response to them, the flags that can be switched
TABLE: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("asana", "Asana", {"api_key": "k"}, "", "push_events"),
    ("assembla", "Assembla", {"token": "t"}, "", "push_events"),
    (
        "bamboo",
        "Atlassian Bamboo CI",
        {"bamboo_url": "https://ci.test", "build_key": "K", **USER},
        "bamboo_url username",
        "push_events",
    ),
    ("bugzilla", "Bugzilla", TRACKER, TRACKER_SHOWN, "push_events"),
    ("buildkite", "Buildkite", {"token": "a:b", "project_url": "https://ci.test/p"}, "project_url", "push_events"),
    ("campfire", "Campfire", {"token": "t"}, "", "push_events"),
    (
        "confluence",
        "Confluence Workspace",
        {"confluence_url": "https://acme.atlassian.net/wiki"},
        "confluence_url",
        "",
    ),
    ("custom-issue-tracker", "Custom Issue Tracker", TRACKER, TRACKER_SHOWN, "push_events"),
    ("discord", "Discord Notifications", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    ("drone-ci", "Drone CI", {"token": "t", "drone_url": "https://ci.test"}, "drone_url", BUILDS),
    (
        "emails-on-push",
        "Emails on push",
        {"recipients": "a@x.test"},
        "branches_to_be_notified recipients",
        "push_events tag_push_events",
    ),
    ("ewm", "EWM", TRACKER, TRACKER_SHOWN, "push_events"),
    ("external-wiki", "External Wiki", {"external_wiki_url": "https://w.test"}, "external_wiki_url", ""),
    ("flowdock", "Flowdock", {"token": "t"}, "", "push_events"),
    ("hangouts-chat", "Hangouts Chat", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    (
        "hipchat",
        "HipChat",
        {"token": "t"},
        "notify_only_broken_pipelines",
        CHAT_FLAGS.removesuffix(" wiki_page_events"),
    ),
    ("irker", "Irker (IRC gateway)", {"recipients": "irc://irc.test/dev"}, "recipients", "push_events"),
    (
        "jira",
        "Jira",
        {"url": "https://jira.test", **USER},
        "url api_url username jira_issue_transition_id",
        "commit_events merge_requests_events",
    ),
    ("mattermost", "Mattermost notifications", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    ("mattermost-slash-commands", "Mattermost slash commands", {"token": "t"}, "", ""),
    ("microsoft-teams", "Microsoft Teams Notification", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    ("packagist", "Packagist", {"username": "u", "token": "t"}, "username", BUILDS),
    (
        "pipelines-email",
        "Pipelines emails",
        {"recipients": "a@x.test"},
        "recipients notify_only_broken_pipelines branches_to_be_notified",
        "pipeline_events",
    ),
    ("pivotaltracker", "PivotalTracker", {"token": "t"}, "", "push_events"),
    (
        "prometheus",
        "Prometheus",
        {
            "api_url": "https://prom.test",
            "google_iap_audience_client_id": "id",
            "google_iap_service_account_json": "{}",
        },
        "api_url google_iap_audience_client_id google_iap_service_account_json",
        "",
    ),
    (
        "pushover",
        "Pushover",
        {"api_key": "a", "user_key": "u", "priority": "0", "device": "d", "sound": "s"},
        "device priority sound",
        "push_events",
    ),
    ("redmine", "Redmine", TRACKER, TRACKER_SHOWN, "push_events"),
    (
        "slack",
        "Slack notifications",
        HOOK,
        CHAT_SHOWN,
        CHAT_FLAGS,
    ),
    ("slack-slash-commands", "Slack slash commands", {"token": "t"}, "", ""),
    (
        "teamcity",
        "JetBrains TeamCity CI",
        {"teamcity_url": "https://ci.test", "build_type": "T", **USER},
        "teamcity_url build_type username",
        "push_events merge_requests_events",
    ),
    ("unify-circuit", "Unify Circuit", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    ("webex-teams", "Webex Teams", HOOK, CHAT_SHOWN, CHAT_FLAGS),
    (
        "youtrack",
        "YouTrack",
        {"project_url": "https://bugs.test", "issues_url": "https://bugs.test/:id"},
        "project_url issues_url",
        "push_events",
    ),
    (
        "jenkins",
        "Jenkins CI",
        {"jenkins_url": "https://ci.test", "project_name": "site"},
        "jenkins_url project_name",
        BUILDS,
    ),
    (
        "github",
        "GitHub",
        {"token": "t", "repository_url": "https://github.test/a/b"},
        "repository_url",
        "pipeline_events",
    ),
]
EACH = pytest.mark.parametrize(
    ("slug", "title", "required", "properties", "flags"),
    [pytest.param(*row, marks=pytest.mark.fakeplat(tier="premium"), id=row[0]) for row in TABLE],
)


@EACH
@pytest.mark.fakeplat(releases="<16.0")
def test_each_can_be_configured_switched_and_deleted(
    fakeplat: Fakeplat, slug: str, title: str, required: dict[str, Any], properties: str, flags: str
) -> None:
    """PUT answers 200 with the properties that are no secrets; flags change one by one; DELETE leaves it inactive."""
    mia, path = fakeplat.as_user("mia"), f"{SERVICES}/{slug}"
    status, configured = outcome(mia.put(path, json=required))

    assert (200, slug, title, True) == (status, configured["slug"], configured["title"], configured["active"])
    assert properties.split() == list(configured["properties"])
    for name in properties.split():
        assert required.get(name, configured["properties"][name]) == configured["properties"][name]
    assert [slug] == [service["slug"] for service in mia.get(SERVICES).json()]

    for flag in flags.split():
        switched = mia.put(path, json={**required, flag: not configured[flag]}).json()
        assert {**configured, flag: not configured[flag]} == {**switched, "updated_at": configured["updated_at"]}
        configured = switched

    assert (204, None) == outcome(mia.delete(path))
    deleted = mia.get(path).json()
    assert (configured["id"], configured["created_at"], False) == (deleted["id"], deleted["created_at"], False)
    assert {None} >= set(deleted["properties"].values())
    assert [] == mia.get(SERVICES).json()


@EACH
@pytest.mark.fakeplat(releases="<16.0")
def test_each_parameter_that_is_required_is_named(
    fakeplat: Fakeplat, slug: str, title: str, required: dict[str, Any], properties: str, flags: str
) -> None:
    """A missing required parameter answers 400 with its name, even if configured."""
    del title, properties, flags
    fakeplat.as_user("mia").put(f"{SERVICES}/{slug}", json=required)
    status, answer = refusal(fakeplat, "mia", "PUT", f"{SERVICES}/{slug}", json={})
    assert (400, {f"{name} is missing" for name in required}) == (status, set(answer["error"].split(", ")))


INVALID = (400, {"message": "400 Bad Request"})
BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("slack", {"webhook": ""}),
    ("slack", {"webhook": None}),
    ("slack", {"webhook": "ftp://chat.test"}),
    ("discord", {"webhook": "nothing"}),
    ("asana", {"api_key": " "}),
    ("bamboo", {"bamboo_url": "https://ci.test", "build_key": "K", "username": "ci", "password": ""}),
    ("bamboo", {"bamboo_url": "https://ci.test", "build_key": "", **USER}),
    ("custom-issue-tracker", {**TRACKER, "issues_url": "bugs"}),
    ("confluence", {"confluence_url": "https://wiki.test/wiki"}),
    ("confluence", {"confluence_url": "https://acme.atlassian.net/other"}),
    ("emails-on-push", {"recipients": "nobody at all"}),
    ("irker", {"recipients": "#dev"}),
    ("jira", {"url": "https://jira.test", **USER, "jira_issue_transition_id": "5, done"}),
    ("jira", {"url": "https://jira.test", **USER, "api_url": "jira"}),
    ("pushover", {"api_key": "a", "user_key": "u", "priority": "", "device": "d", "sound": "s"}),
]


@pytest.mark.parametrize(("slug", "settings"), BROKEN)
@pytest.mark.fakeplat(releases="<17.3")
def test_settings_that_break_a_rule_are_refused(fakeplat: Fakeplat, slug: str, settings: dict[str, Any]) -> None:
    """Invalid settings of an integration answer 400 and change nothing."""
    assert INVALID == refusal(fakeplat, "mia", "PUT", f"{SERVICES}/{slug}", json=settings)


@pytest.mark.fakeplat(releases="<17.3")
def test_local_addresses_are_refused_unless_the_setting_allows_them(fakeplat: Fakeplat) -> None:
    """The setting for local requests from webhooks and integrations decides."""
    admin, local = fakeplat.as_user("root"), {"webhook": "http://127.0.0.1:9/x"}
    setting = "allow_local_requests_from_web_hooks_and_services"
    assert 200 == admin.put("application/settings", json={setting: False}).status
    assert INVALID == refusal(fakeplat, "mia", "PUT", f"{SERVICES}/slack", json=local)
    assert 200 == admin.put("application/settings", json={setting: True}).status
    assert 200 == fakeplat.as_user("mia").put(f"{SERVICES}/slack", json=local).status


def test_flags_are_booleans_or_texts(fakeplat: Fakeplat) -> None:
    """Slack's must be Booleans; Discord's are texts, and all but the words for false switch the flag on."""
    assert invalid("push_events is invalid") == refusal(
        fakeplat, "mia", "PUT", f"{SERVICES}/slack", json={**HOOK, "push_events": "maybe"}
    )
    mia = fakeplat.as_user("mia")
    for text, expected in (("false", False), ("maybe", True), ("0", False), ("f", False), ("on", True), ("off", False)):
        assert expected is mia.put(f"{SERVICES}/discord", json={**HOOK, "push_events": text}).json()["push_events"]


@pytest.mark.parametrize("slug", PAID)
@pytest.mark.fakeplat(releases="<14.4")
def test_paid_ones_are_unknown_on_the_free_tier(fakeplat: Fakeplat, slug: str) -> None:
    """On the free tier paid integrations are not found, like unknown slugs."""
    unknown = invalid("service_slug does not have a valid value")
    assert unknown == refusal(fakeplat, "mia", "GET", f"{SERVICES}/{slug}")
    assert unknown == refusal(fakeplat, "mia", "DELETE", f"{SERVICES}/{slug}")
    assert (404, {"error": "404 Not Found"}) == refusal(fakeplat, "mia", "PUT", f"{SERVICES}/{slug}", json={})


UNCONFIGURED: list[tuple[str, dict[str, Any]]] = [
    ("slack", {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}),
    ("discord", {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}),
    ("pipelines-email", {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}),
    ("emails-on-push", {"branches_to_be_notified": "all"}),
    ("hipchat", {"notify_only_broken_pipelines": True}),
    ("drone-ci", {}),
    ("jira", {"url": None, "api_url": None, "username": None, "jira_issue_transition_id": None}),
    ("bugzilla", {"project_url": None, "issues_url": None, "new_issue_url": None}),
    ("youtrack", {"project_url": None, "issues_url": None}),
]


@pytest.mark.parametrize(("slug", "properties"), UNCONFIGURED)
@pytest.mark.fakeplat(releases="<14.0")
def test_one_that_was_never_configured_shows_its_initial_properties(
    fakeplat: Fakeplat, slug: str, properties: dict[str, Any]
) -> None:
    """The values of a new record; services with a table of their own show their columns."""
    integration = fakeplat.as_user("mia").get(f"{SERVICES}/{slug}").json()
    assert (None, False, properties) == (integration["id"], integration["active"], integration["properties"])


@pytest.mark.fakeplat(tier="premium")
def test_jenkins_begins_with_pushes_only(fakeplat: Fakeplat) -> None:
    """Merge requests and tags are off for it."""
    settings = {"jenkins_url": "https://ci.test", "project_name": "site"}
    integration = fakeplat.as_user("mia").put(f"{SERVICES}/jenkins", json=settings).json()
    flags = ("push_events", "merge_requests_events", "tag_push_events")
    assert (True, False, False) == tuple(integration[name] for name in flags)


@pytest.mark.fakeplat(releases="<17.3")
def test_chat_settings_are_stored_until_replaced(fakeplat: Fakeplat) -> None:
    """A PUT changes what it names. The default channel and tokens are stored, but never returned."""
    mia, path = fakeplat.as_user("mia"), f"{SERVICES}/mattermost"
    mia.put(path, json={**HOOK, "username": "bot", "channel": "town", "push_channel": "random"})
    integration = mia.put(path, json={**HOOK, "username": "new_username", "confidential_note_channel": "x"}).json()
    assert {
        "webhook": "https://chat.test/hook",
        "username": "new_username",
        "notify_only_broken_pipelines": True,
        "branches_to_be_notified": "default",
        "push_channel": "random",
    } == integration["properties"]


def test_teams_takes_branches_and_results(fakeplat: Fakeplat) -> None:
    """The Teams integration stores which branches and pipelines it is notified of."""
    settings = {**HOOK, "branches_to_be_notified": "all", "notify_only_broken_pipelines": "true"}
    integration = fakeplat.as_user("mia").put(f"{SERVICES}/microsoft-teams", json=settings).json()
    assert ("all", True) == (
        integration["properties"]["branches_to_be_notified"],
        integration["properties"]["notify_only_broken_pipelines"],
    )


FILTERS = {"branches_to_be_notified": "protected", "notify_only_broken_pipelines": False}
CHATS = ("slack", "mattermost", "microsoft-teams", "discord", "hangouts-chat", "unify-circuit", "webex-teams")


@pytest.mark.parametrize("slug", CHATS)
@pytest.mark.fakeplat(releases="<17.3")
def test_chats_share_their_filters(fakeplat: Fakeplat, slug: str) -> None:
    """By default all chats take filters of branches and pipelines (ruling 43)."""
    mia, path = fakeplat.as_user("mia"), f"{SERVICES}/{slug}"
    assert {**HOOK, **FILTERS} == mia.put(path, json={**HOOK, **FILTERS}).json()["properties"]
    for sent, expected in (
        ({"notify_only_default_branch": True}, "default"),
        ({"notify_only_default_branch": False}, "all"),
        ({"notify_only_default_branch": True, "branches_to_be_notified": "protected"}, "protected"),
    ):
        integration = mia.put(path, json={**HOOK, **sent}).json()
        assert expected == integration["properties"]["branches_to_be_notified"]


@pytest.mark.fakeplat(releases="<17.3", documented=False)
@pytest.mark.parametrize("slug", CHATS)
def test_filters_on_the_real_platform(fakeplat: Fakeplat, slug: str) -> None:
    """On the platform only some chats take filters of branches and pipelines."""
    sent = {**HOOK, **FILTERS, "notify_only_default_branch": False}
    usual = {"notify_only_broken_pipelines": True, "branches_to_be_notified": "default"}
    expected = FILTERS if slug in ("slack", "mattermost", "microsoft-teams") else usual
    if slug == "hangouts-chat":
        expected = {**usual, "branches_to_be_notified": "protected"}
    integration = fakeplat.as_user("mia").put(f"{SERVICES}/{slug}", json=sent).json()
    assert {**HOOK, **expected} == integration["properties"]


def test_titles_and_descriptions_of_trackers_have_no_effect(fakeplat: Fakeplat) -> None:
    """Titles and descriptions of issue trackers are accepted without effect."""
    sent = {**TRACKER, "title": "Ours", "description": "Bugs"}
    integration = fakeplat.as_user("mia").put(f"{SERVICES}/custom-issue-tracker", json=sent).json()
    assert ("Custom Issue Tracker", TRACKER) == (integration["title"], integration["properties"])


def test_recipients_are_stored_as_addresses(fakeplat: Fakeplat) -> None:
    """The words with an at sign, each once, with a blank between them."""
    settings = {"recipients": "a@x.test\n b@x.test  nobody a@x.test"}
    integration = fakeplat.as_user("mia").put(f"{SERVICES}/emails-on-push", json=settings).json()
    assert "a@x.test b@x.test" == integration["properties"]["recipients"]


def test_two_trackers_can_be_active(fakeplat: Fakeplat) -> None:
    """The API allows several active trackers at the same time."""
    mia = fakeplat.as_user("mia")
    assert [200, 200] == [mia.put(f"{SERVICES}/{slug}", json=TRACKER).status for slug in ("bugzilla", "redmine")]


@pytest.mark.fakeplat(version="latest")
def test_the_newer_paths(fakeplat: Fakeplat) -> None:
    """The paths below /integrations serve the same integrations, and 404 for unconfigured ones."""
    mia, path = fakeplat.as_user("mia"), "projects/acme%2Fsite/integrations"
    missing = (404, {"message": "404 Integration Not Found"})
    assert missing == refusal(fakeplat, "mia", "GET", f"{path}/slack")
    assert missing == refusal(fakeplat, "mia", "DELETE", f"{path}/slack")
    assert invalid("slug does not have a valid value") == refusal(fakeplat, "mia", "GET", f"{path}/nothing")
    configured = mia.put(f"{path}/slack", json=HOOK)
    assert 200 == configured.status
    assert configured.json() == mia.get(f"{path}/slack").json()
    assert ["slack"] == [service["slug"] for service in mia.get(path).json()]
    assert (204, None) == outcome(mia.delete(f"{path}/slack"))
    assert [] == mia.get(path).json()


SLASH = {"slack": "slack_slash_commands", "mattermost": "mattermost_slash_commands"}
UNKNOWN_SERVICE = (404, {"message": "404 Service Not Found"})
CHAT_USER = {"team_id": "T1", "team_domain": "acme", "user_id": "U1", "user_name": "ada"}


def enable_commands(fakeplat: Fakeplat, chat: str) -> str:
    assert 200 == fakeplat.as_user("mia").put(f"{SERVICES}/{chat}-slash-commands", json={"token": "secret"}).status
    return f"{SERVICES}/{SLASH[chat]}/trigger"


@pytest.mark.parametrize("chat", SLASH)
@pytest.mark.fakeplat(releases="<14.4")
def test_slash_commands_need_an_active_integration_and_its_token(fakeplat: Fakeplat, chat: str) -> None:
    """Slash commands need an active integration and its token."""
    secret = {"token": "secret", "text": "help"}
    path = f"{SERVICES}/{SLASH[chat]}/trigger"
    assert invalid("token is missing") == refusal(fakeplat, None, "POST", path, json={"text": "help"})
    assert UNKNOWN_SERVICE == refusal(fakeplat, None, "POST", path, json=secret)
    enable_commands(fakeplat, chat)
    assert UNKNOWN_SERVICE == refusal(fakeplat, None, "POST", path, json={"token": "other"})
    unknown = path.replace("acme%2Fsite", "404")
    assert UNKNOWN_SERVICE == refusal(fakeplat, None, "POST", unknown, json=secret)
    assert (
        200,
        {
            "response_type": "ephemeral",
            "status": 200,
            "text": ":sweat_smile: Couldn't identify you, nor can I authorize you!",
        },
    ) == outcome(fakeplat.as_user(None).post(path, json=secret))
    fakeplat.as_user("mia").delete(f"{SERVICES}/{chat}-slash-commands")
    assert UNKNOWN_SERVICE == refusal(fakeplat, None, "POST", path, json=secret)


def test_a_chat_user_is_asked_to_connect_the_account(fakeplat: Fakeplat) -> None:
    """A chat command of an unknown user answers with a link to connect the account."""
    page = f"{fakeplat.url}/-/profile/chat_names/new?token="
    body = {"token": "secret", **CHAT_USER}
    text = fakeplat.as_user(None).post(enable_commands(fakeplat, "mattermost"), json=body).json()["text"]
    assert text.startswith(
        f":wave: Hi there! Before I do anything for you, please [connect your GitLab account]({page}"
    )
    text = fakeplat.as_user(None).post(enable_commands(fakeplat, "slack"), json=body).json()["text"]
    assert text.startswith(f":wave: Hi there! Before I do anything for you, please <{page}")
    assert text.endswith("|connect your GitLab account>.")


def test_other_triggers_do_not_exist(fakeplat: Fakeplat) -> None:
    """Triggers of other integrations are unknown routes."""
    path = f"{SERVICES}/idonotexist/trigger"
    assert (404, {"error": "404 Not Found"}) == refusal(fakeplat, None, "POST", path, json={"token": "secret"})
