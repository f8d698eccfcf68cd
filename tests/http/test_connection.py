"""A connection that is served: what it says to a client, and when."""

import asyncio
import re

import pytest

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.request_parser import Limits, RawRequest
from tests.http.wire import LAST, receive_all, reset_connection, served

GET = b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n"


def answer_with_target(incoming: RawRequest, connection: Connection) -> Response:
    return Response(200, (), f"[{incoming.target}]".encode())


async def answer_slowly(incoming: RawRequest, connection: Connection) -> Response:
    await asyncio.sleep(0.02)
    return answer_with_target(incoming, connection)


def answer_mixed(incoming: RawRequest, connection: Connection) -> Response | PendingResponse:
    return (
        answer_slowly(incoming, connection) if incoming.target[-1] in "13" else answer_with_target(incoming, connection)
    )


def list_targets(got: bytes) -> list[str]:
    return [target.decode() for target in re.findall(rb"\[(.*?)\]", got)]


async def test_answers_come_in_the_order_of_the_requests() -> None:
    """Responses come in the order of the requests, also if some are computed later than others."""
    async with served(answer_mixed) as listening:
        got = await receive_all(listening.port, b"".join(GET % number for number in range(5)) + LAST)
    assert ["/0", "/1", "/2", "/3", "/4", "/last"] == list_targets(got)


async def test_nothing_is_answered_after_the_last() -> None:
    """Requests after one with Connection: close are not answered."""
    async with served(answer_with_target) as listening:
        assert ["/last"] == list_targets(await receive_all(listening.port, LAST + GET % 1))


async def test_very_many_requests_at_once_are_all_answered() -> None:
    """Hundreds of pipelined requests are all answered in order."""
    async with served(answer_mixed) as listening:
        got = await receive_all(listening.port, GET % 1, *(GET % 2 for _ in range(300)), LAST)
    assert ["/1", *["/2"] * 300, "/last"] == list_targets(got)


async def test_a_client_that_does_not_read_is_waited_for() -> None:
    """Responses are computed only as fast as the client reads them, and it gets them all in the end."""
    requests = []
    connected: asyncio.Queue[Connection] = asyncio.Queue()

    def large(incoming: RawRequest, connection: Connection) -> Response:
        requests.append(incoming)
        connected.put_nowait(connection)
        return Response(200, (), b"x" * 1_000_000)

    async with served(large) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port, limit=1000)
        writer.write(b"".join(GET % number for number in range(100)) + LAST)
        connection = await connected.get()
        # The kernel takes some answers; then the connection stays unwritable, however often the event loop turns.
        turns_unwritable = 0
        while turns_unwritable < 1000:
            await asyncio.sleep(0)
            turns_unwritable = 0 if connection.writable.is_set() else turns_unwritable + 1
        assert len(requests) < 50
        got = 0
        while chunk := await reader.read(1 << 20):
            got += chunk.count(b"x")
        writer.close()
    assert (101, 101_000_000) == (len(requests), got)


async def test_a_client_that_expects_100_continue_gets_it() -> None:
    """A client that waits for 100 Continue gets it, and one that sends its body at once does not."""
    head = b"POST /big HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    async with served(answer_with_target) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(head)
        assert b"HTTP/1.1 100 Continue\r\n\r\n" == await reader.readuntil(b"\r\n\r\n")
        writer.write(b"abc")
        assert (await reader.readuntil(b"]")).startswith(b"HTTP/1.1 200 OK\r\n")
        writer.write(head + b"abc" + LAST)
        assert b"100 Continue" not in await reader.read()
        writer.close()


async def test_what_cannot_be_taken_is_answered_in_its_turn() -> None:
    """A refused request is answered in its turn, and malformed HTTP ends the connection."""
    too_large = b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n" + b"a" * 1001
    async with served(answer_mixed) as listening:
        got = await receive_all(listening.port, GET % 1 + too_large + GET % 3 + b"nonsense\r\n\r\n" + GET % 4)
    assert [b"200", b"413", b"200", b"400"] == re.findall(rb"HTTP/1.1 (\d+)", got)


