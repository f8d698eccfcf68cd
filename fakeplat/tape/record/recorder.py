"""A tape that is being recorded: cleaned, and written line by line as things happen."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from attrs import evolve

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.tape.formats.tape import Exchange, Head, again_line, exchange_line, head_line, users_line
from fakeplat.tape.redaction.exchanges import Redactor
from fakeplat.tape.replay.url_rewriting import url_rewriter

log: Final = logging.getLogger("fakeplat")
_REQUEST_ID: Final = "X-Request-Id"
_RUNTIME: Final = "X-Runtime"
_KEPT_LINES: Final = 256
_OWNER_ONLY: Final = 0o600


class TapeFile:
    """A file that grows by whole lines. OSError if it cannot be made.

    ``last`` is the number of the last line, ``error`` says why nothing more is recorded.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, _OWNER_ONLY)
        self._lines: list[bytes] = []
        self._size = 0
        self.error = ""
        self.last = 0

    def add(self, line: bytes) -> None:
        """Add a line, which is not in the file yet."""
        self.last += 1
        self._lines.append(line)

    def write(self) -> None:
        """Give the system what was added.

        Where the disk takes no more, the tape ends with the last line that is whole, the log says so, and so does
        ``error``.
        """
        lines, self._lines = self._lines, []
        if self.error:
            return
        before = self._size
        try:
            self._write(b"".join(lines))
        except OSError as error:
            self.error = f"{self.path}: {error.strerror}; nothing more is recorded"
            log.error(self.error)
            with suppress(OSError):
                self._cut(before, lines)

    def _write(self, content: bytes) -> None:
        while content:
            written = os.write(self._file, content)
            self._size += written
            content = content[written:]

    def _cut(self, whole: int, lines: list[bytes]) -> None:
        """Cut off the line that was not written whole; ``whole`` bytes were there before these lines."""
        for line in lines:
            if whole + len(line) > self._size:
                break
            whole += len(line)
        os.ftruncate(self._file, whole)

    def close(self) -> None:
        """No more lines."""
        self.write()
        os.close(self._file)


class _Line:
    """A whole exchange on the tape: its line, what was known of secrets then, the request, the answer."""

    __slots__ = ("_answer", "_asked", "_version", "number")

    def __init__(self, number: int, version: int, request: Request, response: Response, stable: Headers) -> None:
        self.number = number
        self._version = version
        self._asked = request.headers, request.body, request.origin
        self._answer = response.body, stable, response.status

    def is_of(self, request: Request, response: Response, stable: Headers, version: int) -> bool:
        """Whether another exchange of the same address would be the same line."""
        return (
            (response.body, stable, response.status) == self._answer
            and (request.headers, request.body, request.origin) == self._asked
            and version == self._version
        )


class Recorder:
    """Writes a session to a tape. ``users`` are placeholders whose users are told beforehand."""

    def __init__(self, file: TapeFile, users: Mapping[str, str] | None = None) -> None:
        self.cleaner = Redactor()
        self.upstream: str | None = None
        self._file = file
        self._users = dict(users or {})
        self._lines: dict[tuple[str, str], _Line] = {}

    def begin(self, head: Head) -> None:
        """Write the head."""
        self.upstream = head.upstream
        self._file.add(head_line(evolve(head, users={**head.users, **self._users})))
        self._file.write()

    def introduce(self, kind: str, value: str, username: str | None) -> None:
        """Say whose a credential is, as far as that could be found out."""
        placeholder = self.cleaner.secrets.learn(kind, value)[1:-1]
        if placeholder not in self._users:
            self._users[placeholder] = username or ""
            if username:
                self._file.add(users_line({placeholder: username}))

    def knows(self, value: str) -> bool:
        """Whether it was said, or asked in vain, whose a credential is."""
        placeholder = self.cleaner.secrets.placeholder(value)
        return placeholder is not None and placeholder[1:-1] in self._users

    def record(self, request: Request, response: Response, took: float, at: int) -> None:
        """Write an exchange: ``took`` in ms, ``at`` in ms since 1970."""
        self.take(request, response, took, at)
        self.write()

    def take(self, request: Request, response: Response, took: float, at: int) -> None:
        """Take in an exchange, to be written later."""
        stable = _stable(response.headers)
        if request.method != "GET":
            self._take(request, response, stable, took, at)
            return
        address = request.path, request.query
        kept = self._lines.get(address)
        if kept is not None and kept.is_of(request, response, stable, self.cleaner.secrets.version):
            self._file.add(again_line(kept.number, took, to_iso(at)))
            return
        self._take(request, response, stable, took, at)
        if len(self._lines) >= _KEPT_LINES:
            self._lines.clear()
        self._lines[address] = _Line(self._file.last, self.cleaner.secrets.version, request, response, stable)

    def write(self) -> None:
        """Write what was taken in."""
        self._file.write()

    def _take(self, request: Request, response: Response, stable: Headers, took: float, at: int) -> None:
        self.meet(request)
        cleaned = self._cleaned(request, Response(response.status, stable, response.body))
        self._file.add(exchange_line(Exchange(*cleaned, took, to_iso(at))))

    def meet(self, request: Request) -> None:
        """Look at a request before it is written: who knows whose its credential is introduces it."""

    def _cleaned(self, request: Request, response: Response) -> tuple[Request, Response]:
        if self.upstream is not None and request.origin != self.upstream:
            back = url_rewriter(request.origin, self.upstream)
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
