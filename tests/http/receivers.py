"""A receiver of deliveries that treats each request as its path says."""

import asyncio
import gzip
import ssl
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from fakeplat.harness.loop import LoopThread

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-served-by: test\r\n\r\nok"
PART = b"x" * 64 * 1024
FLOOD = 1_000
BOMB = gzip.compress(b"x" * 32 * 1024 * 1024)


class Received(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """``hold`` keeps the answers to `/held` back until it is set."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self._readers: dict[asyncio.StreamWriter, asyncio.StreamReader] = {}
        self._loop = LoopThread()
        self.hold = asyncio.Event()
        self._server = self._loop.run(asyncio.start_server(self._serve, "127.0.0.1", ssl=tls))
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._readers[writer] = reader
        try:
            await self._answer(reader, writer)
        except OSError:
            pass
        finally:
            del self._readers[writer]
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        method, path, _ = first.split()
        self.received.append(
            Received(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))
        )
        behave = BEHAVIOURS.get(path.split("?")[0])
        if behave is not None:
            await behave(self, writer)
        else:
            writer.write(OK)

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.received]

    async def gone(self, writer: asyncio.StreamWriter) -> None:
        """Wait until the client has closed its connection."""
        await self._readers[writer].read()

    def release(self) -> None:
        self._loop.run(self._set())

    async def _set(self) -> None:
        self.hold.set()

    def close(self) -> None:
        self._server.close()
        self._loop.close()


async def _hold(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    await receiver.hold.wait()
    writer.write(OK)


async def _never_answer(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    await receiver.gone(writer)


async def _hang_up(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    del receiver, writer


async def _truncate(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok")


async def _talk_nonsense(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example.test ESMTP\r\n\r\n")


async def _refuse(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\nouch")


async def _redirect(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n")


async def _flood(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(FLOOD):
        writer.write(PART)
        await writer.drain()


async def _send_compressed(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    body = gzip.compress("größe".encode())
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def _send_bomb(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB)


async def _send_bytes(receiver: Receiver, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\no\xffk")


BEHAVIOURS: dict[str, Callable[[Receiver, asyncio.StreamWriter], Awaitable[None]]] = {
    "/held": _hold,
    "/slow": _never_answer,
    "/hangs-up": _hang_up,
    "/truncated": _truncate,
    "/nonsense": _talk_nonsense,
    "/error": _refuse,
    "/redirect": _redirect,
    "/flood": _flood,
    "/compressed": _send_compressed,
    "/bomb": _send_bomb,
    "/bytes": _send_bytes,
}
