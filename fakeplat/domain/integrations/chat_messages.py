"""What chats are told about events, as Markdown and as attachments.

Source: docs/platform/integrations.md.
"""

from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.domain.integrations.events import Event
from fakeplat.domain.integrations.message_parts import ChatMessage, Data, build_link, format_text, parse_time
from fakeplat.domain.integrations.pipeline_messages import build_pipeline_message

_COLOR: Final = "#345"
_ORANGE: Final = "#C95823"


def build_message(event: Event) -> ChatMessage:
    """Return the message about an event."""
    return _BUILDERS[event.payload["object_kind"]](event)


def _build(
    event: Event,
    text: str,
    *,
    details: str = "",
    activity: tuple[str, str] = ("", ""),
    attachments: tuple[Data, ...] | None = None,
) -> ChatMessage:
    """Build a message whose attachment is by default the text of ``details``."""
    avatar = (event.payload.get("user") or {}).get("avatar_url") or event.payload.get("user_avatar")
    if attachments is None:
        attachments = ({"text": format_text(details, event.project_url), "color": _COLOR},) if details else ()
    title, text_of_activity = activity
    return ChatMessage(
        project_name=event.project_name,
        text=text,
        pretext=text,
        user_name=_username(event),
        user_avatar=avatar,
        attachments=attachments,
        details=details,
        activity={
            "title": title,
            "subtitle": f"in {_project_link(event)}",
            "text": text_of_activity,
            "image": avatar,
        },
    )


def _username(event: Event) -> str:
    user = event.payload.get("user") or {}
    # A push names its user in keys of its own, and only the full name counts.
    return str(user.get("username") or event.payload.get("user_name") or "")


def _user(event: Event) -> str:
    """Return ``Name (username)``, or the username alone."""
    name = (event.payload.get("user") or {}).get("name")
    return f"{name} ({_username(event)})" if name else _username(event)


def _project_link(event: Event) -> str:
    return build_link(event.project_name, event.project_url)


def _first_line(text: object) -> str:
    return next(iter(str(text or "").splitlines()), "")


def _build_push(event: Event) -> ChatMessage:
    kind = "tag" if event.is_tag else "branch"
    page = f"/-/tags/{event.ref}" if event.is_tag else f"/commits/{event.ref}"
    ref_link = build_link(event.ref, f"{event.project_url}{page}")
    payload, project = event.payload, _project_link(event)
    compare = build_link("Compare changes", f"{event.project_url}/compare/{payload['before']}...{payload['after']}")
    if event.creates_ref:
        action, ref, target = "pushed new", ref_link, f"to {project}"
    elif event.removes_ref:
        action, ref, target = "removed", event.ref, f"from {project}"
    else:
        action, ref, target = "pushed to", ref_link, f"of {project} ({compare})"
    short = f"{_user(event)} {action} {kind} {ref}"
    is_plain = not event.creates_ref and not event.removes_ref
    lines = "\n\n".join(map(_describe_commit, payload["commits"])) if is_plain else ""
    attachment = {"text": format_text(lines, event.project_url), "color": _COLOR}
    return _build(
        event,
        f"{short} {target}",
        details=lines,
        activity=(short, compare),
        attachments=(attachment,) if is_plain else (),
    )


def _describe_commit(commit: Data) -> str:
    return f"{build_link(commit['id'][:8], commit['url'])}: {commit['title']} - {commit['author']['name']}"


def _build_issue(event: Event) -> ChatMessage:
    issue = event.attributes
    title = f"#{issue['iid']} {issue['title']}"
    link, state = build_link(title, issue["url"]), issue["state"]
    description = str(issue.get("description") or "") if issue.get("action") == "open" else ""
    attachment = {
        "title": title,
        "title_link": issue["url"],
        "text": format_text(description, event.project_url),
        "color": _ORANGE,
    }
    return _build(
        event,
        f"[{_project_link(event)}] Issue {link} {state} by {_user(event)}",
        details=description,
        activity=(f"Issue {state} by {_user(event)}", link),
        attachments=(attachment,) if issue.get("action") == "open" else (),
    )


_REVIEWS: Final = {
    "approved": "approved",
    "unapproved": "unapproved",
    "approval": "added their approval to",
    "unapproval": "removed their approval from",
}


