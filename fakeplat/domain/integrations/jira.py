"""What Jira is told: which commits and merge requests name its issues, and which issues they close.

The platform leaves out what Jira has already. No response is read here, so everything is sent.
Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.integrations.events import JSON_HEADERS, Event, basic_authorization
from fakeplat.domain.integrations.issue_trackers import find_closed_keys, find_keys
from fakeplat.domain.integrations.message_parts import Data
from fakeplat.model.outgoing import OutgoingRequest


@frozen
class _Source:
    """What names an issue: a commit or a merge request."""

    kind: str
    title: str
    text: str
    url: str
    branch: str


def follow_event(event: Event) -> Iterator[OutgoingRequest]:
    """Tell Jira of the issues in the commits of a push, or in a merge request that was opened or merged."""
    if event.payload["object_kind"] == "push":
        yield from _follow_push(event)
    elif event.attributes.get("action") == "open":
        source = _read_merge_request(event)
        for key in find_keys(event.service.slug, source.text):
            yield from _mention(event, key, source)
    elif event.attributes.get("action") == "merge":
        yield from _follow_merge(event)


def _follow_push(event: Event) -> Iterator[OutgoingRequest]:
    closes = event.ref == event.project.default_branch
    for commit in event.payload["commits"]:
        source = _Source("commit", commit["title"], commit["message"], commit["url"], event.ref)
        closed = find_closed_keys(event.service.slug, source.text) if closes else []
        for key in closed:
            yield from _close(event, key, commit)
        for key in find_keys(event.service.slug, source.text):
            if key not in closed:
                yield from _mention(event, key, source)


def _read_merge_request(event: Event) -> _Source:
    merge_request = event.attributes
    text = f"{merge_request['title']}\n{merge_request.get('description') or ''}"
    return _Source("merge request", merge_request["title"], text, merge_request["url"], merge_request["source_branch"])


def _follow_merge(event: Event) -> Iterator[OutgoingRequest]:
    commit = event.attributes.get("last_commit")
    if commit and event.attributes["target_branch"] == event.project.default_branch:
        for key in find_closed_keys(event.service.slug, _read_merge_request(event).text):
            yield from _close(event, key, commit)


def _request(event: Event, path: str, body: object = None) -> OutgoingRequest:
    base = (event.text("api_url") or event.text("url")).rstrip("/")
    headers = {
        **JSON_HEADERS,
        **basic_authorization(event.text("username"), event.text("password")),
        "Cookie": "OBBasicAuth=fromDialog",
    }
    url = f"{base}/rest/api/2/issue/{path}"
    return event.request(url, headers=headers, method="GET") if body is None else event.post_json(url, body, headers)


def _mention(event: Event, key: str, source: _Source) -> Iterator[OutgoingRequest]:
    yield _request(event, key)
    if event.service.comment_on_event_enabled:
        yield _request(event, f"{key}/comment", {"body": _describe_mention(event, source)})
    title = f"{source.kind.capitalize()} - {source.title}"
    yield _request(event, f"{key}/remotelink", _build_link(source.url, title, resolved=False))


def _describe_mention(event: Event, source: _Source) -> str:
    name, page = _get_actor(event)
    branch = f"[{source.branch}|{event.project_url}/-/commits/{source.branch}]"
    project = f"[{event.project_name}|{event.project_url}]"
    where = f"[a {source.kind}|{source.url}] of {project} on branch {branch}"
    return f"[{name}|{page}] mentioned this issue in {where}:{{quote}}{source.title}{{quote}}"


def _get_actor(event: Event) -> tuple[str, str]:
    user = event.payload.get("user") or {}
    name = user.get("name") or event.payload.get("user_name")
    username = user.get("username") or event.payload.get("user_username")
    return str(name), f"{event.ctx.origin}/{username}"


def _close(event: Event, key: str, commit: Data) -> Iterator[OutgoingRequest]:
    """Do the transitions that close an issue, and say which commit solved it."""
    transitions = re.findall(r"\d+", event.text("jira_issue_transition_id"))
    if not transitions:
        return
    yield _request(event, key)
    for id_ in transitions:
        yield _request(event, f"{key}/transitions", {"transition": {"id": id_}})
    if event.service.comment_on_event_enabled:
        yield _request(event, f"{key}/comment", {"body": f"Issue solved with [{commit['id']}|{commit['url']}]."})
    title = f"Solved by commit {commit['id']}."
    yield _request(event, f"{key}/remotelink", _build_link(commit["url"], title, resolved=True))


_ICON: Final = "GitLab"


def _build_link(url: str, title: str, *, resolved: bool) -> Mapping[str, Any]:
    return {
        "GlobalID": _ICON,
        "relationship": "mentioned on",
        "object": {"url": url, "title": title, "status": {"resolved": resolved}, "icon": {"title": _ICON}},
    }
