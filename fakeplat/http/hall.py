"""A server of several isolated worlds, each on a port of its own."""

import asyncio
import socket
from collections.abc import Sequence

from aiohttp import web
from attrs import field, mutable

from fakeplat.core.frozen import frozen
from fakeplat.http.door import Door
from fakeplat.http.origins import Origins
from fakeplat.workbench.bench import Bench


@frozen(eq=False)
class Served:
    """A world that is being served."""

    id: int
    bench: Bench
    url: str
    port: int
    door: Door
    server: web.Server
    listener: asyncio.Server

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self.listener.close()
        await self.server.shutdown(0.1)


@mutable(eq=False)
class Hall:
    """All worlds of a server.

    ``allowed`` are host names beyond this machine's own; ``key`` guards the control routes.
    """

    host: str = "127.0.0.1"
    allowed: Sequence[str] = ()
    key: str | None = None
    worlds: dict[int, Served] = field(factory=dict)
    _last: int = 0

    async def open(self, bench: Bench, *, port: int = 0, base_url: str | None = None) -> Served:
        """Serve a world; OSError if the port is taken."""
        from fakeplat.http.control import Control  # control routes open worlds themselves

        listening = _listening(self.host, port)
        number = listening.getsockname()[1]
        own = [] if self.host in ("0.0.0.0", "::", "") else [self.host]  # noqa: S104  # compared, not bound
        door = Door(bench.platform, Origins(allowed=[*self.allowed, *own], base_url=base_url), Control(self, bench))
        server = door.server()
        listener = await asyncio.get_running_loop().create_server(server, sock=listening, backlog=1024)
        self._last += 1
        url = base_url.rstrip("/") if base_url else f"http://{_authority(self.host)}:{number}"
        served = Served(self._last, bench, url, number, door, server, listener)
        self.worlds[served.id] = served
        return served

    async def close(self, id_: int) -> None:
        """Serve a world no more; KeyError if there is none."""
        await self.worlds.pop(id_).close()

    async def close_all(self) -> None:
        """Serve nothing."""
        for id_ in list(self.worlds):
            await self.close(id_)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def _authority(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  # a wildcard is no address to connect to
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
