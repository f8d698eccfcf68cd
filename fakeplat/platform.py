"""One isolated platform: its world, its clock, and the single entry point of all requests.

`Platform.handle` is synchronous and holds one lock. The HTTP server, tests and replayed tapes all call it.
"""

import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import RLock
from time import perf_counter_ns
from traceback import format_exception
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import LAST, Clock, check_time
from fakeplat.core.operations.entity import Fragment
from fakeplat.core.operations.errors import TooManyRequests
from fakeplat.core.operations.http_messages import (
    ETAG,
    JSON,
    REQUEST_ID,
    RUNTIME,
    Headers,
    ReceivedHeaders,
    Request,
    Response,
)
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.operations.reasons import EXPLAIN, REASON, header_text
from fakeplat.core.release import Profile
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.state import State
from fakeplat.domain import scheduled_tasks
from fakeplat.domain.instance import endpoint_limits, throttles
from fakeplat.model.outgoing import Outgoing, OutgoingLogLink
from fakeplat.model.people import User
from fakeplat.model.world import ALL_TASKS, World, WorldDraft
from fakeplat.pipeline.handler import Endpoint, RequestHandler, RestartAfterEffect, RestartAfterTask
from fakeplat.pipeline.rendering import ALWAYS, Outcome, Selection, matches_etag
from fakeplat.policy.behaviours import OAUTH_ANSWERS_PREFLIGHT_REQUESTS
from fakeplat.policy.context import ANONYMOUS, Caller, ReadContext, Services, WriteContext

log: Final = logging.getLogger("fakeplat")
_VARYING_HEADERS: Final = (
    "private-token",
    "authorization",
    "sudo",
    "cookie",
    "job-token",
    "deploy-token",
    "unleash-instanceid",
    "unleash-appname",
    "git-protocol",
    "range",
    "symbolchecksum",
)
"""The headers that an answer can depend on: credentials, the environment of a feature flag, a range, a digest, and the
version of the protocol of git."""
_MAX_CACHED_ANSWERS: Final = 4_000
_MAX_CACHED_RESULTS: Final = 200
_MAX_FAILURES: Final = 100
_MAX_SETTLE_STEPS: Final = 100_000
_CORS_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_OAUTH_CORS_METHODS: Final = {
    "/oauth/token": "POST, OPTIONS",
    "/oauth/revoke": "POST, OPTIONS",
    "/oauth/userinfo": "GET, HEAD, POST, OPTIONS",
    "/oauth/discovery/keys": "GET, HEAD",
    "/.well-known/openid-configuration": "GET, HEAD",
    "/.well-known/webfinger": "GET, HEAD",
}
_CORS_EXPOSED_HEADERS: Final = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page"


class HandledRequest(NamedTuple):
    """A handled request: ``status`` as it was sent, ``took`` in ns, ``at`` the world's time in ms.

    ``started`` is the time on a clock of the machine that is never set (ns).
    """

    number: int
    request: Request
    answer: Outcome
    status: int
    took: int
    at: int
    response: Response
    started: int


class Snapshot(NamedTuple):
    """A snapshot of a platform: the records, the time, and the number of requests, which seeds random values."""

    state: State
    now: int
    number: int


class Moment(NamedTuple):
    """A committed state, and when and at which origin it was reached."""

    state: State
    now: int
    origin: str

    def reader(self) -> ReadContext:
        """Return a context that reads the world as it was, independent of what happens to it now."""
        clock = Clock("virtual")
        clock.set(self.now)
        return ReadContext(World(self.state), ANONYMOUS, Services(clock), self.origin)


Observer = Callable[[HandledRequest, RequestHandler | None], None]


def response_key(request: Request) -> tuple[object, ...]:
    """Return everything of a request that its response can depend on. The origin is part of every URL in a body."""
    headers = request.headers
    if isinstance(headers, ReceivedHeaders):
        varying = headers.select(_VARYING_HEADERS)
    else:
        varying = tuple([headers.get(name) for name in _VARYING_HEADERS])
    return request.method, request.path, request.query, request.origin, request.ssh_key, varying


class FaultInjection(Protocol):
    """A fault that a test author injects into one request."""

    def replace_answer(self) -> None:
        """Raise a refusal instead of the commit, or return to let it pass."""

    def alter_answer(self, answer: Outcome) -> Outcome:
        """Return the answer with the fault applied."""

    def set_delivery(self, response: Response) -> Response:
        """Return the response with its delivery set."""


