"""One isolated platform: its records, its clock, and the one door through which everything comes.

`Platform.handle` is synchronous and under one lock; every face (HTTP, tests, recorded sessions) uses it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from time import perf_counter_ns
from traceback import format_exception
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import Clock, check_time
from fakeplat.core.operations.entity import Fragment
from fakeplat.core.operations.errors import Throttled
from fakeplat.core.operations.http_messages import JSON, Headers, Request, Response
from fakeplat.core.operations.limits import RateLimiter, Throttle
from fakeplat.core.operations.reasons import EXPLAIN, REASON, header_text
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.scheduler import run_task
from fakeplat.core.store.state import State
from fakeplat.core.timestamps import SECOND
from fakeplat.model.settings import Settings
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.pipeline import (
    ALWAYS,
    Endpoint,
    Outcome,
    RequestHandler,
    RestartAfterEffect,
    RestartAfterTask,
    Selection,
    matches_etag,
)
from fakeplat.policy.context import WriteContext

log: Final = logging.getLogger("fakeplat")
_CREDENTIALS: Final = ("private-token", "authorization", "sudo", "cookie", "job-token")
_KEPT_ANSWERS: Final = 4_000
_KEPT_RESULTS: Final = 200
_KEPT_FAILURES: Final = 100
_MOST_STEPS: Final = 100_000
_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_EXPOSED: Final = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page"


class HandledRequest(NamedTuple):
    """One request as the journal keeps it: ``status`` as it went out; ``took`` in ns, ``at`` the world's time in ms."""

    number: int
    request: Request
    answer: Outcome
    status: int
    took: int
    at: int
    response: Response


class PlatformState(NamedTuple):
    """What restoring needs: the records, the time, how far chance has gone."""

    state: State
    now: int
    number: int


Observer = Callable[[HandledRequest, RequestHandler | None], None]


class FaultInjection(Protocol):
    """What a test author lets go wrong with one request."""

    def replace_answer(self) -> None:
        """Refuse what is about to be committed, or let it pass."""

    def alter(self, answer: Outcome) -> Outcome:
        """What becomes of the answer."""

    def delivered(self, response: Response) -> Response:
        """The response with the way that it takes."""


Between = Callable[[Request, Callable[[Request], Response]], Response]
"""Stands between the requests and the platform."""


