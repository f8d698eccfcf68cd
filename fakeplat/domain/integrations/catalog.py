"""The platform's integrations, each declared once: parameters, events, rules, and what responses contain.

Source: docs/platform/integrations.md.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.alerts.alert_endpoint import ALERTS
from fakeplat.domain.integrations import rules
from fakeplat.domain.integrations.rules import Rule, all_of, present, public_urls, together
from fakeplat.domain.projects.services import INTEGRATIONS, Integration, Property, register_integration
from fakeplat.policy.context import WriteContext
from fakeplat.policy.documented import Ruling

__all__ = ["ALERTS", "CHAT_EVENTS", "INTEGRATIONS"]

CHAT_EVENTS: Final = (
    "push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "note_events",
    "confidential_note_events",
    "tag_push_events",
    "pipeline_events",
    "wiki_page_events",
)
_BRANCHES: Final = "branches_to_be_notified"
_BROKEN: Final = "notify_only_broken_pipelines"
_ONLY_DEFAULT: Final = "notify_only_default_branch"
_FILTERS: Final = (_BRANCHES, _BROKEN)
_CHANNELS: Final = (
    "push_channel issue_channel confidential_issue_channel merge_request_channel note_channel tag_push_channel "
    "pipeline_channel wiki_page_channel"
)
_TRACKER: Final = "project_url issues_url new_issue_url"
_PUSH: Final = ("push_events",)
_BUILD_EVENTS: Final = ("push_events", "merge_requests_events", "tag_push_events")
_NEW_CHAT: Final = {_BROKEN: True, _BRANCHES: "default"}


class ChatOptions(TypedDict, total=False):
    """What the declarations of chats may say besides what all chats have in common."""

    further_events: tuple[str, ...]
    tier: str


class IntegrationOptions(ChatOptions, total=False):
    """What the declarations of integrations may say; `Integration` has the meanings and the defaults."""

    flags: tuple[str, ...]
    merge_properties: Callable[[WriteContext, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    strict_flags: frozenset[str]
    secrets: tuple[str, ...]
    shows_unset: bool
    defaults: Mapping[str, Any]
    explain_error: Rule


def _properties(required: str, optional: str = "", **kinds: object) -> tuple[Property, ...]:
    """Return texts by their names, in the order of the platform; ``kinds`` are those that are no texts."""
    needed = tuple(Property(name, required=True) for name in required.split())
    return (*needed, *(Property(name, kinds.get(name, str)) for name in (*optional.split(), *kinds)))


def _declare(
    slug: str, title: str, properties: tuple[Property, ...], fields: str, **rest: Unpack[IntegrationOptions]
) -> Integration:
    return register_integration(Integration(slug, title, properties, fields=tuple(fields.split()), **rest))


def _declare_simple(
    slug: str,
    title: str,
    required: str,
    fields: str,
    *,
    optional: str = "",
    needs: Rule | None = None,
    **rest: Unpack[IntegrationOptions],
) -> None:
    """Declare an integration whose secrets are the texts that responses do not contain; by default all are needed."""
    properties = _properties(required, optional)
    secrets = tuple(prop.name for prop in properties if prop.name not in fields.split())
    options: IntegrationOptions = {
        "flags": _PUSH,
        "secrets": secrets,
        "explain_error": needs or present(*required.split()),
    }
    options |= rest
    _declare(slug, title, properties, fields, **options)


def _declare_chat(
    slug: str,
    title: str,
    *further: Property,
    own: tuple[str, ...] = (),
    fields: str = f"webhook {_BROKEN} {_BRANCHES}",
    is_strict: bool = False,
    further_flags: tuple[str, ...] = (),
    **rest: Unpack[ChatOptions],
) -> None:
    """Declare a chat. ``own`` are the filters that the platform really has as parameters (ruling 43)."""
    _declare(
        slug,
        title,
        (
            Property("webhook", required=True),
            Property(_BROKEN, bool),
            Property(_BRANCHES),
            Property(_ONLY_DEFAULT, bool, transient=True),
            *further,
        ),
        fields,
        flags=(*CHAT_EVENTS, *further_flags),
        strict_flags=frozenset(CHAT_EVENTS) if is_strict else frozenset(),
        defaults={"properties": _NEW_CHAT},
        merge_properties=partial(_merge_filters, own),
        explain_error=all_of(present("webhook"), public_urls("webhook")),
        **rest,
    )


def _merge_filters(
    own: tuple[str, ...], ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]
) -> dict[str, Any]:
    """Read the deprecated switch for the default branch as a choice of branches, unless they are chosen, too."""
    ignored: tuple[str, ...] = ()
    if not Ruling.CHATS_SHARE_PARAMETERS.holds(ctx.world):
        ignored = tuple(name for name in (_BROKEN, _BRANCHES, _ONLY_DEFAULT) if name not in own)
    taken = {name: value for name, value in sent.items() if name not in ignored}
    only_default = taken.get(_ONLY_DEFAULT)
    branches = {} if only_default is None else {_BRANCHES: "default" if only_default else "all"}
    return {**before, **branches, **taken}


def _declare_slack(slug: str, title: str, **rest: Unpack[ChatOptions]) -> None:
    _declare_chat(
        slug,
        title,
        *_properties("", f"username channel {_CHANNELS}"),
        own=_FILTERS,
        fields=f"webhook username {_BROKEN} {_BRANCHES} push_channel issue_channel confidential_issue_channel "
        "merge_request_channel note_channel confidential_note_channel tag_push_channel pipeline_channel "
        "wiki_page_channel deployment_channel alert_channel",
        is_strict=True,
        further_flags=("deployment_events",),
        **rest,
    )


def _declare_tracker(slug: str, title: str, required: str, fields: str = _TRACKER) -> None:
    """Declare a tracker. It also takes a title and a description, which have no effect."""
    texts = (Property(name, transient=True) for name in ("description", "title"))
    _declare(
        slug,
        title,
        (*_properties(required), *texts),
        fields,
        flags=_PUSH,
        shows_unset=True,
        explain_error=all_of(present(*fields.split()), public_urls(*fields.split())),
    )


def _keep_addresses(_ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Store the words of the recipients that look like addresses, each once."""
    merged = {**before, **sent}
    words = str(merged.get("recipients") or "").split()
    return {**merged, "recipients": " ".join(dict.fromkeys(word for word in words if "@" in word))}


