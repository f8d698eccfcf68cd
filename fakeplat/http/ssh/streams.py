"""The bytes of a session, with limits: on the time that a client may be silent or read nothing, and on its requests."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import asyncssh

from fakeplat.core.store.frozen import frozen
from fakeplat.git.errors import BadRequest
from fakeplat.git.pktline import FLUSH

_LENGTH_SIZE: Final = 4
_PIECE: Final = 64 * 1024
_TERMINAL_REQUESTS: Final = (
    asyncssh.BreakReceived,
    asyncssh.SignalReceived,
    asyncssh.TerminalSizeChanged,
)
_DONE: Final = (b"0009done\n", b"0008done")


class Disconnected(Exception):
    """The client has ended its input, or was silent for too long."""


@frozen
class Limits:
    """Limits of an SSH server, in seconds and bytes.

    ``max_pending`` connections wait for their authentication at a time, each for ``login_timeout`` at most. A session
    ends after ``idle_timeout`` without a byte of its client, or if that reads nothing. ``max_request`` is for what a
    client sends besides a pack.
    """

    login_timeout: float = 20
    idle_timeout: float = 60
    max_pending: int = 100
    max_request: int = 16 * 1024 * 1024


class Stream:
    """The input and output of a session's client."""

    def __init__(self, process: asyncssh.SSHServerProcess[bytes], limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._buffer = bytearray()

    async def read_some(self) -> bytes:
        """Return the next bytes; Disconnected if there are none."""
        if self._buffer:
            content = bytes(self._buffer)
            self._buffer.clear()
            return content
        try:
            async with asyncio.timeout(self._limits.idle_timeout):
                content = await self._read_input()
        except TimeoutError:
            raise Disconnected("the client was silent for too long") from None
        if not content:
            raise Disconnected("the client hung up")
        return content

    async def _read_input(self) -> bytes:
        # Requests that are for terminals come between the bytes; without a terminal nothing happens.
        while True:
            with suppress(*_TERMINAL_REQUESTS):
                return await self._process.stdin.read(_PIECE)

    async def read_packet(self) -> bytes:
        """Return the next line of the protocol with its length; BadRequest if that is none."""
        await self._fill(_LENGTH_SIZE)
        try:
            size = int(self._buffer[:_LENGTH_SIZE], 16)
        except ValueError:
            raise BadRequest("bad line length character") from None
        end = max(size, _LENGTH_SIZE)
        await self._fill(end)
        packet = bytes(self._buffer[:end])
        del self._buffer[:end]
        return packet

    async def read_section(self) -> bytes:
        """Return the lines up to a flush; ``done`` ends the negotiation of a fetch."""
        section = bytearray()
        while True:
            packet = await self.read_packet()
            section += packet
            if packet == FLUSH or packet in _DONE:
                return bytes(section)
            self.check_size(len(section))

    def check_size(self, size: int) -> None:
        """Raise BadRequest if what a client sends besides a pack has more bytes than allowed."""
        if size > self._limits.max_request:
            raise BadRequest("the request is too large")

    async def _fill(self, size: int) -> None:
        while len(self._buffer) < size:
            # The buffer is kept: it has the begin of the line.
            begin = bytes(self._buffer)
            self._buffer.clear()
            self._buffer += begin + await self.read_some()

    async def write(self, content: bytes) -> None:
        """Send bytes, as fast as the client reads them."""
        for piece in _split(content):
            self._process.stdout.write(piece)
            try:
                async with asyncio.timeout(self._limits.idle_timeout):
                    await self._process.stdout.drain()
            except TimeoutError:
                raise Disconnected("the client read nothing for too long") from None

    def write_error(self, text: str) -> None:
        """Send a text that the client shows to its user."""
        self._process.stderr.write(text.encode(errors="surrogateescape"))


def _split(content: bytes) -> Iterator[bytes]:
    view = memoryview(content)
    for start in range(0, len(content), _PIECE):
        yield bytes(view[start : start + _PIECE])
