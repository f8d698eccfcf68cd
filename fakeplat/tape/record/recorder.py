"""Writing of a tape during a session: exchanges are redacted and appended line by line."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from attrs import evolve

from fakeplat.core.operations.http_messages import REQUEST_ID, RUNTIME, Headers, Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.tape.formats.tape import (
    Exchange,
    Head,
    RecordedDelivery,
    again_line,
    delivery_line,
    exchange_line,
    head_line,
    users_line,
)
from fakeplat.tape.redaction.exchanges import Redactor
from fakeplat.tape.replay.url_rewriting import url_rewriter

log: Final = logging.getLogger("fakeplat")
_MAX_REMEMBERED: Final = 256
_OWNER_ONLY: Final = 0o600


class TapeFile:
    """A file to which complete lines are appended. Raises OSError if it cannot be created.

    ``last`` is the number of the last line, ``error`` the reason why recording stopped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Only the owner may read a tape: redaction cannot recognize every secret.
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, _OWNER_ONLY)
        self._lines: list[bytes] = []
        self._size = 0
        self.error = ""
        self.last = 0

    def add(self, line: bytes) -> None:
        """Add a line to the buffer."""
        self.last += 1
        self._lines.append(line)

    def write(self) -> None:
        """Write the buffered lines to the file.

        If that fails (for example, because the disk is full), recording stops, the file is cut to complete lines, and
        the failure is logged and stored in ``error``.
        """
        lines, self._lines = self._lines, []
        if self.error:
            return
        before = self._size
        try:
            self._write(b"".join(lines))
        except OSError as error:
            self.error = f"{self.path}: {error.strerror}; recording stopped"
            log.error(self.error)
            with suppress(OSError):
                self._truncate(before, lines)

    def _write(self, content: bytes) -> None:
        # os.write may write only a part, for example when the disk becomes full.
        while content:
            written = os.write(self._file, content)
            self._size += written
            content = content[written:]

    def _truncate(self, size: int, lines: list[bytes]) -> None:
        """Cut off an incomplete last line; the file had ``size`` bytes before these lines."""
        for line in lines:
            if size + len(line) > self._size:
                break
            size += len(line)
        os.ftruncate(self._file, size)

    def close(self) -> None:
        """Write the buffered lines and close the file."""
        self.write()
        os.close(self._file)


class _WrittenExchange:
    """An exchange on the tape, and the version of the secrets when it was written."""

    __slots__ = ("_request", "_response", "_version", "number")

    def __init__(self, number: int, version: int, request: Request, response: Response, stable: Headers) -> None:
        self.number = number
        self._version = version
        self._request = request.headers, request.body, request.origin
        self._response = response.body, stable, response.status

    def matches(self, request: Request, response: Response, stable: Headers, version: int) -> bool:
        """Whether another exchange with the same URL would be written as the same line."""
        return (
            (response.body, stable, response.status) == self._response
            and (request.headers, request.body, request.origin) == self._request
            and version == self._version
        )


class Recorder:
    """Writes a session to a tape. ``users`` maps placeholders to usernames that are known in advance."""

    def __init__(self, file: TapeFile, users: Mapping[str, str] | None = None) -> None:
        self.redactor = Redactor()
        self.upstream: str | None = None
        self._file = file
        self._users = dict(users or {})
        self._lines: dict[tuple[str, str], _WrittenExchange] = {}

    def begin(self, head: Head) -> None:
        """Write the head of the tape."""
        self.upstream = head.upstream
        self._file.add(head_line(evolve(head, users={**head.users, **self._users})))
        self._file.write()

    def add_user(self, kind: str, value: str, username: str | None) -> None:
        """Record the user of a credential, or that the user is unknown."""
        # The head and the amendments name placeholders without their angle brackets.
        placeholder = self.redactor.secrets.learn(kind, value)[1:-1]
        if placeholder not in self._users:
            self._users[placeholder] = username or ""
            if username:
                self._file.add(users_line({placeholder: username}))

    def has_user(self, value: str) -> bool:
        """Whether the user of a credential was looked up before, successfully or not."""
        placeholder = self.redactor.secrets.placeholder(value)
        return placeholder is not None and placeholder[1:-1] in self._users

    def record(self, request: Request, response: Response, took: float, at: int) -> None:
        """Record and write an exchange; ``took`` is in ms, ``at`` in ms since 1970."""
        self.take(request, response, took, at)
        self.write()

    def take(self, request: Request, response: Response, took: float, at: int) -> None:
        """Record an exchange without writing it yet."""
        stable = _stable_headers(response.headers)
        if request.method != "GET":
            self._add_exchange(request, response, stable, took, at)
            return
        # Only a GET is written as a repetition. A new secret may change how a line is redacted, hence the version.
        url = request.path, request.query
        previous = self._lines.get(url)
        if previous is not None and previous.matches(request, response, stable, self.redactor.secrets.version):
            self._file.add(again_line(previous.number, took, to_iso(at)))
            return
        self._add_exchange(request, response, stable, took, at)
        # Forgetting everything is simpler than an LRU cache, and costs only a few longer lines.
        if len(self._lines) >= _MAX_REMEMBERED:
            self._lines.clear()
        self._lines[url] = _WrittenExchange(self._file.last, self.redactor.secrets.version, request, response, stable)

    def take_delivery(self, delivery: RecordedDelivery) -> None:
        """Record a delivery without writing it yet."""
        self._file.add(delivery_line(self.redactor.redact_delivery(delivery)))

    def write(self) -> None:
        """Write the recorded exchanges to the file."""
        self._file.write()

    def _add_exchange(self, request: Request, response: Response, stable: Headers, took: float, at: int) -> None:
        self.inspect_request(request)
        clean = self._redact(request, Response(response.status, stable, response.body))
        self._file.add(exchange_line(Exchange(*clean, took, to_iso(at))))

    def inspect_request(self, request: Request) -> None:
        """Inspect a request before it is written; subclasses that know the user of its credential override this."""

    def _redact(self, request: Request, response: Response) -> tuple[Request, Response]:
        if self.upstream is not None and request.origin != self.upstream:
            rewriter = url_rewriter(request.origin, self.upstream)
            request = evolve(request, body=rewriter.content(request.body), query=rewriter.text(request.query))
            response = rewriter.response(response)
        return self.redactor.redact(request, response)

    def close(self) -> None:
        """Write the remaining lines and close the tape."""
        self._file.close()


def _stable_headers(headers: Headers) -> Headers:
    """Return the headers without those that differ on every request."""
    # A platform adds both headers last, so the common case needs no loop.
    if len(headers) > 1 and headers[-2][0] == REQUEST_ID and headers[-1][0] == RUNTIME:
        return headers[:-2]
    return tuple([pair for pair in headers if pair[0] not in (REQUEST_ID, RUNTIME)])
