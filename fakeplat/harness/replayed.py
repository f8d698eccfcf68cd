"""The `fakeplat` of a test that replays a tape: a server and its journal, without a world."""

from collections.abc import Callable
from typing import Any, Final, NoReturn, Self

from fakeplat.harness.caller import UserCalls
from fakeplat.harness.fake import Fakeplat
from fakeplat.http.listener import Listener
from fakeplat.tape.formats.tape import Tape
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.journal import Journal

_OF_WORLDS: Final = frozenset({*vars(Fakeplat), "bench", "clock"})


class NoWorldError(AttributeError):
    """What was asked for needs a world; a tape has none."""


class UnplayedRequestsError(AssertionError):
    """Under ``strict``: the test did not ask what the tape holds, in its order."""


class Replayed:
    """A tape that is served. Everything here works from synchronous and asynchronous tests alike."""

    def __init__(self, replay: Replay, journal: Journal, listening: Listener) -> None:
        self.replay = replay
        self.requests = journal
        self.listening = listening
        self.on_stop: Callable[[Any], None] | None = None

    @property
    def url(self) -> str:
        """Where it is served."""
        return self.listening.url

    @property
    def api_url(self) -> str:
        """Where its API is."""
        return f"{self.url}/api/v4"

    @property
    def tape(self) -> Tape:
        """The tape."""
        return self.replay.tape

    def token(self, username: str, kind: str | None = None, **rest: Any) -> str:
        """A text to sign in with, as good as any: credentials are not checked."""
        del kind, rest
        return f"{username}-token"

    def as_user(self, username: str | None) -> UserCalls:
        """Calls without a network."""
        return UserCalls(self.replay, self.url, None if username is None else self.token(username))

    def judge(self) -> None:
        """Under ``strict``, raise what was asked and not recorded, or recorded and not asked."""
        found = [*self.replay.complaints, *self.replay.unplayed()]
        if found:
            raise UnplayedRequestsError("\n".join(found))

    def stop(self) -> None:
        """Close the socket and all connections. A tape of the fixture `fakeplat` is stopped after its test."""
        if self.on_stop is not None:
            self.on_stop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __getattr__(self, name: str) -> NoReturn:
        if name in _OF_WORLDS and not name.startswith("_"):
            raise NoWorldError(f"fakeplat.{name} needs a world; this test replays a tape, which has none")
        raise AttributeError(name)
