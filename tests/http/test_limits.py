"""What the server does not wait for, and what it takes no more of."""

import asyncio
import json
import socket

import pytest

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.connection import Connection, ConnectionCount
from fakeplat.http.listener import listen
from fakeplat.http.origins import ForeignHost, Origins
from fakeplat.http.request_parser import Limits, RawRequest, RequestParser
from tests.http.wire import LAST, receive_all, served

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"
SHORT = 0.05
LONG = 30.0


def echo(incoming: RawRequest, connection: Connection) -> Response:
    return Response(200, (), incoming.body)


def parse_status_and_error(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


async def read_until_closed(port: int, *parts: bytes) -> bytes:
    """All that the server says to a client that sends these parts and then waits."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
        return await asyncio.wait_for(reader.read(), LONG)
    finally:
        writer.close()


async def test_an_idle_connection_is_closed_without_a_word() -> None:
    """An idle connection is closed without a response, before the first request and after one."""
    limits = Limits(1000, idle_timeout=SHORT, head_timeout=LONG, body_timeout=LONG)
    async with served(echo, limits) as listening:
        assert b"" == await read_until_closed(listening.port)
        assert b"HTTP/1.1 200" == (await read_until_closed(listening.port, HEAD + b"\r\n"))[:12]


async def test_half_a_head_is_408() -> None:
    """A request whose head does not arrive in time gets 408, also if it comes in parts."""
    limits = Limits(1000, idle_timeout=LONG, head_timeout=SHORT, body_timeout=LONG)
    async with served(echo, limits) as listening:
        expected = (408, "the head of the request did not arrive in time")
        assert expected == parse_status_and_error(await read_until_closed(listening.port, HEAD))
        assert expected == parse_status_and_error(await read_until_closed(listening.port, HEAD, b"X-A: b\r\n", b"X-B"))


async def test_each_head_has_its_own_time() -> None:
    """The timeout of a head starts anew for each request of a client that pipelines."""
    limits = Limits(1000, idle_timeout=LONG, head_timeout=4 * SHORT, body_timeout=LONG)
    request = HEAD + b"\r\n"
    async with served(echo, limits) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(request[:5])
        for _ in range(8):
            await asyncio.sleep(SHORT)
            writer.write(request[5:] + request[:5])
        writer.write(request[5:-2] + b"Connection: close\r\n\r\n")
        assert 9 == (await asyncio.wait_for(reader.read(), LONG)).count(b"HTTP/1.1 200")
        writer.close()


async def test_half_a_body_is_408() -> None:
    """A request whose body does not arrive in time gets 408."""
    limits = Limits(1000, idle_timeout=LONG, head_timeout=LONG, body_timeout=SHORT)
    async with served(echo, limits) as listening:
        answer = await read_until_closed(listening.port, b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345")
        assert (408, "the body of the request did not arrive in time") == parse_status_and_error(answer)


async def test_a_client_that_waits_for_its_answer_is_not_idle() -> None:
    """A response may take longer than every timeout of requests."""

    async def slow(incoming: RawRequest, connection: Connection) -> Response:
        await asyncio.sleep(4 * SHORT)
        return Response(200, (), b"late")

    limits = Limits(1000, idle_timeout=SHORT, head_timeout=SHORT, body_timeout=SHORT)
    async with served(slow, limits) as listening:
        assert b"late" == (await receive_all(listening.port, LAST))[-4:]


async def test_a_client_that_takes_nothing_is_left() -> None:
    """A client that does not read its response is disconnected."""
    limits = Limits(1000, idle_timeout=SHORT)
    asked: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

    def large(incoming: RawRequest, connection: Connection) -> Response:
        asked.set_result(connection)
        return Response(200, (), bytes(50_000_000))

    async with served(large, limits) as listening:
        _, writer = await asyncio.open_connection("127.0.0.1", listening.port, limit=1)
        writer.write(LAST)
        connection = await asked
        await asyncio.wait_for(connection.closed.wait(), LONG)
        writer.close()


async def test_connections_over_the_limit_get_503() -> None:
    """A connection over the limit gets 503, and a closed connection makes room for another."""
    connections: list[Connection] = []

    def remember(incoming: RawRequest, connection: Connection) -> Response:
        connections.append(connection)
        return Response(200)

    listening = await listen(remember, Limits(1000), count=ConnectionCount(1))
    reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
    writer.write(HEAD + b"\r\n")
    assert b"HTTP/1.1 200 OK\r\n" == await reader.readline()
    status, error = parse_status_and_error(await read_until_closed(listening.port))
    assert (503, "1 connections are open; --max-connections allows no more") == (status, error)
    writer.close()
    await asyncio.wait_for(connections[0].closed.wait(), LONG)
    assert b"HTTP/1.1 200" == (await receive_all(listening.port, LAST))[:12]
    await listening.close()


def list_refusals(head: bytes, limits: Limits) -> list[int]:
    reader = RequestParser(limits)
    reader.feed(head + b"\r\n")
    return [incoming.refusal.status for incoming in reader.complete if incoming.refusal is not None]


def test_headers_are_limited_in_number() -> None:
    """A request with more headers than the limit gets 400."""
    limits = Limits(1000, headers=10)
    assert [] == list_refusals(HEAD + b"X: y\r\n" * 9, limits)
    assert [400] == list_refusals(HEAD + b"X: y\r\n" * 10, limits)


def test_names_of_headers_are_limited_too() -> None:
    """A request with a header name over the limit gets 400."""
    assert [400] == list_refusals(HEAD + b"X" * 10_000 + b": y\r\n", Limits(1000))


def test_repeated_headers_are_joined_in_their_order() -> None:
    """Repeated headers are joined in their order, by commas, and cookies by semicolons."""
    reader = RequestParser(Limits(1000))
    reader.feed(HEAD + b"X: 1\r\nCookie: a=1\r\nX: 2\r\nCookie: b=2\r\nX: 3\r\n\r\n")
    headers = reader.complete[0].headers
    assert ("1, 2, 3", "a=1; b=2") == (headers["x"], headers["cookie"])


@pytest.mark.parametrize("version", ["0.9", "2.0"])
async def test_other_versions_of_http_are_505(version: str) -> None:
    """A request with another version of HTTP gets 505."""
    async with served(echo) as listening:
        answer = await receive_all(listening.port, f"GET / HTTP/{version}\r\nHost: a\r\n\r\n".encode(), is_all=True)
    assert b"HTTP/1.1 505 " == answer[:13]


@pytest.mark.parametrize(
    "host", ["localhost/evil", "x@127.0.0.1", "127.0.0.1:80/x", "localhost?x", "localhost:port", "[::1", "a b", ""]
)
def test_what_is_no_authority_is_a_foreign_host(host: str) -> None:
    """A Host header that is no valid authority is refused as foreign."""
    with pytest.raises(ForeignHost):
        Origins().origin(host)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.9.9.9:1", "[::1]:8080", "a.localhost"])
def test_names_of_this_machine_are_served(host: str) -> None:
    """Requests for a name of this machine are served, with and without a port."""
    assert f"http://{host}" == Origins().origin(host)


def test_invented_hosts_do_not_fill_the_memory() -> None:
    """The cache of origins is limited, however many names below localhost are used."""
    origins = Origins()
    for number in range(5000):
        origins.origin(f"h{number}.localhost")
    assert len(origins._cache) <= 1000


@pytest.mark.parametrize("turns", range(5))
async def test_a_connection_that_is_being_accepted_ends_with_its_listener(turns: int) -> None:
    """A connection that is being accepted is closed when its listener is, at any turn of the event loop."""
    listening = await listen(echo, Limits(1000))
    with socket.create_connection(("127.0.0.1", listening.port)) as client:
        client.setblocking(False)
        for _ in range(turns):
            await asyncio.sleep(0)
        await listening.close()
        try:
            received = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 1), LONG)
        except ConnectionResetError:
            received = b""
    assert b"" == received
