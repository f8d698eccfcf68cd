"""Responses whose body is sent as it arises: through a connection, through ASGI and through aiohttp."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

import fakeplat
from fakeplat.core.operations.http_messages import Response, StreamingResponse
from fakeplat.harness.fake import Fakeplat
from fakeplat.http.adapters import asgi
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.streaming import answer_or_stream
from tests.http.wire import LAST, receive_all, reset_connection, served

EVENTS = "/_fakeplat/console/events"
STREAM = {"accept": "text/event-stream"}
SITE = "/api/v4/projects/acme%2Fsite"
TOKEN = {"PRIVATE-TOKEN": "ada-token"}
GET = b"GET /stream HTTP/1.%d\r\nHost: a\r\n\r\n"
SHORT = 0.05


class Source:
    """Streams chunks, then waits until it is stopped. ``made`` counts the chunks."""

    def __init__(self, *chunks: bytes, is_endless: bool = True) -> None:
        self.chunks = chunks
        self.is_endless = is_endless
        self.made = 0
        self.closed = asyncio.Event()

    async def iterate(self) -> AsyncGenerator[bytes, None]:
        try:
            for chunk in self.chunks:
                self.made += 1
                yield chunk
            if self.is_endless:
                await asyncio.Event().wait()
        finally:
            self.closed.set()

    def handle(self, incoming: RawRequest, connection: Connection) -> Response | PendingResponse:
        if incoming.target == "/last":
            return Response(200, (), b"[last]")
        return answer_or_stream(connection, incoming, self._respond())

    async def _respond(self) -> Response:
        return StreamingResponse(200, (("Content-Type", "text/plain"),), chunks=self.iterate())


async def is_closed_in_time(source: Source) -> bool:
    """Return whether the source is closed in time."""
    return await asyncio.wait_for(source.closed.wait(), 10)


async def test_a_body_is_sent_in_chunks() -> None:
    """A stream is sent in chunks without a length, and its end closes the connection."""
    source = Source(b"one", b"2" * 20, is_endless=False)
    async with served(source.handle) as listening:
        head, _, body = (await receive_all(listening.port, GET % 1)).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert "HTTP/1.1 200 OK" == lines[0]
    assert {"Transfer-Encoding: chunked", "Connection: close", "Content-Type: text/plain"} <= set(lines)
    assert "Content-Length" not in head.decode()
    assert b"3\r\none\r\n14\r\n" + b"2" * 20 + b"\r\n0\r\n\r\n" == body


async def test_an_old_client_gets_the_body_until_the_end_of_the_connection() -> None:
    """An HTTP/1.0 client gets a streamed body without chunks, until the connection ends."""
    source = Source(b"one", b"two", is_endless=False)
    async with served(source.handle) as listening:
        head, _, body = (await receive_all(listening.port, GET % 0)).partition(b"\r\n\r\n")
    assert (b"onetwo", False) == (body, b"Transfer-Encoding" in head)


async def test_head_gets_no_body() -> None:
    """A HEAD request for a stream gets the headers only, and the source is not read."""
    source = Source(b"one")
    async with served(source.handle) as listening:
        got = await receive_all(listening.port, (GET % 1).replace(b"GET", b"HEAD"), LAST)
    assert (True, 0) == (got.endswith(b"\r\n\r\n[last]"), source.made)


async def test_a_stream_comes_after_earlier_responses_and_before_nothing() -> None:
    """A stream comes after earlier responses, and requests pipelined after it are not answered."""
    source = Source(b"one", is_endless=False)
    first = LAST.replace(b"Connection: close\r\n", b"")
    async with served(source.handle) as listening:
        got = await receive_all(listening.port, first + GET % 1 + first)
    assert got.partition(b"\r\n\r\n")[2].startswith(b"[last]HTTP/1.1 200 OK")
    assert got.endswith(b"3\r\none\r\n0\r\n\r\n")


@pytest.mark.parametrize("leave", [reset_connection, lambda writer: writer.close(), lambda writer: writer.write_eof()])
async def test_nothing_is_left_after_the_client_is_gone(leave: Callable[[asyncio.StreamWriter], object]) -> None:
    """The source of a stream is closed when the client resets, closes or half-closes the connection."""
    source = Source(b"one")
    async with served(source.handle) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1)
        await reader.readuntil(b"one\r\n")
        assert not source.closed.is_set()
        leave(writer)
        assert await is_closed_in_time(source)
        writer.close()


async def test_a_stream_ends_with_its_server() -> None:
    """Closing the server ends a stream properly and closes its source."""
    source = Source(b"one")
    async with served(source.handle) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1)
        await reader.readuntil(b"one\r\n")
    assert b"0\r\n\r\n" == await reader.read()
    assert source.closed.is_set()
    writer.close()


async def test_a_client_that_does_not_read_is_waited_for() -> None:
    """A stream is computed only as fast as its client reads, and other clients are answered meanwhile."""
    source = Source(*[b"x" * 500_000] * 200)
    async with served(source.handle) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1)
        await reader.readuntil(b"\r\n\r\n")
        assert b"[last]" in await receive_all(listening.port, LAST)
        assert source.made < 100
        while source.made < 200:
            await asyncio.wait_for(reader.read(1_000_000), 10)
        writer.close()
        assert await is_closed_in_time(source)


async def test_a_bug_while_streaming_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """An exception in a stream is logged and ends the body."""

    async def break_off() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise LookupError("no such thing")

    async def respond() -> Response:
        return StreamingResponse(200, chunks=break_off())

    with caplog.at_level(logging.ERROR, "fakeplat"):
        async with served(lambda incoming, connection: answer_or_stream(connection, incoming, respond())) as listening:
            got = await receive_all(listening.port, GET % 1)
    assert got.endswith(b"3\r\none\r\n0\r\n\r\n")
    assert ["a bug in fakeplat: a response broke off"] == [record.getMessage() for record in caplog.records]


# the events of the console


def read_event(lines: Iterator[str]) -> dict[str, str]:
    """Return the fields of the next event of a stream; of several lines of data, the last."""
    event: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if not line and "event" in event:
            return event
        event[name] = value
    raise AssertionError("the stream has ended")


def send_requests(fake: Fakeplat, user: str = "ada") -> None:
    fake.as_user(user).get("projects/acme%2Fsite")


def test_events_come_in_one_response(fakeplat: Fakeplat) -> None:
    """Each request is sent as an event followed by the position, all in one stream."""
    send_requests(fakeplat)
    with httpx.stream("GET", f"{fakeplat.url}{EVENTS}?after=0", headers=STREAM) as response:
        lines = response.iter_lines()
        assert ["request", "position"] == [read_event(lines)["event"] for _ in range(2)]
        send_requests(fakeplat, "eve")
        assert ["request", "position"] == [read_event(lines)["event"] for _ in range(2)]
        send_requests(fakeplat, "dev")
        assert "request" == read_event(lines)["event"]
        assert {"event": "position", "id": "3", "data": "3"} == read_event(lines)


def test_a_stream_goes_on_where_another_one_stopped(fakeplat: Fakeplat) -> None:
    """A stream continues after the Last-Event-ID header."""
    for user in ("ada", "eve"):
        send_requests(fakeplat, user)
    headers = {**STREAM, "last-event-id": "2"}
    with httpx.stream("GET", f"{fakeplat.url}{EVENTS}?after=0", headers=headers) as response:
        lines = response.iter_lines()
        send_requests(fakeplat, "dev")
        assert "request" == read_event(lines)["event"]
        assert "3" == read_event(lines)["id"]


def test_a_stream_is_closed_with_its_client(fakeplat: Fakeplat) -> None:
    """A stream leaves no callbacks in the journal after its client has gone."""
    with httpx.stream("GET", f"{fakeplat.url}{EVENTS}?after=-1", headers=STREAM) as response:
        assert 400 == response.status_code
    send_requests(fakeplat)
    with httpx.stream("GET", f"{fakeplat.url}{EVENTS}?after=0", headers=STREAM) as response:
        lines = response.iter_lines()
        read_event(lines)
        assert 1 == fakeplat.bench.journal._waiters
    for _ in range(1000):
        if not fakeplat.bench.journal._waiters:
            break
        httpx.get(f"{fakeplat.url}/_fakeplat/health")
    assert (0, []) == (fakeplat.bench.journal._waiters, fakeplat.bench.journal._callbacks)


def test_a_world_stops_while_somebody_looks() -> None:
    """Stopping a world ends its event streams as complete responses."""
    with fakeplat.start() as world:
        send_requests(world)
        client = httpx.Client()
        response = client.send(client.build_request("GET", f"{world.url}{EVENTS}?after=0", headers=STREAM), stream=True)
        lines = response.iter_lines()
        read_event(lines)
    assert "position" in "".join(lines)
    client.close()


def test_a_client_without_a_server_gets_no_stream() -> None:
    """A stream without a server is refused; without the Accept header the events so far are returned."""
    with fakeplat.start(listen=False) as world, httpx.Client(transport=world.httpx_transport()) as client:
        send_requests(world)
        with pytest.raises(RuntimeError, match="this control route needs a server"):
            client.get(f"http://localhost{EVENTS}?after=0", headers=STREAM)
        assert "event: position" in client.get(f"http://localhost{EVENTS}?after=0").text


async def test_an_application_streams_until_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of the ASGI application ends after a time limit."""
    monkeypatch.setattr(asgi, "_LONGEST_STREAM", SHORT)
    with fakeplat.start(listen=False) as world:
        send_requests(world)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(world.asgi), base_url="http://localhost") as client:
            response = await client.get(f"{EVENTS}?after=0", headers=STREAM)
        assert (200, 1, 0) == (
            response.status_code,
            response.text.count("event: request"),
            world.bench.journal._waiters,
        )


