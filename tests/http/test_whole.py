"""Answers that go out in one piece, over the wire, beside those that aiohttp itself sends."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from itertools import product

import pytest
from aiohttp import web

from fakeplat.core.messages import Response
from fakeplat.http.whole import Whole

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
]
LAST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
HEADS = [
    f"{method} / {version}\r\nHost: a\r\n" for method, version in product(("GET", "HEAD"), ("HTTP/1.1", "HTTP/1.0"))
]


async def sent(make: Callable[[], web.StreamResponse], asked: bytes) -> bytes:
    """All that comes over the wire for a request, and for a second one where the connection stays."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        return make()

    server = web.Server(handler, access_log=None)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
    writer.write(asked + LAST)
    got = await reader.read()
    writer.close()
    listener.close()
    await server.shutdown(0)
    return got


def dateless(got: bytes) -> bytes:
    return re.sub(rb"Date: .*GMT", lambda date: date[0] if b"2020" in date[0] else b"Date: now", got)


@pytest.mark.parametrize("response", CASES, ids=lambda response: f"{response.status}-{len(response.body)}")
async def test_a_whole_answer_is_what_aiohttp_would_send(response: Response) -> None:
    """Status line, headers in their order, body, and whether the connection stays; for each method and version."""
    for head, close in product(HEADS, ("", "Connection: close\r\n", "Connection: keep-alive\r\n")):
        asked = f"{head}{close}\r\n".encode()
        usual = partial(web.Response, status=response.status, headers=response.headers, body=response.body)
        assert dateless(await sent(usual, asked)) == dateless(await sent(partial(Whole, response), asked))


async def test_a_header_with_a_line_break_is_never_sent() -> None:
    """Nobody can smuggle a header in."""
    response = Response(200, (("X-Name", "a\r\nX-Other: b"),), b"[]")
    assert b"" == await sent(partial(Whole, response), f"{HEADS[0]}\r\n".encode())
