"""The starter scenario after many requests to the API, and comparisons of its GET responses."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
from typing_extensions import override

from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.people import Group
from fakeplat.platform import Platform
from tests.scenario.answers import ANONYMOUS, collect_names, compare_values, replace_ids, token_of
from tests.scenario.worlds import create_platform
from tests.tape.sessions import Session

VIEWERS = ("root", "ada", "mia", "dev", "gus", "eve", ANONYMOUS)
SITE = "projects/acme%2Fsite"
HISTORIES = tuple(f"resource_{kind}_events" for kind in ("label", "milestone", "state", "weight"))
OF_PLACES = ("boards", "badges", "access_requests", "notification_settings", "labels", "milestones", "merge_requests")
OF_ISSUES = ("", "notes", "discussions", "award_emoji", "links", "participants", "related_merge_requests", "closed_by")
OF_MERGE_REQUESTS = (
    *("", "notes", "discussions", "award_emoji", "participants", "versions", "approvals", "closes_issues"),
    *("commits", "changes", "pipelines", "time_stats"),
)
_NOTE_IN_URL = re.compile(r"(?<=#note_)\d+")


class Busy(Session):
    """A session in which all requests must succeed."""

    @override
    def ask(self, method: str, target: str, by: str | None = "ada", **body: Any) -> Any:
        content = super().ask(method, target, by, **body)
        is_error = isinstance(content, dict) and content.keys() <= {"message", "error", "error_description"}
        assert not is_error or not content, (method, target, content)
        return content


def busy_starter(tier: str = "free") -> Platform:
    """Return a platform with discussed, planned and linked issues, and approved, merged and closed merge requests."""
    platform = create_platform("starter", instance={"tier": tier})
    session = Busy(platform)
    _plan(session)
    _discuss(session)
    _merge(session)
    _review(session)
    _comment(session)
    _create_settings(session)
    if tier != "free":
        _create_paid_records(session)
    platform.settle()
    return platform


def _plan(session: Session) -> None:
    session.ask("POST", f"{SITE}/issues", "dev", title="Six", labels="bug", description="For @mia", assignee_ids=[])
    session.ask("PUT", f"{SITE}/issues/4", "dev", labels="urgent,bug", state_event="close")
    session.ask("PUT", f"{SITE}/issues/4", "mia", state_event="reopen", remove_labels="bug", confidential=True)
    milestone = session.ask("GET", f"{SITE}/milestones", "dev")[0]["id"]
    session.ask("PUT", f"{SITE}/issues/1", "dev", milestone_id=milestone, due_date="2020-12-24")
    session.ask("PUT", f"{SITE}/issues/1", "dev", milestone_id=0)
    docs = session.ask("GET", "projects/acme%2Fdocs", "dev")["id"]
    session.ask("POST", f"{SITE}/issues/1/links", "dev", target_project_id=docs, target_issue_iid=1)
    session.ask("POST", f"{SITE}/issues/2/links", "dev", target_project_id="acme/site", target_issue_iid=1)
    session.ask("POST", f"{SITE}/issues/4/time_estimate?duration=3h", "dev")
    session.ask("POST", f"{SITE}/issues/4/add_spent_time?duration=1h30m", "dev")


def _discuss(session: Session) -> None:
    first = session.ask("POST", f"{SITE}/issues/1/notes", "gus", body="I see it, too. See #2, @dev")
    thread = session.ask("POST", f"{SITE}/issues/1/discussions", "mia", body="Why?")
    session.ask("POST", f"{SITE}/issues/1/discussions/{thread['id']}/notes", "dev", body="Because of ~bug")
    secret = session.ask("POST", f"{SITE}/issues/1/notes", "mia", body="Among us", confidential=True)
    session.ask("PUT", f"{SITE}/issues/1/notes/{secret['id']}", "mia", body="Among ourselves")
    session.ask("POST", f"{SITE}/issues/1/notes/{first['id']}/award_emoji", "dev", name="rocket")
    session.ask("POST", f"{SITE}/issues/1/award_emoji", "ada", name="thumbsup")
    session.ask("POST", f"{SITE}/issues/1/award_emoji", "root", name="tada")
    session.ask("POST", f"{SITE}/issues/1/subscribe", "root")
    session.ask("POST", f"{SITE}/issues/4/unsubscribe", "dev")
    session.ask("POST", f"{SITE}/issues/3/todo", "root")
    session.ask("POST", f"{SITE}/issues/1/notes", "dev", body="@root, look")
    session.ask("POST", f"{SITE}/merge_requests/1/notes", "mia", body="Nice, @root")
    session.ask("POST", f"{SITE}/merge_requests/1/award_emoji", "mia", name="thumbsup")


def _commit(session: Session, branch: str, **start: Any) -> None:
    actions = [{"action": "create", "file_path": f"{branch}-{len(start)}.txt", "content": f"{branch}\n"}]
    session.ask(
        "POST", f"{SITE}/repository/commits", "dev", branch=branch, commit_message=branch, actions=actions, **start
    )


def _merge(session: Session) -> None:
    for branch in ("soon", "never", "later"):
        _commit(session, branch, start_branch="master")
        session.ask("POST", f"{SITE}/merge_requests", "dev", source_branch=branch, target_branch="master", title=branch)
    session.ask("POST", f"{SITE}/merge_requests/3/approve", "mia")
    session.ask("GET", f"{SITE}/merge_requests/3", "mia")
    session.ask("PUT", f"{SITE}/merge_requests/3/merge", "mia", should_remove_source_branch=True)
    session.ask("PUT", f"{SITE}/merge_requests/4", "dev", state_event="close", labels="bug")
    _commit(session, "later")
    session.ask("PUT", f"{SITE}/merge_requests/5", "dev", description="Closes #3", title="Draft: later", squash=True)
    session.ask("POST", f"{SITE}/merge_requests/5/approve", "ada")
    session.ask("POST", f"{SITE}/merge_requests/5/subscribe", "root")


def _review(session: Session) -> None:
    refs = session.ask("GET", f"{SITE}/merge_requests/5", "mia")["diff_refs"]
    position = {**refs, "position_type": "text", "new_path": "later-1.txt", "old_path": "later-1.txt", "new_line": 1}
    threads = f"{SITE}/merge_requests/5/discussions"
    thread = session.ask("POST", threads, "mia", body="Why this line?", position=position)["id"]
    session.ask("POST", f"{threads}/{thread}/notes", "dev", body="Because")
    general = session.ask("POST", threads, "ada", body="And in general?")["id"]
    session.ask("PUT", f"{threads}/{general}?resolved=true", "ada")
    note = session.ask("POST", f"{SITE}/merge_requests/5/notes", "rep", body="Hm")["id"]
    session.ask("POST", f"{SITE}/merge_requests/5/notes/{note}/award_emoji", "dev", name="thumbsup")


def _comment(session: Session) -> None:
    """Comment on commits, on their lines, and in threads."""
    for commit in session.ask("GET", f"{SITE}/repository/commits", "dev")[:2]:
        path = f"{SITE}/repository/commits/{commit['id']}"
        files = session.ask("GET", f"{path}/diff", "dev")
        session.ask("POST", f"{path}/comments", "dev", note="Plain")
        session.ask("POST", f"{path}/comments", "mia", note="Line", path=files[0]["new_path"], line=1, line_type="new")
        thread = session.ask("POST", f"{path}/discussions", "mia", body="Thread")["id"]
        session.ask("POST", f"{path}/discussions/{thread}/notes", "dev", body="Reply")


def _create_settings(session: Session) -> None:
    label = session.ask("GET", f"{SITE}/labels", "mia")[0]["id"]
    board = session.ask("POST", f"{SITE}/boards", "mia", name="Work")
    session.ask("POST", f"{SITE}/boards/{board['id']}/lists", "mia", label_id=label)
    session.ask(
        "POST", f"{SITE}/badges", "mia", link_url="https://ci.test/%{project_path}", image_url="https://ci.test/i"
    )
    session.ask("POST", "groups/acme/badges", name="state", link_url="https://x.test", image_url="https://x.test/i.svg")
    session.ask("POST", "projects/acme%2Fdocs/access_requests", "eve")
    session.ask("PUT", f"{SITE}/notification_settings", "root", level="custom", new_note=True)
    session.ask("PUT", "groups/acme/notification_settings", "root", level="watch")
    session.ask("PUT", "notification_settings", "root", level="mention", notification_email="root@example.test")


def _create_paid_records(session: Session) -> None:
    board = f"{SITE}/boards/{session.ask('GET', f'{SITE}/boards', 'mia')[0]['id']}"
    session.ask("POST", f"{board}/lists", "mia", assignee_id=session.ask("GET", "user", "dev")["id"])
    session.ask("POST", f"{board}/lists", "mia", milestone_id=session.ask("GET", f"{SITE}/milestones", "dev")[0]["id"])
    session.ask("PUT", board, "mia", weight=3, labels="bug")
    session.ask("PUT", f"{SITE}/issues/5", "mia", weight=5)


def list_targets(platform: Platform) -> Iterator[str]:
    """Yield the targets of all GETs of records in groups, projects, issues and merge requests."""
    world = platform.view
    yield from ("todos", "todos?state=done", "notification_settings", "merge_requests?scope=all", "issues?scope=all")
    for namespace in world.namespaces.all():
        if isinstance(namespace, Group):
            yield from (f"groups/{full_path(world, namespace).replace('/', '%2F')}/{part}" for part in OF_PLACES)
    for project in world.projects.all():
        path = f"projects/{project_path(world, project).replace('/', '%2F')}"
        yield from (f"{path}/{part}" for part in OF_PLACES)
        for sha in {note.subject[-1] for note in world.notes.where("commits_of", project.id)}:
            yield from (f"{path}/repository/commits/{sha}/{part}" for part in ("comments", "discussions"))
        for kind, parts in (("issues", OF_ISSUES), ("merge_requests", OF_MERGE_REQUESTS)):
            for record in getattr(world, kind).all():
                if record.project_id == project.id:
                    yield from (f"{path}/{kind}/{record.iid}/{part}".rstrip("/") for part in (*parts, *HISTORIES))


def collect_responses(platform: Platform, viewers: tuple[str, ...] = VIEWERS) -> dict[tuple[str, str], tuple[int, Any]]:
    """Return status and body of each response, with names in place of ids."""
    results, names = {}, collect_names(platform.view)
    for viewer in viewers:
        token = token_of(platform.view, viewer) if viewer != ANONYMOUS else None
        for target in list_targets(platform):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", f"per_page=100&{query}", headers))
            body = orjson.loads(_NOTE_IN_URL.sub("N", response.body.decode()))
            results[viewer, target] = (response.status, replace_ids(body, names))
    return results


def list_differences(before: Platform, after: Platform, viewers: tuple[str, ...] = VIEWERS) -> list[str]:
    """Return the differences between the responses of two platforms."""
    return list(compare_values(collect_responses(before, viewers), collect_responses(after, viewers)))