def _build_merge_request(event: Event) -> ChatMessage:
    merge_request = event.attributes
    iid = merge_request["iid"]
    title = f"!{iid} *{_first_line(merge_request['title'])}*"
    link = build_link(title, f"{event.project_url}/-/merge_requests/{iid}")
    action = _REVIEWS.get(merge_request.get("action") or "", merge_request["state"])
    return _build(
        event,
        f"{_user(event)} {action} {link} in {_project_link(event)}",
        activity=(f"Merge Request {action} by {_user(event)}", link),
    )


def _build_note(event: Event) -> ChatMessage:
    target, title = _describe_target(event.payload)
    link = build_link(f"commented on {target}", event.attributes["url"])
    return _build(
        event,
        f"{_user(event)} {link} in {_project_link(event)}: *{title}*",
        details=str(event.attributes["note"]),
        activity=(f"{_user(event)} {link}", title),
    )


def _describe_target(payload: Data) -> tuple[str, str]:
    """Return what a comment is about, and the first line of its title."""
    match payload["object_attributes"]["noteable_type"]:
        case "Commit":
            commit = payload["commit"]
            return f"commit {commit['id'][:8]}", _first_line(commit["message"])
        case "Issue":
            return f"issue #{payload['issue']['iid']}", _first_line(payload["issue"]["title"])
        case "MergeRequest":
            merge_request = payload["merge_request"]
            return f"merge request !{merge_request['iid']}", _first_line(merge_request["title"])
    return f"snippet ${payload['snippet']['id']}", _first_line(payload["snippet"]["title"])


def _build_wiki_page(event: Event) -> ChatMessage:
    page = event.attributes
    verb = {"create": "created", "update": "edited"}.get(page["action"], "")
    action = f"{_user(event)} {verb} {build_link('wiki page', page['url'])}"
    return _build(
        event,
        f"{action} in {_project_link(event)}: *{page['title']}*",
        details=str(page.get("message") or ""),
        activity=(action, page["title"]),
    )


_DEPLOYMENT_COLORS: Final = {"success": "good", "canceled": "warning", "failed": "danger"}


def _build_deployment(event: Event) -> ChatMessage:
    deployment = event.payload
    status = deployment["status"]
    job = build_link(f"Job #{deployment.get('deployable_id') or ''}", deployment.get("deployable_url"))
    sha = build_link(deployment["short_sha"], deployment["commit_url"])
    text = f"{_project_link(event)}\n{job}, SHA {sha}, by {_user(event)}"
    attachment = {
        "text": format_text(text, event.project_url),
        "color": _DEPLOYMENT_COLORS.get(status, "#334455"),
    }
    outcome = "succeeded" if status == "success" else status
    return _build(
        event,
        f"Deploy to {deployment['environment']} {outcome}",
        details=text,
        attachments=(attachment,),
    )


def _build_alert(event: Event) -> ChatMessage:
    alert = event.attributes
    values = {
        "Severity": _humanize(alert["severity"]),
        "Events": alert["events"],
        "Status": _humanize(alert["status"]),
        "Start time": _format_start(str(alert["started_at"])),
    }
    attachment = {
        "title": alert["title"],
        "title_link": alert["url"],
        "color": _ORANGE,
        "fields": [{"title": title, "value": value, "short": True} for title, value in values.items()],
    }
    return _build(event, f"Alert firing in {event.project_name}", attachments=(attachment,))


def _humanize(word: str) -> str:
    return word.replace("_", " ").capitalize()


def _format_start(text: str) -> str:
    """Format a time as in ``April 23rd, 2020 1:06AM UTC``."""
    time = parse_time(text)
    day = time.day
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{time:%B} {day}{suffix}, {time.year} {time.hour % 12 or 12}:{time:%M%p} UTC"


_BUILDERS: Final[Mapping[str, Callable[[Event], ChatMessage]]] = {
    "push": _build_push,
    "tag_push": _build_push,
    "issue": _build_issue,
    "work_item": _build_issue,
    "merge_request": _build_merge_request,
    "note": _build_note,
    "pipeline": build_pipeline_message,
    "wiki_page": _build_wiki_page,
    "deployment": _build_deployment,
    "alert": _build_alert,
}
