"""What chats are told about events, as Markdown and as attachments.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.integrations.events import Event
from fakeplat.domain.people import users

Data = Mapping[str, Any]
_COLOR: Final = "#345"
_ORANGE: Final = "#C95823"
_HOUR: Final = 3600
_VISIBLE_JOBS: Final = 10
_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]]*?)\]\(((?:https?://|mailto:)[^)\s]*)\)")
_RELATIVE_IMAGE: Final = re.compile(r"!\[[^\]]*\]\((/uploads/[^)]*)\)")


@frozen
class ChatMessage:
    """A message. ``text`` is Markdown; ``pretext`` is what stands above the attachments: nothing for pipelines.

    ``details`` is the text of the attachments in Markdown, for chats that have no attachments. ``activity`` are the
    title, the subtitle, the text and the image of a card.
    """

    project_name: str
    text: str
    pretext: str
    user_name: str
    user_avatar: str | None
    attachments: tuple[Data, ...] = ()
    details: str = ""
    activity: Data = field(factory=dict)


def format_links(text: str) -> str:
    """Turn Markdown links into Slack's: ``<https://x.test|text>``."""
    return _MARKDOWN_LINK.sub(lambda link: f"<{link[2]}|{link[1]}>" if link[1] else f"<{link[2]}>", text)


def format_text(text: str, project_url: str) -> str:
    """Format links, and turn images of the project's uploads into their addresses."""
    return format_links(_RELATIVE_IMAGE.sub(lambda image: f"{project_url}{image[1]}", text))


def build_message(event: Event) -> ChatMessage:
    """Return the message about an event."""
    return _BUILDERS[event.payload["object_kind"]](event)


def _build(
    event: Event, text: str, *, details: str = "", activity: tuple[str, str] = ("", ""), **rest: Any
) -> ChatMessage:
    """Build a message whose attachment is a text."""
    avatar = (event.payload.get("user") or {}).get("avatar_url") or event.payload.get("user_avatar")
    attachments = ({"text": format_text(details, event.project_url), "color": _COLOR},) if details else ()
    title, text_of_activity = activity
    return ChatMessage(
        **{
            "project_name": event.project_name,
            "text": text,
            "pretext": text,
            "user_name": _username(event),
            "user_avatar": avatar,
            "attachments": attachments,
            "details": details,
            "activity": {
                "title": title,
                "subtitle": f"in {_project_link(event)}",
                "text": text_of_activity,
                "image": avatar,
            },
            **rest,
        }
    )


def _link(text: str, url: object) -> str:
    return f"[{text}]({url or ''})"


def _username(event: Event) -> str:
    user = event.payload.get("user") or {}
    # A push names its user in keys of its own, and only the full name counts.
    return str(user.get("username") or event.payload.get("user_name") or "")


def _user(event: Event) -> str:
    """Return ``Name (username)``, or the username alone."""
    name = (event.payload.get("user") or {}).get("name")
    return f"{name} ({_username(event)})" if name else _username(event)


def _project_link(event: Event) -> str:
    return _link(event.project_name, event.project_url)


def _first_line(text: object) -> str:
    return next(iter(str(text or "").splitlines()), "")


def _build_push(event: Event) -> ChatMessage:
    kind = "tag" if event.is_tag else "branch"
    page = f"/-/tags/{event.ref}" if event.is_tag else f"/commits/{event.ref}"
    ref_link = _link(event.ref, f"{event.project_url}{page}")
    payload, project = event.payload, _project_link(event)
    compare = _link("Compare changes", f"{event.project_url}/compare/{payload['before']}...{payload['after']}")
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
    return f"{_link(commit['id'][:8], commit['url'])}: {commit['title']} - {commit['author']['name']}"


def _build_issue(event: Event) -> ChatMessage:
    issue = event.attributes
    title = f"#{issue['iid']} {issue['title']}"
    link, state = _link(title, issue["url"]), issue["state"]
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
    link = _link(title, f"{event.project_url}/-/merge_requests/{iid}")
    action = _REVIEWS.get(merge_request.get("action") or "", merge_request["state"])
    return _build(
        event,
        f"{_user(event)} {action} {link} in {_project_link(event)}",
        activity=(f"Merge Request {action} by {_user(event)}", link),
    )


def _build_note(event: Event) -> ChatMessage:
    target, title = _describe_target(event.payload)
    link = _link(f"commented on {target}", event.attributes["url"])
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
    action = f"{_user(event)} {verb} {_link('wiki page', page['url'])}"
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
    job = _link(f"Job #{deployment.get('deployable_id') or ''}", deployment.get("deployable_url"))
    sha = _link(deployment["short_sha"], deployment["commit_url"])
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
    time = _parse_time(text)
    day = time.day
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{time:%B} {day}{suffix}, {time.year} {time.hour % 12 or 12}:{time:%M%p} UTC"


def _parse_time(text: str) -> datetime:
    """Parse ``2020-11-20 09:00:00 UTC``, or an ISO time."""
    time = datetime.fromisoformat(text.removesuffix(" UTC"))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _build_pipeline(event: Event) -> ChatMessage:
    return _PipelineReport(event).build()