_QUERY_PATH: Final = "/api/graphql"
_MAX_CACHED_QUERY: Final = 20_000
_TASKS: Final = 1 << World.scheduled_tasks.position
_SETTINGS: Final = 1 << World.settings_table.position
_CONTENT_TABLES: Final = (
    World.files.position,
    World.lfs_objects.position,
    World.job_artifacts.position,
    World.package_files.position,
    World.image_blobs.position,
    World.proxied_blobs.position,
    World.blob_uploads.position,
    World.exports.position,
    World.relation_exports.position,
    World.imports.position,
    World.relation_imports.position,
)
"""The tables whose records have the contents of files."""
_CONTENTS: Final = sum(1 << table for table in _CONTENT_TABLES)
LOCAL_ORIGIN: Final = "http://localhost"
"""The origin in URLs before the first request."""


class Middleware(Protocol):
    """Gets each request, and the function that handles it under the platform's lock, which it is called without."""

    def handle(self, request: Request, handle: Callable[[Request], Response]) -> Response:
        """Handle a request on the thread of the caller."""

    def handle_on_loop(
        self, request: Request, handle: Callable[[Request], Response]
    ) -> Response | Coroutine[Any, Any, Response]:
        """Handle a request on an event loop, without blocking it: return a coroutine if something must be awaited."""


