"""A client's connection: requests come in as they are sent, answers go out in the same order."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from fakeplat.core.messages import Response
from fakeplat.http.departing import Departures
from fakeplat.http.reading import Incoming, Most, Reader, refused
from fakeplat.http.sending import CONTINUE, head_and_body

log: Final = logging.getLogger("fakeplat")
_MANY_WAITING: Final = 64
_FULL: Final = 64 * 1024

Later = Coroutine[Any, Any, Response | None]
Answers = Callable[[Incoming, "Connection"], Response | Later]
"""What gives an answer at once, or later; None where the connection was ended instead."""


class Connection(asyncio.Protocol):
    """One connection. ``silent`` is set when the client says no more, as it may still listen; ``gone`` when it is."""

    transport: asyncio.Transport

    def __init__(self, answers: Answers, most: Most, departures: Departures, others: set["Connection"]) -> None:
        self.silent = asyncio.Event()
        self.gone = asyncio.Event()
        self.peer = ""
        self.later: asyncio.Task[None] | None = None
        self._answers = answers
        self._departures = departures
        self._reader = Reader(most)
        self._others = others
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

    def data_received(self, data: bytes) -> None:
        """The client says something."""
        if not self._is_over:
            self._reader.feed(data)
            self._go_on()

    def eof_received(self) -> bool:
        """The client says no more; what it asked for is still answered."""
        self.silent.set()
        return self._is_busy()

    def pause_writing(self) -> None:
        """The client takes no more for now."""
        self._client_is_full = True

    def resume_writing(self) -> None:
        """The client takes more again."""
        self._client_is_full = False
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone, or was left."""
        self._is_over = True
        self._reader.close()
        self._others.discard(self)
        self.silent.set()
        self.gone.set()

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
                self.later = asyncio.get_running_loop().create_task(self._answer_later(incoming, answer))
        return bool(self._out) and not self._is_departing

    def _answer(self, incoming: Incoming) -> Response | Later:
        if incoming.refusal is not None:
            return incoming.refusal
        try:
            return self._answers(incoming, self)
        except Exception as bug:  # noqa: BLE001  # a bug of ours, which must not look like a lost connection
            return _bug(incoming, bug)

    async def _answer_later(self, incoming: Incoming, later: Later) -> None:
        try:
            if self._is_departing:  # what was asked before
                self._departures.let_go()
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

    def _put(self, incoming: Incoming, response: Response) -> None:
        try:
            head, body = head_and_body(incoming, response)
        except ValueError as bug:
            head, body = head_and_body(incoming, _bug(incoming, bug))
        self._out += (head, body)
        self._out_size += len(head) + len(body)
        self._is_last = not incoming.stays

    def depart(self) -> None:
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


def _bug(incoming: Incoming, bug: Exception) -> Response:
    log.error("a bug in fakeplat: %s %s", incoming.method, incoming.target, exc_info=bug)
    return refused(500, "a bug in fakeplat; see its log")
