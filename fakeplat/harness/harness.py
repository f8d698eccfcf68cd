"""The servers of a test session: one thread with an event loop that serves worlds and replayed tapes."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.loop import LoopThread
from fakeplat.http.server import WorldServer
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.options import Options

if TYPE_CHECKING:
    from fakeplat.harness.bundle import Bundle
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.tape.formats.tape import Tape

T = TypeVar("T")


class Harness:
    """One server thread with its worlds and tapes, for a whole session."""

    def __init__(self) -> None:
        self._loop = LoopThread()
        self._server = WorldServer()
        self._replayed: list[ReplayedTape] = []

    def start(self, options: Options, *, base_url: str | None = None) -> Fakeplat:
        """Create a world and serve it."""
        bench = options.bench()
        return Fakeplat(bench, self._loop.run(self._server.open(bench, base_url=base_url)), options)

    def stop(self, fake: Fakeplat) -> None:
        """Close the socket and the connections of a world."""
        self._loop.run(self._server.close(fake.served.id))

    def replay(self, tape: "Tape", *, strict: bool = False) -> "ReplayedTape":
        """Serve a tape."""
        from fakeplat.harness.replayed import ReplayedTape
        from fakeplat.tape.replay import serving
        from fakeplat.tape.replay.replayer import Replay

        replay, journal = Replay(tape, strict=strict), Journal()
        replayed = ReplayedTape(replay, journal, self._loop.run(serving.serve_tape(replay, journal)))
        self._replayed.append(replayed)
        return replayed

    def resume(self, bundle: "Bundle", name: str) -> Fakeplat:
        """Create the world of a bundle, replay the bundle in it, and serve it."""
        from fakeplat.harness.bundle import play_bundle

        fake = self.start(bundle.options)
        self.run(play_bundle(bundle, fake, name))
        return fake

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the servers' event loop and return its result."""
        return self._loop.run(coroutine)

    def stop_tape(self, replayed: "ReplayedTape") -> None:
        """Close the socket and the connections of a tape."""
        self._replayed.remove(replayed)
        self._loop.run(replayed.listener.close())

    def close(self) -> None:
        """Close all servers and stop the event loop."""
        for replayed in list(self._replayed):
            self.stop_tape(replayed)
        self._loop.run(self._server.close_all())
        self._loop.close()
