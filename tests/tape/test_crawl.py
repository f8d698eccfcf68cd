"""A live server's API, read page by page, becomes a scenario in which every GET answers the same, ids apart."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.people import Group
from fakeplat.platform import Platform
from fakeplat.tape.export.crawler import ApiRefused, Crawl
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.records.transports import Ask, ask_platform
from tests.scenario.answers import ANONYMOUS, collect_responses, compare_values
from tests.scenario.rich import RICH
from tests.scenario.rich_issues import RICH_ISSUES
from tests.scenario.worlds import create_platform
from tests.tape.beyond import FIELDS_OF_OTHERS, OPERATIONS_NOT_READ

WITHOUT_SETTINGS = {key: value for key, value in RICH.items() if key != "settings"}
EVERYBODY = ("list_users", "list_namespaces", "list_personal_access_tokens", "get_application_statistics")
"""Lists and counts of people and of their tokens; a crawl knows those whom its projects and groups name."""

FETCHES: Final = ("get_project_statistics", "download_project_snapshot")
"""Counts of fetches, to which a crawl itself adds, and archives that depend on how objects are stored."""

NOON = "Fri, 20 Nov 2020 12:00:00 GMT"
NOT_SHOWN = ("runners_token", *FIELDS_OF_OTHERS)
"""Secrets, and what only others are shown about themselves."""

OWN_SETTINGS = tuple(f"get_{where}notification_settings" for where in ("", "project_", "group_"))
"""What everybody is told of their own."""


def list_paths(platform: Platform) -> tuple[list[str], list[str]]:
    world = platform.view
    spaces = [full_path(world, space) for space in world.namespaces.all() if isinstance(space, Group)]
    return [project_path(world, project) for project in world.projects.all()], spaces


def crawl_scenario(platform: Platform, token: str | None = "root-token", *, ask: Ask | None = None) -> BuiltScenario:
    crawl = Crawl(ask or ask_platform(platform), token)
    seen = asyncio.run(crawl.read(*list_paths(platform)))
    return prune(build_scenario(seen, to_iso(platform.clock.now())))


def list_changes(before: Platform, after: Platform, viewers: Iterable[str]) -> list[str]:
    """What answers otherwise to the questions that both worlds know."""
    lines = list[str]()
    for viewer in viewers:
        beyond = {*EVERYBODY, *FETCHES, *OPERATIONS_NOT_READ, *OWN_SETTINGS}
        answered = {q: a for q, a in collect_responses(after, (viewer,)).items() if q.operation not in beyond}
        asked = {q: a for q, a in collect_responses(before, (viewer,)).items() if q in answered}
        lines += [
            line for line in compare_values(asked, answered) if not any(f".{name}:" in line for name in NOT_SHOWN)
        ]
    return lines


@pytest.mark.parametrize("document", ["starter", WITHOUT_SETTINGS, RICH_ISSUES], ids=["starter", "rich", "rich issues"])
def test_a_crawled_world_answers_as_the_server_did(document: Any) -> None:
    """A world loaded from a crawl by an administrator answers as the crawled server."""
    platform = create_platform(document)
    composed = crawl_scenario(platform)

    assert [] == list_changes(platform, create_platform(composed.scenario), ("root", "ada", "dev", ANONYMOUS))
    assert {} == +composed.left_out


@pytest.mark.parametrize("tier", ["premium", "ultimate"])
def test_the_tier_is_told_from_the_fields_that_only_it_shows(tier: str) -> None:
    """A crawl infers the tier of a server from the fields that only that tier shows."""
    platform = create_platform({**RICH_ISSUES, "instance": {"tier": tier}})

    assert tier == crawl_scenario(platform).scenario["instance"]["tier"]


def test_a_member_reads_what_a_member_sees_and_addresses_are_made_up() -> None:
    """A crawl without an administrator's token replaces hidden email addresses, and its scenario loads."""
    platform = create_platform(
        {**RICH_ISSUES, "users": [{"username": "ada", "email": "hidden@else.where"}, "dev", "gus", "eve"]}
    )
    crawled_scenario = crawl_scenario(platform, "dev-token").scenario

    assert "ada@example.test" == next(user["email"] for user in crawled_scenario["users"] if user["username"] == "ada")
    assert "hidden@else.where" not in str(crawled_scenario)
    assert [] == list_changes(platform, create_platform(crawled_scenario), [])