async def test_an_application_stops_when_the_client_is_gone() -> None:
    """The ASGI application stops streaming at the message http.disconnect."""
    sent: list[Any] = []
    received: asyncio.Queue[Any] = asyncio.Queue()
    received.put_nowait({"type": "http.request", "body": b""})

    async def send(message: Any) -> None:
        sent.append(message)
        if message.get("body"):
            received.put_nowait({"type": "http.disconnect"})

    with fakeplat.start(listen=False) as world:
        send_requests(world)
        headers = [(b"host", b"localhost"), (b"accept", b"text/event-stream")]
        scope = {"type": "http", "method": "GET", "path": EVENTS, "query_string": b"after=0", "headers": headers}
        await asyncio.wait_for(world.asgi(scope, received.get, send), 10)
        assert 0 == world.bench.journal._waiters
    names = [name for name, _ in sent[0]["headers"]]
    assert (b"content-type" in names, b"content-length" in names) == (True, False)
    assert [True, False] == [message.get("more_body", False) for message in sent[1:]]


class Server(uvicorn.Server):
    """A server on a thread."""

    def install_signal_handlers(self) -> None:
        """Leave the signals to pytest."""


def test_events_come_through_uvicorn() -> None:
    """Events are streamed through uvicorn, which stops after the client has gone."""
    with fakeplat.start(listen=False) as world:
        server = Server(uvicorn.Config(world.asgi, port=0, log_level="warning"))
        thread = Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                thread.join(0.01)
            url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
            send_requests(world)
            with httpx.stream("GET", f"{url}{EVENTS}?after=0", headers=STREAM) as response:
                lines = response.iter_lines()
                assert ["request", "position"] == [read_event(lines)["event"] for _ in range(2)]
                httpx.get(f"{url}{SITE}", headers=TOKEN)
                assert "request" == read_event(lines)["event"]
        finally:
            server.should_exit = True
            thread.join()


async def test_events_come_through_aiohttp(aiohttp_server: Any) -> None:
    """Events are streamed through aiohttp, and the stream ends with the server."""
    import aiohttp

    with fakeplat.start(listen=False) as world:
        send_requests(world)
        server = await aiohttp_server(world.aiohttp_app())
        async with (
            aiohttp.ClientSession() as session,
            session.get(server.make_url(f"{EVENTS}?after=0"), headers=STREAM) as response,
        ):
            assert b"event: request" in await response.content.readuntil(b"event: position")
            async with session.get(server.make_url(SITE), headers=TOKEN):
                assert b"event: request" in await response.content.readuntil(b"event: position")
            closing = asyncio.create_task(server.close())
            await asyncio.wait_for(response.content.read(), 10)
            await closing
        assert 0 == world.bench.journal._waiters