def _forget_password(_ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Drop a stored password that was meant for another address, or for a user who is gone."""
    merged = {**before, **sent}
    moved = "password" not in sent and merged.get("jenkins_url") != before.get("jenkins_url")
    if moved or rules.is_blank(merged.get("username")):
        merged["password"] = None
    return merged


_declare_simple("asana", "Asana", "api_key", "restrict_to_branch", optional="restrict_to_branch")
_declare_simple("assembla", "Assembla", "token", "subdomain", optional="subdomain")
_declare_simple(
    "bamboo",
    "Atlassian Bamboo CI",
    "bamboo_url build_key username password",
    "bamboo_url username",
    needs=all_of(present("bamboo_url", "build_key"), public_urls("bamboo_url"), together("username", "password")),
)
_declare_tracker("bugzilla", "Bugzilla", "new_issue_url issues_url project_url")
_declare(
    "buildkite",
    "Buildkite",
    (*_properties("token project_url"), Property("enable_ssl_verification", bool, transient=True)),
    "project_url",
    flags=_PUSH,
    secrets=("token",),
    explain_error=all_of(present("project_url", "token"), public_urls("project_url")),
)
_declare_simple("campfire", "Campfire", "token", "subdomain room", optional="subdomain room")
_declare_simple(
    "confluence",
    "Confluence Workspace",
    "confluence_url",
    "confluence_url",
    needs=rules.check_wiki_address,
    flags=(),
)
_declare_tracker("custom-issue-tracker", "Custom Issue Tracker", "new_issue_url issues_url project_url")
_declare_chat("discord", "Discord Notifications")
_declare(
    "drone-ci",
    "Drone CI",
    (*_properties("token drone_url"), Property("enable_ssl_verification", bool)),
    "drone_url enable_ssl_verification",
    flags=_BUILD_EVENTS,
    secrets=("token",),
    explain_error=all_of(present("drone_url", "token"), public_urls("drone_url")),
)
_declare(
    "emails-on-push",
    "Emails on push",
    (
        *_properties("recipients"),
        Property("disable_diffs", bool),
        Property("send_from_committer_email", bool),
        Property(_BRANCHES),
    ),
    f"send_from_committer_email disable_diffs {_BRANCHES} recipients",
    flags=("push_events", "tag_push_events"),
    defaults={"properties": {_BRANCHES: "all"}},
    merge_properties=_keep_addresses,
    explain_error=present("recipients"),
)
_declare_tracker("ewm", "EWM", "new_issue_url project_url issues_url")
_declare_simple(
    "external-wiki",
    "External Wiki",
    "external_wiki_url",
    "external_wiki_url",
    needs=all_of(present("external_wiki_url"), public_urls("external_wiki_url")),
    flags=(),
)
_declare_simple("flowdock", "Flowdock", "token", "")
_declare_chat("hangouts-chat", "Hangouts Chat", own=(_BRANCHES,), is_strict=True)
_declare(
    "hipchat",
    "HipChat",
    _properties("token", "room color notify api_version server", notify=bool),
    f"room notify color api_version server {_BROKEN}",
    flags=tuple(flag for flag in CHAT_EVENTS if flag != "wiki_page_events"),
    secrets=("token",),
    defaults={"properties": {_BROKEN: True}},
    explain_error=present("token"),
)
_declare(
    "irker",
    "Irker (IRC gateway)",
    _properties(
        "recipients",
        "default_irc_uri server_host server_port colorize_messages",
        server_port=int,
        colorize_messages=bool,
    ),
    "server_host server_port default_irc_uri recipients colorize_messages",
    flags=_PUSH,
    explain_error=all_of(present("recipients"), rules.check_irc_recipients),
)
_declare(
    "jira",
    "Jira",
    _properties("url username password", "api_url jira_issue_transition_id"),
    "url api_url username jira_issue_transition_id",
    flags=("commit_events", "merge_requests_events", "comment_on_event_enabled"),
    strict_flags=frozenset(("comment_on_event_enabled",)),
    secrets=("password",),
    shows_unset=True,
    explain_error=all_of(
        present("url", "username", "password"),
        public_urls("url"),
        rules.optional_public_url("api_url"),
        rules.check_transitions,
    ),
)
_declare_slack("mattermost", "Mattermost notifications")
_declare_simple(
    "mattermost-slash-commands", "Mattermost slash commands", "token", "", needs=lambda _ctx, _settings: "", flags=()
)
_declare_chat("microsoft-teams", "Microsoft Teams Notification", own=_FILTERS)
_declare_simple("packagist", "Packagist", "username token", "username server", optional="server", flags=_BUILD_EVENTS)
_declare(
    "pipelines-email",
    "Pipelines emails",
    (*_properties("recipients"), Property(_BROKEN, bool), Property(_BRANCHES)),
    f"recipients {_BROKEN} {_BRANCHES}",
    flags=("pipeline_events",),
    defaults={"properties": _NEW_CHAT},
    explain_error=present("recipients"),
)
_declare_simple("pivotaltracker", "PivotalTracker", "token", "restrict_to_branch", optional="restrict_to_branch")
_declare(
    "prometheus",
    "Prometheus",
    _properties("api_url google_iap_audience_client_id google_iap_service_account_json"),
    "manual_configuration api_url google_iap_audience_client_id google_iap_service_account_json",
)
_declare_simple(
    "pushover",
    "Pushover",
    "api_key user_key priority device sound",
    "device priority sound",
    needs=present("api_key", "user_key", "priority"),
)
_declare_tracker("redmine", "Redmine", "new_issue_url project_url issues_url")
_declare_slack("slack", "Slack notifications", further_events=("alert_events",))
_declare_simple("slack-slash-commands", "Slack slash commands", "token", "", needs=lambda _ctx, _settings: "", flags=())
_declare_simple(
    "teamcity",
    "JetBrains TeamCity CI",
    "teamcity_url build_type username password",
    "teamcity_url build_type username",
    needs=all_of(present("teamcity_url", "build_type"), public_urls("teamcity_url"), together("username", "password")),
    flags=("push_events", "merge_requests_events"),
)
_declare_chat("unify-circuit", "Unify Circuit", is_strict=True)
_declare_chat("webex-teams", "Webex Teams", is_strict=True)
_declare_tracker("youtrack", "YouTrack", "project_url issues_url", "project_url issues_url")
_declare(
    "jenkins",
    "Jenkins CI",
    _properties("jenkins_url project_name", "username password"),
    "jenkins_url project_name username",
    flags=_BUILD_EVENTS,
    secrets=("password",),
    defaults={"merge_requests_events": False, "tag_push_events": False},
    merge_properties=_forget_password,
    explain_error=present("jenkins_url", "project_name"),
    tier="premium",
)
_declare(
    "github",
    "GitHub",
    (*_properties("token repository_url"), Property("static_context", bool)),
    "repository_url static_context",
    flags=("pipeline_events",),
    secrets=("token",),
    explain_error=present("token", "repository_url"),
    tier="premium",
)
_declare_simple("mock-ci", "MockCI", "mock_service_url", "mock_service_url")
