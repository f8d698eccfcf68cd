"""Answers that go out badly, over the wire."""

import asyncio

import pytest

from fakeplat.core.operations.http_messages import Delivery, Loss, Response
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.delivery import deliver
from fakeplat.http.request_parser import RawRequest
from tests.http.wire import receive_all, reset_connection, served

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class Badly:
    """Delivers one answer so; ``asked`` is the connection where it was asked for."""

    def __init__(self, delivery: Delivery) -> None:
        self.delivery = delivery
        self.asked: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

    def __call__(self, incoming: RawRequest, connection: Connection) -> PendingResponse:
        self.asked.set_result(connection)
        return deliver(connection, incoming, Response(200, (), b"whole"), self.delivery)


async def test_a_late_answer_comes_to_a_client_that_says_no_more() -> None:
    """A client that closed only its sending side gets a delayed response."""
    async with served(Badly(Delivery(delay=0.05))) as listening:
        assert (await receive_all(listening.port, GET, is_all=True)).endswith(b"whole")


async def test_a_client_that_says_no_more_and_would_never_be_answered_is_left() -> None:
    """A client that closed its sending side is disconnected if a fault withholds its response."""
    async with served(Badly(Delivery(loss="timeout"))) as listening:
        assert b"" == await receive_all(listening.port, GET, is_all=True)


@pytest.mark.parametrize("loss", [None, "timeout", "reset", "truncated", "lost_reply"])
async def test_a_client_that_is_gone_is_left_alone(loss: Loss | None, caplog: pytest.LogCaptureFixture) -> None:
    """A client that resets the connection ends its delayed or lost response without an error."""
    badly = Badly(Delivery(delay=60, loss=loss))
    async with served(badly) as listening:
        _, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        writer.write(GET)
        connection = await badly.asked
        reset_connection(writer)
        assert connection.response_task is not None
        await asyncio.wait_for(connection.response_task, 5)
    assert [] == caplog.messages
