"""Notifications of chats in their formats. Source: docs/platform/integrations.md."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.domain.integrations import chat_messages, hipchat_messages
from fakeplat.domain.integrations.events import (
    FORM_HEADERS,
    JSON_HEADERS,
    Event,
    passes_branch_filter,
    passes_result_filter,
)
from fakeplat.domain.integrations.message_parts import ChatMessage, Data, format_text
from fakeplat.domain.markup.commonmark import render_sanitized
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.policy.behaviours import CHATS_ANNOUNCE_WORK_ITEMS

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
    """Return whether chats hear of an event.

    Updates, comments on wiki pages and, in most releases, tasks are left out; branches and results are filtered.
    """
    match event.payload["object_kind"]:
        case "push":
            return passes_branch_filter(event)
        case "pipeline":
            return (event.is_tag or passes_branch_filter(event)) and passes_result_filter(event)
        case "work_item":
            return event.ctx.profile.has(CHATS_ANNOUNCE_WORK_ITEMS) and not event.is_update
        case "issue" | "merge_request":
            return not event.is_update
        case "note":
            return str(event.attributes["noteable_type"]) != "WikiPage::Meta"
    return True


def _find_message(event: Event) -> ChatMessage | None:
    return _find_news(event) if event.text("webhook") else None


def _find_news(event: Event) -> ChatMessage | None:
    is_wanted = is_announced(event) and _passes_label_filter(event)
    return chat_messages.build_message(event) if is_wanted else None


def _passes_label_filter(event: Event) -> bool:
    """Return whether an issue, a merge request or what a note is about has one of the labels that are asked for."""
    wanted = {name.strip() for name in event.text("labels_to_be_notified").replace("~", "").split(",")} - {""}
    payload = event.payload
    if not wanted or payload["object_kind"] not in ("issue", "work_item", "merge_request", "note"):
        return True
    noteable: Data = payload.get("issue") or payload.get("merge_request") or {}
    titles = {label["title"] for label in payload.get("labels") or noteable.get("labels") or ()}
    needs_all = event.settings.get("labels_to_be_notified_behavior") == "match_all"
    return wanted <= titles if needs_all else bool(wanted & titles)


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
    for channel in _list_channels(event) or [""]:
        named = {"channel": channel} if channel else {}
        payload = orjson.dumps({**named, **username, **content}).decode()
        yield event.post_form(event.text("webhook"), {"payload": payload})


def _list_channels(event: Event) -> Sequence[str]:
    names = (*_CHANNELS[event.trigger], "channel")
    channels = next(filter(None, map(event.text, names)), "")
    return [channel.strip() for channel in channels.split(",")] if channels else []


def notify_slack_workspace(event: Event) -> Iterator[OutgoingRequest]:
    """Post a message through the app that a workspace has installed; without a channel there is none."""
    message = _find_news(event)
    if message is None:
        return
    token = event.text("bot_access_token")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"}
    content = {
        "attachments": message.attachments,
        "text": format_text(message.pretext, event.project_url),
        "unfurl_links": False,
        "unfurl_media": False,
    }
    for channel in _list_channels(event):
        yield event.post_json("https://slack.com/api/chat.postMessage", {**content, "channel": channel}, headers)


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
        # A channel is the address of another webhook.
        addresses = [channel for channel in _list_channels(event) if channel] or [event.text("webhook")]
        yield event.post_json(addresses[0], {"embeds": [embed]})


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


def notify_pumble(event: Event) -> Iterator[OutgoingRequest]:
    """Post a text to Pumble."""
    message = _find_message(event)
    if message is not None:
        yield event.post_json(event.text("webhook"), {"text": message.text})


def notify_telegram(event: Event) -> Iterator[OutgoingRequest]:
    """Post a text to a chat of Telegram, or to a thread in it."""
    message = _find_news(event)
    if message is None:
        return
    host = event.text("hostname") or "https://api.telegram.org"
    body = {
        "text": message.text,
        "chat_id": event.settings.get("room"),
        "message_thread_id": event.settings.get("thread"),
        "parse_mode": "markdown",
    }
    url = f"{host}/bot{event.text('token')}/sendMessage"
    yield event.post_json(url, {name: value for name, value in body.items() if value is not None})


def notify_matrix(event: Event) -> Iterator[OutgoingRequest]:
    """Put a notice into a room of Matrix, under an id that no other message has: the time in milliseconds."""
    message = _find_news(event)
    if message is None:
        return
    host = event.text("hostname") or "https://matrix-client.matrix.org"
    url = f"{host}/_matrix/client/v3/rooms/{event.text('room')}/send/m.room.message/{event.ctx.now()}"
    body = {
        "body": message.text,
        "msgtype": "m.notice",
        "format": "org.matrix.custom.html",
        "formatted_body": render_sanitized(message.text),
    }
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {event.text('token')}"}
    yield event.request(url, dump_json(body), headers, "PUT")
