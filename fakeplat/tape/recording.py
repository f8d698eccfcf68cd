"""A tape that is being recorded: cleaned, and written line by line as things happen."""

import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from attrs import evolve

from fakeplat.core.clock import wall
from fakeplat.core.messages import Headers, Request, Response
from fakeplat.core.stamps import stamp
from fakeplat.platform import Entry, Platform
from fakeplat.tape.cleaning import Cleaner
from fakeplat.tape.credentials import credential
from fakeplat.tape.format import Beginning, Exchange, Head, again_line, exchange_line, head_line, users_line
from fakeplat.tape.moving import move

log: Final = logging.getLogger("fakeplat")
_REQUEST_ID: Final = "X-Request-Id"
_RUNTIME: Final = "X-Runtime"
_KEPT_LINES: Final = 256
_OWNER_ONLY: Final = 0o600


class TapeFile:
    """A file that grows by whole lines, each given to the system in one write. OSError if it cannot be made.

    ``last`` is the number of the last line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, _OWNER_ONLY)
        self._broken = False
        self.last = 0

    def write(self, line: bytes) -> None:
        """Add a line. Where the disk takes no more, the tape ends there and the log says so."""
        self.last += 1
        if self._broken:
            return
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            self._broken = True
            log.error("%s: %s; nothing more is recorded", self.path, error.strerror)

    def close(self) -> None:
        """No more lines."""
        os.close(self._file)


class _Line(NamedTuple):
    """A whole exchange on the tape: its line, what was known of secrets then, the request, the answer."""

    number: int
    version: int
    request: Request
    status: int
    stable: Headers
    body: bytes

    def is_of(self, request: Request, status: int, stable: Headers, body: bytes) -> bool:
        """Whether another exchange of the same address would be the same line."""
        return (
            body == self.body
            and request.headers == self.request.headers
            and stable == self.stable
            and status == self.status
            and request.body == self.request.body
            and request.origin == self.request.origin
        )


class Recorder:
    """Writes a session to a tape. ``users`` are placeholders whose users are told beforehand.

    ``whose`` finds out who a credential belongs to; it is asked at the first use of each.
    """

    def __init__(
        self, file: TapeFile, users: Mapping[str, str] | None = None, whose: Callable[[str], str | None] | None = None
    ) -> None:
        self.cleaner = Cleaner()
        self.upstream: str | None = None
        self._file = file
        self._users = dict(users or {})
        self._whose = whose
        self._lines: dict[tuple[str, str], _Line] = {}

    def begin(self, head: Head) -> None:
        """Write the head."""
        self.upstream = head.upstream
        self._file.write(head_line(evolve(head, users={**head.users, **self._users})))

    def introduce(self, kind: str, value: str, username: str | None) -> None:
        """Say whose a credential is, as far as that could be found out."""
        placeholder = self.cleaner.secrets.learn(kind, value)[1:-1]
        if placeholder not in self._users:
            self._users[placeholder] = username or ""
            if username:
                self._file.write(users_line({placeholder: username}))

    def knows(self, value: str) -> bool:
        """Whether it was said, or asked in vain, whose a credential is."""
        placeholder = self.cleaner.secrets.placeholder(value)
        return placeholder is not None and placeholder[1:-1] in self._users

    def record(self, request: Request, response: Response, took: float, at: int) -> None:
        """Write an exchange: ``took`` in ms, ``at`` in ms since 1970."""
        stable = _stable(response.headers)
        if request.method != "GET":
            self._write(request, response, stable, took, at)
            return
        address, answer = (request.path, request.query), (response.status, stable, response.body)
        kept = self._lines.get(address)
        if kept is not None and kept.version == self.cleaner.secrets.version and kept.is_of(request, *answer):
            self._file.write(again_line(kept.number, took, stamp(at)))
            return
        self._write(request, response, stable, took, at)
        if len(self._lines) >= _KEPT_LINES:
            self._lines.clear()
        self._lines[address] = _Line(self._file.last, self.cleaner.secrets.version, request, *answer)

    def _write(self, request: Request, response: Response, stable: Headers, took: float, at: int) -> None:
        cleaned = self._cleaned(request, Response(response.status, stable, response.body))
        self._file.write(exchange_line(Exchange(*cleaned, took, stamp(at))))

    def _cleaned(self, request: Request, response: Response) -> tuple[Request, Response]:
        found = credential(request) if self._whose is not None else None
        if found is not None and self._whose is not None and not self.knows(found.value):
            self.introduce(found.kind, found.value, self._whose(found.value))
        if self.upstream is not None and request.origin != self.upstream:
            back = move(request.origin, self.upstream)
            request = evolve(request, body=back.content(request.body), query=back.text(request.query))
            response = back.response(response)
        return self.cleaner.clean(request, response)

    def close(self) -> None:
        """The end of the tape."""
        self._file.close()


def _stable(headers: Headers) -> Headers:
    """The headers without those that differ every time, which a platform puts last."""
    if len(headers) > 1 and headers[-2][0] == _REQUEST_ID and headers[-1][0] == _RUNTIME:
        return headers[:-2]
    return tuple([pair for pair in headers if pair[0] not in (_REQUEST_ID, _RUNTIME)])


def whose(platform: Platform, value: str) -> str | None:
    """The user whose credential a value is on a platform; None for nobody's."""
    world = platform.view
    token = world.tokens.find("value", ("token", value)) or world.tokens.find("value", ("session", value))
    return world.users[token.user_id].username if token is not None else None


def record_platform(platform: Platform, file: TapeFile, upstream: str, scenario: str) -> Recorder:
    """Record a platform from inside, as one of its observers, under the origin where it is served."""

    def observe(entry: Entry, exchange: object) -> None:
        """Take a request in; an answer that did not arrive whole is no part of the session."""
        del exchange
        response = entry.response
        if response.delivery is None or response.delivery.loss is None:
            recorder.record(entry.request, response, entry.took / 1e6, entry.at)

    recorder = Recorder(file, whose=partial(whose, platform))
    recorder.begin(Head(upstream, stamp(wall()), {}, _beginning(platform, scenario)))
    platform.observers.append(observe)
    return recorder


def _beginning(platform: Platform, scenario: str) -> Beginning:
    """Where a platform stands now, for the head of its tape."""
    from attrs import asdict

    from fakeplat.model.instance import Instance

    setup, clock = platform.view.setup, platform.clock
    usual = asdict(Instance())
    own = {name: value for name, value in asdict(setup.instance).items() if value != usual[name]}
    return Beginning(scenario, setup.seed, {"kind": clock.kind, "start": stamp(clock.now())}, own)
