"""What stands within projects, groups, issues and merge requests survives being crawled: comments, links and so on."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.tape.export.crawler import Crawl
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import build_scenario
from fakeplat.tape.records.transports import Ask, ask_platform
from tests.scenario.answers import ANONYMOUS
from tests.scenario.rich import RICH
from tests.scenario.rich_issues import RICH_ISSUES
from tests.scenario.rich_planning import RICH_PLANNING
from tests.scenario.test_merge_request_sections import FULL, build_merge_request_scenario
from tests.scenario.worlds import create_platform
from tests.tape.beyond import FIELDS_OF_OTHERS, LISTS_OF_OTHERS
from tests.tape.busy import SITE, VIEWERS, Busy, busy_starter, list_differences, list_targets
from tests.tape.sessions import Session, record_session
from tests.tape.test_crawl import crawl_scenario
from tests.tape.test_verify import list_drifts, verify_tape

MERGE_REQUESTS = build_merge_request_scenario(
    {**FULL, "source_branch": "readme", "target_branch": "feature", "state": "opened", "closes": ["acme/site#3"]},
    {"title": "Merged", "source_branch": "v1.0", "state": "merged", "merged_by": "mia"},
    {"title": "Of a fork that is gone", "source_branch": "x", "state": "closed", "source_project": None},
)
CLASHING: dict[str, Any] = {
    "users": [{"username": "ada", "tokens": ["ada-token"]}],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner"},
            "labels": ["bug"],
            "milestones": ["v1"],
            "projects": [
                {
                    "path": "site",
                    "labels": ["bug"],
                    "milestones": ["v1"],
                    "issues": [
                        {
                            "title": "One",
                            "weight": 1,
                            "labels": ["bug"],
                            "resource_label_events": [
                                {"user": "ada", "label": "acme~bug", "action": "add"},
                                {"user": "ada", "label": "bug", "action": "add"},
                            ],
                            "resource_milestone_events": [
                                {"user": "ada", "milestone": "acme%v1", "action": "add", "state": "opened"},
                                {"user": None, "milestone": None, "action": "remove", "state": "closed"},
                            ],
                            "resource_weight_events": [{"user": "ada", "weight": 1}],
                        }
                    ],
                }
            ],
        }
    ],
}
WORLDS: dict[str, Any] = {
    "rich": {key: value for key, value in RICH.items() if key != "settings"},
    "issues": RICH_ISSUES,
    "planning": RICH_PLANNING,
    "paid planning": {**RICH_PLANNING, "instance": {"tier": "premium"}},
    "merge requests": MERGE_REQUESTS,
    "labels of one title": {**CLASHING, "instance": {"tier": "premium"}},
}


def list_known_viewers(platform: Platform, *others: Platform) -> tuple[str, ...]:
    """The usual viewers of a world whom other worlds know, too."""
    names = [{user.username for user in server.view.users.all()} for server in (platform, *others)]
    return (*(viewer for viewer in VIEWERS if all(viewer in there for there in names)), ANONYMOUS)


def list_unexpected_differences(before: Platform, after: Platform) -> list[str]:
    """What answers otherwise, but for what is everybody's own and was not asked in their name."""
    lines = list_differences(before, after, list_known_viewers(before, after))
    return [line for line in lines if not _is_of_others(line)]


def _is_of_others(line: str) -> bool:
    """A line as ``.('ada', 'todos')[1][0].subscribed: …``."""
    viewer, target, rest = line.split("'", 4)[1], line.split("'", 4)[3], line.split("'", 4)[4].partition(":")[0]
    own = target.partition("?")[0].endswith(LISTS_OF_OTHERS) or rest.endswith(FIELDS_OF_OTHERS)
    return own and viewer != "root"