async def test_closing_lets_answers_under_way_come() -> None:
    """Closing the server waits briefly for responses in progress and then ends the connections."""

    arrived: asyncio.Queue[str] = asyncio.Queue()

    async def never(incoming: RawRequest, connection: Connection) -> Response:
        arrived.put_nowait(incoming.target)
        if incoming.target == "/1":
            return await answer_slowly(incoming, connection)
        await asyncio.Event().wait()
        raise AssertionError

    async with served(never) as listening:
        asking = [asyncio.create_task(receive_all(listening.port, GET % number)) for number in (1, 2)]
        assert {"/1", "/2"} == {await arrived.get(), await arrived.get()}
        await listening.close()
        assert [["/1"], []] == [list_targets(got) for got in await asyncio.gather(*asking)]


async def test_a_client_that_leaves_is_noticed() -> None:
    """A handler is notified when its client closes the connection."""
    arrived, left = asyncio.Event(), asyncio.Event()

    async def wait(incoming: RawRequest, connection: Connection) -> None:
        arrived.set()
        await connection.input_closed.wait()
        left.set()

    async with served(wait, Limits(10)) as listening:
        _, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1)
        await asyncio.wait_for(arrived.wait(), 5)
        assert not left.is_set()
        writer.close()
        await asyncio.wait_for(left.wait(), 5)


@pytest.mark.parametrize("is_held", [False, True])
async def test_a_client_that_says_no_more_gets_all_its_answers(is_held: bool) -> None:
    """A client that closes its sending side, such as `nc -N`, gets all its responses, and the connection is closed."""

    def large(incoming: RawRequest, connection: Connection) -> Response | PendingResponse:
        answer = answer_mixed(incoming, connection)
        return Response(200, (), answer.body + b" " * 1_000_000) if isinstance(answer, Response) else answer

    async with served(large) as listening:
        if is_held:
            listening.write_barrier.before = lambda: None
        for numbers in ((0,), (1,), (0, 1, 2, 3, 4), (1, 1), ()):
            got = await receive_all(listening.port, b"".join(GET % number for number in numbers), is_all=True)
            assert [f"/{number}" for number in numbers] == list_targets(got)


async def test_half_a_request_is_no_reason_to_wait() -> None:
    """A client that closes in the middle of a request gets the responses to its earlier ones only."""
    async with served(answer_mixed) as listening:
        got = await receive_all(
            listening.port, GET % 1 + b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", is_all=True
        )
    assert ["/1"] == list_targets(got)


@pytest.mark.parametrize("is_held", [False, True])
async def test_a_client_is_encouraged_after_the_answers_before(is_held: bool) -> None:
    """100 Continue is sent after the responses to earlier requests."""
    head = b"POST /last HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 3\r\n\r\n"
    async with served(answer_mixed) as listening:
        if is_held:
            listening.write_barrier.before = lambda: None
        for number in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
            writer.write(GET % number + head)
            got = await asyncio.wait_for(reader.readuntil(b"100 Continue\r\n\r\n"), 5)
            writer.write(b"abc")
            assert [f"/{number}", "/last"] == list_targets(got + await reader.read())
            writer.close()


async def test_nothing_is_answered_to_a_client_that_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    """After the client resets the connection its remaining requests are not handled, and nothing is logged."""
    requests = []
    left = asyncio.Event()

    def large(incoming: RawRequest, connection: Connection) -> Response:
        requests.append(incoming)
        if len(requests) == 1:
            reset_connection(writer)
            left.set()
        return Response(200, (), b"x" * 1_000_000)

    async with served(large) as listening:
        _, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1 * 20)
        await asyncio.wait_for(left.wait(), 5)
    assert len(requests) < 20
    assert [] == caplog.messages


async def test_a_client_that_does_not_read_is_left_when_the_server_closes() -> None:
    """Closing the server closes the connection of a client that does not read."""
    asked: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

    def large(incoming: RawRequest, connection: Connection) -> Response:
        asked.set_result(connection)
        return Response(200, (), b"x" * 30_000_000)

    async with served(large) as listening:
        _, writer = await asyncio.open_connection("127.0.0.1", listening.port, limit=1000)
        writer.write(GET % 1)
        connection = await asked
        await listening.close()
        await asyncio.wait_for(connection.closed.wait(), 5)
        writer.close()
