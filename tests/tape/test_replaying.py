"""A tape that answers: what it matches, in which order, and what it says where nothing matches."""

import json
from typing import Any

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import HandledRequest
from fakeplat.tape.replay.replayer import Replay
from tests.tape.tapes import UPSTREAM, build_exchange, build_tape

OURS = "http://127.0.0.1:9999"


def send_request(replay: Replay, method: str, target: str, body: Any = None, kind: str = "application/json") -> Any:
    path, _, query = target.partition("?")
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    headers = {"content-type": kind} if sent else {}
    response = replay.handle(Request(method, path, query, headers, sent, OURS))
    return response.status, response.body


def replay_status(recorded: Any, *asked: Any) -> int:
    status_: int = send_request(Replay(build_tape(recorded)), *asked)[0]
    return status_


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (build_exchange("GET", "/a?x=1&y=2"), ("GET", "/a?y=2&x=1")),
        (build_exchange("GET", "/a/b%2Fc"), ("GET", "/a/b%2fc")),
        (build_exchange("GET", "/a?q=a%20b"), ("GET", "/a?q=a+b")),
        (build_exchange("GET", "/a?private_token=<pat:1>&x=1"), ("GET", "/a?x=1")),
        (build_exchange("GET", "/a?x=1"), ("GET", "/a?x=1&private_token=another")),
        (build_exchange("POST", "/a", body={"b": 1, "a": [1.0]}), ("POST", "/a", {"a": [1.0], "b": 1})),
        (build_exchange("POST", "/a", body={"password": "<password:1>"}), ("POST", "/a", {"password": "another"})),
        (build_exchange("POST", "/a", body={"u": "https://x:<password:1>@h"}), ("POST", "/a", {"u": "https://x:y@h"})),
        (build_exchange("DELETE", "/a/<token:1>/b"), ("DELETE", "/a/another/b")),
        (build_exchange("POST", "/a", body={"u": f"{UPSTREAM}/x"}), ("POST", "/a", {"u": f"{OURS}/x"})),
        (build_exchange("GET", f"/a?u={UPSTREAM}/x"), ("GET", f"/a?u={OURS}/x")),
    ],
)
def test_what_means_the_same_matches(recorded: Any, asked: Any) -> None:
    """Replay ignores the order of query and JSON keys, equivalent spellings, credentials and the origin."""
    assert 200 == replay_status(recorded, *asked)


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (build_exchange("GET", "/a"), ("POST", "/a")),
        (build_exchange("POST", "/a", body={"a": True, "t": "<pat:1>"}), ("POST", "/a", {"a": 1, "t": "x"})),
        (build_exchange("POST", "/a", body={"a": [0], "t": "<pat:1>"}), ("POST", "/a", {"a": [False], "t": "x"})),
        (build_exchange("GET", "/a"), ("GET", "/a/b")),
        (build_exchange("GET", "/a/b%2Fc"), ("GET", "/a/b/c")),
        (build_exchange("GET", "/a?x=1"), ("GET", "/a")),
        (build_exchange("GET", "/a?x=1"), ("GET", "/a?x=2")),
        (build_exchange("GET", "/a?x[]=1&x[]=2"), ("GET", "/a?x[]=2&x[]=1")),
        (build_exchange("POST", "/a", body={"a": 1}), ("POST", "/a", {"a": True})),
        (build_exchange("POST", "/a", body={"a": 1}), ("POST", "/a", {"a": 1, "b": None})),
        (build_exchange("POST", "/a", body=[1, 2]), ("POST", "/a", [2, 1])),
        (build_exchange("POST", "/a", body={"u": "<password:1>x"}), ("POST", "/a", {"u": "another"})),
        (build_exchange("POST", "/a", body={"a": 1}), ("POST", "/a", b"a=1", FORM)),
    ],
)
def test_what_differs_does_not_match(recorded: Any, asked: Any) -> None:
    """Replay answers 501 if method, path, query, the order of repeated names or the body differs."""
    assert 501 == replay_status(recorded, *asked)


def test_multipart_forms_match_whatever_their_boundary() -> None:
    """Multipart forms match whatever boundary the client has drawn."""
    form = '--{0}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{0}--\r\n'
    first = build_exchange("POST", "/a", body=form.format("AA").encode())
    headers = {"content-type": "multipart/form-data; boundary=AA"}
    request = Request("POST", "/a", "", headers, first.request.body, UPSTREAM)
    replay = Replay(build_tape(type(first)(request, first.response)))
    assert 200 == send_request(replay, "POST", "/a", form.format("BB").encode(), "multipart/form-data; boundary=BB")[0]


def test_equal_requests_get_their_answers_in_order_and_the_last_stays() -> None:
    """Equal requests get the recorded responses in order, and the last response repeats."""
    replay = Replay(build_tape(*(build_exchange("GET", "/a", n) for n in (1, 2, 3))))
    assert [b"1", b"2", b"3", b"3", b"3"] == [send_request(replay, "GET", "/a")[1] for _ in range(5)]


@pytest.mark.parametrize("strict", [False, True])
def test_requests_that_differ_in_their_secrets_alone_are_equal_ones(strict: bool) -> None:
    """Requests that differ only in redacted secrets get their responses in the recorded order."""
    values = [f"<variable:{number}>" for number in (1, 2)]
    exchanges = [build_exchange("PUT", "/a", number, body={"value": value}) for number, value in enumerate(values)]
    replay = Replay(build_tape(*exchanges), strict=strict)
    assert [b"0", b"1"] == [send_request(replay, "PUT", "/a", {"value": value})[1] for value in ("first", "second")]
    assert [] == [*replay.complaints, *replay.unplayed()]