class Platform:
    """A served world. ``observer_factories`` are observers that every platform of the process starts with.

    ``next_due``: the world's time (ms) at which the next task is due; None without a task.
    """

    observer_factories: ClassVar[list[Observer]] = []

    def __init__(self, state: State, clock: Clock) -> None:
        self.lock = RLock()
        self.clock = clock
        self.limiter = RateLimiter()
        self.observers: list[Observer] = [*self.observer_factories]
        self.outgoing_handlers: list[Callable[[Outgoing], None]] = []
        self.outgoing_log = OutgoingLogLink()
        self.failures: list[str] = []
        self.middleware: Middleware | None = None
        self.fault_injection: FaultInjection | None = None
        self.endpoints: dict[str, Endpoint] = {}
        self.explains = False
        self.origin = LOCAL_ORIGIN
        self._fragments: Cache[Fragment] = Cache(size_of=lambda fragment: len(fragment.data))
        self._memory: Cache[Any] = Cache(_MAX_CACHED_RESULTS)
        self.services = Services(clock, self._fragments, self.limiter, self._memory, self.outgoing_log)
        self._answers: Cache[Outcome] = Cache(_MAX_CACHED_ANSWERS, lambda answer: len(answer.body))
        self._selections: Cache[Selection] = Cache(_MAX_CACHED_ANSWERS)
        self._number = 0
        self._is_throttled: bool | None = None
        self.view = World(state)
        self._show(self.view)

    def _show(self, view: World) -> None:
        """Make a view the current one. What every request asks of it is looked up once."""
        before, self.view = self.view, view
        changed = view.state.tables_changed_since(before.state)
        if changed & _CONTENTS and (mask := _get_lost_contents(before.state, view.state)):
            self._discard_invalid(mask)
        if changed & _TASKS:
            self.next_due: int | None = self._next_due_time()
        if changed & _SETTINGS:
            self._is_throttled = None

    @property
    def state(self) -> State:
        """The current state of the world."""
        return self.view.state

    @property
    def request_count(self) -> int:
        """The number of requests so far."""
        return self._number

    def snapshot(self) -> Snapshot:
        """Return the current state for `restore`."""
        with self.lock:
            return Snapshot(self.state, self.clock.now(), self._number)

    def moment(self) -> Moment:
        """Return the current state for later readers."""
        return Moment(self.state, self.clock.now(), self.origin)

    def restore(self, snapshot: Snapshot, *, restarts_clock: bool = False) -> None:
        """Restore a snapshot and reset the rate limits; ``restarts_clock`` undoes what was done to the clock, too."""
        with self.lock:
            before = self.clock.now()
            if restarts_clock:
                self.clock.restart()
            if self.clock.is_virtual:
                self.clock.set(snapshot.now)
            # A cache entry says until when it is valid, but not since when: after the clock goes back, an entry from
            # the later time could seem valid. The setup is not tracked as a dependency at all.
            if snapshot.state.setup is not self.state.setup or self.clock.now() < before:
                self._clear_caches()
            self._show(World(snapshot.state))
            self._number = snapshot.number
            self.limiter.reset()

    def _clear_caches(self) -> None:
        for cache in self._caches:
            cache.clear()

    def _discard_invalid(self, mask: int) -> None:
        for cache in self._caches:
            cache.discard_invalid(self.state, self.clock.now, mask)

    @property
    def _caches(self) -> tuple[Cache[Any], ...]:
        return self._fragments, self._memory, self._answers, self._selections

    def set_ssh_url(self, url: str) -> None:
        """Name the SSH server in the URLs of repositories from now on; empty for none."""
        with self.lock:
            self.view.setup.endpoints.ssh = url
            for cache in self._caches:
                cache.clear()

    # Requests

    def handle(self, request: Request) -> Response:
        """Handle one request."""
        if self.middleware is not None:
            return self.middleware.handle(request, self.handle_directly)
        return self.handle_directly(request)

    def handle_on_loop(self, request: Request) -> Response | Coroutine[Any, Any, Response]:
        """Handle one request on an event loop; a coroutine if a callback of the test has to run meanwhile."""
        if self.middleware is not None:
            return self.middleware.handle_on_loop(request, self.handle_directly)
        return self.handle_directly(request)

    def handle_directly(self, request: Request) -> Response:
        """Handle one request without the middleware."""
        with self.lock:
            return self._handle(request)

    def _handle(self, request: Request) -> Response:
        started = perf_counter_ns()
        self._number += 1
        # What happens without a request, such as the run of a job, is told with the URLs that clients use.
        self.origin = request.origin
        # No timer runs tasks when they are due. They run here, before the next request that could observe them.
        self.catch_up()
        handler, answer, limits = self._answer(request)
        if self.fault_injection is not None:
            answer = self.fault_injection.alter_answer(answer)
        response = self._finish(request, answer, limits, started)
        if self.fault_injection is not None:
            response = self.fault_injection.set_delivery(response)
        took, at = perf_counter_ns() - started, self.clock.now()
        record = HandledRequest(self._number, request, answer, response.status, took, at, response, started)
        for observer in self.observers:
            observer(record, handler)
        return response

    def _answer(self, request: Request) -> tuple[RequestHandler | None, Outcome, Headers]:
        limits: Headers = ()
        # Preflight requests carry no credentials, so they are answered before anything that identifies the caller.
        if request.method == "OPTIONS" and (methods := _preflight_methods(request, self.view.profile)):
            return None, Outcome(200, _preflight_headers(request, methods)), ()
        if self._is_throttled is None:
            self._is_throttled = throttles.are_on(self.view)
        if self._is_throttled:
            try:
                limits = self._throttle(request)
            except TooManyRequests as refusal:
                response = refusal.response()
                return None, Outcome(429, response.headers, response.body, reason=refusal.reason, refusal=refusal), ()
        if request.method in ("GET", "HEAD"):
            return *self._read(request, response_key(request)), limits
        # Queries of GraphQL are reads, too. What such a request contains is known only once it is parsed.
        if request.path == _QUERY_PATH and len(request.body) <= _MAX_CACHED_QUERY:
            # Unlike a GET, a POST with a session needs its CSRF token.
            sent = [request.headers.get(name) for name in ("content-type", "x-csrf-token")]
            return *self._read(request, (*response_key(request), *sent, request.body)), limits
        handler = self._request_handler(request)
        return handler, self._run_handler(handler), limits

    def _read(self, request: Request, key: tuple[object, ...]) -> tuple[RequestHandler | None, Outcome]:
        entry = self._answers.get(key)
        if entry is not None and entry.reads.is_valid(self.view.state, self.clock.now):
            return None, entry.value
        handler = self._request_handler(request)
        # While ``reads`` is set, every table lookup is noted there. An answer is valid as long as all of them give the
        # same objects. A selection has a cache of its own: it often survives a change that the answer does not.
        view = self.view
        view.reads = Dependencies()
        selection = self._selections.get(key)
        if selection is not None and selection.reads.is_valid(view.state, self.clock.now):
            handler.selected = selection
            view.reads.add(selection.reads)
        try:
            answer = self._run_handler(handler)
        finally:
            reads, view.reads = view.reads, None
        # A restart changes the world, and ``reads`` says nothing of the new view that the answer was made from.
        is_repeatable = request.method == "GET" or handler.is_repeatable
        if answer.status == 200 and self.view is view and is_repeatable:
            self._answers.put(key, CacheEntry(answer, reads, view.state))
            if handler.selected is not None:
                self._selections.put(key, handler.selected)
        return handler, answer

    def _run_handler(self, handler: RequestHandler) -> Outcome:
        # Reads run on a frozen view, so nothing can change under them. A read that needs a change is abandoned by a
        # restart exception and handled again in the new world. The second handler cannot restart for the same cause,
        # which bounds the recursion.
        try:
            return handler.answer()
        except RestartAfterTask as restart:
            self._advance_within_time(restart.at)
            answer = self._rerun(handler, self._request_handler(handler.request, may_advance=False))
            answer.reason = answer.reason or restart.reason
            return answer
        except RestartAfterEffect as restart:
            with self.acting(origin=self.origin) as ctx:
                restart.effect(ctx)
            self.catch_up()
            return self._rerun(
                handler, self._request_handler(handler.request, may_advance=False, may_have_effects=False)
            )
        except Exception as bug:  # noqa: BLE001  # a bug in fakeplat must not look like an answer of the platform
            return self._report_bug(handler, bug)

    def _rerun(self, handler: RequestHandler, second: RequestHandler) -> Outcome:
        answer = self._run_handler(second)
        handler.operation, handler.caller = second.operation, second.caller
        return answer

    def _report_bug(self, handler: RequestHandler, bug: Exception) -> Outcome:
        reference = self._request_id()
        operation = handler.operation.name if handler.operation else "no operation"
        log.error("a bug in fakeplat, reference %s: %s %s", reference, operation, handler.request.path, exc_info=bug)
        self.failures.append(f"reference {reference}\n{''.join(format_exception(bug))}")
        del self.failures[:-_MAX_FAILURES]
        body = b'{"message":"500 Internal Server Error","fakeplat":"a bug in fakeplat, reference %b; see its log"}'
        headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *ALWAYS)
        return Outcome(500, headers, body % reference.encode(), operation=operation, reason=f"bug {reference}")

    def _request_handler(
        self, request: Request, *, may_advance: bool | None = None, may_have_effects: bool = True
    ) -> RequestHandler:
        advances_steps = self.clock.kind == "auto" if may_advance is None else may_advance
        return RequestHandler(
            request,
            self.view,
            self._draft,
            self._commit,
            self.services,
            advances_steps,
            may_have_effects,
            endpoints=self.endpoints,
        )

    def _draft(self) -> WorldDraft:
        return WorldDraft(self.view.state)

    def _commit(self, ctx: WriteContext) -> World:
        if self.fault_injection is not None:
            self.fault_injection.replace_answer()
        self._publish(ctx, takes_time=True)
        return self.view

    def _publish(self, ctx: WriteContext, *, takes_time: bool = False) -> None:
        """Show what a context has changed, then hand over what it sends; the write of a client takes a clock tick."""
        if _has_changes(ctx.world):
            ctx.world.seal()
            self._show(ctx.world)
        if takes_time:
            self.clock.write()
        for outgoing in ctx.outgoing:
            for handle in self.outgoing_handlers:
                handle(outgoing)

    def _finish(self, request: Request, answer: Outcome, limits: Headers, started: int) -> Response:
        status, headers, body = answer.status, answer.headers, answer.body
        # Answers are cached before this step, so conditional and unconditional requests share one entry.
        if answer.etag and matches_etag(request.headers.get("if-none-match"), answer.etag):
            status, body = 304, b""
            headers = tuple(pair for pair in headers if pair[0] != "Content-Type")
        elif request.method == "HEAD":
            body = b""
        if (answer.reason or answer.fault) and (self.explains or request.headers.get(EXPLAIN, "0") != "0"):
            headers = (*headers, (REASON, header_text(answer.explanation)))
        origin = request.headers.get("origin")
        if origin is not None:
            headers = (*headers, *_cors_headers(origin, request.origin))
        tagged = (*headers, *limits, (ETAG, answer.etag)) if answer.etag else (*headers, *limits)
        runtime = f"{(perf_counter_ns() - started) / 1e9:.6f}"
        # These differ from response to response. They are the last ones, because a server renders the others only once.
        return Response(status, (*tagged, (REQUEST_ID, self._request_id()), (RUNTIME, runtime)), body)

    def _request_id(self) -> str:
        return random_bytes(self.view.setup.seed, "request", self._number).hex()

    # The throttle

    def _throttle(self, request: Request) -> Headers:
        user, settings = self._signed_in(request), self.view.settings
        caller = throttles.caller_of(request, user)
        # Under the auto clock, a client that comes back after a 429 is taken to have waited for its Retry-After.
        if self.clock.kind == "auto" and (blocked_until := self.limiter.blocked_until(caller)) is not None:
            self._advance_within_time(blocked_until)
        text = throttles.refusal_text(settings)
        headers: Headers = ()
        for throttle, enforced in throttles.list_counts(self.view, request, user):
            counted = self.limiter.count(throttle, caller, self.clock.now(), bars=enforced, text=text)
            # The hosted offering also reports limits that it does not enforce.
            headers = headers or (counted if enforced or self.view.instance.hosted else ())
        for limit in endpoint_limits.list_limits(settings, request, user):
            threshold = getattr(settings, limit.setting)
            self.limiter.count_action(limit.setting, caller, threshold, self.clock.now(), period=limit.period)
        return headers

    def _signed_in(self, request: Request) -> User | None:
        return self._request_handler(request).identify_user()

    # Time

    def catch_up(self) -> None:
        """Run all tasks that are due."""
        while (due := self.next_due) is not None and due <= self.clock.now():
            self._run_next_task()

    def settle(self) -> None:
        """Advance the clock until no task is scheduled, apart from recurring ones. RuntimeError if there is no end."""
        with self.lock:
            for _ in range(_MAX_SETTLE_STEPS):
                due = self._next_due_time("due_once")
                if due is None:
                    return
                self._advance_to(max(due, self.clock.now()))
            text = f"settle() gave up after {_MAX_SETTLE_STEPS} scheduled tasks; one keeps rescheduling itself"
            raise RuntimeError(text)

    def advance(self, duration: int) -> None:
        """Advance the clock by a duration (ms), running tasks as they become due."""
        with self.lock:
            self._advance_to(self.clock.now() + duration)

    def advance_to(self, time: int) -> None:
        """Advance the clock to a time (ms), running tasks as they become due."""
        with self.lock:
            self._advance_to(time)

    def _advance_to(self, time: int) -> None:
        check_time(time)
        while (due := self.next_due) is not None and due <= time:
            self.clock.set(max(due, self.clock.now()))
            self._run_next_task()
        self.clock.set(time)

    def _advance_within_time(self, time: int) -> None:
        """Advance the clock to a time (ms) that a request waits for, or to the end of time."""
        self._advance_to(min(max(time, self.clock.now()), LAST))

    def _next_due_time(self, index: str = "due") -> int | None:
        # An index gives the first task without reading the others.
        first = next(iter(self.view.scheduled_tasks.sorted(index, ALL_TASKS)), None)
        return None if first is None else first[0]

    def _run_next_task(self) -> None:
        _, id_ = next(iter(self.view.scheduled_tasks.sorted("due", ALL_TASKS)))
        with self.acting(origin=self.origin) as ctx:
            task = ctx.world.scheduled_tasks[id_]
            ctx.world.scheduled_tasks.remove(task)
            scheduled_tasks.run_task(ctx, task)

    # Changes without a request

    @contextmanager
    def acting(self, user: User | None = None, *, origin: str = LOCAL_ORIGIN) -> Iterator[WriteContext]:
        """Change the world without a request. An exception discards all changes."""
        with self.lock:
            ctx = WriteContext(self._draft(), ANONYMOUS if user is None else Caller(user), self.services, origin)
            yield ctx
            self._publish(ctx)


