"""The servers of a test session: one thread with an event loop that serves worlds and replayed tapes."""

import os
from collections.abc import Callable, Coroutine
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar, Unpack
from weakref import finalize

from propcache.api import cached_property

from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.keywords import WorldKeywords, check_keywords, create_options, serving_keywords
from fakeplat.harness.loop import LoopThread
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.options import Options

if TYPE_CHECKING:
    from fakeplat.harness.bundle import Bundle
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.http.ssh.server import SshServer
    from fakeplat.tape.formats.tape import Tape

T = TypeVar("T")


class Harness:
    """One server thread with its worlds and tapes, for a whole session."""

    def __init__(self) -> None:
        self._server = WorldServer()
        self._replayed: list[ReplayedTape] = []
        self._process = os.getpid()

    def start(self, options: Options, *, base_url: str | None = None, port: int = 0, listen: bool = True) -> Fakeplat:
        """Create a world and serve it; without ``listen``, it only has clients in this process."""
        bench = options.bench()
        if not listen:
            return Fakeplat(bench, None, options, base_url)
        world = self._server.bind(bench, self._loop.loop, port=port, base_url=base_url)
        # Its clients can connect already, so nobody needs to wait for the other thread.
        self._loop.submit(self._server.accept(world))
        return Fakeplat(bench, world, options, base_url, partial(self._open_ssh, world))

    def _open_ssh(self, world: RunningWorld) -> "SshServer":
        return self._loop.run(self._server.open_ssh(world))

    def stop(self, fake: Fakeplat) -> None:
        """Close the socket and the connections of a world; give up after a while if the loop is blocked."""
        if fake.served is None:
            fake.bench.close()
        elif not self._is_inherited:
            self._loop.finish(self._server.close(fake.served.id))

    def close_when_dropped(self, fake: Fakeplat) -> None:
        """Close the world when nothing refers to its object any more, as after a second run of a notebook's cell."""
        if fake.served is not None:
            finalize(fake, self._close_dropped, fake.served.id).atexit = False

    def _close_dropped(self, id_: int) -> None:
        if not self._is_inherited and id_ in self._server.worlds:
            self._loop.submit(self._server.close(id_))

    @property
    def _is_inherited(self) -> bool:
        # A child process has a copy of the worlds, but not the thread of the loop that serves them.
        return os.getpid() != self._process

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

    @cached_property
    def _loop(self) -> LoopThread:
        # Worlds that do not listen need none: where sockets are forbidden, a loop cannot be created.
        return LoopThread()

    def run(self, coroutine: Coroutine[object, None, T]) -> T:
        """Run a coroutine on the servers' event loop and return its result."""
        return self._loop.run(coroutine)

    def stop_tape(self, replayed: "ReplayedTape") -> None:
        """Close the socket and the connections of a tape."""
        self._replayed.remove(replayed)
        self._loop.finish(replayed.listener.close())

    def close(self) -> None:
        """Close all servers and stop the event loop."""
        for replayed in list(self._replayed):
            self.stop_tape(replayed)
        if "_loop" in self.__dict__ and self._loop.finish(self._server.close_all()):
            self._loop.close()


@cache
def _shared_harness() -> Harness:
    return Harness()


# The thread of the event loop does not exist in a child process.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared_harness.cache_clear)


def start(**keywords: Unpack[WorldKeywords]) -> Fakeplat:
    """Start a world on a port of its own: ``with fakeplat.start(scenario="starter") as platform: …``.

    It is the object of the fixture `fakeplat`, and takes the keywords of its marker. It is closed by `stop`, by the end
    of the block, or when nothing refers to it any more. InvalidOption for an unknown keyword or an invalid value.
    """
    check_keywords(keywords)
    harness = _shared_harness()
    fake = harness.start(create_options(keywords), **serving_keywords(keywords))
    fake.on_stop = _stop_once(harness)
    harness.close_when_dropped(fake)
    return fake


def _stop_once(harness: Harness) -> Callable[[Fakeplat], None]:
    def stop(fake: Fakeplat) -> None:
        fake.on_stop = None
        harness.stop(fake)

    return stop
