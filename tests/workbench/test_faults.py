from typing import Any

import pytest

from fakeplat.domain.projects import projects
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.keywords import InvalidOption
from tests.api.requests import outcome

ISSUES = "projects/acme%2Fsite/issues"


def create_issue(fakeplat: Fakeplat, who: str = "ada") -> int:
    return fakeplat.as_user(who).post(ISSUES, json={"title": "x"}).status


@pytest.mark.parametrize(
    ("when", "hit"),
    [
        ({}, "FFFFF"),
        ({"once": True}, "F...."),
        ({"nth": 3}, "..F.."),
        ({"nth": 3, "once": False}, "..FFF"),
        ({"chance": 0}, "....."),
        ({"chance": 1}, "FFFFF"),
        ({"chance": 1, "once": True}, "F...."),
    ],
)
def test_when_a_fault_happens(fakeplat: Fakeplat, when: dict[str, Any], hit: str) -> None:
    """A fault applies always, once, at or from the nth request, or with a probability."""
    fakeplat.faults.add(operation="create_issue", status=500, **when)
    assert hit == "".join("F" if create_issue(fakeplat) == 500 else "." for _ in range(5))


def test_chance_comes_from_the_seed(fakeplat_factory: Any) -> None:
    """Random faults hit the same requests for the same seed, and other requests for another seed."""

    def hits(seed: int) -> list[int]:
        fake = fakeplat_factory(seed=seed)
        fake.faults.add(path="version", status=503, chance=0.3)
        return [number for number in range(100) if fake.as_user("ada").get("version").status == 503]

    assert hits(7) == hits(7)
    assert hits(7) != hits(8)
    assert 15 <= len(hits(7)) <= 45


@pytest.mark.parametrize(
    ("where", "hit"),
    [
        ({"operation": "get_project"}, "project"),
        ({"path": "projects/*"}, "project issues"),
        ({"path": "projects/acme/site*"}, "project issues"),
        ({"path": "projects/acme%2Fsite"}, "project"),
        ({"path": "projects/acme%2fsite"}, "project"),
        ({"path": "/api/v4/*"}, "project issues user"),
        ({"path": "/api/*", "method": "post"}, "user"),
        ({"method": "GET"}, "project issues"),
        ({}, "project issues user"),
    ],
)
def test_where_a_fault_happens(fakeplat: Fakeplat, where: dict[str, Any], hit: str) -> None:
    """A fault selects requests by operation, path glob or method, or all requests."""
    fakeplat.faults.add(where, status=500)
    ada = fakeplat.as_user("ada")
    statuses = {
        "project": ada.get("projects/acme%2Fsite").status,
        "issues": ada.get(ISSUES).status,
        "user": ada.post("projects", json={"name": "Fresh"}).status,
    }
    assert hit.split() == [name for name, status in statuses.items() if status == 500]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 412, 413, 418, 422, 429, 500, 502, 503, 504, 507])
def test_a_status_comes_instead_of_a_success_and_nothing_is_done(fakeplat: Fakeplat, status: int) -> None:
    """A status fault replaces a success without changing the world, and the journal names it."""
    before = fakeplat.bench.platform.state
    fakeplat.faults.add(path="projects/*", status=status)
    assert status == create_issue(fakeplat)
    assert status == fakeplat.as_user("ada").get("projects/acme%2Fsite").status
    assert before is fakeplat.bench.platform.state
    entry = fakeplat.requests[0]
    recorded = (entry.operation, entry.user, entry.status, entry.reason, entry.fault)
    assert ("create_issue", "ada", status, f"fault 1: status {status}", f"fault 1: status {status}") == recorded


@pytest.mark.parametrize(
    ("status", "text"),
    [(401, "401 Unauthorized"), (403, "403 Forbidden"), (404, "404 Not Found"), (405, "405 Method Not Allowed")],
)
def test_a_refusal_has_the_body_of_the_platform(fakeplat: Fakeplat, status: int, text: str) -> None:
    """A status fault has the body of the platform's own refusal with that status."""
    fakeplat.faults.add(operation="create_issue", status=status)

    assert (status, {"message": text}) == outcome(fakeplat.as_user("ada").post(ISSUES, json={"title": "x"}))


