"""A server of several isolated worlds, each on a port of its own."""

from collections.abc import Sequence

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen
from fakeplat.http.connection import ConnectionCount
from fakeplat.http.dispatcher import LIMITS, Dispatcher
from fakeplat.http.listener import WILDCARDS, Listener, listen, max_connections
from fakeplat.http.origins import Origins, parse_base_url
from fakeplat.http.request_parser import Limits
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import JournalLimits


@frozen(eq=False)
class RunningWorld:
    """A world that is being served."""

    id: int
    bench: Workbench
    url: str
    door: Dispatcher
    listening: Listener

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.listening.port


@mutable(eq=False)
class WorldServer:
    """All worlds of a server.

    ``allowed`` are host names beyond this machine's own; ``key`` guards the control routes. ``journal`` limits
    the journal of each world, ``limits`` what clients may send, ``connections`` how many there are.
    """

    host: str = "127.0.0.1"
    allowed: Sequence[str] = ()
    key: str | None = None
    journal: JournalLimits = field(factory=JournalLimits)
    limits: Limits = LIMITS
    connections: ConnectionCount = field(factory=lambda: ConnectionCount(max_connections()))
    worlds: dict[int, RunningWorld] = field(factory=dict)
    _last: int = 0

    async def open(self, bench: Workbench, *, port: int = 0, base_url: str | None = None) -> RunningWorld:
        """Serve a world; OSError if the port is taken, UnusableOption for a ``base_url`` that is no origin."""
        origin = None if base_url is None else parse_base_url(base_url)
        from fakeplat.http.control.dispatch import Control  # control routes open worlds themselves

        own = [] if self.host in WILDCARDS else [self.host]
        door = Dispatcher(bench.platform, Origins(allowed=[*self.allowed, *own], base_url=origin), Control(self, bench))
        listening = await listen(door.answer, self.limits, self.host, port, self.connections)
        bench.journal.limits = self.journal
        self._last += 1
        served = RunningWorld(self._last, bench, origin or listening.url, door, listening)
        self.worlds[served.id] = served
        return served

    async def close(self, id_: int) -> None:
        """Serve a world no more; KeyError if there is none."""
        served = self.worlds.pop(id_)
        await served.listening.close()
        served.bench.close()

    async def close_all(self) -> None:
        """Serve nothing."""
        for id_ in list(self.worlds):
            await self.close(id_)
