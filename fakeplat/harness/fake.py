"""The object behind the `fakeplat` fixture: a world with a server on its own port."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from propcache.api import cached_property

from fakeplat.core.extras import explain_missing, is_installed
from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.harness.caller import UserClient
from fakeplat.harness.script import Script
from fakeplat.http.adapters.embedding import Embedding
from fakeplat.http.origins import parse_base_url
from fakeplat.http.server import RunningWorld
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.options import Options
from fakeplat.workbench.threads import run_in_thread
from fakeplat.workbench.tokens import create_token, find_token, one_time_code

if TYPE_CHECKING:
    from aiohttp import web

    from fakeplat.http.adapters.asgi import AsgiApplication
    from fakeplat.http.adapters.httpx import FakeplatTransport
    from fakeplat.http.adapters.requests import FakeplatAdapter
    from fakeplat.http.ssh.server import SshServer
    from fakeplat.workbench.changes import Changes
    from fakeplat.workbench.deliveries import Deliveries
    from fakeplat.workbench.faults import Faults
    from fakeplat.workbench.inspection import WorldView
    from fakeplat.workbench.mails import Mails
    from fakeplat.workbench.played_jobs import PlayedJobs


UNSERVED_URL: Final = "http://fakeplat.test"
"""The origin of a world that does not listen."""


class WorldClock:
    """The world's clock, controlled by the test."""

    def __init__(self, platform: Platform, script: Script) -> None:
        self._platform = platform
        self._script = script

    @property
    def kind(self) -> str:
        """``real``, ``virtual`` or ``auto``."""
        return self._platform.clock.kind

    @property
    def now(self) -> str:
        """The current time in the format of the API."""
        return to_iso(self._platform.clock.now())

    def advance(self, by: str | float) -> str:
        """Advance the time (``1h30m``, ``2s``, or seconds) and run the tasks that become due; return the new time."""
        self._platform.advance(parse_duration(by))
        self.note()
        return self.now

    def advance_to(self, when: str) -> str:
        """Advance the time to a timestamp (ISO 8601); ValueError if it is in the past."""
        if from_iso(when) < self._platform.clock.now():
            raise ValueError(f"cannot go back to {when}: the world's time is {self.now}")
        self._platform.advance_to(from_iso(when))
        self.note()
        return self.now

    def __repr__(self) -> str:
        return f"<WorldClock {self.kind} {self.now}>"

    def note(self) -> None:
        """Record the current time in the script."""
        self._script.note(self._platform.request_count, "now", self.now)