def test_urls_in_answers_follow_the_origin_that_the_client_used() -> None:
    """URLs of the upstream in headers and bodies get the client's origin, in any encoding; other hosts stay."""
    body = (
        f'{{"a":"{UPSTREAM}/x","b":"https:\\/\\/git.example.test\\/y","c":"{UPSTREAM}.org/","d":"{UPSTREAM}:8443/",'
        f'"e":"?u=https%3A%2F%2Fgit.example.test%2Fz","f":"git@git.example.test:x.git"}}'
    ).encode()
    replay = Replay(
        build_tape(build_exchange("GET", "/a", body, headers=(("Link", f'<{UPSTREAM}/a?page=2>; rel="next"'),)))
    )
    response = replay.handle(Request("GET", "/a", origin=OURS))
    assert (("Link", f'<{OURS}/a?page=2>; rel="next"'),) == response.headers
    assert {
        "a": f"{OURS}/x",
        "b": f"{OURS}/y",
        "c": f"{UPSTREAM}.org/",
        "d": f"{UPSTREAM}:8443/",
        "e": "?u=http%3A%2F%2F127.0.0.1%3A9999%2Fz",
        "f": "git@git.example.test:x.git",
    } == json.loads(response.body)


PROJECTS = "GET /api/v4/projects?per_page=50 (line 2)"
ISSUES = "POST /api/v4/issues (line 3)"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("GET", "/api/v4/projects?per_page=20"), f"{PROJECTS}, where the query has per_page=50"),
        (("GET", "/api/v4/projects"), f"{PROJECTS}, where the query has per_page=50"),
        (("POST", "/api/v4/issues", {"title": "b"}), f"{ISSUES}, where the body at 'title' is 'a'"),
        (("POST", "/api/v4/issues", {}), f"{ISSUES}, where the body has 'title'"),
        (("GET", "/api/v4/issue"), f"{ISSUES}, where the method is POST, the path is /api/v4/issues"),
    ],
)
def test_what_was_never_recorded_is_501_and_names_the_nearest(asked: Any, message: str) -> None:
    """A request that was not recorded gets 501 with the closest recorded request under `fakeplat_replay`."""
    replay = Replay(
        build_tape(
            build_exchange("GET", "/api/v4/projects?per_page=50"),
            build_exchange("POST", "/api/v4/issues", body={"title": "a"}),
        )
    )
    status_, body = send_request(replay, *asked)
    assert 501 == status_
    assert ["fakeplat_replay"] == list(json.loads(body))
    assert (
        f"{asked[0]} {asked[1]} was not recorded; the closest recorded request is {message}"
        in json.loads(body)["fakeplat_replay"]
    )


def test_an_empty_tape_says_so() -> None:
    """Replaying an empty tape responds that the tape contains no exchanges."""
    assert b"the tape contains no exchanges" in send_request(Replay(build_tape()), "GET", "/a")[1]


def test_strict_replay_keeps_the_order_and_reports_what_is_left() -> None:
    """Strict replay refuses requests out of order and reports them with those that were never sent."""
    replay = Replay(
        build_tape(build_exchange("GET", "/a", 1), build_exchange("GET", "/b", 2), build_exchange("GET", "/c", 3)),
        strict=True,
    )
    assert (200, b"1") == send_request(replay, "GET", "/a")
    assert 501 == send_request(replay, "GET", "/c")[0]
    assert (200, b"2") == send_request(replay, "GET", "/b")
    assert ["never requested: GET /c (line 4)"] == list(replay.unplayed())
    assert ["GET /c is not the next recorded request: GET /b (line 3), where the path is /b"] == replay.complaints
    assert (200, b"3") == send_request(replay, "GET", "/c")
    assert [] == list(replay.unplayed())
    assert 501 == send_request(replay, "GET", "/c")[0]
    assert "contains no more exchanges" in replay.complaints[1]


def test_strict_replay_of_equal_requests_gives_each_answer_once() -> None:
    """Strict replay answers a request that was recorded twice only twice."""
    replay = Replay(build_tape(build_exchange("GET", "/a", 1), build_exchange("GET", "/a", 2)), strict=True)
    assert [200, 200, 501] == [send_request(replay, "GET", "/a")[0] for _ in range(3)]


def test_loose_replay_has_nothing_to_complain_of() -> None:
    """Without strict mode neither an omitted nor an unknown request is a complaint."""
    replay = Replay(build_tape(build_exchange("GET", "/a")))
    send_request(replay, "GET", "/b")
    assert ([], []) == (replay.complaints, list(replay.unplayed()))


def test_observers_are_called_for_every_request() -> None:
    """Observers of a replay get each request with its operation, the tape's time and the reason of a mismatch."""
    seen: list[HandledRequest] = []
    replay = Replay(build_tape(build_exchange("GET", "/api/v4/projects/1")))
    replay.observers.append(lambda entry, _: seen.append(entry))
    send_request(replay, "GET", "/api/v4/projects/1")
    send_request(replay, "GET", "/elsewhere")
    assert [(1, 200, "get_project", 1605862800000), (2, 501, "", 1605862800000)] == [
        (entry.number, entry.status, entry.answer.operation, entry.at) for entry in seen
    ]
    assert "GET /elsewhere was not recorded" in str(seen[1].answer.reason)