class Platform:
    """A world that is served. ``observer_factories`` observe every platform of the process."""

    observer_factories: ClassVar[list[Observer]] = []

    def __init__(self, state: State, clock: Clock) -> None:
        self.lock = RLock()
        self.clock = clock
        self.limiter = RateLimiter()
        self.observers: list[Observer] = [*self.observer_factories]
        self.listeners: list[Callable[[str, Any], None]] = []
        self.failures: list[str] = []
        self.middleware: Between | None = None
        self.fault_injection: FaultInjection | None = None
        self.endpoints: dict[str, Endpoint] = {}
        self.explains = False
        self._fragments: Cache[Fragment] = Cache(size_of=lambda fragment: len(fragment.data))
        self._memory: Cache[Any] = Cache(_KEPT_RESULTS)
        self._answers: Cache[Outcome] = Cache(_KEPT_ANSWERS, lambda answer: len(answer.body))
        self._selections: Cache[Selection] = Cache(_KEPT_ANSWERS)
        self._number = 0
        self._agenda: object = None
        self._next_due: int | None = None
        self.view = World(state)

    @property
    def state(self) -> State:
        """The records as they stand."""
        return self.view.state

    def now(self) -> PlatformState:
        """This moment, to come back to."""
        with self.lock:
            return PlatformState(self.state, self.clock.now(), self._number)

    def restore(self, moment: PlatformState) -> None:
        """Come back to a moment; limits are counted anew."""
        with self.lock:
            if moment.state.setup is not self.state.setup or moment.now < self.clock.now():
                self._forget()
            self.view = World(moment.state)
            if self.clock.stands:
                self.clock.set(moment.now)
            self._number = moment.number
            self.limiter.forget()

    def _forget(self) -> None:
        self._fragments.clear()
        self._memory.clear()
        self._answers.clear()
        self._selections.clear()

    # requests

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        with self.lock:
            return self._handle(request) if self.middleware is None else self.middleware(request, self._handle)

    def _handle(self, request: Request) -> Response:
        began = perf_counter_ns()
        self._number += 1
        self.catch_up()
        exchange, answer, limits = self._answer(request)
        if self.fault_injection is not None:
            answer = self.fault_injection.alter(answer)
        response = self._finish(request, answer, limits, began)
        if self.fault_injection is not None:
            response = self.fault_injection.delivered(response)
        took, at = perf_counter_ns() - began, self.clock.now()
        entry = HandledRequest(self._number, request, answer, response.status, took, at, response)
        for observer in self.observers:
            observer(entry, exchange)
        return response

    def _answer(self, request: Request) -> tuple[RequestHandler | None, Outcome, Headers]:
        limits: Headers = ()
        if _asks_for_leave(request):
            return None, Outcome(200, _leave(request)), ()
        throttling = self._throttling()
        if throttling is not None:
            try:
                limits = self._throttle(request, throttling)
            except Throttled as refusal:
                response = refusal.response()
                return None, Outcome(429, response.headers, response.body, reason=refusal.reason, refusal=refusal), ()
        if request.method not in ("GET", "HEAD"):
            written = self._exchange(request)
            return written, self._safely(written), limits
        exchange, answer = self._read(request)
        return exchange, answer, limits

    def _read(self, request: Request) -> tuple[RequestHandler | None, Outcome]:
        headers = request.headers
        key = (
            request.method,
            request.path,
            request.query,
            request.origin,
            *[headers.get(name) for name in _CREDENTIALS],
        )
        made = self._answers.get(key)
        if made is not None and made.is_valid(self.view.state, self.clock.now):
            return None, made.thing
        exchange = self._exchange(request)
        view = self.view
        view.reads = Dependencies()
        selected = self._selections.get(key)
        if selected is not None and selected.is_valid(view.state, self.clock.now):
            exchange.selected = selected
            view.reads.add(selected.reads)
        try:
            answer = self._safely(exchange)
        finally:
            reads, view.reads = view.reads, None
        if answer.status == 200 and self.view is view and request.method == "GET":
            self._answers.put(key, CacheEntry(answer, reads, view.state))
            if exchange.selected is not None:
                self._selections.put(key, exchange.selected)
        return exchange, answer

    def _safely(self, exchange: RequestHandler) -> Outcome:
        try:
            return exchange.answer()
        except RestartAfterTask as unfinished:
            self._bring_forward(unfinished.subject)
            return self._again(exchange, self._exchange(exchange.request, steps_on=False))
        except RestartAfterEffect as woken:
            with self.acting() as doing:
                woken.act(doing)
            self.catch_up()
            return self._again(exchange, self._exchange(exchange.request, steps_on=False, wakes_on=False))
        except Exception as bug:  # noqa: BLE001  # a bug of ours, which must not look like an answer of the platform
            return self._bug(exchange, bug)

    def _again(self, exchange: RequestHandler, again: RequestHandler) -> Outcome:
        exchange.operation, exchange.caller = again.operation, again.caller
        return self._safely(again)

    def _bug(self, exchange: RequestHandler, bug: Exception) -> Outcome:
        reference = self._request_id()
        operation = exchange.operation.name if exchange.operation else "no operation"
        log.error("a bug in fakeplat, reference %s: %s %s", reference, operation, exchange.request.path, exc_info=bug)
        self.failures.append(f"reference {reference}\n{''.join(format_exception(bug))}")
        del self.failures[:-_KEPT_FAILURES]
        body = b'{"message":"500 Internal Server Error","fakeplat":"a bug in fakeplat, reference %b; see its log"}'
        headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *ALWAYS)
        return Outcome(500, headers, body % reference.encode(), operation=operation, reason=f"bug {reference}")

    def _exchange(self, request: Request, *, steps_on: bool | None = None, wakes_on: bool = True) -> RequestHandler:
        steps = self.clock.kind == "auto" if steps_on is None else steps_on
        return RequestHandler(
            request,
            self.view,
            self._draft,
            self._commit,
            self.clock,
            self._fragments,
            self.limiter,
            self._memory,
            steps,
            wakes_on,
            endpoints=self.endpoints,
        )

    def _draft(self) -> WorldDraft:
        return WorldDraft(self.view.state)

    def _commit(self, doing: WriteContext) -> World:
        if self.fault_injection is not None:
            self.fault_injection.replace_answer()
        if _changed(doing.world):
            self.view = World(doing.world.frozen())
        self.clock.write()
        for name, subject in doing.events:
            for listener in self.listeners:
                listener(name, subject)
        return self.view

    def _finish(self, request: Request, answer: Outcome, limits: Headers, began: int) -> Response:
        status, headers, body = answer.status, answer.headers, answer.body
        if answer.etag and matches_etag(request.headers.get("if-none-match"), answer.etag):
            status, body = 304, b""
            headers = tuple(pair for pair in headers if pair[0] != "Content-Type")
        elif request.method == "HEAD":
            body = b""
        runtime = f"{(perf_counter_ns() - began) / 1e9:.6f}"
        whole = (*headers, *limits, ("X-Request-Id", self._request_id()), ("X-Runtime", runtime))
        if (answer.reason or answer.fault) and (self.explains or request.headers.get(EXPLAIN, "0") != "0"):
            whole = (*whole, (REASON, header_text(answer.explained)))
        origin = request.headers.get("origin")
        return Response(status, whole if origin is None else (*whole, *_cors(origin, request.origin)), body)

    def _request_id(self) -> str:
        return random_bytes(self.view.setup.seed, "request", self._number).hex()

    # the throttle

    def _throttling(self) -> Settings | None:
        settings = self.view.settings
        instance = self.view.instance
        enabled = settings.throttle_authenticated_api_enabled or settings.throttle_unauthenticated_enabled
        return settings if enabled or instance.hosted else None

    def _throttle(self, request: Request, settings: Settings) -> Headers:
        user = self._signed_in(request)
        caller = ("user", user.id) if user else ("ip", request.peer)
        if self.clock.kind == "auto" and (until := self.limiter.blocked_until(caller)) is not None:
            self._advance_to(max(until, self.clock.now()))
        throttle, enabled = _throttle_of(settings, signed_in=user is not None)
        headers = self.limiter.count(throttle, caller, self.clock.now(), bars=enabled)
        return headers if enabled or self.view.instance.hosted else ()

    def _signed_in(self, request: Request) -> User | None:
        return self._exchange(request).signed_in()

    # time

    def catch_up(self) -> None:
        """Do what is due by now."""
        while (at := self._due_at()) is not None and at <= self.clock.now():
            self._do_next()

    def settle(self) -> None:
        """Let time pass until nothing is due."""
        with self.lock:
            for _ in range(_MOST_STEPS):
                at = self._due_at()
                if at is None:
                    return
                self._advance_to(max(at, self.clock.now()))
            raise RuntimeError("the world never comes to rest")

    def advance(self, span: int) -> None:
        """Let that many ms pass, doing what becomes due on the way."""
        with self.lock:
            self._advance_to(self.clock.now() + span)

    def advance_to(self, moment: int) -> None:
        """Let time pass until a moment (ms)."""
        with self.lock:
            self._advance_to(moment)

    def _advance_to(self, moment: int) -> None:
        check_time(moment)
        while (at := self._due_at()) is not None and at <= moment:
            self.clock.set(max(at, self.clock.now()))
            self._do_next()
        self.clock.set(moment)

    def _bring_forward(self, subject: tuple[str, int]) -> None:
        steps = [due.at for due in self.view.scheduled_tasks.where("subject", subject) if due.in_progress]
        self._advance_to(max(min(steps), self.clock.now()))

    def _due_at(self) -> int | None:
        root = self.view.roots[_AGENDA]
        if root is not self._agenda:
            self._agenda = root
            self._next_due = min((due.at for due in self.view.scheduled_tasks.all()), default=None)
        return self._next_due

    def _do_next(self) -> None:
        due = min(self.view.scheduled_tasks.all(), key=lambda due: (due.at, due.id))
        with self.acting() as doing:
            doing.world.scheduled_tasks.remove(due)
            run_task(doing, due)

    # acting from inside

    @contextmanager
    def acting(self, user: User | None = None, *, origin: str = "http://localhost") -> Iterator[WriteContext]:
        """Change the world without a request; an exception undoes everything."""
        with self.lock:
            doing = WriteContext(
                self._draft(), user, clock=self.clock, fragments=self._fragments, limiter=self.limiter, origin=origin
            )
            yield doing
            if _changed(doing.world):
                self.view = World(doing.world.frozen())
            for name, subject in doing.events:
                for listener in self.listeners:
                    listener(name, subject)


