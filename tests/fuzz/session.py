"""Sends seeded traffic to a full world of a release, and judges each answer."""

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import inf
from time import thread_time
from typing import Any, Final, NamedTuple

from attrs import evolve

from fakeplat.core.clock import Clock
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.release import LATEST
from fakeplat.core.store.state import State
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.platform import HandledRequest, Platform
from fakeplat.workbench.bench import Workbench
from tests.api.full_world import FULL
from tests.api.test_answers_for_each_caller import add_records
from tests.fuzz.contract import get_contract
from tests.fuzz.traffic import CALLERS, Traffic
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform

LIFE: Final = 100
"""How many requests a world gets before it is as it was at first: some of them close what the others need."""


class Fault(NamedTuple):
    """A request with a wrong answer."""

    operation: str
    what: str
    version: str
    request: Request
    response: Response

    @property
    def kind(self) -> str:
        """What faults of one cause have in common: a bug's last line, or the first words about a body."""
        return self.what.strip().splitlines()[-1][:120]


class Session:
    """A world of a release, and what was asked of it. ``patience`` is how long an answer may take (seconds of CPU)."""

    def __init__(self, version: str, seed: int, patience: float = inf) -> None:
        self.version = version
        self.patience = patience
        self.platform = create_full_platform(version)
        self.statuses: Counter[int] = Counter()
        self.reached: set[str] = set()
        self.slowest = 0.0
        self.count = 0
        world = self.platform.view
        tokens = {caller: token_of(world, caller) or "" for caller in CALLERS if caller is not None}
        self.traffic = Traffic(world.profile, tokens, seed)
        self._contract = get_contract(version)
        self._handled: str | None = None
        self.platform.observers.append(self._observe)
        self._start = self.platform.snapshot()

    def run(self, requests: int) -> Iterator[Fault]:
        """Send requests; yield those with wrong answers."""
        for _ in range(requests):
            if self.count % LIFE == 0:
                self.restart()
            yield from self.send(self.traffic.draw(self.platform.view).request)

    def restart(self) -> None:
        """Go on with the world as it was at first."""
        self.platform.restore(self._start)
        self.traffic.forget_world()

    def send(self, request: Request) -> Iterator[Fault]:
        """Send a request; yield what is wrong with its answer."""
        started = thread_time()
        response = self.platform.handle(request)
        took = thread_time() - started
        self.count += 1
        self.slowest = max(self.slowest, took)
        self.statuses[int(response.status)] += 1
        if response.status < 300 and self._handled:
            self.reached.add(self._handled)
        for what in self._list_faults(request, response, took):
            yield Fault(self._handled or "", what, self.version, request, response)

    def _observe(self, handled: HandledRequest, _handler: RequestHandler | None) -> None:
        self._handled = handled.answer.operation

    def _list_faults(self, request: Request, response: Response, took: float) -> Iterator[str]:
        if self.platform.failures:
            yield self.platform.failures[-1]
            self.platform.failures.clear()
        elif self._handled:
            yield from self._contract.list_violations(self._handled, response, is_head=request.method == "HEAD")
        elif response.status >= 500:
            yield f"status {response.status} without an operation"
        if took > self.patience:
            yield f"took longer than {self.patience} s"


@cache
def create_latest() -> Platform:
    """Return a full world of the latest release."""
    platform = create_platform(
        {
            **FULL,
            "instance": {"tier": "ultimate", "version": LATEST, "default_branch": "master"},
            "settings": {**FULL["settings"], "bulk_import_enabled": True, "elasticsearch_indexing": True},
        }
    )
    add_records(platform)
    return platform


def create_full_platform(version: str) -> Platform:
    """Return a platform with the records of the full world in a release."""
    latest = create_latest()
    state, setup = latest.state, latest.state.setup
    setup = evolve(setup, instance=evolve(setup.instance, version=version))
    clock = Clock("virtual")
    clock.set(latest.clock.now())
    return Workbench(
        Platform(State(state.roots, state.counters, setup), clock), scenario="full", seed=setup.seed
    ).platform


def save_request(version: str, request: Request) -> dict[str, Any]:
    """Return a request as it stands in the corpus."""
    return {
        "version": version,
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": b64encode(request.body).decode(),
    }


def read_request(saved: dict[str, Any]) -> Request:
    """Return a request of the corpus."""
    return Request(saved["method"], saved["path"], saved["query"], saved["headers"], b64decode(saved["body"]))
