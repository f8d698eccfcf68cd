"""Answers that go out badly, because a test author said so: late, not whole, or not at all."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from struct import pack
from typing import Final

from fakeplat.core.operations.http_messages import Delivery, Loss, Response
from fakeplat.http.connection import Connection
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.response_bytes import head_and_body

_AT_ONCE: Final = pack("ii", 1, 0)

Loser = Callable[[Connection, RawRequest, Response], Awaitable[None]]


async def deliver(
    connection: Connection, incoming: RawRequest, response: Response, delivery: Delivery
) -> Response | None:
    """Send an answer as badly as it shall be; other connections go on meanwhile."""
    if delivery.delay:
        await _client_waits(connection, delivery.delay)
    if connection.gone.is_set():
        return None
    if delivery.loss is None:
        return response
    await _LOSERS[delivery.loss](connection, incoming, response)
    return None


async def _client_waits(connection: Connection, seconds: float) -> None:
    """Let time pass while the client is there."""
    try:
        async with asyncio.timeout(seconds):
            await connection.gone.wait()
    except TimeoutError:
        return


async def _never(connection: Connection, incoming: RawRequest, response: Response) -> None:
    """Wait until the client gives up."""
    del incoming, response
    await connection.silent.wait()


async def _reset(connection: Connection, incoming: RawRequest, response: Response) -> None:
    """Break the connection: the client is told that it was reset."""
    del incoming, response
    connection.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    connection.transport.abort()


async def _lost(connection: Connection, incoming: RawRequest, response: Response) -> None:
    """Close the connection without a word."""
    del incoming, response
    connection.end()


async def _truncated(connection: Connection, incoming: RawRequest, response: Response) -> None:
    """Announce the whole body, send half of it and close; where there is no body to cut, send nothing."""
    head, body = head_and_body(incoming, response)
    if body:
        connection.transport.writelines((head, body[: len(body) // 2]))
    connection.end()


_LOSERS: Final[Mapping[Loss, Loser]] = {
    "timeout": _never,
    "reset": _reset,
    "lost_reply": _lost,
    "truncated": _truncated,
}