@pytest.mark.parametrize("document", WORLDS.values(), ids=[*WORLDS])
def test_nested_records_of_a_scenario_are_crawled(document: Any) -> None:
    """A crawl reads notes, emoji, events, links, boards, badges, settings and merge requests."""
    platform = create_platform(document)
    composed = crawl_scenario(platform)

    assert [] == list_unexpected_differences(platform, create_platform(composed.scenario))
    assert {} == +composed.left_out


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_what_people_did_is_read(tier: str) -> None:
    """A crawl reads threads, versions, approvals and to-dos that were created through the API."""
    platform = busy_starter(tier)
    composed = crawl_scenario(platform)
    again = create_platform(composed.scenario)

    assert [] == list_unexpected_differences(platform, again)
    assert {} == +composed.left_out
    assert ["merged", "closed"] == [
        merge_request.state for merge_request in again.view.merge_requests.all() if merge_request.state != "opened"
    ]


def test_positions_of_comments_on_differences_are_read() -> None:
    """Diff notes keep their position, line code and resolver in the crawled world."""
    platform = busy_starter()
    again = create_platform(crawl_scenario(platform).scenario)

    def lines(of: Platform) -> list[tuple[Any, ...]]:
        return [(note.body, note.position, note.line_code) for note in of.view.notes.all() if note.type == "DiffNote"]

    assert ["Why this line?", "Because"] == [body for body, *_ in lines(again)]
    assert sorted(lines(platform), key=str) == sorted(lines(again), key=str)
    assert [True] == [note.resolved_by_id is not None for note in again.view.notes.all() if note.resolved_at]


def use_everything(session: Session) -> None:
    """Reads all that there is as two people, then goes on with it."""
    for viewer in ("mia", "rep"):
        for target in list(list_targets(session.platform)):
            if not target.startswith(LISTS_OF_OTHERS):
                session.ask("GET", target, viewer)
    thread = session.ask("GET", f"{SITE}/merge_requests/5/discussions", "mia")[0]["id"]
    session.ask("POST", f"{SITE}/merge_requests/5/discussions/{thread}/notes", "dev", body="Still")
    session.ask("PUT", f"{SITE}/merge_requests/5/discussions/{thread}?resolved=true", "dev")
    note = session.ask("GET", f"{SITE}/issues/1/notes", "dev")[0]["id"]
    session.ask("POST", f"{SITE}/issues/1/notes/{note}/award_emoji", "mia", name="heart")
    link = session.ask("GET", f"{SITE}/issues/1/links", "dev")[0]["issue_link_id"]
    session.ask("DELETE", f"{SITE}/issues/1/links/{link}", "dev")
    board = session.ask("GET", f"{SITE}/boards", "mia")[0]["id"]
    session.ask("PUT", f"{SITE}/boards/{board}", "mia", name="Play")
    badge = session.ask("GET", f"{SITE}/badges", "mia")[0]["id"]
    session.ask("PUT", f"{SITE}/badges/{badge}", "mia", link_url="https://other.test")
    session.ask("PUT", f"{SITE}/merge_requests/5", "dev", title="Now")
    session.ask("POST", f"{SITE}/merge_requests/5/unapprove", "ada")
    session.ask("PUT", f"{SITE}/merge_requests/1/merge", "mia")
    for target in ("merge_requests/1", "issues/2", "issues/2/notes", "issues/2/resource_state_events"):
        session.ask("GET", f"{SITE}/{target}", "mia")


def test_a_tape_of_the_original_does_not_drift_from_the_copy(tmp_path: Path) -> None:
    """A tape of more than 200 reads and writes on the original does not drift on its crawled copy."""
    platform = busy_starter()
    copy = create_platform(crawl_scenario(platform).scenario)
    tape = record_session(platform, tmp_path / "session.tape", use_everything)

    assert len(tape) > 200
    assert [] == list_drifts(verify_tape(tape, copy))


@pytest.mark.parametrize("token", ["mia-token", "rep-token", "gus-token", "eve-token"])
def test_a_partial_view_makes_a_world(token: str) -> None:
    """A crawl with a token of few rights reports what was hidden, and its scenario loads."""
    platform = busy_starter()
    places = ["acme/site", "acme/docs"] if token != "eve-token" else ["acme/docs"]
    crawl = Crawl(ask_platform(platform), token)
    asyncio.run(crawl.read(places, []))
    secret = "Among ourselves"

    composed = prune(build_scenario(crawl.observations))
    world = create_platform(composed.scenario).view

    assert set(places) <= {f"acme/{project.path}" for project in world.projects.all()}
    assert (token in ("mia-token", "rep-token")) == any(note.body == secret for note in world.notes.all())
    assert (token == "mia-token") == ("projects/acme%2Fdocs/access_requests 403" not in crawl.skipped)
    assert token == "eve-token" or "Why?" in [note.body for note in world.notes.all()]


