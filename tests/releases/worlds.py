"""One full world, as each release of the platform would serve it."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any, NamedTuple

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.operations.operation import Operation
from fakeplat.core.operations.reasons import EXPLAIN, REASON
from fakeplat.core.release import LATEST, Release
from fakeplat.core.store.state import State
from fakeplat.domain.hooks import hooks
from fakeplat.domain.hooks.events import EVENTS
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.model.people import Group
from fakeplat.platform import HandledRequest, Platform
from fakeplat.workbench.deprecations import find_warnings
from fakeplat.workbench.openapi import openapi_document
from tests.api.full_world import FULL
from tests.api.test_answers_for_each_caller import add_records, find_key, list_segments
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform

MOST_PATHS = 40
"""How many paths of an operation are tried at most."""


class Answer(NamedTuple):
    """What a release answers: the JSON of the body, the reason of a refusal, warnings, and events that were sent."""

    status: int
    body: Any
    reason: str
    warnings: list[str]
    events: list[str]


class Worlds:
    """A full world in each release. What is asked of it changes nothing."""

    def __init__(self) -> None:
        self._platform = create_platform(
            {
                **FULL,
                "instance": {"tier": "ultimate", "version": LATEST, "default_branch": "master"},
                "settings": {**FULL["settings"], "bulk_import_enabled": True, "elasticsearch_indexing": True},
            }
        )
        add_records(self._platform)
        self._add_webhooks()
        self._platform.catch_up()
        self._tokens = {"private-token": token_of(self._platform.view, "root") or "", EXPLAIN: "1"}
        self._states: dict[Release, State] = {}
        self._documents: dict[Release, dict[str, Any]] = {}

    def _add_webhooks(self) -> None:
        """Add webhooks with every flag, which not every release lets clients set."""
        world = self._platform.view
        group = next(group for group in world.namespaces.all() if isinstance(group, Group) and group.path == "acme")
        with self._platform.acting(world.users.find("username", "root")) as ctx:
            for owner, kind in ((world.projects[5001], "project"), (group, "group")):
                flags: dict[str, Any] = {event.flag: True for event in EVENTS if kind in event.kinds}
                hooks.create(ctx, owner, url="https://receiver.example.com", **flags)

    def _state_of(self, release: Release) -> State:
        if release not in self._states:
            state, version = self._platform.state, ".".join(map(str, release))
            setup = evolve(state.setup, instance=evolve(state.setup.instance, version=version))
            self._states[release] = State(state.roots, state.counters, setup)
        return self._states[release]

    def ask(
        self, release: Release, method: str, path: str, query: str = "", body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Return the answer of a release to the administrator."""
        platform = Platform(self._state_of(release), self._platform.clock)
        handled: list[HandledRequest] = []
        sent: list[Any] = []
        platform.observers.append(lambda request, _handler: handled.append(request))
        platform.outgoing_handlers.append(sent.append)
        headers = {**self._tokens, **({"content-type": JSON} if body is not None else {})}
        data = b"" if body is None else orjson.dumps(body)
        response = platform.handle(Request(method, path, query, headers, data))
        response_headers = dict(response.headers)
        is_json = response_headers.get("Content-Type", "").startswith(JSON)
        return Answer(
            response.status,
            orjson.loads(response.body) if is_json and response.body else None,
            response_headers.get(REASON, ""),
            find_warnings(handled[0], platform.view.profile),
            [request.trigger for request in sent if isinstance(request, OutgoingRequest)],
        )

    def list_paths(self, operation: Operation) -> Iterator[str]:
        """Yield paths of an operation, with what may be there in the place of each parameter."""
        parts = operation.path.split("/")
        choices = [
            list(self._list_segments(parts, position)) if part.startswith((":", "*")) else [part]
            for position, part in enumerate(parts)
        ]
        return islice(("/".join(chosen) for chosen in product(*choices)), MOST_PATHS)

    def _list_segments(self, parts: list[str], position: int) -> Iterator[str]:
        yield from list_segments(self._platform.view, find_key(parts, position))
        yield "1"

    def get_document(self, release: Release) -> dict[str, Any]:
        """Return the OpenAPI document of a release."""
        if release not in self._documents:
            instance = self._state_of(release).setup.instance
            self._documents[release] = openapi_document(instance, "http://localhost")
        return self._documents[release]
