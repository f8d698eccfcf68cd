import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.release import ACCEPTED_VERSIONS
from fakeplat.http.control.dispatch import ControlRoutes
from fakeplat.http.server import WorldServer
from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest
from fakeplat.workbench.options import Options
from tests.http.conftest import Ask

START = "2020-11-20T09:00:00.000Z"


def test_health_says_where_the_world_began(ask: Ask) -> None:
    """The health route shows status, release, scenario and seed."""
    got = ask("GET", "/_fakeplat/health")
    assert (200, "ok", "starter") == (got.status, got.json()["status"], got.json()["scenario"])
    assert {"status", "version", "scenario", "seed"} == got.json().keys()


def test_reset_brings_the_beginning_back(ask: Ask) -> None:
    """A reset removes what was written and clears the journal."""
    ask("POST", "/api/v4/projects", {"name": "New"}, Private_Token="ada-token", Content_Type="application/json")
    assert 204 == ask("POST", "/_fakeplat/reset").status
    assert [] == ask("GET", "/_fakeplat/requests").json()
    assert 404 == ask("GET", "/api/v4/projects/ada%2Fnew", Private_Token="ada-token").status


def test_snapshots_are_named_restored_and_dropped(ask: Ask) -> None:
    """A snapshot can be created by name, restored, listed and deleted."""
    assert 201 == ask("POST", "/_fakeplat/snapshots/before").status
    ask("POST", "/api/v4/projects/acme%2Fdocs/star", Private_Token="ada-token")
    assert 1 == ask("GET", "/api/v4/projects/acme%2Fdocs").json()["star_count"]
    assert 204 == ask("POST", "/_fakeplat/snapshots/before/restore").status
    assert 0 == ask("GET", "/api/v4/projects/acme%2Fdocs").json()["star_count"]
    assert ["before"] == [snapshot["name"] for snapshot in ask("GET", "/_fakeplat/snapshots").json()]
    assert 204 == ask("DELETE", "/_fakeplat/snapshots/before").status
    assert 404 == ask("POST", "/_fakeplat/snapshots/before/restore").status


def test_a_snapshot_without_a_name_replaces_no_other(ask: Ask) -> None:
    """A snapshot without a name gets the first unused number; a name that is not a text is refused."""
    assert ["snapshot-1", "snapshot-2"] == [ask("POST", "/_fakeplat/snapshots").json()["name"] for _ in range(2)]
    ask("DELETE", "/_fakeplat/snapshots/snapshot-1")
    assert ["snapshot-1", "snapshot-3"] == [ask("POST", "/_fakeplat/snapshots").json()["name"] for _ in range(2)]
    refused = ask("POST", "/_fakeplat/snapshots", {"name": 3})
    assert (400, {"error": "'name' must be text, not 3"}) == (refused.status, refused.json())


def test_worlds_are_isolated_and_have_ports_of_their_own(ask: Ask) -> None:
    """A new world has its own port and records, and does not answer after it is deleted."""
    created = ask("POST", "/_fakeplat/worlds", {"scenario": "empty", "seed": 3, "instance": {"tier": "premium"}}).json()
    assert {"id", "url", "root_token"} == created.keys()
    assert 404 == ask("GET", "/api/v4/projects/acme%2Fdocs", url=created["url"]).status
    assert 200 == ask("GET", "/api/v4/user", url=created["url"], Private_Token=created["root_token"]).status
    assert created["id"] in [row["id"] for row in ask("GET", "/_fakeplat/worlds").json()]
    assert 204 == ask("DELETE", f"/_fakeplat/worlds/{created['id']}").status
    with pytest.raises(ConnectionRefusedError):
        ask("GET", "/api/v4/version", url=created["url"])


