"""Streaming responses: their chunks are sent to a connection, or through another server."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from typing import Any, Final

from fakeplat.core.operations.http_messages import Response, StreamingResponse
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.delivery import deliver
from fakeplat.http.request_parser import RawRequest
from fakeplat.http.response_bytes import head_of_stream

log: Final = logging.getLogger("fakeplat")


async def forward(
    chunks: AsyncGenerator[bytes, None],
    send: Callable[[bytes], Awaitable[object]],
    gone: Coroutine[Any, Any, object],
    *,
    limit: float | None = None,
) -> None:
    """Send chunks until there are no more, the client is ``gone``, or ``limit`` seconds are over; then close them."""
    tasks = [asyncio.ensure_future(_send_all(chunks, send)), asyncio.ensure_future(gone)]
    try:
        await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await chunks.aclose()


async def _send_all(chunks: AsyncGenerator[bytes, None], send: Callable[[bytes], Awaitable[object]]) -> None:
    try:
        async for chunk in chunks:
            await send(chunk)
    except OSError:
        return  # the client went away while a chunk was sent
    except Exception as bug:  # the status has been sent, so the body can only end
        log.error("a bug in fakeplat: a response broke off", exc_info=bug)


async def answer_or_stream(connection: Connection, incoming: RawRequest, pending: PendingResponse) -> Response | None:
    """Return a response; None if it was streamed to the connection, or lost by a fault, which is to be closed."""
    response = await pending
    if response is not None and response.delivery is not None:
        return await deliver(connection, incoming, response, response.delivery)
    if not isinstance(response, StreamingResponse) or incoming.method == "HEAD":
        return response
    is_chunked = incoming.version != "1.0"
    connection.transport.write(head_of_stream(incoming, response, is_chunked=is_chunked))

    async def send(chunk: bytes) -> None:
        connection.transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if is_chunked else chunk)
        # Nothing more is computed for a client that does not read.
        await connection.writable.wait()

    await forward(response.chunks, send, connection.input_closed.wait())
    if is_chunked and not connection.closed.is_set():
        connection.transport.write(b"0\r\n\r\n")
    return None
