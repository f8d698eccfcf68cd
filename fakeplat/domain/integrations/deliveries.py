"""What each integration sends about an event. Those that are not listed only keep their settings.

Source: docs/platform/integrations.md.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from fakeplat.domain.integrations import build_servers, chats, jira, mails, push_services
from fakeplat.domain.integrations.events import Event
from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest

Outgoing = OutgoingRequest | OutgoingMail

_BUILDERS: Final[Mapping[str, Callable[[Event], Iterable[Outgoing]]]] = {
    "asana": push_services.comment_at_asana,
    "assembla": push_services.post_to_assembla,
    "bamboo": build_servers.trigger_bamboo,
    "bugzilla": push_services.check_tracker,
    "buildkite": build_servers.trigger_buildkite,
    "campfire": push_services.speak_at_campfire,
    "clickup": push_services.check_tracker,
    "custom-issue-tracker": push_services.check_tracker,
    "datadog": build_servers.report_to_datadog,
    "discord": chats.notify_discord,
    "drone-ci": build_servers.trigger_drone,
    "emails-on-push": mails.send_push,
    "ewm": push_services.check_tracker,
    "flowdock": push_services.post_to_flowdock,
    "github": build_servers.report_to_github,
    "gitlab-slack-application": chats.notify_slack_workspace,
    "hangouts-chat": chats.notify_hangouts,
    "hipchat": chats.notify_hipchat,
    "jenkins": build_servers.trigger_jenkins,
    "jira": jira.follow_event,
    "matrix": chats.notify_matrix,
    "mattermost": chats.notify_slack,
    "microsoft-teams": chats.notify_teams,
    "packagist": build_servers.trigger_packagist,
    "pipelines-email": mails.send_pipeline,
    "pivotaltracker": push_services.post_to_pivotal_tracker,
    "pumble": chats.notify_pumble,
    "pushover": push_services.push_to_pushover,
    "phorge": push_services.check_tracker,
    "redmine": push_services.check_tracker,
    "slack": chats.notify_slack,
    "squash-tm": build_servers.tell_squash,
    "teamcity": build_servers.trigger_teamcity,
    "telegram": chats.notify_telegram,
    "unify-circuit": chats.notify_circuit,
    "webex-teams": chats.notify_webex,
    "youtrack": push_services.check_tracker,
}


def build(event: Event) -> Iterable[Outgoing]:
    """Return what the integration of an event sends, in order."""
    builder = _BUILDERS.get(event.service.slug)
    return builder(event) if builder else ()