NO_CLOCK_TIME = "must be a time in the years 1000 to 8999, such as 2020-11-20T09:00:00Z"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"scenario": 5}, "scenario: 5 is not a name or an object"),
        ({"clock": 5}, "clock: 5 is not a name or an object"),
        ({"instance": 5}, "instance: 5 is not an object"),
        (
            {"instance": {"version": 13.10}},
            f"instance: version must be {ACCEPTED_VERSIONS}, not 13.1: write it as text",
        ),
        ({"seed": "x"}, "seed: 'x' is not a whole number"),
        ({"clock": {"start": "9999-12-31T23:59:58Z"}}, "clock: the clock ends at 9000-01-01T00:00:00.000Z"),
        ({"clock": {"start": "0999-12-31T23:59:58Z"}}, "clock: the clock starts at 1000-01-01T00:00:00.000Z"),
        *(
            (
                {"clock": {"tick": tick}},
                "clock: tick must be between 0 and 94608000000000 ms, or a duration such as 1h30m",
            )
            for tick in (-1, 10**18)
        ),
        (
            {"instance": {"throttle": {"requests": 5, "period": "0s"}}},
            "$.instance.throttle.period: must be a duration of at least a second, such as 1m, not '0s'",
        ),
        (
            {"scenario": {"clock": {"start": "9999-12-31T23:59:58Z"}}},
            f"$.clock.start: {NO_CLOCK_TIME}, not '9999-12-31T23:59:58Z'",
        ),
        ({"base_url": 5}, "base_url: 5 is not an origin, such as https://git.example.test"),
        (
            {"base_url": "javascript:alert(1)"},
            "base_url: 'javascript:alert(1)' is not an origin, such as https://git.example.test",
        ),
        (
            {"base_url": "http://a\r\nX: y"},
            "base_url: 'http://a\\r\\nX: y' is not an origin, such as https://git.example.test",
        ),
    ],
)
def test_a_world_is_not_opened_with_what_cannot_be(ask: Ask, body: dict[str, Any], error: str) -> None:
    """A world with an invalid option is refused with an error that names the option."""
    answer = ask("POST", "/_fakeplat/worlds", body)
    assert (400, {"error": error}) == (answer.status, answer.json())


@pytest.mark.parametrize("is_extended", [False, True])
def test_a_file_that_is_no_scenario_is_not_read(ask: Ask, tmp_path: Path, is_extended: bool) -> None:
    """A scenario with another ending than those of scenarios is refused and not read."""
    file = tmp_path / "secrets.txt"
    file.write_text("secret\n", "utf-8")
    reference = str(file)
    answer = ask("POST", "/_fakeplat/worlds", {"scenario": {"extends": reference} if is_extended else reference})
    location = f"{file}: $.extends" if is_extended else str(file)
    text = f"{location}: is no scenario: its name must end in .yaml, .yml, .json"
    assert (400, {"error": text}) == (answer.status, answer.json())


def test_a_name_that_no_file_can_have_is_refused(ask: Ask) -> None:
    """A scenario's name of 5,000 characters gets 400."""
    assert 400 == ask("POST", "/_fakeplat/worlds", {"scenario": "x" * 5000}).status


def test_a_world_with_a_base_url_says_where_it_listens(ask: Ask) -> None:
    """A world with a base URL uses it in its responses and shows where it listens as `listen_url`."""
    created = ask("POST", "/_fakeplat/worlds", {"base_url": "https://git.example.test/"}).json()
    assert "https://git.example.test" == created["url"]
    project = ask("GET", "/api/v4/projects/acme%2Fdocs", url=created["listen_url"]).json()
    assert "https://git.example.test/acme/docs" == project["web_url"]
    ask("DELETE", f"/_fakeplat/worlds/{created['id']}")


@pytest.mark.parametrize("kind", ["real", "virtual", "auto"])
def test_the_clock_has_an_end(ask: Ask, kind: str) -> None:
    """Moving the clock beyond its end is refused, and a reset restores its start, for every kind of clock."""
    url = ask("POST", "/_fakeplat/worlds", {"clock": {"kind": kind, "start": START}}).json()["url"]
    late = ask("POST", "/_fakeplat/clock", {"now": "9999-12-31T23:59:58Z"}, url=url)
    assert (400, {"error": "the clock ends at 9000-01-01T00:00:00.000Z"}) == (late.status, late.json())
    ask("POST", "/_fakeplat/clock", {"now": "8999-12-31T23:59:00Z"}, url=url)
    assert 400 == ask("POST", "/_fakeplat/clock", {"advance": "5m"}, url=url).status
    assert 201 == ask("POST", "/api/v4/projects/acme%2Fsite/star", url=url, Private_Token="ada-token").status
    assert 204 == ask("POST", "/_fakeplat/reset", url=url).status
    assert "2020-11-20" == ask("GET", "/_fakeplat/clock", url=url).json()["now"][:10]