class Fakeplat:
    """A served world, for synchronous and asynchronous tests.

    ``options`` are those it was created with, ``began`` is its initial time, ``script`` contains the direct changes to
    it since the last reset, and ``served`` is its server.
    """

    def __init__(
        self,
        bench: Workbench,
        served: RunningWorld | None,
        options: Options,
        base_url: str | None = None,
        open_ssh: "Callable[[], SshServer] | None" = None,
    ) -> None:
        self.bench = bench
        self.options = options
        self.script = Script()
        self.clock = WorldClock(bench.platform, self.script)
        self.began = self.clock.now
        self.was_reset = False
        self.on_stop: Callable[[Any], None] | None = None
        self.served = served
        self._open_ssh = open_ssh
        self._base_url = None if base_url is None else parse_base_url(base_url)

    @property
    def url(self) -> str:
        """The URL of the server, or the ``base_url`` that responses contain."""
        return (self._base_url or UNSERVED_URL) if self.served is None else self.served.url

    @property
    def listen_url(self) -> str:
        """The URL on which the server listens, regardless of ``base_url``; RuntimeError if it does not listen."""
        if self.served is None:
            raise RuntimeError("this world does not listen: it was started with listen=False")
        return self.served.listener.url

    @property
    def ssh_url(self) -> str:
        """The URL of the SSH server, which starts with the first use: ``{fakeplat.ssh_url}/acme/site.git``.

        RuntimeError if the world does not listen.
        """
        return self._ssh_server.url

    @property
    def ssh_host_key(self) -> str:
        """The public key of the SSH server, as in the file `known_hosts`; it depends on the seed only."""
        return self._ssh_server.host_key

    @property
    def _ssh_server(self) -> "SshServer":
        if self._open_ssh is None:
            raise RuntimeError("this world does not listen: it was started with listen=False")
        if not is_installed("ssh"):
            raise RuntimeError(explain_missing("ssh"))
        return self._open_ssh()

    @cached_property
    def embedding(self) -> "Embedding":
        """This world for clients and servers in the process, which need no port of it."""
        return Embedding(self.bench, base_url=self._base_url)

    @property
    def asgi(self) -> "AsgiApplication":
        """This world as an ASGI application, for `httpx.ASGITransport`, Starlette's `TestClient` and ASGI servers."""
        from fakeplat.http.adapters.asgi import AsgiApplication

        return AsgiApplication(self.embedding)

    def aiohttp_app(self) -> "web.Application":
        """Return this world as an application for aiohttp's test server and for the fixtures of pytest-aiohttp."""
        from fakeplat.http.adapters.aiohttp import create_app

        return create_app(self.embedding)

    def requests_adapter(self) -> "FakeplatAdapter":
        """Return an adapter for `requests`: ``session.mount(fakeplat.url, fakeplat.requests_adapter())``."""
        from fakeplat.http.adapters.requests import FakeplatAdapter

        return FakeplatAdapter(self.embedding)

    def httpx_transport(self) -> "FakeplatTransport":
        """Return a transport for httpx's clients, synchronous and asynchronous."""
        from fakeplat.http.adapters.httpx import FakeplatTransport

        return FakeplatTransport(self.embedding)

    @property
    def api_url(self) -> str:
        """The URL of the API."""
        return f"{self.url}/api/v4"

    @property
    def world(self) -> "WorldView":
        """A view of the current records; it does not change with the world."""
        from fakeplat.workbench.inspection import WorldView

        return WorldView(self.bench.platform, self.url)

    @property
    def requests(self) -> Journal:
        """The journal of the requests so far."""
        return self.bench.journal

    @property
    def pipelines(self) -> "PlayedJobs":
        """How jobs are played."""
        from fakeplat.workbench.played_jobs import PlayedJobs

        return PlayedJobs(self.bench.platform, changed=partial(self._record_step, "pipelines"))

    @property
    def faults(self) -> "Faults":
        """The injected faults."""
        faults, platform, script = self.bench.interceptors.faults, self.bench.platform, self.script
        # Without a reference to this object: a world that nothing refers to any more is closed.
        faults.note = lambda step_kind, argument: script.note(platform.request_count, step_kind, argument)
        return faults

    @property
    def hooks(self) -> "Deliveries":
        """The deliveries to webhooks and integrations so far."""
        return self.bench.deliveries

    @property
    def mails(self) -> "Mails":
        """The e-mails that the platform would have sent so far."""
        return self.bench.mails

    def before(self, operation: str, act: "Callable[[Fakeplat], object]", *, nth: int | None = 1) -> None:
        """Call ``act`` with this object before the client's nth request of an operation (None: every one) is handled.

        Requests that ``act`` makes trigger neither faults nor callbacks. An exception that it raises fails the test at
        its end.
        """
        self.bench.interceptors.callbacks.add("before", operation, lambda: act(self), nth)

    def after(self, operation: str, act: "Callable[[Fakeplat], object]", *, nth: int | None = 1) -> None:
        """Call ``act`` after the client's nth request of an operation, before the response is sent."""
        self.bench.interceptors.callbacks.add("after", operation, lambda: act(self), nth)

    def changes(self) -> "Changes":
        """Return a context manager that collects the changes in its block: ``with fakeplat.changes() as c: …``."""
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
        group: str | None = None,
        job: int | None = None,
    ) -> str:
        """Return a user's personal token; with any option, a new token with these options.

        With the kind ``job`` and the id of a running job, it is the token of that job.
        """
        if all(option is None for option in (kind, scopes, expires_at, project, group, job)):
            existing = find_token(self.bench.platform, username)
            if existing is not None:
                return existing
        value = create_token(
            self.bench.platform,
            username,
            kind or "personal",
            scopes=scopes,
            expires_at=expires_at,
            project=project,
            group=group,
            job=job,
        )
        token_options = {
            "username": username,
            "kind": kind,
            "scopes": scopes,
            "expires_at": expires_at,
            "project": project,
            "group": group,
            "job": job,
        }
        self._record_step("token", token_options, value)
        return value

    def one_time_code(self, username: str) -> str:
        """Return the code with which a user signs in to the pages after the password, at the world's time."""
        return one_time_code(self.bench.platform, username)

    def as_user(self, username: str | None) -> UserClient:
        """Return a client that calls the API as a user (None: anonymously), without a network."""
        token = None if username is None else self.token(username)
        return UserClient(self.bench.platform, self.url, token)

    def load(self, fragment: Mapping[str, object]) -> None:
        """Add the records of a scenario fragment."""
        self.bench.load(fragment)
        self._record_step("load", fragment)

    def export(self) -> dict[str, Any]:
        """Return the world as it is now as a scenario, with which another one starts."""
        from fakeplat.scenario import export_world

        return export_world(self.bench.platform)

    def settle(self) -> None:
        """Advance the time until no scheduled task is left."""
        self.bench.platform.settle()
        self.clock.note()

    def _record_step(self, step_kind: str, argument: object, value: str = "") -> None:
        self.script.note(self.bench.platform.request_count, step_kind, argument, value)

    def snapshot(self, name: str = "snapshot") -> str:
        """Save the current state under a name, and return the name."""
        self.bench.snapshot(name)
        return name

    def restore(self, name: str = "snapshot") -> None:
        """Restore a saved state; KeyError if there is none with that name."""
        self.bench.restore(name)

    def reset(self) -> None:
        """Restore the initial state, with empty logs and without faults and callbacks."""
        self.bench.reset()
        self.script.clear()
        self.was_reset = True

    def stop(self) -> None:
        """Close the server and all connections. The world of the fixture `fakeplat` is stopped after its test."""
        if self.on_stop is not None:
            self.on_stop(self)

    def __repr__(self) -> str:
        return f"<Fakeplat {self.url} {self.bench.scenario}>"

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Return this object: Django copies what `setUpTestData` assigns for each test, and a server has no copy."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await run_in_thread(self.stop)
