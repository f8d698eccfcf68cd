"""A socket where clients are listened to, and their connections."""

import asyncio
import socket
from typing import Any, Final

from fakeplat.http.connection import Answers, Connection, ConnectionCount
from fakeplat.http.request_parser import Limits
from fakeplat.http.write_barrier import WriteBarrier

WILDCARDS: Final = ("0.0.0.0", "::", "")  # noqa: S104  # compared, not bound
_BACKLOG: Final = 1024
_PATIENCE: Final = 0.1
_MOST_CONNECTIONS: Final = 10_000
_OTHER_FILES: Final = 40


class Listener:
    """What listens at ``url`` until it is closed; ``departures`` are those of its answers."""

    def __init__(self, host: str, port: int) -> None:
        self.port = port
        self.url = f"http://{_authority(host)}:{port}"
        self.departures = WriteBarrier()
        self._connections: set[Connection] = set()
        self._listener: asyncio.Server | None = None

    async def open(self, listening: socket.socket, answers: Answers, limits: Limits, count: ConnectionCount) -> None:
        """Let clients in."""
        self._listener = await asyncio.get_running_loop().create_server(
            lambda: Connection(answers, limits, self.departures, self._connections, count),
            sock=listening,
            backlog=_BACKLOG,
        )

    async def close(self) -> None:
        """Listen no more and close all connections; answers have a moment to be made, and one to be taken."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None  # it refers back to this, through what makes connections
        making = {one.later: one.silent.is_set() for one in self._connections if one.later is not None}
        await _a_moment([task for task, is_left in making.items() if not is_left])
        for task in making:
            task.cancel()
        self.departures.release()
        for connection in list(self._connections):
            connection.end()
        await _a_moment([asyncio.create_task(connection.gone.wait()) for connection in self._connections])
        for connection in list(self._connections):
            connection.transport.abort()


async def _a_moment(tasks: list[asyncio.Task[Any]]) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=_PATIENCE)


async def listen(
    answers: Answers, limits: Limits, host: str = "127.0.0.1", port: int = 0, count: ConnectionCount | None = None
) -> Listener:
    """Answer what is asked on a port, 0 for a free one; OSError if it is taken.

    ``count`` counts the connections, of several listening sockets together where they share it.
    """
    sock = _socket(host, port)
    listening = Listener(host, sock.getsockname()[1])
    await listening.open(sock, answers, limits, count or ConnectionCount(max_connections()))
    return listening


def max_connections() -> int:
    """As many connections as the process can have open, and some files beside them."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows
        return _MOST_CONNECTIONS
    return max(1, min(_MOST_CONNECTIONS, getrlimit(RLIMIT_NOFILE)[0] - _OTHER_FILES))


def _socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def _authority(host: str) -> str:
    if host in WILDCARDS:  # which are no addresses to connect to
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