def test_nobody_reads_what_is_public() -> None:
    """A crawl without a token reads public projects and reports the requests that need one."""
    crawl = Crawl(ask_platform(busy_starter()), None)
    seen = asyncio.run(crawl.read(["acme/docs"], []))

    assert ["acme/docs"] == [row["path_with_namespace"] for row in seen.of_kind("project")]
    assert 2 == len(seen.of_kind("issue"))
    assert "projects/acme%2Fdocs/boards 401" in crawl.skipped


def count_requests(platform: Platform, asked: Counter[str]) -> Ask:
    async def ask(request: Request) -> Response:
        asked[request.path.removeprefix("/api/v4/")] += 1
        return platform.handle(request)

    return ask


def test_things_with_which_nothing_was_done_are_not_asked_about() -> None:
    """A crawl requests nothing but the list for issues that have no comments, votes or changes."""
    issues = [{"title": f"Issue {number}"} for number in range(300)]
    platform = create_platform({"groups": [{"path": "acme", "projects": [{"path": "site", "issues": issues}]}]})
    asked: Counter[str] = Counter()
    crawl_scenario(platform, ask=count_requests(platform, asked))

    assert 3 == asked["projects/acme%2Fsite/issues"]
    assert [] == [path for path in asked if path.startswith("projects/acme%2Fsite/issues/")]


def test_each_thing_is_asked_for_once() -> None:
    """A crawl sends each request once, eight of them for an issue with comments."""
    platform, asked = busy_starter(), Counter[str]()
    crawl_scenario(platform, ask=count_requests(platform, asked))
    inside = {path: count for path, count in asked.items() if path.startswith(f"{SITE}/")}

    assert {1} == {*inside.values()}
    assert 8 == len([path for path in inside if path.startswith(f"{SITE}/issues/3")])


def test_what_is_switched_off_is_asked_for_once() -> None:
    """A list that is refused for one issue is not requested for the other issues, and is reported."""
    platform = busy_starter()

    async def ask(request: Request) -> Response:
        refused = request.path.endswith(("/links", "/award_emoji")) and "/issues/" in request.path
        return Response(403, (), b"{}") if refused else platform.handle(request)

    crawl = Crawl(ask, "root-token")
    asyncio.run(crawl.read(["acme/site"], []))

    assert [
        f"{SITE}/issues/1/award_emoji 403",
        f"{SITE}/issues/1/links 403",
        *(path for path in crawl.skipped if "/notes/" in path),
    ] == crawl.skipped
    assert 1 == len([path for path in crawl.skipped if "/issues/1/notes/" in path])


def test_commits_of_merge_requests_whose_branches_are_gone_come_with_the_repository() -> None:
    """A merged merge request whose branch is deleted still shows its changes in the crawled world."""
    platform = busy_starter()
    session = Busy(platform)
    branches = [branch["name"] for branch in session.ask("GET", f"{SITE}/repository/branches", "dev")]
    again = Busy(create_platform(crawl_scenario(platform).scenario))

    assert "soon" not in branches
    assert ["soon-1.txt"] == [
        change["new_path"] for change in again.ask("GET", f"{SITE}/merge_requests/3/changes")["changes"]
    ]


def test_versions_whose_commits_are_gone_are_left_out_and_counted() -> None:
    """Merge request versions whose commits are missing are left out and counted."""
    platform = create_platform("starter")
    gone = "1" * 40

    async def ask(request: Request) -> Response:
        response = platform.handle(request)
        if not request.path.endswith("/merge_requests/1/versions"):
            return response
        listed = [{**version, "head_commit_sha": gone} for version in orjson.loads(response.body)]
        return Response(200, response.headers, orjson.dumps(listed))

    composed = crawl_scenario(platform, ask=ask)

    assert 1 == composed.left_out["merge request versions with missing commits"]
    assert [] == list_unexpected_differences(platform, create_platform(composed.scenario))


