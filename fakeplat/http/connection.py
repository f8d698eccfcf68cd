"""A client's connection: requests come in as they are sent, answers go out in the same order."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.request_parser import Limits, RawRequest, RequestParser, refuse
from fakeplat.http.response_bytes import CONTINUE, head_and_body
from fakeplat.http.write_barrier import WriteBarrier

log: Final = logging.getLogger("fakeplat")
_MANY_WAITING: Final = 64
_FULL: Final = 64 * 1024

Later = Coroutine[Any, Any, Response | None]
Answers = Callable[[RawRequest, "Connection"], Response | Later]
"""What gives an answer at once, or later; None where the connection was ended instead."""


class Connection(asyncio.Protocol):
    """One connection. ``silent`` is set when the client says no more, as it may still listen; ``gone`` when it is."""

    transport: asyncio.Transport

    def __init__(
        self,
        answers: Answers,
        limits: Limits,
        departures: WriteBarrier,
        others: set["Connection"],
        count: "ConnectionCount",
    ) -> None:
        self.silent = asyncio.Event()
        self.gone = asyncio.Event()
        self.peer = ""
        self.later: asyncio.Task[None] | None = None
        self._answers = answers
        self._departures = departures
        self._limits = limits
        self._reader = RequestParser(limits)
        self._others = others
        self._count = count
        self._heard_at = 0.0
        self._head_since: float | None = None
        self._head_number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unsent = 0
        self._out: list[bytes] = []
        self._out_size = 0
        self._client_is_full = False
        self._client_waits = False
        self._is_departing = False
        self._is_last = False
        self._is_over = False

    # what the loop says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self.transport = cast(asyncio.Transport, transport)
        name = transport.get_extra_info("peername")
        self.peer = str(name[0]) if name else ""
        self._others.add(self)
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()
        if not self._count.add(self):
            self._refuse(503, f"{self._count.limit} connections are open; more are not served (--max-connections)")
            return
        self._timer = self._loop.call_later(self._limits.idle_timeout, self._check_timeouts)

    def data_received(self, data: bytes) -> None:
        """The client says something."""
        if not self._is_over:
            self._heard_at = self._loop.time()
            self._reader.feed(data)
            self._go_on()
            if self._reader.is_partial or self._head_since is not None:
                self._expect_rest()

    def eof_received(self) -> bool:
        """The client says no more; what it asked for is still answered."""
        self.silent.set()
        return self._is_busy()

    def pause_writing(self) -> None:
        """The client takes no more for now."""
        self._client_is_full = True
        self._heard_at = self._loop.time()
        self._unsent = self.transport.get_write_buffer_size()

    def resume_writing(self) -> None:
        """The client takes more again."""
        self._client_is_full = False
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone, or was left."""
        self._is_over = True
        self._reader.close()
        self._others.discard(self)
        self._count.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        self.silent.set()
        self.gone.set()

    # time-outs

    def _expect_rest(self) -> None:
        """Have the rest of a request that has begun come in time."""
        if not self._reader.in_head:
            self._head_since = None
        elif self._head_since is None or self._head_number != self._reader.number:
            self._head_since, self._head_number = self._heard_at, self._reader.number
        else:
            return  # the time for a head runs from its first byte on
        if self._timer is not None and not self._is_over:
            self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline(), self._check_timeouts)

    def _deadline(self) -> float:
        if self._head_since is not None:
            return self._head_since + self._limits.head_timeout
        if self._reader.is_partial:
            return self._heard_at + self._limits.body_timeout
        return self._heard_at + self._limits.idle_timeout

    def _check_timeouts(self) -> None:
        """Leave a client that has been silent for too long, unless it waits for its answer."""
        now, deadline = self._loop.time(), self._deadline()
        if now >= deadline and (self.later is not None or self._is_taking()):
            deadline = now + self._limits.idle_timeout
        if now < deadline:
            self._timer = self._loop.call_at(deadline, self._check_timeouts)
            return
        self._timer = None
        if self._reader.is_partial:
            what = "head" if self._head_since is not None else "body"
            self._refuse(408, f"the {what} of the request did not come in time")
        elif self._client_is_full:
            self.transport.abort()
        else:
            self.end()

    def _is_taking(self) -> bool:
        """Whether a client that was full takes its answer, however slowly."""
        unsent, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        return self._client_is_full and self._unsent < unsent

    def _refuse(self, status: int, text: str) -> None:
        """Answer what is no request, and end."""
        incoming = RawRequest("GET", "/", "1.1", {}, b"", stays=False)
        self.transport.writelines(head_and_body(incoming, refuse(status, text)))
        self.end()

    # answering

    def _go_on(self) -> None:
        """Answer what waits, for as long as answers are there at once and the client takes them."""
        while self._fill():
            if self._departures.hold(self):
                self._is_departing = True
                return
            self._send()
        if not self._is_over:
            self._listen()

    def _fill(self) -> bool:
        """Make answers; whether they shall be sent now."""
        waiting = self._reader.complete
        while waiting and self.later is None and not (self._client_is_full or self._is_last) and self._out_size < _FULL:
            incoming = waiting.popleft()
            answer = self._answer(incoming)
            if isinstance(answer, Response):
                self._put(incoming, answer)
            else:
                self.later = self._loop.create_task(self._answer_later(incoming, answer))
        return bool(self._out) and not self._is_departing

    def _answer(self, incoming: RawRequest) -> Response | Later:
        if incoming.refusal is not None:
            return incoming.refusal
        try:
            return self._answers(incoming, self)
        except Exception as bug:  # noqa: BLE001  # a bug of ours, which must not look like a lost connection
            return _bug(incoming, bug)

    async def _answer_later(self, incoming: RawRequest, later: Later) -> None:
        try:
            if self._is_departing:  # what was asked before
                self._departures.release()
            response = await later
        except Exception as bug:  # noqa: BLE001
            response = _bug(incoming, bug)
        self.later = None
        if response is None:
            self.end()
        elif not self._is_over:
            self._put(incoming, response)
            self._go_on()

    def _listen(self) -> None:
        """Let a client wait that asks faster than it is answered, or encourage it, or leave it when it has all."""
        if self._client_waits != (len(self._reader.complete) > _MANY_WAITING):
            self._client_waits = not self._client_waits
            (self.transport.pause_reading if self._client_waits else self.transport.resume_reading)()
        if self._reader.is_asked and not self._is_busy():
            self._reader.is_asked = False
            self.transport.write(CONTINUE)
        if self.silent.is_set() and not self._is_busy():
            self.end()

    def _is_busy(self) -> bool:
        """Whether answers are still to be made or sent."""
        return self.later is not None or bool(self._out or self._reader.complete)

    # writing

    def _put(self, incoming: RawRequest, response: Response) -> None:
        try:
            head, body = head_and_body(incoming, response)
        except ValueError as bug:
            head, body = head_and_body(incoming, _bug(incoming, bug))
        self._out += (head, body)
        self._out_size += len(head) + len(body)
        self._is_last = not incoming.stays

    def flush(self) -> None:
        """Send what is ready, and go on."""
        self._is_departing = False
        self._send()
        self._go_on()

    def _send(self) -> None:
        out, self._out, self._out_size = self._out, [], 0
        if self.transport.is_closing():  # the client is gone, as will be said
            self._reader.complete.clear()
            return
        self.transport.writelines(out)
        if self._is_last:
            self.end()

    def end(self) -> None:
        """Send what is left to be sent, and close."""
        if not self._is_over:
            self._is_over = True
            self._reader.close()
            self.transport.close()


class ConnectionCount:
    """The open connections of a server, all its worlds together, and how many there may be."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: set[Connection] = set()

    def has_room(self) -> bool:
        """Return whether one more may be opened."""
        return len(self._open) < self.limit

    def add(self, connection: Connection) -> bool:
        """Count a connection, unless that would be one too many."""
        if not self.has_room():
            return False
        self._open.add(connection)
        return True

    def discard(self, connection: Connection) -> None:
        """Count a connection no more."""
        self._open.discard(connection)


def _bug(incoming: RawRequest, bug: Exception) -> Response:
    log.error("a bug in fakeplat: %s %s", incoming.method, incoming.target, exc_info=bug)
    return refuse(500, "a bug in fakeplat; see its log")
