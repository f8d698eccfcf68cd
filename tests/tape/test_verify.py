"""A tape's requests, played again, show what differs and nothing else."""

import asyncio
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.records.transports import ask_platform
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.initial_world import InitialWorld, initial_platform
from fakeplat.tape.verify.verification import Verification, fake_tokens, required_credentials
from tests.scenario.worlds import create_platform
from tests.tape.sessions import ORIGIN, Session, as_server_tape, record_session
from tests.tape.shifted import shifted_starter

ANOTHER = "inconsistent with earlier responses"
DAY = 24 * 60 * 60 * 1000
ELSEWHERE = "http://127.0.0.1:8080"


def verify_tape(tape: Tape, platform: Platform, origin: str = ORIGIN) -> Report:
    report = Report("session.tape", tape.head.upstream, "fakeplat")
    playing = Verification(tape, ask_platform(platform), origin, fake_tokens(tape))
    return asyncio.run(playing.run(report))


def list_drifts(report: Report) -> list[str]:
    return [f"{drift.operation} {drift.status} {drift.difference}" for drift in report.drifts]


def drive_session(session: Session) -> None:
    """Reads, writes, pages, refusals and secrets; ids are used wherever the API takes them."""
    me, site = session.ask("GET", "user"), session.ask("GET", "projects/acme%2Fsite")
    own = f"projects/{site['id']}"
    session.ask("GET", f"{own}/issues?per_page=2")
    session.ask("GET", f"{own}/issues?per_page=2&page=2&assignee_id={me['id']}")
    issue = session.ask("POST", f"{own}/issues", title="New", labels="bug,fresh", assignee_ids=[me["id"]])
    session.ask("PUT", f"{own}/issues/{issue['iid']}", state_event="close")
    session.ask("GET", f"{own}/issues/{issue['iid']}")
    session.ask("GET", f"issues?author_id={me['id']}")
    session.ask("GET", f"groups/{site['namespace']['id']}?with_projects=false")
    fresh = session.ask("POST", "projects", name="Fresh one")
    milestone = session.ask("POST", f"projects/{fresh['id']}/milestones", title="M1")
    session.ask("POST", f"projects/{fresh['id']}/issues", title="Other", milestone_id=milestone["id"])
    session.ask("DELETE", f"projects/{fresh['id']}/issues/1")
    session.ask("GET", "projects?order_by=id&pagination=keyset&per_page=2")
    session.ask("GET", "user", None)
    session.ask("GET", "user", "whoever")
    session.ask("GET", f"{own}/members", "dev")
    user = session.ask(
        "POST", "users", "root", username="zoe", name="Zoe", email="zoe@x.test", password="a-long-password"
    )
    session.ask("POST", f"{own}/members", user_id=user["id"], access_level=20)
    session.ask("GET", f"{own}/members/{user['id']}")
    session.ask("GET", f"projects/{site['id'] + 999}")


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Tape:
    return record_session(create_platform("starter"), tmp_path_factory.mktemp("tape") / "session.tape", drive_session)


def test_the_fake_that_was_recorded_does_not_drift(tape: Tape) -> None:
    """A tape does not drift on a world that begins where the tape's head says."""
    assert [] == list_drifts(verify_tape(tape, initial_platform(tape)))


def test_other_ids_are_no_drift(tape: Tape) -> None:
    """A tape does not drift on an equal world with other ids."""
    platform = shifted_starter()
    before, after = (
        {p.path: p.id for p in server.view.projects.all()} for server in (create_platform("starter"), platform)
    )
    assert before.keys() == after.keys()
    assert [] == [path for path in before if before[path] == after[path]]

    assert [] == list_drifts(verify_tape(tape, platform))


def test_ids_that_the_client_knew_before_are_found_by_name(tape: Tape) -> None:
    """An id in the first request is matched by what the tape shows of it later."""
    first = next(exchange for exchange in tape if exchange.request.path.endswith("/issues"))
    turned = evolve(tape, exchanges=(first, *tape.exchanges))

    assert [] == list_drifts(verify_tape(turned, shifted_starter()))


def test_another_seed_and_another_origin_are_no_drift(tape: Tape) -> None:
    """A tape does not drift on a world with another seed and another origin."""
    assert [] == list_drifts(verify_tape(tape, create_platform("starter", seed=99), ELSEWHERE))


