"""A server of several isolated worlds, each on a port of its own."""

from collections.abc import Sequence

from attrs import field, mutable

from fakeplat.core.frozen import frozen
from fakeplat.http.door import MOST, Door
from fakeplat.http.listening import WILDCARDS, Listening, listen
from fakeplat.http.origins import Origins
from fakeplat.workbench.bench import Bench


@frozen(eq=False)
class Served:
    """A world that is being served."""

    id: int
    bench: Bench
    url: str
    door: Door
    listening: Listening

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.listening.port


@mutable(eq=False)
class Hall:
    """All worlds of a server.

    ``allowed`` are host names beyond this machine's own; ``key`` guards the control routes. ``keeps_answers``: the
    journals hold the bodies of answers, too.
    """

    host: str = "127.0.0.1"
    allowed: Sequence[str] = ()
    key: str | None = None
    keeps_answers: bool = True
    worlds: dict[int, Served] = field(factory=dict)
    _last: int = 0

    async def open(self, bench: Bench, *, port: int = 0, base_url: str | None = None) -> Served:
        """Serve a world; OSError if the port is taken."""
        from fakeplat.http.control import Control  # control routes open worlds themselves

        own = [] if self.host in WILDCARDS else [self.host]
        door = Door(bench.platform, Origins(allowed=[*self.allowed, *own], base_url=base_url), Control(self, bench))
        listening = await listen(door.answer, MOST, self.host, port)
        bench.journal.keeps_answers = self.keeps_answers
        self._last += 1
        url = base_url.rstrip("/") if base_url else listening.url
        served = Served(self._last, bench, url, door, listening)
        self.worlds[served.id] = served
        return served

    async def close(self, id_: int) -> None:
        """Serve a world no more; KeyError if there is none."""
        await self.worlds.pop(id_).listening.close()

    async def close_all(self) -> None:
        """Serve nothing."""
        for id_ in list(self.worlds):
            await self.close(id_)
