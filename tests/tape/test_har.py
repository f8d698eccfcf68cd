"""HAR archives, in and out."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Response
from fakeplat.tape.formats.har import from_har, to_har
from fakeplat.tape.formats.tape import Exchange, InvalidTape, Tape
from tests.tape.tapes import AT, UPSTREAM, build_exchange, build_tape, make_request

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=AA"
SECRET = "Sq7.form-zW9"
FORM_BODY = b"a=&password=<password:1>"
PARTS_BODY = b'--AA\r\nContent-Disposition: form-data; name="password"\r\n\r\n<password:1>\r\n--AA--\r\n'


def build_entry(url: str, *, method: str = "GET", status: int = 200, **more: Any) -> dict[str, Any]:
    """As browsers write it."""
    request = {"method": method, "url": url, "httpVersion": "h2", "headers": more.get("sent", []), "queryString": []}
    if "posted" in more:
        request["postData"] = more["posted"]
    content = more.get("content", {"size": 0, "mimeType": "x-unknown"})
    response = {"status": status, "headers": more.get("headers", []), "content": content, "redirectURL": ""}
    return {"startedDateTime": "2020-11-20T10:00:00.000+01:00", "time": 12.5, "request": request, "response": response}


def build_archive(*entries: dict[str, Any]) -> bytes:
    return json.dumps({"log": {"version": "1.2", "creator": {}, "pages": [], "entries": entries}}).encode()


def test_an_archive_becomes_a_tape() -> None:
    """A HAR archive becomes a tape of the most frequent origin, with times, bodies and content types."""
    tape_ = from_har(
        build_archive(
            build_entry(
                f"{UPSTREAM}/api/v4/user?x=%20#top",
                sent=[{"name": ":authority", "value": "git.example.test"}, {"name": "Accept", "value": "*/*"}],
                content={"size": 2, "mimeType": "application/json", "text": "{}"},
            ),
            build_entry("https://cdn.example.test/logo.png"),
            build_entry(
                f"{UPSTREAM}/upload",
                method="POST",
                posted={"mimeType": "a", "params": [{"name": "a b", "value": "ö"}]},
                content={"mimeType": "image/png", "text": "/wA=", "encoding": "base64"},
            ),
            build_entry(f"{UPSTREAM}/aborted", status=0),
        )
    )
    assert (UPSTREAM, AT) == (tape_.head.upstream, tape_.head.recorded_at)
    first, second = tape_
    assert ("GET", "/api/v4/user", "x=%20", {"accept": "*/*"}) == (
        first.request.method,
        first.request.path,
        first.request.query,
        first.request.headers,
    )
    assert (12.5, AT) == (first.took, first.at)
    assert Response(200, (("Content-Type", "application/json"),), b"{}") == first.response
    assert b"a+b=%C3%B6" == second.request.body
    assert b"\xff\x00" == second.response.body


def test_secrets_of_an_archive_are_replaced() -> None:
    """Secrets in the headers, queries and responses of a HAR archive are replaced."""
    tape_ = from_har(
        build_archive(
            build_entry(
                f"{UPSTREAM}/a?private_token=Sq7.query-zW9",
                sent=[{"name": "PRIVATE-TOKEN", "value": "Sq7.header-zW9"}],
                content={"mimeType": "application/json", "text": '{"token":"Sq7.answer-zW9"}'},
            )
        )
    )
    assert "zW9" not in json.dumps(to_har(tape_))
    assert {"private-token": "<pat:1>"} == tape_.exchanges[0].request.headers


@pytest.mark.parametrize(
    ("posted", "body"),
    [
        ({"mimeType": FORM, "text": "", "params": [{"name": "a"}, {"name": "password", "value": SECRET}]}, FORM_BODY),
        ({"mimeType": PARTS, "params": [{"name": "password", "value": SECRET}]}, PARTS_BODY),
        ({"mimeType": FORM, "params": [], "text": f"a=&password={SECRET}"}, FORM_BODY),
    ],
)
def test_a_form_comes_as_text_or_as_its_parameters(posted: Any, body: bytes) -> None:
    """A form in a HAR archive is imported from its text or its parameters, with its type."""
    tape_ = from_har(build_archive(build_entry(f"{UPSTREAM}/a", method="POST", posted=posted)))
    request = tape_.exchanges[0].request
    assert (posted["mimeType"], body) == (request.headers["content-type"], request.body)


def test_what_a_browser_adds_is_passed_over() -> None:
    """The import skips a byte order mark, data: and blob: URLs, extension pages and web sockets."""
    others = ("data:image/png;base64,AA==", "blob:https://x", "chrome-extension://abc/x.js", "wss://git.example.test/x")
    tape_ = from_har(b"\xef\xbb\xbf" + build_archive(*map(build_entry, others), build_entry(f"{UPSTREAM}/a")))
    assert ["/a"] == [exchange.request.path for exchange in tape_]


def test_a_tape_that_goes_out_and_comes_in_is_the_same() -> None:
    """A tape that is exported to HAR and imported again is equal to the original."""
    binary = Exchange(
        make_request("PUT", "/b?x=%2F&y", b"\xff\x00", content_type="application/gzip"), Response(204), took=3.0, at=AT
    )
    tape_ = build_tape(
        build_exchange("GET", "/a?x=1", {"ö": 1}), build_exchange("POST", "/a", b"\x00\xfe", body={"a": "ö"}), binary
    )
    assert tape_ == from_har(json.dumps(to_har(tape_)).encode())


def test_what_goes_out_has_the_fields_of_har_1_2() -> None:
    """An exported archive has the fields that HAR 1.2 requires."""
    log = to_har(build_tape(build_exchange("GET", "/a")))["log"]
    (row,) = log["entries"]
    assert {"version", "creator", "entries"} == log.keys()
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} == row.keys()
    shared = {"httpVersion", "cookies", "headers", "headersSize", "bodySize"}
    assert {"method", "url", "queryString", *shared} == row["request"].keys()
    assert {"status", "statusText", "content", "redirectURL", *shared} == row["response"].keys()
    assert {"size", "mimeType", "text"} == row["response"]["content"].keys()
    assert {"send", "wait", "receive"} == row["timings"].keys()
    assert ("1.2", f"{UPSTREAM}/a", "OK") == (log["version"], row["request"]["url"], row["response"]["statusText"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "HAR:1: is not valid JSON"),
        (b'{"log":\n', "HAR:2: is not valid JSON"),
        (b"[]", "HAR: must be a map, not a list"),
        (b'{"log": {}}', "HAR: $.log: needs 'entries'"),
        (build_archive(), "HAR: contains no requests"),
        (build_archive({"request": {}}), "HAR: $.log.entries[0].request: needs 'method'"),
        (build_archive(build_entry("ftp://x/y")), "HAR: 'ftp://x/y' is not an HTTP URL"),
        (build_archive(build_entry("http://[::1/y")), "HAR: 'http://[::1/y' is not a valid URL"),
        (build_archive(build_entry("http://x:99999/")), "HAR: 'http://x:99999/' is not a valid URL"),
        (
            build_archive(build_entry(f"{UPSTREAM}/", content={"text": "%", "encoding": "base64"})),
            "HAR: $.log.entries[0].response",
        ),
    ],
)
def test_an_invalid_archive_is_refused_in_one_line(content: bytes, message: str) -> None:
    """An invalid HAR archive is refused in one line with the place of the mistake."""
    with pytest.raises(InvalidTape) as error:
        from_har(content)
    assert str(error.value).startswith(message)


WHOLE = build_archive(build_entry(f"{UPSTREAM}/a", content={"mimeType": "a/b", "text": "x"}))


@given(st.integers(0, len(WHOLE)), st.integers(0, 60), st.binary(max_size=10))
def test_no_mutation_of_an_archive_is_more_than_an_unusable_tape(start: int, length: int, put: bytes) -> None:
    """A damaged HAR archive becomes a tape or is refused in one line."""
    assert 1 == len(try_import(WHOLE[:start] + put + WHOLE[start + length :]).splitlines())


def try_import(content: bytes) -> str:
    try:
        return type(from_har(content)).__name__
    except InvalidTape as error:
        return str(error)


def test_an_outcome_of_an_archive_that_is_fine_is_a_tape() -> None:
    """The unchanged archive that the mutation test starts from becomes a tape."""
    assert Tape.__name__ == try_import(WHOLE)