def test_a_tape_of_another_server_begins_in_the_world_that_it_shows(tmp_path: Path) -> None:
    """A tape of another server does not drift on the world that is built from it."""

    def everything(session: Session) -> None:
        site = session.ask("GET", "projects/acme%2Fsite")
        for word in ("members", "labels", "milestones", "issues", "merge_requests"):
            session.ask("GET", f"projects/{site['id']}/{word}")
        issue = session.ask("POST", f"projects/{site['id']}/issues", title="New", labels="bug")
        session.ask("GET", f"projects/{site['id']}/issues/{issue['iid']}")
        session.ask("PUT", f"projects/{site['id']}/issues/1", title="Renamed")

    platform = create_platform("starter")
    tape = as_server_tape(record_session(platform, tmp_path / "a.tape", everything), platform)

    assert [] == list_drifts(verify_tape(tape, initial_platform(tape)))


def drive_code_session(session: Session) -> None:
    """Commits, branches, tags and files; hashes, whole and abbreviated, wherever the API takes them."""
    own = f"projects/{session.ask('POST', 'projects', name='Code')['id']}/repository"
    actions = [{"action": "create", "file_path": "src/a.py", "content": "a = 1\n"}]
    first = session.ask("POST", f"{own}/commits", branch="master", commit_message="Begin", actions=actions)
    for name in ("2020", "topic"):
        session.ask("POST", f"{own}/branches", branch=name, ref=first["id"])
    session.ask("POST", f"{own}/tags", tag_name="1", ref=first["short_id"], message=f"After {first['short_id']}")
    session.ask("POST", f"{own}/files/src%2Fb.py", branch="topic", content="b = 2\n", commit_message="More")
    file = session.ask("GET", f"{own}/files/src%2Fa.py?ref={first['id']}")
    last = {"last_commit_id": file["last_commit_id"], "commit_message": "Other", "branch": "topic"}
    session.ask("PUT", f"{own}/files/src%2Fa.py", content="a = 3\n", **last)
    top = session.ask("GET", f"{own}/commits?ref_name=topic&with_stats=true")[0]
    session.ask("GET", f"{own}/commits?all=true")
    session.ask("GET", f"{own}/commits/{top['short_id']}")
    session.ask("GET", f"{own}/commits/{top['id'][:10]}/diff")
    session.ask("GET", f"{own}/commits/{first['id']}/refs")
    session.ask("GET", f"{own}/compare?from={first['id']}&to=topic")
    session.ask("GET", f"{own}/compare?from={first['short_id']}&to={top['short_id']}")
    session.ask("GET", f"{own}/merge_base?refs[]={first['id']}&refs[]=topic")
    session.ask("GET", f"{own}/tree?ref={top['id']}&recursive=true")
    session.ask("GET", f"{own}/blobs/{file['blob_id']}/raw")
    session.ask("GET", f"{own}/branches/2020")
    session.ask("GET", f"{own}/branches")
    session.ask("GET", f"{own}/tags/1")
    session.ask("GET", f"{own}/files/src%2Fa.py/blame?ref=topic")
    for ending in ("zip", "tar", "tar.gz", "tar.bz2"):
        session.ask("GET", f"{own}/archive.{ending}")
    session.ask("POST", f"{own}/commits/{top['id']}/revert", branch="topic")
    session.ask("GET", f"{own}/commits/{'0' * 40}")
    session.ask("DELETE", f"{own}/tags/1")


@pytest.fixture(scope="module")
def taped_code(tmp_path_factory: pytest.TempPathFactory) -> Tape:
    return record_session(
        create_platform("starter"), tmp_path_factory.mktemp("code") / "session.tape", drive_code_session
    )


def test_other_hashes_are_no_drift(taped_code: Tape) -> None:
    """A tape does not drift on a world whose new commits have other hashes."""
    platform = shifted_starter()
    platform.clock.set(platform.clock.now() + 3 * DAY)
    [failed] = [exchange for exchange in taped_code if exchange.response.status >= 400]

    assert f"/commits/{'0' * 40}" in failed.request.path
    assert [] == list_drifts(verify_tape(taped_code, platform))