def _get_lost_contents(before: State, after: State) -> int:
    """Return a bit for each table whose records have the contents of files, and of which records were removed."""
    # What reads such a record refers to its content, which may be large, until it is evicted from the caches. Records
    # that were only added leave nothing behind.
    mask = 0
    for table in _CONTENT_TABLES:
        old, new = before.roots[table], after.roots[table]
        if old is not new and len(new.ids) <= len(old.ids):
            mask |= 1 << table
    return mask


def _has_changes(draft: WorldDraft) -> bool:
    return draft.contents.touched != 0 or draft.counters is not draft.state.counters


def _preflight_methods(request: Request, profile: Profile) -> str:
    """Return the methods that a CORS preflight request is told of; empty for any other OPTIONS request."""
    if any(name not in request.headers for name in ("access-control-request-method", "origin")):
        return ""
    if request.path.startswith("/api/"):
        return _CORS_METHODS
    return _OAUTH_CORS_METHODS.get(request.path, "") if profile.has(OAUTH_ANSWERS_PREFLIGHT_REQUESTS) else ""


def _preflight_headers(request: Request, methods: str) -> Headers:
    requested = request.headers.get("access-control-request-headers", "")
    allowed_headers = (("Access-Control-Allow-Headers", requested),) if requested else ()
    return (("Access-Control-Allow-Methods", methods), ("Access-Control-Max-Age", "7200"), *allowed_headers)


def _cors_headers(origin: str, own_origin: str) -> Headers:
    exposed = ("Access-Control-Expose-Headers", _CORS_EXPOSED_HEADERS)
    # Browsers reject "*" for requests with credentials, so only pages of the same origin can use the session cookie.
    if origin == own_origin:
        return (("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), exposed)
    return (("Access-Control-Allow-Origin", "*"), exposed)
