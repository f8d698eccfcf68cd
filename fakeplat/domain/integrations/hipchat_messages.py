"""Messages for HipChat, which are HTML of their own. Texts of users are only escaped, not rendered as Markdown.

Source: docs/platform/integrations.md.
"""

from collections.abc import Sequence
from html import escape
from typing import Final
from urllib.parse import quote_plus

from fakeplat.domain.integrations.events import Event
from fakeplat.domain.integrations.message_parts import Data

_COMMITS: Final = 3


def build_message(event: Event) -> str:
    """Return the message about an event."""
    match event.payload["object_kind"]:
        case "push" | "tag_push":
            return _describe_push(event)
        case "pipeline":
            return _describe_pipeline(event)
        case "note":
            return _describe_note(event)
        case kind:
            return _describe_issuable(event, "issue #" if kind == "issue" else "merge request !")


def color_of(event: Event) -> str:
    """Return the color of the message: that of a result, or that of the settings."""
    if event.payload["object_kind"] == "pipeline":
        return "green" if event.attributes["status"] == "success" else "red"
    return event.text("color") or "yellow"


def _link(text: str, url: object) -> str:
    return f'<a href="{escape(str(url))}">{escape(text)}</a>'


def _project_link(event: Event) -> str:
    return _link(event.project_name.replace(" ", ""), event.project_url)


def _render_line(text: object) -> str:
    return escape(next(iter(str(text or "").splitlines()), ""))


def _describe_push(event: Event) -> str:
    push, kind = event.payload, "tag" if event.is_tag else "branch"
    ref = _link(event.ref, f"{event.project_url}/commits/{quote_plus(event.ref)}")
    if event.creates_ref:
        return f"{push['user_name']} pushed new {kind} {ref} to {_project_link(event)}\n"
    if event.removes_ref:
        return f"{push['user_name']} removed {kind} <b>{escape(event.ref)}</b> from {_project_link(event)} \n"
    compare = _link("Compare changes", f"{event.project_url}/compare/{push['before']}...{push['after']}")
    text = f"{push['user_name']} pushed to {kind} {ref} of {_project_link(event)} ({compare})"
    return text + _list_commits(push["commits"])


def _list_commits(commits: Sequence[Data]) -> str:
    lines = "".join(
        f"<br /> - {_render_line(commit['message'])} ({_link(commit['id'][:6], commit['url'])})"
        for commit in commits[:_COMMITS]
    )
    hidden = len(commits) - _COMMITS
    return f"{lines}<br />... {hidden} more commits" if hidden > 0 else lines


def _describe_issuable(event: Event, word: str) -> str:
    issuable = event.attributes
    link = _link(f"{word}{issuable['iid']}", issuable["url"])
    return (
        f"{event.payload['user']['name']} {issuable['state']} {link} in {_project_link(event)}: "
        f"<b>{_render_line(issuable['title'])}</b><pre>{escape(str(issuable.get('description') or ''))}</pre>"
    )


def _describe_note(event: Event) -> str:
    target, title = _describe_target(event.payload)
    link = _link(target, event.attributes["url"])
    return (
        f"{event.payload['user']['name']} commented on {link} in {_project_link(event)}: "
        f"<b>{_render_line(title)}</b><pre>{escape(str(event.attributes['note']))}</pre>"
    )


def _describe_target(payload: Data) -> tuple[str, str]:
    if "commit" in payload:
        return f"commit {payload['commit']['id'][:8]}", payload["commit"]["message"]
    if "issue" in payload:
        return f"issue #{payload['issue']['iid']}", payload["issue"]["title"]
    if "merge_request" in payload:
        return f"merge request !{payload['merge_request']['iid']}", payload["merge_request"]["title"]
    return f"snippet #{payload['snippet']['id']}", payload["snippet"]["title"]


def _describe_pipeline(event: Event) -> str:
    pipeline = event.attributes
    page = _link(f"#{pipeline['id']}", f"{event.project_url}/-/pipelines/{pipeline['id']}")
    branch = _link(event.ref, f"{event.project_url}/-/commits/{quote_plus(event.ref)}")
    user = (event.payload.get("user") or {}).get("name") or "API"
    outcome = "passed" if pipeline["status"] == "success" else pipeline["status"]
    kind = "tag" if event.is_tag else "branch"
    duration = f"{pipeline['duration'] or ''} second(s)"
    return f"{_project_link(event)}: Pipeline {page} of {branch} {kind} by {user} {outcome} in {duration}"