def test_a_world_is_opened_with_a_clock(ask: Ask) -> None:
    """A world can be opened with a kind and start of its clock."""
    created = ask("POST", "/_fakeplat/worlds", {"clock": {"kind": "virtual", "start": "2021-01-01T00:00:00Z"}}).json()
    assert {"now": "2021-01-01T00:00:00.000Z", "kind": "virtual"} == ask(
        "GET", "/_fakeplat/clock", url=created["url"]
    ).json()
    ask("DELETE", f"/_fakeplat/worlds/{created['id']}")


@pytest.mark.fakeplat(clock="virtual")
def test_the_clock_is_read_and_advanced(ask: Ask) -> None:
    """The clock can be advanced by a duration or to a later time, and other values are refused."""
    assert START == ask("GET", "/_fakeplat/clock").json()["now"]
    assert "2020-11-20T10:30:00.000Z" == ask("POST", "/_fakeplat/clock", {"advance": "1h30m"}).json()["now"]
    assert "2020-11-21T00:00:00.000Z" == ask("POST", "/_fakeplat/clock", {"now": "2020-11-21"}).json()["now"]
    for wrong in ({"now": "2020-11-20"}, {"advance": "soon"}, {"advance": -5}, {}, {"now": "x", "advance": "1s"}):
        assert 400 == ask("POST", "/_fakeplat/clock", wrong).status
    assert "2020-11-21T00:00:00.000Z" == ask("GET", "/_fakeplat/clock").json()["now"]


@pytest.mark.fakeplat(tier="premium", clock="virtual")
def test_settling_does_all_that_is_due(ask: Ask) -> None:
    """Settling deletes a project that is marked for deletion and advances the clock by seven days."""
    ask("DELETE", "/api/v4/projects/acme%2Fsite", Private_Token="ada-token")
    assert "2020-11-27T09:00:00.000Z" == ask("POST", "/_fakeplat/settle").json()["now"]
    assert 404 == ask("GET", "/api/v4/projects/acme%2Fsite", Private_Token="ada-token").status


def test_the_journal_is_filtered_and_keeps_no_secret(ask: Ask) -> None:
    """The journal can be filtered, and masks tokens, passwords and keys."""
    ask("GET", "/api/v4/user?private_token=ada-token&x=1&access_token=no&password=p&secret=s&key=k&job_token=j&token=t")
    ask("GET", "/api/v4/projects/1", Private_Token="dev-token")
    first, second = ask("GET", "/_fakeplat/requests").json()
    stars = "&".join(f"{name}=***" for name in ("access_token", "password", "secret", "key", "job_token", "token"))
    assert f"/api/v4/user?private_token=***&x=1&{stars}" == first["path"]
    wanted = ("GET", "get_project", "dev", "personal", 404, "no project has the id 1; 1 is an id among the users")
    assert wanted == tuple(second[key] for key in ("method", "operation", "user", "credential", "status", "reason"))
    assert [second] == ask("GET", "/_fakeplat/requests?status=404&user=dev&operation=get_project").json()
    assert 204 == ask("DELETE", "/_fakeplat/requests").status
    assert [] == ask("GET", "/_fakeplat/requests").json()


def test_deliveries_are_listed_and_made_again(ask: Ask, fakeplat: Any) -> None:
    """Deliveries are listed with all fields, filtered, repeated and cleared."""
    url = f"{fakeplat.url.replace('//', '//me:secret@')}/api/v4/version"
    with fakeplat.bench.platform.acting() as ctx:
        ctx.send(OutgoingRequest(("hook", 7), "push_hooks", url, b'{"ref":"r"}', {"X-Gitlab-Event": "Push Hook"}))
        ctx.send(OutgoingRequest(("service", 3), "note_hooks", "https://chat.example.test/", b"a=b"))
    fakeplat.hooks.join()
    first, second = ask("GET", "/_fakeplat/deliveries").json()
    sent = ("id", "receiver", "trigger", "method", "url", "headers", "body", "json", "attempt", "time")
    assert [
        1,
        {"kind": "hook", "id": 7},
        "push_hooks",
        "POST",
        url.replace("me:secret", "*****:*****"),
        {"X-Gitlab-Event": "Push Hook"},
        '{"ref":"r"}',
        {"ref": "r"},
        1,
        "2020-11-20T09:00:00.000Z",
    ] == [first[key] for key in sent]
    assert ("delivered", None, 405) == (first["state"], first["error"], first["status"])
    assert {"error": "405 Not Allowed"} == json.loads(first["response_body"])
    refused = "nothing is sent to other machines; --allow-egress allows it"
    assert ("held_back", refused, None, None) == tuple(second[key] for key in ("state", "error", "json", "duration"))
    for query in ("receiver=service:3", "trigger=note", "state=held_back", "url=chat.example"):
        assert [second] == ask("GET", f"/_fakeplat/deliveries?{query}").json()
    again = ask("POST", "/_fakeplat/deliveries/2/redeliver")
    assert (201, 3, 2, "held_back") == (again.status, *[again.json()[key] for key in ("id", "attempt", "state")])
    assert 204 == ask("DELETE", "/_fakeplat/deliveries").status
    assert [] == ask("GET", "/_fakeplat/deliveries").json()


