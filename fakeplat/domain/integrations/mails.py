"""E-mail to addresses in the settings of integrations: about pushes, and about results of pipelines.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fakeplat.domain.integrations.events import Event, passes_branch_filter, passes_result_filter
from fakeplat.domain.repository import repositories
from fakeplat.model.namespaces import Group
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.users import User
from fakeplat.policy.levels import ancestors

_SHORT: Final = 8
_SEPARATORS: Final = re.compile(r"[,\s]+")


def send_push(event: Event) -> Iterator[OutgoingMail]:
    """Mail a push to each recipient; nothing if it holds no commits."""
    if not _sends_mail(event) or not (event.is_tag or passes_branch_filter(event, default="all")):
        return
    subject = _describe_push(event)
    if not subject:
        return
    headers = {
        **_sender(event),
        **_project_headers(event),
        "X-GitLab-Author": str(event.payload.get("user_username") or ""),
    }
    body = _write_push(event)
    for recipient in event.text("recipients").split():
        yield OutgoingMail(recipient, f"[Git][{event.project_path}]{subject}", body, headers)


def _sends_mail(event: Event) -> bool:
    """Return whether neither the project nor a group above it disables e-mail."""
    owners = ancestors(event.ctx.world, event.project.namespace_id)
    disabled = any(isinstance(owner, Group) and owner.emails_disabled for owner in owners)
    return not event.project.emails_disabled and not disabled


def _describe_push(event: Event) -> str:
    """Return the part of the subject after the project; empty if there is nothing to tell."""
    kind = "tag" if event.is_tag else "branch"
    if event.creates_ref:
        return f" Pushed new {kind} {event.ref}"
    if event.removes_ref:
        return f" Deleted {kind} {event.ref}"
    titles = [commit["title"] for commit in event.payload["commits"]]
    if titles:
        count = event.payload["total_commits_count"]
        return f"[{event.ref}] {titles[0] if count == 1 else f'{count} commits: {titles[0]}'}"
    dropped = _list_dropped_titles(event)
    if not dropped:
        return ""
    return f"[{event.ref}] Deleted {len(dropped)} commit{'s' if len(dropped) > 1 else ''}: {dropped[0]}"


def _list_dropped_titles(event: Event) -> list[str]:
    """Return the titles of the commits that a forced push took away, oldest first."""
    from fakeplat.git.walk import Selection, walk_by_date

    objects = repositories.open_repository(event.ctx.world, event.project).objects
    dropped = walk_by_date(objects, Selection((event.payload["before"],), (event.payload["after"],)))
    return [commit.message.partition("\n")[0] for commit in dropped][::-1]


def _write_push(event: Event) -> str:
    kind, user = "tag" if event.is_tag else "branch", event.payload["user_name"]
    if event.removes_ref:
        return f"{user} deleted {kind} {event.ref} at {event.project_name}\n"
    if event.creates_ref:
        tree = f"{event.project_url}/-/tree/{event.ref}"
        return f"{user} pushed new {kind} {event.ref} at {event.project_name}\n\nView it on GitLab: {tree}\n"
    commits = event.payload["commits"]
    parts = [f"{user} pushed to {kind} {event.ref} at {event.project_name}", "Commits:"]
    parts += [_describe_commit(commit) for commit in commits]
    files = sorted({path for commit in commits for path in _list_files(commit)})
    if files:
        parts.append("\n".join([f"{len(files)} changed file{'s' if len(files) > 1 else ''}:", *files]))
    compare = f"{event.project_url}/-/compare/{event.payload['before']}...{event.payload['after']}"
    parts.append(f"View it on GitLab: {commits[0]['url'] if len(commits) == 1 else compare}")
    return "\n\n".join(parts) + "\n"


def _describe_commit(commit: Mapping[str, Any]) -> str:
    return (
        f"{commit['id'][:_SHORT]} by {commit['author']['name']} at {commit['timestamp']}\n{commit['message'].strip()}"
    )


def _list_files(commit: Mapping[str, Any]) -> list[str]:
    return [path for key in ("added", "modified", "removed") for path in commit.get(key, ())]


def send_pipeline(event: Event) -> Iterator[OutgoingMail]:
    """Mail the result of a pipeline to each recipient."""
    if not _sends_mail(event) or not (passes_branch_filter(event) and passes_result_filter(event)):
        return
    pipeline = event.attributes
    outcome = "succeeded" if pipeline["status"] == "success" else "has failed"
    place = f"for {event.ref} | {pipeline['sha'][:_SHORT]}{_name_merge_request(event)}"
    subject = f"{event.project.name} | Pipeline #{pipeline['id']} {outcome} {place}"
    page = f"{event.project_url}/-/pipelines/{pipeline['id']}"
    failed = [job for job in event.payload.get("builds") or () if job["status"] == "failed"]
    lines = [
        f"Pipeline #{pipeline['id']} {outcome}",
        f"Project: {event.project_name} ( {event.project_url} )",
        f"Branch: {event.ref}",
        f"Commit: {pipeline['sha'][:_SHORT]}",
        f"Page: {page}",
        *(f"Failed job: {job['stage']}: {job['name']} ( {event.project_url}/-/jobs/{job['id']} )" for job in failed),
    ]
    headers = {
        **_default_sender(event),
        **_project_headers(event),
        "X-GitLab-Pipeline-Id": str(pipeline["id"]),
        "X-GitLab-Pipeline-Ref": event.ref,
        "X-GitLab-Pipeline-Status": pipeline["status"],
    }
    for recipient in filter(None, _SEPARATORS.split(event.text("recipients"))):
        yield OutgoingMail(recipient, subject, "\n".join(lines) + "\n", headers)


def _name_merge_request(event: Event) -> str:
    merge_request = event.payload.get("merge_request")
    return f" in !{merge_request['iid']}" if merge_request else ""


def _host(event: Event) -> str:
    return urlsplit(event.ctx.origin).hostname or "localhost"


def _default_sender(event: Event, name: str = "GitLab") -> dict[str, str]:
    host = _host(event)
    return {"From": f'"{name}" <gitlab@{host}>', "Reply-To": f'"{name}" <noreply@{host}>'}


def _sender(event: Event) -> dict[str, str]:
    """Return the sender of a push: its user, whose own address is used if the settings and its domain allow that."""
    name = str(event.payload["user_name"])
    user = event.ctx.world.users.get(event.payload.get("user_id") or 0)
    if event.settings.get("send_from_committer_email") and isinstance(user, User) and _is_own_domain(event, user.email):
        return dict.fromkeys(("From", "Reply-To"), f'"{name}" <{user.email}>')
    return _default_sender(event, name)


def _is_own_domain(event: Event, address: str) -> bool:
    """Return whether an address belongs to the host, or to a domain above it that has a dot itself."""
    domain, host = address.rpartition("@")[2].lower(), _host(event)
    return domain == host or ("." in domain and host.endswith(f".{domain}"))


def _project_headers(event: Event) -> dict[str, str]:
    path = event.project_path
    names = [re.sub(r"[^a-z0-9-]", "-", part) for part in path.lower().split("/")]
    return {
        "X-GitLab-Project": event.project.name,
        "X-GitLab-Project-Id": str(event.project.id),
        "X-GitLab-Project-Path": path,
        "List-Id": f"{path} <{event.project.id}.{'.'.join(reversed(names))}.{_host(event)}>",
    }