def test_all_pages_are_read() -> None:
    """A crawl reads all 250 issues of a list that has three pages."""
    platform = create_platform(
        {"groups": [{"path": "acme", "projects": ["site"]}], "generate": [{"into": "acme/site", "issues": 250}]}
    )

    assert list(range(1, 251)) == sorted(
        issue["iid"] for issue in crawl_scenario(platform).scenario["projects"][0]["issues"]
    )


def test_no_secret_is_written() -> None:
    """A crawled scenario contains neither the token of the crawl nor runners tokens."""
    platform = create_platform("starter")
    text = orjson.dumps(crawl_scenario(platform).scenario).decode()
    runners = [project.runners_token for project in platform.view.projects.all()]

    assert all(runners)
    assert [] == [secret for secret in (*runners, "root-token") if secret in text]


def test_what_is_crawled_passes_the_check(tmp_path: Path) -> None:
    """A crawled scenario, written to a file, passes the check without a mistake."""
    file = tmp_path / "crawled.json"
    file.write_bytes(orjson.dumps(crawl_scenario(create_platform(WITHOUT_SETTINGS)).scenario))

    assert [] == scenario.check_file(file)


def test_a_server_that_asks_to_wait_is_waited_for() -> None:
    """After 429 a crawl waits as long as Retry-After says and repeats the request."""
    platform, pauses, refused = create_platform("starter"), [], []

    async def ask(request: Request) -> Response:
        if request.path not in refused:
            refused.append(request.path)
            return Response(429, (("Retry-After", "7"),))
        return platform.handle(request)

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    crawl = Crawl(ask, "root-token", pause=pause)
    seen = asyncio.run(crawl.read(["acme/site"], []))

    assert {7.0} == {*pauses}
    assert len(refused) == len(pauses)
    assert "acme/site" in [row["path_with_namespace"] for row in seen.of_kind("project")]


@pytest.mark.parametrize(
    ("project", "token", "text"),
    [
        ("acme/nothing", "root-token", "no project acme/nothing (404)"),
        ("acme/site", "wrong", "the token is not accepted (401)"),
        ("acme/site", None, "no project acme/site (404)"),
    ],
)
def test_an_unreadable_server_is_reported_in_one_line(project: str, token: str | None, text: str) -> None:
    """A project that is missing or hidden from the token is reported in one line."""
    crawl = Crawl(ask_platform(create_platform("starter")), token)

    with pytest.raises(ApiRefused) as refused:
        asyncio.run(crawl.read([project], []))
    assert text == str(refused.value)


def test_what_the_scenario_cannot_say_is_counted() -> None:
    """A crawl counts fields without a key, unsupported values and values that break a rule of the platform."""
    platform = create_platform(
        {"groups": [{"path": "acme", "visibility": "public", "projects": [{"path": "site", "visibility": "public"}]}]}
    )
    strange = {
        "/api/v4/projects/acme%2Fsite": {"weather": "fine", "ci_default_git_depth": "much"},
        "/api/v4/groups/acme": {"visibility": "private"},
    }

    async def ask(request: Request) -> Response:
        response = platform.handle(request)
        more = strange.get(request.path, {})
        return Response(200, response.headers, orjson.dumps(orjson.loads(response.body) | more)) if more else response

    seen = asyncio.run(Crawl(ask, "root-token").read(["acme/site"], []))
    composed = prune(build_scenario(seen))

    counted = {what.partition(":")[0]: count for what, count in composed.left_out.items()}
    assert {"project weather": 1, "project ci_default_git_depth": 1, "projects.visibility": 1} == counted
    assert "visibility" not in composed.scenario["projects"][0]


@pytest.mark.parametrize(
    ("date", "clock", "expected"),
    [
        (NOON, Response(404), "2020-11-20T12:00:00+00:00"),
        (NOON, Response(200, (), b'{"now": "2019-01-01T00:00:00.000Z"}'), "2019-01-01T00:00:00.000Z"),
        (NOON, Response(200, (), b"a page"), "2020-11-20T12:00:00+00:00"),
        ("not long ago", Response(404), None),
        (None, Response(404), None),
    ],
)
def test_the_time_of_a_server(date: str | None, clock: Response, expected: str | None) -> None:
    """A crawl takes the time from the clock of a fakeplat, or else from the Date header of the first response."""

    async def ask(request: Request) -> Response:
        return clock if request.path == "/_fakeplat/clock" else Response(200, (("Date", date),) if date else (), b"{}")

    async def asked() -> str | None:
        crawl = Crawl(ask, None)
        await crawl.page("version", "")
        return await crawl.time()

    assert expected == asyncio.run(asked())
