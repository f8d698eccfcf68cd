"""The servers of a test session: one thread with a loop that serves worlds and replayed tapes."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.loop import LoopThread
from fakeplat.http.server import WorldServer
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.options import Options

if TYPE_CHECKING:
    from fakeplat.harness.bundle import Bundle
    from fakeplat.harness.replayed import Replayed
    from fakeplat.tape.formats.tape import Tape

T = TypeVar("T")


class Harness:
    """One server thread and its worlds, for a whole session."""

    def __init__(self) -> None:
        self._loop = LoopThread()
        self._hall = WorldServer()
        self._replayed: list[Replayed] = []

    def start(self, options: Options, *, base_url: str | None = None) -> Fakeplat:
        """Serve a new world."""
        bench = options.bench()
        return Fakeplat(bench, self._loop.run(self._hall.open(bench, base_url=base_url)), options)

    def stop(self, fake: Fakeplat) -> None:
        """Close a world's socket and connections."""
        self._loop.run(self._hall.close(fake.served.id))

    def replay(self, tape: "Tape", *, strict: bool = False) -> "Replayed":
        """Serve a tape."""
        from fakeplat.harness.replayed import Replayed
        from fakeplat.tape.replay import serving
        from fakeplat.tape.replay.replayer import Replay

        replay, journal = Replay(tape, strict=strict), Journal()
        replayed = Replayed(replay, journal, self._loop.run(serving.serve_tape(replay, journal)))
        self._replayed.append(replayed)
        return replayed

    def resume(self, bundle: "Bundle", name: str) -> Fakeplat:
        """Serve a world that began as a bundle's did, after all that was done there."""
        from fakeplat.harness.bundle import play_bundle

        fake = self.start(bundle.options)
        self.run(play_bundle(bundle, fake, name))
        return fake

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the servers' loop and wait for it."""
        return self._loop.run(work)

    def withdraw(self, replayed: "Replayed") -> None:
        """Close a tape's socket and connections."""
        self._replayed.remove(replayed)
        self._loop.run(replayed.listening.close())

    def close(self) -> None:
        """Close everything."""
        for replayed in list(self._replayed):
            self.withdraw(replayed)
        self._loop.run(self._hall.close_all())
        self._loop.close()
