"""A tape that answers: loosely, by what is asked, or strictly, in the order in which it was recorded."""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from time import perf_counter_ns
from typing import Final

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.timestamps import from_iso
from fakeplat.pipeline import Outcome
from fakeplat.platform import HandledRequest
from fakeplat.tape.export.record_kinds import resolve_route
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.replay.matching import RequestKey, describe_differences, is_same_request, request_key
from fakeplat.tape.replay.url_rewriting import url_rewriter

UNMATCHED: Final = 501
"""The status of an answer to what was never recorded: no client takes it for the server's own word."""

_REMEMBERED: Final = 4_000

Observer = Callable[[HandledRequest, None], None]


class ReplayCursor:
    """The exchanges of one request, recorded once or several times. They are played in order; the last one stays."""

    def __init__(self, asked: RequestKey) -> None:
        self.asked = asked
        self.exchanges: list[Exchange] = []
        self.played = 0

    def next(self) -> Exchange:
        """The exchange whose answer is due."""
        found = self.exchanges[min(self.played, len(self.exchanges) - 1)]
        self.played += 1
        return found


class Replay:
    """Answers as a tape does. Credentials are not checked; URLs follow the origin that the client used.

    ``complaints`` is what strict replay found wrong on the way.
    """

    def __init__(self, tape: Tape, *, strict: bool = False) -> None:
        self.tape = tape
        self.strict = strict
        self.observers: list[Observer] = []
        self.complaints: list[str] = []
        self._number = 0
        self._place = 0
        self._turns: dict[str, ReplayCursor] = {}
        self._order = [self._put(exchange) for exchange in tape]
        self._with_secrets = [turn for turn in self._turns.values() if turn.asked.has_secrets]
        self._known: dict[tuple[object, ...], ReplayCursor | None] = {}
        self._now = from_iso(tape.head.recorded_at)
        self._moved: dict[tuple[int, str], Response] = {}

    def _put(self, exchange: Exchange) -> ReplayCursor:
        asked = request_key(exchange.request)
        turn = self._turns.setdefault(asked.key, ReplayCursor(asked))
        turn.exchanges.append(exchange)
        return turn

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        began = perf_counter_ns()
        self._number += 1
        turn = self._turn(request)
        exchange = self._due(turn) if self.strict else turn.next() if turn else None
        reason = "" if exchange else self._why_not(request)
        response = self._answer(exchange, request.origin) if exchange else _unmatched(reason)
        if not exchange and self.strict:
            self.complaints.append(reason)
        if self.observers:
            self._tell(request, response, reason, exchange, perf_counter_ns() - began)
        return response

    def _tell(self, request: Request, response: Response, reason: str, exchange: Exchange | None, took: int) -> None:
        """Tell the observers; the time is the tape's."""
        if exchange:
            self._now = from_iso(exchange.at)
        operation = _operation(request.method, request.path)
        answer = Outcome(response.status, response.headers, response.body, operation=operation, reason=reason)
        entry = HandledRequest(self._number, request, answer, response.status, took, self._now, response)
        for observer in self.observers:
            observer(entry, None)

    def unplayed(self) -> Iterator[str]:
        """What strict replay has not been asked for."""
        if self.strict:
            for exchange in self.tape.exchanges[self._place :]:
                yield f"never asked: {describe_exchange(exchange)}"

    def _turn(self, request: Request) -> ReplayCursor | None:
        body = (request.body, request.headers.get("content-type")) if request.body else ()
        key = (request.method, request.path, request.query, request.origin, *body)
        try:
            return self._known[key]
        except KeyError:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._found(self._essence(request))
            return found

    def _essence(self, request: Request) -> RequestKey:
        """As `essence`, with the upstream's origin where the client named ours."""
        back = url_rewriter(request.origin, self.tape.head.upstream)
        return request_key(evolve(request, query=back.text(request.query), body=back.content(request.body)))

    def _found(self, asked: RequestKey) -> ReplayCursor | None:
        return self._turns.get(asked.key) or next(
            (turn for turn in self._with_secrets if is_same_request(turn.asked, asked)), None
        )

    def _due(self, turn: ReplayCursor | None) -> Exchange | None:
        """The next exchange of the tape, if it is the one that was asked for."""
        if turn is None or self._place == len(self._order) or self._order[self._place] is not turn:
            return None
        self._place += 1
        return self.tape.exchanges[self._place - 1]

    def _answer(self, exchange: Exchange, origin: str) -> Response:
        key = (exchange.line, origin)
        found = self._moved.get(key)
        if found is None:
            found = self._moved[key] = url_rewriter(self.tape.head.upstream, origin).response(exchange.response)
        return found

    def _why_not(self, request: Request) -> str:
        asked = f"{request.method} {_target(request)}"
        if self.strict and self._place < len(self.tape):
            due = self.tape.exchanges[self._place]
            return f"{asked} is not what comes next: {describe_exchange(due)}; there {self._differences(due, request)}"
        nearest = self._nearest(request)
        if nearest is None:
            return f"{asked} was not recorded; the tape holds nothing{' more' if self.strict else ''}"
        differences = self._differences(nearest, request)
        return f"{asked} was not recorded; the nearest is {describe_exchange(nearest)}; there {differences}"

    def _differences(self, recorded: Exchange, request: Request) -> str:
        found = list(describe_differences(request_key(recorded.request), self._essence(request)))
        return ", ".join(found[:3]) or "nothing differs"

    def _nearest(self, request: Request) -> Exchange | None:
        if self.strict:
            return None
        asked = SequenceMatcher(b=f"{_target(request)} {request.method}", autojunk=False)

        def likeness(turn: ReplayCursor) -> float:
            recorded = turn.exchanges[0].request
            asked.set_seq1(f"{_target(recorded)} {recorded.method}")
            return asked.ratio() + (recorded.path == request.path)

        turn = max(self._turns.values(), key=likeness, default=None)
        return turn.exchanges[0] if turn is not None else None


@lru_cache(_REMEMBERED)
def _operation(method: str, path: str) -> str:
    """The name of a known operation, or nothing."""
    found = resolve_route(method, path).operation
    return "" if " " in found else found


def describe_exchange(exchange: Exchange) -> str:
    """A recorded exchange in words."""
    return f"{exchange.request.method} {_target(exchange.request)} (line {exchange.line})"


def _target(request: Request) -> str:
    return f"{request.path}?{request.query}" if request.query else request.path


def _unmatched(reason: str) -> Response:
    return Response(UNMATCHED, (("Content-Type", JSON),), orjson.dumps({"fakeplat_replay": reason}))
