"""A server with given responses, and raw connections to it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from struct import pack

from fakeplat.http.connection import RequestHandler
from fakeplat.http.listener import Listener, listen
from fakeplat.http.request_parser import Limits

LIMITS = Limits(body=1000)
LAST = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def reset_connection(writer: asyncio.StreamWriter) -> None:
    """Reset the connection."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def served(answers: RequestHandler, limits: Limits = LIMITS) -> AsyncIterator[Listener]:
    listener = await listen(answers, limits)
    try:
        yield listener
    finally:
        await listener.close()


async def receive_all(port: int, *parts: bytes, is_all: bool = False) -> bytes:
    """Send parts one after the other, then EOF if ``is_all``; return all received bytes until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        if is_all:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
