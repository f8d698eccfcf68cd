"""Delivery faults declared by a test: responses that arrive late, truncated or not at all."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from struct import pack
from typing import Final

from fakeplat.core.operations.http_messages import Delivery, Loss, Response
from fakeplat.http.connection import Connection
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.response_bytes import head_and_body

# C's struct linger: it is enabled, and its time is 0 seconds.
_NO_LINGER: Final = pack("ii", 1, 0)

_Fault = Callable[[Connection, RawRequest, Response], Awaitable[None]]


async def deliver(
    connection: Connection, incoming: RawRequest, response: Response, delivery: Delivery
) -> Response | None:
    """Delay or lose a response as declared; return None if nothing is left to be sent."""
    if delivery.delay:
        await _delay(connection, delivery.delay)
    if connection.closed.is_set():
        return None
    if delivery.loss is None:
        return response
    await _FAULTS[delivery.loss](connection, incoming, response)
    return None


async def _delay(connection: Connection, seconds: float) -> None:
    """Wait, but no longer than the client stays connected."""
    try:
        async with asyncio.timeout(seconds):
            await connection.closed.wait()
    except TimeoutError:
        return


async def _time_out(connection: Connection, _incoming: RawRequest, _response: Response) -> None:
    """Send nothing until the client gives up."""
    await connection.input_closed.wait()


async def _reset(connection: Connection, _incoming: RawRequest, _response: Response) -> None:
    """Reset the connection (RST)."""
    # With a linger time of zero, closing the socket sends RST instead of FIN.
    connection.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    connection.transport.abort()


async def _lose_reply(connection: Connection, _incoming: RawRequest, _response: Response) -> None:
    """Close the connection without a response."""
    connection.end()


async def _truncate(connection: Connection, incoming: RawRequest, response: Response) -> None:
    """Announce the full body, send half of it and close; send nothing if the response has no body."""
    head, body = head_and_body(incoming, response)
    if body:
        connection.transport.write(head + body[: len(body) // 2])
    connection.end()


_FAULTS: Final[Mapping[Loss, _Fault]] = {
    "timeout": _time_out,
    "reset": _reset,
    "lost_reply": _lose_reply,
    "truncated": _truncate,
}
