"""A client connection: requests are parsed as they arrive and answered in order."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.request_parser import Limits, RawRequest, RequestParser, refuse
from fakeplat.http.response_bytes import CONTINUE, head_and_body
from fakeplat.http.write_barrier import WriteBarrier

log: Final = logging.getLogger("fakeplat")
_MAX_QUEUED_REQUESTS: Final = 64
_MAX_BUFFERED_BYTES: Final = 64 * 1024

PendingResponse = Coroutine[Any, Any, Response | None]
RequestHandler = Callable[[RawRequest, "Connection"], Response | PendingResponse]
"""A request handler. It returns the response, or a coroutine; that gives None if it closed the connection instead."""


class Connection(asyncio.Protocol):
    """One client connection.

    ``input_closed`` is set when the client has closed its sending side (it may still read), ``closed`` when the
    connection is closed. ``writable`` is set unless the client has to read before more is sent. ``response_task`` is
    the task of a response that is still being computed.
    """

    transport: asyncio.Transport

    def __init__(
        self,
        handler: RequestHandler,
        limits: Limits,
        write_barrier: WriteBarrier,
        connections: "OpenConnections",
        count: "ConnectionCount",
    ) -> None:
        self.input_closed = asyncio.Event()
        self.closed = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()
        self.peer = ""
        self.response_task: asyncio.Task[None] | None = None
        self._handler = handler
        self._write_barrier = write_barrier
        self._limits = limits
        self._parser = RequestParser(limits)
        self._connections = connections
        self._count = count
        self._last_active = 0.0
        self._head_since: float | None = None
        self._head_number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unsent_size = 0
        self._out: list[bytes] = []
        self._out_size = 0
        self._client_is_full = False
        self._is_reading_paused = False
        self._is_held = False
        self._is_last = False
        self._is_closed = False

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection; refuse it if too many are open."""
        self.transport = cast(asyncio.Transport, transport)
        address = transport.get_extra_info("peername")
        self.peer = str(address[0]) if address else ""
        if self._connections.listener_is_closed:
            self.transport.abort()
            return
        self._connections.add(self)
        self._loop = asyncio.get_running_loop()
        self._last_active = self._loop.time()
        # No timer is started: end() closes the connection as soon as the refusal is sent.
        if not self._count.add(self):
            self._refuse(503, f"{self._count.limit} connections are open; --max-connections allows no more")
            return
        self._timer = self._loop.call_later(self._limits.idle_timeout, self._check_timeouts)

    def data_received(self, data: bytes) -> None:
        """Parse what the client sent and answer the complete requests."""
        if not self._is_closed:
            self._last_active = self._loop.time()
            self._parser.feed(data)
            self._process_requests()
            if self._parser.is_partial or self._head_since is not None:
                self._reschedule_timeout()

    def eof_received(self) -> bool:
        """Note that the client sends nothing more; outstanding requests are still answered."""
        self.input_closed.set()
        return self._is_busy()  # True keeps the connection open for writing

    def pause_writing(self) -> None:
        """Stop answering until the client has read more of its responses."""
        self._client_is_full = True
        self.writable.clear()
        self._last_active = self._loop.time()
        # From now on the idle timeout depends on whether the client reads, which makes this size smaller.
        self._unsent_size = self.transport.get_write_buffer_size()

    def resume_writing(self) -> None:
        """Continue answering."""
        self._client_is_full = False
        self.writable.set()
        self._process_requests()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Clean up after either side has closed the connection."""
        self._is_closed = True
        self._parser.close()
        self._connections.discard(self)
        self._count.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        self.input_closed.set()
        self.closed.set()

    # Timeouts

    def _reschedule_timeout(self) -> None:
        """Start the timeout for the rest of an incomplete request."""
        if not self._parser.in_head:
            self._head_since = None
        elif self._head_since is None or self._head_number != self._parser.number:
            self._head_since, self._head_number = self._last_active, self._parser.number
        else:
            return  # the head timeout runs from the first byte of the head; further parts do not extend it
        if self._timer is not None and not self._is_closed:
            self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline(), self._check_timeouts)

    def _deadline(self) -> float:
        if self._head_since is not None:
            return self._head_since + self._limits.head_timeout
        if self._parser.is_partial:
            return self._last_active + self._limits.body_timeout
        return self._last_active + self._limits.idle_timeout

    def _check_timeouts(self) -> None:
        """Close a connection that was inactive for too long, unless the client waits for a response."""
        # A complete request does not move the timer, which would cost every request a cancelled timer: when it fires,
        # it is set again for the current deadline.
        now, deadline = self._loop.time(), self._deadline()
        if now >= deadline and (self.response_task is not None or self._is_client_reading()):
            deadline = now + self._limits.idle_timeout
        if now < deadline:
            self._timer = self._loop.call_at(deadline, self._check_timeouts)
            return
        self._timer = None
        if self._parser.is_partial:
            part = "head" if self._head_since is not None else "body"
            self._refuse(408, f"the {part} of the request did not arrive in time")
        elif self._client_is_full:
            # end() would wait until the client has read its responses, which it does not.
            self.transport.abort()
        else:
            self.end()

    def _is_client_reading(self) -> bool:
        """Return whether a client with unread output has read some of it since the last check."""
        unsent_size, self._unsent_size = self._unsent_size, self.transport.get_write_buffer_size()
        return self._client_is_full and self._unsent_size < unsent_size

    def _refuse(self, status: int, text: str) -> None:
        """Send an error response and close the connection."""
        # The refusal may come before any request, so the response is written for an invented one.
        incoming = RawRequest("GET", "/", "1.1", {}, b"", keep_alive=False)
        self.transport.write(b"".join(head_and_body(incoming, refuse(status, text))))
        self.end()

    # Handling requests

    def _process_requests(self) -> None:
        """Answer the queued requests until one has to wait or the client stops reading."""
        while (self._out or self._parser.complete) and self._fill_buffer():
            if self._write_barrier.hold(self):
                self._is_held = True
                return
            self._send()
        if not self._is_closed:
            self._update_reading()

    def _fill_buffer(self) -> bool:
        """Answer requests into the output buffer; return whether the buffer is to be sent now."""
        requests = self._parser.complete
        # Responses go out in the order of the requests (pipelining), so nothing overtakes one that is still computed.
        while (
            requests
            and self.response_task is None
            and not (self._client_is_full or self._is_last)
            and self._out_size < _MAX_BUFFERED_BYTES
        ):
            incoming = requests.popleft()
            response = self._handle(incoming)
            if isinstance(response, Response):
                self._append(incoming, response)
            else:
                self.response_task = self._loop.create_task(self._await_response(incoming, response))
        return bool(self._out) and not self._is_held

    def _handle(self, incoming: RawRequest) -> Response | PendingResponse:
        if incoming.refusal is not None:
            return incoming.refusal
        try:
            return self._handler(incoming, self)
        except Exception as bug:  # noqa: BLE001  # our own bug must not look like a lost connection
            return _bug_response(incoming, bug)

    async def _await_response(self, incoming: RawRequest, later: PendingResponse) -> None:
        try:
            if self._is_held:  # earlier responses must not wait for this one
                self._write_barrier.release()
            response = await later
        except Exception as bug:  # noqa: BLE001
            response = _bug_response(incoming, bug)
        self.response_task = None
        if response is None:
            self.end()
        elif not self._is_closed:
            self._append(incoming, response)
            self._process_requests()

    def _update_reading(self) -> None:
        """Apply back-pressure, send 100 Continue, or close once everything is sent."""
        # While the queue is over its limit, further requests stay with the kernel, and finally with the client.
        if self._is_reading_paused != (len(self._parser.complete) > _MAX_QUEUED_REQUESTS):
            self._is_reading_paused = not self._is_reading_paused
            (self.transport.pause_reading if self._is_reading_paused else self.transport.resume_reading)()
        if self._parser.expects_continue and not self._is_busy():
            self._parser.expects_continue = False
            self.transport.write(CONTINUE)
        # A client that sends nothing more gets its last responses, and then the connection ends.
        if self.input_closed.is_set() and not self._is_busy():
            self.end()

    def _is_busy(self) -> bool:
        """Return whether responses are still to be computed or sent."""
        return self.response_task is not None or bool(self._out or self._parser.complete)

    # Writing

    def _append(self, incoming: RawRequest, response: Response) -> None:
        try:
            head, body = head_and_body(incoming, response)
        # A header with a line break cannot be sent. Nothing was sent yet, so the response can still be replaced.
        except ValueError as bug:
            head, body = head_and_body(incoming, _bug_response(incoming, bug))
        self._out += (head, body)
        self._out_size += len(head) + len(body)
        # Requests behind the last one are not answered: the client has announced that it sends none.
        self._is_last = not incoming.keep_alive

    def flush(self) -> None:
        """Send the buffered responses and continue."""
        self._is_held = False
        self._send()
        self._process_requests()

    def _send(self) -> None:
        chunks, self._out, self._out_size = self._out, [], 0
        if self.transport.is_closing():  # connection_lost() follows
            self._parser.complete.clear()
            return
        # Not writelines(): asyncio's of Python 3.12 and 3.13.0 does not pause writing when a client reads too slowly.
        self.transport.write(b"".join(chunks))
        if self._is_last:
            self.end()

    def end(self) -> None:
        """Close the connection after sending what is buffered by the transport."""
        if not self._is_closed:
            self._is_closed = True
            self._parser.close()
            self.transport.close()


class OpenConnections(set[Connection]):
    """The open connections of a listener. Once that is closed, none is opened any more, as after a TLS handshake."""

    listener_is_closed = False


class ConnectionCount:
    """The open connections of a server with all its worlds, and their maximum."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: set[Connection] = set()

    def has_room(self) -> bool:
        """Return whether another connection may be opened."""
        return len(self._open) < self.limit

    def add(self, connection: Connection) -> bool:
        """Count a connection; return False, without counting it, if the maximum is reached."""
        if not self.has_room():
            return False
        self._open.add(connection)
        return True

    def discard(self, connection: Connection) -> None:
        """Stop counting a connection."""
        self._open.discard(connection)


def _bug_response(incoming: RawRequest, bug: Exception) -> Response:
    log.error("a bug in fakeplat: %s %s", incoming.method, incoming.target, exc_info=bug)
    return refuse(500, "a bug in fakeplat; see its log for the traceback")
