"""The `fakeplat` of a test: a world of its own, served on a port of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeplat.core.stamps import moment, span, stamp
from fakeplat.harness.caller import UserCalls
from fakeplat.harness.loop import LoopThread
from fakeplat.http.hall import Hall, Served
from fakeplat.workbench.bench import Bench
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.look import Look
from fakeplat.workbench.options import Options
from fakeplat.workbench.tokens import known, mint


class WorldClock:
    """The world's time, as a test moves it."""

    def __init__(self, bench: Bench) -> None:
        self._platform = bench.platform

    @property
    def kind(self) -> str:
        """real, virtual or auto."""
        return self._platform.clock.kind

    @property
    def now(self) -> str:
        """The time, as answers show it."""
        return stamp(self._platform.clock.now())

    def advance(self, by: str | float) -> str:
        """Let time pass (``1h30m``, ``2s``, or seconds); what becomes due is done. Gives the new time."""
        self._platform.advance(span(by))
        return self.now

    def advance_to(self, when: str) -> str:
        """Let time pass until a moment (ISO 8601)."""
        if moment(when) < self._platform.clock.now():
            raise ValueError(f"it is {self.now}; time does not go back to {when}")
        self._platform.advance_to(moment(when))
        return self.now


class Fakeplat:
    """A served world. Everything here works from synchronous and asynchronous tests alike."""

    def __init__(self, bench: Bench, served: Served) -> None:
        self.bench = bench
        self.clock = WorldClock(bench)
        self._served = served

    @property
    def url(self) -> str:
        """Where it is served."""
        return self._served.url

    @property
    def api_url(self) -> str:
        """Where its API is."""
        return f"{self.url}/api/v4"

    @property
    def world(self) -> Look:
        """The records as they are now; the look stays as it is."""
        return Look(self.bench.platform, self.url)

    @property
    def requests(self) -> Journal:
        """The requests so far."""
        return self.bench.journal

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
            for user, value in known(self.bench.platform):
                if user.username == username and value is not None:
                    return value
        return mint(
            self.bench.platform, username, kind or "personal", scopes=scopes, expires_at=expires_at, project=project
        )

    def as_user(self, username: str | None) -> UserCalls:
        """Calls as that user, without a network; None is nobody."""
        token = None if username is None else self.token(username)
        return UserCalls(self.bench.platform, self.url, token)

    def load(self, fragment: Mapping[str, Any]) -> None:
        """Add what a piece of a scenario says."""
        self.bench.load(fragment)

    def settle(self) -> None:
        """Let time pass until nothing is due."""
        self.bench.platform.settle()

    def snapshot(self, name: str = "snapshot") -> str:
        """Remember this moment under a name."""
        self.bench.snapshot(name)
        return name

    def restore(self, name: str = "snapshot") -> None:
        """Come back to a remembered moment."""
        self.bench.restore(name)


class Harness:
    """One server thread and its worlds, for a whole session."""

    def __init__(self) -> None:
        self._loop = LoopThread()
        self._hall = Hall()

    def start(self, options: Options, *, base_url: str | None = None) -> Fakeplat:
        """Serve a new world."""
        bench = options.bench()
        return Fakeplat(bench, self._loop.run(self._hall.open(bench, base_url=base_url)))

    def stop(self, fake: Fakeplat) -> None:
        """Close a world's socket and connections."""
        self._loop.run(self._hall.close(fake._served.id))  # made by this class

    def close(self) -> None:
        """Close everything."""
        self._loop.run(self._hall.close_all())
        self._loop.close()
