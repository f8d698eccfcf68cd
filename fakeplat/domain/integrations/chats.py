"""Notifications of chats in their formats. Source: docs/platform/integrations.md."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from fakeplat.domain.integrations import chat_messages, hipchat_messages
from fakeplat.domain.integrations.events import FORM_HEADERS, Event, passes_branch_filter, passes_result_filter
from fakeplat.domain.integrations.message_parts import ChatMessage, Data, format_text
from fakeplat.model.outgoing import OutgoingRequest

# A line of a commit and its author: ``: title - author``.
_COMMIT_AND_AUTHOR: Final = re.compile(r": (?P<entry>.*?)\n - (?P<name>.*)\n*")
_CHANNELS: Final = {
    "push_hooks": ("push_channel",),
    "issue_hooks": ("issue_channel",),
    "confidential_issue_hooks": ("confidential_issue_channel", "issue_channel"),
    "merge_request_hooks": ("merge_request_channel",),
    "note_hooks": ("note_channel",),
    "confidential_note_hooks": ("confidential_note_channel", "note_channel"),
    "tag_push_hooks": ("tag_push_channel",),
    "pipeline_hooks": ("pipeline_channel",),
    "wiki_page_hooks": ("wiki_page_channel",),
    "deployment_hooks": ("deployment_channel",),
    "alert_hooks": ("alert_channel",),
}


def is_announced(event: Event) -> bool:
    """Return whether chats hear of an event: updates are left out, and branches and results are filtered."""
    match event.payload["object_kind"]:
        case "push":
            return passes_branch_filter(event)
        case "pipeline":
            return (event.is_tag or passes_branch_filter(event)) and passes_result_filter(event)
        case "issue" | "merge_request":
            return not event.is_update
    return True


def _find_message(event: Event) -> ChatMessage | None:
    has_address = bool(event.text("webhook"))
    return chat_messages.build_message(event) if has_address and is_announced(event) else None


def notify_slack(event: Event) -> Iterator[OutgoingRequest]:
    """Post a message to each channel of the event, for Slack and Mattermost."""
    message = _find_message(event)
    if message is None:
        return
    content = {
        "attachments": message.attachments,
        "fallback": format_text(message.text, event.project_url),
        "text": format_text(message.pretext, event.project_url),
    }
    username = {"username": event.settings["username"]} if event.settings.get("username") is not None else {}
    for channel in _list_channels(event):
        named = {"channel": channel} if channel else {}
        payload = orjson.dumps({**named, **username, **content}).decode()
        yield event.post_form(event.text("webhook"), {"payload": payload})


def _list_channels(event: Event) -> Sequence[str]:
    names = (*_CHANNELS[event.trigger], "channel")
    channels = next(filter(None, map(event.text, names)), "")
    return [channel.strip() for channel in channels.split(",")]


def notify_teams(event: Event) -> Iterator[OutgoingRequest]:
    """Post a card to Microsoft Teams."""
    message = _find_message(event)
    if message is None:
        return
    activity: dict[str, Any] = {f"activity{name.title()}": value for name, value in message.activity.items()}
    details = {"title": "Details", "facts": [{"name": "Attachments", "value": message.details}]}
    sections = [activity, *([details] if message.details.strip() else ())]
    yield event.post_json(
        event.text("webhook"),
        {"sections": sections, "title": message.project_name, "summary": message.text},
    )


def notify_discord(event: Event) -> Iterator[OutgoingRequest]:
    """Post an embed to Discord."""
    message = _find_message(event)
    if message is not None:
        text = f"{message.pretext}\n{message.details}"
        embed = {
            "author": {"name": message.user_name, "icon_url": message.user_avatar},
            "description": _COMMIT_AND_AUTHOR.sub(r" \g<entry> - \g<name>\n", text),
        }
        yield event.post_json(event.text("webhook"), {"embeds": [embed]})


def notify_hangouts(event: Event) -> Iterator[OutgoingRequest]:
    """Post a text to Hangouts Chat, with the links of Slack."""
    message = _find_message(event)
    if message is not None:
        parts = [format_text(message.text, event.project_url), *map(_describe_attachment, message.attachments[:1])]
        yield event.post_json(event.text("webhook"), {"text": "\n".join(filter(None, parts))})


def _describe_attachment(attachment: Data) -> str:
    title, link = attachment.get("title"), attachment.get("title_link")
    return "\n".join(filter(None, (f"<{link}|{title}>" if link else title, attachment.get("text"))))


def notify_circuit(event: Event) -> Iterator[OutgoingRequest]:
    """Post a text to Unify Circuit. The platform does not declare the type of the body."""
    message = _find_message(event)
    if message is not None:
        body = {"subject": message.project_name, "text": message.text, "markdown": True}
        yield event.post_json(event.text("webhook"), body, FORM_HEADERS)


def notify_webex(event: Event) -> Iterator[OutgoingRequest]:
    """Post a text to Webex Teams."""
    message = _find_message(event)
    if message is not None:
        yield event.post_json(event.text("webhook"), {"markdown": message.text})


def notify_hipchat(event: Event) -> Iterator[OutgoingRequest]:
    """Post an HTML message to a room of HipChat."""
    if event.is_update or (event.payload["object_kind"] == "pipeline" and not passes_result_filter(event)):
        return
    server = event.text("server").rstrip("/") or "https://api.hipchat.com"
    body = {
        "room_id": event.text("room"),
        "from": "GitLab",
        "message": hipchat_messages.build_message(event),
        "message_format": "html",
        "color": hipchat_messages.color_of(event),
        "notify": bool(event.settings.get("notify")),
    }
    yield event.post_json(f"{server}/v2/room/{event.text('room')}/notification?auth_token={event.text('token')}", body)
