"""Replay of a tape: each request gets the response of a matching exchange, in strict mode only in recorded order."""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from time import perf_counter_ns
from typing import Final

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.timestamps import from_iso
from fakeplat.pipeline.rendering import Outcome
from fakeplat.platform import HandledRequest
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.records.record_kinds import resolve_route
from fakeplat.tape.replay.matching import RequestKey, describe_differences, is_same_request, request_key
from fakeplat.tape.replay.url_rewriting import url_rewriter

UNMATCHED: Final = 501
"""The status for unrecorded requests, which clients do not mistake for a status of the recorded server."""

_CACHE_SIZE: Final = 4_000

Observer = Callable[[HandledRequest, None], None]


class ReplayCursor:
    """The exchanges of one request. They are replayed in order; the last one is repeated."""

    def __init__(self, recorded_key: RequestKey) -> None:
        self.recorded_key = recorded_key
        self.exchanges: list[Exchange] = []
        self.played = 0

    def next(self) -> Exchange:
        """Return the next exchange."""
        exchange = self.exchanges[min(self.played, len(self.exchanges) - 1)]
        self.played += 1
        return exchange


class Replay:
    """Replays a tape. Credentials are not checked; URLs in responses use the origin that the client used.

    ``complaints`` are the mismatches that strict replay found; ``on_exchange`` is called with each replayed exchange.
    """

    def __init__(self, tape: Tape, *, strict: bool = False) -> None:
        self.tape = tape
        self.strict = strict
        self.observers: list[Observer] = []
        self.complaints: list[str] = []
        self.on_exchange: Callable[[Exchange], None] | None = None
        self._number = 0
        self._position = 0
        self._cursors: dict[str, ReplayCursor] = {}
        self._order = [self._add(exchange) for exchange in tape]
        # Only these need a comparison with every request; the others are found by their key.
        self._with_secrets = [cursor for cursor in self._cursors.values() if cursor.recorded_key.has_secrets]
        self._cursor_cache: dict[tuple[object, ...], ReplayCursor | None] = {}
        self._now = from_iso(tape.head.recorded_at)
        self._rewritten: dict[tuple[int, str], Response] = {}

    def _add(self, exchange: Exchange) -> ReplayCursor:
        key = request_key(exchange.request)
        cursor = self._cursors.setdefault(key.key, ReplayCursor(key))
        cursor.exchanges.append(exchange)
        return cursor

    def handle(self, request: Request) -> Response:
        """Return the recorded response to a request, or a 501 that describes the mismatch."""
        started = perf_counter_ns()
        self._number += 1
        cursor = self._cursor_for(request)
        exchange = self._advance(cursor) if self.strict else cursor.next() if cursor else None
        reason = "" if exchange else self._explain_mismatch(request)
        response = self._response_for(exchange, request.origin) if exchange else _unmatched(reason)
        if not exchange and self.strict:
            self.complaints.append(reason)
        if exchange and self.on_exchange:
            self.on_exchange(exchange)
        if self.observers:
            self._notify(request, response, reason, exchange, started)
        return response

    def _notify(
        self, request: Request, response: Response, reason: str, exchange: Exchange | None, started: int
    ) -> None:
        """Notify the observers; timestamps are those of the tape."""
        if exchange:
            self._now = from_iso(exchange.at)
        operation = _operation_name(request.method, request.path)
        answer = Outcome(response.status, response.headers, response.body, operation=operation, reason=reason)
        took = perf_counter_ns() - started
        entry = HandledRequest(self._number, request, answer, response.status, took, self._now, response, started)
        for observer in self.observers:
            observer(entry, None)

    def unplayed(self) -> Iterator[str]:
        """Describe the exchanges that were not requested in strict replay."""
        if self.strict:
            for exchange in self.tape.exchanges[self._position :]:
                yield f"never requested: {describe_exchange(exchange)}"

    def _cursor_for(self, request: Request) -> ReplayCursor | None:
        body = (request.body, request.headers.get("content-type")) if request.body else ()
        # The content type decides how the body is parsed, so it is part of the key if there is one.
        key = (request.method, request.path, request.query, request.origin, *body)
        try:
            return self._cursor_cache[key]
        except KeyError:
            if len(self._cursor_cache) >= _CACHE_SIZE:
                self._cursor_cache.clear()
            cursor = self._cursor_cache[key] = self._find_cursor(self._key_of(request))
            return cursor

    def _key_of(self, request: Request) -> RequestKey:
        """Like `request_key`, with our own origin replaced with the upstream's."""
        back = url_rewriter(request.origin, self.tape.head.upstream)
        return request_key(evolve(request, query=back.text(request.query), body=back.content(request.body)))

    def _find_cursor(self, key: RequestKey) -> ReplayCursor | None:
        # The key finds a request whose secrets are placeholders too, the search one with real secrets.
        return self._cursors.get(key.key) or next(
            (cursor for cursor in self._with_secrets if is_same_request(cursor.recorded_key, key)), None
        )

    def _advance(self, cursor: ReplayCursor | None) -> Exchange | None:
        """Return the next exchange of the tape if it is one of the cursor's."""
        if cursor is None or self._position == len(self._order) or self._order[self._position] is not cursor:
            return None
        self._position += 1
        return self.tape.exchanges[self._position - 1]

    def _response_for(self, exchange: Exchange, origin: str) -> Response:
        key = (exchange.line, origin)
        response = self._rewritten.get(key)
        if response is None:
            response = self._rewritten[key] = url_rewriter(self.tape.head.upstream, origin).response(exchange.response)
        return response

    def _explain_mismatch(self, request: Request) -> str:
        target = f"{request.method} {_target(request)}"
        if self.strict and self._position < len(self.tape):
            expected = self.tape.exchanges[self._position]
            differences = self._describe_differences(expected, request)
            return f"{target} is not the next recorded request: {describe_exchange(expected)}, where {differences}"
        closest = self._find_closest(request)
        if closest is None:
            return f"{target} was not recorded; the tape contains no{' more' if self.strict else ''} exchanges"
        recorded, differences = describe_exchange(closest), self._describe_differences(closest, request)
        return f"{target} was not recorded; the closest recorded request is {recorded}, where {differences}"

    def _describe_differences(self, recorded: Exchange, request: Request) -> str:
        differences = list(describe_differences(request_key(recorded.request), self._key_of(request)))
        return ", ".join(differences[:3]) or "nothing differs"

    def _find_closest(self, request: Request) -> Exchange | None:
        if self.strict:
            return None
        matcher = SequenceMatcher(b=f"{_target(request)} {request.method}", autojunk=False)

        # SequenceMatcher caches data about its second sequence, so that one is the request.
        def similarity(cursor: ReplayCursor) -> float:
            recorded = cursor.exchanges[0].request
            matcher.set_seq1(f"{_target(recorded)} {recorded.method}")
            # The ratio is at most 1, so a request with the same path is always closer than others.
            return matcher.ratio() + (recorded.path == request.path)

        cursor = max(self._cursors.values(), key=similarity, default=None)
        return cursor.exchanges[0] if cursor is not None else None


@lru_cache(_CACHE_SIZE)
def _operation_name(method: str, path: str) -> str:
    """Return the name of a known operation, or an empty string."""
    name = resolve_route(method, path).operation
    # An unknown route is named by its method and path, with a space between them.
    return "" if " " in name else name


def describe_exchange(exchange: Exchange) -> str:
    """Describe a recorded exchange in a message."""
    return f"{exchange.request.method} {_target(exchange.request)} (line {exchange.line})"


def _target(request: Request) -> str:
    return f"{request.path}?{request.query}" if request.query else request.path


def _unmatched(reason: str) -> Response:
    return Response(UNMATCHED, (("Content-Type", JSON),), orjson.dumps({"fakeplat_replay": reason}))