@pytest.mark.parametrize(
    ("path", "change", "part"),
    [
        ("/tags/1", lambda tag: {**tag, "target": tag["commit"]["id"]}, f"$.target: {{}} {ANOTHER}"),
        ("/tags/1", lambda tag: {**tag, "message": "After 1234567"}, '$.message: "After 1234567" ≠ "After {}"'),
        ("/commits", lambda rows: rows[::-1], "$: different order"),
        ("/branches/2020", lambda branch: {**branch, "name": "2021"}, '$.name: "2021" ≠ "2020"'),
    ],
)
def test_another_hash_than_before_is_drift(taped_code: Tape, path: str, change: Any, part: str) -> None:
    """A hash that refers to another commit than before, and another order of commits, are drift."""
    platform = create_platform("starter")
    platform.clock.set(platform.clock.now() + DAY)
    changes = list_drifts(verify_tape(tamper_tape(taped_code, path, change), platform))
    before, _, after = part.partition("{}")

    assert changes
    assert [] == [line for line in changes if before not in line or after not in line]


Change = Callable[[Any], Any]


def put_values(**values: Any) -> Change:
    return lambda body: {**body, **values}


def remove_key(key: str) -> Change:
    return lambda body: {name: value for name, value in body.items() if name != key}


def tamper_tape(tape: Tape, path: str, change: Change, method: str = "GET") -> Tape:
    """The tape with another body in the last answer of a method at a path that ends so."""
    number = max(
        n
        for n, exchange in enumerate(tape)
        if exchange.request.path.endswith(path) and exchange.request.method == method
    )
    exchange = tape.exchanges[number]
    body = orjson.dumps(change(orjson.loads(exchange.response.body)))
    return replace_exchange(tape, number, evolve(exchange, response=evolve(exchange.response, body=body)))


def replace_exchange(tape: Tape, number: int, exchange: Exchange) -> Tape:
    return evolve(tape, exchanges=(*tape.exchanges[:number], exchange, *tape.exchanges[number + 1 :]))


@pytest.mark.parametrize(
    ("path", "method", "change", "expected"),
    [
        (
            "/issues/6",
            "GET",
            put_values(labels=["bug", "feature"]),
            ['get_issue 200 $.labels[1]: "feature" ≠ "fresh"'],
        ),
        ("/issues/6", "GET", put_values(confidential=True), ["get_issue 200 $.confidential: true ≠ false"]),
        (
            "/issues/6",
            "GET",
            put_values(due_date="2020-12-24"),
            ['get_issue 200 $.due_date: "2020-12-24" ≠ null, different type'],
        ),
        ("/issues/6", "GET", put_values(colour="red"), ['get_issue 200 $.colour: missing, was "red"']),
        ("/issues/6", "GET", remove_key("upvotes"), ["get_issue 200 $.upvotes: extra, 0"]),
        (
            "/issues/6",
            "GET",
            put_values(created_at="2020-11-20T08:00:00.000Z"),
            [f'get_issue 200 $.created_at: "2020-11-20T08:00:00.000Z" ≠ "2020-11-20T09:00:00.000Z", {ANOTHER}'],
        ),
        (
            "/issues/6",
            "GET",
            put_values(project_id=5002),
            [f"get_issue 200 $.project_id: 5002 ≠ 5001, {ANOTHER}"],
        ),
        (
            "/issues/6",
            "GET",
            put_values(web_url=f"{ORIGIN}/acme/other/-/issues/6"),
            [
                f'get_issue 200 $.web_url: "{ORIGIN}/acme/other/-/issues/6" ≠ "{ORIGIN}/acme/site/-/issues/6"',
            ],
        ),
        (
            "/api/v4/projects",
            "GET",
            lambda rows: rows[::-1],
            None,
        ),
    ],
)
def test_a_tampered_body_is_found_at_its_path(
    tape: Tape, path: str, method: str, change: Change, expected: list[str] | None
) -> None:
    """A change in a recorded body is one drift with its operation and JSON path."""
    wrong = list_drifts(verify_tape(tamper_tape(tape, path, change, method), initial_platform(tape)))

    if expected is None:
        assert ["list_projects 200 $: different order"] == [line.partition(",")[0] for line in wrong]
    else:
        assert expected == wrong


