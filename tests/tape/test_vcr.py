"""Cassettes of VCR: those that vcrpy really writes, and each form that its bodies have."""

import gzip
import json
import urllib.request
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Request
from fakeplat.tape.formats.tape import InvalidTape, read, write
from fakeplat.tape.formats.vcr import from_cassette
from fakeplat.tape.replay.replayer import Replay
from tests.tape.tapes import UPSTREAM


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_vcrpy_records_is_imported_and_replayed(fakeplat: Any, tmp_path: Path) -> None:
    """A session that vcrpy recorded is replayed without the server and without the token."""
    import vcr

    with vcr.use_cassette(str(tmp_path / "cassette.yaml")):
        headers = {"PRIVATE-TOKEN": "ada-token", "Content-Type": "application/json"}
        url = f"{fakeplat.api_url}/projects/acme%2Fsite/issues?a=1"
        body = json.dumps({"title": "Ein Löwe"}, ensure_ascii=False).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
            content = answer.read()
    cassette = (tmp_path / "cassette.yaml").read_bytes()
    assert b"ada-token" in cassette
    write(from_cassette(cassette), tmp_path / "tape")
    assert b"ada-token" not in (tmp_path / "tape").read_bytes()

    replay = Replay(read(tmp_path / "tape"))
    response = replay.handle(
        Request("POST", "/api/v4/projects/acme%2Fsite/issues", "a=1", {}, body, origin=fakeplat.url)
    )
    assert (201, content) == (response.status, response.body)


def build_cassette(body: str = "null", answer: str = "{string: ok}", headers: str = "{}") -> bytes:
    return f"""
interactions:
- request:
    body: {body}
    headers: {{Accept: [a, b], PRIVATE-TOKEN: [Sq7.token-zW9]}}
    method: post
    uri: {UPSTREAM}/api/v4/x?private_token=Sq7.query-zW9
  response:
    body: {answer}
    headers: {headers}
    status: {{code: 201, message: Created}}
version: 1
""".encode()


def encode_body(content: bytes) -> str:
    return b64encode(content).decode()


@pytest.mark.parametrize(
    ("written", "body"),
    [
        ("null", b""),
        ("''", b""),
        ('"ein L\\u00F6we"', "ein Löwe".encode()),
        ("!!binary /wA=", b"\xff\x00"),
        ("{string: text}", b"text"),
        ("{string: !!binary /wA=}", b"\xff\x00"),
        ("{base64_string: /wA=}", b"\xff\x00"),
        ("{encoding: UTF-8, string: ''}", b""),
    ],
)
def test_bodies_are_text_or_binary(written: str, body: bytes) -> None:
    """Text and binary bodies of a cassette are imported with the same bytes."""
    (exchange,) = from_cassette(build_cassette(written, written))
    assert (body, body) == (exchange.request.body, exchange.response.body)


def test_method_url_headers_status_and_date_come_over() -> None:
    """A cassette is imported with method, URL, headers, status and date, and with its secrets replaced."""
    (exchange,) = from_cassette(build_cassette(headers="{Date: ['Fri, 20 Nov 2020 09:00:00 GMT'], X-Total: 2}"))
    assert ("POST", "/api/v4/x", "private_token=<pat:2>") == (
        exchange.request.method,
        exchange.request.path,
        exchange.request.query,
    )
    assert {"accept": "a, b", "private-token": "<pat:1>"} == exchange.request.headers
    assert (201, (("X-Total", "2"),), "2020-11-20T09:00:00.000Z") == (
        exchange.response.status,
        exchange.response.headers,
        exchange.at,
    )


def test_a_compressed_answer_is_decompressed() -> None:
    """Compressed responses of a cassette are decompressed, and the encoding header is dropped."""
    zipped = f"{{string: !!binary {encode_body(gzip.compress(b'plain', mtime=0))}}}"
    for answer in (zipped, "{string: plain}"):
        (exchange,) = from_cassette(build_cassette(answer=answer, headers="{Content-Encoding: [gzip]}"))
        assert (b"plain", ()) == (exchange.response.body, exchange.response.headers)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cassette: must be a map, not null"),
        (b"a: [", "cassette:1: invalid YAML"),
        (b"\xff", "cassette:1: is not UTF-8 text"),
        (b"version: 1\n", "cassette: needs 'interactions'"),
        (b"version: 2\ninteractions: []\n", "cassette: $.version: must be 1"),
        (b"version: 1\ninteractions: []\n", "cassette: contains no requests"),
        (b"version: 1\ninteractions: [{}]\n", "cassette: $.interactions[0]: needs 'request'"),
        (b"version: 1\nversion: 1\n", "cassette:2: duplicate key 'version'"),
        (build_cassette(body="{base64_string: '%'}"), "cassette: $.interactions[0].request.body is not valid base64"),
        (build_cassette(body="[1]"), "cassette: $.interactions[0].request.body is neither text nor base64"),
        (
            build_cassette(headers="{Content-Encoding: [br]}"),
            "cassette: $.interactions[0].response is compressed with br",
        ),
    ],
)
def test_an_invalid_cassette_is_refused_in_one_line(content: bytes, message: str) -> None:
    """An invalid cassette is refused in one line with the line or path of the mistake."""
    with pytest.raises(InvalidTape) as error:
        from_cassette(content)
    assert str(error.value).startswith(message)
    assert 1 == len(str(error.value).splitlines())


WHOLE = build_cassette("!!binary /wA=")


@given(st.integers(0, len(WHOLE)), st.integers(0, 60), st.binary(max_size=10))
def test_no_mutation_of_a_cassette_is_more_than_an_unusable_tape(start: int, length: int, put: bytes) -> None:
    """A damaged cassette becomes a tape or is refused in one line."""
    content = WHOLE[:start] + put + WHOLE[start + length :]
    try:
        outcome = from_cassette(content).head.upstream
    except InvalidTape as error:
        outcome = str(error)
    assert 1 == len(outcome.splitlines())