@pytest.mark.parametrize(
    ("fault", "content_type", "body"),
    [
        ({"status": 413}, "application/json", b'{"message":"413 Request Entity Too Large"}'),
        ({"status": 503, "body": "busy"}, "text/plain; charset=utf-8", b"busy"),
        ({"status": 500, "body": {"message": "no"}}, "application/json", b'{"message":"no"}'),
        ({"status": 200, "body": [1], "content_type": "text/html"}, "text/html", b"[1]"),
    ],
)
def test_a_body_of_ones_own(fakeplat: Fakeplat, fault: dict[str, Any], content_type: str, body: bytes) -> None:
    """The body of a fault is sent as it is if it is text, and otherwise as JSON."""
    fakeplat.faults.add(fault, operation="create_issue")
    reply = fakeplat.as_user("ada").post(ISSUES, json={"title": "x"})
    assert (fault["status"], content_type, body) == (reply.status, reply.headers["Content-Type"], reply.content)


def test_a_fault_that_applies_a_few_times(fakeplat: Fakeplat) -> None:
    """A fault with `times` applies that often, from the nth request if `nth` is given."""
    fakeplat.faults.add(operation="create_issue", status=500, times=2)
    assert [500, 500, 201] == [create_issue(fakeplat) for _ in range(3)]
    fakeplat.faults.clear()
    fakeplat.faults.add(operation="create_issue", status=500, nth=2, times=2)
    assert [201, 500, 500, 201] == [create_issue(fakeplat) for _ in range(4)]


def test_an_answer_that_was_kept_is_struck_too(fakeplat: Fakeplat) -> None:
    """A fault also applies to a cached response, and its own response is not cached."""
    dev = fakeplat.as_user("dev")
    assert [200, 200] == [dev.get("projects").status for _ in range(2)]
    fakeplat.faults.add(operation="list_projects", status=502, once=True)
    assert [502, 200] == [dev.get("projects").status for _ in range(2)]


def test_a_refused_request_keeps_its_own_error_and_the_fault(fakeplat: Fakeplat) -> None:
    """A fault does not replace a refusal; with `once` it waits for a request that would succeed."""
    fakeplat.faults.add(path="projects/*", status=503, once=True)
    assert 401 == fakeplat.as_user(None).post(ISSUES, json={"title": "x"}).status
    assert 404 == create_issue(fakeplat, "eve")
    assert 400 == fakeplat.as_user("ada").post(ISSUES, json={}).status
    assert 403 == fakeplat.as_user("gus").put("projects/acme%2Fsite", json={"description": "x"}).status
    label = {"name": "bug", "color": "#000000"}
    assert 409 == fakeplat.as_user("ada").post("projects/acme%2Fsite/labels", json=label).status
    assert [None] * 5 == [entry.fault for entry in fakeplat.requests]
    assert (503, 201) == (create_issue(fakeplat), create_issue(fakeplat))


