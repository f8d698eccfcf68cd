"""The `fakeplat` of a test: a world of its own, served on a port of its own."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.harness.caller import UserCalls
from fakeplat.harness.script import Script
from fakeplat.http.server import RunningWorld
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.options import Options
from fakeplat.workbench.tokens import create_token, list_users_with_tokens

if TYPE_CHECKING:
    from fakeplat.workbench.changes import Changes
    from fakeplat.workbench.faults import Faults
    from fakeplat.workbench.inspection import WorldView


class WorldClock:
    """The world's time, as a test moves it."""

    def __init__(self, platform: Platform, script: Script) -> None:
        self._platform = platform
        self._script = script

    @property
    def kind(self) -> str:
        """real, virtual or auto."""
        return self._platform.clock.kind

    @property
    def now(self) -> str:
        """The time, as answers show it."""
        return to_iso(self._platform.clock.now())

    def advance(self, by: str | float) -> str:
        """Let time pass (``1h30m``, ``2s``, or seconds); what becomes due is done. Gives the new time."""
        self._platform.advance(parse_duration(by))
        self.note()
        return self.now

    def advance_to(self, when: str) -> str:
        """Let time pass until a moment (ISO 8601)."""
        if from_iso(when) < self._platform.clock.now():
            raise ValueError(f"it is {self.now}; time does not go back to {when}")
        self._platform.advance_to(from_iso(when))
        self.note()
        return self.now

    def note(self) -> None:
        """Note in the script what time it is."""
        self._script.note(self._platform.now().number, "now", self.now)


class Fakeplat:
    """A served world. Everything here works from synchronous and asynchronous tests alike.

    ``options`` say how it was made, ``began`` at which time, ``script`` what was done to it beside requests; ``served``
    is its server.
    """

    def __init__(self, bench: Workbench, served: RunningWorld, options: Options) -> None:
        self.bench = bench
        self.options = options
        self.script = Script()
        self.clock = WorldClock(bench.platform, self.script)
        self.began = self.clock.now
        self.on_stop: Callable[[Any], None] | None = None
        self.served = served

    @property
    def url(self) -> str:
        """Where it is served, or the ``base_url`` that answers name."""
        return self.served.url

    @property
    def listen_url(self) -> str:
        """Where it listens, whatever ``base_url`` says."""
        return self.served.listening.url

    @property
    def api_url(self) -> str:
        """Where its API is."""
        return f"{self.url}/api/v4"

    @property
    def world(self) -> "WorldView":
        """The records as they are now; the look stays as it is."""
        from fakeplat.workbench.inspection import WorldView

        return WorldView(self.bench.platform, self.url)

    @property
    def requests(self) -> Journal:
        """The requests so far."""
        return self.bench.journal

    @property
    def faults(self) -> "Faults":
        """What goes wrong with requests."""
        return self.bench.interceptors.faults

    def before(self, operation: str, act: "Callable[[Fakeplat], object]", *, nth: int | None = 1) -> None:
        """Let others act before the client's nth request of an operation (None: each) is looked at.

        What ``act`` (it is given this) asks of the platform meets no faults and no acts of others. What it raises
        fails the test, at its end.
        """
        self.bench.interceptors.hooks.add("before", operation, lambda: act(self), nth)

    def after(self, operation: str, act: "Callable[[Fakeplat], object]", *, nth: int | None = 1) -> None:
        """Let others act after the client's nth request of an operation is done, before its answer leaves."""
        self.bench.interceptors.hooks.add("after", operation, lambda: act(self), nth)

    def changes(self) -> "Changes":
        """What is created, changed and deleted in a block: ``with fakeplat.changes() as c: …``."""
        from fakeplat.workbench.changes import Changes

        return Changes(lambda: self.bench.platform.state)

    def token(
        self,
        username: str,
        kind: str | None = None,
        *,
        scopes: Sequence[str] | None = None,
        expires_at: str | None = None,
        project: str | None = None,
    ) -> str:
        """A user's personal token; with a kind, scopes or expiry, a new one of that kind."""
        if kind is None and scopes is None and expires_at is None and project is None:
            for user, value in list_users_with_tokens(self.bench.platform):
                if user.username == username and value is not None:
                    return value
        value = create_token(
            self.bench.platform, username, kind or "personal", scopes=scopes, expires_at=expires_at, project=project
        )
        given = {"username": username, "kind": kind, "scopes": scopes, "expires_at": expires_at, "project": project}
        self._note("token", given, value)
        return value

    def as_user(self, username: str | None) -> UserCalls:
        """Calls as that user, without a network; None is nobody."""
        token = None if username is None else self.token(username)
        return UserCalls(self.bench.platform, self.url, token)

    def load(self, fragment: Mapping[str, Any]) -> None:
        """Add what a piece of a scenario says."""
        self.bench.load(fragment)
        self._note("load", fragment)

    def settle(self) -> None:
        """Let time pass until nothing is due."""
        self.bench.platform.settle()
        self.clock.note()

    def _note(self, what: str, given: Any, value: str = "") -> None:
        self.script.note(self.bench.platform.now().number, what, given, value)

    def snapshot(self, name: str = "snapshot") -> str:
        """Remember this moment under a name."""
        self.bench.snapshot(name)
        return name

    def restore(self, name: str = "snapshot") -> None:
        """Come back to a remembered moment."""
        self.bench.restore(name)

    def reset(self) -> None:
        """Come back to the beginning, with an empty journal and without faults."""
        self.bench.reset()

    def stop(self) -> None:
        """Close the socket and all connections. A world of the fixture `fakeplat` is stopped after its test."""
        if self.on_stop is not None:
            self.on_stop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