def test_an_id_that_means_another_record_is_found(tape: Tape) -> None:
    """An author id that refers to another known user is drift."""
    dev = next(exchange for exchange in tape if exchange.request.path.endswith("/members")).response
    other = next(member["id"] for member in orjson.loads(dev.body)) if orjson.loads(dev.body) else 1

    def change(body: Any) -> Any:
        return {**body, "author": {**body["author"], "id": other}}

    wrong = list_drifts(verify_tape(tamper_tape(tape, "/issues/6", change), initial_platform(tape)))
    assert ["$.author.id"] == [line.split(" ")[2].rstrip(":") for line in wrong]
    assert wrong[0].endswith(ANOTHER)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda r: evolve(r, status=203), 'get_project 203 status 203 ≠ "200 {'),
        (
            lambda r: set_header(r, "Content-Type", "text/html"),
            'get_project 200 content-type: "text/html" ≠ "application/json"',
        ),
        (lambda r: set_header(r, "ETag", None), "get_project 200 etag: null ≠ "),
        (lambda r: set_header(r, "X-Total", "5"), 'get_project 200 x-total: "5" ≠ null'),
        (
            lambda r: set_header(r, "Link", f'<{ORIGIN}/api/v4/projects?page=2>; rel="next"'),
            f'get_project 200 link next: "{ORIGIN}/api/v4/projects?page=2" ≠ null',
        ),
    ],
)
def test_a_tampered_status_or_header_is_found(
    tape: Tape, change: Callable[[Response], Response], expected: str
) -> None:
    """A changed status or compared header is one drift."""
    number = next(n for n, exchange in enumerate(tape) if exchange.request.path.endswith("acme%2Fsite"))
    exchange = tape.exchanges[number]
    wrong = list_drifts(
        verify_tape(
            replace_exchange(tape, number, evolve(exchange, response=change(exchange.response))), initial_platform(tape)
        )
    )

    assert 1 == len(wrong)
    assert wrong[0].startswith(expected)


def set_header(response: Response, name: str, value: str | None) -> Response:
    others = tuple(pair for pair in response.headers if pair[0].lower() != name.lower())
    return evolve(response, headers=(*others, *(((name, value),) if value else ())))


def test_other_headers_are_the_servers_own_affair(tape: Tape) -> None:
    """Headers that are not in the table are not compared."""
    number = next(n for n, exchange in enumerate(tape) if exchange.request.path.endswith("acme%2Fsite"))
    exchange = tape.exchanges[number]
    other = evolve(exchange, response=set_header(exchange.response, "X-Served-By", "web-17"))

    assert [] == list_drifts(verify_tape(replace_exchange(tape, number, other), initial_platform(tape)))


def test_a_missing_record_is_one_drift_and_the_others_are_still_compared(tape: Tape) -> None:
    """A missing row of a list is one drift, because the other rows are matched by name."""

    def one_more(rows: Any) -> Any:
        return [{**rows[0], "id": 77, "web_url": f"{ORIGIN}/x/y"}, *rows]

    wrong = list_drifts(verify_tape(tamper_tape(tape, "/api/v4/projects", one_more), initial_platform(tape)))

    assert ["list_projects 200 $[0]: missing"] == [line.partition(",")[0] for line in wrong]


def test_requests_for_a_record_that_was_not_created_are_skipped(tape: Tape) -> None:
    """Requests about a record whose creation was refused are skipped and reported as not played."""
    platform = initial_platform(tape)
    with platform.acting() as ctx:
        ada = ctx.world.users.find("username", "ada")
        assert ada is not None
        ctx.world.users.change(ada, projects_limit=0)

    wrong = list_drifts(verify_tape(tape, platform))

    assert any(line.startswith("create_project 201 status 201 ≠ ") for line in wrong)
    assert 3 == sum("not played: " in line for line in wrong)


