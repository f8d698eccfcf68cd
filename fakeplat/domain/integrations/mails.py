"""E-mail to addresses in the settings of integrations: about pushes, and about results of pipelines.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Iterator
from typing import Final

from fakeplat.domain.integrations.events import Event, passes_branch_filter, passes_result_filter
from fakeplat.domain.integrations.message_parts import Data
from fakeplat.domain.mail.messages import SHORT_SHA, disables_mail, write_project_headers, write_sender
from fakeplat.domain.mail.pipelines import describe_place, describe_result
from fakeplat.domain.repository import repositories
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import User

_SEPARATORS: Final = re.compile(r"[,\s]+")


def send_push(event: Event) -> Iterator[OutgoingMail]:
    """Mail a push to each recipient; nothing if it holds no commits."""
    if disables_mail(event.ctx.world, event.project) or not (
        event.is_tag or passes_branch_filter(event, default="all")
    ):
        return
    subject = _describe_push(event)
    if not subject:
        return
    headers = {
        **_sender(event),
        **write_project_headers(event.ctx, event.project),
        "X-GitLab-Author": str(event.payload.get("user_username") or ""),
    }
    body = _write_push(event)
    for recipient in event.text("recipients").split():
        yield OutgoingMail(recipient, f"[Git][{event.project_path}]{subject}", body, headers)


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


def _describe_commit(commit: Data) -> str:
    heading = f"{commit['id'][:SHORT_SHA]} by {commit['author']['name']} at {commit['timestamp']}"
    return f"{heading}\n{commit['message'].strip()}"


def _list_files(commit: Data) -> list[str]:
    return [path for key in ("added", "modified", "removed") for path in commit.get(key, ())]


def send_pipeline(event: Event) -> Iterator[OutgoingMail]:
    """Mail the result of a pipeline to each recipient."""
    if disables_mail(event.ctx.world, event.project) or not (
        passes_branch_filter(event) and passes_result_filter(event)
    ):
        return
    pipeline = event.attributes
    summary = describe_result(pipeline["id"], "success" if pipeline["status"] == "success" else "failed")
    merge_request = event.payload.get("merge_request")
    place = describe_place(event.ref, pipeline["sha"], merge_request["iid"] if merge_request else None)
    subject = f"{event.project.name} | {summary} {place}"
    page = f"{event.project_url}/-/pipelines/{pipeline['id']}"
    failed = [job for job in event.payload.get("builds") or () if job["status"] == "failed"]
    lines = [
        summary,
        f"Project: {event.project_name} ( {event.project_url} )",
        f"Branch: {event.ref}",
        f"Commit: {pipeline['sha'][:SHORT_SHA]}",
        f"Page: {page}",
        *(f"Failed job: {job['stage']}: {job['name']} ( {event.project_url}/-/jobs/{job['id']} )" for job in failed),
    ]
    headers = {
        **write_sender(event.ctx),
        **write_project_headers(event.ctx, event.project),
        "X-GitLab-Pipeline-Id": str(pipeline["id"]),
        "X-GitLab-Pipeline-Ref": event.ref,
        "X-GitLab-Pipeline-Status": pipeline["status"],
    }
    for recipient in filter(None, _SEPARATORS.split(event.text("recipients"))):
        yield OutgoingMail(recipient, subject, "\n".join(lines) + "\n", headers)


def _sender(event: Event) -> dict[str, str]:
    """Return the sender of a push: its user, whose own address is used if the settings and its domain allow that."""
    name = str(event.payload["user_name"])
    user = event.ctx.world.users.get(event.payload.get("user_id") or 0)
    if event.settings.get("send_from_committer_email") and isinstance(user, User) and _is_own_domain(event, user.email):
        return dict.fromkeys(("From", "Reply-To"), f'"{name}" <{user.email}>')
    return write_sender(event.ctx, name)


def _is_own_domain(event: Event, address: str) -> bool:
    """Return whether an address belongs to the host, or to a domain above it that has a dot itself."""
    domain, host = address.rpartition("@")[2].lower(), event.ctx.hostname
    return domain == host or ("." in domain and host.endswith(f".{domain}"))
