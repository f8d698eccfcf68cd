"""What is done before answers leave."""

import asyncio

import pytest

from fakeplat.core.operations.http_messages import Delivery, Loss, Response
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.delivery import deliver
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.write_barrier import WriteBarrier
from tests.http.wire import LAST, receive_all, served

GET = b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n"


async def test_no_client_has_an_answer_before_it_is_done() -> None:
    """No response is sent before the write barrier has run, for handlers of both kinds."""
    targets: list[str] = []
    done: list[str] = []

    def answers(incoming: RawRequest, connection: Connection) -> Response:
        targets.append(incoming.target)
        return Response(200, (), str(len(targets)).encode())

    async def later(incoming: RawRequest, connection: Connection) -> Response:
        await asyncio.sleep(0)
        return answers(incoming, connection)

    def before() -> None:
        done[:] = targets

    for way in (answers, later):
        targets.clear()
        async with served(way) as listening:
            listening.write_barrier.before = before
            reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
            for number in range(1, 30, 3):
                writer.write(GET % number * 3)
                for _ in range(3):
                    head = await reader.readuntil(b"\r\n\r\n")
                    size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
                    assert int(await reader.readexactly(size)) <= len(done)
            writer.close()
        assert 30 == len(targets)


async def test_answers_of_one_turn_leave_together() -> None:
    """Responses of one turn of the event loop share one run of the write barrier."""
    turns = []
    async with served(lambda incoming, connection: Response(200)) as listening:
        listening.write_barrier.before = lambda: turns.append(1)
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(receive_all(listening.port, GET % 1 * 10, LAST))
    assert len(turns) < 60


class Leaving:
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def flush(self) -> None:
        self.log.append("left")


async def test_what_is_held_can_be_let_go_before_the_turn_ends() -> None:
    """Held responses can be released before the turn ends, and are sent once."""
    log: list[str] = []
    departures = WriteBarrier()
    assert not departures.hold(Leaving(log))
    departures.before = lambda: log.append("done")
    assert all(departures.hold(Leaving(log)) for _ in range(2))
    departures.release()
    assert ["done", "left", "left"] == log
    await asyncio.sleep(0)
    assert 2 == log.count("left")


@pytest.mark.parametrize("loss", ["lost_reply", "reset", "truncated"])
async def test_a_connection_that_is_broken_breaks_after_the_answers_before(loss: Loss) -> None:
    """A fault that breaks the connection does so after the responses to earlier requests."""
    whole, half = Response(200, (), b"[first]"), Response(200, (), b"[second]", Delivery(loss=loss))

    def answers(incoming: RawRequest, connection: Connection) -> Response | PendingResponse:
        return whole if incoming.target == "/1" else deliver(connection, incoming, half, Delivery(loss=loss))

    async with served(answers) as listening:
        listening.write_barrier.before = lambda: None
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET % 1 + GET % 2)
        assert b"[first]" in await asyncio.wait_for(reader.readuntil(b"[first]"), 5)
        writer.close()


async def test_answers_leave_though_a_tape_cannot_be_written() -> None:
    """Responses are sent although the write barrier fails, and its exception is reported."""
    errors: list[str] = []

    def broken() -> None:
        raise RuntimeError("a bug of a test")

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(str(context["exception"])))
    async with served(lambda incoming, connection: Response(200)) as listening:
        listening.write_barrier.before = broken
        assert (await receive_all(listening.port, LAST)).startswith(b"HTTP/1.1 200 OK")
        listening.write_barrier.before = None
    assert ["a bug of a test"] == errors
