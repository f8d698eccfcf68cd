"""A starter in which much was said and done through the API, and what there is to be asked of it afterwards."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.namespaces import Group
from fakeplat.platform import Platform
from tests.scenario.answers import NOBODY, differences, named, names_of, token_of
from tests.scenario.worlds import made
from tests.tape.sessions import Session

VIEWERS = ("root", "ada", "mia", "dev", "gus", "eve", NOBODY)
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
    """A session in which nothing is refused."""

    def ask(self, method: str, target: str, by: str | None = "ada", **body: Any) -> Any:
        found = super().ask(method, target, by, **body)
        refused = isinstance(found, dict) and found.keys() <= {"message", "error", "error_description"}
        assert not refused or not found, (method, target, found)
        return found


def busy_starter(tier: str = "free") -> Platform:
    """Issues that were spoken of, planned, linked, liked; merge requests that were approved, merged and closed."""
    platform = made("starter", instance={"tier": tier})
    at = Busy(platform)
    _plan(at)
    _talk(at)
    _merge(at)
    _review(at)
    _comment(at)
    _furnish(at)
    if tier != "free":
        _furnish_more(at)
    platform.settle()
    return platform


def _plan(at: Session) -> None:
    at.ask("POST", f"{SITE}/issues", "dev", title="Six", labels="bug", description="For @mia", assignee_ids=[])
    at.ask("PUT", f"{SITE}/issues/4", "dev", labels="urgent,bug", state_event="close")
    at.ask("PUT", f"{SITE}/issues/4", "mia", state_event="reopen", remove_labels="bug", confidential=True)
    milestone = at.ask("GET", f"{SITE}/milestones", "dev")[0]["id"]
    at.ask("PUT", f"{SITE}/issues/1", "dev", milestone_id=milestone, due_date="2020-12-24")
    at.ask("PUT", f"{SITE}/issues/1", "dev", milestone_id=0)
    docs = at.ask("GET", "projects/acme%2Fdocs", "dev")["id"]
    at.ask("POST", f"{SITE}/issues/1/links", "dev", target_project_id=docs, target_issue_iid=1)
    at.ask("POST", f"{SITE}/issues/2/links", "dev", target_project_id="acme/site", target_issue_iid=1)
    at.ask("POST", f"{SITE}/issues/4/time_estimate?duration=3h", "dev")
    at.ask("POST", f"{SITE}/issues/4/add_spent_time?duration=1h30m", "dev")


def _talk(at: Session) -> None:
    first = at.ask("POST", f"{SITE}/issues/1/notes", "gus", body="I see it, too. See #2, @dev")
    thread = at.ask("POST", f"{SITE}/issues/1/discussions", "mia", body="Why?")
    at.ask("POST", f"{SITE}/issues/1/discussions/{thread['id']}/notes", "dev", body="Because of ~bug")
    secret = at.ask("POST", f"{SITE}/issues/1/notes", "mia", body="Among us", confidential=True)
    at.ask("PUT", f"{SITE}/issues/1/notes/{secret['id']}", "mia", body="Among ourselves")
    at.ask("POST", f"{SITE}/issues/1/notes/{first['id']}/award_emoji", "dev", name="rocket")
    at.ask("POST", f"{SITE}/issues/1/award_emoji", "ada", name="thumbsup")
    at.ask("POST", f"{SITE}/issues/1/award_emoji", "root", name="tada")
    at.ask("POST", f"{SITE}/issues/1/subscribe", "root")
    at.ask("POST", f"{SITE}/issues/4/unsubscribe", "dev")
    at.ask("POST", f"{SITE}/issues/3/todo", "root")
    at.ask("POST", f"{SITE}/issues/1/notes", "dev", body="@root, look")
    at.ask("POST", f"{SITE}/merge_requests/1/notes", "mia", body="Nice, @root")
    at.ask("POST", f"{SITE}/merge_requests/1/award_emoji", "mia", name="thumbsup")


def _commit(at: Session, branch: str, **start: Any) -> None:
    actions = [{"action": "create", "file_path": f"{branch}-{len(start)}.txt", "content": f"{branch}\n"}]
    at.ask("POST", f"{SITE}/repository/commits", "dev", branch=branch, commit_message=branch, actions=actions, **start)


def _merge(at: Session) -> None:
    for branch in ("soon", "never", "later"):
        _commit(at, branch, start_branch="master")
        at.ask("POST", f"{SITE}/merge_requests", "dev", source_branch=branch, target_branch="master", title=branch)
    at.ask("POST", f"{SITE}/merge_requests/3/approve", "mia")
    at.ask("GET", f"{SITE}/merge_requests/3", "mia")
    at.ask("PUT", f"{SITE}/merge_requests/3/merge", "mia", should_remove_source_branch=True)
    at.ask("PUT", f"{SITE}/merge_requests/4", "dev", state_event="close", labels="bug")
    _commit(at, "later")
    at.ask("PUT", f"{SITE}/merge_requests/5", "dev", description="Closes #3", title="Draft: later", squash=True)
    at.ask("POST", f"{SITE}/merge_requests/5/approve", "ada")
    at.ask("POST", f"{SITE}/merge_requests/5/subscribe", "root")


def _review(at: Session) -> None:
    refs = at.ask("GET", f"{SITE}/merge_requests/5", "mia")["diff_refs"]
    position = {**refs, "position_type": "text", "new_path": "later-1.txt", "old_path": "later-1.txt", "new_line": 1}
    threads = f"{SITE}/merge_requests/5/discussions"
    about = at.ask("POST", threads, "mia", body="Why this line?", position=position)["id"]
    at.ask("POST", f"{threads}/{about}/notes", "dev", body="Because")
    plain = at.ask("POST", threads, "ada", body="And in general?")["id"]
    at.ask("PUT", f"{threads}/{plain}?resolved=true", "ada")
    note = at.ask("POST", f"{SITE}/merge_requests/5/notes", "rep", body="Hm")["id"]
    at.ask("POST", f"{SITE}/merge_requests/5/notes/{note}/award_emoji", "dev", name="thumbsup")


def _comment(at: Session) -> None:
    """Of commits, of lines in them, and in threads."""
    for commit in at.ask("GET", f"{SITE}/repository/commits", "dev")[:2]:
        place = f"{SITE}/repository/commits/{commit['id']}"
        files = at.ask("GET", f"{place}/diff", "dev")
        at.ask("POST", f"{place}/comments", "dev", note="Plain")
        at.ask("POST", f"{place}/comments", "mia", note="Line", path=files[0]["new_path"], line=1, line_type="new")
        thread = at.ask("POST", f"{place}/discussions", "mia", body="Thread")["id"]
        at.ask("POST", f"{place}/discussions/{thread}/notes", "dev", body="Reply")


def _furnish(at: Session) -> None:
    label = at.ask("GET", f"{SITE}/labels", "mia")[0]["id"]
    board = at.ask("POST", f"{SITE}/boards", "mia", name="Work")
    at.ask("POST", f"{SITE}/boards/{board['id']}/lists", "mia", label_id=label)
    at.ask("POST", f"{SITE}/badges", "mia", link_url="https://ci.test/%{project_path}", image_url="https://ci.test/i")
    at.ask("POST", "groups/acme/badges", name="state", link_url="https://x.test", image_url="https://x.test/i.svg")
    at.ask("POST", "projects/acme%2Fdocs/access_requests", "eve")
    at.ask("PUT", f"{SITE}/notification_settings", "root", level="custom", new_note=True)
    at.ask("PUT", "groups/acme/notification_settings", "root", level="watch")
    at.ask("PUT", "notification_settings", "root", level="mention", notification_email="root@example.test")


def _furnish_more(at: Session) -> None:
    board = f"{SITE}/boards/{at.ask('GET', f'{SITE}/boards', 'mia')[0]['id']}"
    at.ask("POST", f"{board}/lists", "mia", assignee_id=at.ask("GET", "user", "dev")["id"])
    at.ask("POST", f"{board}/lists", "mia", milestone_id=at.ask("GET", f"{SITE}/milestones", "dev")[0]["id"])
    at.ask("PUT", board, "mia", weight=3, labels="bug")
    at.ask("PUT", f"{SITE}/issues/5", "mia", weight=5)


def targets(platform: Platform) -> Iterator[str]:
    """Every GET about what stands within groups, projects, issues and merge requests."""
    world = platform.view
    yield from ("todos", "todos?state=done", "notification_settings", "merge_requests?scope=all", "issues?scope=all")
    for space in world.namespaces.all():
        if isinstance(space, Group):
            yield from (f"groups/{full_path(world, space).replace('/', '%2F')}/{part}" for part in OF_PLACES)
    for project in world.projects.all():
        place = f"projects/{project_path(world, project).replace('/', '%2F')}"
        yield from (f"{place}/{part}" for part in OF_PLACES)
        for sha in {note.subject[-1] for note in world.notes.where("commits_of", project.id)}:
            yield from (f"{place}/repository/commits/{sha}/{part}" for part in ("comments", "discussions"))
        for kind, parts in (("issues", OF_ISSUES), ("merge_requests", OF_MERGE_REQUESTS)):
            for one in getattr(world, kind).all():
                if one.project_id == project.id:
                    yield from (f"{place}/{kind}/{one.iid}/{part}".rstrip("/") for part in (*parts, *HISTORIES))


def answers(platform: Platform, viewers: tuple[str, ...] = VIEWERS) -> dict[tuple[str, str], tuple[int, Any]]:
    """Status and body of each answer, with names in the place of ids."""
    found, names = {}, names_of(platform.view)
    for viewer in viewers:
        token = token_of(platform.view, viewer) if viewer != NOBODY else None
        for target in targets(platform):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", f"per_page=100&{query}", headers))
            body = orjson.loads(_NOTE_IN_URL.sub("N", response.body.decode()))
            found[viewer, target] = (response.status, named(body, names))
    return found


def changed(before: Platform, after: Platform, viewers: tuple[str, ...] = VIEWERS) -> list[str]:
    """What answers otherwise."""
    return list(differences(answers(before, viewers), answers(after, viewers)))