def test_mails_are_listed(ask: Ask, fakeplat: Any) -> None:
    """Mails are listed, filtered by recipient and by a part of the subject, and cleared."""
    with fakeplat.bench.platform.acting() as ctx:
        ctx.send(OutgoingMail("ada@example.test", "Re: site | Broken link (#1)", "Hello", {"X-Id": "1"}, "mentioned"))
        ctx.send(OutgoingMail("mia@example.test", "Confirmation instructions", "Welcome"))
    first, second = ask("GET", "/_fakeplat/mails").json()
    assert {
        "id": 1,
        "to": "ada@example.test",
        "subject": "Re: site | Broken link (#1)",
        "headers": {"X-Id": "1"},
        "body": "Hello",
        "html": "",
        "reason": "mentioned",
        "time": "2020-11-20T09:00:00.000Z",
    } == first
    assert [first] == ask("GET", "/_fakeplat/mails?to=ada%40example.test").json()
    assert [second] == ask("GET", "/_fakeplat/mails?subject=Confirmation").json()
    assert 204 == ask("DELETE", "/_fakeplat/mails").status
    assert [] == ask("GET", "/_fakeplat/mails").json()


@pytest.mark.parametrize("kind", ["personal", "oauth", "impersonation", "session", "job", "project"])
def test_a_token_of_any_kind_is_minted(ask: Ask, kind: str) -> None:
    """A token of any kind can be created, job and project tokens for a project."""
    response = ask("POST", "/_fakeplat/tokens", {"user": "dev", "kind": kind, "project": "acme/site"})
    assert 201 == response.status
    value = response.json()["token"]
    how = {"session": {"Cookie": f"_gitlab_session={value}"}, "job": {"Job_Token": value}}
    got = ask("GET", "/api/v4/user", **how.get(kind, {"Authorization": f"Bearer {value}"}))
    assert (401 if kind == "job" else 200) == got.status
    if kind not in ("job", "project"):
        assert "dev" == got.json()["username"]


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "part"),
    [
        ("POST", "/_fakeplat/tokens", {"user": "nobody"}, 400, "there is no user 'nobody'"),
        ("POST", "/_fakeplat/tokens", {"usr": "ada"}, 400, "did you mean user?"),
        ("POST", "/_fakeplat/tokens", {"user": "ada", "kind": "magic"}, 400, "there is no kind of token 'magic'"),
        ("POST", "/_fakeplat/worlds", {"scenario": "startr"}, 400, "starter"),
        ("POST", "/_fakeplat/worlds", {"instance": {"teir": "free"}}, 400, "did you mean tier?"),
        ("POST", "/_fakeplat/worlds", {"instance": {"tier": "gold"}}, 400, "tier"),
        ("POST", "/_fakeplat/worlds", b"{", 400, "not JSON"),
        ("GET", "/_fakeplat/requests?stauts=404", None, 400, "did you mean status?"),
        ("GET", "/_fakeplat/nothing", None, 404, "no control route"),
        ("GET", "/_fakeplat/mails?two=ada", None, 400, "did you mean to?"),
        ("GET", "/_fakeplat/deliveries?trigger=psuh", None, 400, "did you mean push_hooks?"),
        ("GET", "/_fakeplat/deliveries?state=lost", None, 400, "use one of pending"),
        ("POST", "/_fakeplat/deliveries/7/redeliver", None, 404, "no delivery '7'"),
        ("POST", "/_fakeplat/deliveries/x/redeliver", None, 404, "no delivery 'x'"),
        ("GET", "/_fakeplat/requests?operation=get_projct", None, 400, "did you mean get_project?"),
        ("GET", "/_fakeplat/requests?status=teapot", None, 400, "not a number"),
        ("GET", "/_fakeplat/faults/1", None, 404, "no fault '1'"),
        ("GET", "/_fakeplat/diff", None, 400, "'since' is missing"),
        ("GET", "/_fakeplat/diff?since=never", None, 404, "no snapshot 'never'"),
        ("GET", "/_fakeplat/worlds/999999", None, 404, "no world '999999'"),
        ("PUT", "/_fakeplat/reset", None, 405, "supports POST"),
    ],
)
def test_a_wrong_control_request_says_what_is_wrong(
    ask: Ask, method: str, target: str, body: Any, status: int, part: str
) -> None:
    """A wrong control request gets an error text, which names the closest known key."""
    got = ask(method, target, body)
    assert (status, ["error"]) == (got.status, list(got.json()))
    assert part in got.json()["error"]