_AGENDA: Final = World.scheduled_tasks.position


def _changed(draft: WorldDraft) -> bool:
    return bool(draft.contents.touched) or draft.counters is not draft.state.counters


def _throttle_of(settings: Settings, *, signed_in: bool) -> tuple[Throttle, bool]:
    if signed_in:
        return (
            Throttle(
                "throttle_authenticated_api",
                settings.throttle_authenticated_api_requests_per_period,
                settings.throttle_authenticated_api_period_in_seconds * SECOND,
            ),
            settings.throttle_authenticated_api_enabled,
        )
    return (
        Throttle(
            "throttle_unauthenticated",
            settings.throttle_unauthenticated_requests_per_period,
            settings.throttle_unauthenticated_period_in_seconds * SECOND,
        ),
        settings.throttle_unauthenticated_enabled,
    )


def _asks_for_leave(request: Request) -> bool:
    """Whether a browser asks if a page of another origin may call the API."""
    asked = request.method == "OPTIONS" and "access-control-request-method" in request.headers
    return asked and "origin" in request.headers and request.path.startswith("/api/")


def _leave(request: Request) -> Headers:
    wanted = request.headers.get("access-control-request-headers", "")
    allowed = (("Access-Control-Allow-Headers", wanted),) if wanted else ()
    return (("Access-Control-Allow-Methods", _METHODS), ("Access-Control-Max-Age", "7200"), *allowed)


def _cors(origin: str, own: str) -> Headers:
    exposed = ("Access-Control-Expose-Headers", _EXPOSED)
    if origin == own:
        return (("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), exposed)
    return (("Access-Control-Allow-Origin", "*"), exposed)
