"""Verifying: the requests of a tape, played in order, and their answers compared with the recorded ones.

Source: docs/contract.md ('Command line'), docs/fidelity.md.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Final
from urllib.parse import urlsplit

from attrs import evolve

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.export.from_tape import observe_tape
from fakeplat.tape.export.json_objects import iterate_objects
from fakeplat.tape.export.recorded_requests import json_or_none, requester_of
from fakeplat.tape.export.transports import Ask
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.redaction.credentials import find_credential
from fakeplat.tape.replay.url_rewriting import url_rewriter
from fakeplat.tape.verify.comparison import Comparison
from fakeplat.tape.verify.drift import Difference, Drift, DriftKind, Report
from fakeplat.tape.verify.id_resolver import IdResolver
from fakeplat.tape.verify.references import DATE, HASH, SECRET, SHORT, TAG, References, Value
from fakeplat.tape.verify.request_rewriting import RequestRewriter

Tokens = Mapping[str, str]

_NO_RECORDS: Final = (DATE, HASH, SHORT, TAG)
_SUFFIXES: Final = {"password": "password", "cookie": "session"}
_BEYOND: Final = 1_000_000_000
"""Added to ids that mean nothing on the played server, so that they are those of nothing there."""


def _of_nobody(placeholder: str) -> str:
    """A credential that no server knows, always the same for a placeholder."""
    return blake2b(placeholder.encode(), digest_size=12).hexdigest()


class Verification:
    """One playing of a tape against a server at ``origin`` that ``ask`` reaches.

    ``same_ids``: the world is the recorded one, so that an id of which the tape shows nothing means the same there.
    """

    def __init__(self, tape: Tape, ask: Ask, origin: str, tokens: Tokens, *, same_ids: bool = False) -> None:
        self._tape = tape
        self._ask = ask
        self._origin = origin
        self._references = References()
        self._tokens = tokens
        self._same_ids = same_ids
        self.comparison = Comparison(self._references, tape.head.upstream)
        self._introductions = IdResolver(observe_tape(tape), ask, origin)
        self._lost: set[tuple[str, Value]] = set()

    async def run(self, report: Report, tell: Callable[[str], None] = lambda _: None) -> Report:
        """Play everything and fill the report."""
        for number, exchange in enumerate(self._tape, 1):
            request = exchange.request
            route = kinds.resolve_route(request.method, request.path)
            tell(f"{number}/{len(self._tape)} {request.method} {request.path}")
            report.played[route.operation] += 1
            for difference in await self._played(exchange, kinds.kind_shown_at(route.path)):
                report.drifts.append(
                    Drift(
                        number,
                        exchange.line,
                        route.operation,
                        request.method,
                        request.path,
                        exchange.response.status,
                        difference,
                    )
                )
        return report

    async def _played(self, exchange: Exchange, shows: str) -> list[Difference]:
        mentioned: dict[tuple[str, Value], None] = {}

        def mention(kind: str, value: Value) -> Value:
            mentioned[kind, value] = None
            return value

        self._rewritten(exchange.request, mention)
        for kind, value in mentioned:
            if (kind, value) in self._lost:
                return [Difference(DriftKind.UNPLAYED, "", f"it needs the {kind} {value}, which was not made")]
        asked = self._rewritten(exchange.request, self._swap)
        for kind, value in mentioned:
            await self._introduce(kind, value, asked.headers)
        answer = await self._ask(self._rewritten(exchange.request, self._swap))
        back = answer if self._origin == self._tape.head.upstream else self._moved_back(answer)
        if answer.status != exchange.response.status:
            self._lose(exchange, shows)
        return list(self.comparison.answers(shows, exchange.response, back))

    async def _introduce(self, kind: str, value: Value, headers: Mapping[str, str]) -> None:
        if kind in _NO_RECORDS or not isinstance(value, int) or self._references.played(kind, value) is not None:
            return
        found = await self._introductions.id_of(kind, value, headers)
        if found is not None:
            self._references.same(kind, value, found)

    def _lose(self, exchange: Exchange, shows: str) -> None:
        """What the tape made here, and the played server did not, is nothing to ask for."""
        if exchange.request.method != "POST" or exchange.response.status != 201:
            return
        for document in iterate_objects(json_or_none(exchange.response.body)):
            record = (shows, document.get("id", 0))
            if self._references.played(*record) is None:
                self._lost.add(record)

    def _rewritten(self, request: Request, swap: Callable[[str, Value], Value]) -> Request:
        found = RequestRewriter(swap, self._secret, self._tape.head.upstream).request(request)
        if self._origin == self._tape.head.upstream:
            return found
        there = url_rewriter(self._tape.head.upstream, self._origin)
        return evolve(found, origin=self._origin, query=there.text(found.query), body=there.content(found.body))

    def _moved_back(self, answer: Response) -> Response:
        """An answer as if the recorded server had given it, where URLs and addresses for SSH name the server."""
        there, here = (f"git@{urlsplit(one).hostname}:".encode() for one in (self._origin, self._tape.head.upstream))
        moved = url_rewriter(self._origin, self._tape.head.upstream).response(answer)
        return evolve(moved, body=moved.body.replace(there, here))

    def _swap(self, kind: str, value: Value) -> Value:
        found = self._references.played(kind, value)
        if found is None and isinstance(value, int) and 0 < value < _BEYOND and not self._same_ids:
            return value + _BEYOND
        return value if found is None else found

    def _secret(self, placeholder: str) -> str:
        """What stands for a placeholder: what was given, or came in an answer, or else what nobody has."""
        bound = self._references.played(SECRET, placeholder)
        return self._tokens.get(placeholder) or str(bound or _of_nobody(placeholder))


def tokens_of_a_fake(tape: Tape) -> Tokens:
    """The credentials that a fake knows for the users of a tape's placeholders."""
    told = {
        placeholder: f"{username}-{_SUFFIXES.get(placeholder.partition(':')[0], 'token')}"
        for placeholder, username in tape.head.users.items()
    }
    passwords = {placeholder: f"{username}-{_SUFFIXES['password']}" for placeholder, username in _passwords(tape)}
    return {**passwords, **told}


def _passwords(tape: Tape) -> Iterator[tuple[str, str]]:
    """Of what was let in as somebody's password, the placeholder and that user."""
    for exchange in tape:
        found = find_credential(exchange.request)
        if found is not None and found.user and exchange.response.status < 400:
            yield found.value.strip("<>"), found.user


def unknown_credentials(tape: Tape, tokens: Tokens) -> list[str]:
    """Return the placeholders of credentials for which there is neither a user nor a token."""
    used = dict.fromkeys(placeholder for exchange in tape if (placeholder := requester_of(exchange.request)))
    return [placeholder for placeholder in used if placeholder not in tokens]


def required_credentials(tape: Tape) -> dict[str, str]:
    """The placeholders of credentials whose users the tape knows, with these."""
    known = {**dict(_passwords(tape)), **tape.head.users}
    used = (requester_of(exchange.request) or "" for exchange in tape)
    return {placeholder: known[placeholder] for placeholder in used if placeholder in known}
