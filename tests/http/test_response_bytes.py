"""Answers over the wire, beside those that aiohttp sends."""

import asyncio
import re
from itertools import product

import pytest
from aiohttp import web

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.connection import Connection
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.response_bytes import head_and_body
from tests.http.wire import LAST, receive_all, served

JSON = ("Content-Type", "application/json")
CASES = [
    Response(200, (JSON, ("ETag", 'W/"1"'), ("Link", "<a>"), ("Link", "<b>")), b'{"a": 1}'),
    Response(200, (JSON,)),
    Response(200, (), b"of no type"),
    Response(200, (("Content-Length", "9"), JSON)),
    Response(201, (JSON,), b"[]"),
    Response(204, (("Cache-Control", "no-cache"),)),
    Response(304, (("ETag", 'W/"1"'),)),
    Response(404, (JSON, ("Date", "Fri, 20 Nov 2020 09:00:00 GMT"), ("Server", "other")), b"x" * 100_000),
    Response(451, (("X-Name", "café"),), b""),
    Response(200, (JSON, ("ETag", 'W/"1"'), ("X-Request-Id", "a1"), ("X-Runtime", "0.001")), b"{}"),
    Response(202, (JSON, ("X-Request-Id", "a1"), ("X-Runtime", "0.001")), b"[1]"),
    Response(404, (("X-Request-Id", "a1"), ("X-Runtime", "0.001"))),
]
HEADS = [
    f"{method} / {version}\r\nHost: a\r\n" for method, version in product(("GET", "HEAD"), ("HTTP/1.1", "HTTP/1.0"))
]


async def write_with_ours(response: Response, asked: bytes) -> bytes:
    async with served(lambda incoming, connection: response) as listening:
        return await receive_all(listening.port, asked + (LAST if is_kept_alive(asked) else b""))


async def write_with_aiohttp(response: Response, asked: bytes) -> bytes:
    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=response.status, headers=response.headers, body=response.body)

    server = web.Server(handler, access_log=None)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    try:
        return await receive_all(listener.sockets[0].getsockname()[1], asked + (LAST if is_kept_alive(asked) else b""))
    finally:
        listener.close()
        await server.shutdown(0)


def is_kept_alive(asked: bytes) -> bool:
    """Whether the connection is used again; where it is not, the server closes it."""
    return b"Connection: keep-alive" in asked or (b"HTTP/1.1" in asked and b"Connection" not in asked)


def without_date_and_server(got: bytes) -> bytes:
    """Without the time and the name of the server."""
    got = re.sub(rb"Date: .*GMT", lambda date: date[0] if b"2020" in date[0] else b"Date: now", got)
    return re.sub(rb"Server: (?!other).*", b"Server: ours\r", got)


@pytest.mark.parametrize("response", CASES, ids=lambda response: f"{response.status}-{len(response.body)}")
async def test_an_answer_is_what_aiohttp_would_send(response: Response) -> None:
    """A response has the bytes that aiohttp would send, for each method, version and Connection header."""
    for head, close in product(HEADS, ("", "Connection: close\r\n", "Connection: keep-alive\r\n")):
        asked = f"{head}{close}\r\n".encode()
        assert without_date_and_server(await write_with_aiohttp(response, asked)) == without_date_and_server(
            await write_with_ours(response, asked)
        )


@pytest.mark.parametrize("value", ["a\r\nX-Other: b", "a\nX-Other: b", "a\rX-Other: b"])
@pytest.mark.parametrize("name", ["X-Name", "ETag", "X-Request-Id", "X-Runtime"])
async def test_a_header_with_a_line_break_is_never_sent(
    name: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A response header with a line break is reported as a bug and gets 500."""
    headers = {"X-Name": "c", "ETag": '"1"', "X-Request-Id": "a1", "X-Runtime": "0.001", name: value}
    got = await write_with_ours(Response(200, (*headers.items(),), b"[]"), f"{HEADS[0]}\r\n".encode())
    assert got.startswith(b"HTTP/1.1 500 ")
    assert b"X-Other" not in got
    assert "a bug in fakeplat" in caplog.text


async def test_bytes_that_are_no_text_go_out_as_they_were() -> None:
    """Bytes of a header kept as lone surrogates are sent as they were."""
    got = await write_with_ours(Response(200, (("X-Name", "caf\udce9"),)), f"{HEADS[0]}\r\n".encode())
    assert b"\r\nX-Name: caf\xe9\r\n" in got


async def test_a_bug_is_a_500_and_the_connection_stays_open(caplog: pytest.LogCaptureFixture) -> None:
    """An exception of a handler, synchronous or not, gets 500 and keeps the connection open."""

    def at_once(incoming: RawRequest, connection: Connection) -> Response:
        raise RuntimeError("a bug of a test")

    async def later(incoming: RawRequest, connection: Connection) -> Response:
        raise RuntimeError("a bug of a test")

    for answers in (at_once, later):
        async with served(answers) as listening:
            got = await receive_all(listening.port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + LAST)
        assert 2 == got.count(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert 4 == caplog.text.count("RuntimeError: a bug of a test")


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        (200, "OK"),
        (413, "Request Entity Too Large"),
        (414, "Request-URI Too Long"),
        (416, "Requested Range Not Satisfiable"),
        (422, "Unprocessable Entity"),
        (599, ""),
    ],
)
def test_the_status_line_has_the_same_phrase_in_every_python(status: int, phrase: str) -> None:
    """The reason phrases are those of the platform, whose words Python 3.13 has replaced by others."""
    incoming = RawRequest("GET", "/", "1.1", {}, b"", keep_alive=True)
    head, _ = head_and_body(incoming, Response(status))
    assert f"HTTP/1.1 {status} {phrase}" == head.split(b"\r\n")[0].decode()