def test_no_fault_hides_a_bug(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 500 from a bug in fakeplat is not replaced by a fault."""
    monkeypatch.setattr(projects, "star", lambda *_: 1 // 0)
    fakeplat.faults.add(operation="star_project", status=409)
    reply = fakeplat.as_user("ada").post("projects/acme%2Fsite/star")
    assert (500, ["message", "fakeplat"]) == (reply.status, list(reply.json()))


@pytest.mark.parametrize(
    ("connection", "raised", "done"),
    [
        ("timeout", TimeoutError, False),
        ("reset", ConnectionResetError, False),
        ("truncated", ConnectionAbortedError, True),
        ("lost_reply", ConnectionAbortedError, True),
    ],
)
def test_without_a_network_a_broken_connection_raises(
    fakeplat: Fakeplat, connection: str, raised: type[Exception], done: bool
) -> None:
    """Without a network a connection fault raises the exception of a socket, before or after the write."""
    fakeplat.faults.add(operation="create_issue", connection=connection)
    with fakeplat.changes() as c, pytest.raises(raised, match=f"fault 1: connection {connection}"):
        create_issue(fakeplat)
    assert done == bool(c)
    entry = fakeplat.requests.one(operation="create_issue")
    assert (201 if done else 0, f"fault 1: connection {connection}") == (entry.status, entry.reason)


def test_a_broken_connection_needs_an_answer_to_lose(fakeplat: Fakeplat) -> None:
    """A lost reply also loses refusals, while a reset replaces only successes."""
    fakeplat.faults.add(operation="create_issue", connection="reset", nth=1)
    fakeplat.faults.add(operation="create_issue", connection="lost_reply")
    assert 401 == fakeplat.as_user(None).post(ISSUES, json={"title": "x"}).status
    fakeplat.faults.remove(1)
    with pytest.raises(ConnectionAbortedError):
        fakeplat.as_user(None).post(ISSUES, json={"title": "x"})


def test_without_a_network_latency_is_recorded_and_not_waited_for(fakeplat: Fakeplat) -> None:
    """Without a network the latency of a fault is recorded in the journal and not waited for."""
    fakeplat.faults.add(operation="create_issue", latency="1h", status=500)
    assert 500 == create_issue(fakeplat)
    assert "fault 1: status 500, latency 1h" == fakeplat.requests[-1].reason


def test_another_content_type_stands_on_the_same_body(fakeplat: Fakeplat) -> None:
    """A fault with a content type changes the header and leaves the body."""
    plain = fakeplat.as_user("ada").get("version")
    fakeplat.faults.add(operation="get_version", content_type="text/html")
    other = fakeplat.as_user("ada").get("version")
    assert ("text/html", plain.content) == (other.headers["Content-Type"], other.content)


def test_retry_after_is_the_declared_value(fakeplat: Fakeplat) -> None:
    """Retry-After has the declared value; on 429 it defaults to 1 second, on 503 it is absent."""
    for status, seconds, expected in ((429, None, "1"), (429, 30, "30"), (503, 5, "5"), (503, None, None)):
        fakeplat.faults.clear()
        fakeplat.faults.add(path="version", status=status, retry_after=seconds)
        assert expected == fakeplat.as_user("ada").get("version").headers.get("Retry-After")


def test_the_first_fault_that_strikes_is_the_one(fakeplat: Fakeplat) -> None:
    """The first fault that applies is used, and each fault counts the requests that match it."""
    fakeplat.faults.add(operation="create_issue", status=500, nth=2)
    fakeplat.faults.add(operation="create_issue", status=409, nth=2)
    fakeplat.faults.add(operation="create_issue", status=422, nth=3)
    assert [201, 500, 409, 422] == [create_issue(fakeplat) for _ in range(4)]
    assert [(4, 1), (4, 1), (4, 1)] == [(fault.seen, fault.happened) for fault in fakeplat.faults.list()]
    assert "fault 1: status 500\nfault 2: status 409\nfault 3: status 422" == repr(fakeplat.faults)


def test_faults_go_with_reset_and_not_with_restore(fakeplat: Fakeplat) -> None:
    """A reset removes faults, and restoring a snapshot keeps them."""
    fakeplat.snapshot()
    fakeplat.faults.add(operation="create_issue", status=500)
    fakeplat.restore()
    assert 500 == create_issue(fakeplat)
    fakeplat.bench.reset()
    assert 201 == create_issue(fakeplat)
    assert 0 == len(fakeplat.faults)


@pytest.mark.fakeplat(faults=[{"operation": "create_issue", "status": 409, "nth": 1}])
def test_the_marker_declares_faults_in_the_same_shape(fakeplat: Fakeplat) -> None:
    """The marker declares faults with the same keys as `fakeplat.faults`."""
    assert [409, 201] == [create_issue(fakeplat) for _ in range(2)]


def test_a_fault_is_named_in_the_explanation_header(fakeplat: Fakeplat) -> None:
    """The explanation header contains the reason of the refusal and the fault."""
    fakeplat.faults.add(operation="get_project", latency=0)
    headers = {"X-Fakeplat-Explain": "1"}
    reply = fakeplat.as_user("dev").get("projects/1", headers=headers)
    assert reply.headers["X-Fakeplat-Reason"].startswith("no project has the id 1")
    assert reply.headers["X-Fakeplat-Reason"].endswith("fault 1: latency 0")


@pytest.mark.parametrize(
    ("declaration", "part"),
    [
        (
            {"operation": "create_isue", "status": 500},
            "there is no operation 'create_isue'; did you mean create_issue?",
        ),
        ({"operation": "get_geo_node_status", "status": 500}, "known but not implemented"),
        ({"oparation": "create_issue", "status": 500}, "unknown key 'oparation'; did you mean operation?"),
        ({"operation": "create_issue", "path": "*", "status": 500}, "either operation or path"),
        ({"operation": "create_issue"}, "give a status, a connection, a content_type or a latency"),
        ({"status": 500, "connection": "reset"}, "give only one of status and connection"),
        ({"content_type": "text/html", "connection": "reset"}, "give only one of status and connection"),
        ({"status": 99}, "status must be between 200 and 599, not 99"),
        ({"status": 500, "times": 0}, "times is at least 1"),
        ({"status": 500, "times": 2, "once": True}, "cannot be combined with once"),
        ({"latency": "1s", "body": "x"}, "body needs a status"),
        ({"status": 500, "body": 7}, "body must be a text, or JSON, not 7"),
        ({"status": "500"}, "status must be a number, not '500'"),
        ({"status": True}, "status must be a number, not True"),
        ({"connection": "cut"}, "connection must be one of timeout, reset, truncated, lost_reply, not 'cut'"),
        ({"status": 500, "nth": 0}, "nth counts from 1"),
        ({"status": 500, "nth": 1, "chance": 0.5}, "cannot be combined with chance"),
        ({"status": 500, "chance": 2}, "between 0 and 1"),
        ({"status": 500, "once": 1}, "once must be true or false, not 1"),
        ({"status": 500, "retry_after": 1}, "needs status 429 or 503"),
        ({"status": 429, "retry_after": -1}, "retry_after is a number of seconds"),
        ({"status": 429, "retry_after": 10**12}, "retry_after: 1000000000000 is not a duration"),
        ({"latency": 10**400}, "latency: "),
        ({"latency": "soon"}, "latency: "),
        ({"content_type": "text/html\r\nX: y"}, "must be printable ASCII"),
        ({"method": "FETCH", "status": 500}, "method must be one of"),
    ],
)
def test_a_wrong_declaration_is_refused(fakeplat: Fakeplat, declaration: dict[str, Any], part: str) -> None:
    """An invalid fault is refused with the nearest name and is not declared."""
    with pytest.raises(InvalidOption) as refused:
        fakeplat.faults.add(declaration)
    assert part in str(refused.value)
    assert 0 == len(fakeplat.faults)


@pytest.mark.parametrize(
    "pattern", ["projects/acme/site/issues", "projects/acme%2Fsite/*", "/api/v4/projects/acme/*/issues"]
)
def test_paths_of_faults_meet_ids_too(fakeplat: Fakeplat, pattern: str) -> None:
    """The path of a fault matches requests by id and by full path."""
    number = fakeplat.world.project("acme/site").id
    fakeplat.faults.add(path=pattern, status=503)
    ada = fakeplat.as_user("ada")
    assert [503, 503, 200] == [
        ada.get(path).status
        for path in (f"projects/{number}/issues", "projects/acme%2Fsite/issues", "projects/acme%2Fdocs")
    ]


def test_the_journal_is_asked_by_paths_for_ids(fakeplat: Fakeplat) -> None:
    """The journal finds requests by id when it is searched by the full path of a project or group."""
    ada = fakeplat.as_user("ada")
    ada.get(f"projects/{fakeplat.world.project('acme/site').id}/issues")
    ada.get(f"groups/{fakeplat.world.group('acme/tools').id}")
    assert 1 == fakeplat.requests.count(path="projects/acme/site/issues")
    assert 1 == fakeplat.requests.count(path="groups/acme/tools")


def test_a_fault_that_never_happened_is_reported(fakeplat: Fakeplat) -> None:
    """A fault that never applied is reported with the number of matching requests, unless it is random."""
    fakeplat.faults.add(path="projects/1/*", status=503)
    fakeplat.faults.add(operation="get_version", nth=2, connection="reset")
    fakeplat.faults.add(status=503, chance=0.0)
    fakeplat.as_user("ada").get("version")
    assert [
        "fault 1: status 503 was never triggered: 0 requests matched path projects/1/*",
        "fault 2: connection reset was never triggered: 1 requests matched operation get_version",
    ] == fakeplat.bench.describe_unused_faults()
    fakeplat.faults.clear()
