"""Verification: plays the requests of a tape in order and compares the responses with the recorded ones.

Source: docs/contract.md ('Command line'), docs/fidelity.md.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Final
from urllib.parse import urlsplit

from attrs import evolve

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.tape.export.from_tape import observe_tape
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.records import record_kinds
from fakeplat.tape.records.json_objects import iterate_objects
from fakeplat.tape.records.recorded_requests import json_or_none, requester_of
from fakeplat.tape.records.transports import Ask
from fakeplat.tape.redaction.credentials import find_credential
from fakeplat.tape.replay.url_rewriting import url_rewriter
from fakeplat.tape.verify.comparison import Comparison
from fakeplat.tape.verify.drift import Difference, Drift, DriftKind, Report
from fakeplat.tape.verify.id_resolver import IdResolver
from fakeplat.tape.verify.references import DATE, HASH, SECRET, SHORT, TAG, References, Value
from fakeplat.tape.verify.request_rewriting import RequestRewriter

Tokens = Mapping[str, str]

_NOT_RECORDS: Final = (DATE, HASH, SHORT, TAG)
_SUFFIXES: Final = {"password": "password", "cookie": "session"}
_UNKNOWN_ID_OFFSET: Final = 1_000_000_000
"""Offset of ids without a counterpart on the played server, so that they do not refer to other records there."""


def _invalid_credential(placeholder: str) -> str:
    """Return a credential that no server accepts; it is always the same for a placeholder."""
    return blake2b(placeholder.encode(), digest_size=12).hexdigest()


class Verification:
    """A verification of a tape against the server at ``origin``, to which ``ask`` sends requests.

    ``same_ids``: the world is the recorded one, so ids that the tape does not show are the same there. ``exact_ids``:
    all ids are, so no counterparts are looked up.
    """

    def __init__(
        self,
        tape: Tape,
        ask: Ask,
        origin: str,
        tokens: Tokens,
        *,
        same_ids: bool = False,
        exact_ids: bool = False,
    ) -> None:
        self._tape = tape
        self._ask = ask
        self._origin = origin
        self._references = References()
        self._tokens = tokens
        self._same_ids = same_ids
        self._exact_ids = exact_ids
        self.comparison = Comparison(self._references, tape.head.upstream)
        self._id_resolver = IdResolver(observe_tape(tape), ask, origin)
        self._missing: set[tuple[str, Value]] = set()

    async def run(self, report: Report, show_progress: Callable[[str], None] = lambda _: None) -> Report:
        """Play all exchanges and fill the report."""
        for number, exchange in enumerate(self._tape, 1):
            request = exchange.request
            route = record_kinds.resolve_route(request.method, request.path)
            show_progress(f"{number}/{len(self._tape)} {request.method} {request.path}")
            report.played[route.operation] += 1
            for difference in await self._play(exchange, record_kinds.kind_shown_at(route.path)):
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

    async def _play(self, exchange: Exchange, shows: str) -> list[Difference]:
        mentioned: dict[tuple[str, Value], None] = {}

        def mention(kind: str, value: Value) -> Value:
            mentioned[kind, value] = None
            return value

        # The request is rewritten three times: to find what it mentions, to get the credentials for looking up unknown
        # ids, and with the ids that were found.
        self._rewrite(exchange.request, mention)
        for kind, value in mentioned:
            # Without the record the request would only repeat an earlier difference in other words.
            if (kind, value) in self._missing:
                return [Difference(DriftKind.UNPLAYED, "", f"it requires the {kind} {value}, which was not created")]
        request = self._rewrite(exchange.request, self._played_value)
        for kind, value in mentioned:
            await self._resolve_id(kind, value, request.headers)
        response = await self._ask(self._rewrite(exchange.request, self._played_value))
        comparable = response if self._origin == self._tape.head.upstream else self._with_recorded_origin(response)
        if response.status != exchange.response.status:
            self._note_missing(exchange, shows)
        return list(self.comparison.compare_responses(shows, exchange.response, comparable))

    async def _resolve_id(self, kind: str, value: Value, headers: Mapping[str, str]) -> None:
        if self._exact_ids or kind in _NOT_RECORDS or not isinstance(value, int):
            return
        if self._references.played(kind, value) is not None:
            return
        played = await self._id_resolver.id_of(kind, value, headers)
        if played is not None:
            self._references.correspond(kind, value, played)

    def _note_missing(self, exchange: Exchange, shows: str) -> None:
        """Remember records that the recorded server created and the played server did not."""
        if exchange.request.method != "POST" or exchange.response.status != 201:
            return
        for document in iterate_objects(json_or_none(exchange.response.body)):
            record = (shows, document.get("id", 0))
            if self._references.played(*record) is None:
                self._missing.add(record)

    def _rewrite(self, request: Request, swap: Callable[[str, Value], Value]) -> Request:
        rewritten = RequestRewriter(swap, self._secret, self._tape.head.upstream).request(request)
        if self._origin == self._tape.head.upstream:
            return rewritten
        rewriter = url_rewriter(self._tape.head.upstream, self._origin)
        return evolve(
            rewritten, origin=self._origin, query=rewriter.text(rewritten.query), body=rewriter.content(rewritten.body)
        )

    def _with_recorded_origin(self, response: Response) -> Response:
        """Replace the played server with the recorded one in the URLs and SSH addresses of a response."""
        # SSH addresses have no scheme, so the rewriter of URLs does not find them.
        played, recorded = (
            f"git@{urlsplit(origin).hostname}:".encode() for origin in (self._origin, self._tape.head.upstream)
        )
        rewritten = url_rewriter(self._origin, self._tape.head.upstream).response(response)
        return evolve(rewritten, body=rewritten.body.replace(played, recorded))

    def _played_value(self, kind: str, value: Value) -> Value:
        if self._exact_ids and isinstance(value, int):
            return value
        played = self._references.played(kind, value)
        # An id that is as large as the offset refers to no record on either server as it is.
        if played is None and isinstance(value, int) and 0 < value < _UNKNOWN_ID_OFFSET and not self._same_ids:
            return value + _UNKNOWN_ID_OFFSET
        return value if played is None else played

    def _secret(self, placeholder: str) -> str:
        """Return the value of a placeholder: a given token, one from a response, or an invalid credential."""
        bound = self._references.played(SECRET, placeholder)
        # A secret that a response showed, such as that of a created token, is bound by the comparison.
        return self._tokens.get(placeholder) or str(bound or _invalid_credential(placeholder))


def fake_tokens(tape: Tape) -> Tokens:
    """Return the credentials that a fakeplat accepts for the users of a tape's placeholders."""
    tokens = {
        placeholder: f"{username}-{_SUFFIXES.get(placeholder.partition(':')[0], 'token')}"
        for placeholder, username in tape.head.users.items()
    }
    passwords = {
        placeholder: f"{username}-{_SUFFIXES['password']}" for placeholder, username in _accepted_passwords(tape)
    }
    # The users of the tape's head are known for certain, so they take precedence.
    return {**passwords, **tokens}


def _accepted_passwords(tape: Tape) -> Iterator[tuple[str, str]]:
    """Iterate over the placeholders of accepted passwords, with their usernames."""
    for exchange in tape:
        credential = find_credential(exchange.request)
        if credential is not None and credential.user and exchange.response.status < 400:
            yield credential.value.strip("<>"), credential.user


def unknown_credentials(tape: Tape, tokens: Tokens) -> list[str]:
    """Return the placeholders of credentials for which there is neither a user nor a token."""
    used = dict.fromkeys(placeholder for exchange in tape if (placeholder := requester_of(exchange.request)))
    return [placeholder for placeholder in used if placeholder not in tokens]


def required_credentials(tape: Tape) -> dict[str, str]:
    """Return the placeholders of credentials whose users the tape knows, with the usernames."""
    known = {**dict(_accepted_passwords(tape)), **tape.head.users}
    used = (requester_of(exchange.request) or "" for exchange in tape)
    return {placeholder: known[placeholder] for placeholder in used if placeholder in known}
