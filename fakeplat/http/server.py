"""A server of several isolated worlds, each on its own port."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count
from ssl import SSLContext
from typing import TYPE_CHECKING

from attrs import field, mutable

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.http.connection import ConnectionCount
from fakeplat.http.dispatcher import LIMITS, Control, Dispatcher
from fakeplat.http.due_tasks import DueTasks
from fakeplat.http.listener import WILDCARDS, Listener, max_connections
from fakeplat.http.origins import Origins, parse_base_url
from fakeplat.http.outgoing_sender import TIMEOUT, OutgoingSender
from fakeplat.http.request_parser import Limits
from fakeplat.platform import Observer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import JournalLimits

if TYPE_CHECKING:
    from fakeplat.http.ssh.server import SshServer
    from fakeplat.http.workers import WorkerPool


@frozen(eq=False)
class RunningWorld:
    """A world that is being served."""

    id: int
    bench: Workbench
    url: str
    dispatcher: Dispatcher
    listener: Listener
    sender: OutgoingSender
    due_tasks: DueTasks | None = None

    @property
    def port(self) -> int:
        """The port that the world listens on."""
        return self.listener.port


@mutable(eq=False)
class WorldServer:
    """All worlds of a server.

    ``allowed`` are host names besides this machine's own; ``key`` protects the control routes. ``journal`` limits
    the journal of each world, ``limits`` the requests, ``connections`` the number of connections. With
    ``allows_egress``, webhooks of all worlds are sent to other machines too; ``delivery_timeout`` (seconds) limits the
    wait for their receivers. With ``tls`` they are served over HTTPS. ``observers`` are told of each request.
    ``workers`` serve the further worlds; the server of a worker has a ``parent``, the URL of the one that started it.
    With ``runs_due_tasks``, tasks run when they are due, not only before the next request. Nobody may look at a world
    without a request then, as that would see it before or after them by chance.
    """

    host: str = "127.0.0.1"
    allowed: Sequence[str] = ()
    key: str | None = None
    journal: JournalLimits = field(factory=JournalLimits)
    limits: Limits = LIMITS
    connections: ConnectionCount = field(factory=lambda: ConnectionCount(max_connections()))
    allows_egress: bool = False
    delivery_timeout: float = TIMEOUT
    tls: SSLContext | None = None
    observers: Sequence[Observer] = ()
    parent: str | None = None
    runs_due_tasks: bool = False
    workers: "WorkerPool | None" = None
    worlds: dict[int, RunningWorld] = field(factory=dict)
    _ssh_servers: "dict[int, SshServer]" = field(factory=dict)
    ids: Iterator[int] = field(factory=lambda: count(1))

    async def open(
        self, bench: Workbench, *, port: int = 0, base_url: str | None = None, id_: int | None = None
    ) -> RunningWorld:
        """Serve a world; OSError if the port is taken, InvalidOption if ``base_url`` is not an origin."""
        world = self.bind(bench, asyncio.get_running_loop(), port=port, base_url=base_url, id_=id_)
        await self.accept(world)
        return world

    def bind(
        self,
        bench: Workbench,
        loop: asyncio.AbstractEventLoop,
        *,
        port: int = 0,
        base_url: str | None = None,
        id_: int | None = None,
    ) -> RunningWorld:
        """Give a world a port, where its clients wait for `accept` on the loop; any thread may call this."""
        origin = None if base_url is None else parse_base_url(base_url)
        # A wildcard address names no host. Any other one was chosen by the user, so clients may use it.
        own_host = [] if self.host in WILDCARDS else [self.host]
        due_tasks = DueTasks(bench.platform, loop) if self.runs_due_tasks else None
        dispatcher = Dispatcher(
            bench.platform.handle_on_loop,
            Origins(allowed=[*self.allowed, *own_host], base_url=origin),
            self.control(bench, due_tasks),
            "http" if self.tls is None else "https",
        )
        listener = Listener(self.host, port, self.tls)
        bench.journal.limits = self.journal
        bench.platform.observers += self.observers
        if due_tasks is not None:
            bench.platform.observers.append(due_tasks.observe)
        sender = self._connect_sender(bench, loop)
        number = next(self.ids) if id_ is None else id_
        world = RunningWorld(number, bench, origin or listener.url, dispatcher, listener, sender, due_tasks)
        self.worlds[world.id] = world
        return world

    async def accept(self, world: RunningWorld) -> None:
        """Accept the connections of a world."""
        await world.listener.accept(world.dispatcher.answer, self.limits, self.connections)
        if world.due_tasks is not None:
            world.due_tasks.plan()

    async def open_ssh(self, world: RunningWorld, port: int = 0) -> "SshServer":
        """Serve the repositories of a world over SSH; return its SSH server, which may run already."""
        from fakeplat.http.ssh.server import SshServer

        if world.id not in self._ssh_servers:
            server = SshServer(world.bench.platform, self.host, world.url)
            await server.start(port)
            self._ssh_servers[world.id] = server
        return self._ssh_servers[world.id]

    def control(self, bench: Workbench, due_tasks: DueTasks | None = None) -> Control:
        """Return the control routes of a world, which are imported with the first request to them."""

        async def answer(request: Request) -> Response:
            from fakeplat.http.control.dispatch import ControlRoutes

            response = await ControlRoutes(self, bench)(request)
            if due_tasks is not None:
                due_tasks.plan()
            return response

        return answer

    def _connect_sender(self, bench: Workbench, loop: asyncio.AbstractEventLoop) -> OutgoingSender:
        allows_egress = bench.allows_egress or self.allows_egress
        sender = OutgoingSender(loop, allows_egress=allows_egress, timeout=self.delivery_timeout)
        bench.connect(sender, allows_egress=allows_egress, source_reader=sender)
        return sender

    def count_requests(self) -> int:
        """Return the number of requests that the open worlds have handled."""
        return sum(world.bench.platform.request_count for world in self.worlds.values())

    async def close(self, id_: int) -> None:
        """Stop serving a world; KeyError if there is none."""
        world = self.worlds.pop(id_)
        if (ssh_server := self._ssh_servers.pop(id_, None)) is not None:
            await ssh_server.close()
        await world.listener.close()
        if world.due_tasks is not None:
            world.due_tasks.stop()
        await world.sender.close()
        world.bench.close()

    async def close_all(self) -> None:
        """Stop serving all worlds."""
        for id_ in list(self.worlds):
            await self.close(id_)
