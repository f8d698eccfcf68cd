"""The object behind the `fakeplat` fixture of a test that replays a tape: a server and its journal, without a world."""

from collections.abc import Callable
from typing import Any, Final, NoReturn, Self

from fakeplat.harness.caller import UserClient
from fakeplat.harness.fake import Fakeplat
from fakeplat.http.listener import Listener
from fakeplat.tape.formats.tape import Tape
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.journal import Journal

# `bench` and `clock` are set by the constructor, so the class does not have them.
_WORLD_ATTRIBUTES: Final = frozenset({*vars(Fakeplat), "bench", "clock"})


class NoWorldError(AttributeError):
    """The attribute needs a world, and a replayed tape has none."""


class UnplayedRequestsError(AssertionError):
    """In strict mode: the test's requests are not those of the tape, or not in the same order."""


class ReplayedTape:
    """A served tape, for synchronous and asynchronous tests."""

    def __init__(self, replay: Replay, journal: Journal, listening: Listener) -> None:
        self.replay = replay
        self.requests = journal
        self.listener = listening
        self.on_stop: Callable[[Any], None] | None = None

    @property
    def url(self) -> str:
        """The URL of the server."""
        return self.listener.url

    @property
    def api_url(self) -> str:
        """The URL of the API."""
        return f"{self.url}/api/v4"

    @property
    def tape(self) -> Tape:
        """The tape that is replayed."""
        return self.replay.tape

    def token(self, username: str, _kind: str | None = None, **_rest: object) -> str:
        """Return a placeholder token; the credentials of requests are not checked."""
        return f"{username}-token"

    def as_user(self, username: str | None) -> UserClient:
        """Return a client that sends requests to the tape without a network."""
        return UserClient(self.replay, self.url, None if username is None else self.token(username))

    def check(self) -> None:
        """In strict mode, raise an error for unrecorded requests and for recorded ones that were not made."""
        complaints = [*self.replay.complaints, *self.replay.unplayed()]
        if complaints:
            raise UnplayedRequestsError("\n".join(complaints))

    def stop(self) -> None:
        """Close the server and all connections. The tape of the fixture `fakeplat` is stopped after its test."""
        if self.on_stop is not None:
            self.on_stop(self)

    def __repr__(self) -> str:
        return f"<ReplayedTape {self.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __getattr__(self, name: str) -> NoReturn:
        # Only for attributes that a world has; any other name is a typo and gets the usual error.
        if name in _WORLD_ATTRIBUTES and not name.startswith("_"):
            raise NoWorldError(f"fakeplat.{name} needs a world; this test replays a tape, which has none")
        raise AttributeError(name)
