"""The platform's integrations, each declared once: parameters, events, rules, and what responses contain.

Those that came after 13.5 are in `later_integrations`. Source: docs/platform/integrations.md.
"""

from collections.abc import Mapping
from typing import Any

import fakeplat.domain.integrations.later_integrations  # noqa: F401  # registers the later ones
from fakeplat.core.release import Lifetime
from fakeplat.domain.alerts.alert_endpoint import ALERTS
from fakeplat.domain.integrations import rules
from fakeplat.domain.integrations.declarations import (
    BRANCHES,
    BROKEN,
    BUILD_EVENTS,
    CHAT_CHANNELS,
    CHAT_EVENTS,
    CHAT_FILTERS,
    NEW_CHAT,
    PUSH_ONLY,
    build_properties,
    declare,
    declare_chat,
    declare_simple,
    declare_slack,
    declare_tracker,
)
from fakeplat.domain.integrations.rules import all_of, present, public_urls, together
from fakeplat.domain.projects.services import INTEGRATIONS, Property
from fakeplat.policy.context import ReadContext, WriteContext

__all__ = ["ALERTS", "CHAT_EVENTS", "INTEGRATIONS"]


def _keep_addresses(_ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Store the words of the recipients that look like addresses, each once."""
    merged = {**before, **sent}
    words = str(merged.get("recipients") or "").split()
    return {**merged, "recipients": " ".join(dict.fromkeys(word for word in words if "@" in word))}


def _check_jira_user(_ctx: ReadContext, settings: Mapping[str, object]) -> str:
    """Require a user, unless a personal access token of Jira signs in."""
    needed = not settings.get("jira_auth_type") and rules.is_blank(settings.get("username"))
    return "username: can't be blank" if needed else ""


def _forget_password(_ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Drop a stored password that was meant for another address, or for a user who is gone."""
    merged = {**before, **sent}
    moved = "password" not in sent and merged.get("jenkins_url") != before.get("jenkins_url")
    if moved or rules.is_blank(merged.get("username")):
        merged["password"] = None
    return merged


declare_simple("asana", "Asana", "api_key", "restrict_to_branch", optional="restrict_to_branch")
declare_simple("assembla", "Assembla", "token", "subdomain", optional="subdomain")
declare_simple(
    "bamboo",
    "Atlassian Bamboo CI",
    "bamboo_url build_key username password",
    "bamboo_url username",
    needs=all_of(present("bamboo_url", "build_key"), public_urls("bamboo_url"), together("username", "password")),
)
declare_tracker("bugzilla", "Bugzilla", "new_issue_url issues_url project_url")
declare(
    "buildkite",
    "Buildkite",
    (*build_properties("token project_url"), Property("enable_ssl_verification", bool, transient=True)),
    "project_url",
    flags=PUSH_ONLY,
    secrets=("token",),
    explain_error=all_of(present("project_url", "token"), public_urls("project_url")),
)
declare_simple("campfire", "Campfire", "token", "subdomain room", optional="subdomain room")
declare_simple(
    "confluence",
    "Confluence Workspace",
    "confluence_url",
    "confluence_url",
    needs=rules.check_wiki_address,
    flags=(),
)
declare_tracker("custom-issue-tracker", "Custom Issue Tracker", "new_issue_url issues_url project_url")
declare_chat("discord", "Discord Notifications", *(Property(name, since="16.3") for name in CHAT_CHANNELS.split()))
declare(
    "drone-ci",
    "Drone CI",
    (*build_properties("token drone_url"), Property("enable_ssl_verification", bool)),
    "drone_url enable_ssl_verification",
    flags=BUILD_EVENTS,
    secrets=("token",),
    explain_error=all_of(present("drone_url", "token"), public_urls("drone_url")),
)
declare(
    "emails-on-push",
    "Emails on push",
    (
        *build_properties("recipients"),
        Property("disable_diffs", bool),
        Property("send_from_committer_email", bool),
        Property(BRANCHES),
    ),
    f"send_from_committer_email disable_diffs {BRANCHES} recipients",
    flags=("push_events", "tag_push_events"),
    defaults={"properties": {BRANCHES: "all"}},
    merge_properties=_keep_addresses,
    explain_error=present("recipients"),
)
declare_tracker("ewm", "EWM", "new_issue_url project_url issues_url")
declare_simple(
    "external-wiki",
    "External Wiki",
    "external_wiki_url",
    "external_wiki_url",
    needs=all_of(present("external_wiki_url"), public_urls("external_wiki_url")),
    flags=(),
)
declare_simple("flowdock", "Flowdock", "token", "")
declare_chat("hangouts-chat", "Hangouts Chat", own=(BRANCHES,), is_strict=True)
declare(
    "hipchat",
    "HipChat",
    build_properties("token", "room color notify api_version server", notify=bool),
    f"room notify color api_version server {BROKEN}",
    flags=tuple(flag for flag in CHAT_EVENTS if flag != "wiki_page_events"),
    secrets=("token",),
    defaults={"properties": {BROKEN: True}},
    explain_error=present("token"),
)
declare(
    "irker",
    "Irker (IRC gateway)",
    build_properties(
        "recipients",
        "default_irc_uri server_host server_port colorize_messages",
        server_port=int,
        colorize_messages=bool,
    ),
    "server_host server_port default_irc_uri recipients colorize_messages",
    flags=PUSH_ONLY,
    explain_error=all_of(present("recipients"), rules.check_irc_recipients),
)
declare(
    "jira",
    "Jira",
    (
        Property("url", required=True),
        Property("username", required=Lifetime(until="16.0")),
        *build_properties("password", "api_url jira_issue_transition_id"),
        Property("jira_issue_transition_automatic", bool, since="13.11"),
        Property("jira_auth_type", int, since="16.0"),
        *(Property(name, since="<=17.0") for name in ("jira_issue_prefix", "jira_issue_regex")),
    ),
    "url api_url jira_auth_type username jira_issue_regex jira_issue_prefix jira_issue_transition_automatic "
    "jira_issue_transition_id",
    flags=("commit_events", "merge_requests_events", "comment_on_event_enabled"),
    strict_flags=frozenset(("comment_on_event_enabled",)),
    secrets=("password",),
    shows_unset=True,
    explain_error=all_of(
        present("url", "password"),
        _check_jira_user,
        public_urls("url"),
        rules.optional_public_url("api_url"),
        rules.check_transitions,
    ),
)
declare_slack("mattermost", "Mattermost notifications")
declare_simple(
    "mattermost-slash-commands", "Mattermost slash commands", "token", "", needs=lambda _ctx, _settings: "", flags=()
)
declare_chat("microsoft-teams", "Microsoft Teams Notification", own=CHAT_FILTERS)
declare_simple("packagist", "Packagist", "username token", "username server", optional="server", flags=BUILD_EVENTS)
declare(
    "pipelines-email",
    "Pipelines emails",
    (*build_properties("recipients"), Property(BROKEN, bool), Property(BRANCHES)),
    f"recipients {BROKEN} {BRANCHES}",
    flags=("pipeline_events",),
    defaults={"properties": NEW_CHAT},
    explain_error=present("recipients"),
)
declare_simple("pivotaltracker", "PivotalTracker", "token", "restrict_to_branch", optional="restrict_to_branch")
declare(
    "prometheus",
    "Prometheus",
    build_properties("api_url google_iap_audience_client_id google_iap_service_account_json"),
    "manual_configuration api_url google_iap_audience_client_id google_iap_service_account_json",
)
declare_simple(
    "pushover",
    "Pushover",
    "api_key user_key priority device sound",
    "device priority sound",
    needs=present("api_key", "user_key", "priority"),
)
declare_tracker("redmine", "Redmine", "new_issue_url project_url issues_url")
declare_slack(
    "slack",
    "Slack notifications",
    in_the_api_of_16=("alert_events", "incident_events"),
    further_events=("alert_events",),
)
declare_simple("slack-slash-commands", "Slack slash commands", "token", "", needs=lambda _ctx, _settings: "", flags=())
declare_simple(
    "teamcity",
    "JetBrains TeamCity CI",
    "teamcity_url build_type username password",
    "teamcity_url build_type username",
    needs=all_of(present("teamcity_url", "build_type"), public_urls("teamcity_url"), together("username", "password")),
    flags=("push_events", "merge_requests_events"),
)
declare_chat("unify-circuit", "Unify Circuit", is_strict=True)
declare_chat("webex-teams", "Webex Teams", is_strict=True)
declare_tracker("youtrack", "YouTrack", "project_url issues_url", "project_url issues_url")
declare(
    "jenkins",
    "Jenkins CI",
    build_properties("jenkins_url project_name", "username password"),
    "jenkins_url project_name username",
    flags=BUILD_EVENTS,
    secrets=("password",),
    defaults={"merge_requests_events": False, "tag_push_events": False},
    merge_properties=_forget_password,
    explain_error=present("jenkins_url", "project_name"),
    tier="premium",
    is_for_projects_only=True,
)
declare(
    "github",
    "GitHub",
    (*build_properties("token repository_url"), Property("static_context", bool)),
    "repository_url static_context",
    flags=("pipeline_events",),
    secrets=("token",),
    explain_error=present("token", "repository_url"),
    tier="premium",
)
declare_simple("mock-ci", "MockCI", "mock_service_url", "mock_service_url")