def test_pages_of_other_sites_reach_no_control_route(ask: Ask) -> None:
    """A control route refuses a request with a foreign Origin."""
    assert 403 == ask("POST", "/_fakeplat/reset", Origin="http://evil.test").status


def get_control_status(key: str | None, peer: str, host: str, **headers: str) -> int:
    bench = Options(scenario="empty").bench()
    request = Request("GET", "/_fakeplat/health", headers={"host": host, **headers}, peer=peer)
    return asyncio.run(ControlRoutes(WorldServer(key=key), bench)(request)).status


@pytest.mark.parametrize(
    ("key", "peer", "host", "sent", "status"),
    [
        (None, "127.0.0.1", "localhost", None, 200),
        (None, "127.8.8.8", "127.0.0.1:80", None, 200),
        (None, "192.0.2.1", "localhost", None, 403),
        (None, "127.0.0.1", "code.example.test", None, 403),
        ("k", "127.0.0.1", "localhost", None, 403),
        ("k", "127.0.0.1", "localhost", "wrong", 403),
        ("k", "192.0.2.1", "code.example.test", "k", 200),
    ],
)
def test_control_routes_are_for_this_machine_or_for_who_has_the_key(
    key: str | None, peer: str, host: str, sent: str | None, status: int
) -> None:
    """Control routes require a loopback peer and Host, or the key if there is one."""
    assert status == get_control_status(key, peer, host, **({"x-fakeplat-key": sent} if sent else {}))


def test_the_world_is_exported_as_a_scenario(ask: Ask) -> None:
    """The scenario that the control API exports can be loaded again."""
    exported = ask("GET", "/_fakeplat/scenario").json()
    assert "ada" in [user["username"] for user in exported["users"]]
    assert 201 == ask("POST", "/_fakeplat/worlds", {"scenario": exported}).status


def test_openapi_and_coverage_name_every_built_operation(ask: Ask) -> None:
    """OpenAPI describes the implemented operations of the release, which are those of the coverage table."""
    document = ask("GET", "/_fakeplat/openapi.json").json()
    named = {operation["operationId"] for path in document["paths"].values() for operation in path.values()}
    rows = ask("GET", "/_fakeplat/coverage").json()
    built = {row["operation"] for row in rows if row["state"] in ("built", "ours")}
    later = {operation.name for operation in OPERATIONS if operation.since}
    assert {name for name in named if not name.startswith("fakeplat_")} == built - later
    states = {row["operation"]: (row["state"], row["releases"]) for row in rows}
    assert ("left out", "") == states["delete_sidekiq_queue_jobs"]
    assert ("not built", "until 18.9 at the latest") == states["get_analytics_series"]
    assert ("built", "since 14.5") == states["list_topics"]
    assert ("built", "until 16.0") == states["lint_ci_config"]


def test_outcomes_of_jobs_are_replaced(ask: Ask) -> None:
    """The outcomes of jobs are replaced by a list or a single declaration, and a wrong one changes nothing."""
    several = [{"job": "test:*", "outcome": "failed"}, {"project": "acme/site", "attempts": ["failed", "success"]}]
    assert several == ask("PUT", "/_fakeplat/pipelines", several).json()
    reply = ask("PUT", "/_fakeplat/pipelines", {"job": "x", "outcome": "faild"})
    assert (400, "pipelines: $[0].outcome: unknown value 'faild', did you mean 'failed'?") == (
        reply.status,
        reply.json()["error"],
    )
    assert several == ask("GET", "/_fakeplat/pipelines").json()
    assert [{"job": "x", "after": "30000ms"}] == ask("PUT", "/_fakeplat/pipelines", {"job": "x", "after": "30s"}).json()
    assert [] == ask("PUT", "/_fakeplat/pipelines", []).json()