@pytest.mark.parametrize("named", [True, False], ids=["named", "not named"])
def test_comments_of_commits_are_found_by_the_activity(named: bool) -> None:
    """Commits with comments are found from the events, or among the newest commits if events do not name them."""
    platform, asked = busy_starter(), Counter[str]()
    count = count_requests(platform, asked)

    async def ask(request: Request) -> Response:
        response = await count(request)
        if named or not request.path.endswith("/events"):
            return response
        return Response(200, response.headers, response.body.replace(b'"commit_id"', b'"commit"'))

    composed = crawl_scenario(platform, ask=ask)
    comments = next(project for project in composed.scenario["projects"] if "commit_comments" in project)[
        "commit_comments"
    ]
    commits = len(platform.view.notes.where("commits_of", 5001))
    looked_at = [path for path in asked if path.endswith("/comments")]

    assert 8 == len(comments) == commits
    assert {"soon-1.txt"} == {comment["path"] for comment in comments if "path" in comment}
    # Without names, the newest commits come first, one of them at a merge ref.
    assert (2 if named else 5) == len(looked_at)
    assert 1 == asked[f"{SITE}/events"]


def test_places_in_commits_that_are_gone_are_counted() -> None:
    """A comment on a missing commit is kept without its position, which is counted."""
    platform = busy_starter()

    async def ask(request: Request) -> Response:
        response = platform.handle(request)
        if not request.path.endswith("/discussions"):
            return response
        other = orjson.dumps(_replace_base_sha(orjson.loads(response.body)))
        return Response(200, response.headers, other)

    composed = crawl_scenario(platform, ask=ask)
    notes = [note for note in create_platform(composed.scenario).view.notes.all() if note.type == "DiffNote"]

    assert 2 == composed.left_out["positions of comments on missing commits"]
    assert [("Why this line?", None), ("Because", None)] == [(note.body, note.position) for note in notes]


def _replace_base_sha(value: Any) -> Any:
    """The same with another hash for the commit that a position begins at."""
    if isinstance(value, list):
        return [_replace_base_sha(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: "1" * 40 if key == "base_sha" else _replace_base_sha(inner) for key, inner in value.items()}


def create_forked_platform() -> Platform:
    """A starter in which a merge request comes from a fork."""
    platform = create_platform("starter")
    session = Busy(platform)
    fork = session.ask("POST", "projects/acme%2Fdocs/fork", "eve")
    platform.settle()
    actions = [{"action": "create", "file_path": "more.md", "content": "More\n"}]
    path = f"projects/{fork['id']}"
    session.ask(
        "POST",
        f"{path}/repository/commits",
        "eve",
        branch="more",
        start_branch="master",
        commit_message="More",
        actions=actions,
    )
    target = session.ask("GET", "projects/acme%2Fdocs", "eve")["id"]
    branches = {"source_branch": "more", "target_branch": "master", "target_project_id": target}
    session.ask("POST", f"{path}/merge_requests", "eve", title="More", **branches)
    return platform


def test_merge_requests_from_forks_are_read() -> None:
    """A merge request from a fork keeps its changes, also if the fork is not crawled, which is counted."""
    platform = create_forked_platform()
    whole = crawl_scenario(platform)
    crawl = Crawl(ask_platform(platform), "root-token")
    asyncio.run(crawl.read(["acme/docs"], []))
    alone = prune(build_scenario(crawl.observations))
    seen = Session(create_platform(alone.scenario)).ask("GET", "projects/acme%2Fdocs/merge_requests/1/changes", "eve")

    assert [] == list_unexpected_differences(platform, create_platform(whole.scenario))
    assert {"source forks of merge requests": 1} == +alone.left_out
    assert (None, ["more.md"]) == (seen["source_project_id"], [change["new_path"] for change in seen["changes"]])