def test_unknown_credentials_are_those_of_nobody(tape: Tape) -> None:
    """A placeholder without a known user is sent as a token that the server does not know."""
    asked: list[Request] = []
    platform = initial_platform(tape)

    async def ask(request: Request) -> Response:
        asked.append(request)
        return platform.handle(request)

    report = Report("session.tape", ORIGIN, "fakeplat")
    asyncio.run(Verification(tape, ask, ORIGIN, fake_tokens(tape)).run(report))
    sent = {request.headers.get("private-token") for request in asked}

    assert {"ada-token", "dev-token", "root-token", None} == {token for token in sent if token is None or "-" in token}
    assert 1 == len([token for token in sent if token and "-" not in token])


def test_the_vendors_name_alone_is_no_drift(tape: Tape) -> None:
    """A field with two names agrees with a response that has only one of them."""
    report = Report("", ORIGIN, "")
    playing = Verification(tape, ask_platform(create_platform("starter")), ORIGIN, {})
    recorded_, played = (
        Response(200, (), orjson.dumps(body))
        for body in ({"gravatar_enabled": True}, {"gravatar_enabled": True, "avatarservice_enabled": True})
    )

    assert [] == list(playing.comparison.compare_responses("setting", recorded_, played))
    assert [] == list(playing.comparison.compare_responses("setting", played, recorded_))
    assert [] == report.drifts


def test_an_id_of_nothing_stays_one_of_nothing(tape: Tape) -> None:
    """The id of a missing record is replaced if a record with that id exists on the verified server."""
    platform = shifted_starter()
    there = max(project.id for project in platform.view.projects.all())
    missing = tape.exchanges[-1]
    assert 404 == missing.response.status
    request = evolve(missing.request, path=f"/api/v4/projects/{there}")
    alone = evolve(tape, exchanges=(evolve(missing, request=request),))

    assert [] == list_drifts(verify_tape(alone, platform))


def test_a_session_in_a_cookie_is_that_of_its_user(tmp_path: Path) -> None:
    """A recorded session cookie is replaced by a session of the same user and does not drift."""
    platform = create_platform(
        {"extends": "starter", "users": [{"username": "ada", "tokens": [{"kind": "session", "value": "a1b2c3d4"}]}]}
    )

    def send_requests(session: Session) -> None:
        headers = {"cookie": "_gitlab_session=a1b2c3d4"}
        session.platform.handle(Request("GET", "/api/v4/user", headers=headers, origin=ORIGIN))

    tape = as_server_tape(record_session(platform, tmp_path / "a.tape", send_requests), platform)

    assert "a1b2c3d4" not in (tmp_path / "a.tape").read_text("utf-8")
    assert [] == list_drifts(verify_tape(tape, initial_platform(tape, InitialWorld("starter"))))


@pytest.mark.parametrize(
    ("user", "password", "placeholder", "people"),
    [
        ("ada", "ada-password", "password:1", {"password:1": "ada"}),
        ("oauth2", "ada-token", "pat:1", {"pat:1": "ada"}),
        ("ada", "wrong-password", "password:1", {}),
    ],
)
def test_what_git_sends_is_the_password_or_a_token_of_its_user(
    tmp_path: Path, user: str, password: str, placeholder: str, people: dict[str, str]
) -> None:
    """Basic credentials of git are verified with those of the same user; refused ones are refused again."""
    platform = create_platform({"extends": "starter"})
    basic = {"authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}

    def send_requests(session: Session) -> None:
        session.platform.handle(
            Request("GET", "/acme/site.git/info/refs", "service=git-upload-pack", basic, b"", ORIGIN)
        )

    tape = record_session(platform, tmp_path / "tape", send_requests)
    assert {"authorization": f"Basic {user}:<{placeholder}>"} == tape.exchanges[0].request.headers
    assert people == required_credentials(tape)
    assert [] == list_drifts(verify_tape(tape, initial_platform(tape)))


def test_pages_are_each_servers_own(tmp_path: Path) -> None:
    """Of HTML pages only the status and the content type are compared."""

    def send_requests(session: Session) -> None:
        session.platform.handle(Request("GET", "/acme/docs", origin=ORIGIN))

    tape = record_session(create_platform("starter"), tmp_path / "a.tape", send_requests)
    page = evolve(tape.exchanges[0], response=evolve(tape.exchanges[0].response, body=b"<html>another</html>"))

    assert [] == list_drifts(verify_tape(replace_exchange(tape, 0, page), initial_platform(tape)))