class _PipelineReport:
    """The parts of a message about a pipeline. Its project has the short name."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.attributes = event.attributes
        self.user = event.payload.get("user") or {}
        self.failed = _find_failed_jobs(event.payload.get("builds") or ())
        self.page = f"{event.project_url}/-/pipelines/{self.attributes['id']}"
        if self.failed:
            self.page += "/failures"
        kind, folder = ("tag", "tags") if event.is_tag else ("branch", "commits")
        self.kind = kind
        self.ref_link = _link(event.ref, f"{event.project_url}/-/{folder}/{event.ref}")

    def build(self) -> ChatMessage:
        event = self.event
        pipeline = _link(f"#{self.attributes['id']}", self.page)
        action = f"Pipeline {pipeline} of {self.kind} {self.ref_link} by {self._author()} {self._outcome()}"
        text = f"{_link(event.project.name, event.project_url)}: {action} in {self._duration()}"
        avatar = self.user.get("avatar_url")
        return ChatMessage(
            event.project_name,
            text,
            "",
            str(self.user.get("username") or "API"),
            avatar,
            (self._attachment(text),),
            text,
            {
                "title": action,
                "subtitle": f"in {_link(event.project.name, event.project_url)}",
                "text": f"in {self._duration()}",
                "image": avatar or "",
            },
        )

    def _author(self) -> str:
        username = self.user.get("username") or "API"
        return f"{self.user['name']} ({username})" if self.user.get("name") else str(username)

    def _has_warnings(self) -> bool:
        return bool(self.attributes.get("detailed_status") == "passed with warnings")

    def _outcome(self) -> str:
        status = self.attributes["status"]
        if status == "success":
            return "has passed with warnings" if self._has_warnings() else "has passed"
        return "has failed" if status == "failed" else str(status)

    def _color(self) -> str:
        if self.attributes["status"] != "success":
            return "danger"
        return "warning" if self._has_warnings() else "good"

    def _duration(self) -> str:
        seconds = int(self.attributes.get("duration") or 0)
        minutes = f"{seconds % _HOUR // 60:02}:{seconds % 60:02}"
        return minutes if seconds < _HOUR else f"{seconds // _HOUR % 24:02}:{minutes}"

    def _attachment(self, text: str) -> Data:
        event, finished = self.event, self.attributes.get("finished_at")
        return {
            "fallback": format_text(text, event.project_url),
            "color": self._color(),
            "author_name": self._author(),
            "author_icon": self.user.get("avatar_url"),
            "author_link": self._author_link(),
            "title": f"Pipeline #{self.attributes['id']} {self._outcome()} in {self._duration()}",
            "title_link": self.page,
            "fields": self._fields(),
            "footer": event.project.name,
            "footer_icon": event.payload["project"].get("avatar_url"),
            "ts": int(_parse_time(finished).timestamp()) if finished else None,
        }

    def _author_link(self) -> str | None:
        commit = self.event.payload.get("commit")
        if not self.user or not commit:
            return None
        committer = users.find_by_any_email(self.event.ctx.world, commit["author"]["email"])
        return f"{self.event.ctx.origin}/{committer.username}" if committer else None

    def _fields(self) -> list[Data]:
        commit = self.event.payload.get("commit") or {"title": "", "url": ""}
        fields = [
            self._field("Tag" if self.event.is_tag else "Branch", self.ref_link),
            self._field("Commit", _link(commit["title"], commit["url"])),
        ]
        if self.failed:
            stages = [_link(stage, self.page) for stage in dict.fromkeys(job["stage"] for job in self.failed)]
            fields += [
                self._field("Failed stages" if len(stages) > 1 else "Failed stage", ", ".join(stages)),
                self._field("Failed jobs" if len(self.failed) > 1 else "Failed job", self._describe_jobs()),
            ]
        pipeline = self.event.ctx.world.pipelines.get(self.attributes["id"])
        if pipeline is not None and pipeline.yaml_errors:
            fields.append({"title": "Invalid CI config YAML file", "value": pipeline.yaml_errors, "short": False})
        return fields

    def _field(self, title: str, text: str) -> Data:
        return {"title": title, "value": format_text(text, self.event.project_url), "short": True}

    def _describe_jobs(self) -> str:
        jobs = f"{self.event.project_url}/-/jobs"
        links = [_link(job["name"], f"{jobs}/{job['id']}") for job in self.failed[:_VISIBLE_JOBS]]
        hidden = len(self.failed) - _VISIBLE_JOBS
        return ", ".join([*links, f"and {_link(f'{hidden} more', self.page)}"] if hidden > 0 else links)


def _find_failed_jobs(builds: Any) -> list[Data]:
    """Return the failed jobs that no retry with success follows, each name once, the last first."""
    succeeded = {job["name"] for job in builds if job["status"] == "success"}
    failed: dict[str, Data] = {}
    for job in builds:
        if job["status"] == "failed" and job["name"] not in succeeded:
            failed.setdefault(job["name"], job)
    return list(reversed(failed.values()))


_BUILDERS: Final[Mapping[str, Callable[[Event], ChatMessage]]] = {
    "push": _build_push,
    "tag_push": _build_push,
    "issue": _build_issue,
    "merge_request": _build_merge_request,
    "note": _build_note,
    "pipeline": _build_pipeline,
    "wiki_page": _build_wiki_page,
    "deployment": _build_deployment,
    "alert": _build_alert,
}
