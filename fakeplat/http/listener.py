"""Listening sockets and their connections."""

import asyncio
import socket
from contextlib import suppress
from ssl import SSLContext
from typing import Any, Final

from fakeplat.http.connection import Connection, ConnectionCount, OpenConnections, RequestHandler
from fakeplat.http.request_parser import Limits
from fakeplat.http.write_barrier import WriteBarrier

WILDCARDS: Final = ("0.0.0.0", "::", "")  # noqa: S104  # compared, not bound
_BACKLOG: Final = 1024
_CLOSE_TIMEOUT: Final = 0.1
# Iterations of the event loop from a connection in the queue to its protocol.
_ACCEPT_ITERATIONS: Final = 2
_MAX_CONNECTIONS: Final = 10_000
# Open files that stay free for everything besides connections, such as tapes.
_RESERVED_FILES: Final = 40


class Listener:
    """A listening socket at ``url``, whose clients wait for `accept`; port 0 is a free one, OSError if it is taken.

    ``write_barrier`` is the write barrier of its responses.
    """

    def __init__(self, host: str, port: int, tls: SSLContext | None = None) -> None:
        self._socket = bind(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.scheme = "http" if tls is None else "https"
        self.url = f"{self.scheme}://{authority(host)}:{self.port}"
        self._tls = tls
        self.write_barrier = WriteBarrier()
        self._connections = OpenConnections()
        self._server: asyncio.Server | None = None

    async def accept(self, handler: RequestHandler, limits: Limits, count: ConnectionCount) -> None:
        """Accept connections."""
        # In two steps, so that a listener which is closed in between knows its server.
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(handler, limits, self.write_barrier, self._connections, count),
            sock=self._socket,
            backlog=_BACKLOG,
            ssl=self._tls,
            start_serving=False,
        )
        await self._server.start_serving()

    async def close(self) -> None:
        """Stop listening and close all connections.

        Responses have 0.1 s to be computed, and 0.1 s to be read by their clients; what is left then is aborted.
        """
        # Its connection factory refers to this listener: break the reference cycle.
        server, self._server = self._server, None
        if server is None:
            self._socket.close()
        else:
            await self._stop_accepting()
            server.close()
        self._connections.listener_is_closed = True
        # A client that has closed its sending side is usually gone: its response is not worth the wait.
        pending = {
            connection.response_task: connection.input_closed.is_set()
            for connection in self._connections
            if connection.response_task is not None
        }
        for connection in self._connections:
            connection.input_closed.set()  # ends the responses that have no end of their own
        await _wait_briefly([task for task, is_silent in pending.items() if not is_silent])
        for task in pending:
            task.cancel()
        self.write_barrier.release()
        for connection in list(self._connections):
            connection.end()
        await _wait_briefly([asyncio.create_task(connection.closed.wait()) for connection in self._connections])
        for connection in list(self._connections):
            connection.transport.abort()

    async def _stop_accepting(self) -> None:
        """Let the connections that are being accepted be opened: a closed server would forget their sockets."""
        with suppress(NotImplementedError):  # on Windows
            asyncio.get_running_loop().remove_reader(self._socket)
        for _ in range(_ACCEPT_ITERATIONS):
            await asyncio.sleep(0)


async def _wait_briefly(tasks: list[asyncio.Task[Any]]) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=_CLOSE_TIMEOUT)


async def listen(
    handler: RequestHandler,
    limits: Limits,
    host: str = "127.0.0.1",
    port: int = 0,
    count: ConnectionCount | None = None,
    tls: SSLContext | None = None,
) -> Listener:
    """Serve requests on a port, 0 for a free one; OSError if it is taken.

    ``count`` limits the connections; several listeners may share one.
    """
    listener = Listener(host, port, tls)
    await listener.accept(handler, limits, count or ConnectionCount(max_connections()))
    return listener


def max_connections() -> int:
    """Return how many connections the process can have open, besides some other files."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows
        return _MAX_CONNECTIONS
    return max(1, min(_MAX_CONNECTIONS, getrlimit(RLIMIT_NOFILE)[0] - _RESERVED_FILES))


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 is a free one, OSError if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A server that is restarted can bind its port although old connections are still in TIME_WAIT.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        raise OSError(error.errno, f"{error.strerror}: {host}:{port}; port 0 selects a free one") from None
    return sock


def authority(host: str) -> str:
    """Return an address as URLs have it."""
    if host in WILDCARDS:  # a wildcard is not an address to connect to
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
