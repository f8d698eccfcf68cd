"""Requests to services that are told of pushes. Source: docs/platform/integrations.md."""

import re
from collections.abc import Iterator
from typing import Final

from fakeplat.domain.integrations.events import JSON_HEADERS, Event, basic_authorization, is_on_restricted_branch
from fakeplat.model.outgoing import OutgoingRequest

# A word that closes a task may stand before its number or the address of its page.
_ASANA_TASK: Final = re.compile(
    r"(fix\w*|clos[ei]\w*)?\W*(?:https://app\.asana\.com/\d+/\w+/(\w+)|#(\w+))", re.IGNORECASE
)
_ASANA: Final = "https://app.asana.com/api/1.0/tasks"


def comment_at_asana(event: Event) -> Iterator[OutgoingRequest]:
    """Comment the tasks that the commits name, and complete those that they close."""
    if not is_on_restricted_branch(event):
        return
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {event.text('api_key')}"}
    for commit in event.payload["commits"]:
        place = f"{event.payload['user_name']} pushed to branch {event.ref} of {event.project_name}"
        text = f"{place} ( {commit['url']} ): {commit['message']}"
        for task in _ASANA_TASK.finditer(commit["message"]):
            url = f"{_ASANA}/{task[2] or task[3]}"
            yield event.request(url, headers=headers, method="GET")
            yield event.post_json(f"{url}/stories", {"data": {"text": text}}, headers)
            if task[1]:
                yield event.request(url, b'{"data":{"completed":true}}', headers, "PUT")


def post_to_assembla(event: Event) -> Iterator[OutgoingRequest]:
    """Hand the payload to a space of Assembla."""
    space, token = event.text("subdomain"), event.text("token")
    url = f"https://atlas.assembla.com/spaces/{space}/github_tool?secret_key={token}"
    yield event.post_json(url, {"payload": dict(event.payload)})


def speak_at_campfire(event: Event) -> Iterator[OutgoingRequest]:
    """Speak in a room of Campfire. The room is not looked up by its name."""
    url = f"https://{event.text('subdomain')}.campfirenow.com/room/{event.text('room')}/speak.json"
    body = {"message": {"type": "TextMessage", "body": f"[{event.project_name}] {_describe_for_campfire(event)}"}}
    yield event.post_json(url, body, {**JSON_HEADERS, **basic_authorization(event.text("token"), "X")})


def _describe_for_campfire(event: Event) -> str:
    user = event.payload["user_name"]
    if event.creates_ref:
        return f"{user} pushed new branch {event.ref} \n"
    if event.removes_ref:
        return f"{user} removed branch {event.ref} \n"
    compare = f"{event.project_url}/compare/{event.payload['before']}...{event.payload['after']}"
    return f"{user} pushed {event.payload['total_commits_count']} commits to {event.ref}. {compare}"


def post_to_flowdock(event: Event) -> Iterator[OutgoingRequest]:
    """Post the activity of a push to a flow."""
    count = event.payload["total_commits_count"]
    body = {
        "flow_token": event.text("token"),
        "event": "activity",
        "author": {"name": event.payload["user_name"]},
        "title": f"pushed {count} commits to {event.project_path} {event.ref}",
        "external_thread_id": f"{event.project_path}:{event.payload['ref']}",
        "thread": {"title": event.project_path, "external_url": event.project_url},
    }
    yield event.post_json("https://api.flowdock.com/messages", body)


def post_to_pivotal_tracker(event: Event) -> Iterator[OutgoingRequest]:
    """Post each commit to Pivotal Tracker."""
    if not is_on_restricted_branch(event):
        return
    headers = {**JSON_HEADERS, "X-TrackerToken": event.text("token")}
    for commit in event.payload["commits"]:
        body = {
            "source_commit": {
                "commit_id": commit["id"],
                "author": commit["author"]["name"],
                "url": commit["url"],
                "message": commit["message"],
            }
        }
        yield event.post_json("https://www.pivotaltracker.com/services/v5/source_commits", body, headers)


def push_to_pushover(event: Event) -> Iterator[OutgoingRequest]:
    """Send a push notification through Pushover."""
    count = event.payload["total_commits_count"]
    total = f"\nTotal commits count: {count}" if count > 0 else ""
    fields = {
        "token": event.text("api_key"),
        "user": event.text("user_key"),
        "device": event.text("device"),
        "priority": event.text("priority"),
        "title": event.project_name,
        "message": f'{event.payload["user_name"]} {_describe_for_pushover(event)} "{event.ref}".{total}',
        "url": event.project_url,
        "url_title": f"See project {event.project_name}",
        **({"sound": event.text("sound")} if event.text("sound") else {}),
    }
    yield event.post_form("https://api.pushover.net/1/messages.json", fields)


def _describe_for_pushover(event: Event) -> str:
    if event.creates_ref:
        return "pushed new branch"
    return "deleted branch" if event.removes_ref else "push to branch"


def check_tracker(event: Event) -> Iterator[OutgoingRequest]:
    """Ask whether the page of an issue tracker can be reached; nothing depends on the answer."""
    if event.text("project_url"):
        yield event.request(event.text("project_url"), method="HEAD")
